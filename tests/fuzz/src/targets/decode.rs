//! How inputs are made of bytes: shorter than by `derive(Arbitrary)`, and such that nearly every byte means something.

use std::fmt;

use arbitrary::{Arbitrary, Result, Unstructured};

/// An enum of which a byte chooses the variant.
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

/// A few of them; the first byte says how many.
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

/// As many as there are bytes for, up to a limit.
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
