//! Law 3 in space: one play, one ending, though plays park and come back with every step, with hardly any
//! room to park, and whatever is said to those who are out of earshot.

mod common;
#[path = "common/outdoors.rs"]
mod outdoors;

use std::collections::HashMap;

use common::{POLICIES, assert_balanced, endings, mono, noise};
use outdoors::{Game, small};
use voicepool::{
    Config, Ending, Event, Listener, Mixer, Parking, Play, Priority, Refusal, Renderer, Sound,
    VoiceId, ms, secs,
};

const RATE: u32 = 8_000;

/// A second of it.
fn clip() -> Sound {
    mono(RATE, &noise(1, RATE as usize))
}

fn open(voices: usize, parked: usize) -> (Mixer, Renderer) {
    let config = Config { voices, max_voices: 16, parked, sample_rate: RATE, ..Config::default() };
    Mixer::offline(config).expect("a good config")
}

/// Nothing is heard of it from 0.
const FAR_OFF: [f32; 2] = [500.0, 0.0];

/// Random games with much room to park and with hardly any: the books balance at every look, and everybody
/// ends once.
#[test]
fn the_books_balance_wherever_everybody_is() {
    for (seed, when_full) in (0..).zip(POLICIES.into_iter().cycle().take(8)) {
        for parked in [1, 2, 12] {
            let config = Config { parked, when_full, ..small(RATE) };
            let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
            let mut game = Game::new(mixer, seed);
            let mut ended = HashMap::new();
            let mut count = |game: &Game| {
                for event in game.mixer.events() {
                    if let Event::Ended { voice, .. } = event {
                        *ended.entry(voice).or_insert(0) += 1;
                    }
                }
            };
            for _ in 0..120 {
                for _ in 0..game.random.below(12) {
                    game.say();
                }
                let frames = game.random.below(400) as usize;
                renderer.render(&mut vec![[0.0; 2]; frames]);
                let stats = game.mixer.stats();
                assert_balanced(&stats);
                assert!(stats.parked <= parked && stats.playing <= 16, "{stats}");
                assert_eq!(stats.missed_events, 0);
                count(&game);
            }
            game.mixer.stop_all(ms(0));
            for _ in 0..3 {
                renderer.render(&mut [[0.0; 2]; 400]);
                count(&game);
            }
            let stats = game.mixer.stats();
            assert_eq!((stats.live, stats.playing, stats.parked), (0, 0, 0), "{stats}");
            assert!(ended.values().all(|times| *times == 1));
            assert!(game.plays.iter().all(|(voice, _)| ended.contains_key(voice)));
        }
    }
}

/// A one-shot of which nothing was ever heard ends on the frame on which it would have.
#[test]
fn a_one_shot_out_of_earshot_ends_when_it_would_have() {
    for start in [0, 1, 777] {
        let run = |at: [f32; 2]| {
            let (mixer, mut renderer) = open(4, 4);
            mixer.play(Play::of(clip()).speed(1.3).start_at(start).at(at));
            renderer.frames(9000);
            mixer.events().find_map(|event| match event {
                Event::Ended { at, why: Ending::Finished, .. } => Some(at),
                _ => None,
            })
        };
        assert!(run([1.0, 0.0]).is_some());
        assert_eq!(run(FAR_OFF), run([1.0, 0.0]), "from {start}");
    }
}

/// The state of one play: parked or with a voice.
fn counts(mixer: &Mixer) -> (usize, usize) {
    (mixer.stats().playing, mixer.stats().parked)
}

