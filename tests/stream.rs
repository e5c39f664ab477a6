//! Streams: what is decoded while it plays is heard as what was loaded before.

mod common;
#[path = "common/streams.rs"]
mod streams;

use std::time::Duration;

use streams::{Form, Pair, stream};
use voicepool::{
    Attenuation, BusId, Config, Ending, Event, Interpolation, Mixer, Play, Priority, Refusal,
    Reverb, RoomId, Stream, VoiceId, WhenStolen, ms, secs,
};

const BUS: BusId = BusId::new(5);

type With = fn(Play) -> Play;

type Say = fn(&Mixer, Option<VoiceId>);

/// The same, with something of its own.
type SayWith<'a> = &'a dyn Fn(&Mixer, Option<VoiceId>);

const KINDS: [Interpolation; 3] =
    [Interpolation::Linear, Interpolation::Cubic, Interpolation::Sinc];

fn at(rate: u32) -> Form {
    Form { rate, ..Form::PLAIN }
}

#[test]
fn a_stream_is_heard_as_the_same_file_loaded() {
    for rate in [48_000, 44_100, 22_050, 96_000] {
        let file = at(rate).music(rate as usize * 2);
        for buffer in [37, 512, 65_536] {
            let mut pair = Pair::new(Config::default(), &file);
            pair.play(|play| play.gain(0.5));
            pair.hear(48_000 * 2 + 900, buffer, &format!("at {rate}"));
            assert_eq!(pair.assert_ended_alike("once").len(), 1);
        }
    }
}

#[test]
fn a_stream_runs_at_the_rate_of_any_mixer() {
    for sample_rate in [8_000, 44_100, 96_000] {
        let config = Config { sample_rate, ..Config::default() };
        let mut pair = Pair::new(config, &Form::PLAIN.music(60_000));
        pair.play(|play| play.looping());
        pair.hear(sample_rate as usize * 3, 999, &format!("at {sample_rate}"));
    }
}

#[test]
fn loops_turn_at_the_same_frames() {
    for rate in [48_000, 44_100] {
        let file = at(rate).music(rate as usize * 2 + 777);
        let ways: [With; 5] = [
            |play| play.looping(),
            |play| play.loop_range(ms(700)..ms(1300)),
            |play| play.loop_range(ms(100)..ms(180)).from_position(ms(90)),
            |play| play.loop_range(ms(1500)..).from_position(ms(300)),
            |play| play.loop_range(..ms(900)).from_position(ms(1200)),
        ];
        for (way, with) in ways.into_iter().enumerate() {
            let mut pair = Pair::new(Config::default(), &file);
            pair.play(with);
            pair.hear(48_000 * 3, 700, &format!("way {way} at {rate}"));
            pair.assert_ended_alike(&format!("way {way} at {rate}"));
        }
    }
}

/// Shorter than a block, than what every block brings along on either side, and as short as can be.
#[test]
fn loops_of_a_few_frames_turn_at_the_same_frames() {
    for rate in [48_000, 44_100] {
        let file = at(rate).music(rate as usize);
        for frames in [1, 2, 31, 64, 500, 4096, 4097] {
            for start in [3, 39_000] {
                let mut pair = Pair::new(Config::default(), &file);
                let time = |frame: u32| Duration::from_secs(1) * frame / 48_000;
                let range = time(start)..time(start + frames) + Duration::from_micros(3);
                pair.play(|play| play.loop_range(range.clone()).from_position(time(start)));
                pair.hear(9_000, 1024, &format!("{frames} frames from {start} at {rate}"));
                assert_eq!(pair.streamed.0.stats().underruns, 0);
            }
        }
    }
}

#[test]
fn files_of_a_few_frames_are_heard_alike() {
    for rate in [48_000, 44_100] {
        for frames in [1, 31, 4096, 16_384, 16_385, 17_409] {
            for with in [(|play| play) as With, |play| play.looping()] {
                let mut pair = Pair::new(Config::default(), &at(rate).music(frames));
                pair.play(with);
                pair.hear(40_000, 3000, &format!("{frames} frames at {rate}"));
                pair.assert_ended_alike(&format!("{frames} frames at {rate}"));
            }
        }
    }
}

