//! Entities are spawned and despawned in a world that knows many components that they do not have.

use crate::columns::Values;
use crate::components::{Position, Velocity, moving};
use crate::peers::Peer;
use crate::shuffle::shuffle;
use crate::subject::Workload;

/// A world that learns about components; their types differ by the digits of their numbers.
pub(crate) trait Registry {
    /// Registers the component with the number `ABC`.
    fn register<const A: u8, const B: u8, const C: u8>(&mut self);
}

/// Registers components: `count`, at most a thousand. A debug build is not timed, and registers at most a hundred: the code for
/// the others would be a third of the package.
pub(crate) fn register(registry: &mut impl Registry, count: u32) {
    let mut left = count;
    hundred::<0>(registry, &mut left);
    #[cfg(not(debug_assertions))]
    {
        macro_rules! hundreds {
            ($($a:literal)*) => { $( hundred::<$a>(registry, &mut left); )* };
        }
        hundreds!(1 2 3 4 5 6 7 8 9);
    }
}

#[cfg_attr(
    not(feature = "peers"),
    allow(dead_code, reason = "some peers call it")
)]
/// Registers components: `count`, at most a hundred. For libraries with so much code per storage that a thousand of
/// them take ten minutes to compile.
pub(crate) fn register_few(registry: &mut impl Registry, count: u32) {
    let mut left = count;
    hundred::<0>(registry, &mut left);
    assert_eq!(left, 0, "at most a hundred components are registered");
}

fn hundred<const A: u8>(registry: &mut impl Registry, left: &mut u32) {
    macro_rules! tens {
        ($($b:literal)*) => { $( ten::<A, $b>(registry, left); )* };
    }
    tens!(0 1 2 3 4 5 6 7 8 9);
}

fn ten<const A: u8, const B: u8>(registry: &mut impl Registry, left: &mut u32) {
    macro_rules! ones {
        ($($c:literal)*) => { $(
            if *left > 0 {
                *left -= 1;
                registry.register::<A, B, $c>();
            }
        )* };
    }
    ones!(0 1 2 3 4 5 6 7 8 9);
}

impl Values for (Position, Velocity) {
    fn values(&self) -> impl Iterator<Item = f32> {
        self.0.0.to_array().into_iter().chain(self.1.0.to_array())
    }
}

/// The components of the entities.
pub(crate) fn rows(count: u32) -> impl ExactSizeIterator<Item = (Position, Velocity)> + Clone {
    (0..count).map(moving)
}

/// Adds a form, from a function that makes a world, one that spawns a number of entities, one that despawns an entity, and
/// one that returns the digest of all.
///
/// The checksum covers the world while all entities live, and after the last one is despawned.
pub(crate) fn add<W: 'static, I: Copy + 'static>(
    workload: &mut Workload,
    peer: Peer,
    form: &'static str,
    setup: impl Fn() -> W + 'static,
    spawn: impl Fn(&mut W, u32) -> Vec<I> + Copy + 'static,
    despawn: impl Fn(&mut W, I) + Copy + 'static,
    digest: impl Fn(&mut W) -> u64 + Copy + 'static,
) {
    let entities = workload.elements();
    let despawn_all = move |(world, order): &mut (W, Vec<u32>), ids: &[I]| {
        for &place in &*order {
            despawn(world, ids[place as usize]);
        }
    };
    workload.add(
        peer,
        form,
        move || {
            let mut order: Vec<u32> = (0..entities).collect();
            shuffle(&mut order);
            (setup(), order)
        },
        move |state| {
            let ids = spawn(&mut state.0, entities);
            despawn_all(state, &ids);
        },
        move |state| {
            let ids = spawn(&mut state.0, entities);
            let full = digest(&mut state.0);
            despawn_all(state, &ids);
            full ^ digest(&mut state.0).rotate_left(1)
        },
    );
}
