//! A long random program: all structural changes, in any order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use ecs_core::CommandQueue;
use ecs_core::event::EventCursor;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::resource::ResourceMap;
use ecs_core::view::RemovedCursor;
use ecs_core::world::Layout;
use ecs_core::world::hooks::{
    DeferredWorld, Lifecycle, ObserverId, OnAdd, OnComponent, OnDespawn, OnInsert, OnRemove,
    OnReplace, Trigger,
};
use rayon::ThreadPool;

use crate::bundles::{BUNDLES, KINDS, Make, insert_by_command, with_bundle, with_kind};
use crate::dump::dump;
use crate::kinds::*;
use crate::log::{Dice, Noted, collect_strays, log, number};
use crate::systems::{Schedules, call};

/// The world, and the other state of the program.
pub(crate) struct Program {
    pub(crate) world: World,
    dice: Dice,
    issued: Vec<Entity>,
    observers: Vec<ObserverId>,
    shouts: EventCursor<Shout>,
    removed: RemovedCursor<Tracked>,
    /// Filled over several steps, then applied.
    queue: CommandQueue,
}

/// Runs the program.
pub(crate) fn run(seed: u64, steps: usize, pool: Option<&ThreadPool>) {
    let mut program = Program::new(seed);
    let mut schedules = Schedules::new(&mut program.world);
    for step in 0..steps {
        log!("step {step}");
        if program.dice.roll(12) == 0 {
            schedules.run(&mut program.world, &mut program.dice, pool);
            let ids: Vec<Entity> = program.world.entities().iter().collect();
            program.issued.extend(ids.last());
        } else {
            program.step();
            collect_strays();
        }
        if step % 100 == 99 {
            dump(&program.world);
            program.world.check_invariants();
        }
    }
    log!("the schedules go");
    drop(schedules);
    let Program {
        mut world, queue, ..
    } = program;
    log!("the queue goes");
    drop(queue);
    if seed.is_multiple_of(2) {
        log!("all entities go");
        world.clear();
    }
    log!("the world goes");
    drop(world);
}

