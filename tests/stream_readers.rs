//! Readers of all kinds: what fails half-way ends softly and says so, what is opened is closed, and nobody hangs
//! on one that never answers.

#[path = "common/clicks.rs"]
mod clicks;
mod common;
#[path = "common/streams.rs"]
mod streams;

use std::io::{self, Cursor};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use clicks::{BOUND, largest_step};
use common::{assert_balanced, sine};
use streams::{Beyond, Disk, DiskReader, Form, HEADER, Pair, assert_alike, stream, wait_until};
use voicepool::{Config, Ending, Event, Frame, Mixer, Play, Renderer, Stream, ms};

const FORM: Form = Form::MONO;

fn byte(frame: u64) -> u64 {
    HEADER + frame * FORM.frame_bytes()
}

/// A sine of 440 Hz for so long, and its largest step.
fn tone(frames: usize) -> (Arc<[u8]>, f32) {
    let samples = sine(48_000, 440.0, 0.0, frames);
    let file = FORM.file(samples.iter().map(|sample| [sample * 0.25; 2]));
    (file, 0.25 * 2.0 * (std::f32::consts::PI * 440.0 / 48_000.0).sin())
}

fn open() -> (Mixer, Renderer) {
    Mixer::offline(Config::default()).expect("a good config")
}

/// What was told of one play: why its stream failed, and when and how it ended.
fn told(mixer: &Mixer) -> (Option<Arc<str>>, Option<(u64, Ending)>) {
    let (mut failed, mut ended) = (None, None);
    for event in mixer.events() {
        match event {
            Event::StreamFailed { why, .. } => {
                assert!(ended.is_none(), "the reason comes first");
                failed = Some(why);
            }
            Event::Ended { at, why, .. } => ended = Some((at, why)),
            other => panic!("{other:?}"),
        }
    }
    (failed, ended)
}

/// Whatever a reader does half-way, in a loop or not: what was read is heard to the bit, what follows fades out
/// within a few milliseconds, and it has finished there.
#[test]
fn what_breaks_off_half_way_ends_softly_where_it_broke() {
    let (file, own_step) = tone(48_000 * 2);
    for beyond in [Beyond::Fail, Beyond::Panic, Beyond::End] {
        for looping in [false, true] {
            let disk = Disk::new(&file);
            let mut pair = Pair::with(Config::default(), &file, disk.stream("music"));
            disk.stop_at(byte(60_000), beyond);
            pair.play(|play| if looping { play.looping() } else { play });
            let heard = pair.streamed.1.frames(48_000 * 2);
            let wanted = pair.loaded.1.frames(48_000 * 2);
            let what = format!("{beyond:?}, looping {looping}");
            let (failed, ended) = told(&pair.streamed.0);
            assert!(failed.is_some(), "{what}");
            let Some((at, Ending::Finished)) = ended else { panic!("{what}: {ended:?}") };
            assert!((58_000..60_300).contains(&at), "{what}: {at}");
            let whole = at as usize - 240;
            assert_alike(&heard[..whole], &wanted[..whole], &what, 0);
            assert!(heard[at as usize..].iter().flatten().all(|it| *it == 0.0), "{what}");
            let [worst, _] = largest_step(&heard);
            assert!(worst <= BOUND * own_step, "{what}: {} of its own", worst / own_step);
            wait_until("a reader that is closed", || disk.readers() == 0);
        }
    }
}

/// A loop that has been round, and whose file cannot be read any more, ends too.
#[test]
fn a_loop_that_cannot_be_read_again_ends() {
    let (file, own_step) = tone(48_000);
    for range in [ms(0)..ms(1000), ms(300)..ms(950), ms(500)..ms(900), ms(600)..ms(603)] {
        for beyond in [Beyond::Fail, Beyond::Panic] {
            let disk = Disk::new(&file);
            let (mixer, mut renderer) = open();
            let music = disk.stream("music");
            mixer.play(Play::of(&music).loop_range(range.clone()));
            let mut heard = renderer.frames(48_000 * 4);
            assert_eq!(mixer.stats().live, 1);
            disk.stop_at(0, beyond);
            // A loop that is in memory as a whole need not be read again.
            let stays = range.end - range.start < ms(450);
            for _ in 0..40 {
                heard.extend(renderer.frames(4096));
            }
            assert_eq!(mixer.stats().live, usize::from(stays), "{range:?} {beyond:?}");
            let end = heard.iter().rposition(|[left, _]| *left != 0.0).expect("some sound");
            // Where the author made it turn there may be a step.
            let last = &heard[end - 1000..];
            let [worst, _] = largest_step(last);
            assert!(stays || worst <= BOUND * own_step, "{range:?} {}", worst / own_step);
            assert_balanced(&mixer.stats());
        }
    }
}

