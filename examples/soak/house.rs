//! What the process holds of the system: memory, threads, open files.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use crate::allocator::held_by_all;

/// What is held at some moment. Threads and files are known on Linux only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct House {
    /// Bytes on the heap.
    pub heap: isize,
    pub threads: Option<usize>,
    pub files: Option<usize>,
}

/// How long a thread may take to go. It takes a moment; this is for machines that are busy.
const PATIENCE: Duration = Duration::from_secs(60);

impl House {
    pub fn now() -> House {
        // The heap first: what is listed next is on it meanwhile.
        let heap = held_by_all();
        House { heap, threads: entries("/proc/self/task"), files: entries("/proc/self/fd") }
    }

    /// How it is now, once it is as before or has had the time to become so: the threads of streams go by
    /// themselves, soon after their mixer.
    pub fn settled(before: &House) -> House {
        let since = Instant::now();
        loop {
            let now = House::now();
            if now == *before || since.elapsed() > PATIENCE {
                return now;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Once the threads are as before: what they hold is counted only then.
    pub fn without_threads(before: &House) -> House {
        let since = Instant::now();
        loop {
            let now = House::now();
            if now.threads == before.threads || since.elapsed() > PATIENCE {
                // What a thread holds to its very end is given back a moment after it is off the list.
                thread::sleep(Duration::from_millis(20));
                return House::now();
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// What is more, or less, than before.
    pub fn difference(&self, before: &House) -> Option<String> {
        if self == before {
            return None;
        }
        let count = |count: Option<usize>| count.map_or("unknown".to_owned(), |it| it.to_string());
        Some(format!(
            "the heap holds {} bytes more than after the first scene; {} threads and {} files, before {} and {}",
            self.heap - before.heap,
            count(self.threads),
            count(self.files),
            count(before.threads),
            count(before.files),
        ))
    }
}

fn entries(folder: &str) -> Option<usize> {
    fs::read_dir(folder).ok().map(Iterator::count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_left_behind_is_told() {
        let before = House { heap: 100, threads: Some(1), files: Some(4) };
        assert_eq!(before.difference(&before), None);
        let text = |now: House| now.difference(&before).expect("a difference");
        assert!(text(House { heap: 108, ..before }).contains("holds 8 bytes more"));
        assert!(text(House { threads: Some(2), ..before }).contains("2 threads"));
        assert!(text(House { files: Some(5), ..before }).contains("5 files"));
    }
}
