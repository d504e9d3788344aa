//! Observers that are systems.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::event::Events;
use ecs_core::observer;
use ecs_core::prelude::*;
use ecs_core::world::hooks::{
    DeferredWorld, OnAdd, OnDespawn, OnInsert, OnRemove, OnReplace, Trigger,
};
use ecs_tests::Ledger;

#[derive(Component, Debug, PartialEq)]
struct Health(i32);
#[derive(Component)]
struct Armor(i32);
#[derive(Resource, Default)]
struct Log(Vec<String>);
#[derive(SystemParam)]
struct Journal<'w> {
    log: ResMut<'w, Log>,
}

struct Hit(i32);
struct Healed;

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world
}

fn log(world: &mut World) -> Vec<String> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

#[track_caller]
fn panics(f: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).expect_err("no panic");
    match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => (*panic.downcast::<&str>().unwrap()).to_owned(),
    }
}

#[system]
fn on_hit(
    hit: Trigger<Hit>,
    mut health: CompMut<Health>,
    armor: Query<&Armor>,
    mut commands: Commands,
) {
    let victim = hit.entity();
    let armor = armor.get(victim).map_or(0, |armor| armor.0);
    let Some(health) = health.get_mut(victim) else {
        return;
    };
    health.0 -= hit.0 - armor;
    if health.0 <= 0 {
        commands.despawn(victim);
    }
}

#[test]
fn a_system_observes_an_event_with_views_queries_and_commands() {
    let mut world = world();
    world.observe(on_hit);
    let [rat, knight] = [world.spawn(Health(3)), world.spawn((Health(3), Armor(2)))];
    for entity in [rat, knight] {
        world.trigger_on(entity, Hit(3)).unwrap();
    }
    assert!(!world.contains(rat));
    assert_eq!(world.get::<Health>(knight).as_deref(), Some(&Health(2)));
}

#[test]
fn a_system_observes_the_events_of_one_entity() {
    let mut world = world();
    let [one, other] = [(); 2].map(|()| world.spawn(Health(5)));
    world.observe_on(one, on_hit).unwrap();
    world
        .entity_mut(other)
        .unwrap()
        .observe(on_hit)
        .observe(on_hit);
    for entity in [one, other] {
        world.trigger_on(entity, Hit(1)).unwrap();
    }
    assert_eq!(world.get::<Health>(one).unwrap().0, 4);
    assert_eq!(world.get::<Health>(other).unwrap().0, 3);
}

#[test]
fn an_observer_is_called_by_hand_with_an_event_made_by_hand() {
    let mut world = world();
    let entity = world.spawn(Health(5));
    on_hit(Trigger::on(entity, &Hit(2)), &world);
    assert_eq!(world.get::<Health>(entity).unwrap().0, 3);
    added(OnAdd::new(entity), &world);
    assert_eq!(log(&mut world), ["add 3"]);
    assert_eq!(Trigger::new(&Hit(1)).target(), None);
}

macro_rules! lifecycle {
    ($($name:ident $event:ident $text:literal;)*) => {$(
        #[system]
        fn $name(event: $event<Health>, health: Comp<Health>, mut log: ResMut<Log>) {
            let health = health.get(event.entity()).unwrap().0;
            log.0.push(format!("{} {health}", $text));
        }
    )*};
}

lifecycle! {
    added OnAdd "add";
    inserted OnInsert "insert";
    replaced OnReplace "replace";
    removed OnRemove "remove";
    despawned OnDespawn "despawn";
}

#[test]
fn systems_observe_all_lifecycle_events() {
    let mut world = world();
    world.observe(added);
    world.observe(inserted);
    world.observe(replaced);
    world.observe(removed);
    world.observe(despawned);
    let entity = world.spawn(Health(1));
    world.insert(entity, Health(2)).unwrap();
    world.remove::<Health>(entity).unwrap();
    world.insert(entity, Health(3)).unwrap();
    world.despawn(entity).unwrap();
    assert_eq!(
        log(&mut world),
        [
            "add 1",
            "insert 1",
            "replace 1",
            "insert 2",
            "remove 2",
            "add 3",
            "insert 3",
            "despawn 3",
            "remove 3"
        ]
    );
}

