//! User code that fails or panics in the middle of a column.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::codec::{Codec, Decoder, Encoder, Form};

thread_local! {
    static LIVE: Rc<Cell<i32>> = Rc::default();
}

/// Panics when it is read as 13, and is refused as 14; counted while it lives.
#[derive(Debug)]
struct Unlucky(u8, Rc<Cell<i32>>);

impl Unlucky {
    fn new(number: u8) -> Self {
        let live = LIVE.with(Rc::clone);
        live.set(live.get() + 1);
        Self(number, live)
    }
}

impl Drop for Unlucky {
    fn drop(&mut self) {
        self.1.set(self.1.get() - 1);
    }
}

impl Serialize for Unlucky {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            23 => panic!("not this one"),
            24 => Err(serde::ser::Error::custom("24 is not written")),
            number => serializer.serialize_u8(number),
        }
    }
}

impl<'de> Deserialize<'de> for Unlucky {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u8::deserialize(deserializer)? {
            13 => panic!("bad luck"),
            14 => Err(serde::de::Error::custom("14 is not read")),
            number => Ok(Self::new(number)),
        }
    }
}

/// The count is right wherever reading stops, so that each value is dropped once.
#[test]
fn decoding_stops_in_the_middle() {
    let codec = Codec::of::<Unlucky>();
    for form in [Form::Plain, Form::Tree] {
        for (bad, panics) in [(13, true), (14, false)] {
            for at in 0..4 {
                let mut numbers = [1u8, 2, 3, 4];
                numbers[at] = bad;
                let mut encoder = Encoder::new();
                match form {
                    Form::Plain => encoder.values(&numbers).unwrap(),
                    Form::Tree => numbers
                        .iter()
                        .for_each(|&number| encoder.tree(&number.into()).unwrap()),
                }
                let mut place = Vec::<Unlucky>::with_capacity(4);
                let mut written = 99;
                let mut decoder = Decoder::of_bytes(encoder.bytes());
                let result = catch_unwind(AssertUnwindSafe(|| {
                    // SAFETY: there is room for four values of the type.
                    unsafe {
                        codec.decode(
                            form,
                            &mut decoder,
                            place.as_mut_ptr().cast(),
                            4,
                            &mut written,
                        )
                    }
                }));
                assert_eq!(result.is_err(), panics);
                if let Ok(result) = result {
                    let error = result.unwrap_err();
                    assert_eq!(error.message(), "14 is not read");
                    assert_eq!(error.byte(), (form == Form::Plain).then_some(at + 1));
                }
                assert_eq!(written, at);
                // SAFETY: that many were written.
                unsafe { place.set_len(written) };
                assert_eq!(LIVE.with(|live| live.get()) as usize, at);
                assert!(place.iter().map(|value| value.0).eq(1..=at as u8));
                drop(place);
                assert_eq!(LIVE.with(|live| live.get()), 0);
            }
        }
    }
}

/// The bytes that were written before stay, and nothing is added.
#[test]
fn encoding_stops_in_the_middle() {
    let codec = Codec::of::<Unlucky>();
    for form in [Form::Plain, Form::Tree] {
        for (bad, panics) in [(23, true), (24, false)] {
            let values = [1, 2, bad, 4].map(Unlucky::new);
            let mut encoder = Encoder::new();
            encoder.push(b"before");
            let result = catch_unwind(AssertUnwindSafe(|| {
                // SAFETY: these are four values of the type.
                unsafe { codec.encode_as(form, values.as_ptr().cast(), 4, &mut encoder) }
            }));
            assert_eq!(result.is_err(), panics);
            if let Ok(result) = result {
                let error = result.unwrap_err();
                assert_eq!(
                    (error.row(), error.to_string().as_str()),
                    (Some(2), "24 is not written")
                );
                assert_eq!(encoder.bytes(), b"before");
            }
            // After a panic the buffer can still be used.
            encoder.truncate(6);
            encoder.value(&7u8).unwrap();
            assert_eq!(encoder.bytes(), b"before\x07");
        }
    }
}

/// A `Serialize` that ignores that the buffer is full does not leave a part of itself.
#[test]
fn errors_that_serialize_ignores() {
    struct Careless([u8; 1000]);
    impl Serialize for Careless {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeTuple;
            let mut tuple = serializer.serialize_tuple(2)?;
            drop(tuple.serialize_element(self.0.as_slice()));
            drop(tuple.serialize_element(&1u8));
            tuple.end()
        }
    }
    let mut encoder = Encoder::new();
    encoder
        .values(&[Careless([3; 1000]), Careless([3; 1000])])
        .unwrap();
    assert_eq!(encoder.len(), 2 * 1005);
    let read: (Vec<u8>, u8) = Decoder::of_bytes(encoder.bytes()).value().unwrap();
    assert_eq!(read, (vec![3; 1000], 1));
}

/// The list has the values before the wrong one, after its own, however reading ends.
#[test]
fn a_list_has_what_was_read_before_a_wrong_value() {
    for (bad, panics) in [(13, true), (14, false), (5, false)] {
        // So many that they are read in windows.
        for at in [0, 1, 39] {
            let mut bytes: Vec<u8> = vec![7; 40];
            bytes[at] = bad;
            let mut decoder = Decoder::of_bytes(&bytes);
            let mut list = vec![Unlucky::new(1)];
            let read = catch_unwind(AssertUnwindSafe(|| decoder.values(40, &mut list)));
            assert_eq!(read.is_err(), panics);
            let is_whole = read.is_ok_and(|result| result.is_ok());
            assert_eq!(is_whole, bad == 5);
            assert_eq!(list.len(), 1 + if is_whole { 40 } else { at });
            drop(list);
            assert_eq!(LIVE.with(|live| live.get()), 0);
        }
    }
    let mut list: Vec<u32> = Vec::new();
    let read = Decoder::of_bytes(&[1, 0, 0, 0, 2]).values(2, &mut list);
    assert!(read.is_err() && list == [1]);
}