/// What breaks off just before a turn does so on the same frame in buffers of any size, and goes round no more.
#[test]
fn what_breaks_off_before_a_turn_goes_round_no_more() {
    let (file, own_step) = tone(48_000);
    for speed in [1.0, 1.4] {
        let heard = [1, 37, 128, 48_000].map(|buffer| {
            let disk = Disk::new(&file);
            let (mixer, mut renderer) = open();
            let music = disk.stream("music");
            disk.stop_at(byte(47_900), Beyond::Fail);
            mixer.play(Play::of(&music).looping().speed(speed));
            let mut heard = Vec::new();
            while heard.len() < 50_000 {
                heard.extend(renderer.frames(buffer));
            }
            heard.truncate(50_000);
            let [worst, _] = largest_step(&heard);
            assert!(worst <= BOUND * own_step * speed, "{} of its own", worst / own_step);
            (heard, told(&mixer).1)
        });
        let [first, others @ ..] = &heard;
        assert!(matches!(first.1, Some((_, Ending::Finished))), "{:?}", first.1);
        for other in others {
            assert_alike(&other.0, &first.0, "another buffer", 0);
            assert_eq!(other.1, first.1);
        }
    }
}

/// A closure that opens nothing more, or panics, is the stream's own trouble.
#[test]
fn a_stream_that_cannot_be_opened_again_plays_what_is_in_memory() {
    let (file, own_step) = tone(48_000 * 2);
    for panics in [false, true] {
        let opened = Arc::new(AtomicUsize::new(0));
        let (count, bytes) = (opened.clone(), file.clone());
        let music =
            Stream::from_reader("music", move || match (count.fetch_add(1, SeqCst), panics) {
                (0, _) => Ok(Cursor::new(bytes.clone())),
                (_, true) => panic!("an opener that panics, on purpose"),
                _ => Err(io::Error::other("no such file any more")),
            });
        let music = music.expect("a good file");
        let (mixer, mut renderer) = open();
        mixer.play(&music);
        let other = stream(&FORM.music(48_000 * 2));
        mixer.play(Play::of(&other).gain(0.0));
        let heard = renderer.frames(48_000 * 2);
        assert_eq!(opened.load(SeqCst), 2, "once to look, once to play");
        let failed = mixer.events().find_map(|event| match event {
            Event::StreamFailed { why, .. } => Some(why),
            _ => None,
        });
        let failed = failed.expect("a reason");
        let wanted = if panics { "panicked" } else { "no such file any more" };
        assert!(failed.contains(wanted), "{failed}");
        let [worst, _] = largest_step(&heard);
        assert!(worst <= BOUND * own_step, "{} of its own", worst / own_step);
        let end = heard.iter().rposition(|[left, _]| *left != 0.0).expect("some sound");
        assert!(end > 16_000, "its head is in memory: {end}");
        assert_eq!(mixer.stats().finished, 2, "the other one too");
        // It is played from where nothing is in memory: it ends at once.
        mixer.play(Play::of(&music).from_position(ms(1500)));
        let silence = renderer.frames(4096);
        assert!(silence.iter().flatten().all(|sample| *sample == 0.0));
        assert_eq!(mixer.stats().finished, 3);
    }
}

