//! A part of a value, which is looked at without a tree of the value: each other part is passed over.
//!
//! [`Value::get`](crate::Value::get) finds the same part in the value's tree.

use std::fmt::{self, Display};

use ecs_engine::Entity;
use ecs_engine::entity::session::NEWTYPE;
use serde_core::ser::{Error, Serialize, SerializeMap, Serializer};

use super::comparison::ScalarComparison;
use super::part_impls::impl_parts;
use super::scalar::Scalar;
use crate::Value;
use crate::value::{PathStep, parse_path};

/// The number of options that may be directly inside of each other: a bound for the stack.
const MAX_OPTIONS: u32 = 200;

/// A path in values of one type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path {
    pub(super) steps: Box<[PathStep]>,
    /// False if the value there depends on more than the steps: a tree has a map for `Some` if the content could be mistaken
    /// for another option.
    is_direct: bool,
}

impl Path {
    /// Reads a path; `None` if it is not one, and so leads nowhere.
    pub(crate) fn new(path: &str) -> Option<Self> {
        let steps = parse_path(path)?;
        let is_direct = !steps.iter().any(|step| step.is_name("Some"));
        Some(Self { steps, is_direct })
    }

    /// Returns the steps, if the part is in the type where it is in a tree.
    pub(crate) fn direct_steps(&self) -> Option<&[PathStep]> {
        self.is_direct.then_some(&*self.steps)
    }

    /// Returns the part of a tree.
    pub(crate) fn find<'a>(&self, tree: &'a Value) -> Option<&'a Value> {
        tree.at(&self.steps)
    }
}

/// The part of a value at the end of a path.
#[derive(Clone, Copy)]
pub(super) struct ValuePart<'a> {
    steps: &'a [PathStep],
    test: &'a PartTest<'a>,
    /// The number of options directly around it: the value is the content of each.
    options: u32,
    /// True if the value is the id of an entity.
    is_entity: bool,
}

/// The part after a step of a path, which was not reached so far.
///
/// It has no more than that, so that it is copied word by word. Processors wait if they load 16 bytes right after two stores of 8.
#[derive(Clone, Copy)]
struct NextPart<'a> {
    steps: &'a [PathStep],
    test: &'a PartTest<'a>,
}

impl<'a> NextPart<'a> {
    #[inline]
    fn begin(self) -> ValuePart<'a> {
        ValuePart::at(self.steps, self.test)
    }
}

/// A test of a part; of `None` if there is no such part, or if it has parts itself or is a string of bytes.
#[derive(Clone, Copy)]
pub(crate) enum PartTest<'a> {
    Compared(&'a ScalarComparison),
    /// The part is a key that a step of a path names.
    Key(&'a PathStep),
    Shown(&'a dyn Fn(Option<Scalar<'_>>) -> bool),
}

impl PartTest<'_> {
    /// Returns the result. The kind of the scalar is known where this is inlined.
    #[inline(always)]
    pub(crate) fn passes(self, scalar: Option<Scalar<'_>>) -> bool {
        match self {
            Self::Compared(comparison) => comparison.is_met(scalar),
            Self::Key(step) => match scalar {
                Some(Scalar::Text(key)) => step.is_name(key),
                Some(Scalar::Int(key)) => step.is_index(key.into()),
                Some(Scalar::Wide(key)) => step.is_index(key),
                Some(Scalar::Entity(key)) => step.is_name(&key.to_string()),
                _ => false,
            },
            Self::Shown(test) => test(scalar),
        }
    }

    /// Does the same for a text. Not inlined, so that tests of numbers are; and without the [`ValuePart`], which would be copied in
    /// memory.
    #[inline(never)]
    fn passes_for_text(&self, text: &str) -> bool {
        self.passes(Some(Scalar::Text(text)))
    }

    /// Not inlined either.
    #[inline(never)]
    fn passes_for_entity(&self, entity: Entity) -> bool {
        self.passes(Some(Scalar::Entity(entity)))
    }
}

