//! Finds out whether a type can be read without names, by reading made-up values of it.
//!
//! `untagged` enums and flattened fields are read by looking at the data, which plain bytes do not allow. No trait tells which
//! types do so, but their `Deserialize` asks for it. Each run takes another variant of the enums in the type.

use std::collections::BTreeMap;

use super::error::Raised;

/// The knowledge about a type after some runs.
#[derive(Default)]
pub(super) struct Trace {
    /// By the name of their visitors, which are types of their own.
    enums: BTreeMap<&'static str, Variants>,
    /// The enums that are being read, with their variants.
    open: Vec<(&'static str, u32)>,
    /// The variant that was chosen, until it is read.
    variant: Option<u32>,
    needs_names: bool,
    /// The fields of the type, if it is a struct.
    fields: Option<&'static [&'static str]>,
    /// True if this run took a variant that no other did.
    is_new: bool,
}

/// The variants of an enum.
#[derive(Default)]
struct Variants {
    /// The first that no run took.
    next: u32,
    /// One that was read to its end. It is taken when none is left, so that recursive types end.
    complete: Option<u32>,
}

/// The variants that are tried where their number is not known.
const MOST_VARIANTS: u32 = 256;

impl Trace {
    /// Begins a run.
    pub(super) fn begin(&mut self) {
        self.is_new = false;
        self.open.clear();
        self.variant = None;
    }

    /// Returns whether another run would find nothing.
    pub(super) fn is_done(&self) -> bool {
        self.needs_names || !self.is_new
    }

    pub(super) fn needs_names(&self) -> bool {
        self.needs_names
    }

    /// Returns the fields of the type, if it is a struct.
    pub(super) fn fields(&self) -> Option<&'static [&'static str]> {
        self.fields
    }

    /// Notes the fields of the type.
    pub(super) fn note_fields(&mut self, fields: &'static [&'static str]) {
        self.fields = Some(fields);
    }

    /// Chooses a variant of the enum that is read next.
    pub(super) fn choose(&mut self, visitor: &'static str, count: usize) -> Result<(), Raised> {
        let variants = self.enums.entry(visitor).or_default();
        let variant = if (variants.next as usize) < count {
            variants.next += 1;
            self.is_new = true;
            variants.next - 1
        } else {
            match variants.complete {
                Some(variant) => variant,
                None => return Err(Raised::new("no variant is finite")),
            }
        };
        self.variant = Some(variant);
        self.open.push((visitor, variant));
        Ok(())
    }

    /// Returns the index of the variant that was chosen.
    ///
    /// Enums with `tag` and `content` have an index too, though they are not read as enums. How many there are is not known: a run
    /// with one too many is an error and ends. Fields that are looked up, in a map, need names.
    pub(super) fn identify(&mut self, visitor: &'static str, in_key: bool) -> Result<u32, Raised> {
        if let Some(variant) = self.variant.take() {
            return Ok(variant);
        }
        if in_key {
            return Err(self.names());
        }
        let variants = self.enums.entry(visitor).or_default();
        if variants.next < MOST_VARIANTS {
            variants.next += 1;
            self.is_new = true;
            return Ok(variants.next - 1);
        }
        Ok(0)
    }

    /// Notes that a variant was read to its end.
    pub(super) fn complete(&mut self) {
        if let Some((visitor, variant)) = self.open.pop()
            && let Some(variants) = self.enums.get_mut(visitor)
        {
            variants.complete.get_or_insert(variant);
        }
    }

    /// Notes that names are needed.
    #[cold]
    pub(super) fn names(&mut self) -> Raised {
        self.needs_names = true;
        Raised::names()
    }
}
