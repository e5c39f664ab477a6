//! Law 2 in space: moves never cost a play its place in the queue nor a control its way, nothing piles up while
//! the renderer is stalled, and of what was said then the latest holds.

#[path = "common/allocator.rs"]
mod allocator;
mod common;

use allocator::{counted, heap_calls};
use common::{Random, assert_balanced, mono};
use voicepool::{
    Attenuation, BusId, Config, Distance, Listener, Mixer, Play, Point, Renderer, Sound, Tag,
    VoiceId, ms,
};

const RATE: u32 = 8_000;
/// As loud from everywhere: only the side tells where it is.
const SIDE_ALONE: Attenuation =
    Attenuation { model: Distance::None, width: 100.0, ..Attenuation::DEFAULT };

fn open(commands: usize) -> (Mixer, Renderer) {
    let config = Config {
        voices: 16,
        max_voices: 16,
        parked: 16,
        scheduled: 4,
        commands,
        sample_rate: RATE,
        ..Config::default()
    };
    Mixer::offline(config).expect("a good config")
}

fn ones() -> Sound {
    mono(RATE, &[1.0; 64])
}

/// Starts plays, a few at a time, so that all of them are heard by the renderer.
fn start(mixer: &Mixer, renderer: &mut Renderer, plays: usize) -> Vec<VoiceId> {
    let play =
        |n| Play::of(ones()).looping().gain(0.01).at([0.0; 2]).tag(n).attenuation(SIDE_ALONE);
    (0..plays)
        .map(|n| {
            let voice = mixer.play(play(n as u64 / 2)).expect("room in the queue");
            renderer.frames(128);
            voice
        })
        .collect()
}

/// The pan of every play as a picture shows it, by its id.
fn pans(mixer: &Mixer, renderer: &mut Renderer) -> Vec<(VoiceId, f32)> {
    for _ in 0..3 {
        mixer.voices();
        renderer.frames(128);
    }
    let mut pans: Vec<_> = mixer.voices().iter().map(|row| (row.voice, row.pan)).collect();
    pans.sort_by_key(|(voice, _)| *voice);
    pans
}

/// The renderer runs again, and the mixer is touched now and then, until all has arrived.
fn catch_up(mixer: &Mixer, renderer: &mut Renderer) {
    for _ in 0..12 {
        renderer.frames(128);
        assert_balanced(&mixer.stats());
    }
}

/// Says a hundred thousand things of places, and returns where everybody is in the end.
fn a_hundred_thousand_moves(mixer: &Mixer, voices: &[VoiceId]) -> (Vec<Point>, Point) {
    let mut random = Random(3);
    let mut places = vec![Point::default(); voices.len()];
    let mut ear = Point::default();
    for n in 0..25_000 {
        let mut place = || Point::from([random.between(-40.0, 40.0), 0.0]);
        let one = n % voices.len();
        places[one] = place();
        mixer.set_position(voices[one], places[one]);
        // Two plays have a tag.
        let tag = n / 3 % (voices.len() / 2);
        places[2 * tag] = place();
        places[2 * tag + 1] = places[2 * tag];
        mixer.set_position(Tag(tag as u64), places[2 * tag]);
        if n % 100 == 0 {
            places.iter_mut().for_each(|it| *it = place());
            mixer.set_positions(voices.iter().copied().zip(places.iter().copied()));
        }
        ear = place();
        mixer.set_listener(Listener::at(ear));
        mixer.set_occlusion(voices[one], 0.5, ms(0));
    }
    (places, ear)
}

