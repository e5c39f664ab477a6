//! The sounds: all that the game says to its mixer.

use voicepool::{
    Attenuation, Bus, BusId, BusState, Cue, Distance, Duck, Listener, Mix, Mixer, Play, Priority,
    Reverb, RoomId, Stream, Tag, db, fader, ms, secs, semitones, to_fader,
};

use crate::world::{CAVE, Happened, What, World, walled};

// The buses are a tree: sliders turn the upper ones, the game those below, and neither knows of the other.
pub const MUSIC: BusId = BusId::new(1);
pub const SPEECH: BusId = BusId::new(2);
pub const EFFECTS: BusId = BusId::new(3);
pub const RAIN: BusId = BusId::new(4); // below the effects
pub const WORLD: BusId = BusId::new(5); // below the effects: what stands still while the menu is open
pub const BLASTS: BusId = BusId::new(6); // below the world
const MENU: BusId = BusId::new(7);
const ROOM: RoomId = RoomId::new(0); // how the cave rings

/// What the menu's sliders turn.
pub const SLIDERS: [(&str, BusId); 3] =
    [("master", BusId::MASTER), ("music", MUSIC), ("effects", EFFECTS)];

/// In pixels: as loud as can be up to 50 from the hero, gone at 430, and on one side alone half a screen off.
pub const EARSHOT: Attenuation =
    Attenuation { near: 50.0, far: 430.0, width: 640.0, ..Attenuation::DEFAULT };
/// The boss, and what blows up, carry across the whole arena.
const FAR: Attenuation = Attenuation { near: 160.0, far: 1600.0, ..EARSHOT };

pub struct Sounds {
    pub mixer: Mixer,
    plays: Vec<(What, Play)>,
    click: Play,
    in_cave: bool,
    before_menu: Mix,
}

impl Sounds {
    pub fn new(mixer: Mixer) -> Result<Sounds, voicepool::Error> {
        mixer.set_bus(RAIN, Bus { parent: EFFECTS, ..Bus::DEFAULT })?;
        mixer.set_bus(WORLD, Bus { parent: EFFECTS, ..Bus::DEFAULT })?;
        mixer.set_bus(BLASTS, Bus { parent: WORLD, max_voices: Some(5), ..Bus::DEFAULT })?;
        mixer.set_bus(SPEECH, Bus { reserved: 1, ..Bus::DEFAULT })?; // no storm eats a line's voice
        let bow = Duck { gain: db(-12.0), attack: ms(300), release: ms(900), ..Duck::DEFAULT };
        mixer.set_duck(MUSIC, SPEECH, Some(bow))?;
        mixer.set_reverb(ROOM, Reverb { decay: secs(2.2), size: 0.7, ..Reverb::DEFAULT }, ms(0));

        let path = |file: &str| format!("{}/{file}.wav", env!("CARGO_MANIFEST_DIR"));
        let load = |file: &str| mixer.load(path(file));
        let ours = |name: &str| load(&format!("examples/arena/sounds/{name}"));
        let [first, second, third] = [1, 2, 3].map(|n| load(&format!("sounds/footstep_{n}")));
        let steps = Cue::of([first?, second?, third?])?.vary_gain(2.0).vary_speed(1.5);
        let shots = Cue::of([ours("shot")?])?.vary_gain(1.0).vary_speed(1.0);
        let hits = Cue::of([load("sounds/thud")?])?.vary_speed(4.0).cooldown(ms(80)); // no rattle
        let blasts = Cue::of([load("sounds/explosion")?])?.vary_speed(4.0).at_most(3); // the loudest
        let coins = Cue::of([load("sounds/coin")?])?.merge_within(ms(40)); // a handful is one sound
        let growl = Play::of(ours("growl_loop")?).looping();
        let growls = Cue::of([&growl])?.vary_speed(5.0); // each has a throat of its own

        // Requests are templates: they are played again and again, each time with a place added.
        let heard = |play: Play| play.bus(WORLD).attenuation(EARSHOT);
        // The boss must be heard: it reaches everywhere, and nothing ordinary can take its voice.
        let boss = |play: Play| heard(play).attenuation(FAR).priority(Priority::High);
        let nowhere = Attenuation { model: Distance::None, pan: 0.0, ..EARSHOT };
        let plays = vec![
            (What::GrowlerCame, heard(growls.into()).gain(db(-4.0))),
            (What::BossCame, boss(growl.speed(semitones(-9.0)))),
            (What::Roared, boss(ours("roar")?.into())),
            (What::Exploded, heard(blasts.into()).bus(BLASTS).attenuation(FAR).gain(db(-5.0))),
            (What::Struck, heard(hits.into()).gain(db(-4.0))),
            (What::Stepped, heard(steps.into()).gain(db(-3.0)).priority(Priority::Low)),
            (What::Shot, heard(shots.into()).gain(db(-8.0))),
            (What::TookCoin, heard(coins.into()).gain(db(-6.0))),
            (What::Hurt, heard(load("sounds/zap")?.into()).gain(db(-3.0))),
            // The music sees a line coming, and has bowed when its first word is heard.
            (What::Said, Play::of(ours("line")?).bus(SPEECH).attenuation(nowhere).delay(ms(300))),
        ];
        // The music is a stream: it is read while it plays, however long it is, and nobody takes its voice.
        let music = Stream::open(path("examples/arena/sounds/music_loop"))?;
        mixer.play(Play::of(music).looping().bus(MUSIC).gain(db(-4.0)).fade_in(secs(1.0)));
        let rain = Play::of(load("sounds/rain_loop")?).bus(RAIN).gain(db(-12.0));
        mixer.play(rain.looping().priority(Priority::Protected).fade_in(secs(1.0)));
        let click = Play::of(load("sounds/ui_click")?).bus(MENU);
        Ok(Sounds { plays, click, in_cave: false, before_menu: mixer.mix(), mixer })
    }

