//! The waits of a script, alone and together.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use ecs_core::app::script::{Script, ScriptContext, both, first_of, run_scripts};
use ecs_core::prelude::*;

use super::{FRAME, Notes, app, frames, note, spawn, taken};

#[derive(Clone, Copy, Debug, PartialEq)]
struct Ping(u32);

#[test]
fn a_script_waits_for_frames() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        note(&script, "start").await;
        script.frames(0).await;
        note(&script, "no wait").await;
        script.frames(1).await;
        note(&script, "one").await;
        script.frames(2).await;
        note(&script, "three").await;
    });
    let expected = ["start no wait", "one", "", "three", ""];
    assert_eq!(frames(&mut app, 5), expected);
    assert_eq!(app.world().query::<&Script>().count(), 0);
}

#[test]
fn a_script_waits_for_the_time_of_the_game() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        script.time(Duration::ZERO).await;
        note(&script, "start").await;
        script.time(FRAME * 3 / 2).await;
        note(&script, "20 ms").await;
        script.time(FRAME).await;
        note(&script, "30 ms").await;
        script.time(Duration::MAX).await;
        unreachable!("it never ends");
    });
    assert_eq!(frames(&mut app, 2), ["start", ""]);
    app.world_mut().resource_mut::<Time>().pause();
    assert_eq!(frames(&mut app, 10).concat(), "");
    app.world_mut().resource_mut::<Time>().resume();
    assert_eq!(frames(&mut app, 3), ["20 ms", "30 ms", ""]);
    app.update_by(Duration::from_secs(1 << 40));
}

#[test]
fn time_and_frames_stand_still_while_scripts_do_not_run() {
    let mut app = App::new();
    app.init_resource::<Notes>().insert_resource(true);
    app.add_systems(Update, run_scripts.run_if(|is_on: Res<bool>| *is_on));
    spawn(&mut app, async |script: ScriptContext| {
        both(script.frames(2), script.time(FRAME * 2)).await;
        note(&script, "end").await;
    });
    assert_eq!(frames(&mut app, 2), ["", ""]);
    *app.world_mut().resource_mut::<bool>() = false;
    assert_eq!(frames(&mut app, 5).concat(), "");
    *app.world_mut().resource_mut::<bool>() = true;
    assert_eq!(frames(&mut app, 1), ["end"]);
}

#[test]
fn scripts_in_fixed_steps_count_steps() {
    let mut app = App::new();
    app.init_resource::<Notes>().fixed_step(FRAME * 2);
    app.add_systems(FixedUpdate, run_scripts);
    spawn(&mut app, async |script: ScriptContext| {
        note(&script, "start").await;
        script.frames(1).await;
        note(&script, "frame").await;
        script.time(FRAME * 4).await;
        note(&script, "time").await;
    });
    assert_eq!(
        frames(&mut app, 8),
        ["", "start", "", "frame", "", "", "", "time"]
    );
}

#[test]
fn a_condition_is_asked_at_once_and_then_once_a_run() {
    let mut app = app();
    app.insert_resource(0_u32);
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    spawn(&mut app, async move |script: ScriptContext| {
        script.until(|_| true).await;
        let condition = move |world: &World| {
            count.fetch_add(1, Ordering::Relaxed);
            *world.resource::<u32>() == 7
        };
        script.until(condition).await;
        let found = script.until_some(|world| world.resource::<u32>().checked_sub(8));
        note(&script, found.await).await;
    });
    assert_eq!(frames(&mut app, 3).concat(), "");
    assert_eq!(asked.load(Ordering::Relaxed), 3);
    app.insert_resource(7_u32);
    assert_eq!(frames(&mut app, 1), [""]);
    assert_eq!(asked.load(Ordering::Relaxed), 4);
    app.insert_resource(10_u32);
    assert_eq!(frames(&mut app, 1), ["2"]);
}

