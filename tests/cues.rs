//! Cues: which variant is played, with what it says and what is said on top; what a mixer remembers.

mod common;

use std::collections::BTreeSet;
use std::sync::Arc;

use common::{assert_balanced, bits, mono, noise};
use voicepool::{
    BusId, Config, Cue, Ending, Event, Frame, Mixer, Order, Play, Priority, Refusal, Renderer,
    Reverb, RoomId, Sound, VoiceInfo, WhenFull, WhenStolen, db, ms, semitones,
};

const RATE: u32 = 1000;
const SHOTS: BusId = BusId::new(3);
const CAVE: RoomId = RoomId::new(0);

fn open(config: Config) -> (Mixer, Renderer) {
    Mixer::offline(Config { sample_rate: RATE, ..config }).expect("a good config")
}

/// Sounds of one frame, named by their numbers.
fn blips(count: usize) -> Vec<Sound> {
    (0..count).map(|n| mono(RATE, &[0.1]).named(&n.to_string())).collect()
}

/// A steady sound without an end.
fn hum() -> Play {
    Play::of(mono(RATE, &[0.1])).looping().when_stolen(WhenStolen::End)
}

/// The names of what has ended, in that order.
fn ended(mixer: &Mixer) -> Vec<Arc<str>> {
    let name = |event| match event {
        Event::Ended { name, .. } => Some(name),
        _ => None,
    };
    mixer.events().filter_map(name).collect()
}

/// Which variants are rolled for so many plays of a cue.
fn rolls(mixer: &Mixer, renderer: &mut Renderer, cue: &Cue, plays: usize) -> Vec<usize> {
    let mut roll = || {
        mixer.play(cue).expect("there is room");
        renderer.frames(256);
        ended(mixer).iter().map(|name| name.parse().expect("a number")).next().expect("an end")
    };
    (0..plays).map(|_| roll()).collect()
}

/// Plays a cue so many times at once.
fn play_times(mixer: &Mixer, cue: &Cue, times: usize) {
    (0..times).for_each(|_| assert!(mixer.play(cue).is_some()));
}

/// The latest picture.
fn picture(mixer: &Mixer, renderer: &mut Renderer) -> Vec<VoiceInfo> {
    mixer.voices();
    renderer.frames(128);
    renderer.frames(128);
    mixer.voices();
    renderer.frames(128);
    mixer.voices()
}

/// What is heard of a play, beside one that makes place for it.
fn heard(play: Play) -> Vec<[u32; 2]> {
    let (mixer, mut renderer) = open(Config::DEFAULT);
    mixer.set_reverb(CAVE, Reverb { decay: ms(300), ..Reverb::DEFAULT }, ms(0));
    mixer.set_gain(SHOTS, 0.25, ms(0));
    mixer.play(play);
    bits(&renderer.frames(1000))
}

/// All that a play can say takes the place of what a variant says, but for gain and speed, which
/// multiply; and what it does not say is the variant's.
#[test]
fn a_variant_says_how_it_is_played_and_a_play_says_more_on_top() {
    let sound = mono(RATE, &noise(1, 600));
    let variants: [fn(Play) -> Play; 5] = [
        |it| it,
        |it| it.gain(0.5).speed(1.5).pan(-0.5),
        |it| it.looping().from_position(ms(100)).fade_in(ms(50)).delay(ms(70)),
        |it| it.bus(SHOTS).low_pass(200.0).send(CAVE, 0.5),
        |it| it.loop_range(ms(100)..ms(200)).start_at(300).low_pass(100.0),
    ];
    let on_top: [fn(Play) -> Play; 13] = [
        |it| it,
        |it| it.pan(1.0),
        |it| it.pan(0.0),
        |it| it.looping(),
        |it| it.loop_range(ms(50)..ms(90)),
        |it| it.from_position(ms(0)),
        |it| it.fade_in(ms(200)),
        |it| it.start_at(77),
        |it| it.delay(ms(33)),
        |it| it.bus(BusId::MASTER),
        |it| it.low_pass(20_000.0),
        |it| it.send(CAVE, 0.9),
        |it| it.send(CAVE, 0.0),
    ];
    for (number, variant) in variants.into_iter().enumerate() {
        let cue = Cue::of([variant(Play::of(&sound))]).expect("a variant");
        for (at, say) in on_top.into_iter().enumerate() {
            let expected = heard(say(variant(Play::of(&sound))));
            assert!(heard(say(Play::of(&cue))) == expected, "variant {number}, {at} on top");
            assert!(expected.iter().flatten().any(|bits| bits << 1 != 0), "something is heard");
        }
    }
    let cue = Cue::of([Play::of(&sound).gain(0.5).speed(1.5)]).expect("a variant");
    let expected = heard(Play::of(&sound).gain(0.5 * 0.25).speed(1.5 * 0.5));
    assert!(heard(Play::of(&cue).gain(0.25).speed(0.5)) == expected, "gain and speed multiply");
}

