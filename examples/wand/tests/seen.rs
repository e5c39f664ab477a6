//! What a person sees: the screen against what the mixer says.

use voicepool::{Priority, to_db};

use super::*;
use crate::logic::app::{Entry, Kind, Scene, decibels};
use crate::logic::cast::Skipped;

impl Stand {
    /// Plays a sound by its key.
    fn call(&mut self, name: &str) -> &mut Stand {
        let member = self.app.wand.cast.members.iter().find(|member| member.name == name);
        self.press(member.and_then(|member| member.key).unwrap())
    }

    /// Clicks into the upper right corner of the stage, where it was last drawn.
    fn click_right(&mut self) {
        self.click(self.stage.right() - 1, self.stage.y);
    }

    /// The first line on the screen that contains a text, without its quotes.
    fn line(&mut self, columns: u16, rows: u16, text: &str) -> String {
        let screen = self.screen(columns, rows);
        let line = screen.lines().find(|line| line.contains(text));
        line.unwrap_or_else(|| panic!("{text}\n{screen}")).trim_matches('"').to_owned()
    }
}

/// How often each sound was played.
fn plays(stand: &Stand) -> Vec<u64> {
    stand.app.wand.tally.sounds.iter().map(|losses| losses.plays).collect()
}

fn blocks(line: &str) -> usize {
    line.chars().filter(|c| *c == '█').count()
}

#[test]
fn a_theft_is_told_with_both_names_and_flashes_where_the_victim_sat() {
    let mut stand = Stand::taken_over(2);
    stand.call("chime").pass(2).call("explosion").pass(6);
    let victim = stand.app.voices.iter().min_by(|a, b| a.level.total_cmp(&b.level)).unwrap();
    let (victim, slot) = (victim.name.to_string(), victim.slot.unwrap());
    stand.call("coin").pass(2);
    assert_eq!(stand.app.flashes.keys().copied().collect::<Vec<_>>(), [slot]);
    let told = stand.app.log.back().unwrap().clone();
    assert!(told.text.starts_with(&format!("coin stole {victim} at −")), "{}", told.text);
    assert_eq!(told.kind, Kind::Loud);
    let cells = stand.line(80, 24, "coin◂");
    let cell: String = cells.chars().skip(40 * slot).take(39).collect();
    assert_eq!(cell.trim_end(), format!("coin◂{victim}"));
    stand.pass(TICKS);
    assert!(stand.app.flashes.is_empty());
    assert!(!stand.screen(80, 24).contains("coin◂"));
}

#[test]
fn a_cell_shows_its_voice_as_it_is() {
    for (name, signs) in [("chime", "▸N0.5s"), ("drone_loop", "▸N0.5s")] {
        let mut stand = Stand::taken_over(1);
        stand.call(name).pass(32);
        let cell = stand.line(80, 24, signs);
        assert!(cell.starts_with(name), "{cell}");
        let level = to_db(stand.app.voices[0].level);
        assert_eq!(blocks(&cell), ((1.0 + level / 60.0) * 12.0) as usize, "{level} dB {cell}");
    }
    let mut stand = Stand::taken_over(1);
    stand.press(' ').pass(3);
    let swish = &stand.app.voices[0];
    assert!(swish.priority == Priority::High && swish.pan < -0.25);
    stand.line(80, 24, "◂H0.");
    stand.line(80, 24, "1 of 1 play");
}

#[test]
fn the_meters_show_their_own_side_and_hold_the_peak_for_a_while() {
    let mut stand = Stand::taken_over(8);
    stand.screen(80, 24);
    stand.click_right();
    stand.pass(20);
    let [left, right] = stand.app.meters;
    assert!(right.level > 2.0 * left.level, "{left:?} {right:?}");
    assert!(blocks(&stand.line(80, 24, "R █")) > blocks(&stand.line(80, 24, "L █")));
    stand.line(80, 24, "│");
    stand.pass(6 * TICKS);
    stand.call("ui_click").pass(TICKS);
    let [meter, _] = stand.app.meters;
    assert!(meter.hold > 2.0 * meter.level, "{meter:?}");
    let peak = meter.hold;
    stand.pass(3 * TICKS);
    assert!(stand.app.meters[0].hold < peak / 2.0);
}

#[test]
fn a_click_above_is_seen_above() {
    let mut stand = Stand::taken_over(8);
    stand.screen(80, 24);
    stand.click_right();
    stand.pass(2);
    let heights: Vec<f32> = stand.app.stage.sparkles().map(|sparkle| sparkle.y).collect();
    assert!(!heights.is_empty() && heights.iter().all(|y| *y > 0.6), "{heights:?}");
    let is_dot = |c: char| ('\u{2801}'..='\u{28ff}').contains(&c);
    let screen = stand.screen(80, 24);
    let dots: Vec<usize> = (0..)
        .zip(screen.lines())
        .filter(|(_, line)| line.contains(is_dot))
        .map(|(y, _)| y)
        .collect();
    assert!(!dots.is_empty() && dots.iter().all(|y| *y < 5), "{screen}");
}

