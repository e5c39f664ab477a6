//! Law 10 with streams: what one takes while it plays does not depend on how long its file is, and nothing is
//! left of it. It counts what the whole process holds, and so it is alone in it.

#[path = "common/allocator.rs"]
mod allocator;
mod common;
#[path = "common/streams.rs"]
mod streams;

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use allocator::held_by_all;
use streams::{Form, wait_until};
use voicepool::{Config, Mixer, Play, Stream, ms};

/// What a stream may take while it plays, beside what it keeps of its beginning: some 0.6 MB, and 1 MiB at the
/// most.
const MOST_BYTES: isize = 1024 * 1024;

/// A file of any length that takes no memory: a header, and bytes that are worked out as they are read.
struct Endless {
    header: Arc<[u8]>,
    length: u64,
    at: u64,
    read: Arc<AtomicU64>,
}

impl Read for Endless {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = (self.length.saturating_sub(self.at)).min(out.len() as u64);
        for (byte, at) in out.iter_mut().zip(self.at..self.at + count) {
            *byte = self.header.get(at as usize).copied().unwrap_or((at % 61) as u8);
        }
        self.at += count;
        self.read.fetch_add(count, Relaxed);
        Ok(count as usize)
    }
}

impl Seek for Endless {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::End(by) => self.length.saturating_add_signed(by),
            SeekFrom::Current(by) => self.at.saturating_add_signed(by),
        };
        Ok(self.at)
    }
}

/// A stream of so many minutes, and how many bytes were read of it. Its bytes are samples of any form.
fn long(form: Form, minutes: u64) -> (Stream, Arc<AtomicU64>) {
    let data_bytes = minutes * 60 * u64::from(form.rate) * form.frame_bytes();
    let header: Arc<[u8]> = {
        let whole = form.file([[0.0; 2]]);
        let data = whole.windows(4).position(|word| word == b"data").expect("a data chunk");
        let mut header = whole[..data + 8].to_vec();
        header[data + 4..].copy_from_slice(&(data_bytes as u32).to_le_bytes());
        header.into()
    };
    let length = header.len() as u64 + data_bytes;
    let read = Arc::new(AtomicU64::new(0));
    let count = read.clone();
    let open = move || Ok(Endless { header: header.clone(), length, at: 0, read: count.clone() });
    (Stream::from_reader("long", open).expect("a good file"), read)
}

#[test]
fn a_stream_takes_less_than_a_mebibyte_however_long_it_is() {
    let (mixer, mut renderer) = Mixer::offline(Config::default()).expect("a good config");
    for (rate, is_float) in [(48_000, true), (44_100, false), (96_000, true)] {
        for minutes in [1, 60] {
            let (music, read) = long(Form { rate, is_float, ..Form::PLAIN }, minutes);
            let looked_at = read.load(Relaxed);
            assert!(looked_at < 300_000, "{looked_at} bytes are not the head of it");
            // What belongs to the stream or to the rate, and stays, is made with the first play.
            let once = mixer.play(Play::of(&music).from_position(ms(20_000)));
            renderer.frames(100_000);
            mixer.stop(once, ms(0));
            renderer.frames(512);
            mixer.events().for_each(drop);
            let mut before = isize::MAX;
            wait_until("a reader that is closed, and a heap at rest", || {
                let now = held_by_all();
                let is_at_rest = std::mem::replace(&mut before, now) == now;
                // One is held here, and one by the stream.
                is_at_rest && Arc::strong_count(&read) == 2
            });
            let mut most = 0;
            let play = Play::of(&music).loop_range(ms(1500)..ms(40_000));
            let voice = mixer.play(play);
            for at in 0..60 {
                renderer.frames(9_000);
                most = most.max(held_by_all() - before);
                if at % 7 == 0 {
                    mixer.seek(voice, ms(at * 600));
                }
            }
            // All that is ever read ahead has been read once nothing changes any more.
            let (mut same, mut last) = (0, 0);
            wait_until("a heap at rest", || {
                let now = held_by_all() - before;
                most = most.max(now);
                same = if now == last { same + 1 } else { 0 };
                last = now;
                same > 30
            });
            assert!(most < MOST_BYTES, "{most} bytes at {rate} Hz, {minutes} minutes");
            // Nothing grows, however often it is played.
            mixer.stop(voice, ms(0));
            for round in 0..50 {
                let voice = mixer.play(Play::of(&music).looping().from_position(ms(900 * round)));
                renderer.frames(700);
                mixer.stop(voice, ms(0));
                renderer.frames(256);
                mixer.events().for_each(drop);
            }
            assert_eq!(mixer.stats().live, 0);
            wait_until("the heap as it was", || held_by_all() <= before + 4096);
        }
    }
}
