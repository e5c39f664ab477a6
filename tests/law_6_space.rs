//! Law 6 in space: the quietest is the quietest where the listener stands. Distances, sides and walls decide,
//! and a meter of the test's own, which hears each voice rendered alone, says who it is.

mod common;
#[path = "common/meter.rs"]
mod meter;

use common::{Random, mono, noise, sine};
use meter::{Meter, ahead, decibels};
use voicepool::{
    Attenuation, Config, Distance, Ending, Event, Listener, Mixer, Play, Point, Priority, Renderer,
    Sound, VoiceId, WhenStolen, db, ms, to_db,
};

const RATE: u32 = 48_000;
/// What lies further off than 1.2 s counts less than 3 thousandths.
const REACH: usize = RATE as usize * 6 / 5;
/// From when a theft is asked for to its frame.
const LATER: usize = 128;

fn open(voices: usize) -> (Mixer, Renderer) {
    let sizes = Config { voices, max_voices: voices, parked: 8, scheduled: 8, ..Config::DEFAULT };
    Mixer::offline(Config { commands: 64, ..sizes }).expect("a good config")
}

/// A steady sound: what it is like ahead is what it is like now.
fn sounds() -> Vec<Sound> {
    let mut sounds: Vec<Sound> = [150.0, 800.0, 4000.0]
        .map(|hertz| {
            let wave = sine(RATE, hertz, 0.0, 9600);
            mono(RATE, &wave.iter().map(|sample| 0.5 * sample).collect::<Vec<_>>())
        })
        .into();
    sounds.push(mono(RATE, &noise(3, 24_000)));
    sounds
}

/// One voice: where it is, how it is heard, and what lies between.
#[derive(Clone)]
struct Case {
    play: Play,
    wall: f32,
}

impl Case {
    fn random(random: &mut Random, sounds: &[Sound]) -> Case {
        let models = [Distance::Inverse, Distance::Linear, Distance::Exponential];
        let attenuation = Attenuation {
            model: *random.pick(&models),
            near: random.between(0.5, 3.0),
            far: random.between(30.0, 90.0),
            rolloff: random.between(0.5, 1.5),
            width: random.between(0.5, 10.0),
            pan: random.unit(),
            doppler: 0.0,
        };
        let [x, y, z] = [(); 3].map(|()| random.between(-14.0, 14.0));
        let at = Point { x, y, z };
        let wall = if random.below(2) == 0 { 0.0 } else { random.unit() };
        let play = Play::of(random.pick(sounds)).looping().gain(db(random.between(-24.0, -6.0)));
        let play = play.at(at).attenuation(attenuation).when_stolen(WhenStolen::End);
        Case { play, wall }
    }

    fn start(&self, mixer: &Mixer) -> VoiceId {
        mixer.play(&self.play).expect("there is room")
    }

    /// What is heard of it where a listener stands from the beginning, by the meter, in decibels.
    fn measured(&self, listener: Listener, at: usize) -> f32 {
        let (mixer, mut renderer) = open(1);
        mixer.set_listener(listener);
        mixer.set_occlusion(self.start(&mixer), self.wall, ms(0));
        let heard = renderer.frames(at + LATER + REACH);
        let mut powers = Vec::new();
        Meter::new(RATE.into()).hear(&heard, &mut powers);
        decibels(ahead(RATE, &powers)[at + LATER])
    }
}

fn somewhere(random: &mut Random) -> Listener {
    let [position, forward, up] =
        [9.0, 1.0, 1.0].map(|reach| [(); 3].map(|()| random.between(-reach, reach)).into());
    Listener { position, forward, up }
}

/// Who was stolen, and what was said of how loud it was, in decibels.
fn stolen(mixer: &Mixer) -> Option<(VoiceId, f32)> {
    mixer.events().find_map(|event| match event {
        Event::Ended { voice, why: Ending::Stolen { level, .. }, .. } => {
            Some((voice, to_db(level)))
        }
        _ => None,
    })
}

/// When the listener moves to where it stands in the end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Moves {
    LongBefore,
    JustBeforeThePlay,
    JustAfterThePlay,
}

