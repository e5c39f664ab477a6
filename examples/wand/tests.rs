//! The app without eyes: keys go in, ticks pass, and the screen is read as text.

mod ear;
mod lesson;
mod seen;

use std::path::Path;
use std::sync::OnceLock;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Rect;
use voicepool::{Config, Mixer, Renderer, Sound, VoiceInfo, VoiceState};

use crate::folder;
use crate::input;
use crate::logic::app::App;
use crate::logic::cast::Cast;
use crate::logic::keys::{Action, KEYS, Key};
use crate::logic::wand::{MOST_VOICES, TICKS, Wand};
use crate::view;

/// Lower than a device's, so that a minute passes in seconds.
const RATE: u32 = 12_000;

/// Loaded once, for all of the tests, and at their own rate: to resample takes longer.
fn own_sounds() -> &'static [Sound] {
    static SOUNDS: OnceLock<Vec<Sound>> = OnceLock::new();
    SOUNDS.get_or_init(|| {
        let (mixer, _renderer) = Mixer::offline(Config::default()).unwrap();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/sounds");
        let cast = folder::load(Path::new(folder), &mixer).unwrap();
        cast.members.into_iter().map(|member| member.sound).collect()
    })
}

/// An app that is played offline.
struct Stand {
    app: App,
    renderer: Renderer,
    /// Where the stage was last drawn.
    stage: Rect,
}

impl Stand {
    fn new(voices: usize) -> Stand {
        Stand::of(voices, own_sounds().to_vec())
    }

    /// One that plays these sounds.
    fn of(voices: usize, sounds: Vec<Sound>) -> Stand {
        let config =
            Config { voices, sample_rate: RATE, max_voices: MOST_VOICES, ..Config::default() };
        let (mixer, renderer) = Mixer::offline(config).unwrap();
        let cast = Cast::of(sounds, Vec::new());
        Stand { app: App::new(Wand::new(mixer, cast, 1)), renderer, stage: Rect::default() }
    }

    /// One in which somebody has taken over.
    fn taken_over(voices: usize) -> Stand {
        let mut stand = Stand::new(voices);
        stand.press('m').press('m');
        stand
    }

    fn press(&mut self, key: char) -> &mut Stand {
        self.app.key(Key::Char(key));
        self
    }

    fn pass(&mut self, ticks: u64) -> &mut Stand {
        for _ in 0..ticks {
            self.app.tick();
            self.renderer.frames(RATE as usize / TICKS as usize);
        }
        self
    }

    /// A key, as a terminal tells of it.
    fn terminal_key(&mut self, key: KeyEvent) {
        input::key(key).into_iter().for_each(|key| self.app.key(key));
    }

    fn click(&mut self, column: u16, row: u16) {
        let kind = MouseEventKind::Down(MouseButton::Left);
        let mouse = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        input::click(mouse, self.stage).into_iter().for_each(|at| self.app.click(at));
    }

    /// What is on a screen of this size, line by line.
    fn screen(&mut self, columns: u16, rows: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal.draw(|frame| self.stage = view::draw(frame, &self.app)).unwrap();
        terminal.backend().to_string()
    }
}

#[test]
fn every_sound_has_a_key_of_its_own_and_none_of_the_app_s() {
    let stand = Stand::new(16);
    for (index, member) in stand.app.wand.cast.members.iter().enumerate() {
        let key = member.key.expect("fifteen sounds, forty keys");
        assert_eq!(stand.app.wand.cast.on_key(key), Some(index));
    }
    for (_, codes, _, _) in KEYS {
        for code in codes {
            let Key::Char(key) = code else { continue };
            assert!(!crate::logic::cast::KEYS.contains(*key), "{key} is taken twice");
        }
    }
}

#[test]
fn a_sound_s_key_plays_it() {
    let mut stand = Stand::taken_over(16);
    let (name, key) =
        (&stand.app.wand.cast.members[4].name.clone(), stand.app.wand.cast.members[4].key);
    stand.press(key.unwrap()).pass(3);
    let playing: Vec<&str> = stand.app.voices.iter().map(|voice| &*voice.name).collect();
    assert_eq!(playing, [name]);
    assert_eq!(stand.app.wand.tally.sounds[4].plays, 1);
}

