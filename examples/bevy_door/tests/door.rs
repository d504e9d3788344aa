//! Both worlds after each run of the door, against a model, and the rules of its documentation one by one.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use bevy_app::{App, First, PostUpdate};
use bevy_door::{Ecs, EcsPlugin, InBevy, InEcs};
use bevy_ecs::component::Component as BevyComponent;
use bevy_ecs::entity::Entity as BevyEntity;
use bevy_ecs::lifecycle::Remove;
use bevy_ecs::observer::On;
use bevy_ecs::query::Changed as BevyChanged;
use bevy_ecs::resource::Resource as BevyResource;
use bevy_ecs::system::{Commands as BevyCommands, Query as BevyQuery, ResMut as BevyResMut};
use ecs_core::prelude::*;

/// A component of both worlds.
#[derive(BevyComponent, Component, Clone, Copy, Debug, PartialEq)]
struct Health(i32);

/// A component of bevy that `ecs_core` only knows half of.
#[derive(BevyComponent, Clone, Copy, Debug, PartialEq)]
struct Transform {
    x: i32,
    turn: i32,
}

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(track)]
struct Place(i32);

/// The entities of bevy with a health that was written since the last frame.
#[derive(BevyResource, Default)]
struct Written(Vec<BevyEntity>);

fn note_written(written: BevyQuery<BevyEntity, BevyChanged<Health>>, mut all: BevyResMut<Written>) {
    all.0 = written.iter().collect();
}

fn plugin(schedule: Schedule) -> EcsPlugin {
    EcsPlugin::new(schedule)
        .share::<Health>()
        .to_ecs(|transform: &Transform, _: Option<&Place>| Place(transform.x))
        .changed_to_bevy(|place: &Place, last: Option<&Transform>| Transform {
            x: place.0,
            turn: last.map_or(0, |last| last.turn),
        })
}

fn app(schedule: Schedule) -> App {
    let mut app = App::new();
    app.add_plugins(plugin(schedule));
    app.init_resource::<Written>();
    app.add_systems(PostUpdate, note_written);
    app
}

fn ecs(app: &mut App) -> &mut World {
    &mut app.world_mut().resource_mut::<Ecs>().into_inner().world
}

/// An act of one side on an entity.
#[derive(Clone, Copy, Debug)]
enum Act {
    Spawn(i32),
    Despawn,
    SetHealth(i32),
    SetPlace(i32),
    RemoveHealth,
    RemovePlace,
}

/// The acts of the schedule in the next run, with the numbers of entities, and the ids of the entities.
#[derive(Resource, Default)]
struct Acts(Vec<(usize, Act)>, Vec<Option<Entity>>);

fn act_in_ecs(world: &mut World, ids: &mut Vec<Option<Entity>>, number: usize, act: Act) {
    ids.resize(ids.len().max(number + 1), None);
    if let Act::Spawn(value) = act {
        ids[number] = Some(world.spawn((Health(value), Place(value))));
        return;
    }
    let Some(entity) = ids[number] else {
        return;
    };
    // The entity may be gone.
    match act {
        Act::Spawn(_) => {}
        Act::Despawn => _ = world.despawn(entity),
        Act::SetHealth(value) => _ = world.insert(entity, Health(value)),
        Act::SetPlace(value) => match world.get_mut::<Place>(entity) {
            Some(mut place) => place.0 = value,
            None => _ = world.insert(entity, Place(value)),
        },
        Act::RemoveHealth => _ = world.remove::<Health>(entity),
        Act::RemovePlace => _ = world.remove::<Place>(entity),
    }
}

#[system]
fn act(world: &mut World) {
    let mut acts = std::mem::take(&mut *world.resource_mut::<Acts>());
    for (number, act) in acts.0.drain(..) {
        act_in_ecs(world, &mut acts.1, number, act);
    }
    *world.resource_mut::<Acts>() = acts;
}

fn act_in_bevy(app: &mut App, ids: &mut Vec<Option<BevyEntity>>, number: usize, act: Act) {
    ids.resize(ids.len().max(number + 1), None);
    let world = app.world_mut();
    if let Act::Spawn(value) = act {
        let transform = Transform { x: value, turn: 1 };
        ids[number] = Some(world.spawn((Health(value), transform)).id());
        return;
    }
    let entity = ids[number].and_then(|id| world.get_entity_mut(id).ok());
    let Some(mut entity) = entity else {
        return;
    };
    match act {
        Act::Spawn(_) => {}
        Act::Despawn => entity.despawn(),
        Act::SetHealth(value) => _ = entity.insert(Health(value)),
        Act::SetPlace(value) => match entity.get_mut::<Transform>() {
            Some(mut transform) => (transform.x, transform.turn) = (value, 2),
            None => _ = entity.insert(Transform { x: value, turn: 2 }),
        },
        Act::RemoveHealth => _ = entity.remove::<Health>(),
        Act::RemovePlace => _ = entity.remove::<Transform>(),
    }
}

