//! The game, played by its script without a window.

use voicepool::{BusState, Config, Ending, Event, Refusal, VoiceState, db, fader};

use super::*;
use crate::sounds::{BLASTS, MUSIC, RAIN, SPEECH, WORLD};
use crate::world::CAVE;

const CONFIG: Config = Config { voices: 24, seed: 1, ..Config::DEFAULT };

/// Plays the script for so long, and looks at the game after each of its steps.
fn watch(seconds: f32, mut look: impl FnMut(&mut Game)) -> Game {
    let (mixer, mut renderer) = Mixer::offline(CONFIG).unwrap();
    let world = World::new(CONFIG.seed);
    let mut game = Game { world, sounds: Sounds::new(mixer).unwrap(), in_menu: false };
    let mut hero = (0, 0);
    for _ in 0..(seconds / STEP) as usize {
        game.step(&script(&mut hero, &game));
        renderer.frames(800);
        look(&mut game);
    }
    let stats = game.sounds.mixer.stats();
    let ended = stats.finished + stats.stopped + stats.stolen + stats.refused;
    assert_eq!(stats.accepted, ended + stats.live as u64, "the books balance");
    assert_eq!((stats.turned_away, stats.panics, stats.missed_events), (0, 0, 0));
    game
}

/// What ended since it was last asked, and why.
fn ended(game: &Game) -> Vec<(String, Ending)> {
    let ended = game.sounds.mixer.events().filter_map(|event| match event {
        Event::Ended { name, why, .. } => Some((name.to_string(), why)),
        _ => None,
    });
    ended.collect()
}

#[test]
fn the_same_seed_is_the_same_game_to_the_bit_and_another_is_another() {
    let heard = |seed| headless(6.0, Config { seed, ..CONFIG }).unwrap().2;
    let first = heard(1);
    assert_eq!(first.len(), 6 * 48_000);
    assert!(first == heard(1) && first != heard(2));
    assert!(first.iter().flatten().any(|sample| sample.abs() > 0.05));
}

#[test]
fn the_boss_is_heard_from_when_it_comes() {
    let (mut seen, mut heard) = (0, 0);
    watch(14.0, |game| {
        ended(game);
        let voices = game.sounds.mixer.voices();
        if let Some(boss) = game.world.foes.iter().find(|foe| foe.boss) {
            let is_heard = |voice: &voicepool::VoiceInfo| voice.tag == boss.id && voice.level > 0.0;
            (seen, heard) = (seen + 1, heard + usize::from(voices.iter().any(is_heard)));
        }
    });
    assert!(
        seen > 180 && heard + 2 >= seen,
        "{heard} of {seen}: two steps until a snapshot has it"
    );
}

#[test]
fn explosions_are_limited_and_a_heap_of_coins_is_one() {
    let (mut blasts, mut endings) = (0, Vec::new());
    watch(18.0, |game| {
        blasts = blasts.max(game.sounds.mixer.bus_stats(BLASTS).playing);
        endings.extend(ended(game));
    });
    let count = |named: &str, why: fn(&Ending) -> bool| {
        endings.iter().filter(|(name, ending)| name == named && why(ending)).count()
    };
    assert_eq!(blasts, 3, "at most");
    assert!(count("explosion", |why| matches!(why, Ending::Stolen { .. })) > 0);
    let merged = |why: &Ending| matches!(why, Ending::Refused { why: Refusal::Merged { .. } });
    assert!(count("coin", merged) >= 5);
    assert!(count("coin", |why| *why == Ending::Finished) > 8);
    assert!(count("footstep_1", |_| true) > 5 && count("footstep_2", |_| true) > 5);
}

#[test]
fn what_is_out_of_earshot_parks_and_the_cave_rings() {
    let (mut parked, mut inside, mut grey) = (0, 0, 0);
    watch(10.0, |game| {
        ended(game);
        let mixer = &game.sounds.mixer;
        parked = parked.max(mixer.stats().parked);
        let is_inside = CAVE.contains(game.world.hero);
        inside += usize::from(is_inside);
        assert_eq!(mixer.bus(WORLD).sends[0] > 0.0, is_inside);
        assert_eq!(mixer.bus(RAIN).low_pass < 20_000.0, is_inside);
        grey += game.world.foes.iter().filter(|it| world::walled(game.world.hero, it.at)).count();
    });
    assert!(parked >= 4 && inside > 60 && grey > 60, "{parked} {inside} {grey}");
}

#[test]
fn the_music_bows_before_the_line_is_heard() {
    let (mut deepest, mut first_word) = (1.0f32, None);
    watch(12.0, |game| {
        ended(game);
        let mixer = &game.sounds.mixer;
        deepest = deepest.min(mixer.bus_stats(MUSIC).duck);
        if mixer.bus_stats(SPEECH).playing > 0 {
            first_word.get_or_insert(mixer.bus_stats(MUSIC).duck);
        }
    });
    assert_eq!((deepest, first_word), (db(-12.0), Some(db(-12.0))));
}

#[test]
fn the_menu_muffles_the_world_and_leaves_the_sliders_where_they_were_put() {
    let mut before: Option<voicepool::Mix> = None;
    let mut in_menu = 0;
    let game = watch(23.0, |game| {
        ended(game);
        let mixer = &game.sounds.mixer;
        if !game.in_menu {
            before = (in_menu == 0).then(|| mixer.mix()).or(before.take());
            return;
        }
        in_menu += 1;
        assert!(mixer.bus(WORLD).paused && mixer.bus(SPEECH).paused && !mixer.bus(MUSIC).paused);
        assert!([WORLD, RAIN, MUSIC].iter().all(|bus| mixer.bus(*bus).low_pass == 400.0));
    });
    assert_eq!(in_menu, 180);
    let (mixer, mut before) = (&game.sounds.mixer, before.unwrap());
    let gain = fader(0.41);
    assert_eq!(mixer.bus(MUSIC).gain, gain);
    before.set_bus_state(MUSIC, BusState { gain, ..*before.bus(MUSIC) });
    // Whether the hero is in the cave may have changed since.
    assert_eq!(mixer.bus(MUSIC), *before.bus(MUSIC));
    assert!(!mixer.bus(WORLD).paused && mixer.bus(WORLD).low_pass == 20_000.0);
}

#[test]
fn a_foe_that_is_gone_growls_no_more() {
    let (mut lately, mut growls) = (vec![Vec::new(); 3], 0);
    watch(9.0, |game| {
        ended(game);
        // A picture of the voices may be two steps old.
        lately.remove(0);
        lately.push(game.world.foes.iter().map(|foe| foe.id).collect());
        for voice in game.sounds.mixer.voices() {
            if &*voice.name == "growl_loop" && voice.state != VoiceState::Stopping {
                assert!(lately.iter().flatten().any(|id| *id == voice.tag));
                growls += 1;
            }
        }
    });
    assert!(growls > 500);
}

#[test]
fn the_game_can_be_read_in_one_sitting() {
    let files = [
        include_str!("main.rs"),
        include_str!("world.rs"),
        include_str!("sounds.rs"),
        include_str!("draw.rs"),
    ];
    let lines: usize = files.iter().map(|file| file.lines().count()).sum();
    assert!(lines < 600, "{lines} lines");
}
