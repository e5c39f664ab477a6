//! A tree of buses with limits, reserves, filters, rooms, ducks, effects and mixes: linear, and the oldest gives way.

use super::dice::Dice;
use super::effects::{Crusher, Echo, Failing};
use super::library::{self, Recent, load, saw};
use super::{Act, Bill, TICKS};
use voicepool::{
    Bus, BusId, Config, Duck, Interpolation, Mix, Mixer, Play, Priority, Reverb, RoomId, Sound,
    WhenFull, WhenStolen, db, ms,
};

pub const BILL: Bill = Bill {
    name: "house",
    ticks: TICKS,
    config: Config {
        voices: 12,
        max_voices: 16,
        parked: 8,
        sample_rate: 44_100,
        when_full: WhenFull::StealOldest,
        interpolation: Interpolation::Linear,
        ..Config::DEFAULT
    },
    open: |mixer| Box::new(House::new(mixer)),
};

const MUSIC: BusId = BusId::new(1);
const SPEECH: BusId = BusId::new(2);
const WORLD: BusId = BusId::new(3);
const STEPS: BusId = BusId::new(4);
const SHOTS: BusId = BusId::new(5);
const CROWD: BusId = BusId::new(6);
const RADIO: BusId = BusId::new(7);
const MENU: BusId = BusId::new(8);
const BUSES: [BusId; 8] = [MUSIC, SPEECH, WORLD, STEPS, SHOTS, CROWD, RADIO, MENU];

const HALL: RoomId = RoomId::new(0);
const CAVE: RoomId = RoomId::new(1);
const CLOSET: RoomId = RoomId::new(2);
const CATHEDRAL: RoomId = RoomId::new(3);
const ROOMS: [RoomId; 4] = [HALL, CAVE, CLOSET, CATHEDRAL];

struct House {
    sounds: Vec<Sound>,
    recent: Recent,
    /// The mix as it was before the menu was opened.
    before: Option<Mix>,
}

impl House {
    fn new(mixer: &Mixer) -> House {
        let set = |bus, settings| mixer.set_bus(bus, settings).expect("what may be");
        let under = |parent| Bus { parent, ..Bus::DEFAULT };
        set(STEPS, Bus { max_voices: Some(2), ..under(WORLD) });
        let refuse = Some(WhenFull::Refuse);
        set(SHOTS, Bus { max_voices: Some(3), when_full: refuse, ..under(WORLD) });
        set(CROWD, under(WORLD));
        set(RADIO, under(SPEECH));
        set(MENU, Bus { reserved: 2, ..Bus::DEFAULT });
        let duck = |bus, duck| mixer.set_duck(bus, SPEECH, Some(duck)).expect("what may be");
        duck(MUSIC, Duck::DEFAULT);
        duck(WORLD, Duck { gain: db(-4.0), attack: ms(5), hold: ms(30), release: ms(90) });
        let music_for_the_menu = Duck { gain: 0.1, ..Duck::DEFAULT };
        mixer.set_duck(MUSIC, MENU, Some(music_for_the_menu)).expect("what may be");
        mixer.set_reverb(HALL, Reverb::DEFAULT, ms(0));
        let cave = Reverb { decay: ms(4000), size: 0.9, damping: 0.2, pre_delay: ms(40) };
        mixer.set_reverb(CAVE, cave, ms(0));
        mixer.set_send(CROWD, HALL, 0.4, ms(0));
        mixer.set_send(SHOTS, CAVE, 0.3, ms(0));
        mixer.set_effect(RADIO, Some(Box::new(Crusher { steps: 12.0 }))).expect("what may be");
        let files = [
            library::RAIN,
            library::CHIME,
            library::STEP_1,
            library::STEP_2,
            library::STEP_3,
            library::ZAP,
            library::EXPLOSION,
            library::COIN,
        ];
        let mut sounds: Vec<Sound> = files.map(|file| load(mixer, file)).into();
        sounds.push(saw());
        let rain = Play::of(&sounds[0]).looping().bus(MUSIC).priority(Priority::Protected);
        mixer.play(rain.gain(0.5));
        House { sounds, recent: Recent::default(), before: None }
    }

