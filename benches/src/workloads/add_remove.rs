//! A component that is inserted into all entities, then removed.

use crate::components::{Vec3, components};
use crate::digest::Digest;
use crate::peers::Peer;
use crate::subject::Workload;

components! {
    /// The component that every entity keeps.
    pub struct Kept(f32);
    /// The component that is inserted and removed.
    pub struct Toggled(f32);
    /// One of eight more components in `add_remove_wide`.
    pub struct Wide1(Vec3);
    /// One of eight more components in `add_remove_wide`.
    pub struct Wide2(Vec3);
    /// One of eight more components in `add_remove_wide`.
    pub struct Wide3(Vec3);
    /// One of eight more components in `add_remove_wide`.
    pub struct Wide4(Vec3);
    /// One of eight more components in `add_remove_wide`.
    pub struct Wide5(Vec3);
    /// One of eight more components in `add_remove_wide`.
    pub struct Wide6(Vec3);
    /// One of eight more components in `add_remove_wide`.
    pub struct Wide7(Vec3);
    /// One of eight more components in `add_remove_wide`.
    pub struct Wide8(Vec3);
}

/// The value that is inserted and removed.
pub(crate) const TOGGLED: f32 = 7.0;

/// A world and its entities.
pub(crate) struct State<W, I> {
    pub(crate) world: W,
    pub(crate) ids: Vec<I>,
}

/// Makes the component of the `number`th entity.
pub(crate) fn kept(number: u32) -> Kept {
    Kept(number as f32)
}

/// Makes all components of the `number`th entity of `add_remove_wide`.
#[rustfmt::skip]
pub(crate) fn wide(number: u32) -> (Kept, Wide1, Wide2, Wide3, Wide4, Wide5, Wide6, Wide7, Wide8) {
    let v = Vec3::new(1.0, 2.0, number as f32);
    (kept(number), Wide1(v), Wide2(v), Wide3(v), Wide4(v), Wide5(v), Wide6(v), Wide7(v), Wide8(v))
}

/// Adds a form, from a function that inserts into all entities, one that removes from all, and one that returns the pairs
/// of values.
///
/// The checksum covers the pairs while all are inserted, and those left after the removal, so that a form that inserts or
/// removes nothing cannot pass.
pub(crate) fn add<W: 'static, I: 'static>(
    workload: &mut Workload,
    peer: Peer,
    form: &'static str,
    setup: impl Fn() -> State<W, I> + 'static,
    insert: impl Fn(&mut State<W, I>) + Copy + 'static,
    remove: impl Fn(&mut State<W, I>) + Copy + 'static,
    pairs: impl Fn(&mut W) -> Vec<[f32; 2]> + Copy + 'static,
) {
    let run = move |state: &mut State<W, I>| {
        insert(state);
        remove(state);
    };
    let checksum = move |state: &mut State<W, I>| {
        insert(state);
        let inserted = Digest::of(pairs(&mut state.world));
        remove(state);
        let removed = Digest::of(pairs(&mut state.world));
        inserted ^ removed.rotate_left(1)
    };
    workload.add(peer, form, setup, run, checksum);
}
