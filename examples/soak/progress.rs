//! How far it is: a bar on a terminal, a line at every tenth elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

pub struct Progress {
    began: Instant,
    drawn: Option<Instant>,
    tenths: u128,
    is_terminal: bool,
    total: Duration,
}

impl Progress {
    pub fn new(total: Duration) -> Progress {
        let is_terminal = io::stderr().is_terminal();
        Progress { began: Instant::now(), drawn: None, tenths: 0, is_terminal, total }
    }

    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    pub fn show(&mut self, done: Duration) {
        let tenths = (done.as_micros() * 10 / self.total.as_micros().max(1)).min(10);
        let is_due = match self.is_terminal {
            true => self.drawn.is_none_or(|drawn| drawn.elapsed() > Duration::from_millis(100)),
            false => tenths > self.tenths,
        };
        if !is_due && tenths < 10 || tenths == self.tenths && tenths == 10 {
            return;
        }
        self.drawn = Some(Instant::now());
        self.tenths = tenths;
        let speed = done.as_secs_f64() / self.elapsed().as_secs_f64().max(1e-3);
        let line = format!(
            "{:>3} %, {} of {}, {speed:.0} times real time",
            (done.as_micros() * 100 / self.total.as_micros().max(1)).min(100),
            clock(done),
            clock(self.total)
        );
        // A terminal that is gone is no reason to stop.
        let _ = match self.is_terminal {
            true => {
                let full = (done.as_micros() * 30 / self.total.as_micros().max(1)).min(30) as usize;
                let end = if tenths == 10 { "\n" } else { "" };
                write!(io::stderr(), "\r[{:<30}] {line}  {end}", "#".repeat(full))
            }
            false => writeln!(io::stderr(), "{line}"),
        };
    }
}

/// Days, hours, minutes and seconds.
pub fn clock(time: Duration) -> String {
    let secs = time.as_secs();
    let (days, rest) = (secs / 86_400, secs % 86_400);
    let clock = format!("{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60);
    if days > 0 { format!("{days} d {clock}") } else { clock }
}
