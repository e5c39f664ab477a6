//! What the page draws, as the text that JavaScript reads.

use voicepool::{OutputState, Priority, VoiceState, to_db};

use crate::json::Object;
use crate::logic::app::{App, EarTest, Kind, PARTS, Scene, Theft, decibels};
use crate::logic::cast::Member;
use crate::logic::keys::{Action, KEYS};
use crate::logic::stage::SPARKLES;
use crate::logic::tally::{FAINT, Loss, Losses};
use crate::logic::wand::{ANSWERS, BUSES, TICKS, Tag};
use crate::waveform;

/// What is quieter than this is silence, in decibels.
const SILENCE: f32 = -120.0;

/// A level in decibels, for a linear one.
fn level(linear: f32) -> f32 {
    to_db(linear).max(SILENCE)
}

fn object() -> Object {
    Object::default()
}

/// What does not change from frame to frame.
pub fn about(app: &mut App) -> String {
    let sounds = app.wand.cast.members.iter().map(|Member { name, key, sound }| {
        object()
            .with("name", name)
            .with("key", key.map(String::from))
            .with("seconds", sound.duration().as_secs_f32())
            .with("outline", waveform::outline(sound))
    });
    // A page cannot record.
    let keys = KEYS.iter().filter(|(_, _, _, action)| *action != Action::Save);
    let keys = keys.map(|(key, _, does, action)| {
        let does = match action {
            Action::Quit => "how many voices does this need?",
            Action::Back => "leave this, a freeze, the ear test",
            _ => does,
        };
        object().with("key", *key).with("does", does)
    });
    object()
        .with("sounds", sounds.collect::<Vec<_>>())
        .with("keys", keys.collect::<Vec<_>>())
        .with("answers", ANSWERS.iter().map(|(_, name)| *name).collect::<Vec<_>>())
        .with("mostSparkles", SPARKLES)
        .with("faint", FAINT)
        .text()
}

/// The sparkles as they are so many seconds after the last tick: across, up, glow and hue of each.
pub fn sparkles(app: &App, lag: f32, into: &mut Vec<f32>) {
    into.clear();
    for sparkle in app.stage.sparkles() {
        let mut sparkle = *sparkle;
        sparkle.fly(lag);
        into.extend([sparkle.x, sparkle.y, sparkle.glow().max(0.0), sparkle.hue as f32]);
    }
}

/// What is seen now. Takes the log's new lines with it.
pub fn frame(app: &mut App) -> String {
    let log = app.log.drain(..).map(|entry| {
        let kind = match entry.kind {
            Kind::Faint => "faint",
            Kind::Loud => "loud",
            Kind::News => "news",
        };
        object().with("at", entry.at as f32).with("text", entry.text).with("kind", kind)
    });
    let log: Vec<Object> = log.collect();
    let (wand, stats, tally) = (&app.wand, &app.wand.stats, &app.wand.tally);
    let queue = stats.live.saturating_sub(stats.playing + stats.parked + stats.scheduled);
    let meters = app.meters.iter().map(|meter| vec![level(meter.level), level(meter.hold)]);
    let since_wave = app.waved.map(|waved| (app.ticks - waved) as f32 / TICKS as f32);
    object()
        .with("seconds", app.ticks as f32 / TICKS as f32)
        .with("voices", stats.voices)
        .with("playing", stats.playing)
        .with("mostPlaying", tally.most_playing)
        .with("cells", cells(app))
        .with("parked", parked(app))
        .with("flashes", app.flashes.iter().map(flash(app)).collect::<Vec<_>>())
        .with("meters", meters.collect::<Vec<_>>())
        .with("buses", buses(app))
        .with("losses", losses(app, &tally.all))
        .with("sounds", tally.sounds.iter().map(|each| losses(app, each)).collect::<Vec<_>>())
        .with("queue", queue)
        .with("turnedAway", stats.turned_away)
        .with("load", 100.0 * stats.load_mean)
        .with("output", output(&wand.mixer.output()))
        .with("answer", wand.answer())
        .with("storm", wand.is_storming())
        .with("ambience", wand.has_ambience())
        .with("water", wand.is_under_water())
        .with("cave", wand.is_in_cave())
        .with("duck", wand.is_ducking())
        .with("muted", app.muted)
        .with("paused", app.paused)
        .with("volume", app.volume)
        .with("alone", app.plays_by_itself())
        .with("caption", app.caption())
        .with("help", app.help)
        .with("left", std::mem::take(&mut app.quit))
        .with("hero", app.wand.hero())
        .with("sinceWave", since_wave)
        .with("sparklesRefused", app.stage.refused)
        .with("ear", app.ear_test.as_ref().map(|test| ear_test(app, test)))
        .with(
            "theft",
            app.last_theft.as_ref().filter(|_| app.frozen).map(|theft| scene(app, theft)),
        )
        .with("log", log)
        .text()
}

