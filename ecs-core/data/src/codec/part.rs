//! A part of a value, which is looked at without a tree of the value: each other part is passed over.
//!
//! [`Value::get`](crate::Value::get) finds the same part in the value's tree.

use std::fmt::{self, Display};

use ecs_engine::Entity;
use ecs_engine::entity::session::NEWTYPE;
use serde_core::ser::{Error, Serialize, SerializeMap, Serializer};

use super::bounds::Bounds;
use super::part_impls::impl_parts;
use crate::Value;
use crate::value::{PathStep, parse_path, widen_float};

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
    /// The number of options directly around it: the value is the content of each.
    options: u32,
    /// True if the value is the id of an entity.
    is_entity: bool,
    test: PartTest<'a>,
}

/// A test of a part.
#[derive(Clone, Copy)]
pub(crate) struct PartTest<'a> {
    /// The test of numbers; `None` if the other one tests them too.
    pub(crate) numbers: Option<&'a Bounds>,
    /// The test of other parts; `None` if there is no such part, or if it has parts itself or is a string of bytes.
    pub(crate) other: &'a dyn Fn(Option<Scalar<'_>>) -> bool,
}

/// A value without parts, just like in a tree.
#[derive(Clone, Copy)]
pub(crate) enum Scalar<'a> {
    Null,
    Bool(bool),
    Int(i128),
    /// A tree widens it, like [`widen_float`](crate::value::widen_float).
    Short(f32),
    Float(f64),
    Text(&'a str),
    Entity(Entity),
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

impl<'a> Scalar<'a> {
    /// Returns a tree without parts.
    pub(super) fn of(tree: &'a Value) -> Option<Self> {
        match tree {
            Value::Null => Some(Self::Null),
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::Int(value) => Some(Self::Int(*value)),
            Value::Float(value) => Some(Self::Float(*value)),
            Value::String(value) => Some(Self::Text(value)),
            Value::Entity(value) => Some(Self::Entity(*value)),
            Value::Bytes(_) | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Returns the tree.
    pub(crate) fn to_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Int(value) => Value::Int(value),
            Self::Short(value) => Value::Float(widen_float(value)),
            Self::Float(value) => Value::Float(value),
            Self::Text(value) => Value::String(value.to_owned()),
            Self::Entity(value) => Value::Entity(value),
        }
    }
}

impl<'a> ValuePart<'a> {
    /// Returns the part at a path, with a test for it; `None` if only a tree has it.
    #[inline]
    pub(super) fn new(path: &'a Path, test: PartTest<'a>) -> Option<Self> {
        path.is_direct.then_some(Self {
            steps: &path.steps,
            options: 0,
            is_entity: false,
            test,
        })
    }

    /// Tests the part of a value.
    ///
    /// # Errors
    /// If a tree has to be asked.
    #[inline]
    pub(super) fn of<T: Serialize + ?Sized>(self, value: &T) -> Result<bool, NeedsTree> {
        match value.serialize(self) {
            Ok(Some(tested)) | Err(Halt::Tested(Some(tested))) => Ok(tested),
            Ok(None) | Err(Halt::Tested(None)) => Ok((self.test.other)(None)),
            Err(Halt::Failed) => Err(NeedsTree),
        }
    }

    #[inline]
    fn scalar(self, scalar: Scalar<'_>) -> Result<Tested, Halt> {
        self.tested(|test| (test.other)(Some(scalar)))
    }

    #[inline]
    fn integer(self, number: i64) -> Result<Tested, Halt> {
        self.tested(|test| match test.numbers {
            Some(bounds) => bounds.integer(number),
            None => (test.other)(Some(Scalar::Int(number.into()))),
        })
    }

    /// Not inlined, so that tests of numbers and texts are.
    #[inline(never)]
    fn entity(self, entity: Option<Entity>) -> Result<Tested, Halt> {
        match entity {
            Some(entity) => self.scalar(Scalar::Entity(entity)),
            // Another type has taken the name.
            None => Err(Halt::Failed),
        }
    }

    /// Returns the result of a test, if this is the part.
    #[inline]
    fn tested(self, of: impl FnOnce(PartTest<'_>) -> bool) -> Result<Tested, Halt> {
        Ok(self.steps.is_empty().then(|| of(self.test)))
    }

    /// Begins a value with parts. The error ends it if the path does: its parts need not be looked at.
    #[inline]
    fn parts(self) -> Result<PartSearch<'a>, Halt> {
        match self.next() {
            Some(next) => Ok(PartSearch::new(Some(next))),
            None => Err(Halt::Tested(None)),
        }
    }

    /// Returns the next step, and the part after the step; `None` if the path ends here.
    #[inline]
    fn next(self) -> Option<(&'a PathStep, Self)> {
        let (step, steps) = self.steps.split_first()?;
        let rest = Self {
            steps,
            options: 0,
            is_entity: false,
            test: self.test,
        };
        Some((step, rest))
    }

    /// Enters the content of a variant; `None` if the path leads elsewhere.
    #[inline]
    fn variant(self, name: &str) -> Option<Self> {
        let (step, rest) = self.next()?;
        step.is_name(name).then_some(rest)
    }

    /// Begins the content of a variant.
    #[inline]
    fn variant_parts(self, name: &str) -> Result<PartSearch<'a>, Halt> {
        match self.variant(name) {
            Some(part) => part.parts(),
            None => Ok(PartSearch::new(None)),
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
    type SerializeSeq = PartSearch<'a>;
    type SerializeTuple = PartSearch<'a>;
    type SerializeTupleStruct = PartSearch<'a>;
    type SerializeTupleVariant = PartSearch<'a>;
    type SerializeMap = PartSearch<'a>;
    type SerializeStruct = PartSearch<'a>;
    type SerializeStructVariant = PartSearch<'a>;

    scalars! {
        serialize_bool(self, value: bool): self.scalar(Scalar::Bool(value));
        serialize_i8(self, value: i8): self.integer(value.into());
        serialize_i16(self, value: i16): self.integer(value.into());
        serialize_i32(self, value: i32): self.integer(value.into());
        serialize_i64(self, value: i64): self.integer(value);
        serialize_i128(self, value: i128): self.scalar(Scalar::Int(value));
        serialize_u8(self, value: u8): self.integer(value.into());
        serialize_u16(self, value: u16): self.integer(value.into());
        serialize_u32(self, value: u32): self.integer(value.into());
        serialize_u64(self, value: u64): match i64::try_from(value) {
            _ if self.is_entity => self.entity(Entity::from_bits(value)),
            Ok(value) => self.integer(value),
            Err(_) => self.scalar(Scalar::Int(value.into())),
        };
        serialize_f32(self, value: f32): self.tested(|test| match test.numbers {
            Some(bounds) => bounds.short(value),
            None => (test.other)(Some(Scalar::Short(value))),
        });
        serialize_f64(self, value: f64): self.tested(|test| match test.numbers {
            Some(bounds) => bounds.float(value),
            None => (test.other)(Some(Scalar::Float(value))),
        });
        serialize_str(self, value: &str): match self.is_entity {
            true => self.entity(value.parse().ok()),
            false => self.scalar(Scalar::Text(value)),
        };
    }

    fn is_human_readable(&self) -> bool {
        true
    }

    fn serialize_u128(self, value: u128) -> Result<Tested, Halt> {
        match i128::try_from(value) {
            Ok(value) => self.scalar(Scalar::Int(value)),
            Err(_) => self.scalar(Scalar::Text(&value.to_string())),
        }
    }

    fn serialize_char(self, value: char) -> Result<Tested, Halt> {
        self.scalar(Scalar::Text(value.encode_utf8(&mut [0; 4])))
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
        self.scalar(Scalar::Text(name))
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
        match self.variant(name) {
            Some(part) => value.serialize(part),
            None => Ok(None),
        }
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<PartSearch<'a>, Halt> {
        self.parts()
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<PartSearch<'a>, Halt> {
        self.parts()
    }

    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<PartSearch<'a>, Halt> {
        self.parts()
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<PartSearch<'a>, Halt> {
        self.variant_parts(name)
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<PartSearch<'a>, Halt> {
        self.parts()
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<PartSearch<'a>, Halt> {
        self.parts()
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<PartSearch<'a>, Halt> {
        self.variant_parts(name)
    }
}

/// The parts of a value; at most one is on the way.
pub(super) struct PartSearch<'a> {
    /// The step to the part, and the request after the step; `None` if the path ends here, so that no part is on the
    /// way.
    next: Option<(&'a PathStep, ValuePart<'a>)>,
    /// The number of the next element.
    at: i128,
    /// True if the value of the next key is on the way.
    is_next: bool,
    found: Tested,
}

