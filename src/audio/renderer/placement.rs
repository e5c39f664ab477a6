//! Who gets a voice, who gives one up, who waits in silence for one, and who goes home.

use super::Renderer;
use super::admission::{Admission, Claim, NoVoice};
use crate::audio::bus::BusSet;
use crate::audio::plays::{Full, Parked, Placement, Waiting};
use crate::audio::voice::Voice;
use crate::config::WhenFull;
use crate::link::message::{End, Park, QUANTUM, Refused, Report, Request, Retired, Start};
use crate::play::Priority;

/// How much louder than a voice a parked play must have become to take its place: 6 dB.
const MUCH_LOUDER: f32 = 1.995_262_3;

impl Renderer {
    /// A play has come: it starts now, or waits for its frame.
    pub(super) fn begin(&mut self, request: Request) {
        let (ticket, number) = (request.ticket, self.applied);
        if number <= self.stopped_up_to {
            return self.end(ticket, request.into_cargo(), self.now, End::Stopped);
        }
        if request.sound.feed().is_some() && !self.plays.streams.hold(ticket) {
            let why = End::Refused(Refused::NoStream);
            return self.end(ticket, request.into_cargo(), self.now, why);
        }
        self.plays.add(ticket, request.bus);
        let (at, bus_time) = match request.start {
            Start::Follow { leader } => return self.begin_after(leader, request, number),
            Start::Orphan => return self.end(ticket, request.into_cargo(), self.now, End::Stopped),
            Start::Stranger => {
                let why = End::Refused(Refused::Stranger);
                return self.end(ticket, request.into_cargo(), self.now, why);
            }
            Start::At(frame) => (frame, 0),
            Start::After(0) => (self.now, 0),
            Start::After(frames) => {
                let wait = u128::from(frames) << 32;
                let bus_time = self.buses.time(request.bus).saturating_add(wait);
                let missing = self.buses.frames_until(request.bus, bus_time);
                (self.now.saturating_add(missing), bus_time)
            }
        };
        if at <= self.now {
            self.begin_here(request, number);
        } else if let Err(request) = self.plays.wait(request, number, at, bus_time) {
            self.end(ticket, request.into_cargo(), self.now, End::Refused(Refused::ScheduleFull));
        }
    }

    /// A play begins on this line. One with a place waits until all commands of the line are known, so that
    /// the listener may come after it; and where voices have places, so does one that may have to rob
    /// somebody, since who is quietest is known only then.
    #[inline(always)]
    pub(super) fn begin_here(&mut self, request: Request, number: u64) {
        let voices = &self.plays.voices;
        let (cue, bus) = (request.cue(), request.bus);
        let robs = || self.is_cue_full(cue) || voices.full(bus).is_some();
        let waits = request.placed().is_some() || voices.any_placed() && robs();
        let voice = self.voice(request, number);
        if !waits {
            return self.start(voice);
        }
        if let Err(voice) = self.plays.arrive(voice) {
            // Too many for one line. Nobody begins before who came first.
            self.start_arrivals();
            self.start(voice);
        }
    }

    /// Those begin who have waited until all commands of the line were known.
    pub(super) fn start_arrivals(&mut self) {
        while let Some(voice) = self.plays.next_arrival() {
            self.start(voice);
            self.follow_on();
        }
    }

    #[inline(always)]
    pub(super) fn voice(&self, request: Request, number: u64) -> Voice {
        let way = self.buses.way(request.bus);
        Voice::new(request, number, self.now, &way, &self.setup)
    }

    /// The frame of a play that waited has come.
    pub(super) fn start_due(&mut self, Waiting { request, number, .. }: Waiting) {
        let (ticket, at) = (request.ticket, self.now);
        let voice = self.voice(request, number);
        self.start(voice);
        if let Placement::Playing(_) = self.plays.find(ticket) {
            self.notify(Report::Started { ticket, at });
        }
    }

    /// A play that is out of earshot parks. Any other takes a free voice, if there is one that it may have, or
    /// those of whom the [decision](Renderer::admit) names. Where there is none for it, it parks, if it may,
    /// or is refused. Those for whom it came fade out if it has begun.
    fn start(&mut self, mut voice: Voice) {
        if voice.is_over() {
            return self.end(voice.ticket, voice.into_cargo(), self.now, End::Finished);
        }
        let comes_for = voice.crossfade().map(|_| voice.ticket);
        let far = voice.out_of_earshot(&self.space);
        if let Some(why) = far.filter(|_| self.plays.parked.has_room()) {
            self.park(voice, why, End::Refused(Refused::Inaudible));
        } else {
            self.space.is_stranded |= far.is_some();
            voice.settle_place(&self.space);
            match self.admit(&voice) {
                Admission::Voice(victims) => {
                    for (slot, level) in victims.into_iter().flatten() {
                        self.steal(slot, voice.ticket, level);
                    }
                    self.note_begin(&voice);
                    self.activate(voice);
                }
                Admission::Merged(merge) => {
                    let into = self.merge(merge);
                    self.refuse(voice, Refused::Merged { into });
                }
                Admission::TooSoon => self.refuse(voice, Refused::Cooldown),
                Admission::Unheard(why) => self.park(voice, why, End::Refused(Refused::Inaudible)),
                Admission::NoVoice(NoVoice { park, refusal }) => {
                    self.park_or_end(voice, park, End::Refused(refusal));
                }
            }
        }
        comes_for.into_iter().for_each(|ticket| self.fade_others_out(ticket));
    }