#[test]
fn the_slowest_and_the_fastest_are_heard_alike() {
    for interpolation in KINDS {
        let config = Config { interpolation, ..Config::default() };
        let file = at(44_100).music(44_100 * 4);
        for speed in [0.01, 50.0, 100.0] {
            let mut pair = Pair::new(config.clone(), &file);
            pair.play(|play| play.speed(speed).looping());
            pair.play(|play| play.speed(speed).from_position(secs(2.0)).start_at(777));
            pair.hear(5_000, 650, &format!("speed {speed}, {interpolation:?}"));
            pair.assert_ended_alike(&format!("speed {speed}"));
            assert_eq!(pair.streamed.0.stats().underruns, 0);
        }
    }
}

#[test]
fn a_play_from_beyond_the_end_finishes_at_once() {
    let mut pair = Pair::new(Config::default(), &Form::PLAIN.music(30_000));
    pair.play(|play| play.from_position(secs(5.0)));
    pair.hear(1024, 128, "nothing");
    assert_eq!(pair.assert_ended_alike("beyond").len(), 1);
}

#[test]
fn seeks_pauses_speeds_and_ended_loops_are_heard_alike() {
    for interpolation in KINDS {
        for rate in [48_000, 44_100] {
            let file = at(rate).music(rate as usize * 4);
            let mut pair = Pair::new(Config { interpolation, ..Config::default() }, &file);
            let voices = pair.play(|play| play.loop_range(ms(500)..ms(2500)));
            pair.hear(10_000, 333, "start");
            for (at, step) in [3000, 100, 0, 2400, 600, 10].into_iter().enumerate() {
                pair.say(voices, |mixer, voice| mixer.seek(voice, ms(step)));
                pair.hear(7_777, 333, &format!("seek {at}"));
            }
            pair.say(voices, |mixer, voice| mixer.set_speed(voice, 1.37, ms(100)));
            pair.hear(60_000, 1000, "speed");
            pair.say(voices, |mixer, voice| mixer.pause(voice, ms(20)));
            pair.hear(5_000, 1000, "pause");
            pair.say(voices, |mixer, voice| mixer.seek(voice, ms(1900)));
            pair.hear(5_000, 1000, "seek while paused");
            pair.say(voices, |mixer, voice| mixer.resume(voice, Duration::ZERO));
            pair.hear(50_000, 1000, "resume");
            pair.say(voices, |mixer, voice| mixer.set_speed(voice, 1.0, ms(100)));
            pair.hear(9_000, 1000, "own speed");
            pair.say(voices, |mixer, voice| mixer.end_loop(voice));
            pair.hear(48_000 * 4, 1000, "ended loop");
            pair.assert_ended_alike("all of it");
            assert_eq!(pair.streamed.0.stats().underruns, 0);
        }
    }
}

/// Near the turn, the round that was read ahead is the wrong one.
#[test]
fn a_loop_that_is_ended_near_its_turn_plays_on() {
    for rate in [48_000, 44_100] {
        let file = at(rate).music(rate as usize);
        for (before, speed) in [(0, 1.0), (1, 1.3), (130, 1.0), (260, 0.7), (500, 1.0), (3000, 1.0)]
        {
            let mut pair = Pair::new(Config::default(), &file);
            let voices = pair.play(|play| play.loop_range(ms(300)..ms(600)).speed(speed));
            // The turn is at 28,800; what is said acts on the line behind the next.
            let rounds = ((28_800 + 14_400) as f32 / speed) as usize;
            pair.hear(rounds - 256 - before, 128, "two rounds");
            pair.say(voices, |mixer, voice| mixer.end_loop(voice));
            pair.hear(60_000, 500, &format!("{before} frames before the turn at {rate}"));
            assert_eq!(pair.assert_ended_alike("ended near the turn").len(), 1);
        }
    }
}

