//! Timings and traces.

use alloc::vec::Vec;

use super::{When, does, trace, traced_world, tracers};
use crate::schedule::{IntoConfigs, Schedule, TraceKind};
use crate::world::{CommandQueue, World};

#[test]
fn timings_count_the_runs_of_each_system() {
    tracers!(a, never);
    let no = |_: &World, _: &mut CommandQueue| false;
    let mut world = traced_world();
    let mut schedule = Schedule::new();
    schedule.add((never.run_if(When("no", no)), a));
    schedule.run(&mut world).unwrap();
    assert!(schedule.timings().is_empty(), "off at first");
    schedule.record_timings(true);
    assert!(schedule.timings().is_empty(), "nothing was run");
    for _ in 0..3 {
        schedule.run(&mut world).unwrap();
    }
    let counts = |schedule: &Schedule| -> Vec<_> {
        let timings = schedule.timings().iter();
        timings
            .map(|timing| (timing.system(), timing.count()))
            .collect()
    };
    assert_eq!(counts(&schedule), [("never", 0), ("a", 3)]);
    for timing in schedule.timings() {
        assert!(timing.last() <= timing.max() && timing.max() <= timing.total());
        assert!(timing.mean() <= timing.max());
    }
    tracers!(late);
    schedule.add(late);
    schedule.run(&mut world).unwrap();
    assert_eq!(counts(&schedule), [("never", 0), ("a", 4), ("late", 1)]);
    schedule.record_timings(true);
    schedule.run(&mut world).unwrap();
    assert_eq!(counts(&schedule), [("never", 0), ("a", 1), ("late", 1)]);
    schedule.record_timings(false);
    schedule.run(&mut world).unwrap();
    assert!(schedule.timings().is_empty());
}

#[test]
fn a_slow_system_has_a_longer_timing_than_a_quick_one() {
    let mut schedule = Schedule::new();
    let slow = does("slow", |_, _| {
        std::thread::sleep(core::time::Duration::from_millis(20));
        Ok(())
    });
    schedule.add((slow, does("quick", |_, _| Ok(()))));
    schedule.record_timings(true);
    schedule.run(&mut World::new()).unwrap();
    let [slow, quick] = schedule.timings() else {
        panic!("two systems");
    };
    assert!(slow.last().as_millis() >= 20);
    assert!(slow.total() > quick.total());
    assert_eq!(slow.mean(), slow.max());
}

#[test]
fn a_trace_has_systems_conditions_and_commands_in_the_order_of_the_run() {
    tracers!(a);
    let yes = |_: &World, _: &mut CommandQueue| true;
    let spawn = does("spawn", |world, queue: &mut CommandQueue| {
        queue.push(|world: &mut World| _ = world.spawn(()));
        trace(world, "spawn")
    });
    let mut world = traced_world();
    let mut schedule = Schedule::new();
    schedule.add((a.run_if(When("yes", yes)), spawn));
    schedule.run(&mut world).unwrap();
    assert!(schedule.take_trace().is_none());
    schedule.trace_next_run();
    schedule.run(&mut world).unwrap();
    schedule.run(&mut world).unwrap();
    let trace = schedule.take_trace().unwrap();
    assert!(schedule.take_trace().is_none());
    let spans: Vec<_> = trace
        .spans()
        .iter()
        .map(|span| (span.kind(), span.name(), span.step(), span.thread()))
        .collect();
    assert_eq!(
        spans,
        [
            (TraceKind::Condition, "yes", 0, 0),
            (TraceKind::System, "a", 0, 0),
            (TraceKind::System, "spawn", 1, 0),
            (TraceKind::Commands, "commands of spawn", 1, 0),
        ]
    );
    for pair in trace.spans().windows(2) {
        assert!(pair[0].start() <= pair[0].end() && pair[0].end() <= pair[1].start());
    }
    assert_eq!(trace.threads().len(), 1);
}

