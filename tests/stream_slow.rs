//! A slow disk: what is not read in time is silence without a click, time goes on, and nobody else is harmed.
//! The disks stop where a test says and go on when it says so, so that nothing here depends on how soon a
//! thread gets its turn.

#[path = "common/clicks.rs"]
mod clicks;
mod common;
#[path = "common/streams.rs"]
mod streams;

use std::cell::RefCell;

use clicks::{BOUND, largest_step};
use common::sine;
use streams::{Beyond, Both, Disk, Form, HEADER, Pair, assert_alike, endings, render, wait_until};
use voicepool::{
    BusId, Config, Cue, Ending, Event, Frame, Mixer, Play, Refusal, VoiceId, ms, secs,
};

/// Frames that are surely there once a reader has come this many further: what is made at once, and what a
/// buffer or two hold back.
const SURELY: usize = 3 * 4096;

const FORM: Form = Form::MONO;

fn byte(frame: usize) -> u64 {
    HEADER + frame as u64 * FORM.frame_bytes()
}

/// Where a disk stops that has let so many frames be read, and no more than a few more.
fn stop(disk: &Disk, frame: usize) {
    disk.stop_at(byte(frame), Beyond::Block);
}

/// A sine of 440 Hz, a quarter as loud as can be, and its largest step from sample to sample.
fn tone(frames: usize) -> (std::sync::Arc<[u8]>, f32) {
    tone_from(0.0, frames)
}

/// The same from so many turns on.
fn tone_from(turns: f64, frames: usize) -> (std::sync::Arc<[u8]>, f32) {
    tone_at(48_000, turns, frames)
}

fn tone_at(rate: u32, turns: f64, frames: usize) -> (std::sync::Arc<[u8]>, f32) {
    let samples = sine(rate, 440.0, turns, frames);
    let form = Form { rate, ..FORM };
    let file = form.file(samples.iter().map(|sample| [sample * 0.25; 2]));
    (file, 0.25 * 2.0 * (std::f32::consts::PI * 440.0 / rate as f32).sin())
}

/// Two mixers that are told the same and render without waiting: one streams from a disk what the other has
/// loaded.
struct Slow {
    disk: Disk,
    pair: Pair,
    voices: Both,
    heard: Vec<Frame>,
    wanted: Vec<Frame>,
}

impl Slow {
    /// The disk stands still at a frame, until it is told to go on.
    fn new(file: &std::sync::Arc<[u8]>, stops_at: usize, with: impl Fn(Play) -> Play) -> Slow {
        Slow::under(Config::default(), file, stops_at, with)
    }

    fn under(
        config: Config,
        file: &std::sync::Arc<[u8]>,
        stops_at: usize,
        with: impl Fn(Play) -> Play,
    ) -> Slow {
        let disk = Disk::new(file);
        let pair = Pair::with(config, file, disk.stream("music"));
        stop(&disk, stops_at);
        let voices = pair.play(with);
        Slow { disk, pair, voices, heard: Vec::new(), wanted: Vec::new() }
    }

    /// Renders both, up to a frame.
    fn render_to(&mut self, frame: usize) {
        let count = frame - self.heard.len();
        self.heard.extend(render(&mut self.pair.streamed.1, count));
        self.wanted.extend(render(&mut self.pair.loaded.1, count));
    }

    /// The same, a little at a time, each of which the disk has read before.
    fn render_in_time_to(&mut self, frame: usize) {
        while self.heard.len() < frame {
            let next = (self.heard.len() + 2048).min(frame);
            self.disk.wait_until_read(byte(next + SURELY));
            self.render_to(next);
        }
    }

    /// Renders both on, until what is heard is what should be again: however late the disk's thread gets its turn.
    fn render_until_in_step(&mut self) {
        for line in 0..500 {
            self.render_to(self.heard.len() + 128);
            if line > 8 && self.heard.last() == self.wanted.last() {
                return;
            }
            std::thread::sleep(ms(line / 4));
        }
    }

    /// Lets the disk go on until some blocks more have come, whatever the latest order is.
    fn go_on(&self) {
        let read = self.disk.bytes();
        self.disk.go_on();
        wait_until("what was ordered", || self.disk.bytes() > read + byte(2 * SURELY));
    }