#[test]
fn a_wave_is_heard_and_seen() {
    let mut stand = Stand::taken_over(16);
    stand.press(' ').pass(10);
    let early = stand.app.stage.len();
    stand.pass(20);
    assert!(stand.app.stage.len() > early, "every sparkle comes with its sound");
    assert!(early > 10 && stand.app.wand.stats.playing > 1);
    let screen = stand.screen(80, 24);
    assert!(screen.contains("wand_swish"), "{screen}");
}

#[test]
fn a_storm_floods_the_pool_until_it_is_called_off() {
    let mut stand = Stand::taken_over(8);
    stand.press('s').pass(2 * TICKS);
    assert_eq!((stand.app.wand.stats.playing, stand.app.wand.is_storming()), (8, true));
    let stolen = stand.app.wand.tally.all.stolen;
    assert!(stolen > 100, "{stolen} stolen");
    let screen = stand.screen(80, 24);
    assert!(screen.contains(" stole ") && screen.contains('◂'), "{screen}");
    stand.press('s').pass(5 * TICKS);
    assert_eq!(stand.app.wand.stats.playing, 0);
}

/// A tone of so many seconds.
fn tone(name: &str, seconds: usize) -> Sound {
    let samples: Vec<f32> = (0..seconds * RATE as usize).map(|n| (n as f32 * 0.2).sin()).collect();
    Sound::from_mono(RATE, &samples).unwrap().named(name)
}

#[test]
fn a_long_sound_is_not_thrown_but_goes_with_the_ambience_and_on_its_key() {
    let sounds = vec![tone("song", 30), tone("symphony", 60), tone("x", 1), tone("y_loop", 1)];
    let mut stand = Stand::of(8, sounds);
    stand.press('m').press('s').press(' ').pass(4 * TICKS);
    let plays = |stand: &Stand| -> Vec<u64> {
        stand.app.wand.tally.sounds.iter().map(|losses| losses.plays).collect()
    };
    assert_eq!(plays(&stand)[..2], [0, 0]);
    assert!(plays(&stand)[2] > 400, "{:?}", plays(&stand));
    stand.press('s').press('a').pass(TICKS);
    assert_eq!(plays(&stand)[..2], [1, 0], "one at a time");
    stand.press('a').press('a').pass(TICKS);
    assert_eq!(plays(&stand)[..2], [1, 1], "and then the other");
    stand.press('a').press('1').pass(10 * TICKS);
    let playing: Vec<&str> = stand.app.voices.iter().map(|voice| &*voice.name).collect();
    assert_eq!(playing, ["song"], "who plays it by its key hears it to its end");
}

#[test]
fn where_there_is_nothing_but_long_sounds_three_seconds_of_each_are_thrown() {
    let mut stand = Stand::of(8, vec![tone("song", 30), tone("symphony", 60)]);
    stand.press('m').press('s').pass(4 * TICKS);
    assert_eq!(stand.app.wand.stats.playing, 8);
    stand.press('s').pass(2 * TICKS);
    assert_eq!(stand.app.wand.stats.playing, 8);
    stand.pass(2 * TICKS);
    assert_eq!(stand.app.wand.stats.live, 0);
}

#[test]
fn the_pool_grows_and_shrinks_by_key_and_the_answer_goes_round() {
    let mut stand = Stand::taken_over(16);
    stand.press('+').pass(2);
    assert_eq!(stand.app.wand.stats.voices, 24);
    stand.press('-').pass(2);
    stand.press('-').pass(2);
    assert_eq!(stand.app.wand.stats.voices, 12);
    let mut answers = Vec::new();
    for _ in 0..4 {
        stand.press('w');
        answers.push(stand.app.wand.answer());
    }
    assert_eq!(answers, [1, 2, 3, 0]);
}

#[test]
fn the_smallest_and_the_largest_pool_stay_as_they_are() {
    let mut stand = Stand::taken_over(1);
    stand.press('-').pass(2);
    assert_eq!(stand.app.wand.stats.voices, 1);
    let mut stand = Stand::taken_over(MOST_VOICES);
    stand.press('+').pass(2);
    assert_eq!(stand.app.wand.stats.voices, MOST_VOICES);
}

