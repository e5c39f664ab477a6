//! Streams, of which the naive mixer knows nothing but how many there may be at once, and how loud each is taken
//! to be: it plays the clip that is in the file.

use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use hound::{SampleFormat, WavSpec, WavWriter};
use voicepool::{Refusal, Sound, Stream};

use super::clip::Clip;
use super::common::noise;
use super::naive::What;
use super::script::CLIPS;
use super::stage::Stage;
use super::voice::Voice;

/// How many kinds of streams there are. Their clips come after those that are loaded.
pub const STREAMS: usize = 2;

/// How many frames each has: far more than what is kept in memory of its beginning, and less than a block.
pub const LENGTHS: [usize; STREAMS] = [50_000, 700];

/// How loud they are.
const LOUDNESS: f32 = 0.3;

/// A stream, and the clip that it is heard as.
pub fn stock(rate: u32) -> [(Stream, Clip); STREAMS] {
    let (float, int) = ((32, SampleFormat::Float), (16, SampleFormat::Int));
    [(2, float), (1, int)].map(|(channels, (bits_per_sample, sample_format))| {
        let spec = WavSpec { channels, sample_rate: rate, bits_per_sample, sample_format };
        let long = LENGTHS[usize::from(2 - channels)];
        let file = file(spec, &steady(channels.into(), long * usize::from(channels)));
        let sound = Sound::from_bytes(&file).unwrap();
        let loudness = sound.frames().next().unwrap()[0].abs();
        let clip = Clip::new(rate, sound.frames().collect(), channels == 2);
        let open = move || Ok(Cursor::new(file.clone()));
        (Stream::from_reader("stream", open).unwrap(), clip.streamed(loudness))
    })
}

/// Noise that is as loud in each of its frames: how loud a stream is, is measured on what was read of it, and this
/// is the same wherever that is.
fn steady(seed: u64, samples: usize) -> Vec<f32> {
    noise(seed, samples).into_iter().map(|sample| LOUDNESS.copysign(sample)).collect()
}

fn file(spec: WavSpec, samples: &[f32]) -> Arc<[u8]> {
    let mut file = Cursor::new(Vec::new());
    let mut wav = WavWriter::new(&mut file, spec).unwrap();
    for sample in samples {
        match spec.sample_format {
            SampleFormat::Float => wav.write_sample(*sample).unwrap(),
            SampleFormat::Int => wav.write_sample((sample * 32_767.0) as i16).unwrap(),
        }
    }
    wav.finalize().unwrap();
    file.into_inner().into()
}

pub fn is_stream(voice: &Voice) -> bool {
    voice.clip >= CLIPS
}

/// How exactly it is known how loud a stream is: within a hop of 10 ms that is a straight line, and where the hops lie
/// depends on what is read at once.
pub const PRECISION: f64 = 0.01;

/// Whether a rounding may decide between two levels, or if those are nothing, between those that come second. What is
/// as loud as nothing is that exactly.
pub fn are_close(a: (f64, f64), b: (f64, f64)) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() <= PRECISION * a.max(b);
    if a.0.max(b.0) > 0.0 { close(a.0, b.0) } else { a.1.max(b.1) > 0.0 && close(a.1, b.1) }
}

impl Stage {
    /// Whether a play is one of more streams than can be read: it is refused before anything else is seen to.
    /// Those hold a place who play or wait, but not those who are parked.
    pub fn refuse_stream(&mut self, number: u64, clip: usize) -> bool {
        let refused = clip >= CLIPS && !self.has_stream_place();
        if refused {
            self.tally.count("a stream too many");
            self.end(number, What::Refused(Refusal::NoStream));
        } else if clip >= CLIPS {
            self.tally.count("a stream");
            self.has_streams = true;
        }
        refused
    }

    /// Whether one of the parked must stay because nobody could read it.
    pub fn lacks_stream_place(&mut self, voice: &Voice) -> bool {
        let lacks = is_stream(voice) && !self.has_stream_place();
        if is_stream(voice) {
            self.tally.count(if lacks {
                "a parked stream that must wait for a place"
            } else {
                "a parked stream that has a place"
            });
        }
        lacks
    }

    /// Whether a voice is a stream that is heard: it is heard on where it was until there is enough to read where it
    /// has jumped to, which is waited for when all of the line is known.
    pub fn is_heard_stream(&self, at: usize) -> bool {
        let voice = &self.playing[at];
        is_stream(voice) && voice.leaves_something(&self.buses)
    }

    pub fn jump_stream(&mut self, at: usize, to: Duration) {
        self.tally.count("jump of a stream that is heard");
        let frame = self.frames_of(to);
        self.draw_jump(at);
        let voice = &mut self.playing[at];
        voice.left.get_or_insert(voice.place()).leads_on = false;
        voice.go_to(frame);
        let (number, clips) = (voice.number, self.clips.clone());
        if self.playing[at].is_over(&clips[self.playing[at].clip]) {
            self.leave_ghost(at);
            self.finish(number);
        } else {
            self.land_if_held(at);
            self.rank(at);
        }
    }

    /// Who is to stand still where it goes is there at once.
    pub fn land_if_held(&mut self, at: usize) {
        if self.playing[at].drawn.is_some() && self.playing[at].hold.to == 0.0 {
            self.tally.count("a stream that jumps and is paused on one line");
            self.land(at);
        }
    }

    /// What is heard now fades out once it is heard from elsewhere; unless it was told to jump on this line before.
    pub fn draw_jump(&mut self, at: usize) {
        if self.playing[at].drawn.is_none() {
            self.playing[at].drawn = self.draw_ghost(at).map(Box::new);
        }
    }

    /// The same of one that goes round, and will no more: its loop is heard on until that. What another leaves behind
    /// on this line goes round as well.
    pub fn leave_loop(&mut self, at: usize) {
        let voice = &mut self.playing[at];
        if voice.is_sounding(&self.buses) && voice.turns().is_some() {
            voice.left.get_or_insert(voice.place());
        }
    }

    /// Streams are heard from where they have jumped to, and nobody goes round any more who was told not to.
    pub fn land_streams(&mut self) {
        (0..self.playing.len()).for_each(|at| self.land(at));
    }

    fn land(&mut self, at: usize) {
        let elsewhere = self.playing[at].is_heard_elsewhere();
        if elsewhere {
            self.leave_ghost(at);
        }
        let voice = &mut self.playing[at];
        voice.drawn = None;
        if voice.left.take().is_some() && elsewhere {
            voice.come_up(self.declick);
            self.rank(at);
        }
    }

    fn has_stream_place(&self) -> bool {
        let waiting = self.waiting.iter().map(|waiting| &waiting.voice);
        let holders = self.playing.iter().chain(&self.arrivals).chain(waiting);
        holders.filter(|voice| is_stream(voice)).count() < self.config.streams
    }
}
