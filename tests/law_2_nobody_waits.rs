//! Law 2, nobody waits: with the renderer stalled and the queue full the game goes on, plays say
//! that there was no room, and no control is lost.

#[path = "common/allocator.rs"]
mod allocator;
mod common;

use std::time::Duration;

use common::{assert_balanced, endings, mono};
use voicepool::{
    BusId, Config, Ending, Mixer, Play, Priority, Renderer, Sound, VoiceId, VoiceInfo, VoiceState,
    WhenFull, ms, secs,
};

const RATE: u32 = 1000;
const COMMANDS: usize = 4;
/// A bus that nobody plays on.
const IDLE: BusId = BusId::new(15);

fn small_queue(voices: usize) -> Config {
    Config {
        voices,
        max_voices: voices,
        parked: 4,
        scheduled: 4,
        commands: COMMANDS,
        sample_rate: RATE,
        ..Config::default()
    }
}

/// A second of a steady 0.1.
fn hum() -> Sound {
    mono(RATE, &[0.1; 1000])
}

/// Starts plays, a few at a time, so that all of them are heard by the renderer.
fn start<const N: usize>(
    mixer: &Mixer,
    renderer: &mut Renderer,
    plays: [Play; N],
) -> [Option<VoiceId>; N] {
    plays.map(|play| {
        let voice = mixer.play(play);
        assert!(voice.is_some(), "room in the queue");
        renderer.frames(128);
        voice
    })
}

/// Leaves no room in the queue.
fn fill_queue(mixer: &Mixer) {
    (0..COMMANDS).for_each(|_| mixer.set_gain(IDLE, 1.0, ms(0)));
    assert_eq!(mixer.play(hum()), None);
}

/// The renderer runs again, and the mixer is touched now and then, until all has arrived.
fn catch_up(mixer: &Mixer, renderer: &mut Renderer, quanta: usize) {
    for _ in 0..quanta {
        renderer.frames(128);
        assert_balanced(&mixer.stats());
    }
}

/// A picture drawn now.
fn look(mixer: &Mixer, renderer: &mut Renderer) -> Vec<VoiceInfo> {
    mixer.voices();
    renderer.frames(128);
    mixer.voices();
    renderer.frames(128);
    mixer.voices()
}

fn row(rows: &[VoiceInfo], voice: Option<VoiceId>) -> &VoiceInfo {
    rows.iter().find(|row| Some(row.voice) == voice).expect("it is live")
}

/// A play that finds the queue full is turned away, says so, and is counted, until there is room.
#[test]
fn a_full_queue_turns_plays_away_and_says_so() {
    let (mixer, mut renderer) = Mixer::offline(small_queue(8)).unwrap();
    let hum = hum();
    let accepted: Vec<_> = (0..10).map(|_| mixer.play(&hum).is_some()).collect();
    assert_eq!(accepted, [[true; COMMANDS].as_slice(), &[false; 10 - COMMANDS]].concat());
    let stats = mixer.stats();
    assert_eq!((stats.accepted, stats.live, stats.turned_away), (4, 4, 6));
    renderer.frames(1);
    assert!(mixer.play(&hum).is_some());
    renderer.frames(128);
    let stats = mixer.stats();
    assert_eq!((stats.accepted, stats.playing, stats.turned_away), (5, 5, 6));
}

/// A resize that finds the queue full waits, as every other control does, and the latest counts.
#[test]
fn a_resize_waits_for_room_in_the_queue() {
    let (mixer, mut renderer) = Mixer::offline(small_queue(8)).unwrap();
    fill_queue(&mixer);
    for voices in [5, 1, 3] {
        mixer.resize(voices).expect("it waits");
    }
    assert_eq!(mixer.stats().voices, 8, "nothing has been heard yet");
    catch_up(&mixer, &mut renderer, 3);
    assert_eq!(mixer.stats().voices, 3);
    fill_queue(&mixer);
    for voices in [6, 3] {
        mixer.resize(voices).expect("it waits, and then there is nothing to do");
    }
    catch_up(&mixer, &mut renderer, 3);
    assert_eq!(mixer.stats().voices, 3);
}

