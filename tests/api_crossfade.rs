//! `Mixer::crossfade`: one play goes for another, on one frame and with constant power.

mod common;

use common::{assert_balanced, mono};
use voicepool::{
    Bus, BusId, Config, Ending, Event, Frame, Mixer, Play, Priority, Refusal, Renderer, Sound, Tag,
    VoiceId, WhenFull, ms,
};

const RATE: u32 = 1000;

fn open(voices: usize) -> (Mixer, Renderer) {
    let sizes = Config { voices, max_voices: voices, parked: 2, scheduled: 4, ..Config::DEFAULT };
    Mixer::offline(Config { commands: 32, sample_rate: RATE, ..sizes }).expect("a good config")
}

/// A loop that is heard on the left alone.
fn old() -> Play {
    Play::of(Sound::from_stereo(RATE, &[[0.5, 0.0]]).expect("a sound")).looping().tag(1)
}

/// A loop that is heard on the right alone.
fn new() -> Play {
    Play::of(Sound::from_stereo(RATE, &[[0.0, 0.5]]).expect("a sound")).looping().tag(2)
}

fn ended(mixer: &Mixer) -> Vec<(u64, u64, Ending)> {
    let ended = |event| match event {
        Event::Ended { tag, at, why, .. } => Some((tag, at, why)),
        _ => None,
    };
    mixer.events().filter_map(ended).collect()
}

#[track_caller]
fn assert_near(heard: f32, expected: f64) {
    assert!((f64::from(heard) - expected).abs() < 1e-6, "{heard} and not {expected}");
}

/// The cosine and the sine of so much of a right angle, of a sound of 0.5.
#[track_caller]
fn assert_crossing(frame: Frame, part: f64) {
    let angle = part.clamp(0.0, 1.0) * std::f64::consts::FRAC_PI_2;
    assert_near(frame[0], 0.5 * angle.cos());
    assert_near(frame[1], 0.5 * angle.sin());
}

#[test]
fn the_old_goes_down_as_a_cosine_and_the_new_comes_up_as_a_sine() {
    let (mixer, mut renderer) = open(2);
    let before = mixer.play(old());
    renderer.frames(128);
    let after = mixer.crossfade(before, new(), ms(400));
    let frames = renderer.frames(1000);
    for (at, frame) in (128..).zip(&frames) {
        assert_crossing(*frame, (f64::from(at) - 256.0) / 400.0);
    }
    let power = |frame: &Frame| frame.iter().map(|side| side * side).sum::<f32>();
    assert!(frames.iter().all(|frame| (power(frame) - 0.25).abs() < 1e-6), "one power all the way");
    assert_eq!(ended(&mixer), [(1, 656, Ending::Stopped)]);
    assert!(!mixer.is_live(before) && mixer.is_live(after));
}

#[test]
fn from_nothing_it_is_a_fade_in() {
    let (other, _other_renderer) = open(2);
    for from in [None, Some(VoiceId::from_bits(0)), other.play(old())] {
        let (mixer, mut renderer) = open(2);
        mixer.play(old());
        assert!(mixer.crossfade(from, new(), ms(100)).is_some());
        let frames = renderer.frames(256);
        assert_eq!((frames[0], frames[255]), ([0.5, 0.0], [0.5, 0.5]));
        assert_near(frames[50][1], 0.5 * 0.5f64.sqrt());
        assert_eq!(mixer.stats().live, 2, "nobody else is touched");
    }
}

#[test]
fn a_bus_and_a_tag_mean_all_that_was_played_before_and_not_the_new_one() {
    const MUSIC: BusId = BusId::new(1);
    const STEMS: BusId = BusId::new(2);
    let targets: [fn(&Mixer) -> Option<VoiceId>; 2] = [
        |mixer| mixer.crossfade(MUSIC, new().bus(STEMS).tag(7), ms(100)),
        |mixer| mixer.crossfade(Tag(7), new().bus(STEMS).tag(7), ms(100)),
    ];
    for crossfade in targets {
        let (mixer, mut renderer) = open(6);
        mixer.set_bus(STEMS, Bus { parent: MUSIC, ..Bus::DEFAULT }).expect("no circle");
        for (tag, bus) in [(7, MUSIC), (7, STEMS), (9, BusId::MASTER)] {
            mixer.play(old().tag(tag).bus(bus).gain(0.2));
        }
        mixer.play(old().tag(7).bus(STEMS).start_at(5000));
        renderer.frames(128);
        let voice = crossfade(&mixer);
        let later = mixer.play(old().tag(7).bus(STEMS));
        renderer.frames(512);
        let all = ended(&mixer);
        assert!(all.iter().all(|it| (it.0, it.2) == (7, Ending::Stopped)), "{all:?}");
        assert_eq!(all.iter().map(|it| it.1).collect::<Vec<_>>(), [256, 356, 356]);
        assert!(mixer.is_live(voice) && mixer.is_live(later) && mixer.stats().live == 3);
    }
}

