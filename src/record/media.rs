//! What was played, and how it is known again.

use std::io::{self, Read};
use std::sync::Arc;

use crate::guarded::guarded;
use crate::link::wire::{Bytes, Sink, Wire};
use crate::sound::{Media, Sound, Stream};

/// What identifies a sound or a stream in a recording.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MediaRef {
    /// Its [name](Sound::name).
    pub name: String,
    /// How many frames it has; 0 for a stream whose file does not say.
    pub frames: u64,
    /// Frames in a second.
    pub sample_rate: u32,
    /// Whether it is a stream.
    pub is_stream: bool,
    /// Of a sound, the hash of its rate, samples and loop; of a sound from a lossy file, that of its rate and of the
    /// file's bytes; of a stream, that of the first 64 KiB of its file and of how long that is. FNV-1a, 64 bits.
    pub hash: u64,
}

impl MediaRef {
    pub(super) fn of_sound(sound: &Sound) -> MediaRef {
        MediaRef {
            name: sound.name().to_owned(),
            frames: sound.frame_count() as u64,
            sample_rate: sound.sample_rate(),
            is_stream: false,
            hash: sound.hash(),
        }
    }

    pub(super) fn of_stream(stream: &Stream) -> MediaRef {
        MediaRef {
            name: stream.name().to_owned(),
            frames: stream.frames().unwrap_or(0),
            sample_rate: stream.sample_rate(),
            is_stream: true,
            hash: stream.hash(),
        }
    }

    /// What identifies either.
    pub(super) fn of(media: &Media) -> MediaRef {
        match media {
            Media::Sound(sound) => MediaRef::of_sound(sound),
            Media::Stream(stream) => MediaRef::of_stream(stream),
        }
    }
}

/// What a block tells of a sound or a stream: the number by which plays name it, what identifies it, and all of it if
/// that was asked for.
pub(super) struct Told {
    pub number: u64,
    pub known_by: MediaRef,
    pub whole: Option<Box<[u8]>>,
}

/// What is told of what a play plays, as bytes: all of it, if that is wanted and there is room for it in memory and in
/// a block. If it could not be read that is told beside. `on_the_way` is called whenever some more of it was.
pub(super) fn tell(
    sound: &Sound,
    is_whole: bool,
    on_the_way: impl Fn(),
) -> (Vec<u8>, io::Result<()>) {
    let known_by = sound.stream().map_or_else(|| MediaRef::of_sound(sound), MediaRef::of_stream);
    let mut out = Vec::new();
    out.put(&sound.media_number());
    out.put(&known_by.is_stream);
    out.put(&Arc::<str>::from(known_by.name));
    out.put(&known_by.frames);
    out.put(&known_by.sample_rate);
    out.put(&known_by.hash);
    let head = out.len();
    // An option of a list of bytes.
    out.put(&is_whole);
    if !is_whole {
        return (out, Ok(()));
    }
    out.put(&0_u32);
    let list = out.len();
    let told = match sound.stream() {
        None => room_for(sound.whole_bytes(), &mut out).map(|()| sound.put_whole(&mut out)),
        // A reader is the game's own, and may do anything.
        Some(stream) => guarded(|| read_whole(stream, &mut out, on_the_way))
            .unwrap_or_else(|| Err(io::Error::other("its reader panicked"))),
    };
    if told.is_ok() {
        let length = (out.len() - list) as u32;
        out[head + 1..list].copy_from_slice(&length.to_le_bytes());
    } else {
        out.truncate(head);
        out.put(&false);
    }
    (out, told)
}

/// Whether so many bytes more are too many for a block, or for the memory.
fn room_for(bytes: usize, out: &mut Vec<u8>) -> io::Result<()> {
    if out.len().saturating_add(bytes) > u32::MAX as usize {
        return Err(io::Error::other("it is larger than 4 GiB"));
    }
    out.try_reserve(bytes).map_err(io::Error::other)
}

fn read_whole(stream: &Stream, out: &mut Vec<u8>, on_the_way: impl Fn()) -> io::Result<()> {
    let mut file = stream.open_bytes()?;
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                room_for(count, out)?;
                out.add(piece.get(..count).unwrap_or_default());
                on_the_way();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error),
        }
    }
}

impl Told {
    pub fn take(from: &mut Bytes) -> Option<Told> {
        let (number, is_stream) = (Wire::take(from)?, Wire::take(from)?);
        let name = Arc::<str>::take(from)?.as_ref().to_owned();
        let (frames, sample_rate, hash) = (Wire::take(from)?, Wire::take(from)?, Wire::take(from)?);
        let known_by = MediaRef { name, frames, sample_rate, is_stream, hash };
        Some(Told { number, known_by, whole: Wire::take(from)? })
    }

    /// What it is, if all of it was told.
    pub fn media(&mut self) -> Option<Media> {
        let bytes = self.whole.take()?;
        let name = &self.known_by.name;
        if !self.known_by.is_stream {
            let sound = Sound::take_whole(name, &mut Bytes::new(&bytes))?;
            return Some(sound.into());
        }
        let bytes: Arc<[u8]> = bytes.into();
        let stream = Stream::from_reader(name, move || Ok(io::Cursor::new(bytes.clone())));
        stream.ok().map(Media::Stream)
    }

    /// What is heard in the place of what is lacking: silence, for as long, or as long as there is room in `left`
    /// frames for all that is lacking. A stream's plays count their frames at the mixer's rate.
    pub fn silence(&self, mixer_rate: u32, left: &mut u64) -> Option<Media> {
        let MediaRef { name, frames, sample_rate, is_stream, .. } = &self.known_by;
        let (rate, frames) = match is_stream {
            false => (*sample_rate, *frames),
            true => {
                let at_rate = u128::from(*frames) * u128::from(mixer_rate);
                let at_rate = at_rate.div_ceil(u128::from((*sample_rate).max(1)));
                (mixer_rate, u64::try_from(at_rate).unwrap_or(u64::MAX))
            }
        };
        let frames = frames.min(*left);
        *left -= frames;
        Sound::silence(name, rate, frames.max(1) as usize).map(Media::Sound)
    }
}

/// The longest silence of a recording, in frames: some twenty minutes, in 128 MB. A few bytes can claim that a
/// sound of any length is lacking, and the next few another.
pub(super) const MOST_SILENCE: u64 = 1 << 26;
