//! Declarations of systems and sets.

mod config;
mod inner;
mod label;
mod list;
mod policy;
mod sets;
mod setup;
mod state_error;
mod target;

pub use config::{Configs, IntoConfigs};
pub(crate) use inner::{Driver, Inner, InnerSchedule};
pub use label::{Label, SetLabel};
pub(crate) use list::{Body, Flush, List, Listed};
pub use policy::{ErrorPolicy, OnError};
pub(crate) use sets::ListedSet;
pub use sets::SetConfig;
pub(crate) use setup::Setups;
pub use state_error::StateError;
pub(crate) use state_error::StateType;
pub(crate) use target::{Constraint, Place as TargetPlace};
pub use target::{ConstraintTarget, IntoTarget, OrderKind, Subject};