/// What is not heard, but seen.
#[test]
fn priority_tag_and_parking_are_the_variants_unless_said() {
    let (mixer, mut renderer) = open(Config::DEFAULT);
    let wind = mono(RATE, &[0.1]).named("wind");
    let variant = Play::of(&wind).looping().priority(Priority::High).tag(7).bus(SHOTS).gain(0.5);
    let cue = Cue::of([variant]).expect("a variant");
    mixer.play(&cue);
    mixer.play(Play::of(&cue).priority(Priority::Low).tag(8).bus(BusId::MASTER).gain(0.5).pan(0.5));
    let seen = picture(&mixer, &mut renderer);
    let seen: Vec<_> =
        seen.iter().map(|it| (&*it.name, it.priority, it.tag, it.bus, it.gain, it.pan)).collect();
    let first = ("wind", Priority::High, 7, SHOTS, 0.5, 0.0);
    assert_eq!(seen, [first, ("wind", Priority::Low, 8, BusId::MASTER, 0.25, 0.5)]);
    for (then, parked) in [(None, true), (Some(WhenStolen::End), false)] {
        let (mixer, mut renderer) = open(Config { voices: 1, max_voices: 1, ..Config::DEFAULT });
        let mut play = Play::of(&cue).priority(Priority::Low);
        if let Some(then) = then {
            play = play.when_stolen(then);
        }
        mixer.play(play);
        renderer.frames(128);
        mixer.play(hum());
        renderer.frames(256);
        assert_eq!(mixer.stats().parked == 1, parked);
    }
}

#[test]
fn variants_come_in_their_order() {
    let (mixer, mut renderer) = open(Config::DEFAULT);
    let cue = Cue::of(blips(3)).expect("variants");
    let sequence = cue.clone().order(Order::Sequence);
    assert_eq!(rolls(&mixer, &mut renderer, &sequence, 7), [0, 1, 2, 0, 1, 2, 0]);
    let shuffled = rolls(&mixer, &mut renderer, &cue, 60);
    assert!(shuffled.windows(2).all(|pair| pair[0] != pair[1]), "{shuffled:?}");
    assert_eq!(shuffled.iter().collect::<BTreeSet<_>>().len(), 3);
    let random = rolls(&mixer, &mut renderer, &cue.order(Order::Random), 60);
    assert!(random.windows(2).any(|pair| pair[0] == pair[1]), "{random:?}");
    assert_eq!(random.iter().collect::<BTreeSet<_>>().len(), 3);
    assert_eq!(Order::default(), Order::Shuffle);
}

/// Some seconds of a game with cues that vary.
fn game(seed: u64) -> (Vec<Frame>, Vec<String>) {
    let (mixer, mut renderer) = open(Config { voices: 4, seed, ..Config::DEFAULT });
    let sounds = |seed: u64| (0..4).map(move |n| mono(RATE, &noise(seed + n, 150)));
    let steps = Cue::of(sounds(0)).expect("variants").vary_gain(6.0).vary_speed(2.0).at_most(2);
    let shots = Cue::of(sounds(9)).expect("variants").order(Order::Random).cooldown(ms(60));
    let (mut frames, mut told) = (Vec::new(), Vec::new());
    for round in 0..40 {
        mixer.play(Play::of(&steps).gain(0.2));
        mixer.play(Play::of(&shots).gain(0.2).delay(ms(10 * (round % 7))).tag(round));
        frames.extend(renderer.frames(100));
        told.extend(mixer.events().map(|event| match event {
            Event::Ended { tag, at, why, .. } => match why {
                Ending::Stolen { by_tag, level, .. } => format!("{tag} {at} {by_tag} {level}"),
                why => format!("{tag} {at} {why:?}"),
            },
            _ => String::new(),
        }));
    }
    (frames, told)
}

#[test]
fn the_same_seed_is_the_same_game_to_the_bit_and_another_is_another() {
    let ((frames, told), (again, told_again)) = (game(5), game(5));
    assert!(bits(&frames) == bits(&again));
    assert_eq!(told, told_again);
    assert!(told.iter().any(|it| it.contains("Cooldown")), "{told:?}");
    assert_ne!(bits(&frames), bits(&game(6).0));
    assert_eq!(Config::DEFAULT.seed, 0);
}