/// How long it is shows only when it has been read: then it turns where the file ends.
#[cfg(feature = "formats")]
#[test]
fn a_loop_of_a_file_that_does_not_say_how_long_it_is_turns_at_its_end() {
    let mut file = std::fs::read("tests/formats/long.flac").expect("a file");
    // How many frames there are stands in 36 bits of its head: 0 says that nobody knows.
    file[21] &= 0xF0;
    file[22..26].fill(0);
    let file: std::sync::Arc<[u8]> = file.into();
    assert_eq!(stream(&file).duration(), None);
    let rate = stream(&file).sample_rate();
    for speed in [1.0, 0.8] {
        let mut pair = Pair::new(Config { sample_rate: rate, ..Config::default() }, &file);
        let voices = pair.play(|play| play.looping().speed(speed));
        let frames = pair.sound.frame_count() * 4;
        pair.hear(frames, 500, "three rounds and more");
        assert_eq!(pair.streamed.0.stats().live, 1);
        // Where it is in its round it knows too.
        pair.say(voices, |mixer, voice| mixer.end_loop(voice));
        pair.hear(frames / 2, 500, "the last round");
        assert_eq!(pair.assert_ended_alike("a loop that was ended").len(), 1);
    }
}

/// What moves is bent from the speed on at which it is when it begins to.
#[test]
fn a_speed_that_glides_is_bent_alike() {
    let attenuation = Attenuation { doppler: 1.0, far: 500.0, ..Attenuation::DEFAULT };
    // One that is too slow to be resampled keeps its rate.
    for rate in [48_000, 44_100, 100] {
        let mut pair = Pair::new(Config::default(), &at(rate).music(rate as usize));
        let voices = pair.play(|play| play.looping().at([-20.0, 1.0]).attenuation(attenuation));
        pair.hear(4_000, 400, "at rest");
        pair.say(voices, |mixer, voice| mixer.set_speed(voice, 1.5, ms(300)));
        pair.hear(4_000, 400, "in a glide");
        for step in 0..200 {
            let to = [step as f32 * 0.2 - 20.0, 1.0];
            pair.say(voices, |mixer, voice| mixer.set_position(voice, to));
            pair.hear(400, 400, &format!("move {step} at {rate}"));
        }
    }
}

/// What was read around its turns is of no use once it is no loop any more.
#[test]
fn what_was_a_loop_is_heard_straight_when_it_is_sought_again() {
    for rate in [48_000, 44_100] {
        let mut pair = Pair::new(Config::default(), &at(rate).music(rate as usize * 2));
        let voices = pair.play(|play| play.loop_range(ms(800)..ms(850)).from_position(ms(700)));
        pair.hear(30_000, 600, "round and round");
        pair.say(voices, |mixer, voice| mixer.end_loop(voice));
        pair.hear(8_000, 600, "out of it");
        for to in [795, 700, 840, 852] {
            pair.say(voices, |mixer, voice| mixer.seek(voice, ms(to)));
            pair.hear(9_000, 600, &format!("from {to} at {rate}"));
        }
    }
}

