//! The soak test: days of virtual play in minutes. A seeded game says everything that can be said to a mixer, in
//! random order, and after every step the promises are looked at: the books balance, what comes out is finite and
//! within ±1; and after every scene memory, threads and files are as they were.
//!
//! `cargo run --release --example soak -- --seed 7 --minutes 30`, or `--days 2`. There is nothing to hear. The last
//! line is a hash of all that came out: the same seed and time give the same one, on every platform. A broken
//! promise is told with the seed and the step that lead there again, and the exit code is 1.

mod act;
#[path = "../../tests/common/allocator.rs"]
mod allocator;
#[path = "../shared/dice.rs"]
mod dice;
mod draw;
mod effects;
mod flac;
mod house;
mod media;
mod progress;
mod request;
mod scene;
#[cfg(test)]
mod tests;
mod watch;

use std::panic;
use std::process::ExitCode;
use std::time::Duration;

use voicepool::Mixer;

use dice::Dice;
use house::House;
use progress::{Progress, clock};
use scene::Scene;
use watch::{Broken, Watch};

const USAGE: &str =
    "usage: soak [--seed N] [--days D | --minutes M]   (virtual time; 10 minutes unless told)";

fn main() -> ExitCode {
    let Some((seed, time)) = arguments(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    keep_planted_panics_quiet();
    println!("seed {seed}, {} of virtual time", clock(time));
    let mut watch = Watch::new(seed, Mixer::stats);
    let mut progress = Progress::new(time);
    let run = soak(&mut watch, time, true, |done| progress.show(done));
    let elapsed = progress.elapsed();
    match run {
        Ok(done) => {
            report(&watch, done, elapsed);
            ExitCode::SUCCESS
        }
        Err(broken) => {
            println!("{broken}");
            ExitCode::FAILURE
        }
    }
}

fn arguments(mut given: impl Iterator<Item = String>) -> Option<(u64, Duration)> {
    let (mut seed, mut minutes) = (1, 10);
    while let Some(name) = given.next() {
        let value: u64 = given.next()?.parse().ok()?;
        match name.as_str() {
            "--seed" => seed = value,
            "--minutes" => minutes = value,
            "--days" => minutes = value.checked_mul(24 * 60)?,
            _ => return None,
        }
    }
    Some((seed, Duration::from_secs(minutes.checked_mul(60)?)))
}

/// Effects that panic are part of the game, and are caught; they would fill the screen.
fn keep_planted_panics_quiet() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if info.payload().downcast_ref::<&str>() != Some(&effects::PLANTED) {
            usual(info);
        }
    }));
}

/// Plays scenes until so much virtual time has passed, and tells how much has. What the process holds is looked
/// at only if it is alone in it.
fn soak(
    watch: &mut Watch,
    time: Duration,
    is_alone: bool,
    mut show: impl FnMut(Duration),
) -> Result<Duration, Broken> {
    let mut dice = Dice::new(watch.seed);
    let start = House::now();
    let mut warm = None;
    let mut done = Duration::ZERO;
    while done < time {
        let (scene, seconds) = (Dice::new(dice.below(1 << 31) as u64), scene::seconds(&mut dice));
        done += Scene::run(watch, scene, seconds)?;
        show(done);
        if is_alone {
            settle(watch, &start, &mut warm)?;
        }
        watch.scene += 1;
        watch.step = 0;
    }
    Ok(done)
}

/// After a scene: threads and files as at the start, and the heap as after the first one.
fn settle(watch: &Watch, start: &House, warm: &mut Option<House>) -> Result<(), Broken> {
    // What is made once in a process, for whoever asks first, is made in the first scene.
    let before =
        *warm.get_or_insert_with(|| House { heap: House::without_threads(start).heap, ..*start });
    match House::settled(&before).difference(&before) {
        Some(difference) => Err(watch.broken(difference)),
        None => Ok(()),
    }
}

fn report(watch: &Watch, done: Duration, elapsed: Duration) {
    let it = &watch.tally;
    let speed = done.as_secs_f64() / elapsed.as_secs_f64().max(1e-3);
    let [finished, stopped, stolen, refused] = it.ended;
    println!("time     {} in {elapsed:.0?}, {speed:.0} times real time", clock(done));
    println!("frames   {}, in {} buffers, finite and within ±1", it.frames, it.steps);
    println!("scenes   {}, with {} mixers", watch.scene, it.mixers);
    println!("commands {}", it.commands);
    println!(
        "plays    {} accepted and {} turned away; {finished} finished, {stopped} stopped, {stolen} stolen, {refused} refused",
        it.accepted, it.turned_away
    );
    println!("pool     {} times full, {} parkings", it.full, it.parkings);
    println!("events   {} that nobody asked for in time", it.missed_events);
    println!("books    balanced after every step");
    println!("heap     0 bytes of growth after the first scene");
    match House::now() {
        House { threads: Some(_), .. } => {
            println!("threads  and open files as at the start, after every scene")
        }
        _ => println!("threads  and open files are counted on Linux only"),
    }
    println!("hash     {}", watch.hash);
}
