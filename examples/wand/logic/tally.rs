//! What was learned: who was lost, how loud, and how many voices would have been enough.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use voicepool::{Config, Stats, VoiceId};

use crate::logic::cast::Cast;
use crate::logic::wand::{ANSWERS, Tag};

/// Below this nobody hears a loss under other sounds, in decibels.
pub const FAINT: f32 = -40.0;

/// The answer that a game has unless it says otherwise, as in [`ANSWERS`]: advice is for this one.
const RECOMMENDED: usize = 0;

/// A sound that was cut off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    pub sound: usize,
    /// In decibels.
    pub level: f32,
}

/// What was lost of one sound, under one answer to a full pool, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    pub plays: u64,
    pub stolen: u64,
    pub refused: u64,
    /// The loudest that was cut off.
    pub worst: Option<Loss>,
}

impl Losses {
    pub fn lose(&mut self, loss: Loss) {
        self.stolen += 1;
        if self.loudest().is_none_or(|loudest| loss.level > loudest) {
            self.worst = Some(loss);
        }
    }

    /// How loud the loudest was that was cut off, in decibels.
    pub fn loudest(&self) -> Option<f32> {
        self.worst.map(|worst| worst.level)
    }
}

/// What was seen while one answer was in force.
#[derive(Default)]
pub struct Seen {
    pub losses: Losses,
    most_playing: usize,
    /// The most that were heard, or would have been, at once.
    most_wanted: usize,
    /// The largest pool that was full.
    full: usize,
    /// When those would have ended that were cut off aloud, or not heard at all.
    missing: BinaryHeap<Reverse<u64>>,
}

/// How many voices a game should have under an answer of [`ANSWERS`], and why.
#[derive(Debug, PartialEq)]
pub struct Advice {
    pub answer: usize,
    pub voices: usize,
    pub why: String,
}

#[derive(Default)]
pub struct Tally {
    /// By sound.
    pub sounds: Vec<Losses>,
    /// By answer, as in [`ANSWERS`].
    pub answers: [Seen; ANSWERS.len()],
    /// All together.
    pub all: Losses,
    pub most_playing: usize,
    /// When each play would end by itself.
    ends: HashMap<VoiceId, u64>,
    /// The frame from which on the pool is looked at.
    begins: u64,
}

impl Tally {
    pub fn new(sounds: usize) -> Tally {
        Tally { sounds: vec![Losses::default(); sounds], ..Tally::default() }
    }

    /// Does not look at the pool before a frame: until then the sounds of somebody else die away.
    pub fn begin_at(&mut self, frame: u64) {
        self.begins = frame;
    }

    /// A sound was asked for, and would end by itself at a frame. `None`: there was no room in the
    /// queue.
    pub fn asked(&mut self, tag: Tag, voice: Option<VoiceId>, ends: u64) {
        self.each(tag, |losses| losses.plays += 1);
        match voice {
            Some(voice) => drop(self.ends.insert(voice, ends)),
            None => self.missed(tag, ends),
        }
    }

    /// A play was cut off at a level, in decibels, by one that was played under an answer: that is
    /// the answer that chose it. What was asked for before this tally began is not counted.
    pub fn stolen(&mut self, voice: VoiceId, tag: Tag, answer: usize, level: f32) {
        let Some(ends) = self.ends.remove(&voice) else { return };
        let loss = Loss { sound: tag.sound, level };
        self.each(Tag { answer, ..tag }, |losses| losses.lose(loss));
        if level > FAINT {
            self.answers[answer].missing.push(Reverse(ends));
        }
    }

    pub fn refused(&mut self, voice: VoiceId, tag: Tag) {
        if let Some(ends) = self.ends.remove(&voice) {
            self.missed(tag, ends);
        }
    }

    /// A play has ended in any other way.
    pub fn ended(&mut self, voice: VoiceId) {
        self.ends.remove(&voice);
    }

    /// Looks at the clock and counts who is there, and who is missing, while an answer is in force.
    pub fn look(&mut self, stats: &Stats, answer: usize) {
        if stats.frames >= self.begins {
            self.most_playing = self.most_playing.max(stats.most_playing);
            self.answers[answer].look(stats);
        }
    }

    fn missed(&mut self, tag: Tag, ends: u64) {
        self.each(tag, |losses| losses.refused += 1);
        self.answers[tag.answer].missing.push(Reverse(ends));
    }