#[test]
fn both_wait_for_the_frame_of_the_new_one() {
    let waits: [fn(Play, Option<VoiceId>) -> Play; 3] = [
        |play, _| play.start_at(400),
        |play, _| play.delay(ms(400)),
        |play, voice| play.after(voice),
    ];
    for (way, wait) in waits.into_iter().enumerate() {
        let (mixer, mut renderer) = open(3);
        let blip = mixer.play(Play::of(mono(RATE, &[0.0; 400])));
        let before = mixer.play(old());
        mixer.crossfade(before, wait(new(), blip), ms(200));
        let frames = renderer.frames(1000);
        for (at, frame) in (0..).zip(&frames) {
            assert_crossing(*frame, (f64::from(at) - 400.0) / 200.0);
        }
        assert_eq!(ended(&mixer).last(), Some(&(1, 600, Ending::Stopped)), "way {way}");
    }
}

#[test]
fn what_is_named_is_that_play_and_nobody_who_has_its_ticket_later() {
    let (mixer, mut renderer) = open(4);
    let before = mixer.play(Play::of(mono(RATE, &[0.1; 400])).tag(9));
    renderer.frames(10);
    mixer.crossfade(before, new().start_at(2000), ms(100));
    renderer.frames(1000);
    assert_eq!(ended(&mixer), [(9, 400, Ending::Finished)]);
    // The ticket that was freed last is given out first.
    let other = mixer.play(old());
    renderer.frames(2000);
    assert!(ended(&mixer).is_empty() && mixer.is_live(other));
}

#[test]
fn a_full_queue_leaves_the_old_one_alone() {
    let (mixer, mut renderer) = open(2);
    let before = mixer.play(old());
    renderer.frames(128);
    while mixer.play(old().start_at(1 << 40)).is_some() {}
    assert_eq!(mixer.crossfade(before, new(), ms(50)), None);
    let turned_away = mixer.stats().turned_away;
    assert_eq!(turned_away, 2);
    let frames = renderer.frames(1000);
    assert!(frames.iter().all(|frame| *frame == [0.5, 0.0]) && mixer.is_live(before));
}

#[test]
fn a_new_one_that_is_refused_leaves_the_old_one_alone() {
    let (mixer, mut renderer) = open(2);
    let before = mixer.play(old().priority(Priority::Protected));
    mixer.play(old().priority(Priority::Protected).gain(0.0));
    mixer.set_when_full(WhenFull::Refuse);
    renderer.frames(128);
    let refused = Play::of(mono(RATE, &[0.5; 900])).tag(2);
    mixer.crossfade(before, refused.clone(), ms(50));
    mixer.crossfade(before, refused.clone().start_at(300), ms(50));
    let stopped = mixer.crossfade(before, refused.clone().start_at(400).tag(3), ms(50));
    mixer.stop(stopped, ms(0));
    mixer.crossfade(before, refused.from_position(ms(900)).tag(4), ms(50));
    let frames = renderer.frames(1000);
    assert!(frames.iter().all(|frame| *frame == [0.5, 0.0]) && mixer.is_live(before));
    let full = Ending::Refused { why: Refusal::PoolFull };
    let mut all = ended(&mixer);
    all.sort_by_key(|it| (it.1, it.0));
    let over = [(2, 256, full), (3, 256, Ending::Stopped), (4, 256, Ending::Finished)];
    assert_eq!(all, [over.as_slice(), &[(2, 300, full)]].concat());
    assert_balanced(&mixer.stats());
}