#[test]
fn a_condition_sees_the_scripts_before_it() {
    let mut app = app();
    app.insert_resource(0_u32);
    spawn(&mut app, async |script: ScriptContext| {
        script.frames(1).await;
        script.world(|world| *world.resource_mut::<u32>() = 1).await;
        script.frames(1).await;
    });
    spawn(&mut app, async |script: ScriptContext| {
        script.until(|world| *world.resource::<u32>() == 1).await;
        note(&script, "seen").await;
    });
    assert_eq!(frames(&mut app, 2), ["", "seen"]);
}

#[test]
fn a_script_waits_for_the_end_of_an_entity() {
    let mut app = app();
    let [first, second] = [(); 2].map(|()| app.world_mut().spawn_empty());
    spawn(&mut app, async move |script: ScriptContext| {
        script.despawned(first).await;
        note(&script, "first").await;
        script.despawned(first).await;
        note(&script, "still").await;
        script.despawned(second).await;
        note(&script, "second").await;
    });
    assert_eq!(frames(&mut app, 2), ["", ""]);
    app.world_mut().despawn(first).unwrap();
    assert_eq!(frames(&mut app, 2), ["first still", ""]);
    app.world_mut().despawn(second).unwrap();
    app.world_mut().spawn_empty(); // with its index
    assert_eq!(frames(&mut app, 1), ["second"]);
}

#[test]
fn each_event_is_seen_once_from_the_reader_on() {
    let mut app = app();
    app.world_mut().send_event(Ping(0));
    spawn(&mut app, async |script: ScriptContext| {
        let mut pings = script.events::<Ping>().await;
        loop {
            let ping = pings.next_event().await;
            note(&script, ping.0).await;
            if ping.0 == 3 {
                // Events are kept for it meanwhile.
                script.frames(2).await;
            }
        }
    });
    let mut frame = |pings: &[u32]| {
        for &ping in pings {
            app.world_mut().send_event(Ping(ping));
        }
        frames(&mut app, 1).concat()
    };
    assert_eq!(frame(&[0]), "");
    assert_eq!(frame(&[1, 2]), "1 2");
    assert_eq!(frame(&[]), "");
    assert_eq!(frame(&[3, 4]), "3");
    assert_eq!(frame(&[5]), "");
    assert_eq!(frame(&[6]), "4 5 6");
}

#[test]
fn events_are_missing_or_removed_or_of_another_world() {
    let mut app = app();
    let entity = spawn(&mut app, async |script: ScriptContext| {
        let mut pings = script.events::<Ping>().await;
        loop {
            let ping = pings.next_event().await.0;
            note(&script, ping).await;
        }
    });
    assert_eq!(frames(&mut app, 1).concat(), "");
    let events = app.world_mut().remove_resource::<Events<Ping>>().unwrap();
    assert_eq!(events.readers(), 1);
    assert_eq!(frames(&mut app, 1).concat(), "");
    app.world_mut().send_event(Ping(1));
    assert_eq!(frames(&mut app, 1).concat(), "1");

    // The script moves.
    let mut other = super::app();
    other.world_mut().send_event(Ping(2));
    let script = app.world_mut().take::<Script>(entity).unwrap();
    let moved = other.world_mut().spawn(script);
    assert_eq!(frames(&mut other, 1).concat(), "2");
    other.world_mut().despawn(moved).unwrap();
    assert_eq!(other.world().resource::<Events<Ping>>().readers(), 0);
}

#[test]
fn a_single_event_is_one_after_the_wait_began() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        for _ in 0..2 {
            let Ping(ping) = script.event::<Ping>().await;
            note(&script, ping).await;
        }
    });
    app.world_mut().send_event(Ping(1));
    assert_eq!(frames(&mut app, 1).concat(), "");
    app.world_mut().send_event(Ping(2));
    app.world_mut().send_event(Ping(3));
    assert_eq!(frames(&mut app, 2).concat(), "2");
    app.world_mut().send_event(Ping(4));
    assert_eq!(frames(&mut app, 1).concat(), "4");
}

