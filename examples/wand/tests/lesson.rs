//! What is told at the end.

use super::*;

#[test]
fn at_the_end_it_tells_how_many_voices_to_take() {
    let mut stand = Stand::taken_over(4);
    stand.press('s').pass(2 * TICKS);
    let lesson = stand.app.lesson();
    let says = "steal the quietest: 240 plays, 0 refused, loudest loss: ";
    assert!(lesson.starts_with(says), "{lesson}");
    assert!(lesson.contains(" wanted to be heard at once\nConfig { voices: "), "{lesson}");
    let mut stand = Stand::taken_over(16);
    let lesson = stand.press('1').pass(TICKS).app.lesson();
    assert!(lesson.contains("// steal the quietest: the pool was never full"), "{lesson}");
    assert!(lesson.ends_with("\nConfig { voices: 4, ..Config::default() }\n"), "{lesson}");
}

#[test]
fn the_advice_is_from_the_answer_that_it_recommends() {
    let mut stand = Stand::taken_over(16);
    stand.press('e').pass(10 * TICKS);
    let losses = |stand: &Stand, answer: usize| stand.app.wand.tally.answers[answer].losses;
    assert!(losses(&stand, 1).loudest().unwrap() > -30.0, "the oldest loses something loud");
    let lesson = stand.app.lesson();
    let advice = "// steal the quietest: the pool was full, but nothing above -40 dB was lost\n\
                  Config { voices: 16, ..Config::default() }\n";
    assert!(lesson.ends_with(advice), "{lesson}");
    let mut stand = Stand::taken_over(4);
    let lesson = stand.press('w').press('w').press('s').pass(TICKS).app.lesson();
    assert!(lesson.starts_with("refuse: 120 plays, "), "{lesson}");
    assert!(
        lesson.contains("\n// refuse: ") && lesson.contains("WhenFull::Refuse, ..C"),
        "{lesson}"
    );
}

#[test]
fn the_advice_is_from_what_somebody_did_and_not_from_self_play() {
    let mut stand = Stand::new(4);
    stand.pass(14 * TICKS);
    assert!(stand.app.wand.tally.all.loudest().unwrap() > -40.0, "self-play loses something loud");
    assert!(stand.app.lesson().starts_with("You only watched."), "{}", stand.app.lesson());
    stand.press('1').pass(2 * TICKS);
    let did = "steal the quietest: 1 plays, 0 refused, loudest loss: nothing\n\n\
               // steal the quietest: the pool was never full, 1 played at most\n\
               Config { voices: 4, ..Config::default() }\n";
    assert_eq!(stand.app.lesson(), did);
    stand.pass(26 * TICKS);
    assert!(stand.app.plays_by_itself() && stand.app.wand.tally.all.stolen > 100);
    assert_eq!(stand.app.lesson(), did, "also in the middle of it");
}
