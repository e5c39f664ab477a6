//! `Play::after`: the last frame of one play is followed by the first of the next.

mod common;

use common::{assert_balanced, bits, mono, noise};
use voicepool::{
    Attenuation, Bus, BusId, Config, Cue, Ending, Event, Frame, Mixer, Play, Priority, Refusal,
    Renderer, Sound, Tag, VoiceId, VoiceState, WhenFull, WhenStolen, ms,
};

const RATE: u32 = 1000;

fn toy() -> Config {
    Config {
        voices: 4,
        max_voices: 4,
        parked: 4,
        scheduled: 64,
        sample_rate: RATE,
        ..Config::DEFAULT
    }
}

fn open(config: Config) -> (Mixer, Renderer) {
    Mixer::offline(config).expect("a good config")
}

/// So many frames of a level.
fn flat(level: f32, frames: usize) -> Sound {
    mono(RATE, &vec![level; frames])
}

fn left(frames: &[Frame]) -> Vec<f32> {
    frames.iter().map(|frame| frame[0]).collect()
}

/// How each play ended, by its tag: when and how, in the order of the tags.
fn ended(mixer: &Mixer) -> Vec<(u64, u64, Ending)> {
    let ended = |event| match event {
        Event::Ended { tag, at, why, .. } => Some((tag, at, why)),
        _ => None,
    };
    let mut all: Vec<_> = mixer.events().filter_map(ended).collect();
    all.sort_by_key(|(tag, ..)| *tag);
    all
}

/// Which plays began after a wait, and when.
fn started(mixer: &Mixer) -> Vec<(u64, u64)> {
    let started = |event| match event {
        Event::Started { tag, at, .. } => Some((tag, at)),
        _ => None,
    };
    mixer.events().filter_map(started).collect()
}

/// The slot of each play that has one, by its tag.
fn slots(mixer: &Mixer, renderer: &mut Renderer) -> Vec<(u64, Option<usize>)> {
    mixer.voices();
    renderer.frames(128);
    let mut rows: Vec<_> = mixer.voices().iter().map(|row| (row.tag, row.slot)).collect();
    rows.sort_unstable();
    rows
}

#[test]
fn a_loop_begins_on_the_frame_on_which_its_intro_ends() {
    let (mixer, mut renderer) = open(toy());
    let intro = mixer.play(Play::of(flat(0.1, 300)).tag(1));
    mixer.play(Play::of(mono(RATE, &[0.2, 0.3])).looping().after(intro).tag(2));
    let heard = left(&renderer.frames(600));
    assert!(heard[..300].iter().all(|sample| *sample == 0.1));
    assert!(heard[300..].chunks(2).all(|pair| pair == [0.2, 0.3]));
    let mut events = mixer.events();
    assert!(matches!(
        events.next(),
        Some(Event::Ended { tag: 1, at: 300, why: Ending::Finished, .. })
    ));
    assert!(matches!(events.next(), Some(Event::Started { tag: 2, at: 300, .. })));
    assert!(events.next().is_none());
}

#[test]
fn a_chain_sounds_as_one_clip_whatever_its_pieces() {
    for pieces in [[1; 40], [3; 40], [128; 40], [127; 40], [129; 40], [37; 40]] {
        let whole = noise(5, pieces.iter().sum());
        let (mixer, mut renderer) = open(toy());
        let (mut last, mut at) = (None, 0);
        for piece in pieces {
            last = mixer.play(Play::of(mono(RATE, &whole[at..at + piece])).after(last));
            at += piece;
        }
        let heard = left(&renderer.frames(whole.len() + 10));
        assert!(heard[..whole.len()] == whole, "{} frames each", pieces[0]);
        assert!(heard[whole.len()..].iter().all(|sample| *sample == 0.0));
        assert_eq!((mixer.stats().finished, mixer.stats().most_playing), (40, 1));
    }
}

