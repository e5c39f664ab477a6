//! The show without an audience: rendered offline into a WAV, drawn if asked, and summed up.

use std::error::Error;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use voicepool::{Config, Frame, Mixer, Renderer, Stats, to_db};

use crate::args::Options;
use crate::folder;
use crate::logic::script;
use crate::logic::tally::Loss;
use crate::logic::wand::{MOST_VOICES, TICKS, Wand};
use crate::record::{End, GRID, Recording};
use crate::timeline;

/// How long a show is if nobody says otherwise, in seconds.
const SECONDS: u64 = 20;

/// A show that is over.
pub struct Performance {
    /// With its tally.
    pub wand: Wand,
    pub frames: Vec<Frame>,
    pub recording: Recording,
    pub stats: Stats,
    /// How long the mixing alone took.
    pub took: Duration,
}

pub fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout();
    let seconds = seconds(options);
    let (wand, renderer) = open(&options.folder(), options.voices(), options.seed())?;
    let rate = renderer.sample_rate();
    write!(out, "{}", skipped(&wand))?;
    let performance = perform(wand, renderer, seconds * TICKS, bar("rendering"));
    let wav = options.wav.clone().unwrap_or_else(|| PathBuf::from("wand.wav"));
    voicepool::write_wav(&wav, rate, &performance.frames)?;
    writeln!(out, "{seconds} seconds with {} voices are in {}.", options.voices(), wav.display())?;
    if let Some(path) = &options.timeline {
        let words = std::env::args_os().skip(1);
        let command = command(words.map(|word| word.to_string_lossy().into_owned()));
        timeline::draw(&performance, options.voices(), &command).save(path)?;
        writeln!(out, "They are drawn in {}.", path.display())?;
    }
    let advice = performance.wand.tally.advice_in_code(&performance.wand.cast);
    writeln!(out, "\n{}\n\n{advice}", summary(&performance))?;
    Ok(())
}

/// The files of the folder that are not played.
pub fn skipped(wand: &Wand) -> String {
    wand.cast.skipped.iter().map(|skipped| format!("skipped {skipped}\n")).collect()
}

pub fn seconds(options: &Options) -> u64 {
    options.seconds.unwrap_or(SECONDS)
}

/// A wand, and what makes its sound.
pub fn open(folder: &Path, voices: usize, seed: u64) -> Result<(Wand, Renderer), Box<dyn Error>> {
    let config = Config { voices, max_voices: MOST_VOICES, ..Config::default() };
    let (mixer, renderer) = Mixer::offline(config)?;
    let cast = folder::load(folder, &mixer)?;
    Ok((Wand::new(mixer, cast, seed), renderer))
}

/// Renders a show of so many ticks, and watches every voice. `progress` hears how much of it is
/// done, up to 1.
pub fn perform(
    mut wand: Wand,
    mut renderer: Renderer,
    ticks: u64,
    mut progress: impl FnMut(f64),
) -> Performance {
    let rate = u64::from(renderer.sample_rate());
    let mut cues = script::show(ticks).into_iter().peekable();
    let mut frames: Vec<Frame> = vec![[0.0; 2]; (ticks * rate / TICKS) as usize];
    let mut recording = Recording::default();
    let mut took = Duration::ZERO;
    wand.mixer.voices();
    for tick in 0..ticks {
        while let Some((_, cue)) = cues.next_if(|(at, _)| *at <= tick) {
            cue.carry_out(&mut wand);
        }
        recording.hear(&wand.tick());
        let (mut at, until) = (tick * rate / TICKS, (tick + 1) * rate / TICKS);
        while at < until {
            let next = (at + 1).next_multiple_of(GRID).min(until);
            let start = Instant::now();
            renderer.render(&mut frames[at as usize..next as usize]);
            took += start.elapsed();
            if at.is_multiple_of(GRID) {
                // The mixer is a line ahead of what it hands out, once it has begun.
                let line = if at == 0 { 0 } else { at + GRID };
                recording.see(line, &wand.mixer.voices());
            }
            recording.hear(&wand.hear());
            at = next;
        }
        progress((tick + 1) as f64 / ticks as f64);
    }
    recording.finish(frames.len() as u64);
    let stats = wand.mixer.stats();
    Performance { wand, frames, recording, stats, took }
}

/// A progress bar, where there is somebody to see it.
pub fn bar(what: &str) -> impl FnMut(f64) {
    const WIDTH: usize = 40;
    let seen = std::io::stderr().is_terminal();
    let mut shown = None;
    move |done| {
        let full = (done * WIDTH as f64) as usize;
        if !seen || shown.replace(full) == Some(full) {
            return;
        }
        let mut out = std::io::stderr();
        // A progress bar that cannot be drawn is no reason to stop.
        let _ = match full < WIDTH {
            true => write!(out, "\r{what} {}{}", "█".repeat(full), "░".repeat(WIDTH - full)),
            false => write!(out, "\r\x1b[2K"),
        };
        let _ = out.flush();
    }
}

/// The loudest loss, in words.
pub fn loudest_loss(wand: &Wand) -> String {
    match wand.tally.all.worst {
        Some(Loss { sound, level }) => format!("{} at {level:.1} dB", wand.cast.name(sound)),
        None => "nothing".into(),
    }
}

fn summary(performance: &Performance) -> String {
    let Performance { wand, recording, stats, frames, took } = performance;
    let all = &wand.tally.all;
    let parked = recording.bars.iter().filter(|bar| bar.end == End::Parked).count();
    let seconds = frames.len() as f64 / f64::from(wand.mixer.sample_rate());
    let [left, right] = stats.peak.map(to_db);
    let mut lines = vec![
        format!("plays    {}", all.plays),
        format!("stolen   {}; the loudest loss: {}", all.stolen, loudest_loss(wand)),
        format!("refused  {}", all.refused),
        format!("peak     {left:.1} dB left, {right:.1} dB right, before the limiter"),
        format!("speed    {:.0} times real time", seconds / took.as_secs_f64()),
    ];
    if parked > 0 {
        lines.insert(3, format!("parked   {parked}"));
    }
    lines.join("\n")
}

