//! Snapshots from strangers, with a checksum that is right: each is an error, or a world that is consistent after a return to it.

use ecs_core::data::__private::seal_snapshot;

use super::snapshot_model::{Step, attempt, bytes_of, game, played, run as play};

/// A snapshot, and the world that reads it: one that has run if the number is odd.
pub type Input = super::ReaderBytes;

/// Returns inputs to start from, with their names. They have names of types of this package.
#[must_use]
pub fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let steps: [Step; 16] = [
        (0, 0, 3),
        (1, 0, 5),
        (7, 0, 1),
        (8, 1, 2),
        (7, 1, 2),
        (8, 0, 7),
        (27, 0, 0),
        (6, 1, 0),
        (15, 0, 1),
        (16, 1, 3),
        (19, 0, 4),
        (9, 0, 0),
        (30, 1, 0),
        (23, 0, 8),
        (35, 0, 0),
        (5, 1, 6),
    ];
    let inputs = [
        ("new", &steps[..0]),
        ("rows", &steps[..4]),
        ("all", &steps[..]),
    ];
    let inputs = inputs.map(|(name, steps)| {
        let mut game = game();
        play(&mut game, steps);
        let bytes = bytes_of(&mut game.0, &mut game.1);
        (name, [&[1], &bytes[..]].concat())
    });
    inputs.into()
}

/// Reads an input as it is.
///
/// # Errors
/// If it is not read.
pub fn read(input: &[u8]) -> Result<(), ecs_core::data::ReadSnapshotError> {
    attempt(&mut game(), &input[1..])
}

/// Reads a snapshot, and returns to it.
///
/// # Panics
/// If that takes too much memory, or the world is not consistent afterwards.
pub fn run(input: Input) {
    let Input { how, mut bytes } = input;
    seal_snapshot(&mut bytes);
    let mut world = if how % 2 == 1 { played() } else { game() };
    if let Err(error) = attempt(&mut world, &bytes) {
        assert!(!error.to_string().is_empty());
    }
}
