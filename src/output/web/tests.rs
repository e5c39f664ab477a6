//! A page and a worklet in one process: whatever crosses between them, what is heard and what is told is as if the
//! renderer stood beside the mixer.

mod cases;
mod random;

use std::sync::Arc;

use super::page::{Page, make};
use super::worklet::Worklet;
use crate::link::Bridge;
use crate::stream::Slices;
use crate::{Config, Frame, Mixer};

/// A mixer whose renderer is elsewhere.
struct Far {
    mixer: Mixer,
    page: Page,
    worklet: Worklet,
}

impl Far {
    fn open(config: &Config) -> Far {
        let bridge = Arc::new(Bridge::new(config).with_feeder(Slices::new()).with_far_renderer());
        let page = Page::new(config, bridge.clone());
        let mixer = Mixer::new(config, bridge, make, None);
        Far { mixer, page, worklet: Worklet::new(config, config.sample_rate) }
    }

    /// Carries all that was said, either way, until nobody has anything more to say of it.
    fn carry(&mut self) {
        let mut is_done = false;
        // What is decoded comes a block at a time.
        while !is_done {
            is_done = true;
            self.page.pump(0.0);
            while let Some(packet) = self.page.next_packet() {
                assert_eq!(self.worklet.receive(&packet), Some(false));
                is_done = false;
            }
            let mut reports = Vec::new();
            self.worklet.put_reports(&mut reports);
            assert_eq!(self.page.receive(&reports), Some(()));
        }
    }

    fn frames(&mut self, count: usize) -> Vec<Frame> {
        let mut frames = Vec::new();
        for _ in 0..count / 128 {
            self.carry();
            let planar = self.worklet.render(128).to_vec();
            frames.extend((0..128).map(|i| [planar[i], planar[128 + i]]));
        }
        self.carry();
        frames
    }
}
