//! Far more plays than voices, each told whatever can be told to a play: cubic, and the quietest gives way.

use std::time::Duration;

use super::dice::Dice;
use super::library::{self, Recent, as_it_is, load, saw};
use super::{Act, Bill, TICKS};
use voicepool::{
    BusId, Config, Held, Interpolation, Mixer, Play, Priority, Sound, Tag, Target, VoiceId,
    WhenFull, WhenStolen, db, ms, secs, semitones,
};

pub const BILL: Bill = Bill {
    name: "storm",
    ticks: TICKS,
    config: Config {
        voices: 16,
        max_voices: 24,
        parked: 10,
        scheduled: 6,
        when_full: WhenFull::StealQuietest,
        interpolation: Interpolation::Cubic,
        ..Config::DEFAULT
    },
    open: |mixer| Box::new(Storm::new(mixer)),
};

const PRIORITIES: [Priority; 6] = [
    Priority::Low,
    Priority::Normal,
    Priority::Normal,
    Priority::Normal,
    Priority::High,
    Priority::Protected,
];

/// How many tags there are, from 0 on, which is none.
const TAGS: u64 = 5;

struct Storm {
    sounds: Vec<Sound>,
    recent: Recent,
    hum: Option<Held>,
}

impl Storm {
    fn new(mixer: &Mixer) -> Storm {
        let loaded = [
            library::CHIME,
            library::COIN,
            library::DRONE,
            library::EXPLOSION,
            library::THUD,
            library::TICK,
            library::ZAP,
            library::LOOP_POINTS,
        ];
        let raw = [library::LOOP_POINTS, library::MONO_8, library::STEREO_24, library::FLOATS];
        let mut sounds: Vec<Sound> = loaded.iter().map(|file| load(mixer, *file)).collect();
        sounds.extend(raw.map(as_it_is));
        sounds.push(saw());
        Storm { sounds, recent: Recent::default(), hum: None }
    }

    fn request(&self, mixer: &Mixer, dice: &mut Dice) -> Play {
        let mut play = Play::of(dice.pick(&self.sounds))
            .gain(dice.between(0.02, 0.8))
            .priority(*dice.pick(&PRIORITIES))
            .tag(dice.below(TAGS));
        if dice.once_in(2) {
            play = play.pan(dice.between(-1.2, 1.2)).speed(semitones(dice.between(-14.0, 14.0)));
        }
        let now = mixer.clock();
        play = match dice.below(8) {
            0 => play.start_at((now + dice.below(9000)).saturating_sub(400)),
            1 => play.delay(ms(dice.below(200))),
            2 => play.after(self.recent.pick(dice)),
            _ => play,
        };
        play = match dice.below(7) {
            0 => play.looping(),
            1 => play.loop_range(ms(dice.below(40))..ms(40 + dice.below(200))),
            2 => play.loop_range(..=ms(60)).from_position(ms(dice.below(90))),
            3 => play.from_position(ms(dice.below(900))),
            _ => play,
        };
        play = match dice.below(6) {
            0 => play.fade_in(dice.over()),
            1 => play.low_pass(dice.between(200.0, 12_000.0)),
            2 => play.occlusion(dice.between(0.0, 1.0)),
            3 => play.when_stolen(*dice.pick(&[WhenStolen::End, WhenStolen::Park])),
            _ => play,
        };
        play.bus(BusId::new(dice.below(3) as u8))
    }

    fn target(&self, dice: &mut Dice) -> Target {
        match dice.below(8) {
            0 => Tag(dice.below(TAGS)).into(),
            1 => BusId::new(1 + dice.below(2) as u8).into(),
            _ => self.recent.pick(dice).into(),
        }
    }

    /// Tells somebody something.
    fn control(&self, mixer: &Mixer, dice: &mut Dice) {
        let (target, voice, over) = (self.target(dice), self.recent.pick(dice), dice.over());
        match dice.below(16) {
            0 => mixer.stop(target, over),
            1 => mixer.pause(target, over),
            2 | 3 => mixer.resume(target, over),
            4 => mixer.set_mute(target, dice.once_in(3)),
            5 => mixer.end_loop(target),
            6 => mixer.set_gain(target, db(dice.between(-30.0, 3.0)), over),
            7 => mixer.set_pan(target, dice.between(-1.0, 1.0), over),
            8 => mixer.set_speed(target, dice.between(0.4, 2.2), over),
            9 => mixer.set_low_pass(target, dice.between(150.0, 21_000.0), over),
            10 => mixer.set_high_pass(target, dice.between(10.0, 2000.0), over),
            11 => mixer.set_occlusion(target, dice.between(-0.2, 1.2), over),
            12 | 13 => mixer.seek(voice, secs(dice.between(0.0, 1.0))),
            // What lies at the doors: no number, and beyond all limits.
            14 => mixer.set_gain(target, *dice.pick(&[f32::NAN, 1e-30, 2.0]), over),
            _ => mixer.set_speed(voice, *dice.pick(&[f32::NAN, 0.0, 90.0, 1.0]), over),
        }
    }

    fn play(&mut self, mixer: &Mixer, play: Play) -> Option<VoiceId> {
        let voice = mixer.play(play);
        self.recent.add(voice);
        voice
    }
}

impl Act for Storm {
    fn tick(&mut self, tick: u32, mixer: &Mixer, dice: &mut Dice) {
        for _ in 0..dice.below(4) {
            let play = self.request(mixer, dice);
            self.play(mixer, play);
        }
        for _ in 0..dice.below(3) {
            self.control(mixer, dice);
        }
        match tick {
            20 => self.hum = Some(mixer.hold(Play::of(&self.sounds[2]).looping(), ms(120))),
            // So many in one quantum that most of them are robbed as they begin.
            60 => {
                for at in 0..40 {
                    let play = Play::of(&self.sounds[at % 7]).gain(0.01 * at as f32);
                    self.play(mixer, play.delay(ms(at as u64 % 3)));
                }
            }
            90 => mixer.resize(24).expect("what may be"),
            110 => mixer.reset_peaks(),
            120 => mixer.stop_all(ms(200)),
            150 => mixer.resize(7).expect("what may be"),
            180 => self.hum = None,
            200 => mixer.set_when_full(WhenFull::Refuse),
            220 => mixer.set_when_full(WhenFull::StealQuietest),
            // Louder than anything may be: the limiter's.
            240 => mixer.set_gain(BusId::MASTER, 6.0, ms(50)),
            260 => mixer.set_gain(BusId::MASTER, 0.9, ms(200)),
            280 => mixer.resize(16).expect("what may be"),
            290 => mixer.stop_all(Duration::ZERO),
            _ => (),
        }
        if tick.is_multiple_of(50) {
            mixer.resume(BusId::new(1), ms(10));
            mixer.resume(BusId::new(2), ms(10));
        }
    }
}