    /// The frames that are other than they should be: from the first to behind the last.
    fn gap(&self) -> std::ops::Range<usize> {
        let differs = |n: &usize| self.heard[*n] != self.wanted[*n];
        let all = 0..self.heard.len();
        let first = all.clone().find(differs).unwrap_or(all.end);
        first..all.rev().find(differs).map_or(first, |last| last + 1)
    }
}

fn underruns(mixer: &Mixer) -> usize {
    mixer.events().filter(|event| matches!(event, Event::Underrun { .. })).count()
}

/// Whatever it is told to do while it falls silent because the disk stands still: what is heard of it goes without a
/// click.
#[test]
fn a_jump_in_the_slope_of_a_gap_makes_no_click() {
    type Say = fn(&Mixer, Option<VoiceId>);
    let says: [Say; 3] = [
        |mixer, voice| mixer.seek(voice, ms(0)),
        |mixer, voice| mixer.seek(voice, secs(60.0)),
        |mixer, voice| {
            mixer.seek(voice, ms(10));
            mixer.pause(voice, ms(0));
        },
    ];
    for say in says {
        for (lines, phase) in (0..3).flat_map(|lines| (0..8).map(move |phase| (lines, phase))) {
            let (file, own_step) = tone_from(f64::from(phase) / 8.0, 48_000 * 2);
            let mut slow = Slow::new(&file, 60_000, |play| play);
            slow.disk.wait_until_blocked();
            while slow.pair.streamed.0.stats().underruns == 0 {
                slow.render_to(slow.heard.len() + 128);
            }
            // Of its slope of 240 frames some were heard, or none.
            slow.render_to(slow.heard.len() + 128 * lines as usize);
            let [voice, _] = slow.voices;
            say(&slow.pair.streamed.0, voice);
            slow.render_to(slow.heard.len() + 4_000);
            let [worst, _] = largest_step(&slow.heard);
            assert!(worst <= BOUND * own_step, "{lines}: {} of its own", worst / own_step);
            slow.disk.go_on();
        }
    }
}

/// Where a slope lasts for more than two lines, the disk may go on in its midst: what was jumped to comes up from
/// silence.
#[test]
fn a_jump_in_the_slope_of_a_gap_comes_up_from_silence() {
    let config = Config { sample_rate: 96_000, ..Config::default() };
    for phase in 0..8 {
        let (file, own_step) = tone_at(96_000, f64::from(phase) / 8.0, 96_000 * 3);
        let mut slow = Slow::under(config.clone(), &file, 60_000, |play| play);
        slow.disk.wait_until_blocked();
        while slow.pair.streamed.0.stats().underruns == 0 {
            slow.render_to(slow.heard.len() + 128);
        }
        slow.pair.say(slow.voices, |mixer, voice| mixer.seek(voice, secs(1.0)));
        slow.render_to(slow.heard.len() + 128);
        slow.go_on();
        slow.render_until_in_step();
        let [worst, _] = largest_step(&slow.heard);
        assert!(worst <= BOUND * own_step, "{phase}: {} of its own", worst / own_step);
        assert_eq!(slow.heard.last(), slow.wanted.last(), "{phase}");
    }
}

/// Who stands still has nothing that could run dry. What it wants when it goes on may come late, and comes up from
/// silence then.
#[test]
fn who_ends_its_loop_as_it_goes_on_waits_without_a_click() {
    type Say = fn(&Mixer, Option<VoiceId>);
    let says: [[Say; 2]; 2] = [
        [|mixer, voice| mixer.pause(voice, ms(0)), |mixer, voice| mixer.resume(voice, ms(0))],
        [
            |mixer, _| mixer.pause(BusId::MASTER, ms(0)),
            |mixer, _| mixer.resume(BusId::MASTER, ms(0)),
        ],
    ];
    for (phase, [hold, go]) in (0..8).flat_map(|phase| says.map(|says| (phase, says))) {
        let (file, own_step) = tone_from(f64::from(phase) / 8.0, 48_000 * 3);
        let mut slow = Slow::new(&file, 48_000 * 9, Play::looping);
        slow.render_in_time_to(30_080);
        slow.pair.say(slow.voices, hold);
        slow.render_to(slow.heard.len() + 1_024);
        stop(&slow.disk, 0);
        slow.pair.say(slow.voices, |mixer, voice| mixer.end_loop(voice));
        slow.pair.say(slow.voices, go);
        slow.render_to(slow.heard.len() + 128);
        slow.go_on();
        slow.render_until_in_step();
        let [worst, _] = largest_step(&slow.heard);
        assert!(worst <= BOUND * own_step, "{phase}: {} of its own", worst / own_step);
        assert_eq!(slow.heard.last(), slow.wanted.last(), "{phase}");
        assert_eq!(slow.pair.streamed.0.stats().underruns, 0, "{phase}");
    }
}

