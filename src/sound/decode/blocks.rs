//! What codecs made of samples in a WAV file: blocks of one size, each of which stands for itself.

use std::io::{BufReader, Read, Seek, SeekFrom};

use symphonia::core::codecs::audio::well_known::{
    CODEC_ID_ADPCM_IMA_WAV, CODEC_ID_ADPCM_MS, CODEC_ID_PCM_ALAW, CODEC_ID_PCM_MULAW,
};
use symphonia::core::codecs::audio::{AudioDecoder, AudioDecoderOptions};
use symphonia::default::codecs::{AdpcmDecoder, PcmDecoder};

use super::codec::{self, parameters};
use super::{Header, Opened, Reader, Source};
use crate::error::Fault;
use crate::sound::wav::{A_LAW, Chunks, Coded, IMA_ADPCM, MS_ADPCM, MU_LAW};

/// How many frames make a packet, at least.
const PACKET: u64 = 1024;

struct Blocks {
    reader: BufReader<Box<dyn Reader>>,
    decoder: Box<dyn AudioDecoder>,
    channels: u16,
    block: Block,
    /// Where the data begin, where the next block does, and where the data end.
    start: u64,
    at: u64,
    end: u64,
    is_cut: bool,
    bytes: Vec<u8>,
}

/// How much of the data is decoded together.
#[derive(Clone, Copy)]
struct Block {
    bytes: u64,
    frames: u64,
    /// How many make a packet.
    in_packet: u64,
}

pub(super) fn open(
    reader: Box<dyn Reader>,
    chunks: &Chunks,
    coded: Coded,
) -> Result<Opened, Fault> {
    let Coded { codec, channels, sample_rate, .. } = coded;
    let block = Block::of(coded)?;
    let id = match codec {
        MS_ADPCM => CODEC_ID_ADPCM_MS,
        IMA_ADPCM => CODEC_ID_ADPCM_IMA_WAV,
        A_LAW => CODEC_ID_PCM_ALAW,
        _ => CODEC_ID_PCM_MULAW,
    };
    let mut parameters = parameters(id, sample_rate, channels);
    parameters
        .with_frames_per_block(block.frames)
        .with_max_frames_per_packet(block.frames * block.in_packet);
    let options = AudioDecoderOptions::default();
    let decoder: Box<dyn AudioDecoder> = match codec {
        MS_ADPCM | IMA_ADPCM => Box::new(AdpcmDecoder::try_new(&parameters, &options)?),
        _ => Box::new(PcmDecoder::try_new(&parameters, &options)?),
    };
    let data = chunks.data.clone();
    let there = block.frames_of(data.end - data.start, coded);
    // The last block is filled up; the fact chunk says how many frames went in.
    let fact = chunks.fact.filter(|fact| *fact > 0).map(u64::from);
    let frames = fact.map_or(there, |fact| there.min(fact));
    let header = Header {
        sample_rate,
        channels,
        frames: Some(frames),
        loops: chunks.loops.clone(),
        is_16_bit: true,
    };
    let is_short = chunks.promised.is_some_and(|promised| promised != data.end - data.start);
    let mut source = Blocks {
        reader: BufReader::new(reader),
        decoder,
        channels,
        block,
        start: data.start,
        at: data.start,
        end: data.end,
        is_cut: fact.map_or(is_short, |fact| fact > there),
        bytes: Vec::new(),
    };
    source.seek(0)?;
    Ok(Opened { header, skipped: 0, source: Box::new(source) })
}

impl Block {
    fn of(coded: Coded) -> Result<Block, Fault> {
        let channels = u64::from(coded.channels);
        let bytes = u64::from(coded.block_bytes);
        let frames = match coded.codec {
            A_LAW | MU_LAW => {
                return Ok(Block { bytes: channels, frames: 1, in_packet: PACKET });
            }
            _ => frames_of(bytes, coded),
        };
        // What follows the head of a block comes in fours of bytes, one channel after the other.
        let odd = coded.codec == IMA_ADPCM && (bytes % (4 * channels)) != 0;
        if frames < 2 || odd {
            return Err(Fault::damaged(format!("says a block of ADPCM has {bytes} bytes")));
        }
        Ok(Block { bytes, frames, in_packet: PACKET.div_ceil(frames) })
    }

    /// How many frames so many bytes of data have.
    fn frames_of(self, bytes: u64, coded: Coded) -> u64 {
        let whole = bytes / self.bytes * self.frames;
        whole + if self.frames > 1 { frames_of(bytes % self.bytes, coded) } else { 0 }
    }
}

/// How many frames a block of ADPCM, or what there is of it, has: half a byte for each sample, behind a head
/// with the first one of each channel, or two.
fn frames_of(bytes: u64, coded: Coded) -> u64 {
    let channels = u64::from(coded.channels);
    let (head, in_head, step) = match coded.codec {
        MS_ADPCM => (7 * channels, 2, 1),
        _ => (4 * channels, 1, 4 * channels),
    };
    match bytes.checked_sub(head) {
        Some(rest) => in_head + rest / step * step * 2 / channels,
        None => 0,
    }
}

impl Source for Blocks {
    fn packet(&mut self, out: &mut Vec<f32>) -> Result<bool, Fault> {
        let wanted = (self.end - self.at).min(self.block.bytes * self.block.in_packet);
        self.bytes.clear();
        self.reader.by_ref().take(wanted).read_to_end(&mut self.bytes)?;
        if self.bytes.is_empty() {
            return Ok(false);
        }
        self.at += self.bytes.len() as u64;
        // A block that was cut off is filled up: the frames that are not there are cut off again.
        let blocks = (self.bytes.len() as u64).div_ceil(self.block.bytes);
        self.bytes.resize((blocks * self.block.bytes) as usize, 0);
        let frames = blocks * self.block.frames;
        codec::decode(&mut *self.decoder, &self.bytes, frames, self.channels, out)?;
        Ok(true)
    }

    fn seek(&mut self, frame: u64) -> Result<u64, Fault> {
        let block = frame / self.block.frames;
        self.at = (self.start + block * self.block.bytes).min(self.end);
        self.reader.seek(SeekFrom::Start(self.at))?;
        Ok(block * self.block.frames)
    }

    fn is_cut(&self) -> bool {
        self.is_cut
    }
}
