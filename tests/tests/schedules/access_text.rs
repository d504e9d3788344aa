//! The text of what systems touch has a line for each access, and changes with nothing else.

use ecs_core::prelude::*;
use ecs_core::resource::ResourceMap;
use ecs_core::schedule::fixed;

#[derive(Component)]
#[component(name = "health")]
struct Health(u32);
#[derive(Component)]
#[component(name = "ghost", track)]
struct Ghost;
#[derive(Component)]
#[component(name = "spark", storage = "sparse")]
struct Spark;
#[derive(Component)]
struct Tag<T: Send + Sync + 'static>(T);
#[derive(Resource)]
struct Score(u32);

struct Hit;

#[derive(SystemParam)]
struct Fight<'w> {
    health: CompMut<'w, Health>,
    hits: EventWriter<'w, Hit>,
}

#[system(for_each, without(Ghost))]
fn heal(health: &mut Health) {
    health.0 += 1;
}
#[system]
fn queries(_: Query<(&Health, Option<&Spark>), (Changed<Ghost>, Or<(With<Spark>, Added<Ghost>)>)>) {
}
#[system]
fn parts(
    fight: Fight<'_>,
    mut set: ParamSet<(CompMut<Spark>, Comp<Spark>)>,
    score: Option<Res<Score>>,
) {
    _ = (
        &fight.health,
        &fight.hits,
        set.p0(),
        score.map(|score| score.0),
    );
}
#[system]
fn events(_: EventReader<Hit>, _: Removed<Ghost>, _: Local<Vec<u8>>) {}
#[system]
fn declared(_: Commands<(Spark, Health)>) {}
#[system]
fn undeclared(_: Commands) {}
#[system]
fn ids(_: Entities) {}
#[system]
fn world(_: &World) {}
#[system]
fn exclusive(_: &mut World) {}
#[system]
fn resources(_: &ResourceMap) {}
#[system]
fn non_send(_: NonSendMut<std::rc::Rc<u8>>, _: NonSend<u8>) {}
#[system]
fn generic<T: Send + Sync + 'static>(_: CompMut<Tag<T>>) {}
#[system]
fn is_alive(healths: Comp<Health>) -> bool {
    !healths.is_empty()
}

/// Returns the text of a schedule without the path of this module.
fn text<M>(systems: impl IntoConfigs<M>) -> String {
    let mut frame = Schedule::new();
    frame.add(systems);
    let text = frame.access_text().expect("it has an order");
    text.replace(concat!(module_path!(), "::"), "")
}

#[test]
fn each_parameter_has_lines_for_all_that_it_touches() {
    for (text, expected) in [
        (
            text(heal),
            "heal\n    asks for entities without component ghost\n    writes component health\n",
        ),
        (
            text(queries),
            "queries\n    asks for additions of component ghost\n    asks for changes of component ghost\n    asks for component spark\n    reads component health\n    reads component spark\n",
        ),
        (
            text(parts),
            "parts\n    reads component spark\n    reads resource Score\n    sends events Hit\n    writes component health\n    writes component spark\n",
        ),
        (
            text(events),
            "events\n    keeps Local<Vec<u8>> between runs\n    reads events Hit\n    reads removals of component ghost\n",
        ),
        (
            text(declared),
            "declared\n    commands: component health\n    commands: component spark\n    commands: spawn and despawn\n",
        ),
        (text(undeclared), "undeclared\n    commands: anything\n"),
        (
            text(ids),
            "ids\n    commands: spawn and despawn\n    reads which entities exist\n",
        ),
        (text(world), "world\n    borrows anything of the world\n"),
        (text(exclusive), "exclusive\n    writes the whole world\n"),
        (text(resources), "resources\n    borrows any resource\n"),
        (
            text(non_send),
            "non_send\n    reads non-send resource u8\n    writes non-send resource Rc<u8>\n",
        ),
        (
            text(generic::<u8>),
            "generic<u8>\n    writes component Tag<u8>\n",
        ),
    ] {
        assert_eq!(text, expected);
    }
}

#[test]
fn conditions_and_inner_schedules_are_listed_with_their_paths() {
    let step = core::time::Duration::from_millis(10);
    let mut inner = Schedule::named("rules");
    inner.add(undeclared);
    let steps = fixed(step, inner).run_if(is_alive);
    let text = text((steps, ids.run_if(is_alive)));
    assert_eq!(
        text,
        "rules\n    runs if is_alive: reads component health\n\nrules > undeclared\n    commands: anything\n\nids\n    commands: spawn and despawn\n    reads which entities exist\n    runs if is_alive: reads component health\n"
    );
}

#[test]
fn the_order_of_systems_and_parameters_makes_no_difference() {
    #[system]
    fn one(_: Comp<Health>, _: ResMut<Score>) {}
    mod other {
        use super::*;
        #[system]
        pub(super) fn one(_: ResMut<Score>, _: Comp<Health>) {}
    }
    let path = "the_order_of_systems_and_parameters_makes_no_difference::";
    assert_eq!(text((heal, ids, one)), text((one, heal, ids)));
    let [one, other] = [text(one), text(other::one).replace("other::", "")];
    assert_eq!(one, other.replace(path, ""));
}

#[test]
fn a_changed_parameter_changes_one_line() {
    mod read {
        use super::*;
        #[system]
        pub(super) fn one(_: Comp<Health>, _: ResMut<Score>) {}
    }
    mod write {
        use super::*;
        #[system]
        pub(super) fn one(_: CompMut<Health>, _: ResMut<Score>) {}
    }
    let (one, two) = (text(read::one), text(write::one));
    let one: Vec<_> = one.lines().skip(1).map(str::to_owned).collect();
    let two: Vec<_> = two.lines().skip(1).map(str::to_owned).collect();
    assert_eq!(one.len(), two.len());
    assert_eq!(one.iter().filter(|line| !two.contains(line)).count(), 1);
}
