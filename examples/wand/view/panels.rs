//! The panels: meters, the log of decisions, the table of sounds, the ear test.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Row, Table, Widget};
use voicepool::{OutputState, to_db};

use super::{bar, big, clip, clip_names, columns, ink, rule, share};
use crate::logic::app::{App, BusMeter, EarTest, Kind, Meter, PARTS, decibels};
use crate::logic::cast::Cast;
use crate::logic::stage::SPARKLES;
use crate::logic::tally::{FAINT, Loss, Losses};
use crate::logic::wand::BUSES;

/// The master's peaks, the pool, how the sound gets out, and the buses where there is room.
pub fn meters(buffer: &mut Buffer, area: Rect, app: &App) {
    let area = Rect { x: area.x + 1, width: area.width - 2, ..area };
    let stats = &app.wand.stats;
    let tally = &app.wand.tally;
    let queue = stats.live.saturating_sub(stats.playing + stats.parked + stats.scheduled);
    let [left, right] = app.meters;
    let pool = stats.playing as f32 / stats.voices.max(1) as f32;
    let pool_ink = if stats.playing >= stats.voices { ink::WARM } else { ink::GOOD };
    let lines = [
        peak("L", left),
        peak("R", right),
        Line::from(vec![
            Span::styled("pool ", ink::DIM),
            Span::styled(bar(10, pool), Style::new().fg(pool_ink).bg(ink::NIGHT)),
            Span::raw(format!(" {}/{}", stats.playing, stats.voices)),
            Span::styled(format!(" most {}", tally.most_playing), ink::DIM),
        ]),
        pair(("stolen", tally.all.stolen), ("refused", tally.all.refused)),
        pair(("queue", queue), ("turned away", stats.turned_away)),
        Line::from(vec![
            Span::styled("load ", ink::DIM),
            Span::raw(format!("{:.1} %", 100.0 * stats.load_mean)),
            Span::styled(" worst ", ink::DIM),
            Span::raw(format!("{:.0} %", 100.0 * app.load_worst)),
            Span::styled(" xruns ", ink::DIM),
            Span::raw(stats.xruns.to_string()),
        ]),
        output(app.wand.mixer.output(), area.width.into()),
        pair(
            ("sparkles", format!("{}/{SPARKLES}", app.stage.len())),
            ("refused", app.stage.refused),
        ),
    ];
    let buses = app.buses.iter().zip(BUSES).map(|(meter, (_, name))| bus(name, meter));
    for (y, line) in (area.y..area.bottom()).zip(lines.into_iter().chain(buses)) {
        line.render(Rect { y, height: 1, ..area }, buffer);
    }
}

/// How many voices a bus has, how loud it is where it is mixed by itself (in the cave, under water), and how
/// far it is ducked.
fn bus(name: &str, meter: &BusMeter) -> Line<'static> {
    const WIDTH: u16 = 6;
    let mut line = Line::from(vec![
        Span::styled(format!("{name:<9}"), ink::DIM),
        Span::raw(format!("{:<4}", meter.playing)),
    ]);
    if let Some(meter) = meter.level {
        let (level, hold) = (to_db(meter.level), to_db(meter.hold));
        let style = Style::new().fg(ink::level(hold - 6.0)).bg(ink::NIGHT);
        line.push_span(Span::styled(bar(WIDTH, share(level)), style));
        line.push_span(Span::raw(format!(" {:<7}", decibels(hold).replace("silence", ""))));
    }
    if let Some(ducked) = meter.ducked {
        line.push_span(Span::styled(format!("▾{:.0} dB", ducked.abs()), ink::WARM));
    }
    line
}

/// Where the sound goes, and how long it takes to get there.
fn output(state: OutputState, width: usize) -> Line<'static> {
    let (text, color) = match state {
        OutputState::Playing { device, latency, .. } => {
            (format!("{:.0} ms to {device}", latency.as_secs_f32() * 1e3), ink::GOOD)
        }
        OutputState::Silent { .. } => ("no device: the rest moves".into(), ink::WARM),
        _ => ("offline".into(), ink::DIM),
    };
    Line::from(vec![Span::styled("out  ", ink::DIM), Span::styled(clip(&text, width - 5), color)])
}

