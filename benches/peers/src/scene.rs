//! The workload, and what a contender must do to take part.

use std::sync::Arc;

pub use voicepool::Frame;

use crate::space::Moment;

/// Frames a second.
pub const RATE: u32 = 48_000;

/// Frames in a block.
pub const BLOCK: usize = 512;

/// Three semitones up: the multiple of 1/65,536 next to 1.1892. The limit's positions have 16 bits
/// after the point and voicepool's 32; at this pitch both stand on the same ones for ever.
pub const PITCH: f32 = 77_936.0 / 65_536.0;

/// Mono clips of noise, kept by each contender in its own way.
pub struct Clips(pub Vec<Arc<[f32]>>);

impl Clips {
    /// Low enough that the sum of thousands stays within full scale, so that nobody's limiter has
    /// work that others do not, and far from what is so small that processors stumble over it.
    const LOUDEST: f32 = 1.0 / 256.0;

    /// The root mean square of even noise.
    pub const RMS: f32 = Clips::LOUDEST * 0.577;

    /// The 64 clips of two seconds that all timing is done with: 25 MB.
    pub fn many() -> Clips {
        Clips::noise(64, 96_000)
    }

    /// The same, each falling to nothing as most sounds in a game do. The quietest voice is then
    /// one that has played for long, and no loud one stays until it ends by itself.
    pub fn falling() -> Clips {
        let fall = |clip: Arc<[f32]>| {
            let length = clip.len() as f32;
            clip.iter()
                .enumerate()
                .map(|(at, sample)| sample * (1.0 - at as f32 / length))
                .collect()
        };
        Clips(Clips::many().0.into_iter().map(fall).collect())
    }

    pub fn noise(count: usize, frames: usize) -> Clips {
        let mut random = 0x9E37_79B9u32;
        let mut sample = || {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            random as i32 as f32 / 2_147_483_648.0 * Clips::LOUDEST
        };
        Clips((0..count).map(|_| (0..frames).map(|_| sample()).collect()).collect())
    }

    /// The same in 16 bits.
    pub fn sixteen(&self) -> impl Iterator<Item = Vec<i16>> {
        self.0.iter().map(|clip| clip.iter().copied().map(sixteen).collect())
    }
}

/// Stereo files of 16 bits, as long as the clips: a side of each is a clip, the other the one after it.
pub fn files(clips: &Clips) -> Vec<Arc<[u8]>> {
    let file = |at| {
        let frames: Vec<i16> = stereo(clips, at).flatten().map(sixteen).collect();
        wav(&frames, 2).into()
    };
    (0..clips.0.len()).map(file).collect()
}

/// A clip on the left, and the one after it on the right.
pub fn stereo(clips: &Clips, at: usize) -> impl Iterator<Item = Frame> {
    let [left, right] = [at, at + 1].map(|at| clips.0[at % clips.0.len()].iter());
    left.zip(right).map(|(left, right)| [*left, *right])
}

/// A sample in 16 bits.
pub fn sixteen(sample: f32) -> i16 {
    (sample * 32_768.0).round() as i16
}

/// A WAV file of 16-bit samples.
pub fn wav(samples: &[i16], channels: u16) -> Vec<u8> {
    let bytes = 2 * samples.len() as u32;
    let mut file = Vec::with_capacity(44 + 2 * samples.len());
    file.extend(b"RIFF");
    file.extend((36 + bytes).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    // PCM.
    file.extend([1u16, channels].map(u16::to_le_bytes).as_flattened());
    file.extend([RATE, 2 * RATE * u32::from(channels)].map(u32::to_le_bytes).as_flattened());
    // Bytes in a frame, bits in a sample.
    file.extend([2 * channels, 16].map(u16::to_le_bytes).as_flattened());
    file.extend(b"data");
    file.extend(bytes.to_le_bytes());
    file.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    file
}

/// What a contender is made for.
pub struct Scene<'a> {
    /// How many voices will sound at once.
    pub voices: usize,
    pub clips: &'a Clips,
    /// Whether more will be played than fit. Where control over a voice costs extra, it is only
    /// asked for then.
    pub overfull: bool,
    /// How many plays come before a block passes: as many begin together, and voices that share a
    /// clip are spread over it by the rest.
    pub together: usize,
}

