//! A device that comes and goes all day.

use cpal::ErrorKind;

use super::driver::allocator::held_by_all;
use super::helpers::{assert_balanced, in_own_process, patient, plays, saw, small, until};
use super::{Output, Script};

/// How many there are in a folder of the kernel's, of this process.
fn count(what: &str) -> usize {
    std::fs::read_dir(format!("/proc/self/{what}")).unwrap().count()
}

/// A thousand streams, one after the other, on devices of two rates: in the end there are as many
/// threads, open files and bytes as there were near the beginning.
#[test]
fn a_thousand_rebuilds_leave_threads_files_and_memory_as_they_were() {
    if !in_own_process("rebuilds::a_thousand_rebuilds_leave_threads_files_and_memory_as_they_were")
    {
        return;
    }
    let script = Script::usual();
    let mixer = script.open(small(), patient());
    mixer.play(saw());
    let mut before = None;
    for built in 1..=1000 {
        let stream = script.stream(&mixer, built);
        stream.frames(480);
        mixer.events().for_each(drop);
        if built == 100 || built == 1000 {
            until("what was let go is gone", || script.plan().streams.len() == 1);
            // The thread that dropped it may be a moment longer on its way.
            let settled = before.unwrap_or((4, usize::MAX, isize::MAX));
            until("threads are flat", || count("task") <= settled.0);
            let now = (count("task"), count("fd"), held_by_all());
            let (threads, files, bytes) = *before.get_or_insert(now);
            assert!(now.0 <= threads && now.1 <= files, "{now:?} from {before:?}");
            assert!(now.2 - bytes < 16_384, "{} bytes from {bytes}", now.2);
        }
        let rate = if built % 2 == 0 { 48_000 } else { 44_100 };
        script.change(|plan| plan.outputs = vec![Output::new("speakers", rate)]);
        stream.raise(ErrorKind::StreamInvalidated);
        until("it is lost", || !plays(&mixer) || script.plan().built > built);
    }
    assert_eq!(mixer.stats().live, 1);
    assert_balanced(&mixer);
}