    fn each(&mut self, tag: Tag, count: impl Fn(&mut Losses)) {
        let sound = self.sounds.get_mut(tag.sound);
        let all = [&mut self.answers[tag.answer].losses, &mut self.all];
        sound.into_iter().chain(all).for_each(count);
    }

    /// How many voices this game should have: under the recommended answer, or if that was never
    /// tried, under the one that was tried most. Nothing if nothing was asked for.
    pub fn advice(&self, name: impl Fn(usize) -> String) -> Option<Advice> {
        let plays = |answer: &usize| self.answers[*answer].losses.plays;
        let tried = Some(RECOMMENDED).filter(|answer| plays(answer) > 0);
        let answer = tried.or_else(|| (0..ANSWERS.len()).max_by_key(plays))?;
        let (voices, why) = self.answers[answer].advice(name);
        let why = format!("{}: {why}", ANSWERS[answer].1);
        (plays(&answer) > 0).then_some(Advice { answer, voices, why })
    }

    /// What it has taught, ready to be pasted into a game.
    pub fn advice_in_code(&self, cast: &Cast) -> String {
        let Some(Advice { answer, voices, why }) = self.advice(|sound| cast.name(sound).to_owned())
        else {
            return "// nothing was played".into();
        };
        let default = Config::default();
        let most = match voices > default.max_voices {
            true => format!("max_voices: {voices}, "),
            false => String::new(),
        };
        let when_full = match ANSWERS[answer].0 {
            when_full if when_full == default.when_full => String::new(),
            when_full => format!("when_full: WhenFull::{when_full:?}, "),
        };
        format!("// {why}\nConfig {{ voices: {voices}, {most}{when_full}..Config::default() }}")
    }
}

impl Seen {
    fn look(&mut self, stats: &Stats) {
        while self.missing.peek().is_some_and(|Reverse(ends)| *ends <= stats.frames) {
            self.missing.pop();
        }
        self.most_playing = self.most_playing.max(stats.most_playing);
        self.most_wanted = self.most_wanted.max(stats.playing + stats.parked + self.missing.len());
        if stats.most_playing >= stats.voices {
            self.full = self.full.max(stats.voices);
        }
    }

