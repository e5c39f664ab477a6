//! Fixed scenes, whose instructions `.ci/instructions` counts: what `measured` runs, and nothing
//! else. `cargo bench --bench scene` names them, and with a name plays that one.

#[path = "scene/buses.rs"]
mod buses;
mod common;
#[path = "scene/cues.rs"]
mod cues;
#[path = "scene/joins.rs"]
mod joins;
#[path = "scene/space.rs"]
mod space;

use std::time::Duration;

use common::{BLOCK, Bits, clips, fill, mixer, set_ramps};
use voicepool::{
    Bus, BusId, Config, Interpolation, Mixer, Play, Priority, Renderer, Sound, Tag, VoiceId,
    WhenFull, WhenStolen, ms, secs,
};

/// A speed at which every frame lies between two.
const ASKEW: f32 = 1.1892;

type Scene = (&'static str, fn());

/// Of the pairs, the second has four times as much of everything: its count may be four
/// times as high, and a logarithm more.
const SCENES: [Scene; 79] = [
    ("unity", || render(1.0, Interpolation::Linear)),
    ("linear", || render(ASKEW, Interpolation::Linear)),
    ("cubic", || render(ASKEW, Interpolation::Cubic)),
    ("sinc", || render(ASKEW, Interpolation::Sinc)),
    ("ramps", ramps),
    ("thefts", || thefts(64, 10)),
    ("thefts_among_4096", || thefts(4096, 2)),
    ("play", play),
    ("endings", endings),
    ("eight_in_a_pool_of_4096", eight_in_many),
    ("returns_512", || returns(512)),
    ("returns_2048", || returns(2048)),
    ("bus_stops_64", || bus_stops(64)),
    ("bus_stops_256", || bus_stops(256)),
    ("thefts_between_changes_64", || thefts_between_changes(64)),
    ("thefts_between_changes_256", || thefts_between_changes(256)),
    ("parked_1024", || parked(1024, 0.0)),
    ("parked_4096", || parked(4096, 0.0)),
    ("waiting_1024", || parked(1024, 0.5)),
    ("waiting_4096", || parked(4096, 0.5)),
    ("loop_ends_64", || loop_ends(64)),
    ("loop_ends_256", || loop_ends(256)),
    ("mutes_64", || mutes(64)),
    ("mutes_256", || mutes(256)),
    ("slow_pauses_64", || slow_pauses(64)),
    ("slow_pauses_256", || slow_pauses(256)),
    ("frozen_1024", || frozen(1024)),
    ("frozen_4096", || frozen(4096)),
    ("thaw_512", || thaw(512)),
    ("thaw_2048", || thaw(2048)),
    ("tags_64", || tags(64)),
    ("tags_256", || tags(256)),
    ("thefts_within_limits_64", || thefts_within_limits(64)),
    ("thefts_within_limits_256", || thefts_within_limits(256)),
    ("parked_at_limits_1024", || parked_at_limits(1024)),
    ("parked_at_limits_4096", || parked_at_limits(4096)),
    ("tree_64", || buses::tree(64)),
    ("tree_256", || buses::tree(256)),
    ("bus_low_pass_64", || buses::bus_low_pass(64)),
    ("bus_low_pass_256", || buses::bus_low_pass(256)),
    ("own_low_pass_64", || buses::own_low_pass(64)),
    ("own_low_pass_256", || buses::own_low_pass(256)),
    ("moving_low_pass_64", || buses::moving_low_pass(64)),
    ("moving_low_pass_256", || buses::moving_low_pass(256)),
    ("sends_64", || buses::sends(64)),
    ("sends_256", || buses::sends(256)),
    ("room", buses::room),
    ("duck_64", || buses::duck(64)),
    ("duck_256", || buses::duck(256)),
    ("ducks_16", || buses::ducks(16)),
    ("ducks_64", || buses::ducks(64)),
    ("slow_motion_64", || buses::slow_motion(64)),
    ("slow_motion_256", || buses::slow_motion(256)),
    ("mixes_64", || buses::mixes(64)),
    ("mixes_256", || buses::mixes(256)),
    ("moves_64", || buses::moves(64)),
    ("moves_256", || buses::moves(256)),
    ("cues_64", || cues::plays(64)),
    ("cues_256", || cues::plays(256)),
    ("parked_of_cues_1024", || cues::parked(1024)),
    ("parked_of_cues_4096", || cues::parked(4096)),
    ("moving_64", || space::moving(64)),
    ("moving_256", || space::moving(256)),
    ("listener_64", || space::listener(64)),
    ("listener_256", || space::listener(256)),
    ("torches_1024", || space::torches(1024)),
    ("torches_4096", || space::torches(4096)),
    ("doppler_64", || space::doppler(64)),
    ("doppler_256", || space::doppler(256)),
    ("followers_256", || joins::followers(256)),
    ("followers_1024", || joins::followers(1024)),
    ("handovers_256", || joins::handovers(256)),
    ("handovers_1024", || joins::handovers(1024)),
    ("chain_256", || joins::chain(256)),
    ("chain_1024", || joins::chain(1024)),
    ("orphans_256", || joins::orphans(256)),
    ("orphans_1024", || joins::orphans(1024)),
    ("crossfades_64", || joins::crossfades(64)),
    ("crossfades_256", || joins::crossfades(256)),
];

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    match SCENES.iter().find(|(scene, _)| *scene == name) {
        Some((_, run)) => run(),
        None => SCENES.iter().for_each(|(scene, _)| println!("{scene}")),
    }
}

