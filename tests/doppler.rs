//! Doppler: what moves is heard higher as it comes and lower as it goes, by the ratio of physics, and by
//! nothing else: not by jumps, not without a place, and not once all stands still.
//!
//! The pitch of a sine is measured by when it passes through 0, some ten milliseconds at a time, and held
//! against the exact ratio over the same time.

mod common;

use common::{Random, bits, mono, noise, sine};
use voicepool::{
    Attenuation, BusId, Config, Distance, Frame, Listener, Mixer, Play, Point, Tag, VoiceId, ms,
    secs,
};

const RATE: u32 = 48_000;
const HERTZ: f64 = 1000.0;
/// Of sound in air, in metres a second.
const SOUND: f64 = 343.0;
const QUANTUM: usize = 128;
/// A game that draws sixty pictures a second.
const GAME_FRAME: usize = 800;
const BUS: BusId = BusId::new(3);
/// As loud from everywhere, and in the middle: nothing but the pitch tells of a movement.
const PITCH_ALONE: Attenuation =
    Attenuation { model: Distance::None, pan: 0.0, doppler: 1.0, ..Attenuation::DEFAULT };

/// A place, by the second.
type Path<'a> = &'a dyn Fn(f64) -> [f64; 3];

fn point([x, y, z]: [f64; 3]) -> Point {
    [x as f32, y as f32, z as f32].into()
}

fn listener(at: [f64; 3]) -> Listener {
    Listener { position: point(at), ..Listener::DEFAULT }
}

/// The frame from which on that is heard which is said when so many frames were handed out.
fn heard_from(clock: usize, rate: u32) -> usize {
    let ahead = (rate as usize / 400).div_ceil(QUANTUM) * QUANTUM;
    if clock == 0 { 0 } else { clock.next_multiple_of(QUANTUM) + ahead }
}

/// Plays something for so many frames, and every so many of them says something.
fn hear(
    rate: u32,
    play: Play,
    frames: usize,
    every: usize,
    say: impl Fn(&Mixer, VoiceId, usize),
) -> Vec<Frame> {
    let (mixer, mut renderer) =
        Mixer::offline(Config { sample_rate: rate, ..Config::DEFAULT }).expect("a good config");
    let voice = mixer.play(play).expect("there is room");
    let mut heard = Vec::new();
    while heard.len() < frames {
        say(&mixer, voice, heard.len());
        heard.extend(renderer.frames(every));
    }
    heard
}

/// A sine with a place.
fn tone(rate: u32, at: [f64; 3]) -> Play {
    let tone = mono(rate, &sine(rate, HERTZ, 0.0, rate as usize / 10));
    Play::of(&tone).looping().gain(0.5).at(point(at)).attenuation(PITCH_ALONE).bus(BUS)
}

/// When the left side passes upwards through 0, in frames.
fn crossings(heard: &[Frame]) -> Vec<f64> {
    let up = |(n, pair): (usize, &[Frame])| {
        let [a, b] = [pair[0][0], pair[1][0]].map(f64::from);
        (a < 0.0 && b >= 0.0).then(|| n as f64 + a / (a - b))
    };
    heard.windows(2).enumerate().filter_map(up).collect()
}

/// The pitch of each turn of the sine.
fn turns(heard: &[Frame]) -> Vec<f64> {
    let frames = f64::from(RATE) / HERTZ;
    crossings(heard).windows(2).map(|pair| frames / (pair[1] - pair[0])).collect()
}

/// By how much a pitch changes at the most from one turn of the sine to the next.
fn largest_change(heard: &[Frame]) -> f64 {
    turns(heard).windows(2).map(|pair| (pair[1] / pair[0] - 1.0).abs()).fold(0.0, f64::max)
}

/// From which second to which a pitch was measured, and by how much it is bent.
struct Measured {
    from: f64,
    to: f64,
    ratio: f64,
}

