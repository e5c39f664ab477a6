//! Equal work first: figures are only compared of contenders that were heard to do it.

use crate::scene::{BLOCK, Clips, Contender, Driver, Frame, GameBus, PITCH, Scene, Voice};
use crate::space::{Moment, Place, Walk};
use crate::streams::Player;
use crate::{heap, limit, ours, peers};

const VOICES: usize = 256;

/// Looks at everything that the figures stand on. The error says what is wrong.
pub fn all(clips: &Clips) -> Result<(), String> {
    heap()?;
    // Fused multiply-adds and sums in another order: the rounding of floats, no more. The 16-bit
    // kernel of the limit weighs with 15 bits of the fraction.
    agree(&ours::F32, &limit::F32, 1.0, clips, 1e-5)?;
    agree(&ours::F32, &limit::F32, PITCH, clips, 1e-5)?;
    agree(&ours::CUBIC, &limit::CUBIC, PITCH, clips, 1e-5)?;
    agree(&ours::I16, &limit::I16, 1.0, clips, 1e-5)?;
    agree(&ours::I16, &limit::I16, PITCH, clips, 1e-3)?;
    for contender in [ours::F32].iter().chain(&peers::ALL) {
        for pitch in [1.0, PITCH] {
            sounds(contender, pitch)?;
        }
    }
    game()?;
    space()
}

/// Calls of the heap must be seen.
pub fn heap() -> Result<(), String> {
    let fault = "calls of the heap are not seen here; this needs Linux with glibc";
    heap::counts().then_some(()).ok_or_else(|| fault.into())
}

/// In a game's mix, everybody must do what is asked of its buses.
pub fn game() -> Result<(), String> {
    [ours::GAME].iter().chain(&peers::GAME).try_for_each(has_buses)
}

/// In space, everybody must hear where things are.
pub fn space() -> Result<(), String> {
    [ours::SPACE].iter().chain(&peers::SPACE).try_for_each(has_places)
}

/// Of streams, everybody must play what is in the files: all of it, and on from where they turn.
pub fn streams(scene: &Scene) -> Result<(), String> {
    let blocks = scene.clips.0[0].len() * 5 / 4 / BLOCK;
    [ours::STREAMS].iter().chain(&peers::STREAMS).try_for_each(|contender| {
        let mut player = Player::new(contender, scene);
        (0..blocks).try_for_each(|_| player.block(|driver, out| driver.render(out)))
    })
}

/// Two contenders must give the same output, as all the voices go through their loops, but for an
/// error relative to the peak.
fn agree(
    one: &Contender,
    other: &Contender,
    pitch: f32,
    clips: &Clips,
    most: f32,
) -> Result<(), String> {
    let scene = Scene::of(VOICES, clips);
    let voice = |index| Voice { pitch, ..Voice::nth(index) };
    let [mut first, mut second] = [one, other].map(|one| scene.fill(one, VOICES, voice));
    let (mut peak, mut error) = (0f32, 0f32);
    let longest = clips.0.iter().map(|clip| clip.len()).max().unwrap_or_default();
    for _ in 0..=longest / BLOCK {
        let [a, b] = [&mut first, &mut second].map(|driver| render(&mut **driver));
        for (a, b) in a.as_flattened().iter().zip(b.as_flattened()) {
            peak = peak.max(a.abs());
            error = error.max((a - b).abs());
        }
    }
    // Not by `>`: a NaN must not pass.
    if peak > 0.0 && error <= most * peak {
        return Ok(());
    }
    let (one, other) = (one.name, other.name);
    Err(format!(
        "{one} and {other} disagree at pitch {pitch}: by {error:e}, with a peak of {peak:e}"
    ))
}