/// The command line, as one would type it.
fn command(words: impl Iterator<Item = String>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,".contains(c);
    let quoted = words.map(|word| match !word.is_empty() && word.chars().all(plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', r"'\''")),
    });
    let words: Vec<String> =
        ["cargo run --release --example wand --".into()].into_iter().chain(quoted).collect();
    words.join(" ")
}

/// A show of our own sounds, for tests.
#[cfg(test)]
pub fn rehearse(seconds: u64, voices: usize, seed: u64) -> Performance {
    let folder = Options::default().folder();
    let (wand, renderer) = open(&folder, voices, seed).unwrap();
    perform(wand, renderer, seconds * TICKS, |_| ())
}

/// A short show in a pool that is much too small, for tests that only look at it.
#[cfg(test)]
pub static CROWDED: std::sync::LazyLock<Performance> =
    std::sync::LazyLock::new(|| rehearse(3, 6, 1));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_show_to_the_bit_and_another_seed_is_another() {
        let bits = |frames: &[Frame]| frames.as_flattened().iter().map(|s| s.to_bits()).collect();
        let show: Vec<u32> = bits(&CROWDED.frames);
        assert_eq!(show.len(), 2 * 3 * 48_000);
        assert!(show == bits(&rehearse(3, 6, 1).frames));
        assert!(show != bits(&rehearse(3, 6, 2).frames));
    }

    #[test]
    fn to_be_watched_changes_no_bit() {
        let (mut wand, mut renderer) = open(&Options::default().folder(), 6, 1).unwrap();
        let mut unwatched = Vec::new();
        let cues = script::show(3 * TICKS);
        for tick in 0..3 * TICKS {
            cues.iter().filter(|(at, _)| *at == tick).for_each(|(_, cue)| cue.carry_out(&mut wand));
            wand.tick();
            unwatched.append(&mut renderer.frames(800));
        }
        assert!(unwatched == CROWDED.frames);
    }

    /// How much the limiter pumps. By itself the show stays below the ceiling; 12 dB up it does not,
    /// and once more at a sixteenth of that it tells the limiter's gain at every frame.
    #[test]
    fn the_limiter_turns_a_storm_down_by_no_more_than_it_must() {
        let storm = |master: f32| {
            let (wand, renderer) = open(&Options::default().folder(), 64, 1).unwrap();
            wand.mixer.set_gain(voicepool::BusId::MASTER, master, Duration::ZERO);
            perform(wand, renderer, 4 * TICKS, |_| ())
        };
        let (heard, free) = (storm(4.0), storm(0.25));
        assert_eq!(heard.stats.stolen, free.stats.stolen);
        let gains: Vec<f32> = heard
            .frames
            .iter()
            .zip(&free.frames)
            .filter(|(_, free)| free[0].abs() > 1e-4)
            .map(|(heard, free)| to_db(heard[0] / (16.0 * free[0])))
            .collect();
        let deepest = gains.iter().fold(0f32, |deepest, gain| deepest.min(*gain));
        let working = gains.iter().filter(|gain| **gain < -0.1).count();
        println!(
            "{:.1} dB too loud at its peak: {deepest:.1} dB at the deepest, at work in {:.0} % of the \
             frames, {:.1} dB on average",
            to_db(heard.stats.peak[0].max(heard.stats.peak[1])),
            100.0 * working as f32 / gains.len() as f32,
            gains.iter().sum::<f32>() / gains.len() as f32,
        );
        let over = to_db(heard.stats.peak[0].max(heard.stats.peak[1])).max(0.0);
        assert!(deepest > -over - 0.1, "{deepest} dB for a peak of {over} dB");
        assert!(gains.iter().all(|gain| *gain < 0.01), "it never turns up");
    }

    #[test]
    fn sixty_ticks_are_a_second_at_any_rate() {
        // A sound so short that it costs nothing to resample.
        let folder = std::env::temp_dir().join(format!("voicepool-tick-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        voicepool::write_wav(folder.join("tick.wav"), 48_000, &[[0.5; 2]; 100]).unwrap();
        for sample_rate in [7, 44_100, 96_001] {
            let config = Config { sample_rate, ..Config::default() };
            let (mixer, renderer) = Mixer::offline(config).unwrap();
            let cast = folder::load(&folder, &mixer).unwrap();
            let wand = Wand::new(mixer, cast, 1);
            let performance = perform(wand, renderer, 2 * TICKS, |_| ());
            assert_eq!(performance.stats.frames, 2 * u64::from(sample_rate));
            assert_eq!(performance.frames.len(), 2 * sample_rate as usize);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_summary_says_what_was_lost() {
        let all = CROWDED.wand.tally.all;
        let text = summary(&CROWDED);
        assert!(text.contains(&format!("stolen   {}; the loudest loss: ", all.stolen)), "{text}");
        assert!(all.stolen > 0 && text.contains(" dB\n"), "{text}");
        let advice = CROWDED.wand.tally.advice_in_code(&CROWDED.wand.cast);
        assert!(advice.starts_with("// ") && advice.ends_with("..Config::default() }"), "{advice}");
    }

    #[test]
    fn a_command_line_can_be_typed_again() {
        let words = ["--wav", "a b.wav", "--sounds", "it's"].map(String::from);
        let typed = "cargo run --release --example wand -- --wav 'a b.wav' --sounds 'it'\\''s'";
        assert_eq!(command(words.into_iter()), typed);
    }
}
