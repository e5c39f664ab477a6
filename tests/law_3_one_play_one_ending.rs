//! Law 3, one play, one ending: the books balance at every moment, whatever is played.

#[path = "common/allocator.rs"]
mod allocator;
mod common;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use common::{POLICIES, PRIORITIES, Random, assert_balanced, endings, mono};
use voicepool::{
    BusId, Config, Ending, Event, Events, Mixer, Play, Priority, Sound, VoiceId, VoiceInfo,
    VoiceState, WhenFull, WhenStolen, ms, secs,
};

const RATE: u32 = 1000;
const MAX_VOICES: usize = 9;

/// Few voices, and a queue so long that no ending is ever missed.
fn scarce(when_full: WhenFull) -> Config {
    Config {
        voices: 4,
        max_voices: MAX_VOICES,
        parked: 3,
        scheduled: 3,
        commands: 4096,
        sample_rate: RATE,
        when_full,
        ..Config::default()
    }
}

fn sounds() -> Vec<Sound> {
    let sound = |frames: usize| mono(RATE, &vec![0.1; frames]).named(&format!("{frames} frames"));
    [1, 50, 400, 1000].map(sound).to_vec()
}

/// A play of which everything follows from its tag, so that whoever sees it can check it.
fn tagged(tag: u64, sounds: &[Sound]) -> Play {
    let priority = PRIORITIES[(tag / 5 % 4) as usize];
    let bus = BusId::new((tag / 3 % 4) as u8);
    let play = Play::of(&sounds[tag as usize % sounds.len()]).tag(tag).priority(priority).bus(bus);
    match tag % 11 {
        0 | 1 => play.looping(),
        2 => play.looping().when_stolen(WhenStolen::End),
        3 => play.when_stolen(WhenStolen::Park),
        4 | 5 => play.delay(ms(tag % 700)),
        _ => play,
    }
}

/// What a look shows is what was asked for, each in a place of its own.
#[track_caller]
fn assert_rows(rows: &[VoiceInfo], sounds: &[Sound]) {
    let (mut slots, mut ids) = (HashSet::new(), HashSet::new());
    for row in rows {
        let (tag, sound) = (row.tag, &sounds[row.tag as usize % sounds.len()]);
        assert_eq!(&*row.name, sound.name());
        assert_eq!(row.priority, PRIORITIES[(tag / 5 % 4) as usize]);
        assert_eq!(row.bus, BusId::new((tag / 3 % 4) as u8));
        // What waits may have been told to begin past its end: then it will be over at once.
        let waits = row.state == VoiceState::Scheduled;
        assert!(waits || row.position <= sound.duration(), "{row:?}");
        assert!(ids.insert(row.voice), "twice: {row:?}");
        if let Some(slot) = row.slot {
            assert!(slot < MAX_VOICES && slots.insert(slot), "slot {slot} twice, or none");
        }
        let placed = !matches!(row.state, VoiceState::Parked | VoiceState::Scheduled);
        assert_eq!(row.slot.is_some(), placed, "{row:?}");
    }
}

/// Says something at random about one of the plays.
fn meddle(mixer: &Mixer, random: &mut Random, voice: Option<VoiceId>) {
    let (over, bus) = (ms(random.below(300)), BusId::new(random.below(5) as u8));
    let mute = random.below(2) == 0;
    match random.below(28) {
        0..=5 => mixer.stop(voice, over),
        6 => mixer.pause(voice, over),
        7 | 8 => mixer.resume(voice, over),
        9 => mixer.set_gain(voice, random.unit(), over),
        10 => mixer.set_speed(voice, 3.0 * random.unit(), over),
        11 | 12 => mixer.seek(voice, over),
        13 => mixer.stop(bus, over),
        14 => mixer.pause(bus, over),
        15..=17 => (0..5).for_each(|n| mixer.resume(BusId::new(n), over)),
        18 => mixer.stop_all(over),
        19 => mixer.end_loop(voice),
        20 => mixer.end_loop(bus),
        21 => mixer.set_mute(voice, mute),
        22 => mixer.set_mute(bus, mute),
        _ => mixer.resize(1 + random.below(MAX_VOICES as u64) as usize).expect("it can be"),
    }
}

