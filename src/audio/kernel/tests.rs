//! What the kernels are worth as interpolators, and whether they all give the same bits.

use super::*;
use crate::audio::voice::position::ONE;
use crate::sound::{Sample, each_kind};

const INTERPOLATIONS: [Interpolation; 3] =
    [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc];

fn every() -> [Kernels; 3] {
    INTERPOLATIONS.map(Kernels::new)
}

/// Reads one position of a mono clip.
fn read(clip: &[[f32; 1]], position: u64, kernels: &Kernels) -> f32 {
    let (mut left, mut right) = ([0.0], [0.0]);
    let mix = Mix { left: &mut left, right: &mut right };
    kernels.interpolate(mix, clip, position, Glide::rest(ONE), Gains::Each(Gain::Steady([1.0; 2])));
    assert_eq!(left, right);
    left[0]
}

#[test]
fn every_interpolator_keeps_a_constant() {
    for kernels in every() {
        for phase in 0..64 {
            let value = read(&[[0.5]; SINC_TAPS], phase << 26, &kernels);
            assert!((value - 0.5).abs() < 1e-6, "{value} at phase {phase}");
        }
    }
}

#[test]
fn linear_and_cubic_pass_through_the_samples() {
    let [linear, cubic, _] = every();
    let clip = [[0.1], [0.7], [-0.3], [0.9]];
    assert_eq!(read(&clip, 0, &linear), 0.1);
    assert_eq!(read(&clip, ONE / 4, &linear), 0.1 + 0.25 * (0.7 - 0.1));
    assert_eq!(read(&clip, 0, &cubic), 0.7);
    // On a parabola, Catmull-Rom is exact.
    let clip = [[1.0], [0.0], [1.0], [4.0]];
    assert_eq!(read(&clip, ONE / 2, &cubic), 0.25);
}

#[test]
fn a_finer_interpolator_is_nearer_to_the_sine_it_reads() {
    let rate = 12.0; // samples in a turn: 4 kHz at 48 kHz
    let sine = |x: f64| libm::sin(x * std::f64::consts::TAU / rate) as f32;
    let clip: Vec<[f32; 1]> = (0..4 * 12 + 16).map(|i| [sine(f64::from(i))]).collect();
    let worst = |kernels: &Kernels| {
        let (_, before) = kernels.taps();
        (0..480).fold(0f32, |worst, i| {
            let position = (i as u64) << 28;
            let x = (i as f64) / 16.0 + before as f64;
            worst.max((read(&clip, position, kernels) - sine(x)).abs())
        })
    };
    let [linear, cubic, sinc] = every().map(|kernels| worst(&kernels));
    assert!(linear < 0.04 && cubic < 0.006 && sinc < 0.0005, "{linear} {cubic} {sinc}");
    assert!(linear > 4.0 * cubic && cubic > 4.0 * sinc, "{linear} {cubic} {sinc}");
}

#[test]
fn a_run_that_would_leave_its_clip_is_cut_and_does_not_panic() {
    for kernels in every() {
        let (taps, _) = kernels.taps();
        for step in [ONE, ONE / 3, 1 << 47, u64::MAX >> 17] {
            for clip in [0, 1, taps - 1, taps, taps + 1, taps + 9] {
                let clip = vec![[1i16]; clip];
                let (mut left, mut right) = ([0.0; 40], [0.0; 40]);
                let mix = Mix { left: &mut left, right: &mut right };
                let gains = Gains::Each(Gain::Steady([1.0; 2]));
                kernels.interpolate(mix, &clip, 0, Glide::rest(step), gains);
                let places = (clip.len() + 1).saturating_sub(taps) as u64;
                let heard = (places << 32).div_ceil(step).min(40) as usize;
                assert!(left[..heard].iter().all(|sample| *sample != 0.0));
                assert!(left[heard..].iter().all(|sample| *sample == 0.0));
            }
        }
        // Where the last neighbours lie beyond what a place of 32 bits can say.
        let (mut left, mut right) = ([0.0; 40], [0.0; 40]);
        let mix = Mix { left: &mut left, right: &mut right };
        let gains = Gains::Each(Gain::Steady([1.0; 2]));
        let position = (u64::from(u32::MAX) << 32) - 39 * ONE;
        kernels.interpolate(mix, &[[1i16]; 64], position, Glide::rest(ONE), gains);
        assert_eq!((left, right), ([0.0; 40], [0.0; 40]));
    }
}

