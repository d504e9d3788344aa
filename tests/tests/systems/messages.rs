//! Messages contain the names that users write: types of the engine are named without a path.

use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::resource::ResourceMap;
use ecs_core::schedule::conditions::{
    component_exists, in_state, not, on_event, resource_changed, resource_exists,
};
use ecs_core::schedule::{NextState, ScheduleError, State, Transitions, fixed, measure_frame};
use ecs_core::statics::{StaticWorld, component, component_mut, spawn, world};
use ecs_core::system::from_fn;
use ecs_core::world::hooks::{DeferredWorld, OnAdd, Trigger};
use std::fmt::{Debug, Display};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Screen {
    Menu,
}

#[derive(Clone, Debug)]
struct Hit;

#[derive(Relation, Debug)]
struct ChildOf;

#[derive(Relation, Debug)]
#[relation(many)]
struct Likes;

#[derive(Component, Debug, Clone)]
#[component(storage = "sparse", immediate)]
struct Frozen;

/// A component that is generic over types of the engine.
#[derive(Component, Debug)]
struct Of<T: Send + Sync + 'static>(T);

type BothStates<'w> = (Res<'w, State<Screen>>, ResMut<'w, State<Screen>>);

#[system]
fn read_state(_screen: Res<State<Screen>>) {}

#[system]
fn write_state(_screen: ResMut<State<Screen>>) {}

#[system]
fn send(mut _hits: EventWriter<Hit>) {}

#[system]
fn receive(_hits: EventReader<Hit>, _events: NonSend<Events<Hit>>) {}

#[system]
fn of_targets<T: Component>(_of: Comp<T>) {}

#[system]
fn write_of<T: Component>(_of: CompMut<T>) {}

#[derive(SystemParam)]
struct Screens<'w> {
    _state: Res<'w, State<Screen>>,
}