/// A contender must be heard: one voice at a level that can be, many as loud as they are many,
/// loops for ever, and others for as long as their pitch says.
fn sounds(contender: &Contender, pitch: f32) -> Result<(), String> {
    const FRAMES: usize = 9_600;
    let clips = Clips::noise(64, FRAMES);
    let voices = VOICES.min(contender.most_voices);
    let scene = Scene::of(voices, &clips);
    let voice = Voice { clip: 0, gain: 0.5, pan: 0.3, looping: true, pitch, ..Voice::nth(0) };
    let fault = |what: String| Err(format!("{} at pitch {pitch}: {what}", contender.name));

    let mut alone = scene.fill(contender, 1, |_| voice);
    let alone = power_after(&mut *alone, 2 * FRAMES);
    // Both sides together: the laws of pan differ, by 6 dB at most.
    let level = alone.sqrt() / Clips::RMS;
    if !(0.3..0.8).contains(&level) {
        return fault(format!("a looping voice sounds at {level:.4} times its clip"));
    }

    let mut full = scene.fill(contender, voices, |clip| Voice { clip, ..voice });
    // Noise is like nothing else, so its powers add up.
    let heard = power_after(&mut *full, 2 * FRAMES) / alone;
    if !(0.9..1.1).contains(&(heard / voices as f32)) {
        return fault(format!("of {voices} looping voices the power of {heard:.1} is heard"));
    }

    let mut once = (contender.make)(&scene);
    once.play(Voice { looping: false, ..voice });
    once.tick();
    let blocks = (0..2 * FRAMES / BLOCK).map(|_| render(&mut *once));
    let frames: Vec<Frame> = blocks.flatten().collect();
    let lasted = frames.iter().rposition(|frame| *frame != [0.0; 2]).unwrap_or(0);
    let expected = (FRAMES as f32 / pitch) as usize;
    if lasted.abs_diff(expected) > BLOCK {
        return fault(format!("a voice of {expected} frames lasted {lasted}"));
    }
    Ok(())
}

/// Every bus must be heard, with no more than its low-pass leaves of noise; the music must go down while
/// there is speech; and what is heard in the room must be heard after it has ended.
fn has_buses(contender: &Contender) -> Result<(), String> {
    const FRAMES: usize = 9_600;
    let clips = Clips::noise(2, FRAMES);
    let scene = Scene::of(64, &clips);
    let fault = |what: String| Err(format!("{} in a game's mix: {what}", contender.name));
    let voice = |bus| Voice { gain: 0.5, pan: 0.3, bus, clip: 0, ..Voice::nth(0) };

    for bus in GameBus::ALL {
        let mut alone = scene.fill(contender, 1, |_| voice(bus));
        let level = power_after(&mut *alone, 4 * FRAMES).sqrt() / (Clips::RMS * bus.gain());
        // Noise is left with the square root of its share of the band, and some more, and the room.
        let open = bus.low_pass().map_or(1.0, |hz| (hz / 24_000.0).sqrt());
        if !(0.2 * open..1.2 * open).contains(&level) {
            return fault(format!("{bus:?} sounds at {level:.4} times its clip"));
        }
    }

    let speech = [GameBus::Speech, GameBus::Music];
    let [alone, both, one] = [&speech[..1], &speech, &speech[1..]].map(|buses| {
        let voice = |n| Voice { clip: n, ..voice(buses[n]) };
        power_after(&mut *scene.fill(contender, buses.len(), voice), 4 * FRAMES)
    });
    let duck = ((both - alone) / one).max(0.0).sqrt();
    if !(0.2..0.5).contains(&duck) {
        return fault(format!("under speech the music sounds at {duck:.4} of itself"));
    }

    for bus in GameBus::ALL {
        let mut once = (contender.make)(&scene);
        // Loud enough that nobody takes what rings for silence.
        once.play(Voice { gain: 100.0, ..voice(bus) });
        once.tick();
        let blocks = (0..4 * FRAMES / BLOCK).map(|_| render(&mut *once));
        let frames: Vec<Frame> = blocks.flatten().collect();
        let loud = |frame: &Frame| frame.iter().any(|side| side.abs() > 1e-6);
        let rings = frames.iter().rposition(loud).unwrap_or(0) > FRAMES * 3 / 2;
        if rings != bus.is_in_world() && bus != GameBus::World {
            return fault(format!("a sound on {bus:?} that ends is heard on: {rings}"));
        }
    }
    Ok(())
}

