//! Bytes that nothing has written: they give an error or a value, and memory bounded by their number.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::round_trips::bytes_of;
use super::sample::{Named, Sample, sample};
use crate::Value;
use crate::codec::{Codec, Decoder, Encoder, Form};

/// Counts the bytes that a thread has, and the most that it had.
struct Counting;

thread_local! {
    static LIVE: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

fn count(more: usize, less: usize) {
    LIVE.with(|live| {
        let (now, most) = live.get();
        let now = (now + more).saturating_sub(less);
        live.set((now, most.max(now)));
    });
}

// SAFETY: it is the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: as the caller guarantees.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: as the caller guarantees.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the most memory that a function had at a time.
fn most_memory(run: impl FnOnce()) -> usize {
    LIVE.with(|live| live.set((0, 0)));
    run();
    LIVE.with(|live| live.get().1)
}

/// Reads bytes in a form, which may fail and not panic, and returns the memory that it took.
fn read<T: Serialize + DeserializeOwned + 'static>(form: Form, bytes: &[u8]) -> usize {
    most_memory(|| {
        let mut place = std::mem::MaybeUninit::<T>::uninit();
        let mut decoder = Decoder::of_bytes(bytes);
        let mut written = 0;
        // SAFETY: there is room for a value of the type.
        let result = unsafe {
            Codec::of::<T>().decode(
                form,
                &mut decoder,
                place.as_mut_ptr().cast(),
                1,
                &mut written,
            )
        };
        assert_eq!(result.is_ok(), written == 1);
        if written == 1 {
            // SAFETY: it was written.
            drop(unsafe { place.assume_init() });
        }
    })
}

/// The most memory for a byte: no element of a list is longer than half of it, and a list that grows has twice the room.
const PER_BYTE: usize = 400;
/// Errors, and little room for any input.
const FIXED: usize = 4096;

fn samples(count: usize) -> Vec<Vec<u8>> {
    let mut runner = TestRunner::deterministic();
    (0..count)
        .map(|_| bytes_of(&[sample().new_tree(&mut runner).unwrap().current()]))
        .collect()
}

/// The number of samples that are damaged everywhere: all before a change lands, as random tests have it.
fn damaged() -> usize {
    match std::env::var_os("ECS_WORLDS") {
        Some(_) => 4,
        None => 1,
    }
}

#[test]
fn truncations_and_flips() {
    for bytes in samples(damaged()) {
        for end in 0..bytes.len() {
            assert!(read::<Sample>(Form::Plain, &bytes[..end]) <= end * PER_BYTE + FIXED);
            let mut decoder = Decoder::of_bytes(&bytes[..end]);
            let error = decoder.value::<Sample>().unwrap_err();
            assert!(error.byte().is_some_and(|byte| byte <= end), "{error}");
        }
        for at in 0..bytes.len() {
            for value in 0..=255 {
                let mut bytes = bytes.clone();
                bytes[at] = value;
                let memory = read::<Sample>(Form::Plain, &bytes);
                assert!(
                    memory <= bytes.len() * PER_BYTE + FIXED,
                    "{memory} bytes for {}",
                    bytes.len()
                );
            }
        }
    }
}

/// Fixed fields of more bytes than a window has in a debug build, before and after fields that are longer or shorter.
type Row = (u64, Option<u32>, [u64; 3], String, (u16, Vec<()>), [u8; 5]);

#[test]
fn truncated_rows_are_read_together_as_one_by_one() {
    let row = |i: usize| {
        let text = "x".repeat(i * 7 % 23);
        let last = (i as u16, vec![(); i % 3]);
        let option = i.is_multiple_of(2).then_some(i as u32);
        (i as u64, option, [i as u64; 3], text, last, [i as u8; 5])
    };
    let rows: Vec<Row> = (0..20).map(row).collect();
    let bytes = bytes_of(&rows);
    for end in 0..=bytes.len() {
        let mut decoder = Decoder::of_bytes(&bytes[..end]);
        let mut expected = Vec::new();
        let error = loop {
            match decoder.value::<Row>() {
                Ok(row) => expected.push(row),
                Err(error) => break error,
            }
        };
        let mut read = Vec::<Row>::with_capacity(rows.len() + 1);
        let (place, mut written) = (read.as_mut_ptr().cast(), 0);
        let mut decoder = Decoder::of_bytes(&bytes[..end]);
        let codec = Codec::of::<Row>();
        // SAFETY: there is room for that many values of the type.
        let result = unsafe {
            codec.decode(
                Form::Plain,
                &mut decoder,
                place,
                rows.len() + 1,
                &mut written,
            )
        };
        // SAFETY: that many were written.
        unsafe { read.set_len(written) };
        assert_eq!(read, expected);
        let found = result.unwrap_err();
        assert_eq!(
            (found.message(), found.byte()),
            (error.message(), error.byte())
        );
    }
}

