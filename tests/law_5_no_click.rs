//! Law 5: no click. For sines from 100 Hz up, no change makes a step above 1.5 times the sine's
//! own at the largest gain involved; and what the author made is left alone.

#[path = "common/clicks.rs"]
mod clicks;
mod common;

use std::time::Duration;

use clicks::{
    AFTER, Act, BLOCKS, BOUND, BUS, HEARD, HERTZ, PHASES, RATE, SINES, Say, largest_step, listen,
    open, own_step,
};
use common::{bits, mono, noise};
use voicepool::{BusId, Config, Frame, Mixer, Play, Priority, VoiceId, WhenStolen, ms};

/// Where more than three ramps meet on one voice at once, of which a seek makes two.
const WIDE_BOUND: f32 = 3.5;
const ZERO: Duration = Duration::ZERO;

/// What a sine does from just before it is told something to 10 ms after.
fn steps(hertz: usize, phase: usize, play: &dyn Fn(Play) -> Play, acts: &[Act]) -> Frame {
    clicks::steps(hertz, phase, play, acts, AFTER)
}

/// Every sine at every phase, changed as `acts` say, keeps to the bound. `gains` are the largest
/// on each side, and for a change of speed as much larger as the sine gets steeper: at the worst it
/// comes near them, so that it was heard.
fn smooth(what: &str, gains: Frame, play: &dyn Fn(Play) -> Play, acts: &[Act]) {
    let mut worst = 0.0f32;
    for (index, hertz) in HERTZ.iter().enumerate() {
        for phase in 0..PHASES {
            let steps = steps(index, phase, play, acts);
            for side in [0, 1] {
                let ratio = steps[side] / gains[side];
                assert!(
                    ratio <= BOUND,
                    "{what}: {ratio} times its own step, {hertz} Hz, {phase}/64, side {side}"
                );
                worst = worst.max(ratio);
            }
        }
    }
    assert!(worst >= 0.75, "{what}: at worst {worst}, so it was not heard as loud as it should be");
    println!("{what}: at worst {worst:.3}");
}

fn as_it_is(play: Play) -> Play {
    play
}

fn rob(mixer: &Mixer, _: VoiceId) {
    mixer.play(mono(RATE, &[0.0; 300]));
}

fn shrink(mixer: &Mixer, _: VoiceId) {
    mixer.resize(1).expect("it fits");
}

fn pause(mixer: &Mixer, voice: VoiceId) {
    mixer.pause(voice, ms(0));
}

fn resume(mixer: &Mixer, voice: VoiceId) {
    mixer.resume(voice, ms(0));
}

fn stop(fade: Duration) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, voice| mixer.stop(voice, fade)
}

fn gain(to: f32, over: Duration) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, voice| mixer.set_gain(voice, to, over)
}

fn bus_gain(bus: BusId, to: f32) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, _| mixer.set_gain(bus, to, ZERO)
}

fn pan(to: f32) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, voice| mixer.set_pan(voice, to, ZERO)
}

fn speed(to: f32, over: Duration) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, voice| mixer.set_speed(voice, to, over)
}

fn seek(micros: u64) -> impl Fn(&Mixer, VoiceId) {
    move |mixer, voice| mixer.seek(voice, Duration::from_micros(micros))
}

/// A sine that is stopped, alone or with everything else, fades out however short the fade.
#[test]
fn a_stop_does_not_click() {
    for fade in [ZERO, ms(1), ms(11)] {
        smooth(&format!("stop over {fade:?}"), [1.0; 2], &as_it_is, &[(0, &stop(fade))]);
    }
    smooth("stop of a bus", [1.0; 2], &as_it_is, &[(0, &|mixer, _| mixer.stop(BUS, ZERO))]);
    smooth("stop_all", [1.0; 2], &as_it_is, &[(0, &|mixer, _| mixer.stop_all(ZERO))]);
}

/// A sine that is robbed leaves a tail behind; if it parks, it comes back as smoothly (the thief
/// lasts 6 ms). A pool that shrinks robs as well.
#[test]
fn a_theft_does_not_click_nor_does_a_return() {
    let ends = |play: Play| play.when_stolen(WhenStolen::End);
    smooth("steal", [1.0; 2], &ends, &[(0, &rob)]);
    smooth("steal, park, unpark", [1.0; 2], &as_it_is, &[(0, &rob)]);
    let elsewhere = |play: Play| ends(play).pan(0.5).gain(1.4).speed(0.9);
    let gains = [1.4 * 0.5f32.sqrt(), 1.4 * 1.5f32.sqrt()];
    smooth("steal at some pan, gain and speed", gains, &elsewhere, &[(0, &rob)]);
    smooth("resize", [1.0; 2], &ends, &[(0, &shrink)]);
}

