//! Values of one component in any format, without a look-up of the component for each value.

use std::fmt;

use ecs_engine::World;
use ecs_engine::component::ComponentId;
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::view::ErasedRef;
use serde_core::{Serialize, Serializer};

use crate::by_name::{ByNameError, ValueKind, component_named};
use crate::codec::{DynamicFields, Readable};
use crate::saved::DataCodec;
use crate::{EncodeError, Value};

/// Writes the values of one component to any format, without their type.
///
/// It is looked up once, and then used for many values: in JSON a struct or a text takes less than twice the time that its own
/// `Serialize` takes, and about a third of the time of [`get_by_name`](crate::WorldData::get_by_name). A value that is one number
/// takes about twice as long, and a variant with fields two and a half times. The calls without its type take longer than a `bool` or
/// a unit, which have about 10 nanoseconds. The form is the one of [`Value`], so an id is its text, such as `"7v1"`.
///
/// ```
/// use ecs_core::data::ValueEncoder;
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.health")]
/// struct Health {
///     now: u32,
///     last_hit_by: Option<Entity>,
/// }
///
/// let mut world = World::new();
/// let goblin = world.spawn(());
/// let hero = world.spawn(Health { now: 7, last_hit_by: Some(goblin) });
///
/// let health = ValueEncoder::named(&world, "game.health")?;
/// let view = world.view_erased(health.component());
/// let value = health.encode(view.get(hero).unwrap());
/// assert_eq!(serde_json::to_string(&value)?, r#"{"now":7,"last_hit_by":"0v1"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct ValueEncoder {
    component: ComponentId,
    /// Invariant 1: the functions of the component.
    codec: DataCodec,
}

impl ValueEncoder {
    /// Returns the encoder of a component; `None` if it is not data, and for the ends of relations, whose values belong to their
    /// edges.
    #[must_use]
    pub fn of(component: ComponentId) -> Option<Self> {
        let data = component.data().filter(|data| !data.is_relation());
        let codec = DataCodec::of(data?)?;
        Some(Self { component, codec })
    }

    /// Returns the encoder of the component with a name, as in [`WorldData`](crate::WorldData). O(component types).
    ///
    /// # Errors
    /// If there is no such component, or it is not data.
    pub fn named(world: &World, name: &str) -> Result<Self, ByNameError> {
        let found = component_named(world, name)?;
        match found.kind {
            ValueKind::Data(_, codec) => Ok(Self {
                component: found.component,
                codec,
            }),
            ValueKind::Relation(..) | ValueKind::Opaque => Err(ByNameError::NotData {
                name: name.to_owned(),
            }),
        }
    }

    /// Returns the component.
    #[must_use]
    pub fn component(&self) -> ComponentId {
        self.component
    }

    /// Returns a value in the form that formats write. O(1): the work is done when it is serialized.
    ///
    /// # Panics
    /// If it is a value of another component.
    #[must_use]
    #[track_caller]
    #[inline]
    pub fn encode<'a>(&self, value: ErasedRef<'a>) -> EncodedValue<'a> {
        if value.component() != self.component {
            wrong_component(value.component(), self.component);
        }
        match self.codec {
            DataCodec::Typed(saved) => {
                // SAFETY: the value belongs to the component (just checked), whose functions these are (1), and is borrowed.
                let value = unsafe { saved.readable(value.as_ptr()) };
                EncodedValue(ValueForm::Typed(value))
            }
            DataCodec::Dynamic(codec) => {
                // SAFETY: the same.
                let value = unsafe { codec.fields(value.as_ptr()) };
                EncodedValue(ValueForm::Dynamic(value))
            }
        }
    }
}

#[cold]
#[track_caller]
fn wrong_component(value: ComponentId, encoder: ComponentId) -> ! {
    panic!(
        "a value of `{}` was passed to the encoder of `{}`; help: look up an encoder for each component",
        value.name(),
        encoder.name()
    )
}

impl fmt::Debug for ValueEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ValueEncoder({})", self.component.name())
    }
}

/// A value, or a part of one, that serde writes in any format; see [`ValueEncoder`] and [`TextMatch::value`](crate::TextMatch::value).
#[derive(Clone)]
pub struct EncodedValue<'a>(ValueForm<'a>);

#[derive(Clone)]
enum ValueForm<'a> {
    Typed(Readable<'a>),
    Dynamic(DynamicFields<'a>),
    /// In a box: otherwise the kind of the value would be found out from the one of the tree, by several instructions.
    Tree(Box<Value>),
}

impl<'a> EncodedValue<'a> {
    /// Returns a tree as such a value.
    pub(crate) fn of_tree(tree: Value) -> Self {
        Self(ValueForm::Tree(Box::new(tree)))
    }

    /// Returns the value as a tree.
    ///
    /// # Errors
    /// If its `Serialize` fails, or it is nested too deep.
    pub fn to_value(&self) -> Result<Value, EncodeError> {
        match &self.0 {
            ValueForm::Tree(tree) => Ok(Value::clone(tree)),
            ValueForm::Typed(value) => Session::new(IdForm::Tree).run(|| value.to_value()),
            ValueForm::Dynamic(value) => Session::new(IdForm::Tree).run(|| Value::of(value)),
        }
    }
}

impl Serialize for EncodedValue<'_> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Session::new(IdForm::Text).run(|| self.0.serialize(serializer))
    }
}

impl Serialize for ValueForm<'_> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Typed(value) => value.serialize(serializer),
            Self::Dynamic(value) => Readable::new(value).serialize(serializer),
            Self::Tree(value) => value.serialize(serializer),
        }
    }
}

impl fmt::Debug for EncodedValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_value() {
            Ok(value) => value.fmt(f),
            Err(error) => write!(f, "EncodedValue({error})"),
        }
    }
}