/// A pool that shrinks waits for those who are protected, and the next resize for that pool.
/// Meanwhile plays go on.
#[test]
fn a_resize_waits_for_the_one_before_it() {
    let (mixer, mut renderer) = Mixer::offline(small_queue(4)).unwrap();
    let music = Play::of(hum()).looping().priority(Priority::Protected);
    let [one, two] = start(&mixer, &mut renderer, [music.clone(), music]);
    mixer.resize(1).expect("it fits");
    renderer.frames(128);
    for voices in [2, 4, 3] {
        mixer.resize(voices).expect("it waits");
        catch_up(&mixer, &mut renderer, 2);
        assert_eq!(mixer.stats().voices, 1, "the first one is still under way");
    }
    assert!(mixer.play(hum()).is_some(), "a play waits for no resize");
    catch_up(&mixer, &mut renderer, 2);
    mixer.stop(one, ms(0));
    catch_up(&mixer, &mut renderer, 3);
    assert_eq!(mixer.stats().voices, 3, "the latest");
    assert!(mixer.is_live(two));
}

/// What can never be is an error, at once, and leaves what waits as it is.
#[test]
fn a_resize_that_can_never_be_is_an_error() {
    let (mixer, mut renderer) = Mixer::offline(small_queue(8)).unwrap();
    fill_queue(&mixer);
    mixer.resize(3).expect("it waits");
    let error = |voices| mixer.resize(voices).unwrap_err().to_string();
    assert_eq!(error(0), "resize to 0 voices: it must be at least 1");
    assert_eq!(error(9), "resize to 9 voices: Config::max_voices is 8");
    catch_up(&mixer, &mut renderer, 3);
    assert_eq!(mixer.stats().voices, 3);
    fill_queue(&mixer);
    mixer.resize(5).expect("it waits");
    drop(renderer);
    assert_eq!(error(4), "resize to 4 voices: the renderer is gone");
    assert_eq!(mixer.stats().voices, 3);
}

/// A play that makes the pool grow while a resize waits makes it grow from there, and takes its
/// place.
#[test]
fn a_pool_grows_from_the_resize_that_waits() {
    let config = Config { max_voices: 16, when_full: WhenFull::Grow, ..small_queue(4) };
    let (mixer, mut renderer) = Mixer::offline(config).unwrap();
    let music = Play::of(hum()).looping().priority(Priority::Protected);
    start(&mixer, &mut renderer, [music.clone(), music]);
    mixer.resize(1).expect("it fits");
    renderer.frames(128);
    mixer.resize(2).expect("it waits");
    let hum = Play::of(hum()).looping();
    for (voices, play) in [(4, hum.clone()), (4, hum.clone()), (8, hum)] {
        assert!(mixer.play(play).is_some());
        renderer.frames(128);
        assert_eq!(mixer.stats().voices, voices);
    }
    let stats = mixer.stats();
    assert_eq!((stats.live, stats.stolen, stats.parked, stats.playing), (5, 0, 0, 5));
    catch_up(&mixer, &mut renderer, 3);
    assert_eq!((mixer.stats().voices, mixer.stats().playing), (8, 5));
    mixer.stop_all(ms(0));
    catch_up(&mixer, &mut renderer, 11 * 8);
    assert_eq!(mixer.stats().voices, 2, "to which it shrinks back");
}