/// Whatever is said, every play is in the books exactly once, and ends exactly once.
#[test]
fn the_books_balance_after_every_step_under_every_policy() {
    for (seed, when_full) in (1..).zip(POLICIES) {
        let (mixer, mut renderer) = Mixer::offline(scarce(when_full)).unwrap();
        let (sounds, mut random) = (sounds(), Random(seed));
        let mut live: HashMap<VoiceId, u64> = HashMap::new();
        let mut ended: HashMap<VoiceId, Ending> = HashMap::new();
        let mut latest = None;
        for step in 0..2500 {
            match random.below(10) {
                0..=4 => {
                    let voice = mixer.play(tagged(step, &sounds)).expect("a long queue");
                    assert!(!ended.contains_key(&voice), "an id came back");
                    assert_eq!(live.insert(voice, step), None, "an id was given twice");
                    latest = Some(voice);
                }
                5 | 6 => {
                    let voice = live.keys().copied().max().filter(|_| step % 2 == 0).or(latest);
                    meddle(&mixer, &mut random, voice);
                }
                _ => drop(renderer.frames(random.below(200) as usize)),
            }
            let stats = mixer.stats();
            assert_balanced(&stats);
            for event in mixer.events() {
                if let Event::Ended { voice, tag, why, .. } = event {
                    assert_eq!(live.remove(&voice), Some(tag), "it was not live: {why:?}");
                    assert_eq!(ended.insert(voice, why), None, "it had ended before");
                    if let Ending::Stolen { by, .. } = why {
                        assert!(by != voice && (live.contains_key(&by) || ended.contains_key(&by)));
                    }
                }
            }
            assert_eq!(stats.live, live.len());
            assert!(live.keys().all(|voice| mixer.is_live(*voice)));
            assert!(ended.keys().take(50).all(|voice| !mixer.is_live(*voice)));
            if step % 50 == 0 {
                // A whole quantum: all has been heard by now, and nothing is in the queue.
                drop((mixer.voices(), renderer.frames(128)));
                let (rows, stats) = (mixer.voices(), mixer.stats());
                assert_rows(&rows, &sounds);
                assert_eq!(stats.playing + stats.parked + stats.scheduled, stats.live);
                assert!(rows.iter().all(|row| live.get(&row.voice) == Some(&row.tag)));
                assert_eq!(rows.len(), stats.live);
                assert!(stats.playing <= stats.voices.max(stats.most_playing));
            }
        }
        mixer.stop_all(ms(0));
        renderer.frames(256);
        for (voice, why) in endings(&mixer) {
            live.remove(&voice);
            assert_eq!(ended.insert(voice, why), None);
        }
        assert_eq!((live.len(), mixer.stats().live), (0, 0));
        let count =
            |kind: fn(&Ending) -> bool| ended.values().filter(|why| kind(why)).count() as u64;
        let stats = mixer.stats();
        assert_eq!(count(|why| *why == Ending::Finished), stats.finished);
        assert_eq!(count(|why| *why == Ending::Stopped), stats.stopped);
        assert_eq!(count(|why| matches!(why, Ending::Stolen { .. })), stats.stolen);
        assert_eq!(count(|why| matches!(why, Ending::Refused { .. })), stats.refused);
        assert!(stats.finished > 0 && stats.stopped > 0 && stats.refused > 0, "{stats}");
        assert_eq!(stats.stolen > 0, when_full != WhenFull::Refuse, "{stats}");
    }
}

