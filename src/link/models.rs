//! What both sides share, under `loom`: on every way in which two threads can meet in it, with so many
//! preemptions as `.ci/loom` allows. With each model stand bugs of one line that it was seen to catch, of which
//! `.ci/teeth` plants some again.

use std::sync::Arc;

use loom::thread::{JoinHandle, spawn, yield_now};

use super::bridge::Bridge;
use super::feed::{Block, Feed, Order, Turns};
use super::lane::Lane;
use super::message::{Change, Command};
use super::snapshot::Snapshot;
use crate::config::Config;
use crate::sound::Samples;
use crate::sound::envelope::Envelope;

/// Runs a model with something that two threads share.
fn model<T: Send + Sync + 'static>(make: fn() -> T, run: fn(Arc<T>)) {
    loom::model(move || run(Arc::new(make())));
}

/// Starts the other thread.
fn beside<T: Send + Sync + 'static, R: 'static>(
    shared: &Arc<T>,
    run: impl FnOnce(&T) -> R + 'static,
) -> JoinHandle<R> {
    let shared = shared.clone();
    spawn(move || run(&shared))
}

fn joined<R>(thread: JoinHandle<R>) -> R {
    thread.join().expect("it does not panic")
}

/// The next message, however long it takes.
fn await_message<T>(lane: &Lane<T>) -> T {
    loop {
        match lane.receive() {
            Some(message) => return message,
            None => yield_now(),
        }
    }
}

/// The channel under the gate orders nothing here, and fails if both sides touch one of its places without
/// knowing of each other.
///
/// Caught in `lane.rs`: `placed` and `published` counted before `try_send` in `place`; `Relaxed` for the `Release` of `publish`, or of
/// `receive`; `Relaxed` for the `Acquire` of `waiting`, or of `collected`; `capacity + 1` in `room`.
#[test]
fn a_gate_lets_nobody_touch_a_place_that_the_other_side_is_busy_with() {
    model(
        || Lane::new(2),
        |lane: Arc<Lane<Box<u32>>>| {
            let sender = beside(&lane, |lane| {
                for mut message in (0..4).map(Box::new) {
                    while let Err(refused) = lane.send(message) {
                        message = refused;
                        yield_now();
                    }
                }
            });
            (0..4).for_each(|n| assert_eq!(*await_message(&lane), n));
            joined(sender);
            assert_eq!((lane.receive(), lane.room()), (None, 2));
        },
    );
}

/// Plays that belong together begin on one line.
///
/// Caught in `lane.rs`: `self.publish()` at the end of `place`.
#[test]
fn what_is_placed_together_is_seen_together() {
    model(
        || Lane::new(3),
        |lane: Arc<Lane<u32>>| {
            let sender = beside(&lane, |lane| {
                (0..3).for_each(|n| assert_eq!(lane.place(n), Ok(())));
                lane.publish();
            });
            let waiting = lane.waiting();
            assert!(waiting == 0 || waiting == 3, "{waiting} of 3");
            (0..waiting).for_each(|n| assert_eq!(lane.receive(), Some(n as u32)));
            joined(sender);
            assert_eq!(lane.waiting(), 3 - waiting);
        },
    );
}

/// The least that there can be of everything.
fn bridge() -> Bridge {
    let config = Config {
        voices: 1,
        max_voices: 1,
        parked: 1,
        scheduled: 1,
        commands: 1,
        ..Config::DEFAULT
    };
    Bridge::new(&config)
}

/// A sheet goes over empty and comes back filled, as often as it is sent: the one that was sent, and as the
/// other side has filled it.
///
/// Caught in `bridge.rs`: `is_wanted` stored before `wanted` in `want_snapshot`.
#[test]
fn a_sheet_that_is_wanted_comes_back_filled() {
    model(bridge, |bridge| {
        let audio = beside(&bridge, |bridge| {
            for line in 1..=3 {
                draw(bridge, line);
            }
        });
        let mut drawn = 0;
        bridge.want_snapshot(Box::new(Snapshot::new(1)));
        for _ in 0..2 {
            drawn = look(&bridge, drawn);
        }
        joined(audio);
        // It is quiet now: whatever was wanted is drawn on the next line, and nothing was lost.
        draw(&bridge, 4);
        drawn = look(&bridge, drawn);
        assert!(drawn > 0, "the sheet was lost");
        draw(&bridge, 5);
        assert_eq!(look(&bridge, drawn), 5);
    });
}

fn draw(bridge: &Bridge, line: u64) {
    if let Some(mut sheet) = bridge.take_wanted() {
        sheet.begin(line, line);
        bridge.give_filled(sheet);
    }
}

/// Takes the sheet if it was filled, on a later line than the last, and sends it over again.
fn look(bridge: &Bridge, drawn: u64) -> u64 {
    let Some(sheet) = bridge.take_filled() else { return drawn };
    let at = sheet.at;
    assert!(at > drawn && sheet.heard == at, "drawn on {at}, after {drawn}");
    bridge.want_snapshot(sheet);
    at
}

/// What the audio side does with plays that are known by the numbers of their commands.
#[derive(Default)]
struct Plays {
    applied: u64,
    stopped_up_to: u64,
    live: Vec<u64>,
    fades: Vec<u32>,
}

