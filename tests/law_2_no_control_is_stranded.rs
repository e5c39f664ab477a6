//! Law 2, where the two sides run at once: a control that met a full queue is sent, also when the
//! audio side makes room in the very middle of the sending.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};

use common::mono;
use voicepool::{BusId, Config, Frame, Mixer, Play, Renderer, ms};

/// A queue of one place, and a renderer that empties it as fast as it can, while gains are set on
/// several buses. Once all is said and heard, each bus has the gain it was told last.
#[test]
fn the_last_gain_of_every_bus_arrives_however_the_queue_drains() {
    let config = Config { commands: 1, sample_rate: 1000, ..Config::default() };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a config of a test");
    let hum = mono(1000, &[0.01; 1000]);
    for bus in 1..4 {
        while mixer.play(Play::of(&hum).looping().bus(BusId::new(bus))).is_none() {
            renderer.frames(128);
        }
    }
    for round in 0..30_000u32 {
        let said = AtomicBool::new(false);
        let gain = |bus: u8| (1 + (round + u32::from(bus)) % 7) as f32;
        std::thread::scope(|scope| {
            let (renderer, said) = (&mut renderer, &said);
            scope.spawn(move || render_until(renderer, said));
            for bus in 1..4 {
                mixer.set_gain(BusId::new(bus), gain(bus), ms(0));
            }
            mixer.stats();
            said.store(true, Ordering::Release);
        });
        // Whatever still waits is sent when the mixer is touched.
        for _ in 0..4 {
            mixer.stats();
            renderer.frames(128);
        }
        let expected: f32 = (1..4).map(|bus| 0.01 * gain(bus)).sum();
        let heard = renderer.frames(128)[127][0];
        assert!((heard - expected).abs() < 1e-4, "round {round}: {heard}, not {expected}");
    }
}

/// The same where the mixer goes right after it has said it: what did not fit is heard too, and after
/// what did.
#[test]
fn the_last_gain_of_every_bus_arrives_though_the_mixer_goes() {
    let hum = mono(1000, &[0.01; 1000]);
    for round in 0..3000 {
        let config =
            Config { commands: 3, parked: 1, scheduled: 1, sample_rate: 1000, ..Config::default() };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a config of a test");
        for bus in 1..4 {
            mixer.play(Play::of(&hum).looping().bus(BusId::new(bus))).expect("room for three");
        }
        renderer.frames(128);
        let gain = |bus: u8, said: u32| (1 + (round + u32::from(bus) + said) % 7) as f32;
        let gone = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (renderer, gone) = (&mut renderer, &gone);
            scope.spawn(move || render_until(renderer, gone));
            for said in 0..5 {
                for bus in 1..4 {
                    mixer.set_gain(BusId::new(bus), gain(bus, said), ms(0));
                }
            }
            drop(mixer);
            gone.store(true, Ordering::Release);
        });
        let expected: f32 = (1..4).map(|bus| 0.01 * gain(bus, 4)).sum();
        let heard: Frame = renderer.frames(4 * 128)[511];
        assert!((heard[0] - expected).abs() < 1e-4, "round {round}: {heard:?}, not {expected}");
    }
}

fn render_until(renderer: &mut Renderer, done: &AtomicBool) {
    let mut out = [[0.0; 2]; 128];
    while !done.load(Ordering::Acquire) {
        renderer.render(&mut out);
    }
}
