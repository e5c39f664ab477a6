//! All that a request says beside what is played.

use std::ops::{Bound, RangeBounds};
use std::time::Duration;

use super::{Priority, WhenStolen, sanitize_gain, sanitize_speed};
use crate::bus::BusId;
use crate::config::WhenFull;
use crate::event::VoiceId;
use crate::link::message::{Crossfade, CueTerms, Extra, Loop, Placed, Request, Shape, Start};
use crate::reverb::RoomId;
use crate::sound::Sound;
use crate::space::{Attenuation, Point};
use crate::units::{frames, short_frames};

/// All that a request says beside what is played. Times stay times until it is known which sound it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub gain: f32,
    pub pan: f32,
    pub speed: f32,
    pub looping: Option<LoopTimes>,
    pub position: Duration,
    pub fade_in: Duration,
    pub start: When,
    pub priority: Priority,
    pub when_stolen: Option<WhenStolen>,
    pub bus: BusId,
    pub tag: u64,
    pub shape: Shape,
    pub place: Option<Point>,
    pub attenuation: Attenuation,
    /// Which of these were said.
    pub set: Set,
}

/// On which terms a play may begin, beside all that it says itself.
pub(crate) struct Terms {
    /// The cue that it is of.
    pub cue: Option<CueTerms>,
    /// Those who fade out for it.
    pub crossfade: Option<Crossfade>,
}

/// When a play begins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    Now,
    At(u64),
    After(Duration),
    /// When another play has finished.
    Follow(VoiceId),
}

/// Where a loop begins and ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LoopTimes {
    /// At the sound's own loop points, or as a whole if it has none.
    Own,
    /// In the sound's own time.
    Between { start: Bound<Duration>, end: Bound<Duration> },
}

impl LoopTimes {
    pub fn of(range: impl RangeBounds<Duration>) -> LoopTimes {
        LoopTimes::Between { start: range.start_bound().cloned(), end: range.end_bound().cloned() }
    }

    /// The same in the frames of a sound, which turns at its own loop as that does best.
    fn of_sound(self, sound: &Sound) -> Loop {
        const TICK: Duration = Duration::from_nanos(1);
        let own = sound.own_loop();
        let (start, end) = match self {
            LoopTimes::Own => return own,
            LoopTimes::Between { start, end } => (start, end),
        };
        let (rate, clip) = (sound.sample_rate(), sound.frame_count() as u32);
        let start = match start {
            Bound::Included(start) => short_frames(start, rate),
            Bound::Excluded(start) => short_frames(start.saturating_add(TICK), rate),
            Bound::Unbounded => 0,
        };
        let end = match end {
            Bound::Included(end) => short_frames(end.saturating_add(TICK), rate).min(clip),
            Bound::Excluded(end) => short_frames(end, rate).min(clip),
            Bound::Unbounded => clip,
        };
        let (start, end) = if start < end { (start, end) } else { (0, clip) };
        // Resampled, the whole turns up to a frame before the end.
        let is_own = if sound.has_loop_points() { end == own.end } else { end >= own.end };
        if start == own.start && is_own { own } else { Loop { start, end, seam: 0 } }
    }
}

/// Some of the settings: a bit for each that takes the place of what a cue's variant says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Set(u32);

impl Set {
    pub const NONE: Set = Set(0);
    pub const PAN: Set = Set(1);
    pub const LOOPING: Set = Set(1 << 1);
    pub const POSITION: Set = Set(1 << 2);
    pub const FADE_IN: Set = Set(1 << 3);
    pub const START: Set = Set(1 << 4);
    pub const PRIORITY: Set = Set(1 << 5);
    pub const WHEN_STOLEN: Set = Set(1 << 6);
    pub const BUS: Set = Set(1 << 7);
    pub const TAG: Set = Set(1 << 8);
    pub const LOW_PASS: Set = Set(1 << 9);
    pub const PLACE: Set = Set(1 << 10);
    pub const ATTENUATION: Set = Set(1 << 11);
    pub const OCCLUSION: Set = Set(1 << 12);
    const FIRST_SEND: u32 = 13;

