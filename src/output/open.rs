//! The speakers: a mixer that is driven by a device, or by time alone while there is none.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use super::callback::Seat;
use super::outlet::{Outlet, Wish};
use super::supervisor::{Pace, Supervisor, Word};
use crate::Error;
use crate::audio::Renderer;
use crate::audio::make_voices;
use crate::config::Config;
use crate::game::Mixer;
use crate::link::Bridge;
use crate::units::ms;

/// How long the drop of the last mixer waits for the sound to fade out and the device to go.
const GOODBYE: std::time::Duration = ms(900);

impl Mixer {
    /// Opens a mixer on the speakers: the system's default output, or the one that
    /// [`Config::device`] names.
    ///
    /// A missing device is a state, not an error: time then passes silently at the right pace,
    /// [`output`](Mixer::output) says why, and the sound comes in when there is a device. The
    /// first device's rate is the mixer's for life; [`Config::sample_rate`] is if there is none.
    /// A named one that is missing is looked for about once a second while the default plays.
    pub fn open(config: Config) -> Result<Mixer, Error> {
        Mixer::open_on(outlet(), config, Pace::default())
    }

    pub(super) fn open_on(
        outlet: Result<Arc<dyn Outlet>, String>,
        mut config: Config,
        pace: Pace,
    ) -> Result<Mixer, Error> {
        config.check()?;
        let (bridge, seat) = (Arc::new(Bridge::new(&config)), Arc::new(Seat::new()));
        let wish = Wish {
            device: config.device.clone(),
            no_other: false,
            rate: None,
            buffer: config.buffer.clamp(ms(1), ms(500)),
        };
        let (first, heard) = channel();
        let (tell, done) =
            Supervisor::start(outlet, seat.clone(), bridge.clone(), wish, pace, first)
                .map_err(|source| Error::Thread { source })?;
        if let Ok(Some(rate)) = heard.recv_timeout(pace.patience) {
            config.sample_rate = rate;
        }
        seat.put(Box::new(Renderer::new(&config, bridge.clone())));
        let _ = tell.send(Word::Begin { rate: config.sample_rate });
        let goodbye = Goodbye { tell, done: Mutex::new(done) };
        Ok(Mixer::new(&config, bridge, make_voices, Some(Box::new(goodbye))))
    }
}

/// Dropped with the last mixer.
struct Goodbye {
    tell: Sender<Word>,
    done: Mutex<Receiver<()>>,
}

impl Drop for Goodbye {
    fn drop(&mut self) {
        let _ = self.tell.send(Word::Close);
        if let Ok(done) = self.done.get_mut() {
            let _ = done.recv_timeout(GOODBYE);
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
fn outlet() -> Result<Arc<dyn Outlet>, String> {
    Ok(Arc::new(super::device::Speakers::new(cpal_host)))
}

#[cfg(not(feature = "device"))]
fn outlet() -> Result<Arc<dyn Outlet>, String> {
    Err("built without the feature `device`".to_owned())
}
