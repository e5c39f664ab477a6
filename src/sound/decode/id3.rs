//! ID3v2 tags, which stand before an MP3, and before some FLAC files: stepped over, with a look for loop points.

use std::io::{self, Read, Seek, SeekFrom};

use super::tags::LoopTags;

/// No loop point takes as much; what does is a picture or a story.
const LONGEST_TEXT: u64 = 256;

/// Where what follows the tags begins, and what they say.
pub(super) fn read(file: &mut (impl Read + Seek)) -> io::Result<(u64, LoopTags)> {
    let mut tags = LoopTags::default();
    let mut at = 0;
    // Some tools put theirs before that of another.
    while let Some(head) = bytes_at::<10>(file, at)?
        && let [b'I', b'D', b'3', version, _, flags, size @ ..] = head
    {
        let body = at + 10;
        let end = body + sync_safe(size);
        // Where bytes are stuffed to hide what looks like a frame, lengths do not count them.
        if version > 2 && flags & 0xC0 == 0 {
            read_frames(file, version, body, end, &mut tags)?;
        }
        let footer = if flags & 0x10 != 0 { 10 } else { 0 };
        at = end + footer;
    }
    Ok((at, tags))
}

fn read_frames(
    file: &mut (impl Read + Seek),
    version: u8,
    mut at: u64,
    end: u64,
    tags: &mut LoopTags,
) -> io::Result<()> {
    while at + 10 <= end
        && let Some([i0, i1, i2, i3, s0, s1, s2, s3, _, flags]) = bytes_at(file, at)?
        && i0 != 0
    {
        let size = [s0, s1, s2, s3];
        let size = if version == 3 { u64::from(u32::from_be_bytes(size)) } else { sync_safe(size) };
        if [i0, i1, i2, i3] == *b"TXXX"
            && flags == 0
            && size <= LONGEST_TEXT
            && at + 10 + size <= end
        {
            let mut content = Vec::new();
            file.by_ref().take(size).read_to_end(&mut content)?;
            if let Some((key, value)) = text(&content).split_once('\0') {
                tags.note(key, value.trim_matches(['\0', '\u{FEFF}']));
            }
        }
        at += 10 + size;
    }
    Ok(())
}

/// A description and what it is of, with a 0 between them.
fn text(content: &[u8]) -> String {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.as_chunks().0.iter().map(|bytes| unit(*bytes)).collect();
        String::from_utf16_lossy(&units)
    };
    match content {
        [1, 0xFF, 0xFE, rest @ ..] => wide(rest, u16::from_le_bytes),
        [1, 0xFE, 0xFF, rest @ ..] | [2, rest @ ..] => wide(rest, u16::from_be_bytes),
        // Latin, or UTF-8: letters and digits are the same.
        [0 | 3, rest @ ..] => String::from_utf8_lossy(rest).into(),
        _ => String::new(),
    }
}

/// Seven bits of each byte.
fn sync_safe(bytes: [u8; 4]) -> u64 {
    bytes.iter().fold(0, |size, byte| size << 7 | u64::from(byte & 0x7F))
}

/// So many bytes, if there are as many.
fn bytes_at<const BYTES: usize>(
    file: &mut (impl Read + Seek),
    at: u64,
) -> io::Result<Option<[u8; BYTES]>> {
    let mut bytes = [0; BYTES];
    file.seek(SeekFrom::Start(at))?;
    match file.read_exact(&mut bytes) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        result => result.map(|()| Some(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// A tag with these frames.
    fn tag(version: u8, frames: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        for (id, content) in frames {
            body.extend(*id);
            body.extend((content.len() as u32).to_be_bytes());
            body.extend([0, 0]);
            body.extend(*content);
        }
        // Some padding, as most have.
        body.extend([0; 20]);
        let mut tag = vec![b'I', b'D', b'3', version, 0, 0, 0, 0, 0, body.len() as u8];
        tag.extend(body);
        tag
    }

    #[test]
    fn loop_points_are_found_in_every_encoding() {
        let wide = b"\x01\xFF\xFEL\0O\0O\0P\0E\0N\0D\0\0\0\xFF\xFE7\x005\0";
        for version in [3, 4] {
            let file = tag(
                version,
                &[(b"TIT2", b"\x03a song"), (b"TXXX", b"\0LOOPSTART\x0025\0"), (b"TXXX", wide)],
            );
            let (at, tags) = read(&mut Cursor::new(&file)).unwrap();
            assert_eq!((at, tags.points(None)), (file.len() as u64, Some(25..75)));
        }
    }

    #[test]
    fn tags_one_behind_the_other_are_all_stepped_over() {
        let mut file = tag(3, &[(b"TXXX", b"\0LOOPSTART\x001")]);
        file.extend(tag(4, &[(b"TXXX", b"\x03LOOPLENGTH\x002")]));
        file.extend(b"and more");
        let (at, tags) = read(&mut Cursor::new(&file)).unwrap();
        assert_eq!((at, tags.points(None)), (file.len() as u64 - 8, Some(1..3)));
    }

    #[test]
    fn a_cut_tag_is_read_as_far_as_it_goes() {
        let file = tag(3, &[(b"TXXX", b"\0LOOPSTART\x001")]);
        for cut in 0..file.len() {
            read(&mut Cursor::new(&file[..cut])).unwrap();
        }
    }
}
