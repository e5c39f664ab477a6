//! Law 6, the policy: who gives way to whom, once it is known how loud everybody is.

mod common;

use std::time::Duration;

use common::{bits, mono, sine};
use voicepool::{
    BusId, Config, Ending, Event, Frame, Mixer, Parking, Play, Priority, Refusal, Renderer, Sound,
    VoiceId, WhenFull, WhenStolen, ms, secs,
};

/// A toy rate, at which loudness is plain power: a constant is as loud as it is high.
const RATE: u32 = 100;
const EVERY: [Priority; 4] = [Priority::Low, Priority::Normal, Priority::High, Priority::Protected];

fn open(voices: usize, when_full: WhenFull) -> (Mixer, Renderer) {
    let config = Config {
        voices,
        max_voices: voices,
        parked: 2,
        scheduled: 4,
        commands: 64,
        sample_rate: RATE,
        when_full,
        ..Config::default()
    };
    Mixer::offline(config).expect("a good config")
}

/// A steady sound without end, of some level, that ends when it is robbed.
fn steady(level: f32) -> Play {
    Play::of(mono(RATE, &[level])).looping().when_stolen(WhenStolen::End)
}

/// Plays, lets it be heard, and says who has ended, by tag, and why.
fn play(mixer: &Mixer, renderer: &mut Renderer, play: Play, tag: u64) -> VoiceId {
    let voice = mixer.play(play.tag(tag)).expect("there is room in the queue");
    renderer.frames(128);
    voice
}

fn endings(mixer: &Mixer) -> Vec<(u64, Ending)> {
    let ended = |event| match event {
        Event::Ended { tag, why, .. } => Some((tag, why)),
        _ => None,
    };
    mixer.events().filter_map(ended).collect()
}

/// The one that was robbed, and nothing else has ended.
#[track_caller]
fn robbed(mixer: &Mixer) -> u64 {
    match endings(mixer)[..] {
        [(tag, Ending::Stolen { .. })] => tag,
        ref other => panic!("{other:?}"),
    }
}

/// The lowest priority goes first, however loud; only there does loudness count.
#[test]
fn the_lowest_priority_goes_first_and_there_the_quietest() {
    let (mixer, mut renderer) = open(4, WhenFull::StealQuietest);
    play(&mixer, &mut renderer, steady(0.001).priority(Priority::High), 1);
    play(&mixer, &mut renderer, steady(0.01), 2);
    play(&mixer, &mut renderer, steady(0.2).priority(Priority::Low), 3);
    play(&mixer, &mut renderer, steady(0.1).priority(Priority::Low), 4);
    let mut next = || {
        play(&mixer, &mut renderer, steady(0.05), 9);
        robbed(&mixer)
    };
    assert_eq!([next(), next(), next()], [4, 3, 2]);
    assert_eq!([next(), next()], [9, 9], "the one of high priority stays, though it is quietest");
}

/// At equal priority the newcomer always wins, even if it is the quietest of all.
#[test]
fn a_quieter_newcomer_still_wins() {
    let (mixer, mut renderer) = open(2, WhenFull::StealQuietest);
    play(&mixer, &mut renderer, steady(0.5), 1);
    play(&mixer, &mut renderer, steady(0.3), 2);
    let newcomer = play(&mixer, &mut renderer, steady(0.0), 3);
    match endings(&mixer)[..] {
        [(2, Ending::Stolen { by, by_tag: 3, level })] => {
            assert_eq!(by, newcomer);
            assert!((level - 0.3 * 2f32.sqrt()).abs() < 1e-5, "on both sides: {level}");
        }
        ref other => panic!("{other:?}"),
    }
}

