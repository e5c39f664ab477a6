//! What devices played, and the time that passed without one, is in a recording.

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

use cpal::ErrorKind;

use super::helpers::{patient, plays, small, until};
use super::{Output, Script};
use crate::{Frame, Play, Replay, Sound};

/// A file in memory.
#[derive(Clone, Default)]
struct File(Arc<Mutex<Vec<u8>>>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Of each device, behind its fade in, the very frames, and each later than those of the one before.
#[test]
fn what_devices_played_that_came_and_went_is_heard_again() {
    let script = Script::usual();
    let mixer = script.open(small(), patient());
    let file = File::default();
    let recorder = mixer.record(file.clone()).unwrap().with_sounds();
    let mut state = 1_u32;
    let noise: Vec<f32> = (0..480_000)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 25) as f32
        })
        .collect();
    mixer.play(Play::of(Sound::from_mono(48_000, &noise).unwrap()).looping());
    let mut heard: Vec<Vec<Frame>> = Vec::new();
    for built in 1..=3 {
        let stream = script.stream(&mixer, built);
        heard.push((0..20).flat_map(|_| stream.frames(480)).collect());
        script.change(|plan| plan.outputs.clear());
        stream.raise(ErrorKind::DeviceNotAvailable);
        until("it is lost", || !plays(&mixer));
        let clock = mixer.clock();
        until("time passes without it", || mixer.clock() > clock + 2000);
        script.change(|plan| plan.outputs = vec![Output::new("speakers", 48_000)]);
    }
    assert!(recorder.finish().unwrap().is_whole);
    let file = Cursor::new(file.0.lock().unwrap().clone());
    let mut replay = Replay::read(file, |_| None).unwrap();
    let mut again = vec![[0.0; 2]; replay.frame_count() as usize];
    replay.render(&mut again);
    let mut rest = &again[..];
    for (device, heard) in heard.iter().enumerate() {
        let played = &heard[2000..];
        assert!(played.iter().all(|frame| frame[0] != 0.0));
        let found = rest.windows(played.len()).position(|part| part == played);
        let at = found.unwrap_or_else(|| panic!("device {device} played something else"));
        rest = &rest[at + played.len() + 2000..];
    }
}
