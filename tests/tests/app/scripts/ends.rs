//! The ends of scripts: by themselves, with their entities, by panics; and scripts that change each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ecs_core::Disabled;
use ecs_core::app::script::{Script, ScriptContext, both, run_scripts};
use ecs_core::prelude::*;
use ecs_core::record::Recorder;
use ecs_core::snapshot::{Ring, Snapshotter};
use ecs_core::tree::ChildOf;
use ecs_core::world::hooks::OnRemove;

use super::{FRAME, Notes, app, frames, note, panic_of, spawn, taken};

/// Counts drops.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A script that waits forever, and the number of its drops.
fn endless() -> (Script, Arc<AtomicUsize>) {
    let drops = Arc::new(AtomicUsize::new(0));
    let dropped = Dropped(Arc::clone(&drops));
    let script = Script::new(async move |script: ScriptContext| {
        let _dropped = dropped;
        let condition = Dropped(Arc::clone(&_dropped.0));
        script
            .until(move |_| {
                let _ = &condition;
                false
            })
            .await;
    });
    (script, drops)
}

#[test]
fn a_script_ends_with_its_entity_and_its_component() {
    for started in [false, true] {
        let ends: [fn(&mut World, Entity); 5] = [
            |world, entity| world.despawn(entity).unwrap(),
            |world, entity| world.remove::<Script>(entity).unwrap(),
            |world, entity| drop(world.take::<Script>(entity).unwrap()),
            |world, entity| world.insert(entity, endless().0).unwrap(),
            |world, _| world.clear(),
        ];
        for end in ends {
            let mut app = app();
            let (script, drops) = endless();
            let entity = app.world_mut().spawn(script);
            if started {
                frames(&mut app, 2);
            }
            assert_eq!(drops.load(Ordering::Relaxed), 0);
            end(app.world_mut(), entity);
            // The condition has one too, which was made at the start.
            assert_eq!(drops.load(Ordering::Relaxed), 1 + usize::from(started));
            frames(&mut app, 2);
        }
        let mut app = app();
        let (script, drops) = endless();
        app.world_mut().spawn(script);
        if started {
            frames(&mut app, 2);
        }
        drop(app);
        assert_eq!(drops.load(Ordering::Relaxed), 1 + usize::from(started));
    }
}

#[test]
fn a_script_ends_with_the_tree_of_its_entity() {
    let mut app = app();
    let (script, drops) = endless();
    let parent = app.world_mut().spawn_empty();
    app.world_mut().spawn((script, ChildOf.to(parent)));
    frames(&mut app, 1);
    app.world_mut().despawn(parent).unwrap();
    assert_eq!(drops.load(Ordering::Relaxed), 2);
}

#[test]
fn an_entity_stays_after_its_script_or_is_despawned_with_it() {
    let mut app = app();
    app.world_mut()
        .observe(|_: OnRemove<Script>, mut notes: ResMut<Notes>| notes.0.push("removed".into()));
    let stays = spawn(&mut app, async |script: ScriptContext| {
        script.frames(1).await;
    });
    let short = Script::new(async |script: ScriptContext| script.frames(2).await);
    let goes = app.world_mut().spawn(short.then_despawn());
    assert_eq!(frames(&mut app, 2), ["", "removed"]);
    assert!(app.world().contains(stays) && !app.world().has::<Script>(stays));
    assert!(app.world().contains(goes));
    assert_eq!(frames(&mut app, 1), ["removed"]);
    assert!(app.world().contains(stays) && !app.world().contains(goes));
}

#[test]
fn a_script_that_ends_its_entity_goes_no_further() {
    let ends: [fn(&mut World, Entity); 3] = [
        |world, entity| world.despawn(entity).unwrap(),
        |world, entity| world.remove::<Script>(entity).unwrap(),
        |world, entity| {
            let again = Script::new(async |script: ScriptContext| {
                note(&script, "again").await;
                script.frames(1).await;
            });
            world.insert(entity, again).unwrap();
        },
    ];
    for (way, end) in ends.into_iter().enumerate() {
        let mut app = app();
        let drops = Arc::new(AtomicUsize::new(0));
        let dropped = Dropped(Arc::clone(&drops));
        spawn(&mut app, async move |script: ScriptContext| {
            let _dropped = dropped;
            let me = script.entity();
            note(&script, "start").await;
            both(
                async {
                    script.world(move |world| end(world, me)).await;
                    unreachable!("it has ended");
                },
                async {
                    script.world(|_| unreachable!("it has ended")).await;
                },
            )
            .await;
        });
        let notes = frames(&mut app, 3);
        let later = if way == 2 { "again" } else { "" };
        assert_eq!(notes, ["start", later, ""]);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn a_script_that_takes_and_returns_itself_goes_on() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        let me = script.entity();
        script
            .world(move |world| {
                let script = world.take::<Script>(me).unwrap();
                world.insert(me, script).unwrap();
            })
            .await;
        note(&script, "on").await;
        script.frames(1).await;
        note(&script, "and on").await;
    });
    assert_eq!(frames(&mut app, 3), ["on", "and on", ""]);
}