/// The part that is counted. It has a name that can be found, so it must stay a function.
#[inline(never)]
fn measured(run: impl FnOnce()) {
    run();
}

fn measured_blocks(renderer: &mut Renderer, blocks: usize) {
    let mut block = [[0.0; 2]; BLOCK];
    measured(|| (0..blocks).for_each(|_| renderer.render(&mut block)));
}

/// A mixer full of clips of both kinds.
fn full(voices: usize, speed: f32, interpolation: Interpolation) -> (Mixer, Renderer) {
    let (mixer, mut renderer) = mixer(voices, interpolation);
    fill(&mixer, &mut renderer, &both_kinds(), speed, voices);
    (mixer, renderer)
}

fn both_kinds() -> Vec<Sound> {
    clips(Bits::F32)
        .iter()
        .zip(clips(Bits::I16))
        .flat_map(|(a, b)| [a.clone(), b.clone()])
        .collect()
}

/// A play that lasts until it is robbed.
fn endless(clip: &Sound) -> Play {
    Play::of(clip).looping().when_stolen(WhenStolen::End)
}

fn render(speed: f32, interpolation: Interpolation) {
    let (_mixer, mut renderer) = full(64, speed, interpolation);
    measured_blocks(&mut renderer, 10);
}

/// Every gain on its way, at unity and between the frames.
fn ramps() {
    for speed in [1.0, ASKEW] {
        let (mixer, mut renderer) = mixer(64, Interpolation::Cubic);
        let voices = fill(&mixer, &mut renderer, &both_kinds(), speed, 64);
        set_ramps(&mixer, &mut renderer, &voices);
        measured_blocks(&mut renderer, 5);
    }
}

/// Storms of a hundred thefts, each in one quantum.
fn thefts(voices: usize, storms: usize) {
    let (mixer, mut renderer) = full(voices, 1.0, Interpolation::Linear);
    let mut quantum = [[0.0; 2]; 128];
    for _ in 0..storms {
        for clip in both_kinds().iter().cycle().take(100) {
            mixer.play(endless(clip)).expect("room in the queue");
        }
        measured(|| renderer.render(&mut quantum));
        mixer.events().for_each(drop);
    }
    assert_eq!(mixer.stats().stolen, 100 * storms as u64);
}

/// The game's side: plays, and what became of the last ones.
fn play() {
    let (mixer, mut renderer) = full(64, 1.0, Interpolation::Linear);
    let mut block = [[0.0; 2]; BLOCK];
    for _ in 0..20 {
        measured(|| {
            for clip in clips(Bits::F32).iter().cycle().take(50) {
                mixer.play(clip).expect("room in the queue");
            }
            mixer.events().for_each(drop);
        });
        renderer.render(&mut block);
    }
    assert_eq!(mixer.stats().accepted, 64 + 20 * 50);
}

