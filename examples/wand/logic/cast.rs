//! The cast: the sounds of a folder, each on a key, and who plays which part.

use std::fmt;
use std::time::Duration;

use voicepool::Sound;

/// The keys that sounds are put on, in this order. All others are the app's.
pub const KEYS: &str = "1234567890bcdgijklnovxyzBCDGIJKLNORUVXYZ";

/// What lasts longer is a track: nobody throws it by the hundred.
pub const LONG: Duration = Duration::from_secs(10);

/// The sounds, in the order of their files' names; those that joined later at the end.
#[derive(Default)]
pub struct Cast {
    pub members: Vec<Member>,
    /// The files that are not in it, and why.
    pub skipped: Vec<Skipped>,
    /// The wave of the wand.
    pub swish: usize,
    /// What each sparkle says.
    pub spark: usize,
    /// What ends an argument.
    pub boom: usize,
    /// What the hero walks on.
    pub steps: Vec<usize>,
    /// What goes on and on.
    pub loops: Vec<usize>,
    /// What is too long to be thrown, and no loop: music, as a rule.
    pub tracks: Vec<usize>,
    /// What is thrown: everything else, or if there is nothing else, all.
    pub shots: Vec<usize>,
}

pub struct Member {
    pub sound: Sound,
    /// The sound's name without anything that a terminal would obey.
    pub name: String,
    pub key: Option<char>,
}

/// A file that is not played.
#[derive(Debug, PartialEq)]
pub struct Skipped {
    pub file: String,
    pub why: String,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.why)
    }
}

impl Cast {
    /// A cast of these sounds.
    pub fn of(sounds: Vec<Sound>, skipped: Vec<Skipped>) -> Cast {
        let mut cast = Cast { skipped, ..Cast::default() };
        for sound in sounds {
            cast.join(sound);
        }
        cast.give_out_parts(0);
        cast
    }

    /// A sound joins the others, without a part yet. Returns its place.
    pub fn join(&mut self, sound: Sound) -> usize {
        let place = self.members.len();
        let key = KEYS.chars().nth(place);
        self.members.push(Member { name: printable(sound.name()), sound, key });
        place
    }

    /// Gives out the parts: by name where a name says it, else by how long and how loud. Only those
    /// from a place on get one, if there is anybody.
    pub fn give_out_parts(&mut self, from: usize) {
        let members = &self.members;
        let from = if from < members.len() { from } else { 0 };
        let is_loop = |name: &str| name.ends_with("_loop") || name.ends_with("_bed");
        let (loops, others): (Vec<_>, Vec<_>) =
            (from..members.len()).partition(|&i| is_loop(&members[i].name));
        let (tracks, mut shots): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|&i| members[i].sound.duration() > LONG);
        if shots.is_empty() {
            shots = (from..members.len()).collect();
        }
        let named = |part: &'static str| {
            shots.iter().copied().filter(|&i| members[i].name.contains(part)).collect::<Vec<_>>()
        };
        let first = |parts: [&'static str; 2]| parts.into_iter().flat_map(named).next();
        let by_length = |&i: &usize| members[i].sound.duration();
        let shortest = shots.iter().copied().min_by_key(by_length).unwrap_or(0);
        let longest = shots.iter().copied().max_by_key(by_length).unwrap_or(0);
        let mut steps = named("step");
        if steps.is_empty() {
            steps = shots.iter().copied().take(3).collect();
        }
        self.swish = first(["swish", "whoosh"]).or(shots.first().copied()).unwrap_or(0);
        self.spark = named("tick").first().copied().unwrap_or(shortest);
        self.boom = first(["explosion", "boom"]).unwrap_or(longest);
        (self.steps, self.loops, self.tracks, self.shots) = (steps, loops, tracks, shots);
    }

    /// Whether there is anything that goes on and on.
    pub fn has_ambience(&self) -> bool {
        !self.loops.is_empty() || !self.tracks.is_empty()
    }

    /// Who is on a key.
    pub fn on_key(&self, key: char) -> Option<usize> {
        self.members.iter().position(|member| member.key == Some(key))
    }

    pub fn name(&self, index: usize) -> &str {
        self.members.get(index).map_or("?", |member| &member.name)
    }
}

/// A name as it can be shown: a file may be called anything, also what a terminal would obey.
pub fn printable(name: &str) -> String {
    // Some terminals obey the marks that turn the direction of writing, for the whole line.
    let turns = |c| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    name.chars().filter(|c| !c.is_control() && !turns(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_go_by_name_or_else_by_length() {
        let sound =
            |name: &str, frames| Sound::from_mono(48_000, &vec![0.1; frames]).unwrap().named(name);
        let cast = Cast::of(
            vec![sound("hum_loop", 900), sound("magic_swish", 50), sound("x", 10), sound("y", 400)],
            Vec::new(),
        );
        assert_eq!((cast.swish, cast.spark, cast.boom), (1, 2, 3));
        assert_eq!((cast.loops, cast.shots), (vec![0], vec![1, 2, 3]));
        let named = ["a_step", "b", "small_boom", "c_step", "tick"].map(|name| sound(name, 50));
        let named = Cast::of([named.to_vec(), vec![sound("long", 900)]].concat(), Vec::new());
        assert_eq!((named.spark, named.boom, named.steps), (4, 2, vec![0, 3]));
        let only_loops = Cast::of(vec![sound("hum_loop", 900)], Vec::new());
        assert_eq!((only_loops.swish, only_loops.shots), (0, vec![0]));
    }

    #[test]
    fn who_joins_later_keeps_the_others_places_and_may_have_all_parts() {
        let sound =
            |name: &str, frames| Sound::from_mono(48_000, &vec![0.1; frames]).unwrap().named(name);
        let ours = vec![sound("a_swish", 50), sound("b_boom", 90), sound("c_loop", 900)];
        let mut cast = Cast::of(ours, Vec::new());
        assert_eq!((cast.join(sound("d", 10)), cast.on_key('4')), (3, Some(3)));
        assert_eq!(cast.shots, [0, 1], "it has no part yet");
        cast.give_out_parts(0);
        assert_eq!((cast.swish, cast.spark, cast.boom, &cast.shots[..]), (0, 3, 1, &[0, 1, 3][..]));
        cast.give_out_parts(3);
        assert_eq!((cast.swish, cast.spark, cast.boom), (3, 3, 3));
        assert_eq!((&cast.shots[..], cast.has_ambience()), (&[3][..], false));
        cast.give_out_parts(4);
        assert_eq!(cast.shots, [0, 1, 3], "from there on there is nobody");
    }

    #[test]
    fn a_long_sound_is_a_track_and_has_no_other_part_whatever_it_is_called() {
        let sound = |name: &str, seconds: usize| {
            Sound::from_mono(4, &vec![0.1; 4 * seconds]).unwrap().named(name)
        };
        let long = ["swish_song", "a_step_too_far", "tick_tock", "boom_boom"];
        let long = long.map(|name| sound(name, 11));
        let short = [sound("x", 1), sound("y", 10)];
        let cast = Cast::of(
            [long.to_vec(), short.to_vec(), vec![sound("z_loop", 60)]].concat(),
            Vec::new(),
        );
        assert_eq!((cast.tracks, cast.shots, cast.loops), (vec![0, 1, 2, 3], vec![4, 5], vec![6]));
        assert_eq!((cast.swish, cast.spark, cast.boom, cast.steps), (4, 4, 5, vec![4, 5]));
        let only_long = Cast::of(long.to_vec(), Vec::new());
        assert_eq!((only_long.tracks.len(), only_long.shots.len()), (4, 4), "there is no other");
    }
}