#[test]
fn closures_of_an_event_and_parameters_are_observers() {
    let mut world = world();
    let mut calls = 0;
    world.observe(
        move |hit: Trigger<Hit>, mut health: CompMut<Health>, mut log: ResMut<Log>| {
            calls += 1;
            health.get_mut(hit.entity()).unwrap().0 -= hit.0;
            log.0.push(format!("call {calls}"));
        },
    );
    world.observe(|_: OnAdd<Health>, mut log: ResMut<Log>| log.0.push("added".into()));
    world.observe(|_: Trigger<Healed>| {});
    world.observe(|_: OnRemove<Health>| {});
    world.observe(|_: OnAdd<Health>, world: DeferredWorld| {
        world.resource_mut::<Log>().0.push("as before".into());
    });
    let entity = world.spawn(Health(5));
    for _ in 0..2 {
        world.trigger_on(entity, Hit(2)).unwrap();
    }
    assert_eq!(world.get::<Health>(entity).unwrap().0, 1);
    assert_eq!(log(&mut world), ["added", "as before", "call 1", "call 2"]);
}

#[system]
fn everything(
    hit: Trigger<Hit>,
    mut journal: Journal,
    mut calls: Local<u32>,
    mut sent: EventWriter<u8>,
    missing: Option<Res<u64>>,
) {
    *calls += 1;
    sent.send(hit.0 as u8);
    assert!(missing.is_none());
    journal.log.0.push((*calls).to_string());
}

#[test]
fn derived_parameters_locals_events_and_missing_resources_are_parameters_of_observers() {
    let mut world = world();
    world.add_event::<u8>();
    // Each registration has its own states, and so does the direct call.
    world.observe(everything);
    world.observe(everything);
    world.trigger(Hit(7));
    world.trigger(Hit(8));
    everything(Trigger::new(&Hit(9)), &world);
    assert_eq!(log(&mut world), ["1", "1", "2", "2", "1"]);
    assert_eq!(world.resource::<Events<u8>>().len(), 5);
}

#[system]
fn of_world(hit: Trigger<Hit>, world: &World) {
    world
        .resource_mut::<Log>()
        .0
        .push(format!("world {}", hit.0));
}

#[test]
fn the_world_is_a_parameter_of_observers() {
    let mut world = world();
    world.observe(of_world);
    world.trigger(Hit(1));
    assert_eq!(log(&mut world), ["world 1"]);
}

#[system]
fn generic<T: Component>(_: OnAdd<T>, mut log: ResMut<Log>) {
    log.0.push(
        std::any::type_name::<T>()
            .rsplit("::")
            .next()
            .unwrap()
            .to_owned(),
    );
}

#[test]
fn generic_systems_observe() {
    let mut world = world();
    world.observe(generic::<Health>);
    world.observe(generic::<Armor>);
    world.spawn((Armor(1), Health(1)));
    assert_eq!(log(&mut world), ["Armor", "Health"]);
}

macro_rules! named {
    ($($name:ident)*) => {$(
        #[system]
        fn $name(_: Trigger<Healed>, mut log: ResMut<Log>) {
            log.0.push(stringify!($name).to_owned());
        }
    )*};
}

named!(a b c d);

fn order(world: &mut World) -> String {
    world.trigger(Healed);
    log(world).concat()
}

#[test]
fn constraints_change_the_order_of_registration_as_little_as_possible() {
    let mut world = world();
    world.observe(observer(a).after(c));
    world.observe(b);
    assert_eq!(
        order(&mut world),
        "ab",
        "a constraint on what is not there has no effect"
    );
    let id = world.observe(c);
    assert_eq!(order(&mut world), "bca");
    world.observe(observer(d).before(b));
    assert_eq!(order(&mut world), "cadb");
    assert!(world.unobserve(id));
    assert_eq!(order(&mut world), "adb");
}

