//! The scripted sound system as cpal sees it.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cpal::platform::HostId;
use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{
    BufferSize, Data, DeviceDescription, DeviceDescriptionBuilder, DeviceId, Error, ErrorKind,
    InputCallbackInfo, OutputCallbackInfo, SampleFormat, StreamConfig, StreamInstant,
    SupportedBufferSize, SupportedStreamConfig, SupportedStreamConfigRange,
};

use super::{Output, Script, TestStream};

#[derive(Clone)]
pub struct ScriptedHost(pub Script);

impl HostTrait for ScriptedHost {
    type Devices = std::vec::IntoIter<ScriptedDevice>;
    type Device = ScriptedDevice;

    fn is_available() -> bool {
        true
    }

    fn devices(&self) -> Result<Self::Devices, Error> {
        Ok(self.0.devices().into_iter())
    }

    fn default_input_device(&self) -> Option<ScriptedDevice> {
        None
    }

    fn default_output_device(&self) -> Option<ScriptedDevice> {
        self.0.devices().into_iter().next()
    }
}

/// A device, which may have gone since it was found.
#[derive(Clone)]
pub struct ScriptedDevice {
    pub name: &'static str,
    pub script: Script,
}

impl ScriptedDevice {
    fn output(&self) -> Result<Output, Error> {
        let plan = self.script.plan();
        let output = plan.outputs.iter().find(|output| output.name == self.name);
        output.cloned().ok_or(Error::new(ErrorKind::DeviceNotAvailable))
    }
}

/// It fails, if that is the plan.
fn fails(kind: Option<ErrorKind>) -> Result<(), Error> {
    kind.map_or(Ok(()), |kind| Err(Error::new(kind)))
}

impl DeviceTrait for ScriptedDevice {
    type SupportedInputConfigs = std::iter::Empty<SupportedStreamConfigRange>;
    type SupportedOutputConfigs = std::iter::Once<SupportedStreamConfigRange>;
    type Stream = ScriptedStream;

    fn description(&self) -> Result<DeviceDescription, Error> {
        Ok(DeviceDescriptionBuilder::new(self.name).build())
    }

    fn id(&self) -> Result<DeviceId, Error> {
        Ok(DeviceId::new(HostId::Custom, self.name))
    }

    fn supported_input_configs(&self) -> Result<Self::SupportedInputConfigs, Error> {
        Ok(std::iter::empty())
    }

    fn supported_output_configs(&self) -> Result<Self::SupportedOutputConfigs, Error> {
        let Output { channels, rates, format, .. } = self.output()?;
        let (least, most) = rates.into_inner();
        let any = SupportedBufferSize::Unknown;
        Ok(std::iter::once(SupportedStreamConfigRange::new(channels, least, most, any, format)))
    }

    fn default_input_config(&self) -> Result<SupportedStreamConfig, Error> {
        Err(Error::new(ErrorKind::UnsupportedConfig))
    }

    fn default_output_config(&self) -> Result<SupportedStreamConfig, Error> {
        let Output { channels, rate, format, query, .. } = self.output()?;
        fails(query)?;
        Ok(SupportedStreamConfig::new(channels, rate, SupportedBufferSize::Unknown, format))
    }

    fn build_input_stream_raw<D, E>(
        &self,
        _: StreamConfig,
        _: SampleFormat,
        _: D,
        _: E,
        _: Option<Duration>,
    ) -> Result<ScriptedStream, Error>
    where
        D: FnMut(&Data, &InputCallbackInfo) + Send + 'static,
        E: FnMut(Error) + Send + 'static,
    {
        Err(Error::new(ErrorKind::UnsupportedOperation))
    }

    fn build_output_stream_raw<D, E>(
        &self,
        config: StreamConfig,
        format: SampleFormat,
        data: D,
        error: E,
        _: Option<Duration>,
    ) -> Result<ScriptedStream, Error>
    where
        D: FnMut(&mut Data, &OutputCallbackInfo) + Send + 'static,
        E: FnMut(Error) + Send + 'static,
    {
        let number = self.script.change(|plan| {
            plan.builds_begun += 1;
            plan.builds_begun
        });
        self.script.hang_while(|plan| number <= plan.builds_hang);
        assert!(!self.script.change(|plan| plan.panics), "a driver's bug");
        let output = self.output()?;
        fails(output.build)?;
        fails(self.script.plan().is_occupied().then_some(ErrorKind::DeviceBusy))?;
        let fits = (output.channels, output.format) == (config.channels, format)
            && output.rates.contains(&config.sample_rate)
            && (output.fixed || config.buffer_size == BufferSize::Default);
        fails((!fits).then_some(ErrorKind::UnsupportedConfig))?;
        let stream = Arc::new(TestStream {
            device: self.name,
            config,
            data: Mutex::new(Some(Box::new(data))),
            error: Mutex::new(Some(Box::new(error))),
            started: AtomicBool::new(false),
            drop_began: AtomicBool::new(false),
            drop_ended: AtomicBool::new(false),
        });
        self.script.change(|plan| {
            plan.built += 1;
            plan.streams.push(stream.clone());
        });
        Ok(ScriptedStream { stream, script: self.script.clone() })
    }
}

impl PartialEq for ScriptedDevice {
    fn eq(&self, other: &ScriptedDevice) -> bool {
        self.name == other.name
    }
}

impl Eq for ScriptedDevice {}

impl Hash for ScriptedDevice {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for ScriptedDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for ScriptedDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

pub struct ScriptedStream {
    stream: Arc<TestStream>,
    script: Script,
}

impl StreamTrait for ScriptedStream {
    fn play(&self) -> Result<(), Error> {
        let plan = self.script.plan();
        let output = plan.outputs.iter().find(|output| output.name == self.stream.device);
        fails(output.map_or(Some(ErrorKind::DeviceNotAvailable), |output| output.start))?;
        self.stream.started.store(true, SeqCst);
        Ok(())
    }

    fn pause(&self) -> Result<(), Error> {
        Ok(())
    }

    fn now(&self) -> StreamInstant {
        StreamInstant::new(0, 0)
    }

    fn buffer_size(&self) -> Result<u32, Error> {
        match self.stream.config.buffer_size {
            BufferSize::Fixed(frames) => Ok(frames),
            BufferSize::Default => Err(Error::new(ErrorKind::UnsupportedOperation)),
        }
    }
}

impl Drop for ScriptedStream {
    fn drop(&mut self) {
        self.stream.drop_began.store(true, SeqCst);
        self.script.hang_while(|plan| plan.drops_hang);
        self.stream.drop_ended.store(true, SeqCst);
        self.script.change(|plan| {
            if !plan.callable_after_drop {
                plan.streams.retain(|stream| !Arc::ptr_eq(stream, &self.stream));
                *self.stream.data.lock().unwrap() = None;
                *self.stream.error.lock().unwrap() = None;
            }
        });
    }
}
