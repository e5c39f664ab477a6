//! What was seen of a show: who had which voice, from when to when, and who took it from whom.
//!
//! All of it is what the mixer says: `Mixer::voices()`, a snapshot on every line of its grid, and
//! its events, exact to the frame. A theft hands over a voice, so thief and victim have one slot.

use std::collections::HashMap;

use voicepool::{Ending, Event, Parking, VoiceId, VoiceInfo, to_db};

use crate::logic::wand::Tag;

/// The mixer's grid, in frames: a snapshot is drawn on its lines.
pub const GRID: u64 = 128;

/// A change of a level that is worth a note, in decibels.
const STEP: f32 = 2.0;

/// A play, for as long as it had a voice.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub voice: VoiceId,
    pub slot: usize,
    pub sound: usize,
    /// Exact for a thief; for others the line on which it was first seen.
    pub from: u64,
    /// Exact; or the end of the show.
    pub to: u64,
    /// How loud it was to the ear, in decibels: from each of these frames on.
    pub levels: Vec<(u64, f32)>,
    pub end: End,
}

/// How a bar ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    Finished,
    Stopped,
    Stolen,
    /// Its voice was taken, and it goes on in silence.
    Parked,
    /// It does not: the show does.
    Live,
}

/// A voice that changed hands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theft {
    pub at: u64,
    /// `None`: both were gone again before a snapshot saw either.
    pub slot: Option<usize>,
    pub victim: VoiceId,
    pub thief: VoiceId,
    /// How loud the victim was, in decibels.
    pub level: f32,
}

#[derive(Default)]
pub struct Recording {
    /// In the order in which they ended.
    pub bars: Vec<Bar>,
    pub thefts: Vec<Theft>,
    /// The frames on which somebody was refused.
    pub refusals: Vec<u64>,
    open: HashMap<VoiceId, Bar>,
    /// The slot and the frame of those who stole a voice and were not seen with it yet.
    stole: HashMap<VoiceId, (usize, u64)>,
    /// The last slot that each was known to have.
    slots: HashMap<VoiceId, usize>,
}

impl Recording {
    /// Looks at a snapshot that was drawn on a line of the grid. What ended later in the same
    /// quantum is in it no more, so its events are heard after it.
    pub fn see(&mut self, line: u64, voices: &[VoiceInfo]) {
        for info in voices {
            let Some(slot) = info.slot else { continue };
            let bar = self.open.entry(info.voice).or_insert_with(|| Bar {
                voice: info.voice,
                slot,
                sound: Tag::unpack(info.tag).sound,
                from: self.stole.remove(&info.voice).map_or(line, |(_, at)| at),
                to: line,
                levels: Vec::new(),
                end: End::Live,
            });
            self.slots.insert(info.voice, slot);
            let level = to_db(info.level);
            let since = bar.levels.last().map_or(f32::INFINITY, |(_, last)| (level - last).abs());
            // From silence to silence is no change, and no number either.
            if since >= STEP {
                let from = if bar.levels.is_empty() { bar.from } else { line };
                bar.levels.push((from, level));
            }
        }
    }

    pub fn hear(&mut self, events: &[Event]) {
        for event in events {
            match event {
                Event::Ended { voice, tag, at, why, .. } => {
                    let end = match why {
                        Ending::Finished => End::Finished,
                        Ending::Stolen { .. } => End::Stolen,
                        _ => End::Stopped,
                    };
                    self.close(*voice, Some(Tag::unpack(*tag).sound), *at, end);
                    match why {
                        Ending::Stolen { by, level, .. } => {
                            self.stolen(*at, *voice, *by, to_db(*level));
                        }
                        Ending::Refused { .. } => self.refusals.push(*at),
                        _ => (),
                    }
                }
                Event::Parked { voice, at, why, .. } => {
                    self.close(*voice, None, *at, End::Parked);
                    if let Parking::Stolen { by, level, .. } = why {
                        self.stolen(*at, *voice, *by, to_db(*level));
                    }
                }
                _ => (),
            }
        }
    }

    /// The show is over.
    pub fn finish(&mut self, at: u64) {
        let mut live: Vec<Bar> = self.open.drain().map(|(_, bar)| Bar { to: at, ..bar }).collect();
        live.sort_by_key(|bar| bar.slot);
        self.bars.append(&mut live);
        // Who was robbed before it was seen had the slot that its thief was seen in.
        for theft in self.thefts.iter_mut().rev() {
            theft.slot = theft.slot.or(self.slots.get(&theft.thief).copied());
            self.slots.extend(theft.slot.map(|slot| (theft.victim, slot)));
        }
    }

    fn stolen(&mut self, at: u64, victim: VoiceId, thief: VoiceId, level: f32) {
        let slot = self.slots.get(&victim).copied();
        if let Some(slot) = slot {
            self.stole.insert(thief, (slot, at));
            self.slots.insert(thief, slot);
        }
        self.thefts.push(Theft { at, slot, victim, thief, level });
    }

