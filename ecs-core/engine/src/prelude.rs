//! The names that most programs need.

pub use crate::bundle::Bundle;
pub use crate::command::Commands;
pub use crate::component::{Component, Mut};
pub use crate::entity::Entity;
pub use crate::event::{EventReader, EventWriter, Events};
pub use crate::join::{Join, JoinMut, ManyError};
pub use crate::query::{
    Added, Changed, Or, Query, QueryData, QueryFilter, SingleError, With, Without,
};
pub use crate::relation::{Relation, Sources, Target, Targets};
pub use crate::resource::{NonSend, NonSendMut, Res, ResMut, Resource, ResourceMap};
pub use crate::schedule::conditions::{
    component_exists, every, in_state, not, on_event, resource_changed, resource_exists, run_once,
};
pub use crate::schedule::{
    FixedTime, FrameTime, IntoConfigs, NextState, Schedule, ScheduleError, State, Transitions,
    fixed, measure_frame,
};
pub use crate::system::{
    FromWorld, IntoCondition, IntoSystem, Local, ParamSet, SystemInfo, SystemParam,
};
pub use crate::view::{Comp, CompMut, Entities, Removed};
pub use crate::world::World;
pub use crate::world::hooks::{
    DeferredWorld, OnAdd, OnDespawn, OnInsert, OnRemove, OnReplace, Trigger,
};