/// An entity as each side has it.
#[derive(Clone, Debug, Default)]
struct Model {
    is_alive: bool,
    bevy: (Option<i32>, Option<(i32, i32)>),
    ecs: (Option<i32>, Option<i32>),
}

impl Model {
    fn act_in_bevy(&mut self, act: Act) {
        match act {
            Act::Spawn(value) => {
                (self.is_alive, self.bevy) = (true, (Some(value), Some((value, 1))));
            }
            Act::Despawn => *self = Self::default(),
            _ if !self.is_alive => {}
            Act::SetHealth(value) => self.bevy.0 = Some(value),
            Act::SetPlace(value) => self.bevy.1 = Some((value, 2)),
            Act::RemoveHealth => self.bevy.0 = None,
            Act::RemovePlace => self.bevy.1 = None,
        }
    }

    fn act_in_ecs(&mut self, act: Act) {
        match act {
            Act::Spawn(value) => (self.is_alive, self.ecs) = (true, (Some(value), Some(value))),
            Act::Despawn => *self = Self::default(),
            _ if !self.is_alive => {}
            Act::SetHealth(value) => self.ecs.0 = Some(value),
            Act::SetPlace(value) => self.ecs.1 = Some(value),
            Act::RemoveHealth => self.ecs.0 = None,
            Act::RemovePlace => self.ecs.1 = None,
        }
    }

    fn copy_to_ecs(&mut self) {
        self.ecs = (self.bevy.0, self.bevy.1.map(|(x, _)| x));
    }

    /// Bevy loses the components that the other side has lost.
    fn settle(&mut self) {
        self.bevy.0 = self.bevy.0.filter(|_| self.ecs.0.is_some());
        self.bevy.1 = self.bevy.1.filter(|_| self.ecs.1.is_some());
    }

    fn copy_to_bevy(&mut self) {
        self.settle();
        let turn = self.bevy.1.map_or(0, |last| last.1);
        self.bevy = (self.ecs.0, self.ecs.1.map(|x| (x, turn)));
    }
}

/// A small generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    fn act(&mut self) -> Act {
        let value = self.below(5) as i32;
        match self.below(6) {
            0 => Act::Despawn,
            1 | 2 => Act::SetHealth(value),
            3 => Act::SetPlace(value),
            4 => Act::RemoveHealth,
            _ => Act::RemovePlace,
        }
    }
}

