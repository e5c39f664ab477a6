//! The outline of a sound, for its cell.

use voicepool::Sound;

/// How many columns it has.
const COLUMNS: usize = 64;

/// The peak of each column, from 0 to 100, where 100 is the loudest.
pub fn outline(sound: &Sound) -> Vec<usize> {
    let mut peaks = [0f32; COLUMNS];
    let length = sound.frame_count().max(1);
    for (at, [left, right]) in sound.frames().enumerate() {
        let peak = &mut peaks[at * COLUMNS / length];
        *peak = peak.max(left.abs()).max(right.abs());
    }
    let loudest = peaks.iter().fold(f32::MIN_POSITIVE, |loudest, peak| loudest.max(*peak));
    peaks.iter().map(|peak| (100.0 * peak / loudest) as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_is_loud_where_the_sound_is() {
        let rising: Vec<f32> = (0..640).map(|frame| frame as f32 / 1280.0).collect();
        let outline = outline(&Sound::from_mono(48_000, &rising).unwrap());
        assert_eq!((outline.len(), outline[0], outline[63]), (COLUMNS, 1, 100));
        assert!(outline.is_sorted());
        let short = Sound::from_mono(48_000, &[0.0, 0.5]).unwrap();
        assert_eq!(super::outline(&short).iter().sum::<usize>(), 100, "shorter than its outline");
    }
}