/// What moves away must become quieter, what moves to a side must be heard there, and so must it be when the listener is
/// who moves. All the voices must be heard.
fn has_places(contender: &Contender) -> Result<(), String> {
    const FRAMES: usize = 9_600;
    const VOICES: usize = 64;
    let clips = Clips::noise(VOICES, FRAMES);
    let scene = Scene::of(VOICES, &clips);
    let fault = |what: String| Err(format!("{} in space: {what}", contender.name));
    let front = [0.0, 0.0, -2.0];
    let voice = |clip| Voice { clip, gain: 0.5, at: front, ..Voice::nth(0) };

    let mut alone = scene.fill(contender, 1, voice);
    // The powers of both sides over that of the clip.
    let mut heard = |ear: [f32; 3], at: [f32; 3]| {
        alone.walk(&Moment { ear: Place::standing(ear), voices: vec![Place::standing(at)] });
        alone.tick();
        // Some let a place follow over half a second.
        sides_after(&mut *alone, 4 * FRAMES).map(|side| side / (Clips::RMS * Clips::RMS))
    };
    let level = |[left, right]: [f32; 2]| (left + right).sqrt();

    let [near, off, far] = [2.0, 10.0, 50.0].map(|z| level(heard([0.0; 3], [0.0, 0.0, -z])));
    // Inversely it would be a quarter, a fifth of that, and a fifth of that. The laws of pan differ; who takes the distance
    // twice is below, and a straight line of decibels is above.
    if !(0.1..0.6).contains(&near) {
        return fault(format!("from 2 m a voice sounds at {near:.4} times its clip"));
    }
    if !(0.03..0.7).contains(&(off / near)) || !(0.03..0.4).contains(&(far / off)) {
        return fault(format!("from 2, 10 and 50 m it sounds at {near:.4}, {off:.4} and {far:.4}"));
    }

    let there = [10.0, 0.0, 0.0];
    for (ear, at, is_right) in [
        ([0.0; 3], there, true),
        ([0.0; 3], [-10.0, 0.0, 0.0], false),
        ([-20.0, 0.0, 0.0], [-10.0, 0.0, 0.0], true),
        ([20.0, 0.0, 0.0], there, false),
    ] {
        let [left, right] = heard(ear, at);
        let (side, other) = if is_right { (right, left) } else { (left, right) };
        let is_there = side > 10.0 * other;
        if !is_there {
            return fault(format!("at {at:?}, from {ear:?}, left has {left:e}, right {right:e}"));
        }
    }
    let [left, right] = heard([0.0; 3], [0.0, 0.0, -10.0]);
    if !(0.8..1.25).contains(&(left / right)) {
        return fault(format!("straight ahead, left has {left:e}, right {right:e}"));
    }

    let [one, all] = [1, VOICES].map(|voices| {
        let mut driver = scene.fill(contender, voices, voice);
        power_after(&mut *driver, 4 * FRAMES)
    });
    let share = all / one / VOICES as f32;
    if !(0.9..1.1).contains(&share) {
        return fault(format!("of {VOICES} voices the power of {share:.2} each is heard"));
    }

    let walk = Walk::of(VOICES);
    for index in 0..VOICES {
        let now = walk.farthest(index);
        let mut alone =
            scene.fill(contender, 1, |_| Voice { at: now.voices[0].at, ..Voice::nth(index) });
        alone.walk(&now);
        alone.tick();
        let is_heard = power_after(&mut *alone, FRAMES) > 0.0;
        if !is_heard {
            return fault(format!("voice {index} is not heard from where it is farthest"));
        }
    }
    Ok(())
}

fn render(driver: &mut dyn Driver) -> [Frame; BLOCK] {
    let mut out = [Frame::default(); BLOCK];
    driver.render(&mut out);
    out
}

/// The mean power of both sides together, as long again as it was let run before.
fn power_after(driver: &mut dyn Driver, frames: usize) -> f32 {
    sides_after(driver, frames).iter().sum()
}

/// The same of each side.
fn sides_after(driver: &mut dyn Driver, frames: usize) -> [f32; 2] {
    let blocks = frames / BLOCK;
    for _ in 0..blocks {
        render(driver);
    }
    let mut sums = [0f64; 2];
    for _ in 0..blocks {
        for frame in render(driver) {
            sums = [0, 1].map(|side| sums[side] + f64::from(frame[side] * frame[side]));
        }
    }
    sums.map(|sum| (sum / (blocks * BLOCK) as f64) as f32)
}
