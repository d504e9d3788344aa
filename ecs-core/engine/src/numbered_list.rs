//! Values that are numbered in the order of their insertion.

use alloc::vec::Vec;

/// Values by number. Each new one has a greater number than all before it.
///
/// A `BTreeMap<u64, V>` would do the same, but each type of values of such a map adds seventy functions to a build of the library.
pub(crate) struct NumberedList<V> {
    /// Sorted by number. A removed value leaves its place empty, until more than half of the places are empty.
    places: Vec<(u64, Option<V>)>,
    /// The places before this one are empty. Without it, those of values that left in the order of insertion would be passed again
    /// and again.
    first: usize,
    /// The number of values.
    len: usize,
}

impl<V> Default for NumberedList<V> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            first: 0,
            len: 0,
        }
    }
}

impl<V> NumberedList<V> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds a value, whose number is greater than all before it.
    pub(crate) fn push(&mut self, number: u64, value: V) {
        debug_assert!(self.places.last().is_none_or(|last| last.0 < number));
        self.places.push((number, Some(value)));
        self.len += 1;
    }

    fn find(&self, number: u64) -> Option<usize> {
        let found = self.places.binary_search_by_key(&number, |place| place.0);
        found.ok()
    }

    /// O(log length).
    pub(crate) fn get(&self, number: u64) -> Option<&V> {
        self.places[self.find(number)?].1.as_ref()
    }

    /// O(log length).
    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut V> {
        let place = self.find(number)?;
        self.places[place].1.as_mut()
    }

    /// O(log length) amortized.
    pub(crate) fn remove(&mut self, number: u64) -> Option<V> {
        let place = self.find(number)?;
        let removed = self.places[place].1.take()?;
        self.len -= 1;
        if self.len * 2 < self.places.len() {
            self.places.retain(|(_, value)| value.is_some());
            self.first = 0;
        }
        while let Some((_, None)) = self.places.last() {
            self.places.pop();
        }
        while let Some((_, None)) = self.places.get(self.first) {
            self.first += 1;
        }
        Some(removed)
    }

    /// The values with their numbers, in the order of insertion.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &V)> {
        let places = self.places.iter().skip(self.first);
        places.filter_map(|(number, value)| Some((*number, value.as_ref()?)))
    }

    /// The values, in the order of insertion.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        let places = self.places.iter_mut();
        places.filter_map(|(_, value)| value.as_mut())
    }
}

#[cfg(test)]
#[path = "numbered_list_tests.rs"]
mod tests;
