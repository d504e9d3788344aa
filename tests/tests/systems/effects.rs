//! The effects of systems in their metadata: the events that they send, and whether they see one entity at a time.

use ecs_core::meta::SystemMeta;
use ecs_core::prelude::*;
use ecs_core::relation::{Target, Up};
use ecs_core::tree::ChildOf;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Velocity(f32);
#[derive(Component)]
struct Ghost;

struct Hit;
#[derive(Event, Clone, Debug, serde::Serialize, serde::Deserialize)]
#[event(data = "tests.heal")]
struct Heal;

#[derive(SystemParam)]
struct Bells<'w> {
    hits: EventWriter<'w, Hit>,
    count: ResMut<'w, u32>,
}

#[derive(SystemParam)]
struct Others<'w> {
    all: Comp<'w, Position>,
}

#[derive(QueryData)]
struct Above<'a> {
    position: Option<Up<ChildOf, &'a Position>>,
}

/// The loops that see one entity at a time.
mod alone {
    use super::*;

    #[system(for_each)]
    pub(super) fn plain(position: &mut Position, velocity: Option<&Velocity>, by: Res<f32>) {
        position.0 += velocity.map_or(*by, |velocity| velocity.0);
    }
    #[system(for_each, with(Ghost), without(Velocity))]
    pub(super) fn filtered(position: &mut Position) {
        position.0 = 0.0;
    }
    #[system(par_for_each)]
    pub(super) fn parallel(position: &mut Position) {
        position.0 = 0.0;
    }
    #[system(for_each)]
    pub(super) fn commanding(entity: Entity, _: &Ghost, mut commands: Commands) {
        commands.despawn(entity);
    }
    #[system(for_each)]
    pub(super) fn sending(_: &Ghost, mut bells: Bells, mut heals: EventWriter<Heal>) {
        *bells.count += 1;
        bells.hits.send(Hit);
        heals.send(Heal);
    }
    #[system(for_each)]
    pub(super) fn counting(_: &Ghost, mut count: Local<u32>) {
        *count += 1;
    }
    #[system(for_each)]
    pub(super) fn edge(_: &Target<ChildOf>, position: &mut Position) {
        position.0 = 0.0;
    }
    pub(super) struct Physics;
    #[systems]
    impl Physics {
        #[system(for_each)]
        pub(super) fn step(position: &mut Position) {
            position.0 += 1.0;
        }
    }
}

/// The systems that may see others.
mod together {
    use super::*;

    #[system(for_each)]
    pub(super) fn viewing(velocity: &mut Velocity, all: Comp<Position>) {
        velocity.0 = all.iter().count() as f32;
    }
    #[system(for_each)]
    pub(super) fn querying(velocity: &mut Velocity, all: Query<Entity, With<Position>>) {
        velocity.0 = all.iter().count() as f32;
    }
    #[system(for_each)]
    pub(super) fn deriving(velocity: &mut Velocity, others: Others) {
        velocity.0 = others.all.iter().count() as f32;
    }
    #[system(for_each)]
    pub(super) fn asking(entity: Entity, velocity: &mut Velocity, entities: Entities) {
        velocity.0 = f32::from(u8::from(entities.contains(entity)));
    }
    #[system(for_each)]
    pub(super) fn parents(velocity: &mut Velocity, #[item] up: Above) {
        velocity.0 = up.position.map_or(0.0, |position| position.0);
    }
    #[system]
    pub(super) fn plain(mut all: Query<&mut Position>) {
        for position in &mut all {
            position.0 = 0.0;
        }
    }
    #[system]
    pub(super) fn nothing() {}
    #[system]
    pub(super) fn everything(_: &mut World) {}
}

