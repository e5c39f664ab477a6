use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

/// An effect of a function and a word about its silence.
struct Made<P, S> {
    process: P,
    is_silent: S,
}

impl<P, S> Effect for Made<P, S>
where
    P: FnMut(&mut [f32], &mut [f32]) + Send,
    S: Fn() -> bool + Send,
{
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        (self.process)(left, right);
    }

    fn is_silent(&self) -> bool {
        (self.is_silent)()
    }
}

/// Checks an effect of one function, which says that it is always silent.
fn check<P: FnMut(&mut [f32], &mut [f32]) + Send>(
    mut process: impl FnMut() -> P,
) -> Result<(), EffectFault> {
    check_effect(|| Made { process: process(), is_silent: || true }, 8_000)
}

/// A comb filter: it decays for long, and says so.
struct Comb {
    ring: Vec<[f32; 2]>,
    at: usize,
    feedback: f32,
    /// How many frames of the ring may hold something.
    sounding: usize,
}

impl Effect for Comb {
    fn prepare(&mut self, sample_rate: u32) {
        self.ring = vec![[0.0; 2]; sample_rate as usize / 20];
    }

    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        for (left, right) in left.iter_mut().zip(right) {
            let held = &mut self.ring[self.at];
            for (held, sample) in held.iter_mut().zip([left, right]) {
                *sample += self.feedback * *held;
                *held = if sample.abs() < 1e-15 { 0.0 } else { *sample };
            }
            let is_silent = *held == [0.0; 2];
            self.sounding =
                if is_silent { self.sounding.saturating_sub(1) } else { self.ring.len() };
            self.at = (self.at + 1) % self.ring.len();
        }
    }

    fn is_silent(&self) -> bool {
        self.sounding == 0
    }
}

const COMB: Comb = Comb { ring: Vec::new(), at: 0, feedback: 0.7, sounding: 0 };

#[test]
fn an_effect_that_keeps_the_rules_passes() {
    assert_eq!(check(|| |_: &mut [f32], _: &mut [f32]| ()), Ok(()));
    for rate in [40, 8_000] {
        let comb = || Comb { feedback: 0.5, ..COMB };
        assert_eq!(check_effect(comb, rate), Ok(()), "at {rate} Hz");
    }
    let boxed = || -> Box<dyn Effect> { Box::new(COMB) };
    assert_eq!(check_effect(boxed, 8_000), Ok(()));
}

#[test]
fn it_is_prepared_for_a_rate_that_a_mixer_can_have() {
    struct Prepared(u32);
    impl Effect for Prepared {
        fn prepare(&mut self, sample_rate: u32) {
            self.0 = sample_rate;
        }

        fn process(&mut self, left: &mut [f32], _: &mut [f32]) {
            left[0] = 1e24 * (1.0 + self.0 as f32);
        }
    }
    for (rate, had) in [(0, 1.0), (44_100, 44_100.0), (u32::MAX, 384_000.0)] {
        let sample = 1e24 * (1.0 + had);
        let fault = EffectFault::NotFinite { input: "silence", frame: 0, sample };
        assert_eq!(check_effect(|| Prepared(0), rate), Err(fault));
    }
}

#[test]
fn it_is_given_one_quantum_at_a_time_at_any_rate() {
    for rate in [1, 48_000] {
        let process = |left: &mut [f32], right: &mut [f32]| {
            assert_eq!((left.len(), right.len()), (QUANTUM, QUANTUM));
        };
        let made = check_effect(|| Made { process, is_silent: || true }, rate);
        assert_eq!(made, Ok(()));
    }
}

#[test]
fn what_is_not_finite_is_found_on_its_frame() {
    let square_root = |left: &mut [f32], _: &mut [f32]| {
        left.iter_mut().for_each(|sample| *sample = sample.sqrt());
    };
    let fault = check(|| square_root).expect_err("the root of what is below 0");
    let EffectFault::NotFinite { input: "noise", sample, .. } = fault else { panic!("{fault}") };
    assert!(sample.is_nan());

    // Only what is loud makes it overflow.
    let ninth_power = |left: &mut [f32], right: &mut [f32]| {
        left.iter_mut().chain(right).for_each(|sample| *sample = sample.powi(9));
    };
    let fault = check(|| ninth_power).expect_err("a thousand to the power of nine");
    let EffectFault::NotFinite { input: "noise of a thousand", .. } = fault else {
        panic!("{fault}")
    };

    // One that feeds back more than it gets.
    let howl = check_effect(|| Comb { feedback: 1.5, ..COMB }, 8_000);
    let Err(EffectFault::NotFinite { .. }) = howl else { panic!("{howl:?}") };
}

