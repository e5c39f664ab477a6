//! The mixer and the naive one, side by side: both are told the same, and must say the same.

use std::rc::Rc;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use voicepool::{
    BusId, Config, Ending, Event, Mixer, Parking, Play, Renderer, Sound, VoiceId, WhenStolen, ms,
};

use super::clip::Clip;
use super::naive::{Change, Happening, Naive, Request, Start, What, Why};
use super::script::{self, CLIPS, Op};

pub type Verdict = Result<(), TestCaseError>;

/// Both mixers, side by side.
pub struct Pair {
    mixer: Mixer,
    renderer: Renderer,
    naive: Naive,
    sounds: [Sound; CLIPS],
    ids: Vec<VoiceId>,
    pub told: Vec<Happening>,
}

impl Pair {
    pub fn new(config: &Config) -> Pair {
        let (mixer, renderer) = Mixer::offline(config.clone()).unwrap();
        let sounds = script::sounds(config.sample_rate);
        let clip = |sound: &Sound| {
            Clip::new(sound.sample_rate(), sound.frames().collect(), sound.channels() == 2)
        };
        let clips = Rc::new(sounds.iter().map(clip).collect());
        let naive = Naive::new(config, clips);
        Pair { mixer, renderer, naive, sounds, ids: Vec::new(), told: Vec::new() }
    }

    pub fn carry_out(&mut self, op: &Op) -> Verdict {
        match op {
            Op::Render(frames) => self.listen(*frames)?,
            Op::Play(request) => self.play(request.clone()),
            Op::Voice(ago, change) => {
                let Some(tag) = self.ids.len().checked_sub(1 + ago) else { return Ok(()) };
                self.naive.change(tag as u64, *change);
                self.change(self.ids[tag], *change);
            }
            Op::Bus(bus, change) => {
                self.naive.change_bus(*bus, *change);
                self.change_bus(BusId::new(*bus), *change);
            }
            Op::StopAll(fade) => {
                self.naive.stop_all(*fade);
                self.mixer.stop_all(*fade);
            }
            Op::Resize(voices) => {
                let let_in = self.mixer.resize(*voices).is_ok();
                prop_assert_eq!(let_in, self.naive.resize(*voices), "resize to {}", voices);
            }
            Op::WhenFull(when_full) => {
                self.naive.set_when_full(*when_full);
                self.mixer.set_when_full(*when_full);
            }
        }
        Ok(())
    }

    fn play(&mut self, mut request: Request) {
        let tag = self.ids.len() as u64;
        let mut play = Play::of(&self.sounds[request.clip])
            .gain(request.gain)
            .pan(request.pan)
            .speed(request.speed)
            .from_position(request.position)
            .fade_in(request.fade_in)
            .priority(request.priority)
            .bus(BusId::new(request.bus))
            .tag(tag);
        play = match &mut request.start {
            Start::Now => play,
            Start::At(frame) => {
                // Some are past.
                *frame = (self.mixer.clock() + *frame).saturating_sub(100);
                play.start_at(*frame)
            }
            Start::Delay(by) => play.delay(*by),
        };
        play = match request.looping {
            None => play,
            Some((start, None)) => play.loop_range(start..),
            Some((start, Some(end))) => play.loop_range(start..end),
        };
        play = match request.parks {
            None => play,
            Some(true) => play.when_stolen(WhenStolen::Park),
            Some(false) => play.when_stolen(WhenStolen::End),
        };
        self.naive.play(tag, request);
        self.ids.push(self.mixer.play(play).expect("the queue has room"));
    }

    fn change(&self, id: VoiceId, change: Change) {
        match change {
            Change::Stop(fade) => self.mixer.stop(id, fade),
            Change::Pause => self.mixer.pause(id, ms(0)),
            Change::Resume => self.mixer.resume(id, ms(0)),
            Change::Gain(to, over) => self.mixer.set_gain(id, to, over),
            Change::Pan(to, over) => self.mixer.set_pan(id, to, over),
            Change::Speed(to, over) => self.mixer.set_speed(id, to, over),
            Change::Seek(to) => self.mixer.seek(id, to),
        }
    }

    fn change_bus(&self, bus: BusId, change: Change) {
        match change {
            Change::Stop(fade) => self.mixer.stop(bus, fade),
            Change::Pause => self.mixer.pause(bus, ms(0)),
            Change::Resume => self.mixer.resume(bus, ms(0)),
            Change::Gain(to, over) => self.mixer.set_gain(bus, to, over),
            Change::Pan(..) | Change::Speed(..) | Change::Seek(_) => unreachable!(),
        }
    }

