//! Rows of any length, and `Serialize`s and `Deserialize`s that swallow errors, give the same with windows and without.

use std::collections::HashMap;

use ecs_engine::Entity;
use ecs_engine::entity::session::{ByIndex, IdForm, Others, Session};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::round_trips::bytes_of;
use crate::codec::{Codec, Decoder, Encoder, Form};

/// A text, whose `Deserialize` makes an empty one of an error and then goes on.
#[derive(Clone, Debug, PartialEq)]
struct Swallowed(String, u8);

impl Serialize for Swallowed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.0, self.1).serialize(serializer)
    }
}

/// A text that is empty if it cannot be read.
struct Lenient(String);

impl<'de> Deserialize<'de> for Lenient {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(String::deserialize(deserializer).unwrap_or_default()))
    }
}

impl<'de> Deserialize<'de> for Swallowed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (text, number) = <(Lenient, u8)>::deserialize(deserializer)?;
        Ok(Self(text.0, number))
    }
}

fn read<T: Serialize + serde_core::de::DeserializeOwned + 'static>(
    bytes: &[u8],
    n: usize,
) -> (Vec<T>, Result<(), String>) {
    let codec = Codec::of::<T>();
    let mut values = Vec::with_capacity(n);
    let (mut decoder, mut written) = (Decoder::of_bytes(bytes), 0);
    let place: *mut T = values.as_mut_ptr();
    // SAFETY: there is room for `n` values of the type.
    let result = unsafe { codec.decode(Form::Plain, &mut decoder, place.cast(), n, &mut written) };
    // SAFETY: so many were written.
    unsafe { values.set_len(written) };
    let result = result.and_then(|()| decoder.finish());
    (values, result.map_err(|error| error.to_string()))
}

#[test]
fn a_deserialize_that_swallows_errors_reads_rows_of_any_length() {
    let row = |n: usize| Swallowed("x".repeat(n * 13 % 200), n as u8);
    let rows: Vec<Swallowed> = (0..200).map(row).collect();
    let bytes = bytes_of(&rows);
    assert_eq!(read::<Swallowed>(&bytes, rows.len()), (rows, Ok(())));
}

#[test]
fn lists_options_and_maps_of_any_length_are_read_in_any_order() {
    type Row = (
        Option<Vec<u16>>,
        u32,
        std::collections::BTreeMap<u8, String>,
    );
    let row = |n: usize| -> Row {
        let list = n.is_multiple_of(3).then(|| vec![n as u16; n % 50]);
        let map = (0..n % 5).map(|key| (key as u8, "y".repeat(n % 40)));
        (list, n as u32, map.collect())
    };
    for first in 0..40 {
        let rows: Vec<Row> = (first..first + 60).map(row).collect();
        let bytes = bytes_of(&rows);
        let (read_rows, result) = read::<Row>(&bytes, rows.len());
        assert_eq!((read_rows, result), (rows.clone(), Ok(())));
        // Cut off anywhere: the rows before are read, and the error has the position.
        for len in 0..bytes.len().min(300) {
            let (some, result) = read::<Row>(&bytes[..len], rows.len());
            assert!(result.is_err() && some[..] == rows[..some.len()], "{len}");
        }
    }
}

#[test]
fn wrong_bytes_in_a_window_are_the_same_error_as_without() {
    type Row = ([f32; 3], bool, Option<u32>, char);
    let rows: Vec<Row> = (0..30)
        .map(|n| ([n as f32; 3], true, Some(n), 'x'))
        .collect();
    let bytes = bytes_of(&rows);
    let len = bytes.len() / rows.len();
    for (at, problem) in [
        (12, "a bool is 9 instead of 0 or 1"),
        (13, "an option is 9 instead of 0 or 1"),
        (21, "a char is not a Unicode scalar value"),
    ] {
        for row in [0, 7, 29] {
            let mut wrong = bytes.clone();
            wrong[row * len + at] = 9;
            let (some, result) = read::<Row>(&wrong, rows.len());
            assert_eq!(some[..], rows[..row]);
            assert!(result.unwrap_err().starts_with(problem), "{at}, {row}");
        }
    }
}

/// Ignores the error of each part.
struct Careless(Vec<u64>);

impl Serialize for Careless {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde_core::ser::SerializeTuple;
        let mut tuple = serializer.serialize_tuple(self.0.len())?;
        for number in &self.0 {
            _ = tuple.serialize_element(number);
        }
        tuple.end()
    }
}