#[test]
fn a_script_that_gives_itself_away_ends() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        let me = script.entity();
        script
            .world(move |world| {
                let script = world.take::<Script>(me).unwrap();
                world.spawn(script);
            })
            .await;
        unreachable!("it has ended");
    });
    frames(&mut app, 3);
    // The component without a script is gone too.
    assert_eq!(app.world().query::<&Script>().count(), 0);
}

#[test]
fn a_script_that_is_moved_goes_on_with_its_new_entity() {
    let mut app = app();
    let first = spawn(&mut app, async |script: ScriptContext| {
        loop {
            let entity = script.entity();
            script
                .world(move |world| world.insert_resource(entity))
                .await;
            script.frames(2).await;
        }
    });
    frames(&mut app, 2);
    assert_eq!(*app.world().resource::<Entity>(), first);
    let script = app.world_mut().take::<Script>(first).unwrap();
    let second = app.world_mut().spawn(script);
    frames(&mut app, 1);
    assert_eq!(*app.world().resource::<Entity>(), second);
}

#[test]
fn scripts_run_in_the_order_of_their_starts() {
    let mut app = app();
    let mut all = Vec::new();
    for name in ["a", "b", "c", "d"] {
        all.push(spawn(&mut app, async move |script: ScriptContext| {
            loop {
                note(&script, name).await;
                script.frames(1).await;
            }
        }));
    }
    assert_eq!(frames(&mut app, 1), ["a b c d"]);
    // The last one takes the place of the first one in the sparse set.
    app.world_mut().despawn(all[0]).unwrap();
    spawn(&mut app, async |script: ScriptContext| {
        loop {
            note(&script, "e").await;
            script.frames(1).await;
        }
    });
    assert_eq!(frames(&mut app, 2), ["b c d e", "b c d e"]);
}

#[test]
fn a_script_that_a_script_starts_begins_in_the_next_run() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        let child = script.world(|world| {
            world.spawn(
                Script::new(async |script: ScriptContext| {
                    note(&script, "child").await;
                    script.frames(1).await;
                    note(&script, "end").await;
                })
                .then_despawn(),
            )
        });
        let child = child.await;
        note(&script, "parent").await;
        script.despawned(child).await;
        note(&script, "alone").await;
    });
    // Conditions are asked in the order of starts, so the parent sees the end in the frame after it.
    assert_eq!(frames(&mut app, 4), ["parent", "child", "end", "alone"]);
}

#[test]
fn scripts_of_disabled_entities_stand_still() {
    let mut app = app();
    let [started, new] = [1, 2].map(|name| {
        spawn(&mut app, async move |script: ScriptContext| {
            note(&script, name).await;
            both(script.frames(2), script.time(FRAME * 2)).await;
            note(&script, script.elapsed().as_millis()).await;
        })
    });
    app.world_mut().insert(new, Disabled).unwrap();
    assert_eq!(frames(&mut app, 2), ["1", ""]);
    app.world_mut().insert(started, Disabled).unwrap();
    app.world_mut().remove::<Disabled>(new).unwrap();
    assert_eq!(frames(&mut app, 2), ["2", ""]);
    app.world_mut().remove::<Disabled>(started).unwrap();
    assert_eq!(frames(&mut app, 1), ["20 20"]);
}

#[test]
fn a_script_that_disables_another_one_stops_it_in_this_run() {
    let mut app = app();
    app.world_mut().spawn_empty();
    spawn(&mut app, async |script: ScriptContext| {
        let me = script.entity();
        script
            .world(move |world| {
                let others = world.query_filtered::<Entity, With<Script>>();
                let other = others.iter().find(|&other| other != me).unwrap();
                drop(others);
                world.insert(other, Disabled).unwrap();
            })
            .await;
    });
    let other = spawn(&mut app, async |script: ScriptContext| {
        note(&script, "on").await;
    });
    assert_eq!(frames(&mut app, 3).concat(), "");
    app.world_mut().remove::<Disabled>(other).unwrap();
    assert_eq!(frames(&mut app, 1), ["on"]);
}

