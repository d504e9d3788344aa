//! Positions by key, in pages.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// The number of keys of a page, which takes 4 KiB.
const PAGE: usize = 1024;

/// The entry of a key without a position.
const NONE: u32 = u32::MAX;

/// The position of each key, in pages that are allocated when they are needed: a key takes at most one page, and 8 bytes
/// for each page before it.
#[derive(Clone, Default)]
pub(crate) struct KeyPages(Vec<Option<Box<[u32; PAGE]>>>);

impl KeyPages {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Returns the position of a key.
    #[inline]
    pub(crate) fn get(&self, key: u32) -> Option<usize> {
        let page = self.0.get(key as usize / PAGE)?.as_ref()?;
        let position = page[key as usize % PAGE];
        (position != NONE).then_some(position as usize)
    }

    /// Sets the position of a key, which may be new.
    ///
    /// # Panics
    /// If the position is 2^32 - 1 or higher.
    #[inline]
    pub(crate) fn set(&mut self, key: u32, position: usize) {
        assert!(
            position < NONE as usize,
            "a sparse set has 2^32 - 1 values at most"
        );
        *self.entry(key) = position as u32;
    }

    /// Removes the position of a key.
    #[inline]
    pub(crate) fn remove(&mut self, key: u32) {
        *self.entry(key) = NONE;
    }

    #[inline]
    fn entry(&mut self, key: u32) -> &mut u32 {
        let place = key as usize / PAGE;
        if place >= self.0.len() {
            self.0.resize_with(place + 1, || None);
        }
        let page = self.0[place].get_or_insert_with(|| Box::new([NONE; PAGE]));
        &mut page[key as usize % PAGE]
    }

    /// Gives back pages without positions, and memory that no page needs.
    pub(crate) fn shrink_to_fit(&mut self) {
        for page in &mut self.0 {
            if page.as_ref().is_some_and(|page| **page == [NONE; PAGE]) {
                *page = None;
            }
        }
        let used = self.0.iter().rposition(Option::is_some);
        self.0.truncate(used.map_or(0, |last| last + 1));
        self.0.shrink_to_fit();
    }
}