/// A sine that jumps to another place, wherever that is, and jumps again before it has settled.
#[test]
fn a_seek_does_not_click() {
    for to in [0, 2_500, 7_777, 13_125] {
        smooth(&format!("seek to {to} µs"), [1.0; 2], &as_it_is, &[(0, &seek(to))]);
    }
    let acts: &[Act] = &[(0, &seek(2_500)), (128, &seek(50_100)), (256, &seek(7_777))];
    smooth("three seeks", [1.0; 2], &as_it_is, acts);
}

/// A sine, or its bus, or everything, stands still and goes on.
#[test]
fn a_pause_and_a_resume_do_not_click() {
    for apart in [128, 512] {
        let what = format!("pause, and resume after {apart}");
        smooth(&what, [1.0; 2], &as_it_is, &[(0, &pause), (apart, &resume)]);
    }
    for bus in [BUS, BusId::MASTER] {
        let what = format!("pause and resume of {bus:?}");
        let acts: &[Act] = &[
            (0, &|mixer, _| mixer.pause(bus, ms(0))),
            (512, &|mixer, _| mixer.resume(bus, ms(0))),
        ];
        smooth(&what, [1.0; 2], &as_it_is, acts);
    }
}

/// A sine, or its bus, becomes louder, softer, silent, heard again; and is turned on the way.
#[test]
fn a_gain_does_not_click() {
    for (from, to) in [(1.0, 2.0), (1.0, 0.3), (1.0, 0.0), (0.0, 1.0), (0.02, 2.0)] {
        let (what, most) = (format!("gain {from} to {to}"), f32::max(from, to));
        smooth(&what, [most; 2], &|play| play.gain(from), &[(0, &gain(to, ZERO))]);
    }
    for bus in [BUS, BusId::MASTER] {
        let (up, off, on) = (bus_gain(bus, 2.0), bus_gain(bus, 0.0), bus_gain(bus, 1.0));
        let acts: &[Act] = &[(0, &up), (384, &off), (512, &on)];
        smooth(&format!("gain of {bus:?}"), [2.0; 2], &as_it_is, acts);
    }
    let acts: &[Act] =
        &[(0, &gain(2.0, ms(10))), (128, &gain(0.1, ZERO)), (256, &gain(1.0, ms(2)))];
    smooth("gain turned on its way", [2.0 * 128.0 / 480.0 + 1.0; 2], &as_it_is, acts);
}

/// A sine goes from hard left to hard right and back, also before it has arrived.
#[test]
fn a_pan_does_not_click() {
    let left = |play: Play| play.pan(-1.0);
    for apart in [128, 512] {
        let acts: &[Act] = &[(0, &pan(1.0)), (apart, &pan(-1.0))];
        smooth(&format!("pan, and back after {apart}"), [2f32.sqrt(); 2], &left, acts);
    }
}

/// A sine changes its speed: as steep as at the higher speed it may become, no steeper.
#[test]
fn a_speed_does_not_click() {
    for (from, to) in [(1.0, 2.0), (1.0, 0.5), (0.7, 1.3)] {
        let (what, most) = (format!("speed {from} to {to}"), f32::max(from, to));
        let acts: &[Act] =
            &[(0, &speed(to, ZERO)), (128, &speed(from, ms(9))), (256, &speed(to, ZERO))];
        smooth(&what, [most; 2], &|play| play.speed(from), acts);
    }
}

/// A sine comes back to its own speed, and lands on its samples from wherever it was between them.
#[test]
fn a_landing_does_not_click() {
    for (from, apart) in [(0.1, 128), (0.93, 128), (1.037, 256), (1.3, 384), (2.0, 512)] {
        let acts: &[Act] = &[(0, &speed(from, ms(3))), (apart, &speed(1.0, ZERO))];
        smooth(&format!("{from} to 1"), [f32::max(from, 1.0); 2], &as_it_is, acts);
    }
}

/// A sine that begins in its middle comes up from silence.
#[test]
fn a_start_in_the_middle_does_not_click() {
    for (hertz, sounds) in HERTZ.iter().zip(&*SINES) {
        for (phase, sound) in sounds.iter().enumerate() {
            let (mixer, mut renderer) = open();
            let play = Play::of(sound).looping().from_position(ms(13));
            mixer.play(&play);
            mixer.play(play.start_at(999).speed(0.9));
            let mut heard = vec![[0.0; 2]];
            listen(&mut renderer, 999, BLOCKS[phase % BLOCKS.len()], &mut heard);
            let one = largest_step(&heard)[0] / own_step(*hertz);
            listen(&mut renderer, 500, BLOCKS[phase % BLOCKS.len()], &mut heard);
            let two = largest_step(&heard)[0] / own_step(*hertz);
            assert!(one <= BOUND && two <= 2.0 * BOUND, "{hertz} Hz, {phase}/64: {one}, {two}");
            assert!(one >= HEARD, "{hertz} Hz, {phase}/64, is not heard: {one}");
            assert_eq!(mixer.stats().playing, 2);
        }
    }
}