/// Two threads play and listen, a third renders: each play ends once, and is told to one of them.
#[test]
fn two_threads_share_one_set_of_books() {
    for (seed, when_full) in (1..).zip(POLICIES) {
        let (mixer, mut renderer) = Mixer::offline(scarce(when_full)).unwrap();
        let done = AtomicBool::new(false);
        let game = |mixer: Mixer, seed: u64| {
            let (sounds, mut random) = (sounds(), Random(seed));
            let (mut played, mut ended) = (Vec::new(), Vec::new());
            for step in 0..1500 {
                let tag = 2 * step + seed % 2;
                // The queue is full while the renderer does not get a turn.
                played.extend(mixer.play(tagged(tag, &sounds)));
                if random.below(3) == 0 {
                    meddle(&mixer, &mut random, played.last().copied());
                }
                ended.extend(endings(&mixer));
                assert_balanced(&mixer.stats());
                if step % 10 == 0 {
                    assert_rows(&mixer.voices(), &sounds);
                }
            }
            (played, ended)
        };
        let (mut played, mut ended) = thread::scope(|scope| {
            let rendering = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    drop(renderer.frames(100));
                }
            });
            let games = [2 * seed, 2 * seed + 1]
                .map(|seed| (seed, mixer.clone()))
                .map(|(seed, mixer)| scope.spawn(move || game(mixer, seed)));
            let games = games.map(|game| game.join());
            done.store(true, Ordering::Relaxed);
            let [one, other] = games.map(Result::unwrap);
            rendering.join().unwrap();
            ([one.0, other.0].concat(), [one.1, other.1].concat())
        });
        mixer.stop_all(ms(0));
        renderer.frames(256);
        ended.extend(endings(&mixer));
        let mut ended: Vec<VoiceId> = ended.into_iter().map(|(voice, _)| voice).collect();
        played.sort();
        ended.sort();
        assert!(played.windows(2).all(|pair| pair[0] < pair[1]), "ids are unique");
        assert!(played == ended, "each ended once: {} {}", played.len(), ended.len());
        assert_balanced(&mixer.stats());
        assert_eq!(mixer.stats().live, 0);
    }
}

/// A game that never asks for events holds the latest of them and no more; the rest is counted.
#[test]
fn events_that_nobody_asks_for_take_no_more_room() {
    let config = Config { commands: 8, ..scarce(WhenFull::StealQuietest) };
    let (mixer, mut renderer) = Mixer::offline(config).unwrap();
    let mut buffer = [[0.0; 2]; 128];
    let mut round = |rounds: std::ops::Range<u64>| {
        for tag in rounds {
            // A sound of its own each time: who forgets to let one go is found out.
            mixer.play(Play::of(mono(RATE, &[0.5; 500])).tag(tag)).expect("room in the queue");
            renderer.render(&mut buffer);
            assert_balanced(&mixer.stats());
        }
        allocator::held()
    };
    let early = round(0..50);
    assert_eq!(round(50..3000), early, "bytes held");
    let stats = mixer.stats();
    assert_eq!(stats.missed_events, 3000 - stats.live as u64 - 8);
    let told: Vec<u64> = mixer
        .events()
        .filter_map(|event| match event {
            Event::Ended { tag, .. } => Some(tag),
            _ => None,
        })
        .collect();
    let last = 3000 - stats.live as u64;
    assert_eq!(told, Vec::from_iter(last - 8..last), "the latest, in order");
    assert_eq!(mixer.stats().missed_events, stats.missed_events);
}

/// Who stops asking in the middle leaves the rest, in order, to whoever asks next.
#[test]
fn events_that_were_not_taken_are_told_to_the_next_who_asks() {
    let config = Config { commands: 30, ..scarce(WhenFull::StealQuietest) };
    let (mixer, mut renderer) = Mixer::offline(config).unwrap();
    let click = mono(RATE, &[0.5; 5]);
    let mut play = |tags: std::ops::Range<u64>| {
        for tag in tags {
            mixer.play(Play::of(&click).tag(tag)).expect("room in the queue");
            renderer.frames(128);
        }
    };
    let take = |count| {
        let tag = |event| match event {
            Event::Ended { tag, .. } => Some(tag),
            _ => None,
        };
        mixer.events().filter_map(tag).take(count).collect::<Vec<u64>>()
    };
    play(0..20);
    assert_eq!((take(3), take(7)), (vec![0, 1, 2], vec![3, 4, 5, 6, 7, 8, 9]));
    let mut events = mixer.events();
    assert!(matches!(events.next(), Some(Event::Ended { tag: 10, .. })));
    play(20..50);
    let missed = mixer.stats().missed_events;
    drop(events);
    // There is room for thirty: those that were taken and not told are the oldest.
    let missed_now = mixer.stats().missed_events;
    let told = take(100);
    assert_eq!(told, Vec::from_iter(20..50));
    assert_eq!((missed, missed_now), (2, 9), "11 to 19, of which two had to go before");
}