/// Every kind of control, to voices and to buses, is in force once the renderer runs again; of
/// each kind the latest counts.
#[test]
fn no_kind_of_control_is_lost_in_a_full_queue() {
    let (mixer, mut renderer) = Mixer::offline(small_queue(16)).unwrap();
    let hum = hum();
    let of = |bus| Play::of(&hum).looping().bus(BusId::new(bus));
    let voices = [0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0].map(of);
    let [pausing, resuming, gain, pan, speed, seek, stop, on_1, on_2, on_3, on_4, still] =
        start(&mixer, &mut renderer, voices);
    let [later, never] =
        start(&mixer, &mut renderer, [0, 0].map(|bus| of(bus).delay(secs(9.0)).gain(0.9)));
    mixer.pause(resuming, ms(0));
    mixer.pause(seek, ms(0));
    mixer.pause(BusId::new(4), ms(0));
    renderer.frames(256);

    fill_queue(&mixer);
    for again in [false, true] {
        let latest = |early: f32, late: f32| if again { late } else { early };
        mixer.resume(pausing, ms(0));
        mixer.pause(pausing, ms(0));
        mixer.pause(resuming, ms(0));
        mixer.resume(resuming, ms(0));
        mixer.set_gain(gain, latest(0.9, 0.25), ms(20));
        mixer.set_pan(pan, latest(1.0, -0.5), ms(20));
        mixer.set_speed(speed, latest(7.0, 2.0), ms(20));
        mixer.seek(seek, secs(latest(0.1, 0.7)));
        mixer.stop(stop, secs(latest(90.0, 0.02)));
        mixer.set_gain(BusId::new(1), latest(0.9, 0.5), ms(20));
        mixer.resume(BusId::new(2), ms(0));
        mixer.pause(BusId::new(2), ms(0));
        mixer.stop(BusId::new(3), ms(20));
        mixer.pause(BusId::new(4), ms(0));
        mixer.resume(BusId::new(4), ms(0));
        mixer.set_gain(later, latest(0.8, 0.3), ms(0));
        mixer.stop(never, ms(0));
    }
    assert_eq!(mixer.play(&hum), None, "what waits goes first");
    assert_eq!(mixer.stats().live, 14, "nothing has been heard yet");
    catch_up(&mixer, &mut renderer, 10);

    let mut stopped = endings(&mixer);
    stopped.sort_by_key(|(voice, _)| *voice);
    let mut expected = [stop, on_3, never].map(|voice| (voice.unwrap(), Ending::Stopped));
    expected.sort_by_key(|(voice, _)| *voice);
    assert_eq!(stopped, expected);
    let rows = look(&mixer, &mut renderer);
    let state = |voice| row(&rows, voice).state;
    assert_eq!([pausing, on_2].map(state), [VoiceState::Paused; 2]);
    assert_eq!([resuming, on_4, gain, on_1].map(state), [VoiceState::Playing; 4]);
    assert_eq!((row(&rows, gain).gain, row(&rows, pan).pan), (0.25, -0.5));
    assert_eq!((state(later), row(&rows, later).gain), (VoiceState::Scheduled, 0.3));
    assert_eq!((state(seek), row(&rows, seek).position), (VoiceState::Paused, ms(700)));
    // Each is at another place in its loop.
    assert!((row(&rows, on_1).level / row(&rows, still).level - 0.5).abs() < 1e-3);
    let after = look(&mixer, &mut renderer);
    let moved = |voice| {
        let way = row(&after, voice).position + secs(2.0) - row(&rows, voice).position;
        way.as_millis() % 1000
    };
    assert_eq!((moved(still), moved(speed)), (256, 512));
    assert!(mixer.play(&hum).is_some(), "there is room again");
}

/// However many controls wait, each arrives at its voice, and those given while others still
/// wait come after them.
#[test]
fn hundreds_of_waiting_controls_all_arrive() {
    let (mixer, mut renderer) = Mixer::offline(small_queue(64)).unwrap();
    let hum = hum();
    let voices: Vec<_> =
        (0..64).map(|_| start(&mixer, &mut renderer, [Play::of(&hum).looping()])[0]).collect();
    fill_queue(&mixer);
    let say = |round: f32| {
        for (n, voice) in (0..).zip(&voices) {
            mixer.set_gain(*voice, round + n as f32 / 100.0, ms(0));
            mixer.set_pan(*voice, n as f32 / 64.0, ms(0));
            mixer.set_speed(*voice, 2.0, ms(0));
            if n % 2 == 0 { mixer.pause(*voice, ms(0)) } else { mixer.resume(*voice, ms(0)) }
        }
    };
    say(0.0);
    catch_up(&mixer, &mut renderer, 20);
    say(1.0);
    catch_up(&mixer, &mut renderer, 100);
    let rows = look(&mixer, &mut renderer);
    for (n, voice) in (0..).zip(&voices) {
        let row = row(&rows, *voice);
        assert_eq!((row.gain, row.pan), (1.0 + n as f32 / 100.0, n as f32 / 64.0), "{n}");
        assert_eq!(row.state == VoiceState::Paused, n % 2 == 0, "{n}");
    }
    assert_eq!(mixer.stats().turned_away, 1, "only the play that showed that the queue was full");
}

/// A stop of a bus that had to wait still ends nothing that was played after it was given.
#[test]
fn a_stop_that_waited_ends_nothing_that_came_later() {
    let (mixer, mut renderer) = Mixer::offline(small_queue(8)).unwrap();
    let (hum, bus) = (hum(), BusId::new(1));
    let [before] = start(&mixer, &mut renderer, [Play::of(&hum).bus(bus)]);
    fill_queue(&mixer);
    mixer.stop(bus, ms(0));
    mixer.stop(BusId::MASTER, ms(0));
    renderer.frames(128);
    let after = mixer.play(Play::of(&hum).bus(bus));
    assert!(after.is_some(), "there is room again");
    renderer.frames(256);
    assert!(!mixer.is_live(before) && mixer.is_live(after));
}

