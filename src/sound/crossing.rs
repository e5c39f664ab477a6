//! A sound on its way to a renderer in another memory: ready-made, with its level, and piece by piece, so that
//! whoever takes it in between two quanta is never held up for long.

use std::sync::Arc;

use super::bytes::{put_samples, take_samples};
use super::envelope::Envelope;
use super::samples::Seam;
use super::stream::FedHead;
use super::{Inner, Samples, Sound, next_number};
use crate::link::feed::{Block, Feed};
use crate::link::wire::{Bytes, Wire, wire_struct};

wire_struct!(FedHead { rate, is_mono, clip, turns, has_loop_points });
wire_struct!(Seam { turns, frames });
wire_struct!(Block { epoch, index, first, len, samples, envelope, clip, is_last });

impl Wire for Samples {
    fn put(&self, out: &mut Vec<u8>) {
        out.reserve(self.bytes());
        put_samples(self, out);
    }

    fn take(from: &mut Bytes) -> Option<Samples> {
        take_samples(from)
    }
}

impl Sound {
    /// All but its samples.
    pub(crate) fn put_head(&self, out: &mut Vec<u8>) {
        self.sample_rate().put(out);
        (self.0.samples.kind(), self.frame_count() as u32).put(out);
        self.0.loops.as_ref().map(|range| (range.start, range.end)).put(out);
        self.0.seam.put(out);
        self.0.envelope.put(out);
    }

    /// As many of its samples, from some byte on, as there are up to `most` bytes. Returns how many are left.
    pub(crate) fn put_piece(&self, from: usize, most: usize, out: &mut Vec<u8>) -> usize {
        self.0.samples.put_piece(from, most, out)
    }

    /// What stands for one play of a stream, but for its blocks. `None`: it is no such thing.
    pub(crate) fn put_fed(&self, out: &mut Vec<u8>) -> Option<()> {
        let fed = self.0.feed.as_ref()?;
        let head = FedHead {
            rate: self.sample_rate(),
            is_mono: self.0.samples.is_mono(),
            clip: fed.clip,
            turns: fed.turns,
            has_loop_points: self.has_loop_points(),
        };
        let stream = fed.stream.as_ref()?;
        head.put(out);
        stream.head(self.sample_rate(), || Arc::from([])).put(out);
        Some(())
    }

    /// The same play for a voice whose blocks come from elsewhere.
    pub(crate) fn take_fed(from: &mut Bytes) -> Option<Sound> {
        let head = FedHead::take(from)?;
        let feed = Arc::new(Feed::new(Wire::take(from)?, head.clip, head.rate));
        Some(Sound::fed("".into(), head, feed, None))
    }
}

/// A sound of which pieces are still to come.
pub(crate) struct Arriving {
    sound: Inner,
    /// How many bytes of its samples are here, of how many.
    here: usize,
    bytes: usize,
}

impl Arriving {
    /// What was put by [`Sound::put_head`]. The sound has this number.
    pub fn take(from: &mut Bytes) -> Option<Arriving> {
        let sample_rate = u32::take(from)?;
        let (kind, frames) = <(u8, u32)>::take(from)?;
        let samples = Samples::silent(kind, frames as usize)?;
        let loops: Option<(u32, u32)> = Wire::take(from)?;
        let seam: Option<Seam> = Wire::take(from)?;
        let envelope = Envelope::take(from)?;
        let bytes = samples.bytes();
        let sound = Inner {
            number: next_number(),
            name: "".into(),
            sample_rate,
            truncated: false,
            origin: None,
            samples,
            loops: loops.map(|(start, end)| start..end),
            seam,
            envelope,
            feed: None,
        };
        Some(Arriving { sound, here: 0, bytes })
    }

    /// Takes the next piece in.
    pub fn add(&mut self, piece: &[u8]) {
        self.sound.samples.fill_piece(self.here, piece);
        self.here += piece.len();
    }

    pub fn is_whole(&self) -> bool {
        self.here >= self.bytes
    }

    /// The sound, with silence where pieces are lacking.
    pub fn finish(self) -> Sound {
        Sound(Arc::new(self.sound))
    }
}

impl Samples {
    /// Which of the four kinds it is.
    fn kind(&self) -> u8 {
        match self {
            Samples::Mono16(_) => 0,
            Samples::Stereo16(_) => 1,
            Samples::Mono32(_) => 2,
            Samples::Stereo32(_) => 3,
        }
    }

