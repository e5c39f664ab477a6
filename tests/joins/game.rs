//! A game at random in which plays follow each other and go for each other: clips of a few frames and of many,
//! through filters and from places, on buses with limits, of cues.

use voicepool::{
    Bus, BusId, Config, Cue, Mixer, Play, Renderer, Tag, Target, VoiceId, WhenFull, WhenStolen, ms,
};

use crate::common::{PRIORITIES, Random, mono, noise};

const RATE: u32 = 8000;

/// A small mixer.
pub fn open(when_full: WhenFull) -> (Mixer, Renderer) {
    let config = Config {
        voices: 6,
        max_voices: 16,
        parked: 6,
        scheduled: 12,
        commands: 64,
        sample_rate: RATE,
        when_full,
        ..Config::default()
    };
    Mixer::offline(config).expect("a good config")
}

fn bus(random: &mut Random) -> BusId {
    BusId::new(random.below(4) as u8)
}

fn clip(random: &mut Random) -> Play {
    let most = *random.pick(&[3, 200, 3000]);
    let frames = 1 + random.below(most) as usize;
    // Nobody but the mixer will hold it.
    let play = Play::of(mono(*random.pick(&[RATE, RATE, 11_025]), &noise(random.next(), frames)));
    let play = play.gain(random.unit()).bus(bus(random)).tag(random.below(4));
    let play = play.priority(*random.pick(&PRIORITIES));
    match random.below(12) {
        0 => play.looping(),
        1 => play.looping().when_stolen(WhenStolen::End),
        2 => play.when_stolen(WhenStolen::Park).low_pass(500.0),
        3 => play.from_position(ms(random.below(200))),
        4 => play.at([random.between(-200.0, 200.0), 0.0]),
        5 => play.speed(random.between(0.3, 3.0)),
        6 => play.fade_in(ms(random.below(50))),
        _ => play,
    }
}

fn request(random: &mut Random, cue: &Cue, voices: &[Option<VoiceId>], clock: u64) -> Play {
    let play = if random.below(5) == 0 { Play::of(cue) } else { clip(random) };
    match random.below(9) {
        0 => play.start_at(clock + random.below(2000)),
        1 => play.delay(ms(random.below(100))),
        2..=6 => play.after(*random.pick(voices)),
        _ => play,
    }
}

fn target(random: &mut Random, voice: Option<VoiceId>) -> Target {
    match random.below(6) {
        0 => bus(random).into(),
        1 => Tag(random.below(4)).into(),
        _ => voice.into(),
    }
}

/// Says one thing.
fn say(mixer: &Mixer, random: &mut Random, voice: Option<VoiceId>) {
    let over = ms(random.below(60));
    match random.below(13) {
        0 => mixer.set_gain(voice, random.unit(), over),
        1 => mixer.end_loop(voice),
        2 => mixer.pause(voice, over),
        3 | 4 => mixer.resume(voice, over),
        5 => mixer.stop(voice, over),
        6 if random.below(3) == 0 => mixer.stop(bus(random), over),
        7 => mixer.set_speed(voice, random.between(0.5, 3.0), over),
        8 => mixer.seek(voice, ms(random.below(500))),
        9 => drop(mixer.resize(2 + random.below(8) as usize)),
        10 => {
            let max_voices = (random.below(2) == 0).then(|| 1 + random.below(3) as usize);
            let reserved = random.below(2) as usize;
            drop(mixer.set_bus(bus(random), Bus { max_voices, reserved, ..Bus::DEFAULT }));
        }
        11 => mixer.set_speed(bus(random), random.between(0.7, 1.4), over),
        _ if random.below(20) == 0 => mixer.stop_all(over),
        _ => (),
    }
}

/// What is said on which line is the same, however the lines are cut.
pub fn play(
    seed: u64,
    mixer: &Mixer,
    renderer: &mut Renderer,
    mut render: impl FnMut(&mut Renderer, u64),
) {
    let mut random = Random(seed);
    let cue = Cue::of([clip(&mut random), clip(&mut random)]).expect("variants");
    let cue = cue.at_most(2).cooldown(ms(random.below(20)));
    let mut voices = [None; 6];
    for _ in 0..200 {
        for _ in 0..random.below(5) {
            let play = request(&mut random, &cue, &voices, mixer.clock());
            let voice = *random.pick(&voices);
            let voice = if random.below(6) == 0 {
                mixer.crossfade(target(&mut random, voice), play, ms(random.below(80)))
            } else {
                mixer.play(play)
            };
            voices[random.below(6) as usize] = voice;
        }
        for _ in 0..random.below(3) {
            let voice = *random.pick(&voices);
            say(mixer, &mut random, voice);
        }
        render(renderer, 128 * (1 + random.below(5)));
    }
}