    /// Ends the bar of a voice. A thief that was never seen has one too, if its sound is known.
    fn close(&mut self, voice: VoiceId, sound: Option<usize>, at: u64, end: End) {
        let stole = self.stole.remove(&voice);
        let unseen = || {
            let ((slot, from), sound) = (stole?, sound?);
            Some(Bar { voice, slot, sound, from, to: at, levels: Vec::new(), end })
        };
        if let Some(bar) = self.open.remove(&voice).or_else(unseen) {
            self.bars.push(Bar { to: at, end, ..bar });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Options;
    use crate::logic::wand::{ANSWERS, TICKS};
    use crate::show::{CROWDED, Performance, open, perform};
    use voicepool::WhenFull;

    #[test]
    fn the_recording_counts_what_the_mixer_counts() {
        let Performance { recording, stats, .. } = &*CROWDED;
        assert!(stats.stolen > 50 && stats.missed_events == 0, "{stats}");
        let ends = |end| recording.bars.iter().filter(|bar| bar.end == end).count() as u64;
        // Some of the robbed have parked; others have parked who were not robbed.
        let thefts = recording.thefts.len() as u64;
        assert!((stats.stolen + 1..=stats.stolen + stats.parkings).contains(&thefts), "{thefts}");
        let loudest = recording.thefts.iter().map(|theft| theft.level).fold(f32::MIN, f32::max);
        assert_eq!(loudest, to_db(stats.loudest_stolen.max(stats.loudest_parked)));
        assert!(ends(End::Parked) > 0);
        // Who never had a voice for a whole quantum may have no bar.
        assert!(ends(End::Stolen) <= stats.stolen && ends(End::Stolen) * 10 > stats.stolen * 9);
        assert!(ends(End::Finished) <= stats.finished && ends(End::Finished) > 0);
    }

    #[test]
    fn who_is_refused_is_recorded_too() {
        let (mut wand, renderer) = open(&Options::default().folder(), 4, 1).unwrap();
        wand.set_answer(
            ANSWERS.iter().position(|(answer, _)| *answer == WhenFull::Refuse).unwrap(),
        );
        let Performance { recording, stats, .. } = perform(wand, renderer, 2 * TICKS, |_| ());
        assert!(stats.refused > 10 && stats.stolen == 0, "{stats}");
        assert_eq!(recording.refusals.len() as u64, stats.refused);
        assert!(recording.thefts.is_empty());
    }

    #[test]
    fn every_voice_that_was_seen_ends_once_or_is_there_at_the_end() {
        let Performance { recording, stats, .. } = &*CROWDED;
        let mut over = HashMap::new();
        for bar in &recording.bars {
            assert!(!over.contains_key(&bar.voice), "{bar:?} after it was over");
            // Who was parked may come back.
            if bar.end != End::Parked {
                over.insert(bar.voice, bar);
            }
        }
        let live = over.values().filter(|bar| bar.end == End::Live);
        assert_eq!(live.count(), stats.playing);
        for theft in &recording.thefts {
            let victim = over.get(&theft.victim);
            // Who was parked may have come back, and end in any way.
            let parked = recording
                .bars
                .iter()
                .any(|bar| (bar.voice, bar.to, bar.end) == (theft.victim, theft.at, End::Parked));
            let stolen = victim.is_none_or(|bar| bar.end == End::Stolen);
            assert!(parked || stolen, "{theft:?} {victim:?}");
        }
    }

    #[test]
    fn nobody_plays_in_two_slots_nor_two_in_one() {
        let mut bars = CROWDED.recording.bars.clone();
        bars.sort_by_key(|bar| (bar.slot, bar.from, bar.to));
        for pair in bars.windows(2) {
            let [a, b] = pair else { unreachable!() };
            assert!(a.from <= a.to && a.slot < 6, "{a:?}");
            assert!(a.slot != b.slot || a.to <= b.from, "{a:?}\n{b:?}");
        }
    }

    #[test]
    fn a_thief_sits_in_its_victims_slot_from_the_frame_of_the_theft_on() {
        let Performance { recording, .. } = &*CROWDED;
        let bars: HashMap<VoiceId, &Bar> =
            recording.bars.iter().rev().map(|bar| (bar.voice, bar)).collect();
        let mut both_seen = 0;
        for theft in &recording.thefts {
            if let (Some(thief), Some(victim)) = (bars.get(&theft.thief), bars.get(&theft.victim)) {
                assert_eq!((thief.slot, thief.from), (victim.slot, theft.at));
                assert_eq!((Some(victim.slot), victim.to), (theft.slot, theft.at));
                both_seen += 1;
            }
        }
        assert!(both_seen > 50, "{both_seen}");
    }

    #[test]
    fn levels_are_in_order_within_their_bar_and_fall_with_a_decaying_sound() {
        let Performance { recording, wand, .. } = &*CROWDED;
        for bar in &recording.bars {
            assert!(bar.levels.is_sorted_by(|(a, _), (b, _)| a < b), "{bar:?}");
            let within = |(at, _): &(u64, f32)| (bar.from..=bar.to).contains(at);
            assert!(bar.levels.iter().all(within), "{bar:?}");
        }
        let boom = |bar: &&Bar| bar.sound == wand.cast.boom && bar.levels.len() > 3;
        let boom = recording.bars.iter().find(boom).expect("an explosion that was heard");
        assert!(boom.levels[0].1 > boom.levels[boom.levels.len() - 1].1 + 6.0, "{boom:?}");
    }
}
