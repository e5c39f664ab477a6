//! The head of an MP3's frame, and what encoders write into the first one.

/// What four bytes say of the frame that they begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FrameHead {
    version: Version,
    pub sample_rate: u32,
    pub channels: u16,
    /// How long it is, these four bytes included.
    pub bytes: usize,
    has_checksum: bool,
}

/// 1 has twice the frames and twice the rates of 2, 2 twice the rates of 2.5.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Version {
    One,
    Two,
    TwoAndAHalf,
}

impl FrameHead {
    /// None, if these are no such bytes. A free bit rate is none either: hardly any encoder writes it, and no
    /// head says how long such a frame is.
    pub fn parse([sync, second, third, fourth]: [u8; 4]) -> Option<FrameHead> {
        const RATES_1: [usize; 14] =
            [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
        const RATES_2: [usize; 14] = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
        const LAYER_3: u8 = 0b01;
        if sync != 0xFF || second >> 5 != 0b111 || second >> 1 & 0b11 != LAYER_3 {
            return None;
        }
        let version = match second >> 3 & 0b11 {
            0b11 => Version::One,
            0b10 => Version::Two,
            0b00 => Version::TwoAndAHalf,
            _ => return None,
        };
        let (rates, divisor) = match version {
            Version::One => (RATES_1, 1),
            Version::Two => (RATES_2, 2),
            Version::TwoAndAHalf => (RATES_2, 4),
        };
        let kbits = rates.get(usize::from(third >> 4).checked_sub(1)?)?;
        let sample_rate = [44_100, 48_000, 32_000].get(usize::from(third >> 2 & 0b11))? / divisor;
        let channels = if fourth >> 6 == 0b11 { 1 } else { 2 };
        let has_padding = third & 0b10 != 0;
        let has_checksum = second & 1 == 0;
        let head = FrameHead { version, sample_rate, channels, bytes: 0, has_checksum };
        let bytes = head.frames() as usize * kbits * 125 / sample_rate as usize;
        Some(FrameHead { bytes: bytes + usize::from(has_padding), ..head })
    }

    /// How many frames of sound it has.
    pub fn frames(self) -> u64 {
        if self.version == Version::One { 1152 } else { 576 }
    }

    /// Whether another may be of the same file: all else may change from frame to frame.
    pub fn is_like(self, other: FrameHead) -> bool {
        (self.version, self.sample_rate, self.channels)
            == (other.version, other.sample_rate, other.channels)
    }

    /// How many bytes of sound it has for itself or those behind it.
    pub fn main_data(self) -> usize {
        let checksum = if self.has_checksum { 2 } else { 0 };
        self.bytes.saturating_sub(4 + checksum + self.side_info())
    }

    fn side_info(self) -> usize {
        match (self.version, self.channels) {
            (Version::One, 1) => 17,
            (Version::One, _) => 32,
            (_, 1) => 9,
            _ => 17,
        }
    }
}

/// What the first frame says of the whole file, if it is not sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Info {
    /// How many frames of the format follow.
    pub count: Option<u32>,
    /// How many frames of sound the encoder put before and behind those that it was given.
    pub trim: Option<Trim>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trim {
    pub delay: u64,
    pub padding: u64,
}

impl Info {
    /// Xing's, which most encoders write, with or without what LAME adds to it; or Fraunhofer's.
    pub fn parse(head: FrameHead, frame: &[u8]) -> Option<Info> {
        let tag = frame.get(4 + head.side_info()..)?;
        if let Some(rest) = tag.strip_prefix(b"Xing").or_else(|| tag.strip_prefix(b"Info")) {
            return Info::of_xing(rest);
        }
        // 32 bytes behind the head, whatever the channels; the count is behind a version, a delay, a
        // quality and a length.
        let rest = frame.get(36..)?.strip_prefix(b"VBRI")?;
        let count = rest.get(10..)?.first_chunk().copied().map(u32::from_be_bytes);
        Some(Info { count, trim: None })
    }

    fn of_xing(tag: &[u8]) -> Option<Info> {
        const HAS_COUNT: u32 = 1;
        const FIELDS: [(u32, usize); 4] = [(HAS_COUNT, 4), (2, 4), (4, 100), (8, 4)];
        let (flags, mut rest) = tag.split_first_chunk()?;
        let flags = u32::from_be_bytes(*flags);
        let mut count = None;
        for (flag, bytes) in FIELDS {
            if flags & flag != 0 {
                let (field, behind) = rest.split_at_checked(bytes)?;
                rest = behind;
                if flag == HAS_COUNT {
                    count = field.first_chunk().copied().map(u32::from_be_bytes);
                }
            }
        }
        Some(Info { count, trim: Trim::of_lame(rest) })
    }
}

impl Trim {
    /// Twelve bits each, of those who write them as LAME does.
    fn of_lame(tag: &[u8]) -> Option<Trim> {
        let writers: [&[u8]; 4] = [b"LAME", b"Lavf", b"Lavc", b"L3.9"];
        if !writers.iter().any(|writer| tag.starts_with(writer)) {
            return None;
        }
        let &[a, b, c] = tag.get(21..)?.first_chunk()?;
        let [a, b, c] = [a, b, c].map(u64::from);
        let (delay, padding) = (a << 4 | b >> 4, (b & 0xF) << 8 | c);
        (delay + padding > 0).then_some(Trim { delay, padding })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_a_frame_of_layer_3_is_taken_for_one() {
        let head = FrameHead::parse([0xFF, 0xFB, 0x90, 0x44]).expect("128 kbit/s at 44.1 kHz");
        assert_eq!((head.sample_rate, head.channels, head.bytes), (44_100, 2, 417));
        let mono = FrameHead::parse([0xFF, 0xF3, 0x40, 0xC4]).expect("32 kbit/s at 22.05 kHz");
        assert_eq!((mono.sample_rate, mono.channels, mono.bytes), (22_050, 1, 104));
        assert!(head.is_like(head) && !head.is_like(mono));
        for (what, bytes) in [
            ("another first byte", [0x7F, 0xFB, 0x90, 0x44]),
            ("eight bits of sync", [0xFF, 0x1B, 0x90, 0x44]),
            ("layer 2", [0xFF, 0xFD, 0x90, 0x44]),
            ("a version that there is not", [0xFF, 0xEB, 0x90, 0x44]),
            ("a free bit rate", [0xFF, 0xFB, 0x00, 0x44]),
            ("a bit rate that there is not", [0xFF, 0xFB, 0xF0, 0x44]),
            ("a rate that there is not", [0xFF, 0xFB, 0x9C, 0x44]),
        ] {
            assert_eq!(FrameHead::parse(bytes), None, "{what}");
        }
    }
}
