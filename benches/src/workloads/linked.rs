//! Many systems that each write one of thirty components. Systems with the same component form a chain; chains are
//! independent of each other.

use std::time::Duration;

use crate::components::components;
use crate::digest::Digest;

/// The number of entities with the component of a chain.
pub(crate) const EACH: u32 = 4;

/// Declares a component per chain, and `for_each_chain!(action)`, which calls `action!(Type)` with each of them.
macro_rules! chains {
    ($($chain:ident)*) => {
        components! { $(
            /// The component that the systems of one chain write.
            pub struct $chain(f32);
        )* }

        $( impl Chain for $chain {
            #[inline]
            fn of(value: f32) -> Self {
                Self(value)
            }

            #[inline]
            fn value(&mut self) -> &mut f32 {
                &mut self.0
            }
        } )*

        /// The number of chains.
        pub(crate) const CHAINS: usize = [$(stringify!($chain)),*].len();

        /// Calls a macro once per chain.
        macro_rules! for_each_chain {
            ($action:ident) => { $( $action!($chain); )* };
        }
        pub(crate) use for_each_chain;
    };
}

/// The component of a chain.
pub trait Chain {
    /// Makes a component.
    fn of(value: f32) -> Self;
    /// Returns the value that systems change.
    fn value(&mut self) -> &mut f32;
}

chains! {
    L0 L1 L2 L3 L4 L5 L6 L7 L8 L9 L10 L11 L12 L13 L14
    L15 L16 L17 L18 L19 L20 L21 L22 L23 L24 L25 L26 L27 L28 L29
}

/// The work of a system on a value.
pub trait Body: 'static + Send + Sync {
    /// The number of systems.
    const SYSTEMS: usize;
    /// Performs the work.
    fn act(value: &mut f32);
}

/// Adds 1.
#[derive(Debug)]
pub struct Tiny;

impl Body for Tiny {
    const SYSTEMS: usize = 200;

    #[inline]
    fn act(value: &mut f32) {
        *value += 1.0;
    }
}

/// Work of about 0.7 us for the four values of a system: dependent multiplications.
#[derive(Debug)]
pub struct Busy;

impl Body for Busy {
    const SYSTEMS: usize = 10 * CHAINS;

    #[inline(never)]
    fn act(value: &mut f32) {
        let mut x = *value;
        for _ in 0..100 {
            // Stays between -1 and 1, and differs from one run to the next.
            x = 1.0 - 1.7 * x * x;
        }
        *value = x;
    }
}

/// Waits for about 0.1 ms. That takes no time of a core, so two cores show what a schedule does with the threads of more.
#[derive(Debug)]
pub struct Wait;

impl Body for Wait {
    const SYSTEMS: usize = 10 * CHAINS;

    fn act(value: &mut f32) {
        // Only one of the four values is a whole number.
        if value.fract() == 0.0 {
            std::thread::sleep(Duration::from_micros(100));
        }
        *value += 1.0;
    }
}

/// Makes the common pool of rayon have this number of threads, or one for each core if it is 0. Only the first call in a process
/// counts; each sample is a process of its own.
pub(crate) fn use_threads(number: u32) {
    _ = rayon::ThreadPoolBuilder::new()
        .num_threads(number as usize)
        .build_global();
}

/// The initial values of the entities of a chain.
pub(crate) fn values() -> impl ExactSizeIterator<Item = f32> {
    (0..EACH).map(|number| number as f32 / 8.0)
}

/// Returns the digest of all chains: the values of the first, of the second, ...
pub(crate) fn digest(chains: impl IntoIterator<Item = Vec<f32>>) -> u64 {
    let chains = chains.into_iter().zip(1_u32..);
    let digests = chains.map(|(values, number)| {
        let values = values.into_iter().map(|value| [value]);
        Digest::of(values).rotate_left(number)
    });
    digests.fold(0, |all, one| all ^ one)
}

/// Calls `$add!(Type)` once per system, chain by chain in turns.
macro_rules! for_each_system {
    ($body:ty, $add:ident) => {
        let mut left = <$body as $crate::workloads::linked::Body>::SYSTEMS;
        while left > 0 {
            macro_rules! one {
                ($chain:ident) => {
                    if left > 0 {
                        $add!($chain);
                        left -= 1;
                    }
                };
            }
            $crate::workloads::linked::for_each_chain!(one);
        }
    };
}
pub(crate) use for_each_system;
