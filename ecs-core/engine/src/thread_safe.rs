//! Values that any thread may use and drop.

/// A value that any thread may use and drop: `Send + Sync + 'static`. All such types implement it.
///
/// [`World::insert_resource`](crate::World::insert_resource) requires it, so that a type that is neither `Send` nor `Sync`
/// causes one error, with help.
///
/// ```
/// use ecs_core::resource::ThreadSafe;
/// use ecs_core::prelude::*;
///
/// fn insert_twice<T: ThreadSafe + Clone>(one: &mut World, other: &mut World, value: T) {
///     one.insert_resource(value.clone());
///     other.insert_resource(value);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used by several threads, or borrows data",
    label = "not `Send + Sync + 'static`",
    note = "store `Arc<..>` in place of `Rc<..>`, and a `Mutex` or an atomic in place of `RefCell` and `Cell`; a resource that stays on its thread is inserted by `insert_non_send`, and taken as `NonSend<T>`",
    note = "of a generic type, write `T: Send + Sync + 'static`"
)]
pub trait ThreadSafe: Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> ThreadSafe for T {}