/// What has become of a play that was out of earshot when something was said to it, once the listener has
/// come: how it ended, if it has, whether it has a voice or is parked, and its loudest sample.
fn after(say: impl FnOnce(&Mixer, VoiceId)) -> (Option<Ending>, (usize, usize), f32) {
    let (mixer, mut renderer) = open(4, 4);
    let voice = mixer.play(Play::of(clip()).looping().at(FAR_OFF)).expect("there is room");
    renderer.frames(300);
    assert_eq!(counts(&mixer), (0, 1));
    say(&mixer, voice);
    renderer.frames(600);
    mixer.set_listener(Listener::at(FAR_OFF));
    let heard = renderer.frames(2048);
    assert_balanced(&mixer.stats());
    let loudest = heard[1024..].iter().fold(0f32, |most, frame| most.max(frame[0].abs()));
    let ended = endings(&mixer).pop().map(|(_, why)| why);
    (ended, counts(&mixer), loudest)
}

/// Whatever is said to a play that is out of earshot holds when the listener comes.
#[test]
fn what_is_out_of_earshot_obeys() {
    let (ended, counts, loudest) = after(|_, _| ());
    assert_eq!((ended, counts), (None, (1, 0)));
    assert!(loudest > 0.5);
    let stopped = (Some(Ending::Stopped), (0, 0), 0.0);
    assert_eq!(after(|mixer, voice| mixer.stop(voice, secs(9.0))), stopped);
    assert_eq!(after(|mixer, _| mixer.stop_all(secs(9.0))), stopped);
    let paused = after(|mixer, voice| mixer.pause(voice, ms(50)));
    assert_eq!(paused, (None, (0, 1), 0.0), "it waits to be resumed");
    let (_, counts, loudest) = after(|mixer, voice| mixer.set_gain(voice, 0.1, ms(0)));
    assert_eq!(counts, (1, 0));
    assert!(loudest > 0.05 && loudest <= 0.101, "{loudest}");
    let (_, counts, loudest) = after(|mixer, voice| {
        mixer.pause(voice, ms(0));
        mixer.resume(voice, ms(0));
        mixer.seek(voice, ms(500));
        mixer.set_occlusion(voice, 1.0, ms(0));
    });
    assert_eq!(counts, (1, 0));
    assert!(loudest > 0.01 && loudest < 0.26, "behind a wall: {loudest}");
    let over = after(|mixer, voice| {
        mixer.set_position(voice, [FAR_OFF[0], 9000.0]);
    });
    assert_eq!(over, (None, (0, 1), 0.0), "it is elsewhere");
    let over = after(|mixer, voice| {
        mixer.end_loop(voice);
        mixer.seek(voice, secs(5.0));
    });
    assert_eq!(over, (Some(Ending::Finished), (0, 0), 0.0));
}

/// It is not only the listener who can come: who is moved near is heard, and what still waits for its frame
/// begins where it was last said to be.
#[test]
fn who_is_moved_into_earshot_is_heard() {
    for waits in [false, true] {
        let (mixer, mut renderer) = open(4, 4);
        let play = Play::of(clip()).looping().at(FAR_OFF);
        let play = if waits { play.delay(ms(100)) } else { play };
        let voice = mixer.play(play);
        renderer.frames(300);
        mixer.set_position(voice, [1.0, 0.0]);
        let heard = renderer.frames(2048);
        assert_eq!(counts(&mixer), (1, 0), "waits: {waits}");
        assert!(heard[1024..].iter().any(|frame| frame[1] > 0.5));
        mixer.set_position(voice, FAR_OFF);
        renderer.frames(1024);
        assert_eq!(counts(&mixer), (0, 1), "waits: {waits}");
    }
}

