//! A device that the game chooses, and that hangs, fails or is refused.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use cpal::ErrorKind;

use super::helpers::{
    assert_balanced, drop_in_time, largest_step, patient, plays_on, saw, saw_at, small, stream_on,
    tone, until, until_doing,
};
use super::set_device::{eager, on, settles_on, three};
use crate::link::Bridge;
use crate::ms;
use crate::output::backend::{Backend, Opened, StreamRequest};
use crate::output::callback::{Callback, RendererSlot};
use crate::output::supervisor::{Message, Supervisor, Timeouts};

/// A device that hangs when it is opened costs no sound, and does not keep the game from choosing
/// another.
#[test]
fn a_chosen_device_that_hangs_can_be_chosen_away_from() {
    let script = three();
    let mixer = script.open(on("headphones"), patient());
    mixer.play(saw());
    let stream = script.stream(&mixer, 1);
    // The next build hangs, and no later one.
    script.change(|plan| plan.builds_hang = plan.builds_begun + 1);
    mixer.set_device(Some("television"));
    until("it hangs", || script.plan().hanging == 1);
    let now = mixer.clock();
    assert!(stream.frames(500).iter().zip(now..).all(|(frame, at)| frame[0] == saw_at(at)));
    mixer.set_device(None);
    script.run_until("the default plays", || plays_on(&mixer, "speakers"));
    assert_eq!(script.plan().hanging, 1);
    script.change(|plan| plan.builds_hang = 0);
    settles_on(&script, &mixer, "speakers");
}

/// So does a sound system that does not answer at all: no call waits for it.
#[test]
fn no_choice_waits_for_a_sound_system_that_hangs() {
    let script = three();
    let mixer = script.open(small(), patient());
    mixer.play(saw());
    let stream = script.stream(&mixer, 1);
    script.change(|plan| plan.hosts_hang = true);
    let mut names = ["television", "headphones", "gramophone"].into_iter().cycle();
    let mut choose = || {
        mixer.set_device(names.next());
        let now = mixer.clock();
        assert!(stream.frames(100).iter().zip(now..).all(|(frame, at)| frame[0] == saw_at(at)));
        thread::sleep(ms(1));
    };
    until_doing("three threads hang", &mut choose, || script.plan().hanging == 3);
    (0..100).for_each(|_| choose());
    assert_eq!(script.plan().hanging, 3, "with the one that plays, four threads");
    mixer.set_device(Some("television"));
    script.change(|plan| plan.hosts_hang = false);
    settles_on(&script, &mixer, "television");
}

/// Where only one stream can be open at a time, the old one fades out and is closed first.
#[test]
fn a_sound_card_that_cannot_be_opened_twice_is_closed_first() {
    let script = three();
    script.change(|plan| plan.one_at_a_time = true);
    let mixer = script.open(on("headphones"), patient());
    let (tone, step) = tone(48_000, 441.0);
    mixer.play(tone);
    let mut old = script.stream(&mixer, 1);
    let mut heard = old.frames(3000);
    for (name, device) in [(Some("television"), "television"), (None, "speakers")] {
        mixer.set_device(name);
        let call = || {
            heard.extend(old.frames(50));
            thread::sleep(ms(1));
        };
        until_doing("the old one is dropped", call, || old.drop_began.load(SeqCst));
        assert!(largest_step(&heard) <= 1.5 * step, "{}", largest_step(&heard));
        assert_eq!(heard[heard.len() - 1], [0.0; 2], "it has faded out");
        until("the other plays", || plays_on(&mixer, device));
        old = stream_on(&script, device);
        heard = vec![[0.0; 2]];
        heard.extend(old.frames(3000));
        assert!(heard[1000..].iter().any(|frame| frame[0].abs() > 0.45));
    }
    assert_eq!(mixer.stats().live, 1);
}

/// One that opens is not trusted before it calls back; the old one plays on.
#[test]
fn a_chosen_device_that_never_calls_back_costs_nothing() {
    let script = three();
    let mixer = script.open(on("headphones"), eager());
    mixer.play(saw());
    let headphones = script.stream(&mixer, 1);
    mixer.set_device(Some("television"));
    for _ in 0..3 {
        let television = stream_on(&script, "television");
        let now = mixer.clock();
        let heard = headphones.frames(500);
        assert!(heard.iter().zip(now..).all(|(frame, at)| frame[0] == saw_at(at)));
        television.raise(ErrorKind::DeviceNotAvailable);
        until("it is dropped", || television.drop_ended.load(SeqCst));
    }
    settles_on(&script, &mixer, "television");
}

/// The last mixer may go in the middle of it.
#[test]
fn the_last_drop_returns_in_the_middle_of_a_choice() {
    for calls in 0..10 {
        let script = three();
        let mixer = script.open(small(), patient());
        script.stream(&mixer, 1);
        mixer.set_device(Some("television"));
        let television = stream_on(&script, "television");
        for _ in 0..calls {
            television.frames(480);
            thread::yield_now();
        }
        drop_in_time(mixer);
        until("both are dropped", || script.plan().streams.is_empty());
    }
}

