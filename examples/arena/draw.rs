//! The picture: the world, and over it what is heard of it.

use macroquad::prelude::*;
use voicepool::{VoiceInfo, to_db};

use crate::Game;
use crate::sounds::{BLASTS, EARSHOT, MUSIC, RAIN, SLIDERS, WORLD};
use crate::world::{ARENA, CAVE, WALLS, World, walled};

const NIGHT: Color = Color::new(0.07, 0.10, 0.13, 1.0);
const STONE: Color = Color::new(0.38, 0.40, 0.46, 1.0);

pub fn draw(game: &Game) {
    let (world, voices) = (&game.world, game.sounds.mixer.voices());
    clear_background(NIGHT);
    for n in 0..200 {
        // A drop of rain falls in a column of its own, over and over.
        let fallen = (world.time * (620 + n * 37 % 200) as f32 + (n * n * 61) as f32) % 760.0;
        let drop = vec2((n * 271 % 1280) as f32 - 0.1 * fallen, fallen);
        line(drop, vec2(-2.0, 16.0), 1.0, SKYBLUE.with_alpha(0.35));
    }
    bar(CAVE, Color::new(0.13, 0.11, 0.13, 1.0));
    for wall in WALLS {
        bar(wall, STONE);
        bar(Rect { h: 5.0, ..wall }, LIGHTGRAY.with_alpha(0.35));
    }
    world.coins.iter().for_each(|coin| disc(*coin, 7.0, GOLD));
    draw_beings(world, &voices);
    draw_panel(game, &voices);
    if game.in_menu {
        bar(ARENA, NIGHT.with_alpha(0.6));
        draw_text("Paused", 410.0, 252.0, 48.0, LIGHTGRAY);
        for (number, (name, _)) in SLIDERS.into_iter().enumerate() {
            let (way, position) = (slider(number), game.sounds.slider(number));
            draw_text(name, 410.0, way.y + 13.0, 28.0, LIGHTGRAY);
            bar(way, LIGHTGRAY.with_alpha(0.2));
            bar(Rect { w: way.w * position, ..way }, SKYBLUE);
            disc(vec2(way.x + way.w * position, way.y + 6.0), 11.0, LIGHTGRAY);
        }
    }
}

fn bar(Rect { x, y, w, h }: Rect, color: Color) {
    draw_rectangle(x, y, w, h, color);
}

fn disc(at: Vec2, radius: f32, color: Color) {
    draw_poly(at.x, at.y, 60, radius, 0.0, color);
}

fn line(from: Vec2, by: Vec2, width: f32, color: Color) {
    draw_line(from.x, from.y, from.x + by.x, from.y + by.y, width, color);
}

/// How high a level is drawn, from 0 to 1.
fn height(level: f32) -> f32 {
    ((to_db(level) + 60.0) / 50.0).clamp(0.0, 1.0)
}

fn draw_beings(world: &World, voices: &[VoiceInfo]) {
    let hero = world.hero;
    for foe in &world.foes {
        // A ring for each of its voices, as large as it is loud, and grey behind a wall.
        let ring = if walled(hero, foe.at) { STONE } else { GOLD };
        for voice in voices.iter().filter(|voice| voice.tag == foe.id && voice.slot.is_some()) {
            let reach = foe.radius + 4.0 + 42.0 * height(voice.level);
            draw_poly_lines(foe.at.x, foe.at.y, 60, reach, 0.0, 2.0, ring);
            disc(foe.at, reach, ring.with_alpha(0.08));
        }
        let color = if foe.boss { PURPLE } else { RED };
        draw_poly(foe.at.x, foe.at.y, 7, foe.radius, 40.0 * world.time, color);
        let look = (hero - foe.at).normalize_or_zero() * 0.35 * foe.radius;
        disc(foe.at + look, 0.4 * foe.radius, LIGHTGRAY);
        disc(foe.at + 1.4 * look, 0.2 * foe.radius, BLACK);
    }
    world.bolts.iter().for_each(|(at, velocity)| line(*at, -0.03 * *velocity, 4.0, GREEN));
    for (at, age) in &world.blasts {
        disc(*at, 150.0 * age.sqrt(), GOLD.with_alpha(0.9 - 3.0 * age));
    }
    draw_poly_lines(hero.x, hero.y, 120, EARSHOT.far, 0.0, 1.5, SKYBLUE.with_alpha(0.5));
    disc(hero, EARSHOT.far, SKYBLUE.with_alpha(0.03));
    disc(hero, 14.0, SKYBLUE);
    disc(hero, 9.0, LIGHTGRAY);
    line(hero, 18.0 * world.facing, 5.0, SKYBLUE);
}

/// What the pool is doing: a cell for each voice, as high as it is loud, in the colour of its bus.
fn draw_panel(Game { world, sounds, .. }: &Game, voices: &[VoiceInfo]) {
    let stats = sounds.mixer.stats();
    bar(Rect::new(14.0, 14.0, 380.0, 96.0), BLACK.with_alpha(0.55));
    for slot in 0..stats.voices {
        let cell = Rect::new(26.0 + 15.0 * slot as f32, 26.0, 12.0, 22.0);
        bar(cell, LIGHTGRAY.with_alpha(0.1));
        if let Some(voice) = voices.iter().find(|voice| voice.slot == Some(slot)) {
            let buses = [(MUSIC, GREEN), (RAIN, SKYBLUE), (WORLD, RED), (BLASTS, GOLD)];
            let color = buses.iter().find(|it| it.0 == voice.bus).map_or(LIGHTGRAY, |it| it.1);
            let h = cell.h * (0.2 + 0.8 * height(voice.level));
            bar(Rect { h, y: cell.bottom() - h, ..cell }, color);
        }
    }
    let duck = to_db(sounds.mixer.bus_stats(MUSIC).duck).round() + 0.0; // no -0
    let pool = format!("{:2} of {} voices, {:2} parked", stats.playing, stats.voices, stats.parked);
    let plays = format!("{} played, {} stolen, music {duck:.0} dB", stats.accepted, stats.stolen);
    draw_text(&pool, 26.0, 72.0, 20.0, LIGHTGRAY);
    draw_text(&plays, 26.0, 94.0, 20.0, LIGHTGRAY);
    draw_text(world.score.to_string(), 1180.0, 42.0, 40.0, GOLD);
    draw_text("WASD walks, space shoots, Esc: menu", 14.0, 706.0, 20.0, STONE);
    draw_text(world.said.0, 420.0, 660.0, 32.0, LIGHTGRAY.with_alpha(world.said.1 - world.time));
}

fn slider(number: usize) -> Rect {
    Rect::new(520.0, 300.0 + 60.0 * number as f32, 300.0, 12.0)
}

/// The slider that is under the mouse, and the position from 0 to 1 that this means.
pub fn slider_at(mouse: Vec2) -> Option<(usize, f32)> {
    let number = (0..SLIDERS.len()).find(|n| (slider(*n).y - mouse.y).abs() < 25.0)?;
    Some((number, ((mouse.x - slider(number).x) / slider(number).w).clamp(0.0, 1.0)))
}