/// The bits of noise, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.0 >> 24
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn unit(&mut self) -> f32 {
        (self.next() >> 16 & 0xff_ffff) as f32 / 8_388_608.0 - 1.0
    }

    fn gain(&mut self) -> f32 {
        let most = self.pick(&[0.0, 1.0, 1.0, 1000.0, 1e9, 1e-8, 1e-30]);
        (self.unit() * most).abs()
    }
}

/// A sample at random, of any size that is let in.
trait Noise: Sample {
    fn noise(random: &mut Random) -> Self;
}

impl Noise for i16 {
    fn noise(random: &mut Random) -> i16 {
        let any = random.next() as i16;
        random.pick(&[any, any, i16::MIN, i16::MAX, 0, 1])
    }
}

impl Noise for f32 {
    fn noise(random: &mut Random) -> f32 {
        let most = random.pick(&[1.0, 1.0, 1.0, 65_536.0, 1e-11, 0.0]);
        random.unit() * most
    }
}

/// The two sides of a mix, as bits.
type Bits = [Vec<u32>; 2];

/// What a kernel makes of a mix that already holds something, from some place on.
fn heard(held: &[f32], offset: usize, add: impl FnOnce(Mix)) -> Bits {
    let (mut left, mut right) = (held.to_vec(), held.to_vec());
    right.reverse();
    add(Mix { left: &mut left[offset..], right: &mut right[offset..] });
    [left, right].map(|side| side.iter().map(|sample| sample.to_bits()).collect())
}

impl Cpu {
    /// All that this processor has.
    fn every() -> Vec<Cpu> {
        let every = [Cpu::Any(array::ArrayLanes)].into_iter();
        #[cfg(target_arch = "x86_64")]
        let every = every.chain([Cpu::Sse2(sse2::Sse2)]).chain(avx2::Avx2::found().map(Cpu::Avx2));
        #[cfg(target_arch = "aarch64")]
        let every = every.chain([Cpu::Neon(neon::Neon)]);
        #[cfg(target_arch = "wasm32")]
        let every = every.chain([Cpu::Simd128(simd128::Simd128)]);
        every.collect()
    }
}

/// How often everything is tried at random. Miri takes its time.
const RUNS: usize = if cfg!(miri) { 2 } else { 150 };

/// How far a run goes in its clip at most, which has to be filled first.
const LONGEST: u64 = if cfg!(miri) { 256 * ONE } else { 4096 * ONE };

/// The lengths at which lanes are filled, are not, and just so; offsets make them unaligned.
fn lengths(random: &mut Random) -> usize {
    let short = random.below(70);
    if cfg!(miri) { short } else { random.pick(&[short, short, 128, 515]) }
}

/// A run of a clip, the gains, and what it is added to.
struct Scene<F> {
    clip: Vec<F>,
    from: usize,
    held: Vec<f32>,
    offset: usize,
    curves: [Vec<f32>; 2],
    steady: bool,
}

impl<S: Noise, const CHANNELS: usize> Scene<[S; CHANNELS]> {
    fn new(random: &mut Random, frames: usize, clip: usize) -> Self {
        let (offset, from) = (random.below(9), random.below(9));
        let curves = [0, 1].map(|_| (0..frames).map(|_| random.gain()).collect());
        let sample = |random: &mut Random| std::array::from_fn(|_| S::noise(random));
        Scene {
            clip: (0..clip + from).map(|_| sample(random)).collect(),
            from,
            held: (0..frames + offset).map(|_| random.unit()).collect(),
            offset,
            curves,
            steady: random.below(2) == 0,
        }
    }

    fn clip(&self) -> &[[S; CHANNELS]] {
        &self.clip[self.from..]
    }

    fn gains(&self) -> Gains<'_> {
        let [left, right] = &self.curves;
        match (self.steady, left.first(), right.first()) {
            (true, Some(left), Some(right)) => Gains::Each(Gain::Steady([*left, *right])),
            _ => Gains::Curve { left, right },
        }
    }

    fn heard(&self, add: impl FnOnce(Mix)) -> Bits {
        heard(&self.held, self.offset, add)
    }
}