/// A disk that stands still once: a slope, silence, a slope, and then the very frames that would be heard had
/// it never stood still.
#[test]
fn a_stall_is_a_gap_with_slopes_and_time_goes_on() {
    let (file, own_step) = tone(48_000 * 6);
    let mut slow = Slow::new(&file, 60_000, |play| play);
    slow.disk.wait_until_blocked();
    slow.render_to(120_000);
    // It has nothing to read, and gave all that it had.
    let gap = slow.gap();
    assert!((45_000..60_500).contains(&gap.start), "{gap:?}");
    let silence = [[0.0; 2]];
    assert_alike(&slow.heard[60_500..], &silence.repeat(120_000 - 60_500), "silence", 60_500);
    assert_eq!(slow.pair.streamed.0.stats().underruns, 1);
    assert_eq!(underruns(&slow.pair.streamed.0), 1);
    slow.disk.go_on();
    // What comes too late is passed over as it comes, in no time.
    for frame in [100_000, 120_000 + SURELY] {
        slow.disk.wait_until_read(byte(frame));
        slow.render_to(slow.heard.len() + 128);
    }
    slow.render_in_time_to(48_000 * 4);
    let gap = slow.gap();
    assert!((120_000..121_000).contains(&gap.end), "{gap:?}");
    let [worst, _] = largest_step(&slow.heard);
    assert!(worst <= BOUND * own_step, "{} of its own", worst / own_step);
    assert_eq!(slow.pair.streamed.0.stats().underruns, 1, "and no more");
    slow.render_in_time_to(48_000 * 5);
    slow.disk.wait_until_read(u64::MAX);
    wait_until("all of it", || {
        slow.render_to(slow.heard.len() + 4096);
        slow.pair.streamed.0.stats().live == 0
    });
    assert_eq!(slow.pair.endings()[0], [(48_000 * 6, Ending::Finished)], "on its frame");
}

/// The same at other speeds, in loops, through a filter and in other forms: however often, it comes back in
/// step.
#[test]
fn a_stream_comes_back_in_step_however_often_it_stalls() {
    let file = FORM.music(48_000 * 3);
    type With = fn(Play) -> Play;
    let ways: [With; 4] = [
        |play| play.looping(),
        |play| play.loop_range(ms(300)..ms(2900)).pan(0.3),
        |play| play.loop_range(ms(50)..).speed(1.25),
        |play| play.looping().low_pass(2000.0),
    ];
    for (way, with) in ways.into_iter().enumerate() {
        let mut slow = Slow::new(&file, usize::MAX >> 8, with);
        for _ in 0..4 {
            let before = slow.pair.streamed.0.stats().underruns;
            // Wherever it is, it cannot be read any further.
            stop(&slow.disk, 0);
            let silent_from = slow.heard.len() + 4096 * 16 * 2;
            slow.render_to(silent_from + 999);
            let last = slow.heard.len() - 500..slow.heard.len();
            assert!(slow.heard[last].iter().flatten().all(|it| it.abs() < 1e-6), "way {way}");
            assert!(slow.pair.streamed.0.stats().underruns > before);
            slow.disk.go_on();
            // It has to catch up before it is heard again: how soon is the machine's affair. So it is asked for
            // less and less in a second, down to less than a device would ask for, until it is there in time.
            let (mut alike, mut pause) = (0, ms(1));
            wait_until("a stream in step again", || {
                std::thread::sleep(pause);
                pause = (pause * 5 / 4).min(ms(100));
                let from = slow.heard.len();
                slow.render_to(from + 2048);
                let is_alike = slow.heard[from..] == slow.wanted[from..];
                alike = if is_alike { alike + 1 } else { 0 };
                // Filters forget what they heard in a while.
                alike > 3
            });
        }
    }
}

