//! The panels: meters, the log of decisions, the table of sounds, the ear test.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Row, Table, Widget};
use voicepool::{OutputState, to_db};

use super::{bar, big, ink, rule, share};
use crate::app::{App, Kind, Meter, decibels};
use crate::stage::SPARKLES;
use crate::tally::{FAINT, Losses};

/// The master's peaks, the pool, and how the sound gets out.
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
        output(app.wand.mixer.output()),
        pair(
            ("sparkles", format!("{}/{SPARKLES}", app.stage.len())),
            ("refused", app.stage.refused),
        ),
    ];
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        line.render(Rect { y, height: 1, ..area }, buffer);
    }
}

/// Where the sound goes, and how long it takes to get there.
fn output(state: OutputState) -> Line<'static> {
    let (text, color) = match state {
        OutputState::Playing { device, latency, .. } => {
            (format!("{:.0} ms to {device}", latency.as_secs_f32() * 1e3), ink::GOOD)
        }
        OutputState::Silent { .. } => ("no device: the rest moves".into(), ink::WARM),
        _ => ("offline".into(), ink::DIM),
    };
    Line::from(vec![Span::styled("out  ", ink::DIM), Span::styled(text, color)])
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
        let line = Line::from(vec![
            Span::styled(seconds(entry.at), ink::FAINT),
            Span::styled(entry.text.as_str(), color),
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
    let loudest = |losses: &Losses| losses.loudest.unwrap_or(f32::NEG_INFINITY);
    sounds.sort_by(|(_, a), (_, b)| loudest(b).total_cmp(&loudest(a)).then(b.plays.cmp(&a.plays)));
    let rows = sounds.into_iter().map(|(sound, losses)| {
        let member = &app.wand.cast.members[sound];
        let key = member.key.map_or(String::new(), String::from);
        let loss = losses.loudest.map_or(String::new(), decibels);
        let style = match losses.loudest {
            Some(loudest) if loudest > FAINT => Style::new().fg(ink::HOT),
            Some(_) => Style::new().fg(ink::DIM),
            None => Style::new().fg(ink::FAINT),
        };
        Row::new([
            Span::styled(key, ink::BRIGHT),
            Span::styled(member.name.as_str(), ink::sound(sound, 1.0)),
            Span::raw(format!("{:>5}", losses.plays)),
            Span::raw(format!("{:>6}", losses.stolen)),
            Span::styled(format!("{loss:>7}"), style),
        ])
    });
    let header = Row::new(["", "sound", "plays", "stolen", "loudest"]);
    let header = header.style(Style::new().fg(ink::DIM));
    let area =
        Rect { x: area.x + 1, y: area.y + 1, width: area.width - 1, height: area.height - 1 };
    let name = area.width.saturating_sub(23).clamp(10, 24);
    let widths = [1, name, 5, 6, 7].map(Constraint::Length);
    Widget::render(Table::new(rows, widths).header(header), area, buffer);
}

/// The loudest thing that was lost, stealing the quietest and stealing the oldest.
pub fn ear_test(buffer: &mut Buffer, area: Rect, app: &App) {
    rule(buffer, area, "the ear test: loudest thing lost", Line::styled("e flips", ink::DIM));
    let [quietest, oldest, ..] = app.wand.tally.answers;
    let half = area.width / 2;
    let sides =
        [("stealing the quietest", quietest, ink::GOOD), ("stealing the oldest", oldest, ink::HOT)];
    for (answer, (title, losses, color)) in sides.into_iter().enumerate() {
        let area = Rect {
            x: area.x + answer as u16 * half + 2,
            y: area.y + 1,
            width: half - 2,
            height: area.height - 1,
        };
        side(buffer, area, title, losses, color, app.wand.answer() == answer);
    }
}

fn side(buffer: &mut Buffer, area: Rect, title: &str, losses: Losses, color: Color, now: bool) {
    let style = Style::new().fg(if now { ink::BRIGHT } else { ink::DIM });
    let style = if now { style.add_modifier(Modifier::BOLD) } else { style };
    let sign = if now { "▶ " } else { "  " };
    let stolen = format!(" · {} stolen", losses.stolen);
    let line = Line::from(vec![
        Span::styled(format!("{sign}{title}"), style),
        Span::styled(stolen, ink::DIM),
    ]);
    line.render(area, buffer);
    let number = Rect { y: area.y + 1, height: big::ROWS.min(area.height - 1), ..area };
    let text = losses.loudest.map_or("--".into(), decibels);
    let text = if big::width(&text) > area.width { text.replace(" dB", "") } else { text };
    big::write(buffer, number, &text, color);
}
