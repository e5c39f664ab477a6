use super::*;
use crate::sound::Sound;
use crate::{Play, WhenFull, ms};

fn name(media: &Media) -> &str {
    match media {
        Media::Sound(sound) => sound.name(),
        Media::Stream(stream) => stream.name(),
    }
}

fn sounds(count: usize) -> Vec<Sound> {
    let sound = |n| Sound::from_mono(4, &[0.5]).unwrap().named(&format!("{n}"));
    (0..count).map(sound).collect()
}

fn cue(variants: usize) -> Cue {
    Cue::of(sounds(variants)).unwrap()
}

/// Which variants are rolled, one after another.
fn rolls(cues: &mut Cues, cue: &Cue, count: usize) -> Vec<usize> {
    let mut roll = || name(cues.roll(cue, &Settings::DEFAULT, 4).media).parse().unwrap();
    (0..count).map(|_| roll()).collect()
}

/// Pearson's: how far counts are from even ones, in units of what chance gives for so many.
fn unevenness(counts: &[usize]) -> f64 {
    let expected = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
    let chi: f64 = counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum();
    let freedom = counts.len() as f64 - 1.0;
    (chi - freedom) / (2.0 * freedom).sqrt()
}

/// Miri takes a hundredth of it.
const DRAWS: usize = if cfg!(miri) { 10_000 } else { 1_000_000 };

/// Five times what chance gives, either way: too even is wrong, too.
const CHANCE: std::ops::Range<f64> = -5.0..5.0;

#[test]
fn a_million_draws_are_even_in_decibels_and_in_semitones() {
    const BINS: usize = 100;
    let mut cues = Cues::new(4, 0);
    let cue = cue(1).vary_gain(6.0).vary_speed(3.0);
    let (mut gains, mut speeds) = ([0; BINS], [0; BINS]);
    let (mut both, mut least, mut most) = ([0; 100], [0f64; 2], [0f64; 2]);
    for _ in 0..DRAWS {
        let Roll { settings, .. } = cues.roll(&cue, &Settings::DEFAULT, 4);
        let varied = [
            20.0 * f64::from(settings.gain).log10() / 6.0,
            12.0 * f64::from(settings.speed).log2() / 3.0,
        ];
        for at in [0, 1] {
            (least[at], most[at]) = (least[at].min(varied[at]), most[at].max(varied[at]));
        }
        let bin = |varied: f64, bins: usize| {
            ((varied + 1.0) / 2.0 * bins as f64).clamp(0.0, bins as f64 - 1.0) as usize
        };
        gains[bin(varied[0], BINS)] += 1;
        speeds[bin(varied[1], BINS)] += 1;
        both[10 * bin(varied[0], 10) + bin(varied[1], 10)] += 1;
    }
    for counts in [&gains, &speeds, &both] {
        assert!(CHANCE.contains(&unevenness(counts)), "{} {counts:?}", unevenness(counts));
    }
    for at in [0, 1] {
        assert!((-1.00001..-0.999).contains(&least[at]), "{least:?}");
        assert!((0.999..1.00001).contains(&most[at]), "{most:?}");
    }
}

#[test]
fn a_million_draws_are_even_among_variants_and_shuffled_ones_never_repeat() {
    for order in [Order::Shuffle, Order::Random] {
        for variants in [2, 3, 7] {
            let mut cues = Cues::new(4, 3);
            let cue = cue(variants).order(order);
            let (mut counts, mut pairs) = (vec![0; variants], vec![0; variants * variants]);
            let mut last = None;
            for at in rolls(&mut cues, &cue, DRAWS / 4) {
                counts[at] += 1;
                if let Some(last) = last.replace(at) {
                    pairs[variants * last + at] += 1;
                }
            }
            let repeats: usize = pairs.iter().step_by(variants + 1).sum();
            if order == Order::Shuffle {
                assert_eq!(repeats, 0);
                pairs = (0..)
                    .zip(pairs)
                    .filter(|(at, _)| at % (variants + 1) > 0)
                    .map(|it| it.1)
                    .collect();
            }
            // Of two that take turns nothing is left to chance.
            if variants > 2 || order == Order::Random {
                assert!(CHANCE.contains(&unevenness(&pairs)), "{order:?} {pairs:?}");
            }
            assert!(unevenness(&counts) < CHANCE.end, "{order:?} {counts:?}");
        }
    }
}

#[test]
fn a_sequence_goes_round_and_one_variant_is_always_itself() {
    let mut cues = Cues::new(4, 0);
    assert_eq!(rolls(&mut cues, &cue(3).order(Order::Sequence), 7), [0, 1, 2, 0, 1, 2, 0]);
    for order in [Order::Shuffle, Order::Random, Order::Sequence] {
        assert_eq!(rolls(&mut cues, &cue(1).order(order), 3), [0, 0, 0]);
    }
}

