//! The native side. A line with the number of a scene and a number of quanta is answered by the nanoseconds that they took
//! and the hash of the scene so far; a number of quanta of 0 begins it.

use std::io::{self, BufRead, Write};
use std::time::Instant;

use voicepool_wasm_bench::{SCENES, VOICES, begin, render};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{VOICES};{}", SCENES.join(","))?;
    out.flush()?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut numbers = line.split(' ').map(|number| number.parse::<u32>().expect("a number"));
        let (scene, quanta) = (numbers.next().expect("a scene"), numbers.next().expect("quanta"));
        if quanta == 0 {
            begin(scene);
        }
        let begun = Instant::now();
        let hash = render(quanta);
        writeln!(out, "{} {hash}", begun.elapsed().as_nanos())?;
        out.flush()?;
    }
    Ok(())
}