/// Three ramps that fall together are steeper than each, and still no click.
#[test]
fn three_changes_at_once_do_not_click() {
    let acts: &[Act] = &[(0, &gain(0.0, ZERO)), (0, &stop(ZERO)), (0, &bus_gain(BUS, 0.0))];
    smooth("gain, stop and bus at once", [1.0; 2], &as_it_is, acts);
}

/// Everything that can fall at once on one voice does: the sine's own step is still the measure,
/// and the bound for it is published beside that of one change.
#[test]
fn everything_at_once_keeps_to_the_wider_bound() {
    let pause_bus = |mixer: &Mixer, _| mixer.pause(BUS, ms(0));
    let pause_all = |mixer: &Mixer, _| mixer.pause(BusId::MASTER, ms(0));
    let (bus, master) = (bus_gain(BUS, 0.0), bus_gain(BusId::MASTER, 0.0));
    // The stop is just long enough that a seek does not take its fade for the tail's own.
    let (gain, stop, pan) = (gain(0.0, ZERO), stop(Duration::from_micros(5100)), pan(1.0));
    let seek = seek(15_625);
    let mutes = [Some(BUS), None, Some(BusId::MASTER)].map(|bus| {
        move |mixer: &Mixer, voice| match bus {
            Some(bus) => mixer.set_mute(bus, true),
            None => mixer.set_mute(voice, true),
        }
    });
    let [mute_bus, mute, mute_all] = &mutes;
    let all: [Say; 12] = [
        &gain, &stop, &pause, &bus, &pause_bus, &master, &pause_all, mute, mute_bus, mute_all,
        &pan, &seek,
    ];
    let mut worst = [0.0f32; 13];
    for count in 1..=all.len() {
        let acts: Vec<Act> = all[..count].iter().map(|act| (0, *act)).collect();
        for (hertz, phase) in
            (0..HERTZ.len()).flat_map(|hertz| (0..PHASES).map(move |p| (hertz, p)))
        {
            let [left, right] = steps(hertz, phase, &as_it_is, &acts);
            worst[count] = worst[count].max(left.max(right / 2f32.sqrt()));
        }
    }
    println!("one to twelve changes at once: {:.2?}", &worst[1..]);
    assert!(worst[1..=3].iter().all(|ratio| *ratio <= BOUND), "{worst:?}");
    assert!(worst.iter().all(|ratio| *ratio <= WIDE_BOUND), "{worst:?}");
    assert!(worst[1..].iter().all(|ratio| *ratio >= HEARD), "it was heard: {worst:?}");
}

/// However often it is asked to jump on one line, a place that was never heard leaves nothing behind:
/// also while it stops.
#[test]
fn many_seeks_at_once_do_not_click() {
    let (jump, stop) = (seek(20_000), stop(ZERO));
    for (what, first) in [("stop", &stop as Say), ("another seek", &jump)] {
        let mut acts: Vec<Act> = vec![(0, first)];
        acts.extend([(0, &jump as Say); 16]);
        smooth(&format!("16 seeks after {what}"), [1.0; 2], &as_it_is, &acts);
    }
}