/// Where there is no room to park, whoever left earshot keeps its voice and its time; it gives the voice up to
/// anybody, and leaves as soon as there is room.
#[test]
fn where_nobody_can_park_who_is_out_of_earshot_keeps_its_voice_until_one_can() {
    let (mixer, mut renderer) = open(4, 1);
    let [first, second] = [1.0, 2.0].map(|x| {
        let play = Play::of(clip()).looping().at([x, 0.0]).priority(Priority::High);
        mixer.play(play).expect("there is room")
    });
    renderer.frames(300);
    mixer.set_listener(Listener::at(FAR_OFF));
    renderer.frames(1024);
    assert_eq!(counts(&mixer), (1, 1));
    let parked: Vec<VoiceId> = mixer
        .events()
        .filter_map(|event| match event {
            Event::Parked { voice, why: Parking::Inaudible, .. } => Some(voice),
            _ => None,
        })
        .collect();
    let [gone] = parked[..] else { panic!("{parked:?}") };
    assert!(mixer.is_live(first) && mixer.is_live(second));
    // Nobody moves any more, but there is room now.
    mixer.stop(gone, ms(0));
    renderer.frames(1024);
    assert_eq!(counts(&mixer), (0, 1), "it leaves when it can");
    mixer.set_listener(Listener::DEFAULT);
    renderer.frames(1024);
    assert_eq!(counts(&mixer), (1, 0));
    assert_balanced(&mixer.stats());
}

/// A newcomer out of earshot with no room to park takes a free voice; with none free it is refused, and says
/// why.
#[test]
fn a_newcomer_out_of_earshot_that_cannot_park_is_refused_only_if_no_voice_is_free() {
    let (mixer, mut renderer) = open(2, 1);
    let far_off = Play::of(clip()).looping().at(FAR_OFF);
    let voices = [(); 4].map(|()| {
        let voice = mixer.play(&far_off).expect("room in the queue");
        renderer.frames(300);
        voice
    });
    assert_eq!(counts(&mixer), (2, 1));
    let refused = Ending::Refused { why: Refusal::Inaudible };
    assert_eq!(endings(&mixer), [(voices[3], refused)]);
    // Who is heard takes a voice from those who are not.
    let near = mixer.play(Play::of(clip()).looping().at([1.0, 0.0]));
    renderer.frames(300);
    assert!(mixer.is_live(near));
    // There is room: who has a voice for nothing leaves it.
    mixer.stop(voices[0], ms(0));
    renderer.frames(600);
    assert_eq!(counts(&mixer), (1, 1));
    assert_balanced(&mixer.stats());
}

/// To shrink and to grow loses nobody who is out of earshot.
#[test]
fn a_resize_leaves_those_alone_who_are_out_of_earshot() {
    let (mixer, mut renderer) = open(4, 12);
    let far_off = Play::of(clip()).looping().at(FAR_OFF);
    assert!((0..6).all(|_| mixer.play(&far_off).is_some()));
    let near = Play::of(clip()).looping().at([1.0, 0.0]);
    assert!((0..4).all(|_| mixer.play(&near).is_some()));
    renderer.frames(300);
    for (voices, playing) in [(1, 1), (8, 4), (2, 2), (16, 4)] {
        mixer.resize(voices).expect("it fits");
        renderer.frames(4096);
        assert_eq!(counts(&mixer), (playing, 10 - playing), "{voices} voices");
        assert_balanced(&mixer.stats());
    }
    mixer.set_listener(Listener::at(FAR_OFF));
    renderer.frames(4096);
    assert_eq!(counts(&mixer), (6, 4), "each where it belongs");
    assert_eq!(mixer.stats().stopped + mixer.stats().stolen + mixer.stats().refused, 0);
}

/// A stop with a fade is over as soon as nothing of it is heard any more.
#[test]
fn who_leaves_earshot_while_it_stops_has_stopped() {
    let (mixer, mut renderer) = open(4, 4);
    let voice = mixer.play(Play::of(clip()).looping().at([1.0, 0.0])).expect("there is room");
    renderer.frames(300);
    mixer.stop(voice, secs(30.0));
    renderer.frames(300);
    assert!(mixer.is_live(voice));
    mixer.set_listener(Listener::at(FAR_OFF));
    renderer.frames(1024);
    assert_eq!(endings(&mixer), [(voice, Ending::Stopped)]);
    assert_eq!(counts(&mixer), (0, 0));
}
