//! Pictures of schedules in three languages.

use ecs_core::inspect::{to_dot, to_mermaid, to_svg};
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::{in_state, resource_changed, run_once};

#[system]
fn write(mut n: ResMut<u32>) {
    *n += 1;
}
#[system]
fn read(n: Res<u32>) {
    _ = n;
}
#[system]
fn look(n: Res<u32>) {
    _ = n;
}
#[system]
fn apart() {}
#[system]
fn last(mut n: ResMut<u32>) {
    *n += 1;
}
#[system]
fn exclusive(world: &mut World) {
    _ = world;
}
#[system]
fn spawn(mut commands: Commands) {
    commands.spawn(());
}

/// A condition whose name has special characters of all three languages.
fn named() -> ecs_core::system::ConditionSource {
    in_state("\"#`<&'\u{1}>\\")
}

/// `last` waits for `read` and `look`, and so for `write`.
fn waits() -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add((
        write,
        read,
        look.after(write),
        apart.run_if(named()),
        last.after(write),
    ));
    schedule
}

#[test]
fn dot_draws_constraints_solid_and_conflicts_dashed_without_transitive_arrows() {
    let expected = r##"digraph schedule {
    node [shape = box];
    s0 [label = "pictures::write"];
    s1 [label = "pictures::read"];
    s2 [label = "pictures::look"];
    s3 [label = "pictures::apart if in_state(\"\\\"#`<&'\\u{1}>\\\\\")"];
    s4 [label = "pictures::last"];
    s0 -> s1 [style = dashed, label = "the resource `u32`"];
    s0 -> s2;
    s1 -> s4 [style = dashed, label = "the resource `u32`"];
    s2 -> s4 [style = dashed, label = "the resource `u32`"];
}
"##;
    assert_eq!(to_dot(waits().plan().unwrap()), expected);
}

#[test]
fn mermaid_draws_places_and_escapes_special_characters() {
    let mut schedule = Schedule::new();
    schedule.add((write, read.run_if(named()), exclusive));
    schedule.add_flush();
    let chart = to_mermaid(schedule.plan().unwrap());
    let lines: Vec<_> = chart.lines().collect();
    let expected = [
        "flowchart TD",
        r#"    s0["pictures::write"]"#,
        r##"    s1["pictures::read if in_state(#34;#92;#34;#35;#96;#60;#38;'#92;u{1}#62;#92;#92;#34;)"]"##,
        r#"    s2[["pictures::exclusive"]]"#,
        r#"    s3[["flush"]]"#,
        r##"    s0 -. "the resource #96;u32#96;" .-> s1"##,
    ];
    assert_eq!(lines[..expected.len()], expected, "{chart}");
    assert!(lines[expected.len()].starts_with("    s1 -. "), "{chart}");
    assert!(lines[expected.len() + 1].starts_with("    s2 -. "));
    assert_eq!(lines.len(), expected.len() + 2);
}

