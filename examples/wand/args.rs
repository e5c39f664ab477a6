//! What was asked for on the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::logic::wand::MOST_VOICES;

pub const HELP: &str = "\
wand: watch a pool of voices at work, and find out how many your game needs

usage: cargo run --release --example wand -- [options]

In a terminal it is an app: space waves the wand, s lets a storm loose, e is the ear test,
? shows every key. It needs 80 x 24 characters, and no sound card.

Without a terminal, or with --wav or --seconds, a show is rendered offline, and a summary printed.

  --wav FILE        where the show goes (wand.wav)
  --seconds N       how long the show is, 1 to 600 (20)
  --timeline FILE   draw the show as an SVG: a lane per voice, every theft an arrow
  --sweep N,N,...   render the show with each of these pool sizes, and recommend one
  --screenshot FILE draw the app as an SVG, as it looks some seconds (--seconds, 12) after its start
  --size WxH        of the screenshot, in characters (120x40)

  --sounds DIR      play the sounds of a folder (WAV, Ogg Vorbis, FLAC, MP3) instead of our own;
                    those called *_loop or *_bed are looped; one of more than 10 seconds is music: a
                    plays it with the loops, its key plays it once, and no wave or storm throws it
                    (a folder of nothing else is thrown, 3 seconds of each); no file outside the
                    folder is read
  --record FILE     record the app's session, sounds and all; on quit it says how to replay it
                    (without this, the key S saves what was heard up to then as wand-1.vpr, ...)
  --voices N        voices in the pool, 1 to 128 (16)
  --seed N          another show (1)
  --help            this
  --version         what this is, and which release of it
";

pub const VERSION: &str = concat!("wand ", env!("CARGO_PKG_VERSION"), "\n");

/// The longest show, in seconds.
const LONGEST: u64 = 600;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    pub wav: Option<PathBuf>,
    pub seconds: Option<u64>,
    pub timeline: Option<PathBuf>,
    /// Pool sizes, in the order in which they were given.
    pub sweep: Vec<usize>,
    pub screenshot: Option<PathBuf>,
    /// Columns and rows.
    pub size: Option<(u16, u16)>,
    pub sounds: Option<PathBuf>,
    pub record: Option<PathBuf>,
    pub voices: Option<usize>,
    pub seed: Option<u64>,
    pub help: bool,
    pub version: bool,
}

impl Options {
    /// Reads the words after the program's name. An error names the word, and what is wrong with it.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Options, String> {
        let mut options = Options::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let name = word.to_string_lossy().into_owned();
            // What looks like an option is one: a file of that name is written `./--wav`.
            let is_value = |word: &OsString| !word.as_encoded_bytes().starts_with(b"--");
            let mut value =
                || words.next().filter(is_value).ok_or_else(|| format!("{name} needs a value"));
            match name.as_str() {
                "--wav" => options.wav = Some(value()?.into()),
                "--timeline" => options.timeline = Some(value()?.into()),
                "--screenshot" => options.screenshot = Some(value()?.into()),
                "--sounds" => options.sounds = Some(value()?.into()),
                "--record" => options.record = Some(value()?.into()),
                "--seconds" => options.seconds = Some(number(&name, &value()?, 1, LONGEST)?),
                "--seed" => options.seed = Some(number(&name, &value()?, 0, u64::MAX)?),
                "--voices" => options.voices = Some(voices(&name, &value()?)?),
                "--sweep" => {
                    let list = value()?.to_string_lossy().into_owned();
                    let sizes = list.split(',').map(|size| voices(&name, &size.into()));
                    options.sweep = sizes.collect::<Result<_, _>>()?;
                }
                "--size" => {
                    let size = value()?.to_string_lossy().into_owned();
                    let (columns, rows) = size.split_once('x').unwrap_or((&size, ""));
                    let side = |side: &str, least| number(&name, &side.into(), least, 500);
                    options.size = Some((side(columns, 80)? as u16, side(rows, 24)? as u16));
                }
                "--help" | "-h" => options.help = true,
                "--version" | "-V" => options.version = true,
                _ => return Err(format!("{name} is not an option; --help lists them")),
            }
        }
        let show = options.wav.is_some() || options.timeline.is_some();
        match () {
            _ if options.screenshot.is_some() && (show || !options.sweep.is_empty()) => {
                Err("--screenshot is of the app; it cannot go with --wav, --timeline or --sweep"
                    .into())
            }
            _ if show && !options.sweep.is_empty() => {
                Err("--sweep renders many shows; it cannot go with --wav or --timeline".into())
            }
            _ if options.record.is_some()
                && (options.wants_show()
                    || !options.sweep.is_empty()
                    || options.screenshot.is_some()) =>
            {
                Err("--record is of the app; it cannot go with a show or a picture".into())
            }
            _ if options.size.is_some() && options.screenshot.is_none() => {
                Err("--size is the size of a --screenshot".into())
            }
            _ => Ok(options),
        }
    }

    /// Whether a show is to be rendered, whoever is looking.
    pub fn wants_show(&self) -> bool {
        self.wav.is_some() || self.seconds.is_some() || self.timeline.is_some()
    }

    /// The folder of the sounds.
    pub fn folder(&self) -> PathBuf {
        let ours = || concat!(env!("CARGO_MANIFEST_DIR"), "/sounds").into();
        self.sounds.clone().unwrap_or_else(ours)
    }

    pub fn voices(&self) -> usize {
        self.voices.unwrap_or(16)
    }

    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }
}