#[test]
fn an_echo_that_says_nothing_of_itself_is_found() {
    struct Forgetful(Comb);
    impl Effect for Forgetful {
        fn prepare(&mut self, sample_rate: u32) {
            self.0.prepare(sample_rate);
        }

        fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
            self.0.process(left, right);
        }
    }
    // The ring has 400 frames, and the impulse is fed for half a second.
    let fault = check_effect(|| Forgetful(COMB), 8_000).expect_err("the default does not do");
    let EffectFault::NotSilent { input, frame, sample } = fault else { panic!("{fault}") };
    assert_eq!((input, frame), ("an impulse on the left", 4400));
    assert!((sample - 0.7f32.powi(11)).abs() < 1e-6);
}

#[test]
fn one_that_never_says_silent_is_reported_unless_something_else_is_wrong() {
    let mute = |wrong: f32| {
        move || Made {
            process: move |left: &mut [f32], _: &mut [f32]| {
                if left[0] >= 999.0 {
                    left[0] = wrong;
                }
            },
            is_silent: || false,
        }
    };
    let silence = EffectFault::NeverSilent { input: "silence" };
    assert_eq!(check_effect(mute(1.0), 8_000), Err(silence));
    let fault = check_effect(mute(f32::INFINITY), 8_000).expect_err("not finite");
    let EffectFault::NotFinite { sample: f32::INFINITY, .. } = fault else { panic!("{fault}") };
    // What does not die away goes on for ever.
    let fault = check_effect(|| Comb { feedback: 1.0, ..COMB }, 8_000).expect_err("it rings on");
    assert_eq!(fault, EffectFault::NeverSilent { input: "an impulse on the left" });
}

#[test]
fn two_that_do_not_agree_are_found() {
    let made = AtomicU32::new(0);
    let dithered = || {
        let own = made.fetch_add(1, Ordering::Relaxed) as f32;
        move |left: &mut [f32], _: &mut [f32]| {
            left.iter_mut().for_each(|sample| *sample += 1e-7 * own * *sample);
        }
    };
    let fault = check(dithered).expect_err("each has a number of its own");
    assert_eq!(
        fault,
        EffectFault::NotRepeatable { input: "an impulse on the left", frame: 0 },
        "{fault}"
    );
}

#[test]
fn calls_of_the_allocator_are_counted_in_the_quantum_alone() {
    // Stands in for the counter of an allocator: to make one calls it, and so does one quantum.
    let (quanta, calls) = (AtomicU32::new(0), AtomicU32::new(0));
    let process = |_: &mut [f32], _: &mut [f32]| {
        // Two of them are fed in turn.
        if quanta.fetch_add(1, Ordering::Relaxed) == 4 {
            calls.fetch_add(2, Ordering::Relaxed);
        }
    };
    let made = || {
        calls.fetch_add(1, Ordering::Relaxed);
        Made { process, is_silent: || true }
    };
    let heap_calls = || u64::from(calls.load(Ordering::Relaxed));
    let fault = check_effect_with(made, 8_000, heap_calls).expect_err("it calls");
    assert_eq!(fault, EffectFault::Allocates { input: "silence", frame: 256, calls: 2 });
}

#[test]
fn faults_are_told_in_words() {
    let input = "noise";
    for (fault, words) in [
        (
            EffectFault::NotFinite { input, frame: 3, sample: f32::NAN },
            "it was fed noise and gave NaN on frame 3",
        ),
        (
            EffectFault::NotSilent { input, frame: 3, sample: 0.5 },
            "it was fed noise, then silence, said is_silent, and gave 0.5 on frame 3",
        ),
        (
            EffectFault::NeverSilent { input },
            "it was fed noise, then a minute of silence, and never said is_silent",
        ),
        (
            EffectFault::NotRepeatable { input, frame: 3 },
            "two that were fed noise alike differ on frame 3",
        ),
        (
            EffectFault::Allocates { input, frame: 3, calls: 2 },
            "it was fed noise and called the allocator 2 times in the quantum from frame 3",
        ),
    ] {
        assert_eq!(fault.to_string(), words);
    }
}