#[test]
fn both_worlds_are_as_in_the_model_after_random_acts_on_both_sides() {
    for seed in 1..=30 {
        let mut random = Random(seed * 0x9e37_79b9);
        let mut schedule = Schedule::new();
        schedule.add(act);
        let mut app = app(schedule);
        ecs(&mut app).insert_resource(Acts::default());
        let mut in_bevy = Vec::new();
        let mut models: Vec<Model> = Vec::new();
        for frame in 0..25 {
            // Before the frame, each entity is only touched by one side.
            let mut written = Vec::new();
            for _ in 0..random.below(6) {
                let number = random.below(models.len() + 2).min(models.len());
                let is_new = number == models.len();
                let act = if is_new { Act::Spawn(7) } else { random.act() };
                if is_new {
                    models.push(Model::default());
                }
                let model = &mut models[number];
                if (number + frame).is_multiple_of(2) {
                    act_in_bevy(&mut app, &mut in_bevy, number, act);
                    model.act_in_bevy(act);
                    model.copy_to_ecs();
                    if matches!(act, Act::Spawn(_) | Act::SetHealth(_)) {
                        written.push(number);
                    }
                } else {
                    let world = ecs(&mut app);
                    let mut acts = std::mem::take(&mut *world.resource_mut::<Acts>());
                    act_in_ecs(world, &mut acts.1, number, act);
                    *world.resource_mut::<Acts>() = acts;
                    model.act_in_ecs(act);
                }
            }
            // Ids of entities that bevy has spawned are known after the frame.
            let mut acts = Vec::new();
            for (number, model) in models.iter_mut().enumerate() {
                model.settle();
                if random.below(4) == 0 {
                    let known = &ecs(&mut app).resource::<Acts>().1;
                    if known.get(number).copied().flatten().is_some() {
                        acts.push((number, random.act()));
                    }
                }
            }
            if random.below(3) == 0 {
                acts.push((models.len(), Act::Spawn(8)));
                models.push(Model::default());
            }
            ecs(&mut app).resource_mut::<Acts>().0.extend(&acts);
            for &(number, act) in &acts {
                models[number].act_in_ecs(act);
            }
            app.update();

            for (number, model) in models.iter_mut().enumerate() {
                let last = model.bevy.0;
                model.copy_to_bevy();
                if model.bevy.0 != last && !written.contains(&number) {
                    written.push(number);
                }
            }
            let mut known = std::mem::take(&mut ecs(&mut app).resource_mut::<Acts>().1);
            known.resize(models.len(), None);
            in_bevy.resize(models.len(), None);
            for number in 0..models.len() {
                let here = known[number]
                    .and_then(|id| ecs(&mut app).get::<InBevy>(id).as_deref().copied());
                let there = in_bevy[number].and_then(|id| app.world().get::<InEcs>(id).copied());
                in_bevy[number] = in_bevy[number].or(here.map(|here| here.0));
                known[number] = known[number].or(there.map(|there| there.0));
            }
            let mut alive = 0;
            for (number, model) in models.iter().enumerate() {
                let context = format!("seed {seed}, frame {frame}, entity {number}");
                if let Some(id) = in_bevy[number] {
                    let world = app.world();
                    assert_eq!(world.get_entity(id).is_ok(), model.is_alive, "{context}");
                    let health = world.get::<Health>(id).map(|health| health.0);
                    let place = world.get::<Transform>(id).map(|it| (it.x, it.turn));
                    assert_eq!((health, place), model.bevy, "{context}, in bevy");
                }
                if let Some(id) = known[number] {
                    let world = ecs(&mut app);
                    assert_eq!(world.contains(id), model.is_alive, "{context}");
                    let health = world.get::<Health>(id).map(|health| health.0);
                    let place = world.get::<Place>(id).map(|place| place.0);
                    assert_eq!((health, place), model.ecs, "{context}, in ecs");
                }
                if model.is_alive {
                    alive += 1;
                    let ids = (in_bevy[number].unwrap(), known[number].unwrap());
                    assert_eq!(app.world().get(ids.0), Some(&InEcs(ids.1)), "{context}");
                    assert_eq!(
                        ecs(&mut app).get(ids.1).as_deref(),
                        Some(&InBevy(ids.0)),
                        "{context}"
                    );
                }
            }
            assert_eq!(ecs(&mut app).query::<&InBevy>().iter().count(), alive);
            let mut all = app.world_mut().query::<&InEcs>();
            assert_eq!(all.iter(app.world()).count(), alive);
            // Nothing was written that was the same.
            written.retain(|&number| models[number].bevy.0.is_some());
            let mut written =
                Vec::from_iter(written.iter().map(|&number| in_bevy[number].unwrap()));
            written.sort();
            written.dedup();
            let mut found = app.world().resource::<Written>().0.clone();
            found.sort();
            assert_eq!(found, written, "seed {seed}, frame {frame}");
            ecs(&mut app).resource_mut::<Acts>().1 = known;
        }
    }
}

/// An app, and an entity that is in both worlds.
fn pair(schedule: Schedule) -> (App, BevyEntity, Entity) {
    let mut app = app(schedule);
    let here = app.world_mut().spawn(Health(1)).id();
    app.update();
    let there = app.world().get::<InEcs>(here).unwrap().0;
    (app, here, there)
}

#[test]
fn of_two_values_that_were_written_between_two_runs_bevys_stays() {
    let (mut app, here, there) = pair(Schedule::new());
    ecs(&mut app).get_mut::<Health>(there).unwrap().0 = 2;
    app.update();
    assert_eq!(app.world().get(here), Some(&Health(2)));

    ecs(&mut app).get_mut::<Health>(there).unwrap().0 = 3;
    app.world_mut().get_mut::<Health>(here).unwrap().0 = 4;
    app.update();
    assert_eq!(app.world().get(here), Some(&Health(4)));
    assert_eq!(
        ecs(&mut app).get::<Health>(there).as_deref(),
        Some(&Health(4))
    );
}