/// Whatever is said on the line of a seek, before it or after, the old place of a stream fades out as that of a sound
/// does, although it is left only once all of the line is known.
#[test]
fn what_is_said_beside_a_seek_is_heard_alike() {
    let says: [(&str, Say); 11] = [
        ("a pause of the bus", |mixer, _| mixer.pause(BUS, Duration::ZERO)),
        ("a slow pause of the bus", |mixer, _| mixer.pause(BUS, ms(40))),
        ("a pause", |mixer, voice| mixer.pause(voice, Duration::ZERO)),
        ("a slow pause", |mixer, voice| mixer.pause(voice, ms(40))),
        ("a stop", |mixer, voice| mixer.stop(voice, ms(20))),
        ("a gain", |mixer, voice| mixer.set_gain(voice, 0.1, Duration::ZERO)),
        ("a pan", |mixer, voice| mixer.set_pan(voice, -1.0, Duration::ZERO)),
        ("a speed", |mixer, voice| mixer.set_speed(voice, 1.7, Duration::ZERO)),
        ("a mute of the bus", |mixer, _| mixer.set_mute(BUS, true)),
        ("a filter", |mixer, voice| mixer.set_low_pass(voice, 500.0, Duration::ZERO)),
        ("the end of the loop", |mixer, voice| mixer.end_loop(voice)),
    ];
    for rate in [48_000, 44_100] {
        let file = at(rate).music(rate as usize * 2);
        for (what, say) in says {
            for is_first in [true, false] {
                let mut pair = Pair::new(Config::default(), &file);
                let voices = pair.play(|play| play.bus(BUS).loop_range(ms(100)..ms(900)));
                pair.hear(5_000, 512, "start");
                if is_first {
                    pair.say(voices, say);
                }
                pair.say(voices, |mixer, voice| mixer.seek(voice, ms(1500)));
                if !is_first {
                    pair.say(voices, say);
                }
                let order = if is_first { "before" } else { "after" };
                pair.hear(9_000, 512, &format!("{what} {order} a seek at {rate}"));
                // What stands still has stopped at the same place.
                pair.say(voices, |mixer, _| mixer.resume(BUS, Duration::ZERO));
                pair.say(voices, |mixer, voice| mixer.resume(voice, Duration::ZERO));
                pair.hear(3_000, 512, &format!("gone on after {what} {order} a seek at {rate}"));
            }
        }
    }
}

/// On the line on which its loop is ended, a voice leaves behind what goes round: of a stream, nothing from behind the
/// loop's end has been read. Whoever takes its place only when the line is known finds it on its last round.
#[test]
fn who_loses_its_place_on_the_line_that_ends_its_loop_is_heard_alike() {
    const THIEVES: BusId = BusId::new(6);
    let config = Config { voices: 1, ..Config::default() };
    // The line that is mixed next when 5,056 frames were heard, which end within a quantum: the limiter looks one ahead.
    let line = 5_120 + 128;
    for rate in [48_000, 44_100] {
        let (file, noise) = (at(rate).music(rate as usize), at(rate).music(rate as usize / 10));
        let thief = |mixer: &Mixer| {
            let sound = mixer.load_bytes("thief", &noise[..]).expect("a good file");
            Play::of(sound).bus(THIEVES).priority(Priority::Protected)
        };
        let line_in_time = Duration::from_nanos(line * 1_000_000_000 / 48_000 + 3_000);
        let says: [(&str, SayWith); 10] = [
            ("a seek to where it is", &|mixer, voice| mixer.seek(voice, line_in_time)),
            ("a seek", &|mixer, voice| mixer.seek(voice, ms(900))),
            ("two seeks", &|mixer, voice| {
                mixer.seek(voice, ms(900));
                mixer.seek(voice, ms(4));
            }),
            ("a slow pause and a seek", &|mixer, voice| {
                mixer.pause(voice, ms(40));
                mixer.seek(voice, ms(900));
            }),
            ("a speed and a seek", &|mixer, voice| {
                mixer.set_speed(voice, 0.4, Duration::ZERO);
                mixer.seek(voice, ms(900));
            }),
            ("a theft", &|mixer, _| {
                mixer.play(thief(mixer));
            }),
            ("a theft on the frame of the line", &|mixer, _| {
                mixer.play(thief(mixer).start_at(line));
            }),
            ("a theft on the next line", &|mixer, _| {
                mixer.play(thief(mixer).start_at(line + 64));
            }),
            ("a theft between two lines", &|mixer, _| {
                mixer.play(thief(mixer).start_at(line + 3));
            }),
            ("a resume of the bus and a seek", &|mixer, voice| {
                mixer.pause(BUS, ms(20));
                mixer.resume(BUS, Duration::ZERO);
                mixer.seek(voice, ms(900));
            }),
        ];
        for (what, say) in says {
            for (round, speed, filtered) in
                [(5_300, 1.0, false), (5_430, 1.0, true), (5_480, 0.8, false), (2_700, 2.1, true)]
            {
                for of_bus in [false, true] {
                    let mut pair = Pair::new(config.clone(), &file);
                    let voices = pair.play(|play| {
                        let frames =
                            |n: u64| Duration::from_nanos(n * 1_000_000_000 / u64::from(rate));
                        let play = play.loop_range(Duration::ZERO..frames(round));
                        let play = if filtered { play.low_pass(900.0) } else { play };
                        play.bus(BUS)
                            .speed(speed)
                            .priority(Priority::Normal)
                            .when_stolen(WhenStolen::Park)
                    });
                    pair.hear(5_056, 64, "start");
                    pair.say(voices, |mixer, voice| match of_bus {
                        false => mixer.end_loop(voice),
                        true => mixer.end_loop(BUS),
                    });
                    pair.say(voices, say);
                    let case = format!(
                        "{what}, a loop of {round} at {rate}, {speed}, {filtered}, {of_bus}"
                    );
                    pair.hear(18_000, 64, &case);
                    assert_eq!(pair.streamed.0.stats().underruns, 0, "{case}");
                }
            }
        }
    }
}