/// A device that hangs in the beginning does not keep the game from choosing another, and what it
/// opens in the end is dropped.
#[test]
fn a_first_device_that_hangs_can_be_chosen_away_from() {
    let script = three();
    script.change(|plan| plan.builds_hang = 1);
    let mixer = script.open(on("headphones"), Timeouts { first_open: ms(10), ..patient() });
    mixer.play(saw());
    until("it hangs", || script.plan().hanging == 1);
    mixer.set_device(Some("television"));
    settles_on(&script, &mixer, "television");
    assert_eq!(script.plan().hanging, 1);
    script.change(|plan| plan.builds_hang = 0);
    until("the first has come and gone", || {
        script.change(|plan| plan.hanging == 0 && plan.built == 2 && plan.streams.len() == 1)
    });
    assert!(plays_on(&mixer, "television"));
    assert_balanced(&mixer);
}

/// Notes what it is asked for, and hangs in its first stream until the test lets go.
struct NotingBackend {
    requests: Mutex<Vec<StreamRequest>>,
    first: Mutex<()>,
}

impl Backend for NotingBackend {
    fn open(&self, request: &StreamRequest, _: &dyn Fn(u32) -> Callback) -> Result<Opened, String> {
        self.requests.lock().unwrap().push(request.clone());
        drop(self.first.lock());
        Err("it does not open".to_owned())
    }

    fn default_name(&self) -> Option<String> {
        None
    }
}

/// A choice that comes before the supervisor knows the mixer's rate waits for that: the next stream
/// would not resample.
#[test]
fn a_choice_waits_until_the_rate_is_known() {
    let backend =
        Arc::new(NotingBackend { requests: Mutex::new(Vec::new()), first: Mutex::new(()) });
    let hangs = backend.first.lock().unwrap();
    let bridge = Arc::new(Bridge::new(&small()));
    bridge.choose_device(Some("television".to_owned()));
    let request = StreamRequest { device: None, named_only: false, rate: None, buffer: ms(10) };
    let (slot, (answer, _first_rate)) = (Arc::new(RendererSlot::new()), channel());
    let (sender, done) =
        Supervisor::start(Ok(backend.clone()), slot, bridge, request, patient(), answer).unwrap();
    let asked = || -> Vec<_> {
        let requests = backend.requests.lock().unwrap();
        requests.iter().map(|request| (request.device.clone(), request.rate)).collect()
    };
    until("the first device is asked for", || asked().len() == 1);
    // Each message is a turn of the supervisor's loop.
    (0..10).for_each(|_| sender.send(Message::Logged).unwrap());
    sender.send(Message::Start { rate: 44_100 }).unwrap();
    until("the chosen device is asked for", || asked().len() >= 2);
    assert_eq!(asked()[..2], [(None, None), (Some("television".to_owned()), Some(44_100))]);
    sender.send(Message::Close).unwrap();
    drop(hangs);
    done.recv().unwrap();
}

/// Nor is another stream asked for before that, when the first has failed.
#[test]
fn a_second_stream_waits_until_the_rate_is_known() {
    let backend =
        Arc::new(NotingBackend { requests: Mutex::new(Vec::new()), first: Mutex::new(()) });
    let bridge = Arc::new(Bridge::new(&small()));
    let request = StreamRequest { device: None, named_only: false, rate: None, buffer: ms(10) };
    let (slot, (answer, first_rate)) = (Arc::new(RendererSlot::new()), channel());
    let (sender, done) =
        Supervisor::start(Ok(backend.clone()), slot, bridge, request, patient(), answer).unwrap();
    assert_eq!(first_rate.recv_timeout(super::helpers::DEADLINE), Ok(None), "nobody waits for it");
    // The mixer is being made, which takes a while.
    thread::sleep(ms(50));
    sender.send(Message::Start { rate: 44_100 }).unwrap();
    let asked = || -> Vec<_> {
        backend.requests.lock().unwrap().iter().map(|request| request.rate).collect()
    };
    until("others are asked for", || asked().len() >= 3);
    assert_eq!(asked()[..3], [None, Some(44_100), Some(44_100)]);
    sender.send(Message::Close).unwrap();
    done.recv().unwrap();
}

/// What it was to go over to is given up with the device that played, and if its drop hangs, another can be chosen.
#[test]
fn a_device_that_is_lost_while_it_fades_out_does_not_keep_others_from_being_chosen() {
    let script = three();
    let mixer = script.open(on("headphones"), patient());
    mixer.play(saw());
    let headphones = script.stream(&mixer, 1);
    headphones.frames(1000);
    mixer.set_device(Some("television"));
    let television = stream_on(&script, "television");
    // It calls back, so that the other one fades out; that is never heard to its end.
    until_doing(
        "it has called back",
        || drop(television.frames(480)),
        || headphones.frames(1).contains(&[0.0; 2]),
    );
    script.change(|plan| plan.drops_hang = true);
    headphones.raise(ErrorKind::DeviceNotAvailable);
    until("both are let go", || {
        [&headphones, &television].iter().all(|stream| stream.drop_began.load(SeqCst))
    });
    script.change(|plan| plan.outputs.retain(|output| output.name != "headphones"));
    mixer.set_device(Some("speakers"));
    script.run_until("another plays", || plays_on(&mixer, "speakers"));
    script.change(|plan| plan.drops_hang = false);
}
