//! Places: gains and sides against the closed formulas, earshot, doppler.

mod common;

use voicepool::{
    Attenuation, Config, Distance, Event, Listener, Mixer, Parking, Play, Point, Renderer, Sound,
    Tag, db, ms, secs,
};

/// A sound that is 1 for ever.
fn ones(rate: u32) -> Sound {
    Sound::from_mono(rate, &[1.0; 64]).unwrap()
}

fn open(config: Config) -> (Mixer, Renderer) {
    Mixer::offline(config).unwrap()
}

/// What is heard once everything has settled.
fn settled(renderer: &mut Renderer) -> [f32; 2] {
    *renderer.frames(2048).last().unwrap()
}

/// The formulas of the documentation, in the words of somebody who has only read that.
fn expected(listener: &Listener, place: Point, attenuation: &Attenuation) -> [f64; 2] {
    let wide = |p: Point| [p.x, p.y, p.z].map(f64::from);
    let cross =
        |[a, b, c]: [f64; 3], [x, y, z]: [f64; 3]| [b * z - c * y, c * x - a * z, a * y - b * x];
    let length = |[x, y, z]: [f64; 3]| (x * x + y * y + z * z).sqrt();
    let right = cross(wide(listener.forward), wide(listener.up));
    let right = right.map(|it| it / length(right));
    let (from, to) = (wide(listener.position), wide(place));
    let offset = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    let d = length(offset);
    let Attenuation { near, far, rolloff, width, pan, .. } = *attenuation;
    let [near, far, rolloff, width, pan] = [near, far, rolloff, width, pan].map(f64::from);
    let g = |d: f64| match attenuation.model {
        Distance::Inverse => near / (near + rolloff * (d - near)),
        Distance::Linear => 1.0 - (d - near) / (far - near),
        Distance::Exponential => (d / near).powf(-rolloff),
        _ => 1.0,
    };
    let gain = match attenuation.model {
        Distance::None => 1.0,
        _ if d <= near => 1.0,
        _ if d >= far => 0.0,
        _ => (g(d) - g(far)) / (1.0 - g(far)),
    };
    let side = offset[0] * right[0] + offset[1] * right[1] + offset[2] * right[2];
    let pan = pan * side / d.max(width);
    [gain * (1.0 - pan).max(0.0).sqrt(), gain * (1.0 + pan).max(0.0).sqrt()]
}

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    fn point(&mut self, reach: f32) -> Point {
        let [x, y, z] = [(); 3].map(|()| self.between(-reach, reach));
        Point { x, y, z }
    }
}

#[test]
fn gains_and_sides_are_those_of_the_closed_formulas_at_ten_thousand_places() {
    let config = Config { voices: 64, max_voices: 64, sample_rate: 8000, ..Config::DEFAULT };
    let one = ones(8000);
    let mut random = Random(7);
    let mut worst: f64 = 0.0;
    for _ in 0..10_000 / 16 {
        let (mixer, mut renderer) = open(config.clone());
        let listener = Listener {
            position: random.point(50.0),
            forward: random.point(1.0),
            up: random.point(1.0),
        };
        mixer.set_listener(listener);
        for _ in 0..16 {
            let near = random.between(0.1, 20.0);
            let models =
                [Distance::Inverse, Distance::Linear, Distance::Exponential, Distance::None];
            let attenuation = Attenuation {
                model: models[(4.0 * random.unit()) as usize % 4],
                near,
                far: near + random.between(1.0, 200.0),
                rolloff: random.between(0.2, 3.0),
                width: random.between(0.1, 60.0),
                pan: random.unit(),
                doppler: 0.0,
            };
            let place = random.point(80.0);
            let gain = 0.25;
            let play = Play::of(&one).looping().gain(gain).at(place).attenuation(attenuation);
            let voice = mixer.play(play);
            let heard = settled(&mut renderer);
            let expected = expected(&listener, place, &attenuation);
            for (heard, expected) in heard.iter().zip(expected) {
                worst = worst.max((f64::from(*heard) - f64::from(gain) * expected).abs());
            }
            mixer.stop(voice, ms(0));
            assert_eq!(settled(&mut renderer), [0.0; 2]);
        }
    }
    println!("the worst is off by {worst:e}");
    assert!(worst < 1e-5, "{worst}");
}

#[test]
fn at_the_near_end_it_is_untouched_and_at_the_far_end_exactly_silent() {
    for model in [Distance::Inverse, Distance::Linear, Distance::Exponential] {
        let attenuation = Attenuation { model, near: 2.0, far: 50.0, ..Attenuation::DEFAULT };
        let (mixer, mut renderer) = open(Config::DEFAULT);
        let at =
            |z: f32| Play::of(ones(48_000)).looping().at([0.0, 0.0, z]).attenuation(attenuation);
        let voice = mixer.play(at(2.0));
        assert_eq!(settled(&mut renderer), [1.0; 2]);
        mixer.set_position(voice, [0.0, 0.0, -49.99]);
        let [left, right] = settled(&mut renderer);
        assert!(left > 0.0 && left < 1e-3 && left == right, "{model:?}: {left}");
        mixer.set_position(voice, [0.0, 0.0, 50.0]);
        assert_eq!(settled(&mut renderer), [0.0; 2]);
        assert_eq!((mixer.stats().playing, mixer.stats().parked), (0, 1));
    }
}