/// A header that says more than there is, or less, is believed as when the file is loaded.
#[test]
fn a_header_that_lies_is_believed_as_when_the_file_is_loaded() {
    let whole = FORM.music(50_000);
    let size_at = whole.windows(4).position(|word| word == b"data").expect("a data chunk") + 4;
    for says in [0, 1000, 100_000, 10_000_000, u32::MAX - 1, u32::MAX] {
        let mut file = whole.to_vec();
        file[size_at..size_at + 4].copy_from_slice(&says.to_le_bytes());
        let file: Arc<[u8]> = file.into();
        let bytes = file.clone();
        let music = Stream::from_reader("music", move || Ok(Cursor::new(bytes.clone())));
        if says == 0 {
            assert!(music.is_err(), "nothing to play");
            continue;
        }
        for looping in [false, true] {
            let mut pair = Pair::new(Config::default(), &file);
            pair.play(|play| if looping { play.looping() } else { play });
            pair.hear(120_000, 5000, &format!("{says} bytes, looping {looping}"));
            pair.assert_ended_alike("a header that lies");
        }
    }
}

/// Two plays of one stream have a reader each.
#[test]
fn two_plays_of_one_stream_do_not_fight() {
    let file = FORM.music(48_000 * 2);
    let disk = Disk::new(&file);
    let mut pair = Pair::with(Config::default(), &file, disk.stream("music"));
    assert_eq!(disk.opened(), 1, "to look at it");
    pair.play(|play| play.gain(0.3));
    pair.hear(20_000, 512, "one");
    pair.play(|play| play.gain(0.3).from_position(ms(900)).pan(1.0));
    pair.hear(30_000, 512, "two");
    pair.play(|play| play.gain(0.3).speed(1.7).looping());
    pair.hear(100_000, 700, "three");
    assert_eq!(disk.opened(), 4, "once a play");
    assert_eq!(pair.assert_ended_alike("two of one").len(), 2);
}

/// A stream that fails says so in a file's own words.
#[test]
fn a_stream_that_fails_names_its_fault() {
    let (file, _) = tone(48_000);
    let disk = Disk::new(&file);
    let music = disk.stream("music");
    let (mixer, mut renderer) = open();
    disk.stop_at(byte(30_000), Beyond::Fail);
    mixer.play(&music);
    renderer.frames(48_000);
    let (why, _) = told(&mixer);
    assert!(why.as_deref().is_some_and(|why| why.contains("the disk is gone")), "{why:?}");
    disk.stop_at(byte(30_000), Beyond::End);
    mixer.play(&music);
    renderer.frames(48_000);
    let (why, _) = told(&mixer);
    assert!(why.as_deref().is_some_and(|why| why.contains("of the 48000 frames")), "{why:?}");
}

/// A reader that panics when it is dropped, or never comes back from it, harms no other stream.
#[test]
fn a_reader_that_panics_when_it_is_dropped_harms_nobody() {
    struct Rude(DiskReader);
    impl io::Read for Rude {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.0.read(out)
        }
    }
    impl io::Seek for Rude {
        fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }
    impl Drop for Rude {
        fn drop(&mut self) {
            if !std::thread::panicking()
                && std::thread::current().name() == Some("voicepool streams")
            {
                panic!("a reader that panics when it is dropped, on purpose");
            }
        }
    }
    let file = FORM.music(48_000);
    let disk = Disk::new(&file);
    let opener = disk.clone();
    let rude = Stream::from_reader("rude", move || Ok(Rude(opener.reader()))).expect("a good file");
    let mut pair = Pair::new(Config::default(), &file);
    for _ in 0..3 {
        let voice = pair.streamed.0.play(Play::of(&rude).gain(0.0));
        pair.hear(10_000, 512, "while it plays");
        pair.streamed.0.stop(voice, ms(0));
        pair.hear(2_000, 512, "when it stops");
    }
    wait_until("readers that are closed", || disk.readers() == 0);
    pair.play(|play| play.from_position(ms(400)));
    pair.hear(40_000, 512, "after it was dropped");
    assert_eq!(pair.streamed.0.stats().underruns, 0);
}

