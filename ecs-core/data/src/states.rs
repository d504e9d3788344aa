//! States as data.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use ecs_engine::data_type::{DataType, DataTypeOf};
use ecs_engine::schedule::{DespawnOnExit, NextState, State, StateMemory, StateValue};
use serde_core::Serialize;
use serde_core::de::DeserializeOwned;

use crate::saved::Saved;

/// The descriptions of the types of a state.
pub(crate) struct StateTypes {
    /// Its value, its request, and its entities.
    pub(crate) saved: [&'static DataType; 3],
    /// The memory of a step, which only snapshots have.
    pub(crate) memory: &'static DataType,
}

/// The descriptions of requests, by the types of states.
static NEXT: LazyLock<RwLock<HashMap<TypeId, &'static DataType>>> = LazyLock::new(RwLock::default);

/// Returns the description of the requests to a state, if the type is one.
pub(crate) fn next_of(state: TypeId) -> Option<&'static DataType> {
    let next = NEXT.read().unwrap_or_else(PoisonError::into_inner);
    next.get(&state).copied()
}

/// A state that is saved: any [`StateValue`] with the traits of serde. You don't implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a state that is saved",
    label = "not a state with the traits of serde",
    note = "add `#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]` to the type"
)]
pub trait SavedState: StateValue + Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<S: StateValue + Serialize + DeserializeOwned> SavedState for S {}

/// Names the types of a state, and returns their descriptions.
///
/// # Panics
/// If the state has another name already, or the name is invalid.
#[track_caller]
pub(crate) fn name<S: SavedState>(name: &'static str) -> StateTypes {
    let is_invalid = |c: char| c.is_whitespace() || c.is_control() || c == '`';
    assert!(
        !name.is_empty() && !name.contains(is_invalid),
        "`{name}` cannot be the name of a state: it is empty, or has whitespace, control characters or backticks; help: write for example `\"game.screen\"`"
    );
    let state = DataType::named_type(TypeId::of::<State<S>>()).unwrap_or_else(|| {
        let data = DataTypeOf::<State<S>>::new(name, 1).resource();
        let codec = const { &Saved::of::<State<S>>() };
        data.cloned().printed().coded(codec).erased().name_type()
    });
    assert!(
        state.name() == name,
        "the state `{}` has the name `{}` already; help: use one name for a type",
        std::any::type_name::<S>(),
        state.name()
    );
    let part = |of: &str| -> &'static str { format!("{name}.{of}").leak() };
    let next = DataType::named_type(TypeId::of::<NextState<S>>()).unwrap_or_else(|| {
        let data = DataTypeOf::<NextState<S>>::new(part("next"), 1).resource();
        let codec = const { &Saved::of::<NextState<S>>() };
        data.cloned().printed().coded(codec).erased().name_type()
    });
    let mut all = NEXT.write().unwrap_or_else(PoisonError::into_inner);
    all.insert(TypeId::of::<State<S>>(), next);
    drop(all);
    let of_entities = DataType::named_type(TypeId::of::<DespawnOnExit<S>>()).unwrap_or_else(|| {
        let name = part("despawn_on_exit");
        let data = DataTypeOf::<DespawnOnExit<S>>::new(name, 1).component();
        let codec = const { &Saved::of::<DespawnOnExit<S>>() };
        data.cloned().printed().coded(codec).erased().name_type()
    });
    let memory = DataTypeOf::<StateMemory<S>>::new("", 1).in_boxes().cloned();
    let codec = const { &Saved::of::<StateMemory<S>>() };
    StateTypes {
        saved: [state, next, of_entities],
        memory: memory.coded_in_snapshots(codec).erased().name_type(),
    }
}