    fn request(&self, dice: &mut Dice) -> Play {
        let (sound, bus) = match dice.below(9) {
            0..=2 => (2 + dice.below(3) as usize, STEPS),
            3 | 4 => (5, SHOTS),
            5 => (6, CROWD),
            6 => (8, CROWD),
            7 => (1, if dice.once_in(2) { RADIO } else { SPEECH }),
            _ => (7, if dice.once_in(3) { MENU } else { WORLD }),
        };
        let mut play = Play::of(&self.sounds[sound]).bus(bus).gain(dice.between(0.1, 0.9));
        if dice.once_in(3) {
            play = play.speed(dice.between(0.6, 1.7)).pan(dice.between(-1.0, 1.0));
        }
        if dice.once_in(4) {
            play = play.send(*dice.pick(&ROOMS), dice.between(0.0, 0.8));
        }
        match dice.below(7) {
            0 => play.when_stolen(WhenStolen::Park),
            1 => play.delay(ms(dice.below(120))),
            2 => play.low_pass(dice.between(300.0, 6000.0)),
            3 if bus == CROWD => play.looping(),
            _ => play,
        }
    }

    fn control(&self, mixer: &Mixer, dice: &mut Dice) {
        let (bus, room, over) = (*dice.pick(&BUSES), *dice.pick(&ROOMS), dice.over());
        match dice.below(12) {
            0 => mixer.set_gain(bus, dice.between(0.2, 1.3), over),
            1 => mixer.set_speed(bus, dice.between(0.6, 1.6), over),
            2 => mixer.set_low_pass(bus, dice.between(300.0, 25_000.0), over),
            3 => mixer.set_high_pass(bus, dice.between(5.0, 1500.0), over),
            4 | 5 => mixer.set_send(bus, room, dice.between(0.0, 0.5), over),
            6 => mixer.set_mute(bus, dice.once_in(4)),
            7 => mixer.pause(bus, over),
            8 | 9 => BUSES.iter().for_each(|bus| mixer.resume(*bus, over)),
            10 => mixer.set_send(self.recent.pick(dice), room, dice.between(0.0, 1.0), over),
            _ => mixer.stop(*dice.pick(&[STEPS, SHOTS, CROWD]), over),
        }
    }
}

impl Act for House {
    fn tick(&mut self, tick: u32, mixer: &Mixer, dice: &mut Dice) {
        for _ in 0..dice.below(3) {
            self.recent.add(mixer.play(self.request(dice)));
        }
        if dice.once_in(2) {
            self.control(mixer, dice);
        }
        match tick {
            40 => {
                self.before = Some(mixer.mix());
                mixer.set_gain(WORLD, 0.2, ms(20));
                mixer.set_low_pass(MUSIC, 500.0, ms(90));
                mixer.pause(STEPS, ms(10));
            }
            70 => {
                let before = self.before.take().expect("what was kept");
                mixer.set_mix(&before, ms(150));
            }
            90 => mixer.set_effect(CROWD, Some(Box::<Echo>::default())).expect("what may be"),
            110 => {
                let closet = Reverb { decay: ms(300), size: 0.0, ..Reverb::DEFAULT };
                mixer.set_reverb(CLOSET, closet, ms(0));
                let cathedral = Reverb { decay: ms(7000), size: 1.0, damping: 0.9, ..closet };
                mixer.set_reverb(CATHEDRAL, cathedral, ms(0));
            }
            130 => {
                let larger = Reverb { decay: ms(2500), size: 0.7, ..Reverb::DEFAULT };
                mixer.set_reverb(HALL, larger, ms(400));
            }
            150 => {
                let failing = Box::new(Failing { quanta: 30 });
                mixer.set_effect(SHOTS, Some(failing)).expect("what may be");
                mixer.set_effect(RADIO, Some(Box::<Echo>::default())).expect("what may be");
            }
            170 => mixer.set_duck(WORLD, SPEECH, None).expect("what may be"),
            190 => {
                // Elsewhere in the tree, while it sounds.
                let radio = Bus { parent: WORLD, max_voices: Some(1), ..Bus::DEFAULT };
                mixer.set_bus(RADIO, radio).expect("what may be");
            }
            210 => mixer.set_effect(CROWD, None).expect("what may be"),
            230 => mixer.pause(BusId::MASTER, ms(40)),
            240 => mixer.resume(BusId::MASTER, ms(40)),
            250 => mixer.set_speed(BusId::MASTER, 0.5, ms(300)),
            270 => mixer.set_speed(BusId::MASTER, 1.0, ms(100)),
            285 => mixer.set_low_pass(BusId::MASTER, 900.0, ms(100)),
            300 => mixer.stop(WORLD, ms(100)),
            _ => (),
        }
    }
}
