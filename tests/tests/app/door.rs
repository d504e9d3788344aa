//! Hooks of an app: their order, what they may do, and what they must not.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ecs_core::app::{Clock, Exit, FramePanic};
use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::schedule::{ErrorPolicy, Step};

use crate::{app, log, note};

const TICK: Duration = Duration::from_millis(10);

/// Notes a word in the app's log.
pub(crate) fn word(word: &'static str) -> impl FnMut(&mut App) + Send {
    move |app| app.world_mut().resource_mut::<crate::Log>().0.push(word)
}

/// Returns an app whose frames note their hooks.
fn noting() -> App {
    let mut app = app();
    app.add_systems(Startup, note!("startup"));
    app.add_systems(Update, note!("update"));
    app.between_frames(word("between"));
    app.before_frame(word("before"));
    app.after_frame(word("after"));
    app
}

/// Returns the message of the panic.
fn message_of(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it panics");
    match panic.downcast_ref::<&str>() {
        Some(message) => (*message).to_owned(),
        None => *panic.downcast::<String>().expect("a message"),
    }
}

#[test]
fn hooks_are_called_around_each_frame_in_the_order_they_were_added() {
    let mut app = noting();
    app.before_frame(word("before2"));
    app.update();
    assert_eq!(log(&mut app), "between before before2 startup update after");
    app.update_times(2, TICK);
    assert_eq!(
        log(&mut app),
        "between before before2 update after between before before2 update after"
    );
}

