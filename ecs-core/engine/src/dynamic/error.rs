//! Errors of the definition of a component, and of an access to a field.

use alloc::string::String;
use core::fmt;

use super::component_type::DynamicType;
use super::kinds::FieldKind;
use crate::component::ComponentId;

/// The error of [`DynamicComponent::register`](super::DynamicComponent::register); nothing was registered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DefineError {
    /// Another component has the name, with other fields or another storage.
    NameTaken {
        /// The name.
        name: String,
    },
    /// Two fields have one name.
    DuplicateField {
        /// The component.
        name: String,
        /// The field.
        field: String,
    },
    /// A name is empty, or has a character that no name in a text query can have.
    BadName {
        /// The name.
        name: String,
    },
    /// Values would not fit into the address space.
    TooLarge {
        /// The component.
        name: String,
    },
}

impl fmt::Display for DefineError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NameTaken { name } => write!(
                f,
                "cannot define component `{name}`: another one has this name; help: choose another name, or describe it in the same way to get the same id"
            ),
            Self::DuplicateField { name, field } => write!(
                f,
                "cannot define component `{name}`: two of its fields are called `{field}`; help: rename one"
            ),
            Self::BadName { name } => write!(
                f,
                "`{}` cannot be the name of a component or field; help: use letters, digits, `_`, `.`, `-` and `:`, and at least one of them",
                name.escape_debug()
            ),
            Self::TooLarge { name } => write!(
                f,
                "cannot define component `{name}`: a value of it does not fit into memory; help: give it fewer or smaller fields"
            ),
        }
    }
}

impl core::error::Error for DefineError {}

/// The error of an access to a field of a dynamic component.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldError {
    /// The component is a Rust type, or raw, so its fields are not known.
    NoFields {
        /// The component.
        component: ComponentId,
    },
    /// The component has no such field.
    Missing {
        /// The component.
        component: ComponentId,
        /// The field.
        field: String,
    },
    /// The field has a different type.
    WrongType {
        /// The component.
        component: ComponentId,
        /// The field.
        field: String,
        /// The type of the field.
        is: FieldKind,
        /// The type that was asked for.
        wanted: FieldKind,
    },
}

impl fmt::Display for FieldError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFields { component } => write!(
                f,
                "component `{}` was not defined by its fields; help: use it by its Rust type, or by pointers",
                component.name()
            ),
            Self::Missing { component, field } => {
                write!(f, "component `{}` has no field `{field}`", component.name())?;
                let fields = DynamicType::of(*component).map_or(&[][..], DynamicType::fields);
                for (index, field) in fields.iter().enumerate() {
                    let before = if index == 0 {
                        "; help: its fields are"
                    } else {
                        ","
                    };
                    write!(f, "{before} `{}: {}`", field.name(), field.kind())?;
                }
                Ok(())
            }
            Self::WrongType {
                component,
                field,
                is,
                wanted,
            } => write!(
                f,
                "field `{field}` of component `{}` is of type `{is}`, not `{wanted}`; help: use `{is}`",
                component.name()
            ),
        }
    }
}

impl core::error::Error for FieldError {}
