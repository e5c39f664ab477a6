//! Loop points in tags: `LOOPSTART`, `LOOPLENGTH` and `LOOPEND`, in frames.
//!
//! Several game engines and editors agree on the first two. `LOOPEND` is read as the frame behind the
//! last one, `LOOPSTART` + `LOOPLENGTH`; where it says something else, the length counts. Without a start a
//! loop begins where the file does, and without an end it ends there.

use std::ops::Range;

/// What the tags of one file say. Of several that say the same thing, the first counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LoopTags {
    start: Option<u64>,
    length: Option<u64>,
    end: Option<u64>,
}

impl LoopTags {
    /// One tag. What is no number is no tag.
    pub fn note(&mut self, key: &str, value: &str) {
        let Ok(value) = value.trim().parse() else {
            return;
        };
        for (name, field) in [
            ("LOOPSTART", &mut self.start),
            ("LOOPLENGTH", &mut self.length),
            ("LOOPEND", &mut self.end),
        ] {
            if key.eq_ignore_ascii_case(name) {
                *field = field.or(Some(value));
            }
        }
    }

    /// The comments of a Vorbis or FLAC file, as far as they can be read: a name of the encoder, how many
    /// there are, and those, each behind its length.
    pub fn of_comments(bytes: &[u8]) -> LoopTags {
        let mut tags = LoopTags::default();
        let mut rest = bytes;
        text(&mut rest);
        for _ in 0..number(&mut rest).unwrap_or(0) {
            let Some(comment) = text(&mut rest) else {
                break;
            };
            if let Some((key, value)) =
                str::from_utf8(comment).ok().and_then(|it| it.split_once('='))
            {
                tags.note(key, value);
            }
        }
        tags
    }

    /// Where the loop is in a file of so many frames.
    pub fn points(self, frames: Option<u64>) -> Option<Range<u64>> {
        if self == LoopTags::default() {
            return None;
        }
        let start = self.start.unwrap_or(0);
        let end = self.length.map(|length| start.saturating_add(length));
        Some(start..end.or(self.end).or(frames)?)
    }
}

fn number(bytes: &mut &[u8]) -> Option<u32> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*number))
}

fn text<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = number(bytes)?;
    let (text, rest) = bytes.split_at_checked(length as usize)?;
    *bytes = rest;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(pairs: &[(&str, &str)]) -> LoopTags {
        let mut tags = LoopTags::default();
        for (key, value) in pairs {
            tags.note(key, value);
        }
        tags
    }

    #[test]
    fn a_start_and_a_length_make_a_loop() {
        let both = tags(&[("LoopStart", "100"), ("LOOPLENGTH", " 50 ")]);
        assert_eq!(both.points(None), Some(100..150));
    }

    #[test]
    fn the_end_is_the_frame_behind_the_last() {
        assert_eq!(tags(&[("LOOPSTART", "3"), ("loopend", "7")]).points(Some(9)), Some(3..7));
        let three = tags(&[("LOOPEND", "8"), ("LOOPSTART", "3"), ("LOOPLENGTH", "4")]);
        assert_eq!(three.points(Some(9)), Some(3..7));
    }

    #[test]
    fn what_is_not_said_is_the_beginning_or_the_end() {
        assert_eq!(tags(&[("LOOPSTART", "3")]).points(Some(9)), Some(3..9));
        assert_eq!(tags(&[("LOOPSTART", "3")]).points(None), None);
        assert_eq!(tags(&[("LOOPEND", "3")]).points(None), Some(0..3));
        assert_eq!(tags(&[]).points(Some(9)), None);
    }

    #[test]
    fn what_is_no_number_is_no_tag() {
        assert_eq!(tags(&[("LOOPSTART", "0:30"), ("LOOPEND", "-1")]).points(Some(9)), None);
        let huge = tags(&[("LOOPSTART", "5"), ("LOOPLENGTH", "18446744073709551615")]);
        assert_eq!(huge.points(None), Some(5..u64::MAX));
    }

    #[test]
    fn comments_are_read_as_far_as_they_go() {
        let mut bytes =
            b"\x02\0\0\0me\x03\0\0\0\x0b\0\0\0LOOPSTART=4\x07\0\0\0TITLE=x\x09\0\0\0LOOPEND=9"
                .to_vec();
        assert_eq!(LoopTags::of_comments(&bytes).points(None), Some(4..9));
        bytes.pop();
        assert_eq!(LoopTags::of_comments(&bytes).points(Some(5)), Some(4..5));
        for cut in 0..bytes.len() {
            LoopTags::of_comments(&bytes[..cut]);
        }
    }
}
