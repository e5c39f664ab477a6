//! Streams of FLAC and WAV, out of memory: loops, seeks, speeds, cross-fades, parkings, and too many of them.
//! The render waits for the thread that decodes, so that what is heard does not depend on when it got its turn.

use std::io::Cursor;

use super::dice::Dice;
use super::library::{self, Recent, load};
use super::{Act, Bill, TICKS};
use voicepool::{
    BusId, Config, Interpolation, Mixer, Play, Priority, Sound, Stream, WhenFull, WhenStolen, ms,
    secs,
};

pub const BILL: Bill = Bill {
    name: "streams",
    ticks: TICKS,
    config: Config {
        voices: 6,
        parked: 4,
        streams: 5,
        when_full: WhenFull::StealQuietest,
        interpolation: Interpolation::Cubic,
        ..Config::DEFAULT
    },
    open: |mixer| Box::new(Streams::new(mixer)),
};

const MUSIC: BusId = BusId::new(1);

struct Streams {
    streams: Vec<Stream>,
    explosion: Sound,
    recent: Recent,
}

impl Streams {
    fn new(mixer: &Mixer) -> Streams {
        let files = [
            library::LONG_FLAC,
            library::FLAC_44_STEREO_16,
            library::FLAC_48_STEREO_24,
            library::FLAC_LOOP_POINTS,
            library::RAIN,
            library::LOOP_POINTS,
        ];
        let open = |(name, bytes): (&str, &'static [u8])| {
            Stream::from_reader(name, move || Ok(Cursor::new(bytes))).expect("a good file")
        };
        let explosion = load(mixer, library::EXPLOSION);
        Streams { streams: files.map(open).into(), explosion, recent: Recent::default() }
    }

    fn request(&self, dice: &mut Dice) -> Play {
        let play = Play::of(dice.pick(&self.streams)).gain(dice.between(0.1, 0.8)).bus(MUSIC);
        let play = match dice.below(5) {
            0 | 1 => play.looping(),
            2 => play.loop_range(ms(50)..ms(150)),
            _ => play,
        };
        let play = match dice.below(6) {
            0 => play.from_position(ms(dice.below(3000))),
            1 => play.speed(dice.between(0.4, 2.5)),
            2 => play.after(self.recent.pick(dice)),
            3 => play.delay(ms(dice.below(100))),
            4 => play.at(dice.place(50.0)),
            _ => play,
        };
        match dice.below(3) {
            0 => play.priority(Priority::Normal).when_stolen(WhenStolen::Park),
            1 => play.priority(Priority::Low),
            _ => play,
        }
    }

    fn control(&self, mixer: &Mixer, dice: &mut Dice) {
        let (voice, over) = (self.recent.pick(dice), dice.over());
        match dice.below(10) {
            0..=2 => mixer.seek(voice, secs(dice.between(0.0, 4.0))),
            3 => mixer.set_speed(voice, dice.between(0.4, 2.0), over),
            4 => mixer.end_loop(voice),
            5 => mixer.pause(voice, over),
            6 => mixer.resume(voice, over),
            7 => mixer.stop(voice, over),
            8 => mixer.set_low_pass(voice, dice.between(300.0, 20_000.0), over),
            _ => mixer.set_pan(voice, dice.between(-1.0, 1.0), over),
        }
    }
}

impl Act for Streams {
    fn tick(&mut self, tick: u32, mixer: &Mixer, dice: &mut Dice) {
        if dice.once_in(5) {
            let play = self.request(dice);
            let voice = if dice.once_in(3) {
                mixer.crossfade(self.recent.pick(dice), play, ms(120))
            } else {
                mixer.play(play)
            };
            self.recent.add(voice);
        }
        if dice.once_in(3) {
            self.control(mixer, dice);
        }
        if dice.once_in(12) {
            mixer.play(Play::of(&self.explosion).gain(dice.between(0.1, 0.5)));
        }
        if tick == 200 {
            mixer.stop_all(ms(50));
        }
    }
}