#[test]
fn refused_sounds_are_counted_and_told() {
    let mut stand = Stand::taken_over(4);
    stand.press('w').press('w').press('s').pass(TICKS);
    assert!(stand.app.wand.tally.all.refused > 20 && stand.app.wand.tally.all.stolen == 0);
    assert!(stand.screen(80, 24).contains("was refused"));
}

#[test]
fn a_frozen_theft_shows_its_victim_among_the_others_and_stays() {
    let mut stand = Stand::taken_over(8);
    stand.press('f');
    assert!(!stand.app.frozen, "nothing was stolen yet");
    stand.press('s').pass(2 * TICKS).press('f').press('s');
    let scene = stand.app.last_theft.clone().unwrap();
    let is_victim = |(voice, _): &(VoiceInfo, f32)| voice.voice == scene.theft.voice;
    let place = scene.candidates.iter().position(is_victim).expect("the victim was there");
    assert!(place < 2 && scene.candidates.len() > 5, "number {place} of those who go first");
    let screen = stand.screen(80, 24);
    assert!(screen.contains("◀ stolen"), "{screen}");
    stand.pass(TICKS);
    assert_eq!(stand.app.last_theft.as_ref().unwrap().theft.voice, scene.theft.voice);
    stand.app.key(Key::Escape);
    assert!(!stand.app.frozen && !stand.app.quit);
}

#[test]
fn the_frozen_candidates_stand_in_the_order_in_which_they_would_go() {
    let mut stand = Stand::taken_over(8);
    stand.press('a').press('s').pass(2 * TICKS);
    let candidates = stand.app.last_theft.clone().unwrap().candidates;
    assert!(candidates.iter().all(|(voice, _)| voice.slot.is_some()), "{candidates:#?}");
    assert!(
        candidates
            .is_sorted_by(|(a, _), (b, _)| { (a.priority, a.level) <= (b.priority, b.level) })
    );
}

#[test]
fn ambience_begins_parks_and_ends() {
    let mut stand = Stand::taken_over(2);
    stand.press('a').pass(TICKS);
    assert!(stand.app.wand.has_ambience());
    let parked = stand.app.voices.iter().filter(|voice| voice.state == VoiceState::Parked);
    let parked: Vec<String> = parked.map(|voice| voice.name.to_string()).collect();
    assert_eq!(parked.len(), 1, "three loops, two voices");
    assert!(stand.screen(80, 24).contains(&format!("parked {}", parked[0])));
    stand.press('a').pass(2 * TICKS);
    assert_eq!((stand.app.wand.has_ambience(), stand.app.wand.stats.live), (false, 0));
}

#[test]
fn under_water_the_treble_is_gone_until_it_is_left() {
    // The power of what changes from frame to frame, as a share of all.
    let treble = |stand: &mut Stand| {
        let frames = stand.pass(TICKS).renderer.frames(RATE as usize);
        let power = |samples: Vec<f32>| samples.iter().map(|s| f64::from(s * s)).sum::<f64>();
        let steps = frames.windows(2).map(|pair| pair[1][0] - pair[0][0]).collect();
        power(steps) / power(frames.iter().map(|frame| frame[0]).collect())
    };
    let mut stand = Stand::taken_over(16);
    let air = treble(stand.press('a'));
    let water = treble(stand.press('u'));
    assert!(water < air / 10.0, "{air}, then {water}");
    assert!(stand.screen(80, 24).contains(" · water"));
    let air_again = treble(stand.press('u'));
    assert!(air_again > air / 2.0, "{air}, at the end {air_again}");
    assert!(!stand.screen(80, 24).contains(" · water"));
}

#[test]
fn a_cave_rings_on_when_nothing_plays_any_more() {
    let ring = |in_cave: bool| {
        let mut stand = Stand::taken_over(16);
        if in_cave {
            stand.press('r').pass(1);
        }
        assert_eq!(stand.screen(80, 24).contains(" · cave"), in_cave);
        stand.press('1').press('5').pass(1);
        stand.app.wand.hush(std::time::Duration::ZERO);
        stand.pass(TICKS / 4);
        assert_eq!(stand.app.wand.stats.live, 0);
        stand.renderer.frames(1000).iter().any(|frame| *frame != [0.0; 2])
    };
    assert!(ring(true) && !ring(false));
    let mut stand = Stand::taken_over(16);
    stand.press('r').press('s').pass(TICKS).press('r').press('s').pass(TICKS);
    assert!(!stand.app.wand.is_in_cave() && !stand.screen(80, 24).contains(" · cave"));
}