#[test]
fn a_panic_names_the_script_and_ends_it_alone() {
    async fn explode(script: ScriptContext) {
        script.frames(1).await;
        panic!("boom");
    }
    let mut app = app();
    let before = spawn(&mut app, async |script: ScriptContext| {
        loop {
            note(&script, "before").await;
            script.frames(1).await;
        }
    });
    let line = line!() + 1;
    let entity = spawn(&mut app, explode);
    let after = spawn(&mut app, async |script: ScriptContext| {
        script.frames(1).await;
        note(&script, "after").await;
        script.frames(10).await;
    });
    assert_eq!(frames(&mut app, 1), ["before"]);
    let message = panic_of(&mut app);
    let names = [
        "explode` of entity ",
        &entity.to_string(),
        &format!("ends.rs:{line}:"),
    ];
    assert!(names.iter().all(|name| message.contains(name)), "{message}");
    assert!(
        message.contains("run_scripts") && message.ends_with("panicked: boom"),
        "{message}"
    );
    assert!(app.world().contains(entity) && !app.world().has::<Script>(entity));
    // The ones after it have their turn in the next run.
    assert_eq!(taken(&mut app), "before");
    assert_eq!(frames(&mut app, 2), ["before after", "before"]);
    assert!(app.world().has::<Script>(before) && app.world().has::<Script>(after));
}

#[test]
fn panics_in_functions_conditions_and_drops_end_a_script_too() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                panic!("dropped");
            }
        }
    }
    let scripts: [fn() -> Script; 6] = [
        || Script::new(|_| -> std::future::Ready<()> { panic!("boom") }),
        || Script::new(async |script: ScriptContext| script.world(|_| panic!("boom")).await),
        || Script::new(async |script: ScriptContext| script.until(|_| panic!("boom")).await),
        || {
            Script::new(async |script: ScriptContext| {
                let _bomb = Bomb;
                script.frames(0).await;
            })
        },
        || {
            Script::new(async |script: ScriptContext| {
                let _bomb = Bomb;
                let me = script.entity();
                script
                    .world(move |world| world.remove::<Script>(me))
                    .await
                    .unwrap();
                unreachable!();
            })
        },
        || {
            Script::new(async |_: ScriptContext| {
                let _bomb = Bomb;
                std::panic::panic_any(7);
            })
        },
    ];
    for (way, script) in scripts.into_iter().enumerate() {
        let mut app = app();
        let entity = app.world_mut().spawn(script());
        match way {
            5 => {
                let update = std::panic::AssertUnwindSafe(|| app.update_by(FRAME));
                let panic = std::panic::catch_unwind(update).unwrap_err();
                assert_eq!(panic.downcast_ref(), Some(&7));
            }
            _ => {
                let message = panic_of(&mut app);
                let end = if way < 3 { "boom" } else { "dropped" };
                assert!(
                    message.contains(&format!("of entity {entity}, from")),
                    "{message}"
                );
                assert!(message.ends_with(end), "{message}");
            }
        }
        assert!(!app.world().has::<Script>(entity));
        app.world().check_invariants();
        frames(&mut app, 2);
    }
}

#[test]
fn a_script_that_panics_can_despawn_its_entity() {
    let mut app = app();
    let script = Script::new(async |_: ScriptContext| panic!("boom")).then_despawn();
    let entity = app.world_mut().spawn(script);
    assert!(panic_of(&mut app).ends_with("boom"));
    assert!(!app.world().contains(entity));
}

#[test]
fn a_future_of_other_code_is_refused() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        script.frames(1).await;
        std::future::ready(()).await; // no wait
        script.frames(1).await;
        std::future::pending::<()>().await;
    });
    frames(&mut app, 2);
    let message = panic_of(&mut app);
    assert!(
        message.ends_with(
            "it waits for a future that is not one of its `ScriptContext`, which would end at another time in each run; help: start the work by `Tasks`, and wait for its result by `ScriptContext::until_some`"
        ),
        "{message}"
    );
}

#[test]
fn the_futures_of_another_script_are_refused() {
    let mut app = app();
    let mut contexts = Vec::new();
    let (sender, receiver) = std::sync::mpsc::channel();
    spawn(&mut app, async move |script: ScriptContext| {
        sender.send(script.clone()).unwrap();
        script.frames(2).await;
        note(&script, "own").await;
    });
    frames(&mut app, 1);
    contexts.extend(receiver.try_iter());
    spawn(&mut app, async move |_: ScriptContext| {
        contexts[0].frames(1).await;
    });
    let message = panic_of(&mut app);
    assert!(
        message.contains("not one of its `ScriptContext`"),
        "{message}"
    );
    assert_eq!(frames(&mut app, 1), ["own"]);
}

#[test]
fn a_script_that_never_waits_for_a_frame_is_refused() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        loop {
            script.until(|_| true).await;
        }
    });
    let message = panic_of(&mut app);
    assert!(
        message.ends_with("it has waited 65536 times in one run, and each wait was over at once; help: let its loop wait for a frame, by `frames(1)`"),
        "{message}"
    );
}

