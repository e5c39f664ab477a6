//! Both sides together, under `loom`: a mixer and its renderer on two threads, on every way in which they can
//! meet in what they share. With each model stand bugs of one line that it was seen to catch, of which
//! `.ci/teeth` plants some again.

use loom::thread::{Builder, JoinHandle};

use crate::{Config, Ending, Event, Mixer, Play, Renderer, Sound, ms};

/// Threads of a model have small stacks; ours wants a larger one.
fn spawn<R: Send + 'static>(run: impl FnOnce() -> R + Send + 'static) -> JoinHandle<R> {
    Builder::new().stack_size(1 << 20).spawn(run).expect("a thread")
}

fn joined<R>(thread: JoinHandle<R>) -> R {
    thread.join().expect("it does not panic")
}

fn model(game: fn()) {
    loom::model(move || joined(spawn(game)));
}

/// The least of everything, but for voices and commands.
fn open() -> (Mixer, Renderer, Sound) {
    let config = Config {
        sample_rate: 1000,
        voices: 2,
        max_voices: 2,
        parked: 1,
        scheduled: 1,
        commands: 2,
        streams: 1,
        cues: 1,
        ..Config::DEFAULT
    };
    let (mixer, renderer) = Mixer::offline(config).expect("a mixer");
    (mixer, renderer, Sound::from_mono(1000, &[0.25]).expect("a sound"))
}

/// The game plays, and plays again with the tickets that come back, while the audio side renders two lines and
/// goes. Each play has one ending, under its own name; and who was heard to its end has finished, since all that
/// the audio side had to say is collected before the game side ends what was left.
///
/// Caught in `game/ledger/mod.rs`: `closed` asked for behind the reports in `collect`.
#[test]
fn every_ticket_has_its_ending_before_it_is_given_out_again() {
    model(|| {
        let (mixer, mut renderer, sound) = open();
        let play = |tag: u64| {
            let voice = mixer.play(Play::of(&sound).gain(tag as f32).tag(tag));
            voice.map(|voice| (voice, tag))
        };
        let first = play(1);
        let audio = spawn(move || renderer.render(&mut [[0.0; 2]]));
        let mut ended: Vec<Event> = mixer.events().collect();
        let second = play(2);
        ended.extend(mixer.events());
        joined(audio);
        ended.extend(mixer.events());

        let (stats, accepted): (_, Vec<_>) =
            (mixer.stats(), first.into_iter().chain(second).collect());
        assert_eq!((stats.live, stats.accepted), (0, accepted.len() as u64));
        assert_eq!(ended.len(), accepted.len(), "{ended:?}");
        for event in ended {
            let Event::Ended { voice, tag, why, .. } = event else { panic!("{event:?}") };
            assert!(accepted.contains(&(voice, tag)), "{voice:?} is not {tag}");
            let was_heard = stats.peak[0] == 0.75 || stats.peak[0] == 0.25 * tag as f32;
            assert!(!was_heard || why == Ending::Finished, "{tag} was heard, and is {why:?}");
        }
    });
}

/// Wherever the audio side is when all is stopped: what was played before ends, what is played after plays on.
///
/// Caught in `audio/renderer/placement.rs`: `<` for `<=` in `begin`, which lets a play go on that was still in
/// the queue when the order was taken; in `game/ledger/mod.rs`: `placed() + 1` in `stop_all`.
#[test]
fn what_is_played_before_all_is_stopped_ends_and_what_comes_after_plays_on() {
    model(|| {
        let (mixer, mut renderer, sound) = open();
        let audio = spawn(move || {
            renderer.render(&mut [[0.0; 2]]);
            renderer
        });
        let before = mixer.play(Play::of(&sound).looping()).expect("there is room");
        mixer.stop_all(ms(0));
        let after = mixer.play(Play::of(&sound).looping()).expect("there is room");
        let mut renderer = joined(audio);
        renderer.render(&mut [[0.0; 2]; 512]);
        assert_eq!((mixer.is_live(before), mixer.is_live(after)), (false, true));
        assert_eq!(mixer.stats().stopped, 1);
    });
}