#[test]
fn truncations_and_flips_of_trees() {
    let mut runner = TestRunner::deterministic();
    for _ in 0..damaged() {
        let value = Value::of(
            &super::sample::named()
                .new_tree(&mut runner)
                .unwrap()
                .current(),
        )
        .unwrap();
        let mut encoder = Encoder::new();
        encoder.tree(&value).unwrap();
        let bytes = encoder.bytes();
        for end in 0..bytes.len() {
            assert!(Decoder::of_bytes(&bytes[..end]).tree().is_err());
        }
        for at in 0..bytes.len() {
            for value in 0..=255 {
                let mut bytes = bytes.to_vec();
                bytes[at] = value;
                assert!(read::<Named>(Form::Tree, &bytes) <= bytes.len() * PER_BYTE + FIXED);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(prop_oneof![0u8..3, any::<u8>()], 0..300)) {
        prop_assert!(read::<Sample>(Form::Plain, &bytes) <= bytes.len() * PER_BYTE + FIXED);
        prop_assert!(read::<Named>(Form::Plain, &bytes) <= bytes.len() * PER_BYTE + FIXED);
        prop_assert!(read::<Named>(Form::Tree, &bytes) <= bytes.len() * PER_BYTE + FIXED);
        prop_assert!(read::<Value>(Form::Tree, &bytes) <= bytes.len() * PER_BYTE + FIXED);
    }
}

/// Each level claims that all bytes are elements.
#[test]
fn nested_lengths_make_room_once() {
    #[derive(Serialize, Deserialize)]
    struct Node(Vec<Node>);
    let size = 44_000u32;
    let mut bytes = Vec::new();
    for level in 1..=128u32 {
        bytes.extend_from_slice(&(size - 4 * level).to_le_bytes());
    }
    bytes.resize(size as usize, 0);
    assert!(read::<Node>(Form::Plain, &bytes) < bytes.len() * 60);

    let mut bytes = Vec::new();
    for level in 1..=120u32 {
        bytes.push(8);
        bytes.extend_from_slice(&(size - 5 * level).to_le_bytes());
    }
    bytes.resize(size as usize, 255);
    assert!(read::<Value>(Form::Tree, &bytes) < bytes.len() * 100);
}

#[test]
fn lengths_are_below_what_is_left() {
    for claim in [u32::MAX, 300_000_000, 5] {
        let bytes = [claim.to_le_bytes().as_slice(), &[0; 4]].concat();
        for memory in [
            read::<Vec<()>>(Form::Plain, &bytes),
            read::<Vec<u64>>(Form::Plain, &bytes),
            read::<String>(Form::Plain, &bytes),
            read::<std::collections::HashMap<(), ()>>(Form::Plain, &bytes),
            read::<super::sample::Bytes>(Form::Plain, &bytes),
        ] {
            assert!(memory < 1000, "{memory}");
        }
        let error = Decoder::of_bytes(&bytes).value::<Vec<()>>().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("a length is {claim}, but 4 bytes are left, at byte 4")
        );
        for tag in [6, 7, 8, 9] {
            assert!(read::<Value>(Form::Tree, &[&[tag], bytes.as_slice()].concat()) < 1000);
        }
    }
}

#[test]
fn wrong_bytes_are_named() {
    fn error<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> String {
        Decoder::of_bytes(bytes)
            .value::<T>()
            .err()
            .expect("an error")
            .to_string()
    }
    assert_eq!(
        error::<bool>(&[2]),
        "a bool is 2 instead of 0 or 1, at byte 1"
    );
    assert_eq!(
        error::<Option<u8>>(&[2]),
        "an option is 2 instead of 0 or 1, at byte 1"
    );
    assert_eq!(
        error::<char>(&[0, 0xd8, 0, 0]),
        "a char is not a Unicode scalar value, at byte 4"
    );
    assert!(error::<String>(&[1, 0, 0, 0, 0xff]).starts_with("a text is not UTF-8: "));
    assert_eq!(
        error::<Vec<()>>(&[1, 0, 0, 0, 7]),
        "an empty element is 7 instead of 0, at byte 5"
    );
    assert_eq!(
        error::<u32>(&[1, 0]),
        "the data ends inside of a value, at byte 0"
    );
    assert!(
        error::<super::sample::Shape>(&[99, 0, 0, 0])
            .contains("integer `99`, expected variant index")
    );
    assert!(error::<super::sample::Loose>(&[0; 9]).contains("looks at its data"));
    let error = Decoder::of_bytes(&[77]).tree().unwrap_err();
    assert_eq!(
        error.to_string(),
        "a value has the unknown tag 77, at byte 1"
    );

    let mut decoder = Decoder::of_bytes(&[1, 2]);
    assert_eq!(decoder.value::<u8>().unwrap(), 1);
    assert_eq!(
        decoder.finish().unwrap_err().to_string(),
        "1 bytes are left after the last value, at byte 1"
    );
    assert_eq!(decoder.take(2).unwrap_err().byte(), Some(1));
    assert_eq!(decoder.take(1).unwrap(), [2]);
    decoder.finish().unwrap();
}
