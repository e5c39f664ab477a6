//! A game at random: cues that are full, cool, merge, vary and are forgotten, on buses with limits.

use voicepool::{
    Bus, BusId, Config, Cue, Mixer, Order, Play, Renderer, VoiceId, WhenFull, WhenStolen, ms,
};

use crate::common::{POLICIES, PRIORITIES, Random, mono, noise};

const RATE: u32 = 8000;

/// A small mixer, with fewer cues than are played.
pub fn open(when_full: WhenFull, seed: u64) -> (Mixer, Renderer) {
    let config = Config {
        voices: 6,
        max_voices: 16,
        parked: 6,
        scheduled: 6,
        commands: 64,
        cues: 4,
        sample_rate: RATE,
        when_full,
        seed,
        ..Config::default()
    };
    Mixer::offline(config).expect("a good config")
}

fn bus(random: &mut Random) -> BusId {
    BusId::new(random.below(4) as u8)
}

fn variant(random: &mut Random) -> Play {
    let frames = 1 + random.below(2000) as usize;
    // Nobody but the cue and the mixer will hold it.
    let play = Play::of(mono(*random.pick(&[RATE, 11_025]), &noise(random.next(), frames)));
    let play = play.gain(random.unit()).bus(bus(random)).priority(*random.pick(&PRIORITIES));
    match random.below(4) {
        0 => play.looping(),
        1 => play.looping().when_stolen(WhenStolen::End),
        2 => play.when_stolen(WhenStolen::Park).low_pass(500.0),
        _ => play,
    }
}

fn cue(random: &mut Random) -> Cue {
    let variants: Vec<Play> = (0..1 + random.below(4)).map(|_| variant(random)).collect();
    let cue = Cue::of(variants).expect("variants").order(*random.pick(&[
        Order::Shuffle,
        Order::Random,
        Order::Sequence,
    ]));
    let cue = cue.vary_gain(random.between(0.0, 12.0)).vary_speed(random.between(0.0, 12.0));
    let cue = cue.cooldown(ms(*random.pick(&[0, 0, 5, 50])));
    let cue = cue.merge_within(ms(*random.pick(&[0, 0, 2, 20])));
    let cue = if random.below(3) > 0 { cue.when_full(*random.pick(&POLICIES)) } else { cue };
    if random.below(4) > 0 { cue.at_most(1 + random.below(3) as usize) } else { cue }
}

fn request(random: &mut Random, cues: &[Cue], clock: u64) -> Play {
    let play = if random.below(6) == 0 { variant(random) } else { random.pick(cues).into() };
    let play = match random.below(5) {
        0 => play.start_at(clock + random.below(2000)),
        1 => play.delay(ms(random.below(100))),
        2 => play.gain(random.between(0.0, 2.0)),
        _ => play,
    };
    if random.below(12) == 0 { play.gain(0.0) } else { play }
}

/// Says one thing.
fn say(mixer: &Mixer, random: &mut Random, voice: Option<VoiceId>) {
    let over = ms(random.below(60));
    match random.below(12) {
        0 => mixer.set_gain(voice, random.unit(), over),
        1 => mixer.set_gain(bus(random), random.unit(), over),
        2 => mixer.pause(voice, over),
        3 => mixer.resume(voice, over),
        4 | 5 => mixer.stop(voice, over),
        6 => mixer.stop(bus(random), over),
        7 => mixer.set_mute(bus(random), random.below(3) == 0),
        8 => mixer.set_speed(voice, random.between(0.5, 2.0), over),
        9 => drop(mixer.resize(2 + random.below(8) as usize)),
        10 => {
            let max_voices = (random.below(2) == 0).then(|| 1 + random.below(3) as usize);
            let reserved = random.below(2) as usize;
            drop(mixer.set_bus(bus(random), Bus { max_voices, reserved, ..Bus::DEFAULT }));
        }
        _ if random.below(9) == 0 => mixer.stop_all(over),
        _ => (),
    }
}

/// A game in which cues come and go. What is said on which line is the same, however the lines are cut.
pub fn play(
    seed: u64,
    policy: WhenFull,
    mixer: &Mixer,
    renderer: &mut Renderer,
    mut render: impl FnMut(&mut Renderer, u64),
) {
    let mut random = Random(seed);
    let mut cues: Vec<Cue> = (0..6).map(|_| cue(&mut random)).collect();
    let mut voices = [None; 16];
    for round in 0..150 {
        for _ in 0..random.below(6) {
            let voice = mixer.play(request(&mut random, &cues, mixer.clock()));
            voices[random.below(16) as usize] = voice;
        }
        for _ in 0..random.below(3) {
            let voice = *random.pick(&voices);
            say(mixer, &mut random, voice);
        }
        if round % 10 == 9 {
            // The one that was there is dropped, whatever plays of it.
            cues[random.below(6) as usize] = cue(&mut random);
        }
        mixer.set_when_full(if round % 50 == 49 { *random.pick(&POLICIES[..3]) } else { policy });
        render(renderer, 128 * (1 + random.below(4)));
    }
}
