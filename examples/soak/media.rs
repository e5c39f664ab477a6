//! Sounds, streams and cues, made in memory of whole numbers.

use std::io::Cursor;
use std::sync::Arc;

use hound::{SampleFormat, WavSpec, WavWriter};
use voicepool::{Cue, Error, Mixer, Order, Play, Sound, Stream, ms};

use crate::dice::Dice;
use crate::draw::{self, pick};
use crate::flac;

const RATES: [u32; 5] = [8_000, 11_025, 22_050, 44_100, 48_000];

/// One channel of something like a sound: a tone, noise or silence that dies away or does not.
fn channel(dice: &mut Dice, frames: usize) -> Vec<i16> {
    let period = 8 + dice.below(400) as i32;
    let loud = pick(dice, &[0, 300, 8_000, 20_000, 32_767]);
    let dies = dice.one_in(2);
    let is_noise = dice.one_in(3);
    (0..frames)
        .map(|at| {
            let tone = if is_noise {
                dice.below(65_536) as i32 - 32_768
            } else {
                let turn = at as i32 % period;
                (turn.min(period - turn) * 4 - period) * 32_767 / period
            };
            let left = if dies { (frames - at) as i32 } else { frames as i32 };
            let level = (i64::from(tone) * i64::from(loud) / 32_768) * i64::from(left);
            (level / frames as i64) as i16
        })
        .collect()
}

fn channels(dice: &mut Dice, frames: usize) -> Vec<Vec<i16>> {
    (0..1 + dice.below(2)).map(|_| channel(dice, frames)).collect()
}

fn wav(dice: &mut Dice, rate: u32, channels: &[Vec<i16>]) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let (bits_per_sample, sample_format) = pick(
        dice,
        &[
            (8, SampleFormat::Int),
            (16, SampleFormat::Int),
            (24, SampleFormat::Int),
            (32, SampleFormat::Float),
        ],
    );
    let count = channels.len() as u16;
    let spec = WavSpec { channels: count, sample_rate: rate, bits_per_sample, sample_format };
    let mut write = || -> Result<(), hound::Error> {
        let mut wav = WavWriter::new(&mut file, spec)?;
        for at in 0..channels[0].len() {
            for channel in channels {
                match bits_per_sample {
                    8 => wav.write_sample(channel[at] >> 8)?,
                    16 => wav.write_sample(channel[at])?,
                    24 => wav.write_sample(i32::from(channel[at]) << 8)?,
                    _ => wav.write_sample(f32::from(channel[at]) / 32_768.0)?,
                }
            }
        }
        wav.finalize()
    };
    write().expect("memory is written to");
    file.into_inner()
}

/// A file that is whole, as its bytes.
fn file(dice: &mut Dice, frames: usize) -> Vec<u8> {
    let rate = pick(dice, &RATES);
    let channels = channels(dice, frames);
    if dice.one_in(2) { flac::file(rate, &channels) } else { wav(dice, rate, &channels) }
}

/// A sound of any kind, by any way there is. A file that is cut short may be none.
pub fn sound(dice: &mut Dice, mixer: &Mixer) -> Result<Sound, Error> {
    let most = pick(dice, &[3, 500, 5_000, 30_000]);
    let frames = 1 + dice.below(most);
    let name = pick(dice, &["blip", "boom", "coin", "step"]);
    match dice.below(6) {
        0 => {
            let samples: Vec<f32> =
                channel(dice, frames).iter().map(|it| f32::from(*it) / 32_768.0).collect();
            Ok(Sound::from_mono(pick(dice, &RATES), &samples)?.named(name))
        }
        1 => {
            let sides = [channel(dice, frames), channel(dice, frames)];
            let frame = |at: usize| [0, 1].map(|side: usize| f32::from(sides[side][at]) / 16_384.0);
            let frames: Vec<[f32; 2]> = (0..frames).map(frame).collect();
            Ok(Sound::from_stereo(pick(dice, &RATES), &frames)?.named(name))
        }
        2 => Sound::from_bytes(file(dice, frames)),
        3 => Sound::from_bytes(file(dice, frames))?.resampled(pick(dice, &RATES)),
        4 => {
            let mut file = file(dice, frames);
            file.truncate(dice.below(file.len()));
            mixer.load_bytes(name, file)
        }
        _ => mixer.load_bytes(name, file(dice, frames)),
    }
}

/// A stream of a file in memory, some seconds long.
pub fn stream(dice: &mut Dice) -> Result<Stream, Error> {
    let most = pick(dice, &[2_000, 40_000, 200_000]);
    let frames = 1 + dice.below(most);
    let file: Arc<[u8]> = file(dice, frames).into();
    Stream::from_reader("music", move || Ok(Cursor::new(file.clone())))
}

/// A cue of some of the sounds.
pub fn cue(dice: &mut Dice, sounds: &[Sound]) -> Result<Cue, Error> {
    let variants: Vec<Play> = (0..dice.below(4))
        .filter(|_| !sounds.is_empty())
        .map(|_| Play::of(&sounds[dice.below(sounds.len())]).gain(draw::gain(dice)))
        .collect();
    let cue =
        Cue::of(variants)?.order(pick(dice, &[Order::Shuffle, Order::Random, Order::Sequence]));
    let cue = cue.vary_gain(pick(dice, &[0.0, 3.0])).vary_speed(pick(dice, &[0.0, 2.0]));
    let cue = if dice.one_in(2) { cue.at_most(1 + dice.below(4)) } else { cue };
    let cue = if dice.one_in(2) { cue.when_full(draw::when_full(dice)) } else { cue };
    Ok(cue.cooldown(ms(pick(dice, &[0, 0, 30]))).merge_within(ms(pick(dice, &[0, 0, 20]))))
}