#[test]
fn it_begins_on_the_first_frame_that_the_other_did_not_fill_at_any_speed() {
    // At 1.5, ten frames fill seven of the clock; at a third, thirty.
    for (speed, fills) in [(1.5, 7), (1.0 / 3.0, 30), (2.0, 5), (10.0, 1), (100.0, 1)] {
        let (mixer, mut renderer) = open(toy());
        let first = mixer.play(Play::of(flat(0.1, 10)).speed(speed).start_at(50).tag(1));
        mixer.play(Play::of(flat(0.2, 5)).after(first).tag(2));
        renderer.frames(256);
        assert_eq!(started(&mixer), [(1, 50), (2, 50 + fills)], "at {speed}");
    }
}

#[test]
fn a_speed_on_its_way_is_foreseen_to_the_frame() {
    for (to, over) in [(3.0, 400), (0.4, 1000), (1.0, 37), (7.7, 300), (1.0, 300)] {
        let (mixer, mut renderer) = open(toy());
        let first = mixer.play(Play::of(flat(0.1, 700)).speed(1.3).tag(1));
        mixer.play(Play::of(flat(0.2, 5)).after(first).tag(2));
        renderer.frames(70);
        mixer.set_speed(first, to, ms(over));
        let heard = left(&renderer.frames(3000));
        let (end, start) = (ended(&mixer)[0].1, heard.iter().position(|it| *it == 0.2));
        assert_eq!(start.map(|at| at as u64 + 70), Some(end), "to {to} over {over}");
        assert!(heard[..start.unwrap()].iter().all(|sample| *sample != 0.0), "no gap");
    }
}

#[test]
fn it_has_the_very_slot_of_the_other_and_robs_nobody_in_a_full_pool() {
    let (mixer, mut renderer) = open(toy());
    let hum = Play::of(flat(0.1, 10)).looping().priority(Priority::High);
    let first = [1, 2, 3].map(|tag| mixer.play(hum.clone().tag(tag)))[1];
    let intro = mixer.play(Play::of(flat(0.5, 500)).priority(Priority::High).tag(4));
    let (low, tag) = (Priority::Low, 5);
    mixer.play(Play::of(flat(0.01, 10)).looping().after(intro).priority(low).tag(tag));
    assert!(mixer.is_live(first));
    assert_eq!(
        slots(&mixer, &mut renderer),
        [(1, Some(0)), (2, Some(1)), (3, Some(2)), (4, Some(3)), (5, None)]
    );
    renderer.frames(512);
    assert_eq!(
        slots(&mixer, &mut renderer),
        [(1, Some(0)), (2, Some(1)), (3, Some(2)), (5, Some(3))]
    );
    assert_eq!((mixer.stats().full, mixer.stats().stolen), (0, 0));
}

#[test]
fn a_pool_that_shrinks_does_not_cut_a_protected_chain() {
    let (mixer, mut renderer) = open(Config { parked: 1, ..toy() });
    let music = |level, frames| Play::of(flat(level, frames)).priority(Priority::Protected);
    let intros = [1, 2, 3].map(|tag| mixer.play(music(0.1, 300).tag(tag)));
    for (tag, intro) in (11..).zip(intros) {
        mixer.play(music(0.2, 10).looping().when_stolen(WhenStolen::End).after(intro).tag(tag));
    }
    // Of a cue that is full of the first.
    let lines = Cue::of([music(0.1, 300)]).expect("it has a variant").at_most(1);
    let line = mixer.play(Play::of(&lines).tag(4));
    mixer.play(Play::of(&lines).looping().when_stolen(WhenStolen::End).after(line).tag(14));
    renderer.frames(128);
    mixer.resize(1).expect("one is enough");
    renderer.frames(512);
    assert_eq!((mixer.stats().playing, mixer.stats().refused), (4, 0));
}