/// With the queue full of moves, all plays that it has room for are accepted, and no more; and with the queue
/// full of plays moves arrive. Then the latest holds.
#[test]
fn moves_cost_no_play_its_place_and_the_latest_of_them_hold() {
    for commands in 1..=4 {
        for plays_first in [false, true] {
            let (mixer, mut renderer) = open(commands);
            let voices = start(&mixer, &mut renderer, 10);
            let fill = || {
                let accepted = [(); 6].map(|()| mixer.play(ones()).is_some());
                let expected = [0, 1, 2, 3, 4, 5].map(|n| n < commands);
                assert_eq!(accepted, expected, "{commands} commands");
            };
            if plays_first {
                fill();
            }
            let (places, ear) = a_hundred_thousand_moves(&mixer, &voices);
            if !plays_first {
                fill();
            }
            catch_up(&mixer, &mut renderer);
            let expected: Vec<_> = voices
                .iter()
                .zip(&places)
                .map(|(voice, place)| (*voice, (place.x - ear.x) / 100.0))
                .collect();
            let mut pans = pans(&mixer, &mut renderer);
            pans.retain(|(voice, _)| voices.contains(voice));
            for ((voice, pan), (expected_voice, expected)) in pans.iter().zip(&expected) {
                assert_eq!(voice, expected_voice);
                assert!(
                    (pan - expected).abs() < 1e-5,
                    "{commands} commands: {pan}, not {expected}"
                );
            }
            assert_eq!((pans.len(), mixer.stats().turned_away), (10, 6 - commands as u64));
        }
    }
}

/// A control beside a storm of moves arrives, each kind of it, and is not moved behind them.
#[test]
fn no_control_is_lost_beside_moves() {
    for commands in 1..=4 {
        let (mixer, mut renderer) = open(commands);
        let voices = start(&mixer, &mut renderer, 4);
        a_hundred_thousand_moves(&mixer, &voices);
        mixer.set_gain(voices[0], 0.02, ms(0));
        mixer.stop(voices[1], ms(0));
        mixer.pause(voices[2], ms(0));
        mixer.set_gain(BusId::MASTER, 0.5, ms(0));
        mixer.set_mute(voices[3], true);
        mixer.set_listener(Listener::DEFAULT);
        voices.iter().for_each(|voice| {
            mixer.set_position(*voice, [0.0; 2]);
            mixer.set_occlusion(*voice, 0.0, ms(0));
        });
        catch_up(&mixer, &mut renderer);
        assert!(!mixer.is_live(voices[1]));
        let heard = renderer.frames(512)[511];
        assert!((heard[0] - 0.01).abs() < 1e-6 && heard[0] == heard[1], "{heard:?}");
    }
}

/// The game holds no more and waits for nobody, however long the renderer stands still.
#[test]
fn a_hundred_thousand_moves_against_a_stalled_renderer_take_no_memory() {
    let (mixer, mut renderer) = open(2);
    let voices = start(&mixer, &mut renderer, 10);
    // What is made when it is first needed.
    let (_, first, _) = counted(|| a_hundred_thousand_moves(&mixer, &voices));
    assert!(first < 64 * 1024, "it held {first} bytes more");
    let ((), most, _) = counted(|| {
        for n in 0..100_000 {
            mixer.set_position(voices[n % 10], [n as f32, 0.0]);
            mixer.set_listener(Listener::at([0.0, n as f32]));
        }
    });
    assert!(most < 1024, "it held {most} bytes more");
    let ((), calls) = heap_calls(|| {
        mixer.set_listener(Listener::DEFAULT);
        mixer.teleport(voices[3], [1.0, 1.0]);
    });
    assert_eq!(calls, 0);
    catch_up(&mixer, &mut renderer);
}