#[test]
fn a_run_that_panics_leaves_no_trace_and_the_next_one_does() {
    let mut first = true;
    let mut schedule = Schedule::new();
    schedule.add(does("once", move |_, _| {
        assert!(!core::mem::take(&mut first), "out of luck");
        Ok(())
    }));
    schedule.trace_next_run();
    schedule.record_timings(true);
    let mut world = World::new();
    let run = std::panic::AssertUnwindSafe(|| schedule.run(&mut world));
    std::panic::catch_unwind(run).unwrap_err();
    assert!(schedule.take_trace().is_none());
    schedule.run(&mut world).unwrap();
    assert_eq!(schedule.take_trace().unwrap().spans().len(), 1);
    assert_eq!(schedule.timings()[0].count(), 1);
}

#[cfg(feature = "parallel")]
#[test]
fn a_parallel_run_is_traced_on_all_its_threads() {
    use std::sync::{Arc, Barrier};
    // Each one waits for the other, so two threads are at work.
    let barrier = Arc::new(Barrier::new(2));
    let meet = |barrier: Arc<Barrier>| {
        move |_: &World, _: &mut CommandQueue| {
            barrier.wait();
            Ok(())
        }
    };
    let mut schedule = Schedule::new();
    let one = super::Does {
        params: &[],
        ..does("one", meet(barrier.clone()))
    };
    let two = super::Does {
        params: &[],
        ..does("two", meet(barrier))
    };
    schedule.add((one, two));
    schedule.trace_next_run();
    let pool = rayon_core::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .unwrap();
    schedule.run_par(&mut World::new(), &pool).unwrap();
    let trace = schedule.take_trace().unwrap();
    let threads: std::collections::BTreeSet<_> =
        trace.spans().iter().map(|span| span.thread()).collect();
    assert_eq!(threads.len(), 2);
    assert!(threads.iter().all(|&thread| thread < trace.threads().len()));
}

#[cfg(feature = "tracing")]
#[test]
fn systems_conditions_and_commands_have_spans() {
    use alloc::borrow::ToOwned as _;
    use alloc::string::String;
    use core::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Mutex};
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};

    /// Records the spans that are created.
    struct Listener {
        next: AtomicU64,
        spans: Arc<Mutex<Vec<String>>>,
    }
    struct Fields(String);
    impl Visit for Fields {
        fn record_debug(&mut self, field: &Field, value: &dyn core::fmt::Debug) {
            self.0 += &format!(" {field}={value:?}");
        }
    }
    impl tracing::Subscriber for Listener {
        fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, span: &Attributes<'_>) -> Id {
            let mut fields = Fields(span.metadata().name().to_owned());
            span.record(&mut fields);
            self.spans.lock().unwrap().push(fields.0);
            Id::from_u64(self.next.fetch_add(1, Ordering::Relaxed))
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &tracing::Event<'_>) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    tracers!(a);
    let yes = |_: &World, _: &mut CommandQueue| true;
    let spawn = does("spawn", |world, queue: &mut CommandQueue| {
        queue.push(|world: &mut World| _ = world.spawn(()));
        trace(world, "spawn")
    });
    let mut world = traced_world();
    let mut schedule = Schedule::new();
    schedule.add((a.run_if(When("yes", yes)), spawn));
    let spans = Arc::new(Mutex::new(Vec::new()));
    let listener = Listener {
        next: AtomicU64::new(1),
        spans: spans.clone(),
    };
    // With a single subscriber alive, `tracing` asks the thread that reaches a span first whether it is ever wanted, and other
    // tests have no subscriber. With two it asks the subscribers.
    let _second = tracing::Dispatch::new(Listener {
        next: AtomicU64::new(1),
        spans: Arc::default(),
    });
    tracing::subscriber::with_default(listener, || schedule.run_seq(&mut world).unwrap());
    assert_eq!(
        *spans.lock().unwrap(),
        [
            "condition name=\"yes\" system=\"a\"",
            "system name=\"a\"",
            "system name=\"spawn\"",
            "commands system=\"spawn\"",
        ]
    );
}