/// What is still to be dropped, in every order.
#[test]
fn a_reader_that_never_answers_holds_nobody_up_when_all_is_dropped() {
    let file = FORM.music(48_000);
    for order in 0..6 {
        let disk = Disk::new(&file);
        let music = disk.stream("stuck");
        let (mixer, mut renderer) = open();
        disk.stop_at(0, Beyond::Block);
        for _ in 0..3 {
            mixer.play(Play::of(&music).looping());
        }
        let mut out = [[0.0; 2]; 512];
        renderer.render(&mut out);
        disk.wait_until_blocked();
        renderer.render(&mut out);
        match order {
            0 => drop((mixer, renderer, music)),
            1 => drop((mixer, music, renderer)),
            2 => drop((renderer, mixer, music)),
            3 => drop((renderer, music, mixer)),
            4 => drop((music, mixer, renderer)),
            _ => drop((music, renderer, mixer)),
        }
        disk.go_on();
        wait_until("readers that are closed", || disk.readers() == 0);
    }
}

/// The frames of a play that is heard while its reader is stuck come from what is in memory.
#[test]
fn a_play_begins_on_its_frame_without_its_disk_being_touched() {
    let file = FORM.music(48_000);
    let disk = Disk::new(&file);
    let pair = Pair::with(Config::default(), &file, disk.stream("music"));
    disk.stop_at(0, Beyond::Block);
    pair.play(|play| play);
    let ((_, mut streamed), (_, mut loaded)) = (pair.streamed, pair.loaded);
    let (mut heard, mut wanted) = ([[0.0; 2]; 15_000], vec![[0.0f32; 2]; 15_000]);
    streamed.render(&mut heard);
    loaded.render(&mut wanted);
    let wanted: Vec<Frame> = wanted;
    assert_alike(&heard, &wanted, "its head", 0);
    disk.go_on();
}

/// A file that is written over while it plays is not taken for what it was: it fails, and nobody reads on for ever.
#[test]
fn a_file_that_becomes_another_one_fails() {
    let (stereo, mono) = (Form::PLAIN.music(96_000), Form::MONO.music(96_000));
    let slow = Form { rate: 8_000, ..Form::PLAIN }.music(96_000);
    for (before, after) in [(&stereo, &mono), (&mono, &stereo), (&stereo, &slow)] {
        let files = Arc::new(Mutex::new(before.clone()));
        let opened = files.clone();
        let open_file = move || Ok(Cursor::new(opened.lock().expect("whole").clone()));
        let music = Stream::from_reader("music", open_file).expect("a good file");
        *files.lock().expect("whole") = after.clone();
        let (mixer, mut renderer) = open();
        mixer.play(Play::of(&music).from_position(ms(1000)).looping());
        renderer.frames(48_000);
        let (failed, ended) = told(&mixer);
        assert!(failed.is_some_and(|why| why.contains("another file")) && ended.is_some());
    }
}

/// What stands behind the last page of an Ogg file and looks like the beginnings of a million others is not looked
/// through for each seek.
#[cfg(feature = "formats")]
#[test]
fn what_stands_behind_an_ogg_file_takes_no_time() {
    /// Counts what is read.
    struct Counted(Cursor<Arc<[u8]>>, Arc<AtomicUsize>);

    impl io::Read for Counted {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.0.read(out)?;
            self.1.fetch_add(count, SeqCst);
            Ok(count)
        }
    }

    impl io::Seek for Counted {
        fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    let file = std::fs::read("tests/formats/long.ogg").expect("a fixture");
    for junk in [&b"OggS\0\xFF\xFF"[..], &[0]] {
        let behind = junk.iter().copied().cycle().take(400_000);
        let all: Arc<[u8]> = file.iter().copied().chain(behind).collect();
        let (all, read) = (all.clone(), Arc::new(AtomicUsize::new(0)));
        let counted = read.clone();
        let open_file = move || Ok(Counted(Cursor::new(all.clone()), counted.clone()));
        let music = Stream::from_reader("music", open_file).expect("a good file");
        let (mixer, mut renderer) = open();
        let voice = mixer.play(&music);
        for _ in 0..10 {
            mixer.seek(voice, ms(1500));
            renderer.frames(1000);
        }
        let read = read.load(SeqCst);
        assert!(read < 30_000_000, "{read} bytes");
    }
}