#[test]
fn a_new_one_that_parks_has_begun() {
    let (mixer, mut renderer) = open(1);
    let before = mixer.play(old().priority(Priority::Protected));
    renderer.frames(128);
    let after = mixer.crossfade(before, new(), ms(100));
    renderer.frames(512);
    assert_eq!(ended(&mixer), [(1, 356, Ending::Stopped)]);
    renderer.frames(512);
    assert!(mixer.is_live(after) && mixer.stats().playing == 1, "it has got the voice");
}

#[test]
fn what_cannot_be_heard_ends_at_once() {
    let (mixer, mut renderer) = open(4);
    let [paused, later] = [old(), old().start_at(5000)].map(|play| mixer.play(play.tag(5)));
    let follower = mixer.play(old().after(paused).tag(5));
    mixer.pause(paused, ms(0));
    renderer.frames(128);
    assert!(mixer.is_live(later) && mixer.is_live(follower));
    mixer.crossfade(Tag(5), new(), ms(300));
    renderer.frames(256);
    assert_eq!(ended(&mixer), [(5, 256, Ending::Stopped); 3]);
}

#[test]
fn over_no_time_it_takes_five_milliseconds() {
    let (mixer, mut renderer) = open(2);
    let before = mixer.play(old());
    renderer.frames(128);
    mixer.crossfade(before, new(), ms(0));
    let frames = renderer.frames(256);
    (0..10).for_each(|at| assert_crossing(frames[128 + at], at as f64 / 5.0));
    assert_eq!(ended(&mixer), [(1, 261, Ending::Stopped)]);
}

#[test]
fn a_second_one_in_the_midst_of_the_first_goes_on_from_where_it_is() {
    let (mixer, mut renderer) = open(3);
    let first = mixer.play(old());
    renderer.frames(128);
    let second = mixer.crossfade(first, new(), ms(768));
    renderer.frames(256);
    let silent = Play::of(mono(RATE, &[0.0])).looping().tag(3);
    mixer.crossfade(second, &silent, ms(200));
    let frames = renderer.frames(1024);
    // It acts on frame 512, a third of the way: a sine of 30 degrees, and from there a cosine.
    for (at, frame) in (384..512).zip(&frames) {
        assert_crossing(*frame, (f64::from(at) - 256.0) / 768.0);
    }
    for (at, frame) in (512..712).zip(&frames[128..]) {
        let angle = f64::from(at - 512) / 200.0 * std::f64::consts::FRAC_PI_2;
        assert_near(frame[1], 0.25 * angle.cos());
        let angle = f64::from(at - 256) / 768.0 * std::f64::consts::FRAC_PI_2;
        assert_near(frame[0], 0.5 * angle.cos());
    }
    assert_eq!(ended(&mixer), [(2, 712, Ending::Stopped), (1, 1024, Ending::Stopped)]);
}

#[test]
fn what_is_stopping_already_is_hurried_and_never_held_up() {
    for (over, end) in [(500, 556), (100, 484)] {
        let (mixer, mut renderer) = open(3);
        let before = mixer.play(old());
        renderer.frames(128);
        mixer.stop(before, ms(300));
        renderer.frames(128);
        mixer.crossfade(before, new(), ms(over));
        renderer.frames(1024);
        assert_eq!(ended(&mixer), [(1, end, Ending::Stopped)], "over {over}");
    }
}

#[test]
fn the_cross_fade_takes_the_place_of_a_fade_in() {
    let (mixer, mut renderer) = open(2);
    mixer.crossfade(None, new().fade_in(ms(1)), ms(100));
    assert_near(renderer.frames(256)[50][1], 0.5 * 0.5f64.sqrt());
}

#[test]
fn in_a_full_pool_the_quietest_gives_way_as_to_any_play() {
    let (mixer, mut renderer) = open(2);
    let before = mixer.play(old());
    let quiet = Play::of(mono(RATE, &[0.001; 2000])).tag(9);
    mixer.play(quiet);
    renderer.frames(128);
    mixer.crossfade(before, new(), ms(100));
    renderer.frames(512);
    let all = ended(&mixer);
    assert!(matches!(all[0], (9, 256, Ending::Stolen { by_tag: 2, .. })), "{all:?}");
    assert_eq!(all[1], (1, 356, Ending::Stopped));
}