impl Plays {
    fn line(&mut self, bridge: &Bridge) {
        if let Some((last, fade)) = bridge.take_stop_all(self.applied) {
            self.stopped_up_to = self.stopped_up_to.max(last);
            self.fades.push(fade);
        }
        for _ in 0..bridge.commands_waiting() {
            assert!(bridge.next_command().is_some(), "it was said to wait");
            self.applied += 1;
            self.live.push(self.applied);
        }
        self.live.retain(|number| *number > self.stopped_up_to);
    }
}

/// Sends what stands for a play, and returns its number.
fn play(bridge: &Bridge) -> u64 {
    let change = Change::Mute(false);
    assert!(bridge.commands.send(Command::Voice { ticket: 0, change }).is_ok());
    bridge.commands.placed()
}

/// Every play before an order ends, and none after it; of two orders that are taken as one the shorter fade
/// counts, and none is lost.
///
/// Caught in `bridge.rs`: a `load` and a `store` of 0 for the `swap` in `take_stop_all`; `store` for the
/// `fetch_update` in `order_stop_all`; `last + 1` for `last`.
#[test]
fn an_order_to_stop_all_ends_what_came_before_it_and_nothing_after() {
    model(bridge, |bridge| {
        let audio = beside(&bridge, |bridge| {
            let mut plays = Plays::default();
            (0..2).for_each(|_| plays.line(bridge));
            plays
        });
        bridge.order_stop_all(play(&bridge), 7);
        bridge.order_stop_all(play(&bridge), 9);
        play(&bridge);
        let mut plays = joined(audio);
        plays.line(&bridge);
        assert_eq!(plays.live, [3]);
        assert!(plays.fades == [7] || plays.fades == [7, 9], "{:?}", plays.fades);
    });
}

/// What the last mixer leaves is heard after all that it sent.
///
/// Caught in `bridge.rs`: `rest_waiting` stored before `rest` in `leave`; `Relaxed` for its `Release` there, or for
/// the `Acquire` of `commands_waiting`.
#[test]
fn what_is_left_is_heard_after_what_was_sent() {
    let ticket = |command| match command {
        Command::Voice { ticket, .. } => ticket,
        _ => u32::MAX,
    };
    loom::model(move || {
        let bridge = Arc::new(bridge());
        let audio = beside(&bridge, move |bridge| {
            let mut heard = vec![];
            for _ in 0..bridge.commands_waiting() {
                heard.push(ticket(bridge.next_command().expect("it was said to wait")));
            }
            heard
        });
        let say = |ticket| Command::Voice { ticket, change: Change::Mute(false) };
        assert!(bridge.commands.send(say(1)).is_ok());
        bridge.leave(vec![say(2), say(3)]);
        let mut heard = joined(audio);
        for _ in 0..bridge.commands_waiting() {
            heard.push(ticket(bridge.next_command().expect("it was said to wait")));
        }
        assert_eq!(heard, [1, 2, 3]);
    });
}

/// One frame of a file, for an order.
fn block(order: Order, read: u64) -> Box<Block> {
    Box::new(Block {
        epoch: order.epoch,
        index: order.index + read,
        first: order.first + read as u32,
        len: 1,
        samples: Samples::Mono32(Arc::from([])),
        envelope: Envelope::of(1, &[[0.0]]),
        clip: None,
        is_last: false,
    })
}

/// A voice seeks while blocks for where it was are under way: it hears nothing but what it asked for last, in
/// order, and every block comes back.
///
/// Caught in `feed.rs`: `wrapping_add(0)` for the `wrapping_add(1)` in `give_order`; and what is caught of the
/// gate.
#[test]
fn a_voice_that_seeks_hears_what_it_asked_for_last() {
    model(
        || Feed::new(Arc::from([]), 100, 1000),
        |feed| {
            feed.begin(10, None);
            let decoder = beside(&feed, decode);
            let mut tap = feed.take_tap().expect("nobody else has it");
            for seek in [None, Some(50)] {
                if let Some(frame) = seek {
                    tap.give_order(frame, Turns::new(frame, None));
                    assert!(feed.orders.send(Some(tap.order)).is_ok());
                }
                let block = loop {
                    let block = await_message(&feed.blocks);
                    if block.epoch == tap.order.epoch {
                        break block;
                    }
                    assert!(feed.spent.send(block).is_ok());
                };
                assert_eq!((block.index, block.first), (0, seek.unwrap_or(10)));
                assert!(feed.spent.send(block).is_ok());
            }
            feed.give_tap(tap);
            feed.end();
            let away = joined(decoder);
            let (waiting, spent) = (feed.blocks.waiting(), feed.spent.waiting());
            assert_eq!(waiting + spent, away, "a block was lost");
            assert!(feed.take_tap().is_some());
        },
    );
}

/// Reads one frame ahead for the latest order, until nobody listens. Returns how many blocks are away.
fn decode(feed: &Feed) -> u64 {
    let (mut order, mut read, mut away) = (None, 0, 0);
    while !feed.is_over() {
        while feed.spent.receive().is_some() {
            away -= 1;
        }
        while let Some(latest) = feed.orders.receive() {
            (order, read) = (latest, 0);
        }
        match order.filter(|_| away < 2 && read < 2) {
            Some(order) => {
                assert!(feed.blocks.send(block(order, read)).is_ok());
                (read, away) = (read + 1, away + 1);
            }
            None => yield_now(),
        }
    }
    away
}
