//! Decoding of inputs: shorter than with `derive(Arbitrary)`, and nearly every byte is significant.

use std::fmt;

use arbitrary::{Arbitrary, Result, Unstructured};

/// Defines an enum whose variant is selected by one byte.
macro_rules! choices {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$own:meta])* $variant:ident $(($($field:ty),*))?),* $(,)?
    }) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[$own])* $variant $(($($field),*))?),*
        }

        impl<'a> arbitrary::Arbitrary<'a> for $name {
            fn arbitrary(bytes: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
                type Make<'a> = fn(&mut arbitrary::Unstructured<'a>) -> arbitrary::Result<$name>;
                let all: &[Make<'a>] = &[
                    $(|_bytes| Ok(Self::$variant $(($(<$field>::arbitrary(_bytes)?),*))?)),*
                ];
                let choice: u8 = bytes.arbitrary()?;
                all[usize::from(choice) % all.len()](bytes)
            }
        }
    };
}
pub(super) use choices;

/// A few values; the first byte is their number.
#[derive(Clone)]
pub struct Several<T>(pub Vec<T>);

impl<'a, T: Arbitrary<'a>> Arbitrary<'a> for Several<T> {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let count: u8 = bytes.arbitrary()?;
        (0..count % 8)
            .map(|_| bytes.arbitrary())
            .collect::<Result<_>>()
            .map(Self)
    }
}

impl<T: fmt::Debug> fmt::Debug for Several<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Values up to the end of the input, or to a limit.
pub struct All<T>(pub Vec<T>);

const MOST: usize = 200;

impl<'a, T: Arbitrary<'a>> Arbitrary<'a> for All<T> {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut all = Vec::new();
        while !bytes.is_empty() && all.len() < MOST {
            all.push(bytes.arbitrary()?);
        }
        Ok(Self(all))
    }
}

impl<T: fmt::Debug> fmt::Debug for All<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
