//! Loops that `ir_guard` counts but that are not timed: ours, beside the plain hand-written ones.

use std::time::Duration;

use ecs_core::prelude::*;
use ecs_core::record::Recorder;
use serde::{Deserialize, Serialize};

use crate::data_shapes::{self, ENTITIES};
use crate::inspect_shapes;
use crate::kind::{Kind, Spec};
use crate::peers::Peer::{self, Limit, Ours};
use crate::snapshot_shapes;
use crate::subject::Workload;
use crate::workloads::frag;
use crate::workloads::get::{State, sum_of};

/// The number of rows of each loop.
const ROWS: u32 = 10_000;
/// Components that an entity may have or lack, so that there are `1 << MARKS` tables.
const MARKS: u32 = 13;

const fn shape(name: &'static str, kind: Kind, elements: u32, about: &'static str) -> Spec {
    Spec {
        name,
        kind,
        elements,
        about,
    }
}

/// The shapes. Each has the kind of the timed workload that is most like it.
pub const SHAPES: &[Spec] = &[
    shape("float_1", Kind::Iter, ROWS, "`for` over one float; per row"),
    shape(
        "float_2",
        Kind::Iter,
        ROWS,
        "`for` over two floats; per row",
    ),
    shape(
        "float_4",
        Kind::Iter,
        ROWS,
        "`for` over four floats; per row",
    ),
    shape(
        "float_8",
        Kind::Iter,
        ROWS,
        "`for` over eight floats; per row",
    ),
    shape(
        "float_option",
        Kind::Iter,
        ROWS,
        "`for` over a float and an optional one; per row",
    ),
    shape(
        "float_entity",
        Kind::Iter,
        ROWS,
        "`for` over a float and the id; per row",
    ),
    shape(
        "float_tracked",
        Kind::Iter,
        ROWS,
        "`for` over a float whose changes are recorded; per row",
    ),
    shape(
        "float_exclude",
        Kind::Iter,
        ROWS,
        "a loop over two floats of those that lack a component in sparse storage, three of four; per row",
    ),
    shape(
        "empty_tables",
        Kind::FragIter,
        1,
        "one loop over one entity, in a world with 8191 tables without rows; per loop",
    ),
    shape(
        "get_exclusive",
        Kind::GetRandom,
        100_000,
        "one of 2 components, looked up by id in random order in a world that is borrowed exclusively; per look-up",
    ),
    shape(
        "app_frame",
        Kind::Systems,
        1,
        "a frame of an app without systems: its clocks, and nothing to run; per frame",
    ),
    shape(
        "inspected_frame",
        Kind::Systems,
        inspect_shapes::FRAMES,
        "a frame of an app without systems, and of one whose inspector has no requests; per frame",
    ),
    shape(
        "watched_page",
        Kind::Systems,
        1,
        "an answer to the page, with JSON: 40 of 1,000,000 rows, three columns, one entity, the times of frames; per answer",
    ),
    shape(
        "app_recorded",
        Kind::Systems,
        RECORDED_FRAMES,
        "a frame of an app without systems, which is recorded without hashes; per frame",
    ),
    shape(
        "recorded_world",
        Kind::Systems,
        PARTS,
        "a frame of an app with 100,000 entities, of which one system writes all, and of its recorder; per frame",
    ),
    shape(
        "text_query",
        Kind::GetRandom,
        ENTITIES,
        "a text query with one condition, on a number of a struct or on a part of another kind; per row",
    ),
    shape(
        "value_json",
        Kind::GetRandom,
        ENTITIES,
        "a component is written as JSON, by its own `Serialize` or by the encoder of its component; per value",
    ),
    shape(
        "get_by_name",
        Kind::GetRandom,
        ENTITIES,
        "a struct of three numbers as a tree, by its name; per look-up",
    ),
    shape(
        "json_save",
        Kind::Save,
        ENTITIES,
        "a world of three components of 12 bytes is written as JSON; per entity",
    ),
    shape(
        "json_load",
        Kind::Load,
        ENTITIES,
        "what `json_save` writes is read into a new world; per entity",
    ),
    shape(
        "hash_flat",
        Kind::WorldHash,
        ENTITIES,
        "the hash of a world of three components of 12 bytes; per entity",
    ),
    shape(
        "hash_rich",
        Kind::WorldHash,
        ENTITIES,
        "the hash of a world of a text, three tags and two maps of four entries; per entity",
    ),
    shape(
        "snapshot_plain",
        Kind::Snapshot,
        ENTITIES,
        "an exact snapshot of three components of 12 bytes is taken, written as bytes or read from them; per entity",
    ),
    shape(
        "snapshot_transform",
        Kind::Snapshot,
        ENTITIES,
        "the same with two components of 40 bytes, of arrays and structs of numbers; per entity",
    ),
    shape(
        "snapshot_mind",
        Kind::Snapshot,
        ENTITIES,
        "the same with a component of ids, options and an enum; per entity",
    ),
];

