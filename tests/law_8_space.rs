//! Law 8 in space: whatever is said of places, what comes out is finite and within ±1, and whoever was not
//! spoken of is heard as ever, to the bit.

mod common;

use common::{Random, bits, mono, noise};
use voicepool::{
    Attenuation, Config, Distance, Frame, Listener, Mixer, Play, Point, Renderer, VoiceId, ms,
};

const RATE: u32 = 8_000;
const ABSURD: [f32; 12] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    1e-40,
    1e30,
    -0.0,
    0.0,
    -1.0,
    1.0,
];

fn open() -> (Mixer, Renderer) {
    let config = Config { voices: 32, parked: 64, sample_rate: RATE, ..Config::default() };
    Mixer::offline(config).expect("a good config")
}

fn point(random: &mut Random) -> Point {
    let [x, y, z] = [(); 3].map(|()| *random.pick(&ABSURD));
    Point { x, y, z }
}

fn attenuation(random: &mut Random) -> Attenuation {
    let models = [Distance::Inverse, Distance::Linear, Distance::Exponential, Distance::None];
    let model = *random.pick(&models);
    let [near, far, rolloff, width, pan, doppler] = [(); 6].map(|()| *random.pick(&ABSURD));
    Attenuation { model, near, far, rolloff, width, pan, doppler }
}

/// The frames of a game in which everything absurd is said to some, or to nobody.
fn run(seed: u64, absurd: bool, also_listener: bool) -> Vec<Frame> {
    let (mixer, mut renderer) = open();
    let hum = mono(RATE, &noise(1, 1000));
    let mut random = Random(seed);
    // Those that nobody speaks of: without a place, and with one.
    mixer.play(Play::of(&hum).looping().gain(0.1));
    mixer.play(Play::of(&hum).looping().gain(0.1).at([3.0, 2.0]).speed(1.1));
    let mut voices: Vec<VoiceId> = Vec::new();
    let mut heard = Vec::new();
    for _ in 0..60 {
        if absurd {
            // Of these nothing is to be heard: what is absurd are their places.
            let play = Play::of(&hum).looping().gain(if also_listener { 0.3 } else { 0.0 });
            let play = play.at(point(&mut random)).attenuation(attenuation(&mut random));
            voices.extend(mixer.play(play));
            mixer.set_positions(voices.iter().map(|voice| (*voice, point(&mut random))));
            let amounts = ABSURD.iter().cycle();
            mixer.set_occlusions(voices.iter().copied().zip(amounts.copied()), ms(1));
            let voice = voices.last().copied();
            mixer.teleport(voice, point(&mut random));
            mixer.set_occlusion(voice, *random.pick(&ABSURD), ms(0));
            if also_listener {
                let [position, forward, up] = [(); 3].map(|()| point(&mut random));
                let listener = Listener { position, forward, up };
                match random.below(2) {
                    0 => mixer.set_listener(listener),
                    _ => mixer.teleport_listener(listener),
                }
            }
        }
        heard.extend(renderer.frames(150));
    }
    // All is as it was once the listener is.
    mixer.set_listener(Listener::DEFAULT);
    voices.iter().for_each(|voice| mixer.stop(*voice, ms(0)));
    heard.extend(renderer.frames(4096));
    heard
}

#[test]
fn what_comes_out_is_finite_wherever_things_are_said_to_be() {
    for seed in 0..30 {
        let heard = run(seed, true, true);
        assert!(heard.iter().flatten().all(|sample| sample.abs() <= 1.0), "seed {seed}");
        let end = &heard[heard.len() - 1000..];
        assert!(end.iter().any(|frame| frame[0].abs() > 0.05), "clean again, seed {seed}");
    }
}

#[test]
fn the_absurd_places_of_some_leave_the_others_as_they_are() {
    for seed in 0..10 {
        let (beside, alone) = (run(seed, true, false), run(seed, false, false));
        let frames = beside.len().min(alone.len());
        assert!(frames > 4096);
        assert!(bits(&beside[..frames]) == bits(&alone[..frames]), "seed {seed}");
    }
}

/// Directions that say nothing and places out of this world: each is somewhere, and its neighbours are heard.
#[test]
fn an_absurd_listener_hears_what_has_no_place() {
    for absurd in ABSURD {
        let hear = |listener: Option<Listener>| {
            let (mixer, mut renderer) = open();
            mixer.play(Play::of(mono(RATE, &noise(1, 1000))).looping().gain(0.5));
            listener.into_iter().for_each(|listener| mixer.set_listener(listener));
            bits(&renderer.frames(1000))
        };
        let everywhere = Point { x: absurd, y: absurd, z: absurd };
        let listener = Listener { position: everywhere, forward: everywhere, up: everywhere };
        assert!(hear(Some(listener)) == hear(None), "{absurd}");
    }
}
