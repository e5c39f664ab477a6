//! The bytes of a command. Tickets mean nothing outside the mixer that gave them out, so that plays go by the
//! numbers of the commands that asked for them.

use super::{Bytes, Wire, sane};
use crate::link::message::{
    Command, Crossfade, Extra, Leaving, Move, Moves, NamedPlay, PlainCommand, Plan, Request, Start,
};

/// What the one who writes knows of plays.
pub(crate) trait Names {
    /// The number of the play that holds a ticket.
    fn number(&self, ticket: u32) -> u64;
}

/// What the one who reads knows of plays.
pub(crate) trait Plays {
    /// The ticket of a play, and the number of its command here. One that is over has a ticket that nobody has.
    fn named(&self, number: u64) -> NamedPlay;

    /// When a play begins that is to follow another.
    fn start_after(&self, leader: u64) -> Start;
}

const PLAY: u8 = 0;
const VOICE: u8 = 1;
const BUS: u8 = 2;
const PLACE: u8 = 3;
const DUCK: u8 = 4;
const EFFECT: u8 = 5;
const ROOM: u8 = 6;
const RESIZE: u8 = 7;
const LISTENER: u8 = 8;
const MOVE: u8 = 9;
const MOVES: u8 = 10;

/// Writes a command. `media` is what a play names in the place of its sound, and `tag` is its tag.
pub(crate) fn put_command(
    command: &PlainCommand,
    (media, tag): (u64, u64),
    names: &impl Names,
    out: &mut Vec<u8>,
) {
    match command {
        Command::Play(request) => {
            (PLAY, media, tag).put(out);
            put_request(request, names, out);
        }
        Command::Voice { ticket, change } => {
            (VOICE, names.number(*ticket)).put(out);
            change.put(out);
        }
        Command::Bus { bus, change, submix } => {
            (BUS, *bus, *change).put(out);
            submix.put(out);
        }
        Command::Place { bus, place } => (PLACE, *bus, *place).put(out),
        Command::Duck { bus, by, duck } => {
            (DUCK, *bus, *by).put(out);
            duck.put(out);
        }
        Command::Effect { bus, effect, submix } => {
            (EFFECT, *bus, effect.is_some()).put(out);
            submix.put(out);
        }
        Command::Room { room, made, over } => {
            (ROOM, *room, *made).put(out);
            over.put(out);
        }
        Command::Resize(voices) => (RESIZE, *voices).put(out),
        Command::Listener { ears, jump } => (LISTENER, *ears, *jump).put(out),
        Command::Move { ticket, to } => (MOVE, names.number(*ticket), *to).put(out),
        Command::Moves(moves) => {
            (MOVES, moves.list().len() as u32).put(out);
            for (ticket, to) in moves.list() {
                names.number(*ticket).put(out);
                to.put(out);
            }
        }
    }
}

/// Reads a command, and of a play its tag.
pub(crate) fn take_command(from: &mut Bytes, plays: &impl Plays) -> Option<(PlainCommand, u64)> {
    let mut tag = 0;
    let command = match u8::take(from)? {
        PLAY => {
            let media = u64::take(from)?;
            tag = u64::take(from)?;
            Command::Play(take_request(media, from, plays)?.sanitized())
        }
        VOICE => {
            let ticket = plays.named(u64::take(from)?).ticket;
            Command::Voice { ticket, change: sane::change(Wire::take(from)?) }
        }
        BUS => Command::Bus {
            bus: Wire::take(from)?,
            change: sane::change(Wire::take(from)?),
            submix: take_submix(from)?,
        },
        PLACE => Command::Place { bus: Wire::take(from)?, place: Wire::take(from)? },
        DUCK => Command::Duck {
            bus: Wire::take(from)?,
            by: Wire::take(from)?,
            duck: take_some(from, sane::duck)?,
        },
        EFFECT => Command::Effect {
            bus: Wire::take(from)?,
            effect: bool::take(from)?.then_some(()),
            submix: take_submix(from)?,
        },
        ROOM => Command::Room {
            room: Wire::take(from)?,
            made: take_plan(from, |plan| matches!(plan, Plan::Room(_)))?,
            over: Wire::take(from)?,
        },
        RESIZE => Command::Resize(take_plan(from, |plan| matches!(plan, Plan::Voices(_)))?),
        LISTENER => {
            Command::Listener { ears: sane::ears(Wire::take(from)?), jump: Wire::take(from)? }
        }
        MOVE => {
            let ticket = plays.named(u64::take(from)?).ticket;
            Command::Move { ticket, to: sane::moved(Wire::take(from)?) }
        }
        MOVES => {
            let mut moves = Moves::new();
            for _ in 0..u32::take(from)? {
                let ticket = plays.named(u64::take(from)?).ticket;
                let to = sane::moved(Move::take(from)?);
                if moves.is_full() {
                    return None;
                }
                moves.push(ticket, to);
            }
            Command::Moves(moves)
        }
        _ => return None,
    };
    Some((command, tag))
}