/// Returns the workload with this name, with the forms of one peer.
#[must_use]
pub fn find(name: &str, peer: Peer) -> Option<Workload> {
    let spec = *SHAPES.iter().find(|shape| shape.name == name)?;
    let mut workload = Workload::new(spec);
    match (name, peer) {
        ("float_1", Limit) => plain_loops(&mut workload, |columns| {
            for a in &mut columns.0 {
                *a += 1.0;
            }
        }),
        ("float_2", Limit) => plain_loops(&mut workload, |columns| {
            for (a, b) in columns.0.iter_mut().zip(&columns.1) {
                *a += *b;
            }
        }),
        ("float_4", Limit) => plain_loops(&mut workload, |columns| {
            let (a, b, c, d) = (&mut columns.0, &columns.1, &columns.2, &columns.3);
            for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
                *a += *b * *c + *d;
            }
        }),
        ("float_8", Limit) => plain_loops(&mut workload, |columns| {
            let (a, b, c, d, e, f, g, h) = columns;
            let first = a.iter_mut().zip(&*b).zip(&*c).zip(&*d);
            let second = e.iter().zip(&*f).zip(&*g).zip(&*h);
            for ((((a, b), c), d), (((e, f), g), h)) in first.zip(second) {
                *a += *b * *c + *d * *e + *f * *g + *h;
            }
        }),
        ("float_option", Limit) => plain_loops(&mut workload, |columns| {
            let rows = columns.0.len();
            let b = Some(&columns.1[..rows]);
            for (row, a) in columns.0.iter_mut().enumerate() {
                match b {
                    Some(b) => *a += b[row],
                    None => *a -= 1.0,
                }
            }
        }),
        ("float_entity", Limit) => plain_with(&mut workload, |(values, ids)| {
            for (a, id) in values.iter_mut().zip(&*ids) {
                *a += (*id as u32) as i32 as f32;
            }
        }),
        ("float_tracked", Limit) => plain_with(&mut workload, |(values, ticks)| {
            let now = ticks.len() as u32;
            for (a, tick) in values.iter_mut().zip(&mut *ticks) {
                *a += 1.0;
                *tick = u64::from(now);
            }
        }),
        ("app_frame", Ours) => workload.add(
            Ours,
            "update_by",
            App::new,
            |app| assert_eq!(app.update_by(Duration::ZERO), None, "nothing ends the app"),
            |app| app.world().len() as u64,
        ),
        ("app_recorded", Ours) => {
            let mut recorded = |form, hashes, is_pressed: bool| {
                workload.add(
                    Ours,
                    form,
                    move || recorded_app(hashes),
                    move |app| {
                        for n in 0..RECORDED_FRAMES {
                            if is_pressed {
                                app.world_mut().resource_mut::<Pressed>().0 = n;
                            }
                            assert_eq!(app.update_by(FRAME), None, "nothing ends the app");
                        }
                    },
                    |app| app.world().len() as u64,
                );
            };
            recorded("not recorded", None, false);
            recorded("frame lengths", Some(0), false);
            recorded("a key a frame", Some(0), true);
        }
        ("recorded_world", Ours) => {
            let mut recorded = |form, settings: Option<fn(Recorder) -> Recorder>| {
                workload.add(
                    Ours,
                    form,
                    move || recorded_world(settings),
                    |app| assert_eq!(app.update_times(PARTS, FRAME), None, "nothing ends the app"),
                    |app| app.world().len() as u64,
                );
            };
            recorded("not recorded", None);
            recorded(
                "hash_at_most(8192)",
                Some(|recorder| recorder.hash_at_most(8192)),
            );
            recorded("hash_every(1)", Some(|recorder| recorder.hash_every(1)));
        }
        ("float_1", Ours) => {
            our_loops(&mut workload, "for", |world| {
                for a in &mut world.view_mut::<A>() {
                    a.0 += 1.0;
                }
            });
            our_loops(&mut workload, "chunks", |world| {
                for chunk in (&mut world.view_mut::<A>()).chunks() {
                    for a in chunk {
                        a.0 += 1.0;
                    }
                }
            });
            our_loops(&mut workload, "for_each", |world| {
                (&mut world.view_mut::<A>()).for_each(|a| a.0 += 1.0);
            });
        }
        ("float_2", Ours) => our_loops(&mut workload, "for", |world| {
            let (mut a, b) = (world.view_mut::<A>(), world.view::<B>());
            for (a, b) in (&mut a, &b).iter() {
                a.0 += b.0;
            }
        }),
        ("float_4", Ours) => our_loops(&mut workload, "for", |world| {
            for (a, b, c, d) in &mut world.query::<(&mut A, &B, &C, &D)>() {
                a.0 += b.0 * c.0 + d.0;
            }
        }),
        ("float_8", Ours) => our_loops(&mut workload, "for", |world| {
            let mut query = world.query::<(&mut A, &B, &C, &D, &E, &F, &G, &H)>();
            for (a, b, c, d, e, f, g, h) in &mut query {
                a.0 += b.0 * c.0 + d.0 * e.0 + f.0 * g.0 + h.0;
            }
        }),
        ("float_option", Ours) => our_loops(&mut workload, "for", |world| {
            for (a, b) in &mut world.query::<(&mut A, Option<&B>)>() {
                match b {
                    Some(b) => a.0 += b.0,
                    None => a.0 -= 1.0,
                }
            }
        }),
        ("float_entity", Ours) => our_loops(&mut workload, "for", |world| {
            for (entity, a) in &mut world.query::<(Entity, &mut A)>() {
                a.0 += entity.index() as i32 as f32;
            }
        }),
        ("float_tracked", Ours) => workload.add(
            Ours,
            "for",
            our_world,
            |world| {
                for mut tracked in &mut world.view_mut::<Tracked>() {
                    tracked.0 += 1.0;
                }
            },
            |world| frag::digest(world.view::<Tracked>().iter().map(|tracked| tracked.0)),
        ),
        ("float_exclude", Ours) => workload.add(
            Ours,
            "for_each",
            marked_world,
            |world| {
                let (mut a, b) = (world.view_mut::<A>(), world.view::<B>());
                let marked = world.view::<Marked>();
                (&mut a, &b).exclude(&marked).for_each(|(a, b)| a.0 += b.0);
            },
            |world| frag::digest(world.view::<A>().iter().map(|a| a.0)),
        ),
        ("empty_tables", Ours) => empty_tables(&mut workload),
        ("get_exclusive", Ours) => get_exclusive(&mut workload),
        (name @ ("inspected_frame" | "watched_page"), Ours) => {
            inspect_shapes::add(name, &mut workload);
        }
        (name, Ours) => {
            data_shapes::add(name, &mut workload);
            snapshot_shapes::add(name, &mut workload);
        }
        (name, Limit) => data_shapes::add_limit(name, &mut workload),
        _ => {}
    }
    Some(workload)
}

