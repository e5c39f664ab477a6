//! Whether a play that is to begin gets a voice, and who gives one up for it: all of it decided before
//! anybody is robbed.

use std::sync::atomic::Ordering::Relaxed;

use super::Renderer;
use crate::audio::plays::{Full, Last, Placement, Voices};
use crate::audio::voice::Voice;
use crate::bus::BusId;
use crate::config::WhenFull;
use crate::link::message::{CueTerms, Park, QUANTUM, Refused};
use crate::play::Priority;

/// What becomes of a play that is to begin.
pub(super) enum Admission {
    /// It gets a voice, once these have given theirs up.
    Voice(Victims),
    /// It makes another of its cue louder, and is not heard itself.
    Merged(Merge),
    /// It came too soon after another of its cue.
    TooSoon,
    /// Nobody would hear it, and there is no voice to waste: it parks.
    Unheard(Park),
    /// There is no voice for it: it parks, if it may.
    NoVoice(NoVoice),
}

/// What it depends on who gives way for a play.
#[derive(Clone, Copy)]
pub(super) struct Claim {
    cue: Option<CueTerms>,
    bus: BusId,
    priority: Priority,
    when_full: WhenFull,
}

impl Claim {
    pub fn of(voice: &Voice) -> Claim {
        let Voice { cue, bus, priority, when_full, .. } = *voice;
        Claim { cue, bus, priority, when_full }
    }
}

/// Those that give their voices up: the slot of each, and its level before its bus. One for the cue, and one
/// for a bus or the pool.
pub(super) type Victims = [Option<(u32, f32)>; 2];

/// The play that another is merged into.
pub(super) struct Merge {
    terms: CueTerms,
    slot: u32,
    /// How much louder it becomes.
    factor: f32,
    /// It, as its cue knows it from then on.
    last: Last,
}

/// What becomes of a play without a voice, if it may park and if not.
pub(super) struct NoVoice {
    pub park: Park,
    pub refusal: Refused,
}

impl Renderer {
    /// Decides what becomes of a play that is to begin.
    ///
    /// Its cue is asked first: whether it goes into another, or comes too soon. Then who is in its way: the
    /// cue's limit, those of the buses from the leaf to the root, the pool; whoever was chosen to give way
    /// for one of them counts as gone for the next. Who cannot be heard robs nobody, unless it must have a
    /// voice whatever happens.
    pub(super) fn admit(&mut self, voice: &Voice) -> Admission {
        if let Some(terms) = &voice.cue
            && let Some(answer) = self.ask_last(voice, terms)
        {
            return answer;
        }
        let crowded = self.is_cue_full(voice.cue);
        let full = if crowded { None } else { self.plays.voices.full(voice.bus) };
        if !crowded && full.is_none() {
            return Admission::Voice([None; 2]);
        }
        self.bridge.meters.full.fetch_add(1, Relaxed);
        let unheard = voice.inaudible(&self.buses.way(voice.bus), self.setup.declick);
        if let Some(why) = unheard.filter(|_| voice.priority != Priority::Protected) {
            return Admission::Unheard(why);
        }
        match (self.choose_victims(Claim::of(voice), full, |answer| answer), unheard) {
            (Ok(victims), _) => Admission::Voice(victims),
            (Err(_), Some(why)) => Admission::Unheard(why),
            (Err(no_voice), None) => Admission::NoVoice(no_voice),
        }
    }

    /// The play of a cue that began last, if that was a short time ago: and whether a newcomer merges with it,
    /// and whether it comes too soon after it.
    pub(super) fn recent(&self, terms: &CueTerms) -> Option<(Last, bool, bool)> {
        let last = self.plays.voices.cues().last(terms)?;
        let ago = self.now.saturating_sub(last.at);
        let merges = terms.merge_within > 0 && ago <= u64::from(terms.merge_within);
        let cools = ago < u64::from(terms.cooldown);
        (merges || cools).then_some((last, merges, cools))
    }