#[test]
fn a_cycle_is_refused_by_name_and_changes_nothing() {
    let mut world = world();
    world.observe(observer(a).before(b));
    world.observe(observer(b).before(c));
    let error = world.try_observe(observer(c).before(a)).unwrap_err();
    let names = ["a", "b", "c"].map(|name| format!("changes::observer_systems::{name}"));
    assert_eq!(error.observers, names);
    assert_eq!(order(&mut world), "ab");
    world.observe(c);
    assert_eq!(order(&mut world), "abc");
    let message = panics(|| {
        world.observe(observer(d).after(d));
    });
    assert!(message.contains("observers of `changes::observer_systems::Healed` wait for each other: `changes::observer_systems::d` before `changes::observer_systems::d`; help:"), "{message}");
    assert_eq!(order(&mut world), "abc");
}

#[system]
fn alive(health: Query<&Health>) -> bool {
    health.iter().any(|health| health.0 > 0)
}

#[test]
fn conditions_decide_at_each_call() {
    let mut world = world();
    let entity = world.spawn(Health(3));
    let mut odd = false;
    world.observe(observer(on_hit).run_if(alive).run_if(move |_: Res<Log>| {
        odd = !odd;
        odd
    }));
    world
        .observe_on(entity, observer(a).run_if(|log: Res<Log>| log.0.is_empty()))
        .unwrap();
    for (n, expected) in [2, 2, 1, 1].into_iter().enumerate() {
        world.trigger_on(entity, Hit(1)).unwrap();
        assert_eq!(
            world.get::<Health>(entity).unwrap().0,
            expected,
            "after hit {n}"
        );
    }
    world.trigger_on(entity, Healed).unwrap();
    world.trigger_on(entity, Healed).unwrap();
    assert_eq!(log(&mut world), ["a"]);
}

#[system]
fn spawns(mut commands: Commands) -> bool {
    commands.spawn(Armor(1));
    false
}

#[test]
fn commands_of_conditions_are_applied() {
    let mut world = world();
    world.observe(observer(a).run_if(spawns));
    world.trigger(Healed);
    assert_eq!(world.query::<&Armor>().iter().count(), 1);
    assert!(log(&mut world).is_empty());
}

#[system]
fn spawns_or_breaks(mut commands: Commands, breaks: Res<bool>) -> bool {
    commands.spawn(Armor(1));
    assert!(!*breaks, "condition");
    true
}

#[test]
fn commands_of_a_condition_that_panics_are_dropped() {
    let mut world = world();
    world.insert_resource(true);
    world.observe(observer(a).run_if(spawns_or_breaks));
    assert_eq!(panics(|| _ = world.trigger(Healed)), "condition");
    assert!(log(&mut world).is_empty());
    *world.resource_mut::<bool>() = false;
    world.trigger(Healed);
    assert_eq!(log(&mut world), ["a"]);
    assert_eq!(world.query::<&Armor>().iter().count(), 1);
}

#[test]
fn observers_of_one_entity_are_called_last_whatever_constraints_name_them() {
    let mut world = world();
    let entity = world.spawn(());
    world.observe_on(entity, observer(a).before(b)).unwrap();
    world.observe(b);
    world.trigger_on(entity, Healed).unwrap();
    assert_eq!(log(&mut world), ["b", "a"]);
}

#[system]
fn fails(hit: Trigger<Hit>) -> Result<(), String> {
    if hit.0 > 0 {
        Err("too hard".into())
    } else {
        Ok(())
    }
}

#[system]
fn needs(_: OnAdd<Health>, n: Res<u64>) {
    let _ = n;
}