type Floats = Vec<f32>;
type Columns = (
    Floats,
    Floats,
    Floats,
    Floats,
    Floats,
    Floats,
    Floats,
    Floats,
);

fn column() -> Floats {
    vec![0.5; ROWS as usize]
}

fn plain_loops(workload: &mut Workload, run: fn(&mut Columns)) {
    let columns = || {
        let eight = || column();
        (
            eight(),
            eight(),
            eight(),
            eight(),
            eight(),
            eight(),
            eight(),
            eight(),
        )
    };
    let digest = |columns: &mut Columns| frag::digest(columns.0.iter().copied());
    workload.add(Limit, "plain loop", columns, run, digest);
    workload.mark_as_plain();
}

type WithNumbers = (Floats, Vec<u64>);

fn plain_with(workload: &mut Workload, run: fn(&mut WithNumbers)) {
    let columns = || (column(), (0..u64::from(ROWS)).collect());
    let digest = |columns: &mut WithNumbers| frag::digest(columns.0.iter().copied());
    workload.add(Limit, "plain loop", columns, run, digest);
    workload.mark_as_plain();
}

/// A component whose changes are recorded.
#[derive(Component)]
#[component(track)]
struct Tracked(f32);

fn our_world() -> World {
    let mut world = World::new();
    world.spawn_batch((0..ROWS).map(|_| {
        let floats = (
            A(0.5),
            B(0.5),
            C(0.5),
            D(0.5),
            E(0.5),
            F(0.5),
            G(0.5),
            H(0.5),
        );
        (floats, Tracked(0.5))
    }));
    world
}

/// A component that every fourth entity of [`marked_world`] has.
#[derive(Component)]
#[component(storage = "sparse")]
struct Marked;

