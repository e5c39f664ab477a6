use std::collections::BTreeSet;

use super::*;

const MUSIC: BusId = BusId::new(1);
const SPEECH: BusId = BusId::new(2);
const SHOTS: BusId = BusId::new(3);

/// A line.
const LINE: u32 = QUANTUM as u32;

/// Times of a few lines: down in 2, held for 3, up in 5.
const DEEP: DuckFrames =
    DuckFrames { gain: 0.5, attack: 2 * LINE, hold: 3 * LINE, release: 5 * LINE };
const FAINT: DuckFrames = DuckFrames { gain: 0.75, attack: LINE, ..DEEP };

/// What the buses were told: which, where to and in how many lines.
type Told = Vec<(BusId, f32, u32)>;

/// Ducks, the buses on which somebody is heard, and the plays that wait.
struct Stage {
    ducks: Ducks,
    now: u32,
    present: BTreeSet<BusId>,
    waiting: Vec<(BusId, u32)>,
}

impl Stage {
    fn new(ducks: &[(BusId, BusId, DuckFrames)]) -> Stage {
        let (present, waiting) = (BTreeSet::new(), Vec::new());
        let mut stage = Stage { ducks: Ducks::new(), now: 0, present, waiting };
        for (bus, by, duck) in ducks {
            stage.ducks.set(*bus, *by, Some(*duck));
        }
        stage
    }

    /// What is told on the next line, on which these are heard.
    fn line(&mut self, present: &[BusId]) -> Told {
        self.present = present.iter().copied().collect();
        let (mut told, now) = (Vec::new(), self.now);
        let look_ahead = self.ducks.look_ahead();
        self.ducks.step(
            LINE,
            |by| self.present.contains(&by),
            |by, within| {
                assert!(within <= look_ahead);
                self.waiting.iter().any(|(bus, at)| *bus == by && (now..=now + within).contains(at))
            },
            |bus, to, over| told.push((bus, to, over / LINE)),
        );
        self.now += LINE;
        told
    }

    /// What is told on some lines, one after the other, on all of which these are heard.
    fn lines<const N: usize>(&mut self, present: &[BusId]) -> [Told; N] {
        std::array::from_fn(|_| self.line(present))
    }
}

fn nothing<const N: usize>() -> [Told; N] {
    std::array::from_fn(|_| Vec::new())
}

#[test]
fn a_bus_goes_down_while_the_other_is_heard_holds_and_comes_up() {
    let mut stage = Stage::new(&[(MUSIC, SPEECH, DEEP)]);
    assert_eq!(stage.lines(&[MUSIC, SHOTS]), nothing::<3>());
    assert_eq!(stage.line(&[SPEECH]), [(MUSIC, 0.5, 2)]);
    assert_eq!(stage.lines(&[SPEECH]), nothing::<9>());
    // It is gone from this line on, and three lines later the hold is over.
    assert_eq!(stage.lines(&[]), nothing::<3>());
    assert_eq!(stage.line(&[]), [(MUSIC, 1.0, 5)]);
    assert_eq!(stage.lines(&[]), nothing::<9>());
}

#[test]
fn whoever_is_heard_again_in_the_hold_keeps_it_down_and_in_the_release_attacks_anew() {
    let mut stage = Stage::new(&[(MUSIC, SPEECH, DEEP)]);
    stage.line(&[SPEECH]);
    for _ in 0..3 {
        assert_eq!(stage.lines(&[]), nothing::<3>());
        assert_eq!(stage.line(&[SPEECH]), []);
    }
    assert_eq!(stage.lines(&[]), nothing::<3>(), "the hold began anew");
    assert_eq!(stage.line(&[]), [(MUSIC, 1.0, 5)]);
    assert_eq!(stage.line(&[]), []);
    assert_eq!(stage.line(&[SPEECH]), [(MUSIC, 0.5, 2)]);
}

#[test]
fn a_hold_is_over_on_the_first_line_that_is_not_within_it() {
    for (hold, lines) in [(1, 1), (LINE - 1, 1), (LINE, 1), (LINE + 1, 2), (2 * LINE, 2)] {
        let mut stage = Stage::new(&[(MUSIC, SPEECH, DuckFrames { hold, ..DEEP })]);
        stage.line(&[SPEECH]);
        stage.line(&[]);
        let quiet = std::iter::repeat_with(|| stage.line(&[])).take_while(Vec::is_empty).count();
        assert_eq!(quiet + 1, lines, "a hold of {hold}");
    }
    // One without an end.
    let mut stage = Stage::new(&[(MUSIC, SPEECH, DuckFrames { hold: u32::MAX, ..DEEP })]);
    stage.line(&[SPEECH]);
    stage.line(&[]);
    stage.ducks.step(u32::MAX - 1, |_| false, |_, _| false, |_, _, _| panic!("it holds"));
}

