//! voicepool, its peers and the limit of the machine over the same workloads. See the README.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
compile_error!("the yardstick is written for x86-64, and heap calls are counted in glibc");

mod check;
mod heap;
mod kernels;
mod limit;
mod ours;
mod peers;
mod race;
mod report;
mod scene;
mod space;
mod streams;

use std::process::ExitCode;

const USAGE: &str = "\
usage: voicepool-peers summary | limits | mix | space | streams | table

summary  checks that all do the same work, then measures 256 voices, a game's mix and voices in space
         for some five minutes; the last line has the ratios
limits   the same checks, then voicepool against the limit alone, for less than a minute
mix      a game's mix alone: its checks, then voicepool and those peers that can do it, for less than
         a minute
space    64 voices in space, all of them on the move: its checks, then voicepool and those peers that can
         do it, for less than a minute
streams  8 files that are read while they play: that all of them are heard, then voicepool and kira, for
         less than a minute
table    the same checks, then everything at 32, 256 and 1024 voices, and how voicepool's cost grows
         from 1 to 4096 voices, as Markdown, in some five minutes
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let report = match arguments[..] {
        ["summary"] => report::summary,
        ["limits"] => report::limits,
        ["mix"] => report::mix,
        ["space"] => report::space,
        ["streams"] => report::streams,
        ["table"] => report::table,
        ["--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        [] => {
            eprint!("voicepool-peers: what to measure?\n{USAGE}");
            return ExitCode::from(2);
        }
        [..] => {
            eprint!("voicepool-peers: cannot do `{}`\n{USAGE}", arguments.join(" "));
            return ExitCode::from(2);
        }
    };
    if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")) {
        eprintln!("voicepool-peers: the yardstick needs a CPU with AVX2 and FMA; this one has not");
        return ExitCode::FAILURE;
    }
    match report() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("voicepool-peers: {fault}");
            ExitCode::FAILURE
        }
    }
}
