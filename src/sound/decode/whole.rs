//! A whole file, decoded.

use std::io::Cursor;
use std::iter;
use std::ops::Range;
use std::sync::Arc;

use super::Decoder;
use super::kind::Kind;
use crate::error::Fault;
use crate::link::wire::{Hash, Sink};
use crate::sound::samples::{Sample, Samples, check_memory, with_room};
use crate::sound::{MOST_FRAMES, wav};

/// A decoded file.
pub(crate) struct Whole {
    pub sample_rate: u32,
    pub samples: Samples,
    /// Its own loop points, as it says them.
    pub loops: Option<Range<u64>>,
    pub truncated: bool,
    /// The hash of its bytes, if it is a lossy one.
    pub origin: Option<u64>,
}

/// Decodes a whole file. An error is the fault alone; the caller knows the file's name.
pub(crate) fn decode_whole(file: impl AsRef<[u8]>) -> Result<Whole, Fault> {
    let bytes = file.as_ref();
    wav::check_length(bytes.len() as u64)?;
    // Plain samples are written where they stay, which no decoder can do that goes frame by frame.
    let kind = Kind::of(&mut Cursor::new(bytes))?;
    if kind == Kind::Wav
        && let Some(wav) = wav::decode(bytes)?
    {
        let wav::Wav { sample_rate, samples, loops, truncated } = wav;
        return Ok(Whole { sample_rate, samples, loops, truncated, origin: None });
    }
    let origin = kind.is_lossy().then(|| {
        let mut hash = Hash::NEW;
        hash.add(bytes);
        hash.get()
    });
    let mut file = with_room(bytes.len())?;
    file.extend_from_slice(bytes);
    Ok(Whole { origin, ..decode_coded(file)? })
}

fn decode_coded(file: Vec<u8>) -> Result<Whole, Fault> {
    let mut decoder = Decoder::open(Box::new(Cursor::new(file)))?;
    let header = decoder.header().clone();
    let samples = match (header.is_16_bit, header.channels) {
        (true, 1) => Samples::Mono16(gathered(&mut decoder)?),
        (true, _) => Samples::Stereo16(gathered(&mut decoder)?),
        (false, 1) => Samples::Mono32(gathered(&mut decoder)?),
        (false, _) => Samples::Stereo32(gathered(&mut decoder)?),
    };
    Ok(Whole {
        sample_rate: header.sample_rate,
        samples,
        loops: header.loops,
        truncated: decoder.is_truncated(),
        origin: None,
    })
}

/// All frames. They are kept in parts until their number is known: what a header says is not believed, and
/// one part that grows would take up to three times as much on the way.
fn gathered<T: Sample, const CHANNELS: usize>(
    decoder: &mut Decoder,
) -> Result<Arc<[[T; CHANNELS]]>, Fault> {
    /// What the samples of a sound may take.
    const MOST_BYTES: u64 = 1 << 32;
    let most = MOST_FRAMES.min((MOST_BYTES / size_of::<[T; CHANNELS]>() as u64) as usize);
    let mut parts: Vec<Vec<[T; CHANNELS]>> = Vec::new();
    let mut count = 0;
    let mut decoded = Vec::new();
    loop {
        decoded.clear();
        let frames = decoder.decode(&mut decoded)?;
        if frames == 0 {
            break;
        }
        count += frames;
        if count > most {
            return Err(format!("has more than the {most} frames that fit into 4 GiB").into());
        }
        let (frames, _) = decoded.as_chunks::<CHANNELS>();
        let mut part = with_room(frames.len())?;
        part.extend(frames.iter().map(|frame| frame.map(|it| T::nearest(f64::from(it)))));
        parts.push(part);
    }
    check_memory::<[T; CHANNELS]>(count)?;
    let mut all: Arc<[[T; CHANNELS]]> = iter::repeat_n([T::default(); CHANNELS], count).collect();
    let mut rest = Arc::make_mut(&mut all);
    for part in parts {
        let (here, behind) = rest.split_at_mut(part.len());
        here.copy_from_slice(&part);
        rest = behind;
    }
    Ok(all)
}
