//! Component types that are defined at run time, and queries whose terms are only known at run time: for mods, scripts and
//! editors.
//!
//! A [`DynamicComponent`] is described by its fields, and registered under a name. From then on it is a component like
//! any other: it has a [`ComponentId`](crate::component::ComponentId), is stored in tables or in a sparse set beside
//! typed ones, is moved and dropped with its entity, and is borrowed under the same rules. Its values are
//! [`DynamicValue`]s outside of a world, and [`DynamicRef`] and [`DynamicMut`] inside; none of this is unsafe.
//!
//! ```
//! use ecs_core::dynamic::{DynamicComponent, DynamicRef, DynamicValue, FieldKind};
//! use ecs_core::prelude::*;
//!
//! let mana = DynamicComponent::new("mod.mana")
//!     .field("now", FieldKind::F32)
//!     .field("school", FieldKind::String)
//!     .register()?;
//!
//! let value = DynamicValue::new(mana)?.with("now", 2.5_f32)?.with("school", "fire".to_owned())?;
//! assert_eq!(format!("{value:?}"), r#"mod.mana { now: 2.5, school: "fire" }"#);
//! assert_eq!(
//!     value.as_ref().get::<f32>("nwo").unwrap_err().to_string(),
//!     "component `mod.mana` has no field `nwo`; help: its fields are `now: f32`, `school: String`"
//! );
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! A component with its own layout, such as a value of a script engine, is [raw](DynamicComponent::raw). Defining it is
//! unsafe, and so are its pointers.

#[cfg(feature = "data")]
mod codec;
mod component_type;
mod data;
mod define;
mod error;
mod kinds;
mod query;
#[cfg(feature = "data")]
mod relation;
#[cfg(test)]
mod tests;
mod value;

pub use component_type::{DynamicType, Field};
pub use define::{CloneValues, DropValues, DynamicComponent};
pub use error::{DefineError, FieldError};
pub use kinds::{FieldKind, FieldMut, FieldRef, FieldType};
pub use query::{
    DynamicQuery, MatchMut, MatchRef, MatchRows, Matches, QueryError, RowPlace, RowWalk, Term,
};
#[cfg(feature = "data")]
pub use relation::DynamicRelation;
pub use value::{DynamicMut, DynamicRef, DynamicValue};