/// A peak meter with the highest of the last moments.
fn peak(side: &str, meter: Meter) -> Line<'static> {
    const WIDTH: u16 = 22;
    let (level, hold) = (to_db(meter.level), to_db(meter.hold));
    let mut cells: Vec<char> = bar(WIDTH, share(level)).chars().collect();
    let held = (share(hold) * f32::from(WIDTH)) as usize;
    if hold > -60.0
        && let Some(cell) = cells.get_mut(held.min(usize::from(WIDTH) - 1))
    {
        *cell = '│';
    }
    let style = Style::new().fg(ink::level(hold - 6.0)).bg(ink::NIGHT);
    Line::from(vec![
        Span::styled(format!("{side} "), ink::DIM),
        Span::styled(cells.into_iter().collect::<String>(), style),
        Span::raw(format!(" {}", decibels(hold).replace("silence", ""))),
    ])
}

/// Two numbers with their names.
fn pair<A: ToString, B: ToString>((a, one): (&str, A), (b, other): (&str, B)) -> Line<'static> {
    Line::from(vec![
        Span::styled(format!("{a} "), ink::DIM),
        Span::raw(format!("{:<width$}", one.to_string(), width = 16 - a.len())),
        Span::styled(format!("{b} "), ink::DIM),
        Span::raw(other.to_string()),
    ])
}

/// Who took whose place, the latest first.
pub fn log(buffer: &mut Buffer, area: Rect, app: &App) {
    rule(buffer, area, "decisions", Line::styled("f freezes on the last theft", ink::DIM));
    for (y, entry) in (area.y + 1..area.bottom()).zip(app.log.iter().rev()) {
        let color = match entry.kind {
            Kind::Faint => ink::DIM,
            Kind::Loud => ink::HOT,
            Kind::News => ink::GOOD,
        };
        let room = usize::from(area.width) - columns(&seconds(entry.at));
        let line = Line::from(vec![
            Span::styled(seconds(entry.at), ink::FAINT),
            Span::styled(clip_names(&entry.text, &entry.names, room), color),
        ]);
        line.render(Rect { y, height: 1, ..area }, buffer);
    }
}

/// A time in five columns: in the smallest log there is no room for a sixth.
fn seconds(at: f64) -> String {
    if at < 99.95 { format!("{at:4.1} ") } else { format!("{at:4.0} ") }
}

/// Which sound is played how often, and what became of it. Who lost the most comes first.
pub fn table(buffer: &mut Buffer, area: Rect, app: &App) {
    rule(buffer, area, "which sound needs a priority?", Line::default());
    let tally = &app.wand.tally;
    let mut sounds: Vec<(usize, Losses)> = tally.sounds.iter().copied().enumerate().collect();
    let loudest = |losses: &Losses| losses.loudest().unwrap_or(f32::NEG_INFINITY);
    sounds.sort_by(|(_, a), (_, b)| loudest(b).total_cmp(&loudest(a)).then(b.plays.cmp(&a.plays)));
    let area =
        Rect { x: area.x + 1, y: area.y + 1, width: area.width - 1, height: area.height - 1 };
    let name = area.width.saturating_sub(23).clamp(10, 24);
    let rows = sounds.into_iter().map(|(sound, losses)| {
        let member = &app.wand.cast.members[sound];
        let key = member.key.map_or(String::new(), String::from);
        let loss = losses.loudest().map_or(String::new(), decibels);
        let style = match losses.loudest() {
            Some(loudest) if loudest > FAINT => Style::new().fg(ink::HOT),
            Some(_) => Style::new().fg(ink::DIM),
            None => Style::new().fg(ink::FAINT),
        };
        Row::new([
            Span::styled(key, ink::BRIGHT),
            Span::styled(clip(&member.name, name.into()), ink::sound(sound, 1.0)),
            Span::raw(format!("{:>5}", losses.plays)),
            Span::raw(format!("{:>6}", losses.stolen)),
            Span::styled(format!("{loss:>7}"), style),
        ])
    });
    let header = Row::new(["", "sound", "plays", "stolen", "loudest"]);
    let header = header.style(Style::new().fg(ink::DIM));
    let widths = [1, name, 5, 6, 7].map(Constraint::Length);
    Widget::render(Table::new(rows, widths).header(header), area, buffer);
}