/// Several ask at once, each reads a few and gives the rest back, and whoever does so first: what was
/// not told is told to the next who asks, in the order in which it happened.
#[test]
fn events_given_back_by_several_stand_in_the_order_in_which_they_happened() {
    const COUNT: u64 = 40;
    let config = Config { commands: COUNT as usize, ..scarce(WhenFull::StealQuietest) };
    let click = mono(RATE, &[0.5; 5]);
    let tag = |event| match event {
        Event::Ended { tag, .. } => tag,
        other => panic!("{other:?}"),
    };
    for (readers, orders) in [
        (2, [[0, 1, 1], [1, 0, 0]].as_slice()),
        (3, &[[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]),
    ] {
        for (order, read) in orders.iter().flat_map(|it| [(it, [1, 1, 1]), (it, [3, 8, 11])]) {
            let (mixer, mut renderer) = Mixer::offline(config.clone()).unwrap();
            for tag in 0..COUNT {
                mixer.play(Play::of(&click).tag(tag)).expect("room in the queue");
                renderer.frames(128);
            }
            let mut left: BTreeSet<u64> = (0..COUNT).collect();
            let mut asking: Vec<Option<Events>> =
                (0..readers).map(|_| Some(mixer.events())).collect();
            for (events, count) in asking.iter_mut().flatten().zip(read) {
                events.take(count).map(tag).for_each(|tag| assert!(left.remove(&tag)));
            }
            for reader in order {
                asking[*reader] = None;
                // In between, too, nobody is told what is newer before what is there.
                let two: Vec<u64> = mixer.events().map(tag).take(2).collect();
                assert!(two.is_sorted(), "{two:?}");
                two.iter().for_each(|tag| assert!(left.remove(tag)));
            }
            let told: Vec<u64> = mixer.events().map(tag).collect();
            assert_eq!(told, Vec::from_iter(left), "dropped as {order:?}, after {read:?}");
            assert_eq!(mixer.stats().missed_events, 0);
        }
    }
}

/// No lock is held between two events: a handler plays, stops, looks, and asks for events again.
#[test]
fn a_handler_of_events_may_do_anything() {
    let (mixer, mut renderer) = Mixer::offline(scarce(WhenFull::StealQuietest)).unwrap();
    let sounds = sounds();
    let mut told = HashSet::new();
    let mut played = HashSet::new();
    let mut tag = 0;
    for _ in 0..200 {
        for _ in 0..3 {
            tag += 1;
            played.extend(mixer.play(tagged(tag, &sounds)));
        }
        renderer.frames(60);
        for event in mixer.events() {
            if let Event::Ended { voice, .. } = event {
                assert!(told.insert(voice), "told twice");
            }
            tag += 1;
            let again = mixer.play(tagged(tag, &sounds));
            played.extend(again);
            if tag % 3 == 0 {
                mixer.stop(again, ms(0));
            }
            mixer.voices();
            assert_balanced(&mixer.stats());
            renderer.frames(tag as usize % 20);
            for (voice, _) in endings(&mixer.clone()) {
                assert!(told.insert(voice), "told twice");
            }
        }
    }
    mixer.stop_all(ms(0));
    renderer.frames(256);
    told.extend(endings(&mixer).into_iter().map(|(voice, _)| voice));
    assert_eq!(told, played);
}

/// A look at the voices shows each play in the state that it was brought into.
#[test]
fn a_look_shows_what_every_play_is_doing() {
    let (mixer, mut renderer) = Mixer::offline(scarce(WhenFull::StealQuietest)).unwrap();
    let hum = mono(RATE, &[0.1; 1000]).named("hum");
    let music = BusId::new(3);
    let of = |tag| Play::of(&hum).looping().tag(tag).priority(Priority::High);
    let paused = mixer.play(of(1).from_position(ms(250)));
    let stopping = mixer.play(of(2).bus(music).pan(-0.5));
    mixer.play(of(3).gain(0.5).from_position(ms(900)));
    mixer.play(of(4).gain(0.01).speed(2.0));
    mixer.play(of(5).priority(Priority::Protected)).expect("room");
    mixer.play(of(6).start_at(1000).gain(0.25));
    mixer.play(of(7).priority(Priority::Low));
    renderer.frames(128);
    mixer.pause(paused, ms(0));
    mixer.stop(stopping, secs(1.0));
    assert!(mixer.voices().is_empty(), "nobody had asked");
    renderer.frames(128);
    let first = mixer.voices();
    assert_eq!(first.len(), 7);
    renderer.frames(128);
    let rows = mixer.voices();
    let state = |tag: u64| rows.iter().find(|row| row.tag == tag).map(|row| row.state);
    assert_eq!(state(1), Some(VoiceState::Paused));
    assert_eq!(state(2), Some(VoiceState::Stopping));
    assert_eq!(state(3), Some(VoiceState::Playing));
    assert_eq!(state(4), Some(VoiceState::Parked), "the quietest gave way to 5");
    assert_eq!(state(5), Some(VoiceState::Playing));
    assert_eq!(state(6), Some(VoiceState::Scheduled));
    assert_eq!(state(7), Some(VoiceState::Parked), "and nobody to 7");
    let row = |tag: u64| rows.iter().find(|row| row.tag == tag).expect("a row");
    assert!(rows.iter().all(|row| &*row.name == "hum" && mixer.is_live(row.voice)));
    assert_eq!(
        (Some(row(1).voice), row(1).position),
        (paused, ms(250 + 256 + 5)),
        "it was paused a line later"
    );
    assert_eq!((row(2).bus, row(2).pan, row(3).bus), (music, -0.5, BusId::MASTER));
    assert_eq!((row(3).gain, row(3).position), (0.5, ms((900 + 384) % 1000)));
    assert_eq!(row(4).position, ms(2 * 384), "it keeps its time, at its own speed");
    assert_eq!((row(6).gain, row(6).slot, row(6).level), (0.25, None, 0.0));
    assert_eq!((row(5).priority, row(7).priority), (Priority::Protected, Priority::Low));
    let mut slots: Vec<_> = rows.iter().filter_map(|row| row.slot).collect();
    slots.sort();
    assert_eq!(slots, [0, 1, 2, 3]);
}

/// A picture is older than the books: what has ended since is left out of it, and so is whoever
/// holds the tickets of those by now.
#[test]
fn an_old_picture_shows_only_those_who_were_there() {
    let (mixer, mut renderer) = Mixer::offline(scarce(WhenFull::StealQuietest)).unwrap();
    let hum = Play::of(mono(RATE, &[0.1; 1000])).looping();
    let early = [1, 2, 3].map(|tag| mixer.play(hum.clone().tag(tag)));
    mixer.voices();
    renderer.frames(128);
    mixer.stop(early[0], ms(0));
    mixer.stop(early[1], ms(0));
    renderer.frames(128);
    [4, 5].iter().for_each(|tag| assert!(mixer.play(hum.clone().tag(*tag)).is_some()));
    let tags = || Vec::from_iter(mixer.voices().iter().map(|row| row.tag));
    assert_eq!(tags(), [3]);
    renderer.frames(128);
    assert_eq!(tags(), [3, 4, 5]);
}

/// A stop ends what falls silent before it has faded out, though it stands still from then on:
/// whichever of stop and pause is said first, together or one after the other.
#[test]
fn what_is_paused_while_it_stops_has_ended() {
    for case in 0..6 {
        let (mixer, mut renderer) = Mixer::offline(scarce(WhenFull::StealQuietest)).unwrap();
        let voice = mixer.play(Play::of(mono(RATE, &[0.1; 1000])).looping());
        renderer.frames(128);
        let pause =
            || if case < 3 { mixer.pause(voice, ms(0)) } else { mixer.pause(BusId::MASTER, ms(0)) };
        match case % 3 {
            0 => pause(),
            1 => mixer.stop(voice, secs(1.0)),
            _ => mixer.stop_all(secs(1.0)),
        }
        renderer.frames(128 * (case % 2));
        if case % 3 == 0 {
            mixer.stop_all(secs(1.0))
        } else {
            pause()
        }
        renderer.frames(256);
        let ended = (voice.expect("room"), Ending::Stopped);
        assert_eq!(endings(&mixer), [ended], "case {case}");
    }
}
