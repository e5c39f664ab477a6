//! What was learned: who was lost, how loud, and how many voices would have been enough.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use voicepool::{Ending, Stats, VoiceId, to_db};

use crate::wand::{ANSWERS, Tag};

/// Below this nobody hears a loss under other sounds, in decibels.
pub const FAINT: f32 = -40.0;

/// Of one sound, or under one answer to a full pool.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    pub plays: u64,
    pub stolen: u64,
    pub refused: u64,
    /// The loudest that was cut off, in decibels.
    pub loudest: Option<f32>,
}

impl Losses {
    fn lose(&mut self, level: f32) {
        self.stolen += 1;
        self.loudest = Some(self.loudest.map_or(level, |loudest| loudest.max(level)));
    }
}

#[derive(Default)]
pub struct Tally {
    /// By sound.
    pub sounds: Vec<Losses>,
    /// By answer, as in [`ANSWERS`].
    pub answers: [Losses; ANSWERS.len()],
    /// All together.
    pub all: Losses,
    /// The sound that was the loudest to be cut off.
    pub worst: Option<usize>,
    pub most_playing: usize,
    /// The most that were heard, or would have been, at once.
    pub most_wanted: usize,
    /// When each play would end by itself.
    ends: HashMap<VoiceId, u64>,
    /// When those would have ended that were cut off aloud, or not heard at all.
    missing: BinaryHeap<Reverse<u64>>,
}

impl Tally {
    pub fn new(sounds: usize) -> Tally {
        Tally { sounds: vec![Losses::default(); sounds], ..Tally::default() }
    }

    /// A sound was asked for, and would end by itself at a frame. `None`: there was no room in the
    /// queue.
    pub fn asked(&mut self, tag: Tag, voice: Option<VoiceId>, ends: u64) {
        self.each(tag, |losses| losses.plays += 1);
        match voice {
            Some(voice) => drop(self.ends.insert(voice, ends)),
            None => self.refused(tag, ends),
        }
    }

    /// A play has ended.
    pub fn ended(&mut self, voice: VoiceId, tag: Tag, why: &Ending) {
        let ends = self.ends.remove(&voice).unwrap_or(0);
        match why {
            Ending::Stolen { by_tag, level, .. } => {
                let level = to_db(*level);
                if self.all.loudest.is_none_or(|loudest| level > loudest) {
                    self.worst = Some(tag.sound);
                }
                // The thief's answer is the one that chose the victim.
                let Tag { answer, .. } = Tag::unpack(*by_tag);
                self.each(Tag { answer, ..tag }, |losses| losses.lose(level));
                if level > FAINT {
                    self.missing.push(Reverse(ends));
                }
            }
            Ending::Refused { .. } => self.refused(tag, ends),
            _ => (),
        }
    }

    /// Looks at the clock and counts who is there, and who is missing.
    pub fn look(&mut self, stats: &Stats) {
        while self.missing.peek().is_some_and(|Reverse(ends)| *ends <= stats.frames) {
            self.missing.pop();
        }
        self.most_playing = self.most_playing.max(stats.most_playing);
        self.most_wanted = self.most_wanted.max(stats.playing + stats.parked + self.missing.len());
    }

    fn refused(&mut self, tag: Tag, ends: u64) {
        self.each(tag, |losses| losses.refused += 1);
        self.missing.push(Reverse(ends));
    }

    fn each(&mut self, tag: Tag, count: impl Fn(&mut Losses)) {
        let sound = self.sounds.get_mut(tag.sound);
        let answer = self.answers.get_mut(tag.answer);
        sound.into_iter().chain(answer).chain([&mut self.all]).for_each(count);
    }