#[test]
fn every_loop_calls_the_hooks() {
    let frames = |app: &mut App| {
        let mut left = 3;
        app.after_frame(move |app| {
            left -= 1;
            if left == 0 {
                app.world_mut().resource_mut::<Exit>().success();
            }
        });
    };
    let expected = "between before startup update after between before update after between before update after";
    let mut own = noting();
    frames(&mut own);
    assert!(own.rate(10_000.0).run().is_success());
    assert_eq!(log(&mut own), expected);

    // A loop that takes the app, as a window does.
    let seen = Arc::new(Mutex::new(String::new()));
    let shown = seen.clone();
    let mut window = noting();
    frames(&mut window);
    window.set_runner(move |mut app| {
        loop {
            if let Some(exit) = app.update_by(TICK) {
                *shown.lock().unwrap() = log(&mut app);
                return exit;
            }
        }
    });
    assert!(window.run().is_success());
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[test]
fn the_world_is_there_after_a_run_and_running_again_returns_the_same() {
    let mut app = app();
    app.add_systems(Update, |mut n: Local<u32>, mut exit: ResMut<Exit>| {
        *n += 1;
        if *n == 3 {
            exit.error(7);
        }
    });
    app.add_systems(Update, note!("u"));
    assert_eq!(app.run(), AppExit::error(7));
    assert_eq!(app.world().resource::<Time>().frame(), 3);
    assert_eq!(app.exit(), Some(AppExit::error(7)));
    assert_eq!(app.run(), AppExit::error(7));
    assert_eq!(app.update(), Some(AppExit::error(7)));
    assert_eq!(log(&mut app), "u u u");
}

#[test]
fn a_runner_takes_the_app_and_leaves_a_new_one() {
    let mut app = app();
    app.before_frame(word("before"));
    app.set_runner(|mut app| app.update().unwrap_or(AppExit::Success));
    assert!(app.run().is_success());
    assert!(!app.world().contains_resource::<crate::Log>());
    app.init_resource::<crate::Log>();
    app.update();
    assert_eq!(log(&mut app), "", "the hooks went with the app");
}

#[test]
fn a_hook_ends_itself() {
    let mut app = app();
    let mut calls = 0;
    app.before_frame(move |app| {
        calls += 1;
        word("first")(app);
        if calls == 2 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    app.before_frame(word("second"));
    app.update_times(3, TICK);
    assert_eq!(log(&mut app), "first second first second second");

    let steps = Arc::new(Mutex::new(0));
    let seen = steps.clone();
    app.add_systems(Update, (note!("a"), note!("b")));
    app.after_step(move |_, _| {
        *seen.lock().unwrap() += 1;
        ControlFlow::Break(())
    });
    app.update();
    assert_eq!(*steps.lock().unwrap(), 1);
}

#[test]
fn hooks_that_hooks_add_are_called_from_the_next_time_on_and_behind_the_others() {
    let mut app = app();
    app.before_frame(|app| {
        word("adds")(app);
        app.before_frame(word("new"));
        app.after_frame(word("after"));
        ControlFlow::Break(())
    });
    app.before_frame(word("old"));
    app.update_times(2, TICK);
    assert_eq!(log(&mut app), "adds old after old new after");
}

#[test]
fn hooks_add_plugins_and_systems_that_run_in_the_same_frame() {
    fn plugin(app: &mut App) {
        app.add_systems(Update, note!("plugin"));
    }
    let mut app = app();
    app.add_systems(Update, note!("update"));
    let mut is_new = true;
    app.before_frame(move |app| {
        if std::mem::take(&mut is_new) {
            app.add_plugin(plugin)
                .add_systems(Startup, note!("startup"));
        }
    });
    app.between_frames(|app| {
        if app.world().resource::<Time>().frame() == 1 {
            app.add_systems(Update, note!("late"));
        }
    });
    app.update_times(2, TICK);
    assert_eq!(log(&mut app), "startup update plugin update plugin late");
}

#[test]
fn a_hook_that_asks_for_the_end_ends_the_app_after_the_frame() {
    for place in 0..3 {
        let mut app = noting();
        app.update();
        log(&mut app);
        let exit = |app: &mut App| app.world_mut().resource_mut::<Exit>().error(3);
        match place {
            0 => app.between_frames(exit),
            1 => app.before_frame(exit),
            _ => app.after_frame(exit),
        };
        assert_eq!(app.update(), Some(AppExit::error(3)), "{place}");
        assert_eq!(log(&mut app), "between before update after");
        assert_eq!(app.update(), Some(AppExit::error(3)));
        assert_eq!(log(&mut app), "");
    }
}

#[test]
fn a_mistake_in_the_app_ends_it_between_its_hooks() {
    let mut app = noting();
    app.add_systems("no such schedule", note!("never"));
    assert_eq!(app.update(), Some(AppExit::error(1)));
    assert_eq!(log(&mut app), "between before after");
}

#[test]
fn a_hook_that_runs_the_app_panics_with_help_and_stays() {
    type Run = fn(&mut App);
    let all: [(&str, Run); 6] = [
        ("update", |app| _ = app.update()),
        ("update", |app| _ = app.update_by(TICK)),
        ("run", |app| _ = app.run()),
        ("step", |app| _ = app.step()),
        ("step_system", |app| _ = app.step_system()),
        ("run_until", |app| _ = app.run_until(|_| true)),
    ];
    for (n, (method, run)) in all.into_iter().enumerate() {
        for place in 0..3 {
            let mut app = noting();
            match place {
                0 => app.between_frames(run),
                1 => app.before_frame(run),
                _ => app.after_frame(run),
            };
            if place == 0 && n > 2 {
                app.update();
                continue;
            }
            for _ in 0..2 {
                let message = message_of(|| _ = app.update());
                assert!(
                    message.contains(&format!("`App::{method}` was called by a hook")),
                    "{message}"
                );
                assert!(
                    message.contains("help: call `App::step` in a hook"),
                    "{message}"
                );
            }
        }
    }
}

#[test]
fn a_hook_between_frames_steps_the_app() {
    let mut app = noting();
    app.between_frames(|app| _ = app.step_by(TICK));
    app.update_by(TICK);
    assert_eq!(
        log(&mut app),
        "between before startup update after before update after"
    );
    assert_eq!(app.world().resource::<Time>().elapsed(), TICK * 2);
}

#[test]
fn a_hook_that_panics_stays_and_the_app_goes_on() {
    let mut app = app();
    app.add_systems(Update, note!("update"));
    let mut calls = 0;
    app.before_frame(move |app| {
        calls += 1;
        word("hook")(app);
        assert_ne!(calls, 2, "the second call");
    });
    app.before_frame(word("other"));
    app.update();
    assert!(message_of(|| _ = app.update()).contains("the second call"));
    app.update();
    assert_eq!(log(&mut app), "hook other update hook hook other update");
}

#[test]
fn a_hook_that_exchanges_the_world_ends_the_app_with_an_error() {
    for place in 0..3 {
        let mut app = noting();
        let mut is_second = false;
        let exchange = move |app: &mut App| {
            if std::mem::replace(&mut is_second, true) {
                *app.world_mut() = World::new();
                app.world_mut().init_resource_with_log();
            }
        };
        match place {
            0 => app.between_frames(exchange),
            1 => app.before_frame(exchange),
            _ => app.after_frame(exchange),
        };
        assert_eq!(app.update(), None);
        let mut exit = app.update();
        if place == 2 {
            assert_eq!(exit, None, "the frame had run");
            exit = app.update();
        }
        assert_eq!(exit, Some(AppExit::error(1)));
    }
}

trait InitLog {
    fn init_resource_with_log(&mut self);
}

impl InitLog for World {
    fn init_resource_with_log(&mut self) {
        self.insert_resource(crate::Log::default());
    }
}

#[test]
fn a_hook_that_exchanges_the_app_continues_with_the_other_one() {
    let mut app = noting();
    app.update();
    app.before_frame(|app| {
        *app = noting();
        ControlFlow::Break(())
    });
    app.update();
    app.update();
    // The hooks before the frame stay, in front of those of the new app, whose own ones are called from the next time on.
    assert_eq!(
        log(&mut app),
        "startup update after between before before update after"
    );
}

/// The names and counts that a hook after each step sees.
fn watched(app: &mut App) -> Arc<Mutex<Vec<(&'static str, usize)>>> {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let seen = steps.clone();
    app.after_step(move |step, world| {
        let count = world.resource::<crate::Log>().0.len();
        seen.lock().unwrap().push((step.name(), count));
    });
    steps
}

#[system]
fn early(mut commands: Commands) {
    commands.queue(|world: &mut World| world.resource_mut::<crate::Log>().0.push("early"));
}
#[system]
fn physics(mut log: ResMut<crate::Log>) {
    log.0.push("physics");
}
#[system]
fn late(mut log: ResMut<crate::Log>) {
    log.0.push("late");
}
#[system]
fn never() {}

#[test]
fn a_hook_after_each_step_sees_commands_applied_and_steps_at_all_depths() {
    let mut app = app();
    let steps = watched(&mut app);
    app.add_systems(Startup, late);
    app.add_systems(PreUpdate, early);
    app.add_systems(FixedUpdate, physics);
    app.add_systems(Update, (never.run_if(from_fn(|| false)), late));
    app.update_by(App::DEFAULT_FIXED_STEP * 2);
    let steps = steps.lock().unwrap();
    let short = steps
        .iter()
        .map(|(name, count)| (name.rsplit("::").next().unwrap(), *count));
    assert_eq!(
        short.collect::<Vec<_>>(),
        [
            ("late", 1),
            ("early", 2),
            ("physics", 3),
            ("physics", 4),
            ("FixedUpdate", 4),
            ("late", 5),
        ]
    );
}

#[test]
fn hooks_after_steps_make_an_executor_wait_until_they_are_gone() {
    use ecs_core::schedule::{Executor, Run};
    #[derive(Clone, Default)]
    struct Counting(Arc<Mutex<u32>>);
    impl Executor for Counting {
        fn run(&mut self, run: &mut Run<'_>) {
            *self.0.lock().unwrap() += 1;
            while let Some(mut round) = run.round() {
                while let Some(task) = round.next_task() {
                    let mut tasks = vec![task];
                    while let Some(task) = tasks.pop() {
                        tasks.extend(task.run());
                    }
                }
                while let Some(task) = round.next_local() {
                    assert_eq!(task.run().count(), 0);
                }
            }
        }
    }
    let executor = Counting::default();
    let runs = || *executor.0.lock().unwrap();
    let mut app = app();
    app.set_executor(executor.clone()).add_systems(Update, late);
    app.update();
    let before = runs();
    assert!(before > 0);
    app.after_step(|_, _| ControlFlow::Break(()));
    app.update();
    assert_eq!(runs(), before);
    app.update();
    assert!(runs() > before);
    assert_eq!(log(&mut app), "late late late");
}

#[test]
fn a_panic_of_a_hook_after_a_step_says_where() {
    let mut app = app();
    app.add_systems(Update, (late, late));
    app.after_step(|_, _| -> () { panic!("disk full") });
    let message = message_of(|| _ = app.update());
    assert!(
        message.starts_with("the function called after system `"),
        "{message}"
    );
    assert!(message.ends_with("late` panicked: disk full"), "{message}");
    assert_eq!(log(&mut app), "late");
}

/// The reports that an app's hook on panics writes.
fn reported(app: &mut App) -> Arc<Mutex<Vec<String>>> {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let seen = reports.clone();
    app.on_panic(move |panic: &FramePanic<'_>, app| {
        let system = panic.system().map(|name| name.rsplit("::").next().unwrap());
        let frame = app.world().resource::<Time>().frame();
        seen.lock().unwrap().push(format!(
            "frame {frame}: {system:?} in `{}`: {:?}",
            panic.path(),
            panic.message()
        ));
    });
    reports
}

#[system]
fn bomb() {
    panic!("boom");
}
#[system]
fn quiet_bomb() {
    panic_any(7_u32);
}
#[system]
fn command_bomb(mut commands: Commands) {
    commands.queue(|_: &mut World| panic!("in a command"));
}
#[system]
fn failing() -> Result<(), std::fmt::Error> {
    Err(std::fmt::Error)
}
#[system]
fn by_hand(world: &mut World) {
    world.run_schedule("hand").unwrap();
}
/// Runs the schedule, and panics with the same message for another reason.
#[system]
fn catching(world: &mut World) {
    catch_unwind(AssertUnwindSafe(|| world.run_schedule("hand"))).unwrap_err();
    panic!("later");
}

#[test]
fn a_hook_on_panics_gets_the_system_and_the_steps_around_it_before_the_panic_goes_on() {
    let report = |add: fn(&mut App)| {
        let mut app = app();
        let reports = reported(&mut app);
        app.add_schedule("hand").add_systems("hand", bomb);
        add(&mut app);
        let reports_of = |app: &mut App| {
            let update = AssertUnwindSafe(|| app.update_by(App::DEFAULT_FIXED_STEP));
            let payload = catch_unwind(update).expect_err("it panics");
            let report = reports.lock().unwrap().pop().expect("a report");
            (report, payload)
        };
        let (report, payload) = reports_of(&mut app);
        if let Some(message) = payload.downcast_ref::<String>() {
            assert!(
                report.contains(&format!("{message:?}")),
                "{report}: {message}"
            );
        }
        report
    };
    let update = report(|app| _ = app.add_systems(Update, bomb));
    assert!(
        update.starts_with("frame 1: Some(\"bomb\") in ``: Some(\"system `"),
        "{update}"
    );
    let fixed = report(|app| _ = app.add_systems(FixedUpdate, bomb));
    assert!(
        fixed.starts_with("frame 1: Some(\"bomb\") in `FixedUpdate`: "),
        "{fixed}"
    );
    let startup = report(|app| _ = app.add_systems(Startup, bomb));
    assert!(
        startup.starts_with("frame 0: Some(\"bomb\") in ``"),
        "{startup}"
    );
    let quiet = report(|app| _ = app.add_systems(FixedUpdate, quiet_bomb));
    assert_eq!(
        quiet,
        "frame 1: Some(\"quiet_bomb\") in `FixedUpdate`: None"
    );
    let command = report(|app| _ = app.add_systems(Update, command_bomb));
    assert!(
        command.starts_with("frame 1: Some(\"command_bomb\") in ``"),
        "{command}"
    );
    let by_hand = report(|app| _ = app.add_systems(Update, by_hand));
    assert!(
        by_hand.starts_with("frame 1: Some(\"bomb\") in `"),
        "{by_hand}"
    );
    assert!(by_hand.contains("by_hand`: "), "{by_hand}");
    let caught = report(|app| _ = app.add_systems(Update, catching));
    assert!(
        caught.starts_with("frame 1: Some(\"catching\") in ``"),
        "{caught}"
    );
    let error = report(|app| _ = app.add_systems(Update, failing.on_error(ErrorPolicy::Panic)));
    assert!(
        error.starts_with("frame 1: Some(\"failing\") in ``"),
        "{error}"
    );
    let condition = report(|app| {
        let condition = || -> bool { panic!("asked") };
        app.add_systems(Update, never.run_if(condition));
    });
    assert!(
        condition.starts_with("frame 1: Some(\"never\") in ``") && condition.contains("asked"),
        "{condition}"
    );
    let handler = report(|app| _ = app.add_state(7_u8).on_enter(7_u8, bomb));
    assert!(
        handler.starts_with("frame 1: Some(\"bomb\") in `Transitions`"),
        "{handler}"
    );
    let piped =
        report(|app| _ = app.add_systems(FixedUpdate, never.pipe(|()| -> () { panic!("boom") })));
    assert!(
        piped.contains("never | ") && piped.contains("in `FixedUpdate`"),
        "{piped}"
    );
    let threads = report(|app| {
        app.world_mut().spawn(());
        app.add_systems(Update, (late, bomb));
        app.after_step(|_, _| {});
    });
    assert!(threads.starts_with("frame 1: Some(\"bomb\")"), "{threads}");
}

#[test]
fn hooks_on_panics_that_panic_or_run_the_app_do_not_hide_the_first_panic() {
    let mut app = app();
    let calls = Arc::new(Mutex::new(0));
    let seen = calls.clone();
    app.add_systems(Update, bomb);
    app.on_panic(|_, _| -> () { panic!("in the hook") });
    app.on_panic(|_, app| _ = app.update());
    app.on_panic(move |_, _| *seen.lock().unwrap() += 1);
    app.on_panic(|_, _| ControlFlow::Break(()));
    for n in 1..3 {
        let message = message_of(|| _ = app.update());
        assert!(message.ends_with("bomb` panicked: boom"), "{message}");
        assert_eq!(*calls.lock().unwrap(), n);
    }
}

fn full_disk(_: &mut App) {
    panic!("disk full");
}
fn full_disk_after(_: Step<'_>, _: &World) {
    panic!("disk full");
}
fn failing_steps(app: &mut App) {
    app.step_by(TICK);
}
fn failing_schedule(app: &mut App) {
    app.world_mut().run_schedule("hand").unwrap();
}

#[test]
fn a_panic_of_a_hook_is_reported_once_with_its_name_and_where_it_was_called() {
    let report = |add: fn(&mut App), run: fn(&mut App)| {
        let mut app = app();
        app.add_schedule("hand").add_systems("hand", bomb);
        app.add_systems(FixedUpdate, late);
        let reports = Arc::new(Mutex::new(Vec::new()));
        let seen = reports.clone();
        app.on_panic(move |panic, _| {
            let last = |name: &'static str| name.rsplit("::").next().unwrap();
            let (hook, system) = (panic.hook().map(last), panic.system().map(last));
            let path: Vec<_> = panic
                .path()
                .split(" > ")
                .map(|step| step.rsplit("::").next())
                .collect();
            let path: Vec<_> = path.into_iter().flatten().collect();
            let line = format!("{hook:?} {system:?} {path:?}");
            seen.lock().unwrap().push(line.replace('"', ""));
        });
        add(&mut app);
        assert!(
            message_of(|| run(&mut app)).contains("disk full")
                || !reports.lock().unwrap().is_empty()
        );
        reports.lock().unwrap().join("; ")
    };
    let update: fn(&mut App) = |app| _ = app.update_by(App::DEFAULT_FIXED_STEP);
    let step_system: fn(&mut App) = |app| while app.step_system().is_some() {};
    let before: fn(&mut App) = |app| _ = app.before_frame(full_disk);
    let after: fn(&mut App) = |app| _ = app.before_frame(|_| {}).after_frame(full_disk);
    let after_step: fn(&mut App) = |app| _ = app.after_step(|_, _| {}).after_step(full_disk_after);
    for run in [update, step_system] {
        assert_eq!(report(before, run), "Some(full_disk) None []");
        assert_eq!(report(after, run), "Some(full_disk) None []");
        assert_eq!(
            report(after_step, run),
            "Some(full_disk_after) None [FixedUpdate, late]"
        );
    }
    let between = |app: &mut App| _ = app.between_frames(full_disk);
    assert_eq!(report(between, update), "Some(full_disk) None []");
    // The frame that a hook between frames runs has reported it.
    let steps = |app: &mut App| {
        app.add_systems(Update, bomb);
        app.between_frames(failing_steps);
    };
    assert_eq!(report(steps, update), "None Some(bomb) []");
    let by_hand = |app: &mut App| {
        app.before_frame(failing_schedule).build().unwrap();
    };
    assert_eq!(
        report(by_hand, update),
        "Some(failing_schedule) Some(bomb) []"
    );
}

#[test]
fn a_panic_of_a_system_is_not_said_to_be_of_a_hook_that_panicked_before_it() {
    let mut app = app();
    let mut calls = 0;
    app.before_frame(move |_| {
        calls += 1;
        assert!(calls > 1, "once");
    });
    app.add_systems(Update, bomb);
    // No hook on panics sees the first one.
    assert_eq!(message_of(|| _ = app.update()), "once");
    let hooks = Arc::new(Mutex::new(Vec::new()));
    let seen = hooks.clone();
    app.on_panic(move |panic, _| seen.lock().unwrap().push(panic.hook()));
    message_of(|| _ = app.update());
    assert_eq!(*hooks.lock().unwrap(), [None]);
}

#[test]
fn an_update_after_one_of_a_given_length_counts_no_time_twice() {
    let (clock, hand) = Clock::manual();
    let mut app = app();
    app.set_clock(clock);
    let elapsed = |app: &App| app.world().resource::<Time>().elapsed().as_millis();
    // Never read: nothing to measure from.
    app.update_by(TICK);
    hand.advance(TICK * 5);
    app.update();
    assert_eq!(elapsed(&app), 10);
    hand.advance(TICK);
    app.update();
    assert_eq!(elapsed(&app), 20);
    // The frame of a given length stands for the time that passed.
    hand.advance(TICK * 3);
    app.update_by(TICK);
    assert_eq!(elapsed(&app), 30);
    hand.advance(TICK * 2);
    app.update();
    assert_eq!(elapsed(&app), 50);
    app.update();
    assert_eq!(elapsed(&app), 50);
}

#[test]
fn hooks_change_nothing_in_the_course_of_an_app() {
    let frames = |hooks: bool| {
        let mut app = app();
        app.add_systems(FixedUpdate, (physics, early));
        app.add_systems(Update, late);
        if hooks {
            app.between_frames(|_| {});
            app.after_step(|_, _| {});
            app.on_panic(|_, _| {});
            app.after_frame(|_| {});
        }
        // Asked for before the first frame.
        app.update_times(5, TICK);
        app.world_mut().resource_mut::<Exit>().success();
        app.update_times(5, TICK);
        (log(&mut app), app.world().resource::<Time>().clone())
    };
    assert_eq!(frames(false), frames(true));
}
