//! Cues and music: variants, cooldowns and merges, cross-fades, playlists, stems, loops and seeks, at a rate so low
//! that the pool, which grows, has the time to shrink back.

use super::dice::Dice;
use super::library::{self, load};
use super::{Act, Bill, TICKS};
use voicepool::{
    BusId, Config, Cue, Held, Interpolation, Mixer, Order, Play, Priority, Sound, Tag, VoiceId,
    WhenFull, WhenStolen, ms,
};

pub const BILL: Bill = Bill {
    name: "music",
    ticks: TICKS,
    config: Config {
        voices: 5,
        max_voices: 14,
        parked: 6,
        scheduled: 12,
        cues: 3,
        sample_rate: 8000,
        when_full: WhenFull::Grow,
        interpolation: Interpolation::Cubic,
        seed: 1791,
        ..Config::DEFAULT
    },
    open: |mixer| Box::new(Music::new(mixer)),
};

const MUSIC: BusId = BusId::new(1);
const STEMS: u64 = 9;

struct Music {
    cues: Vec<Cue>,
    rain: Sound,
    drone: Sound,
    chime: Sound,
    zap: Sound,
    points: Sound,
    track: Option<VoiceId>,
    last: Option<VoiceId>,
    engine: Option<Held>,
}

impl Music {
    fn new(mixer: &Mixer) -> Music {
        let load = |file| load(mixer, file);
        let steps = [library::STEP_1, library::STEP_2, library::STEP_3].map(load);
        let (coin, zap, thud) = (load(library::COIN), load(library::ZAP), load(library::THUD));
        let of = |sounds: &[Sound]| Cue::of(sounds.to_vec()).expect("variants");
        let variants = [
            Play::of(&zap).gain(0.7).pan(-0.5),
            Play::of(&thud).priority(Priority::Low).when_stolen(WhenStolen::Park),
            Play::of(&coin).low_pass(2000.0).speed(0.8),
        ];
        let cues = vec![
            of(&steps).vary_gain(6.0).vary_speed(4.0).at_most(2),
            of(&[coin]).cooldown(ms(120)).vary_gain(9.0),
            of(&[thud]).merge_within(ms(70)).vary_speed(2.0),
            Cue::of(variants).expect("variants").order(Order::Sequence),
            of(&steps).order(Order::Random).at_most(1).when_full(WhenFull::Refuse),
            of(&steps[..1]).at_most(3).when_full(WhenFull::StealOldest),
        ];
        Music {
            cues,
            rain: load(library::RAIN),
            drone: load(library::DRONE),
            chime: load(library::CHIME),
            zap,
            points: load(library::LOOP_POINTS),
            track: None,
            last: None,
            engine: None,
        }
    }

    /// The music, which goes over from one piece to the next.
    fn music(&mut self, tick: u32, mixer: &Mixer) {
        let piece = |sound: &Sound| Play::of(sound).looping().bus(MUSIC).gain(0.6);
        match tick {
            1 => self.track = mixer.crossfade(None, piece(&self.rain), ms(300)),
            30 => self.track = mixer.crossfade(self.track, piece(&self.drone), ms(500)),
            45 => self.track = mixer.crossfade(MUSIC, piece(&self.points), ms(200)),
            55 => mixer.seek(self.track, ms(100)),
            60 => {
                let later = mixer.clock() + mixer.frames(ms(333));
                let stems = [&self.drone, &self.chime, &self.points]
                    .map(|sound| piece(sound).tag(STEMS).start_at(later));
                let stems = mixer.play_together(stems);
                self.track = stems.map(|[drone, ..]| drone);
            }
            70 => mixer.set_gain(Tag(STEMS), 0.3, ms(400)),
            85 => {
                let later = piece(&self.rain).delay(ms(200));
                self.track = mixer.crossfade(Tag(STEMS), later, ms(700));
            }
            100 => {
                // An intro, a loop of a part, and what comes when that has ended.
                let intro = Play::of(&self.chime).bus(MUSIC);
                self.track = mixer.crossfade(self.track, intro, ms(100));
                let part = Play::of(&self.drone).loop_range(ms(200)..ms(900)).after(self.track);
                self.track = mixer.play(part.bus(MUSIC));
                mixer.play(Play::of(&self.zap).after(self.track).bus(MUSIC));
            }
            // Outside of the loop: it plays out from there.
            125 => mixer.seek(self.track, ms(1500)),
            140 => self.track = mixer.play(piece(&self.points).from_position(ms(30))),
            150 => mixer.end_loop(self.track),
            _ => (),
        }
    }
}

impl Act for Music {
    fn tick(&mut self, tick: u32, mixer: &Mixer, dice: &mut Dice) {
        self.music(tick, mixer);
        // Busy at first, so that the pool grows; then so little that it shrinks.
        let often = if tick < 90 { 2 } else { 30 };
        for _ in 0..4 {
            if dice.once_in(often) {
                let play = Play::of(dice.pick(&self.cues)).gain(dice.between(0.2, 1.0));
                let play = match dice.below(6) {
                    0 => play.after(self.last).tag(2),
                    1 => play.delay(ms(dice.below(300))).tag(3),
                    2 => play.pan(dice.between(-1.0, 1.0)).speed(dice.between(0.5, 2.0)),
                    _ => play,
                };
                self.last = mixer.play(play);
            }
        }
        match tick {
            20 => self.engine = Some(mixer.hold(Play::of(&self.drone).looping(), ms(400))),
            40 => self.engine = None,
            50 => {
                let pair = [Play::of(&self.cues[0]), Play::of(&self.cues[3]).speed(0.5)];
                mixer.play_together(pair);
            }
            52 => {
                for _ in 0..2 {
                    mixer.play(Play::of(&self.cues[4]).when_stolen(WhenStolen::Park));
                }
            }
            170 => mixer.stop(Tag(2), ms(20)),
            180 => mixer.stop(Tag(3), ms(20)),
            200 => mixer.stop_all(ms(600)),
            300 => mixer.resize(3).expect("what may be"),
            // A stranger's: whoever follows it is refused.
            305 => drop(mixer.play(Play::of(&self.zap).after(VoiceId::from_bits(u128::MAX)))),
            _ => (),
        }
    }
}
