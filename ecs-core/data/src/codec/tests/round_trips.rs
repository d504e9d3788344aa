//! Values that are written and read back, in each form and format.

use std::fmt::Debug;

use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::sample::{Bytes, Shape, named, sample};
use crate::Value;
use crate::codec::{Codec, Decoder, Encoder, Form, Readable};

/// The bytes of values: they show the bits of floats, so they are compared instead of the values.
pub(super) fn bytes_of<T: Serialize>(values: &[T]) -> Vec<u8> {
    let mut encoder = Encoder::new();
    encoder.values(values).unwrap();
    encoder.bytes().to_vec()
}

#[test]
fn rows_that_are_longer_than_others_or_their_window_are_written_like_single_values() {
    type Row = (u8, Option<u128>, Vec<(u16, String)>, [f32; 3]);
    let row = |n: usize| -> Row {
        let texts = (0..n % 7).map(|i| (i as u16, "x".repeat(n * i)));
        let wide = n.is_multiple_of(3).then_some(u128::MAX - n as u128);
        (n as u8, wide, texts.collect(), [n as f32; 3])
    };
    let rows: Vec<Row> = (0..40).map(row).collect();
    for encoder in [Encoder::new, Encoder::canonical] {
        let mut singly = encoder();
        for row in &rows {
            singly.value(row).unwrap();
        }
        for room in 0..400 {
            // The buffer ends at each place of some row.
            let mut together = encoder();
            together.push(&vec![7; room]);
            together.values(&rows).unwrap();
            assert_eq!(
                together.bytes()[room..],
                *singly.bytes(),
                "after {room} bytes"
            );
        }
    }
    assert_eq!(
        decode::<Row>(Form::Plain, &bytes_of(&rows), rows.len()),
        rows
    );
}

fn encode<T: Serialize + DeserializeOwned + 'static>(values: &[T]) -> (Form, Vec<u8>) {
    let codec = Codec::of::<T>();
    let mut encoder = Encoder::new();
    // SAFETY: these are values of the type.
    let form = unsafe { codec.encode(values.as_ptr().cast(), values.len(), &mut encoder) }.unwrap();
    (form, encoder.bytes().to_vec())
}

fn decode<T: Serialize + DeserializeOwned + 'static>(form: Form, bytes: &[u8], n: usize) -> Vec<T> {
    let mut values = Vec::<T>::with_capacity(n);
    let mut decoder = Decoder::of_bytes(bytes);
    let mut written = 0;
    let place = values.as_mut_ptr().cast();
    // SAFETY: there is room for that many values of the type.
    unsafe { Codec::of::<T>().decode(form, &mut decoder, place, n, &mut written) }.unwrap();
    assert_eq!(written, n);
    // SAFETY: that many were written.
    unsafe { values.set_len(n) };
    decoder.finish().unwrap();
    values
}

fn readable<T: Serialize + DeserializeOwned + 'static>(value: &T) -> Readable<'_> {
    // SAFETY: it is a value of the type, which is borrowed as long as the result.
    unsafe { Codec::of::<T>().readable(std::ptr::from_ref(value).cast()) }
}

fn read_value<T: Serialize + DeserializeOwned + 'static>(value: &Value) -> T {
    let mut place = std::mem::MaybeUninit::<T>::uninit();
    // SAFETY: there is room for a value of the type.
    unsafe { Codec::of::<T>().decode_value(value, place.as_mut_ptr().cast()) }
        .unwrap_or_else(|error| panic!("{error}: {value}"));
    // SAFETY: it was written.
    unsafe { place.assume_init() }
}

/// Returns the values that each format reads from the output of another.
fn through_formats(value: &(impl Serialize + Debug)) -> Vec<(&'static str, Value)> {
    let json = serde_json::to_string(value).unwrap();
    let ron = ron::to_string(value).unwrap();
    let pretty =
        ron::ser::to_string_pretty(value, ron::ser::PrettyConfig::new().struct_names(true))
            .unwrap();
    let pack = rmp_serde::to_vec(value).unwrap();
    let named = rmp_serde::to_vec_named(value).unwrap();
    vec![
        ("json", serde_json::from_str(&json).unwrap()),
        (
            "json value",
            serde_json::from_value(serde_json::from_str(&json).unwrap()).unwrap(),
        ),
        (
            "ron",
            ron::from_str(&ron).unwrap_or_else(|error| panic!("{error}: {ron}")),
        ),
        (
            "pretty ron",
            ron::from_str(&pretty).unwrap_or_else(|error| panic!("{error}: {pretty}")),
        ),
        ("message pack", rmp_serde::from_slice(&pack).unwrap()),
        (
            "message pack with names",
            rmp_serde::from_slice(&named).unwrap(),
        ),
    ]
}

