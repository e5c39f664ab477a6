//! Where a play is, and on which frame it was there; and frames of a time.

mod common;

use std::time::Duration;

use common::mono;
use voicepool::{Config, Mixer, Play, Priority, Renderer, Sound, VoiceId, ms, secs};

const RATE: u32 = 1000;

fn toy(voices: usize) -> (Mixer, Renderer) {
    let config = Config { voices, max_voices: 8, sample_rate: RATE, ..Config::DEFAULT };
    Mixer::offline(config).expect("a good config")
}

fn clip() -> Sound {
    mono(RATE, &[0.1; 10_000])
}

/// The answer that the next look gives.
fn position(mixer: &Mixer, renderer: &mut Renderer, voice: Option<VoiceId>) -> (Duration, u64) {
    let _ = mixer.position(voice);
    renderer.frames(256);
    mixer.position(voice).expect("it was looked at")
}

#[test]
fn a_position_comes_with_the_frame_on_which_it_was() {
    let (mixer, mut renderer) = toy(4);
    let voice = mixer.play(Play::of(clip()).start_at(1000));
    assert_eq!(mixer.position(voice), None, "the first one is only ordered");
    renderer.frames(256);
    assert_eq!(mixer.position(voice), Some((ms(0), 0)), "it waits");
    for _ in 0..20 {
        let (at, frame) = position(&mixer, &mut renderer, voice);
        assert_eq!(at, ms(frame.saturating_sub(1000)), "on frame {frame}");
        assert!(frame.abs_diff(mixer.clock()) <= 256, "{frame} by {}", mixer.clock());
    }
}

#[test]
fn it_is_in_the_sounds_own_time() {
    let (mixer, mut renderer) = toy(4);
    let slow = mono(500, &[0.1; 5_000]);
    let plain = mixer.play(Play::of(&slow));
    let fast = mixer.play(Play::of(&slow).speed(2.0));
    let turning = mixer.play(Play::of(clip()).loop_range(ms(100)..ms(200)));
    for _ in 0..6 {
        let (at, frame) = position(&mixer, &mut renderer, plain);
        assert_eq!(at, ms(frame & !1), "to a frame of the sound's");
        assert_eq!(mixer.position(fast), Some((ms(2 * frame), frame)));
        let turned = if frame < 200 { frame } else { 100 + (frame - 100) % 100 };
        assert_eq!(mixer.position(turning), Some((ms(turned), frame)));
    }
}

#[test]
fn what_is_paused_or_parked_is_where_it_has_come_to() {
    let (mixer, mut renderer) = toy(1);
    let voice = mixer.play(Play::of(clip()).looping());
    renderer.frames(512);
    mixer.pause(voice, ms(0));
    renderer.frames(512);
    let (at, _) = position(&mixer, &mut renderer, voice);
    let (later, _) = position(&mixer, &mut renderer, voice);
    assert!(at == later && at > ms(500), "{at:?}, {later:?}");
    mixer.resume(voice, ms(0));
    let thief = mixer.play(Play::of(clip()).looping().priority(Priority::High));
    renderer.frames(256);
    let (parked, frame) = position(&mixer, &mut renderer, voice);
    let (further, after) = position(&mixer, &mut renderer, voice);
    assert_eq!(further - parked, ms(after - frame), "its time goes on");
    assert!(mixer.position(thief).is_some() && mixer.stats().parked == 1);
}

#[test]
fn who_is_not_live_or_not_seen_yet_is_nowhere() {
    let (mixer, mut renderer) = toy(4);
    let (twin, _twin_renderer) = toy(4);
    let blip = mono(RATE, &[0.1; 700]);
    let gone = mixer.play(&blip);
    let foreign = twin.play(&blip);
    position(&mixer, &mut renderer, gone);
    renderer.frames(1024);
    assert_eq!(mixer.position(gone), None, "it has ended");
    assert_eq!(mixer.position(foreign), None, "it is another mixer's");
    assert_eq!(mixer.position(None), None);
    // The latest picture shows that one's ticket, which is another's now.
    let next = mixer.play(&blip);
    assert_eq!(mixer.position(next), None, "it is not in the picture");
    renderer.frames(256);
    renderer.frames(256);
    let _ = mixer.position(next);
    renderer.frames(1);
    assert!(mixer.position(next).is_some());
    drop(renderer);
    assert_eq!(mixer.position(next), None, "all has ended");
}

/// Both ask for the same picture, and neither keeps the other from getting it.
#[test]
fn voices_and_positions_share_their_pictures() {
    let (mixer, mut renderer) = toy(4);
    let plays: Vec<_> =
        (0..4).map(|n| mixer.play(Play::of(clip()).from_position(ms(10 * n)))).collect();
    let _ = mixer.voices();
    for _ in 0..5 {
        renderer.frames(256);
        let shown: Vec<_> = mixer.voices().into_iter().map(|it| (it.voice, it.position)).collect();
        assert_eq!(shown.len(), 4);
        for (voice, at) in shown {
            assert!(plays.contains(&Some(voice)));
            assert_eq!(mixer.position(voice).map(|(position, _)| position), Some(at));
        }
    }
}

#[test]
fn frames_are_those_of_the_mixers_own_rate() {
    for (rate, time, frames) in [
        (44_100, ms(100), 4410),
        (44_100, ms(1), 44),
        (44_100, secs(1.0), 44_100),
        (48_000, ms(1), 48),
        (1, ms(499), 0),
        (1, ms(500), 1),
        (384_000, Duration::MAX, u64::MAX),
    ] {
        let config = Config { sample_rate: rate, ..Config::DEFAULT };
        let (mixer, _renderer) = Mixer::offline(config).expect("a good config");
        assert_eq!(mixer.frames(time), frames, "{time:?} at {rate} Hz");
    }
    // A start that is worked out with them is heard on its frame.
    let config = Config { sample_rate: 44_100, ..Config::DEFAULT };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    mixer.play(Play::of(mono(44_100, &[0.5; 10])).start_at(mixer.frames(ms(30))));
    let first = renderer.frames(2000).iter().position(|frame| frame[0] != 0.0);
    assert_eq!(first, Some(1323));
}
