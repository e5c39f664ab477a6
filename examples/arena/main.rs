//! Arena: a whole little game, to see and hear how its sound is made.
//!
//! ```text
//! cargo run --release --example arena                      # WASD or arrows, space, Esc
//! cargo run --release --example arena -- --headless 60 --wav target/arena.wav --seed 7
//! cargo run --release --example arena -- --seconds 13 --picture docs/arena.png
//! ```
//!
//! What you should hear: steps that are never the same; monsters where they are, none from beyond the circle,
//! and dull behind a wall. In the cave all of it rings, and the rain is far. A pack that goes off is loud but
//! no din, a heap of coins one sound. Somebody speaks, and the music bows beforehand; the boss is heard over
//! everything. With Esc the world holds its breath, the music is behind a door, and the sliders click.
//! `world` is a game without sound, `sounds` all that is said to the mixer, `draw` the picture.

use macroquad::prelude::*;
use voicepool::{Config, Error, Frame, Mixer, Renderer};

mod draw;
mod sounds;
#[cfg(test)]
mod tests;
mod world;

use sounds::Sounds;
use world::{STEP, World};

/// The game: the same with a window and without.
struct Game {
    world: World,
    sounds: Sounds,
    in_menu: bool,
}

/// What somebody wants of the game in one step.
#[derive(Default)]
struct Input {
    walk: Vec2,
    shoot: bool,
    menu: bool,                  // open it, or close it
    slide: Option<(usize, f32)>, // put a slider of the menu to a position from 0 to 1
}

impl Game {
    fn step(&mut self, input: &Input) {
        if input.menu {
            self.in_menu = !self.in_menu;
            self.sounds.set_menu(self.in_menu);
        }
        if !self.in_menu {
            let happened = self.world.step(input.walk, input.shoot);
            happened.into_iter().for_each(|it| self.sounds.play(it));
            self.sounds.follow(&self.world);
        } else if let Some((slider, position)) = input.slide {
            self.sounds.slide(slider, position);
        }
    }
}

/// A hero who plays by himself: along the coins, into the cave, out and home, again and again. After 19 seconds
/// he opens the menu for three, and turns the music down. He knows his steps, and how often he arrived.
fn script((steps, arrived): &mut (u32, usize), game: &Game) -> Input {
    #[rustfmt::skip]
    const WAY: [(f32, f32); 8] = [
        (460.0, 420.0), (800.0, 420.0), (790.0, 215.0), (1070.0, 212.0),
        (1180.0, 120.0), (1000.0, 215.0), (700.0, 215.0), (330.0, 400.0),
    ];
    let walk = Vec2::from(WAY[*arrived % WAY.len()]) - game.world.hero;
    *arrived += usize::from(walk.length() < 8.0);
    *steps += 1;
    let menu = [1140, 1320].contains(steps);
    let slide = (1200..1260).contains(steps).then(|| (1, (1300 - *steps) as f32 / 100.0));
    Input { walk, shoot: game.world.target().is_some(), menu, slide }
}

/// Plays the script without a window: each step of the game takes as many frames as it lasts.
fn headless(seconds: f32, config: Config) -> Result<(Game, Renderer, Vec<Frame>), Error> {
    let world = World::new(config.seed);
    let (mixer, mut renderer) = Mixer::offline(config)?;
    let mut game = Game { world, sounds: Sounds::new(mixer)?, in_menu: false };
    let (mut hero, mut heard) = ((0, 0), vec![]);
    for _ in 0..(seconds / STEP).round() as usize {
        game.step(&script(&mut hero, &game));
        heard.extend(renderer.frames((STEP * renderer.sample_rate() as f32).round() as usize));
    }
    Ok((game, renderer, heard))
}

/// Plays in the window: whoever is at the keys, or the script for so many seconds, with a picture of the last.
async fn play(mut game: Game, seconds: Option<f32>, picture: Option<String>) {
    let (mut time, mut owed, mut hero, mut input) = (0.0, 0.0, (0, 0), Input::default());
    while seconds.is_none_or(|seconds| time < seconds) {
        read_keys(&mut input);
        owed = (owed + get_frame_time()).min(0.1); // a slow machine plays slowly, and does not choke
        while owed >= STEP {
            if seconds.is_some() {
                input = script(&mut hero, &game);
            }
            game.step(&input);
            input.menu = false;
            (owed, time) = (owed - STEP, time + STEP);
        }
        draw::draw(&game);
        next_frame().await;
    }
    if let Some(file) = picture {
        draw::draw(&game);
        let mut picture = get_screen_data();
        picture.bytes.iter_mut().skip(3).step_by(4).for_each(|alpha| *alpha = 255);
        picture.export_png(&file);
    }
}

fn read_keys(input: &mut Input) {
    let down = |a, b| f32::from(is_key_down(a) || is_key_down(b));
    input.walk.x = down(KeyCode::D, KeyCode::Right) - down(KeyCode::A, KeyCode::Left);
    input.walk.y = down(KeyCode::S, KeyCode::Down) - down(KeyCode::W, KeyCode::Up);
    input.shoot = is_key_down(KeyCode::Space);
    input.menu |= is_key_pressed(KeyCode::Escape);
    let pressed = is_mouse_button_down(MouseButton::Left);
    input.slide = draw::slider_at(mouse_position().into()).filter(|_| pressed);
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let known = ["--headless", "--seconds", "--seed", "--wav", "--picture"];
    if let Some(wrong) = words.chunks(2).find(|it| it.len() < 2 || !known.contains(&&*it[0])) {
        return Err(format!("{}: not one of {known:?} with a value after it", wrong[0]).into());
    }
    let value = |name| words.chunks(2).find(|it| it[0] == name).map(|it| it[1].clone());
    let seconds = |name| value(name).map(|it| it.parse::<f32>()).transpose();
    let seed = value("--seed").map_or(Ok(1), |seed| seed.parse())?; // of the world, and of the cues' dice
    let config = Config { voices: 24, seed, ..Config::DEFAULT };
    if let Some(seconds) = seconds("--headless")? {
        let (game, renderer, heard) = headless(seconds, config)?;
        println!("{}", game.sounds.mixer.stats());
        if let Some(file) = value("--wav") {
            voicepool::write_wav(file, renderer.sample_rate(), &heard)?;
        }
        return Ok(());
    }
    let sounds = Sounds::new(Mixer::open(config)?)?;
    let game = Game { world: World::new(seed), sounds, in_menu: false };
    let window = Conf { window_width: 1280, window_height: 720, ..Conf::default() };
    macroquad::Window::from_config(window, play(game, seconds("--seconds")?, value("--picture")));
    Ok(())
}
