//! A play that had to wait for its frame says when it has begun.

mod common;

use common::mono;
use voicepool::{Config, Event, Mixer, Play, Priority, Renderer, WhenFull, ms};

fn toy(when_full: WhenFull) -> (Mixer, Renderer) {
    let config = Config {
        voices: 2,
        max_voices: 2,
        parked: 1,
        scheduled: 8,
        sample_rate: 1000,
        when_full,
        ..Config::DEFAULT
    };
    Mixer::offline(config).expect("a good config")
}

/// Every event but the endings, by its name.
fn told(mixer: &Mixer) -> Vec<(&'static str, u64, u64)> {
    let name = |event| match event {
        Event::Started { tag, at, .. } => Some(("started", tag, at)),
        Event::Parked { tag, at, .. } => Some(("parked", tag, at)),
        Event::Unparked { tag, at, .. } => Some(("unparked", tag, at)),
        _ => None,
    };
    mixer.events().filter_map(name).collect()
}

#[test]
fn who_waited_starts_on_its_frame_and_who_did_not_says_nothing() {
    let (mixer, mut renderer) = toy(WhenFull::StealQuietest);
    let blip = Play::of(mono(1000, &[0.1; 50]));
    mixer.play(blip.clone().tag(1));
    mixer.play(blip.clone().tag(2).start_at(333));
    mixer.play(blip.clone().tag(3).delay(ms(500)));
    mixer.play(blip.clone().tag(4).delay(ms(0)));
    renderer.frames(1000);
    assert_eq!(told(&mixer), [("started", 2, 333), ("started", 3, 500)]);
    mixer.play(blip.clone().tag(5).start_at(7));
    let stopped = mixer.play(blip.tag(6).start_at(1500));
    mixer.stop(stopped, ms(0));
    renderer.frames(1000);
    assert_eq!(told(&mixer), [], "a frame that is past is no waiting, and an end no start");
}

#[test]
fn who_parks_or_is_refused_on_its_frame_has_not_started() {
    let (mixer, mut renderer) = toy(WhenFull::Refuse);
    let hum = Play::of(mono(1000, &[0.1; 100])).looping();
    let playing = [1, 2].map(|tag| mixer.play(hum.clone().tag(tag).priority(Priority::Protected)));
    mixer.play(hum.clone().tag(3).start_at(300));
    mixer.play(hum.clone().tag(4).start_at(400));
    renderer.frames(512);
    assert_eq!(told(&mixer), [("parked", 3, 300)]);
    assert_eq!(mixer.stats().refused, 1, "there was room for one to park");
    mixer.stop(playing[0], ms(0));
    renderer.frames(1024);
    assert!(matches!(told(&mixer)[..], [("unparked", 3, _)]));
}