/// What was brought somewhere, and then moved on while nobody listened, was brought there: nothing is bent.
#[test]
fn a_teleport_stays_a_teleport_while_the_renderer_is_stalled() {
    let clip: Vec<f32> = (0..4000).map(|n| (n % 97) as f32 / 200.0).collect();
    let run = |doppler: f32, of_listener: bool, jumps: bool| {
        let attenuation = Attenuation { doppler, ..SIDE_ALONE };
        let (mixer, mut renderer) = open(2);
        let play = Play::of(mono(RATE, &clip)).looping().at([5.0, 0.0]).attenuation(attenuation);
        let voice = mixer.play(play);
        mixer.set_listener(Listener::DEFAULT);
        renderer.frames(256);
        // All places in the queue are taken.
        (0..400).for_each(|_| mixer.set_listener(Listener::DEFAULT));
        let to = [12.0, 0.0];
        match (of_listener, jumps) {
            (false, true) => mixer.teleport(voice, [11.9, 0.0]),
            (true, true) => mixer.teleport_listener(Listener::at([11.9, 0.0])),
            _ => (),
        }
        match of_listener {
            false => mixer.set_position(voice, to),
            true => mixer.set_listener(Listener::at(to)),
        }
        let mut heard = Vec::new();
        for _ in 0..20 {
            heard.extend(renderer.frames(128));
            mixer.stats();
        }
        heard
    };
    for of_listener in [false, true] {
        assert!(run(1.0, of_listener, true) == run(0.0, of_listener, true));
        assert!(run(1.0, of_listener, false) != run(0.0, of_listener, false));
    }
}

/// The last mixer goes right after a move, with the queue full or not: the move is heard.
#[test]
fn the_latest_places_hold_though_the_mixer_goes() {
    for commands in 1..=4 {
        for moves in [1, 3, 100, 1000] {
            let (mixer, mut renderer) = open(commands);
            let voices = start(&mixer, &mut renderer, 8);
            (0..commands).for_each(|_| mixer.set_gain(BusId::new(9), 1.0, ms(0)));
            for n in 0..moves {
                let x = 50.0 - (moves - 1 - n) as f32;
                mixer.set_positions(voices.iter().map(|voice| (*voice, [x, 0.0])));
                mixer.set_listener(Listener::at([x - 75.0, 0.0]));
                mixer.set_occlusion(Tag(1), 1.0, ms(0));
                mixer.set_occlusion(Tag(1), 0.0, ms(0));
            }
            drop(mixer);
            let heard = renderer.frames(4096)[4095];
            // 75 of 100 to the right.
            let expected = [0.08 * 0.25f32.sqrt(), 0.08 * 1.75f32.sqrt()];
            for (heard, expected) in heard.iter().zip(expected) {
                assert!(
                    (heard - expected).abs() < 1e-5,
                    "{commands}, {moves}: {heard}, {expected}"
                );
            }
        }
    }
}

/// What waits for a play that has ended is not said to the play that has its ticket now. So much waits that it
/// takes several touches of the mixer to send it.
#[test]
fn a_move_that_waits_dies_with_its_play() {
    let config = Config { parked: 1500, commands: 2000, sample_rate: RATE, ..Config::default() };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    let far_off = Play::of(ones()).looping().at([900.0, 0.0]);
    let voices: Vec<VoiceId> = (0..1400).filter_map(|_| mixer.play(&far_off)).collect();
    renderer.frames(256);
    assert_eq!(mixer.stats().parked, 1400);
    // All places in the queue are taken, so that all of this waits.
    (0..400).for_each(|_| mixer.set_listener(Listener::DEFAULT));
    mixer.set_positions(voices.iter().map(|voice| (*voice, [800.0, 0.0])));
    mixer.set_occlusions(voices.iter().map(|voice| (*voice, 0.5)), ms(0));
    let last = voices[1399];
    mixer.stop(last, ms(0));
    renderer.frames(256);
    // It has ended, which is seen here, and this one gets its ticket.
    let play = Play::of(ones()).looping().gain(0.5).at([0.0, 0.0]).tag(5);
    let new = mixer.play(play).expect("there is room");
    catch_up(&mixer, &mut renderer);
    assert!(!mixer.is_live(last) && mixer.is_live(new));
    let heard = renderer.frames(512)[511];
    assert_eq!((heard, mixer.stats().playing), ([0.5; 2], 1));
}