/// Which of the two parts is heard now, and the loudest thing that each of them has lost.
pub fn ear_test(buffer: &mut Buffer, area: Rect, test: &EarTest, cast: &Cast) {
    let keys = Line::styled("e flips · esc leaves", ink::DIM);
    rule(buffer, area, "the ear test: the loudest thing lost", keys);
    let mut area =
        Rect { x: area.x + 2, y: area.y + 1, width: area.width - 2, height: area.height - 1 };
    // The numbers have their unit in large type too, where there is room.
    let width = area.width.saturating_sub(2 * (big::width("−40 dB") + 4)).max(31);
    now(buffer, Rect { width, ..area }, test);
    let half = (area.width - width) / 2;
    area.x += width;
    area.width = half;
    for (part, Losses { worst, .. }) in test.losses.iter().enumerate() {
        let worst = worst.map(|Loss { sound, level }| (cast.name(sound), level));
        self::part(buffer, area, part, worst, test.part == part);
        area.x += half;
    }
}

const PART_INKS: [Color; 2] = [ink::GOOD, ink::HOT];

/// What is heard, to be read from across the room.
fn now(buffer: &mut Buffer, area: Rect, test: &EarTest) {
    let (letter, whom) = PARTS[test.part];
    let (other, _) = PARTS[1 - test.part];
    let [above, large, below] = rows(area);
    let large_letter = Rect { x: large.x + big::width("NOW") + 2, ..large };
    if test.is_heard() {
        let bold = Style::new().fg(ink::BRIGHT).add_modifier(Modifier::BOLD);
        Line::styled(format!("▶ stealing {whom}"), bold).render(above, buffer);
        big::write(buffer, large, "NOW", PART_INKS[test.part]);
        big::write(buffer, large_letter, &letter.to_string(), PART_INKS[test.part]);
        let then = format!("{other} in {} s", test.seconds_left());
        Line::styled(then, ink::DIM).render(below, buffer);
    } else {
        Line::styled(format!("next: stealing {whom}"), ink::TEXT).render(above, buffer);
        big::write(buffer, large_letter, &letter.to_string(), ink::DIM);
    }
}

/// A part, the level of its loudest loss, and what that was. How many were stolen is left out: who
/// steals the quietest steals more often, and loses less.
fn part(buffer: &mut Buffer, area: Rect, part: usize, worst: Option<(&str, f32)>, now: bool) {
    let (letter, whom) = PARTS[part];
    let style = Style::new().fg(if now { ink::BRIGHT } else { ink::DIM });
    let style = if now { style.add_modifier(Modifier::BOLD) } else { style };
    let [above, mut large, below] = rows(area);
    Line::styled(format!("{letter} steals {whom}"), style).render(above, buffer);
    let aloud = |(name, level)| (name, decibels(level).replace("silence", "--"));
    let (name, level) = worst.map_or(("", "--".into()), aloud);
    let fits = big::width(&level) < area.width;
    let number = if fits { &level } else { level.trim_end_matches(" dB") };
    big::write(buffer, large, number, PART_INKS[part]);
    if number != level {
        large.x = (large.x + big::width(number)).min(large.right() - 2);
        large.y = large.bottom() - 1;
        Line::styled("dB", PART_INKS[part]).render(Rect { width: 2, height: 1, ..large }, buffer);
    }
    Line::styled(clip(name, usize::from(area.width) - 1), ink::DIM).render(below, buffer);
}

/// A line, large type, and another line.
fn rows(area: Rect) -> [Rect; 3] {
    let line = Rect { height: 1, ..area };
    let large = Rect { y: area.y + 1, height: big::ROWS, ..area };
    [line, large, Rect { y: large.bottom(), ..line }]
}
