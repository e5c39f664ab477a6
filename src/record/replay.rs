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
use crate::config::{Config, MOST, WhenFull};
use crate::effect::{Effect, Tame};
use crate::game::{Events, Mixer, Rerun, Told};
use crate::link::feed::{BLOCKS, Feeder, Mark};
use crate::link::tape::{Note, Noted};
use crate::link::{Bridge, Drive};
use crate::log_line::log_line;
use crate::output::offline::Patient;
use crate::play::Priority;
use crate::sound::{Media, Sound};
use crate::stats::Stats;
use crate::{Error, Frame};

/// How often some of the blocks of a note are taken in before all of them are there. No game's stream comes past as many
/// on one line.
const MOST_TRIES: usize = 64 * BLOCKS;

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
    /// From the first render on.
    running: Option<Running>,
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
    /// Whether the configuration is another, and its pool.
    is_another: bool,
    has_another_pool: bool,
    /// Whether streams are waited for, since they may be wanted at other times than they were.
    in_own_time: bool,
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
            let is_it = |media: &Media| MediaRef::of(media) == told.known_by;
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
            let given = given.or_else(|| told.silence(script.config.sample_rate, &mut silence));
            given.into_iter().for_each(|media| drop(found.insert(number, media)));
        }
        Ok(Replay {
            config: script.config.clone(),
            script,
            media: found,
            missing,
            effects: HashMap::new(),
            priorities: HashMap::new(),
            running: None,
        })
    }

    /// What was played and was not found, or is another: silence is heard for what was not found, and the bits are
    /// not promised.
    pub fn missing(&self) -> &[MediaRef] {
        &self.missing
    }

    /// Whether nothing is lacking at its end. If not it was cut off, or the disk was too slow
    /// ([`Summary::is_whole`](crate::Summary::is_whole)).
    pub fn is_whole(&self) -> bool {
        self.script.is_whole
    }

    /// How many frames it lasts.
    pub fn frame_count(&self) -> u64 {
        self.script.frames
    }

    /// The configuration, to be changed before the first [`render`](Replay::render): what if there had been 48 voices?
    /// Then what the game said of what happens when the pool is full does not count, nor, if there are to be more or
    /// fewer voices, what it said of its size. The rate stays what it was, and there may be at least as many voices as
    /// there are. One that no mixer can have is taken back, and the log says so.
    ///
    /// Who lost its voice and has one now stops when the game told it to, as far as the queue had room to say so. What else
    /// was said to it was never sent, nor is who was to follow it ([`Play::after`](crate::Play::after)).
    pub fn config(&mut self) -> &mut Config {
        &mut self.config
    }

    /// What if all that was played with a tag had had another priority? To be said before the first
    /// [`render`](Replay::render); later it does nothing.
    pub fn set_priority(&mut self, tag: u64, priority: Priority) {
        if self.running.is_none() {
            self.priorities.insert(tag, priority);
        }
    }

    /// An effect that the game had put on a bus. Each call is for one time that it did, in that order.
    pub fn effect(&mut self, bus: BusId, effect: Box<dyn Effect>) {
        let effect = Tame::prepared(effect, self.script.config.sample_rate);
        self.effects.entry(bus).or_default().push(effect);
    }

    /// Renders what comes next. Returns how many frames of `out` were left of the recording; the others are silent.
    pub fn render(&mut self, out: &mut [Frame]) -> usize {
        self.begin();
        let Replay { script, media, effects, priorities, running, .. } = self;
        let Some(running) = running else {
            out.fill([0.0; 2]);
            return 0;
        };
        let left = usize::try_from(script.frames - running.done).unwrap_or(usize::MAX);
        let (heard, silent) = out.split_at_mut(left.min(out.len()));
        let Running {
            mixer,
            renderer,
            bridge,
            told,
            lines,
            blocks,
            commands,
            feeds,
            patience,
            is_another,
            has_another_pool,
            in_own_time,
            ..
        } = running;
        let (is_another, has_another_pool) = (*is_another, *has_another_pool);
        let in_own_time = *in_own_time;
        let mut player = Player {
            script,
            mixer,
            told,
            lines,
            blocks,
            commands,
            collected: None,
            tries: 0,
            rerun: Again {
                media,
                effects,
                priorities,
                mixer,
                bridge,
                feeds,
                patience,
                is_another,
                has_another_pool,
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
        if self.running.is_some() {
            return;
        }
        self.config.sample_rate = self.script.config.sample_rate;
        self.config.max_voices = self.config.max_voices.max(self.config.voices);
        let mut running = Running::new(&self.config, &self.script);
        if let Err(error) = &running {
            log_line(format_args!("a replay is as it was, and not what if: {error}"));
            self.config = self.script.config.clone();
            running = Running::new(&self.config, &self.script);
        }
        self.running = running.ok().map(|running| Running {
            in_own_time: running.is_another || !self.priorities.is_empty(),
            ..running
        });
    }

    /// What happened since it was last asked, as far as it was rendered.
    pub fn events(&mut self) -> Events {
        self.running.as_ref().map_or_else(Events::none, |running| running.mixer.events())
    }

    /// How it stands, as far as it was rendered.
    pub fn stats(&self) -> Stats {
        self.running.as_ref().map(|running| running.mixer.stats()).unwrap_or_default()
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
        let commands = config.commands.max(2 * most.unwrap_or(0) as usize).min(MOST);
        let Config { voices, max_voices, when_full, .. } = script.config;
        let grows = |when_full| when_full == WhenFull::Grow;
        let has_another_pool = (config.voices, config.max_voices) != (voices, max_voices)
            || grows(config.when_full) != grows(when_full);
        let (device, buffer) = (config.device.clone(), config.buffer);
        let is_another = *config != Config { device, buffer, ..script.config.clone() };
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
            is_another,
            has_another_pool,
            in_own_time: is_another,
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
    /// How many blocks had been taken in when those of a note were last waited for, and how often that was.
    collected: Option<(usize, u64)>,
    tries: usize,
    rerun: Again<'a>,
    patient: Patient<'a>,
}

impl Player<'_> {
    /// Says what was applied up to a command, and then a `stop_all`.
    fn say_up_to(&mut self, count: u64, stop_all: Option<(u64, u32)>) {
        let all = &self.script.commands;
        let until = (count as usize).clamp(*self.commands, all.len());
        let commands = all.get(*self.commands..until).unwrap_or_default();
        self.mixer.replay(commands, stop_all, self.told, &mut self.rerun);
        *self.commands = until;
    }

    fn next_line(&self) -> Option<&Note> {
        self.script.lines.get(*self.lines)
    }
}

impl Drive for Player<'_> {
    fn line(&mut self, at: u64) -> u64 {
        self.told.begin_line();
        self.patient.line(at);
        self.rerun.feeds.retain(|_, sound| sound.feed().is_some_and(|feed| !feed.is_over()));
        let (mut stops, mut count) = (Vec::new(), 0);
        while let Some(note) = self.next_line().filter(|note| note.at <= at).copied() {
            *self.lines += 1;
            match note.what {
                Noted::StopAll { last, fade } => stops.push((last, fade)),
                Noted::Applied { count: here } => count = here.max(count),
                Noted::Block { .. } | Noted::LaterBlock { .. } | Noted::EffectFailed { .. } => (),
            }
        }
        // In between, for the numbers may be others here: a pool that grows is asked for by one more.
        for (last, fade) in stops {
            self.say_up_to(last.min(count), Some((last, fade)));
        }
        self.say_up_to(count, None);
        // What is read is taken in and given back on the lines on which it was.
        let blocks = self.script.blocks.get(*self.blocks..).filter(|_| !self.rerun.in_own_time);
        let block = blocks.and_then(|blocks| blocks.iter().find(|note| note.at > at));
        let next = [self.next_line(), block].into_iter().flatten().map(|note| note.at).min();
        next.unwrap_or(u64::MAX)
    }

    /// Lets the blocks of streams arrive that had arrived by then: one note after the other, and of more than there is
    /// room for some at a time, since what is not read goes back meanwhile.
    fn supply(&mut self, at: u64, after: bool) -> bool {
        if self.rerun.in_own_time {
            return false;
        }
        self.rerun.await_orders();
        let Some(note) = self.script.blocks.get(*self.blocks) else { return false };
        let (is_later, play, epoch, index) = match note.what {
            Noted::Block { play, epoch, index } => (false, play, epoch, index),
            Noted::LaterBlock { play, epoch, index } => (true, play, epoch, index),
            _ => return false,
        };
        if (note.at, is_later) > (at, after) {
            return false;
        }
        let Some(feed) = self.rerun.feeds.get(&play).and_then(Sound::feed) else {
            *self.blocks += 1;
            return true;
        };
        let mark = Mark { epoch, index };
        feed.allow_up_to(mark);
        let (bridge, patience) = (self.rerun.bridge, &mut *self.rerun.patience);
        let is_wanted = || feed.made() < mark && !feed.is_over();
        // If nothing was taken in since it was asked last, nobody does.
        let collected = feed.blocks.collected();
        let before = self.collected.replace((*self.blocks, collected));
        let is_same_note = before.is_some_and(|(note, _)| note == *self.blocks);
        self.tries = if is_same_note { self.tries + 1 } else { 0 };
        let is_taken = before != self.collected;
        let is_over = self.tries == MOST_TRIES;
        let has_some = || is_taken && feed.blocks.waiting() > 0;
        wait_while(bridge, patience, || is_wanted() && !is_over && !has_some());
        if is_wanted() {
            if has_some() && !is_over {
                return true;
            }
            // If it never was made, the next of that stream is not to be waited for either.
            self.rerun.feeds.remove(&play);
        }
        *self.blocks += 1;
        true
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
    has_another_pool: bool,
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

    fn has_another_pool(&self) -> bool {
        self.has_another_pool
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