/// A newcomer never robs those above it: it is refused, or parked if it may be.
#[test]
fn a_newcomer_below_all_others_is_refused_or_parked() {
    let (mixer, mut renderer) = open(1, WhenFull::StealQuietest);
    play(&mixer, &mut renderer, steady(0.1).priority(Priority::High), 1);
    play(&mixer, &mut renderer, steady(0.9), 2);
    let full = Ending::Refused { why: Refusal::PoolFull };
    assert_eq!(endings(&mixer), [(2, full)]);
    play(&mixer, &mut renderer, steady(0.9).when_stolen(WhenStolen::Park), 3);
    assert_eq!(endings(&mixer), []);
    assert_eq!((mixer.stats().playing, mixer.stats().parked), (1, 1));
}

/// The protected are never robbed, not even by the protected.
#[test]
fn the_protected_are_never_robbed() {
    for when_full in [WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Grow] {
        let (mixer, mut renderer) = open(3, when_full);
        for tag in 0..3 {
            play(&mixer, &mut renderer, steady(0.0).priority(Priority::Protected), tag);
        }
        for priority in EVERY {
            play(&mixer, &mut renderer, steady(0.3).priority(priority), 9);
            let full = Ending::Refused { why: Refusal::PoolFull };
            assert_eq!(endings(&mixer), [(9, full)], "{priority:?}");
        }
        play(&mixer, &mut renderer, steady(0.3).when_stolen(WhenStolen::Park), 9);
        assert_eq!(endings(&mixer), []);
        assert_eq!((mixer.stats().playing, mixer.stats().parked), (3, 1));
    }
}

/// The protected can be robbed once they are stopping, and end as stopped.
#[test]
fn the_protected_can_be_robbed_once_they_are_stopping() {
    let (mixer, mut renderer) = open(2, WhenFull::StealQuietest);
    let protected = |level| steady(level).priority(Priority::Protected);
    let going = play(&mixer, &mut renderer, protected(0.5), 1);
    play(&mixer, &mut renderer, protected(0.1), 2);
    mixer.stop(going, secs(100.0));
    renderer.frames(128);
    play(&mixer, &mut renderer, protected(0.1), 3);
    assert_eq!(endings(&mixer), [(1, Ending::Stopped)]);
}

/// Among equals in loudness the oldest goes, whatever slot it has.
#[test]
fn on_a_tie_the_oldest_goes() {
    let (mixer, mut renderer) = open(3, WhenFull::StealQuietest);
    for tag in 1..=8 {
        play(&mixer, &mut renderer, steady(0.25), tag);
        if tag > 3 {
            assert_eq!(robbed(&mixer), tag - 3);
        }
    }
}

/// Who was about to end anyway has been stopped, not stolen, and never parks.
#[test]
fn robbed_while_stopping_ends_as_stopped() {
    let (mixer, mut renderer) = open(1, WhenFull::StealQuietest);
    let park = steady(0.25).when_stolen(WhenStolen::Park);
    let voice = play(&mixer, &mut renderer, park, 1);
    mixer.stop(voice, secs(100.0));
    renderer.frames(128);
    play(&mixer, &mut renderer, steady(0.25), 2);
    assert_eq!(endings(&mixer), [(1, Ending::Stopped)]);
    assert_eq!((mixer.stats().stolen, mixer.stats().parked), (0, 0));
}

/// `StealOldest` asks for age in place of loudness, within the lowest priority.
#[test]
fn steal_oldest_obeys_priorities() {
    let (mixer, mut renderer) = open(4, WhenFull::StealOldest);
    play(&mixer, &mut renderer, steady(0.1).priority(Priority::High), 1);
    play(&mixer, &mut renderer, steady(0.3), 2);
    play(&mixer, &mut renderer, steady(0.2).priority(Priority::Low), 3);
    play(&mixer, &mut renderer, steady(0.1).priority(Priority::Low), 4);
    for victim in [3, 4, 2] {
        play(&mixer, &mut renderer, steady(0.0), 9);
        assert_eq!(robbed(&mixer), victim);
    }
}