/// A thousand plays that end in one pass.
fn endings() {
    let (mixer, mut renderer) = mixer(1000, Interpolation::Linear);
    let blip = Sound::from_mono(common::RATE, &[0.1; 100]).expect("a blip");
    for _ in 0..1000 {
        mixer.play(&blip).expect("room in the queue");
    }
    measured_blocks(&mut renderer, 1);
    assert_eq!(mixer.stats().finished, 1000);
}

/// Slots that nobody is in.
fn eight_in_many() {
    let (mixer, mut renderer) = mixer(4096, Interpolation::Linear);
    fill(&mixer, &mut renderer, &both_kinds(), 1.0, 8);
    measured_blocks(&mut renderer, 20);
}

/// A mixer with room for so many of everything.
fn roomy(voices: usize, many: usize) -> (Mixer, Renderer) {
    let config = Config {
        voices,
        max_voices: voices,
        parked: many,
        scheduled: many,
        commands: 16 * many,
        ..Config::default()
    };
    Mixer::offline(config).expect("a good config")
}

/// A faint loop that parks when it is robbed.
fn faint(clip: &Sound) -> Play {
    Play::of(clip).looping().gain(1e-4)
}

/// So many plays that come back from parking on one line.
fn returns(many: usize) {
    let (mixer, mut renderer) = roomy(many, many);
    for clip in clips(Bits::F32).iter().cycle().take(many) {
        mixer.play(faint(clip)).expect("room in the queue");
    }
    renderer.frames(256);
    // They go all at once, after the parked have been away for long enough.
    let thief = Sound::from_mono(common::RATE, &vec![1e-4; 14_000]).expect("a thief");
    for _ in 0..many {
        mixer.play(Play::of(&thief).priority(Priority::High)).expect("room in the queue");
    }
    // They begin on the line at 384, and end in the quantum of which the next is the first that
    // is not mixed yet.
    renderer.frames(14_080);
    assert_eq!(mixer.stats().parked, many);
    let mut quantum = [[0.0; 2]; 128];
    measured(|| (0..2).for_each(|_| renderer.render(&mut quantum)));
    assert_eq!((mixer.stats().parked, mixer.stats().playing), (0, many));
}

/// A bus is stopped four times as often, on one line, as it has voices; each time a little sooner.
fn bus_stops(many: usize) {
    let (mixer, mut renderer) = roomy(many, many);
    let bus = BusId::new(1);
    for clip in clips(Bits::F32).iter().cycle().take(many) {
        mixer.play(faint(clip).bus(bus)).expect("room in the queue");
    }
    renderer.frames(256);
    for stop in 0..4 * many as u64 {
        mixer.stop(bus, ms(5000 - stop));
    }
    let mut quantum = [[0.0; 2]; 128];
    measured(|| renderer.render(&mut quantum));
}

/// Thefts on one line, by plays whose answers differ in turn, and each time a bus has changed.
fn thefts_between_changes(many: usize) {
    let (mixer, mut renderer) = roomy(many, many);
    let bus = |n: usize| BusId::new((n % 8) as u8);
    for (n, clip) in clips(Bits::F32).iter().cycle().take(many).enumerate() {
        mixer.play(faint(clip).bus(bus(n)).when_stolen(WhenStolen::End)).expect("room");
    }
    renderer.frames(256);
    for (n, clip) in clips(Bits::F32).iter().cycle().take(2 * many).enumerate() {
        mixer.set_gain(bus(n), 0.5 + (n % 16) as f32 / 32.0, ms(0));
        let answers = [WhenFull::StealQuietest, WhenFull::StealOldest];
        mixer.set_when_full(answers[n % 2]);
        mixer.play(faint(clip).bus(bus(n)).when_stolen(WhenStolen::End)).expect("room");
    }
    let mut quantum = [[0.0; 2]; 128];
    measured(|| renderer.render(&mut quantum));
    assert_eq!(mixer.stats().stolen, 2 * many as u64);
}