#[test]
fn errors_and_missing_resources_panic_with_observer_event_and_parameter() {
    let mut world = world();
    world.observe(fails);
    world.trigger(Hit(0));
    let message = panics(|| _ = world.trigger(Hit(1)));
    assert_eq!(
        message,
        "observer of `changes::observer_systems::Hit`: system `changes::observer_systems::fails`: too hard"
    );
    world.observe(needs);
    let message = panics(|| {
        world.spawn(Health(1));
    });
    assert!(message.starts_with("observer of `OnAdd<changes::observer_systems::Health>`: system `changes::observer_systems::needs`, parameter `n: Res<u64>`: "), "{message}");
    world.insert_resource(1_u64);
    world.spawn(Health(1));
    world.observe(observer(a).run_if(|_: Res<u16>| true));
    let message = panics(|| _ = world.trigger(Healed));
    assert!(
        message.starts_with("observer of `changes::observer_systems::Healed`: its condition: "),
        "{message}"
    );
}

#[test]
fn a_trigger_of_a_lifecycle_event_is_refused() {
    let mut world = world();
    let message = panics(|| {
        world.observe(|_: Trigger<OnRemove<Health>>, _: DeferredWorld| {});
    });
    assert_eq!(
        message,
        "an observer of `Trigger<OnRemove<changes::observer_systems::Health>>` would never be called; help: take `OnRemove<changes::observer_systems::Health>` itself, not in a `Trigger`"
    );
}

#[system]
fn chain(hit: Trigger<Hit>, mut commands: Commands, mut log: ResMut<Log>) {
    log.0.push(format!("{}", hit.0));
    if hit.0 > 0 {
        commands.trigger(Hit(hit.0 - 1));
        commands.spawn(Health(hit.0));
    }
}

#[test]
fn commands_of_observers_run_after_the_change_and_nest() {
    let mut world = world();
    world.observe(chain);
    world.observe(added);
    world.trigger(Hit(2));
    assert_eq!(log(&mut world), ["2", "1", "0", "add 1", "add 2"]);
}

#[system]
fn breaks(hit: Trigger<Hit>, mut commands: Commands, mut calls: Local<u32>, mut log: ResMut<Log>) {
    *calls += 1;
    log.0.push((*calls).to_string());
    commands.spawn(Health(1));
    assert!(hit.0 == 0, "breaks");
}

#[test]
fn a_panic_drops_the_commands_and_the_world_goes_on() {
    let ledger = Ledger::default();
    let mut world = world();
    let token = ledger.token();
    world.observe(move |_: Trigger<Hit>, _: Res<Log>| {
        let _ = &token;
    });
    world.observe(breaks);
    world.observe(chain);
    world.trigger(Hit(0));
    assert_eq!(panics(|| _ = world.trigger(Hit(1))), "breaks");
    // The states of the parameters start anew, so nothing of the panicking call is left in them.
    world.trigger(Hit(0));
    assert_eq!(log(&mut world), ["1", "0", "2", "1", "0"]);
    assert_eq!(world.query::<&Health>().iter().count(), 2);
    drop(world);
    assert!(ledger.alive().is_empty());
}

#[derive(Resource, Default)]
struct Score(i32);

#[systems]
impl Score {
    #[system]
    fn count(&mut self, hit: Trigger<Hit>, mut log: ResMut<Log>) {
        self.0 += hit.0;
        log.0.push(format!("score {}", self.0));
    }
}

#[test]
fn methods_are_observers() {
    let mut world = world();
    world.insert_resource(Score::default());
    world.observe(Score::count);
    world.trigger(Hit(2));
    world.trigger(Hit(3));
    assert_eq!(log(&mut world), ["score 2", "score 5"]);
}

#[system(for_each)]
fn all(hit: Trigger<Hit>, health: &mut Health) {
    health.0 -= hit.0;
}