#[system]
fn screens(#[param] _screens: Screens) {}

/// Messages, and their subjects.
#[derive(Default)]
struct Messages(Vec<(&'static str, String)>);

impl Messages {
    fn error<E: Debug + Display>(&mut self, of: &'static str, error: E) {
        self.0.push((of, error.to_string()));
        self.debug(of, error);
    }

    fn debug(&mut self, of: &'static str, value: impl Debug) {
        self.0.push((of, format!("{value:?}")));
        self.0.push((of, format!("{value:#?}")));
    }

    fn panic<T>(&mut self, of: &'static str, run: impl FnOnce() -> T) {
        let Err(payload) = catch_unwind(AssertUnwindSafe(run)) else {
            panic!("{of}: expected a panic");
        };
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| Some((*payload.downcast_ref::<&str>()?).to_owned()));
        self.0.push((of, text.expect("a message")));
    }

    fn check(self) {
        for (of, text) in &self.0 {
            assert!(!text.contains("ecs_engine"), "{of}: {text}");
        }
    }

    #[track_caller]
    fn contains(&self, expected: &str) {
        assert!(
            self.0.iter().any(|(_, text)| text.contains(expected)),
            "{:#?}",
            self.0
        );
    }
}

#[test]
fn errors_of_resources_and_events() {
    let mut all = Messages::default();
    let mut world = World::new();
    all.error(
        "resource",
        world.resources().try_borrow::<State<Screen>>().unwrap_err(),
    );
    all.panic("resource", || world.resource::<State<Screen>>());
    all.panic("resource_mut", || world.resource_mut::<Events<Hit>>());
    all.error(
        "non_send",
        world.try_non_send::<State<Screen>>().unwrap_err(),
    );
    all.panic("events", || send(&world));
    all.panic("field", || screens(&world));
    world.insert_resource(ResourceMap::new());
    world.add_event::<Hit>();
    world.add_state(Screen::Menu);
    let held = world.resource::<State<Screen>>();
    all.error(
        "borrowed",
        world
            .resources()
            .try_borrow_mut::<State<Screen>>()
            .unwrap_err(),
    );
    all.panic("borrowed by a system", || write_state(&world));
    all.debug("guard", &held);
    drop(held);
    all.debug("world", &world);
    all.debug("events", world.resource::<Events<Hit>>());
    all.debug("state", world.resource::<NextState<Screen>>());
    all.debug("map", world.resource::<ResourceMap>());
    all.contains("`State<systems::messages::Screen>`");
    all.check();
}

#[test]
fn errors_of_components_and_relations() {
    let mut all = Messages::default();
    let mut world = World::new();
    let parent = world.spawn(());
    let child = world.spawn((ChildOf.to(parent), Likes.to(parent), Of(parent), Frozen));
    let other = world.spawn(ChildOf.to(parent));
    all.error("relate", world.relate(parent, ChildOf, parent).unwrap_err());
    all.error("take", world.take::<Target<ChildOf>>(parent).unwrap_err());
    all.panic("bundle", || world.spawn((Of(parent), Of(child))));
    {
        let held = world.try_view_mut::<Of<Entity>>().unwrap();
        all.error("view", world.try_view::<Of<Entity>>().unwrap_err());
        all.panic("view", || world.view::<Of<Entity>>());
        all.panic("system", || of_targets::<Of<Entity>>(&world));
        all.debug("view", &held);
    }
    {
        let held = world.view::<Target<ChildOf>>();
        all.debug("view", &held);
        all.debug("ends", held.get(child).unwrap());
    }
    all.debug("sources", world.get::<Sources<ChildOf>>(parent).unwrap());
    all.debug("targets", world.get::<Targets<Likes>>(child).unwrap());
    {
        let query = world.query::<(Entity, &Target<ChildOf>)>();
        all.error("several", query.single().unwrap_err());
        all.debug("query", &query);
    }
    {
        let query = world.query_filtered::<&Sources<Likes>, Without<Sources<Likes>>>();
        all.error("none", query.single().unwrap_err());
        all.debug("query", &query);
    }
    {
        let mut query = world.query::<(Entity, &mut Of<Entity>)>();
        all.error("many", query.get_many_mut([child, other]).unwrap_err());
    }
    {
        let mut query = world.query::<(&Target<ChildOf>, &mut Frozen)>();
        all.error("many", query.get_many_mut([child, other]).unwrap_err());
    }
    {
        let (targets, frozen) = (world.view::<Target<ChildOf>>(), world.view::<Frozen>());
        all.error("slices", (&targets, &frozen).try_slices().unwrap_err());
    }
    all.contains("Target<systems::messages::ChildOf>");
    all.contains("systems::messages::Of<Entity>");
    all.check();
}

#[test]
fn names_of_systems_and_reasons_of_plans() {
    let mut all = Messages::default();
    let mut world = World::new();
    world.add_event::<Hit>();
    let mut states = Transitions::new();
    states.on_enter(Screen::Menu, read_state);
    let mut frame = Schedule::new();
    frame.add((
        measure_frame(),
        read_state.run_if(in_state(Screen::Menu)),
        write_state.run_if(not(resource_exists::<State<Screen>>())),
        send.run_if(on_event::<Hit>()),
        of_targets::<Of<Entity>>.run_if(component_exists::<Target<ChildOf>>()),
        write_of::<Of<Entity>>.run_if(resource_changed::<State<Screen>>()),
        receive,
        states,
        fixed(Duration::from_millis(10), Schedule::new()),
        from_fn(|_: ParamSet<BothStates>| {}),
    ));
    all.debug("schedule", &frame);
    let plan = frame.plan().unwrap();
    all.debug("plan", plan);
    for step in plan.steps() {
        all.debug("step", step);
        for other in plan.steps() {
            let why = plan.why(step, other);
            all.debug("why", why);
        }
    }
    frame.record_timings(true);
    let error: ScheduleError = frame.run_seq(&mut world).unwrap_err();
    all.error("run", error);
    all.debug("timings", frame.timings());

    let mut wrong = Schedule::new();
    wrong.add(of_targets::<Of<Entity>>.after(write_of::<Of<Entity>>));
    all.error("plan", wrong.plan().unwrap_err());
    let mut alone = Schedule::new();
    alone.add(from_fn(|_: Res<State<Screen>>| {}));
    all.error("closure", alone.run_seq(&mut World::new()).unwrap_err());
    all.contains("systems::messages::write_of<systems::messages::Of<Entity>>");
    all.check();
}

#[test]
fn observers_and_handles() {
    let mut all = Messages::default();
    let mut world = World::new();
    let entity = world.spawn(Frozen);
    all.debug("entity", entity);
    all.panic("observer", || {
        world.observe(|_: OnAdd<Of<Entity>>, world: DeferredWorld| {
            let _ = world.resource::<State<Screen>>();
        });
        world.spawn(Of(entity))
    });
    all.panic("trigger", || {
        let mut world = World::new();
        world.observe(|_: Trigger<Of<Entity>>, world: DeferredWorld| {
            let _ = world.resource_mut::<Events<Hit>>();
        });
        world.trigger(Of(entity));
    });
    all.panic("ParamSet", || {
        from_set(&World::new());
    });
    all.check();
}

#[system]
fn from_set(mut set: ParamSet<BothStates>) {
    set.p0();
}

world! { Closed { Of<Entity>, Entity } }

#[test]
fn closed_worlds() {
    let mut all = Messages::default();
    let mut world = Closed::new();
    let entity = spawn!(world;);
    all.error("take", world.take::<Of<Entity>>(entity).unwrap_err());
    spawn!(world; Of(entity), entity);
    all.debug("world", &world);
    all.debug("view", component!(world, Of<Entity>));
    all.debug("view", component_mut!(world, Entity));
    all.contains("StaticComp<systems::messages::Of<Entity>>");
    all.check();
}