#[test]
fn the_same_seed_rolls_the_same_on_every_platform() {
    let roll = |seed| rolls(&mut Cues::new(4, seed), &cue(10).order(Order::Random), 16);
    // What SplitMix64 gives from these seeds on, three dice a roll.
    assert_eq!(roll(0), [8, 9, 1, 9, 5, 5, 2, 6, 8, 2, 9, 0, 2, 3, 0, 9]);
    assert_ne!(roll(0), roll(1));
}

/// Three dice fall for every roll, so that one cue's settings are nothing to another.
#[test]
fn what_a_cue_varies_leaves_the_others_as_they_were() {
    let other = cue(10);
    let rolled = |cue: &Cue| {
        let mut cues = Cues::new(4, 9);
        let mut both = || [rolls(&mut cues, cue, 1)[0], rolls(&mut cues, &other, 1)[0]][1];
        (0..20).map(|_| both()).collect::<Vec<_>>()
    };
    let plain = rolled(&cue(1));
    assert_eq!(plain, rolled(&cue(1).vary_gain(3.0)));
    assert_eq!(plain, rolled(&cue(5).vary_speed(3.0)));
    assert_eq!(plain, rolled(&cue(5).order(Order::Sequence)));
}

#[test]
fn the_cue_that_was_not_rolled_for_longest_is_forgotten_for_another() {
    let mut cues = Cues::new(3, 0);
    let all: Vec<Cue> = (0..5).map(|_| cue(4).order(Order::Sequence)).collect();
    let mut next = |at: usize| {
        let Roll { media, terms, .. } = cues.roll(&all[at], &Settings::DEFAULT, 4);
        (name(media).parse::<u32>().unwrap(), terms.slot, terms.tenure)
    };
    assert_eq!([0, 1, 2].map(&mut next), [(0, 0, 0), (0, 1, 0), (0, 2, 0)]);
    assert_eq!([0, 1, 0].map(&mut next), [(1, 0, 0), (1, 1, 0), (2, 0, 0)]);
    assert_eq!(next(3), (0, 2, 1), "in the place of the third");
    assert_eq!(next(4), (0, 1, 1), "and of the second");
    assert_eq!(next(0), (3, 0, 0), "which the first outlives");
    assert_eq!([2, 2, 4].map(&mut next), [(0, 2, 2), (1, 2, 2), (1, 1, 1)]);
}

/// Beside a list that is searched.
#[test]
fn any_number_of_cues_finds_its_slots_as_a_naive_list_does() {
    for slots in [1, 2, 5, 16] {
        let (mut cues, mut dice) = (Cues::new(slots, 0), Dice(slots as u64));
        let all: Vec<Cue> = (0..24).map(|_| cue(1)).collect();
        // Newest first: which cue, its slot; and the tenures of all slots.
        let (mut known, mut tenures) = (Vec::<(usize, u32)>::new(), vec![0; slots]);
        for _ in 0..if cfg!(miri) { 200 } else { 5000 } {
            let at = below(below(24, dice.next()) + 1, dice.next());
            let found =
                known.iter().position(|(cue, _)| *cue == at).map(|place| known.remove(place));
            let slot = match found {
                Some((_, slot)) => slot,
                None if known.len() < slots => known.len() as u32,
                None => {
                    let (_, slot) = known.pop().unwrap();
                    tenures[slot as usize] += 1;
                    slot
                }
            };
            known.insert(0, (at, slot));
            let terms = cues.roll(&all[at], &Settings::DEFAULT, 4).terms;
            assert_eq!((terms.slot, terms.tenure), (slot, tenures[slot as usize]));
        }
    }
}

#[test]
fn what_a_cue_says_crosses_in_frames() {
    let mut cues = Cues::new(4, 0);
    let cue = cue(1).cooldown(ms(100)).merge_within(ms(10)).at_most(3).when_full(WhenFull::Refuse);
    let terms = cues.roll(&cue, &Settings::DEFAULT, 48_000).terms;
    assert_eq!((terms.cooldown, terms.merge_within), (4800, 480));
    assert_eq!((terms.at_most, terms.when_full), (3, Some(WhenFull::Refuse)));
    let cue = Cue::of([Play::of(&sounds(1)[0])]).unwrap();
    let terms = cues.roll(&cue, &Settings::DEFAULT, 48_000).terms;
    assert_eq!((terms.cooldown, terms.merge_within), (0, 0));
    assert_eq!((terms.at_most, terms.when_full), (CueTerms::UNLIMITED, None));
}

#[test]
fn however_far_it_varies_gain_and_speed_stay_within_their_limits() {
    let mut cues = Cues::new(4, 0);
    let cue = cue(1).vary_gain(f32::INFINITY).vary_speed(-1e9);
    let loud = Play::of(&cue).gain(1000.0).speed(100.0).settings;
    for _ in 0..1000 {
        let Settings { gain, speed, .. } = cues.roll(&cue, &loud, 4).settings;
        assert!(
            (0.99..=1000.0).contains(&gain) && (3.1..=100.0).contains(&speed),
            "{gain} {speed}"
        );
    }
}