/// The pitch over stretches of some 10 ms.
fn pitches(heard: &[Frame], rate: u32) -> Vec<Measured> {
    let rate = f64::from(rate);
    let mut measured = Vec::new();
    let crossings = crossings(heard);
    let mut first = 0;
    for last in 1..crossings.len() {
        let (from, to) = (crossings[first] / rate, crossings[last] / rate);
        if to - from >= 0.01 {
            let ratio = (last - first) as f64 / (HERTZ * (to - from));
            measured.push(Measured { from, to, ratio });
            first = last;
        }
    }
    measured
}

/// The ratio of physics at a second.
fn exact(source: Path, ear: Path, factor: f64, at: f64) -> f64 {
    let (from, to) = (source(at), ear(at));
    let way = [0, 1, 2].map(|axis| to[axis] - from[axis]);
    let distance = way.iter().map(|it| it * it).sum::<f64>().sqrt();
    // How fast something goes along the line from the source to the ear.
    let along = |path: Path| {
        let (a, b) = (path(at - 1e-4), path(at + 1e-4));
        (0..3).map(|axis| factor * (b[axis] - a[axis]) / 2e-4 * way[axis] / distance).sum::<f64>()
    };
    ((SOUND - along(ear)) / (SOUND - along(source))).clamp(0.5, 2.0)
}

/// By how many cents each pitch from a second on is off what it should be, with the second.
fn errors(measured: &[Measured], after: f64, exact: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let mean = |from: f64, to: f64| {
        (0..16).map(|n| exact(from + (to - from) * (n as f64 + 0.5) / 16.0)).sum::<f64>() / 16.0
    };
    let timely = measured.iter().filter(|it| it.from >= after);
    timely.map(|it| (it.from, 1200.0 * (it.ratio / mean(it.from, it.to)).log2())).collect()
}

fn worst(errors: &[(f64, f64)]) -> (f64, f64) {
    let worst = errors.iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    let (at, cents) = *worst.expect("something was measured");
    (at, cents.abs())
}

/// So many thousandths, in cents.
fn thousandths(thousandths: f64) -> f64 {
    1200.0 * (1.0 + thousandths / 1000.0).log2()
}

/// Who passes whom.
struct Pass<'a> {
    name: &'static str,
    source: Path<'a>,
    ear: Path<'a>,
}

const PASSES: [Pass; 4] = [
    Pass { name: "a car", source: &|t| [-36.0 + 24.0 * t, 4.0, 0.0], ear: &|_| [0.0; 3] },
    Pass { name: "a train", source: &|t| [60.0 * t - 80.0, 0.0, -12.0], ear: &|_| [1.0, 2.0, 3.0] },
    Pass { name: "a driver", source: &|_| [50.0, 6.0, 0.0], ear: &|t| [40.0 * t, 0.0, 0.0] },
    Pass {
        name: "both",
        source: &|t| [70.0 - 30.0 * t, 0.0, 9.0],
        ear: &|t| [20.0 * t, 0.0, -2.0],
    },
];

#[test]
fn a_pass_with_a_move_on_every_line_is_within_a_thousandth_of_the_exact_ratio() {
    for rate in [44_100, RATE] {
        for Pass { name, source, ear } in PASSES {
            let seconds = |frame: usize| frame as f64 / f64::from(rate);
            let frames = 2 * rate as usize + rate as usize / 2;
            let heard =
                hear(rate, tone(rate, source(0.0)), frames, QUANTUM, |mixer, voice, clock| {
                    let at = seconds(heard_from(clock, rate));
                    mixer.set_position(voice, point(source(at)));
                    mixer.set_listener(listener(ear(at)));
                });
            let errors = errors(&pitches(&heard, rate), 0.1, |t| exact(source, ear, 1.0, t));
            let (at, cents) = worst(&errors);
            println!("{name} at {rate}: at worst {cents:.3} cents, at {at:.2} s");
            assert!(errors.len() > 200 && cents < thousandths(1.0), "{name} at {rate}: {cents}");
        }
    }
}

