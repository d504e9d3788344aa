//! Many tiny systems over twenty components of one entity.

use std::time::Duration;

use ecs_core::prelude::*;

use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::linked::{self, Chain};
use crate::workloads::systems::{self, for_each_component, for_each_tiny_system};

#[system]
fn add_one<L: Chain + Component>(mut all: CompMut<L>) {
    (&mut all).for_each(|mut one| *one.value() += 1.0);
}

fn world() -> World {
    let mut world = World::new();
    fill(&mut world);
    world
}

/// Inserts one component after the other.
fn fill(world: &mut World) {
    let entity = world.spawn(());
    macro_rules! insert {
        ($component:ident) => {
            world.insert(entity, linked::$component(0.0)).expect("the entity is alive");
        };
    }
    for_each_component!(insert);
}

fn schedule(systems: u32) -> Schedule {
    let mut schedule = Schedule::new();
    macro_rules! add {
        ($component:ident) => {
            schedule.add(add_one::<linked::$component>)
        };
    }
    for_each_tiny_system!(systems, add);
    schedule
}

fn digest(world: &mut World) -> u64 {
    let mut values = Vec::new();
    macro_rules! collect {
        ($component:ident) => {
            values.extend(world.view::<linked::$component>().iter().map(|one| one.0));
        };
    }
    for_each_component!(collect);
    systems::digest(values)
}

/// Declares a schedule with ten times these systems.
macro_rules! ten_times {
    ($name:ident $($c:ident)*) => {
        schedule! { static $name = [
            $(add_one::<linked::$c>,)* $(add_one::<linked::$c>,)* $(add_one::<linked::$c>,)*
            $(add_one::<linked::$c>,)* $(add_one::<linked::$c>,)* $(add_one::<linked::$c>,)*
            $(add_one::<linked::$c>,)* $(add_one::<linked::$c>,)* $(add_one::<linked::$c>,)*
            $(add_one::<linked::$c>,)*
        ] }
    };
}
ten_times!(TINY L0 L1 L2 L3 L4 L5 L6 L7 L8 L9 L10 L11 L12 L13 L14 L15 L16 L17 L18 L19);

/// The same systems in an app: plugins of ten, in two of its schedules.
fn app(systems: u32) -> App {
    let mut app = App::new();
    fill(app.world_mut());
    let mut plugin = Vec::new();
    macro_rules! add {
        ($component:ident) => {
            plugin.push(add_one::<linked::$component>.into_configs());
            if plugin.len() == 10 {
                let systems = core::mem::take(&mut plugin);
                app.add_plugin(move |app: &mut App| {
                    for (n, system) in systems.into_iter().enumerate() {
                        if n < 5 {
                            app.add_systems(PreUpdate, system);
                        } else {
                            app.add_systems(Update, system);
                        }
                    }
                });
            }
        };
    }
    for_each_tiny_system!(systems, add);
    for system in plugin {
        app.add_systems(Update, system);
    }
    app.single_threaded(true);
    app
}

pub(super) fn run(workload: &mut Workload) {
    let systems = workload.elements();
    workload.add(
        Ours,
        "run_seq",
        move || (world(), schedule(systems)),
        |(world, schedule)| schedule.run_seq(world).expect("no system fails"),
        |(world, _)| digest(world),
    );
    workload.add(
        Ours,
        "App, 10 systems a plugin",
        move || app(systems),
        |app| assert_eq!(app.update_by(Duration::ZERO), None, "nothing ends the app"),
        |app| digest(app.world_mut()),
    );
    if systems as usize == TINY.len() {
        workload.add(
            Ours,
            "schedule!",
            world,
            |world| TINY.run(world).expect("no system fails"),
            digest,
        );
    }
}

pub(super) fn build(workload: &mut Workload) {
    let systems = workload.elements();
    workload.add(
        Ours,
        "add, run_seq",
        world,
        move |world| schedule(systems).run_seq(world).expect("no system fails"),
        digest,
    );
}
