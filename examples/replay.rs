//! Hears a recording again, and what would have become of it otherwise.
//!
//! `cargo run --release --example replay FILE [options]`: the wand makes such files (`--record FILE`), and so does every
//! game that calls [`Mixer::record`](voicepool::Mixer::record).

use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use voicepool::{
    Ending, Event, Frame, Media, MediaRef, Parking, Priority, Refusal, Replay, Sound, Stream,
    WhenFull, to_db, write_wav,
};

const HELP: &str = "\
replay: hear a recording again, and what would have become of it otherwise

usage: cargo run --release --example replay FILE [options]

  --voices N         what if there had been so many voices?
  --when-full HOW    what if a full pool would: quietest, oldest, refuse, grow
  --priority TAG=P   what if the plays with this tag had been: low, normal, high, protected
  --wav OUT          write what was heard, or would have been
  --lost OUT         write only what was lost: what a pool without end would have added
  --from S, --to S   only from, and up to, this second
  --sounds DIR       where sounds are that are not in the recording (sounds)
";

#[derive(Clone, Default)]
struct Options {
    file: PathBuf,
    voices: Option<usize>,
    when_full: Option<WhenFull>,
    priorities: Vec<(u64, Priority)>,
    wav: Option<PathBuf>,
    lost: Option<PathBuf>,
    from: f64,
    to: Option<f64>,
    sounds: Option<PathBuf>,
}

impl Options {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
        let mut options = Options::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} wants a value"));
            let second = |text: String| {
                let second = text.parse().ok().filter(|second: &f64| *second >= 0.0);
                second.ok_or_else(|| format!("{word} {text}: it is a number of seconds"))
            };
            match word.as_str() {
                "--voices" => {
                    let text = value()?;
                    let voices =
                        text.parse().ok().filter(|voices| (1..=MOST_VOICES).contains(voices));
                    let fault =
                        || format!("--voices {text}: it is a number from 1 to {MOST_VOICES}");
                    options.voices = Some(voices.ok_or_else(fault)?);
                }
                "--when-full" => {
                    options.when_full = Some(match value()?.as_str() {
                        "quietest" => WhenFull::StealQuietest,
                        "oldest" => WhenFull::StealOldest,
                        "refuse" => WhenFull::Refuse,
                        "grow" => WhenFull::Grow,
                        other => {
                            return Err(format!(
                                "--when-full {other}: it is quietest, oldest, refuse or grow"
                            ));
                        }
                    });
                }
                "--priority" => options.priorities.push(priority(&value()?)?),
                "--wav" => options.wav = Some(value()?.into()),
                "--lost" => options.lost = Some(value()?.into()),
                "--from" => options.from = second(value()?)?,
                "--to" => options.to = Some(second(value()?)?),
                "--sounds" => options.sounds = Some(value()?.into()),
                "--help" => return Ok(None),
                flag if flag.starts_with("--") => return Err(format!("{flag}: no such option")),
                _ if options.file.as_os_str().is_empty() => options.file = word.into(),
                other => return Err(format!("{other}: one recording at a time")),
            }
        }
        if options.file.as_os_str().is_empty() {
            return Err("which recording? (--help tells more)".into());
        }
        if let Some(to) = options.to.filter(|to| *to <= options.from) {
            return Err(format!("--to {to}: it is not behind --from {}", options.from));
        }
        Ok(Some(options))
    }

    /// Whether anything is to be another way.
    fn is_what_if(&self) -> bool {
        self.voices.is_some() || self.when_full.is_some() || !self.priorities.is_empty()
    }

    /// Whether anything is to be written that is heard.
    fn writes(&self) -> bool {
        self.wav.is_some() || self.lost.is_some()
    }

    /// Whether a second is in the part that was asked for.
    fn shows(&self, second: f64) -> bool {
        second >= self.from && self.to.is_none_or(|to| second <= to)
    }

    /// Reads the recording, to be heard as it was.
    fn open(&self) -> Result<Replay, Box<dyn Error>> {
        let path = self.file.display();
        let file = File::open(&self.file).map_err(|error| format!("{path}: {error}"))?;
        if let Some(folder) = &self.sounds {
            std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let folder = self.sounds.clone().unwrap_or_else(|| "sounds".into());
        let mut replay = Replay::read(BufReader::new(file), |wanted| find(&folder, wanted))
            .map_err(|error| format!("{path}: {error}"))?;
        let seconds = replay.frame_count() as f64 / f64::from(replay.config().sample_rate);
        if self.from > seconds {
            return Err(format!("--from {}: {path} lasts {seconds:.1} s", self.from).into());
        }
        Ok(replay)
    }
}

