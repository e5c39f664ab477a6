//! What lies over the screen: the keys, and a theft looked at closely.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};
use voicepool::{Priority, VoiceState, to_db};

use super::{bar, cells, clip, clip_names, fit, ink, share};
use crate::logic::app::{App, Scene, decibels};
use crate::logic::keys;
use crate::logic::wand::Tag;

/// An empty box in the middle of the screen, with a title. Returns the room in it.
fn open(buffer: &mut Buffer, screen: Rect, columns: u16, rows: u16, title: Line) -> Rect {
    let (width, height) = (columns.min(screen.width - 4), rows.min(screen.height - 1));
    let area = Rect {
        x: screen.x + (screen.width - width) / 2,
        y: screen.y + (screen.height - height) / 2,
        width,
        height,
    };
    Clear.render(area, buffer);
    let block = Block::bordered().border_style(ink::DIM).title(title);
    let inner = block.inner(area);
    block.render(area, buffer);
    Rect { x: inner.x + 1, width: inner.width - 2, ..inner }
}

fn write(buffer: &mut Buffer, area: Rect, lines: impl IntoIterator<Item = Line<'static>>) {
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        line.render(Rect { y, height: 1, ..area }, buffer);
    }
}

/// Every key, every sound, and every file that is not played.
pub fn help(buffer: &mut Buffer, screen: Rect, app: &App) {
    let area = open(buffer, screen, 100, 40, Line::styled(" keys ", ink::BRIGHT));
    let keys = keys::KEYS.iter().map(|(key, _, does, _)| {
        Line::from(vec![
            Span::styled(format!("{key:>6}  "), ink::BRIGHT),
            Span::styled(*does, ink::TEXT),
        ])
    });
    let left = Rect { width: 52.min(area.width), ..area };
    write(buffer, left, keys);
    let skipped = app.wand.cast.skipped.iter();
    let skipped = skipped.map(|skipped| {
        let file = std::slice::from_ref(&skipped.file);
        Line::styled(clip_names(&skipped.to_string(), file, area.width.into()), ink::HOT)
    });
    let below = area.y + keys::KEYS.len() as u16;
    let rest = area.bottom().saturating_sub(below);
    write(buffer, Rect { y: below.min(area.bottom()), height: rest, ..area }, skipped);
    let sounds = Rect {
        x: left.right(),
        width: area.right() - left.right(),
        height: area.height.min(keys::KEYS.len() as u16),
        ..area
    };
    let members = app.wand.cast.members.iter().enumerate().filter_map(|(sound, member)| {
        Some(Line::from(vec![
            Span::styled(format!("{}  ", member.key?), ink::BRIGHT),
            Span::styled(clip(&member.name, usize::from(sounds.width) - 3), ink::sound(sound, 1.0)),
        ]))
    });
    write(buffer, sounds, members);
}

/// The last theft: everybody who might have gone, and why it was this one.
pub fn theft(buffer: &mut Buffer, screen: Rect, app: &App) {
    let Some(Scene { theft, candidates }) = &app.last_theft else { return };
    let title = Line::from(vec![
        Span::styled(format!(" {} ", clip(&theft.thief, 20)), ink::BRIGHT),
        Span::raw("stole "),
        Span::styled(clip(&theft.victim, 20), ink::BRIGHT),
        Span::styled(format!(" at {} ", decibels(theft.level)), ink::WARM),
        Span::styled("· f goes on ", ink::DIM),
    ]);
    let rows = candidates.len() as u16 + 5;
    let area = open(buffer, screen, 78, rows, title);
    let then = if theft.goes_by_age() { "the oldest" } else { "who would be missed least" };
    let head = [
        Line::styled(format!("The lowest priority goes first, and there {then}:"), ink::TEXT),
        Line::styled("slot  sound           level to the ear    priority     age", ink::DIM),
    ];
    let rows = candidates.iter().map(|(voice, age)| {
        let sound = Tag::unpack(voice.tag).sound;
        let level = to_db(voice.level);
        let slot = voice.slot.map_or(String::new(), |slot| slot.to_string());
        let name = fit(app.wand.cast.name(sound), 14);
        let priority = format!("{:?}", voice.priority);
        let is_victim = voice.voice == theft.voice;
        let safe = voice.priority == Priority::Protected && voice.state != VoiceState::Stopping;
        let note = match (is_victim, safe) {
            (true, _) => {
                Span::styled("  ◀ stolen", Style::new().fg(ink::HOT).add_modifier(Modifier::BOLD))
            }
            (false, true) => Span::styled("  never", ink::GOOD),
            (false, false) => Span::raw(""),
        };
        let line = Line::from(vec![
            Span::styled(format!("{slot:>4}  "), ink::DIM),
            Span::styled(format!("{name}  "), ink::sound(sound, 1.0)),
            Span::styled(bar(10, share(level)), ink::level(level)),
            Span::raw(format!(" {:>8} ", decibels(level))),
            cells::priority(voice.priority),
            Span::styled(format!(" {priority:<9}{age:6.1} s"), ink::DIM),
            note,
        ]);
        if is_victim { line.style(Style::new().bg(ink::NIGHT)) } else { line }
    });
    let last = Line::styled(
        "The victim's level is exact; the others' are of the nearest picture.",
        ink::FAINT,
    );
    write(buffer, area, head.into_iter().chain(rows).chain([last]));
}
