//! What the tests share.
#![allow(dead_code, reason = "not every test uses all of it")]

use voicepool::{Ending, Event, Frame, Mixer, Priority, Sound, Stats, VoiceId, WhenFull};

pub const POLICIES: [WhenFull; 4] =
    [WhenFull::StealQuietest, WhenFull::StealOldest, WhenFull::Refuse, WhenFull::Grow];
pub const PRIORITIES: [Priority; 4] =
    [Priority::Low, Priority::Normal, Priority::High, Priority::Protected];

/// Numbers that look random and are the same every time (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / 16_777_216.0
    }

    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}

/// A sine, of which `phase` turns have passed when it begins.
pub fn sine(rate: u32, hertz: f64, phase: f64, frames: usize) -> Vec<f32> {
    (0..frames)
        .map(|i| {
            let turns = phase + hertz * i as f64 / f64::from(rate);
            (turns * std::f64::consts::TAU).sin() as f32
        })
        .collect()
}

pub fn noise(seed: u64, frames: usize) -> Vec<f32> {
    let mut random = Random(seed);
    (0..frames).map(|_| random.between(-1.0, 1.0)).collect()
}

/// A mono sound that must be right.
pub fn mono(rate: u32, samples: &[f32]) -> Sound {
    Sound::from_mono(rate, samples).expect("samples of a test")
}

/// The bits, which compare and hash as bits do.
pub fn bits(frames: &[Frame]) -> Vec<[u32; 2]> {
    frames.iter().map(|frame| frame.map(f32::to_bits)).collect()
}

/// A sound of sixteen bits, by way of a WAV file.
pub fn wav16(rate: u32, channels: u16, samples: &[f32]) -> Sound {
    let mut file = std::io::Cursor::new(Vec::new());
    let (bits_per_sample, sample_format) = (16, hound::SampleFormat::Int);
    let spec = hound::WavSpec { channels, sample_rate: rate, bits_per_sample, sample_format };
    let mut wav = hound::WavWriter::new(&mut file, spec).expect("a header");
    for sample in samples {
        wav.write_sample((sample * 32_767.0) as i16).expect("a sample");
    }
    wav.finalize().expect("a whole file");
    Sound::from_bytes(file.into_inner()).expect("a file of a test")
}

/// What has ended since this was last asked: who, and why.
pub fn endings(mixer: &Mixer) -> Vec<(VoiceId, Ending)> {
    let ended = |event| match event {
        Event::Ended { voice, why, .. } => Some((voice, why)),
        _ => None,
    };
    mixer.events().filter_map(ended).collect()
}

/// One play, one ending.
#[track_caller]
pub fn assert_balanced(stats: &Stats) {
    let ended = stats.finished + stats.stopped + stats.stolen + stats.refused;
    assert_eq!(stats.accepted, ended + stats.live as u64, "the books\n{stats}");
}
