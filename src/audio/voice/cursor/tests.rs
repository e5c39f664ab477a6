use super::*;
use crate::audio::kernel::{Frames, Gain, Part};
use crate::config::Interpolation;

const LOOP: Option<Loop> = Some(Loop { start: 1, end: 3, seam: 0 });

fn counting() -> Sound {
    Sound::from_mono(4, &[1.0, 2.0, 3.0, 4.0]).unwrap()
}

/// What is heard, cut into pieces of `piece` frames.
fn hear(mut cursor: Cursor, frames: usize, piece: usize, between: Interpolation) -> Vec<f32> {
    let kernels = Kernels::new(between);
    let (mut left, mut right) = (vec![0.0; frames], vec![0.0; frames]);
    let mut mix = Mix { left: &mut left, right: &mut right };
    for from in (0..frames).step_by(piece) {
        let part = mix.part(from, piece.min(frames - from));
        cursor.read(&counting(), false, part, Gains::Each(Gain::Steady([1.0, 0.0])), &kernels);
    }
    left
}

fn at_speed(step: u64, frame: u32, looping: Option<Loop>) -> Cursor {
    Cursor::new(frame, Glide::rest(step), looping)
}

#[test]
fn a_clip_plays_to_its_end_and_a_loop_turns() {
    let heard = |cursor, frames| hear(cursor, frames, frames, Interpolation::Cubic);
    assert_eq!(heard(at_speed(ONE, 0, None), 6), [1.0, 2.0, 3.0, 4.0, 0.0, 0.0]);
    assert_eq!(heard(at_speed(ONE, 0, LOOP), 7), [1.0, 2.0, 3.0, 2.0, 3.0, 2.0, 3.0]);
    assert_eq!(heard(at_speed(ONE, 3, LOOP), 2), [4.0, 0.0], "past the loop it plays out");
}

#[test]
fn the_interpolator_reads_a_loop_as_if_it_were_unrolled() {
    let half = |frame| hear(at_speed(ONE / 2, frame, LOOP), 8, 8, Interpolation::Linear);
    assert_eq!(half(0), [1.0, 1.5, 2.0, 2.5, 3.0, 2.5, 2.0, 2.5]);
    // Before the first turn 1 lies before 2; after it, 3 does.
    let cubic = hear(at_speed(ONE / 2, 1, LOOP), 8, 8, Interpolation::Cubic);
    assert_eq!(cubic[1], 2.625, "1 2 | 3 2");
    assert_eq!(cubic[5], 2.5, "3 2 | 3 2");
}

#[test]
fn a_sound_is_the_same_however_it_is_cut() {
    let mut gliding = Glide::rest(ONE / 3);
    gliding.ramp_to(2 * ONE + 77, 50, 0);
    for between in [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc] {
        for glide in [Glide::rest(ONE), Glide::rest(ONE / 9), Glide::rest(1 << 40), gliding] {
            for looping in [None, LOOP, Some(Loop { start: 0, end: 1, seam: 0 })] {
                let cursor = Cursor::new(0, glide, looping);
                let whole = hear(cursor, 100, 100, between);
                for piece in [1, 3, 7, 64] {
                    assert_eq!(hear(cursor, 100, piece, between), whole, "{cursor:?} {piece}");
                }
            }
        }
    }
}

/// What is heard of these frames, cut into pieces.
fn hear_clip(
    mut cursor: Cursor,
    clip: Clip<[f32; 1]>,
    piece: usize,
    kernels: &Kernels,
) -> [f32; 200] {
    let (mut left, mut right) = ([0.0; 200], [0.0; 200]);
    let mut mix = Mix { left: &mut left, right: &mut right };
    for from in (0..200).step_by(piece) {
        let part = mix.part(from, piece.min(200 - from));
        // As a voice does: what is not a run of the clip's own frames is read.
        match cursor.pass(clip.own.len(), part.len() as u32, kernels) {
            Some((range, stride)) => {
                let clip = Frames::Mono32(clip.part(Shelf::Own, range.start, range.end));
                kernels.mix(
                    part,
                    &[Part { clip, is_point: false, stride, gain: Gain::Steady([1.0; 2]) }],
                );
            }
            None => {
                cursor.read_clip(clip, part, Gains::Each(Gain::Steady([1.0; 2])), kernels);
            }
        }
    }
    left
}