    fn refuse(&mut self, voice: Voice, why: Refused) {
        self.end(voice.ticket, voice.into_cargo(), self.now, End::Refused(why));
    }

    fn choose_victim(
        &mut self,
        priority: Priority,
        when_full: WhenFull,
        among: BusSet,
    ) -> Option<(u32, f32)> {
        let (quantum, voices) = (self.now / QUANTUM as u64, &mut self.plays.voices);
        voices.choose_victim(priority, when_full, among, quantum, &self.buses, &self.setup)
    }

    /// Gives a voice's slot to another. `level` is the voice's own, before its bus.
    fn steal(&mut self, slot: u32, thief: u32, level: f32) {
        let Some(voice) = self.plays.voices.pool().at(slot) else { return };
        let way = self.buses.way(voice.bus);
        let level = level * way.level() * way.master_level();
        self.evict(slot, Park::Stolen { thief, level }, End::Stolen { thief, level });
    }

    /// Takes a voice's slot away, and lets the rest of it fade out behind it.
    fn evict(&mut self, slot: u32, park: Park, end: End) {
        self.leave_tail(slot);
        let Some(voice) = self.plays.voices.take(slot) else { return };
        if voice.is_stopping() {
            return self.end(voice.ticket, voice.into_cargo(), self.now, End::Stopped);
        }
        if voice.stands_still(&self.buses.way(voice.bus)) {
            // It is inaudible, and loses nothing by waiting elsewhere.
            return self.park(voice, Park::Paused, end);
        }
        if voice.leaves_earshot() {
            return self.park(voice, Park::LeftEarshot, end);
        }
        self.park_or_end(voice, park, end);
    }

    /// Parks a play that has no voice, if it may; else it ends.
    fn park_or_end(&mut self, voice: Voice, park: Park, end: End) {
        if voice.park {
            self.park(voice, park, end);
        } else {
            self.end(voice.ticket, voice.into_cargo(), self.now, end);
        }
    }

    /// Parks a play, if there is room; else it ends.
    pub(super) fn park(&mut self, voice: Voice, why: Park, end: End) {
        if let Err(voice) = self.try_park(voice, why) {
            self.end(voice.ticket, voice.into_cargo(), self.now, end);
        }
    }

    /// Parks a play, or gives it back if there is no room.
    #[allow(clippy::result_large_err, reason = "a box would allocate")]
    fn try_park(&mut self, voice: Voice, why: Park) -> Result<(), Voice> {
        let (ticket, at) = (voice.ticket, self.now);
        self.plays.park(voice, why, at, &self.buses, &self.space, &self.setup)?;
        self.foresee(ticket);
        self.bridge.meters.saw_parking(why);
        self.notify(Report::Parked { ticket, at, why });
        Ok(())
    }

    /// Gives a voice a slot that is known to be free.
    fn activate(&mut self, mut voice: Voice) {
        let ticket = voice.ticket;
        self.set_out(&mut voice);
        if let Err(voice) = self.plays.activate(voice, &self.setup) {
            let why = End::Refused(Refused::PoolFull);
            self.end(ticket, voice.into_cargo(), self.now, why);
        }
        self.foresee(ticket);
        self.bridge.meters.saw_playing(self.plays.voices.len() as u32);
    }

    /// A voice is about to get its slot: its age counts from here, and it goes as fast as it is heard to move.
    #[inline(always)]
    pub(super) fn set_out(&mut self, voice: &mut Voice) {
        voice.order = self.activated;
        self.activated += 1;
        self.stream_begins |= voice.is_stream();
        let way = self.buses.way(voice.bus);
        self.space.is_bending |= voice.follow_motion(self.now, &self.space, &way, &self.setup);
    }