impl<'a> Scene<'a> {
    pub fn of(voices: usize, clips: &'a Clips) -> Scene<'a> {
        Scene { voices, clips, overfull: false, together: 32 }
    }

    /// Makes a contender and fills it with loops, each as the `voice` of its number.
    pub fn fill(
        &self,
        contender: &Contender,
        plays: usize,
        voice: impl Fn(usize) -> Voice,
    ) -> Box<dyn Driver> {
        let mut driver = (contender.make)(self);
        let mut out = [Frame::default(); BLOCK];
        for index in 0..plays {
            driver.play(Voice { looping: true, ..voice(index) });
            if (index + 1).is_multiple_of(self.together) {
                driver.tick();
                driver.render(&mut out);
            }
        }
        driver.tick();
        driver
    }
}

/// One play.
#[derive(Clone, Copy)]
pub struct Voice {
    pub clip: usize,
    pub gain: f32,
    pub pan: f32,
    pub looping: bool,
    pub pitch: f32,
    /// In a game's mix, the bus it plays on.
    pub bus: GameBus,
    /// In space, where it begins.
    pub at: [f32; 3],
}

impl Voice {
    /// The play of a number: each its own gain and pan, and never 1 or the centre, so that nobody
    /// takes a short cut that a game's sounds would not take.
    pub fn nth(index: usize) -> Voice {
        let gain = 0.05 + 0.9 * ((index * 37 % 101) as f32 / 101.0);
        let pan = -0.899 + 1.8 * ((index * 53 % 97) as f32 / 97.0);
        Voice {
            clip: index,
            gain,
            pan,
            looping: false,
            pitch: 1.0,
            bus: GameBus::Menu,
            at: [0.0; 3],
        }
    }

    /// The play of a number in a game's mix: on the buses in turn, two of three on each pitched.
    pub fn of_game(index: usize) -> Voice {
        let bus = GameBus::ALL[index % GameBus::ALL.len()];
        let pitch = if (index / GameBus::ALL.len()).is_multiple_of(3) { 1.0 } else { PITCH };
        Voice { pitch, bus, ..Voice::nth(index) }
    }
}

/// The buses of a game's mix. Each has a gain of its own. The music makes room while there is speech; steps and
/// shots lead to the world, and are heard in a room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GameBus {
    Music,
    Speech,
    World,
    Steps,
    Shots,
    Menu,
}

impl GameBus {
    /// A bus comes after the one it leads to.
    pub const ALL: [GameBus; 6] = [
        GameBus::Music,
        GameBus::Speech,
        GameBus::World,
        GameBus::Steps,
        GameBus::Shots,
        GameBus::Menu,
    ];

    /// How much the music is turned down: -9 dB.
    pub const DUCK: f32 = 0.35;
    pub const DUCK_ATTACK_MS: u64 = 50;

    /// How much of the buses that are heard in the room it gets.
    pub const SEND: f32 = 0.3;

    pub fn gain(self) -> f32 {
        0.9 - 0.05 * self as usize as f32
    }

    /// The cut-off of its low-pass, in Hz.
    pub fn low_pass(self) -> Option<f32> {
        match self {
            GameBus::Music => Some(2000.0),
            GameBus::Steps => Some(800.0),
            GameBus::Shots => Some(1500.0),
            GameBus::Speech | GameBus::World | GameBus::Menu => None,
        }
    }

    /// Whether it leads to the world and sends to the room.
    pub fn is_in_world(self) -> bool {
        matches!(self, GameBus::Steps | GameBus::Shots)
    }
}

/// A mixer with its clips, driven from one thread.
pub trait Driver {
    /// What the game does to play a sound.
    fn play(&mut self, voice: Voice);

    /// What the game does once a frame.
    fn tick(&mut self) {}

    /// What the game does, in space, in a frame in which everything has moved; a tick follows.
    fn walk(&mut self, _now: &Moment) {}

    /// What the audio callback does. Fills the block, whatever was in it.
    fn render(&mut self, out: &mut [Frame]);

    /// How many voices it says were stolen, if it counts them.
    fn stolen(&self) -> Option<u64> {
        None
    }

    /// How often it says that a stream was not there in time, if it counts that.
    fn underruns(&self) -> Option<u64> {
        None
    }
}

/// How to make one, and what to know about it.
#[derive(Clone, Copy)]
pub struct Contender {
    pub name: &'static str,
    /// How it reads between the samples.
    pub reads: &'static str,
    /// What a play does that finds the pool full; here, or done by its driver.
    pub when_full: &'static str,
    /// How many voices sound at once, at most.
    pub most_voices: usize,
    /// How many plays fill a pool of so many voices.
    pub full_at: fn(usize) -> usize,
    pub make: fn(&Scene) -> Box<dyn Driver>,
}

/// Ring of the plays a driver would take from next: where a peer has no limit, its driver ends the
/// oldest.
pub struct Oldest<T> {
    plays: Vec<T>,
    next: usize,
}

impl<T> Oldest<T> {
    pub fn new(most: usize) -> Oldest<T> {
        Oldest { plays: Vec::with_capacity(most), next: 0 }
    }

    /// Takes a play in, and gives back the one that must end for it.
    pub fn replace(&mut self, play: T) -> Option<T> {
        if self.plays.len() < self.plays.capacity() {
            self.plays.push(play);
            return None;
        }
        let at = self.next;
        self.next = (at + 1) % self.plays.len();
        Some(std::mem::replace(&mut self.plays[at], play))
    }
}