    pub fn send(room: RoomId) -> Set {
        Set(1 << (Set::FIRST_SEND + room.index() as u32))
    }

    pub fn add(&mut self, other: Set) {
        self.0 |= other.0;
    }

    fn has(self, other: Set) -> bool {
        self.0 & other.0 != 0
    }
}

impl Settings {
    /// Once, from the beginning, as it is.
    pub const DEFAULT: Settings = Settings {
        gain: 1.0,
        pan: 0.0,
        speed: 1.0,
        looping: None,
        position: Duration::ZERO,
        fade_in: Duration::ZERO,
        start: When::Now,
        priority: Priority::Normal,
        when_stolen: None,
        bus: BusId::MASTER,
        tag: 0,
        shape: Shape::PLAIN,
        place: None,
        attenuation: Attenuation::DEFAULT,
        set: Set::NONE,
    };

    /// What is said here on top of what a cue's variant says: gains and speeds multiply, and all else that
    /// was said takes the place of what is there.
    pub fn on_top_of(&self, variant: &Settings) -> Settings {
        let mut both = *variant;
        both.gain = sanitize_gain(variant.gain * self.gain);
        both.speed = sanitize_speed(variant.speed * self.speed);
        let mut take = |what: Set, take: &dyn Fn(&mut Settings)| {
            if self.set.has(what) {
                take(&mut both);
            }
        };
        take(Set::PAN, &|it| it.pan = self.pan);
        take(Set::LOOPING, &|it| it.looping = self.looping);
        take(Set::POSITION, &|it| it.position = self.position);
        take(Set::FADE_IN, &|it| it.fade_in = self.fade_in);
        take(Set::START, &|it| it.start = self.start);
        take(Set::PRIORITY, &|it| it.priority = self.priority);
        take(Set::WHEN_STOLEN, &|it| it.when_stolen = self.when_stolen);
        take(Set::BUS, &|it| it.bus = self.bus);
        take(Set::TAG, &|it| it.tag = self.tag);
        take(Set::LOW_PASS, &|it| it.shape.low_pass = self.shape.low_pass);
        take(Set::PLACE, &|it| it.place = self.place);
        take(Set::ATTENUATION, &|it| it.attenuation = self.attenuation);
        take(Set::OCCLUSION, &|it| it.shape.occlusion = self.shape.occlusion);
        for room in RoomId::all() {
            let at = room.index();
            take(Set::send(room), &|it| it.shape.sends[at] = self.shape.sends[at]);
        }
        both.set.add(self.set);
        both
    }

    /// The same in the audio side's terms, for a mixer that runs at `rate`. `follow` says what becomes of a play
    /// that is to follow another.
    #[inline]
    pub fn request(
        &self,
        sound: &Sound,
        when_full: WhenFull,
        terms: Terms,
        rate: u32,
        follow: impl FnOnce(VoiceId) -> Start,
    ) -> Request<u64> {
        let Terms { cue, crossfade } = terms;
        Request {
            sound: sound.number(),
            ticket: 0,
            gain: self.gain,
            pan: self.pan,
            speed: self.speed,
            position: short_frames(self.position, sound.sample_rate()),
            looping: self.looping.map(|times| times.of_sound(sound)),
            fade_in: short_frames(self.fade_in, rate),
            start: match self.start {
                When::Now => Start::After(0),
                When::At(frame) => Start::At(frame),
                When::After(by) => Start::After(frames(by, rate)),
                When::Follow(voice) => follow(voice),
            },
            priority: self.priority,
            bus: self.bus,
            park: match self.when_stolen {
                None => self.looping.is_some(),
                Some(then) => then == WhenStolen::Park,
            },
            when_full,
            paused: false,
            muted: false,
            shape: self.shape,
            extra: (self.place.is_some() || cue.is_some() || crossfade.is_some()).then(|| {
                let placed = self.place.map(|position| Placed::new(position, self.attenuation));
                Box::new(Extra { placed, cue, crossfade })
            }),
        }
    }
}
