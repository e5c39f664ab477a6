//! What is measured, and how it is told.

use std::time::Duration;

use crate::race::{self, Lane};
use crate::scene::{Clips, Contender, PITCH, Scene};
use crate::{check, limit, ours, peers, streams};

/// How many voices the published figures are of.
const VOICES: usize = 256;

/// How many voices a game's mix has.
const GAME_VOICES: usize = 64;

/// How many voices are on the move in space.
const SPACE_VOICES: usize = 64;

/// How many streams play at once.
const STREAMS: usize = 8;

/// How long each part of the summary takes, apart from making its contenders.
const PART: Duration = Duration::from_secs(50);

/// How long each of the many parts of the table takes.
const SHORT_PART: Duration = Duration::from_secs(20);

/// The ratios that a change is judged by, in the last line.
pub fn summary() -> Result<(), String> {
    let clips = checked_clips()?;
    let unity = Unity::race(&clips, &peers::ALL, PART)?;
    let pitched = Pitched::race(&clips, &peers::ALL, PART)?;

    let lanes = race::play(&with_peers([ours::F32]), VOICES, &Clips::falling(), PART)?;
    tell("into a full pool, ns a play", &lanes);
    println!("the same, and hearing what came of it:");
    for lane in &lanes {
        println!("  {:<24}{:9.3}", lane.name, lane.median_with_books());
    }
    let [ours, peers @ ..] = &lanes[..] else { unreachable!("as many as contenders") };

    let game_vs_best_peer = game(&clips, PART)?;
    let [space_vs_best_peer, space_linear_vs_best_peer] = in_space(&clips, PART)?;

    println!(
        "summary unity_vs_limit={:.2} unity_vs_best_peer={:.2} linear_vs_limit={:.2} \
         linear_vs_best_peer={:.2} cubic_vs_limit={:.2} play_vs_best_peer={:.2} heap_calls={} \
         i16_vs_limit={:.2} ramp_vs_unity={:.2} game_vs_best_peer={game_vs_best_peer:.2} \
         space_vs_best_peer={space_vs_best_peer:.2} \
         space_linear_vs_best_peer={space_linear_vs_best_peer:.2}",
        unity.vs_limit,
        unity.vs_best_peer,
        pitched.linear_vs_limit,
        pitched.linear_vs_best_peer,
        pitched.cubic_vs_limit,
        best(peers, ours),
        ours.heap_calls(),
        unity.i16_vs_limit,
        unity.ramp_vs_unity,
    );
    Ok(())
}

/// What of the summary needs no peers, in the last line.
pub fn limits() -> Result<(), String> {
    let clips = checked_clips()?;
    let unity = Unity::race(&clips, &[], SHORT_PART)?;
    let pitched = Pitched::race(&clips, &[], SHORT_PART)?;
    println!(
        "limits unity_vs_limit={:.2} linear_vs_limit={:.2} cubic_vs_limit={:.2} \
         i16_vs_limit={:.2} i16_linear_vs_limit={:.2} ramp_vs_unity={:.2} kinds_vs_unity={:.2}",
        unity.vs_limit,
        pitched.linear_vs_limit,
        pitched.cubic_vs_limit,
        unity.i16_vs_limit,
        pitched.i16_vs_limit,
        unity.ramp_vs_unity,
        unity.kinds_vs_unity,
    );
    Ok(())
}

/// A game's mix: how many times as long as ours the fastest peer takes.
fn game(clips: &Clips, time: Duration) -> Result<f64, String> {
    let contenders = [&[ours::GAME][..], &peers::GAME].concat();
    let lanes = race::game(&contenders, GAME_VOICES, clips, time)?;
    tell("a game's mix, ns a frame of a voice", &lanes);
    let [ours, peers @ ..] = &lanes[..] else { unreachable!("as many as contenders") };
    Ok(best(peers, ours))
}

/// A game's mix alone, in the last line.
pub fn mix() -> Result<(), String> {
    let clips = Clips::many();
    check::game()?;
    println!("a game's mix: everybody filters, ducks and rings");
    println!("mix game_vs_best_peer={:.2}", game(&clips, SHORT_PART)?);
    Ok(())
}

/// In space: how many times as long as ours the fastest peer takes, with clips as they are and three semitones
/// up.
fn in_space(clips: &Clips, time: Duration) -> Result<[f64; 2], String> {
    let contenders = [&[ours::SPACE][..], &peers::SPACE].concat();
    let race = |what, pitch| {
        let lanes = race::space(&contenders, SPACE_VOICES, pitch, clips, time / 2)?;
        println!("{what}, ns a frame of a voice, and how much of it the game's calls take:");
        for lane in &lanes {
            println!("  {:<24}{:9.3}{:9.3}", lane.name, lane.median(), lane.median_of_books());
        }
        let [ours, peers @ ..] = &lanes[..] else { unreachable!("as many as contenders") };
        Ok::<_, String>(best(peers, ours))
    };
    Ok([race("in space", 1.0)?, race("in space, 3 semitones up", PITCH)?])
}