/// `Refuse` robs nobody, from the next play on and until it is told otherwise.
#[test]
fn refuse_refuses() {
    let (mixer, mut renderer) = open(1, WhenFull::Refuse);
    play(&mixer, &mut renderer, steady(0.0).priority(Priority::Low), 1);
    play(&mixer, &mut renderer, steady(0.9).priority(Priority::Protected), 2);
    assert_eq!(endings(&mixer), [(2, Ending::Refused { why: Refusal::PoolFull })]);
    mixer.set_when_full(WhenFull::StealQuietest);
    play(&mixer, &mut renderer, steady(0.9), 3);
    assert_eq!(robbed(&mixer), 1);
}

/// Who is paused is not heard, so it goes first, and is parked as long as there is room, one-shot
/// or not. It does not come back until it is resumed, and then from where it stood.
#[test]
fn the_paused_go_first_and_into_parking_while_there_is_room() {
    let (mixer, mut renderer) = open(4, WhenFull::StealQuietest);
    play(&mixer, &mut renderer, steady(0.001), 0);
    let paused: Vec<VoiceId> =
        (1..4).map(|tag| play(&mixer, &mut renderer, steady(0.2), tag)).collect();
    paused.iter().for_each(|voice| mixer.pause(*voice, ms(0)));
    renderer.frames(128);
    let thieves: Vec<VoiceId> =
        (0..2).map(|_| play(&mixer, &mut renderer, steady(0.2), 9)).collect();
    assert_eq!(endings(&mixer), [], "there is parking for two");
    assert_eq!(mixer.stats().parked, 2);
    play(&mixer, &mut renderer, steady(0.2), 9);
    assert_eq!(robbed(&mixer), 3, "and none for a third");
    thieves.iter().for_each(|thief| mixer.stop(*thief, ms(0)));
    renderer.frames(256);
    assert_eq!(mixer.stats().parked, 2, "nobody comes back to stand still");
    paused.iter().for_each(|voice| mixer.resume(*voice, ms(0)));
    renderer.frames(128);
    assert_eq!((mixer.stats().parked, mixer.stats().playing), (0, 4));
}

fn parkings(mixer: &Mixer) -> Vec<(u64, Parking)> {
    let parked = |event| match event {
        Event::Parked { tag, why, .. } => Some((tag, why)),
        _ => None,
    };
    mixer.events().filter_map(parked).collect()
}

/// A parking is a loss like a theft: it says why and names the thief, and it is counted.
#[test]
fn who_parks_is_told_why() {
    let (mixer, mut renderer) = open(2, WhenFull::StealQuietest);
    let parks = |level| steady(level).when_stolen(WhenStolen::Park);
    play(&mixer, &mut renderer, parks(0.25), 1);
    let loud = play(&mixer, &mut renderer, steady(0.5).priority(Priority::High), 2);
    assert_eq!((mixer.stats().full, mixer.stats().parkings), (0, 0));
    let thief = play(&mixer, &mut renderer, steady(0.5), 3);
    let parked = parkings(&mixer);
    let level = mixer.stats().loudest_parked;
    assert!((0.35..0.36).contains(&level), "{level} is not 0.25 on both sides");
    assert_eq!(parked, [(1, Parking::Stolen { by: thief, by_tag: 3, level })]);

    mixer.pause(thief, ms(0));
    renderer.frames(128);
    play(&mixer, &mut renderer, steady(0.25).priority(Priority::High), 4);
    assert_eq!(parkings(&mixer), [(3, Parking::Paused)]);
    let stats = mixer.stats();
    assert_eq!((stats.full, stats.parkings, stats.loudest_parked), (2, 2, level));

    mixer.stop_all(ms(0));
    renderer.frames(128);
    mixer.set_when_full(WhenFull::Refuse);
    play(&mixer, &mut renderer, parks(0.25), 5);
    play(&mixer, &mut renderer, parks(0.5), 6);
    play(&mixer, &mut renderer, parks(0.5), 7);
    assert_eq!(parkings(&mixer), [(7, Parking::PoolFull)]);
    mixer.resize(1).expect("smaller");
    renderer.frames(128);
    assert_eq!(parkings(&mixer), [(5, Parking::Shrunk)]);
    let stats = mixer.stats();
    assert_eq!((stats.full, stats.parkings, stats.stolen), (3, 4, 0));
    assert!(stats.to_string().contains("; 4 parkings, the loudest at -9.0 dB"), "{stats}");
    mixer.reset_peaks();
    assert_eq!(mixer.stats().loudest_parked, 0.0);
    assert!(!mixer.is_live(loud));
}