fn copies_agree<S: Noise, const CHANNELS: usize>()
where
    [S; CHANNELS]: ClipFrame,
{
    let mut random = Random(CHANNELS as u64);
    let mut kernels = Kernels::new(Interpolation::Linear);
    for cpu in Cpu::every() {
        kernels.cpu = cpu;
        for _ in 0..RUNS {
            let frames = lengths(&mut random);
            let scene = Scene::<[S; CHANNELS]>::new(&mut random, frames, frames);
            let plain = scene.heard(|mix| scalar::copy(mix, scene.clip(), scene.gains()));
            let wide = scene.heard(|mix| kernels.copy(mix, scene.clip(), scene.gains()));
            assert_eq!(wide, plain, "{cpu:?}, {frames} frames");
        }
    }
}

#[test]
fn copies_are_the_same_to_the_bit_on_every_processor() {
    copies_agree::<i16, 1>();
    copies_agree::<i16, 2>();
    copies_agree::<f32, 1>();
    copies_agree::<f32, 2>();
}

/// A slope somewhere on its way, alone or among other gains.
fn slope(random: &mut Random) -> Slope {
    let mut other = || if random.below(2) == 0 { 1.0 } else { random.gain() };
    let (before, after) = (other(), [other(), other()]);
    let over = 1 + random.below(100_000) as u32;
    let (scale, at) = (1.0 / over as f32, random.below(over as usize) as u32);
    let sides = [random.gain(), random.gain()];
    if random.below(3) == 0 {
        let turn = sides.map(|side| random.gain() - side);
        return Slope { before, scale, at, sides, turn, ..Slope::LEVEL };
    }
    let (from, to) = (random.gain(), random.gain());
    Slope { before, from, span: to - from, scale, at, after, sides, turn: [0.0; 2] }
}

/// A clip of any kind.
enum AnyClip {
    Mono16(Vec<[i16; 1]>),
    Stereo16(Vec<[i16; 2]>),
    Mono32(Vec<[f32; 1]>),
    Stereo32(Vec<[f32; 2]>),
}

impl AnyClip {
    fn new(random: &mut Random, frames: usize) -> AnyClip {
        fn noise<S: Noise, const C: usize>(random: &mut Random, frames: usize) -> Vec<[S; C]> {
            (0..frames).map(|_| std::array::from_fn(|_| S::noise(random))).collect()
        }
        match random.below(4) {
            0 => AnyClip::Mono16(noise(random, frames)),
            1 => AnyClip::Stereo16(noise(random, frames)),
            2 => AnyClip::Mono32(noise(random, frames)),
            _ => AnyClip::Stereo32(noise(random, frames)),
        }
    }

    fn frames(&self) -> Frames<'_> {
        match self {
            AnyClip::Mono16(clip) => Frames::Mono16(clip),
            AnyClip::Stereo16(clip) => Frames::Stereo16(clip),
            AnyClip::Mono32(clip) => Frames::Mono32(clip),
            AnyClip::Stereo32(clip) => Frames::Stereo32(clip),
        }
    }
}

/// One part by the plain loops, alone.
fn add_plainly(mix: Mix, part: &Part, between: &Interpolator) {
    fn add<F: ClipFrame>(mix: Mix, clip: &[F], part: &Part, between: &Interpolator) {
        let gains = Gains::Each(part.gain);
        match part.stride {
            Stride::Whole => scalar::copy(mix, clip, gains),
            Stride::Between { fraction, step } => {
                let (position, glide) = (u64::from(fraction), Glide::rest(step));
                scalar::interpolate(mix, clip, position, glide, gains, between);
            }
        }
    }
    each_kind!(Frames, part.clip, clip => match part.is_point {
        false => add(mix, clip, part, between),
        true => {
            // The mean of both sides, worked out beforehand.
            let mean = |[left, right]: [f32; 2]| [(left + right) * 0.5];
            let clip: Vec<[f32; 1]> = clip.iter().map(|frame| mean(frame.stereo())).collect();
            add(mix, &clip, part, between);
        }
    });
}

