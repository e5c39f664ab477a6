//! Ogg Vorbis.
//!
//! A page says what time it is behind its last packet, and that is all there is to know about time: how
//! long a packet lasts shows when it is decoded. The first packet after a seek gives no frames, it
//! only makes the second one whole; from there on all frames are what they would have been anyway.

use symphonia::core::codecs::audio::well_known::CODEC_ID_VORBIS;
use symphonia::core::codecs::audio::{AudioDecoder, AudioDecoderOptions};
use symphonia::default::codecs::VorbisDecoder;

use super::codebooks;
use super::codec::{self, parameters};
use super::ogg::{PacketEnd, Packets};
use super::tags::LoopTags;
use super::{Header, Opened, Reader, Source, check_channels};
use crate::error::Fault;

/// Bytes between which a seek reads on instead of halving further.
const NEAR: u64 = 1 << 13;

struct Vorbis {
    packets: Packets,
    decoder: VorbisDecoder,
    channels: u16,
    /// Where the first page is that has sound.
    first_page: u64,
    /// What is added to a page's time to get the frame that comes out behind it.
    shift: i64,
    /// The frame that comes next.
    at: u64,
    is_cut: bool,
    packet: Vec<u8>,
}

pub(super) fn open(reader: Box<dyn Reader>) -> Result<Opened, Fault> {
    let mut packets = Packets::new(reader)?;
    let (serial, identification) = find_stream(&mut packets)?;
    let &[_, _, _, _, _, _, _, _, _, _, _, channels, r0, r1, r2, r3, ..] = &identification[..]
    else {
        return Err(Fault::damaged("has a Vorbis head that is too short"));
    };
    let channels = u16::from(channels);
    let sample_rate = u32::from_le_bytes([r0, r1, r2, r3]);
    check_channels(channels)?;
    packets.choose(serial);

    let mut packet = Vec::new();
    // The first of the three packets of the head once more.
    packets.next(&mut packet)?;
    head_packet(&mut packets, &mut packet, 3, "comments")?;
    let tags = LoopTags::of_comments(packet.get(7..).unwrap_or_default());
    head_packet(&mut packets, &mut packet, 5, "codebooks")?;
    codebooks::check(&packet)?;
    let mut extra = identification;
    extra.extend(&packet);
    let mut parameters = parameters(CODEC_ID_VORBIS, sample_rate, channels);
    parameters.with_extra_data(extra.into());
    let decoder = VorbisDecoder::try_new(&parameters, &AudioDecoderOptions::default())?;

    // Sound begins on a page of its own.
    let first_page = packets.page.end;
    let mut source = Vorbis {
        packets,
        decoder,
        channels,
        first_page,
        shift: 0,
        at: 0,
        is_cut: false,
        packet: Vec::new(),
    };
    let last = source.packets.find_last(first_page)?;
    let skipped = source.find_start()?;
    source.is_cut = last.is_some_and(|(_, is_last)| !is_last);
    let frames = last.map(|(granule, _)| source.frame_at(granule).saturating_sub(skipped));
    let header =
        Header { sample_rate, channels, frames, loops: tags.points(frames), is_16_bit: false };
    Ok(Opened { header, skipped, source: Box::new(source) })
}

/// The first Vorbis stream of the file, and its first packet. All streams begin before any goes on.
fn find_stream(packets: &mut Packets) -> Result<(u32, Vec<u8>), Fault> {
    let mut other = None;
    packets.go_to(0)?;
    while packets.next_page()? && packets.page.is_first {
        let first = packets.page.first_packet();
        if first.starts_with(b"\x01vorbis") {
            let (serial, first) = (packets.page.serial, first.to_vec());
            let at = packets.page.at;
            packets.go_to(at)?;
            return Ok((serial, first));
        }
        other = other.or(codec_name(first));
    }
    Err(match other {
        Some(name) => Fault::unsupported(format!("is {name} file; of Ogg files, Vorbis is read")),
        None if packets.page.end == 0 => Fault::damaged("ends within its first Ogg page"),
        None => Fault::unsupported("is an Ogg file without Vorbis"),
    })
}

/// What else is found in Ogg files.
fn codec_name(first: &[u8]) -> Option<&'static str> {
    [
        (&b"OpusHead"[..], "an Opus"),
        (b"Speex   ", "a Speex"),
        (b"\x80theora", "a Theora"),
        (b"\x7FFLAC", "a FLAC-in-Ogg"),
    ]
    .into_iter()
    .find_map(|(start, name)| first.starts_with(start).then_some(name))
}