    /// What the play of its cue that began last makes of a newcomer, if anything.
    fn ask_last(&self, voice: &Voice, terms: &CueTerms) -> Option<Admission> {
        let (last, merges, cools) = self.recent(terms)?;
        let level = self.heard_level(voice);
        if merges
            && last.level > 0.0
            && let Some(slot) = self.find_last(&last)
        {
            let [before, more] = [last.level, level].map(f64::from);
            let both = (before * before + more * more).sqrt();
            let (factor, last) = ((both / before) as f32, Last { level: both as f32, ..last });
            return Some(Admission::Merged(Merge { terms: *terms, slot, factor, last }));
        }
        (cools && level <= last.level).then_some(Admission::TooSoon)
    }

    /// How loud a play is to the ear, but for the master, which is the same for all.
    fn heard_level(&self, voice: &Voice) -> f32 {
        voice.level(&self.setup) * self.buses.way(voice.bus).level()
    }

    /// The slot of the play of a cue that began last, if it still plays and is not stopping.
    fn find_last(&self, last: &Last) -> Option<u32> {
        let Placement::Playing(slot) = self.plays.find(last.ticket) else { return None };
        let voice = self.plays.voices.pool().at(slot)?;
        (voice.number == last.number && !voice.is_stopping()).then_some(slot)
    }

    /// Whether as many of a cue play as may.
    pub(super) fn is_cue_full(&self, cue: Option<CueTerms>) -> bool {
        cue.is_some_and(|terms| self.plays.voices.cues().is_full(&terms))
    }

    /// Who must give way for a play: for its cue if that is full, or else for what is `full`. What its cue, a
    /// bus or the mixer answers when there is no room goes through `answer`.
    ///
    /// Within a cue it is as everywhere: those of the lowest priority first, and nobody above the
    /// newcomer's; of these the one that would be missed least, on a tie the oldest.
    pub(super) fn choose_victims(
        &mut self,
        Claim { cue, bus, priority, when_full }: Claim,
        full: Option<Full>,
        answer: fn(WhenFull) -> WhenFull,
    ) -> Result<Victims, NoVoice> {
        let quantum = self.now / QUANTUM as u64;
        let (plays, buses, setup) = (&mut self.plays, &self.buses, &self.setup);
        let crowded = cue.filter(|terms| plays.voices.cues().is_full(terms));
        let of_cue = crowded.and_then(|terms| {
            let when_full = answer(terms.when_full.unwrap_or(WhenFull::StealQuietest));
            plays.choose_victim_of_cue(&terms, priority, when_full, quantum, buses, setup)
        });
        if crowded.is_some() && of_cue.is_none() {
            return Err(NoVoice { park: Park::CueFull, refusal: Refused::CueFull });
        }
        let choose = |voices: &mut Voices, full: Option<Full>| {
            let Some(Full { victims, when_full: own, park, refusal }) = full else {
                return Ok(None);
            };
            let when_full = answer(own.unwrap_or(when_full));
            let victim = (voices.excess() == 0)
                .then(|| voices.choose_victim(priority, when_full, victims, quantum, buses, setup));
            victim.flatten().map(Some).ok_or(NoVoice { park, refusal })
        };
        let other = match of_cue {
            Some((slot, _)) => plays.voices.without(slot, setup, |voices| {
                let full = voices.full(bus);
                choose(voices, full)
            }),
            None => choose(&mut plays.voices, full),
        };
        other.map(|other| [of_cue, other])
    }

    /// A play of a cue begins: it is what those that come next are compared with.
    pub(super) fn note_begin(&mut self, voice: &Voice) {
        let Some(terms) = voice.cue.filter(|it| it.cooldown > 0 || it.merge_within > 0) else {
            return;
        };
        let Voice { ticket, number, .. } = *voice;
        let last = Last { ticket, number, at: self.now, level: self.heard_level(voice) };
        self.plays.voices.cues_mut().set_last(&terms, last);
    }

    /// Gives a play the power of one that is merged into it. Returns its ticket.
    pub(super) fn merge(&mut self, Merge { terms, slot, factor, last }: Merge) -> u32 {
        if let Some(voice) = self.plays.voices.at_mut(slot) {
            voice.boost(factor, &self.setup);
        }
        self.plays.voices.rank(slot, &self.setup);
        self.plays.voices.cues_mut().set_last(&terms, last);
        last.ticket
    }
}