#[test]
fn several_may_follow_one_and_the_first_has_its_slot() {
    let (mixer, mut renderer) = open(Config { voices: 2, max_voices: 2, ..toy() });
    let intro = mixer.play(Play::of(flat(0.1, 200)).tag(1));
    let follow = |tag, priority: Priority| {
        mixer.play(Play::of(flat(0.2, 1000)).after(intro).tag(tag).priority(priority))
    };
    follow(2, Priority::High);
    follow(3, Priority::High);
    follow(4, Priority::Low);
    renderer.frames(512);
    let refused = Ending::Refused { why: Refusal::PoolFull };
    assert_eq!(ended(&mixer), [(1, 200, Ending::Finished), (4, 200, refused)]);
    assert_eq!(slots(&mixer, &mut renderer), [(2, Some(0)), (3, Some(1))]);
    assert_eq!(mixer.stats().full, 1);
}

#[test]
fn any_other_end_of_the_first_ends_the_whole_chain() {
    let stopped = |mixer: &Mixer, voice: VoiceId| mixer.stop(voice, ms(300));
    let all = |mixer: &Mixer, _| mixer.stop_all(ms(300));
    let bus = |mixer: &Mixer, _| mixer.stop(BusId::new(1), ms(300));
    let tag = |mixer: &Mixer, _| mixer.stop(Tag(1), ms(300));
    let crossed = |mixer: &Mixer, voice: VoiceId| _ = mixer.crossfade(voice, flat(0.1, 9), ms(300));
    let robbed = |mixer: &Mixer, _| {
        (0..4).for_each(|_| _ = mixer.play(Play::of(flat(0.9, 900)).priority(Priority::High)));
    };
    type Way<'a> = &'a dyn Fn(&Mixer, VoiceId);
    let ways: [Way; 6] = [&stopped, &all, &bus, &tag, &crossed, &robbed];
    for (way, end) in ways.into_iter().enumerate() {
        let (mixer, mut renderer) = open(toy());
        let first = mixer.play(Play::of(flat(0.1, 300)).tag(1).bus(BusId::new(1))).unwrap();
        let mut last = first;
        for tag in 2..12 {
            last = mixer.play(Play::of(flat(0.2, 300)).after(last).tag(tag)).unwrap();
        }
        renderer.frames(128);
        end(&mixer, first);
        let heard = left(&renderer.frames(2000));
        assert!(heard.iter().all(|sample| *sample != 0.2), "way {way}: none of the rest is heard");
        let rest: Vec<_> = ended(&mixer).into_iter().filter(|it| (2..12).contains(&it.0)).collect();
        assert!(
            rest.iter().all(|it| (it.1, it.2) == (256, Ending::Stopped)),
            "way {way}: {rest:?}"
        );
        assert_eq!(rest.len(), 10, "way {way}");
        assert_balanced(&mixer.stats());
    }
}

#[test]
fn who_fades_out_and_comes_to_its_end_in_the_fade_is_followed_by_nobody() {
    let (mixer, mut renderer) = open(toy());
    let first = mixer.play(Play::of(flat(0.1, 500)).tag(1));
    mixer.play(Play::of(flat(0.2, 300)).after(first).tag(2));
    renderer.frames(128);
    mixer.stop(first, ms(1000));
    renderer.frames(128);
    mixer.play(Play::of(flat(0.2, 300)).after(first).tag(3));
    renderer.frames(1000);
    let stopped = Ending::Stopped;
    assert_eq!(ended(&mixer), [(1, 500, Ending::Finished), (2, 256, stopped), (3, 384, stopped)]);
}