/// Space alone, in the last line.
pub fn space() -> Result<(), String> {
    let clips = Clips::many();
    check::space()?;
    println!("in space: everybody hears how far things are, and on which side");
    let [unity, linear] = in_space(&clips, 2 * SHORT_PART)?;
    println!("space space_vs_best_peer={unity:.2} space_linear_vs_best_peer={linear:.2}");
    Ok(())
}

/// Streams alone, in the last line.
pub fn streams() -> Result<(), String> {
    let clips = streams::clips(STREAMS);
    let scene = Scene::of(STREAMS, &clips);
    check::heap()?;
    check::streams(&scene)?;
    println!("{STREAMS} streams: everybody plays every frame of the same files");
    let contenders = [&[ours::STREAMS][..], &peers::STREAMS].concat();
    let figures = streams::race(&contenders, &scene, SHORT_PART)?;
    let times = streams::milliseconds_of_all_threads(&contenders, &scene, SHORT_PART)?;
    println!(
        "streams, ns a frame of a voice in the callback, its heap calls, and ms of all threads for a \
         second of sound:"
    );
    for (one, time) in figures.iter().zip(times) {
        println!("  {:<24}{:9.3}{:9}{time:9.1}", one.name, one.median(), one.heap_calls);
    }
    let [ours, kira] = &figures[..] else { unreachable!("as many as contenders") };
    println!("streams stream_vs_kira={:.2} heap_calls={}", kira.over(ours), ours.heap_calls);
    Ok(())
}

/// Clips as they are.
struct Unity {
    vs_limit: f64,
    vs_best_peer: f64,
    i16_vs_limit: f64,
    ramp_vs_unity: f64,
    /// Over the mean of what each kind's samples would take alone: half of them are stereo.
    kinds_vs_unity: f64,
}

impl Unity {
    fn race(clips: &Clips, peers: &[Contender], time: Duration) -> Result<Unity, String> {
        let first = [limit::F32, ours::F32, limit::I16, ours::I16, ours::RAMPED, ours::EVERY_KIND];
        let lanes = race::render(&[&first, peers].concat(), VOICES, 1.0, clips, time)?;
        tell("at unity, ns a frame of a voice", &lanes);
        let [limit, ours, limit_i16, ours_i16, ramped, kinds, peers @ ..] = &lanes[..] else {
            unreachable!("as many as contenders")
        };
        Ok(Unity {
            vs_limit: ours.over(limit),
            vs_best_peer: best(peers, ours),
            i16_vs_limit: ours_i16.over(limit_i16),
            ramp_vs_unity: ramped.over(ours),
            kinds_vs_unity: kinds.over(ours),
        })
    }
}

/// Clips three semitones up.
struct Pitched {
    linear_vs_limit: f64,
    linear_vs_best_peer: f64,
    cubic_vs_limit: f64,
    i16_vs_limit: f64,
}

impl Pitched {
    fn race(clips: &Clips, peers: &[Contender], time: Duration) -> Result<Pitched, String> {
        let first = [limit::F32, ours::F32, limit::CUBIC, ours::CUBIC, limit::I16, ours::I16];
        let lanes = race::render(&[&first, peers].concat(), VOICES, PITCH, clips, time)?;
        tell("3 semitones up, ns a frame of a voice", &lanes);
        let [limit, ours, limit_cubic, ours_cubic, limit_i16, ours_i16, peers @ ..] = &lanes[..]
        else {
            unreachable!("as many as contenders")
        };
        Ok(Pitched {
            linear_vs_limit: ours.over(limit),
            linear_vs_best_peer: best(peers, ours),
            cubic_vs_limit: ours_cubic.over(limit_cubic),
            i16_vs_limit: ours_i16.over(limit_i16),
        })
    }
}

fn checked_clips() -> Result<Clips, String> {
    let clips = Clips::many();
    check::all(&clips)?;
    println!("equal work: voicepool and the limit agree, and every peer is heard");
    Ok(clips)
}

fn with_peers<const N: usize>(first: [Contender; N]) -> Vec<Contender> {
    [&first[..], &peers::ALL].concat()
}

/// How many times as long as ours the fastest peer takes.
fn best(peers: &[Lane], ours: &Lane) -> f64 {
    peers.iter().map(|peer| peer.over(ours)).fold(f64::INFINITY, f64::min)
}

