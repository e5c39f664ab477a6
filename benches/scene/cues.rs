//! Scenes of cues: those that are full, and those who wait for them.

use voicepool::{Bus, BusId, Cue, Play, Priority, WhenFull, WhenStolen, ms};

use crate::common::{BLOCK, Bits, clips};
use crate::{faint, measured, measured_blocks, roomy};

/// A cue of faint loops, of which so many may play.
fn faint_cue(most: usize) -> Cue {
    Cue::of(clips(Bits::F32).iter().map(faint)).expect("variants").vary_gain(3.0).at_most(most)
}

/// Plays on one line of cues that are full, which rob their own by answers that differ; every fourth on a
/// bus that is full too, so that two may give way. Of eight cues one merges, and one cools.
pub fn plays(many: usize) {
    const SHOTS: BusId = BusId::new(1);
    let (mixer, mut renderer) = roomy(many, many);
    let limit = Bus { max_voices: Some(many / 8), ..Bus::DEFAULT };
    mixer.set_bus(SHOTS, limit).expect("a good bus");
    let answers = [WhenFull::StealQuietest, WhenFull::StealOldest];
    let cues: Vec<Cue> = (0..many / 8)
        .map(|n| match n % 8 {
            0 => faint_cue(8).merge_within(ms(1000)),
            1 => faint_cue(8).cooldown(ms(1000)),
            _ => faint_cue(8).when_full(answers[n % 2]),
        })
        .collect();
    let play = |n: usize| {
        let play = Play::of(&cues[n % cues.len()]).when_stolen(WhenStolen::End);
        if n / cues.len() % 4 == 3 { play.bus(SHOTS) } else { play }
    };
    for n in 0..many {
        mixer.play(play(n)).expect("room");
    }
    renderer.frames(256);
    let before = mixer.stats();
    for n in 0..4 * many {
        mixer.play(play(n)).expect("room");
    }
    let mut quantum = [[0.0; 2]; 128];
    measured(|| renderer.render(&mut quantum));
    let stats = mixer.stats();
    let (stolen, refused) = (stats.stolen - before.stolen, stats.refused - before.refused);
    assert!(stolen > 3 * many as u64 && refused > many as u64 / 2, "{stolen} {refused}");
}

/// A second in which so many are parked of cues that are full, and find no place to take back, though there
/// are voices free.
pub fn parked(many: usize) {
    let (mixer, mut renderer) = roomy(128, many);
    let cues: Vec<Cue> = (0..4).map(|_| faint_cue(16)).collect();
    for n in 0..64 + many {
        let priority = if n < 64 { Priority::Protected } else { Priority::Normal };
        mixer.play(Play::of(&cues[n % 4]).priority(priority)).expect("room in the queue");
    }
    renderer.frames(256);
    assert_eq!((mixer.stats().playing, mixer.stats().parked), (64, many));
    measured_blocks(&mut renderer, 48_000 / BLOCK);
}