/// Pixels, a fiftieth of a metre each.
#[test]
fn doppler_is_in_the_games_own_measure() {
    let source: Path = &|t| [-1500.0 + 1200.0 * t, 200.0, 0.0];
    let attenuation = Attenuation { doppler: 0.02, ..PITCH_ALONE };
    let play = tone(RATE, source(0.0)).attenuation(attenuation);
    let heard = hear(RATE, play, 120_000, QUANTUM, |mixer, voice, clock| {
        mixer.set_position(voice, point(source(heard_from(clock, RATE) as f64 / 48_000.0)));
    });
    let errors = errors(&pitches(&heard, RATE), 0.1, |t| exact(source, &|_| [0.0; 3], 0.02, t));
    let (at, cents) = worst(&errors);
    assert!(cents < thousandths(1.0), "{cents} cents at {at} s");
}

/// How much each error differs from those around it.
fn wobble(errors: &[(f64, f64)]) -> (f64, f64) {
    let around = |at: f64| {
        let near: Vec<f64> =
            errors.iter().filter(|it| (it.0 - at).abs() < 0.1).map(|it| it.1).collect();
        near.iter().sum::<f64>() / near.len() as f64
    };
    worst(&errors.iter().map(|(at, cents)| (*at, cents - around(*at))).collect::<Vec<_>>())
}

#[test]
fn a_pass_with_sixty_moves_a_second_is_within_a_hundredth_and_wobbles_by_five_cents_at_most() {
    for Pass { name, source, ear } in PASSES {
        let heard =
            hear(RATE, tone(RATE, source(0.0)), 120_000, GAME_FRAME, |mixer, voice, clock| {
                let at = clock as f64 / f64::from(RATE);
                mixer.set_position(voice, point(source(at)));
                mixer.set_listener(listener(ear(at)));
            });
        let errors = errors(&pitches(&heard, RATE), 0.25, |t| exact(source, ear, 1.0, t));
        let ((at, cents), (at_wobble, wobble)) = (worst(&errors), wobble(&errors));
        println!(
            "{name}: at worst {cents:.2} cents at {at:.2} s, wobbling by {wobble:.2} at {at_wobble:.2} s"
        );
        assert!(cents < thousandths(10.0), "{name}: {cents} cents at {at} s");
        assert!(wobble < 5.0, "{name}: wobbles by {wobble} cents at {at_wobble} s");
    }
}

/// What is said is heard when the device asks for its next buffer: then two moves come at once, and then
/// one alone.
#[test]
fn the_buffers_of_a_device_do_not_make_it_wobble() {
    for buffer in [480, 1024, 2048] {
        let source: Path = &|t| [-36.0 + 24.0 * t, 4.0, 0.0];
        let heard = hear(RATE, tone(RATE, source(0.0)), 120_000, buffer, |mixer, voice, clock| {
            // Those of the game's frames that came while the last buffer was playing.
            let first = clock.saturating_sub(buffer).div_ceil(GAME_FRAME);
            for frame in first..clock.div_ceil(GAME_FRAME) {
                let at = (frame * GAME_FRAME) as f64 / f64::from(RATE);
                mixer.set_position(voice, point(source(at)));
            }
        });
        let errors = errors(&pitches(&heard, RATE), 0.25, |t| exact(source, &|_| [0.0; 3], 1.0, t));
        let (_, wobble) = wobble(&errors);
        println!("buffers of {buffer}: at worst {:?}, wobbling by {wobble:.2}", worst(&errors));
        assert!(wobble < 10.0, "buffers of {buffer}: {wobble} cents");
    }
}

/// It moves on while it is paused, and its pitch when it is resumed depends on nobody else.
#[test]
fn what_is_resumed_in_flight_is_bent_whoever_else_moves() {
    let run = |others_move: bool| {
        bits(&hear(RATE, tone(RATE, [9.0, 1.0, 0.0]), 12_000, QUANTUM, |mixer, voice, clock| {
            match clock / QUANTUM {
                0 => {
                    let silent = Play::of(mono(RATE, &[0.5; 64])).looping().gain(0.0);
                    mixer.play(silent.at([1.0, 1.0]).tag(7));
                }
                2 => mixer.pause(voice, ms(0)),
                10..14 => {
                    let to = [9.0 - (clock - 10 * QUANTUM) as f32 / 1600.0, 1.0];
                    mixer.set_position(voice, to);
                }
                18 => mixer.resume(voice, ms(0)),
                _ => (),
            }
            if others_move {
                mixer.set_position(Tag(7), [1.0, clock as f32 / 1e5]);
            }
        }))
    };
    assert_eq!(run(false), run(true));
}