    pub fn listen(&mut self, frames: usize) -> Verdict {
        let first = self.mixer.clock();
        let ours = self.renderer.frames(frames);
        let theirs = self.naive.frames(frames);
        self.compare_events()?;
        for (at, (ours, theirs)) in (first..).zip(ours.iter().zip(&theirs)) {
            for (ours, side) in ours.iter().zip(theirs.frame) {
                let off = (ours - side).abs();
                prop_assert!(off <= theirs.slack, "frame {at} is {ours}, naive {side}");
            }
        }
        let (stats, naive) = (self.mixer.stats(), &self.naive.stage);
        prop_assert_eq!(
            [stats.voices, stats.playing, stats.parked, stats.scheduled, stats.live],
            [naive.limit, naive.playing.len(), naive.parked.len(), naive.waiting.len(), naive.live],
            "voices, playing, parked, scheduled, live"
        );
        prop_assert_eq!(
            [stats.full, stats.parkings, stats.missed_events],
            [naive.full, naive.parkings, naive.missed],
            "full, parkings, missed events"
        );
        let (loudest, naive) = (stats.loudest_parked, naive.loudest_parked);
        prop_assert!(near(loudest, naive), "parked at {loudest}, naive {naive}");
        let ended = stats.finished + stats.stopped + stats.stolen + stats.refused;
        prop_assert_eq!(stats.accepted, ended + stats.live as u64);
        Ok(())
    }

    /// The order within a frame is nobody's promise, but for what happens to one voice.
    fn compare_events(&mut self) -> Verdict {
        let mut ours: Vec<_> = self.mixer.events().map(|event| self.happening(event)).collect();
        let mut theirs = self.naive.events();
        ours.sort_by_key(|it| (it.at, it.tag));
        theirs.sort_by_key(|it| (it.at, it.tag));
        let alike = |(ours, theirs): (&Happening, &Happening)| {
            let (ours_at, theirs_at) = ((ours.at, ours.tag), (theirs.at, theirs.tag));
            ours_at == theirs_at && is_same(ours.what, theirs.what)
        };
        let same = ours.len() == theirs.len() && ours.iter().zip(&theirs).all(alike);
        prop_assert!(same, "{ours:#?}\nnaive {theirs:#?}");
        self.told.extend(theirs);
        Ok(())
    }

    fn happening(&self, event: Event) -> Happening {
        let tag_of = |id| self.ids.iter().position(|it| *it == id).expect("an id we were given");
        match event {
            Event::Ended { voice, tag, at, why, .. } => {
                assert_eq!(tag, tag_of(voice) as u64);
                let what = match why {
                    Ending::Finished => What::Finished,
                    Ending::Stopped => What::Stopped,
                    Ending::Refused { why } => What::Refused(why),
                    Ending::Stolen { by, by_tag, level } => {
                        assert_eq!(by_tag, tag_of(by) as u64);
                        What::Stolen { by: by_tag, level }
                    }
                    other => panic!("{other:?}"),
                };
                Happening { at, tag, what }
            }
            Event::Parked { voice, tag, at, why, .. } => {
                assert_eq!(tag, tag_of(voice) as u64);
                let why = match why {
                    Parking::Paused => Why::Paused,
                    Parking::Inaudible => Why::Inaudible,
                    Parking::Shrunk => Why::Shrunk,
                    Parking::PoolFull => Why::PoolFull,
                    Parking::Stolen { by, by_tag, level } => {
                        assert_eq!(by_tag, tag_of(by) as u64);
                        Why::Stolen { by: by_tag, level }
                    }
                    other => panic!("{other:?}"),
                };
                Happening { at, tag, what: What::Parked(why) }
            }
            Event::Unparked { voice, tag, at, .. } => {
                assert_eq!(tag, tag_of(voice) as u64);
                Happening { at, tag, what: What::Unparked }
            }
            other => panic!("{other:?}"),
        }
    }
}

fn near(level: f32, naive: f32) -> bool {
    (level - naive).abs() <= 1e-4 * naive
}

fn is_same(ours: What, naive: What) -> bool {
    match (ours, naive) {
        (What::Stolen { by, level }, What::Stolen { by: naive_by, level: naive_level })
        | (
            What::Parked(Why::Stolen { by, level }),
            What::Parked(Why::Stolen { by: naive_by, level: naive_level }),
        ) => by == naive_by && near(level, naive_level),
        _ => ours == naive,
    }
}
