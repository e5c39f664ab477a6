//! The bytes of a configuration.

use super::{Bytes, Wire};
use crate::config::Config;

/// How a configuration is written. The device and its buffer are not part of it: they change no bit.
pub(crate) fn put_config(config: &Config, out: &mut Vec<u8>) {
    let Config { voices, max_voices, parked, scheduled, commands, streams, cues, .. } = config;
    for size in [voices, max_voices, parked, scheduled, commands, streams, cues] {
        // None is above a million.
        (*size as u32).put(out);
    }
    config.sample_rate.put(out);
    config.when_full.put(out);
    config.interpolation.put(out);
    config.seed.put(out);
}

pub(crate) fn take_config(from: &mut Bytes) -> Option<Config> {
    let mut size = || u32::take(from).map(|size| size as usize);
    Some(Config {
        voices: size()?,
        max_voices: size()?,
        parked: size()?,
        scheduled: size()?,
        commands: size()?,
        streams: size()?,
        cues: size()?,
        sample_rate: Wire::take(from)?,
        when_full: Wire::take(from)?,
        interpolation: Wire::take(from)?,
        seed: Wire::take(from)?,
        ..Config::DEFAULT
    })
}