#[test]
fn an_observer_can_be_called_for_each_entity() {
    let mut world = world();
    let entities = [1, 2].map(|n| world.spawn(Health(n)));
    world.observe(all);
    world.trigger(Hit(1));
    assert_eq!(
        entities.map(|entity| world.get::<Health>(entity).unwrap().0),
        [0, 1]
    );
}

#[derive(Relation)]
#[relation(tree)]
struct ChildOf;

#[system]
fn bubbles(hit: Trigger<Hit>, health: Comp<Health>, mut log: ResMut<Log>) {
    let (target, origin) = (hit.entity(), hit.origin().unwrap());
    let of = |entity| health.get(entity).unwrap().0;
    log.0.push(format!("{} from {}", of(target), of(origin)));
    if of(target) == hit.0 {
        hit.stop();
    }
}

#[test]
fn a_system_observes_events_that_propagate_and_stops_them() {
    let mut world = world();
    let root = world.spawn(Health(1));
    let branch = world.spawn((Health(2), ChildOf.to(root)));
    let leaf = world.spawn((Health(3), ChildOf.to(branch)));
    world.observe(bubbles);
    world.trigger_up::<ChildOf, _>(leaf, Hit(0)).unwrap();
    assert_eq!(log(&mut world), ["3 from 3", "2 from 3", "1 from 3"]);
    world.trigger_up::<ChildOf, _>(leaf, Hit(2)).unwrap();
    assert_eq!(log(&mut world), ["3 from 3", "2 from 3"]);
}

#[system]
fn despawns(hit: Trigger<Hit>, mut commands: Commands, mut log: ResMut<Log>) {
    commands.despawn(hit.entity());
    log.0.push("despawns".to_owned());
}

#[test]
fn an_observer_of_an_entity_can_despawn_it() {
    let ledger = Ledger::default();
    let mut world = world();
    let entity = world.spawn(Health(1));
    let token = ledger.token();
    let counts = move |_: Trigger<Hit>, mut log: ResMut<Log>| {
        let _ = &token;
        log.0.push("counts".to_owned());
    };
    world.observe_on(entity, despawns).unwrap();
    let id = world.observe_on(entity, counts).unwrap();
    world.trigger_on(entity, Hit(1)).unwrap();
    assert_eq!(log(&mut world), ["despawns", "counts"]);
    assert!(!world.contains(entity) && !world.unobserve(id));
    assert!(ledger.alive().is_empty());
    assert!(world.trigger_on(entity, Hit(1)).is_err());
}

#[system]
fn in_turns(
    _: Trigger<Healed>,
    mut healths: ParamSet<(CompMut<Health>, Query<&Health>)>,
    count: NonSend<std::rc::Rc<std::cell::Cell<i32>>>,
) {
    for health in healths.p0().iter_mut() {
        health.0 += 1;
    }
    count.set(healths.p1().iter().map(|health| health.0).sum());
}

#[test]
fn param_sets_and_values_of_one_thread_are_parameters_of_observers() {
    let mut world = world();
    world.insert_non_send(std::rc::Rc::new(std::cell::Cell::new(0)));
    let _ = [world.spawn(Health(1)), world.spawn(Health(2))];
    world.observe(in_turns);
    world.trigger(Healed);
    assert_eq!(
        world.non_send::<std::rc::Rc<std::cell::Cell<i32>>>().get(),
        5
    );
}

#[test]
fn an_observer_that_is_called_by_hand_beside_a_held_view_is_refused() {
    let mut world = world();
    let entity = world.spawn(Health(5));
    world.observe(move |_: Trigger<Healed>, world: DeferredWorld| {
        let _held = world.view::<Health>();
        on_hit(Trigger::on(entity, &Hit(2)), &*world);
    });
    assert!(panics(|| _ = world.trigger(Healed)).contains("Health"));
    world.trigger_on(entity, Hit(0)).unwrap();
    on_hit(Trigger::on(entity, &Hit(2)), &world);
    assert_eq!(world.get::<Health>(entity).unwrap().0, 3);
}
