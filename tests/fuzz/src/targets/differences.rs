//! Differences from untrusted sources: each is an error that leaves the world unchanged, or a change that can be
//! reversed.

use std::fmt;

use arbitrary::{Arbitrary, Unstructured};
use ecs_core::data::{Diff, Differ, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::world::hooks::OnAdd;
use ecs_tests::counting::peak_of;

use super::parts::{Key, Mark, Step, Tag, build};

/// A difference, and options for reading and applying it.
pub struct Input {
    /// The lowest two bits are the format, the next two the world; see [`run`].
    how: u8,
    diff: Vec<u8>,
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let how = bytes.arbitrary()?;
        // Not by `Arbitrary`, because it uses some bytes for the length.
        let diff = bytes.bytes(bytes.len())?.to_vec();
        Ok(Self { how, diff })
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010b} {}", self.how, self.diff.escape_ascii())
    }
}

/// The steps between the worlds. The first state is an empty world.
const STATES: [&[Step]; 3] = [
    &[
        (0, 0, 0, 0),
        (0, 0, 0, 0),
        (0, 0, 0, 0),
        (4, 0, 0, 3),
        (14, 1, 0, 0),
        (17, 0, 1, 2),
        (17, 2, 1, 1),
        (22, 0, 1, 0),
    ],
    // One step of each kind.
    &[
        (6, 0, 1, 4),
        (8, 2, 0, 2),
        (10, 1, 2, 3),
        (12, 2, 0, 0),
        (13, 0, 2, 5),
        (16, 2, 0, 7),
        (24, 1, 0, 4),
        (25, 2, 0, 9),
    ],
    &[
        (0, 0, 0, 0),
        (19, 0, 1, 0),
        (23, 2, 0, 4),
        (20, 0, 0, 0),
        (14, 3, 1, 0),
        (5, 3, 0, 1),
    ],
];

/// Returns the world after some of the steps.
fn state(number: usize) -> World {
    build(&STATES[..number].concat(), 1_000_000)
}

/// Reads a difference of the format with the number.
fn read(format: u8, bytes: &[u8]) -> Result<Diff, String> {
    match format {
        0 => Diff::from_slice(bytes).map_err(|error| error.to_string()),
        1 => serde_json::from_slice(bytes).map_err(|error| error.to_string()),
        2 => ron::de::from_bytes(bytes).map_err(|error| error.to_string()),
        _ => postcard::from_bytes(bytes).map_err(|error| error.to_string()),
    }
}

fn hash(world: &World) -> u64 {
    let hash = world.hash();
    hash.unwrap_or_else(|error| panic!("all that it has is data: {error}"))
}

fn exact(world: &mut World) -> u64 {
    let hash = WorldHasher::new().exact(world);
    hash.unwrap_or_else(|error| panic!("all that it has is data: {error}"))
}

/// Reads a difference, prints and writes it, applies it and reverses it. The fifth bit of `how` reverses it first. If the
/// sixth one is set, observers despawn some entities.
///
/// # Panics
/// If an error changes the world, or the world is not consistent.
pub fn run(input: Input) {
    let Input { how, diff } = input;
    let is = |bit: u32| how >> bit & 1 == 1;
    let len = diff.len();
    let (read, peak) = peak_of(|| read(how & 3, &diff));
    let most = (1 << 20) + len * 4096;
    assert!(peak < most, "{peak} bytes for a difference of {len}");
    let Ok(mut diff) = read else {
        return;
    };
    let written = diff.to_vec().expect("what was read can be written");
    assert_eq!(Diff::from_slice(&written).expect("and read"), diff);
    assert_eq!(diff.reversed().reversed(), diff);
    assert_eq!(diff.to_string().is_empty(), diff.is_empty());
    _ = diff.clone().then(&diff);
    if let Ok(nothing) = diff.clone().then(&diff.reversed()) {
        assert!(nothing.is_empty(), "{nothing}");
    }
    if is(4) {
        diff = diff.reversed();
    }
    // Not a clone: it would make all ids of missing entities the same.
    let [mut world, before, mut copy] = [(); 3].map(|()| state(usize::from(how >> 2 & 3)));
    if is(5) {
        world.observe(|hit: OnAdd<Mark>, mut commands: Commands| commands.despawn(hit.entity()));
        world.observe(|hit: OnAdd<Tag>, keys: Comp<Key>, mut commands: Commands| {
            if keys.get(hit.entity()).is_none_or(|key| key.0 % 2 == 0) {
                commands.despawn(hit.entity());
            }
        });
    }
    let (exact_before, next) = (exact(&mut world), world.next_ids(3).expect("there are ids"));
    let (applied, peak) = peak_of(|| diff.apply(&mut world));
    // An index may be as high as the limit of the library.
    let most = (192 << 20) + len * 4096;
    assert!(peak < most, "{peak} bytes for a difference of {len}");
    world.check_invariants();
    if let Err(error) = applied {
        assert!(!error.to_string().is_empty());
        assert_eq!(exact(&mut world), exact_before);
        assert_eq!(world.next_ids(3).expect("there are ids"), next);
        return;
    }
    // The changes are known, and can be undone and made again.
    let after = hash(&world);
    let found = Differ::new().between(&before, &world);
    let found = found.unwrap_or_else(|error| panic!("all that it has is data: {error}"));
    let made = found.apply(&mut copy);
    made.unwrap_or_else(|error| panic!("it is the state where it starts: {error}\n{found}"));
    copy.check_invariants();
    assert_eq!(hash(&copy), after);
    if is(5) {
        return;
    }
    let taken_back = found.reversed().apply(&mut world);
    taken_back.unwrap_or_else(|error| panic!("it is the state where it ends: {error}\n{found}"));
    world.check_invariants();
    assert_eq!(hash(&world), hash(&before));
    // A difference that states more than the changes may not be reversible, but then no part of it is reversed.
    if diff.reversed().apply(&mut copy).is_ok() {
        assert_eq!(hash(&copy), hash(&before));
    } else {
        assert_eq!(hash(&copy), after);
    }
}