#[test]
fn mermaid_draws_dependencies_by_commands_and_by_shared_conditions() {
    let mut schedule = Schedule::new();
    schedule.add((spawn, read));
    let chart = to_mermaid(schedule.plan().unwrap());
    assert!(chart.contains(r#"s0 -. "commands" .-> s1"#), "{chart}");

    // `spawn` evaluates the conditions of both, and waits for `write` before.
    let mut schedule = Schedule::new();
    let changed = resource_changed::<u32>();
    schedule.add((write, (spawn.run_if(changed), apart).run_if(run_once())));
    let chart = to_mermaid(schedule.plan().unwrap());
    assert!(chart.contains(r#"s0 -. "a condition" .-> s2"#), "{chart}");
}

#[test]
fn svg_is_well_formed_and_shows_every_system_and_every_dependency() {
    let mut schedule = waits();
    schedule.add_flush();
    let plan = schedule.plan().unwrap();
    let drawing = to_svg(plan);
    assert_well_formed(&drawing);
    for shown in [
        ">write</text>",
        ">pictures</text>",
        ">last</text>",
        ">flush</text>",
        ">u32<title>the resource `u32`</title></text>",
        "&quot;#`&lt;&amp;&apos;",
    ] {
        assert!(drawing.contains(shown), "{shown}\n{drawing}");
    }
    let waits: usize = plan.steps().map(|step| step.waits_for().len()).sum();
    let arrows = drawing.matches("<path class=\"arrow").count();
    assert_eq!(arrows, waits + 3, "three are in the legend");
    assert_eq!(drawing.matches("class=\"box").count(), 6 + 2);
    assert_well_formed(&to_svg(Schedule::new().plan().unwrap()));
}

/// Checks that tags are closed in turn and special characters are escaped.
fn assert_well_formed(drawing: &str) {
    assert!(!drawing.contains(|c: char| c.is_control() && c != '\n'));
    let mut open = Vec::new();
    for part in drawing.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag has an end");
        assert!(!text.contains('>'), "{part}");
        let mut entities = text.split('&').chain(tag.split('&').skip(1));
        entities.next();
        for entity in entities {
            let known = ["amp;", "lt;", "gt;", "quot;", "apos;"];
            assert!(
                known.iter().any(|known| entity.starts_with(known)),
                "{part}"
            );
        }
        let name = tag.split([' ', '/']).find(|name| !name.is_empty());
        let name = name.expect("a tag has a name");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert_eq!(open, [""; 0]);
}

/// A frame with a step that is a schedule, and one inside that.
fn nested() -> Schedule {
    let mut inner = Schedule::named("turn");
    inner.add((write, read));
    let mut physics = Schedule::named("physics");
    physics.add((inner, last));
    let mut frame = Schedule::new();
    frame.add((apart, physics, look));
    frame
}

#[test]
fn dot_draws_schedules_inside_steps_as_clusters() {
    let expected = r##"digraph schedule {
    node [shape = box];
    s0 [label = "pictures::apart"];
    s1 [label = "physics"];
    s2 [label = "pictures::look"];
    s1 -> s2 [style = dashed, label = "share the world"];
    subgraph cluster_s_0_ {
        label = "physics";
        s_0_0 [label = "turn"];
        s_0_1 [label = "pictures::last"];
        s_0_0 -> s_0_1 [style = dashed, label = "share the world"];
        subgraph cluster_s_0__0_ {
            label = "physics > turn";
            s_0__0_0 [label = "pictures::write"];
            s_0__0_1 [label = "pictures::read"];
            s_0__0_0 -> s_0__0_1 [style = dashed, label = "the resource `u32`"];
        }
    }
}
"##;
    assert_eq!(to_dot(nested().plan().unwrap()), expected);
}

#[test]
fn mermaid_draws_schedules_inside_steps_as_subgraphs() {
    let chart = to_mermaid(nested().plan().unwrap());
    let lines: Vec<&str> = chart.lines().map(str::trim).collect();
    let starts = lines
        .iter()
        .copied()
        .filter(|line| line.starts_with("subgraph"));
    let expected = [
        r#"subgraph s_0_["physics"]"#,
        r#"subgraph s_0__0_["physics #62; turn"]"#,
    ];
    assert_eq!(starts.collect::<Vec<_>>(), expected);
    assert_eq!(lines.iter().filter(|line| **line == "end").count(), 2);
    assert!(lines.contains(&r#"s_0__0_0["pictures::write"]"#), "{chart}");
}

#[test]
fn svg_draws_schedules_inside_steps_below() {
    let drawing = to_svg(nested().plan().unwrap());
    let heading = |path: &str| drawing.find(&format!(">inside {path}</text>")).unwrap();
    assert!(heading("physics") < heading("physics &gt; turn"));
    assert!(heading("physics &gt; turn") < drawing.find(">write</text>").unwrap());
    assert_eq!(drawing.matches("<g transform=\"translate(0 ").count(), 3);
    assert_well_formed(&drawing);
}
