//! A tag as a target: all of its plays that are live, on one frame, and nobody else's.

mod common;

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use common::{Random, assert_balanced, endings, mono};
use voicepool::{
    BusId, Config, Ending, Event, Mixer, Play, Priority, Renderer, Sound, Tag, VoiceId, VoiceState,
    ms, secs,
};

const RATE: u32 = 1000;

fn small(commands: usize) -> (Mixer, Renderer) {
    let config = Config {
        voices: 4,
        max_voices: 64,
        parked: 4,
        scheduled: 4,
        commands,
        sample_rate: RATE,
        ..Config::DEFAULT
    };
    Mixer::offline(config).expect("a good config")
}

/// A second of a steady 0.1.
fn hum() -> Sound {
    mono(RATE, &[0.1; 1000])
}

fn live<const N: usize>(mixer: &Mixer, voices: [Option<VoiceId>; N]) -> [bool; N] {
    voices.map(|voice| mixer.is_live(voice))
}

#[test]
fn a_tag_is_all_of_its_plays_wherever_they_are_and_no_other() {
    let (mixer, mut renderer) = small(64);
    let hum = Play::of(hum()).looping();
    // Four play; of those that come then, who is louder robs, and who is robbed parks.
    let playing = [7, 8, 7, 0].map(|tag| mixer.play(hum.clone().tag(tag)));
    renderer.frames(256);
    let thieves = [7, 8].map(|tag| mixer.play(hum.clone().tag(tag).priority(Priority::High)));
    let scheduled = [7, 8, 0].map(|tag| mixer.play(hum.clone().tag(tag).delay(secs(9.0))));
    let _ = mixer.voices();
    renderer.frames(256);
    let parked = mixer.voices().into_iter().filter(|it| it.state == VoiceState::Parked);
    assert_eq!(parked.map(|it| it.tag).collect::<Vec<_>>(), [7, 8], "one of each parked");
    // One more that the audio side has not heard of yet.
    let queued = [7, 8].map(|tag| mixer.play(hum.clone().tag(tag)));

    mixer.stop(Tag(7), ms(0));
    renderer.frames(512);
    assert_eq!(live(&mixer, playing), [false, true, false, true]);
    assert_eq!(live(&mixer, thieves), [false, true]);
    assert_eq!(live(&mixer, scheduled), [false, true, true]);
    assert_eq!(live(&mixer, queued), [false, true]);
    assert!(endings(&mixer).iter().all(|(_, why)| *why == Ending::Stopped));

    // Without a tag are only those that never had one.
    mixer.stop(Tag(0), ms(0));
    renderer.frames(512);
    assert_eq!(live(&mixer, playing), [false, true, false, false]);
    assert_eq!(live(&mixer, scheduled), [false, true, false]);
    assert_balanced(&mixer.stats());
}

#[test]
fn what_is_played_after_a_control_is_not_touched_by_it() {
    let (mixer, mut renderer) = small(64);
    let play = Play::of(hum()).looping().tag(5);
    let before = mixer.play(&play);
    mixer.stop(Tag(5), ms(0));
    let between = mixer.play(&play);
    renderer.frames(256);
    assert_eq!(live(&mixer, [before, between]), [false, true]);
    let after = mixer.play(&play);
    mixer.stop(Tag(5), ms(0));
    let last = mixer.play(&play);
    renderer.frames(256);
    assert_eq!(live(&mixer, [between, after, last]), [false, false, true]);
}

/// The tickets of those that ended are in other hands, with other tags or none.
#[test]
fn a_tag_whose_plays_have_ended_means_nobody() {
    let (mixer, mut renderer) = small(64);
    let blip = mono(RATE, &[0.1]);
    for round in 0..50 {
        (0..4).for_each(|_| assert!(mixer.play(Play::of(&blip).tag(1)).is_some()));
        renderer.frames(256);
        assert_eq!(mixer.stats().live, 0);
        let others = [0, 2, 3, 4].map(|tag| mixer.play(Play::of(hum()).tag(tag)));
        mixer.stop(Tag(1), ms(0));
        mixer.stop(Tag(u64::MAX), ms(0));
        renderer.frames(256);
        assert_eq!(live(&mixer, others), [true; 4], "round {round}");
        mixer.stop_all(ms(0));
        renderer.frames(256);
    }
}

/// A control of a tag takes one place in the queue for each of its plays, however many others there are:
/// counted by the plays that find room beside it.
#[test]
fn a_control_takes_as_many_places_as_the_tag_has_plays() {
    for (plays, others) in [(4, 8), (16, 8), (4, 32), (16, 32)] {
        let (mixer, mut renderer) = small(64);
        mixer.resize(64).expect("as many as may be");
        let hum = Play::of(hum()).looping();
        (0..plays).for_each(|_| assert!(mixer.play(hum.clone().tag(3)).is_some()));
        (0..others).for_each(|n| assert!(mixer.play(hum.clone().tag(n % 3)).is_some()));
        renderer.frames(256);
        mixer.set_gain(Tag(3), 0.5, ms(0));
        let room = (0..100).filter(|_| mixer.play(&hum).is_some()).count();
        assert_eq!(room, 64 - plays as usize, "{plays} plays, {others} others");
    }
}