#[test]
fn a_script_may_run_the_scripts() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        script.frames(1).await;
        script.world(|world| world.run(run_scripts)).await;
        note(&script, "outer").await;
        script.frames(2).await;
        note(&script, "end").await;
    });
    spawn(&mut app, async |script: ScriptContext| {
        for frame in 0..4 {
            note(&script, frame).await;
            script.frames(1).await;
        }
    });
    // The run in the second frame counts for the other script alone, whose turn it takes.
    assert_eq!(frames(&mut app, 4), ["0", "1 outer", "2", "end 3"]);
}

#[test]
fn scripts_are_refused_by_name_or_left_out_of_snapshots() {
    let mut app = app();
    let snapshotter = || Snapshotter::new().resource::<Notes>();
    app.set_snapshotter(snapshotter());
    app.snapshot().unwrap();
    let entity = spawn(&mut app, async |script: ScriptContext| {
        for frame in 0.. {
            note(&script, frame).await;
            script.frames(1).await;
        }
    });
    app.update_by(FRAME);
    assert_eq!(
        app.snapshot().err().unwrap().to_string(),
        format!(
            "the component `Script` cannot be copied: entity {entity} has it\nhelp: write a script that has to be copied as a component with an `enum` of its states and a `Timer`, and a system, or leave it out by `Snapshotter::without`"
        )
    );

    // An entity that is still there keeps its script.
    app.set_snapshotter(snapshotter().without::<Script>());
    let mut before = app.snapshot().unwrap();
    frames(&mut app, 2);
    app.restore(&mut before).unwrap();
    assert_eq!(taken(&mut app), "0");
    assert_eq!(frames(&mut app, 1), ["3"]);
    app.set_snapshotter(snapshotter().without_others());
    assert_eq!(app.snapshot().unwrap().left_out().components, ["Script"]);
}

/// A guard that is data.
#[derive(Component, Clone, Debug, PartialEq)]
enum Guard {
    Walk { steps: u32 },
    Rest(Timer),
}

#[test]
fn a_state_machine_returns_with_snapshots() {
    fn guard(mut guards: Query<'_, &mut Guard>, time: Res<'_, Time>, mut notes: ResMut<'_, Notes>) {
        for guard in &mut guards {
            match guard {
                Guard::Walk { steps: 0 } => *guard = Guard::Rest(Timer::once(FRAME * 3)),
                Guard::Walk { steps } => {
                    *steps -= 1;
                    notes.0.push(format!("step {steps}"));
                }
                Guard::Rest(timer) => {
                    if timer.tick(time.delta()).just_finished() {
                        *guard = Guard::Walk { steps: 2 };
                    }
                }
            }
        }
    }
    let mut app = App::new();
    app.init_resource::<Notes>().add_systems(Update, guard);
    app.set_snapshotter(Snapshotter::new().resource::<Notes>().component::<Guard>());
    app.world_mut().spawn(Guard::Walk { steps: 1 });
    let mut ring = Ring::new(
        Snapshotter::new().resource::<Notes>().component::<Guard>(),
        30,
    );
    let mut after = Vec::new();
    for frame in 0..30 {
        app.take_in(&mut ring, frame).unwrap();
        app.update_by(FRAME);
        after.push(app.world().resource::<Notes>().clone());
    }
    for frame in [29, 17, 4, 3, 0] {
        app.restore_from(&mut ring, frame).unwrap();
        for notes in &after[frame as usize..] {
            app.update_by(FRAME);
            assert_eq!(*app.world().resource::<Notes>(), *notes);
        }
    }
    assert!(after.last().unwrap().0.len() > 8);
}

#[test]
fn a_recorder_refuses_scripts_by_name() {
    let mut app = App::new();
    app.add_systems(Update, run_scripts);
    assert!(Recorder::check(&mut app).unwrap().is_complete());
    app.world_mut()
        .spawn(Script::new(async |script: ScriptContext| {
            script.frames(1).await;
        }));
    let check = Recorder::check(&mut app).unwrap();
    let reason = check.snapshot.unwrap();
    assert!(
        reason.starts_with("the component `Script` cannot be copied"),
        "{reason}"
    );
}

#[test]
fn a_script_that_replaces_another_one_starts_in_the_next_run() {
    let mut app = app();
    let place = app.world_mut().spawn_empty();
    spawn(&mut app, async move |script: ScriptContext| {
        script.frames(1).await;
        let again = Script::new(async |script: ScriptContext| note(&script, "new").await);
        script
            .world(move |world| world.insert(place, again).unwrap())
            .await;
        note(&script, "replaced").await;
    });
    frames(&mut app, 1);
    let old = Script::new(async |script: ScriptContext| script.until(|_| false).await);
    app.world_mut().insert(place, old).unwrap();
    assert_eq!(frames(&mut app, 2), ["replaced", "new"]);
}
