//! Law 6 on buses: a level counts the filters, the sends and the ducks on the way to the ear. Each voice is
//! rendered alone, in a mixer of its own with the same buses, and a meter of the test's own says what is to
//! come of it; that is held against the level that is announced when it is stolen.

mod common;
#[path = "common/meter.rs"]
mod meter;

use common::{Random, mono, noise, sine};
use meter::{Meter, ahead, decibels};
use voicepool::{
    Bus, BusId, Config, Duck, Ending, Event, Mixer, Play, Priority, Renderer, Reverb, RoomId,
    Sound, VoiceId, WhenStolen, db, ms, to_db,
};

const RATE: u32 = 48_000;
/// What lies further off than 1.2 s counts less than 3 thousandths.
const REACH: usize = RATE as usize * 6 / 5;
const BUS: BusId = BusId::new(1);
const ABOVE: BusId = BusId::new(2);
const SPEECH: BusId = BusId::new(3);
const ROOM: RoomId = RoomId::new(0);
/// From when a theft is asked for to its frame.
const LATER: usize = 128;

fn open(voices: usize) -> (Mixer, Renderer) {
    let sizes = Config { voices, max_voices: voices, parked: 8, scheduled: 8, ..Config::DEFAULT };
    Mixer::offline(Config { commands: 64, ..sizes }).expect("a good config")
}

/// A voice and all that is on its way.
struct Case {
    play: Play,
    low_pass: [f32; 2],
    high_pass: f32,
    bus_send: f32,
    duck: Option<f32>,
    gains: [f32; 2],
    /// When it is stolen.
    at: usize,
}

impl Case {
    fn set(&self, mixer: &Mixer) {
        mixer.set_bus(BUS, Bus { parent: ABOVE, ..Bus::DEFAULT }).expect("no circle");
        let [bus, above] = self.low_pass;
        mixer.set_low_pass(BUS, bus, ms(0));
        mixer.set_low_pass(ABOVE, above, ms(0));
        mixer.set_high_pass(BUS, self.high_pass, ms(0));
        mixer.set_gain(BUS, self.gains[0], ms(0));
        mixer.set_gain(ABOVE, self.gains[1], ms(0));
        let reverb = Reverb { decay: ms(400), size: 0.3, damping: 0.2, pre_delay: ms(0) };
        mixer.set_reverb(ROOM, reverb, ms(0));
        mixer.set_send(BUS, ROOM, self.bus_send, ms(0));
        if let Some(gain) = self.duck {
            let duck = Duck { gain, attack: ms(5), ..Duck::DEFAULT };
            mixer.set_duck(ABOVE, SPEECH, Some(duck)).expect("no circle");
            let breath = mono(RATE, &[0.0; 480]);
            mixer.play(Play::of(&breath).looping().bus(SPEECH).priority(Priority::Protected));
        } else {
            let silence = mono(RATE, &[0.0; 480]);
            mixer.play(Play::of(&silence).looping().priority(Priority::Protected));
        }
    }

    /// What is announced when it is stolen, in decibels.
    fn announced(&self) -> f32 {
        let (mixer, mut renderer) = open(2);
        self.set(&mixer);
        let voice = mixer.play(self.play.clone().when_stolen(WhenStolen::End));
        renderer.frames(self.at);
        let thief = Play::of(mono(RATE, &[0.0; 4800])).priority(Priority::High);
        mixer.play(thief).expect("it takes its voice");
        renderer.frames(1024);
        let stolen = mixer.events().find_map(|event| match event {
            Event::Ended { voice: id, why: Ending::Stolen { level, .. }, .. } => {
                (Some(id) == voice).then_some(level)
            }
            _ => None,
        });
        to_db(stolen.expect("it was stolen"))
    }

    /// The same by the meter.
    fn measured(&self) -> f32 {
        let (mixer, mut renderer) = open(2);
        self.set(&mixer);
        mixer.play(&self.play);
        let heard = renderer.frames(self.at + LATER + REACH);
        let mut powers = Vec::new();
        Meter::new(RATE.into()).hear(&heard, &mut powers);
        decibels(ahead(RATE, &powers)[self.at + LATER])
    }
}