    /// Lets the parked come back, loudest first: into free voices, and now and then by taking a
    /// place back. Who cannot be heard stays: it would take a voice for nothing.
    pub(super) fn unpark(&mut self) {
        if self.plays.voices.take_eased() {
            self.plays.parked.rouse();
        }
        let review = self.plays.parked.is_review(self.now);
        let free = self.plays.voices.has_room() && self.plays.parked.is_awake(self.now);
        if !review && !free {
            return;
        }
        self.plays.parked.rank_all(self.now, &self.buses, &self.space, &self.setup);
        let may_take_back = review && self.plays.voices.excess() == 0;
        let limited = self.plays.voices.are_limited();
        // Those on which nobody who is quieter gets a voice either. Should a theft give one of them room,
        // that is seen on the next line.
        let mut closed = BusSet::NONE;
        while let Some((slot, level)) = self.plays.parked.loudest()
            && let Some(Parked { voice, .. }) = self.plays.parked.pool().at(slot)
        {
            let bus = voice.bus;
            if voice.is_stream() && !self.plays.streams.has_room() {
                self.plays.parked.pass_over(slot);
                continue;
            }
            if self.is_cue_full(voice.cue) {
                self.plays.parked.pass_over(slot);
                if may_take_back {
                    self.take_back_in_cue(slot, level);
                }
                continue;
            }
            if closed.has(bus) {
                self.plays.parked.pass_over(slot);
                continue;
            }
            let Some(full) = self.plays.voices.full(bus) else {
                let Some(voice) = self.plays.parked.take(slot) else { break };
                self.come_back(voice);
                continue;
            };
            if may_take_back && self.take_back(slot, level, full) {
                continue;
            }
            // Where there are no limits and no reserves, what is said of one is said of all.
            if !limited || !may_take_back && !self.plays.voices.has_room() {
                break;
            }
            closed.add(bus);
        }
        if limited {
            self.plays.parked.wait_until_roused();
        }
    }

    fn come_back(&mut self, mut voice: Voice) {
        let (ticket, at) = (voice.ticket, self.now);
        if voice.is_stream() {
            self.plays.streams.hold(ticket);
        }
        voice.leave_parking(&self.setup);
        voice.settle_place(&self.space);
        self.activate(voice);
        self.notify(Report::Unparked { ticket, at });
    }

    /// Lets a parked play take a place back, if it has long been much louder than whom a newcomer of
    /// its priority would rob. Returns whether one who is quieter might, on the same bus.
    fn take_back(&mut self, slot: u32, level: f32, full: Full) -> bool {
        self.plays.parked.pass_over(slot);
        let Some(voice) = self.plays.parked.pool().at(slot).map(|parked| &parked.voice) else {
            return false;
        };
        let (ticket, priority) = (voice.ticket, voice.priority);
        if full.when_full.unwrap_or(voice.when_full) == WhenFull::Refuse {
            return true;
        }
        let steal = WhenFull::StealQuietest;
        let Some((victim, own)) = self.choose_victim(priority, steal, full.victims) else {
            // Perhaps nobody can be robbed by anybody.
            return self.choose_victim(Priority::Protected, steal, full.victims).is_some();
        };
        // Silence is no louder than silence. And whoever may rob anybody may rob this one, so
        // nobody who is quieter is loud enough.
        if level == 0.0 || level < MUCH_LOUDER * own * self.bus_level(victim) {
            return false;
        }
        // It leaves first, so that its victim finds room to park.
        if self.plays.parked.note_louder(slot, self.now)
            && let Some(voice) = self.plays.parked.take(slot)
        {
            self.steal(victim, ticket, own);
            self.come_back(voice);
        }
        true
    }

    /// The same for one whose cue is full, and so for whoever of its cue a newcomer would rob; and where a
    /// bus is full beside it, for that one too.
    fn take_back_in_cue(&mut self, slot: u32, level: f32) {
        let Some(parked) = self.plays.parked.pool().at(slot) else { return };
        let (ticket, claim) = (parked.voice.ticket, Claim::of(&parked.voice));
        let victims = self.choose_victims(claim, None, |answer| match answer {
            WhenFull::Refuse => WhenFull::Refuse,
            _ => WhenFull::StealQuietest,
        });
        let Ok(victims) = victims else { return };
        let mut both = victims.into_iter().flatten();
        if level == 0.0
            || both.any(|(victim, own)| level < MUCH_LOUDER * own * self.bus_level(victim))
        {
            return;
        }
        if self.plays.parked.note_louder(slot, self.now)
            && let Some(voice) = self.plays.parked.take(slot)
        {
            for (victim, own) in victims.into_iter().flatten() {
                self.steal(victim, ticket, own);
            }
            self.come_back(voice);
        }
    }

    /// What the bus of the voice in a slot makes of its level.
    fn bus_level(&self, slot: u32) -> f32 {
        let voice = self.plays.voices.pool().at(slot);
        voice.map_or(0.0, |voice| self.buses.way(voice.bus).level())
    }

    /// Who goes when the pool becomes smaller: of those that their reserves can spare, if there are any.
    fn choose_shrunk(&mut self) -> Option<u32> {
        let spare = self.plays.voices.limits().spare(BusSet::NONE);
        let mut choose = |among| self.choose_victim(Priority::High, WhenFull::StealQuietest, among);
        choose(spare).or_else(|| choose(BusSet::ALL)).map(|(slot, _)| slot)
    }

    /// Carries on with a resize: lets those go that are too many, quietest first and never the
    /// protected, and moves once everybody fits.
    pub(super) fn settle(&mut self) {
        if !self.plays.voices.is_unsettled() {
            return;
        }
        while self.plays.voices.excess() > 0
            && let Some(slot) = self.choose_shrunk()
        {
            self.evict(slot, Park::Shrunk, End::Stopped);
        }
        if let Some(old) = self.plays.settle() {
            self.send_report(Report::Retired(Retired::Voices, old));
        }
    }
}
