//! What the ledger's parts do together.

mod crossing;

use std::sync::atomic::AtomicBool;

use super::*;

impl Ledger {
    fn accept(&mut self, play: Play) -> Option<VoiceId> {
        let What::Media(Media::Sound(sound)) = play.what else { panic!("a sound was played") };
        self.play(sound, &play.settings, Terms { cue: None, crossfade: None })
    }
}
use crate::bus::BusId;
use crate::play::{Play, What};
use crate::sound::{Media, Sound};

const MASTER: Target = Target::Bus(BusId::MASTER);
const ONE: [BusId; 1] = [BusId::MASTER];

/// Under `Grow`, a pool of one voice that is taken: the next play needs a larger one before it,
/// unless somebody is parked.
fn about_to_grow(commands: usize) -> (Ledger, Arc<Bridge>, Play) {
    let config = Config {
        voices: 1,
        max_voices: 8,
        parked: 1,
        scheduled: 1,
        commands,
        when_full: WhenFull::Grow,
        ..Config::default()
    };
    let bridge = Arc::new(Bridge::new(&config));
    let mut ledger = Ledger::new(&config, 0, bridge.clone(), |_, _| Box::new(()));
    let play = Play::of(Sound::from_mono(48_000, &[0.5]).unwrap());
    ledger.validate(&ONE).expect("there is room");
    ledger.accept(play.clone()).expect("it is sent");
    ledger.publish();
    bridge.commands.receive();
    (ledger, bridge, play)
}

/// What the growth depends on is the audio side's to change, at any moment.
#[test]
fn a_play_that_is_accepted_is_sent_whatever_the_audio_side_does_meanwhile() {
    let (mut ledger, bridge, play) = about_to_grow(2);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Relaxed) {
                bridge.meters.parked.store(0, Relaxed);
                bridge.meters.parked.store(1, Relaxed);
            }
        });
        for round in 0..50_000 {
            // This leaves a place for the play, and none for a pool before it.
            ledger.change(MASTER, Change::Pause { fade: 0 });
            let accepted = ledger.validate(&ONE).and_then(|admission| {
                ledger.grow(admission);
                ledger.accept(play.clone())
            });
            ledger.publish();
            let mut sent = 0;
            while let Some(command) = bridge.commands.receive() {
                if let Command::Play(request) = command {
                    sent += 1;
                    ledger.tickets.take(request.ticket);
                }
            }
            if sent != i32::from(accepted.is_some()) {
                done.store(true, Relaxed);
                panic!("accepted {accepted:?} and sent {sent} in round {round}");
            }
        }
        done.store(true, Relaxed);
    });
}

/// The queue was emptied, but no ending has come back yet: the tickets are scarcer than its places.
#[test]
fn plays_together_need_a_ticket_each() {
    let (mut ledger, bridge, play) = about_to_grow(2);
    let tickets = ledger.tickets.capacity();
    while ledger.tickets.len() < tickets - 1 {
        assert!(ledger.validate(&ONE).is_some());
        ledger.accept(play.clone()).expect("a ticket is left");
        ledger.publish();
        bridge.commands.receive();
    }
    bridge.meters.parked.store(100, Relaxed);
    assert!(ledger.validate(&[BusId::MASTER; 2]).is_none(), "for two, a ticket is missing");
    assert_eq!(ledger.stats().turned_away, 2);
    assert!(ledger.validate(&ONE).is_some());
    assert!(ledger.validate(&[]).is_some());
}

/// As if they came one after another: a pool of one voice that is taken doubles for the next, and
/// again for the one after it, up to the most.
#[test]
fn a_pool_grows_once_for_plays_that_come_together() {
    for (plays, voices) in [(1, 2), (2, 4), (3, 4), (4, 8), (7, 8), (9, 8)] {
        let (mut ledger, bridge, play) = about_to_grow(plays + 1);
        let admission =
            ledger.validate(&vec![BusId::MASTER; plays]).expect("room for them and a pool");
        ledger.grow(admission);
        (0..plays).for_each(|_| assert!(ledger.accept(play.clone()).is_some()));
        ledger.publish();
        assert_eq!(
            (bridge.commands.waiting(), ledger.capacity.voices()),
            (plays as u64 + 1, voices)
        );
        let (mut ledger, bridge, _) = about_to_grow(plays + 1);
        ledger.change(MASTER, Change::Mute(true));
        assert!(ledger.validate(&vec![BusId::MASTER; plays]).is_none(), "a place is missing");
        ledger.publish();
        assert_eq!((bridge.commands.waiting(), ledger.capacity.voices()), (1, 1));
    }
}

/// Only we send, so that this never comes to pass.
#[test]
fn a_play_that_cannot_be_sent_after_all_was_not_accepted() {
    let (mut ledger, _bridge, play) = about_to_grow(1);
    let before = ledger.stats();
    ledger.validate(&ONE).expect("there is room");
    ledger.change(MASTER, Change::Pause { fade: 0 });
    assert_eq!(ledger.accept(play), None);
    let turned_away = before.turned_away + 1;
    assert_eq!(ledger.stats(), Stats { turned_away, ..before });
}
