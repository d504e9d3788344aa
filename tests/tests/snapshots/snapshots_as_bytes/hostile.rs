//! Bytes from strangers: each is a typed error that changes nothing, or a world that is consistent.

use ecs_core::data::__private::seal_snapshot;
use ecs_core::data::{FileError, ReadSnapshotError};

use super::*;

#[test]
fn each_damaged_byte_is_found_by_the_checksum() {
    let (mut world, mut sim) = played();
    let bytes = bytes_of(&mut world, &mut sim);
    let before = dump(&mut world);
    for at in (0..40).chain((40..bytes.len()).step_by(17)) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        let error = snapshotter().read_bytes(&world, &damaged).unwrap_err();
        match at {
            0..8 => assert_eq!(error, ReadSnapshotError::File(FileError::Foreign)),
            8..12 => assert!(matches!(
                error,
                ReadSnapshotError::File(FileError::Newer { .. } | FileError::Checksum)
            )),
            _ => assert_eq!(
                error,
                ReadSnapshotError::File(FileError::Checksum),
                "byte {at}"
            ),
        }
    }
    assert_eq!(dump(&mut world), before);
}

#[test]
fn bytes_that_end_too_early_are_refused() {
    let (mut world, mut sim) = played();
    let bytes = bytes_of(&mut world, &mut sim);
    for end in (0..bytes.len()).step_by(13) {
        let mut short = bytes[..end].to_vec();
        assert!(snapshotter().read_bytes(&world, &short).is_err());
        seal_snapshot(&mut short);
        assert!(snapshotter().read_bytes(&world, &short).is_err(), "{end}");
    }
}

#[test]
fn damaged_bytes_with_a_checksum_are_errors_or_consistent_worlds() {
    let (mut world, mut sim) = played();
    let bytes = bytes_of(&mut world, &mut sim);
    drop((world, sim));
    let mut random = 5_u64;
    let mut next = |below: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    let mut victim = played();
    let (mut refused, mut read) = (0, 0);
    let rounds = ecs_tests::worlds(120) * 10;
    for _ in 0..rounds {
        let mut damaged = bytes.clone();
        for _ in 0..=next(3) {
            // Most bytes are values.
            let at = next(bytes.len());
            match next(5) {
                0 => damaged[at] ^= 1 << next(8),
                1 => damaged[at] = damaged[at].wrapping_add([1, 255][next(2)]),
                2 => damaged[at] = [0, 1, 2, 255][next(4)],
                3 => {
                    let from = next(bytes.len());
                    let end = bytes.len().min(from.max(at) + 8) - from.max(at);
                    let part = bytes[from..from + end].to_vec();
                    damaged[at..at + end].copy_from_slice(&part);
                }
                _ => {
                    let end = bytes.len().min(at + 4);
                    damaged[at..end].fill([0, 255, 127][next(3)]);
                }
            }
        }
        seal_snapshot(&mut damaged);
        let error = attempt(&mut victim, &damaged);
        match error {
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
            Ok(()) => read += 1,
        }
    }
    assert!(
        refused.min(read) > rounds / 12,
        "{refused} {read} of {rounds}"
    );
    // The victim is still a world that returns.
    return_to(&mut victim.0, &mut victim.1, &bytes);
}