/// What is read of a loop's beginning in a later round has the loop's end before it. A seek to where the loop begins
/// hears what comes before it in the file.
#[test]
fn a_loop_is_entered_anew_after_a_round_that_began_within_it() {
    for rate in [48_000, 44_100] {
        let file = at(rate).music(rate as usize * 2);
        for speed in [1.0, 0.77] {
            let mut pair = Pair::new(Config::default(), &file);
            let voices = pair.play(|play| {
                // It turns where a block of the stream ends, and another begins with the loop.
                play.loop_range(ms(600)..ms(1600)).from_position(ms(1088)).speed(speed)
            });
            for to in [ms(600), Duration::from_micros(600_100), ms(599), ms(630)] {
                pair.hear(90_000, 500, "a round and more");
                pair.say(voices, |mixer, voice| mixer.seek(voice, to));
                pair.hear(30_000, 500, &format!("from {to:?} at {rate}, {speed}"));
            }
        }
    }
}

/// A jump, and what makes its voice stand still: it is where it has jumped to at once, and whatever is said then finds
/// it there.
#[test]
fn who_jumps_and_stands_still_on_one_line_is_heard_alike() {
    const THIEVES: BusId = BusId::new(6);
    const ROOM: RoomId = RoomId::new(0);
    for rate in [48_000, 44_100] {
        let (file, noise) = (at(rate).music(rate as usize * 2), at(rate).music(rate as usize / 10));
        let thief = |mixer: &Mixer| {
            let sound = mixer.load_bytes("thief", &noise[..]).expect("a good file");
            mixer.play(Play::of(sound).bus(THIEVES));
        };
        let (jump, still) = (
            |mixer: &Mixer, voice: Option<VoiceId>| mixer.seek(voice, ms(900)),
            |mixer: &Mixer, voice: Option<VoiceId>| mixer.pause(voice, Duration::ZERO),
        );
        let nothing: SayWith = &|_, _| ();
        let holds: SayWith = &|mixer, voice| mixer.pause(voice, Duration::ZERO);
        let holds_bus: SayWith = &|mixer, _| mixer.pause(BUS, Duration::ZERO);
        // What was said before, and heard out; and what is said on one line.
        let says: [(&str, SayWith, SayWith); 13] = [
            ("a jump, a pause, a speed", nothing, &|mixer, voice| {
                jump(mixer, voice);
                still(mixer, voice);
                mixer.set_speed(voice, 1.5, Duration::ZERO);
            }),
            ("a pause, a jump, a gain, a pan", nothing, &|mixer, voice| {
                still(mixer, voice);
                jump(mixer, voice);
                mixer.set_gain(voice, 0.1, Duration::ZERO);
                mixer.set_pan(voice, 1.0, Duration::ZERO);
            }),
            ("a slow pause, a jump, a mute", nothing, &|mixer, voice| {
                mixer.pause(voice, ms(40));
                jump(mixer, voice);
                mixer.set_mute(voice, true);
                mixer.set_mute(voice, false);
            }),
            ("a jump, a pause, a speed of the bus", nothing, &|mixer, voice| {
                jump(mixer, voice);
                still(mixer, voice);
                mixer.set_speed(BUS, 0.7, Duration::ZERO);
            }),
            ("a jump, a pause, a theft", nothing, &|mixer, voice| {
                jump(mixer, voice);
                still(mixer, voice);
                thief(mixer);
                thief(mixer);
            }),
            ("a slow pause, a jump, a theft", nothing, &|mixer, voice| {
                mixer.pause(voice, ms(40));
                jump(mixer, voice);
                thief(mixer);
                thief(mixer);
            }),
            ("a jump, a pause, a stop, another play", nothing, &|mixer, voice| {
                jump(mixer, voice);
                still(mixer, voice);
                mixer.stop(voice, Duration::ZERO);
                thief(mixer);
            }),
            ("a resume, a jump, a pause", holds, &|mixer, voice| {
                mixer.resume(voice, Duration::ZERO);
                jump(mixer, voice);
                still(mixer, voice);
            }),
            ("a resume of the bus, a jump, a pause of the bus", holds_bus, &|mixer, voice| {
                mixer.resume(BUS, Duration::ZERO);
                jump(mixer, voice);
                mixer.pause(BUS, Duration::ZERO);
            }),
            ("the end of the loop, a resume of the bus, a jump", holds_bus, &|mixer, voice| {
                mixer.end_loop(voice);
                mixer.resume(BUS, Duration::ZERO);
                jump(mixer, voice);
            }),
            ("the end of the loop, a resume of the bus, a theft", holds_bus, &|mixer, voice| {
                mixer.end_loop(voice);
                mixer.resume(BUS, Duration::ZERO);
                thief(mixer);
                thief(mixer);
            }),
            (
                "the end of the loop, a resume of the bus, a stop of it",
                holds_bus,
                &|mixer, voice| {
                    mixer.end_loop(voice);
                    mixer.resume(BUS, Duration::ZERO);
                    mixer.stop(BUS, ms(20));
                },
            ),
            ("a jump, and the room that it is sent to", nothing, &|mixer, voice| {
                jump(mixer, voice);
                mixer.set_reverb(ROOM, Reverb::DEFAULT, Duration::ZERO);
            }),
        ];
        for (what, before, say) in says {
            for (filtered, looping) in [(false, true), (true, true), (true, false)] {
                let config = Config { voices: 2, ..Config::default() };
                let mut pair = Pair::new(config, &file);
                let voices = pair.play(|play| {
                    let play = if looping { play.looping() } else { play };
                    let play = if filtered { play.low_pass(900.0) } else { play };
                    play.bus(BUS).priority(Priority::Normal).gain(0.7).send(ROOM, 0.5)
                });
                let case = format!("{what} at {rate}, {filtered}, {looping}");
                pair.hear(30_000, 500, &case);
                pair.say(voices, before);
                pair.hear(3_000, 500, &case);
                pair.say(voices, say);
                pair.hear(2_000, 64, &case);
                pair.say(voices, |mixer, voice| {
                    mixer.resume(voice, Duration::ZERO);
                    mixer.resume(BUS, Duration::ZERO);
                });
                pair.hear(12_000, 64, &case);
                let [streamed, loaded] = [&pair.streamed.0, &pair.loaded.0].map(Mixer::stats);
                assert_eq!((streamed.stolen, streamed.parkings), (loaded.stolen, loaded.parkings));
                assert_eq!(streamed.underruns, 0, "{case}");
                let [streamed, loaded] =
                    pair.endings().map(|endings| endings.into_iter().map(alike));
                assert!(streamed.eq(loaded), "{case}");
            }
        }
    }
}