fn marked_world() -> World {
    let mut world = our_world();
    let ids: Vec<Entity> = world.entities().iter().step_by(4).collect();
    for entity in ids {
        world.insert(entity, Marked).expect("the entity is alive");
    }
    world
}

fn our_loops(workload: &mut Workload, form: &'static str, run: fn(&World)) {
    let digest = |world: &mut World| frag::digest(world.view::<A>().iter().map(|a| a.0));
    workload.add(Ours, form, our_world, move |world| run(world), digest);
}

macro_rules! floats {
    ($($part:ident)*) => {
        $(
            /// A float.
            #[derive(Component)]
            #[allow(dead_code, reason = "some only move from table to table")]
            struct $part(f32);
        )*
    };
}
floats!(A B C D E F G H I J K L M N);

fn empty_tables(workload: &mut Workload) {
    /// Moves an entity through all tables with `A` and any choice of the other components.
    fn world() -> World {
        let mut world = World::new();
        let entity = world.spawn(A(0.0));
        for number in 1_u32..1 << MARKS {
            let mut bit = 0;
            // The bit that changes in a Gray code from the number before.
            let changed = number.trailing_zeros();
            let is_set = (number ^ number >> 1) >> changed & 1 == 1;
            macro_rules! change {
                ($($part:ident)*) => { $(
                    if bit == changed {
                        if is_set {
                            world.insert(entity, $part(0.0)).expect("the entity is alive");
                        } else {
                            world.remove::<$part>(entity).expect("the entity is alive");
                        }
                    }
                    bit += 1;
                )* };
            }
            change!(B C D E F G H I J K L M N);
            assert_eq!(bit, MARKS, "a component for each bit");
        }
        world
    }
    workload.add(
        Ours,
        "for_each",
        world,
        |world| (&mut world.view_mut::<A>()).for_each(|a| a.0 += 1.0),
        |world| frag::digest(world.view::<A>().iter().map(|a| a.0)),
    );
}

fn get_exclusive(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "world.get_mut",
        move || {
            let mut world = World::new();
            let rows = (0..entities).map(|number| (A(number as f32), B(0.5)));
            let ids = world.spawn_batch(rows).to_vec();
            State::new(world, ids)
        },
        |state| {
            let world = &mut state.world;
            state.sum = sum_of(&state.ids, |id| Some(world.get_mut::<A>(id)?.0));
        },
        |state| state.sum,
    );
}

/// The frames of a run of `app_recorded`, so that the snapshot at the beginning does not count.
const RECORDED_FRAMES: u32 = 1000;
const FRAME: Duration = Duration::from_millis(16);

/// The input of a recorded app.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "bench.pressed")]
struct Pressed(u32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "bench.moved")]
struct Moved([f32; 3]);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "bench.pace")]
struct Pace([f32; 3]);

/// The frames of a run of `recorded_world`: as many as the parts in which the world is hashed.
const PARTS: u32 = 64;

/// The entities of `recorded_world`. Fewer in a debug build, whose tests run the same code with them in seconds less.
const MOVING: u32 = if cfg!(debug_assertions) {
    2_000
} else {
    100_000
};

/// Returns an app whose entities all move, with a recorder if there are settings for it.
fn recorded_world(settings: Option<fn(Recorder) -> Recorder>) -> App {
    let mut app = App::new();
    let rows = (0..MOVING).map(|number| (Moved([number as f32; 3]), Pace([0.5; 3])));
    app.world_mut().spawn_batch(rows);
    app.add_systems(Update, |mut moved: CompMut<Moved>, pace: Comp<Pace>| {
        (&mut moved, &pace).for_each(|(moved, pace)| {
            (0..3).for_each(|axis| moved.0[axis] += pace.0[axis]);
        });
    });
    if let Some(settings) = settings {
        let recorder = Recorder::new(std::env::temp_dir().join("ecs-bench-world.rec"));
        app.add_plugin(settings(recorder.snapshot_every(0)));
    }
    app.update_by(FRAME);
    app
}

/// Returns an app that has run a frame, and records into a file without readers.
fn recorded_app(hash_every: Option<u64>) -> App {
    let recorder = Recorder::new(std::env::temp_dir().join("ecs-bench.rec"));
    let mut app = App::new();
    app.init_resource::<Pressed>()
        .add_systems(Update, |_: Res<Pressed>| {});
    if let Some(frames) = hash_every {
        app.add_plugin(recorder.hash_every(frames).snapshot_every(0));
    }
    app.update_by(FRAME);
    app
}
