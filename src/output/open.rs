//! The speakers: a mixer that is driven by a device, or by time alone while there is none.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::backend::{Backend, StreamRequest};
use super::callback::RendererSlot;
use super::supervisor::{Message, Supervisor, Timeouts};
use crate::Error;
use crate::audio::Renderer;
use crate::audio::make_voices;
use crate::config::Config;
use crate::game::Mixer;
use crate::link::Bridge;
use crate::units::ms;

impl Mixer {
    /// Opens a mixer on the speakers: the system's default output, or the one that
    /// [`Config::device`] names.
    ///
    /// A missing device is a state, not an error: time then passes silently at the right pace,
    /// [`output`](Mixer::output) says why, and the sound comes in when there is a device. The
    /// first device's rate is the mixer's for life; [`Config::sample_rate`] is if there is none.
    /// A named one that is missing is looked for about once a second while the default plays.
    pub fn open(config: Config) -> Result<Mixer, Error> {
        Mixer::open_on(backend(), config, Timeouts::default())
    }

    pub(super) fn open_on(
        backend: Result<Arc<dyn Backend>, String>,
        mut config: Config,
        timeouts: Timeouts,
    ) -> Result<Mixer, Error> {
        config.check()?;
        let (bridge, slot) = (Arc::new(Bridge::new(&config)), Arc::new(RendererSlot::new()));
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
        Ok(Mixer::new(&config, bridge, make_voices, Some(Box::new(guard))))
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

/// An output that could be played on. See [`devices`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Device {
    /// Its name, for [`Config::device`].
    pub name: String,
    /// Whether the system plays on it unless told otherwise.
    pub is_default: bool,
}

/// The outputs there are. Empty if there is none, or without the feature `device`.
///
/// It asks the system, which may take a moment.
#[cfg(feature = "device")]
pub fn devices() -> Vec<Device> {
    super::device::devices(&cpal_host())
}

/// The outputs there are. Empty if there is none, or without the feature `device`.
#[cfg(not(feature = "device"))]
pub fn devices() -> Vec<Device> {
    Vec::new()
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