#[test]
fn no_control_of_a_tag_is_lost_in_a_full_queue() {
    let (mixer, mut renderer) = small(8);
    let hum = Play::of(hum()).looping();
    mixer.resize(32).expect("as many as may be");
    let mut voices = Vec::new();
    for n in 0..24 {
        voices.push(mixer.play(hum.clone().tag(n % 2)).expect("room in the queue"));
        renderer.frames(128);
    }
    // Five places are taken: three controls find room, and the rest waits.
    (0..5).for_each(|_| mixer.set_gain(BusId::new(9), 1.0, ms(0)));
    mixer.set_gain(Tag(1), 0.25, ms(0));
    mixer.set_mute(Tag(1), true);
    mixer.end_loop(Tag(0));
    for _ in 0..20 {
        let _ = mixer.voices();
        renderer.frames(128);
    }
    for row in mixer.voices() {
        assert_eq!(row.gain, if row.tag == 1 { 0.25 } else { 1.0 });
        assert_eq!(row.level == 0.0, row.tag == 1, "the odd ones are muted");
    }
    for (n, voice) in voices.into_iter().enumerate() {
        assert_eq!(mixer.is_live(voice), n % 2 == 1, "what loops no more has finished");
    }
}

/// The renderer runs on another thread all the time, and would see a part of what is said if it were
/// published one by one.
#[test]
fn a_control_reaches_all_plays_of_a_tag_on_one_frame() {
    let (mixer, mut renderer) =
        Mixer::offline(Config { sample_rate: RATE, ..Config::DEFAULT }).expect("a good config");
    let hum = Play::of(hum()).looping().tag(9);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut out = [[0.0; 2]; 16];
            while !done.load(Relaxed) {
                renderer.render(&mut out);
            }
        });
        for round in 0..300 {
            mixer.play_together([(); 40].map(|()| hum.clone())).expect("room for forty");
            while mixer.stats().playing < 40 {
                std::thread::yield_now();
            }
            mixer.stop(Tag(9), ms(0));
            let mut frames = Vec::new();
            while frames.len() < 40 {
                frames.extend(mixer.events().filter_map(|event| match event {
                    Event::Ended { at, .. } => Some(at),
                    _ => None,
                }));
            }
            if frames.iter().any(|at| *at != frames[0]) {
                done.store(true, Relaxed);
                panic!("round {round}: they ended on {frames:?}");
            }
        }
        done.store(true, Relaxed);
    });
}

/// Against a list that is searched from end to end.
#[test]
fn tags_agree_with_a_list_under_random_use() {
    let mut random = Random(4);
    let (mixer, mut renderer) = small(64);
    let hum = Play::of(hum()).looping();
    let mut list: Vec<(u64, VoiceId)> = Vec::new();
    for round in 0..400 {
        for _ in 0..random.below(6) {
            let tag = *random.pick(&[0, 1, 2, 1 << 40, u64::MAX]);
            list.extend(mixer.play(hum.clone().tag(tag)).map(|voice| (tag, voice)));
        }
        let stopped = *random.pick(&[0, 1, 2, 3, 1 << 40, u64::MAX]);
        mixer.stop(Tag(stopped), ms(0));
        renderer.frames(256);
        for (voice, why) in endings(&mixer) {
            let place = list.iter().position(|(_, live)| *live == voice).expect("it was live");
            let (tag, _) = list.swap_remove(place);
            // Those that were robbed before the stop came may have any tag.
            assert!(why != Ending::Stopped || tag == stopped, "round {round}: {tag} was stopped");
        }
        assert!(list.iter().all(|(tag, voice)| *tag != stopped && mixer.is_live(*voice)));
        assert_eq!(list.len(), mixer.stats().live);
    }
}

/// A bus has no pan: nothing is heard of it, and no place taken.
#[test]
fn pan_does_nothing_to_a_bus() {
    let bus = BusId::new(3);
    let run = |say: fn(&Mixer, BusId)| {
        let (mixer, mut renderer) = small(4);
        mixer.play(Play::of(mono(RATE, &[0.1, 0.2, 0.3])).looping().bus(bus));
        (0..8).for_each(|_| say(&mixer, bus));
        assert!((0..3).all(|_| mixer.play(hum()).is_some()), "no place was taken");
        renderer.frames(512)
    };
    let untouched = run(|_, _| ());
    assert_eq!(run(|mixer, bus| mixer.set_pan(bus, 1.0, ms(0))), untouched);
}
