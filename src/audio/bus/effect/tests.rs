use std::cell::Cell;
use std::f32::consts::{PI, TAU};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::*;

/// An effect of a function, which is told how many quanta there were before.
struct Made<P>(u32, P);

impl<P: FnMut(u32, &mut [f32], &mut [f32]) + Send> Effect for Made<P> {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        assert_eq!((left.len(), right.len()), (128, 128));
        (self.1)(self.0, left, right);
        self.0 += 1;
    }
}

fn made(process: impl FnMut(u32, &mut [f32], &mut [f32]) + Send + 'static) -> Box<dyn Effect> {
    Box::new(Made(0, process))
}

fn gain(gain: f32) -> Box<dyn Effect> {
    made(move |_, left, right| left.iter_mut().chain(right).for_each(|it| *it *= gain))
}

/// Leaves all as it is, and gives a sample of its own on a frame of a quantum.
fn spoilt(quantum: u32, frame: usize, sample: f32) -> Box<dyn Effect> {
    made(move |now, left, _| {
        if now == quantum {
            left[frame] = sample;
        }
    })
}

fn panics(quantum: u32) -> Box<dyn Effect> {
    made(move |now, left, _| {
        left.fill(f32::NAN);
        assert!(now < quantum, "an effect of a test");
        left.fill(1.0);
    })
}

thread_local!(static IS_QUIET: Cell<bool> = const { Cell::new(false) });

/// Runs something whose panics nobody needs to read. Those of the tests beside it are told as ever.
fn quietly<T>(run: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_QUIET.get() {
                usual(info);
            }
        }));
    });
    IS_QUIET.set(true);
    let result = run();
    IS_QUIET.set(false);
    result
}

/// A slot, a wave that comes in, and what went out.
struct Bench {
    slot: EffectSlot,
    wave: Box<dyn Fn(u32) -> f32>,
    frame: u32,
    heard: Vec<Frame>,
}

impl Bench {
    fn new(declick: u32, wave: impl Fn(u32) -> f32 + 'static) -> Bench {
        Bench { slot: EffectSlot::new(declick), wave: Box::new(wave), frame: 0, heard: Vec::new() }
    }

    fn set(&mut self, effect: Option<Box<dyn Effect>>) {
        assert!(self.slot.set(effect, true).is_ok());
    }

    /// Plays some quanta. Returns what went wrong in them, and how many effects came home.
    fn play(&mut self, quanta: u32) -> (Vec<EffectTrouble>, usize) {
        let (mut troubles, mut retired) = (Vec::new(), 0);
        for _ in 0..quanta {
            let mut left: Side = std::array::from_fn(|i| (self.wave)(self.frame + i as u32));
            let mut right = left.map(|sample| -sample);
            troubles.extend(self.slot.process(&mut left, &mut right));
            retired += std::iter::from_fn(|| take_retired(&mut self.slot)).count();
            self.heard.extend(left.into_iter().zip(right).map(|(left, right)| [left, right]));
            self.frame += QUANTUM as u32;
        }
        (troubles, retired)
    }

    fn largest_step(&self) -> f32 {
        assert!(self.heard.as_flattened().iter().all(|sample| sample.is_finite()));
        let steps = self.heard.windows(2).flat_map(|it| [it[1][0] - it[0][0], it[1][1] - it[0][1]]);
        steps.map(f32::abs).fold(0.0, f32::max)
    }

    /// The left side of a quantum that was heard.
    fn quantum(&self, n: usize) -> Vec<f32> {
        self.heard[n * QUANTUM..][..QUANTUM].iter().map(|frame| frame[0]).collect()
    }
}

/// What something does to sines: the largest step, in steps of the sine's own, at the worst.
fn worst_step(act: impl Fn(&mut Bench)) -> f32 {
    let mut worst = 0.0f32;
    for rate in [8_000, 44_100, 48_000, 384_000] {
        for hertz in [100.0, 220.0, 1000.0, 3000.0] {
            for phase in 0..8 {
                let turns =
                    move |frame: u32| frame as f32 * hertz / rate as f32 + phase as f32 / 8.0;
                let sine = move |frame| (TAU * turns(frame).fract()).sin();
                let mut bench = Bench::new(rate / 200, sine);
                bench.play(2);
                act(&mut bench);
                bench.play(4 * bench.slot.slope / QUANTUM as u32 + 3);
                let own = 2.0 * (PI * hertz / rate as f32).sin();
                worst = worst.max(bench.largest_step() / own);
            }
        }
    }
    worst
}