#[test]
fn a_reader_skips_events_that_are_not_wanted() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        let mut pings = script.events::<Ping>().await;
        for least in [3, 0] {
            let ping = pings.next_where(move |ping| ping.0 >= least).await;
            note(&script, ping.0).await;
        }
    });
    assert_eq!(frames(&mut app, 1).concat(), "");
    for ping in [1, 5, 2] {
        app.world_mut().send_event(Ping(ping));
    }
    assert_eq!(frames(&mut app, 1).concat(), "5 2");
}

#[test]
fn an_event_is_not_lost_with_a_future_that_loses() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        let mut pings = script.events::<Ping>().await;
        let in_time =
            |ping: Option<Ping>| ping.map_or(String::from("late"), |ping| ping.0.to_string());
        let ping = first_of(
            async {
                script.frames(1).await;
                None
            },
            async { Some(pings.next_where(|ping| ping.0 > 1).await) },
        );
        note(&script, in_time(ping.await)).await;
        note(&script, pings.next_where(|ping| ping.0 > 2).await.0).await;
        note(&script, pings.next_event().await.0).await;
    });
    assert_eq!(frames(&mut app, 1).concat(), "");
    // Number 2 is found in the frame in which the other future wins, and is skipped by the next call; 3 and 4 are not.
    for ping in 1..=4 {
        app.world_mut().send_event(Ping(ping));
    }
    assert_eq!(frames(&mut app, 1).concat(), "late 3 4");
}

#[test]
fn the_first_of_two_counts_and_the_other_is_dropped() {
    let mut app = app();
    for (first, second) in [(1, 2), (2, 1), (2, 2)] {
        let script = async move |script: ScriptContext| {
            let after = async |frames, name: &'static str| {
                script.frames(frames).await;
                note(&script, name).await;
                name
            };
            let winner = first_of(after(first, "a"), after(second, "b")).await;
            script.frames(5).await;
            note(&script, format!("{winner}!")).await;
        };
        spawn(&mut app, script);
        // Both functions of the last one are called before the futures are polled.
        let notes = frames(&mut app, 10);
        let winner = if first <= second { "a" } else { "b" };
        let expected = if first == second { "a b" } else { winner };
        assert_eq!(notes[first.min(second) as usize], expected);
        assert_eq!(notes[first.min(second) as usize + 5], format!("{winner}!"));
        assert_eq!(notes.concat(), format!("{expected}{winner}!"));
    }
}

#[test]
fn both_wait_at_the_same_time() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        let after = async |frames| {
            script.frames(frames).await;
            note(&script, frames).await;
            frames
        };
        let ((a, b), c) = both(both(after(3), after(1)), after(2)).await;
        note(&script, format!("{a}{b}{c}")).await;
    });
    assert_eq!(frames(&mut app, 4), ["", "1", "2", "3 312"]);
}

#[test]
fn functions_with_the_world_are_called_in_the_order_of_their_waits() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        both(both(note(&script, 1), note(&script, 2)), note(&script, 3)).await;
        // The first one sends an event that the second one waits for.
        let send = script.world(|world| world.send_event(Ping(4)));
        let wait = async { script.event::<Ping>().await.0 };
        let ((), ping) = both(
            async {
                script.frames(1).await;
                send.await;
            },
            wait,
        )
        .await;
        note(&script, ping).await;
    });
    assert_eq!(frames(&mut app, 3), ["1 2 3", "", "4"]);
}

/// Wakes a flag.
#[derive(Default)]
struct Flag(AtomicUsize);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Polls a future only when it was woken, like the lists of futures of other crates.
struct WhenWoken<F> {
    future: Pin<Box<F>>,
    flag: Arc<Flag>,
    polls: Arc<AtomicUsize>,
}

