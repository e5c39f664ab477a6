//! The devices that there are.

/// An output device, as [`devices`] lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Device {
    /// The name that the system shows people, such as "Headphones (USB Audio)". It chooses the device
    /// in [`Config::device`](crate::Config::device) and [`Mixer::set_device`](crate::Mixer::set_device). Two
    /// devices may have the same name; then the first one in the list is meant.
    pub name: String,
    /// Whether the system plays on this device unless it is told otherwise. At most one device in the
    /// list is the default.
    pub is_default: bool,
}

/// Lists the output devices that the system has at this moment, in the system's own order.
///
/// The list is empty if there is no device, if the sound system fails to answer, in a build without
/// the feature `device`, and in the browser, which chooses by itself. A device that is listed may still fail to
/// open, and some of ALSA's play nowhere: [`Mixer::output`](crate::Mixer::output) says what came of a choice.
/// The system is asked anew each time, which may take a moment: call it where a menu opens, not in every
/// frame.
///
/// ```no_run
/// for device in voicepool::devices() {
///     println!("{}{}", device.name, if device.is_default { " (default)" } else { "" });
/// }
/// ```
pub fn devices() -> Vec<Device> {
    list_devices()
}

#[cfg(all(feature = "device", not(target_arch = "wasm32")))]
fn list_devices() -> Vec<Device> {
    // On a thread of its own, where the driver may panic and where ALSA is quiet.
    let list = || super::device::devices(&super::device::cpal_host());
    let asked = std::thread::Builder::new().name("voicepool devices".into()).spawn(list);
    asked.ok().and_then(|list| list.join().ok()).unwrap_or_default()
}

#[cfg(not(all(feature = "device", not(target_arch = "wasm32"))))]
fn list_devices() -> Vec<Device> {
    Vec::new()
}
