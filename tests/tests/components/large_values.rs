//! Components, resources and events of 100 KB, on a thread with the standard library's default stack of 2 MiB.

use std::fmt;

use ecs_core::data::{Loader, WorldData as _};
use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;
use ecs_core::tree::children;
use ecs_core::world::hooks::OnInsert;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const LARGE: usize = 100 << 10;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "table")]
struct Table(Bytes);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "sparse", storage = "sparse", track)]
struct Sparse(Bytes);

#[derive(Component)]
#[component(storage = "sparse", immediate)]
struct Immediate(#[expect(dead_code, reason = "only its size matters")] Bytes);

#[derive(Component)]
#[component(require(Table = Table(Bytes::new(9))))]
struct Requires(#[expect(dead_code, reason = "only its size matters")] Bytes);

#[derive(Component)]
struct Observed(#[expect(dead_code, reason = "only its size matters")] Bytes);

#[derive(Component)]
struct Small;

#[derive(Resource)]
struct Large(Bytes);

#[derive(Clone, Debug)]
struct Bytes([u8; LARGE]);

impl Bytes {
    #[inline(never)]
    fn new(byte: u8) -> Self {
        Self([byte; LARGE])
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;

        impl Visitor<'_> for All {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                let bytes = bytes.try_into().map_err(E::custom)?;
                Ok(Bytes(bytes))
            }
        }

        deserializer.deserialize_bytes(All)
    }
}

/// A change of a world that has an entity without components, one with a `Table` and one with a `Sparse`.
type Change = fn(&mut World, [Entity; 3]);

const CHANGES: &[(&str, Change)] = &[
    ("spawn", |w, _| _ = w.spawn(Table(Bytes::new(1)))),
    ("spawn sparse", |w, _| _ = w.spawn(Sparse(Bytes::new(1)))),
    ("spawn immediate", |w, _| {
        _ = w.spawn(Immediate(Bytes::new(1)));
    }),
    ("spawn required", |w, _| {
        _ = w.spawn(Requires(Bytes::new(1)));
    }),
    ("spawn observed", |w, _| {
        _ = w.spawn(Observed(Bytes::new(1)));
    }),
    ("spawn bundle", |w, _| {
        _ = w.spawn((Table(Bytes::new(1)), Small));
    }),
    ("spawn with children", |w, _| {
        w.spawn((Table(Bytes::new(1)), children![Small]));
    }),
    ("insert", |w, [a, ..]| {
        w.insert(a, Table(Bytes::new(1))).unwrap();
    }),
    ("insert again", |w, [_, a, _]| {
        w.insert(a, Table(Bytes::new(1))).unwrap();
    }),
    ("insert sparse", |w, [a, ..]| {
        w.insert(a, Sparse(Bytes::new(1))).unwrap();
    }),
    ("insert sparse again", |w, [.., a]| {
        w.insert(a, Sparse(Bytes::new(1))).unwrap();
    }),
    ("insert immediate", |w, [a, ..]| {
        w.insert(a, Immediate(Bytes::new(1))).unwrap();
    }),
    ("insert required", |w, [a, ..]| {
        w.insert(a, Requires(Bytes::new(1))).unwrap();
    }),
    ("insert observed", |w, [a, ..]| {
        w.insert(a, Observed(Bytes::new(1))).unwrap();
    }),
    ("insert bundle", |w, [a, ..]| {
        w.insert(a, (Table(Bytes::new(1)), Small)).unwrap();
    }),
    ("insert fluently", |w, [a, ..]| {
        _ = w.entity_mut(a).unwrap().insert(Table(Bytes::new(1)));
    }),
    ("replace", |w, [_, a, _]| {
        assert!(w.replace(a, Table(Bytes::new(1))).unwrap().is_some());
    }),
    ("replace missing", |w, [a, ..]| {
        assert!(w.replace(a, Table(Bytes::new(1))).unwrap().is_none());
    }),
    ("remove", |w, [_, a, _]| w.remove::<Table>(a).unwrap()),
    ("remove sparse", |w, [.., a]| w.remove::<Sparse>(a).unwrap()),
    ("take", |w, [_, a, _]| _ = w.take::<Table>(a).unwrap()),
    ("take sparse", |w, [.., a]| _ = w.take::<Sparse>(a).unwrap()),
    ("take bundle", |w, [_, a, _]| {
        w.insert(a, Small).unwrap();
        _ = w.take::<(Table, Small)>(a).unwrap();
    }),
    ("despawn", |w, all| {
        all.into_iter().for_each(|e| w.despawn(e).unwrap());
    }),
    ("spawn_batch", |w, _| {
        _ = w.spawn_batch((0..2).map(|n| Table(Bytes::new(n))));
    }),
    ("spawn_batch sparse", |w, _| {
        _ = w.spawn_batch((0..2).map(|n| Sparse(Bytes::new(n))));
    }),
    ("insert_batch", |w, all| {
        assert_eq!(
            w.insert_batch(
                all.map(|e| (e, Small))
                    .into_iter()
                    .map(|(e, _)| (e, Table(Bytes::new(1))))
            ),
            3
        );
    }),
    ("commands spawn", |w, _| {
        w.run(move |mut c: Commands| _ = c.spawn(Table(Bytes::new(1))));
    }),
    ("commands spawn sparse", |w, _| {
        w.run(move |mut c: Commands| _ = c.spawn(Sparse(Bytes::new(1))));
    }),
    ("commands insert", |w, [a, ..]| {
        w.run(move |mut c: Commands| c.insert(a, Table(Bytes::new(1))));
    }),
    ("commands insert fluently", |w, [a, ..]| {
        w.run(move |mut c: Commands| _ = c.entity(a).insert(Table(Bytes::new(1))));
    }),
    ("commands spawn_batch", |w, _| {
        w.run(move |mut c: Commands| c.spawn_batch((0..2).map(|n| Table(Bytes::new(n)))));
    }),
    ("commands insert_batch", |w, all| {
        w.run(move |mut c: Commands| {
            c.insert_batch(all.into_iter().map(|e| (e, Table(Bytes::new(1)))));
        });
    }),
    ("commands remove", |w, [_, a, _]| {
        w.run(move |mut c: Commands| c.remove::<Table>(a));
    }),
    ("commands insert_resource", |w, _| {
        w.run(move |mut c: Commands| c.insert_resource(Bytes::new(1)));
    }),
    ("commands of one kind", |w, all| {
        w.run(move |mut c: Commands| {
            for n in 0..3 {
                c.spawn(Table(Bytes::new(n)));
            }
            for e in all {
                c.insert(e, Table(Bytes::new(1)));
            }
        });
    }),
    ("insert_resource", |w, _| {
        _ = w.insert_resource(Bytes::new(1));
    }),
    ("insert_resource again", |w, _| {
        assert!(w.insert_resource(Large(Bytes::new(1))).is_some());
    }),
    ("remove_resource", |w, _| {
        _ = w.remove_resource::<Large>().unwrap();
    }),
    ("scope", |w, _| {
        w.scope(|_, large: &mut Large| large.0.0[0] += 1);
    }),
    ("scope_of", |w, [_, a, _]| {
        w.scope_of(a, |_, table: &mut Table| table.0.0[0] += 1)
            .unwrap();
    }),
    ("send_event", |w, _| {
        w.send_event(Bytes::new(1));
        w.send_event(Bytes::new(2));
        let mut events = w.resource_mut::<Events<Bytes>>();
        events.clear();
    }),
    ("system", |w, _| {
        let mut schedule = Schedule::new();
        schedule.add((
            |mut events: EventWriter<Bytes>| events.send(Bytes::new(1)),
            |mut events: EventReader<Bytes>| assert_eq!(events.read().count(), 1),
            |mut tables: CompMut<Table>, sparse: Comp<Sparse>| {
                tables.iter_mut().for_each(|table| table.0.0[0] += 1);
                assert_eq!(sparse.iter().count(), 1);
            },
            |mut commands: Commands| _ = commands.spawn(Table(Bytes::new(1))),
        ));
        schedule.run_seq(w).unwrap();
        schedule.run(w).unwrap();
    }),
    ("clone_entity", |w, [_, a, b]| {
        w.clone_entity(a).unwrap();
        w.clone_entity(b).unwrap();
    }),
    ("try_clone", |w, _| _ = w.try_clone().unwrap()),
    ("snapshot", |w, all| {
        let snapshotter = Snapshotter::new()
            .component::<Table>()
            .component::<Sparse>()
            .without_other_resources();
        let mut snapshot = snapshotter.take(w).unwrap();
        all.into_iter().for_each(|e| w.despawn(e).unwrap());
        snapshotter.restore(w, &mut snapshot).unwrap();
        assert!(w.has::<Table>(all[1]) && w.has::<Sparse>(all[2]));
    }),
    ("hash", |w, _| _ = w.hash().unwrap()),
    ("save and load", |w, _| {
        let mut columns = Vec::new();
        w.save().to_writer(&mut columns).unwrap();
        let loader = Loader::new().with::<Table>().with::<Sparse>();
        let loaded = loader.load(&columns[..]).unwrap();
        assert_eq!(loaded.len(), 3);
    }),
];

fn world() -> (World, [Entity; 3]) {
    let mut world = World::new();
    world.observe(|_: OnInsert<Observed>| {});
    world.add_event::<Bytes>();
    world.insert_resource(Large(Bytes::new(3)));
    let all = [
        world.spawn(()),
        world.spawn(Table(Bytes::new(4))),
        world.spawn(Sparse(Bytes::new(5))),
    ];
    (world, all)
}

/// Runs on a thread with the name of the change, so that the message of an overflow has it.
#[test]
fn changes_of_large_values_fit_on_the_stack_of_a_thread() {
    for &(name, change) in CHANGES {
        let thread = std::thread::Builder::new()
            .name(name.into())
            .stack_size(2 << 20);
        let changed = thread.spawn(move || {
            let (mut world, all) = world();
            change(&mut world, all);
            world.check_invariants();
        });
        changed.unwrap().join().unwrap();
    }
}