impl<F: Future> Future for WhenWoken<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<F::Output> {
        if self.flag.0.swap(0, Ordering::Relaxed) == 0 {
            return Poll::Pending;
        }
        self.polls.fetch_add(1, Ordering::Relaxed);
        let waker = Waker::from(Arc::clone(&self.flag));
        self.future.as_mut().poll(&mut Context::from_waker(&waker))
    }
}

#[test]
fn waits_wake_the_futures_around_them() {
    let mut app = app();
    let polls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&polls);
    spawn(&mut app, async move |script: ScriptContext| {
        let flag = Arc::new(Flag(AtomicUsize::new(1)));
        let three = async {
            script.frames(2).await;
            script.world(|_| ()).await;
            script.until(|_| true).await;
        };
        let woken = WhenWoken {
            future: Box::pin(three),
            flag,
            polls: count,
        };
        // The other one resumes the script each frame.
        let each_frame = async {
            loop {
                script.frames(1).await;
            }
        };
        first_of(woken, each_frame).await;
        note(&script, "end").await;
    });
    assert_eq!(frames(&mut app, 3), ["", "", "end"]);
    assert_eq!(polls.load(Ordering::Relaxed), 4);
}

#[test]
fn a_script_that_waits_is_not_polled() {
    let mut app = app();
    let polls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&polls);
    spawn(&mut app, async move |script: ScriptContext| {
        let mut wait = pin!(both(script.frames(5), script.until(|_| false)));
        std::future::poll_fn(|context| {
            count.fetch_add(1, Ordering::Relaxed);
            wait.as_mut().poll(context).map(drop)
        })
        .await;
    });
    frames(&mut app, 5);
    assert_eq!(polls.load(Ordering::Relaxed), 1);
    frames(&mut app, 5);
    assert_eq!(polls.load(Ordering::Relaxed), 2);
}

#[test]
fn a_future_that_is_dropped_unpolled_or_polled_again_is_harmless() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        drop(script.frames(1));
        drop(script.world(|_| unreachable!("it was never awaited")));
        let mut wait = Box::pin(script.frames(3));
        let once = async {
            script.frames(1).await;
        };
        first_of(&mut wait, once).await;
        note(&script, "one").await;
        wait.await;
        note(&script, "three").await;
    });
    assert_eq!(frames(&mut app, 4), ["", "one", "", "three"]);
}

#[test]
fn a_wait_that_is_kept_is_over_when_its_time_comes() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        let mut early = Box::pin(script.frames(1));
        first_of(&mut early, script.frames(0)).await;
        // It is over after the first of these frames, and polled after the third.
        script.frames(3).await;
        early.await;
        note(&script, "end").await;
    });
    assert_eq!(frames(&mut app, 4), ["", "", "", "end"]);
}

#[test]
fn a_function_may_drop_the_futures_of_its_own_script() {
    let mut app = app();
    spawn(&mut app, async |script: ScriptContext| {
        let mut others = Vec::new();
        for frames in 1..4 {
            others.push(Box::pin(script.frames(frames)));
        }
        for other in &mut others {
            first_of(other, script.frames(0)).await;
        }
        let context = script.clone();
        script
            .world(move |_| {
                assert_eq!(context.elapsed(), Duration::ZERO);
                others.clear();
            })
            .await;
        script.frames(1).await;
        note(&script, "end").await;
    });
    assert_eq!(frames(&mut app, 2), ["", "end"]);
    assert_eq!(taken(&mut app), "");
}

#[test]
fn the_clock_of_a_script_begins_with_its_first_run() {
    let mut app = app();
    let times = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&times);
    frames(&mut app, 3);
    spawn(&mut app, async move |script: ScriptContext| {
        loop {
            noted.lock().unwrap().push(script.elapsed());
            script.frames(2).await;
        }
    });
    frames(&mut app, 5);
    let expected = [Duration::ZERO, FRAME * 2, FRAME * 4];
    assert_eq!(*times.lock().unwrap(), expected);
}