#[test]
fn the_buses_show_their_voices_and_where_they_are_mixed_by_themselves_their_levels() {
    let mut stand = Stand::taken_over(16);
    stand.press('a').press('s').pass(TICKS);
    let line = |stand: &mut Stand, name: &str| {
        let screen = stand.screen(120, 40);
        let line = screen.lines().find_map(|line| line.split_once(&format!("{name} ")));
        line.unwrap_or_else(|| panic!("{name}\n{screen}")).1.trim_matches([' ', '"']).to_owned()
    };
    assert_eq!(line(&mut stand, "ambience"), "3");
    assert_eq!(line(&mut stand, "spells"), "13");
    let loud = line(stand.press('u').pass(TICKS), "spells");
    assert!(loud.contains('█') && loud.ends_with(" dB"), "{loud}");
    stand.press('u').pass(2 * TICKS);
    assert_eq!(line(&mut stand, "ambience"), "3", "dry, it is measured no more");
}

#[test]
fn the_ambience_makes_room_for_spells_while_they_sound() {
    let mut stand = Stand::taken_over(16);
    let ducked = |stand: &Stand| stand.app.buses.map(|bus| bus.ducked.map(f32::round));
    stand.press('a').press('t').pass(TICKS);
    assert_eq!(ducked(&stand), [None, None], "nobody casts");
    stand.press('s').pass(TICKS);
    assert_eq!(ducked(&stand), [None, Some(-9.0)]);
    assert!(stand.screen(120, 40).contains("▾9 dB") && stand.screen(80, 24).contains(" · duck"));
    stand.press('s').pass(4 * TICKS);
    assert_eq!(ducked(&stand), [None, None]);
    stand.press('s').press('t').pass(TICKS);
    assert_eq!(ducked(&stand), [None, None], "it makes room no more");
    assert!(!stand.screen(80, 24).contains(" · duck"));
}

#[test]
fn the_smallest_screen_has_room_for_all_that_is_on_in_a_storm() {
    let mut stand = Stand::taken_over(16);
    ['s', 'u', 'r', 't'].into_iter().for_each(|key| _ = stand.press(key));
    let says = "steal the quietest · storm · water · cave · duck";
    assert!(stand.screen(80, 24).contains(says));
}

#[test]
fn mute_pause_and_volume_do_what_they_say() {
    let mut stand = Stand::taken_over(8);
    let is_silent = |stand: &mut Stand| {
        stand.pass(TICKS).renderer.frames(1000).iter().all(|frame| *frame == [0.0; 2])
    };
    stand.press('s').pass(TICKS);
    assert!(is_silent(stand.press('m')), "muted");
    assert!(!is_silent(stand.press('m')));
    assert!(is_silent(stand.press('p')), "paused");
    let mut stand = Stand::taken_over(8);
    (0..30).for_each(|_| stand.app.key(Key::Up));
    assert_eq!(stand.app.volume, 6);
    (0..30).for_each(|_| stand.app.key(Key::Down));
    assert_eq!(stand.app.volume, -48);
}

#[test]
fn a_click_casts_at_the_pointer_and_is_heard_from_there() {
    let mut stand = Stand::taken_over(16);
    stand.screen(120, 40);
    let area = stand.stage;
    stand.click(area.right(), area.y);
    assert_eq!(stand.pass(2).app.wand.tally.all.plays, 0, "beside the stage");
    stand.click(area.right() - 1, area.y);
    stand.pass(3);
    let swish = stand.app.voices.iter().find(|voice| &*voice.name == "wand_swish").unwrap();
    assert!(swish.pan > 0.95, "{}", swish.pan);
    let rightmost = stand.app.stage.sparkles().map(|sparkle| sparkle.x).fold(0.0, f32::max);
    assert!(rightmost > 0.9);
}