#[test]
fn what_was_done_is_said_for_a_while_and_a_pause_stops_the_stage() {
    let mut stand = Stand::taken_over(8);
    stand.press('w').pass(1);
    stand.line(80, 24, "when the pool is full: steal the oldest");
    stand.pass(5 * TICKS);
    assert_eq!(stand.app.caption(), None);
    stand.press(' ').pass(20).press('p').pass(1);
    stand.line(80, 24, " · paused");
    let sparkles = |stand: &Stand| stand.app.stage.sparkles().copied().collect::<Vec<_>>();
    let before = sparkles(&stand);
    stand.pass(20);
    assert!(!before.is_empty() && before == sparkles(&stand));
}

#[test]
fn it_does_not_begin_by_itself_while_somebody_reads() {
    let mut stand = Stand::taken_over(8);
    stand.press('?').pass(14 * TICKS);
    assert!(!stand.app.plays_by_itself());
    stand.press('?').press('a').pass(16 * TICKS);
    assert!(stand.app.plays_by_itself());
    let Wand { cast, tally, .. } = &stand.app.wand;
    assert!(cast.loops.iter().all(|&sound| tally.sounds[sound].plays == 0), "the loops go on");
    assert!(cast.steps.iter().any(|&sound| tally.sounds[sound].plays > 1), "the hero walks");
    let ambience = stand.app.voices.iter().find(|voice| voice.priority == Priority::Protected);
    assert_eq!(&*ambience.unwrap().name, "ambience_bed");
}

#[test]
fn the_ear_test_says_in_large_letters_which_part_is_heard() {
    // The first two rows of the letters.
    let now = ["█▄  █ ▄▀▀▀▄ █   █   ", "█▀▄ █ █   █ █ ▄ █   "];
    let large = |letter: [&str; 2]| [0, 1].map(|row| format!("  {}{}", now[row], letter[row]));
    let (a, b) = (large(["▄▀▀▀▄", "█▄▄▄█"]), large(["█▀▀▀▄", "█▄▄▄▀"]));
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut stand = Stand::taken_over(16);
        stand.press('e').pass(TICKS / 2);
        stand.line(columns, rows, "next: stealing the quietest");
        stand.pass(TICKS);
        stand.line(columns, rows, "▶ stealing the quietest");
        a.iter().for_each(|row| drop(stand.line(columns, rows, row)));
        stand.line(columns, rows, "  B in 5 s");
        stand.pass(5 * TICKS);
        stand.line(columns, rows, "▶ stealing the oldest");
        b.iter().for_each(|row| drop(stand.line(columns, rows, row)));
        stand.line(columns, rows, "  A in 5 s");
    }
}

#[test]
fn the_ear_test_shows_what_each_part_of_the_same_storm_has_lost() {
    let mut stand = Stand::taken_over(16);
    let mut storms = Vec::new();
    for _ in 0..2 {
        let before = plays(&stand);
        stand.press('e').pass(3 * TICKS);
        let storm: Vec<u64> =
            plays(&stand).iter().zip(before).map(|(after, before)| after - before).collect();
        storms.push(storm);
    }
    assert_eq!(storms[0], storms[1]);
    let losses = stand.app.ear_test.as_ref().unwrap().losses;
    let [quietest, oldest] = losses.map(|losses| losses.worst.unwrap());
    assert!(quietest.level < oldest.level - 6.0, "{quietest:?} {oldest:?}");
    let cast = &stand.app.wand.cast;
    let names = [quietest, oldest].map(|loss| cast.name(loss.sound).to_owned());
    let title = stand.line(80, 24, "A steals the quietest");
    assert!(title.trim_end().ends_with("t  B steals the oldest"), "{title}");
    let screen = stand.screen(80, 24);
    let panel = screen.lines().skip_while(|line| !line.contains("A steals"));
    let panel: Vec<&str> = panel.take(6).collect();
    assert!(names.iter().all(|name| panel[5].contains(name)), "{names:?}\n{screen}");
    let counts = panel.iter().any(|line| line.contains("stolen") || line.contains("thefts"));
    assert!(!counts, "how many were stolen says nothing of what was lost\n{screen}");
    let lesson = stand.app.lesson();
    for (name, whom, loss) in [(&names[0], "quietest", quietest), (&names[1], "oldest", oldest)] {
        let told = format!("refused, loudest loss: {name} at {}\n", decibels(loss.level));
        let line = lesson.lines().find(|line| line.starts_with(&format!("steal the {whom}: ")));
        assert!(line.is_some_and(|line| line.ends_with(told.trim_end())), "{lesson}");
    }
}

