//! Comparisons of numbers with one value, which was looked at once.

/// The bounds of the numbers that compare with a value: those below the first bound of a kind are less, and those above the
/// second one are greater.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    /// The results for a number that is less, equal, greater, or none of these.
    pub(crate) met: [bool; 4],
    pub(crate) integers: (i128, i128),
    pub(crate) floats: (f64, f64),
    /// For an `f32`, which stands for the number with its digits.
    pub(crate) shorts: (f32, f32),
}

impl Bounds {
    /// Returns the result for an integer.
    pub(crate) fn integer(&self, number: i64) -> bool {
        let (number, (least, most)) = (i128::from(number), self.integers);
        self.met[usize::from(number >= least) + usize::from(number > most)]
    }

    /// Returns the result for a float.
    pub(crate) fn float(&self, number: f64) -> bool {
        let (least, most) = self.floats;
        let place = usize::from(number >= least) + usize::from(number > most);
        self.met[if number.is_nan() { 3 } else { place }]
    }

    /// Returns the result for a short float.
    pub(crate) fn short(&self, number: f32) -> bool {
        let (least, most) = self.shorts;
        let place = usize::from(number >= least) + usize::from(number > most);
        self.met[if number.is_nan() { 3 } else { place }]
    }
}
