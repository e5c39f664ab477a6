//! Replaying.

use std::collections::HashMap;
use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;
#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;

use super::media::{MOST_SILENCE, MediaRef};
use super::reader::Script;
use crate::audio::Renderer;
use crate::bus::BusId;
use crate::config::Config;
use crate::effect::Effect;
use crate::game::{Events, Mixer, Rerun, Told};
use crate::link::feed::{Feeder, Mark};
use crate::link::tape::{Note, Noted};
use crate::link::{Bridge, Drive};
use crate::output::offline::Patient;
use crate::play::Priority;
use crate::sound::{Media, Sound};
use crate::stats::Stats;
use crate::{Error, Frame};

/// How long is waited for the first stream that does not give what it gave once.
const PATIENCE: Duration = Duration::from_secs(10);

/// A recording that is heard again: [rendered](Replay::render) into the very bits that were played, or, under
/// another [`config`](Replay::config), into what would have been.
///
/// The bits are those that were played if all that was played is there ([`missing`](Replay::missing)), with
/// the same [effects](Replay::effect), and on the same sounds: a lossy file may be decoded to other samples on another
/// machine. Streams arrive when they did, late ones late.
///
/// See [`Mixer::record`].
pub struct Replay {
    script: Script,
    config: Config,
    media: HashMap<u64, Media>,
    missing: Vec<MediaRef>,
    effects: HashMap<BusId, Vec<Box<dyn Effect>>>,
    priorities: HashMap<u64, Priority>,
    running: Running,
    is_begun: bool,
}

/// The mixer to which it is all said again.
struct Running {
    mixer: Mixer,
    renderer: Renderer,
    bridge: Arc<Bridge>,
    told: Told,
    /// How many lines and blocks of the script are done with, and how many commands.
    lines: usize,
    blocks: usize,
    commands: usize,
    feeds: HashMap<u64, Sound>,
    /// How long the next stream is waited for that does not give what it gave once. Each time that it was in
    /// vain it is half as long, so that all of them together are not waited for without end.
    patience: Duration,
    /// How many frames were rendered.
    done: u64,
}

