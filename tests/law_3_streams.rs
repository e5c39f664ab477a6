//! Law 3 with streams: their places are counted. A play holds one from when it is accepted until it has ended,
//! but not while it is parked, and whoever is parked comes back only when there is one.

mod common;
#[path = "common/streams.rs"]
mod streams;

use common::{assert_balanced, mono};
use streams::{Beyond, Disk, Form, Pair, stream};
use voicepool::{
    Config, Ending, Event, Listener, Mixer, Play, Priority, Refusal, Renderer, Stream, VoiceId,
    VoiceState, WhenStolen, ms,
};

const FORM: Form = Form::MONO;
const HERE: [f32; 2] = [0.0, 0.0];
const FAR: [f32; 2] = [500.0, 0.0];

struct Game {
    mixer: Mixer,
    renderer: Renderer,
    music: Stream,
    refused: u64,
}

impl Game {
    fn new(config: Config) -> Game {
        let (mixer, renderer) = Mixer::offline(config).expect("a good config");
        Game { mixer, renderer, music: stream(&FORM.music(48_000)), refused: 0 }
    }

    fn play(&self, with: impl Fn(Play) -> Play) -> VoiceId {
        self.mixer.play(with(Play::of(&self.music).looping())).expect("there is room")
    }

    /// Goes on for a moment, and sees to the books.
    fn go_on(&mut self) {
        for _ in 0..8 {
            self.renderer.frames(128);
            assert_balanced(&self.mixer.stats());
        }
        let no_stream = |event: &Event| {
            matches!(event, Event::Ended { why: Ending::Refused { why: Refusal::NoStream }, .. })
        };
        self.refused += self.mixer.events().filter(no_stream).count() as u64;
    }

    fn state(&mut self, voice: VoiceId) -> Option<VoiceState> {
        self.mixer.voices();
        self.renderer.frames(128);
        self.mixer.voices().iter().find(|info| info.voice == voice).map(|info| info.state)
    }
}

#[test]
fn a_play_holds_its_place_from_when_it_is_accepted_until_it_ends() {
    let mut game = Game::new(Config { streams: 2, ..Config::default() });
    // Those count that wait for their frame, and those that are paused.
    let waits = game.play(|play| play.start_at(48_000 * 60));
    let plays = game.play(|play| play);
    game.play(|play| play);
    game.go_on();
    assert_eq!(game.refused, 1);
    game.mixer.stop(plays, ms(0));
    game.go_on();
    game.play(|play| play);
    game.go_on();
    assert_eq!(game.refused, 1, "its place was free");
    game.mixer.stop(waits, ms(0));
    game.play(|play| play);
    game.go_on();
    assert_eq!(game.refused, 1, "and so was that of the one who waited");
    game.play(|play| play);
    game.go_on();
    assert_eq!(game.refused, 2);
    game.mixer.stop_all(ms(0));
    game.go_on();
    for _ in 0..3 {
        game.play(|play| play);
    }
    game.go_on();
    assert_eq!(game.refused, 3);
}

#[test]
fn a_stream_that_finishes_gives_its_place_back() {
    let mut game = Game::new(Config { streams: 1, ..Config::default() });
    for _ in 0..5 {
        let short = game.mixer.play(Play::of(&game.music).from_position(ms(980)));
        assert!(short.is_some());
        game.go_on();
        game.renderer.frames(1024);
    }
    game.go_on();
    assert_eq!((game.refused, game.mixer.stats().finished), (0, 5));
}

#[test]
fn a_parked_stream_has_no_place_and_comes_back_when_there_is_one() {
    let mut game = Game::new(Config { streams: 1, ..Config::default() });
    let far = game.play(|play| play.at(FAR));
    game.go_on();
    assert_eq!(game.state(far), Some(VoiceState::Parked));
    // Its place is another's meanwhile.
    let other = game.play(|play| play);
    game.go_on();
    assert_eq!(game.refused, 0);
    game.mixer.teleport(far, HERE);
    game.go_on();
    assert_eq!(game.state(far), Some(VoiceState::Parked), "there is no place");
    game.mixer.stop(other, ms(0));
    game.go_on();
    assert_eq!(game.state(far), Some(VoiceState::Playing));
    game.play(|play| play);
    game.go_on();
    assert_eq!(game.refused, 1, "it has its place again");
    // Around and around.
    for _ in 0..10 {
        game.mixer.teleport(far, FAR);
        game.go_on();
        game.mixer.teleport(far, HERE);
        game.go_on();
    }
    assert_eq!(game.state(far), Some(VoiceState::Playing));
    game.mixer.stop(far, ms(0));
    game.go_on();
    assert_eq!(game.mixer.stats().live, 0);
}