/// A loop is ended, and its voice stands still before the line is over: it goes on in its place, with a filter that
/// still rings, whatever becomes of its speed.
#[test]
fn who_ends_its_loop_and_stands_still_on_one_line_is_heard_alike() {
    let says: [SayWith; 3] = [
        &|mixer, voice| {
            mixer.resume(voice, Duration::ZERO);
            mixer.end_loop(voice);
            mixer.pause(voice, Duration::ZERO);
            mixer.set_speed(voice, 1.0 / 1.2, Duration::ZERO);
            mixer.resume(voice, Duration::ZERO);
        },
        &|mixer, voice| {
            mixer.resume(voice, Duration::ZERO);
            mixer.end_loop(voice);
            mixer.pause(voice, Duration::ZERO);
            mixer.set_speed(BUS, 1.0 / 1.3, Duration::ZERO);
            mixer.resume(voice, Duration::ZERO);
        },
        &|mixer, voice| {
            mixer.resume(voice, Duration::ZERO);
            mixer.pause(BUS, Duration::ZERO);
            mixer.resume(BUS, Duration::ZERO);
            mixer.end_loop(voice);
            mixer.pause(BUS, Duration::ZERO);
            mixer.set_speed(voice, 1.0 / 1.2, Duration::ZERO);
            mixer.resume(BUS, Duration::ZERO);
        },
    ];
    for (case, say) in says.into_iter().enumerate() {
        let mut pair = Pair::new(Config::default(), &Form::PLAIN.music(96_000));
        pair.say([None; 2], |mixer, _| mixer.set_speed(BUS, 1.2, Duration::ZERO));
        let voices = pair.play(|play| play.bus(BUS).looping().speed(1.3).low_pass(100.0));
        pair.hear(30_000, 500, "at first");
        pair.say(voices, |mixer, voice| mixer.pause(voice, Duration::ZERO));
        pair.hear(384, 128, "its filter rings");
        pair.say(voices, say);
        pair.hear(4_000, 128, &format!("{case}"));
    }
}