    /// As many frames of silence, of a kind.
    fn silent(kind: u8, frames: usize) -> Option<Samples> {
        fn silence<T: Clone + Default>(frames: usize) -> Arc<[T]> {
            std::iter::repeat_n(T::default(), frames).collect()
        }
        Some(match kind {
            0 => Samples::Mono16(silence(frames)),
            1 => Samples::Stereo16(silence(frames)),
            2 => Samples::Mono32(silence(frames)),
            3 => Samples::Stereo32(silence(frames)),
            _ => return None,
        })
    }

    fn put_piece(&self, from: usize, most: usize, out: &mut Vec<u8>) -> usize {
        fn put<S: Copy, const N: usize>(
            samples: &[S],
            (from, most): (usize, usize),
            bytes: impl Fn(S) -> [u8; N],
            out: &mut Vec<u8>,
        ) -> usize {
            let rest = samples.get(from / N..).unwrap_or_default();
            let piece = rest.get(..most / N).unwrap_or(rest);
            out.reserve(piece.len() * N);
            piece.iter().for_each(|sample| out.extend_from_slice(&bytes(*sample)));
            (rest.len() - piece.len()) * N
        }
        let range = (from, most);
        match self {
            Samples::Mono16(it) => put(it.as_flattened(), range, i16::to_le_bytes, out),
            Samples::Stereo16(it) => put(it.as_flattened(), range, i16::to_le_bytes, out),
            Samples::Mono32(it) => put(it.as_flattened(), range, f32::to_le_bytes, out),
            Samples::Stereo32(it) => put(it.as_flattened(), range, f32::to_le_bytes, out),
        }
    }

    /// Fills in a piece that begins at some byte. Nobody else has them yet.
    fn fill_piece(&mut self, from: usize, piece: &[u8]) {
        fn fill<S, const N: usize>(
            samples: &mut [S],
            (from, piece): (usize, &[u8]),
            sample: impl Fn([u8; N]) -> S,
        ) {
            let rest = samples.get_mut(from / N..).unwrap_or_default();
            for (place, bytes) in rest.iter_mut().zip(piece.as_chunks().0) {
                *place = sample(*bytes);
            }
        }
        fn own<const N: usize, S>(frames: &mut Arc<[[S; N]]>) -> &mut [S] {
            Arc::get_mut(frames).unwrap_or_default().as_flattened_mut()
        }
        let piece = (from, piece);
        match self {
            Samples::Mono16(it) => fill(own(it), piece, i16::from_le_bytes),
            Samples::Stereo16(it) => fill(own(it), piece, i16::from_le_bytes),
            Samples::Mono32(it) => fill(own(it), piece, f32::from_le_bytes),
            Samples::Stereo32(it) => fill(own(it), piece, f32::from_le_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frame;

    /// Sent in pieces of some size, and put together again.
    fn crossed(sound: &Sound, piece: usize) -> Sound {
        let mut head = Vec::new();
        sound.put_head(&mut head);
        let mut arriving = Arriving::take(&mut Bytes::new(&head)).expect("a head");
        let mut sent = 0;
        loop {
            let mut bytes = Vec::new();
            let left = sound.put_piece(sent, piece, &mut bytes);
            sent += bytes.len();
            arriving.add(&bytes);
            assert_eq!(arriving.is_whole(), left == 0);
            if left == 0 {
                return arriving.finish();
            }
        }
    }

    #[test]
    fn a_sound_arrives_as_it_was_in_pieces_of_any_size() {
        let wave = |i: usize| (i as f32 * 0.37).sin() * 0.8;
        let mono: Vec<f32> = (0..3001).map(wave).collect();
        let stereo: Vec<Frame> = (0..3001).map(|i| [wave(i), -wave(2 * i)]).collect();
        let sounds = [
            Sound::load("sounds/coin.wav").unwrap(),
            Sound::load("sounds/rain_loop.wav").unwrap().resampled(44_100).unwrap(),
            Sound::from_mono(8000, &mono).unwrap(),
            Sound::from_stereo(8000, &stereo).unwrap().resampled(7000).unwrap(),
        ];
        for sound in sounds {
            for piece in [8, 1000, 1 << 16, 1 << 30] {
                let other = crossed(&sound, piece);
                assert!(other.frames().eq(sound.frames()));
                let bytes = |sound: &Sound| {
                    let mut bytes = Vec::new();
                    sound.put_head(&mut bytes);
                    bytes
                };
                assert_eq!(bytes(&other), bytes(&sound), "its level, its loop and its seam");
            }
        }
    }
}
