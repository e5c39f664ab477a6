//! What was played, and how it is known again.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use crate::link::wire::{Bytes, Hash, Wire};
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
    /// Of a sound, the hash of its samples; of a sound from a lossy file, that of the file's bytes; of a stream,
    /// that of the first 64 KiB of its file and of how long that is. FNV-1a, 64 bits.
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

    /// Reads the beginning of the file. Not for threads that must not wait.
    pub(super) fn of_stream(stream: &Stream) -> io::Result<MediaRef> {
        let (mut hash, mut head) = (Hash::NEW, Vec::new());
        let mut file = stream.open_bytes()?;
        (&mut file).take(HEAD).read_to_end(&mut head)?;
        hash.add(&head);
        hash.add(&file.seek(SeekFrom::End(0))?.to_le_bytes());
        Ok(MediaRef {
            name: stream.name().to_owned(),
            frames: stream.frames().unwrap_or(0),
            sample_rate: stream.sample_rate(),
            is_stream: true,
            hash: hash.get(),
        })
    }

    /// What identifies either.
    pub(super) fn of(media: &Media) -> io::Result<MediaRef> {
        match media {
            Media::Sound(sound) => Ok(MediaRef::of_sound(sound)),
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

impl Wire for Told {
    fn put(&self, out: &mut Vec<u8>) {
        self.number.put(out);
        self.known_by.is_stream.put(out);
        Arc::<str>::from(self.known_by.name.as_str()).put(out);
        self.known_by.frames.put(out);
        self.known_by.sample_rate.put(out);
        self.known_by.hash.put(out);
        self.whole.put(out);
    }

    fn take(from: &mut Bytes) -> Option<Told> {
        let (number, is_stream) = (Wire::take(from)?, Wire::take(from)?);
        let name = Arc::<str>::take(from)?.as_ref().to_owned();
        let (frames, sample_rate, hash) = (Wire::take(from)?, Wire::take(from)?, Wire::take(from)?);
        let known_by = MediaRef { name, frames, sample_rate, is_stream, hash };
        Some(Told { number, known_by, whole: Wire::take(from)? })
    }
}

impl Told {
    /// What is told of what a play plays.
    pub fn of(sound: &Sound, is_whole: bool) -> io::Result<Told> {
        let number = sound.media_number();
        let Some(stream) = sound.stream() else {
            let known_by = MediaRef::of_sound(sound);
            let whole = is_whole.then(|| {
                let mut bytes = Vec::new();
                sound.put_whole(&mut bytes);
                bytes.into()
            });
            return Ok(Told { number, known_by, whole });
        };
        let mut whole = None;
        if is_whole {
            let mut bytes = Vec::new();
            stream.open_bytes()?.read_to_end(&mut bytes)?;
            whole = Some(bytes.into());
        }
        Ok(Told { number, known_by: MediaRef::of_stream(stream)?, whole })
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
    /// frames for all that is lacking.
    pub fn silence(&self, left: &mut u64) -> Option<Media> {
        let frames = self.known_by.frames.min(*left);
        *left -= frames;
        let (name, rate) = (&self.known_by.name, self.known_by.sample_rate);
        Sound::silence(name, rate, frames.max(1) as usize).map(Media::Sound)
    }
}

/// How much of a stream's file is read to know it: a reader may block, and nobody is to wait for all of it.
const HEAD: u64 = 1 << 16;

/// The longest silence of a recording, in frames: some twenty minutes, in 128 MB. A few bytes can claim that a
/// sound of any length is lacking, and the next few another.
pub(super) const MOST_SILENCE: u64 = 1 << 26;