/// Noise, tones, chords, and all the sounds there are.
fn sounds() -> Vec<(String, Sound)> {
    let mut sounds = Vec::new();
    sounds.push(("white noise".to_owned(), mono(RATE, &noise(3, 96_000))));
    let mut held = 0.0;
    let brown = noise(4, 96_000).into_iter().map(|sample| {
        held = 0.98 * held + 0.1 * sample;
        held
    });
    sounds.push(("brown noise".to_owned(), mono(RATE, &brown.collect::<Vec<_>>())));
    for hertz in [70.0, 150.0, 330.0, 800.0, 1700.0, 4000.0, 9000.0] {
        let wave = sine(RATE, hertz, 0.0, 96_000);
        let wave: Vec<f32> = wave.iter().map(|sample| 0.5 * sample).collect();
        sounds.push((format!("{hertz} Hz"), mono(RATE, &wave)));
    }
    for root in [110.0, 261.6, 700.0] {
        let parts = [1.0, 1.26, 1.5, 3.0, 7.1].map(|ratio| sine(RATE, root * ratio, 0.1, 96_000));
        let chord: Vec<f32> =
            (0..96_000).map(|n| parts.iter().map(|part| 0.15 * part[n]).sum()).collect();
        sounds.push((format!("a chord from {root} Hz"), mono(RATE, &chord)));
    }
    let names = [
        "ambience_bed",
        "chime",
        "coin",
        "drone_loop",
        "explosion",
        "rain_loop",
        "thud",
        "wand_swish",
        "whoosh_small",
        "zap",
    ];
    for name in names {
        let sound = Sound::load(format!("sounds/{name}.wav")).expect("a file of the project");
        sounds.push((name.to_owned(), sound.resampled(RATE).expect("a usual rate")));
    }
    sounds
}

/// How far off the levels of many voices are, in decibels, with their names; of those that can be heard.
fn errors(seed: u64, turn: impl Fn(&mut Case, &mut Random)) -> Vec<(f32, String)> {
    let mut random = Random(seed);
    let mut errors = Vec::new();
    for (name, sound) in sounds() {
        for _ in 0..4 {
            let gain = db(random.between(-24.0, -9.0));
            let play =
                Play::of(&sound).looping().bus(BUS).gain(gain).pan(random.between(-0.8, 0.8));
            let mut case = Case {
                play,
                low_pass: [20_000.0; 2],
                high_pass: 20.0,
                bus_send: 0.0,
                duck: None,
                gains: [db(random.between(-9.0, 0.0)), db(random.between(-9.0, 0.0))],
                at: 128 * (60 + random.below(200) as usize),
            };
            turn(&mut case, &mut random);
            let (announced, measured) = (case.announced(), case.measured());
            // What lies 70 dB down is heard by nobody.
            if measured.max(announced) > -70.0 {
                let what = format!(
                    "{name}: {announced:.1} dB, measured {measured:.1} dB, {:.0?}, {:.0}, {:.2}",
                    case.low_pass, case.high_pass, case.bus_send
                );
                errors.push(((announced - measured).abs(), what));
            }
        }
    }
    errors
}

/// 95 % are within 1.5 dB.
#[track_caller]
fn right(what: &str, mut errors: Vec<(f32, String)>) {
    errors.sort_by(|a, b| b.0.total_cmp(&a.0));
    let wrong = errors.iter().filter(|(off, _)| *off > 1.5).count();
    let share = 100.0 * (1.0 - wrong as f32 / errors.len() as f32);
    println!("{what}: {share:.1} % of {} within 1.5 dB", errors.len());
    errors.iter().take(wrong + 1).for_each(|(off, what)| println!("  {off:.2}: {what}"));
    assert!(errors.len() > 60, "{}", errors.len());
    assert!(share >= 95.0, "{what}: {share} %");
}

fn octaves(random: &mut Random, low: f32, high: f32) -> f32 {
    low * (high / low).powf(random.unit())
}

#[test]
fn levels_are_right_behind_the_low_pass_of_a_bus() {
    let turn = |case: &mut Case, random: &mut Random| {
        case.low_pass[random.below(2) as usize] = octaves(random, 150.0, 15_000.0);
    };
    right("low-pass of a bus", errors(1, turn));
}

#[test]
fn levels_are_right_behind_the_low_pass_of_a_voice() {
    let turn = |case: &mut Case, random: &mut Random| {
        case.play = case.play.clone().low_pass(octaves(random, 150.0, 15_000.0));
    };
    right("low-pass of a voice", errors(2, turn));
}