/// Where all is turned down it is still known who is quiet, by who must have a voice even so.
#[test]
fn a_master_turned_down_does_not_forget_who_was_quiet() {
    let (mixer, mut renderer) = open(3, WhenFull::StealQuietest);
    for (tag, level) in [(1, 0.3), (2, 0.1), (3, 0.2)] {
        play(&mixer, &mut renderer, steady(level), tag);
    }
    mixer.set_gain(BusId::MASTER, 0.0, ms(0));
    renderer.frames(256);
    play(&mixer, &mut renderer, steady(0.5).priority(Priority::Protected), 4);
    match endings(&mixer)[..] {
        [(2, Ending::Stolen { level, .. })] => assert_eq!(level, 0.0, "and that none is heard"),
        ref other => panic!("{other:?}"),
    }
}

/// A way to ask for a play so that nobody can hear it, and why it parks then.
type Silenced = (&'static str, Parking, fn(&Mixer, Play) -> Option<VoiceId>);

const BUS: BusId = BusId::new(5);

/// A line after the one on which a command acts that is sent now. (A delay would wait for as long as
/// its bus is paused.)
fn a_line_later(mixer: &Mixer) -> u64 {
    mixer.clock().next_multiple_of(128) + 256
}

const SILENCED: [Silenced; 9] = [
    ("gain 0", Parking::Inaudible, |mixer, play| mixer.play(play.gain(0.0))),
    ("a silent bus", Parking::Inaudible, |mixer, play| {
        mixer.set_gain(BUS, 0.0, ms(0));
        mixer.play(play.bus(BUS))
    }),
    ("a paused bus", Parking::Paused, |mixer, play| {
        mixer.pause(BUS, ms(0));
        mixer.play(play.bus(BUS))
    }),
    ("a silent master", Parking::Inaudible, |mixer, play| {
        mixer.set_gain(BusId::MASTER, 0.0, ms(0));
        mixer.play(play.delay(secs(1.28)))
    }),
    ("a paused master", Parking::Paused, |mixer, play| {
        mixer.pause(BusId::MASTER, ms(0));
        mixer.play(play.start_at(a_line_later(mixer)))
    }),
    ("scheduled and paused", Parking::Paused, |mixer, play| {
        let voice = mixer.play(play.delay(secs(0.5)));
        mixer.pause(voice, ms(0));
        voice
    }),
    ("scheduled and turned down", Parking::Inaudible, |mixer, play| {
        let voice = mixer.play(play.delay(secs(0.5)));
        mixer.set_gain(voice, 0.0, ms(0));
        voice
    }),
    ("scheduled, and its bus turned down", Parking::Inaudible, |mixer, play| {
        let voice = mixer.play(play.delay(secs(1.28)).bus(BUS));
        mixer.set_gain(BUS, 0.0, ms(0));
        voice
    }),
    ("scheduled, and its bus paused", Parking::Paused, |mixer, play| {
        let voice = mixer.play(play.start_at(a_line_later(mixer)).bus(BUS));
        mixer.pause(BUS, ms(0));
        voice
    }),
];

/// In a full pool who cannot be heard robs nobody, whatever the answer and its priority. It parks,
/// one-shot or not; if there is no room for it, it is refused as inaudible.
#[test]
fn an_inaudible_newcomer_robs_nobody() {
    for (name, why, silenced) in SILENCED {
        for when_full in [WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Refuse] {
            let (mixer, mut renderer) = open(2, when_full);
            for tag in 1..=2 {
                play(&mixer, &mut renderer, steady(0.1).priority(Priority::Low), tag);
            }
            for tag in 3..=4 {
                silenced(&mixer, steady(0.9).priority(Priority::High).tag(tag)).expect("room");
                renderer.frames(384);
                let events: Vec<Event> = mixer.events().collect();
                let parked = matches!(events[..], [Event::Parked { tag: who, why: it, .. }]
                    if who == tag && it == why);
                assert!(parked, "{name}, {when_full:?}: {events:?}");
                assert_eq!(mixer.stats().full, tag - 2);
            }
            silenced(&mixer, steady(0.9).priority(Priority::High).tag(5)).expect("room");
            renderer.frames(384);
            let inaudible = Ending::Refused { why: Refusal::Inaudible };
            assert_eq!(endings(&mixer), [(5, inaudible)], "{name}, {when_full:?}");
            let stats = mixer.stats();
            assert_eq!((stats.playing, stats.parked, stats.full), (2, 2, 3), "{name}");
        }
    }
}

/// With a voice free it takes it, as everybody does.
#[test]
fn an_inaudible_newcomer_takes_a_free_voice() {
    for (name, _, silenced) in SILENCED {
        let (mixer, mut renderer) = open(2, WhenFull::StealQuietest);
        play(&mixer, &mut renderer, steady(0.1), 1);
        silenced(&mixer, steady(0.9).tag(2)).expect("room");
        renderer.frames(384);
        let stats = mixer.stats();
        assert_eq!((stats.playing, stats.parked, stats.full), (2, 0, 0), "{name}");
    }
}

/// Who is protected insists on a voice, heard or not.
#[test]
fn a_protected_newcomer_robs_even_if_it_cannot_be_heard() {
    for (name, _, silenced) in SILENCED {
        let (mixer, mut renderer) = open(1, WhenFull::StealQuietest);
        let robbed = play(&mixer, &mut renderer, steady(0.1), 1);
        silenced(&mixer, steady(0.9).tag(2).priority(Priority::Protected)).expect("room");
        mixer.voices();
        renderer.frames(384);
        mixer.voices();
        renderer.frames(128);
        let voices = mixer.voices();
        let playing: Vec<u64> =
            voices.iter().filter(|it| it.slot.is_some()).map(|it| it.tag).collect();
        assert_eq!(playing, [2], "{name}");
        // If all stands still, so did the robbed, and parks.
        assert_eq!(mixer.is_live(robbed), name == "a paused master", "{name}");
    }
}

/// If even that finds nobody to rob, it parks as any other that cannot be heard.
#[test]
fn a_protected_newcomer_that_can_rob_nobody_parks_if_it_cannot_be_heard() {
    for (name, why, silenced) in SILENCED {
        let (mixer, mut renderer) = open(1, WhenFull::StealQuietest);
        play(&mixer, &mut renderer, steady(0.1).priority(Priority::Protected), 1);
        silenced(&mixer, steady(0.9).tag(2).priority(Priority::Protected)).expect("room");
        renderer.frames(384);
        assert_eq!(parkings(&mixer), [(2, why)], "{name}");
    }
}

/// It is the gains that make a play inaudible, not what it plays, and a rising one counts as risen.
#[test]
fn who_fades_in_or_is_silent_by_itself_robs() {
    let (mixer, mut renderer) = open(1, WhenFull::StealQuietest);
    play(&mixer, &mut renderer, steady(0.1), 1);
    play(&mixer, &mut renderer, steady(0.1).fade_in(secs(9.0)), 2);
    assert_eq!(robbed(&mixer), 1);
    play(&mixer, &mut renderer, steady(0.0), 3);
    assert_eq!(robbed(&mixer), 2);
    mixer.set_gain(BUS, 0.0, ms(0));
    renderer.frames(128);
    mixer.set_gain(BUS, 1.0, secs(9.0));
    play(&mixer, &mut renderer, steady(0.1).bus(BUS), 4);
    assert_eq!(robbed(&mixer), 3);
}

/// A bus that changes between two plays of one quantum counts for the second, and only for it.
#[test]
fn a_bus_counts_as_it_is_when_the_theft_is_due() {
    for changed_between in [true, false] {
        let (mixer, mut renderer) = open(3, WhenFull::StealQuietest);
        mixer.set_gain(BUS, 0.12, ms(0));
        play(&mixer, &mut renderer, steady(1.0).bus(BUS), 1);
        play(&mixer, &mut renderer, steady(0.2), 2);
        play(&mixer, &mut renderer, steady(0.1), 3);
        mixer.play(steady(0.9).tag(4));
        if changed_between {
            mixer.set_gain(BUS, 1.0, ms(0));
        }
        mixer.play(steady(0.9).tag(5));
        if !changed_between {
            mixer.set_gain(BUS, 1.0, ms(0));
        }
        renderer.frames(128);
        let robbed: Vec<u64> = endings(&mixer).iter().map(|(tag, _)| *tag).collect();
        assert_eq!(robbed, if changed_between { [3, 2] } else { [3, 1] });
    }
}

/// The same where a bus is turned down or paused that nobody has heard yet: it falls at once.
#[test]
fn a_bus_that_falls_silent_between_two_plays_counts_for_the_second() {
    let changes: [fn(&Mixer); 2] =
        [|mixer| mixer.set_gain(BUS, 0.1, ms(0)), |mixer| mixer.pause(BUS, ms(0))];
    for change in changes {
        for changed_between in [true, false] {
            let (mixer, mut renderer) = open(2, WhenFull::StealQuietest);
            renderer.frames(128);
            mixer.play(steady(0.5).bus(BUS).tag(1));
            mixer.play(steady(0.2).tag(2));
            mixer.play(steady(0.4).tag(3));
            if changed_between {
                change(&mixer);
            }
            mixer.play(steady(0.9).tag(4));
            if !changed_between {
                change(&mixer);
            }
            renderer.frames(128);
            let gone: Vec<u64> = mixer
                .events()
                .filter_map(|event| match event {
                    Event::Ended { tag, .. } | Event::Parked { tag, .. } => Some(tag),
                    _ => None,
                })
                .collect();
            assert_eq!(gone, if changed_between { [2, 1] } else { [2, 3] });
        }
    }
}

/// One voice fewer than there is room for, as many, and one more: of every priority, under every
/// policy, each play has one ending or is still there.
#[test]
fn around_a_full_pool_the_books_are_right() {
    let policies =
        [WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Refuse, WhenFull::Grow];
    for when_full in policies {
        for priority in EVERY {
            for voices in [1, 2, 7] {
                for plays in [voices - 1, voices, voices + 1] {
                    let (mixer, mut renderer) = open(voices, when_full);
                    for tag in 0..plays {
                        mixer.play(steady(0.1).priority(priority).tag(tag as u64));
                    }
                    renderer.frames(300);
                    let stats = mixer.stats();
                    assert_eq!(stats.playing, plays.min(voices));
                    let over = (plays - stats.playing) as u64;
                    assert_eq!(stats.stolen + stats.refused, over, "{when_full:?} {priority:?}");
                    let never = priority == Priority::Protected || when_full == WhenFull::Refuse;
                    assert_eq!(stats.stolen, if never { 0 } else { over });
                    mixer.stop_all(ms(0));
                    renderer.frames(300);
                    assert_eq!(mixer.stats().live, 0);
                }
            }
        }
    }
}

/// Levels are asked for once in a quantum: another answer to a full pool, given in its midst, goes
/// by what was known then.
#[test]
fn another_answer_asks_nobody_anew_how_loud_they_are() {
    let (mixer, mut renderer) = open(2, WhenFull::StealQuietest);
    let falling: Vec<f32> = (0..500).map(|n| if n < 350 { 1.0 } else { 0.1 }).collect();
    mixer.play(Play::of(mono(RATE, &falling)).tag(1));
    mixer.play(steady(0.5).tag(2));
    renderer.frames(128);
    // From here on what is said acts from frame 256 on.
    mixer.play(steady(2.0).tag(3));
    mixer.set_when_full(WhenFull::StealOldest);
    mixer.play(steady(2.0).tag(4).start_at(256 + 120));
    renderer.frames(128);
    match endings(&mixer)[..] {
        [(2, Ending::Stolen { level: quiet, .. }), (1, Ending::Stolen { level, .. })] => {
            assert!((1.9..2.1).contains(&(level / quiet)), "{level} is not twice {quiet}");
        }
        ref other => panic!("{other:?}"),
    }
}

/// A scene in which a sound is stopped and another played in a full pool.
struct Exchange {
    when_full: WhenFull,
    /// Of the one that is stopped, and of the newcomer.
    priorities: [Priority; 2],
    fade: Duration,
    /// How long after the stop the newcomer comes, in quanta.
    later: usize,
}

impl Exchange {
    /// What is heard of it, and who ended how.
    fn run(&self, voices: usize, sound: &Sound) -> (Vec<Frame>, Vec<(u64, Ending)>) {
        let config =
            Config { voices, max_voices: voices, when_full: self.when_full, ..Config::default() };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
        // On the other side, lest the order of a sum show.
        let other = || Play::of(sound).looping().when_stolen(WhenStolen::End).pan(1.0);
        mixer.play(other().gain(0.001).priority(Priority::Low).tag(1));
        let old = Play::of(sound).looping().pan(-1.0).gain(0.5);
        let old = mixer.play(old.priority(self.priorities[0]).tag(2));
        mixer.play(other().gain(0.002).priority(Priority::Low).tag(3));
        let mut heard = renderer.frames(1280);
        mixer.stop(old, self.fade);
        heard.append(&mut renderer.frames(128 * self.later));
        mixer.play(other().gain(0.25).priority(self.priorities[1]).tag(4));
        heard.append(&mut renderer.frames(640));
        (heard, endings(&mixer))
    }
}

/// Stop the old, play the new: in a full pool it is the old one's voice that the new one gets,
/// whatever the priorities and the answer. No bystander is robbed, and the old one fades out exactly
/// as it would with a voice more.
#[test]
fn stop_the_old_and_play_the_new_takes_the_stopped_ones_voice() {
    let sound = mono(48_000, &sine(48_000, 500.0, 0.0, 960));
    for when_full in [WhenFull::StealQuietest, WhenFull::StealOldest] {
        for priorities in EVERY.into_iter().flat_map(|old| EVERY.map(|new| [old, new])) {
            // At once, and when all but the last 5 ms of a longer fade are over.
            for (fade, later) in [(ms(0), 0), (ms(0), 1), (ms(5), 0), (ms(100), 36)] {
                let scene = Exchange { when_full, priorities, fade, later };
                let ((heard, ended), (roomy, alone)) = (scene.run(3, &sound), scene.run(4, &sound));
                assert_eq!(ended, [(2, Ending::Stopped)], "{when_full:?} {priorities:?} {fade:?}");
                assert_eq!(alone, [(2, Ending::Stopped)]);
                assert!(bits(&heard) == bits(&roomy), "{when_full:?} {priorities:?} {fade:?}");
            }
        }
    }
}

/// A longer fade is heard for longer: until its last 5 ms it goes in its turn, by its priority and
/// by what is left of it.
#[test]
fn a_voice_in_a_long_fade_goes_in_its_turn() {
    let sound = mono(48_000, &sine(48_000, 500.0, 0.0, 960));
    let ends = |when_full, priorities, later| {
        Exchange { when_full, priorities, fade: ms(100), later }.run(3, &sound).1[0]
    };
    let robbed = |ending| matches!(ending, (1, Ending::Stolen { .. }));
    let low = [Priority::Low; 2];
    for later in [0, 30, 35] {
        assert!(robbed(ends(WhenFull::StealQuietest, low, later)), "there is more left of it");
        assert!(robbed(ends(WhenFull::StealOldest, low, later)), "it is not the oldest");
    }
    for when_full in [WhenFull::StealQuietest, WhenFull::StealOldest] {
        assert_eq!(ends(when_full, low, 36), (2, Ending::Stopped), "4 ms are left");
    }
}

/// What is said acts in the order in which it is said: who is played before the old is stopped
/// robs as if it were not.
#[test]
fn a_play_before_the_stop_knows_nothing_of_it() {
    let (mixer, mut renderer) = open(2, WhenFull::StealQuietest);
    let old = play(&mixer, &mut renderer, steady(0.5), 1);
    play(&mixer, &mut renderer, steady(0.1), 2);
    mixer.play(steady(0.5).tag(3));
    mixer.stop(old, ms(0));
    renderer.frames(256);
    let ended: Vec<u64> = endings(&mixer).iter().map(|(tag, _)| *tag).collect();
    assert_eq!(ended, [2, 1]);
}

/// What comes before a loop counts, however faint and short the loop: an attack stays.
#[test]
fn an_attack_before_a_faint_loop_stays() {
    let (mixer, mut renderer) = open(2, WhenFull::StealQuietest);
    let mut attack = vec![0.5; 900];
    attack.push(0.001);
    let sustained = Play::of(mono(RATE, &attack)).loop_range(ms(9000)..);
    play(&mixer, &mut renderer, sustained.when_stolen(WhenStolen::End), 1);
    play(&mixer, &mut renderer, steady(0.1), 2);
    play(&mixer, &mut renderer, steady(0.3), 3);
    assert_eq!(robbed(&mixer), 2);
    renderer.frames(900);
    play(&mixer, &mut renderer, steady(0.3), 4);
    assert_eq!(robbed(&mixer), 1, "once it has come to its loop, it goes");
}

/// On a bus that sounds and is being shut, a newcomer would be heard for 5 ms at the most: it robs
/// nobody either.
#[test]
fn on_a_bus_that_is_being_shut_nobody_robs() {
    let shut: [fn(&Mixer); 2] = [
        |mixer| mixer.pause(BusId::new(1), ms(0)),
        |mixer| mixer.set_gain(BusId::new(1), 0.0, ms(0)),
    ];
    for shut in shut {
        let (mixer, mut renderer) = open(2, WhenFull::StealQuietest);
        play(&mixer, &mut renderer, steady(0.2).bus(BusId::new(1)), 1);
        play(&mixer, &mut renderer, steady(0.1), 2);
        renderer.frames(128);
        shut(&mixer);
        play(&mixer, &mut renderer, steady(0.5).bus(BusId::new(1)), 3);
        renderer.frames(128);
        assert_eq!(endings(&mixer), []);
        assert_eq!((mixer.stats().playing, mixer.stats().parked), (2, 1));
    }
}

/// A loop that is equally loud at all its places is so but for rounding: the oldest goes.
#[test]
fn of_loops_alike_the_oldest_goes_whatever_their_places() {
    let (mixer, mut renderer) = open(8, WhenFull::StealQuietest);
    let hum = mono(RATE, &[0.1; 371]);
    for tag in 0..40 {
        let from = ms(tag * 370 % 3200);
        let hum = Play::of(&hum).loop_range(ms(510)..ms(3230)).from_position(from);
        play(&mixer, &mut renderer, hum.when_stolen(WhenStolen::End), tag);
        renderer.frames(tag as usize * 13);
    }
    renderer.frames(256);
    let gone: Vec<u64> = endings(&mixer).into_iter().map(|(tag, _)| tag).collect();
    assert_eq!(gone, (0..32).collect::<Vec<_>>());
}