#[test]
fn a_loop_with_a_seam_is_heard_as_its_frames_laid_end_to_end() {
    let own: [[f32; 1]; 20] = std::array::from_fn(|n| [n as f32 + 1.0]);
    let mut other: [[f32; 1]; 20] = std::array::from_fn(|n| [-(n as f32) * 3.0 - 1.0]);
    let mut gliding = Glide::rest(ONE / 3);
    gliding.ramp_to(ONE, 50, 10);
    for range in [
        (0, 19, 3),
        (0, 19, 9),
        (0, 20, 1),
        (4, 18, 6),
        (0, 19, 10),
        (0, 20, 10),
        (4, 18, 7),
        (0, 1, 1),
    ] {
        let range = Loop { start: range.0, end: range.1, seam: range.2 };
        let (start, end, seam) = (range.start as usize, range.end as usize, range.seam as usize);
        if 2 * seam > end - start {
            // Both sides have the frame in the middle.
            other[0] = other[2 * seam - 1];
        }
        let around = &other[..2 * seam];
        let is_all_seam = 2 * seam >= end - start;
        let turn: Vec<_> = if is_all_seam {
            [&around[seam..], &around[2 * seam - (end - start)..seam]].concat()
        } else {
            [&around[seam..], &own[start + seam..end - seam], &around[..seam]].concat()
        };
        let first = [&own[..end - seam], &around[..seam]].concat();
        let lead = if is_all_seam { &turn } else { &first };
        let long = [&lead[..], &turn.repeat(2000)].concat();
        for between in [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc] {
            let kernels = Kernels::new(between);
            for glide in
                [Glide::rest(ONE), Glide::rest(ONE / 2), Glide::rest(ONE / 10 * 13), gliding]
            {
                // A loop that is all seam is heard as if it had been round, from its start on.
                let (begin, before) = if is_all_seam { (start, 10 * turn.len()) } else { (0, 0) };
                for frame in [0, 5, end - 1].map(|frame| frame.clamp(begin, end - 1)) {
                    let unrolled = Cursor::new((before + frame - begin) as u32, glide, None);
                    let frame = frame as u32;
                    let straight = Clip { own: &long, seam: &[] };
                    let expected = hear_clip(unrolled, straight, 200, &kernels);
                    let looping = Cursor::new(frame, glide, Some(range));
                    for piece in [200, 64, 7, 1] {
                        let clip = Clip { own: &own, seam: around };
                        let heard = hear_clip(looping, clip, piece, &kernels);
                        assert_eq!(heard, expected, "{looping:?}, pieces of {piece}");
                    }
                }
            }
        }
    }
}

#[test]
fn skipping_arrives_where_reading_does() {
    for step in [ONE, ONE / 3, 5 * ONE + 1] {
        for looping in [None, LOOP] {
            for frames in 0..20 {
                let (mut skipped, mut read) =
                    (at_speed(step, 0, looping), at_speed(step, 0, looping));
                let (mut left, mut right) = ([0.0; 20], [0.0; 20]);
                let mix = Mix { left: &mut left[..frames], right: &mut right[..frames] };
                let kernels = Kernels::new(Interpolation::Linear);
                let done = read.read(
                    &counting(),
                    false,
                    mix,
                    Gains::Each(Gain::Steady([1.0; 2])),
                    &kernels,
                );
                match skipped.skip(4, frames as u64) {
                    Some(end) => assert_eq!((end as usize, read.is_over(4)), (done, true)),
                    None => assert_eq!(skipped, read),
                }
            }
        }
    }
}

#[test]
fn hours_are_skipped_at_once() {
    // The longest step, and one that needs a million frames for a turn.
    for step in [1 << 47, ONE, ONE / 3 + 1, ONE / 1_000_003] {
        for looping in [LOOP, Some(Loop { start: 0, end: 1, seam: 0 }), None] {
            let mut cursor = at_speed(step, 0, looping);
            let mut frames = 0;
            for some in [1, 7, 1 << 20, 1 << 33, 1 << 45] {
                frames += some;
                let mut at_once = at_speed(step, 0, looping);
                let end = at_once.skip(4, frames);
                if cursor.is_over(4) || cursor.skip(4, some).is_some() {
                    assert_eq!(end, Some((4 * ONE).div_ceil(step)));
                    break;
                }
                assert_eq!((at_once, end), (cursor, None));
            }
            cursor.skip(4, u64::MAX);
        }
    }
}