/// An ending without the name of the thief, which is another in another mixer.
fn alike((at, why): (u64, Ending)) -> (u64, String) {
    let why = match why {
        Ending::Stolen { level, .. } => format!("stolen at {level}"),
        other => format!("{other:?}"),
    };
    (at, why)
}

/// Who came on the line that ends its loop and is robbed much later goes round no more in what it leaves behind.
#[test]
fn whose_loop_was_ended_as_it_came_leaves_it_for_good() {
    for late in [true, false] {
        let (file, noise) = (Form::PLAIN.music(48_000), Form::PLAIN.music(4_800));
        let mut pair = Pair::new(Config { voices: 2, ..Config::default() }, &file);
        // While somebody has a place, who comes in a full pool begins once the line is known.
        let round = |play: Play| play.loop_range(Duration::ZERO..ms(250)).priority(Priority::Low);
        pair.play(|play| play.at([1.0, 0.0]).gain(0.1));
        pair.hear(1_000, 500, "somebody with a place");
        let voices = pair.play(|play| round(play).at([0.0, 0.5]).gain(0.5));
        if late {
            pair.say(voices, |mixer, voice| mixer.end_loop(voice));
        } else {
            pair.say(voices, |mixer, _| mixer.end_loop(BusId::MASTER));
        }
        // Less than 5 ms before the loop's end, which it plays past.
        pair.hear(11_776, 128, "up to its end");
        pair.say(voices, |mixer, _| {
            let sound = mixer.load_bytes("thief", &noise[..]).expect("a good file");
            mixer.play(Play::of(sound).priority(Priority::High));
        });
        pair.hear(4_000, 128, "its tail");
        assert_eq!(pair.loaded.0.stats().stolen + pair.loaded.0.stats().parkings, 1);
    }
}

