//! Declarations of systems and sets.

mod config;
mod frame_time;
mod inner;
mod label;
mod list;
mod remove;
mod sets;
mod setup;
mod state_error;
mod system_error;
mod target;
mod unread;

pub use config::{Configs, IntoConfigs};
pub use frame_time::FrameTime;
pub(crate) use inner::{Driver, FindResource, Inner, InnerSchedule, MAX_DEPTH};
pub use label::{Label, SetLabel};
pub(crate) use list::{Flush, ListedStep, StepBody, StepList};
pub(crate) use remove::{MovedPositions, Removal, add_pairs, bridge};
pub(crate) use sets::ListedSet;
pub use sets::SetConfig;
pub(crate) use setup::Setups;
pub use state_error::StateError;
pub(crate) use state_error::StateType;
pub use system_error::{ErrorPolicy, OnError, SystemError};
pub(crate) use system_error::{OfCondition, join_path};
pub(crate) use target::{ConstraintPlace as TargetPlace, StepConstraint};
pub use target::{ConstraintTarget, IntoTarget, OrderKind, Subject};
pub use unread::Unread;