/// Thefts on one line within buses that are full, by their own answers, which differ; and beside them a
/// reserve that nobody may touch, and stops in between.
fn thefts_within_limits(many: usize) {
    let (mixer, mut renderer) = roomy(many, many);
    let bus = |n: usize| BusId::new((n % 8) as u8);
    let answers = [WhenFull::StealQuietest, WhenFull::StealOldest];
    for n in 1..8 {
        let parent = bus(n / 2);
        let limit = Bus { parent, when_full: Some(answers[n % 2]), ..Bus::DEFAULT };
        let reserved = if n == 7 { many / 8 } else { 0 };
        let max_voices = Some(many / 8).filter(|_| n > 3);
        mixer.set_bus(bus(n), Bus { max_voices, reserved, ..limit }).expect("a good bus");
    }
    let mut voices = Vec::new();
    for (n, clip) in clips(Bits::F32).iter().cycle().take(many).enumerate() {
        voices.push(mixer.play(faint(clip).bus(bus(n)).when_stolen(WhenStolen::End)));
    }
    renderer.frames(256);
    for (n, clip) in clips(Bits::F32).iter().cycle().take(2 * many).enumerate() {
        mixer.stop(voices[n / 2 * 7 % many], ms(5));
        mixer.set_when_full(answers[n % 2]);
        mixer.play(faint(clip).bus(bus(n)).when_stolen(WhenStolen::End)).expect("room");
    }
    let mut quantum = [[0.0; 2]; 128];
    measured(|| renderer.render(&mut quantum));
    assert_eq!(mixer.stats().full, 2 * many as u64);
}

/// A second in which so many are parked on buses that are full, and find no place to take back, though
/// there are voices free.
fn parked_at_limits(many: usize) {
    let (mixer, mut renderer) = roomy(64, many);
    for n in 1..8 {
        let limit = Bus { max_voices: Some(2), ..Bus::DEFAULT };
        mixer.set_bus(BusId::new(n), limit).expect("a good bus");
    }
    for (n, clip) in clips(Bits::F32).iter().cycle().take(14 + many).enumerate() {
        let priority = if n < 14 { Priority::Protected } else { Priority::Normal };
        let play = faint(clip).bus(BusId::new((1 + n % 7) as u8)).priority(priority);
        mixer.play(play.when_stolen(WhenStolen::Park).looping()).expect("room in the queue");
    }
    renderer.frames(256);
    assert_eq!((mixer.stats().playing, mixer.stats().parked), (14, many));
    measured_blocks(&mut renderer, 48_000 / BLOCK);
}

/// A second of a pool of eight with so many parked beside it on a bus of some gain: those that
/// cannot be heard, or those that wait for a voice.
fn parked(many: usize, gain: f32) {
    let (mixer, mut renderer) = roomy(8, many);
    for clip in clips(Bits::F32).iter().cycle().take(8) {
        mixer.play(faint(clip).priority(Priority::Protected)).expect("room in the queue");
    }
    let bus = BusId::new(1);
    mixer.set_gain(bus, gain, ms(0));
    for clip in clips(Bits::F32).iter().cycle().take(many) {
        mixer.play(faint(clip).bus(bus)).expect("room in the queue");
    }
    renderer.frames(256);
    assert_eq!(mixer.stats().parked, many);
    measured_blocks(&mut renderer, common::RATE as usize / BLOCK);
}

/// So many faint loops on a bus, and beside them so many that are parked and so many that wait.
fn everywhere(many: usize, bus: BusId) -> (Mixer, Renderer, Vec<VoiceId>) {
    let (mixer, mut renderer) = roomy(many, many);
    let loops = || clips(Bits::F32).iter().cycle().take(many).map(|it| faint(it).bus(bus));
    let low = loops().map(|play| play.priority(Priority::Low));
    let waiting = loops().map(|play| play.delay(secs(1000.0)));
    // Of those that wait, each has a tag of its own.
    let waiting = (1..).zip(waiting).map(|(tag, play)| play.tag(tag));
    let all = low.chain(loops()).chain(waiting);
    let voices = all.map(|play| mixer.play(play).expect("room in the queue")).collect();
    renderer.frames(256);
    let stats = mixer.stats();
    assert_eq!((stats.playing, stats.parked, stats.scheduled), (many, many, many));
    (mixer, renderer, voices)
}

