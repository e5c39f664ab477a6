//! The mixer and the naive one, side by side: both are told the same, and must say the same.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use voicepool::{
    Bus, BusId, Config, Cue, Ending, Event, Mixer, Parking, Play, Refusal, Renderer, RoomId, Sound,
    Stream, Tag, Target, VoiceId, WhenStolen,
};

use super::clip::Clip;
use super::dice::Plan;
use super::effects;
use super::joins::Past;
use super::naive::{Change, Happening, Naive, Request, Start, What, Whose, Why};
use super::script::{self, BUSES, CLIPS, Jump, Op, Whom};
use super::shaper::Shape;
use super::space::Move;
use super::streams::{self, STREAMS};
use super::tally::Tally;

pub type Verdict = Result<(), TestCaseError>;

/// Both mixers, side by side.
pub struct Pair {
    mixer: Mixer,
    renderer: Renderer,
    naive: Naive,
    sounds: [Sound; CLIPS],
    streams: [Stream; STREAMS],
    /// All cues that were made, and how many of the last ones scripts can name.
    cues: Vec<Cue>,
    named: usize,
    /// The id and the tag of each play there was.
    plays: Vec<(VoiceId, u64)>,
    pub told: Vec<Happening>,
    /// Whether they must agree to the bit. Only of one voice, at its own rate, can that be asked:
    /// the naive mixer adds in another order, and with more bits between samples.
    exactly: bool,
}

impl Pair {
    pub fn new(config: &Config) -> Pair {
        let (mixer, renderer) = Mixer::offline(config.clone()).unwrap();
        let (sounds, streams, clips) = stock(config.sample_rate);
        let naive = Naive::new(config, clips);
        Pair {
            mixer,
            renderer,
            naive,
            sounds,
            streams,
            cues: Vec::new(),
            named: 0,
            plays: Vec::new(),
            told: Vec::new(),
            exactly: false,
        }
    }

    pub fn exactly(self) -> Pair {
        Pair { exactly: true, ..self }
    }

