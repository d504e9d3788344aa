//! Finds out whether a type can be read without names, by reading made-up values of it.
//!
//! `untagged` enums and flattened fields are read by looking at the data, which plain bytes do not allow. No trait tells which
//! types do so, but their `Deserialize` asks for it. Each run takes a different variant of the enums in the type. It takes a
//! variant again as long as the last run found new variants inside of it. The same runs determine the [shape](super::shape) of
//! the type.
//!
//! A type may refuse a made-up value, and then asks for nothing after it: the next run makes up another value there. If it
//! refuses all of them, it gets one that a real value has there.
//!
//! # Shapes
//! Plain bytes have no names, so a file has the shape of each type as text (`codec/shape`). `codec/trace.rs` determines it once
//! in a process: it reads made-up values, one run for each variant of the enums inside, and notes the requests of the
//! `Deserialize`. A type may refuse the first value (`try_from`), and then asks for nothing after it: the next run makes up
//! another one at that place (`codec/made.rs`: bytes, small numbers, common texts). If it refuses all of them, the save and the
//! load look at the first values of the first column and use the values there; protocols of packets have no values to look at.
//! The load compares texts once per column type (`check_shape` in `load/staging.rs`), and only parses them if they differ.
//! Types that need names have no shape: `tag`, `untagged` and `flatten` collect all keys, and ask for none. So the load reads
//! each such tree, writes it again and compares the keys (`codec/lost.rs`), before it reads the column in earnest. Ids are
//! echoed in between (`IdForm::Echoed`), so that aliases are found by equal values.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::error::Raised;
use super::made::{Choices, NextValue, Real};
use super::shape::{ANY, Event, FoundShape, FoundType};

/// The index of a variant, or the name of a variant or a field.
pub(super) enum Identifier<'a> {
    Index(u64),
    Name(Cow<'a, str>),
}

/// The knowledge about a type after some runs.
#[derive(Default)]
pub(super) struct TypeTrace {
    /// By the name of their visitors, which are types of their own.
    enums: BTreeMap<&'static str, Variants>,
    /// The enums that are being read.
    open: Vec<OpenEnum>,
    /// The number of times that a run took a new variant.
    news: u32,
    /// The variant that was chosen, until it is read.
    variant: Option<u32>,
    needs_names: bool,
    /// True if parts that look at the data, such as `untagged` enums, are given a value, and are not known after that. Otherwise
    /// they need names.
    has_any: bool,
    /// The fields of the type, if it is a struct.
    fields: Option<&'static [&'static str]>,
    /// True if this run took a variant that no other did.
    is_new: bool,
    /// The requests of this run.
    events: Vec<Event>,
    /// The visitor that gets a name that does not exist in this run, so that its error lists the names of its variants.
    asked: Option<&'static str>,
    found: FoundShape,
    /// The made-up values.
    choices: Choices,
    /// Real values, if the runs read them.
    real: Option<Real>,
}

/// A name that no variant has.
const NO_NAME: &str = "\u{1}";

/// An enum that is being read.
struct OpenEnum {
    visitor: &'static str,
    variant: u32,
    /// The number of new things found before.
    news: u32,
}

/// The variants of an enum.
#[derive(Default)]
struct Variants {
    /// The first variant that no run took.
    next: u32,
    /// The variants that had something new, so that there may be more.
    again: Vec<u32>,
    /// For an enum that is not read as one: the number of new things found when the first variant was taken.
    news: u32,
    /// A variant that was read to its end. It is taken when none is left, so that recursive types end.
    complete: Option<u32>,
    /// True if its names were asked for.
    is_asked: bool,
}

/// The variants to try if their number is not known.
const MOST_VARIANTS: u32 = 256;

impl TypeTrace {
    /// Lets the runs read real values, if there are any, and otherwise make them up by the choices.
    pub(super) fn with(choices: Choices, real: Option<Real>) -> Self {
        Self {
            choices,
            real,
            ..Self::default()
        }
    }

    /// Also goes on behind parts that look at what they get, such as `untagged` enums.
    pub(super) fn with_any() -> Self {
        Self {
            has_any: true,
            ..Self::default()
        }
    }

    /// Returns true if there are real values that no run has read.
    pub(super) fn has_real(&self) -> bool {
        self.real.as_ref().is_some_and(|real| !real.is_at_end())
    }

    /// Ends, and returns the made-up values.
    pub(super) fn into_choices(self) -> Choices {
        self.choices
    }

    /// Returns true if there is something in the type that no run has reached.
    pub(super) fn is_partial(&self) -> bool {
        self.found.is_partial()
    }

    /// Begins a run.
    pub(super) fn begin(&mut self) {
        self.is_new = false;
        self.open.clear();
        self.variant = None;
        self.events.clear();
        self.asked = None;
        self.choices.begin();
    }

    /// Ends a run, with its error if there was one.
    pub(super) fn end(&mut self, error: Option<&str>) {
        if self.real.is_none() && self.asked.is_none() && error.is_some() && self.choices.refuse() {
            // Every choice that led there is taken again, with another value.
            self.is_new = true;
            self.news += 1;
        }
        while let Some(open) = self.open.pop() {
            self.take_again(&open);
        }
        match self.asked {
            // `unknown variant `\u{1}`, expected one of `A`, `B``
            Some(visitor) => {
                let names = error.unwrap_or_default().split('`').skip(3).step_by(2);
                self.found
                    .note_names(visitor, names.map(str::to_owned).collect());
            }
            None => self.found.add(&self.events),
        }
    }