/// A tag, and the priority of what has it.
fn priority(text: &str) -> Result<(u64, Priority), String> {
    let fault = || format!("--priority {text}: it is a tag, =, and low, normal, high or protected");
    let (tag, priority) = text.split_once('=').ok_or_else(fault)?;
    let priority = match priority {
        "low" => Priority::Low,
        "normal" => Priority::Normal,
        "high" => Priority::High,
        "protected" => Priority::Protected,
        _ => return Err(fault()),
    };
    Ok((tag.parse().map_err(|_| fault())?, priority))
}

/// The sound of that name in a folder, whatever the name of its file ends in: the one that is as long, if there are
/// several.
fn find(folder: &Path, wanted: &MediaRef) -> Option<Media> {
    let files = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let is_named = |path: &PathBuf| {
        path.file_stem().is_some_and(|stem| stem.to_string_lossy() == wanted.name.as_str())
    };
    let mut found = None;
    for path in files.filter(|path| path.is_file()).filter(is_named) {
        let (media, is_as_long) = if wanted.is_stream {
            let Ok(stream) = Stream::open(path) else { continue };
            let frames = wanted.frames as f64 / f64::from(wanted.sample_rate);
            let seconds = stream.duration().map(|it| it.as_secs_f64());
            let is_as_long = seconds.is_some_and(|seconds| (seconds - frames).abs() < 1e-3);
            (Media::Stream(stream), is_as_long)
        } else {
            let Ok(sound) = Sound::load(path) else { continue };
            let Ok(sound) = sound.resampled(wanted.sample_rate) else { continue };
            let is_as_long = sound.frame_count() as u64 == wanted.frames;
            (Media::Sound(sound), is_as_long)
        };
        if is_as_long {
            return Some(media);
        }
        found.get_or_insert(media);
    }
    found
}

/// What became of a recording.
struct Outcome {
    /// The part that was asked for, if it is to be written.
    heard: Vec<Frame>,
    /// How many frames there are in all, and how loud it is in each column of the picture.
    frames: u64,
    peaks: [f32; COLUMNS],
    rate: u32,
    losses: Vec<Loss>,
    stats: voicepool::Stats,
}

/// A play that was cut off, or never heard, because there was no voice for it.
struct Loss {
    at: u64,
    text: String,
    /// 0 of what was never heard.
    level: f32,
}

fn run(mut replay: Replay, options: &Options) -> Outcome {
    let rate = replay.config().sample_rate;
    let mut outcome = Outcome {
        heard: Vec::new(),
        frames: replay.frame_count(),
        peaks: [0.0; COLUMNS],
        rate,
        losses: Vec::new(),
        stats: replay.stats(),
    };
    let mut block = vec![[0.0; 2]; 4096];
    let mut at = 0;
    loop {
        let frames = replay.render(&mut block);
        for frame in &block[..frames] {
            let peak = &mut outcome.peaks[outcome.column(at)];
            *peak = frame.iter().fold(*peak, |peak, sample| peak.max(sample.abs()));
            if options.writes() && options.shows(outcome.seconds(at)) {
                outcome.heard.push(*frame);
            }
            at += 1;
        }
        for event in replay.events() {
            match event {
                Event::Ended {
                    tag, name, at, why: Ending::Stolen { by_tag, level, .. }, ..
                } => {
                    let text = format!("{name} (tag {tag}) gave way to tag {by_tag}");
                    outcome.losses.push(Loss { at, text, level });
                }
                Event::Parked { tag, at, why: Parking::Stolen { by_tag, level, .. }, .. } => {
                    let text = format!("tag {tag} gave way to tag {by_tag}, and waits in silence");
                    outcome.losses.push(Loss { at, text, level });
                }
                Event::Ended { tag, name, at, why: Ending::Refused { why, .. }, .. }
                    if matches!(why, Refusal::PoolFull | Refusal::BusFull | Refusal::Inaudible) =>
                {
                    let text = format!("{name} (tag {tag}) was refused: {why:?}");
                    outcome.losses.push(Loss { at, text, level: 0.0 });
                }
                _ => (),
            }
        }
        if frames < block.len() {
            outcome.stats = replay.stats();
            return outcome;
        }
    }
}

impl Outcome {
    fn seconds(&self, frame: u64) -> f64 {
        frame as f64 / f64::from(self.rate)
    }