/// The result of a test; `None` if nothing was tested.
pub(super) type Tested = Option<bool>;

/// A part was not found without a tree.
pub(super) struct NeedsTree;

/// The reason why a value was not looked at to its end.
#[derive(Debug)]
pub(super) enum Halt {
    /// The part was found before.
    Tested(Tested),
    /// The `Serialize` failed, or needs more than this.
    Failed,
}

impl Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value was not written to its end")
    }
}

impl std::error::Error for Halt {}

impl Error for Halt {
    fn custom<T: Display>(_: T) -> Self {
        Self::Failed
    }
}

impl<'a> ValuePart<'a> {
    /// Returns the part at a path, with a test for it; `None` if only a tree has it.
    #[inline]
    pub(super) fn new(path: &'a Path, test: &'a PartTest<'a>) -> Option<Self> {
        path.is_direct.then_some(Self::at(&path.steps, test))
    }

    #[inline]
    fn at(steps: &'a [PathStep], test: &'a PartTest<'a>) -> Self {
        Self {
            steps,
            test,
            options: 0,
            is_entity: false,
        }
    }

    /// Tests the part of a value.
    ///
    /// # Errors
    /// If a tree has to be asked.
    #[inline]
    pub(super) fn of<T: Serialize + ?Sized>(self, value: &T) -> Result<bool, NeedsTree> {
        match value.serialize(self) {
            Ok(Some(tested)) | Err(Halt::Tested(Some(tested))) => Ok(tested),
            Ok(None) | Err(Halt::Tested(None)) => Ok(self.test.passes(None)),
            Err(Halt::Failed) => Err(NeedsTree),
        }
    }

    /// Returns the result of the test, if this is the part.
    #[inline(always)]
    fn scalar(self, scalar: Scalar<'_>) -> Result<Tested, Halt> {
        let is_part = self.steps.is_empty();
        Ok(is_part.then(|| self.test.passes(Some(scalar))))
    }

    #[inline]
    fn text(self, text: &str) -> Result<Tested, Halt> {
        if self.is_entity {
            return self.printed_entity(text);
        }
        let is_part = self.steps.is_empty();
        Ok(is_part.then(|| match *self.test {
            // A comparison with each key of a map, without a call.
            PartTest::Key(step) => step.is_name(text),
            _ => self.test.passes_for_text(text),
        }))
    }

    #[inline]
    fn entity(self, entity: Option<Entity>) -> Result<Tested, Halt> {
        match entity {
            Some(entity) => Ok(self
                .steps
                .is_empty()
                .then(|| self.test.passes_for_entity(entity))),
            // Another type has taken the name.
            None => Err(Halt::Failed),
        }
    }

    #[inline(never)]
    fn printed_entity(self, text: &str) -> Result<Tested, Halt> {
        self.entity(text.parse().ok())
    }

    /// Returns the next step, and the part after the step. The error ends the value if the path does: its parts need not be looked
    /// at.
    #[inline]
    fn next(self) -> Result<(&'a PathStep, NextPart<'a>), Halt> {
        let test = self.test;
        match self.steps.split_first() {
            Some((step, steps)) => Ok((step, NextPart { steps, test })),
            None => Err(Halt::Tested(None)),
        }
    }

    #[inline]
    fn elements(self) -> Result<ElementSearch<'a>, Halt> {
        let (step, part) = self.next()?;
        match step.position() {
            Some(before) => Ok(ElementSearch {
                part,
                before,
                found: None,
            }),
            None => Err(Halt::Tested(None)),
        }
    }

    #[inline]
    fn fields(self) -> Result<FieldSearch<'a>, Halt> {
        let (step, part) = self.next()?;
        match step.name() {
            Some(name) => Ok(FieldSearch {
                name,
                part,
                found: None,
            }),
            None => Err(Halt::Tested(None)),
        }
    }

    /// Enters the content of a variant. The error ends it if the path leads elsewhere.
    #[inline]
    fn variant(self, name: &str) -> Result<Self, Halt> {
        let (step, part) = self.next()?;
        match step.is_name(name) {
            true => Ok(part.begin()),
            false => Err(Halt::Tested(None)),
        }
    }
}