#[test]
fn without_an_effect_every_bit_passes() {
    let mut bench = Bench::new(240, f32::from_bits);
    assert!(!bench.slot.is_on() && bench.slot.is_silent());
    bench.set(None);
    assert_eq!(bench.play(2), (vec![], 0));
    let bits: Vec<u32> = bench.heard.iter().map(|frame| frame[0].to_bits()).collect();
    assert_eq!(bits, (0..256).collect::<Vec<_>>());
}

#[test]
fn one_comes_in_over_the_whole_quanta_that_cover_the_declick_and_goes_as_long() {
    for (declick, quanta) in [(0, 1), (5, 1), (128, 1), (129, 2), (240, 2), (1920, 15)] {
        let mut bench = Bench::new(declick, |_| 1.0);
        bench.set(Some(gain(3.0)));
        assert_eq!(bench.play(quanta), (vec![], 0));
        bench.play(1);
        let frames = quanta * 128;
        for (i, frame) in bench.heard.iter().enumerate() {
            let expected = 1.0 + 2.0 * (i as f32 / frames as f32).min(1.0);
            assert!((frame[0] - expected).abs() < 1e-5, "frame {i} of {frames}");
        }
        assert_eq!(bench.heard.last(), Some(&[3.0, -3.0]));
        bench.set(None);
        assert!(bench.slot.is_on());
        assert_eq!(bench.play(quanta - 1), (vec![], 0), "it has not gone yet");
        assert_eq!(bench.play(1), (vec![], 1), "it comes home once");
        assert!(!bench.slot.is_on());
        assert_eq!(bench.play(1), (vec![], 0));
        assert_eq!(bench.heard.last(), Some(&[1.0, -1.0]));
    }
}

#[test]
fn two_play_side_by_side_on_what_came_in_until_the_old_one_has_gone() {
    let mut bench = Bench::new(128, |_| 1.0);
    bench.set(Some(gain(2.0)));
    bench.play(1);
    bench.set(Some(gain(4.0)));
    assert_eq!(bench.play(1), (vec![], 1));
    // Neither of them gets what the other made.
    assert_eq!(bench.quantum(1)[64], 3.0);
    assert_eq!(bench.play(1), (vec![], 0));
    assert_eq!(bench.heard.last(), Some(&[4.0, -4.0]));
}

#[test]
fn a_newcomer_comes_back_until_the_one_before_it_has_come_home() {
    let mut slot = EffectSlot::new(128);
    let (mut left, mut right) = ([1.0; QUANTUM], [1.0; QUANTUM]);
    assert!(slot.set(Some(gain(2.0)), true).is_ok());
    assert!(matches!(slot.set(Some(gain(5.0)), true), Err(Some(_))), "it is still coming in");
    assert!(matches!(slot.set(None, true), Err(None)));
    slot.process(&mut left, &mut right);
    assert!(slot.set(Some(gain(3.0)), true).is_ok());
    slot.process(&mut left, &mut right);
    assert!(matches!(slot.set(Some(gain(5.0)), true), Err(Some(_))), "the old one waits");
    assert!(take_retired(&mut slot).is_some() && take_retired(&mut slot).is_none());
    assert!(slot.set(None, true).is_ok());
    slot.process(&mut left, &mut right);
    assert!(take_retired(&mut slot).is_some() && take_retired(&mut slot).is_none());
}

#[test]
fn on_a_bus_that_nobody_hears_one_changes_at_once() {
    let mut bench = Bench::new(240, |_| 1.0);
    assert!(bench.slot.set(Some(gain(2.0)), false).is_ok());
    bench.play(1);
    assert_eq!(bench.heard[0], [2.0, -2.0]);
    assert!(bench.slot.set(Some(gain(3.0)), false).is_ok());
    assert!(take_retired(&mut bench.slot).is_some());
    bench.play(1);
    assert_eq!(bench.heard[128], [3.0, -3.0]);
    assert!(bench.slot.set(None, false).is_ok());
    assert!(take_retired(&mut bench.slot).is_some() && !bench.slot.is_on());
}

