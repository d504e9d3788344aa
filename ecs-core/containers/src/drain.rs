//! Removal of all values.

/// Yields the results of a function until it returns `None`, and drops the remaining values when it is dropped itself,
/// even after a value whose drop panics.
pub(crate) struct DrainRest<T, F: FnMut() -> Option<T>>(pub(crate) F);

impl<T, F: FnMut() -> Option<T>> Iterator for DrainRest<T, F> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        (self.0)()
    }
}

impl<T, F: FnMut() -> Option<T>> Drop for DrainRest<T, F> {
    fn drop(&mut self) {
        /// Continues while a panic unwinds.
        struct Guard<'a, T, F: FnMut() -> Option<T>>(&'a mut DrainRest<T, F>);

        impl<T, F: FnMut() -> Option<T>> Drop for Guard<'_, T, F> {
            fn drop(&mut self) {
                self.0.for_each(drop);
            }
        }

        let guard = Guard(self);
        guard.0.for_each(drop);
    }
}