/// `stop_all` overtakes a full queue: all that was accepted ends, whatever it is doing.
#[test]
fn stop_all_ends_everything_though_the_queue_is_full() {
    for fade in [ms(0), ms(300)] {
        let (mixer, mut renderer) = Mixer::offline(small_queue(3)).unwrap();
        let hum = hum();
        let of = |priority| Play::of(&hum).looping().priority(priority);
        let held = start(&mixer, &mut renderer, [of(Priority::High)])[0];
        start(&mixer, &mut renderer, [of(Priority::Protected), of(Priority::Low)]);
        start(&mixer, &mut renderer, [of(Priority::Normal), of(Priority::Low)]);
        start(&mixer, &mut renderer, [of(Priority::High).delay(secs(0.6))]);
        mixer.pause(held, ms(0));
        renderer.frames(128);
        let stats = mixer.stats();
        assert_eq!((stats.playing, stats.parked, stats.scheduled), (3, 2, 1));
        let queued = [(); COMMANDS].map(|()| mixer.play(of(Priority::Protected)));
        assert!(queued.iter().all(Option::is_some) && mixer.play(&hum).is_none());
        mixer.stop_all(fade);
        assert_eq!(mixer.play(&hum), None);
        assert_eq!(mixer.stats().live, 6 + COMMANDS, "it has yet to be heard");
        let heard = renderer.frames(128 + 300);
        assert!(heard[..128].iter().any(|frame| *frame != [0.0; 2]), "it fades");
        let stats = mixer.stats();
        assert_eq!((stats.live, stats.stopped), (0, 6 + COMMANDS as u64), "fade {fade:?}");
        assert!(endings(&mixer).iter().all(|(_, why)| *why == Ending::Stopped));
        assert!(renderer.frames(2000).iter().all(|frame| *frame == [0.0; 2]));
        assert!(mixer.play(&hum).is_some(), "it was for those before it only");
    }
}

/// What is played after a `stop_all` goes on, though the renderer hears of both at once; of two
/// orders in a row the later says how far, and the shorter fade counts.
#[test]
fn stop_all_ends_nothing_that_was_played_after_it() {
    let (mixer, mut renderer) = Mixer::offline(Config { commands: 64, ..small_queue(16) }).unwrap();
    let hum = hum();
    let looping = Play::of(&hum).looping();
    for round in 0..5 {
        let playing = mixer.play(&looping);
        renderer.frames(128);
        let early = [mixer.play(&looping), mixer.play(looping.clone().delay(ms(50)))];
        mixer.stop_all(ms(0));
        let middle = [mixer.play(&looping), mixer.play(looping.clone().delay(ms(50)))];
        if round % 2 == 0 {
            mixer.stop_all(Duration::MAX);
        }
        let late = [mixer.play(&looping), mixer.play(looping.clone().delay(ms(50)))];
        renderer.frames(256);
        let live = |voice| mixer.is_live(voice);
        assert_eq!((live(playing), early.map(live)), (false, [false; 2]));
        assert_eq!(middle.map(live), [round % 2 == 1; 2]);
        assert_eq!(late.map(live), [true; 2]);
        mixer.stop_all(ms(0));
        renderer.frames(128);
        assert_eq!(mixer.stats().live, 0);
    }
}

/// The game never waits and never piles anything up while the renderer is stalled.
#[test]
fn a_hundred_thousand_plays_against_a_stalled_renderer_take_no_memory() {
    let (mixer, mut renderer) = Mixer::offline(small_queue(8)).unwrap();
    let hum = hum();
    let [voice] = start(&mixer, &mut renderer, [Play::of(&hum).looping()]);
    let rest: Vec<_> = (0..COMMANDS).map(|_| mixer.play(&hum)).collect();
    mixer.set_gain(voice, 0.5, ms(0));
    let ((), most, _) = allocator::counted(|| {
        for n in 0..100_000 {
            assert_eq!(mixer.play(&hum), None);
            mixer.set_gain(rest[n % COMMANDS], 0.5, ms(0));
            mixer.pause(BusId::new((n % 16) as u8), ms(0));
            if n % 100 == 0 {
                mixer.stop_all(ms(0));
                mixer.seek(voice, ms(5));
            }
        }
    });
    // One place each for eight plays and sixteen buses to wait in, and their line.
    assert!(most < 1536, "it held {most} bytes more");
    assert_eq!(mixer.stats().turned_away, 100_000);
    catch_up(&mixer, &mut renderer, 10);
    assert_eq!(mixer.stats().live, 0);
}