/// The voices that have a slot, each as a list.
fn cells(app: &App) -> Vec<Object> {
    let slots = app.voices.iter().filter_map(|voice| voice.slot.map(|slot| (slot, voice)));
    let cell =
        |(slot, voice): (usize, &voicepool::VoiceInfo)| {
            let sound = Tag::unpack(voice.tag).sound;
            let seconds =
                app.wand.cast.members.get(sound).map_or(1.0, |member| {
                    member.sound.duration().as_secs_f32().max(f32::MIN_POSITIVE)
                });
            object()
                .with("slot", slot)
                .with("sound", sound)
                .with("level", level(voice.level))
                .with("at", (voice.position.as_secs_f32() / seconds).min(1.0))
                .with("pan", voice.pan)
                .with("priority", priority(voice.priority))
                .with("playing", voice.state == VoiceState::Playing)
                .with("age", app.age(voice.voice))
        };
    slots.map(cell).collect()
}

fn priority(priority: Priority) -> &'static str {
    match priority {
        Priority::Low => "low",
        Priority::Normal => "normal",
        Priority::High => "high",
        Priority::Protected => "protected",
    }
}

/// Those who lost their voice and wait for another.
fn parked(app: &App) -> Vec<Object> {
    let parked = app.voices.iter().filter(|voice| voice.state == VoiceState::Parked);
    let row = |voice: &voicepool::VoiceInfo| {
        object()
            .with("sound", Tag::unpack(voice.tag).sound)
            .with("level", level(voice.level))
            .with("seconds", voice.position.as_secs_f32())
    };
    parked.map(row).collect()
}

/// A theft, in its slot.
fn flash(app: &App) -> impl Fn((&usize, &Theft)) -> Object {
    let now = app.ticks;
    move |(slot, theft)| {
        object()
            .with("slot", *slot)
            .with("thief", &theft.thief)
            .with("victim", &theft.victim)
            .with("level", theft.level)
            .with("age", (now - theft.tick) as f32 / TICKS as f32)
    }
}

fn buses(app: &App) -> Vec<Object> {
    let row = |(meter, (_, name)): (&crate::logic::app::BusMeter, (_, &'static str))| {
        object()
            .with("name", name)
            .with("playing", meter.playing)
            .with("level", meter.level.map(|meter| level(meter.level)))
            .with("ducked", meter.ducked)
    };
    app.buses.iter().zip(BUSES).map(row).collect()
}

fn losses(app: &App, losses: &Losses) -> Object {
    let worst = losses.worst.map(|Loss { sound, level }| {
        object().with("name", app.wand.cast.name(sound)).with("level", level.max(SILENCE))
    });
    object()
        .with("plays", losses.plays)
        .with("stolen", losses.stolen)
        .with("refused", losses.refused)
        .with("worst", worst)
}

/// Where the sound goes, and whether it waits for somebody.
fn output(state: &OutputState) -> Object {
    let (kind, text) = match state {
        OutputState::Playing { sample_rate, latency, .. } => {
            let (rate, latency) = (*sample_rate as f32 / 1000.0, latency.as_secs_f32() * 1000.0);
            ("playing", format!("{rate} kHz, {latency:.0} ms"))
        }
        OutputState::WaitingForGesture => ("waiting", "waits for you".into()),
        _ => ("silent", state.to_string()),
    };
    object().with("kind", kind).with("text", text)
}

fn ear_test(app: &App, test: &EarTest) -> Object {
    let part = |((letter, whom), lost): (&(char, &'static str), &Losses)| {
        object()
            .with("letter", letter.to_string())
            .with("whom", *whom)
            .with("lost", losses(app, lost))
    };
    object()
        .with("part", test.part)
        .with("heard", test.is_heard())
        .with("left", test.seconds_left())
        .with("parts", PARTS.iter().zip(&test.losses).map(part).collect::<Vec<_>>())
}

/// The last theft, and everybody whom it could have met.
fn scene(app: &App, Scene { theft, candidates }: &Scene) -> Object {
    let row = |(voice, age): &(voicepool::VoiceInfo, f32)| {
        let never = voice.priority == Priority::Protected && voice.state != VoiceState::Stopping;
        object()
            .with("slot", voice.slot)
            .with("sound", Tag::unpack(voice.tag).sound)
            .with("name", app.wand.cast.name(Tag::unpack(voice.tag).sound))
            .with("level", level(voice.level))
            .with("priority", priority(voice.priority))
            .with("age", *age)
            .with("stolen", voice.voice == theft.voice)
            .with("never", never)
    };
    object()
        .with("thief", &theft.thief)
        .with("victim", &theft.victim)
        .with("level", decibels(theft.level))
        .with("byAge", theft.goes_by_age())
        .with("candidates", candidates.iter().map(row).collect::<Vec<_>>())
}