#[test]
fn levels_are_right_behind_the_high_pass_of_a_bus() {
    let turn = |case: &mut Case, random: &mut Random| {
        case.high_pass = octaves(random, 50.0, 5000.0);
    };
    right("high-pass of a bus", errors(3, turn));
}

/// A steady tone meets its own echo in phase or against it, which no power can tell: so the sends are those
/// of rooms around a sound, not of echoes in its place.
#[test]
fn levels_are_right_with_sends_to_a_room() {
    let turn = |case: &mut Case, random: &mut Random| {
        if random.below(2) == 0 {
            case.bus_send = random.between(0.1, 0.5);
        } else {
            case.play = case.play.clone().send(ROOM, random.between(0.1, 0.5));
        }
    };
    right("sends", errors(4, turn));
}

#[test]
fn levels_are_right_under_a_duck() {
    let turn =
        |case: &mut Case, random: &mut Random| case.duck = Some(db(random.between(-20.0, -3.0)));
    right("ducks", errors(5, turn));
}

/// Several of all that at once, one filter of each kind. What is sent to a room does not pass the filters
/// above.
#[test]
fn levels_are_right_behind_all_of_it() {
    let turn = |case: &mut Case, random: &mut Random| {
        let hz = octaves(random, 300.0, 15_000.0);
        match random.below(4) {
            0 => case.play = case.play.clone().low_pass(hz),
            place @ (1 | 2) => case.low_pass[place as usize - 1] = hz,
            _ => (),
        }
        if random.below(3) == 0 {
            case.high_pass = octaves(random, 40.0, 1000.0);
        }
        if case.low_pass[1] == 20_000.0 && random.below(2) == 0 {
            case.bus_send = random.between(0.0, 0.4);
        }
        if random.below(2) == 0 {
            case.duck = Some(db(random.between(-20.0, -3.0)));
        }
    };
    right("all of it", errors(6, turn));
}

/// Who has lost its voice.
fn victims(mixer: &Mixer) -> Vec<VoiceId> {
    let lost = |event| match event {
        Event::Ended { voice, why: Ending::Stolen { .. }, .. } => Some(voice),
        Event::Parked { voice, .. } => Some(voice),
        _ => None,
    };
    mixer.events().filter_map(lost).collect()
}

/// Of loud voices on a bus that its slider has muted and quiet ones elsewhere, the muted go first: whether
/// the slider is that of their bus or of one above, and whatever rings in a room or a filter.
#[test]
fn the_voices_of_a_bus_that_its_slider_has_muted_go_first() {
    for slider in [BUS, ABOVE] {
        for shaped in [false, true] {
            let (mixer, mut renderer) = open(6);
            mixer.set_bus(BUS, Bus { parent: ABOVE, ..Bus::DEFAULT }).expect("no circle");
            if shaped {
                mixer.set_reverb(ROOM, Reverb::DEFAULT, ms(0));
                mixer.set_send(BUS, ROOM, 0.5, ms(0));
                mixer.set_low_pass(ABOVE, 900.0, ms(0));
            }
            let hiss = mono(RATE, &noise(1, 48_000));
            let play = Play::of(&hiss).when_stolen(WhenStolen::End);
            let loud: Vec<_> =
                (0..3).filter_map(|_| mixer.play(play.clone().gain(0.3).bus(BUS))).collect();
            let quiet: Vec<_> =
                (0..3).filter_map(|_| mixer.play(play.clone().gain(0.002))).collect();
            renderer.frames(2048);
            mixer.set_gain(slider, 0.0, ms(0));
            renderer.frames(1024);
            for n in 0..3 {
                mixer.play(Play::of(&hiss).gain(0.1));
                renderer.frames(512);
                let gone = victims(&mixer);
                assert_eq!(gone.len(), 1, "{slider:?}, theft {n}");
                assert!(loud.contains(&gone[0]), "{slider:?}, shaped {shaped}, theft {n}");
            }
            assert!(quiet.iter().all(|voice| mixer.is_live(*voice)));
        }
    }
}