/// On one line a bus is told to end its loops as often as it has plays, wherever they are, and each
/// of them is told by itself.
fn loop_ends(many: usize) {
    let bus = BusId::new(1);
    let (mixer, mut renderer, voices) = everywhere(many, bus);
    for voice in voices {
        mixer.end_loop(bus);
        mixer.end_loop(voice);
        mixer.end_loop(BusId::MASTER);
    }
    let mut quantum = [[0.0; 2]; 128];
    measured(|| renderer.render(&mut quantum));
}

/// On one line every play is muted, and its bus is muted and heard again; each time somebody comes who
/// robs whoever is missed least.
fn mutes(many: usize) {
    let bus = BusId::new(1);
    let (mixer, mut renderer, voices) = everywhere(many, bus);
    for (voice, clip) in voices.iter().zip(clips(Bits::F32).iter().cycle()) {
        mixer.set_mute(*voice, true);
        mixer.set_mute(bus, true);
        mixer.set_mute(bus, false);
        mixer.play(endless(clip).bus(bus)).expect("room in the queue");
    }
    let mut quantum = [[0.0; 2]; 128];
    measured(|| renderer.render(&mut quantum));
    assert!(mixer.stats().stolen > 0);
}

/// Every play, its bus and the master fade into a pause and out of it, each time over another time.
fn slow_pauses(many: usize) {
    let bus = BusId::new(1);
    let (mixer, mut renderer, voices) = everywhere(many, bus);
    for (fade, voice) in (1000..).map(ms).zip(&voices) {
        mixer.pause(*voice, fade);
        mixer.pause(bus, fade);
        mixer.resume(bus, fade);
        mixer.pause(BusId::MASTER, fade);
        mixer.resume(BusId::MASTER, fade);
    }
    let mut quantum = [[0.0; 2]; 128];
    measured(|| (0..4).for_each(|_| renderer.render(&mut quantum)));
}

/// Both sides of what is said to tags: to one that all plays have, and to as many as there are voices.
fn tags(many: usize) {
    let (mixer, mut renderer, _) = everywhere(many, BusId::new(1));
    let mut quantum = [[0.0; 2]; 128];
    measured(|| {
        mixer.set_gain(Tag(0), 0.5, ms(0));
        mixer.set_mute(Tag(0), true);
        mixer.pause(Tag(0), ms(1000));
        (1..=many as u64).for_each(|tag| mixer.end_loop(Tag(tag)));
        renderer.render(&mut quantum);
    });
}

/// Half a second of a paused bus for which so many plays wait, the last for hardly longer than the
/// first.
fn frozen(many: usize) {
    let (mixer, mut renderer) = roomy(8, many);
    let bus = BusId::new(1);
    mixer.pause(bus, ms(0));
    for (n, clip) in clips(Bits::F32).iter().cycle().take(many).enumerate() {
        let play = faint(clip).bus(bus).delay(Duration::from_micros(100 + n as u64 % 5000));
        mixer.play(play).expect("room in the queue");
    }
    renderer.frames(256);
    assert_eq!(mixer.stats().scheduled, many);
    measured_blocks(&mut renderer, common::RATE as usize / 2 / BLOCK);
    assert_eq!(mixer.stats().scheduled, many);
}

/// The bus goes on, and all of them begin in one quantum, each robbing another.
fn thaw(many: usize) {
    let (mixer, mut renderer) = roomy(8, many);
    let bus = BusId::new(1);
    mixer.pause(bus, ms(0));
    for (n, clip) in clips(Bits::F32).iter().cycle().take(many).enumerate() {
        let delay = Duration::from_micros(100 + n as u64 % 2000);
        let play = faint(clip).when_stolen(WhenStolen::End);
        mixer.play(play.bus(bus).delay(delay)).expect("room in the queue");
    }
    renderer.frames(256);
    mixer.resume(bus, ms(0));
    let mut quantum = [[0.0; 2]; 128];
    measured(|| (0..2).for_each(|_| renderer.render(&mut quantum)));
    assert_eq!((mixer.stats().scheduled, mixer.stats().stolen), (0, many as u64 - 8));
}