macro_rules! scalars {
    ($($method:ident($self:ident, $value:ident: $type:ty): $result:expr;)*) => {$(
        #[inline]
        fn $method($self, $value: $type) -> Result<Tested, Halt> {
            $result
        }
    )*};
}

impl<'a> Serializer for ValuePart<'a> {
    type Ok = Tested;
    type Error = Halt;
    type SerializeSeq = ElementSearch<'a>;
    type SerializeTuple = ElementSearch<'a>;
    type SerializeTupleStruct = ElementSearch<'a>;
    type SerializeTupleVariant = ElementSearch<'a>;
    type SerializeMap = EntrySearch<'a>;
    type SerializeStruct = FieldSearch<'a>;
    type SerializeStructVariant = FieldSearch<'a>;

    scalars! {
        serialize_bool(self, value: bool): self.scalar(Scalar::Bool(value));
        serialize_i8(self, value: i8): self.scalar(Scalar::Int(value.into()));
        serialize_i16(self, value: i16): self.scalar(Scalar::Int(value.into()));
        serialize_i32(self, value: i32): self.scalar(Scalar::Int(value.into()));
        serialize_i64(self, value: i64): self.scalar(Scalar::Int(value));
        serialize_i128(self, value: i128): self.scalar(Scalar::Wide(value));
        serialize_u8(self, value: u8): self.scalar(Scalar::Int(value.into()));
        serialize_u16(self, value: u16): self.scalar(Scalar::Int(value.into()));
        serialize_u32(self, value: u32): self.scalar(Scalar::Int(value.into()));
        serialize_u64(self, value: u64): match self.is_entity {
            true => self.entity(Entity::from_bits(value)),
            false => self.scalar(Scalar::of_u64(value)),
        };
        serialize_f32(self, value: f32): self.scalar(Scalar::Short(value));
        serialize_f64(self, value: f64): self.scalar(Scalar::Float(value));
        serialize_str(self, value: &str): self.text(value);
    }

    fn is_human_readable(&self) -> bool {
        true
    }

    fn serialize_u128(self, value: u128) -> Result<Tested, Halt> {
        match i128::try_from(value) {
            Ok(value) => self.scalar(Scalar::Wide(value)),
            Err(_) => self.scalar(Scalar::Huge(value)),
        }
    }