    /// Returns the shape of the type as text.
    pub(super) fn shape(&mut self, is_events: bool) -> String {
        self.found.text(is_events)
    }

    /// Notes the request.
    pub(super) fn note(&mut self, event: Event) {
        self.events.push(event);
        self.choices.note(event);
    }

    /// Notes a value without parts, and returns its source.
    pub(super) fn plain(&mut self, kind: &'static str) -> NextValue<'_> {
        self.events.push(Event::Plain(kind));
        let made = self.choices.plain(kind);
        match &mut self.real {
            Some(real) => {
                self.choices.know(real);
                NextValue::Real(real)
            }
            None => made,
        }
    }

    /// Returns the number of the value for a part that looks at what it gets.
    #[cold]
    pub(super) fn any(&mut self) -> Result<usize, Raised> {
        if !self.has_any {
            return Err(self.names());
        }
        self.events.push(Event::Plain(ANY));
        match self.choices.plain(ANY) {
            NextValue::Made(number) => Ok(number),
            NextValue::Known(_) | NextValue::Real(_) => Ok(0),
        }
    }

    fn next(&mut self) -> NextValue<'_> {
        self.real
            .as_mut()
            .map_or(NextValue::Made(0), NextValue::Real)
    }

    /// Returns whether an option has a value; a made-up one has one if there are any values.
    pub(super) fn option(&mut self, made: usize) -> Result<bool, Raised> {
        let is_some = self.next().option(made)?;
        self.note(Event::Option(is_some));
        Ok(is_some)
    }

    /// Returns the length of a list or a map; a made-up one has the given length.
    pub(super) fn list(&mut self, made: usize, event: fn(usize) -> Event) -> Result<usize, Raised> {
        let length = self.next().list(made)?;
        self.note(event(length));
        Ok(length)
    }

    /// Ends an element of a list.
    pub(super) fn end_element(&mut self) -> Result<(), Raised> {
        match &mut self.real {
            Some(real) => real.end_element(),
            None => Ok(()),
        }
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
    pub(super) fn choose(
        &mut self,
        ty: FoundType,
        names: &'static [&'static str],
    ) -> Result<(), Raised> {
        let (visitor, count) = (ty.visitor, names.len());
        let variants = self.enums.entry(visitor).or_default();
        let variant = if let Some(real) = &mut self.real {
            let variant = real.index()?;
            if variant as usize >= count {
                return Err(Raised::new("there is no such variant"));
            }
            variant
        } else if (variants.next as usize) < count {
            variants.next += 1;
            self.is_new = true;
            self.news += 1;
            variants.next - 1
        } else if let Some(variant) = variants.again.pop() {
            self.is_new = true;
            variant
        } else {
            match variants.complete {
                Some(variant) => variant,
                None => {
                    self.choices.forget();
                    return Err(Raised::new("no variant is finite"));
                }
            }
        };
        self.variant = Some(variant);
        // Anything new that was found before belongs to the enums around this one, and anything new from now on to this one.
        let news = self.news;
        self.open.push(OpenEnum {
            visitor,
            variant,
            news,
        });
        self.note(Event::Enum(ty, names, variant));
        Ok(())
    }

    /// Returns the index of the variant that was chosen.
    ///
    /// Enums with `tag` and `content` have an index too, though they are not read as enums. The number of variants is not known: an
    /// index that is too large is an error, which ends the run. Fields that are looked up, in a map, need names. The error for a name that
    /// does not exist has their names.
    pub(super) fn identify(
        &mut self,
        visitor: &'static str,
        in_key: bool,
    ) -> Result<Identifier<'static>, Raised> {
        if let Some(variant) = self.variant.take() {
            return Ok(Identifier::Index(variant.into()));
        }
        if in_key {
            return Err(self.names());
        }
        if let Some(real) = &mut self.real {
            let index = real.index()?;
            self.note(Event::Index { visitor, index });
            return Ok(Identifier::Index(index.into()));
        }
        let variants = self.enums.entry(visitor).or_default();
        if !variants.is_asked {
            variants.is_asked = true;
            self.is_new = true;
            self.asked = Some(visitor);
            return Ok(Identifier::Name(NO_NAME.into()));
        }
        let count = match self.found.count_of(visitor) {
            0 => MOST_VARIANTS,
            count => count,
        };
        if variants.next >= count && variants.news < self.news {
            // Another round, because the last one found something new.
            variants.next = 0;
        }
        if variants.next == 0 {
            variants.news = self.news;
        }
        let mut index = 0;
        if variants.next < count {
            index = variants.next;
            variants.next += 1;
            self.is_new = true;
        }
        self.note(Event::Index { visitor, index });
        if count == MOST_VARIANTS {
            self.choices.forget();
        }
        Ok(Identifier::Index(index.into()))
    }

    /// Notes that a variant was read to its end.
    pub(super) fn complete(&mut self) {
        self.note(Event::End);
        let Some(open) = self.open.pop() else { return };
        self.take_again(&open);
        if let Some(variants) = self.enums.get_mut(open.visitor) {
            variants.complete.get_or_insert(open.variant);
        }
    }

    /// Lets another run take a variant if it had something new inside.
    fn take_again(&mut self, open: &OpenEnum) {
        if open.news < self.news
            && let Some(variants) = self.enums.get_mut(open.visitor)
            && !variants.again.contains(&open.variant)
        {
            variants.again.push(open.variant);
        }
    }

    /// Notes that names are needed.
    #[cold]
    pub(super) fn names(&mut self) -> Raised {
        self.needs_names = true;
        Raised::names()
    }
}
