//! Many tiny systems over twenty components of one entity.

use crate::digest::Digest;

/// Calls `$action!(Type)` with each of the components, which belong to the first chains of `linked`.
macro_rules! for_each_component {
    ($action:ident) => {
        $action!(L0);
        $action!(L1);
        $action!(L2);
        $action!(L3);
        $action!(L4);
        $action!(L5);
        $action!(L6);
        $action!(L7);
        $action!(L8);
        $action!(L9);
        $action!(L10);
        $action!(L11);
        $action!(L12);
        $action!(L13);
        $action!(L14);
        $action!(L15);
        $action!(L16);
        $action!(L17);
        $action!(L18);
        $action!(L19);
    };
}
pub(crate) use for_each_component;

/// Calls `$add!(Type)` once per system, component by component in turns.
macro_rules! for_each_tiny_system {
    ($systems:expr, $add:ident) => {
        let mut left = $systems;
        while left > 0 {
            macro_rules! one {
                ($component:ident) => {
                    if left > 0 {
                        $add!($component);
                        left -= 1;
                    }
                };
            }
            $crate::workloads::systems::for_each_component!(one);
        }
    };
}
pub(crate) use for_each_tiny_system;

/// Returns the digest of the entity: its components in order.
pub(crate) fn digest(values: Vec<f32>) -> u64 {
    Digest::of([values])
}