/// What others play is not touched by one that stands still for ever; nor is a thread held up by each play of that.
#[test]
fn a_disk_that_never_answers_harms_no_other_stream() {
    let file = FORM.music(48_000 * 3);
    let (dead, well) = (Disk::new(&file), Disk::new(&file));
    let config = Config { streams: 32, ..Config::default() };
    let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
    let (other, mut alone) = Mixer::offline(Config::default()).expect("a good config");
    let [stuck, fine] = [dead.stream("stuck"), well.stream("fine")];
    stop(&dead, 0);
    for _ in 0..30 {
        mixer.play(Play::of(&stuck).gain(0.0).looping());
    }
    let bytes: &[u8] = &file;
    let loaded = other.load_bytes("fine", bytes).expect("a good file");
    mixer.play(Play::of(&fine));
    other.play(Play::of(&loaded));
    dead.wait_until_blocked();
    for at in (0..48_000 * 2).step_by(1024) {
        well.wait_until_read(byte(at + 1024 + SURELY));
        let wanted = alone.frames(1024);
        assert_alike(&render(&mut renderer, 1024), &wanted, "beside a dead disk", at);
    }
    assert!(mixer.stats().underruns >= 30);
    // Once when the stream was made.
    assert!(dead.opened() <= 1 + 2, "{} readers", dead.opened());
    dead.go_on();
}

/// Every gap is counted, and no more than one a second is told.
#[test]
fn every_gap_is_counted_and_one_a_second_is_told() {
    let file = FORM.music(48_000 * 2);
    let disks: Vec<Disk> = (0..6).map(|_| Disk::new(&file)).collect();
    let (mixer, mut renderer) = Mixer::offline(Config::default()).expect("a good config");
    for disk in &disks {
        let stream = disk.stream("slow");
        stop(disk, 0);
        mixer.play(Play::of(&stream).looping());
    }
    render(&mut renderer, 48_000);
    assert_eq!(mixer.stats().underruns, 6);
    assert_eq!(underruns(&mixer), 1, "all within a second");
    disks.iter().for_each(Disk::go_on);
}

/// Those that begin together stay together, though one of them is not read for a while.
#[test]
fn stems_stay_in_step_when_one_of_them_is_starved() {
    let file = FORM.music(48_000 * 4);
    let (drums, strings) = (Disk::new(&file), Disk::new(&file));
    let (mixer, mut renderer) = Mixer::offline(Config::default()).expect("a good config");
    let stems = [drums.stream("drums"), strings.stream("strings")];
    stop(&strings, 40_000);
    // One on either side, so that each is heard by itself.
    let [left, right] = [&stems[0], &stems[1]];
    let stems = [Play::of(left).pan(-1.0), Play::of(right).pan(1.0)];
    mixer.play_together(stems.map(|stem| stem.start_at(500).gain(0.5))).expect("there is room");
    let mut heard = Vec::new();
    let mut go_to = |frame: usize| {
        while heard.len() < frame {
            drums.wait_until_read(byte(heard.len() + 2048 + SURELY));
            heard.extend(render(&mut renderer, 2048));
        }
        heard.clone()
    };
    strings.wait_until_blocked();
    let before = go_to(90_000);
    assert!(before[60_000..].iter().all(|[_, right]| *right == 0.0), "starved");
    strings.go_on();
    strings.wait_until_read(byte(before.len() + SURELY));
    wait_until("both of them", || {
        let all = go_to(before.len() + 2048);
        all.last().is_some_and(|[_, right]| *right != 0.0)
            || go_to(all.len() + 2048).last().is_some_and(|[_, right]| *right != 0.0)
    });
    let back = go_to(0).len();
    strings.wait_until_read(byte(back + 20_000 + SURELY));
    let all = go_to(back + 20_000);
    for (at, [left, right]) in all.iter().enumerate().skip(back + 2048) {
        assert_eq!(left, right, "frame {at}");
    }
    assert_eq!(mixer.stats().underruns, 1);
}