#[test]
fn a_serialize_that_swallows_errors_is_written_as_a_whole() {
    let rows: Vec<Careless> = (0..50)
        .map(|n| Careless(vec![n; n as usize % 30]))
        .collect();
    let mut singly = Encoder::new();
    for row in &rows {
        singly.value(row).unwrap();
    }
    assert_eq!(bytes_of(&rows), singly.bytes());
}

/// Writes rows at once, and checks the bytes and the ends against rows that are written one by one, without windows.
fn assert_written_alike<T: Serialize>(rows: &[T]) {
    for mut encoder in [Encoder::new(), Encoder::canonical()] {
        let is_canonical = encoder.is_canonical();
        // A buffer that is too small, and then one that is not.
        for _ in 0..2 {
            encoder.clear();
            encoder.push(b"before");
            encoder.values(rows).unwrap();
            let mut one_by_one = match is_canonical {
                true => Encoder::canonical(),
                false => Encoder::new(),
            };
            one_by_one.push(b"before");
            let mut ends = Vec::new();
            for row in rows {
                one_by_one.value(row).unwrap();
                ends.push(one_by_one.len());
            }
            assert_eq!(encoder.bytes(), one_by_one.bytes());
            assert_eq!(encoder.row_ends(), if is_canonical { &*ends } else { &[] });
        }
    }
}

#[test]
fn rows_of_one_length_of_several_and_with_maps_are_written_like_single_values() {
    for n in [0, 1, 3, 4, 5, 17, 256, 1000] {
        let numbers = 0..n as u32;
        let rows: Vec<[f32; 3]> = numbers
            .clone()
            .map(|n| [n as f32, -0.0, f32::NAN])
            .collect();
        assert_written_alike(&rows);
        assert_written_alike(&vec![(); n]);
        let rows: Vec<(u8, Option<u64>, bool)> = numbers
            .clone()
            .map(|n| (n as u8, (n % 3 == 0).then_some(n.into()), n % 2 == 0))
            .collect();
        assert_written_alike(&rows);
        let text = |n: u32| "x".repeat(n as usize * 13 % 100);
        let rows: Vec<String> = numbers.clone().map(text).collect();
        assert_written_alike(&rows);
        // The first rows have no map, and later ones do.
        let rows: Vec<Option<HashMap<u32, u8>>> = numbers
            .map(|n| (n % 50 > 40).then(|| (0..n % 7).rev().map(|key| (key, 1)).collect()))
            .collect();
        assert_written_alike(&rows);
    }
}

/// Numbers, and the last row fails.
struct Failing(u32, u32);

impl Serialize for Failing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 == self.1 {
            true => Err(serde_core::ser::Error::custom("no")),
            false => serializer.serialize_u32(self.0),
        }
    }
}

#[test]
fn a_row_that_fails_leaves_the_bytes_and_the_ends_before() {
    for last in [0, 2, 5, 300] {
        let rows: Vec<Failing> = (0..=last).map(|n| Failing(n, last)).collect();
        let mut encoder = Encoder::canonical();
        encoder.values(&[7_u8; 9]).unwrap();
        let error = encoder.values(&rows).unwrap_err();
        assert_eq!(error.row(), Some(last as usize));
        assert_eq!(encoder.bytes(), [7; 9]);
        assert_eq!(encoder.row_ends(), (1..=9).collect::<Vec<_>>());
    }
}

#[test]
fn ids_have_the_form_of_the_session_between_other_fields() {
    let id = Entity::from_bits(3 << 32 | 7).unwrap();
    let rows = |count| vec![(1u8, Some(id), 2u8, [id, id]); count];
    let expected = |id: &[u8], count: usize| [&[1, 1], id, &[2], id, id].concat().repeat(count);
    let (entities, numbers) = ([id], [(7, 0)]);
    let numbered = || IdForm::Numbered {
        entities: &entities,
        numbers: ByIndex::Sorted(&numbers),
        others: Others::Refused,
    };
    for count in [1, 3, 4, 50] {
        let written = |form| Session::new(form).run(|| bytes_of(&rows(count)));
        let bits = id.to_bits().to_le_bytes();
        assert_eq!(written(IdForm::Bits), expected(&bits, count));
        assert_eq!(written(numbered()), expected(&[0; 4], count));
        let text = [3, 0, 0, 0, b'7', b'v', b'3'];
        assert_eq!(written(IdForm::Text), expected(&text, count));
        assert_eq!(written(IdForm::Tree), expected(&text, count));
    }
    let other = vec![(1u8, Entity::from_bits(1 << 32).unwrap()); 5];
    let error = Session::new(numbered()).run(|| Encoder::new().values(&other).unwrap_err());
    assert_eq!(error.to_string(), "the entity 0v1 is not saved");
}
