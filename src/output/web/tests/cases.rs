//! What can go wrong on the way, case by case.

use super::Far;
use super::random::Library;
use crate::{BusId, Config, Mixer, Play, Sound, ms};

/// The way between them has as many places as the queue, and a play that finds none is turned away here too.
#[test]
fn a_worklet_that_does_not_answer_turns_plays_away_and_loses_no_control() {
    let config = Config { commands: 16, ..Config::DEFAULT };
    let mut far = Far::open(&config);
    let sound = Sound::from_mono(48_000, &[0.25; 48_000]).unwrap();
    let mut voices = Vec::new();
    for _ in 0..100 {
        voices.extend(far.mixer.play(&sound));
        far.page.pump(0.0);
    }
    assert_eq!(voices.len(), 32, "16 under way, 16 in the queue");
    voices.iter().for_each(|voice| far.mixer.stop(*voice, ms(0)));
    for _ in 0..40 {
        far.frames(128);
        // What waits is sent when the mixer is next touched.
        far.mixer.stats();
    }
    let stats = far.mixer.stats();
    assert_eq!((stats.accepted, stats.turned_away, stats.stopped), (32, 68, 32), "{stats}");
}

/// While the browser fetches nothing, time passes by what the page says; what is heard then fades in.
#[test]
fn time_passes_unheard_and_the_sound_fades_in() {
    let mut far = Far::open(&Config::DEFAULT);
    let tone = Sound::from_mono(48_000, &[0.5; 48_000]).unwrap();
    let blip = Sound::from_mono(48_000, &[0.5; 480]).unwrap();
    far.mixer.play(Play::of(&tone).looping());
    far.mixer.play(&blip);
    for _ in 0..10 {
        far.page.pump(0.016);
        while let Some(packet) = far.page.next_packet() {
            assert!(far.worklet.receive(&packet).is_some());
        }
        let mut reports = Vec::new();
        far.worklet.put_reports(&mut reports);
        far.page.receive(&reports);
    }
    assert_eq!(far.mixer.clock(), 7680);
    assert_eq!(far.mixer.stats().finished, 1, "it would have ended by now");
    let heard = far.frames(1280);
    assert!(heard[0][0] < 0.01 && heard.windows(2).all(|w| w[0][0] <= w[1][0]));
    assert_eq!(heard[600], [0.5; 2]);
    // A page that has slept for an hour does not go through all of it.
    far.page.pump(3600.0);
    while let Some(packet) = far.page.next_packet() {
        far.worklet.receive(&packet);
    }
    far.carry();
    assert_eq!(far.mixer.clock(), 7680 + 1280 + 48_000);
}

/// The page hears late that the sound is on: what it then says of time that passed unheard is not so.
#[test]
fn what_is_heard_is_not_passed_over() {
    let mut far = Far::open(&Config::DEFAULT);
    far.mixer.play(Play::of(Sound::from_mono(48_000, &[0.5; 48_000]).unwrap()));
    far.frames(512);
    let heard = far.worklet.render(128).to_vec();
    far.page.pump(0.2);
    while let Some(packet) = far.page.next_packet() {
        assert_eq!(far.worklet.receive(&packet), Some(true), "it is answered all the same");
    }
    assert_eq!(far.worklet.render(128), heard, "neither cut nor faded");
    far.carry();
    assert_eq!(far.mixer.clock(), 768);
}

/// The leader's ending may reach the page before the follower has left it.
#[test]
fn a_play_follows_one_whose_ending_is_already_known() {
    let mut far = Far::open(&Config::DEFAULT);
    let sound = Sound::from_mono(48_000, &[0.5; 1000]).unwrap();
    let intro = far.mixer.play(&sound);
    far.carry();
    far.worklet.render(2048);
    let follower = far.mixer.play(Play::of(&sound).looping().after(intro));
    let mut reports = Vec::new();
    far.worklet.put_reports(&mut reports);
    far.page.receive(&reports);
    far.frames(1024);
    assert!(far.mixer.is_live(follower), "{}", far.mixer.stats());
    assert_eq!(far.mixer.stats().finished, 1);
}

