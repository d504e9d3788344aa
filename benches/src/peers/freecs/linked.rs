//! Many systems in thirty chains.

use freecs::Schedule;

use super::worlds::linked::{ALL, World};
use crate::peers::Peer::Freecs;
use crate::subject::Workload;
use crate::workloads::linked::{self, Body as _, Chain as _, Tiny};

/// Calls `$action!(field, for_each_field_mut)` for each chain.
macro_rules! for_each_field {
    ($action:ident) => {
        for_each_field!($action: l0 l1 l2 l3 l4 l5 l6 l7 l8 l9 l10 l11 l12 l13 l14);
        for_each_field!($action: l15 l16 l17 l18 l19 l20 l21 l22 l23 l24 l25 l26 l27 l28 l29);
    };
    ($action:ident: $($field:ident)*) => { $( $action!($field); )* };
}

/// One function per chain, because a macro generates the names of the methods.
type System = fn(&mut World);

fn systems() -> Vec<System> {
    let mut systems: Vec<System> = Vec::new();
    macro_rules! add {
        ($field:ident) => {
            systems.push(|world| {
                for table in &mut world.tables {
                    table.$field.iter_mut().for_each(|one| Tiny::act(one.value()));
                }
            });
        };
    }
    for_each_field!(add);
    systems
}

/// Makes entities with the components of all chains.
fn world() -> World {
    let mut world = World::default();
    let mut values = linked::values();
    world.spawn_batch(ALL, values.len(), |table, row| {
        let value = values.next().expect("the number of requested entities");
        macro_rules! set {
            ($field:ident) => {
                *table.$field[row].value() = value;
            };
        }
        for_each_field!(set);
    });
    world
}

fn digest(world: &mut World) -> u64 {
    let mut chains = Vec::new();
    for table in &mut world.tables {
        macro_rules! collect {
            ($field:ident) => {
                chains.push(table.$field.iter_mut().map(|one| *one.value()).collect());
            };
        }
        for_each_field!(collect);
    }
    linked::digest(chains)
}

pub(super) fn build(workload: &mut Workload) {
    workload.add(
        Freecs,
        "Schedule",
        || {
            // Names are `'static`; its documentation recommends that.
            let names = (0..Tiny::SYSTEMS).map(|number| &*format!("tiny {number}").leak());
            (world(), systems(), names.collect::<Vec<&'static str>>())
        },
        |(world, systems, names)| {
            let mut schedule = Schedule::new();
            for (number, name) in names.iter().enumerate() {
                schedule.push(name, systems[number % systems.len()]);
            }
            schedule.run(world);
        },
        |(world, ..)| digest(world),
    );
}