/// Whoever jumps is heard as before, to the bit.
#[test]
fn teleports_bend_nothing() {
    for every in [QUANTUM, GAME_FRAME, 9600] {
        let run = |doppler: f32| {
            let attenuation = Attenuation { doppler, ..PITCH_ALONE };
            let play = tone(RATE, [3.0, 4.0, 0.0]).attenuation(attenuation);
            bits(&hear(RATE, play, 48_000, every, |mixer, voice, clock| {
                let mut random = Random(clock as u64);
                let mut place = || [(); 3].map(|()| f64::from(random.between(-90.0, 90.0)));
                mixer.teleport(voice, point(place()));
                mixer.teleport_listener(listener(place()));
            }))
        };
        assert_eq!(run(1.0), run(0.0), "every {every} frames");
    }
}

/// A pass, a jump back, and the pass again: between the two nothing is bent the other way.
#[test]
fn a_teleport_in_the_midst_of_a_pass_does_not_whine() {
    for of_listener in [false, true] {
        let run = |t: f64| 40.0 * (t % 0.5);
        let heard = hear(RATE, tone(RATE, [0.0; 3]), 96_000, GAME_FRAME, |mixer, voice, clock| {
            let at = clock as f64 / f64::from(RATE);
            let jumps = clock % 24_000 == 0;
            match (of_listener, jumps) {
                (false, false) => mixer.set_position(voice, [run(at) as f32, 0.0]),
                (false, true) => mixer.teleport(voice, [run(at) as f32, 0.0]),
                (true, false) => mixer.set_listener(Listener::at([run(at) as f32, 0.0])),
                (true, true) => mixer.teleport_listener(Listener::at([run(at) as f32, 0.0])),
            }
        });
        // Both go away from the other's place, and never towards it.
        let highest = pitches(&heard, RATE).iter().fold(0.0f64, |most, it| most.max(it.ratio));
        let lowest = pitches(&heard, RATE).iter().fold(9.0f64, |least, it| least.min(it.ratio));
        let away = if of_listener { 1.0 - 40.0 / SOUND } else { SOUND / (SOUND + 40.0) };
        assert!(highest < 1.0005, "{highest}");
        assert!((lowest - away).abs() < 0.01, "{lowest}, not {away}");
    }
}

/// Where the listener is said to be for the first time, it always was; and so for a voice on the line on which
/// it begins or was brought somewhere.
#[test]
fn a_first_place_is_no_movement() {
    for late in [0, 1, 5] {
        let run = |doppler: f32| {
            let attenuation = Attenuation { doppler, ..PITCH_ALONE };
            let play = tone(RATE, [0.0; 3]).attenuation(attenuation);
            bits(&hear(RATE, play, 24_000, GAME_FRAME, |mixer, voice, clock| {
                if clock == late * GAME_FRAME {
                    mixer.teleport(voice, [9.0, 9.0]);
                    mixer.set_position(voice, [640.0, 90.0]);
                    mixer.set_listener(Listener::at([640.0, 360.0]));
                    mixer.set_listener(Listener::at([640.0, 361.0]));
                } else if clock > late * GAME_FRAME {
                    mixer.set_position(voice, [640.0, 90.0]);
                    mixer.set_listener(Listener::at([640.0, 361.0]));
                }
            }))
        };
        assert_eq!(run(1.0), run(0.0), "{late} frames of the game after the play");
    }
}

/// A voice that would have had to be faster than sound was brought there, whatever the game calls it.
#[test]
fn a_leap_bends_nothing() {
    let run = |doppler: f32| {
        let attenuation = Attenuation { doppler, ..PITCH_ALONE };
        bits(&hear(RATE, tone(RATE, [9.0; 3]).attenuation(attenuation), 48_000, GAME_FRAME, {
            |mixer, voice, clock| {
                let mut random = Random(clock as u64);
                let x = random.between(50.0, 90.0) * if clock % 1600 == 0 { 1.0 } else { -1.0 };
                mixer.set_position(voice, [x, 0.0]);
            }
        }))
    };
    assert_eq!(run(1.0), run(0.0));
}

