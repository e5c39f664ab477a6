//! Commands there and back, and bytes that are none.

use super::*;
use crate::bus::BusId;
use crate::config::WhenFull;
use crate::duck::DuckFrames;
use crate::link::message::{BusPlace, Change, CueTerms, Ears, Loop, Placed, Request, Shape, Start};
use crate::play::Priority;
use crate::reverb::{Reverb, RoomId};
use crate::space::{Attenuation, Point};

/// A ticket is the number of its play, less a hundred.
struct Book;

impl Names for Book {
    fn number(&self, ticket: u32) -> u64 {
        u64::from(ticket) + 100
    }
}

impl Plays for Book {
    fn named(&self, number: u64) -> NamedPlay {
        NamedPlay { ticket: number.wrapping_sub(100) as u32, number }
    }

    fn start_after(&self, leader: u64) -> Start {
        Start::Follow { leader: self.named(leader).ticket }
    }
}

fn bus(index: u8) -> BusId {
    BusId::new(index)
}

fn bytes_of(command: &PlainCommand) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_command(command, (7, 8), &Book, &mut bytes);
    bytes
}

fn take(bytes: &[u8]) -> Option<(PlainCommand, u64)> {
    let mut left = Bytes::new(bytes);
    take_command(&mut left, &Book).filter(|_| left.is_empty())
}

fn play(start: Start, extra: Option<Extra>) -> PlainCommand {
    Command::Play(Request {
        sound: 7,
        ticket: 0,
        gain: 0.5,
        pan: -0.25,
        speed: 1.5,
        position: 3,
        looping: Some(Loop { start: 1, end: 9, seam: 2 }),
        fade_in: 4,
        start,
        priority: Priority::High,
        bus: bus(3),
        park: true,
        when_full: WhenFull::Refuse,
        paused: false,
        muted: true,
        shape: Shape {
            low_pass: 900.0,
            high_pass: 60.0,
            sends: [0.1, 0.2, 0.3, 0.4],
            occlusion: 0.5,
        },
        extra: extra.map(Box::new),
    })
}

/// One of every kind, with something in every field.
fn commands() -> Vec<PlainCommand> {
    let point = Point { x: 1.0, y: -2.0, z: 3.0 };
    let to = Move::Position { to: point, jump: true };
    let mut moves = Moves::new();
    moves.push(4, to);
    moves.push(5, Move::Occlusion { to: 0.5, over: 6 });
    let full = Extra {
        placed: Some(Placed { position: point, attenuation: Attenuation::DEFAULT }),
        cue: Some(CueTerms {
            slot: 1,
            tenure: 2,
            cooldown: 3,
            merge_within: 4,
            at_most: 5,
            when_full: Some(WhenFull::StealOldest),
        }),
        crossfade: Some(Crossfade {
            from: Leaving::Plays([Book.named(101), Book.named(102)].into()),
            over: 9,
        }),
    };
    let bare = Extra {
        placed: None,
        cue: None,
        crossfade: Some(Crossfade { from: Leaving::Bus(bus(2)), over: 1 }),
    };
    let voice = |change| Command::Voice { ticket: 2, change };
    let room = RoomId::new(1);
    vec![
        play(Start::At(5), None),
        play(Start::After(6), Some(full)),
        play(Start::Follow { leader: 3 }, Some(bare)),
        play(Start::Orphan, None),
        play(Start::Stranger, None),
        voice(Change::Stop { fade: 1 }),
        voice(Change::Pause { fade: 2 }),
        voice(Change::Resume { fade: 3 }),
        voice(Change::Mute(true)),
        voice(Change::Gain { to: 0.5, over: 4 }),
        voice(Change::Pan { to: -0.5, over: 5 }),
        voice(Change::Speed { to: 0.75, over: 6 }),
        voice(Change::LowPass { to: 800.0, over: 7 }),
        voice(Change::HighPass { to: 80.0, over: 8 }),
        voice(Change::Send { room, to: 0.25, over: 9 }),
        voice(Change::Seek { to: 10 }),
        voice(Change::EndLoop),
        Command::Bus { bus: bus(1), change: Change::EndLoop, submix: Some(Plan::Submix) },
        Command::Place {
            bus: bus(4),
            place: BusPlace {
                parent: bus(1),
                max_voices: 2,
                reserved: 1,
                when_full: Some(WhenFull::Grow),
            },
        },
        Command::Duck {
            bus: bus(1),
            by: bus(2),
            duck: Some(DuckFrames { gain: 0.5, attack: 1, hold: 2, release: 3 }),
        },
        Command::Effect { bus: bus(1), effect: Some(()), submix: Some(Plan::Submix) },
        Command::Room { room, made: Plan::Room(Reverb::DEFAULT), over: 11 },
        Command::Resize(Plan::Voices(12)),
        Command::Listener { ears: Ears { position: point, right: point }, jump: true },
        Command::Move { ticket: 6, to },
        Command::Moves(moves),
    ]
}

#[test]
fn what_was_put_is_what_is_taken() {
    for command in commands() {
        let bytes = bytes_of(&command);
        let (taken, tag) = take(&bytes).expect("a command");
        assert_eq!(tag, if matches!(taken, Command::Play(_)) { 8 } else { 0 });
        // What a game cannot have said is brought within its limits, and stays there.
        let again = bytes_of(&taken);
        match taken {
            Command::Listener { .. } => assert_ne!(again, bytes, "a direction as long as that"),
            _ => assert_eq!(again, bytes),
        }
        assert_eq!(bytes_of(&take(&again).expect("a command").0), again);
    }
}

#[test]
fn what_breaks_off_is_no_command_and_what_is_changed_does_no_harm() {
    for command in commands() {
        let bytes = bytes_of(&command);
        for at in 0..bytes.len() {
            assert!(take(&bytes[..at]).is_none(), "{at} of {bytes:?}");
            for value in [0, 1, 0x7f, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                take(&changed);
            }
        }
    }
}

/// What is made for a command is made whatever it is: so a stranger must not choose.
#[test]
fn nothing_else_is_made_for_a_command_than_what_it_takes() {
    let plans = [Plan::Voices(u32::MAX), Plan::Submix, Plan::Room(Reverb::DEFAULT)];
    let is_taken = |command: PlainCommand| take(&bytes_of(&command)).is_some();
    let taken = |command: &dyn Fn(Plan) -> PlainCommand| plans.map(|it| is_taken(command(it)));
    let (change, room) = (Change::EndLoop, RoomId::new(0));
    let submix = |plan| Command::Bus { bus: bus(1), change, submix: Some(plan) };
    assert_eq!(taken(&submix), [false, true, false]);
    let effect = |plan| Command::Effect { bus: bus(1), effect: None, submix: Some(plan) };
    assert_eq!(taken(&effect), [false, true, false]);
    let room = |made| Command::Room { room, made, over: 0 };
    assert_eq!(taken(&room), [false, false, true]);
    assert_eq!(taken(&|plan| Command::Resize(plan)), [true, false, false]);
}

#[test]
fn a_block_of_moves_holds_no_more_than_it_can() {
    let mut bytes = vec![MOVES];
    (Moves::MOST as u32 + 1).put(&mut bytes);
    for number in 0..=Moves::MOST as u64 {
        (number, Move::Occlusion { to: 0.5, over: 6 }).put(&mut bytes);
    }
    assert!(take(&bytes).is_none());
    let last = size_of::<u64>() + 1 + 4 + 4;
    bytes[1..5].copy_from_slice(&(Moves::MOST as u32).to_le_bytes());
    assert!(take(&bytes[..bytes.len() - last]).is_some());
}
