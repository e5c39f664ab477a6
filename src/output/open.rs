//! The speakers: a mixer that is driven by a device, or by time alone while there is none.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::backend::{Backend, StreamRequest};
use super::callback::RendererSlot;
use super::supervisor::{Message, Supervisor, Timeouts};
use crate::Error;
use crate::audio::Renderer;
use crate::audio::make;
use crate::config::Config;
use crate::game::Mixer;
use crate::link::Bridge;
use crate::stream::feeder;
use crate::units::ms;

impl Mixer {
    /// Opens a mixer on the speakers: on the system's default output device, or on the one that
    /// [`Config::device`] names. [`set_device`](Mixer::set_device) chooses another one later.
    ///
    /// A missing device is a state, not an error: time then passes silently at the right pace,
    /// [`output`](Mixer::output) says why, and the sound fades in when there is a device. A device
    /// that fails is tried again after 0.1 s, and then after pauses that grow to 1 s. A device that
    /// was asked for by name and is missing is looked for every second, and after a while every four
    /// seconds, while the default plays.
    ///
    /// The rate of the first device is the mixer's for life, and [`Config::sample_rate`] if there is
    /// none; output for a device of another rate is resampled. The call waits for the first device, but
    /// for no longer than 1 s.
    ///
    /// The drop of the last clone of the mixer fades the sound out within 10 ms, closes the device and
    /// waits for that, but for no longer than 0.9 s. What ALSA would print to the standard error when
    /// there is no device is not printed; the standard error itself is left alone.
    ///
    /// In a browser the renderer runs in an audio worklet, and waits for the player's first gesture: see the
    /// [guide](crate::guide).
    ///
    /// # Errors
    ///
    /// If the [`Config`] is not valid, or if the system starts no thread. Never for want of a device.
    pub fn open(config: Config) -> Result<Mixer, Error> {
        Mixer::open_on(backend(), config, Timeouts::default())
    }

    pub(super) fn open_on(
        backend: Result<Arc<dyn Backend>, String>,
        mut config: Config,
        timeouts: Timeouts,
    ) -> Result<Mixer, Error> {
        config.check()?;
        let (bridge, slot) =
            (Arc::new(Bridge::new(&config).with_feeder(feeder())), Arc::new(RendererSlot::new()));
        let request = StreamRequest {
            device: config.device.clone(),
            named_only: false,
            rate: None,
            buffer: config.buffer.clamp(ms(1), ms(500)),
        };
        let (answer, first_rate) = channel();
        let (sender, done) =
            Supervisor::start(backend, slot.clone(), bridge.clone(), request, timeouts, answer)
                .map_err(|source| Error::Thread { source })?;
        if let Ok(Some(rate)) = first_rate.recv_timeout(timeouts.first_open) {
            config.sample_rate = rate;
        }
        slot.put(Box::new(Renderer::new(&config, bridge.clone())));
        let _ = sender.send(Message::Start { rate: config.sample_rate });
        let guard = ShutdownGuard { sender, done: Mutex::new(done), timeout: timeouts.shutdown };
        Ok(Mixer::new(&config, bridge, make, Some(Box::new(guard))))
    }
}

/// Dropped with the last mixer: tells the supervisor, and waits a moment for it.
struct ShutdownGuard {
    sender: Sender<Message>,
    done: Mutex<Receiver<()>>,
    timeout: Duration,
}

impl Drop for ShutdownGuard {
    fn drop(&mut self) {
        let _ = self.sender.send(Message::Close);
        if let Ok(done) = self.done.get_mut() {
            let _ = done.recv_timeout(self.timeout);
        }
    }
}

#[cfg(feature = "device")]
use super::device::cpal_host;

#[cfg(feature = "device")]
fn backend() -> Result<Arc<dyn Backend>, String> {
    Ok(Arc::new(super::device::CpalBackend::new(cpal_host)))
}

#[cfg(not(feature = "device"))]
fn backend() -> Result<Arc<dyn Backend>, String> {
    Err("built without the feature `device`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutputState;

    /// Where there is no device to choose, to choose one is no error, and changes nothing.
    #[test]
    fn a_mixer_without_devices_takes_a_choice_and_does_nothing() {
        let (offline, mut renderer) = Mixer::offline(Config::default()).unwrap();
        let none = Err("built without devices".to_owned());
        let silent = Mixer::open_on(none, Config::default(), Timeouts::default()).unwrap();
        for mixer in [&offline, &silent] {
            let state = mixer.output();
            for name in [Some("headphones"), None, Some(""), Some("headphones")] {
                mixer.set_device(name);
            }
            assert_eq!(mixer.output(), state);
        }
        renderer.frames(256);
        assert_eq!((offline.clock(), offline.output()), (256, OutputState::Offline));
        // Time passes all the same, by the thread that has taken the choice.
        let clock = silent.clock();
        while silent.clock() <= clock + 4800 {
            std::thread::yield_now();
        }
        assert_eq!(silent.output().to_string(), "silent: built without devices");
        assert_eq!(silent.events().count(), 1, "it is silent, and that is all");
    }
}