#[test]
fn it_is_silent_when_the_effect_says_so_and_nothing_is_on_its_way() {
    struct Talks(&'static AtomicU32);
    impl Effect for Talks {
        fn process(&mut self, _: &mut [f32], _: &mut [f32]) {}

        fn is_silent(&self) -> bool {
            self.0.load(Relaxed) == 0
        }
    }
    static TALKS: AtomicU32 = AtomicU32::new(0);
    let mut bench = Bench::new(128, |_| 0.0);
    bench.set(Some(Box::new(Talks(&TALKS))));
    assert!(!bench.slot.is_silent(), "it was not asked yet");
    bench.play(1);
    assert!(bench.slot.is_silent() && bench.slot.is_on());
    TALKS.store(1, Relaxed);
    bench.play(1);
    assert!(!bench.slot.is_silent());
    bench.set(None);
    bench.play(1);
    assert!(bench.slot.is_silent() && !bench.slot.is_on());
    // At once, too, it is asked before it is left out.
    assert!(bench.slot.set(Some(Box::new(Talks(&TALKS))), false).is_ok());
    assert!(!bench.slot.is_silent());
}

#[test]
fn one_that_gives_what_is_not_finite_is_out_and_the_dry_comes_up() {
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -1.1e24] {
        let mut bench = Bench::new(240, |_| 1.0);
        bench.set(Some(spoilt(4, 127, wrong)));
        assert_eq!(bench.play(4), (vec![], 0));
        assert_eq!(bench.play(1), (vec![EffectTrouble::NotFinite], 1), "{wrong}");
        assert!(bench.slot.is_on() && !bench.slot.is_silent());
        assert_eq!(bench.play(3), (vec![], 0));
        assert!(!bench.slot.is_on());
        assert_eq!(bench.play(1), (vec![], 0));
        for (i, frame) in bench.heard.iter().enumerate() {
            let expected = match i {
                512..768 => 1.0 - (i - 512) as f32 / 256.0,
                768..1024 => (i - 768) as f32 / 256.0,
                _ => 1.0,
            };
            assert_eq!(*frame, [expected, -expected], "frame {i}");
        }
    }
}

#[test]
fn one_that_panics_is_out_wherever_it_does() {
    struct Shy;
    impl Effect for Shy {
        fn process(&mut self, _: &mut [f32], _: &mut [f32]) {}

        fn is_silent(&self) -> bool {
            panic!("an effect of a test")
        }
    }
    for (effect, quanta) in [(panics(3), 3), (panics(0), 0), (Box::new(Shy), 0)] {
        let mut bench = Bench::new(240, |_| 1.0);
        bench.set(Some(effect));
        assert_eq!(bench.play(quanta), (vec![], 0));
        let (troubles, retired) = quietly(|| bench.play(1));
        assert_eq!((troubles, retired), (vec![EffectTrouble::Panicked], 1));
        assert_eq!(bench.play(5), (vec![], 0));
        assert!(!bench.slot.is_on());
        assert!(bench.heard.iter().flatten().all(|sample| sample.abs() <= 1.0));
    }
}

#[test]
fn a_panic_whose_payload_panics_does_not_get_out() {
    struct Twice;
    impl Drop for Twice {
        fn drop(&mut self) {
            panic!("once more");
        }
    }
    let mut bench = Bench::new(240, |_| 1.0);
    bench.set(Some(made(|_, _, _| panic::panic_any(Twice))));
    assert_eq!(quietly(|| bench.play(1)), (vec![EffectTrouble::Panicked], 1));
}

#[test]
fn where_one_fails_in_a_cross_fade_both_come_home_or_the_other_comes_up() {
    // The one that comes in: nothing is left but the dry.
    let mut bench = Bench::new(240, |_| 1.0);
    bench.set(Some(gain(2.0)));
    bench.play(2);
    bench.set(Some(spoilt(1, 0, f32::NAN)));
    bench.play(1);
    assert_eq!(bench.play(1), (vec![EffectTrouble::NotFinite], 2));
    bench.play(4);
    assert!(!bench.slot.is_on() && bench.largest_step() <= 2.0 / 256.0);
    assert_eq!(bench.heard.last(), Some(&[1.0, -1.0]));

    // The one that goes: the other one plays, and nobody needs to know.
    let mut bench = Bench::new(240, |_| 1.0);
    bench.set(Some(spoilt(3, 0, f32::NAN)));
    bench.play(2);
    bench.set(Some(gain(2.0)));
    bench.play(1);
    assert_eq!(bench.play(1), (vec![], 1));
    bench.play(4);
    assert!(bench.slot.is_on() && bench.largest_step() <= 2.0 / 256.0);
    assert_eq!(bench.heard.last(), Some(&[2.0, -2.0]));
}

