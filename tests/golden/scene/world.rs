//! Places: every distance model, doppler, jumps, walls, and what is out of earshot: sinc, and a full pool refuses.

use super::dice::Dice;
use super::library::{self, Recent, load};
use super::{Act, Bill, TICKS};
use voicepool::{
    Attenuation, Bus, BusId, Config, Distance, Interpolation, Listener, Mixer, Play, Point,
    Priority, Reverb, RoomId, Sound, Tag, VoiceId, WhenFull, WhenStolen, ms,
};

pub const BILL: Bill = Bill {
    name: "world",
    ticks: TICKS,
    config: Config {
        voices: 8,
        max_voices: 10,
        parked: 12,
        when_full: WhenFull::Refuse,
        interpolation: Interpolation::Sinc,
        ..Config::DEFAULT
    },
    open: |mixer| Box::new(World::new(mixer)),
};

const MODELS: [Distance; 4] =
    [Distance::Inverse, Distance::Linear, Distance::Exponential, Distance::None];

const VALLEY: RoomId = RoomId::new(0);
const PLACES: BusId = BusId::new(1);
const CAR: u64 = 7;

struct World {
    sounds: Vec<Sound>,
    recent: Recent,
    car: Option<VoiceId>,
}

impl World {
    fn new(mixer: &Mixer) -> World {
        mixer.set_reverb(VALLEY, Reverb { decay: ms(3000), ..Reverb::DEFAULT }, ms(0));
        let places = Bus { max_voices: Some(7), ..Bus::DEFAULT };
        mixer.set_bus(PLACES, places).expect("what may be");
        let files = [library::STEP_1, library::THUD, library::ZAP, library::RAIN, library::DRONE];
        let sounds: Vec<Sound> = files.map(|file| load(mixer, file)).into();
        let doppler = Attenuation { doppler: 1.0, far: 60.0, ..Attenuation::DEFAULT };
        let car = Play::of(&sounds[4]).looping().at([-50.0, 0.0, 3.0]).attenuation(doppler);
        let car = mixer.play(car.tag(CAR).priority(Priority::High));
        World { sounds, recent: Recent::default(), car }
    }

    fn request(&self, dice: &mut Dice) -> Play {
        let attenuation = Attenuation {
            model: *dice.pick(&MODELS),
            near: dice.between(0.5, 4.0),
            far: dice.between(20.0, 60.0),
            rolloff: dice.between(0.3, 2.5),
            width: dice.between(0.5, 10.0),
            pan: dice.between(0.5, 1.0),
            doppler: *dice.pick(&[0.0, 1.0, 3.0]),
        };
        let reach = *dice.pick(&[3.0, 20.0, 90.0]);
        let play = Play::of(dice.pick(&self.sounds))
            .at(dice.place(reach))
            .attenuation(attenuation)
            .gain(dice.between(0.3, 1.0))
            .tag(dice.below(3))
            .bus(PLACES);
        match dice.below(8) {
            0 => play.looping(),
            1 => play.when_stolen(WhenStolen::Park),
            2 => play.occlusion(dice.between(0.0, 1.0)),
            3 => play.send(VALLEY, dice.between(0.1, 0.9)),
            4 => play.delay(ms(dice.below(90))),
            5 => play.priority(Priority::High).speed(dice.between(0.7, 1.4)),
            6 => play.pan(dice.between(-1.0, 1.0)),
            _ => play,
        }
    }

    fn control(&self, mixer: &Mixer, dice: &mut Dice) {
        let (voice, place, over) = (self.recent.pick(dice), dice.place(30.0), dice.over());
        match dice.below(10) {
            0 => mixer.set_position(voice, place),
            1 => mixer.teleport(voice, place),
            2 => mixer.set_position(Tag(dice.below(3)), place),
            3 => mixer.teleport(PLACES, place),
            4 => mixer.set_occlusion(voice, dice.between(0.0, 1.0), over),
            5 => {
                let all: Vec<_> =
                    self.recent.all().map(|voice| (voice, dice.between(0.0, 1.0))).collect();
                mixer.set_occlusions(all, over);
            }
            6 => mixer.set_speed(voice, dice.between(0.5, 1.5), over),
            7 => mixer.stop(voice, over),
            8 => mixer.set_gain(voice, dice.between(0.0, 1.2), over),
            _ => mixer.seek(voice, ms(dice.below(800))),
        }
    }
}

/// There and back again, on a straight line: no sine, which would be another on every system.
fn shuttle(tick: u32, period: u32, reach: f32) -> f32 {
    let half = period / 2;
    let at = tick % period;
    let way = if at < half { at } else { period - at };
    (way as f32 / half as f32) * 2.0 * reach - reach
}

impl Act for World {
    fn tick(&mut self, tick: u32, mixer: &Mixer, dice: &mut Dice) {
        if dice.once_in(2) {
            self.recent.add(mixer.play(self.request(dice)));
        }
        if dice.once_in(2) {
            self.control(mixer, dice);
        }
        mixer.set_position(self.car, [shuttle(tick + 20, 120, 70.0), 0.0, 3.0]);
        if tick.is_multiple_of(3) {
            // A flock of all that are there, around the listener.
            let moves: Vec<(VoiceId, Point)> =
                self.recent.all().map(|voice| (voice, dice.place(25.0).into())).collect();
            mixer.set_positions(moves);
        }
        let (x, z) = (shuttle(tick, 80, 9.0), shuttle(tick, 50, 4.0));
        let turned = Listener {
            position: [x, 1.0, z].into(),
            forward: [shuttle(tick, 64, 1.0), 0.1, -0.5].into(),
            up: [0.1, 1.0, 0.0].into(),
        };
        mixer.set_listener(turned);
        match tick {
            100 => mixer.teleport_listener(Listener::at([300.0, 0.0, 0.0])),
            // From now on the quietest gives way, and who was parked comes back by taking a place.
            150 => mixer.set_when_full(WhenFull::StealQuietest),
            200 => mixer.set_speed(BusId::MASTER, 1.3, ms(200)),
            230 => mixer.pause(Tag(CAR), ms(20)),
            260 => mixer.resume(Tag(CAR), ms(20)),
            290 => mixer.stop(self.car, ms(200)),
            _ => (),
        }
    }
}