impl Debug for Readable<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.to_value().unwrap())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes(values in proptest::collection::vec(sample(), 0..4)) {
        let (form, bytes) = encode(&values);
        prop_assert_eq!(form, Form::Plain);
        prop_assert_eq!(&bytes, &bytes_of(&values));
        let read: Vec<super::sample::Sample> = decode(form, &bytes, values.len());
        prop_assert_eq!(bytes_of(&read), bytes);
    }

    #[test]
    fn trees_as_bytes(values in proptest::collection::vec(named(), 0..4)) {
        let (form, bytes) = encode(&values);
        prop_assert_eq!(form, Form::Tree);
        let read: Vec<super::sample::Named> = decode(form, &bytes, values.len());
        // The buffer of serde casts floats, which changes the bits of some `NaN`.
        prop_assert_eq!(format!("{read:?}"), format!("{values:?}"));
    }

    #[test]
    fn formats(value in sample()) {
        let tree = readable(&value).to_value().unwrap();
        for (format, read) in through_formats(&readable(&value)) {
            let typed: super::sample::Sample = read_value(&read);
            prop_assert_eq!(bytes_of(&[typed]), bytes_of(&[&value]), "{}: {}", format, tree);
        }
        let typed: super::sample::Sample = read_value(&tree);
        prop_assert_eq!(bytes_of(&[typed]), bytes_of(&[&value]), "{}", tree);
    }

    #[test]
    fn formats_of_named_types(value in named()) {
        for (format, read) in through_formats(&readable(&value)) {
            let typed: super::sample::Named = read_value(&read);
            prop_assert_eq!(format!("{typed:?}"), format!("{value:?}"), "{}", format);
        }
    }

    /// A tree is its own form: if it is read from a format, it is written back unchanged.
    #[test]
    fn trees_through_formats(value in sample()) {
        let tree = readable(&value).to_value().unwrap();
        prop_assert_eq!(serde_json::to_string(&tree).unwrap(), serde_json::to_string(&readable(&value)).unwrap());
        for (format, read) in through_formats(&tree) {
            let again = through_formats(&read).into_iter().find(|(name, _)| *name == format).unwrap().1;
            prop_assert_eq!(&again, &read, "{}", format);
        }
    }

    #[test]
    fn shapes_are_equal_trees_in_all_formats(
        number in any::<i64>(), float in any::<f32>(), text in ".{0,5}", list in proptest::collection::vec(any::<u64>(), 0..3),
    ) {
        let tree = Value::of(&(number, float, text, list, Shape::Dot, [Some(0.1f32), None], 'x')).unwrap();
        for (format, read) in through_formats(&tree) {
            prop_assert_eq!(&read, &tree, "{}", format);
        }
    }

    #[test]
    fn canonical_maps(entries in proptest::collection::hash_map(any::<u16>(), ".{0,4}", 0..20)) {
        let copy: std::collections::HashMap<_, _> = entries.iter().rev_collect();
        let encode = |map: &std::collections::HashMap<u16, String>| {
            let mut encoder = Encoder::canonical();
            encoder.value(&[map]).unwrap();
            encoder.bytes().to_vec()
        };
        let bytes = encode(&entries);
        prop_assert_eq!(&bytes, &encode(&copy));
        let [read] = Decoder::of_bytes(&bytes).value::<[std::collections::HashMap<u16, String>; 1]>().unwrap();
        prop_assert_eq!(read, entries);
    }
}

/// Collects entries in another order, into a map with another hasher.
trait RevCollect {
    fn rev_collect(self) -> std::collections::HashMap<u16, String>;
}

impl<'a, I: Iterator<Item = (&'a u16, &'a String)>> RevCollect for I {
    fn rev_collect(self) -> std::collections::HashMap<u16, String> {
        let mut entries: Vec<_> = self.map(|(key, value)| (*key, value.clone())).collect();
        entries.reverse();
        entries.into_iter().collect()
    }
}

#[test]
fn bytes_are_bytes_where_a_format_has_them() {
    let value = Bytes(vec![0, 1, 255]);
    assert_eq!(
        readable(&value).to_value().unwrap(),
        Value::Bytes(vec![0, 1, 255])
    );
    assert_eq!(bytes_of(&[&value]), [3, 0, 0, 0, 0, 1, 255]);
    assert_eq!(
        rmp_serde::to_vec(&readable(&value)).unwrap(),
        [0xc4, 3, 0, 1, 255]
    );
    assert_eq!(
        serde_json::to_string(&readable(&value)).unwrap(),
        "[0,1,255]"
    );
}

/// Maps inside of maps, in rows that are written again when the buffer is full.
#[test]
fn canonical_maps_in_maps() {
    use std::collections::{BTreeMap, HashMap};

    let rows = 0..200u32;
    let inner = |row: u32, key: u32| {
        (0..5).map(move |number| (number * 7919 + row, "x".repeat((number + key) as usize)))
    };
    let hashed: Vec<HashMap<u32, HashMap<u32, String>>> = rows
        .clone()
        .map(|row| (0..6).map(|key| (key, inner(row, key).collect())).collect())
        .collect();
    let sorted: Vec<BTreeMap<u32, BTreeMap<u32, String>>> = rows
        .map(|row| {
            (0..6)
                .rev()
                .map(|key| (key, inner(row, key).collect()))
                .collect()
        })
        .collect();
    let (mut a, mut b) = (Encoder::canonical(), Encoder::canonical());
    a.values(&hashed).unwrap();
    sorted.iter().for_each(|row| b.value(row).unwrap());
    assert!(a.bytes() == b.bytes());
    let mut decoder = Decoder::of_bytes(a.bytes());
    for row in &hashed {
        assert_eq!(
            &decoder
                .value::<HashMap<u32, HashMap<u32, String>>>()
                .unwrap(),
            row
        );
    }
    decoder.finish().unwrap();
}
