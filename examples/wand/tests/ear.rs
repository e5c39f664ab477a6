//! The ear test: what is heard when, and who ends it.

use super::*;
use crate::logic::app::PARTS;

impl Stand {
    /// Which part of the ear test is heard, if any is.
    pub fn heard(&self) -> Option<char> {
        let test = self.app.ear_test.as_ref()?;
        test.is_heard().then_some(PARTS[test.part].0)
    }
}

#[test]
fn the_ear_test_plays_a_and_then_b_by_itself_each_from_an_empty_pool() {
    let mut stand = Stand::taken_over(8);
    stand.press('e');
    let mut heard = Vec::new();
    for _ in 0..22 * TICKS {
        let now = stand.pass(1).heard();
        if heard.last() != Some(&now) {
            heard.push(now);
            let parts = [None, Some('A'), Some('B')];
            let answer = parts.iter().position(|part| *part == now).unwrap().saturating_sub(1);
            assert!(now.is_none() || stand.app.wand.answer() == answer, "{now:?}");
            let playing = stand.app.wand.stats.playing;
            assert!(now.is_none() || playing <= 2, "{playing} were left of the other part");
            assert_eq!(stand.app.wand.is_storming(), now.is_some());
        }
    }
    let [a, b] = [Some('A'), Some('B')];
    assert_eq!(heard, [None, a, None, b, None, a, None, b, None, a]);
    let [quietest, oldest] = stand.app.ear_test.as_ref().unwrap().losses;
    let (quietest, oldest) = (quietest.loudest().unwrap(), oldest.loudest().unwrap());
    assert!(oldest > quietest + 6.0, "the oldest loses {oldest} dB, the quietest {quietest}");
}

#[test]
fn its_key_goes_to_the_other_part_at_once_and_esc_leaves_the_test() {
    let mut stand = Stand::taken_over(8);
    stand.press('w').press('w').press('e').pass(2 * TICKS);
    assert_eq!((stand.heard(), stand.app.wand.answer()), (Some('A'), 0));
    stand.press('e').pass(TICKS);
    assert_eq!((stand.heard(), stand.app.wand.answer()), (Some('B'), 1));
    stand.press('e').pass(TICKS);
    assert_eq!(stand.heard(), Some('A'));
    stand.app.key(Key::Escape);
    assert!(stand.app.ear_test.is_none() && !stand.app.wand.is_storming());
    assert_eq!((stand.app.quit, stand.app.wand.answer()), (false, 2), "it was refuse before");
    stand.pass(TICKS);
    assert_eq!(stand.app.wand.stats.live, 0);
    stand.app.key(Key::Escape);
    assert!(stand.app.quit);
}

#[test]
fn esc_also_leaves_the_ear_test_that_it_plays_by_itself() {
    let mut stand = Stand::new(8);
    stand.pass(22 * TICKS);
    assert_eq!((stand.heard(), stand.app.plays_by_itself()), (Some('A'), true));
    stand.app.key(Key::Escape);
    assert_eq!((stand.heard(), stand.app.plays_by_itself(), stand.app.quit), (None, false, false));
}

#[test]
fn whoever_ends_the_storm_or_takes_another_answer_leaves_the_ear_test() {
    for (key, answer) in [('s', 0), ('w', 1)] {
        let mut stand = Stand::taken_over(8);
        stand.press('e').pass(8 * TICKS).press(key);
        assert!(stand.app.ear_test.is_none() && !stand.app.wand.is_storming());
        assert_eq!(stand.app.wand.answer(), answer);
    }
}

#[test]
fn what_the_ear_test_counts_is_of_one_size_of_the_pool() {
    let mut stand = Stand::taken_over(4);
    stand.press('s').pass(2 * TICKS).press('e').pass(8 * TICKS);
    let stolen = |stand: &Stand| stand.app.ear_test.as_ref().unwrap().losses.map(|of| of.stolen);
    let before = stolen(&stand);
    assert!(before.iter().all(|stolen| *stolen > 10), "{before:?}");
    assert!(before[0] < stand.app.wand.tally.answers[0].losses.stolen, "not the storm before it");
    stand.press('+').pass(TICKS / 2);
    assert_eq!((stolen(&stand), stand.heard()), ([0, 0], None));
    assert_eq!(stand.pass(TICKS).heard(), Some('A'));
}

#[test]
fn a_pause_stops_the_ear_test() {
    let mut stand = Stand::taken_over(8);
    stand.press('e').pass(2 * TICKS).press('p').pass(5 * TICKS);
    assert_eq!(stand.heard(), Some('A'));
    stand.press('p').pass(4 * TICKS);
    assert_eq!(stand.heard(), Some('B'));
}

#[test]
fn self_play_does_not_take_the_ear_test_over() {
    let mut stand = Stand::taken_over(8);
    stand.press('e').pass(42 * TICKS);
    assert!(!stand.app.plays_by_itself() && stand.heard() == Some('A'));
    stand.app.key(Key::Escape);
    stand.pass(13 * TICKS);
    assert!(stand.app.plays_by_itself());
}
