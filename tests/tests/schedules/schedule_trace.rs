//! A trace of a run, parsed as JSON.

use ecs_core::inspect::to_chrome_json;
use ecs_core::prelude::*;
use serde_json::Value;

#[derive(Resource)]
struct Count(u32);

#[system]
fn count(mut count: ResMut<Count>) {
    count.0 += 1;
}

#[system]
fn spawn(mut commands: Commands) {
    commands.spawn(());
}

#[system]
fn odd(count: Res<Count>) -> bool {
    count.0 % 2 == 1
}

#[system]
fn tick<T: Resource>(value: Option<Res<T>>) {
    let _ = value;
}

#[test]
fn a_trace_is_json_that_names_threads_systems_and_flushes() {
    let mut world = World::new();
    world.insert_resource(Count(0));
    let mut frame = Schedule::new();
    frame.add((count, spawn.run_if(odd), tick::<u8>));
    frame.add(ecs_core::from_fn(|_: Res<Count>| {}));
    frame.trace_next_run();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .thread_name(|n| format!("\"worker\" {n}\\\n"))
        .build()
        .unwrap();
    frame.run_par(&mut world, &pool).unwrap();
    let trace = frame.take_trace().unwrap();
    let json: Value = serde_json::from_str(&to_chrome_json(&trace)).unwrap();
    let events = json["traceEvents"].as_array().unwrap();

    let named: Vec<_> = events
        .iter()
        .filter(|event| event["name"] == "thread_name")
        .map(|event| event["args"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(named, trace.threads());
    assert!(
        named
            .iter()
            .skip(1)
            .all(|name| name.starts_with("\"worker\" "))
    );

    let complete: Vec<_> = events.iter().filter(|event| event["ph"] == "X").collect();
    assert_eq!(complete.len(), trace.spans().len());
    for (event, span) in complete.iter().zip(trace.spans()) {
        assert_eq!(event["name"], span.name());
        assert_eq!(event["tid"], span.thread());
        assert_eq!(event["args"]["step"], span.step());
        let start = span.start().as_nanos() as f64 / 1000.0;
        assert!((event["ts"].as_f64().unwrap() - start).abs() < 0.001);
        assert!(event["dur"].as_f64().unwrap() >= 0.0);
        assert!((event["tid"].as_u64().unwrap() as usize) < named.len());
    }
    let mut found: Vec<_> = complete
        .iter()
        .map(|event| {
            let name = event["name"].as_str().unwrap();
            let name = name.rsplit("::").next().unwrap();
            (event["cat"].as_str().unwrap(), name.to_owned())
        })
        .collect();
    found.sort();
    let expected = [
        ("commands", "spawn"),
        ("condition", "odd"),
        ("system", "count"),
        ("system", "spawn"),
        ("system", "tick<u8>"),
        ("system", "{{closure}}"),
    ];
    assert_eq!(found, expected.map(|(kind, name)| (kind, name.to_owned())));
}
