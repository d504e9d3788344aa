//! The place where the next page of a search begins.

use std::collections::VecDeque;

use ecs_data::TextPlace;

/// Places in walks over matches, known by numbers.
#[derive(Default)]
pub(crate) struct PagePlaces {
    kept: VecDeque<(u64, String, TextPlace)>,
    next: u64,
}

impl PagePlaces {
    const MOST: usize = 1024;

    pub(crate) fn keep(&mut self, query: &str, place: TextPlace) -> String {
        // An answer that is as it was names the same place.
        let mut kept = self.kept.iter();
        if let Some(known) = kept.find(|known| known.1 == query && known.2 == place) {
            return format!("p{}", known.0);
        }
        if self.kept.len() == Self::MOST {
            self.kept.pop_front();
        }
        self.next += 1;
        self.kept.push_back((self.next, query.to_owned(), place));
        format!("p{}", self.next)
    }

    pub(crate) fn find(&self, query: &str, name: &str) -> Option<TextPlace> {
        let number: u64 = name.strip_prefix('p')?.parse().ok()?;
        let mut kept = self.kept.iter();
        let found = kept.find(|(kept, text, _)| *kept == number && text == query)?;
        Some(found.2)
    }
}