fn head_packet(
    packets: &mut Packets,
    packet: &mut Vec<u8>,
    number: u8,
    what: &str,
) -> Result<(), Fault> {
    let is_there = packets.next(packet)?.is_some();
    if is_there && packet.first() == Some(&number) && packet.get(1..7) == Some(b"vorbis") {
        return Ok(());
    }
    Err(Fault::damaged(format!("has no {what} in its Vorbis head")))
}

impl Vorbis {
    /// Finds out which frame goes with which time, by decoding the first page with a time, and returns how
    /// many frames before time 0 there are: where a file was cut out of a longer one, its first packets
    /// begin before it does.
    fn find_start(&mut self) -> Result<u64, Fault> {
        self.restart()?;
        let mut frames = Vec::new();
        while let Some(end) = self.decode_packet(&mut frames)? {
            frames.clear();
            if end.ends_page
                && let Some(granule) = self.packets.page.granule
            {
                // If this page is the last as well, what is too much is at its end.
                if !self.packets.page.is_last {
                    self.shift = (self.at as i64).saturating_sub(granule);
                }
                break;
            }
        }
        self.restart()?;
        Ok(u64::try_from(self.shift).unwrap_or(0))
    }

    /// The frame that comes out behind this time.
    fn frame_at(&self, granule: i64) -> u64 {
        u64::try_from(granule.saturating_add(self.shift)).unwrap_or(0)
    }

    fn restart(&mut self) -> Result<(), Fault> {
        self.packets.go_to(self.first_page)?;
        self.decoder.reset();
        self.at = 0;
        Ok(())
    }

    /// One packet, which may hold nothing.
    fn decode_packet(&mut self, out: &mut Vec<f32>) -> Result<Option<PacketEnd>, Fault> {
        let Some(end) = self.packets.next(&mut self.packet)? else {
            return Ok(None);
        };
        // An empty one stands for one that was lost; a head says nothing new.
        if self.packet.first().is_some_and(|first| first & 1 == 0) {
            let frames = codec::decode(&mut self.decoder, &self.packet, 0, self.channels, out)?;
            self.at += frames as u64;
        }
        Ok(Some(end))
    }

    /// Goes to a page that ends at this time or before it, and decodes what makes the page behind it whole. Returns
    /// the frame that comes next: later than that time, if packets do not end where pages do.
    fn seek_page(&mut self, granule: i64) -> Result<u64, Fault> {
        let (mut low, mut high) = (self.first_page, self.packets.length);
        while high - low > NEAR {
            let middle = low + (high - low) / 2;
            match self.packets.find_page(middle, high)? {
                Some((page, time)) if time <= granule && page > low => low = page,
                _ => high = middle,
            }
        }
        if low == self.first_page {
            self.restart()?;
            return Ok(0);
        }
        self.packets.go_to(low)?;
        self.decoder.reset();
        let mut unheard = Vec::new();
        let mut is_whole = false;
        while let Some(end) = self.decode_packet(&mut unheard)? {
            unheard.clear();
            is_whole = true;
            if end.ends_page
                && let Some(granule) = self.packets.page.granule
            {
                self.at = self.frame_at(granule);
                return Ok(self.at);
            }
        }
        // Behind the last packet there is nothing, wherever that is.
        Ok(if is_whole { self.at } else { u64::MAX })
    }
}

impl Source for Vorbis {
    fn packet(&mut self, out: &mut Vec<f32>) -> Result<bool, Fault> {
        let first = self.at;
        if self.decode_packet(out)?.is_none() {
            self.is_cut = !self.packets.page.is_last;
            return Ok(false);
        }
        if self.packets.page.is_last
            && let Some(granule) = self.packets.page.granule
        {
            let heard = self.frame_at(granule).saturating_sub(first);
            out.truncate(
                heard.saturating_mul(u64::from(self.channels)).try_into().unwrap_or(usize::MAX),
            );
        }
        Ok(true)
    }

    fn seek(&mut self, frame: u64) -> Result<u64, Fault> {
        let target = i64::try_from(frame).unwrap_or(i64::MAX).saturating_sub(self.shift);
        // Mostly the first will do; the last is further than any page is long.
        for back in [0, 1 << 13, 1 << 16, 1 << 20] {
            let at = self.seek_page(target.saturating_sub(back))?;
            if at <= frame {
                return Ok(at);
            }
        }
        self.restart()?;
        Ok(0)
    }

    fn is_cut(&self) -> bool {
        self.is_cut
    }
}
