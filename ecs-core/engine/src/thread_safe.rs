//! Values that any thread may use and drop.

/// A value that any thread may use and drop: `Send + Sync + 'static`.
///
/// Implemented for all such types. As one trait, so that a type which is neither is one error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used by several threads, or borrows data",
    label = "not `Send + Sync + 'static`",
    note = "store `Arc<..>` in place of `Rc<..>`, and a `Mutex` or an atomic in place of `RefCell` and `Cell`; a resource that stays on its thread is inserted by `insert_non_send`, and taken as `NonSend<T>`",
    note = "of a generic type, write `T: Send + Sync + 'static`"
)]
pub trait ThreadSafe: Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> ThreadSafe for T {}