/// The same where a step and a leap come on one line: it took no time to get from one to the other.
#[test]
fn a_leap_on_the_line_of_a_step_bends_nothing() {
    let run = |doppler: f32| {
        let attenuation = Attenuation { doppler, ..PITCH_ALONE };
        bits(&hear(RATE, tone(RATE, [9.0; 3]).attenuation(attenuation), 9_000, GAME_FRAME, {
            |mixer, voice, clock| {
                if clock == 2400 {
                    mixer.set_position(voice, [9.001, 9.0, 9.0]);
                    mixer.set_position(voice, [90.0, 0.0]);
                }
            }
        }))
    };
    assert_eq!(run(1.0), run(0.0));
}

#[test]
fn what_has_no_place_and_what_has_no_doppler_are_not_bent() {
    let walks = |mixer: &Mixer, voice: VoiceId, clock: usize| {
        let x = clock as f32 / 1000.0;
        mixer.set_listener(Listener::at([x, 5.0]));
        mixer.set_position(voice, [-x, 9.0]);
    };
    let clip = mono(RATE, &noise(3, 7777));
    let plain = Play::of(&clip).looping().gain(0.5);
    let still = |play: &Play| bits(&hear(RATE, play.clone(), 48_000, GAME_FRAME, |_, _, _| ()));
    let moved = |play: &Play| bits(&hear(RATE, play.clone(), 48_000, GAME_FRAME, walks));
    assert_eq!(moved(&plain), still(&plain), "without a place");
    let no_doppler = Attenuation { doppler: 0.0, ..PITCH_ALONE };
    let placed = plain.clone().at([0.0; 3]).attenuation(no_doppler);
    assert_eq!(moved(&placed), still(&plain), "without doppler");
    let doppler = plain.clone().at([0.0; 3]).attenuation(PITCH_ALONE);
    assert_eq!(still(&doppler), still(&plain), "without a movement");
    assert_ne!(moved(&doppler), still(&plain));
}

/// Where in a clip that loops the frames are, if they are its own to the bit.
fn place_in(clip: &[f32], heard: &[Frame]) -> Option<usize> {
    (0..clip.len()).find(|first| {
        (0..).zip(heard).all(|(n, [left, right])| {
            let own = clip[(first + n) % clip.len()];
            (*left, *right) == (own, own)
        })
    })
}

#[test]
fn once_all_stand_still_the_samples_are_the_sounds_own() {
    let samples: Vec<f32> = noise(5, 5000).iter().map(|it| 0.5 * it).collect();
    let clip = mono(RATE, &samples);
    let play = Play::of(&clip).looping().at([50.0, 2.0]).attenuation(PITCH_ALONE);
    for (every, says_on) in
        [(QUANTUM, false), (QUANTUM, true), (GAME_FRAME, false), (GAME_FRAME, true)]
    {
        let heard = hear(RATE, play.clone(), 150_000, every, |mixer, voice, clock| {
            // It goes for half a second; and then nothing more is said, or that it is where it was.
            let x = 50.0 - 30.0 * clock.min(24_000) as f32 / 48_000.0;
            if says_on || clock <= 24_000 {
                mixer.set_position(voice, [x, 2.0]);
            }
        });
        assert_eq!(place_in(&samples, &heard[20_000..20_100]), None, "it is bent while it goes");
        let stands = &heard[if says_on { 140_000 } else { 54_000 }..];
        assert!(place_in(&samples, stands).is_some(), "every {every}, says on: {says_on}");
    }
}