    fn serialize_char(self, value: char) -> Result<Tested, Halt> {
        self.text(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<Tested, Halt> {
        Ok(None)
    }

    #[inline]
    fn serialize_none(self) -> Result<Tested, Halt> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(mut self, value: &T) -> Result<Tested, Halt> {
        self.options += 1;
        if self.options > MAX_OPTIONS {
            return Err(Halt::Failed);
        }
        value.serialize(self)
    }

    /// The content of an option would be mistaken for none, so it is a map in a tree.
    #[inline]
    fn serialize_unit(self) -> Result<Tested, Halt> {
        if self.options > 0 {
            return Ok(None);
        }
        self.scalar(Scalar::Null)
    }

    #[inline]
    fn serialize_unit_struct(self, _: &'static str) -> Result<Tested, Halt> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<Tested, Halt> {
        self.text(name)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Tested, Halt> {
        value.serialize(Self {
            is_entity: name == NEWTYPE,
            ..self
        })
    }

    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<Tested, Halt> {
        value.serialize(self.variant(name)?)
    }

    /// Goes to the element at once if the list can.
    #[inline]
    fn collect_seq<I: IntoIterator<Item: Serialize>>(self, list: I) -> Result<Tested, Halt> {
        let (step, part) = self.next()?;
        let position = step.position();
        match position.and_then(|position| list.into_iter().nth(position)) {
            Some(element) => element.serialize(part.begin()),
            None => Ok(None),
        }
    }

    /// Looks at keys without the state that a search has if calls from outside go on with it.
    #[inline]
    fn collect_map<K: Serialize, V: Serialize, I: IntoIterator<Item = (K, V)>>(
        self,
        map: I,
    ) -> Result<Tested, Halt> {
        let (step, part) = self.next()?;
        for (key, value) in map {
            if is_key(&key, step)? {
                return value.serialize(part.begin());
            }
        }
        Ok(None)
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<ElementSearch<'a>, Halt> {
        self.elements()
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<ElementSearch<'a>, Halt> {
        self.elements()
    }

    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<ElementSearch<'a>, Halt> {
        self.elements()
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<ElementSearch<'a>, Halt> {
        self.variant(name)?.elements()
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<EntrySearch<'a>, Halt> {
        let (step, part) = self.next()?;
        Ok(EntrySearch {
            step,
            part,
            is_next: false,
            found: None,
        })
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<FieldSearch<'a>, Halt> {
        self.fields()
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<FieldSearch<'a>, Halt> {
        self.variant(name)?.fields()
    }
}

/// The result for a part that was on the way; `None` as long as it is. A value may continue after it: its next parts are passed over.
type Found = Option<Tested>;

/// Looks at the part that is on the way. The error ends the value.
#[inline]
fn look<T: Serialize + ?Sized>(
    found: &mut Found,
    part: NextPart<'_>,
    value: &T,
) -> Result<(), Halt> {
    if found.is_some() {
        return Ok(());
    }
    match value.serialize(part.begin()) {
        Ok(tested) | Err(Halt::Tested(tested)) => {
            *found = Some(tested);
            Err(Halt::Tested(tested))
        }
        Err(Halt::Failed) => Err(Halt::Failed),
    }
}

/// The search for an element of a list.
pub(super) struct ElementSearch<'a> {
    part: NextPart<'a>,
    /// The number of elements before it.
    before: usize,
    found: Found,
}

impl ElementSearch<'_> {
    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Halt> {
        if self.before == 0 {
            return look(&mut self.found, self.part, value);
        }
        self.before -= 1;
        Ok(())
    }

    #[inline]
    fn result(self) -> Result<Tested, Halt> {
        Ok(self.found.flatten())
    }
}

impl_parts!(elements of ElementSearch<'_>: Tested, Halt);

/// The search for a field of a struct.
pub(super) struct FieldSearch<'a> {
    part: NextPart<'a>,
    name: &'a str,
    found: Found,
}

impl FieldSearch<'_> {
    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Halt> {
        if self.name == name {
            return look(&mut self.found, self.part, value);
        }
        Ok(())
    }

    #[inline]
    fn result(self) -> Result<Tested, Halt> {
        Ok(self.found.flatten())
    }
}

impl_parts!(fields of FieldSearch<'_>: Tested, Halt);

/// The search for an entry of a map.
pub(super) struct EntrySearch<'a> {
    part: NextPart<'a>,
    step: &'a PathStep,
    /// True if the value of the last key is the part.
    is_next: bool,
    found: Found,
}

/// Returns true if a step of a path names the key.
#[inline]
fn is_key<T: Serialize + ?Sized>(key: &T, step: &PathStep) -> Result<bool, Halt> {
    let test = PartTest::Key(step);
    match key.serialize(ValuePart::at(&[], &test)) {
        Ok(found) | Err(Halt::Tested(found)) => Ok(found == Some(true)),
        Err(Halt::Failed) => Err(Halt::Failed),
    }
}

impl SerializeMap for EntrySearch<'_> {
    type Ok = Tested;
    type Error = Halt;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Halt> {
        self.is_next = is_key(key, self.step)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Halt> {
        if std::mem::take(&mut self.is_next) {
            return look(&mut self.found, self.part, value);
        }
        Ok(())
    }

    #[inline]
    fn end(self) -> Result<Tested, Halt> {
        Ok(self.found.flatten())
    }
}
