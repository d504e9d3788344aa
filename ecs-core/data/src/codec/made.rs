//! Values for inspecting a type: made-up ones, further ones if the type refuses these, and real ones.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::error::Raised;
use super::shape::{ANY, Event};

/// The bytes of real values, in the binary form, one after the other. The type that reads them may differ from the type
/// that wrote them.
#[derive(Clone)]
pub(super) struct Real {
    bytes: Arc<[u8]>,
    /// The position of the next value.
    at: usize,
    /// The lists around the next value: how many elements are left, and the position of the current one.
    lists: Vec<(usize, usize)>,
}

impl Real {
    pub(super) fn new(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.into(),
            at: 0,
            lists: Vec::new(),
        }
    }

    /// Returns true if all was read.
    pub(super) fn is_at_end(&self) -> bool {
        self.left() == 0
    }

    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn take(&mut self, len: usize) -> Result<&[u8], Raised> {
        if len > self.left() {
            return Err(Raised::end());
        }
        self.at += len;
        Ok(&self.bytes[self.at - len..self.at])
    }

    fn chunk<const N: usize>(&mut self) -> Result<[u8; N], Raised> {
        let mut chunk = [0; N];
        chunk.copy_from_slice(self.take(N)?);
        Ok(chunk)
    }

    fn length(&mut self) -> Result<usize, Raised> {
        let length = u32::from_le_bytes(self.chunk()?) as usize;
        match length <= self.left() {
            true => Ok(length),
            false => Err(Raised::end()),
        }
    }

    fn slice(&mut self) -> Result<&[u8], Raised> {
        let length = self.length()?;
        self.take(length)
    }

    fn flag(&mut self) -> Result<bool, Raised> {
        match self.chunk()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(Raised::new("neither 0 nor 1")),
        }
    }

    /// Reads the number of a variant.
    pub(super) fn index(&mut self) -> Result<u32, Raised> {
        self.chunk().map(u32::from_le_bytes)
    }

    /// Reads the length of a list or a map, and begins it.
    fn list(&mut self) -> Result<usize, Raised> {
        let length = self.length()?;
        if length > 0 {
            self.lists.push((length, self.at));
        }
        Ok(length)
    }

    /// Ends an element of a list. One without bytes has one.
    pub(super) fn end_element(&mut self) -> Result<(), Raised> {
        let Some((elements, start)) = self.lists.pop() else {
            return Ok(());
        };
        if self.at == start {
            self.take(1)?;
        }
        if elements > 1 {
            self.lists.push((elements - 1, self.at));
        }
        Ok(())
    }
}

/// The made-up values, by the place in the type: if it refuses one, the next run takes another there.
#[derive(Clone, Default)]
pub(super) struct Choices {
    /// The number of the current value, if the first one was refused. The last ones come from real values.
    chosen: HashMap<u64, usize>,
    /// The values at each place in real data.
    known: HashMap<u64, Vec<Real>>,
    /// The structs and tuples around the next value, and the number of values in them so far.
    open: Vec<(u64, u32)>,
    /// The newtype or named tuple that the next value belongs to.
    named: Option<u64>,
    /// The last value of this run: its place and its kind.
    last: Option<(u64, &'static str)>,
}

impl Choices {
    /// Begins a run.
    pub(super) fn begin(&mut self) {
        self.open = vec![(0, 0)];
        self.named = None;
        self.last = None;
    }

