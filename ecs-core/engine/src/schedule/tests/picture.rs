use super::{Does, Outcome, When, alone, does, tracers};
use crate::meta::{Access, Domain, Identity, Kind, ParamInfo, Tree};
use crate::schedule::{IntoConfigs, Schedule};
use crate::system::{ConditionSource, IntoCondition};
use crate::world::{CommandQueue, World};

const fn touch(kind: Kind) -> Tree {
    Tree::Leaf(Access {
        domain: Domain::Resource,
        kind,
        ident: Identity::<u32>::opaque().ident(),
    })
}

const WRITES: &[ParamInfo] = &[ParamInfo::new("n", "ResMut<u32>", &touch(Kind::Write))];
const READS: &[ParamInfo] = &[ParamInfo::new("n", "Res<u32>", &touch(Kind::Read))];

fn touching<F>(system: Does<F>, params: &'static [ParamInfo]) -> Does<F>
where
    F: FnMut(&World, &mut CommandQueue) -> Outcome,
{
    Does { params, ..system }
}

/// A condition that says yes.
#[derive(Clone, Copy)]
struct Watch(&'static str, &'static [ParamInfo]);

impl IntoCondition<()> for Watch {
    fn into_condition(self) -> ConditionSource {
        let mut source = When(self.0, |_: &World, _: &mut CommandQueue| true).into_condition();
        source.meta.parts[0].params = self.1;
        source
    }
}

#[test]
fn a_plan_tells_order_origin_constraints_and_conditions() {
    tracers!(a, b, c);
    let mut schedule = Schedule::new();
    let always = |_: &World, _: &mut CommandQueue| true;
    schedule.add((a.after(c), b.run_if(When("always", always)), c));
    let plan = schedule.plan().unwrap();
    let told: Vec<_> = plan
        .steps()
        .map(|step| {
            let after: Vec<_> = step.after().map(|other| other.name()).collect();
            (step.number(), step.listed(), step.name(), after)
        })
        .collect();
    assert_eq!(
        told,
        [
            (0, 1, "b", vec![]),
            (1, 2, "c", vec![]),
            (2, 0, "a", vec!["c"])
        ]
    );
    assert_eq!(format!("{plan:?}"), "[b if always, c, a]");
    assert_eq!(format!("{schedule:?}"), r#"Schedule ["a", "b", "c"]"#);
}

#[test]
fn the_graph_shows_constraints_solid_and_conflicts_dashed_without_what_follows_from_others() {
    tracers!(write, read, look, apart);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(write, WRITES),
        touching(read, READS),
        touching(look, READS).after(touching(write, WRITES)),
        touching(apart, &[]).run_if(Watch("\"always\"", &[])),
        touching(does("last", |_, _| Ok(())), WRITES).after(touching(write, WRITES)),
    ));
    // `last` waits for `read` and `look`, so that it waits for `write` goes without saying.
    let expected = r#"digraph schedule {
    node [shape = box];
    s0 [label = "write"];
    s1 [label = "read"];
    s2 [label = "look"];
    s3 [label = "apart if \"always\""];
    s4 [label = "last"];
    s0 -> s1 [style = dashed, label = "the resource `u32`"];
    s0 -> s2;
    s1 -> s4 [style = dashed, label = "the resource `u32`"];
    s2 -> s4 [style = dashed, label = "the resource `u32`"];
}
"#;
    assert_eq!(schedule.to_dot(), expected);
    let conflicts: Vec<_> = schedule
        .plan()
        .unwrap()
        .conflicts()
        .map(|(first, second, _)| (first.number(), second.number()))
        .collect();
    assert_eq!(conflicts, [(0, 1), (0, 2), (0, 4), (1, 4), (2, 4)]);
}

#[test]
fn a_condition_conflicts_like_its_system() {
    tracers!(write, other);
    let mut schedule = Schedule::new();
    schedule.add((
        touching(write, WRITES),
        touching(other, &[]).run_if(Watch("watch", READS)),
    ));
    let plan = schedule.plan().unwrap();
    let (first, second, why) = plan.conflicts().next().unwrap();
    assert_eq!((first.name(), second.name()), ("write", "other"));
    assert_eq!(
        why.to_string(),
        "`n: ResMut<u32>` writes and `n: Res<u32>` reads the resource `u32`"
    );
}

#[test]
fn the_graph_of_an_impossible_schedule_says_why() {
    tracers!(a);
    let mut schedule = Schedule::new();
    schedule.add(a.after(a));
    assert_eq!(
        schedule.to_dot(),
        "digraph schedule {\n    label = \"systems wait for each other: `a` before `a`; remove one of these `before`, `after` or `chain`\";\n}\n"
    );
}

#[test]
fn the_flow_chart_escapes_what_could_mean_something() {
    tracers!(write);
    let always = |_: &World, _: &mut CommandQueue| true;
    let mut schedule = Schedule::new();
    schedule.add((
        touching(write, WRITES),
        touching(does("read<\"#`\">", |_, _| Ok(())), READS).run_if(When("a & b\r%%", always)),
        alone("alone", |_| Ok(())),
    ));
    schedule.add_flush();
    let expected = r##"flowchart TD
    s0["write"]
    s1["read#60;#34;#35;#96;#34;#62; if a #38; b#13;#37;#37;"]
    s2[["alone"]]
    s3[["flush"]]
    s0 -. "the resource #96;u32#96;" .-> s1
    s1 -. "share the world" .-> s2
    s2 -. "share the world" .-> s3
"##;
    assert_eq!(schedule.plan().unwrap().to_mermaid(), expected);
}

#[test]
fn the_drawing_is_well_formed_and_shows_every_system_and_every_wait() {
    tracers!(write, last);
    let always = |_: &World, _: &mut CommandQueue| true;
    let mut schedule = Schedule::new();
    schedule.add((
        touching(write, WRITES),
        touching(does("game::read<a::B, \"'&\u{1}\u{ffff}>", |_, _| Ok(())), READS)
            .run_if(When("game::awake", always)),
        last.after(touching(write, WRITES)),
    ));
    schedule.add_flush();
    let plan = schedule.plan().unwrap();
    let drawing = plan.to_svg();
    assert_well_formed(&drawing);
    for shown in [
        ">write</text>",
        ">game</text>",
        ">read&lt;B, &quot;&apos;&amp;\u{fffd}\u{fffd}&gt;</text>",
        ">if awake</text>",
        ">last</text>",
        ">flush</text>",
        ">u32<title>the resource `u32`</title></text>",
    ] {
        assert!(drawing.contains(shown), "{shown}\n{drawing}");
    }
    let waits: usize = plan.steps().map(|step| step.waits_for().len()).sum();
    let arrows = drawing.matches("<path class=\"arrow").count();
    assert_eq!(arrows, waits + 3, "three are in the legend");
    assert_eq!(drawing.matches("class=\"box").count(), 4 + 2);
    assert_well_formed(&Schedule::new().plan().unwrap().to_svg());
}

/// Each tag that is opened is closed in turn, and marks that mean something are escaped.
fn assert_well_formed(drawing: &str) {
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