/// However many, whatever their kinds, strides and gains: as if each had been added alone, in order.
#[test]
fn voices_added_together_are_the_same_to_the_bit_on_every_processor() {
    let mut random = Random(99);
    for mut kernels in every() {
        let (taps, _) = kernels.taps();
        for cpu in Cpu::every() {
            kernels.cpu = cpu;
            for _ in 0..RUNS {
                let frames = lengths(&mut random);
                let many = random.below(5);
                let strides: Vec<Stride> = (0..many)
                    .map(|_| {
                        let fraction = random.next() as u32;
                        let step = random.pick(&[ONE / 3, ONE + 1, ONE / 2 * 3, 7 * ONE]);
                        let whole = random.below(2) == 0;
                        if whole { Stride::Whole } else { Stride::Between { fraction, step } }
                    })
                    .collect();
                let clips: Vec<AnyClip> = strides
                    .iter()
                    .map(|stride| match stride {
                        Stride::Whole => AnyClip::new(&mut random, frames),
                        Stride::Between { step, .. } => {
                            let reach = ((step * (frames as u64 + 1)) >> 32) as usize;
                            AnyClip::new(&mut random, reach + taps)
                        }
                    })
                    .collect();
                let slopes: Vec<Slope> = (0..many).map(|_| slope(&mut random)).collect();
                let parts: Vec<Part> = (clips.iter().zip(&strides).zip(&slopes))
                    .map(|((clip, stride), slope)| {
                        let steady = Gain::Steady([random.gain(), random.gain()]);
                        let sloped = Gain::Sloped(slope, 0);
                        let gain = if random.below(2) == 0 { steady } else { sloped };
                        let is_point = random.below(3) == 0;
                        Part { clip: clip.frames(), is_point, stride: *stride, gain }
                    })
                    .collect();
                let held: Vec<f32> = (0..frames).map(|_| random.unit()).collect();
                let plain = heard(&held, 0, |mut mix| {
                    for part in &parts {
                        add_plainly(mix.rest(0), part, &kernels.interpolator);
                    }
                });
                let wide = heard(&held, 0, |mix| kernels.mix(mix, &parts));
                assert_eq!(wide, plain, "{cpu:?}, {many} times {frames} frames");
            }
        }
    }
}

/// A speed that stays, or one that changes, and how many frames of a clip it may need.
fn glide(random: &mut Random, frames: usize) -> (Glide, usize) {
    let mut step = || {
        let most = random.pick(&[1, ONE / 100, ONE, ONE, 2 * ONE, 9 * ONE, 200 * ONE, 1 << 47]);
        (random.next().wrapping_mul(0x9e37_79b9_7f4a_7c15) % most + 1)
            .min(LONGEST / (frames as u64 + 1))
    };
    let (from, to) = (step(), step());
    let mut glide = Glide::rest(from);
    if random.below(3) == 0 && frames > 0 {
        glide.ramp_to(to, (frames + random.below(100)) as u32, 0);
    }
    (glide, ((glide.longest() * frames as u64) >> 32) as usize + 2)
}

fn interpolations_agree<S: Noise, const CHANNELS: usize>(every: &mut [Kernels; 3])
where
    [S; CHANNELS]: ClipFrame,
{
    let mut random = Random(10 + CHANNELS as u64);
    for (kernels, interpolation) in every.iter_mut().zip(INTERPOLATIONS) {
        let (taps, _) = kernels.taps();
        for cpu in Cpu::every() {
            kernels.cpu = cpu;
            for _ in 0..RUNS {
                let frames = lengths(&mut random);
                let (glide, reach) = glide(&mut random, frames);
                // Some of the clips end too early, and the run with them.
                let clip = (reach + taps).saturating_sub(random.pick(&[0, 0, 0, 1, 5, 40]));
                let scene = Scene::<[S; CHANNELS]>::new(&mut random, frames, clip);
                let (clip, gains) = (scene.clip(), scene.gains());
                let position = random.next() & 0xffff_ffff;
                let between = &kernels.interpolator;
                let plain = scene.heard(|mix| {
                    scalar::interpolate(mix, clip, position, glide, gains, between);
                });
                let wide =
                    scene.heard(|mix| kernels.interpolate(mix, clip, position, glide, gains));
                assert_eq!(wide, plain, "{cpu:?}, {interpolation:?}, {frames} frames, {glide:?}");
            }
        }
    }
}

#[test]
fn interpolations_are_the_same_to_the_bit_on_every_processor() {
    let mut every = every();
    interpolations_agree::<i16, 1>(&mut every);
    interpolations_agree::<i16, 2>(&mut every);
    interpolations_agree::<f32, 1>(&mut every);
    interpolations_agree::<f32, 2>(&mut every);
}