    /// Notes a value without parts, and returns one to make up there.
    pub(super) fn plain(&mut self, kind: &'static str) -> NextValue<'static> {
        let place = self.place();
        self.last = Some((place, kind));
        let number = self.chosen.get(&place).copied().unwrap_or(0);
        let known = self.known.get(&place).map_or(&[][..], Vec::as_slice);
        let known = number
            .checked_sub(count_of(kind))
            .and_then(|number| known.get(number));
        known.map_or(NextValue::Made(number), |real| {
            NextValue::Known(real.clone())
        })
    }

    /// Notes the part of a real value at the place of the last one.
    pub(super) fn know(&mut self, real: &Real) {
        let Some((place, _)) = self.last else { return };
        let known = self.known.entry(place).or_default();
        if known.len() < MOST_KNOWN {
            known.push(real.clone());
        }
    }

    /// Notes the other requests.
    pub(super) fn note(&mut self, event: Event) {
        if let Event::End = event {
            self.open.pop();
            return;
        }
        let place = self.place();
        match event {
            Event::Newtype(ty) | Event::TupleStruct(ty) => self.named = Some(hash(ty.visitor)),
            Event::Struct(ty, _) if !ty.name.is_empty() => self.open.push((hash(ty.visitor), 0)),
            Event::Enum(ty, _, variant) => self.open.push((hash((ty.visitor, variant)), 0)),
            Event::Struct(..) | Event::Tuple(_) => self.open.push((place, 0)),
            Event::Index { index, .. } => {
                if let Some(open) = self.open.last_mut() {
                    open.0 = hash((open.0, index));
                }
            }
            Event::Plain(_)
            | Event::Option(_)
            | Event::List(_)
            | Event::Map(_)
            | Event::Variant
            | Event::End => {}
        }
    }

    /// Returns the place of the next value: the same one in each value of the type around it.
    fn place(&mut self) -> u64 {
        if let Some(named) = self.named.take() {
            return named;
        }
        match self.open.last_mut() {
            Some(open) => {
                open.1 += 1;
                hash(*open)
            }
            None => 0,
        }
    }

    /// Notes that no value is to blame if the run fails here.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    /// Makes up another value in place of the last one, which was refused, and returns true; false if there is none.
    pub(super) fn refuse(&mut self) -> bool {
        let Some((place, kind)) = self.last.take() else {
            return false;
        };
        let count = count_of(kind) + self.known.get(&place).map_or(0, Vec::len);
        let chosen = self.chosen.entry(place).or_default();
        // After the last one comes the first again, and stays.
        *chosen = (*chosen + 1).min(count);
        *chosen < count
    }
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// The greatest number of real values that are known for a place.
const MOST_KNOWN: usize = 16;

/// Numbers greater than a byte's. None is large, because a type may make room for that many values.
const INTS: [i128; 8] = [-1, -2, 256, 1000, 1024, 2000, 4096, 65535];
const FLOATS: [f64; 5] = [1.0, 0.0, 0.5, -1.0, 100.0];
const CHARS: [char; 8] = ['a', 'A', '0', '1', ' ', '-', 'x', '\u{e4}'];
/// Words, numbers, times, addresses, versions and colours, in their most common form.
const TEXTS: [&str; 36] = [
    "a",
    "",
    "1",
    "A",
    "0",
    "-1",
    "1.5",
    "true",
    "ab",
    "abc",
    "abcd",
    "abcdefgh",
    "Abc",
    "a b",
    "a-b",
    "a_b",
    "a.b",
    "a/b",
    "/a",
    "a:b",
    "a@b.org",
    "https://a.org/",
    "127.0.0.1",
    "::1",
    "127.0.0.1:80",
    "[::1]:80",
    "1.0.0",
    "2000-01-01",
    "2000-01-01T00:00:00Z",
    "2000-01-01T00:00:00",
    "12:00:00",
    "PT1S",
    "1s",
    "#000000",
    "en-US",
    "67e55044-10b1-426f-9247-bb680e5fe0c8",
];
/// The greatest length of a byte string.
const BYTES: usize = 64;

/// Returns the number of made-up values of a kind.
fn count_of(kind: &str) -> usize {
    match kind {
        "f32" | "f64" => FLOATS.len(),
        "bool" => 2,
        "char" => CHARS.len(),
        "str" => TEXTS.len(),
        "bytes" => BYTES + 1,
        "unit" => 1,
        ANY => super::shape::ANY_VALUES,
        "u8" | "i8" => 256,
        _ => 256 + INTS.len(),
    }
}

/// The source of the next value.
pub(super) enum NextValue<'t> {
    /// It is made up; this is its number.
    Made(usize),
    /// It is one of the values that real ones have at that place.
    Known(Real),
    Real(&'t mut Real),
}

impl NextValue<'_> {
    fn value<T>(
        self,
        made: impl FnOnce(usize) -> T,
        real: impl FnOnce(&mut Real) -> Result<T, Raised>,
    ) -> Result<T, Raised> {
        match self {
            Self::Made(number) => Ok(made(number)),
            Self::Known(mut known) => real(&mut known),
            Self::Real(next) => real(next),
        }
    }

    pub(super) fn int(self, name: &str, min: i128, max: i128) -> Result<i128, Raised> {
        self.value(
            |number| made_int(number, min, max),
            |real| real_int(real, name),
        )
    }

    pub(super) fn u128(self) -> Result<u128, Raised> {
        self.value(
            |number| made_int(number, 0, i128::MAX) as u128,
            |real| real.chunk().map(u128::from_le_bytes),
        )
    }

    pub(super) fn float(self, name: &str) -> Result<f64, Raised> {
        self.value(
            |number| FLOATS.get(number).copied().unwrap_or(FLOATS[0]),
            |real| match name {
                "f32" => real.chunk().map(|bytes| f32::from_le_bytes(bytes).into()),
                _ => real.chunk().map(f64::from_le_bytes),
            },
        )
    }

    pub(super) fn bool(self) -> Result<bool, Raised> {
        self.value(|number| number == 1, Real::flag)
    }

    pub(super) fn char(self) -> Result<char, Raised> {
        self.value(
            |number| CHARS.get(number).copied().unwrap_or(CHARS[0]),
            |real| char::from_u32(real.index()?).ok_or_else(|| Raised::new("it is not a char")),
        )
    }

    pub(super) fn text(self) -> Result<String, Raised> {
        self.value(
            |number| TEXTS.get(number).copied().unwrap_or(TEXTS[0]).to_owned(),
            |real| {
                let text = str::from_utf8(real.slice()?);
                text.map(str::to_owned)
                    .map_err(|_| Raised::new("it is not text"))
            },
        )
    }

    pub(super) fn bytes(self) -> Result<Vec<u8>, Raised> {
        self.value(
            |number| vec![0; number % (BYTES + 1)],
            |real| real.slice().map(<[u8]>::to_vec),
        )
    }

    /// Returns whether an option has a value; a made-up one has one if there are any values.
    pub(super) fn option(self, made: usize) -> Result<bool, Raised> {
        self.value(|_| made > 0, Real::flag)
    }

    /// Returns the length of a list or a map; a made-up one has the given length.
    pub(super) fn list(self, made: usize) -> Result<usize, Raised> {
        self.value(|_| made, Real::list)
    }
}

fn made_int(number: usize, min: i128, max: i128) -> i128 {
    let int = match number {
        // NonZero types refuse 0.
        0 => 1,
        1 => 0,
        2..256 => number as i128,
        _ => INTS.get(number - 256).copied().unwrap_or(1),
    };
    let int = match int > max {
        // Of an `i8`.
        true if max == i128::from(i8::MAX) => int - 256,
        true => 1,
        false => int,
    };
    if int < min { 1 } else { int }
}

fn real_int(real: &mut Real, name: &str) -> Result<i128, Raised> {
    Ok(match name {
        "i8" => i8::from_le_bytes(real.chunk()?).into(),
        "u8" => u8::from_le_bytes(real.chunk()?).into(),
        "i16" => i16::from_le_bytes(real.chunk()?).into(),
        "u16" => u16::from_le_bytes(real.chunk()?).into(),
        "i32" => i32::from_le_bytes(real.chunk()?).into(),
        "u32" => u32::from_le_bytes(real.chunk()?).into(),
        "i64" => i64::from_le_bytes(real.chunk()?).into(),
        "u64" => u64::from_le_bytes(real.chunk()?).into(),
        _ => i128::from_le_bytes(real.chunk()?),
    })
}