#[test]
fn a_bus_is_all_the_way_down_when_a_play_that_waits_begins() {
    for attack in [1, LINE - 1, LINE, LINE + 1, 5 * LINE] {
        for begins in 10 * LINE..11 * LINE {
            let mut stage = Stage::new(&[(MUSIC, SPEECH, DuckFrames { attack, ..DEEP })]);
            stage.waiting = vec![(SPEECH, begins), (SHOTS, 0)];
            assert_eq!(stage.ducks.look_ahead(), attack + 127);
            while stage.line(&[]).is_empty() {}
            let line = stage.now - LINE;
            assert!(line + attack <= begins && begins < line + attack + LINE, "{line}, {begins}");
        }
    }
}

#[test]
fn a_play_that_waited_and_never_came_lets_it_up_after_the_hold() {
    let mut stage = Stage::new(&[(MUSIC, SPEECH, DEEP)]);
    stage.waiting = vec![(SPEECH, 0)];
    assert_eq!(stage.line(&[]), [(MUSIC, 0.5, 2)]);
    assert_eq!(stage.lines(&[]), nothing::<3>());
    assert_eq!(stage.line(&[]), [(MUSIC, 1.0, 5)]);
}

#[test]
fn several_on_a_bus_multiply_and_the_last_that_changed_has_the_time() {
    let mut stage = Stage::new(&[(MUSIC, SPEECH, DEEP), (MUSIC, SHOTS, FAINT)]);
    assert_eq!(stage.line(&[SPEECH]), [(MUSIC, 0.5, 2)]);
    assert_eq!(stage.line(&[SPEECH, SHOTS]), [(MUSIC, 0.375, 1)]);
    assert_eq!(stage.lines(&[SHOTS]), nothing::<3>());
    assert_eq!(stage.line(&[SHOTS]), [(MUSIC, 0.75, 5)]);
    stage.lines::<4>(&[]);
    // Both on one line: the faster, whichever comes first.
    let mut other = Stage::new(&[(MUSIC, SPEECH, FAINT), (MUSIC, SHOTS, DEEP)]);
    assert_eq!(other.line(&[SPEECH, SHOTS]), [(MUSIC, 0.375, 1)]);
    assert_eq!(stage.line(&[SPEECH, SHOTS]), [(MUSIC, 0.375, 1)]);
    // One up and one down on one line: the faster.
    stage.lines::<3>(&[SPEECH]);
    assert_eq!(stage.line(&[SPEECH]), [(MUSIC, 0.5, 5)]);
    assert_eq!(stage.lines(&[]), nothing::<3>());
    assert_eq!(stage.line(&[SHOTS]), [(MUSIC, 0.75, 1)]);
}

#[test]
fn one_may_act_on_several_and_each_on_its_own() {
    let other = BusId::new(31);
    let mut stage =
        Stage::new(&[(other, SPEECH, FAINT), (MUSIC, SPEECH, DEEP), (other, SHOTS, DEEP)]);
    assert_eq!(stage.line(&[SPEECH]), [(MUSIC, 0.5, 2), (other, 0.75, 1)]);
    assert_eq!(stage.line(&[SPEECH, SHOTS]), [(other, 0.375, 2)]);
}

#[test]
fn one_that_is_changed_while_it_is_down_goes_to_its_new_depth() {
    let mut stage = Stage::new(&[(MUSIC, SPEECH, DEEP)]);
    stage.line(&[SPEECH]);
    stage.ducks.set(MUSIC, SPEECH, Some(DuckFrames { gain: 0.25, ..DEEP }));
    assert_eq!(stage.line(&[SPEECH]), [(MUSIC, 0.25, 2)], "deeper is an attack");
    stage.ducks.set(MUSIC, SPEECH, Some(DuckFrames { gain: 0.75, ..DEEP }));
    assert_eq!(stage.line(&[]), [(MUSIC, 0.75, 5)], "shallower a release, held as it is");
    assert_eq!(stage.lines(&[]), nothing::<2>());
    // Another hold counts from when the hold began.
    stage.ducks.set(MUSIC, SPEECH, Some(DuckFrames { hold: 4 * LINE, gain: 0.75, ..DEEP }));
    assert_eq!(stage.line(&[]), []);
    assert_eq!(stage.line(&[]), [(MUSIC, 1.0, 5)]);
    // One that is up stays up.
    stage.ducks.set(MUSIC, SPEECH, Some(FAINT));
    assert_eq!(stage.line(&[]), []);
    assert_eq!(stage.line(&[SPEECH]), [(MUSIC, 0.75, 1)]);
}

