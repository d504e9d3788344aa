//! The names that every program needs: the traits and derives, the world, and the parameters of systems.
//!
//! A game is not likely to use any of these names for its own types. The rest is in the modules: conditions of systems in
//! [`schedule::conditions`](crate::schedule::conditions), errors of runs, states and fixed rates in
//! [`schedule`](crate::schedule), the components of relations in [`relation`](crate::relation), hooks and observers in
//! [`world::hooks`](crate::world::hooks).

pub use crate::bundle::Bundle;
pub use crate::command::Commands;
pub use crate::component::{Component, Mut};
pub use crate::entity::Entity;
pub use crate::event::{EventReader, EventWriter, Events};
pub use crate::join::{Join, JoinMut};
pub use crate::query::{
    Added, Any, Changed, Mutated, Or, Query, QueryData, QueryFilter, Single, With, Without,
};
pub use crate::relation::Relation;
#[cfg(feature = "std")]
pub use crate::resource::{NonSend, NonSendMut};
pub use crate::resource::{Res, ResMut, Resource};
pub use crate::schedule::{IntoConfigs, Schedule};
pub use crate::system::{
    IntoCondition, IntoSystemValue, Local, ParamSet, SystemHandle, SystemParam,
};
#[doc(hidden)]
pub use crate::view::NotJoined;
pub use crate::view::{Comp, CompMut, Entities, Removed};
pub use crate::world::{ReadOnlyWorld, World};