/// The dice fall when `play` is called, so a play that is turned away took its variant with it.
#[test]
fn a_play_that_is_turned_away_has_rolled_too() {
    let (mixer, mut renderer) = open(Config { commands: 2, ..Config::DEFAULT });
    let cue = Cue::of(blips(4)).expect("variants").order(Order::Sequence);
    assert!(mixer.play(&cue).is_some() && mixer.play(&cue).is_some());
    assert_eq!((mixer.play(&cue), mixer.stats().turned_away), (None, 1));
    renderer.frames(512);
    let mut names = ended(&mixer);
    assert!(mixer.play(&cue).is_some());
    renderer.frames(512);
    names.extend(ended(&mixer));
    assert_eq!(names.iter().map(|it| &**it).collect::<Vec<_>>(), ["0", "1", "3"]);
}

/// How far gains and speeds go: to both ends, and no further.
#[test]
fn gain_varies_in_decibels_and_speed_in_semitones() {
    let (mixer, mut renderer) = open(Config { voices: 256, ..Config::DEFAULT });
    let cue = Cue::of([hum()]).expect("a variant").vary_gain(6.0);
    play_times(&mixer, &cue, 256);
    let gains: Vec<f32> = picture(&mixer, &mut renderer).iter().map(|it| it.gain).collect();
    assert_eq!(gains.len(), 256);
    let (low, high) = gains.iter().fold((9.0f32, 0.0f32), |(a, b), it| (a.min(*it), b.max(*it)));
    assert!((db(-6.0)..db(-5.7)).contains(&low) && (db(5.7)..db(6.0)).contains(&high));
    // A clip of a second lasts as long as its speed says.
    let (mixer, mut renderer) = open(Config { voices: 256, ..Config::DEFAULT });
    let clip = mono(RATE, &vec![0.0; 1000]);
    let cue = Cue::of([clip]).expect("a variant").vary_speed(-12.0);
    play_times(&mixer, &cue, 256);
    renderer.frames(3000);
    let lasted: Vec<u64> = mixer
        .events()
        .map(|event| match event {
            Event::Ended { at, .. } => at,
            other => panic!("{other:?}"),
        })
        .collect();
    let most = f64::from(semitones(12.0)) * 1000.0;
    assert!(lasted.iter().all(|it| (500..=most as u64 + 1).contains(it)), "{lasted:?}");
    assert!(lasted.iter().min() < Some(&515) && lasted.iter().max() > Some(&1940), "{lasted:?}");
}

/// Nothing but its plays holds a cue that the game has let go.
#[test]
fn a_cue_may_be_dropped_while_it_plays() {
    let (mixer, mut renderer) = open(Config::DEFAULT);
    let cue = Cue::of([mono(RATE, &[0.1; 300]).named("step")]).expect("a variant").at_most(2);
    let template = Play::of(&cue).gain(0.5);
    mixer.play(&template);
    mixer.play(cue);
    drop(template);
    assert_eq!(renderer.frames(200)[199], [0.15; 2]);
    let names: Vec<_> = picture(&mixer, &mut renderer).iter().map(|it| it.name.clone()).collect();
    assert_eq!((names.len(), ended(&mixer).iter().map(|it| &**it).collect()), (0, vec!["step"; 2]));
    assert_balanced(&mixer.stats());
}

/// Plays a cue with a limit of one, twice, and others between them. Whether the first gave way.
fn remembers(cues: usize, others: usize) -> bool {
    let (mixer, mut renderer) = open(Config { cues, ..Config::DEFAULT });
    let one = || Cue::of([hum()]).expect("a variant").at_most(1);
    let first = one();
    mixer.play(&first);
    (0..others).for_each(|_| assert!(mixer.play(one()).is_some()));
    mixer.play(&first);
    renderer.frames(256);
    assert_balanced(&mixer.stats());
    mixer.stats().stolen == 1
}

#[test]
fn more_cues_than_a_mixer_remembers_forget_the_oldest() {
    assert!(remembers(4, 0) && remembers(4, 3) && !remembers(4, 4));
    assert!(remembers(1, 0) && !remembers(1, 1));
    let (mixer, mut renderer) = open(Config { cues: 2, ..Config::DEFAULT });
    let cues: Vec<Cue> =
        (0..3).map(|_| Cue::of(blips(5)).expect("variants").order(Order::Sequence)).collect();
    let mut roll = |at: usize| rolls(&mixer, &mut renderer, &cues[at], 1)[0];
    assert_eq!([0, 1, 0, 1, 0].map(&mut roll), [0, 0, 1, 1, 2]);
    assert_eq!([2, 0, 1, 2].map(&mut roll), [0, 3, 0, 0], "the second, and then the third");
}