/// What goes out of earshot in the midst of a pass keeps its own time there, not that of the pass.
#[test]
fn what_is_out_of_earshot_keeps_its_own_time() {
    let samples: Vec<f32> = (0..96_000).map(|n| n as f32 / 200_000.0).collect();
    let clip = mono(RATE, &samples);
    let near = Attenuation { model: Distance::Linear, near: 60.0, far: 90.0, ..PITCH_ALONE };
    let play = Play::of(&clip).at([50.0, 0.0]).attenuation(near);
    let heard = hear(RATE, play, 60_032, QUANTUM, |mixer, voice, clock| match clock {
        0..20_096 => mixer.set_position(voice, [50.0 - clock as f32 / 1000.0, 0.0]),
        20_096 => mixer.teleport(voice, [500.0, 0.0]),
        50_048 => mixer.teleport(voice, [30.0, 0.0]),
        _ => (),
    });
    assert!(heard[22_000..50_000].iter().all(|frame| *frame == [0.0; 2]));
    // By how many frames it is ahead of a play that stands.
    let ahead = |frame: usize| f64::from(heard[frame][0]) * 200_000.0 - frame as f64;
    let (gone, back) = (ahead(20_000), ahead(52_000));
    assert!(gone > 1000.0, "it was bent: {gone}");
    // Some hundred frames are still bent until it has gone.
    assert!((back - gone).abs() < 150.0, "{gone}, and then {back}");
}

/// It sets out and stops at once, as things in games do, and its pitch glides, there and back to its own
/// samples: by a few cents at most from one turn of the sine to the next.
#[test]
fn a_pitch_glides_to_where_it_belongs() {
    let heard =
        hear(RATE, tone(RATE, [100.0, 0.0, 0.0]), 190_000, QUANTUM, |mixer, voice, clock| {
            let gone = clock.saturating_sub(24_000).min(48_000) as f32 / 48_000.0;
            mixer.set_position(voice, [100.0 - 60.0 * gone, 0.0]);
        });
    let turns = turns(&heard);
    let step = largest_change(&heard);
    let highest = turns.iter().fold(0.0f64, |most, it| most.max(*it));
    println!("by {step:.4} from turn to turn, up to {highest:.4}");
    assert!(step < 0.003, "{step}");
    assert!((highest - SOUND / (SOUND - 60.0)).abs() < 0.002, "{highest}");
}

/// Wherever between two samples it is when it has come to stand, it is brought onto the nearest without a jump.
#[test]
fn a_pitch_lands_softly_on_the_sounds_own_samples() {
    for speed in [15.0, 23.0, 31.0, 39.0, 47.0, 55.0] {
        let play = tone(RATE, [100.0, 0.0, 0.0]);
        let heard = hear(RATE, play, 48_000, QUANTUM, |mixer, voice, clock| {
            if clock < 20_000 {
                mixer.set_position(voice, [100.0 - speed * clock as f32 / 48_000.0, 0.0]);
            }
        });
        // By 1.5 % from line to line, and no more.
        let step = largest_change(&heard);
        println!("{speed}: by {step:.4} from turn to turn");
        assert!(step < 0.0065, "{speed}: {step}");
        let own = &heard[40_000..];
        assert!(crossings(own).windows(2).all(|pair| (pair[1] - pair[0] - 48.0).abs() < 1e-3));
    }
}

#[test]
fn no_movement_bends_by_more_than_an_octave() {
    let lowest =
        |measured: &[Measured]| measured.iter().fold(9.0f64, |least, it| least.min(it.ratio));
    let highest =
        |measured: &[Measured]| measured.iter().fold(0.0f64, |most, it| most.max(it.ratio));
    // Of the source, of the listener, and what comes of it.
    let octave = 2.0;
    for (source, ear, expected) in [
        (-300.0, 0.0, octave),
        // One behind the other: at one speed, and catching up.
        (-300.0, -300.0, 1.0),
        (-250.0, -200.0, (SOUND - 200.0) / (SOUND - 250.0)),
        (340.0, 0.0, SOUND / (SOUND + 340.0)),
        (0.0, 900.0, octave),
        (0.0, -900.0, 1.0 / octave),
        (300.0, -300.0, 1.0 / octave),
        (-300.0, 300.0, octave),
    ] {
        let play = tone(RATE, [2000.0, 0.0, 0.0]);
        let heard = hear(RATE, play, 48_000, QUANTUM, |mixer, voice, clock| {
            let t = heard_from(clock, RATE) as f32 / 48_000.0;
            mixer.set_position(voice, [2000.0 + source * t, 0.0]);
            mixer.set_listener(Listener::at([ear * t, 0.0]));
        });
        let measured = pitches(&heard, RATE);
        assert!(highest(&measured) < 2.001 && lowest(&measured) > 0.4995, "{source} and {ear}");
        let settled = measured.iter().filter(|it| it.from > 0.5);
        for Measured { from, ratio, .. } in settled {
            let off = (ratio / expected - 1.0).abs();
            assert!(off < 0.001, "{source} and {ear}: {ratio} at {from}, not {expected}");
        }
    }
}