#[test]
fn a_refused_leader_takes_its_followers_along() {
    let config = Config { voices: 1, max_voices: 1, when_full: WhenFull::Refuse, ..toy() };
    let (mixer, mut renderer) = open(config);
    mixer.play(Play::of(flat(0.1, 10)).looping().tag(1));
    let refused = mixer.play(Play::of(flat(0.1, 10)).tag(2));
    mixer.play(Play::of(flat(0.1, 10)).after(refused).tag(3));
    let later = mixer.play(Play::of(flat(0.1, 10)).start_at(300).tag(4));
    let follower = mixer.play(Play::of(flat(0.1, 10)).after(later).tag(5));
    mixer.play(Play::of(flat(0.1, 10)).after(follower).tag(6));
    renderer.frames(512);
    let (why, stopped) = (Ending::Refused { why: Refusal::PoolFull }, Ending::Stopped);
    assert_eq!(
        ended(&mixer),
        [(2, 0, why), (3, 0, stopped), (4, 300, why), (5, 300, stopped), (6, 300, stopped)]
    );
}

#[test]
fn after_one_that_has_finished_it_begins_at_once() {
    let (mixer, mut renderer) = open(toy());
    // It is over on the line on which both come.
    let over = mixer.play(Play::of(flat(0.1, 10)).from_position(ms(10)).tag(1));
    mixer.play(Play::of(flat(0.2, 10)).after(over).tag(2));
    renderer.frames(128);
    mixer.play(Play::of(flat(0.3, 10)).after(over).tag(3));
    renderer.frames(512);
    let finished = Ending::Finished;
    let events: Vec<_> = mixer.events().collect();
    assert!(events.iter().all(|it| matches!(it, Event::Ended { .. })), "nobody had to wait");
    let ended = events.iter().map(|event| match event {
        Event::Ended { tag, at, why, .. } => (*tag, *at, *why),
        _ => unreachable!("it was seen to"),
    });
    assert_eq!(
        ended.collect::<Vec<_>>(),
        [(1, 0, finished), (2, 10, finished), (3, 266, finished)]
    );
}

/// The command comes with the line on whose frame the leader finishes, or after it, or before: that it is
/// followed gaplessly depends on nothing else.
#[test]
fn it_is_followed_whenever_that_is_said() {
    for frames in [100, 256, 300, 384, 385] {
        for said_at in [0, 1, 128] {
            let (mixer, mut renderer) = open(toy());
            let first = mixer.play(Play::of(flat(0.1, frames)));
            renderer.frames(said_at);
            mixer.play(Play::of(flat(0.2, 10)).after(first).tag(2));
            let heard = left(&renderer.frames(1000));
            // What is said after frame 0 acts from the second line on.
            let acts = if said_at == 0 { 0 } else { 256 };
            let at = frames.max(acts);
            assert_eq!(
                heard.iter().position(|it| *it == 0.2),
                Some(at - said_at),
                "{frames}, {said_at}"
            );
        }
    }
}

#[test]
fn after_one_that_was_stopped_it_is_stopped_however_long_ago() {
    let (mixer, mut renderer) = open(toy());
    let first = mixer.play(Play::of(flat(0.1, 1000)).tag(1));
    renderer.frames(128);
    mixer.stop(first, ms(0));
    mixer.play(Play::of(flat(0.2, 10)).after(first).tag(2));
    renderer.frames(512);
    mixer.play(Play::of(flat(0.2, 10)).after(first).tag(3));
    renderer.frames(512);
    let all = ended(&mixer);
    assert!(all.iter().all(|it| it.2 == Ending::Stopped) && all.len() == 3, "{all:?}");
}

#[test]
fn after_none_it_begins_at_once_and_after_a_stranger_it_is_refused() {
    let (mixer, mut renderer) = open(toy());
    let (other, _other_renderer) = open(toy());
    let stranger = other.play(Play::of(flat(0.1, 10)));
    mixer.play(Play::of(flat(0.2, 10)).after(None).tag(1));
    mixer.play(Play::of(flat(0.2, 10)).after(stranger).tag(2));
    mixer.play(Play::of(flat(0.2, 10)).after(VoiceId::from_bits(0)).tag(3));
    renderer.frames(128);
    let refused = Ending::Refused { why: Refusal::Stranger };
    assert_eq!(ended(&mixer), [(1, 10, Ending::Finished), (2, 0, refused), (3, 0, refused)]);
    assert_balanced(&mixer.stats());
}

