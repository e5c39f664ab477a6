//! Plays with a place begin once all commands of their line are known. Nothing else about them is different.

mod common;

use common::{mono, noise};
use voicepool::{
    Config, Ending, Event, Frame, Mixer, Play, Priority, Renderer, VoiceId, WhenStolen, ms, secs,
};

const RATE: u32 = 1000;

fn open(voices: usize, parked: usize) -> (Mixer, Renderer) {
    let config = Config { voices, parked, sample_rate: RATE, ..Config::default() };
    Mixer::offline(config).unwrap()
}

/// What is heard of a play to which something is said on the line on which it begins.
fn heard(with_place: bool, say: impl Fn(&Mixer, VoiceId)) -> Vec<Frame> {
    let (mixer, mut renderer) = open(2, 4);
    let mut play = Play::of(mono(RATE, &noise(1, 900))).gain(0.2);
    if with_place {
        // Where the listener is, so that it is heard as it is.
        play = play.at([0.0, 0.0]);
    }
    let voice = mixer.play(play).unwrap();
    say(&mixer, voice);
    renderer.frames(1500)
}

#[test]
fn what_is_said_on_its_first_line_takes_its_time_with_a_place_and_without() {
    type Say = fn(&Mixer, VoiceId);
    let all: [(&str, Say); 6] = [
        ("a speed", |mixer, voice| mixer.set_speed(voice, 2.0, ms(300))),
        ("a gain", |mixer, voice| mixer.set_gain(voice, 1.0, ms(300))),
        ("a place in the sound", |mixer, voice| mixer.seek(voice, ms(100))),
        ("a pause and a slow end of it", |mixer, voice| {
            mixer.pause(voice, ms(0));
            mixer.resume(voice, ms(300));
        }),
        ("a pause", |mixer, voice| mixer.pause(voice, ms(300))),
        ("slow motion", |mixer, _| mixer.set_speed(voicepool::BusId::MASTER, 0.5, ms(300))),
    ];
    for (what, say) in all {
        assert_eq!(heard(true, say), heard(false, say), "{what}");
    }
}

/// Who wait for the end of a line take no room from those who park.
#[test]
fn plays_of_one_line_begin_in_the_order_in_which_they_came() {
    for parked in [1, 2, 8] {
        let (mixer, mut renderer) = open(1, parked);
        let noise = mono(RATE, &noise(2, 400));
        let ends = Play::of(&noise).at([0.0, 0.0]).when_stolen(WhenStolen::End);
        let plays: Vec<VoiceId> = (0..5).filter_map(|_| mixer.play(&ends)).collect();
        renderer.frames(1000);
        let ended: Vec<(VoiceId, bool)> = mixer
            .events()
            .filter_map(|event| match event {
                Event::Ended { voice, why, .. } => Some((voice, why == Ending::Finished)),
                _ => None,
            })
            .collect();
        // Each robs the one before it, and the last is heard to its end.
        let expected: Vec<_> = plays.iter().map(|voice| (*voice, *voice == plays[4])).collect();
        assert_eq!(ended, expected, "with room for {parked}");
    }
}

#[test]
fn a_shrinking_pool_finds_the_parking_as_empty_as_it_is() {
    let (mixer, mut renderer) = open(2, 1);
    let noise = mono(RATE, &noise(3, 400));
    let torch = Play::of(&noise).at([0.0, 0.0]).looping();
    (0..2).for_each(|_| _ = mixer.play(torch.clone().priority(Priority::High)));
    renderer.frames(300);
    // It has come, and waits for the end of the line, when one of the two must go.
    let late = mixer.play(torch.priority(Priority::Low).fade_in(secs(0.1)));
    mixer.resize(1).unwrap();
    renderer.frames(300);
    let stats = mixer.stats();
    assert_eq!((stats.playing, stats.parked), (1, 1), "{stats:?}");
    assert!(!mixer.is_live(late), "for the newcomer there is no room left");
}
