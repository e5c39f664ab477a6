//! Everything that crosses, as bytes: for recordings, and for a renderer in another memory.
//!
//! Numbers are little-endian and of fixed size, floats by their bits, an option is a byte (0 or 1) before
//! what it holds, a list its length (4 bytes) before its items, an enum the number of its variant (a byte)
//! before its fields. Fields come in the order in which they stand here. `docs/recordings.md` says the same
//! in full.

mod command;
mod config;
#[cfg(any(test, target_arch = "wasm32"))]
mod report;
mod sane;
mod terms;

pub(crate) use command::{Names, Plays, put_command, take_command};
pub(crate) use config::{put_config, take_config};
#[cfg(any(test, target_arch = "wasm32"))]
pub(crate) use report::PlainReport;

use std::sync::Arc;

/// What has a form of bytes. What was `put` is what is taken.
pub(crate) trait Wire: Sized {
    fn put(&self, out: &mut Vec<u8>);

    /// None: the bytes are no such thing, or too few.
    fn take(from: &mut Bytes) -> Option<Self>;
}

/// Bytes that are taken one after the other.
pub(crate) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub fn new(bytes: &'a [u8]) -> Bytes<'a> {
        Bytes(bytes)
    }

    /// The next `count`, if there are so many.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

macro_rules! wire_numbers {
    ($($number:ty),*) => {$(
        impl Wire for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(from: &mut Bytes) -> Option<$number> {
                let bytes = from.take(size_of::<$number>())?;
                Some(<$number>::from_le_bytes(bytes.try_into().ok()?))
            }
        }
    )*};
}
wire_numbers!(u8, u16, u32, u64, f32, f64);

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        u8::from(*self).put(out);
    }

    fn take(from: &mut Bytes) -> Option<bool> {
        match u8::take(from)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        self.iter().for_each(|it| it.put(out));
    }

    fn take(from: &mut Bytes) -> Option<Option<T>> {
        if bool::take(from)? { T::take(from).map(Some) } else { Some(None) }
    }
}

impl<T: Wire + Copy + Default, const N: usize> Wire for [T; N] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|it| it.put(out));
    }

    fn take(from: &mut Bytes) -> Option<[T; N]> {
        let mut taken = [T::default(); N];
        for place in &mut taken {
            *place = T::take(from)?;
        }
        Some(taken)
    }
}

macro_rules! wire_tuples {
    ($(($($item:ident $at:tt),*)),*) => {$(
        impl<$($item: Wire),*> Wire for ($($item,)*) {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$at.put(out);)*
            }

            fn take(from: &mut Bytes) -> Option<($($item,)*)> {
                Some(($($item::take(from)?,)*))
            }
        }
    )*};
}
wire_tuples!((A 0, B 1), (A 0, B 1, C 2));

/// A list. However long it claims to be, no more is reserved than there are bytes for.
impl<T: Wire> Wire for Box<[T]> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        self.iter().for_each(|it| it.put(out));
    }

    fn take(from: &mut Bytes) -> Option<Box<[T]>> {
        let count = u32::take(from)? as usize;
        let mut list = Vec::with_capacity(count.min(from.len()));
        for _ in 0..count {
            list.push(T::take(from)?);
        }
        Some(list.into())
    }
}

/// The same, to be shared.
#[cfg(any(test, target_arch = "wasm32"))]
impl<T: Wire> Wire for Arc<[T]> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        self.iter().for_each(|it| it.put(out));
    }

    fn take(from: &mut Bytes) -> Option<Arc<[T]>> {
        Box::<[T]>::take(from).map(Arc::from)
    }
}

/// A text, in UTF-8.
impl Wire for Arc<str> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn take(from: &mut Bytes) -> Option<Arc<str>> {
        let length = u32::take(from)? as usize;
        std::str::from_utf8(from.take(length)?).ok().map(Arc::from)
    }
}

/// The fields of a struct, in this order.
macro_rules! wire_struct {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                let $name { $($field),* } = self;
                $($field.put(out);)*
            }

            fn take(from: &mut Bytes) -> Option<$name> {
                $(let $field = Wire::take(from)?;)*
                Some($name { $($field),* })
            }
        }
    };
}

/// The variants of an enum by their numbers, with their fields.
macro_rules! wire_enum {
    ($name:ident { $($number:literal => $variant:ident $(($held:ident))? $({ $($field:ident),* })?),* $(,)? }) => {
        impl Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $($name::$variant $(($held))? $({ $($field),* })? => {
                        out.push($number);
                        $($held.put(out);)?
                        $($($field.put(out);)*)?
                    })*
                }
            }

            fn take(from: &mut Bytes) -> Option<$name> {
                Some(match u8::take(from)? {
                    $($number => {
                        $(let $held = Wire::take(from)?;)?
                        $($(let $field = Wire::take(from)?;)*)?
                        $name::$variant $(($held))? $({ $($field),* })?
                    })*
                    _ => return None,
                })
            }
        }
    };
}

pub(crate) use {wire_enum, wire_struct};

/// Where bytes go, one after the other: those of a sound are too many to be gathered only to be counted.
pub(crate) trait Sink {
    fn add(&mut self, bytes: &[u8]);

    /// Something small, as bytes.
    fn put(&mut self, it: &impl Wire) {
        let mut bytes = Vec::new();
        it.put(&mut bytes);
        self.add(&bytes);
    }
}

impl Sink for Vec<u8> {
    fn add(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// FNV-1a, 64 bits: the check sum of a block, and what a sound is known by.
#[derive(Clone, Copy)]
pub(crate) struct Hash(u64);

impl Sink for Hash {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

impl Hash {
    pub const NEW: Hash = Hash(0xcbf2_9ce4_8422_2325);

    pub fn get(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(it: impl Wire) -> Vec<u8> {
        let mut bytes = Vec::new();
        it.put(&mut bytes);
        bytes
    }

    #[test]
    fn the_bytes_are_those_that_are_documented() {
        assert_eq!(bytes_of(0x1234_5678_u32), [0x78, 0x56, 0x34, 0x12]);
        assert_eq!(bytes_of(1.0_f32), [0, 0, 0x80, 0x3f]);
        assert_eq!(bytes_of(Some(7_u8)), [1, 7]);
        assert_eq!(bytes_of(None::<u8>), [0]);
        assert_eq!(bytes_of(Box::<[u16]>::from([1, 2])), [2, 0, 0, 0, 1, 0, 2, 0]);
        assert_eq!(bytes_of(Arc::<str>::from("é")), [2, 0, 0, 0, 0xc3, 0xa9]);
        assert_eq!(bytes_of([true, false]), [1, 0]);
    }

    #[test]
    fn a_list_that_lies_about_its_length_reserves_no_more_than_there_is() {
        let mut lie = bytes_of(u32::MAX);
        lie.push(7);
        assert!(Box::<[u8]>::take(&mut Bytes::new(&lie)).is_none());
        assert!(Arc::<str>::take(&mut Bytes::new(&lie)).is_none());
        assert!(bool::take(&mut Bytes::new(&[2])).is_none());
    }

    #[test]
    fn the_hash_is_the_published_one() {
        let mut hash = Hash::NEW;
        hash.add(b"foobar");
        assert_eq!(hash.get(), 0x8594_4171_f739_67e8);
    }
}
