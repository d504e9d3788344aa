//! Fixed random orders, the same in each run and for all peers.

/// A source of random orders.
#[derive(Debug)]
pub struct Shuffler {
    state: u64,
}

impl Default for Shuffler {
    fn default() -> Self {
        Self {
            state: 0x2545_f491_4f6c_dd1d,
        }
    }
}

impl Shuffler {
    /// Shuffles `items`.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            items.swap(last, (self.state % (last as u64 + 1)) as usize);
        }
    }
}

/// Shuffles `items` into an order that depends on their number alone.
pub fn shuffle<T>(items: &mut [T]) {
    Shuffler::default().shuffle(items);
}