/// What waits for its frame when its cue is forgotten plays as if it were of none, and takes nothing from
/// the cue that has its place.
#[test]
fn a_play_of_a_forgotten_cue_is_on_its_own() {
    let (mixer, mut renderer) = open(Config { cues: 1, ..Config::DEFAULT });
    let one = || Cue::of([hum()]).expect("a variant").at_most(1).when_full(WhenFull::Refuse);
    let (old, new) = (one(), one());
    mixer.play(&old);
    mixer.play(Play::of(&old).start_at(300));
    mixer.play(&new);
    renderer.frames(512);
    assert_eq!((mixer.stats().playing, mixer.stats().refused), (3, 0));
    let refused = mixer.play(&new);
    renderer.frames(256);
    let refusal = mixer.events().find_map(|event| match event {
        Event::Ended { voice, why, .. } if Some(voice) == refused => Some(why),
        _ => None,
    });
    assert_eq!(refusal, Some(Ending::Refused { why: Refusal::CueFull }));
}

/// Whether two cues are one, to a mixer: one may play, so that the second takes its place.
fn are_one(first: &Cue, second: &Cue) -> bool {
    let (mixer, mut renderer) = open(Config::DEFAULT);
    mixer.play(first);
    mixer.play(second);
    renderer.frames(256);
    mixer.stats().stolen == 1
}

#[test]
fn clones_are_one_cue_and_one_that_is_set_up_differently_is_another() {
    let cue = Cue::of([hum()]).expect("a variant").at_most(1);
    assert!(are_one(&cue, &cue.clone()));
    let other = cue.clone().vary_gain(1.0);
    assert!(!are_one(&cue, &other) && are_one(&other, &other));
    assert!(!are_one(&cue, &cue.clone().at_most(1)));
    let alike = Cue::of([hum()]).expect("a variant").at_most(1);
    assert!(!are_one(&cue, &alike));
    // Though nobody else holds it: what plays of it was played under other terms.
    let (mixer, mut renderer) = open(Config::DEFAULT);
    mixer.play(&cue);
    mixer.play(cue.at_most(1));
    renderer.frames(256);
    assert_eq!(mixer.stats().playing, 2);
}

#[test]
fn a_limit_is_from_one_to_thirty_two() {
    for (said, meant) in [(0, 1), (1, 1), (31, 31), (32, 32), (1000, 32), (usize::MAX, 32)] {
        let (mixer, mut renderer) = open(Config::DEFAULT);
        let cue = Cue::of([hum()]).expect("a variant").at_most(said);
        play_times(&mixer, &cue, 50);
        renderer.frames(256);
        assert_eq!(mixer.stats().playing, meant);
    }
    let (mixer, mut renderer) = open(Config::DEFAULT);
    let cue = Cue::of([hum()]).expect("a variant");
    play_times(&mixer, &cue, 64);
    renderer.frames(256);
    assert_eq!((mixer.stats().playing, Cue::MOST), (64, 32));
}

#[test]
fn what_is_no_cue_says_why() {
    let error = |cue: Result<Cue, voicepool::Error>| cue.expect_err("no cue").to_string();
    assert_eq!(error(Cue::of(Vec::<Play>::new())), "a cue: it has no variants");
    let inner = Cue::of([hum()]).expect("a variant");
    let nested = [hum(), hum(), Play::of(&inner).gain(0.5)];
    assert_eq!(error(Cue::of(nested)), "a cue: its variant 2 is a cue itself");
    assert_eq!(error(Cue::of([&inner])), "a cue: its variant 0 is a cue itself");
    let config = Config { cues: 0, ..Config::DEFAULT };
    let error = Mixer::offline(config).expect_err("no cues").to_string();
    assert_eq!(error, "Config::cues is 0: it must be at least 1");
}

/// Those of one call roll one after another, and are accepted together.
#[test]
fn cues_play_together_and_are_held_as_sounds_are() {
    let (mixer, mut renderer) = open(Config::DEFAULT);
    let cue = Cue::of(blips(4)).expect("variants").order(Order::Sequence);
    let plays = [Play::of(&cue), Play::of(&cue), Play::of(&cue).start_at(200)];
    assert!(mixer.play_together(plays).is_some());
    renderer.frames(512);
    assert_eq!(ended(&mixer).iter().map(|it| &**it).collect::<Vec<_>>(), ["0", "1", "2"]);
    let held = mixer.hold(Cue::of([hum()]).expect("a variant"), ms(10));
    renderer.frames(512);
    assert!(mixer.is_live(held.id().expect("there is room")));
    drop(held);
    renderer.frames(512);
    assert_eq!(mixer.stats().live, 0);
}