    /// In which column of the picture a frame is.
    fn column(&self, frame: u64) -> usize {
        let slice = self.frames.div_ceil(COLUMNS as u64).max(1);
        ((frame / slice) as usize).min(COLUMNS - 1)
    }

    fn print(&self, options: &Options) {
        let stats = &self.stats;
        println!(
            "{:.1} s, {} voices: {} plays, {} finished, {} stopped, {} stolen, {} refused, {} parkings",
            self.seconds(self.frames),
            stats.voices,
            stats.accepted,
            stats.finished,
            stats.stopped,
            stats.stolen,
            stats.refused,
            stats.parkings,
        );
        let loudest = stats.loudest_stolen.max(stats.loudest_parked);
        if loudest > 0.0 {
            println!("  the loudest loss: {:.1} dB", to_db(loudest));
        }
        self.draw();
        let shown = |loss: &&Loss| options.shows(self.seconds(loss.at));
        let mut losses: Vec<&Loss> = self.losses.iter().filter(shown).collect();
        losses.sort_by(|one, other| other.level.total_cmp(&one.level));
        for Loss { at, text, level } in losses.iter().take(MOST_SHOWN) {
            let level = match *level > 0.0 {
                true => format!("{:6.1} dB", to_db(*level)),
                false => String::new(),
            };
            println!("  {:7.2} s  {level:9}  {text}", self.seconds(*at));
        }
        if losses.len() > MOST_SHOWN {
            println!("  and {} more, refused or quieter", losses.len() - MOST_SHOWN);
        }
    }

    /// A line of how loud it was over time, and one of how much was lost.
    fn draw(&self) {
        const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let bar = |share: f32| BARS[(share.clamp(0.0, 1.0) * 8.0).round() as usize];
        let loud = self.peaks.iter().map(|peak| bar(1.0 + to_db(*peak) / 48.0));
        let lost = (0..COLUMNS).map(|column| {
            let is_here = |loss: &&Loss| self.column(loss.at) == column;
            bar(self.losses.iter().filter(is_here).count() as f32 / 8.0)
        });
        println!("  heard |{}|", loud.collect::<String>());
        println!("  lost  |{}|", lost.collect::<String>());
    }
}

const MOST_SHOWN: usize = 12;
const MOST_VOICES: usize = 1 << 20;
const COLUMNS: usize = 64;

fn main() -> ExitCode {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    match Options::read(words) {
        Ok(Some(options)) => match tell(&options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("replay: {error}");
                ExitCode::FAILURE
            }
        },
        Ok(None) => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        Err(fault) => {
            eprintln!("replay: {fault}");
            ExitCode::from(2)
        }
    }
}

fn tell(options: &Options) -> Result<(), Box<dyn Error>> {
    let replay = options.open()?;
    for missing in replay.missing() {
        println!(
            "missing, or another: {} ({} frames at {} Hz)",
            missing.name, missing.frames, missing.sample_rate
        );
    }
    if !replay.is_whole() {
        println!("The recording was cut off, or its disk was too slow; this is all up to there.");
    }
    println!("What happened:");
    let happened = run(replay, options);
    happened.print(options);

    let mut heard = &happened;
    let otherwise;
    if options.is_what_if() {
        let mut replay = options.open()?;
        let config = replay.config();
        let before = config.clone();
        config.voices = options.voices.unwrap_or(config.voices);
        config.when_full = options.when_full.unwrap_or(config.when_full);
        for (tag, priority) in &options.priorities {
            replay.set_priority(*tag, *priority);
        }
        let is_same = *replay.config() == before && options.priorities.is_empty();
        println!("\nWhat would have happened:");
        if is_same {
            println!("(It was opened like that: what the game said of it later counts, too.)");
        }
        otherwise = run(replay, options);
        otherwise.print(options);
        heard = &otherwise;
    }
    if let Some(path) = &options.wav {
        write_wav(path, heard.rate, &heard.heard)?;
        println!("\nWhat is heard is in {}.", path.display());
    }
    if let Some(path) = &options.lost {
        let mut replay = options.open()?;
        let plays = happened.stats.accepted as usize;
        let config = replay.config();
        // Beside all that is reserved.
        config.voices = config.max_voices.max(4096.min(config.max_voices + plays));
        let mut lost = run(replay, options).heard;
        for (lost, heard) in lost.iter_mut().zip(&heard.heard) {
            *lost = [lost[0] - heard[0], lost[1] - heard[1]];
        }
        write_wav(path, heard.rate, &lost)?;
        println!("What was lost is in {}.", path.display());
    }
    Ok(())
}
