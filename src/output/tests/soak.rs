//! A device that comes and goes while a game plays at random.

use cpal::ErrorKind;

use super::helpers::{assert_balanced, drop_in_time, patient, plays, small, until};
use super::{Output, Script};
use crate::{BusId, Event, Mixer, Play, Sound, WhenStolen, ms};

/// Numbers that look random and are the same every time (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % limit
    }
}

/// Says some things, and returns how many plays were accepted.
fn say_some(mixer: &Mixer, random: &mut Random, sound: &Sound) -> u64 {
    let mut accepted = 0;
    for _ in 0..random.below(12) {
        let bus = BusId::new(random.below(4) as u8);
        let play = Play::of(sound).gain(random.below(64) as f32 / 64.0).bus(bus);
        let voice = mixer.play(match random.below(5) {
            0 => play.looping(),
            1 => play.delay(ms(random.below(300))),
            2 => play.when_stolen(WhenStolen::Park),
            _ => play,
        });
        accepted += u64::from(voice.is_some());
        match random.below(8) {
            0 => mixer.stop(voice, ms(random.below(50))),
            1 => mixer.pause(voice, ms(5)),
            2 => mixer.pause(bus, ms(5)),
            3 => mixer.resume(bus, ms(5)),
            4 => mixer.seek(voice, ms(random.below(50))),
            5 => mixer.stop_all(ms(random.below(20))),
            6 => drop(mixer.resize(1 + random.below(16) as usize)),
            _ => (),
        }
    }
    accepted
}

/// Lost in every way there is, away for a while or not, and back at the same rate or another: the game goes on, and
/// every play has its one ending.
#[test]
fn a_device_that_is_lost_200_times_costs_no_play_its_ending() {
    const LOST: [ErrorKind; 3] =
        [ErrorKind::StreamInvalidated, ErrorKind::DeviceNotAvailable, ErrorKind::DeviceBusy];
    let script = Script::usual();
    let mixer = script.open(small(), patient());
    let noise: Vec<f32> = (0..4000).map(|n| (n * 7919 % 2048) as f32 / 4096.0).collect();
    let sound = Sound::from_mono(48_000, &noise).unwrap();
    let mut random = Random(14);
    let (mut accepted, mut ended) = (0, 0);
    let mut hear = |mixer: &Mixer| {
        ended += mixer.events().filter(|event| matches!(event, Event::Ended { .. })).count() as u64;
        assert_balanced(mixer);
        ended
    };
    for _ in 0..200 {
        until("a device plays", || plays(&mixer));
        let stream = script.plan().streams.last().unwrap().clone();
        for _ in 0..1 + random.below(4) {
            accepted += say_some(&mixer, &mut random, &sound);
            let frames = stream.frames(random.below(2000) as usize);
            assert!(frames.as_flattened().iter().all(|sample| sample.abs() <= 1.0));
            hear(&mixer);
        }
        let built = script.plan().built;
        let is_gone = random.below(3) == 0;
        let rate = [48_000, 44_100, 22_050][random.below(3) as usize];
        script.change(|plan| {
            plan.outputs = if is_gone { vec![] } else { vec![Output::new("speakers", rate)] };
        });
        stream.raise(LOST[random.below(3) as usize]);
        until("it is lost", || !plays(&mixer) || script.plan().built > built);
        if is_gone {
            // Nobody hears this, and it ends all the same.
            accepted += say_some(&mixer, &mut random, &sound);
            hear(&mixer);
            script.change(|plan| plan.outputs = vec![Output::new("speakers", rate)]);
        }
    }
    until("a device plays", || plays(&mixer));
    mixer.stop_all(ms(0));
    script.run_until("all have ended", || mixer.stats().live == 0);
    let (told, stats) = (hear(&mixer), mixer.stats());
    assert_eq!((stats.accepted, stats.panics), (accepted, 0), "{stats}");
    assert!(stats.accepted > 1000, "{stats}");
    assert!(
        told + stats.missed_events >= stats.accepted && told <= stats.accepted,
        "{told}\n{stats}"
    );
    drop_in_time(mixer);
}