#[test]
fn long_names_end_in_an_ellipsis_and_leave_the_rest_its_room() {
    let long = "the_long_name_of_a_file_from_a_pack_of_sounds";
    let sounds = own_sounds().iter().enumerate();
    let sounds = sounds.map(|(n, sound)| sound.clone().named(&format!("{n}_{long}")));
    let mut stand = Stand::of(24, sounds.collect());
    stand.press('s').pass(2 * TICKS);
    let (mut names, mut flashes) = (0, 0);
    let screen = stand.screen(80, 24);
    let rows = screen.lines().skip_while(|line| !line.contains("─ voices")).skip(1);
    for row in rows.take_while(|line| !line.contains(" parked ")) {
        let row: Vec<char> = row.trim_matches('"').chars().collect();
        for cell in row.chunks(16).filter(|cell| cell.len() == 16) {
            assert_eq!(cell[15], ' ', "cells are apart\n{screen}");
            let clipped = |part: &[char]| {
                let part: String = part.iter().collect();
                part.split_once("_the").is_some() && part.ends_with('…')
            };
            match cell.iter().position(|c| *c == '◂') {
                Some(middle) => {
                    let victim = cell[middle + 1..].iter().position(|c| *c == '…').unwrap();
                    let victim = &cell[middle + 1..=middle + 1 + victim];
                    assert!(clipped(&cell[..middle]) && clipped(victim), "{screen}");
                    flashes += 1;
                }
                None if !['·', ' '].contains(&cell[0]) => {
                    assert!(clipped(&cell[..10]) && cell[10] == ' ', "{screen}");
                    names += 1;
                }
                None => (),
            }
        }
    }
    assert!(names > 3 && flashes > 3, "{names} {flashes}\n{screen}");
    let told = stand.line(80, 24, "… stole ");
    assert!(told.contains("… at −") && told.contains(" dB "), "{told}");
    let table = screen.lines().skip_while(|line| !line.contains("─ decisions")).skip(2).take(4);
    for line in table {
        let row: String = line.chars().skip(48).collect();
        assert!(row.contains("_the_") && row.contains("… "), "{row}\n{screen}");
    }
    stand.press('f');
    let title = stand.line(80, 24, " f goes on ");
    assert!(title.contains("… stole ") && title.contains("… at −"), "{title}");
    stand.press('f').press('?');
    let help = stand.screen(80, 24);
    for (n, member) in stand.app.wand.cast.members.iter().enumerate() {
        let key = member.key.unwrap();
        let named = help
            .lines()
            .any(|line| line.contains(&format!(" {key}  {n}_the_long_na")) && line.contains('…'));
        assert!(named, "{n}\n{help}");
    }
}

#[test]
fn who_is_parked_and_has_no_room_on_the_line_is_counted() {
    let sounds = own_sounds().iter().enumerate();
    let sounds = sounds.map(|(n, sound)| sound.clone().named(&format!("{n}_a_very_long_loop")));
    let mut stand = Stand::of(1, sounds.collect());
    stand.press('a').pass(TICKS);
    let line = stand.line(80, 24, " parked ");
    assert!(line.contains("_a_very_long_… −"), "{line}");
    let shown = line.matches(" dB at ").count();
    assert!(line.trim_end().ends_with(&format!("+ {} more", 14 - shown)), "{shown} {line}");
}

#[test]
fn a_storm_is_the_same_storm_every_two_seconds() {
    let mut stand = Stand::taken_over(8);
    stand.press('s');
    let rounds = [(); 2].map(|()| {
        let before = plays(&stand);
        plays(stand.pass(2 * TICKS))
            .iter()
            .zip(before)
            .map(|(after, before)| after - before)
            .collect::<Vec<_>>()
    });
    assert_eq!(rounds[0], rounds[1]);
}

#[test]
fn the_hero_walks_to_and_fro() {
    let mut stand = Stand::taken_over(8);
    stand.app.wand.walk(true);
    let mut columns = Vec::new();
    for _ in 0..24 {
        // Sparkles may lie over him.
        let screen = stand.pass(TICKS).screen(80, 24);
        let line = screen.lines().find_map(|line| line.split_once('|'));
        columns.extend(line.map(|(left, _)| left.chars().count()));
    }
    let (least, most) = (columns.iter().min().unwrap(), columns.iter().max().unwrap());
    assert!(*least < 12 && *most > 34, "{columns:?}");
}