impl Program {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let world = match dice.roll(2) {
            0 => World::new(),
            _ => World::builder().group::<(Right, Left)>().build(),
        };
        Self {
            world,
            dice,
            issued: Vec::new(),
            observers: Vec::new(),
            shouts: EventCursor::default(),
            removed: RemovedCursor::default(),
            queue: CommandQueue::new(),
        }
    }

    /// Returns an allocated entity, alive or not.
    fn pick(&mut self) -> Entity {
        if self.issued.is_empty() {
            self.issued.push(self.world.spawn_empty());
        }
        // Mostly one of the latest.
        let range = self.issued.len().min(if self.dice.roll(4) == 0 {
            usize::MAX
        } else {
            40
        });
        self.issued[self.issued.len() - 1 - self.dice.roll(range)]
    }

    fn issue(&mut self, entity: Entity) {
        log!("issued {entity}");
        self.issued.push(entity);
    }

    fn step(&mut self) {
        match self.dice.roll(42) {
            0..=7 => self.spawn(),
            8..=12 => self.insert(),
            13..=15 => self.remove(),
            16 => self.take(),
            17..=18 => self.replace(),
            19..=21 => self.despawn(),
            22..=25 => self.relate(),
            26 => self.unrelate(),
            27..=28 => self.observe(),
            29 => self.unobserve(),
            30 => self.trigger(),
            31 => self.events(),
            32..=33 => self.command(),
            34 => self.apply(),
            35 => self.resources(),
            36 => self.non_send(),
            37 => self.in_bulk(),
            38 => self.look(),
            39 => self.immediately(),
            40 => call(&mut self.world, &mut self.dice),
            _ => self.rarely(),
        }
        log!(
            "{} entities, {} waiting",
            self.world.len(),
            self.queue.len()
        );
    }

    fn spawn(&mut self) {
        let bundle = self.dice.roll(BUNDLES);
        let count = self.dice.roll(8);
        with_bundle!(bundle, B => if count == 0 {
            let spawned = self.world.spawn_batch((0..3).map(|_| B::make(number()))).to_vec();
            log!("spawn bundle {bundle} {spawned:?}");
            self.issued.extend(spawned);
        } else {
            let spawned = self.world.spawn(B::make(number()));
            log!("spawn bundle {bundle}");
            self.issue(spawned);
        });
    }

    fn insert(&mut self) {
        let (entity, bundle) = (self.pick(), self.dice.roll(BUNDLES));
        log!("insert bundle {bundle} into {entity}");
        let result = with_bundle!(bundle, B => self.world.insert(entity, B::make(number())));
        log!("{result:?}");
    }

    fn remove(&mut self) {
        let (entity, bundle) = (self.pick(), self.dice.roll(BUNDLES));
        log!("remove bundle {bundle} from {entity}");
        let result = with_bundle!(bundle, B => self.world.remove::<B>(entity));
        log!("{result:?}");
    }

    fn take(&mut self) {
        let (entity, bundle) = (self.pick(), self.dice.roll(BUNDLES));
        log!("take bundle {bundle} from {entity}");
        with_bundle!(bundle, B => match self.world.take::<B>(entity) {
            Ok(_) => log!("taken"),
            Err(error) => log!("{error}"),
        });
    }

    fn replace(&mut self) {
        let (entity, kind) = (self.pick(), self.dice.roll(KINDS));
        log!("replace kind {kind} of {entity}");
        let old = with_kind!(kind, K => {
            let old = self.world.replace(entity, K::new(number()));
            old.map(|old| old.map(|old| old.number()))
        });
        log!("{old:?}");
    }

    fn despawn(&mut self) {
        let entity = self.pick();
        log!("despawn {entity}");
        let result = self.world.despawn(entity);
        log!("{result:?}");
    }

    /// Relates several entities to one, in several ways.
    fn relate(&mut self) {
        let target = self.pick();
        for _ in 0..=self.dice.roll(3) {
            self.relate_to(target);
        }
    }

    fn relate_to(&mut self, target: Entity) {
        let source = self.pick();
        log!("relate {source} {target}");
        let world = &mut self.world;
        macro_rules! relate {
            ($relation:ident) => {{
                let value = $relation(Noted::new(stringify!($relation), number()));
                world
                    .relate(source, value, target)
                    .map_err(|error| error.to_string())
            }};
        }
        let result = match self.dice.roll(7) {
            0 | 1 => relate!(ChildOf),
            2 => relate!(Follows),
            3 => relate!(Likes),
            4 => relate!(Needs),
            5 => {
                // The order in the bundle differs from the order of the names and from the order of the other changes.
                let (a, b) = (
                    Noted::new("Needs", number()),
                    Noted::new("Follows", number()),
                );
                let bundle = (
                    Needs(a).to(target),
                    Mark::new(number()),
                    Follows(b).to(target),
                );
                caught(|| {
                    world
                        .insert(source, bundle)
                        .map_err(|error| error.to_string())
                })
            }
            _ => {
                let (a, b) = (
                    Noted::new("Likes", number()),
                    Noted::new("ChildOf", number()),
                );
                let bundle = (
                    Loose::new(number()),
                    Likes(a).to(target),
                    ChildOf(b).to(target),
                );
                let spawned = world.spawn(bundle);
                self.issue(spawned);
                Ok(())
            }
        };
        log!("{result:?}");
    }

    fn unrelate(&mut self) {
        let (source, target) = (self.pick(), self.pick());
        let world = &mut self.world;
        let result = match self.dice.roll(6) {
            0 => world.unrelate::<ChildOf>(source, target),
            1 => world.unrelate::<Likes>(source, target),
            2 => world.remove::<Sources<Follows>>(source).map(|()| true),
            3 => world
                .remove::<(Sources<Needs>, Target<ChildOf>)>(source)
                .map(|()| true),
            4 => world.remove::<Sources<ChildOf>>(source).map(|()| true),
            _ => Ok(world
                .sources_mut::<ChildOf>(target)
                .is_some_and(|mut sources| {
                    sources.sort_by_key(|source| std::cmp::Reverse(source.id().index()));
                    sources.move_to(source, 0)
                })),
        };
        log!("unrelate {source} {target}: {result:?}");
    }

    fn observe(&mut self) {
        let id = match self.dice.roll(12) {
            0..=6 => {
                let kind = self.dice.roll(KINDS);
                with_kind!(kind, K => self.observe_kind::<K>())
            }
            7 => self.on::<OnRemove<Target<ChildOf>>>(),
            8 => self.on::<OnInsert<Targets<Needs>>>(),
            9 => self.on::<OnDespawn<Sources<Follows>>>(),
            10 => {
                let noted = Noted::new("observer", number());
                self.world
                    .observe(move |ping: Trigger<Ping>, _: DeferredWorld| {
                        log!(
                            "observer {} of Ping {} {:?} {:?}",
                            noted.number(),
                            ping.0,
                            ping.target(),
                            ping.origin()
                        );
                    })
            }
            _ => {
                let (noted, entity) = (Noted::new("observer", number()), self.pick());
                let result =
                    self.world
                        .observe_on(entity, move |pong: Trigger<Pong>, _: DeferredWorld| {
                            log!(
                                "observer {} of Pong {} {:?}",
                                noted.number(),
                                pong.0.number(),
                                pong.target()
                            );
                            if noted.number().is_multiple_of(3) {
                                pong.stop();
                            }
                        });
                log!("{result:?}");
                let Ok(id) = result else { return };
                id
            }
        };
        log!("{id:?}");
        self.observers.push(id);
    }

    fn observe_kind<K: Component>(&mut self) -> ObserverId {
        match self.dice.roll(5) {
            0 => self.on::<OnAdd<K>>(),
            1 => self.on::<OnInsert<K>>(),
            2 => self.on::<OnReplace<K>>(),
            3 => self.on::<OnRemove<K>>(),
            _ => self.on::<OnDespawn<K>>(),
        }
    }

    fn on<L: OnComponent + Event>(&mut self) -> ObserverId {
        let noted = Noted::new("observer", number());
        self.world
            .observe(move |event: L, mut world: DeferredWorld| {
                let entity = event.of();
                log!(
                    "observer {} {:?} {} {entity}",
                    noted.number(),
                    L::KIND,
                    std::any::type_name::<L>()
                );
                if (noted.number() + u64::from(entity.index())).is_multiple_of(17)
                    && L::KIND == Lifecycle::Add
                {
                    insert_by_command(
                        &mut world.commands(),
                        entity,
                        noted.number() as usize,
                        noted.number(),
                    );
                }
            })
    }

    fn unobserve(&mut self) {
        if self.observers.is_empty() {
            return;
        }
        let id = self
            .observers
            .swap_remove(self.dice.roll(self.observers.len()));
        log!("unobserve {id:?}");
        let had = self.world.unobserve(id);
        log!("{had}");
    }

    fn trigger(&mut self) {
        let entity = self.pick();
        log!("trigger {entity}");
        match self.dice.roll(4) {
            0 => drop(self.world.trigger(Ping(number()))),
            1 => log!(
                "{:?}",
                self.world.trigger_on(entity, Ping(number())).map(drop)
            ),
            2 => log!(
                "{:?}",
                self.world
                    .trigger_on(entity, Pong(Noted::new("Pong", number())))
                    .map(drop)
            ),
            _ => log!(
                "{:?}",
                self.world
                    .trigger_up::<ChildOf, _>(entity, Pong(Noted::new("Pong", number())))
                    .map(drop)
            ),
        }
    }

    fn events(&mut self) {
        if self.dice.roll(2) == 0 {
            self.world.send_event(Shout(Noted::new("Shout", number())));
        }
        let events = self.world.resource::<Events<Shout>>();
        for shout in self.shouts.on(&events).read() {
            log!("received {}", shout.0.number());
        }
        drop(events);
        for entity in self.world.removed(&mut self.removed).read() {
            log!("{entity} has lost its Tracked");
        }
    }

    fn command(&mut self) {
        for _ in 0..self.dice.roll(6) {
            let (entity, number) = (self.pick(), number());
            let (kind, bundle) = (self.dice.roll(KINDS), self.dice.roll(BUNDLES));
            let what = self.dice.roll(7);
            let mut commands = Commands::new(&mut self.queue, self.world.entities());
            match what {
                0 => commands.despawn(entity),
                1 | 2 => insert_by_command(&mut commands, entity, bundle, number),
                3 => with_kind!(kind, K => commands.remove::<K>(entity)),
                4 => commands.trigger_on(entity, Ping(number)),
                5 => commands.insert_resource(Thing::<5>::new(number)),
                _ => {
                    let spawned = with_bundle!(bundle, B => commands.spawn(B::make(number)).id());
                    self.issue(spawned);
                }
            }
        }
    }

    fn apply(&mut self) {
        log!("apply {} commands", self.queue.len());
        if self.dice.roll(2) == 0 {
            self.queue.apply(&mut self.world);
        } else {
            self.world.defer(&mut self.queue);
            let reserved = self.world.reserve_entity();
            self.issue(reserved);
            self.world.flush();
        }
    }

    fn resources(&mut self) {
        macro_rules! change {
            ($($n:literal)*) => {
                match self.dice.roll(6) {
                    $($n if self.dice.roll(3) == 0 => drop(self.world.remove_resource::<Thing<$n>>()),)*
                    $($n => drop(self.world.insert_resource(Thing::<$n>::new(number()))),)*
                    _ => unreachable!(),
                }
            };
        }
        change!(0 1 2 3 4 5);
        log!("{:?}", self.world.resources());
        if self.dice.roll(12) == 0 {
            // A map outside of a world, and a world inside of a world.
            let mut map = ResourceMap::new();
            map.insert(Thing::<3>::new(number()));
            map.insert(Thing::<0>::new(number()));
            map.insert(Thing::<4>::new(number()));
            let mut inner = World::new();
            inner.spawn((
                Hooked::new(number()),
                Aid::new(number()),
                LooseHooked::new(number()),
            ));
            map.insert(inner);
            map.insert(Thing::<1>::new(number()));
            log!("{map:?}");
            map.clear();
            log!("cleared");
        }
        if self.dice.roll(8) == 0 {
            let mut inner = World::new();
            inner.spawn((
                LooseHooked::new(number()),
                Generic::<u16>::new(number()),
                Mark::new(number()),
            ));
            inner.insert_resource(Thing::<2>::new(number()));
            inner.insert_resource(Thing::<1>::new(number()));
            drop(self.world.insert_resource(inner));
        }
    }

    fn non_send(&mut self) {
        struct Local<const N: usize>(#[expect(dead_code, reason = "dropped")] Rc<Thing<N>>);
        let world = &mut self.world;
        match self.dice.roll(4) {
            0 => drop(world.insert_non_send(Local::<0>(Rc::new(Thing::new(number()))))),
            1 => drop(world.insert_non_send(Local::<1>(Rc::new(Thing::new(number()))))),
            2 => drop(world.insert_non_send(Local::<2>(Rc::new(Thing::new(number()))))),
            _ => drop(world.remove_non_send::<Local<1>>()),
        }
        log!("{world:?}");
    }

    fn in_bulk(&mut self) {
        let (kind, bundle) = (self.dice.roll(KINDS), self.dice.roll(BUNDLES));
        log!("in bulk: kind {kind}, bundle {bundle}");
        let world = &mut self.world;
        match self.dice.roll(4) {
            0 if self.dice.roll(3) == 0 => with_kind!(kind, K => world.despawn_all::<With<K>>()),
            1 => with_bundle!(bundle, B => with_kind!(kind, K => world.remove_all::<B, With<K>>())),
            _ => {
                with_kind!(kind, K => world.insert_all_with::<(With<Mark>, Without<K>), _>(|_| K::new(number())));
            }
        }
    }

    fn look(&mut self) {
        let (entity, kind) = (self.pick(), self.dice.roll(KINDS));
        let world = &mut self.world;
        log!(
            "look at kind {kind} of {entity}, {:?}",
            world.contains(entity)
        );
        with_kind!(kind, K => {
            log!("{:?} {}", world.get::<K>(entity).map(|value| value.number()), world.has::<K>(entity));
            log!("{:?}", world.get_mut::<K>(entity).map(|value| value.number()));
            // Several borrows at a time: an unregistered component can be borrowed twice.
            let one = world.try_view_mut::<K>();
            let two = world.try_view::<K>();
            let query = world.try_query_filtered::<(Option<&K>, Entity), ()>();
            log!("{:?} {:?} {:?}", one.err(), two.err(), query.err());
        });
    }

    fn immediately(&mut self) {
        let (entity, number) = (self.pick(), number());
        let mut flash = self.world.view_mut::<Flash>();
        let old = flash.insert(entity, Flash::new(number));
        log!(
            "flash {entity} {:?}",
            old.map(|old| old.map(|old| old.number()))
        );
        drop(flash);
        let mut spark = self.world.view_mut::<Spark>();
        log!(
            "spark {entity} {:?}",
            spark.remove(entity).map(|old| old.number())
        );
    }

    fn rarely(&mut self) {
        let world = &mut self.world;
        let layouts = [
            Layout::new(),
            Layout::new()
                .group::<(Right, Left)>()
                .group::<(Left, Right)>(),
            Layout::new()
                .group::<(Middle, Left)>()
                .group::<(Right, Left, Middle)>(),
            Layout::new()
                .group::<(Right, Left)>()
                .group::<(Middle, Right)>(),
            Layout::new().group::<(Loose, Middle, Left, Middle, Left)>(),
        ];
        match self.dice.roll(8) {
            0..=3 => {
                let layout = &layouts[self.dice.roll(layouts.len())];
                log!(
                    "{layout:?} {:?}",
                    world.set_layout(layout).map_err(|error| error.to_string())
                );
            }
            4 => {
                let bundle = (
                    Hooked::new(number()),
                    Generic::<u16>::new(number()),
                    Generic::<u8>::new(number()),
                );
                let twice = (
                    bundle,
                    (Generic::<u8>::new(number()), Generic::<u16>::new(number())),
                );
                log!("{:?}", caught(|| Ok(world.spawn(twice))));
            }
            5 => {
                let entity = world.spawn_empty();
                let itself = Follows(Noted::new("Follows", number())).to(entity);
                log!(
                    "{:?}",
                    caught(|| world
                        .insert(entity, itself)
                        .map_err(|error| error.to_string()))
                );
            }
            6 => world.register::<Last>(),
            _ => {
                log!("clear");
                world.clear();
            }
        }
    }
}

/// The event of an observer.
pub(crate) trait Event: 'static {
    fn of(&self) -> Entity;
}

macro_rules! event {
    ($($name:ident)*) => {$(
        impl<T: Component> Event for $name<T> {
            fn of(&self) -> Entity {
                self.entity()
            }
        }
    )*};
}

event!(OnAdd OnInsert OnReplace OnRemove OnDespawn);

/// Returns the result, or the message of a panic as an error.
fn caught<R>(f: impl FnOnce() -> Result<R, String>) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        Err(format!(
            "panicked: {}",
            panic.downcast_ref::<String>().map_or("?", String::as_str)
        ))
    })
}