/// However many orders a stream is given before the page has its turn, the last one counts.
#[test]
fn the_last_of_many_orders_of_a_stream_counts() {
    let library = Library::new();
    let (near, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let mut far = Far::open(&Config::DEFAULT);
    let voices = [&near, &far.mixer].map(|mixer| mixer.play(Play::of(&library.stream).looping()));
    renderer.frames(1280);
    far.frames(1280);
    let mut late = Vec::new();
    for position in (0..12).map(|seek| 2500 - 100 * seek) {
        near.seek(voices[0], ms(position));
        far.mixer.seek(voices[1], ms(position));
        renderer.frames(128);
        far.page.pump(0.0);
        while let Some(packet) = far.page.next_packet() {
            far.worklet.receive(&packet);
        }
        far.worklet.render(128);
        let mut reports = Vec::new();
        far.worklet.put_reports(&mut reports);
        // It arrives late, as on a page that is busy.
        late.push(reports);
    }
    late.iter().for_each(|reports| assert_eq!(far.page.receive(reports), Some(())));
    renderer.frames(1280);
    far.frames(1280);
    assert!(far.frames(1280) == renderer.frames(1280));
}

/// A mixer that is gone is let go of, whichever comes first: its end, or that of its worklet.
#[test]
fn a_page_whose_worklet_has_failed_is_over_when_its_mixer_is_gone() {
    let [mut first, mut second] = [Far::open(&Config::DEFAULT), Far::open(&Config::DEFAULT)];
    first.page.fail();
    assert!(!first.page.is_over());
    first.page.close();
    second.page.close();
    second.page.pump(0.0);
    assert!(!second.page.is_over(), "it still fades out");
    second.page.fail();
    assert!(first.page.is_over() && second.page.is_over());
}

#[test]
fn what_nobody_holds_any_more_is_forgotten_there_too() {
    let mut far = Far::open(&Config::DEFAULT);
    for i in 0..50 {
        let sound = Sound::from_mono(48_000, &vec![0.1; 1000 + i]).unwrap();
        far.mixer.play(&sound);
        drop(sound);
        far.frames(128 * 12);
        // What came home is let go when the mixer is next touched.
        far.mixer.stats();
        far.carry();
        assert_eq!((far.page.sounds_held(), far.worklet.sounds_held()), (0, 0));
    }
    assert_eq!(far.mixer.stats().finished, 50);
}

#[test]
fn a_worklet_that_fails_ends_what_plays() {
    let mut far = Far::open(&Config::DEFAULT);
    let sound = Sound::from_mono(48_000, &[0.1; 48_000]).unwrap();
    let voice = far.mixer.play(&sound);
    far.frames(512);
    far.page.fail();
    assert!(!far.mixer.is_live(voice) && far.mixer.play(&sound).is_none());
    let stats = far.mixer.stats();
    assert_eq!((stats.stopped, stats.live, stats.panics), (1, 0, 1));
}

#[test]
fn the_last_drop_fades_the_sound_out() {
    let mut far = Far::open(&Config::DEFAULT);
    let sound = Sound::from_mono(48_000, &[0.5; 48_000]).unwrap();
    far.mixer.play(&sound);
    far.frames(512);
    far.page.close();
    let heard = far.frames(1024);
    assert!(heard.windows(2).all(|w| w[1][0] <= w[0][0]) && heard[1023] == [0.0; 2]);
    assert!(far.page.is_over());
}

struct Mute;

impl crate::Effect for Mute {
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        left.fill(0.0);
        right.fill(0.0);
    }
}

#[test]
fn an_effect_of_the_games_own_is_an_error_that_names_the_bus() {
    let mut far = Far::open(&Config::DEFAULT);
    let refused = far.mixer.set_effect(BusId::new(3), Some(Box::new(Mute))).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "bus 3: an effect of the game's own cannot cross to the browser's audio thread"
    );
    assert!(far.mixer.set_effect(BusId::new(3), None).is_ok(), "to take none away is no harm");
    far.frames(256);
}

/// Where a stream is told to go, it is heard a quantum later than where whoever decodes stands beside it; and from
/// then on as there.
#[test]
fn streams_go_where_they_are_told() {
    let library = Library::new();
    let (near, mut renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let mut far = Far::open(&Config::DEFAULT);
    let voices = [&near, &far.mixer].map(|mixer| mixer.play(Play::of(&library.stream).looping()));
    for (position, speed) in [(0, 1.0), (2200, 1.0), (900, 1.5), (2600, 0.7), (10, 1.0)] {
        for (mixer, voice) in [&near, &far.mixer].into_iter().zip(voices) {
            mixer.set_speed(voice, speed, ms(0));
            mixer.seek(voice, ms(position));
        }
        // The old place fades out, and the new one in.
        renderer.frames(128 * 8);
        far.frames(128 * 8);
        for quantum in 0..120 {
            let (expected, heard) = (renderer.frames(128), far.frames(128));
            assert!(heard == expected, "{quantum} quanta after {position} ms");
        }
        assert!(renderer.frames(128) == far.frames(128));
    }
    assert_eq!((near.stats().underruns, far.mixer.stats().underruns), (0, 0));
}