#[test]
fn what_is_out_of_earshot_parks_keeps_its_time_and_comes_back_where_it_would_be() {
    let (mixer, mut renderer) = open(Config { voices: 4, ..Config::DEFAULT });
    let ramp: Vec<f32> = (0..48_000).map(|i| i as f32 / 48_000.0).collect();
    let ramp = Sound::from_mono(48_000, &ramp).unwrap();
    let voice = mixer.play(Play::of(&ramp).at([200.0, 0.0]).tag(7));
    let heard = renderer.frames(12_000);
    assert!(heard.iter().all(|frame| *frame == [0.0; 2]));
    let events: Vec<Event> = mixer.events().collect();
    assert!(matches!(events[..], [Event::Parked { tag: 7, at: 0, why: Parking::Inaudible, .. }]));
    assert_eq!((mixer.stats().playing, mixer.stats().parked), (0, 1));
    mixer.set_listener(Listener::at([200.0, 0.0]));
    let heard = renderer.frames(12_000);
    // The sound's own samples, as if it had been heard all the time.
    assert_eq!(heard[6000], [18_000.0 / 48_000.0; 2]);
    assert!(mixer.is_live(voice));
    mixer.set_listener(Listener::at([0.0, 0.0]));
    renderer.frames(24_000 - 512);
    assert_eq!(mixer.stats().finished, 0);
    renderer.frames(1024);
    assert_eq!(mixer.stats().finished, 1, "it ends when it would have");
}

#[test]
fn a_play_before_the_listeners_move_in_the_same_frame_is_not_lost() {
    for full in [false, true] {
        let (mixer, mut renderer) = open(Config { voices: 1, ..Config::DEFAULT });
        if full {
            mixer.play(Play::of(ones(48_000)).gain(0.001).looping());
            renderer.frames(1024);
        }
        mixer.play(Play::of(ones(48_000)).looping().gain(0.5).at([200.0, 0.0]));
        mixer.set_listener(Listener::at([200.0, 0.0]));
        assert_eq!(settled(&mut renderer), [0.5; 2], "full: {full}");
        assert!(!mixer.events().any(|event| matches!(event, Event::Parked { tag: 1, .. })));
    }
}

#[test]
fn a_tag_is_an_entity() {
    let (mixer, mut renderer) = open(Config::DEFAULT);
    for n in 0..3 {
        mixer.play(Play::of(ones(48_000)).looping().gain(0.1).at([n as f32, 0.0, 0.0]).tag(9));
    }
    mixer.play(Play::of(ones(48_000)).looping().gain(0.1).tag(9)); // without a place
    mixer.set_position(Tag(9), [0.0, 0.0, 0.0]);
    let [left, right] = settled(&mut renderer);
    assert!((left - 0.4).abs() < 1e-6 && left == right);
    mixer.set_position(Tag(9), [0.0, 500.0, 0.0]);
    assert_eq!(settled(&mut renderer), [0.1; 2]);
    mixer.stop(Tag(9), ms(0));
    assert_eq!(settled(&mut renderer), [0.0; 2]);
    assert_eq!(mixer.stats().live, 0);
}

/// A wall that is there from the first frame on, and one that is built on the line of the play.
#[test]
fn a_play_may_begin_behind_a_wall() {
    let heard = |early: bool| {
        let (mixer, mut renderer) = open(Config::DEFAULT);
        let play = Play::of(ones(48_000)).looping().gain(0.5).at([0.0, 0.0]);
        let voice = mixer.play(if early { play.occlusion(0.7) } else { play });
        if !early {
            mixer.set_occlusion(voice, 0.7, ms(0));
        }
        renderer.frames(2048)
    };
    assert_eq!(heard(true), heard(false));
    let settled = heard(true)[2047][0];
    assert!((voicepool::to_db(settled / 0.5) + 0.7 * 12.0).abs() < 0.01, "{settled}");
}

/// A game may say it in every frame, and may change its mind about how soon.
#[test]
fn an_occlusion_said_once_more_is_hurried_and_never_held_up() {
    let wall = db(-12.0);
    for (first, again, after) in [(secs(9.0), ms(0), ms(20)), (ms(100), ms(100), ms(120))] {
        let (mixer, mut renderer) = open(Config::default());
        let voice = mixer.play(Play::of(ones(48_000)).looping().gain(0.5));
        renderer.frames(1024);
        mixer.set_occlusion(voice, 1.0, first);
        for _ in 0..mixer.frames(after) / 128 {
            renderer.frames(128);
            mixer.set_occlusion(voice, 1.0, again);
        }
        renderer.frames(256);
        let [left, _] = renderer.frames(1)[0];
        assert!((left - 0.5 * wall).abs() < 1e-3, "{left} after {first:?} and {again:?}");
    }
}