/// Behind a low-pass the brighter of two goes, though it is louder without; behind a high-pass the darker.
#[test]
fn behind_a_filter_what_it_takes_away_goes_first() {
    let tone = |hertz, gain: f32| {
        let wave = sine(RATE, hertz, 0.0, 48_000);
        mono(RATE, &wave.iter().map(|sample| gain * sample).collect::<Vec<_>>())
    };
    for (low, high, first) in [(500.0, 20.0, 1), (20_000.0, 3000.0, 0)] {
        let (mixer, mut renderer) = open(2);
        mixer.set_low_pass(BUS, low, ms(0));
        mixer.set_high_pass(BUS, high, ms(0));
        let sounds = [tone(200.0, 0.2), tone(5000.0, 0.2)];
        let voices = sounds.map(|sound| mixer.play(Play::of(&sound).bus(BUS)));
        renderer.frames(1024);
        mixer.play(Play::of(tone(1000.0, 0.5)));
        renderer.frames(512);
        assert_eq!(victims(&mixer), [voices[first].expect("there is room")]);
    }
}

/// Loops of nearly the same loudness, some of them on a bus that ducks while somebody speaks in short words:
/// who plays and who is parked is settled once, not anew with every word.
#[test]
fn victims_under_a_duck_do_not_flutter() {
    let (mixer, mut renderer) = open(6);
    let duck = Duck { gain: 0.5, attack: ms(20), hold: ms(40), release: ms(60) };
    mixer.set_duck(BUS, SPEECH, Some(duck)).expect("no circle");
    let hiss = mono(RATE, &noise(1, 24_000));
    for n in 0..5 {
        mixer.play(Play::of(&hiss).looping().bus(BUS).gain(0.1 + 0.002 * n as f32));
        mixer.play(Play::of(&hiss).looping().bus(ABOVE).gain(0.08 + 0.002 * n as f32));
    }
    renderer.frames(9600);
    let count = |mixer: &Mixer| {
        mixer
            .events()
            .filter(|event| matches!(event, Event::Parked { .. } | Event::Unparked { .. }))
            .count()
    };
    count(&mixer);
    let word = mono(RATE, &noise(2, 4800));
    let mut changes = Vec::new();
    for _ in 0..20 {
        mixer.play(Play::of(&word).bus(SPEECH).priority(Priority::High).gain(0.3));
        renderer.frames(12_000);
        changes.push(count(&mixer));
    }
    println!("parked and unparked, word by word: {changes:?}");
    // Each word takes one voice and gives it back; nobody else moves.
    assert!(changes.iter().all(|changes| *changes <= 4), "{changes:?}");
}

/// From the line on which a duck begins to bow, its bus counts as all the way down; and from the line on which
/// it is let go, as up again: a victim is the same at the beginning of a ramp and at its end.
#[test]
fn a_duck_counts_as_what_it_promises() {
    let (mixer, mut renderer) = open(7);
    let duck = Duck { gain: 0.5, attack: ms(800), hold: ms(5), release: ms(800) };
    mixer.set_duck(BUS, SPEECH, Some(duck)).expect("no circle");
    let hiss = mono(RATE, &noise(1, 240_000));
    let play = |bus, gain: f32| {
        let play = Play::of(&hiss).bus(bus).gain(gain).when_stolen(WhenStolen::End);
        mixer.play(play).expect("there is room")
    };
    let ducked = [(); 3].map(|()| play(BUS, 0.1));
    let others = [(); 3].map(|()| play(ABOVE, 0.08));
    renderer.frames(4096);
    let line = Play::of(&hiss).bus(SPEECH).priority(Priority::Protected).gain(0.01);
    let line = mixer.play(line).expect("there is room");
    // Two thefts, at the beginning of the attack and far into it.
    for wait in [384, 19_200] {
        renderer.frames(wait);
        play(BusId::MASTER, 0.2);
        renderer.frames(512);
        let gone = victims(&mixer);
        assert!(gone.len() == 1 && ducked.contains(&gone[0]), "{wait} frames into the attack");
    }
    mixer.stop(line, ms(0));
    // The line's voice is free now, and taken by one who stays.
    renderer.frames(1024);
    play(BusId::MASTER, 0.2);
    for wait in [384, 9600] {
        renderer.frames(wait);
        play(BusId::MASTER, 0.2);
        renderer.frames(512);
        let gone = victims(&mixer);
        assert!(gone.len() == 1 && others.contains(&gone[0]), "{wait} frames into the release");
    }
}