#[test]
fn of_start_at_delay_and_after_the_one_said_last_counts() {
    let (mixer, mut renderer) = open(toy());
    let first = mixer.play(Play::of(flat(0.1, 200)));
    let blip = || Play::of(flat(0.1, 10));
    mixer.play(blip().start_at(300).delay(ms(310)).after(first).tag(2));
    mixer.play(blip().after(first).start_at(320).tag(3));
    mixer.play(blip().after(first).delay(ms(330)).tag(4));
    mixer.play(blip().after(first).after(None).tag(5));
    renderer.frames(512);
    assert_eq!(started(&mixer), [(2, 200), (3, 320), (4, 330)]);
}

#[test]
fn a_loop_finishes_after_end_loop_and_a_paused_one_is_waited_for() {
    let (mixer, mut renderer) = open(toy());
    let first = mixer.play(Play::of(flat(0.1, 100)).looping());
    mixer.play(Play::of(flat(0.2, 10)).after(first).tag(2));
    renderer.frames(1000);
    mixer.end_loop(first);
    mixer.pause(first, ms(0));
    renderer.frames(1000);
    assert_eq!((started(&mixer), mixer.stats().scheduled), (vec![], 1));
    mixer.resume(first, ms(0));
    renderer.frames(1000);
    assert_eq!(started(&mixer).len(), 1);
}

#[test]
fn a_bus_that_is_paused_slowly_holds_the_end_of_the_first_up() {
    const BUS: BusId = BusId::new(1);
    for fade in [0, 60, 90, 300] {
        let (mixer, mut renderer) = open(toy());
        let first = mixer.play(Play::of(flat(0.1, 350)).bus(BUS));
        mixer.play(Play::of(flat(0.2, 10)).after(first).tag(2));
        renderer.frames(128);
        mixer.pause(BUS, ms(fade));
        renderer.frames(1000);
        let ends_before = 256 + fade >= 350;
        assert_eq!(started(&mixer), if ends_before { vec![(2, 350)] } else { vec![] }, "{fade}");
        mixer.resume(BUS, ms(0));
        renderer.frames(1000);
        assert_eq!(started(&mixer).len(), usize::from(!ends_before), "{fade}");
    }
}

#[test]
fn a_seek_past_the_end_of_the_first_lets_the_next_begin_there() {
    let (mixer, mut renderer) = open(toy());
    let first = mixer.play(Play::of(flat(0.1, 1000)).tag(1));
    let second = mixer.play(Play::of(flat(0.2, 1000)).after(first).tag(2));
    mixer.play(Play::of(flat(0.3, 10)).after(second).tag(3));
    renderer.frames(128);
    mixer.seek(first, ms(2000));
    mixer.seek(second, ms(2000));
    renderer.frames(512);
    assert_eq!(started(&mixer), [(2, 256), (3, 256)]);
    let finished = Ending::Finished;
    let (mixer, mut renderer) = open(toy());
    // Over as soon as they begin, with a loop at the end.
    let mut last = mixer.play(Play::of(flat(0.1, 300)).tag(1));
    for tag in 2..20 {
        last = mixer.play(Play::of(flat(0.1, 10)).from_position(ms(10)).after(last).tag(tag));
    }
    mixer.play(Play::of(flat(0.2, 10)).looping().after(last).tag(20));
    renderer.frames(512);
    assert_eq!(ended(&mixer), (1..20).map(|tag| (tag, 300, finished)).collect::<Vec<_>>());
    assert_eq!(mixer.stats().playing, 1);
}