#[test]
fn a_stream_that_is_robbed_parks_and_gives_its_place_to_its_thief() {
    let config = Config { streams: 1, voices: 1, max_voices: 1, ..Config::default() };
    let mut game = Game::new(config);
    let low = game.play(|play| play.priority(Priority::Low).when_stolen(WhenStolen::Park));
    game.go_on();
    let blip = mono(48_000, &[0.5; 4800]);
    game.mixer.play(Play::of(&blip).priority(Priority::High)).expect("there is room");
    game.go_on();
    assert_eq!(game.state(low), Some(VoiceState::Parked));
    let thief = game.play(|play| play);
    game.go_on();
    assert_eq!((game.refused, game.state(thief)), (0, Some(VoiceState::Playing)));
    game.mixer.stop(thief, ms(0));
    for _ in 0..10 {
        game.go_on();
    }
    assert_eq!(game.state(low), Some(VoiceState::Playing), "it is its turn again");
    // One that must not park ends, and gives its place back as well.
    game.mixer.stop(low, ms(0));
    game.go_on();
    game.play(|play| play.priority(Priority::Low).when_stolen(WhenStolen::End));
    game.go_on();
    let stolen = game.mixer.stats().stolen;
    game.mixer.play(Play::of(&blip).priority(Priority::High)).expect("there is room");
    game.go_on();
    assert_eq!(game.mixer.stats().stolen, stolen + 1);
    game.play(|play| play);
    game.go_on();
    assert_eq!(game.refused, 0);
}

/// What is told to a parked stream is not read before it comes back.
#[test]
fn a_parked_stream_is_not_read() {
    let (disk, other) = (Disk::new(&FORM.music(48_000 * 4)), FORM.music(48_000 * 4));
    let (mixer, mut renderer) = Mixer::offline(Config::default()).expect("a good config");
    let far = mixer.play(Play::of(disk.stream("far")).looping().at(FAR));
    renderer.frames(512);
    assert_eq!(mixer.stats().parked, 1);
    // Were it read, it would break off.
    disk.stop_at(0, Beyond::Fail);
    for to in [2500, 1500, 3500] {
        mixer.seek(far, ms(to));
        // All that are read have their turn while this one is.
        mixer.play(Play::of(stream(&other)).from_position(ms(1000)).gain(0.0));
        renderer.frames(100_000);
    }
    disk.go_on();
    mixer.teleport(far, HERE);
    let heard = renderer.frames(48_000);
    assert!(heard.iter().any(|frame| frame[0] != 0.0));
    let failed = |event: Event| matches!(event, Event::StreamFailed { .. });
    assert!(!mixer.events().any(failed));
    assert_eq!((mixer.stats().playing, mixer.stats().underruns), (1, 0));
}

/// What is heard of a stream that was out of earshot is what would be heard of the loaded file.
#[test]
fn a_stream_comes_back_from_parking_as_a_loaded_sound_does() {
    for form in [FORM, Form { rate: 44_100, is_float: false, ..Form::PLAIN }] {
        let mut pair = Pair::new(Config::default(), &form.music(form.rate as usize * 2));
        let both = pair.play(|play| play.at(HERE).loop_range(ms(200)..ms(1700)));
        pair.hear(30_000, 700, "near");
        for round in 0..6 {
            pair.say(both, |mixer, _| mixer.set_listener(Listener::at(FAR)));
            pair.hear(9_000 + 7_000 * round, 700, "far");
            if round == 3 {
                pair.say(both, |mixer, voice| mixer.seek(voice, ms(600)));
            }
            if round == 4 {
                pair.say(both, |mixer, voice| mixer.end_loop(voice));
            }
            pair.say(both, |mixer, _| mixer.teleport_listener(Listener::at(HERE)));
            pair.hear(20_000, 700, &format!("near again, {form:?}, {round}"));
        }
        assert!(pair.streamed.0.stats().parkings >= 4);
        pair.hear(48_000 * 2, 700, "to its end");
        assert_eq!(pair.assert_ended_alike("parked").len(), 1);
        assert_eq!(pair.streamed.0.stats().underruns, 0);
    }
}