/// Who waits to be heard elsewhere needs what lies ahead of two places. What it could not have then it has before
/// somebody robs it.
#[test]
fn the_fastest_jumps_and_is_robbed_on_the_next_line_alike() {
    let noise = Form::PLAIN.music(4_800);
    for speed in [60.0, 80.0, 100.0] {
        let file = at(48_000).music(48_000 * 20);
        let mut pair = Pair::new(Config { voices: 1, ..Config::default() }, &file);
        let voices = pair.play(|play| play.speed(speed).looping().priority(Priority::Low));
        pair.hear(3_000, 500, "at first");
        pair.say(voices, |mixer, voice| mixer.seek(voice, secs(9.0)));
        pair.hear(128, 128, "a jump");
        pair.say(voices, |mixer, _| {
            let sound = mixer.load_bytes("thief", &noise[..]).expect("a good file");
            mixer.play(Play::of(sound).priority(Priority::High));
        });
        pair.hear(3_000, 128, &format!("robbed at {speed}"));
    }
}

/// What several voices leave behind on one line is added up in the order in which they were told, in which sums of
/// three differ.
#[test]
fn several_that_jump_on_one_line_are_heard_alike() {
    let mut pair = Pair::new(Config::default(), &Form::PLAIN.music(48_000));
    let voices = [0, 1, 2]
        .map(|n| pair.play(|play| play.gain(0.1 + 0.07 * n as f32).from_position(ms(90 * n))));
    for (round, order) in [[2, 1, 0], [1, 2, 0], [0, 2, 1], [2, 0, 1]].into_iter().enumerate() {
        pair.hear(3_000, 128, "before");
        for at in order {
            pair.say(voices[at], |mixer, voice| mixer.seek(voice, ms(100 * (at + round) as u64)));
        }
        // The latest seek of one voice does not count for when it was told to leave.
        pair.say(voices[order[0]], |mixer, voice| mixer.seek(voice, ms(500)));
        pair.hear(1_000, 128, &format!("{order:?}"));
    }
}

/// Where many seeks are told on one line, the last one counts, and one slope leads away from what was heard.
#[test]
fn a_storm_of_seeks_ends_where_the_last_one_said() {
    let mut pair = Pair::new(Config::default(), &Form::PLAIN.music(48_000 * 3));
    let voices = pair.play(|play| play.looping());
    pair.hear(5_000, 512, "start");
    for round in 0..20u64 {
        for to in [2800, 50, 1400 + round, 900, 37 * round + 800] {
            pair.say(voices, |mixer, voice| mixer.seek(voice, ms(to)));
        }
        pair.hear(1_200 + round as usize * 77, 128, "where it was told to go");
    }
    assert_eq!(pair.streamed.0.stats().underruns, 0);
}

#[test]
fn streams_that_are_played_together_begin_on_one_frame() {
    let mut pair = Pair::new(Config::default(), &Form::PLAIN.music(48_000));
    let stems = |play: Play| [play.clone().gain(0.3), play.gain(0.2).from_position(ms(500))];
    assert!(pair.streamed.0.play_together(stems(Play::of(&pair.stream))).is_some());
    assert!(pair.loaded.0.play_together(stems(Play::of(&pair.sound))).is_some());
    pair.hear(60_000, 777, "stems");
    assert_eq!(pair.assert_ended_alike("stems").len(), 2);
}

#[test]
fn more_streams_than_there_are_places_are_refused() {
    let (mixer, mut renderer) =
        Mixer::offline(Config { streams: 2, ..Config::default() }).expect("a good config");
    let music: Stream = stream(&Form::PLAIN.music(48_000));
    let voices: Vec<Option<VoiceId>> = (0..3).map(|_| mixer.play(&music)).collect();
    renderer.frames(256);
    let refused: Vec<Event> = mixer.events().collect();
    let [Event::Ended { voice, why, .. }] = refused.as_slice() else { panic!("{refused:?}") };
    assert_eq!(*why, Ending::Refused { why: Refusal::NoStream });
    assert_eq!(Some(*voice), voices[2], "the last one");
    renderer.frames(48_000 * 2);
    assert_eq!(mixer.stats().finished, 2);
}
