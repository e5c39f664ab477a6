//! The worst that a game can do to the audio thread: flood it from the very core it runs on, where
//! it preempts the game's threads in the middle of their calls.
//!
//! Without the gate in `link/lane.rs` the audio thread would spin until whoever it preempted had
//! finished, who cannot run while it spins: a wait of a second, until the system steps in. It runs where
//! `VOICEPOOL_LIVE` is set and the system grants real-time priority.
#![cfg(target_os = "linux")]

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use voicepool::{BusId, Config, Mixer, ms};

/// Keeps this thread on the first core that it may run on.
fn pin() {
    // SAFETY: the sets are plain bits, all 0 to begin with, and as large as the calls are told.
    unsafe {
        let mut cores: libc::cpu_set_t = std::mem::zeroed();
        assert_eq!(libc::sched_getaffinity(0, size_of_val(&cores), &mut cores), 0);
        let first = (0..libc::CPU_SETSIZE as usize).find(|core| libc::CPU_ISSET(*core, &cores));
        libc::CPU_ZERO(&mut cores);
        libc::CPU_SET(first.unwrap(), &mut cores);
        assert_eq!(libc::sched_setaffinity(0, size_of_val(&cores), &cores), 0);
    }
}

/// Makes this thread one that ordinary threads never interrupt. Whether that was granted.
fn become_real_time() -> bool {
    let priority = libc::sched_param { sched_priority: 50 };
    // SAFETY: the parameters are read during the call only.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &priority) == 0 }
}

/// Longer than this, nothing but a wait can take.
const A_WAIT: Duration = ms(200);

/// How long each of many turns took, in order of length, up to the first that had to wait.
fn turns(mut turn: impl FnMut()) -> Vec<Duration> {
    let mut times = Vec::new();
    while times.len() < 10_000 && times.last().is_none_or(|time| *time < A_WAIT) {
        // The game goes on in between, and is never met at the same moment of its work.
        thread::sleep(Duration::from_micros(200 + times.len() as u64 * 37 % 101));
        let began = Instant::now();
        turn();
        times.push(began.elapsed());
    }
    times.sort();
    times
}

/// Floods the audio thread from its own core, and tells how long its turns took. `None` if it did not
/// get real-time priority.
fn flooded() -> Option<Vec<Duration>> {
    let (mixer, mut renderer) = Mixer::offline(Config::default()).unwrap();
    let over = AtomicBool::new(false);
    let flood = || {
        pin();
        while !over.load(Relaxed) {
            // Of all commands the least work: it is the waiting that is measured.
            mixer.set_gain(BusId::new(1), 0.5, ms(5));
        }
    };
    let audio = || {
        pin();
        if !become_real_time() {
            return None;
        }
        let mut block = [[0.0; 2]; 128];
        Some(turns(|| renderer.render(&mut block)))
    };
    thread::scope(|scope| {
        (0..2).for_each(|_| drop(scope.spawn(flood)));
        let drained = scope.spawn(audio).join();
        over.store(true, Relaxed);
        drained.unwrap()
    })
}

#[test]
fn the_audio_thread_never_waits_for_a_game_thread_it_has_preempted() {
    if std::env::var_os("VOICEPOOL_LIVE").is_none() {
        return println!("not run, for VOICEPOOL_LIVE is not set");
    }
    // A host that is shared may take the whole core away now and then: that has shown nothing. Who
    // waits for the game's threads does so each time.
    let never_waits = (0..10).find_map(|_| {
        let Some(drained) = flooded() else { return Some(None) };
        let part = |of_1000: usize| drained[(drained.len() - 1) * of_1000 / 1000];
        let (median, high, worst) = (part(500), part(999), part(1000));
        let turns = drained.len();
        println!("{turns} turns: {median:?} as a rule, {high:?} 1 in 1000, {worst:?} at worst");
        (worst < A_WAIT && high - median < ms(1)).then_some(Some(()))
    });
    match never_waits {
        Some(Some(())) => (),
        Some(None) => println!("not run, for real-time priority is not granted here"),
        None => panic!("it had to wait each time"),
    }
}