impl Replay {
    /// Reads a recording. `media` is asked for each sound and stream that is not in the file itself; those that it
    /// has not, or that are others, are [missing](Replay::missing).
    ///
    /// A recording that was cut off, by a crash say, is replayed up to where it was.
    ///
    /// # Errors
    ///
    /// If it cannot be read ([`Error::Read`]), is no recording or of another version ([`Error::Unsupported`]), or is
    /// damaged ([`Error::Damaged`], which names the byte).
    pub fn read(
        from: impl Read,
        mut media: impl FnMut(&MediaRef) -> Option<Media>,
    ) -> Result<Replay, Error> {
        let mut script = Script::read(from)?;
        let (mut found, mut missing) = (HashMap::new(), Vec::new());
        let mut silence = MOST_SILENCE;
        let mut numbers: Vec<u64> = script.media.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let Some(told) = script.media.get_mut(&number) else { continue };
            let own = told.media();
            let is_it = |media: &Media| MediaRef::of(media).is_ok_and(|it| it == told.known_by);
            let (given, is_missing) = match own {
                Some(own) => (Some(own), false),
                None => {
                    let given = media(&told.known_by);
                    let is_it = given.as_ref().is_some_and(is_it);
                    (given, !is_it)
                }
            };
            if is_missing {
                missing.push(told.known_by.clone());
            }
            let given = given.or_else(|| told.silence(&mut silence));
            given.into_iter().for_each(|media| drop(found.insert(number, media)));
        }
        let config = script.config.clone();
        let running = Running::new(&config, &script)?;
        Ok(Replay {
            script,
            config,
            media: found,
            missing,
            effects: HashMap::new(),
            priorities: HashMap::new(),
            running,
            is_begun: false,
        })
    }

    /// What was played and was not found, or is another: silence is heard for what was not found, and the bits are
    /// not promised.
    pub fn missing(&self) -> &[MediaRef] {
        &self.missing
    }

    /// Whether the recording has its end. If not it was cut off.
    pub fn is_whole(&self) -> bool {
        self.script.is_whole
    }

    /// How many frames it lasts.
    pub fn frame_count(&self) -> u64 {
        self.script.frames
    }

    /// The configuration, to be changed before the first [`render`](Replay::render): what if there had been 48 voices?
    /// Then what the game said of the size of the pool, and of what happens when it is full, does not count. The
    /// rate stays what it was.
    pub fn config(&mut self) -> &mut Config {
        &mut self.config
    }

    /// What if all that was played with a tag had had another priority?
    pub fn set_priority(&mut self, tag: u64, priority: Priority) {
        self.priorities.insert(tag, priority);
    }

    /// An effect that the game had put on a bus. Each call is for one time that it did, in that order.
    pub fn effect(&mut self, bus: BusId, mut effect: Box<dyn Effect>) {
        effect.prepare(self.script.config.sample_rate);
        self.effects.entry(bus).or_default().push(effect);
    }

    /// Renders what comes next. Returns how many frames of `out` were left of the recording; the others are silent.
    pub fn render(&mut self, out: &mut [Frame]) -> usize {
        self.begin();
        let is_another = self.is_another();
        let Replay { script, media, effects, priorities, running, .. } = self;
        let left = usize::try_from(script.frames - running.done).unwrap_or(usize::MAX);
        let (heard, silent) = out.split_at_mut(left.min(out.len()));
        let Running {
            mixer, renderer, bridge, told, lines, blocks, commands, feeds, patience, ..
        } = running;
        let in_own_time = is_another || !priorities.is_empty();
        let mut player = Player {
            script,
            mixer,
            told,
            lines,
            blocks,
            commands,
            rerun: Again {
                media,
                effects,
                priorities,
                mixer,
                bridge,
                feeds,
                patience,
                is_another,
                in_own_time,
            },
            patient: Patient::new(bridge),
        };
        renderer.fill(heard, &mut player);
        running.done += heard.len() as u64;
        silent.fill([0.0; 2]);
        heard.len()
    }

    /// Takes up the configuration, if it was changed before anything was rendered. One that no mixer can have is
    /// taken back.
    fn begin(&mut self) {
        if self.is_begun {
            return;
        }
        self.is_begun = true;
        self.config.sample_rate = self.script.config.sample_rate;
        match Running::new(&self.config, &self.script) {
            Ok(running) => self.running = running,
            Err(_) => self.config = self.script.config.clone(),
        }
    }

    fn is_another(&self) -> bool {
        let Config { device, buffer, .. } = &self.config;
        self.config
            != Config { device: device.clone(), buffer: *buffer, ..self.script.config.clone() }
    }

    /// What happened since it was last asked, as far as it was rendered.
    pub fn events(&mut self) -> Events {
        self.running.mixer.events()
    }

    /// How it stands, as far as it was rendered.
    pub fn stats(&self) -> Stats {
        self.running.mixer.stats()
    }
}

impl Running {
    fn new(config: &Config, script: &Script) -> Result<Running, Error> {
        // All that was applied on one line is said at once.
        let counts = script.lines.iter().filter_map(|note| match note.what {
            Noted::Applied { count } => Some(count),
            _ => None,
        });
        let counts = counts.map(|count| count.min(script.commands.len() as u64));
        let before = std::iter::once(0).chain(counts.clone());
        let most = counts.zip(before).map(|(count, before)| count.saturating_sub(before)).max();
        // With a larger pool before each play at the worst.
        let commands = config.commands.max(2 * most.unwrap_or(0) as usize);
        let (mixer, renderer) = Mixer::offline(Config { commands, ..config.clone() })?;
        let bridge = renderer.bridge();
        Ok(Running {
            mixer,
            renderer,
            bridge,
            told: Told::new(script.config.commands),
            lines: 0,
            blocks: 0,
            commands: 0,
            feeds: HashMap::new(),
            patience: PATIENCE,
            done: 0,
        })
    }
}

/// Says again what was said, line by line.
struct Player<'a> {
    script: &'a Script,
    mixer: &'a Mixer,
    told: &'a mut Told,
    lines: &'a mut usize,
    blocks: &'a mut usize,
    commands: &'a mut usize,
    rerun: Again<'a>,
    patient: Patient<'a>,
}

impl Player<'_> {
    fn next_line(&self) -> Option<&Note> {
        self.script.lines.get(*self.lines)
    }
}