    pub fn carry_out(&mut self, op: &Op) -> Verdict {
        match op {
            Op::Render(frames) => self.listen(*frames)?,
            Op::Play(request) => {
                let request = self.dated(request);
                self.naive.play(vec![request.clone()]);
                let play = self.ours(&request);
                let id = self.mixer.play(play).expect("the queue has room");
                self.plays.push((id, request.tag));
            }
            Op::Together(requests) => {
                self.naive.stage.tally.count(format!("{} together", requests.len()));
                self.play_together(requests);
            }
            Op::Crossfade(from, request, over) => {
                let request = self.dated(request);
                let (whose, target) = match from {
                    Some(whom) => (self.whose(*whom), self.target(*whom)),
                    None => (Whose::Nobody, Target::Nothing),
                };
                self.naive.crossfade(whose, request.clone(), *over);
                let play = self.ours(&request);
                let id = self.mixer.crossfade(target, play, *over).expect("the queue has room");
                self.plays.push((id, request.tag));
            }
            Op::Voice(ago, change) => {
                let Some(number) = self.number(*ago) else { return Ok(()) };
                self.naive.change(number as u64, *change);
                self.change(self.plays[number].0, *change);
            }
            Op::Bus(bus, change) => {
                self.naive.change_bus(*bus, *change);
                self.change(BusId::new(BUSES[*bus]), *change);
            }
            Op::Parent(bus, parent) => {
                let settings = Bus { parent: BusId::new(BUSES[*parent]), ..Bus::DEFAULT };
                let ours = self.mixer.set_bus(BusId::new(BUSES[*bus]), settings).is_ok();
                let theirs = self.naive.set_parent(*bus, *parent);
                prop_assert_eq!(ours, theirs, "{} below {}", bus, parent);
            }
            Op::Duck(bus, by, duck) => {
                let [ours, ours_by] = [bus, by].map(|bus| BusId::new(BUSES[*bus]));
                let ours = self.mixer.set_duck(ours, ours_by, *duck).is_ok();
                let theirs = self.naive.set_duck(*bus, *by, *duck);
                prop_assert_eq!(ours, theirs, "{} ducked by {}", bus, by);
            }
            Op::Effect(bus, kind) => {
                self.naive.set_effect(*bus, kind.map(effects::make));
                let ours = self.mixer.set_effect(BusId::new(BUSES[*bus]), kind.map(effects::make));
                prop_assert!(ours.is_ok());
            }
            Op::Reverb(room, reverb, over) => {
                self.naive.set_reverb(*room, *reverb, *over);
                self.mixer.set_reverb(RoomId::new(*room as u8), *reverb, *over);
            }
            Op::Tag(tag, change) => {
                self.naive.change_tag(*tag, *change);
                self.change(Tag(*tag), *change);
            }
            Op::StopAll(fade) => {
                self.naive.stop_all(*fade);
                self.mixer.stop_all(*fade);
            }
            Op::Cues(plans) => {
                for plan in plans {
                    let cue = self.cue(plan);
                    self.cues.push(cue);
                    self.naive.add_cue(plan.clone());
                }
                self.named = plans.len();
            }
            Op::Listener(listener, jump) => {
                self.naive.set_listener(listener, *jump == Jump::Jumped);
                match jump {
                    Jump::Came => self.mixer.set_listener(*listener),
                    Jump::Jumped => self.mixer.teleport_listener(*listener),
                }
            }
            Op::Move(moves) => {
                let come = |position| Move::To { position, jump: false };
                self.move_all(moves.iter().map(|(whom, to)| (*whom, come(*to))));
                let moves = moves.iter().map(|(whom, to)| (self.target(*whom), *to));
                match &moves.collect::<Vec<_>>()[..] {
                    [(target, to)] => self.mixer.set_position(*target, *to),
                    many => self.mixer.set_positions(many.iter().copied()),
                }
            }
            Op::Teleport(whom, position) => {
                let position = *position;
                self.move_all([(*whom, Move::To { position, jump: true })].into_iter());
                self.mixer.teleport(self.target(*whom), position);
            }
            Op::Occlude(all, over) => {
                let frames = self.naive.stage.frames_of(*over);
                let moves =
                    all.iter().map(|(whom, to)| (*whom, Move::Occlude { to: *to, over: frames }));
                self.move_all(moves);
                let all = all.iter().map(|(whom, to)| (self.target(*whom), *to));
                match &all.collect::<Vec<_>>()[..] {
                    [(target, to)] => self.mixer.set_occlusion(*target, *to, *over),
                    many => self.mixer.set_occlusions(many.iter().copied(), *over),
                }
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

    /// Whom a script means, in our mixer's words.
    fn target(&self, whom: Whom) -> Target {
        match whom {
            Whom::Voice(ago) => self.number(ago).map(|number| self.plays[number].0).into(),
            Whom::Bus(bus) => BusId::new(BUSES[bus]).into(),
            Whom::Tag(tag) => Tag(tag).into(),
        }
    }

    /// The number of the play that was asked for so many plays ago.
    fn number(&self, ago: usize) -> Option<usize> {
        self.plays.len().checked_sub(1 + ago)
    }

    fn move_all(&mut self, moves: impl Iterator<Item = (Whom, Move)>) {
        let moves: Vec<_> = moves.map(|(whom, to)| (self.whose(whom), to)).collect();
        self.naive.move_all(moves);
    }

    /// Whom a script means, in the naive mixer's words.
    fn whose(&self, whom: Whom) -> Whose {
        match whom {
            Whom::Voice(ago) => {
                self.number(ago).map_or(Whose::Nobody, |number| Whose::Play(number as u64))
            }
            Whom::Tag(tag) => Whose::Tag(tag),
            Whom::Bus(bus) => Whose::Bus(bus),
        }
    }

    /// How often what happened.
    pub fn tally(&self) -> &Tally {
        &self.naive.stage.tally
    }

    /// As many as there are, at one stroke.
    fn play_together(&mut self, requests: &[Request]) {
        let requests: Vec<Request> = requests.iter().map(|request| self.dated(request)).collect();
        self.naive.play(requests.clone());
        let plays: Vec<Play> = requests.iter().map(|request| self.ours(request)).collect();
        fn ids<const N: usize>(mixer: &Mixer, plays: Vec<Play>) -> Vec<VoiceId> {
            let plays: [Play; N] = plays.try_into().expect("as many as that");
            mixer.play_together(plays).expect("the queue has room").to_vec()
        }
        let ids = match plays.len() {
            0 => ids::<0>(&self.mixer, plays),
            1 => ids::<1>(&self.mixer, plays),
            2 => ids::<2>(&self.mixer, plays),
            3 => ids::<3>(&self.mixer, plays),
            4 => ids::<4>(&self.mixer, plays),
            _ => unreachable!("a script asks for no more"),
        };
        self.plays.extend(ids.into_iter().zip(requests.iter().map(|request| request.tag)));
    }

    /// A request whose frame is one of the clock's. Some are past.
    fn dated(&self, request: &Request) -> Request {
        let start = match request.start {
            Start::At(frame) => Start::At((self.mixer.clock() + frame).saturating_sub(100)),
            Start::After(ago) => self.leader(ago as usize).map_or(Start::Now, Start::After),
            other => other,
        };
        // The last ones that were made are meant, or none if there are none.
        let first = self.cues.len() - self.named;
        let cue = request.cue.filter(|_| self.named > 0).map(|at| first + at % self.named);
        Request { start, cue, ..request.clone() }
    }

    /// The number of the play that was asked for so many plays ago, if it can be followed: how one ended that
    /// did not finish is known for a while only.
    fn leader(&self, ago: usize) -> Option<u64> {
        let number = self.number(ago)?;
        let over = self.naive.stage.over.get(&(number as u64));
        let known = over != Some(&Past::Otherwise) || self.mixer.is_live(self.plays[number].0);
        known.then_some(number as u64)
    }

    /// A request in our mixer's words.
    fn ours(&self, request: &Request) -> Play {
        let mut play = match request.cue {
            Some(cue) => Play::of(&self.cues[cue]),
            None => match self.sounds.get(request.clip) {
                Some(sound) => Play::of(sound),
                None => Play::of(&self.streams[request.clip - CLIPS]),
            },
        };
        play = play
            .gain(request.gain)
            .pan(request.pan)
            .speed(request.speed)
            .from_position(request.position)
            .fade_in(request.fade_in)
            .priority(request.priority)
            .bus(BusId::new(BUSES[request.bus]))
            .tag(request.tag);
        let Shape { low_pass, sends, .. } = request.shape;
        play = play.low_pass(low_pass);
        for (room, send) in (0..).zip(sends).filter(|(_, send)| *send > 0.0) {
            play = play.send(RoomId::new(room), send);
        }
        if let Some((position, attenuation)) = request.place {
            play = play.at(position).attenuation(attenuation);
        }
        play = match request.start {
            Start::Now => play,
            Start::At(frame) => play.start_at(frame),
            Start::Delay(by) => play.delay(by),
            Start::After(leader) => play.after(self.plays[leader as usize].0),
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
        play
    }

    /// A cue in our mixer's words.
    fn cue(&self, plan: &Plan) -> Cue {
        let variant = |(clip, gain): &(usize, f32)| Play::of(&self.sounds[*clip]).gain(*gain);
        let mut cue = Cue::of(plan.variants.iter().map(variant))
            .expect("it has variants")
            .order(plan.order)
            .vary_gain(plan.vary_gain)
            .vary_speed(plan.vary_speed)
            .cooldown(plan.cooldown)
            .merge_within(plan.merge_within);
        if let Some(most) = plan.at_most {
            cue = cue.at_most(most);
        }
        if let Some(when_full) = plan.when_full {
            cue = cue.when_full(when_full);
        }
        cue
    }

    fn change(&self, target: impl Into<Target>, change: Change) {
        let target = target.into();
        match change {
            Change::Stop(fade) => self.mixer.stop(target, fade),
            Change::Pause(fade) => self.mixer.pause(target, fade),
            Change::Resume(fade) => self.mixer.resume(target, fade),
            Change::Mute(mute) => self.mixer.set_mute(target, mute),
            Change::Gain(to, over) => self.mixer.set_gain(target, to, over),
            Change::Pan(to, over) => self.mixer.set_pan(target, to, over),
            Change::Speed(to, over) => self.mixer.set_speed(target, to, over),
            Change::LowPass(hz, over) => self.mixer.set_low_pass(target, hz, over),
            Change::HighPass(hz, over) => self.mixer.set_high_pass(target, hz, over),
            Change::Send(room, to, over) => {
                self.mixer.set_send(target, RoomId::new(room as u8), to, over);
            }
            Change::EndLoop => self.mixer.end_loop(target),
            Change::Seek(to) => match target {
                Target::Voice(id) => self.mixer.seek(id, to),
                _ => unreachable!("only a voice can be told to"),
            },
        }
    }

    /// Whether a rounding has decided, and all that comes after it depends on that.
    pub fn is_undecided(&self) -> bool {
        self.naive.stage.undecided
    }

    pub fn listen(&mut self, frames: usize) -> Verdict {
        let first = self.mixer.clock();
        let ours = self.renderer.frames(frames);
        let theirs = self.naive.frames(frames);
        if self.is_undecided() {
            return Ok(());
        }
        self.compare_events()?;
        for (at, (ours, theirs)) in (first..).zip(ours.iter().zip(&theirs)) {
            for (ours, side) in ours.iter().zip(theirs.frame) {
                let off = (ours - side).abs();
                let slack = if self.exactly { 0.0 } else { theirs.slack };
                prop_assert!(off <= slack, "frame {at} is {ours}, naive {side}");
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
        prop_assert_eq!(stats.underruns, 0, "streams are waited for");
        let (loudest, naive) = (stats.loudest_parked, naive.loudest_parked);
        prop_assert!(near(loudest, naive, self.precision()), "parked at {loudest}, naive {naive}");
        let ended = stats.finished + stats.stopped + stats.stolen + stats.refused;
        prop_assert_eq!(stats.accepted, ended + stats.live as u64);
        Ok(())
    }

    /// How exactly levels are known.
    fn precision(&self) -> f32 {
        if self.naive.stage.has_streams { streams::PRECISION as f32 } else { 1e-4 }
    }

    /// The order within a frame is nobody's promise, but for what happens to one voice.
    fn compare_events(&mut self) -> Verdict {
        let mut ours: Vec<_> = self.mixer.events().map(|event| self.happening(event)).collect();
        let mut theirs = self.naive.events();
        ours.sort_by_key(|it| (it.at, it.number));
        theirs.sort_by_key(|it| (it.at, it.number));
        let precision = self.precision();
        let alike = |(ours, theirs): (&Happening, &Happening)| {
            let (ours_at, theirs_at) = ((ours.at, ours.number), (theirs.at, theirs.number));
            ours_at == theirs_at && is_same(ours.what, theirs.what, precision)
        };
        let same = ours.len() == theirs.len() && ours.iter().zip(&theirs).all(alike);
        prop_assert!(same, "{ours:#?}\nnaive {theirs:#?}");
        self.told.extend(theirs);
        Ok(())
    }

    fn happening(&self, event: Event) -> Happening {
        let number_of = |id, tag| {
            let number = self.plays.iter().position(|(other, _)| *other == id);
            let number = number.expect("an id we were given");
            assert_eq!(tag, self.plays[number].1, "the tag of {number}");
            number as u64
        };
        let (voice, tag, at, what) = match event {
            Event::Ended { voice, tag, at, why, .. } => {
                let what = match why {
                    Ending::Finished => What::Finished,
                    Ending::Stopped => What::Stopped,
                    Ending::Refused { why: Refusal::Merged { into } } => {
                        let into = self.plays.iter().position(|(other, _)| *other == into);
                        What::Merged(into.expect("an id we were given") as u64)
                    }
                    Ending::Refused { why } => What::Refused(why),
                    Ending::Stolen { by, by_tag, level } => {
                        What::Stolen { by: number_of(by, by_tag), level }
                    }
                    other => panic!("{other:?}"),
                };
                (voice, tag, at, what)
            }
            Event::Parked { voice, tag, at, why, .. } => {
                let why = match why {
                    Parking::Paused => Why::Paused,
                    Parking::Inaudible => Why::Inaudible,
                    Parking::Shrunk => Why::Shrunk,
                    Parking::PoolFull => Why::PoolFull,
                    Parking::CueFull => Why::CueFull,
                    Parking::Stolen { by, by_tag, level } => {
                        Why::Stolen { by: number_of(by, by_tag), level }
                    }
                    other => panic!("{other:?}"),
                };
                (voice, tag, at, What::Parked(why))
            }
            Event::Unparked { voice, tag, at, .. } => (voice, tag, at, What::Unparked),
            Event::Started { voice, tag, at, .. } => (voice, tag, at, What::Started),
            other => panic!("{other:?}"),
        };
        Happening { at, number: number_of(voice, tag), what }
    }
}

type Stock = ([Sound; CLIPS], [Stream; STREAMS], Rc<Vec<Clip>>);

/// The sounds of all scripts at a rate, for both mixers. Made once for each thread.
fn stock(rate: u32) -> Stock {
    thread_local!(static STOCKS: RefCell<BTreeMap<u32, Stock>> = RefCell::default());
    let make = || {
        let sounds = script::sounds(rate);
        let clip = |sound: &Sound| {
            Clip::new(sound.sample_rate(), sound.frames().collect(), sound.channels() == 2)
        };
        let mut clips: Vec<Clip> = sounds.iter().map(clip).collect();
        let streams = streams::stock(rate).map(|(stream, clip)| {
            clips.push(clip);
            stream
        });
        (sounds, streams, Rc::new(clips))
    };
    STOCKS.with_borrow_mut(|stocks| stocks.entry(rate).or_insert_with(make).clone())
}

fn near(level: f32, naive: f32, precision: f32) -> bool {
    (level - naive).abs() <= precision * naive
}

fn is_same(ours: What, naive: What, precision: f32) -> bool {
    match (ours, naive) {
        (What::Stolen { by, level }, What::Stolen { by: naive_by, level: naive_level })
        | (
            What::Parked(Why::Stolen { by, level }),
            What::Parked(Why::Stolen { by: naive_by, level: naive_level }),
        ) => by == naive_by && near(level, naive_level, precision),
        _ => ours == naive,
    }
}