fn tell(what: &str, lanes: &[Lane]) {
    println!("{what}:");
    for lane in lanes {
        println!("  {:<24}{:9.3}", lane.name, lane.median());
    }
}

/// A row of the table: a contender, and the one that is its yardstick.
struct Row {
    contender: Contender,
    limit: &'static str,
}

/// Everything, as Markdown.
pub fn table() -> Result<(), String> {
    let clips = checked_clips()?;
    let row = |contender: Contender, limit: &Contender| Row { contender, limit: limit.name };
    let mut rows = vec![
        row(limit::F32, &limit::F32),
        row(limit::I16, &limit::I16),
        row(limit::CUBIC, &limit::CUBIC),
        row(ours::F32, &limit::F32),
        row(ours::I16, &limit::I16),
        row(ours::CUBIC, &limit::CUBIC),
    ];
    rows.extend(peers::ALL.map(|peer| row(peer, &limit::F32)));
    let race = |pitch| {
        let race = |voices| {
            let field = field(&rows, voices, pitch);
            race::render(&field, voices, pitch, &clips, SHORT_PART)
        };
        Ok::<_, String>([race(32)?, race(VOICES)?, race(1024)?])
    };
    let (unity, pitched) = (race(1.0)?, race(PITCH)?);
    let plays = race::play(&with_peers([ours::F32]), VOICES, &Clips::falling(), SHORT_PART)?;

    println!(
        "\nBlocks of 512 frames, ns for a frame of a voice, with 32, 256 and 1024 voices. × limit: \
         at 256, over the limit of the same samples and reading (for the peers, floats and \
         linear). Plays are into a full pool of 256.\n"
    );
    println!(
        "| | unity: 32 | 256 | 1024 | × limit | 3 semitones up: 32 | 256 | 1024 | × limit | read \
         | ns a play | and hearing what came of it | heap calls in the callback, a play | when full \
         |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for Row { contender: Contender { name, reads, when_full, .. }, limit } in &rows {
        let [unity, pitched] = [&unity, &pitched].map(|races| cells(races, name, limit));
        let play = match find(&plays, name) {
            Some(lane) => format!(
                "{:.0} | {:.0} | {:.2}",
                lane.median(),
                lane.median_with_books(),
                lane.heap_calls_per_play()
            ),
            None => "– | – | –".into(),
        };
        println!("| {name} | {unity} | {pitched} | {reads} | {play} | {when_full} |");
    }
    scaling()
}

/// Those that have enough voices, or all but one of them. At unity nothing is read between the
/// samples, so that the cubic rows would say the same as the others.
fn field(rows: &[Row], voices: usize, pitch: f32) -> Vec<Contender> {
    let said_already = |row: &Row| pitch == 1.0 && row.limit == limit::CUBIC.name;
    let rows = rows.iter().filter(|row| !said_already(row));
    rows.map(|row| row.contender).filter(|one| one.most_voices >= voices - 1).collect()
}

fn find<'a>(lanes: &'a [Lane], name: &str) -> Option<&'a Lane> {
    lanes.iter().find(|lane| lane.name == name)
}

/// The figures of a contender at each number of voices, and over its limit at the second.
fn cells(races: &[Vec<Lane>; 3], name: &str, limit: &str) -> String {
    let cell = |figure: Option<f64>| figure.map_or("–".into(), |figure| format!("{figure:.2}"));
    let [few, some, many] = races.each_ref().map(|lanes| cell(find(lanes, name).map(Lane::median)));
    let [_, lanes, _] = races;
    let over = find(lanes, name).zip(find(lanes, limit)).map(|(lane, limit)| lane.over(limit));
    format!("{few} | {some} | {many} | {}", cell(over))
}

/// How the cost of a voice grows with their number.
fn scaling() -> Result<(), String> {
    const COUNTS: [usize; 5] = [1, 32, 256, 1024, 4096];
    println!("\nThe same by the number of voices, which share four clips and read them in step.\n");
    println!("| | 1 | 32 | 256 | 1024 | 4096 | 4096 over 256 |\n|---|---|---|---|---|---|---|");
    for (what, pitch) in [("unity", 1.0), ("linear", PITCH)] {
        for contender in [ours::F32, limit::F32] {
            let lanes = race::scale(&contender, &COUNTS, pitch, SHORT_PART / 2)?;
            let cells: Vec<String> =
                lanes.iter().map(|lane| format!("{:.3}", lane.median())).collect();
            let growth = lanes[4].over(&lanes[2]);
            println!("| {}, {what} | {} | {growth:.2} |", contender.name, cells.join(" | "));
        }
    }
    Ok(())
}