#[test]
fn the_tables_and_the_log_say_what_was_counted() {
    let mut stand = Stand::taken_over(8);
    stand.press('s').pass(2 * TICKS).press('w').press('w').pass(20);
    let tally = &stand.app.wand.tally;
    let (stolen, refused) = (tally.all.stolen, tally.all.refused);
    let worst = tally.all.worst.unwrap().sound;
    let losses = tally.sounds[worst];
    let latest = stand.app.log.back().unwrap().text.clone();
    assert!(stolen > 0 && refused > 0 && stolen != refused);
    assert!(stand.app.log.iter().any(|entry| entry.kind == Kind::Faint));
    stand.line(120, 40, &format!("stolen {stolen:<10}refused {refused}"));
    stand.line(120, 40, "queue 2 ");
    let screen = stand.screen(120, 40);
    let mut lines = screen.lines().skip_while(|line| !line.contains("─ decisions"));
    let [_, first, second] = [(); 3].map(|()| lines.next().unwrap());
    assert!(first.contains(&latest), "{latest}\n{screen}");
    let loss = decibels(losses.loudest().unwrap());
    let row = format!("{:>5} {:>6} {loss:>7}", losses.plays, losses.stolen);
    assert!(second.contains(stand.app.wand.cast.name(worst)) && second.contains(&row), "{screen}");
}

#[test]
fn a_frozen_theft_of_the_oldest_shows_that_it_was_the_oldest() {
    let mut stand = Stand::taken_over(8);
    stand.press('a').press('w').press('s').pass(TICKS);
    for _ in 0..4 * TICKS {
        let Scene { theft, candidates } = stand.pass(1).app.last_theft.clone().unwrap();
        let (victim, age) =
            candidates.iter().find(|(voice, _)| voice.voice == theft.voice).unwrap();
        assert_eq!(decibels(to_db(victim.level)), decibels(theft.level));
        if theft.taken_back {
            continue;
        }
        let oldest = candidates
            .iter()
            .filter(|(voice, _)| voice.priority <= victim.priority)
            .map(|(_, age)| *age)
            .fold(0.0, f32::max);
        assert!(candidates.is_sorted_by_key(|(voice, age)| (voice.priority, (age * -60.0) as i32)));
        assert!(oldest < age + 0.05, "{oldest} s, and the victim {age} s");
    }
    stand.press('f');
    let theft = stand.app.last_theft.as_ref().unwrap().theft.clone();
    let line = stand.line(80, 24, "◀ stolen");
    assert!(line.contains(&theft.victim) && line.contains(&decibels(theft.level)), "{line}");
    assert_eq!(stand.screen(80, 24).matches("◀ stolen").count(), 1);
    assert!(stand.line(80, 24, " never").contains("ambience_bed"));
    stand.line(80, 24, "and there the oldest:");
}

#[test]
fn who_is_parked_is_told_and_who_is_back() {
    let mut stand = Stand::taken_over(6);
    stand.press('a').pass(TICKS).press('s');
    let told = |stand: &Stand, how: &str| {
        stand.app.log.iter().any(|entry| entry.text.ends_with(how) && entry.kind == Kind::News)
    };
    let parked = (0..TICKS).any(|_| told(stand.pass(1), "_loop was parked"));
    assert!(parked, "{:#?}", stand.app.log);
    stand.pass(2 * TICKS).press('s').pass(4 * TICKS);
    assert!(told(&stand, "_loop is back"), "{:#?}", stand.app.log);
}

#[test]
fn skipped_files_are_told_at_once_and_in_the_help() {
    let mut stand = Stand::new(8);
    let Wand { mixer, cast, .. } = stand.app.wand;
    let sounds = cast.members.into_iter().map(|member| member.sound).collect();
    let torn = Skipped { file: "torn.wav".into(), why: "is empty".into() };
    stand.app = App::new(Wand::new(mixer, Cast::of(sounds, vec![torn]), 1));
    stand.line(80, 24, "skipped torn.wav: is empty");
    stand.press('?');
    stand.line(80, 24, "│ torn.wav: is empty");
}

#[test]
fn the_longest_theft_of_our_own_sounds_fits_into_the_smallest_log() {
    let mut stand = Stand::taken_over(1);
    for at in [9.9, 99.9, 99.96, 1234.0] {
        let text = "sparkle_tick stole sparkle_tick at −41 dB".to_owned();
        stand.app.log.push_back(Entry {
            at,
            text: text.clone(),
            names: Vec::new(),
            kind: Kind::Faint,
        });
        stand.line(80, 24, &text);
    }
}
