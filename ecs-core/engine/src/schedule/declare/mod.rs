//! Declarations of systems and sets.

mod config;
mod inner;
mod label;
mod list;
mod remove;
mod sets;
mod setup;
mod target;
mod unread;

pub use config::{Configs, IntoConfigs};
pub(crate) use inner::{Driver, Inner, InnerSchedule};
pub(crate) use label::Label;
pub use label::SetLabel;
pub(crate) use list::{Body, Flush, List, Listed};
pub(crate) use remove::{Moved, Removal, add_pairs, bridge};
pub(crate) use sets::ListedSet;
pub use sets::SetConfig;
pub(crate) use setup::Setups;
pub(crate) use target::{Constraint, Place as TargetPlace};
pub use target::{ConstraintTarget, IntoTarget, OrderKind, Subject};
pub use unread::Unread;