impl<'a> PartSearch<'a> {
    #[inline]
    fn new(next: Option<(&'a PathStep, ValuePart<'a>)>) -> Self {
        Self {
            next,
            at: 0,
            is_next: false,
            found: None,
        }
    }

    /// Looks at the part that is on the way. The error ends the value; if the value continues anyway, its next parts
    /// are passed over.
    #[inline]
    fn look<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Halt> {
        let Some((_, part)) = self.next.take() else {
            return Ok(());
        };
        self.found = match value.serialize(part) {
            Ok(found) | Err(Halt::Tested(found)) => found,
            Err(Halt::Failed) => return Err(Halt::Failed),
        };
        Err(Halt::Tested(self.found))
    }

    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Halt> {
        if self.next.is_some_and(|(step, _)| step.is_index(self.at)) {
            return self.look(value);
        }
        self.at += 1;
        Ok(())
    }

    #[inline]
    fn result(self) -> Result<Tested, Halt> {
        Ok(self.found)
    }

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Halt> {
        if self.next.is_some_and(|(step, _)| step.is_name(name)) {
            return self.look(value);
        }
        Ok(())
    }
}

impl_parts!(PartSearch<'_>: Tested, Halt);

impl SerializeMap for PartSearch<'_> {
    type Ok = Tested;
    type Error = Halt;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Halt> {
        let Some((step, _)) = self.next else {
            return Ok(());
        };
        let is_step = |key: Option<Scalar<'_>>| match key {
            Some(Scalar::Text(key)) => step.is_name(key),
            Some(Scalar::Int(key)) => step.is_index(key),
            Some(Scalar::Entity(key)) => step.is_name(&key.to_string()),
            _ => false,
        };
        let part = ValuePart {
            steps: &[],
            options: 0,
            is_entity: false,
            test: PartTest {
                numbers: None,
                other: &is_step,
            },
        };
        self.is_next = match key.serialize(part) {
            Ok(found) | Err(Halt::Tested(found)) => found == Some(true),
            Err(Halt::Failed) => return Err(Halt::Failed),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Halt> {
        if std::mem::take(&mut self.is_next) {
            return self.look(value);
        }
        Ok(())
    }

    #[inline]
    fn end(self) -> Result<Tested, Halt> {
        self.result()
    }
}
