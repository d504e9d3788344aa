//! States that a load sets.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::TypeId;

use super::despawn::{DespawnOnExit, entities_of};
use super::{NextState, State, StateMemory, StateValue, copied};
use crate::component::Component;
use crate::data_type::{DataType, DataTypeOf};
use crate::resource::Resource;
use crate::sync::PoisonError;
use crate::world::World;

/// Despawns the entities of a state, if the load has changed it.
pub(crate) type Leaving = Box<dyn FnOnce(&mut World)>;

/// Returns the function that leaves the current value of a state.
type FindLeaving = fn(&World) -> Option<Leaving>;

/// All states of a world, by the types of their [`State`]s, kept among the states of systems.
#[derive(Default)]
struct KnownStates(Vec<(TypeId, FindLeaving)>);

impl KnownStates {
    fn of(world: &mut World) -> &mut Self {
        let states = world.system_states.get_mut();
        let states = states.unwrap_or_else(PoisonError::into_inner);
        let id = TypeId::of::<Self>();
        if !states.contains(id) {
            states.insert(id, Box::new(Self::default()));
        }
        let known = states.get_mut(id).and_then(|state| state.downcast_mut());
        known.expect("was inserted above")
    }
}

/// Tells the world about the types of a state, for snapshots and loads.
pub(super) fn make_known<S: StateValue>(world: &mut World) {
    let (id, known) = (TypeId::of::<State<S>>(), &mut KnownStates::of(world).0);
    if known.iter().any(|(other, _)| *other == id) {
        return;
    }
    known.push((id, find_leaving::<S>));
    for ident in [
        State::<S>::IDENTITY.ident(),
        NextState::<S>::IDENTITY.ident(),
        DespawnOnExit::<S>::IDENTITY.ident(),
    ] {
        if let Some(data) = ident.data() {
            world.make_data_known(data);
        }
        world.make_copied_known(ident.copied().expect("described above"));
    }
    world.make_copied_known(memory::<S>());
}

/// Tells the world that the values of a state follow from its parent.
pub(super) fn make_computed_known<S: StateValue>(world: &mut World) {
    world.make_copied_known(const { &copied::<State<S>>().resource().computed().erased() });
    let memory = const {
        let memory = DataTypeOf::<StateMemory<S>>::new("", 1);
        &memory.in_boxes().cloned().computed().erased()
    };
    world.make_copied_known(memory);
}

/// Returns the description of the memory of a step.
fn memory<S: StateValue>() -> &'static DataType {
    #[cfg(feature = "data")]
    if let Some(named) = DataType::named_type(TypeId::of::<StateMemory<S>>()) {
        return named;
    }
    const {
        &DataTypeOf::<StateMemory<S>>::new("", 1)
            .in_boxes()
            .cloned()
            .erased()
    }
}

/// Returns the functions that leave the current states of a world, with the entities that they have now.
pub(crate) fn leaving(world: &mut World) -> Vec<Leaving> {
    let known: Vec<_> = KnownStates::of(world)
        .0
        .iter()
        .map(|(_, find)| *find)
        .collect();
    known.into_iter().filter_map(|find| find(world)).collect()
}

fn find_leaving<S: StateValue>(world: &World) -> Option<Leaving> {
    let old = world.get_resource::<State<S>>()?.current.clone();
    let entities = entities_of(&old, world);
    let leave = move |world: &mut World| {
        let now = world.get_resource::<State<S>>();
        if now.is_some_and(|now| now.current == old) {
            return;
        }
        for entity in entities {
            world.despawn_if_exists(entity);
        }
    };
    Some(Box::new(leave))
}