#[test]
fn a_parked_one_that_finishes_in_silence_is_followed_by_a_newcomer() {
    let config = Config { voices: 1, max_voices: 1, ..toy() };
    let (mixer, mut renderer) = open(config);
    let quiet = Play::of(flat(0.01, 500)).when_stolen(WhenStolen::Park).tag(1);
    let first = mixer.play(quiet);
    mixer.play(Play::of(flat(0.2, 10)).after(first).tag(2));
    mixer.play(Play::of(flat(0.5, 450)).start_at(100).tag(3));
    let heard = left(&renderer.frames(1000));
    // It robs the one that had robbed the first.
    assert_eq!(started(&mixer), [(3, 100), (2, 500)]);
    assert_eq!((heard[499], heard[505] > 0.2, heard[509]), (0.5, false, 0.2));
    assert_eq!(mixer.stats().stolen, 1);
}

#[test]
fn until_it_begins_it_is_a_request_that_waits() {
    let (mixer, mut renderer) = open(toy());
    let first = mixer.play(Play::of(flat(0.1, 300)));
    let waits = |level| mixer.play(Play::of(flat(level, 400)).after(first).tag(2));
    let [stopped, changed, paused] = [0.2, 0.25, 0.125].map(waits);
    renderer.frames(128);
    assert_eq!(mixer.stats().scheduled, 3);
    mixer.stop(stopped, ms(500));
    mixer.set_gain(changed, 2.0, ms(500));
    mixer.seek(changed, ms(300));
    mixer.pause(paused, ms(500));
    mixer.voices();
    renderer.frames(128);
    let state = |row: &voicepool::VoiceInfo| row.state == VoiceState::Scheduled;
    assert_eq!(mixer.voices().iter().filter(|row| state(row)).count(), 2);
    let heard = left(&renderer.frames(256));
    assert_eq!(ended(&mixer).iter().filter(|it| it.2 == Ending::Stopped).count(), 1);
    assert_eq!(
        (heard[43], heard[49], heard[143], heard[145]),
        (0.1, 0.5, 0.5, 0.0),
        "it plays from 300 ms on"
    );
    assert_eq!((mixer.stats().playing, mixer.stats().scheduled), (1, 0), "paused, with a voice");
    mixer.resume(paused, ms(0));
    assert!(left(&renderer.frames(512)).contains(&0.125));
}

#[test]
fn it_fades_in_and_has_a_place_as_any_play_does() {
    let (mixer, mut renderer) = open(toy());
    let first = mixer.play(Play::of(flat(0.1, 200)));
    let second = mixer.play(Play::of(flat(0.5, 100)).after(first).fade_in(ms(50)));
    let near = Attenuation { far: 20.0, ..Attenuation::DEFAULT };
    let third = mixer.play(Play::of(flat(0.5, 100)).after(second).at([1.0, 0.0]).attenuation(near));
    mixer.play(Play::of(flat(0.5, 100)).after(third).at([99.0, 0.0]).attenuation(near).tag(4));
    let frames = renderer.frames(600);
    assert_eq!((frames[200], frames[225], frames[250]), ([0.0; 2], [0.25; 2], [0.5; 2]));
    assert_eq!(frames[299], [0.5; 2]);
    assert_eq!((frames[300][0], frames[300][1] > 0.7), (0.0, true), "hard to the right");
    assert!(frames[400..].iter().all(|frame| *frame == [0.0; 2]), "out of earshot");
    assert_eq!(ended(&mixer).last().map(|it| it.1), Some(500), "where it keeps its time");
}

#[test]
fn limits_of_another_bus_are_asked_and_those_of_its_own_are_not() {
    const OWN: BusId = BusId::new(1);
    const OTHER: BusId = BusId::new(2);
    let (mixer, mut renderer) = open(toy());
    let one = Bus { max_voices: Some(1), when_full: Some(WhenFull::Refuse), ..Bus::DEFAULT };
    [OWN, OTHER].iter().for_each(|bus| mixer.set_bus(*bus, one).expect("no circle"));
    mixer.play(Play::of(flat(0.1, 1000)).bus(OTHER).tag(1));
    let first = mixer.play(Play::of(flat(0.1, 200)).bus(OWN).tag(2));
    let second = mixer.play(Play::of(flat(0.1, 100)).bus(OWN).after(first).tag(3));
    mixer.play(Play::of(flat(0.1, 10)).bus(OTHER).after(second).tag(4));
    renderer.frames(512);
    let (finished, full) = (Ending::Finished, Ending::Refused { why: Refusal::BusFull });
    assert_eq!(ended(&mixer), [(2, 200, finished), (3, 300, finished), (4, 300, full)]);
}