/// Random voices around a listener, and a thief: whoever goes is the quietest by the meter where the listener
/// stands by then, or hardly louder, and is said to be as loud as the meter finds. Where the listener sets out
/// in the very frame of the theft, before or after the play, what is rising counts as risen and what is falling
/// as it is.
#[test]
fn the_victim_is_the_quietest_where_the_listener_stands() {
    let sounds = sounds();
    let mut random = Random(9);
    let (mut wrong, mut games, mut off) = (Vec::new(), 0, 0f32);
    for game in 0..10 {
        let cases: Vec<Case> = (0..5).map(|_| Case::random(&mut random, &sounds)).collect();
        let (before, listener) = (somewhere(&mut random), somewhere(&mut random));
        let at = 128 * (20 + random.below(40) as usize);
        let [from, to] = [before, listener]
            .map(|it| cases.iter().map(|case| case.measured(it, at)).collect::<Vec<_>>());
        for moves in [Moves::LongBefore, Moves::JustBeforeThePlay, Moves::JustAfterThePlay] {
            let long = moves == Moves::LongBefore;
            let levels: Vec<f32> = from
                .iter()
                .zip(&to)
                .map(|(from, to)| if long { *to } else { from.max(*to) })
                .collect();
            let quietest = levels.iter().copied().fold(f32::MAX, f32::min);
            let (mixer, mut renderer) = open(5);
            mixer.set_listener(before);
            let voices: Vec<VoiceId> = cases.iter().map(|case| case.start(&mixer)).collect();
            let walls = |odd: usize| {
                for (n, (voice, case)) in voices.iter().zip(&cases).enumerate() {
                    if n % 2 == odd {
                        mixer.set_occlusion(*voice, case.wall, ms(0));
                    }
                }
            };
            // Some begin behind their walls, and before others they come while they play.
            walls(0);
            renderer.frames(at - 1024);
            walls(1);
            if long {
                mixer.set_listener(listener);
            }
            renderer.frames(1024);
            assert_eq!(mixer.stats().playing, 5, "all are in earshot");
            if moves == Moves::JustBeforeThePlay {
                mixer.set_listener(listener);
            }
            let thief = Play::of(&sounds[0]).priority(Priority::High);
            mixer.play(thief).expect("it takes a voice");
            if moves == Moves::JustAfterThePlay {
                mixer.set_listener(listener);
            }
            renderer.frames(1024);
            let (victim, level) = stolen(&mixer).expect("somebody gave way");
            let victim = voices.iter().position(|voice| *voice == victim).expect("one of them");
            off = off.max((level - levels[victim]).abs());
            if levels[victim] > quietest + 1.5 {
                wrong.push((game, moves, victim, levels));
            }
            games += 1;
        }
    }
    println!("{} of {games} wrong, levels off by {off:.2} dB at most", wrong.len());
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(off < 1.5, "{off} dB");
}

/// Two of the same gain: the nearer one stays, wherever the listener goes, and whatever was said first.
#[test]
fn the_farther_of_two_goes() {
    let hiss = mono(RATE, &noise(1, 48_000));
    for (ear, goes) in [(-8.0, 1), (8.0, 0)] {
        for after in [false, true] {
            let (mixer, mut renderer) = open(2);
            let voices = [-10.0, 10.0].map(|x| {
                let play = Play::of(&hiss).looping().gain(0.2).at([x, 0.0]);
                mixer.play(play.when_stolen(WhenStolen::End)).expect("there is room")
            });
            renderer.frames(1024);
            // From where both are as loud, and then where the one is louder.
            mixer.set_listener(Listener::at([ear, 0.0]));
            renderer.frames(if after { 128 } else { 1024 });
            mixer.play(Play::of(&hiss).gain(0.1)).expect("it takes a voice");
            renderer.frames(1024);
            assert_eq!(stolen(&mixer).map(|(voice, _)| voice), Some(voices[goes]), "{ear}");
        }
    }
}

/// A newcomer that is out of earshot robs nobody, and one that the listener's next word brings into it does;
/// and who has just left earshot goes first of all.
#[test]
fn earshot_is_judged_once_all_of_a_frame_is_known() {
    let hiss = mono(RATE, &noise(1, 48_000));
    let near =
        |x: f32| Play::of(&hiss).looping().gain(0.2).at([x, 0.0]).when_stolen(WhenStolen::End);
    let (mixer, mut renderer) = open(2);
    let [here, there] = [near(1.0).gain(0.01), near(150.0)].map(|it| mixer.play(it));
    mixer.set_listener(Listener::at([75.0, 0.0]));
    renderer.frames(1024);
    assert_eq!(mixer.stats().playing, 2);
    // Far from everybody: it parks, and nobody goes.
    mixer.play(near(900.0));
    renderer.frames(1024);
    assert_eq!((mixer.stats().playing, mixer.stats().parked, stolen(&mixer)), (2, 1, None));
    // Played before the listener has come: it is heard, and robs who is out of earshot by then, though that one
    // was the louder until now.
    mixer.play(near(-20.0));
    mixer.set_listener(Listener::DEFAULT);
    renderer.frames(1024);
    assert_eq!((mixer.stats().playing, mixer.stats().parked), (2, 2), "{:?}", stolen(&mixer));
    assert!(mixer.is_live(here) && mixer.is_live(there));
}