    /// How many voices this game should have, and why. `voices` is how many it had.
    pub fn advice(&self, voices: usize, name: impl Fn(usize) -> String) -> (usize, String) {
        let Losses { stolen, refused, loudest, .. } = self.all;
        let rounded = |voices: usize| voices.max(1).next_multiple_of(4);
        if stolen + refused == 0 && self.most_playing < voices {
            let most = self.most_playing;
            return (rounded(most), format!("the pool was never full: {most} played at most"));
        }
        let loudest = loudest.unwrap_or(f32::NEG_INFINITY);
        if refused == 0 && loudest <= FAINT {
            let why = format!("the pool was full, but nothing above {FAINT} dB was lost");
            return (voices, why);
        }
        let lost = match self.worst {
            Some(sound) if loudest > FAINT => {
                format!("{} was cut off at {loudest:.1} dB", name(sound))
            }
            _ => format!("{refused} plays were refused"),
        };
        let wanted = self.most_wanted.max(voices);
        (rounded(wanted), format!("{lost}; {wanted} wanted to be heard at once"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use voicepool::{Config, Mixer, Refusal, Sound, db};

    const COIN: Tag = Tag { sound: 1, answer: 0 };

    /// A tally of two sounds in which three coins were asked for that end at frame 100.
    fn three_coins() -> (Tally, Vec<VoiceId>) {
        let (mixer, _renderer) = Mixer::offline(Config::default()).unwrap();
        let sound = Sound::from_mono(48_000, &[0.5]).unwrap();
        let voices: Vec<VoiceId> = (0..3).filter_map(|_| mixer.play(&sound)).collect();
        let mut tally = Tally::new(2);
        voices.iter().for_each(|voice| tally.asked(COIN, Some(*voice), 100));
        (tally, voices)
    }

    fn stolen(by: VoiceId, answer: usize, level: f32) -> Ending {
        Ending::Stolen { by, by_tag: Tag { sound: 0, answer }.pack(), level: db(level) }
    }

    fn at(frames: u64, playing: usize) -> Stats {
        let mut stats = Stats::default();
        (stats.frames, stats.playing, stats.most_playing) = (frames, playing, playing);
        stats
    }

    fn advice(tally: &Tally, voices: usize) -> (usize, String) {
        tally.advice(voices, |sound| ["tick", "coin"][sound].into())
    }

    #[test]
    fn a_loss_counts_for_its_sound_and_for_the_answer_of_the_thief() {
        let (mut tally, voices) = three_coins();
        tally.ended(voices[0], COIN, &stolen(voices[1], 1, -20.0));
        tally.ended(voices[1], Tag { sound: 0, ..COIN }, &stolen(voices[2], 0, -50.0));
        let rounded = |losses: Losses| (losses.stolen, losses.loudest.map(f32::round));
        assert_eq!(
            tally.sounds.iter().copied().map(rounded).collect::<Vec<_>>(),
            [(1, Some(-50.0)), (1, Some(-20.0))]
        );
        assert_eq!(rounded(tally.answers[0]), (1, Some(-50.0)));
        assert_eq!(rounded(tally.answers[1]), (1, Some(-20.0)));
        assert_eq!((tally.all.plays, tally.worst), (3, Some(1)));
    }

    #[test]
    fn a_pool_that_was_never_full_may_be_smaller() {
        let (mut tally, _) = three_coins();
        tally.look(&at(10, 3));
        assert_eq!(advice(&tally, 16), (4, "the pool was never full: 3 played at most".into()));
        let full = "the pool was full, but nothing above -40 dB was lost".into();
        assert_eq!(advice(&tally, 3), (3, full));
    }

    #[test]
    fn faint_losses_ask_for_nothing() {
        let (mut tally, voices) = three_coins();
        tally.ended(voices[0], COIN, &stolen(voices[1], 0, -41.0));
        tally.look(&at(10, 2));
        let why = "the pool was full, but nothing above -40 dB was lost".into();
        assert_eq!(advice(&tally, 2), (2, why));
    }

    #[test]
    fn those_cut_off_aloud_are_missing_until_they_would_have_ended() {
        let (mut tally, voices) = three_coins();
        tally.look(&at(10, 6));
        tally.ended(voices[0], COIN, &stolen(voices[1], 0, -20.0));
        tally.ended(voices[1], COIN, &Ending::Refused { why: Refusal::PoolFull });
        tally.look(&at(99, 6));
        let why = "coin was cut off at -20.0 dB; 8 wanted to be heard at once".into();
        assert_eq!(advice(&tally, 6), (8, why));
        tally.look(&at(100, 7));
        assert_eq!(tally.most_wanted, 8, "by now the two are not missing any more");
    }

    #[test]
    fn a_play_that_was_turned_away_is_missed_too() {
        let mut tally = Tally::new(2);
        tally.asked(COIN, None, 100);
        let mut stats = at(10, 3);
        stats.parked = 1;
        tally.look(&stats);
        let why = "1 plays were refused; 5 wanted to be heard at once".into();
        assert_eq!(advice(&tally, 4), (8, why));
    }
}