/// Whatever is said, and whatever is said next or half a ramp later, it adds up to no click.
#[test]
fn any_two_changes_that_meet_do_not_click() {
    let resume_bus = |mixer: &Mixer, _| mixer.resume(BUS, ms(0));
    let acts: [(&str, Say); 22] = [
        ("stop", &stop(ZERO)),
        ("slow stop", &stop(ms(20))),
        ("stop_all", &|mixer, _| mixer.stop_all(ZERO)),
        ("pause", &pause),
        ("resume", &resume),
        ("pause of the bus", &|mixer, _| mixer.pause(BUS, ms(0))),
        ("resume of the bus", &resume_bus),
        ("gain 0", &gain(0.0, ZERO)),
        ("gain 1", &gain(1.0, ZERO)),
        ("gain of the bus", &bus_gain(BUS, 0.2)),
        ("pan", &pan(0.5)),
        ("speed", &speed(0.8, ZERO)),
        ("seek", &seek(33_000)),
        ("theft", &rob),
        ("resize", &shrink),
        ("slow pause", &|mixer, voice| mixer.pause(voice, ms(50))),
        ("slow resume", &|mixer, voice| mixer.resume(voice, ms(50))),
        ("slow pause of all", &|mixer, _| mixer.pause(BusId::MASTER, ms(50))),
        ("mute", &|mixer, voice| mixer.set_mute(voice, true)),
        ("mute of the bus", &|mixer, _| mixer.set_mute(BUS, true)),
        ("unmute of both", &|mixer, voice| {
            mixer.set_mute(BUS, false);
            mixer.set_mute(voice, false);
        }),
        ("end_loop", &|mixer, voice| mixer.end_loop(voice)),
    ];
    let most = 1.5f32.sqrt();
    for (first_name, first) in acts {
        for (second_name, second) in acts {
            if first_name == "resize" && second_name == "resize" {
                continue;
            }
            for apart in [0, 128] {
                let acts: [Act; 4] =
                    [(0, first), (apart, second), (512, &resume), (512, &resume_bus)];
                for (hertz, phase) in [(0, 0), (0, 9), (0, 18), (0, 27), (3, 4), (3, 29)] {
                    let [left, right] = steps(hertz, phase, &as_it_is, &acts);
                    assert!(
                        (HEARD..=BOUND).contains(&left.max(right / most)),
                        "{second_name}, {apart} frames after {first_name}: {left}, {right}"
                    );
                }
            }
        }
    }
}

/// Five hundred voices are robbed within one buffer, all on one line or on a frame each: the
/// steps of their tails are those of five hundred single thefts, and no more.
#[test]
fn a_storm_of_thefts_does_not_click() {
    const VICTIMS: usize = 500;
    let config = Config {
        voices: VICTIMS,
        max_voices: VICTIMS,
        parked: 1,
        scheduled: VICTIMS,
        ..Config::default()
    };
    let silence = mono(RATE, &[0.0; 2000]);
    for (hertz, sounds) in HERTZ.iter().zip(&*SINES).step_by(4) {
        for apart in [0, 3] {
            let (mixer, mut renderer) = Mixer::offline(config.clone()).expect("a good config");
            for _ in 0..VICTIMS {
                // All in phase: their steps add up.
                let play = Play::of(&sounds[16]).looping().gain(1.0 / VICTIMS as f32);
                mixer.play(play.priority(Priority::Low).when_stolen(WhenStolen::End));
            }
            let mut heard = renderer.frames(256);
            for n in 0..VICTIMS as u64 {
                mixer.play(Play::of(&silence).start_at(300 + n * apart));
            }
            heard.extend(renderer.frames(1920));
            assert_eq!(mixer.stats().stolen, VICTIMS as u64);
            let ratio = largest_step(&heard)[0] / own_step(*hertz);
            assert!((HEARD..=BOUND).contains(&ratio), "{hertz} Hz, {apart} frames apart: {ratio}");
        }
    }
}

/// A start at position 0 of a sound that begins at full scale, a clip's end and a loop's seam
/// are the author's, and pass bit for bit.
#[test]
fn what_the_author_made_passes_bit_for_bit() {
    let square: Vec<f32> = (0..777).map(|n| if n / 50 % 2 == 0 { 1.0 } else { -1.0 }).collect();
    for clip in [square, noise(5, 777)] {
        let sound = mono(RATE, &clip);
        for start in [0, 128, 201] {
            let (mixer, mut renderer) = open();
            mixer.play(Play::of(&sound).start_at(start));
            let mut expected = vec![[0.0; 2]; start as usize];
            expected.extend(clip.iter().map(|sample| [*sample; 2]));
            expected.resize(2000, [0.0; 2]);
            assert!(bits(&renderer.frames(2000)) == bits(&expected), "once, from {start}");
            mixer.play(Play::of(&sound).loop_range(Duration::ZERO..ms(10)));
            let seams = (0..2000).map(|n| [clip[n % 480]; 2]).collect::<Vec<_>>();
            // The line at 2048 is mixed already, so it begins on the next.
            let heard = renderer.frames(2048 + 128);
            assert!(bits(&heard[48 + 128..]) == bits(&seams), "looping");
        }
    }
}

/// A pause before anything was heard leaves the beginning alone as well.
#[test]
fn a_beginning_that_had_to_wait_passes_bit_for_bit() {
    let clip = noise(9, 600);
    let (mixer, mut renderer) = open();
    let voice = mixer.play(mono(RATE, &clip));
    mixer.pause(voice, ms(0));
    assert_eq!(renderer.frames(256), [[0.0; 2]; 256]);
    mixer.resume(voice, ms(0));
    assert_eq!(renderer.frames(128), [[0.0; 2]; 128], "mixed already");
    let expected: Vec<Frame> = clip.iter().map(|sample| [*sample; 2]).collect();
    assert!(bits(&renderer.frames(600)) == bits(&expected));
}