#[test]
fn a_glide_to_one_frame_after_the_other_lands_on_a_frame() {
    for (from, over, landing) in [(ONE / 3, 50, 10), (5 * ONE, 50, 50), (1, 7, 9), (1, 1, 1)] {
        for position in [0, 1, ONE / 2, ONE - 1] {
            for looping in [LOOP, Some(Loop { start: 0, end: 1, seam: 0 })] {
                let mut cursor = at_speed(from, 0, looping);
                cursor.position = Position::of_far(position.into());
                cursor.ramp_to(ONE, over, landing);
                let kernels = Kernels::new(Interpolation::Linear);
                for frames in [over as usize / 2, over as usize - over as usize / 2] {
                    assert!(!cursor.is_unity());
                    let (mut left, mut right) = ([0.0; 50], [0.0; 50]);
                    let mix = Mix { left: &mut left[..frames], right: &mut right[..frames] };
                    cursor.read(
                        &counting(),
                        false,
                        mix,
                        Gains::Each(Gain::Steady([1.0; 2])),
                        &kernels,
                    );
                }
                assert!(cursor.is_unity(), "{cursor:?}");
            }
        }
    }
}

#[test]
fn a_seek_while_it_lands_has_it_land_elsewhere() {
    let kernels = Kernels::new(Interpolation::Linear);
    let mut cursor = at_speed(ONE / 3, 0, LOOP);
    cursor.ramp_to(ONE, 50, 50);
    for frame in 0..50 {
        if frame == 20 {
            cursor.seek(0);
        }
        let (before, glide) = (cursor, &mut cursor.glide);
        if glide.is_landing() {
            glide.land(before.position.fraction());
        }
        let step = glide.step();
        let mix = Mix { left: &mut [0.0], right: &mut [0.0] };
        cursor.read(&counting(), false, mix, Gains::Each(Gain::Steady([1.0; 2])), &kernels);
        let bits = |position: Position| position.far_after(0, 0) as u64;
        let moved = bits(cursor.position).wrapping_sub(bits(before.position)) % (2 * ONE);
        assert!(moved.abs_diff(step) < 100, "{frame}: {moved}, not {step}");
    }
    assert!(cursor.is_unity());
}

#[test]
fn what_changes_in_silence_stays_on_its_frame() {
    let mut cursor = at_speed(ONE / 3, 2, LOOP);
    cursor.position = cursor.position.after(1, ONE - 1);
    let (mut at_once, mut hushed) = (cursor, cursor);
    at_once.ramp_to(ONE, 0, 10);
    hushed.ramp_to(ONE, 20, 10);
    hushed.arrive();
    assert_eq!([at_once, hushed], [at_speed(ONE, 2, LOOP); 2]);
    cursor.ramp_to(2 * ONE, 0, 10);
    assert_eq!(cursor.position, Position::START.after(1, 3 * ONE - 1), "no other step needs it");
}

/// What is foreseen is what comes, from wherever it is asked, whatever the step does.
#[test]
fn the_end_is_foreseen_to_the_frame() {
    let kernels = Kernels::new(Interpolation::Linear);
    let sound = Sound::from_mono(4, &[0.5; 300]).unwrap();
    let (mut left, mut right) = ([0.0; 4000], [0.0; 4000]);
    for from in [ONE / 7, ONE / 2, ONE, ONE + 12_345, 3 * ONE, 90 * ONE] {
        for to in [ONE / 3, ONE, 2 * ONE + 1, 40 * ONE] {
            for (over, landing) in [(0, 0), (1, 1), (50, 7), (200, 200), (900, 100), (1500, 0)] {
                let mut cursor = at_speed(from, 3, None);
                cursor.ramp_to(to, over, landing);
                let mix = Mix { left: &mut left, right: &mut right };
                let gains = Gains::Each(Gain::Steady([1.0; 2]));
                let end = cursor.clone().read(&sound, false, mix, gains, &kernels) as u32;
                assert!(end < 4000, "it plays to its end");
                for (frames, foreseen) in [(end - 1, None), (end, Some(end)), (4000, Some(end))] {
                    let why = format!("{from} to {to} over {over} in {frames}: {cursor:?}");
                    assert_eq!(cursor.ends_within(300, frames), foreseen, "{why}");
                }
            }
        }
    }
    assert_eq!(at_speed(ONE, 0, LOOP).ends_within(4, 100), None, "a loop has no end");
    let mut last_round = at_speed(ONE, 2, LOOP);
    last_round.end_loop();
    assert_eq!(last_round.ends_within(4, 100), Some(2));
    assert_eq!(at_speed(ONE, 4, None).ends_within(4, 100), Some(0), "it is there");
}