/// A straight line from one value to another, from a second on.
fn line(from: f64, to: f64, begins: f64, takes: f64, at: f64) -> f64 {
    from + (to - from) * ((at - begins) / takes).clamp(0.0, 1.0)
}

/// Glides of its own speed and of its bus, before, in and after a movement that begins and ends at once: the
/// pitch is the product of all, but for the time that a movement takes to be noticed and forgotten.
#[test]
fn doppler_multiplies_speeds_that_glide_and_slow_motion() {
    // The movement.
    let (begins, ends) = (0.5, 1.5);
    let ear: Path = &|_| [0.0; 3];
    let source: Path = &|t| [200.0 - 30.0 * (t.clamp(begins, ends) - begins), 0.0, 0.0];
    for of_bus in [false, true] {
        for (said, takes) in
            [(0.2, 0.1), (0.2, 1.0), (0.2, 2.0), (0.8, 0.3), (0.8, 1.5), (1.3, 0.5), (1.9, 0.3)]
        {
            let said_at = (said * 48_000.0) as usize / QUANTUM * QUANTUM;
            let over = secs(takes as f32);
            let heard =
                hear(RATE, tone(RATE, source(0.0)), 144_000, QUANTUM, |mixer, voice, clock| {
                    let at = heard_from(clock, RATE) as f64 / 48_000.0;
                    if at >= begins && at <= ends + 0.01 {
                        mixer.set_position(voice, point(source(at)));
                    }
                    if clock == said_at {
                        match of_bus {
                            true => mixer.set_speed(BUS, 0.6, over),
                            false => mixer.set_speed(voice, 0.6, over),
                        }
                    }
                });
            let begun = heard_from(said_at, RATE) as f64 / 48_000.0;
            let expected = |t: f64| exact(source, ear, 1.0, t) * line(1.0, 0.6, begun, takes, t);
            let clear = |at: f64| {
                let near = |event: f64, after: f64| at > event - 0.03 && at < event + after;
                !near(begins, 0.15)
                    && !near(ends, 0.35)
                    && !near(begun, 0.02)
                    && !near(begun + takes, 0.02)
            };
            let mut errors = errors(&pitches(&heard, RATE), 0.0, expected);
            errors.retain(|(at, _)| clear(*at));
            let (at, cents) = worst(&errors);
            assert!(
                cents < thousandths(3.0),
                "of the bus: {of_bus}, from {said} s over {takes} s: {cents} cents at {at} s"
            );
        }
    }
}

/// In the end nothing is left of it: what was bent, slowed down and brought back is its own again.
#[test]
fn after_slow_motion_and_doppler_the_samples_are_the_sounds_own() {
    let samples: Vec<f32> = noise(5, 5000).iter().map(|it| 0.5 * it).collect();
    let clip = mono(RATE, &samples);
    let play = Play::of(&clip).looping().at([50.0, 2.0]).attenuation(PITCH_ALONE).bus(BUS);
    for of_bus in [false, true] {
        let heard = hear(RATE, play.clone(), 160_000, QUANTUM, |mixer, voice, clock| {
            mixer.set_position(voice, [50.0 - clock.min(30_000) as f32 / 2000.0, 2.0]);
            let speed = [(12_800, 0.5), (25_600, 1.0)].into_iter().find(|it| it.0 == clock);
            match speed {
                Some((_, speed)) if of_bus => mixer.set_speed(BUS, speed, ms(200)),
                Some((_, speed)) => mixer.set_speed(voice, speed, ms(200)),
                None => (),
            }
        });
        assert!(place_in(&samples, &heard[150_000..]).is_some(), "of the bus: {of_bus}");
    }
}