    fn advice(&self, name: impl Fn(usize) -> String) -> (usize, String) {
        let Losses { stolen, refused, worst, .. } = self.losses;
        let rounded = |voices: usize| voices.max(1).next_multiple_of(4);
        let most = self.most_playing;
        if stolen + refused == 0 && self.full == 0 {
            return (rounded(most), format!("the pool was never full, {most} played at most"));
        }
        let aloud = worst.filter(|worst| worst.level > FAINT);
        let lost = match aloud {
            Some(Loss { sound, level }) => format!("{} was cut off at {level:.1} dB", name(sound)),
            None if refused > 0 => format!("{refused} plays were refused"),
            None => {
                let why = format!("the pool was full, but nothing above {FAINT} dB was lost");
                return (self.full.max(most), why);
            }
        };
        let wanted = self.most_wanted.max(self.full);
        (rounded(wanted), format!("{lost}, and {wanted} wanted to be heard at once"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use voicepool::{Mixer, Sound};

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

    /// A pool of so many voices at a frame.
    fn at(frames: u64, playing: usize, voices: usize) -> Stats {
        let mut stats = Stats::default();
        (stats.frames, stats.voices) = (frames, voices);
        (stats.playing, stats.most_playing) = (playing, playing);
        stats
    }

    fn advice(tally: &Tally) -> Option<Advice> {
        tally.advice(|sound| ["tick", "coin"][sound].into())
    }

    /// Advice for the recommended answer.
    fn quietest(voices: usize, why: &str) -> Option<Advice> {
        Some(Advice { answer: 0, voices, why: format!("steal the quietest: {why}") })
    }

    #[test]
    fn what_is_recommended_is_what_a_game_has_anyway() {
        assert_eq!(ANSWERS[RECOMMENDED].0, Config::default().when_full);
    }

    #[test]
    fn a_loss_counts_for_its_sound_and_for_the_answer_of_the_thief() {
        let (mut tally, voices) = three_coins();
        tally.stolen(voices[0], COIN, 1, -20.0);
        tally.stolen(voices[1], Tag { sound: 0, ..COIN }, 0, -50.0);
        let told = |losses: &Losses| (losses.stolen, losses.loudest());
        assert_eq!(
            tally.sounds.iter().map(told).collect::<Vec<_>>(),
            [(1, Some(-50.0)), (1, Some(-20.0))]
        );
        assert_eq!(told(&tally.answers[0].losses), (1, Some(-50.0)));
        assert_eq!(told(&tally.answers[1].losses), (1, Some(-20.0)));
        assert_eq!((tally.all.plays, tally.all.worst.map(|worst| worst.sound)), (3, Some(1)));
    }

    #[test]
    fn what_another_answer_lost_does_not_change_the_advice() {
        let (mut tally, voices) = three_coins();
        tally.look(&at(10, 2, 2), 0);
        tally.stolen(voices[0], COIN, 0, -50.0);
        let why = "the pool was full, but nothing above -40 dB was lost";
        assert_eq!(advice(&tally), quietest(2, why));
        tally.stolen(voices[1], COIN, 1, -10.0);
        tally.refused(voices[2], Tag { answer: 2, ..COIN });
        tally.look(&at(20, 60, 60), 1);
        tally.look(&at(20, 60, 60), 2);
        assert_eq!(advice(&tally), quietest(2, why));
    }

    #[test]
    fn who_never_tried_the_recommended_answer_is_advised_for_the_one_tried_most() {
        let (_, voices) = three_coins();
        let mut tally = Tally::new(2);
        assert_eq!(advice(&tally), None);
        let [oldest, refuse] = [1, 2].map(|answer| Tag { sound: 1, answer });
        tally.asked(oldest, Some(voices[0]), 100);
        tally.asked(refuse, Some(voices[1]), 100);
        tally.asked(refuse, Some(voices[2]), 100);
        tally.refused(voices[2], refuse);
        tally.look(&at(10, 2, 2), 2);
        let why = "refuse: 1 plays were refused, and 3 wanted to be heard at once".into();
        assert_eq!(advice(&tally), Some(Advice { answer: 2, voices: 4, why }));
    }

    #[test]
    fn what_somebody_else_asked_for_is_not_counted_nor_looked_at_while_it_dies_away() {
        let (_, voices) = three_coins();
        let mut tally = Tally::new(2);
        tally.begin_at(50);
        tally.stolen(voices[0], COIN, 0, -10.0);
        tally.refused(voices[1], COIN);
        tally.look(&at(49, 16, 16), 0);
        assert_eq!((tally.all, tally.most_playing), (Losses::default(), 0));
        tally.asked(COIN, Some(voices[2]), 100);
        tally.look(&at(50, 1, 16), 0);
        assert_eq!(advice(&tally), quietest(4, "the pool was never full, 1 played at most"));
    }

    #[test]
    fn a_pool_that_was_never_full_may_be_smaller() {
        let (mut tally, _) = three_coins();
        tally.look(&at(10, 3, 16), 0);
        assert_eq!(advice(&tally), quietest(4, "the pool was never full, 3 played at most"));
        tally.look(&at(10, 3, 3), 0);
        let full = "the pool was full, but nothing above -40 dB was lost";
        assert_eq!(advice(&tally), quietest(3, full));
    }

    #[test]
    fn a_pool_that_was_enough_is_advised_although_a_larger_one_was_tried_later() {
        let (mut tally, voices) = three_coins();
        tally.look(&at(10, 2, 2), 0);
        tally.stolen(voices[0], COIN, 0, -41.0);
        tally.look(&at(20, 2, 64), 0);
        let why = "the pool was full, but nothing above -40 dB was lost";
        assert_eq!(advice(&tally), quietest(2, why));
    }

    #[test]
    fn those_cut_off_aloud_are_missing_until_they_would_have_ended() {
        let (mut tally, voices) = three_coins();
        tally.look(&at(10, 6, 6), 0);
        tally.stolen(voices[0], COIN, 0, -20.0);
        tally.refused(voices[1], COIN);
        tally.look(&at(99, 6, 6), 0);
        let why = "coin was cut off at -20.0 dB, and 8 wanted to be heard at once";
        assert_eq!(advice(&tally), quietest(8, why));
        tally.look(&at(100, 7, 7), 0);
        assert_eq!(tally.answers[0].most_wanted, 8, "by now the two are not missing any more");
    }

    #[test]
    fn a_play_that_was_turned_away_is_missed_too() {
        let mut tally = Tally::new(2);
        tally.asked(COIN, None, 100);
        let mut stats = at(10, 3, 4);
        stats.parked = 1;
        tally.look(&stats, 0);
        let why = "1 plays were refused, and 5 wanted to be heard at once";
        assert_eq!(advice(&tally), quietest(8, why));
    }
}
