//! Errors of parameters that cannot be locked.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use super::name::{SystemNames, with_arguments};
use crate::meta::SystemMeta;
use crate::query::SingleError;
#[cfg(feature = "std")]
use crate::resource::NonSendError;
use crate::resource::ResourceError;
use crate::world::BorrowError;

/// The error of a parameter that cannot be locked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamError {
    /// A component is borrowed elsewhere.
    Component(BorrowError),
    /// A resource is missing or borrowed elsewhere.
    Resource(ResourceError),
    /// A thread-bound value is missing, borrowed elsewhere, or belongs to another thread.
    #[cfg(feature = "std")]
    NonSend(NonSendError),
    /// Not exactly one entity matches the query of a [`Single`](crate::query::Single).
    Single(SingleError),
    /// The world does not have the events that the parameter reads or sends.
    NoEvents {
        /// The name of the event's type.
        event: &'static str,
    },
    /// A field of a `#[derive(SystemParam)]` struct cannot be locked.
    Field {
        /// The field, in the form `name: Type`.
        field: &'static str,
        /// The reason.
        error: Box<ParamError>,
    },
}

impl ParamError {
    #[cold]
    pub(crate) fn in_field(self, field: &'static str) -> Self {
        let error = Box::new(self);
        Self::Field { field, error }
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Component(error) => error.fmt(f),
            Self::Resource(error) => error.fmt(f),
            #[cfg(feature = "std")]
            Self::NonSend(error) => error.fmt(f),
            Self::Single(error @ SingleError::None { .. }) => write!(
                f,
                "{error}; help: take `Option<Single<..>>`, or run the system under a condition"
            ),
            Self::Single(error @ SingleError::Several { .. }) => write!(
                f,
                "{error}; help: add a filter that one of them passes, or take a `Query`"
            ),
            Self::NoEvents { event } => write!(
                f,
                "events of type `{event}` were not added; help: call `world.add_event` with that type before the system runs"
            ),
            Self::Field { field, error } => write!(f, "field `{field}`: {error}"),
        }
    }
}

impl core::error::Error for ParamError {}

impl From<BorrowError> for ParamError {
    fn from(error: BorrowError) -> Self {
        Self::Component(error)
    }
}

#[cfg(feature = "std")]
impl From<NonSendError> for ParamError {
    fn from(error: NonSendError) -> Self {
        Self::NonSend(error)
    }
}

impl From<ResourceError> for ParamError {
    fn from(error: ResourceError) -> Self {
        Self::Resource(error)
    }
}

/// The error of a parameter that could not be locked, with its position in the list.
pub struct ParamLockError {
    pub(super) parameter: usize,
    pub(super) error: ParamError,
}

impl ParamLockError {
    #[cold]
    pub(super) fn new(parameter: usize, error: ParamError) -> Self {
        Self { parameter, error }
    }

    /// Returns the error of a struct. Each field is given as text, and the types of the fields are the parameters.
    #[cold]
    pub fn in_field(self, fields: &[&'static str]) -> ParamError {
        self.error.in_field(fields[self.parameter])
    }
}

/// The error of a system that did not run because a parameter could not be locked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockError {
    /// The path of the system.
    pub system: &'static str,
    /// The parameter, in the form `name: Type`; only the type if it belongs to a closure.
    pub parameter: String,
    /// The reason.
    pub error: ParamError,
}

impl LockError {
    #[cold]
    #[inline(never)]
    pub(super) fn new(system: &SystemMeta, names: SystemNames, error: ParamLockError) -> Self {
        let ParamLockError { parameter, error } = error;
        Self {
            system: with_arguments(system, (names.hidden)()).name,
            parameter: match names.params.get(parameter) {
                Some(ty) => ty().to_owned(),
                None => {
                    let parameter = &system.params[parameter];
                    format!("{}: {}", parameter.name, parameter.ty)
                }
            },
            error,
        }
    }

    #[cold]
    #[track_caller]
    pub(super) fn raise(self) -> ! {
        panic!("{self}")
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            system,
            parameter,
            error,
        } = self;
        write!(f, "system `{system}`, parameter `{parameter}`: {error}")
    }
}

impl core::error::Error for LockError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.error)
    }
}