#[test]
fn a_loop_over_entities_without_other_access_to_components_sees_one_at_a_time() {
    let one: [(&str, SystemMeta); 8] = [
        ("plain", ecs_core::meta(&alone::plain)),
        ("filtered", ecs_core::meta(&alone::filtered)),
        ("parallel", ecs_core::meta(&alone::parallel)),
        ("commanding", ecs_core::meta(&alone::commanding)),
        ("sending", ecs_core::meta(&alone::sending)),
        ("counting", ecs_core::meta(&alone::counting)),
        ("edge", ecs_core::meta(&alone::edge)),
        ("step", ecs_core::meta(&alone::Physics::step)),
    ];
    for (name, meta) in one {
        assert!(meta.is_per_row(), "{name}");
    }
    let several: [(&str, SystemMeta); 8] = [
        ("viewing", ecs_core::meta(&together::viewing)),
        ("querying", ecs_core::meta(&together::querying)),
        ("deriving", ecs_core::meta(&together::deriving)),
        ("asking", ecs_core::meta(&together::asking)),
        ("parents", ecs_core::meta(&together::parents)),
        ("plain", ecs_core::meta(&together::plain)),
        ("nothing", ecs_core::meta(&together::nothing)),
        ("everything", ecs_core::meta(&together::everything)),
    ];
    for (name, meta) in several {
        assert!(!meta.is_per_row(), "{name}");
    }
}

/// The names of the events that a system can send.
fn sent(meta: SystemMeta) -> Vec<&'static str> {
    let names = meta.sends().into_iter().map(|event| event.type_name());
    names
        .map(|name| name.rsplit("::").next().unwrap())
        .collect()
}

#[system]
fn writes(_: EventWriter<Hit>, _: EventReader<Heal>) {}
#[system]
fn writes_data(_: EventWriter<Heal>, _: Option<ResMut<ecs_core::event::Events<Hit>>>) {}
#[system]
fn writes_resource(_: ResMut<ecs_core::event::Events<Hit>>) {}
#[system]
fn reads_resource(_: Res<ecs_core::event::Events<Hit>>) {}
#[system]
fn writes_in_turns(_: ParamSet<(EventWriter<Heal>, EventReader<Heal>, EventWriter<Hit>)>) {}
#[system]
fn writes_twice(_: ParamSet<(EventWriter<Hit>, EventWriter<Hit>)>, _: EventReader<Heal>) {}
#[system]
fn generic<E: Send + Sync + 'static>(_: EventWriter<Vec<E>>) {}

#[test]
fn metadata_name_the_events_that_a_system_can_send() {
    assert_eq!(sent(ecs_core::meta(&writes)), ["Hit"]);
    assert_eq!(sent(ecs_core::meta(&writes_data)), ["Heal", "Hit"]);
    assert_eq!(sent(ecs_core::meta(&writes_resource)), ["Hit"]);
    assert!(sent(ecs_core::meta(&reads_resource)).is_empty());
    assert_eq!(sent(ecs_core::meta(&writes_in_turns)), ["Heal", "Hit"]);
    assert_eq!(sent(ecs_core::meta(&writes_twice)), ["Hit"]);
    assert_eq!(sent(ecs_core::meta(&alone::sending)), ["Hit", "Heal"]);
    let one = ecs_core::meta(&generic::<Hit>).sends();
    let other = ecs_core::meta(&generic::<Heal>).sends();
    assert_ne!(one[0].type_id(), other[0].type_id());

    // Closures, conditions and steps have the same metadata.
    let mut schedule = Schedule::new();
    schedule.add(|_: EventWriter<Hit>, _: EventReader<Heal>| {});
    let plan = schedule.plan().unwrap();
    assert_eq!(sent(plan.steps().next().unwrap().meta()), ["Hit"]);
}

#[test]
fn senders_conflict_as_before() {
    let mut schedule = Schedule::new();
    schedule.add((writes, writes_resource, writes_data, reads_resource));
    let plan = schedule.plan().unwrap();
    let steps: Vec<_> = plan.steps().collect();
    assert_eq!(steps[1].waits_for().next().unwrap().number(), 0);
    assert_eq!(steps[2].waits_for().next().unwrap().number(), 1);
    assert_eq!(steps[3].waits_for().next().unwrap().number(), 2);
    let reason = plan.why(writes, writes_resource).to_string();
    assert!(reason.contains("Hit"), "{reason}");
}