/// What there may be, within its limits.
fn take_some<T: Wire>(from: &mut Bytes, sane: impl Fn(T) -> T) -> Option<Option<T>> {
    let taken: Option<T> = Wire::take(from)?;
    Some(taken.map(sane))
}

/// What is to be made for a command. Another kind than it takes would be made all the same: four thousand million
/// voices for a filter, say.
fn take_plan(from: &mut Bytes, is_meant: impl Fn(&Plan) -> bool) -> Option<Plan> {
    Some(sane::plan(Plan::take(from)?)).filter(is_meant)
}

fn take_submix(from: &mut Bytes) -> Option<Option<Plan>> {
    let is_submix = |plan: &Plan| *plan == Plan::Submix;
    if bool::take(from)? { take_plan(from, is_submix).map(Some) } else { Some(None) }
}

fn put_request(request: &Request<u64>, names: &impl Names, out: &mut Vec<u8>) {
    let Request { sound: _, ticket: _, gain, pan, speed, position, looping, .. } = request;
    let Request { fade_in, start, priority, bus, park, when_full, paused, .. } = request;
    let Request { muted, shape, extra, .. } = request;
    (*gain, *pan, *speed).put(out);
    position.put(out);
    looping.put(out);
    fade_in.put(out);
    put_start(*start, names, out);
    (*priority, *bus, *park).put(out);
    (*when_full, *paused, *muted).put(out);
    shape.put(out);
    extra.is_some().put(out);
    if let Some(Extra { placed, cue, crossfade }) = extra.as_deref() {
        placed.put(out);
        cue.put(out);
        crossfade.is_some().put(out);
        if let Some(Crossfade { from, over }) = crossfade {
            put_leaving(from, out);
            over.put(out);
        }
    }
}

fn take_request(media: u64, from: &mut Bytes, plays: &impl Plays) -> Option<Request<u64>> {
    Some(Request {
        sound: media,
        ticket: 0,
        gain: Wire::take(from)?,
        pan: Wire::take(from)?,
        speed: Wire::take(from)?,
        position: Wire::take(from)?,
        looping: Wire::take(from)?,
        fade_in: Wire::take(from)?,
        start: take_start(from, plays)?,
        priority: Wire::take(from)?,
        bus: Wire::take(from)?,
        park: Wire::take(from)?,
        when_full: Wire::take(from)?,
        paused: Wire::take(from)?,
        muted: Wire::take(from)?,
        shape: Wire::take(from)?,
        extra: match bool::take(from)? {
            false => None,
            true => Some(Box::new(Extra {
                placed: Wire::take(from)?,
                cue: Wire::take(from)?,
                crossfade: match bool::take(from)? {
                    false => None,
                    true => Some(Crossfade {
                        from: take_leaving(from, plays)?,
                        over: Wire::take(from)?,
                    }),
                },
            })),
        },
    })
}

fn put_start(start: Start, names: &impl Names, out: &mut Vec<u8>) {
    match start {
        Start::At(frame) => (0_u8, frame).put(out),
        Start::After(frames) => (1_u8, frames).put(out),
        Start::Follow { leader } => (2_u8, names.number(leader)).put(out),
        Start::Orphan => out.push(3),
        Start::Stranger => out.push(4),
    }
}

fn take_start(from: &mut Bytes, plays: &impl Plays) -> Option<Start> {
    Some(match u8::take(from)? {
        0 => Start::At(Wire::take(from)?),
        1 => Start::After(Wire::take(from)?),
        2 => plays.start_after(Wire::take(from)?),
        3 => Start::Orphan,
        4 => Start::Stranger,
        _ => return None,
    })
}

fn put_leaving(leaving: &Leaving, out: &mut Vec<u8>) {
    match leaving {
        Leaving::Plays(plays) => {
            let numbers: Box<[u64]> = plays.iter().map(|play| play.number).collect();
            out.push(0);
            numbers.put(out);
        }
        Leaving::Bus(bus) => (1_u8, *bus).put(out),
    }
}

fn take_leaving(from: &mut Bytes, plays: &impl Plays) -> Option<Leaving> {
    Some(match u8::take(from)? {
        0 => {
            let numbers = Box::<[u64]>::take(from)?;
            Leaving::Plays(numbers.iter().map(|number| plays.named(*number)).collect())
        }
        1 => Leaving::Bus(Wire::take(from)?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