/// To stop, seek or pause during a gap does what it says, and nothing clicks.
#[test]
fn what_is_told_to_stop_in_a_gap_stops() {
    let (file, own_step) = tone(48_000 * 4);
    let mut slow = Slow::new(&file, 0, |play| play.looping());
    slow.render_to(80_000);
    let (voice, (mixer, renderer)) = (slow.voices[0], &mut slow.pair.streamed);
    mixer.seek(voice, ms(10));
    let back = render(renderer, 4096);
    assert!(back.iter().any(|frame| frame[0].abs() > 0.1), "what is in memory is heard at once");
    let [worst, _] = largest_step(&back);
    assert!(worst <= BOUND * own_step, "{} of its own", worst / own_step);
    mixer.seek(voice, ms(2000));
    render(renderer, 48_000);
    mixer.stop(voice, ms(20));
    let rest = render(renderer, 4096);
    assert!(rest.iter().flatten().all(|sample| *sample == 0.0));
    assert!(matches!(endings(mixer).as_slice(), [(_, Ending::Stopped)]));
    slow.disk.go_on();
}

/// What goes into a stream of its cue during a gap is heard behind it: the power of both.
#[test]
fn a_stream_in_a_gap_takes_in_another_of_its_cue() {
    let (file, _) = tone(48_000 * 6);
    let cues = RefCell::new(Vec::new());
    let mut slow = Slow::new(&file, 60_000, |play| {
        let cue = Cue::of([play]).expect("a variant").merge_within(secs(9.0));
        cues.borrow_mut().push(cue.clone());
        Play::of(cue)
    });
    slow.disk.wait_until_blocked();
    slow.render_to(120_000);
    let both = [&slow.pair.streamed.0, &slow.pair.loaded.0];
    let others = [0, 1].map(|at| both[at].play(&cues.borrow()[at]));
    slow.render_to(121_000);
    let endings = slow.pair.endings();
    for (ended, (first, other)) in endings.iter().zip(slow.voices.into_iter().zip(others)) {
        let into = first.expect("a play");
        let why = Ending::Refused { why: Refusal::Merged { into } };
        assert!(other.is_some() && ended.iter().all(|(_, ending)| *ending == why), "{ended:?}");
        assert_eq!(ended.len(), 1);
    }
    slow.disk.go_on();
    for frame in [100_000, 121_000 + SURELY] {
        slow.disk.wait_until_read(byte(frame));
        slow.render_to(slow.heard.len() + 128);
    }
    slow.render_in_time_to(48_000 * 4);
    let gap = slow.gap();
    assert!((121_000..122_000).contains(&gap.end), "{gap:?}");
    assert!(slow.heard.iter().any(|[left, _]| *left > 0.35), "as loud as both");
}

/// The beginning of a loop is kept once it was heard: to go back there takes no disk.
#[test]
fn the_beginning_of_a_loop_is_heard_again_without_the_disk() {
    let file = FORM.music(48_000 * 3);
    let mut slow = Slow::new(&file, 48_000 * 3, |play| {
        play.loop_range(ms(1000)..ms(2500)).from_position(ms(900))
    });
    slow.pair.hear(30_000, 128, "once past its beginning");
    stop(&slow.disk, 0);
    slow.pair.say(slow.voices, |mixer, voice| mixer.seek(voice, ms(1000)));
    slow.pair.hear(12_000, 128, "from its beginning on");
    assert_eq!(slow.pair.streamed.0.stats().underruns, 0);
    slow.disk.go_on();
}

/// Offline, a stall is waited for, and leaves no trace.
#[test]
fn a_render_to_a_file_waits_for_a_slow_disk() {
    let file = FORM.music(48_000 * 3);
    let disk = Disk::new(&file);
    let mut pair = Pair::with(Config::default(), &file, disk.stream("music"));
    stop(&disk, 70_000);
    pair.play(|play| play);
    let freed = std::thread::spawn(move || {
        for next in [90_000, 120_000] {
            disk.wait_until_blocked();
            stop(&disk, next);
            disk.ring();
        }
        disk.wait_until_blocked();
        disk.go_on();
    });
    pair.hear(48_000 * 3 + 500, 999, "waited for");
    assert_eq!(pair.assert_ended_alike("waited for").len(), 1);
    assert_eq!(pair.streamed.0.stats().underruns, 0);
    freed.join().expect("a disk that was waited for");
}
