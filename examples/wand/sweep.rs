//! One show at several sizes of the pool: what each would lose, and which is enough.

use std::error::Error;
use std::io::Write;

use crate::args::Options;
use crate::logic::tally::{FAINT, Losses};
use crate::logic::wand::TICKS;
use crate::show::{self, Performance};

const HEAD: &str = "voices   plays  stolen  refused    load  loudest loss";

pub fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout();
    let seconds = show::seconds(options);
    let mut losses = Vec::new();
    for (n, &voices) in options.sweep.iter().enumerate() {
        let (wand, renderer) = show::open(&options.folder(), voices, options.seed())?;
        if n == 0 {
            writeln!(out, "{}{HEAD}", show::skipped(&wand))?;
        }
        let performance =
            show::perform(wand, renderer, seconds * TICKS, show::bar(&format!("{voices} voices")));
        writeln!(out, "{}", row(voices, seconds, &performance))?;
        losses.push((voices, performance.wand.tally.all));
    }
    writeln!(out, "\n{}", recommend(&losses))?;
    Ok(())
}

fn row(voices: usize, seconds: u64, performance: &Performance) -> String {
    let Losses { plays, stolen, refused, .. } = performance.wand.tally.all;
    let load = 100.0 * performance.took.as_secs_f64() / seconds as f64;
    let loudest = show::loudest_loss(&performance.wand);
    format!("{voices:>6}  {plays:>6}  {stolen:>6}  {refused:>7}  {load:>4.2} %  {loudest}")
}

/// The smallest pool that loses nothing one would hear, or the sad truth.
fn recommend(losses: &[(usize, Losses)]) -> String {
    let enough = |(_, losses): &&(usize, Losses)| {
        losses.refused == 0 && losses.loudest().is_none_or(|loudest| loudest <= FAINT)
    };
    if let Some((voices, _)) = losses.iter().filter(enough).min_by_key(|(voices, _)| *voices) {
        return format!(
            "// the smallest of these that loses nothing above {FAINT} dB\n\
             Config {{ voices: {voices}, ..Config::default() }}"
        );
    }
    let Some((voices, largest)) = losses.iter().max_by_key(|(voices, _)| *voices) else {
        return "Nothing was tried.".into();
    };
    let (aloud, refused) = (largest.loudest().filter(|loudest| *loudest > FAINT), largest.refused);
    let lost = match (aloud, refused) {
        (Some(loudest), 0) => format!("cuts something off at {loudest:.1} dB"),
        (Some(loudest), _) => {
            format!("cuts something off at {loudest:.1} dB and refuses {refused}")
        }
        (None, _) => format!("refuses {refused}"),
    };
    format!(
        "None of these is enough: {voices} voices still {lost}. Give footsteps and sparkles a \
             lower priority, or try more."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::tally::Loss;

    fn losses(refused: u64, loudest: Option<f32>) -> Losses {
        let mut losses = Losses { plays: 100, refused, ..Losses::default() };
        loudest.into_iter().for_each(|level| losses.lose(Loss { sound: 0, level }));
        losses
    }

    #[test]
    fn the_smallest_pool_that_loses_nothing_aloud_is_recommended() {
        let tried = [
            (64, losses(0, None)),
            (8, losses(0, Some(-20.0))),
            (16, losses(1, Some(-50.0))),
            (32, losses(0, Some(-40.0))),
        ];
        let text = recommend(&tried);
        assert!(text.ends_with("\nConfig { voices: 32, ..Config::default() }"), "{text}");
    }

    #[test]
    fn if_none_is_enough_it_says_what_the_largest_loses() {
        for (largest, says) in [
            (losses(0, Some(-20.0)), "16 voices still cuts something off at -20.0 dB"),
            (
                losses(2, Some(-20.0)),
                "16 voices still cuts something off at -20.0 dB and refuses 2",
            ),
            (losses(2, Some(-60.0)), "16 voices still refuses 2"),
        ] {
            let text = recommend(&[(16, largest), (8, losses(0, Some(-10.0)))]);
            assert!(text.starts_with(&format!("None of these is enough: {says}. ")), "{text}");
        }
    }
}