#[test]
fn left_alone_it_plays_and_gives_everything_back() {
    let mut stand = Stand::new(16);
    let mut captions = Vec::new();
    for _ in 0..26 {
        stand.pass(TICKS);
        captions.extend(stand.app.caption().map(str::to_owned));
    }
    captions.dedup();
    assert_eq!(captions.len(), 7, "{captions:#?}");
    assert!(stand.app.wand.tally.all.stolen > 100 && stand.app.plays_by_itself());
    assert_eq!((stand.heard(), stand.app.wand.has_ambience()), (Some('B'), true));
    stand.press('m').pass(TICKS);
    assert!(!stand.app.plays_by_itself() && !stand.app.wand.is_storming());
    assert_eq!((stand.app.wand.answer(), stand.heard()), (0, None));
    assert_eq!((stand.app.wand.stats.live, stand.app.wand.has_ambience()), (0, false));
    stand.press('a').pass(11 * TICKS);
    assert!(!stand.app.plays_by_itself(), "it waits a while");
    stand.pass(2 * TICKS);
    assert!(stand.app.plays_by_itself());
    stand.press('m').pass(TICKS);
    assert!(stand.app.wand.has_ambience(), "as it was when self-play began");
}

#[test]
fn whoever_takes_over_a_doubled_pool_gets_it_back_at_its_size() {
    let mut stand = Stand::new(16);
    stand.pass(36 * TICKS);
    assert_eq!(stand.app.wand.stats.voices, 32);
    stand.press('m').pass(2 * TICKS);
    assert_eq!(stand.app.wand.stats.voices, 16);
}

#[test]
fn every_way_out_quits_and_a_key_that_comes_up_does_nothing() {
    for key in [KeyCode::Char('q').into(), KeyCode::Esc.into(), control('c')] {
        let mut stand = Stand::taken_over(4);
        stand.terminal_key(key);
        assert!(stand.app.quit, "{key:?}");
    }
    let mut stand = Stand::taken_over(4);
    let up = KeyEvent { kind: KeyEventKind::Release, ..KeyCode::Char('q').into() };
    stand.terminal_key(up);
    stand.terminal_key(control('q'));
    stand.terminal_key(KeyEvent::new(KeyCode::Char('q'), KeyModifiers::ALT));
    assert!(!stand.app.quit);
}

fn control(key: char) -> KeyEvent {
    KeyEvent::new(KeyCode::Char(key), KeyModifiers::CONTROL)
}

#[test]
fn the_help_shows_every_key_and_every_sound() {
    let mut stand = Stand::taken_over(16);
    stand.press('?');
    let screen = stand.screen(80, 24);
    for (written, codes, does, _) in KEYS {
        assert!(screen.contains(&format!(" {written}  {does}")), "{does}\n{screen}");
        for code in codes {
            let name = match code {
                Key::Char(' ') => "space".into(),
                Key::Char(key) => key.to_string(),
                Key::Escape => "esc".into(),
                Key::Up => "↑".into(),
                Key::Down => "↓".into(),
                Key::Left => "←".into(),
                Key::Right => "→".into(),
            };
            assert!(written.split(' ').any(|each| each == name), "{name} is missing in {written}");
        }
    }
    for member in &stand.app.wand.cast.members {
        assert!(screen.contains(&member.name), "{}\n{screen}", member.name);
    }
    stand.app.key(Key::Escape);
    assert!(!stand.app.help && !stand.app.quit);
    assert_eq!(KEYS.iter().filter(|(_, _, _, action)| *action == Action::Help).count(), 1);
}

#[test]
fn it_can_be_drawn_at_any_size_in_any_state() {
    let mut stand = Stand::new(16);
    let sizes = [(1, 1), (79, 24), (80, 23), (80, 24), (81, 25), (100, 30), (120, 36), (300, 90)];
    for voices in ['+', '+', '+', '+', '+', '-'] {
        for state in ['m', 's', 'u', 'r', 't', 'e', 'f', '?', '?', 'f'] {
            stand.press(state).pass(5);
            for (columns, rows) in sizes {
                stand.screen(columns, rows);
            }
        }
        stand.press(voices).pass(2);
    }
    assert!(stand.screen(79, 24).contains("needs 80 x 24"));
}
