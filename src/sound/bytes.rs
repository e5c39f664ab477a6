//! A sound as bytes: what it is known by, and all of it.

use std::mem;
use std::ops::Range;
use std::sync::Arc;

use super::samples::{Seam, check_memory, validated};
use super::{Parts, Samples, Sound, each_kind};
use crate::link::message::Loop;
use crate::link::wire::{Bytes, Hash, Sink, Wire};

impl Sound {
    /// What it is known by, whatever its name: its samples, or of a lossy file the bytes, since what those are
    /// decoded to may differ between machines.
    pub(crate) fn hash(&self) -> u64 {
        let mut hash = Hash::NEW;
        match self.0.origin {
            Some(origin) => hash.put(&(self.sample_rate(), origin)),
            None => self.put_whole(&mut hash),
        }
        hash.get()
    }

    /// All that it is made of: rate, samples, loop, and the frames around its seam.
    pub(crate) fn put_whole(&self, out: &mut impl Sink) {
        out.put(&self.sample_rate());
        put_samples(&self.0.samples, out);
        out.put(&self.0.loops.as_ref().map(|range| (range.start, range.end)));
        out.put(&self.seam().is_some());
        if let Some(Seam { turns, frames }) = self.seam() {
            out.put(turns);
            put_samples(frames, out);
        }
    }

    /// How many bytes that is, or some more.
    pub(crate) fn whole_bytes(&self) -> usize {
        let seam = self.seam().map_or(0, |seam| seam.frames.bytes());
        self.0.samples.bytes() + seam + 64
    }

    /// The same sound again, if it can be one.
    pub(crate) fn take_whole(name: &str, from: &mut Bytes) -> Option<Sound> {
        let sample_rate = u32::take(from)?;
        let samples = take_samples(from)?;
        let frames = samples.frame_count() as u32;
        let fits = |range: &Range<u32>| range.start < range.end && range.end <= frames;
        let loops: Option<(u32, u32)> = Wire::take(from)?;
        let loops = loops.map(|(start, end)| start..end).filter(fits);
        let seam = match bool::take(from)? {
            false => None,
            true => Some(Seam { turns: Loop::take(from)?, frames: take_samples(from)? }),
        };
        if let Some(Seam { turns: Loop { start, end, seam }, frames }) = &seam {
            let is_short = fits(&(*start..*end)) && *seam <= (end - start).div_ceil(2);
            let is_like_it = mem::discriminant(frames) == mem::discriminant(&samples);
            let is_all = frames.frame_count() as u64 == 2 * u64::from(*seam);
            (is_short && is_like_it && is_all).then_some(())?;
        }
        Sound::new(name, Parts { loops, seam, ..Parts::plain(sample_rate, samples) }).ok()
    }

    /// As many frames of silence, for a sound that is not there.
    pub(crate) fn silence(name: &str, sample_rate: u32, frames: usize) -> Option<Sound> {
        check_memory::<[i16; 1]>(frames).ok()?;
        let samples = Samples::Mono16(std::iter::repeat_n([0], frames).collect());
        Sound::new(name, Parts::plain(sample_rate, samples)).ok()
    }
}

/// The kind, how many frames there are, and the samples.
pub(super) fn put_samples(samples: &Samples, out: &mut impl Sink) {
    let kind: u8 = match samples {
        Samples::Mono16(_) => 0,
        Samples::Stereo16(_) => 1,
        Samples::Mono32(_) => 2,
        Samples::Stereo32(_) => 3,
    };
    out.put(&kind);
    out.put(&(samples.frame_count() as u32));
    each_kind!(Samples, samples, frames => {
        frames.iter().flatten().for_each(|sample| out.add(&sample.to_le_bytes()));
    });
}

pub(super) fn take_samples(from: &mut Bytes) -> Option<Samples> {
    let (kind, frames) = (u8::take(from)?, u32::take(from)? as usize);
    let size = match kind {
        0 => 2,
        1 | 2 => 4,
        _ => 8,
    };
    let mut bytes = Bytes::new(from.take(frames.checked_mul(size)?)?);
    Some(match kind {
        0 => Samples::Mono16((0..frames).map_while(|_| i16_frame(&mut bytes)).collect()),
        1 => Samples::Stereo16((0..frames).map_while(|_| i16_frame(&mut bytes)).collect()),
        2 => Samples::Mono32(validated(f32_frames(frames, &mut bytes)).ok()?),
        3 => Samples::Stereo32(validated(f32_frames(frames, &mut bytes)).ok()?),
        _ => return None,
    })
}

fn i16_frame<const N: usize>(bytes: &mut Bytes) -> Option<[i16; N]> {
    Some(<[u16; N]>::take(bytes)?.map(u16::cast_signed))
}

fn f32_frames<const N: usize>(frames: usize, bytes: &mut Bytes) -> Arc<[[f32; N]]> {
    (0..frames).map_while(|_| Wire::take(bytes)).collect()
}