    /// Makes heard what happened. A tag is somebody: what is said to it is said to all of its sounds.
    pub fn play(&self, (what, id, at): Happened) {
        if what == What::Exploded {
            self.mixer.stop(Tag(id), ms(60)); // it growls no more
        }
        for (_, play) in self.plays.iter().filter(|it| it.0 == what) {
            self.mixer.play(Play::of(play).at(at.to_array()).tag(id));
        }
    }

    /// Once a step of the game: where the ear is, where everybody is, and what stands between.
    pub fn follow(&mut self, world: &World) {
        let (mixer, ear, foes) = (&self.mixer, world.hero, world.foes.iter());
        mixer.set_listener(Listener::at(ear.to_array()));
        mixer.set_positions(foes.clone().map(|foe| (Tag(foe.id), foe.at.to_array())));
        let wall = |at| if walled(ear, at) { 0.8 } else { 0.0 };
        mixer.set_occlusions(foes.map(|foe| (Tag(foe.id), wall(foe.at))), ms(100));
        if CAVE.contains(ear) != self.in_cave {
            self.in_cave = !self.in_cave;
            let (send, rain) = if self.in_cave { (0.5, 700.0) } else { (0.0, 20_000.0) };
            mixer.set_send(WORLD, ROOM, send, ms(500));
            mixer.set_low_pass(RAIN, rain, ms(500));
        }
    }

    /// The menu opens: the world stands still, rain and music go on behind a door, and the menu's own clicks,
    /// on another bus, are as clear as ever. When it closes all is as it was, but for the sliders.
    pub fn set_menu(&mut self, open: bool) {
        let mixer = &self.mixer;
        mixer.play(&self.click);
        if open {
            self.before_menu = mixer.mix();
            [WORLD, SPEECH].iter().for_each(|bus| mixer.pause(*bus, ms(250)));
            [WORLD, RAIN, MUSIC].iter().for_each(|bus| mixer.set_low_pass(*bus, 400.0, ms(200)));
            return;
        }
        for (_, bus) in SLIDERS {
            let state = BusState { gain: mixer.bus(bus).gain, ..*self.before_menu.bus(bus) };
            self.before_menu.set_bus_state(bus, state);
        }
        mixer.set_mix(&self.before_menu, ms(250));
    }

    /// Where a slider stands, from 0 to 1. The mixer knows, so the game need not keep it.
    pub fn slider(&self, slider: usize) -> f32 {
        to_fader(self.mixer.bus(SLIDERS[slider].1).gain)
    }

    /// Moves a slider, with a click at every tenth of its way.
    pub fn slide(&self, slider: usize, to: f32) {
        if (10.0 * to).round() != (10.0 * self.slider(slider)).round() {
            self.mixer.play(&self.click);
        }
        self.mixer.set_gain(SLIDERS[slider].1, fader(to), ms(30));
    }
}