#[test]
fn after_trouble_another_may_come_in_at_any_time() {
    for quanta in 0..6 {
        let mut bench = Bench::new(240, |_| 1.0);
        bench.set(Some(spoilt(2, 0, f32::NAN)));
        bench.play(3 + quanta);
        bench.set(Some(gain(2.0)));
        assert_eq!(bench.play(6), (vec![], 0));
        assert_eq!(bench.heard.last(), Some(&[2.0, -2.0]), "{quanta} quanta later");
        assert!(bench.largest_step() < 3.0 / 256.0, "{quanta} quanta later");
    }
    // One that fails while nothing is heard yet begins the same anew.
    let mut bench = Bench::new(240, |_| 1.0);
    bench.set(Some(spoilt(2, 0, f32::NAN)));
    bench.play(3);
    bench.set(Some(spoilt(0, 0, f32::NAN)));
    assert_eq!(bench.play(1), (vec![EffectTrouble::NotFinite], 1));
    bench.play(4);
    assert!(!bench.slot.is_on() && bench.largest_step() <= 1.0 / 256.0);
}

#[test]
fn trouble_after_quanta_that_were_left_out_slopes_from_silence() {
    let mut bench = Bench::new(240, |_| 1.0);
    bench.set(Some(spoilt(3, 0, f32::NAN)));
    bench.play(3);
    bench.slot.skip();
    bench.play(1);
    assert_eq!(bench.quantum(3), [0.0; QUANTUM]);
}

/// What is done to a slot while it plays.
type Act<'a> = &'a dyn Fn(&mut Bench);

#[test]
fn no_change_clicks() {
    let same = || gain(1.0);
    let cases: [(&str, Act); 9] = [
        ("in", &|bench| bench.set(Some(gain(0.0)))),
        ("upside down", &|bench| bench.set(Some(gain(-1.0)))),
        ("out", &|bench| {
            bench.set(Some(same()));
            bench.play(3 + bench.slot.slope / 128);
            bench.set(None);
        }),
        ("one for the other", &|bench| {
            bench.set(Some(same()));
            bench.play(3 + bench.slot.slope / 128);
            bench.set(Some(gain(-1.0)));
        }),
        ("not a number", &|bench| {
            bench.set(Some(spoilt(1 + bench.slot.slope / 128, 60, f32::NAN)))
        }),
        ("infinite at once", &|bench| bench.set(Some(spoilt(0, 0, f32::INFINITY)))),
        ("not a number while it comes in", &|bench| {
            bench.set(Some(spoilt(bench.slot.slope / 128 - 1, 127, f32::NAN)));
        }),
        ("another while it falls", &|bench| {
            bench.set(Some(spoilt(0, 0, f32::NAN)));
            bench.play(1);
            bench.set(Some(gain(-1.0)));
        }),
        ("another while the dry comes up", &|bench| {
            bench.set(Some(spoilt(0, 0, f32::NAN)));
            bench.play(1 + bench.slot.slope / 128);
            bench.set(Some(gain(-1.0)));
        }),
    ];
    for (case, act) in cases {
        let worst = worst_step(act);
        assert!(worst < 1.5, "{case}: {worst}");
    }
}

#[test]
fn what_is_too_small_for_a_whole_number_of_bits_becomes_0() {
    let mut bench = Bench::new(128, |_| 1e-30);
    assert!(bench.slot.set(Some(gain(1e-10)), false).is_ok());
    bench.play(1);
    assert!(bench.heard.iter().flatten().all(|sample| *sample == 0.0));
    // And nothing else does.
    assert!(bench.slot.set(Some(gain(1e-7)), false).is_ok());
    bench.play(1);
    assert_eq!(bench.heard.last(), Some(&[1e-30 * 1e-7, -1e-30 * 1e-7]));
}

/// One that is to be sent home, whatever the reason.
fn take_retired(slot: &mut EffectSlot) -> Option<Box<dyn Effect>> {
    slot.take_replaced().or_else(|| slot.take_failed())
}
