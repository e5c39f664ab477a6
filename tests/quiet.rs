//! Where there is no sound card, ALSA is not heard of: its thirty lines at each try would go to the
//! game's standard error.
#![cfg(all(target_os = "linux", feature = "device"))]

use std::env;
use std::process::Command;

use voicepool::{Config, Mixer, devices};

/// In a process of its own: with the system's own ALSA, whatever it knows, and with one that has no
/// configuration and so knows no device.
#[test]
fn nothing_is_printed_where_there_is_no_device() {
    const ALONE: &str = "VOICEPOOL_QUIET";
    if env::var_os(ALONE).is_some() {
        println!("{} devices", devices().len());
        let mixer = Mixer::open(Config::default()).unwrap();
        mixer.set_device(Some("nowhere"));
        // Some tries long.
        while mixer.clock() < u64::from(mixer.sample_rate()) {
            std::thread::yield_now();
        }
        return println!("{}", mixer.output());
    }
    for config in [None, Some("/dev/null")] {
        let mut alone = Command::new(env::current_exe().unwrap());
        alone.args(["--exact", "nothing_is_printed_where_there_is_no_device", "--nocapture"]);
        alone.env(ALONE, "1").envs(config.map(|config| ("ALSA_CONFIG_PATH", config)));
        let run = alone.output().unwrap();
        let (said, printed) = (String::from_utf8(run.stdout), String::from_utf8(run.stderr));
        let (said, printed) = (said.unwrap(), printed.unwrap());
        assert!(run.status.success(), "{said}{printed}");
        assert!(!printed.contains("ALSA"), "{said}{printed}");
        assert!(
            config.is_none() || said.contains("0 devices") && said.contains("silent"),
            "{said}"
        );
    }
}