fn voices(name: &str, value: &OsString) -> Result<usize, String> {
    number(name, value, 1, MOST_VOICES as u64).map(|voices| voices as usize)
}

fn number(name: &str, value: &OsString, least: u64, most: u64) -> Result<u64, String> {
    let value = value.to_string_lossy();
    let parsed = value.parse().ok().filter(|number| (least..=most).contains(number));
    parsed.ok_or_else(|| match most {
        u64::MAX => format!("{name}: \"{value}\" is not a number from {least} on"),
        _ => format!("{name}: \"{value}\" is not a number from {least} to {most}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn every_option_is_read() {
        let options =
            parse("--wav a.wav --seconds 5 --timeline b.svg --sounds c --voices 8 --seed 3");
        let expected = Options {
            wav: Some("a.wav".into()),
            seconds: Some(5),
            timeline: Some("b.svg".into()),
            sounds: Some("c".into()),
            voices: Some(8),
            seed: Some(3),
            ..Options::default()
        };
        assert_eq!(options, Ok(expected));
        assert_eq!(parse("--record a").unwrap().record, Some("a".into()));
        assert_eq!(parse("--sweep 8,16,32").unwrap().sweep, [8, 16, 32]);
        assert_eq!(parse("--screenshot a.svg --size 80x24").unwrap().size, Some((80, 24)));
        assert!(parse("-h").unwrap().help && parse("--help").unwrap().help);
        assert!(parse("-V").unwrap().version && parse("--version").unwrap().version);
        assert_eq!(parse(""), Ok(Options::default()));
        let given = parse("--sounds c --voices 8 --seed 3").unwrap();
        assert_eq!((given.folder(), given.voices(), given.seed()), ("c".into(), 8, 3));
        for (line, show) in [("", false), ("--voices 8", false), ("--wav x", true)] {
            assert_eq!(parse(line).unwrap().wants_show(), show, "{line}");
        }
        assert!(parse("--seconds 3").unwrap().wants_show());
        assert!(parse("--timeline x").unwrap().wants_show());
    }

    #[test]
    fn a_wrong_option_is_named_with_what_is_wrong_with_it() {
        for (line, error) in [
            ("--vaw x", "--vaw is not an option; --help lists them"),
            ("x.wav", "x.wav is not an option; --help lists them"),
            ("--wav", "--wav needs a value"),
            ("--wav --seconds 3", "--wav needs a value"),
            ("--seconds 0", "--seconds: \"0\" is not a number from 1 to 600"),
            ("--seconds ten", "--seconds: \"ten\" is not a number from 1 to 600"),
            ("--seed -1", "--seed: \"-1\" is not a number from 0 on"),
            ("--voices 129", "--voices: \"129\" is not a number from 1 to 128"),
            ("--sweep 8,,16", "--sweep: \"\" is not a number from 1 to 128"),
            (
                "--sweep 8 --wav x",
                "--sweep renders many shows; it cannot go with --wav or --timeline",
            ),
            ("--record a --wav b", "--record is of the app; it cannot go with a show or a picture"),
            (
                "--record a --screenshot b",
                "--record is of the app; it cannot go with a show or a picture",
            ),
            ("--size 80x24", "--size is the size of a --screenshot"),
            ("--screenshot a --size 80", "--size: \"\" is not a number from 24 to 500"),
            (
                "--screenshot a --wav b",
                "--screenshot is of the app; it cannot go with --wav, --timeline or --sweep",
            ),
        ] {
            assert_eq!(parse(line), Err(error.into()), "{line}");
        }
    }

    #[test]
    fn the_version_is_that_of_the_crate() {
        let manifest = include_str!("../../Cargo.toml");
        let version = manifest.lines().find_map(|line| line.strip_prefix("version = "));
        assert_eq!(VERSION, format!("wand {}\n", version.unwrap().trim_matches('"')));
    }

    #[test]
    fn the_help_tells_of_every_option() {
        let arms = include_str!("args.rs").lines().filter(|line| line.contains("=>"));
        let options = arms.filter_map(|line| line.trim().strip_prefix("\"--")?.split('"').next());
        assert_eq!(options.clone().count(), 12);
        for option in options {
            assert!(HELP.contains(&format!("--{option}")), "--{option}");
        }
        let long = format!("more than {} seconds is music", crate::logic::cast::LONG.as_secs());
        assert!(HELP.contains(&long), "what becomes of a long file");
        assert!(HELP.lines().all(|line| line.chars().count() <= 100));
    }
}