#[test]
fn one_that_is_removed_comes_up_in_its_release_and_is_forgotten() {
    let mut stage = Stage::new(&[(MUSIC, SPEECH, DEEP), (MUSIC, SHOTS, FAINT)]);
    stage.line(&[SPEECH, SHOTS]);
    stage.ducks.set(MUSIC, SPEECH, None);
    assert_eq!(stage.line(&[SPEECH, SHOTS]), [(MUSIC, 0.75, 5)]);
    stage.ducks.set(MUSIC, SHOTS, None);
    assert!(!stage.ducks.is_empty(), "the bus is not told yet");
    assert_eq!(stage.line(&[SPEECH, SHOTS]), [(MUSIC, 1.0, 5)]);
    assert!(stage.ducks.is_empty() && stage.ducks.look_ahead() == 0);
    assert_eq!(stage.lines(&[SPEECH, SHOTS]), nothing::<9>());
    // One that there is not, and one that was up.
    stage.ducks.set(MUSIC, SPEECH, None);
    assert!(stage.ducks.is_empty());
    stage.ducks.set(MUSIC, SPEECH, Some(DEEP));
    stage.line(&[]);
    stage.ducks.set(MUSIC, SPEECH, None);
    assert_eq!(stage.line(&[SPEECH]), []);
    assert!(stage.ducks.is_empty());
}

#[test]
fn one_that_is_removed_and_put_back_on_one_line_moves_nothing_while_it_is_wanted() {
    let mut stage = Stage::new(&[(MUSIC, SPEECH, DEEP)]);
    stage.line(&[SPEECH]);
    stage.ducks.set(MUSIC, SPEECH, None);
    stage.ducks.set(MUSIC, SPEECH, Some(DEEP));
    assert_eq!(stage.line(&[SPEECH]), []);
    assert_eq!(stage.lines(&[]), nothing::<3>());
    assert_eq!(stage.line(&[]), [(MUSIC, 1.0, 5)]);
}

#[test]
fn the_table_holds_64_in_any_order_and_one_more_changes_nothing() {
    // Eight buses by eight others each, in an order that is none.
    let shuffled = || (0..64u8).map(|n| n.wrapping_mul(37) % 64);
    let pairs = || shuffled().map(|n| (BusId::new(n / 8), BusId::new(8 + n % 8)));
    let mut stage = Stage::new(&pairs().map(|(bus, by)| (bus, by, DEEP)).collect::<Vec<_>>());
    let over = (BusId::new(1), BusId::new(30));
    stage.ducks.set(over.0, over.1, Some(DEEP));
    assert_eq!(stage.line(&[BusId::new(30)]), []);
    // Each of them is there, once.
    let all: Vec<BusId> = (8..16).map(BusId::new).collect();
    let half = 0.5f32.powi(8);
    let told: Told = (0..8).map(|bus| (BusId::new(bus), half, 2)).collect();
    assert_eq!(stage.line(&all), told);
    for (n, (bus, by)) in pairs().enumerate() {
        assert!(!stage.ducks.is_empty(), "{n} are gone");
        stage.ducks.set(bus, by, None);
        assert_eq!(stage.line(&all).len(), 1);
    }
    assert!(stage.ducks.is_empty());
    // There is room again.
    stage.ducks.set(over.0, over.1, Some(DEEP));
    assert_eq!(stage.line(&[over.1]), [(over.0, 0.5, 2)]);
}

#[test]
fn the_product_does_not_depend_on_who_came_first() {
    let gains = [0.1, 0.3, 0.7, 0.9, 0.35];
    let ducks: Vec<_> = (10..)
        .zip(gains)
        .map(|(by, gain)| (MUSIC, BusId::new(by), DuckFrames { gain, ..DEEP }))
        .collect();
    let by: Vec<BusId> = ducks.iter().map(|duck| duck.1).collect();
    let expected = gains.iter().fold(1.0, |product, gain| product * gain);
    for turn in 0..5 {
        let mut ducks = ducks.clone();
        ducks.rotate_left(turn);
        assert_eq!(Stage::new(&ducks).line(&by), [(MUSIC, expected, 2)]);
        ducks.reverse();
        assert_eq!(Stage::new(&ducks).line(&by), [(MUSIC, expected, 2)]);
    }
}
