//! What a mixer tells, as text that is the same on every system: floats by their bits, and plays without the
//! number of their mixer, which depends on how many there were before.

use std::fmt::Write;

use voicepool::{BusId, Ending, Event, Mixer, Parking, Refusal, VoiceId};

/// How often the voices are looked at one by one.
const LOOK: u32 = 7;

/// All that happened since the last time; and now and then what every voice does.
pub fn tell_all(tick: u32, mixer: &Mixer, told: &mut String) {
    for event in mixer.events() {
        told.push_str(&tell(&event));
        told.push('\n');
    }
    if !tick.is_multiple_of(LOOK) {
        return;
    }
    let stats = mixer.stats();
    line(told, format_args!("{tick}: {} of {} voices", stats.playing, stats.voices));
    for it in mixer.voices() {
        let [level, gain, pan] = [it.level, it.gain, it.pan].map(f32::to_bits);
        let at = mixer.position(it.voice).map(|(at, frame)| (at.as_nanos(), frame));
        line(
            told,
            format_args!(
                "{} in {:?} of {:?} is {:?} at {} {at:?}: {level:x} {gain:x} {pan:x}",
                id(it.voice),
                it.slot,
                it.bus,
                it.state,
                it.position.as_nanos(),
            ),
        );
    }
}

/// The rest, and what was counted.
pub fn tell_end(mixer: &Mixer, told: &mut String) {
    tell_all(0, mixer, told);
    let it = mixer.stats();
    let counts = [it.voices, it.playing, it.parked, it.scheduled, it.live, it.most_playing];
    let sums = [it.full, it.accepted, it.finished, it.stopped, it.stolen, it.refused];
    let more = [it.turned_away, it.parkings, it.underruns, it.frames, it.panics, it.missed_events];
    let levels = [it.loudest_stolen, it.loudest_parked, it.peak[0], it.peak[1]].map(f32::to_bits);
    line(told, format_args!("{counts:?} {sums:?} {more:?} {levels:x?}"));
    for bus in (0..9).map(BusId::new) {
        let it = mixer.bus_stats(bus);
        let (lost, duck) = (it.loudest_lost.to_bits(), it.duck.to_bits());
        let peak = it.peak.map(|peak| peak.map(f32::to_bits));
        line(
            told,
            format_args!(
                "{bus:?}: {} {} {} {lost:x} {peak:x?} {duck:x}",
                it.playing, it.most, it.stolen
            ),
        );
    }
}

fn line(told: &mut String, what: std::fmt::Arguments) {
    writeln!(told, "{what}").expect("memory to write to");
}

fn id(voice: VoiceId) -> String {
    let bits = voice.to_bits();
    format!("{}.{}", (bits >> 64) as u32, bits as u64)
}

fn tell(event: &Event) -> String {
    match event {
        Event::Ended { voice, tag, name, at, why, .. } => {
            format!("{at} {} {tag} {name} {}", id(*voice), tell_ending(why))
        }
        Event::Started { voice, tag, at, .. } => format!("{at} {} {tag} started", id(*voice)),
        Event::Parked { voice, tag, at, why, .. } => {
            format!("{at} {} {tag} parked {}", id(*voice), tell_parking(why))
        }
        Event::Unparked { voice, tag, at, .. } => format!("{at} {} {tag} unparked", id(*voice)),
        Event::EffectFailed { bus, at, why, .. } => format!("{at} {bus:?} effect {why:?}"),
        Event::Underrun { voice, tag, at, .. } => format!("{at} {} {tag} underrun", id(*voice)),
        Event::StreamFailed { voice, tag, why, .. } => {
            format!("{} {tag} stream failed: {why}", id(*voice))
        }
        Event::Output(state) => format!("output {state}"),
        other => format!("{other:?}"),
    }
}

fn tell_ending(why: &Ending) -> String {
    match why {
        Ending::Stolen { by, by_tag, level, .. } => {
            format!("stolen by {} {by_tag} at {:x}", id(*by), level.to_bits())
        }
        Ending::Refused { why: Refusal::Merged { into }, .. } => {
            format!("merged into {}", id(*into))
        }
        other => format!("{other:?}"),
    }
}

fn tell_parking(why: &Parking) -> String {
    match why {
        Parking::Stolen { by, by_tag, level, .. } => {
            format!("stolen by {} {by_tag} at {:x}", id(*by), level.to_bits())
        }
        other => format!("{other:?}"),
    }
}