#[test]
fn what_one_side_has_removed_is_gone_although_the_other_has_written_it() {
    let (mut app, here, there) = pair(Schedule::new());
    ecs(&mut app).remove::<Health>(there).unwrap();
    app.world_mut().get_mut::<Health>(here).unwrap().0 = 4;
    app.update();
    assert_eq!(app.world().get::<Health>(here), None);

    ecs(&mut app).insert(there, Health(5)).unwrap();
    app.update();
    assert_eq!(app.world().get(here), Some(&Health(5)));
    app.world_mut().despawn(here);
    ecs(&mut app).get_mut::<Health>(there).unwrap().0 = 6;
    app.update();
    assert!(!ecs(&mut app).contains(there));
}

#[test]
fn what_is_removed_and_back_before_the_next_run_stays() {
    let (mut app, here, there) = pair(Schedule::new());
    let mut entity = app.world_mut().entity_mut(here);
    entity.remove::<Health>();
    entity.insert(Health(2));
    app.update();
    assert_eq!(
        ecs(&mut app).get::<Health>(there).as_deref(),
        Some(&Health(2))
    );
    assert_eq!(app.world().get(here), Some(&Health(2)));

    ecs(&mut app).remove::<Health>(there).unwrap();
    ecs(&mut app).insert(there, Health(3)).unwrap();
    app.update();
    assert_eq!(app.world().get(here), Some(&Health(3)));
}

#[test]
fn what_an_observer_despawns_while_the_door_removes_is_gone_on_both_sides() {
    let (mut app, here, there) = pair(Schedule::new());
    let other = app.world_mut().spawn(Health(1)).id();
    app.update();
    let other_there = app.world().get::<InEcs>(other).unwrap().0;
    app.add_observer(move |_: On<Remove<Health>>, mut commands: BevyCommands| {
        commands.entity(other).try_despawn();
    });
    ecs(&mut app).remove::<Health>(there).unwrap();
    app.update();
    assert!(app.world().get_entity(here).is_ok());
    assert!(app.world().get_entity(other).is_err() && !ecs(&mut app).contains(other_there));
}

#[test]
fn a_clone_in_bevy_has_a_counterpart_of_its_own() {
    let (mut app, here, there) = pair(Schedule::new());
    let copy = app.world_mut().entity_mut(here).clone_and_spawn();
    app.update();
    let copy_there = app.world().get::<InEcs>(copy).unwrap().0;
    assert_ne!(copy_there, there);
    assert_eq!(
        ecs(&mut app).get::<InBevy>(copy_there).as_deref(),
        Some(&InBevy(copy))
    );
}

#[derive(BevyResource, Resource, Clone, Debug, PartialEq)]
struct Score(u32);
#[derive(BevyResource)]
struct Clock(f64);
#[derive(Resource)]
struct Now(f64);

#[test]
fn resources_go_both_ways_and_the_schedule_runs_where_it_is_put() {
    let mut rules = Schedule::new();
    rules.add(|mut score: ResMut<Score>, now: Res<Now>| score.0 += now.0 as u32);
    let mut app = App::new();
    let door = EcsPlugin::new(rules).in_schedule(First);
    app.add_plugins(
        door.share_resource::<Score>()
            .resource_to_ecs(|clock: &Clock| Now(clock.0)),
    );
    app.insert_resource(Score(10)).insert_resource(Clock(2.0));
    app.update();
    assert_eq!(app.world().resource::<Score>().0, 12);
    app.world_mut().resource_mut::<Clock>().0 = 3.0;
    app.world_mut().resource_mut::<Score>().0 = 20;
    app.update();
    assert_eq!(app.world().resource::<Score>().0, 23);
    ecs(&mut app).resource_mut::<Now>().0 = 1.0; // stays until bevy writes its clock
    app.update();
    assert_eq!(app.world().resource::<Score>().0, 24);
}

#[test]
fn a_run_only_looks_at_values_that_were_written() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    fn count<T>(value: T) -> T {
        CALLS.fetch_add(1, Relaxed);
        value
    }
    let mut app = App::new();
    app.add_plugins(
        EcsPlugin::new(Schedule::new())
            .to_ecs(|transform: &Transform, _: Option<&Place>| count(Place(transform.x)))
            .changed_to_bevy(|place: &Place, _| {
                count(Transform {
                    x: place.0,
                    turn: 0,
                })
            }),
    );
    let here = app.world_mut().spawn(Transform { x: 1, turn: 0 }).id();
    ecs(&mut app).spawn(Place(2));
    // Into the other world, and the one that is new there is compared with its origin.
    for (calls, x) in [(3, 3), (2, 3), (0, 3)] {
        CALLS.store(0, Relaxed);
        app.update();
        assert_eq!(CALLS.load(Relaxed), calls);
        if calls == 3 {
            app.world_mut().get_mut::<Transform>(here).unwrap().x = x;
        }
    }
}
