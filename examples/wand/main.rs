//! The wand: a hero waves it, sparkles burst over the screen, and far more sounds are asked for
//! than the pool has voices. `cargo run --release --example wand`, and `--help` for what else it
//! can do.
//!
//! What you should hear: a meadow with rain, steps, and magic. What you should not hear: which of
//! the sounds were given up. The screen shows that: every voice, every theft, and why.
#![cfg(not(target_arch = "wasm32"))] // There is no terminal.

mod args;
mod folder;
mod input;
mod legend;
mod logic;
mod record;
mod screenshot;
mod session;
mod show;
#[path = "../shared/svg.rs"]
mod svg;
mod sweep;
mod terminal;
#[cfg(test)]
mod tests;
mod timeline;
mod view;

use std::error::Error;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use voicepool::{Config, Mixer};

use args::Options;
use logic::app::App;
use logic::wand::{MOST_VOICES, Wand};
use session::Session;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args_os().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("wand: {error}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::show_errors();
            eprintln!("wand: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if options.help {
        Ok(write!(std::io::stdout(), "{}", args::HELP)?)
    } else if options.version {
        Ok(write!(std::io::stdout(), "{}", args::VERSION)?)
    } else if options.record.is_some() && !terminal {
        Err("--record is of the app, which needs a terminal".into())
    } else if !options.sweep.is_empty() {
        sweep::run(options)
    } else if let Some(path) = &options.screenshot {
        screenshot::run(options, path)
    } else if options.wants_show() || !terminal {
        show::run(options)
    } else {
        play(options)
    }
}

/// The app, in this terminal.
fn play(options: &Options) -> Result<(), Box<dyn Error>> {
    terminal::hush_errors()?;
    let config = Config { voices: options.voices(), max_voices: MOST_VOICES, ..Config::default() };
    let mixer = Mixer::open(config)?;
    let mut session = Session::begin(&mixer, options.record.as_deref())?;
    let rate = mixer.sample_rate();
    let cast = folder::load(&options.folder(), &mixer)?;
    let mut app = App::new(Wand::new(mixer, cast, options.seed()));
    terminal::run(&mut app, &mut session)?;
    write!(std::io::stdout(), "{}", app.lesson())?;
    for told in session.finish(rate)? {
        writeln!(std::io::stdout(), "\n{told}")?;
    }
    Ok(())
}
