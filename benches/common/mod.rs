//! What the benches play: noise, and mixers whose pools are full of it.

use std::f32::consts::TAU;
use std::io::Cursor;
use std::sync::OnceLock;

use voicepool::{
    Config, Interpolation, Mixer, Play, Renderer, Sound, VoiceId, WhenStolen, ms, secs,
};

pub const RATE: u32 = 48_000;
pub const BLOCK: usize = 512;

/// How samples are kept.
#[derive(Clone, Copy, PartialEq)]
pub enum Bits {
    F32,
    I16,
}

/// Clips of noise, mono and stereo in turn. All mixers share them, so that thousands of voices
/// need no more than these few megabytes.
pub fn clips(bits: Bits) -> &'static [Sound] {
    static CLIPS: [OnceLock<Vec<Sound>>; 2] = [OnceLock::new(), OnceLock::new()];
    CLIPS[bits as usize].get_or_init(|| (0..16).map(|seed| noise(seed, bits)).collect())
}

/// Half a second of noise.
fn noise(seed: u32, bits: Bits) -> Sound {
    let channels = 1 + seed as u16 % 2;
    let mut random = seed;
    let mut samples = std::iter::repeat_with(|| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) as i16 / 2
    });
    let samples = samples.by_ref().take(RATE as usize / 2 * usize::from(channels));
    if bits == Bits::I16 {
        let spec = hound::WavSpec {
            channels,
            sample_rate: RATE,
            bits_per_sample: 16,
            sample_format: hound::SampleFormat::Int,
        };
        let mut file = Cursor::new(Vec::new());
        let mut wav = hound::WavWriter::new(&mut file, spec).expect("a sound format");
        samples.for_each(|sample| wav.write_sample(sample).expect("room in memory"));
        wav.finalize().expect("room in memory");
        return Sound::from_bytes(file.into_inner()).expect("a file of our own");
    }
    let samples: Vec<f32> = samples.map(|sample| f32::from(sample) / 32_768.0).collect();
    match channels {
        1 => Sound::from_mono(RATE, &samples).expect("noise"),
        _ => Sound::from_stereo(RATE, samples.as_chunks().0).expect("noise"),
    }
}

/// A mixer with room for so many voices, and for as many plays at once.
pub fn mixer(voices: usize, interpolation: Interpolation) -> (Mixer, Renderer) {
    let config = Config {
        voices,
        max_voices: voices,
        commands: 2 * voices.max(64),
        sample_rate: RATE,
        interpolation,
        ..Config::default()
    };
    Mixer::offline(config).expect("a config of a bench")
}

/// Plays loops of the clips, each with a gain and a pan of its own, begun apart so that they do not
/// turn together. Who is robbed ends, so a full pool stays full of what was played last.
pub fn fill(
    mixer: &Mixer,
    renderer: &mut Renderer,
    clips: &[Sound],
    speed: f32,
    voices: usize,
) -> Vec<VoiceId> {
    let play = |(index, clip): (usize, &Sound)| {
        let share = index as f32 / voices as f32;
        let play = Play::of(clip).looping().when_stolen(WhenStolen::End).speed(speed);
        let play = play.gain(0.1 + 0.8 * share).pan(share - 0.5);
        mixer.play(play.from_position(ms(index as u64 * 37 % 480))).expect("room in the queue")
    };
    let ids = clips.iter().cycle().take(voices).enumerate().map(play).collect();
    renderer.frames(BLOCK);
    assert_eq!(mixer.stats().playing, voices);
    ids
}

/// Where a thing is that goes round a place of its own, 5 to 40 m off, at 5 m/s, in a frame of the game.
pub fn round(index: usize, game_frame: usize) -> [f32; 3] {
    let (sin, cos) = (TAU * index as f32 * 0.618).sin_cos();
    let distance = 5.0 + (index * 37 % 64) as f32 * 35.0 / 64.0;
    let (aside, along) = (index as f32 + game_frame as f32 / 36.0).sin_cos();
    [distance * cos + 3.0 * along, 0.0, distance * sin + 3.0 * aside]
}

/// Sets every voice on a ramp that lasts for as long as anybody looks.
pub fn set_ramps(mixer: &Mixer, renderer: &mut Renderer, voices: &[VoiceId]) {
    for voice in voices {
        mixer.set_gain(*voice, 0.01, secs(3600.0));
    }
    renderer.frames(BLOCK);
}
