//! A game that forks, to start another program or to save itself, while no other thread of the game is within a call
//! of the mixer: in the child there is but the one thread that forked. Nothing of the mixer that is called here waits
//! there for those that are gone, and the parent does not notice.
//!
//! A fork while another thread of the game is within a call may leave the child's ledger locked for ever. That is not
//! promised, and not tried. Nor is what needs the thread that reads: to play another stream in the child, or to drop a
//! mixer there that has played one.
#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

mod common;
#[path = "common/streams.rs"]
mod streams;

use std::time::{Duration, Instant};
use std::{io, thread};

use common::{assert_balanced, mono, noise};
use streams::{Form, stream};
use voicepool::{Config, Mixer, Play, Renderer, ms};

/// Much longer than a child takes, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// More frames than are ever on their way to a stream's voice: sixteen blocks of 4,096.
const READ_AHEAD: usize = 80_000;

/// Forks, calls in the child, and tells what that exited with.
#[track_caller]
fn in_child(call: impl FnOnce() -> bool) -> i32 {
    // SAFETY: the child calls nothing but the mixer and `_exit`. Of the test's other threads none is alive there;
    // that their locks may be closed for ever is what this is about.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "{}", io::Error::last_os_error());
    if child == 0 {
        let code = if call() { 7 } else { 8 };
        // SAFETY: it does not return, and runs nothing of what the parent has registered.
        unsafe { libc::_exit(code) }
    }
    let began = Instant::now();
    loop {
        let mut status = 0;
        // SAFETY: the status is a number of the test's own, and the child is this process's.
        if unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == child {
            return if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { -status };
        }
        if began.elapsed() > PATIENCE {
            // SAFETY: it is a child of this process, and not yet waited for.
            unsafe { libc::kill(child, libc::SIGKILL) };
            panic!("the child hangs");
        }
        thread::sleep(ms(1));
    }
}

fn use_it(mixer: &Mixer, renderer: &mut Renderer) -> bool {
    let sound = mono(48_000, &noise(2, 500));
    let voice = mixer.play(Play::of(&sound).looping());
    let mut out = [[0.0; 2]; 1024];
    renderer.render(&mut out);
    let is_heard = out.iter().any(|frame| *frame != [0.0; 2]);
    mixer.stop(voice, ms(5));
    renderer.render(&mut out);
    let stats = mixer.stats();
    mixer.events().for_each(drop);
    mixer.stop_all(ms(0));
    renderer.render(&mut out);
    assert_balanced(&mixer.stats());
    is_heard && stats.accepted > 0
}

#[test]
fn a_mixer_plays_on_in_a_child_and_in_its_parent() {
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).expect("a good config");
    assert!(use_it(&mixer, &mut renderer));
    for _ in 0..20 {
        let accepted = mixer.stats().accepted;
        assert_eq!(in_child(|| use_it(&mixer, &mut renderer)), 7);
        assert_eq!(mixer.stats().accepted, accepted, "what the child did is its own");
    }
    assert!(use_it(&mixer, &mut renderer));
}

#[test]
fn a_child_may_open_mixers_and_drop_those_it_has() {
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).expect("a good config");
    assert!(use_it(&mixer, &mut renderer));
    let code = in_child(|| {
        drop((mixer, renderer));
        let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).expect("a good config");
        use_it(&mixer, &mut renderer)
    });
    assert_eq!(code, 7);
}

/// The thread that reads is not there: what it had read is heard, what it had not read is silence, time goes on, and
/// everything returns.
#[test]
fn a_stream_falls_silent_in_a_child_and_goes_on_in_its_parent() {
    let (mixer, mut renderer) = Mixer::offline(Config::DEFAULT).expect("a good config");
    let music = stream(&Form::PLAIN.music(400_000));
    let voice = mixer.play(&music);
    renderer.frames(50_000);
    let code = in_child(|| {
        // Not to the end of the music: it is the gap that is silent.
        let mut out = vec![[0.0; 2]; 3 * READ_AHEAD];
        out.chunks_mut(4096).for_each(|part| renderer.render(part));
        let is_heard = out[..128].iter().any(|frame| *frame != [0.0; 2]);
        let is_silent = out[READ_AHEAD..].iter().all(|frame| *frame == [0.0; 2]);
        let goes_on = mixer.is_live(voice) && mixer.stats().underruns == 1;
        mixer.stop_all(ms(0));
        renderer.render(&mut out[..4096]);
        is_heard && is_silent && goes_on && mixer.stats().live == 0
    });
    assert_eq!(code, 7);
    assert!(mixer.is_live(voice));
    let heard = renderer.frames(100_000);
    assert!(heard.iter().filter(|frame| **frame != [0.0; 2]).count() > 90_000);
    assert_eq!(mixer.stats().underruns, 0);
}