#[test]
fn a_reserve_is_not_handed_on_to_another_bus() {
    const SPEECH: BusId = BusId::new(1);
    let config = Config { voices: 2, max_voices: 2, when_full: WhenFull::Refuse, ..toy() };
    let (mixer, mut renderer) = open(config);
    mixer.set_bus(SPEECH, Bus { reserved: 1, ..Bus::DEFAULT }).expect("they fit");
    mixer.play(Play::of(flat(0.1, 1000)).tag(1));
    let speech = mixer.play(Play::of(flat(0.1, 200)).bus(SPEECH).tag(2));
    mixer.play(Play::of(flat(0.1, 200)).after(speech).tag(3));
    renderer.frames(512);
    let full = Ending::Refused { why: Refusal::PoolFull };
    assert_eq!(ended(&mixer), [(2, 200, Ending::Finished), (3, 200, full)]);
}

#[test]
fn a_cue_is_asked_with_the_first_counted_as_gone() {
    let (mixer, mut renderer) = open(toy());
    let cue = |frames| Cue::of([flat(0.1, frames)]).expect("it has a variant");
    let lines = cue(200).at_most(1).when_full(WhenFull::Refuse);
    let first = mixer.play(Play::of(&lines).tag(1));
    let second = mixer.play(Play::of(&lines).after(first).tag(2));
    let shots = cue(100).cooldown(ms(150));
    let third = mixer.play(Play::of(&shots).after(second).tag(3));
    mixer.play(Play::of(&shots).after(third).tag(4));
    renderer.frames(1000);
    let (finished, cools) = (Ending::Finished, Ending::Refused { why: Refusal::Cooldown });
    let all = [(1, 200, finished), (2, 400, finished), (3, 500, finished), (4, 500, cools)];
    assert_eq!(ended(&mixer), all);
}

#[test]
fn more_than_can_wait_are_refused() {
    let (mixer, mut renderer) = open(Config { scheduled: 2, ..toy() });
    let first = mixer.play(Play::of(flat(0.1, 900)).tag(1));
    (2..5).for_each(|tag| _ = mixer.play(Play::of(flat(0.1, 10)).after(first).tag(tag)));
    renderer.frames(128);
    assert_eq!(ended(&mixer), [(4, 0, Ending::Refused { why: Refusal::ScheduleFull })]);
}

#[test]
fn a_variant_that_follows_and_a_play_that_does_are_alike() {
    let (mixer, mut renderer) = open(toy());
    let first = mixer.play(Play::of(flat(0.1, 200)));
    let cue = Cue::of([Play::of(flat(0.2, 10)).after(first)]).expect("it has a variant");
    mixer.play(Play::of(&cue).tag(2));
    mixer.play(Play::of(&cue).start_at(300).tag(3));
    renderer.frames(512);
    assert_eq!(started(&mixer), [(2, 200), (3, 300)]);
}

#[test]
fn a_chain_through_filters_rings_on_as_it_would_alone() {
    let heard = |chained: bool| {
        let (mixer, mut renderer) = open(Config { sample_rate: 48_000, ..toy() });
        let clip = mono(48_000, &noise(1, 300));
        let first = mixer.play(Play::of(&clip).low_pass(400.0));
        if chained {
            mixer.play(Play::of(mono(48_000, &[0.0; 100])).after(first));
        }
        bits(&renderer.frames(1000))
    };
    assert_eq!(heard(true), heard(false));
}