impl Drive for Player<'_> {
    fn line(&mut self, at: u64) -> u64 {
        self.told.begin_line();
        self.rerun.feeds.retain(|_, sound| sound.feed().is_some_and(|feed| !feed.is_over()));
        while let Some(note) = self.next_line().filter(|note| note.at <= at).copied() {
            *self.lines += 1;
            match note.what {
                Noted::StopAll { last, fade } => {
                    self.mixer.replay(Some((last, fade)), &[], self.told, &mut self.rerun);
                }
                Noted::Applied { count } => {
                    let all = &self.script.commands;
                    let until = (count as usize).clamp(*self.commands, all.len());
                    let commands = all.get(*self.commands..until).unwrap_or_default();
                    self.mixer.replay(None, commands, self.told, &mut self.rerun);
                    *self.commands = until;
                }
                Noted::Block { .. } | Noted::LaterBlock { .. } | Noted::EffectFailed { .. } => (),
            }
        }
        // What is read is taken in and given back on the lines on which it was.
        let blocks = self.script.blocks.get(*self.blocks..).filter(|_| !self.rerun.in_own_time);
        let block = blocks.and_then(|blocks| blocks.iter().find(|note| note.at > at));
        let next = [self.next_line(), block].into_iter().flatten().map(|note| note.at).min();
        next.unwrap_or(u64::MAX)
    }

    /// Lets the blocks of streams arrive that had arrived by then.
    fn supply(&mut self, at: u64, after: bool) {
        if self.rerun.in_own_time {
            return;
        }
        self.rerun.await_orders();
        while let Some(note) = self.script.blocks.get(*self.blocks) {
            let (is_later, play, epoch, index) = match note.what {
                Noted::Block { play, epoch, index } => (false, play, epoch, index),
                Noted::LaterBlock { play, epoch, index } => (true, play, epoch, index),
                _ => break,
            };
            if (note.at, is_later) > (at, after) {
                break;
            }
            *self.blocks += 1;
            if let Some(feed) = self.rerun.feeds.get(&play).and_then(Sound::feed) {
                let mark = Mark { epoch, index };
                feed.allow_up_to(mark);
                let (bridge, patience) = (self.rerun.bridge, &mut *self.rerun.patience);
                wait_while(bridge, patience, || feed.made() < mark && !feed.is_over());
                // If it never was made, the next of that stream is not to be waited for either.
                if feed.made() < mark {
                    self.rerun.feeds.remove(&play);
                }
            }
        }
    }

    /// Of what was recorded nothing is waited for: it arrives when it did.
    fn wait(&mut self) -> bool {
        self.rerun.in_own_time && self.patient.wait()
    }
}

/// What is needed to say it again.
struct Again<'a> {
    media: &'a HashMap<u64, Media>,
    effects: &'a mut HashMap<BusId, Vec<Box<dyn Effect>>>,
    priorities: &'a HashMap<u64, Priority>,
    mixer: &'a Mixer,
    bridge: &'a Bridge,
    feeds: &'a mut HashMap<u64, Sound>,
    patience: &'a mut Duration,
    is_another: bool,
    /// Whether streams are waited for, since they may be wanted at other times than they were.
    in_own_time: bool,
}

impl Again<'_> {
    /// Waits until every stream can be told where it is read from.
    fn await_orders(&mut self) {
        for feed in self.feeds.values().filter_map(Sound::feed) {
            wait_while(self.bridge, self.patience, || feed.orders.room() < 2 && !feed.is_over());
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn wait_while(bridge: &Bridge, patience: &mut Duration, lacks: impl Fn() -> bool) {
    let mut since = Instant::now();
    while lacks() {
        if since.elapsed() >= *patience {
            *patience /= 2;
            return;
        }
        if bridge.feeder().is_some_and(Feeder::wait) {
            since = Instant::now();
        }
    }
}

/// Where there are no threads, nothing comes but what is made meanwhile.
#[cfg(target_arch = "wasm32")]
fn wait_while(bridge: &Bridge, _patience: &mut Duration, lacks: impl Fn() -> bool) {
    while lacks() && bridge.feeder().is_some_and(Feeder::wait) {}
}

impl Rerun for Again<'_> {
    fn sound(&mut self, play: u64, media: u64) -> Option<Sound> {
        let sound = self.mixer.sound(self.media.get(&media)?.clone())?;
        if let Some(feed) = sound.feed().filter(|_| !self.in_own_time) {
            feed.allow_up_to(Mark::default());
            self.feeds.insert(play, sound.clone());
        }
        Some(sound)
    }

    fn effect(&mut self, bus: BusId) -> Option<Box<dyn Effect>> {
        let given = self.effects.get_mut(&bus).filter(|given| !given.is_empty())?;
        Some(given.remove(0))
    }

    fn is_another(&self) -> bool {
        self.is_another
    }

    fn priority(&self, tag: u64) -> Option<Priority> {
        self.priorities.get(&tag).copied()
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay")
            .field("frames", &self.script.frames)
            .field("commands", &self.script.commands.len())
            .finish_non_exhaustive()
    }
}
