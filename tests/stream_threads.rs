//! What streams leave behind when they are gone: no thread and no open file. It counts those of the whole
//! process, and so it is alone in it.
#![cfg(target_os = "linux")]

mod common;
#[path = "common/streams.rs"]
mod streams;

use std::fs;

use streams::{Beyond, Disk, Form, wait_until};
use voicepool::{Config, Mixer, Play, Stream, ms};

fn entries(folder: &str) -> usize {
    fs::read_dir(folder).expect("a folder of the system").count()
}

/// Threads, and open files.
fn count() -> (usize, usize) {
    (entries("/proc/self/task"), entries("/proc/self/fd"))
}

#[test]
fn readers_that_return_leave_no_thread_and_no_open_file() {
    let file = Form::MONO.music(48_000);
    let path = std::env::temp_dir().join(format!("voicepool-threads-{}.wav", std::process::id()));
    fs::write(&path, &file).expect("a file");
    let before = count();
    for round in 0..6 {
        let disk = Disk::new(&file);
        let (stuck, music) = (disk.stream("stuck"), Stream::open(&path).expect("a good file"));
        assert_eq!(count().1, before.1, "it is opened when it is played");
        let (mixer, mut renderer) = Mixer::offline(Config::default()).expect("a good config");
        let held = mixer.play(Play::of(&music).looping());
        mixer.play(Play::of(&music).from_position(ms(500)));
        renderer.frames(40_000);
        disk.stop_at(0, Beyond::Block);
        for _ in 0..2 {
            mixer.play(Play::of(&stuck).looping());
        }
        let mut out = [[0.0; 2]; 4096];
        renderer.render(&mut out);
        disk.wait_until_blocked();
        if round % 2 == 0 {
            mixer.stop(held, ms(0));
            renderer.render(&mut out);
            mixer.events().for_each(drop);
            wait_until("a file that is closed", || count().1 == before.1);
        }
        drop((mixer, music, renderer));
        disk.go_on();
        wait_until("threads and files as before", || count() == before);
    }
    fs::remove_file(&path).expect("the file is there");
}
