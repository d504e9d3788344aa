//! Negated filters, nested with tuples and `Or`, on random worlds, against predicates over a plain list.

use ecs_core::prelude::*;
use ecs_core::query::{NegatableFilter, Not};
use proptest::prelude::*;

#[derive(Component)]
struct Table;

#[derive(Component)]
struct Other;

#[derive(Component)]
#[component(storage = "sparse")]
struct Sparse;

#[derive(Component)]
#[component(storage = "sparse", immediate)]
struct Immediate;

#[derive(Component)]
#[component(track)]
struct Health(u8);

#[derive(Component)]
#[component(track, storage = "sparse")]
struct Mood(u8);

/// The history of a tracked value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tracked {
    None,
    Old,
    Mutated,
    Added,
}

impl Tracked {
    fn changed(self) -> bool {
        matches!(self, Self::Mutated | Self::Added)
    }
}

#[derive(Clone, Copy, Debug)]
struct Facts {
    table: bool,
    other: bool,
    sparse: bool,
    immediate: bool,
    health: Tracked,
    mood: Tracked,
}

fn facts() -> impl Strategy<Value = Facts> {
    let tracked = || {
        prop::sample::select(vec![
            Tracked::None,
            Tracked::Old,
            Tracked::Mutated,
            Tracked::Added,
        ])
    };
    (any::<[bool; 4]>(), tracked(), tracked()).prop_map(
        |([table, other, sparse, immediate], health, mood)| Facts {
            table,
            other,
            sparse,
            immediate,
            health,
            mood,
        },
    )
}

/// Returns the world, the entities in the order of `all`, and the tick before the changes.
fn build(all: &[Facts]) -> (World, Vec<Entity>, ecs_core::Tick) {
    let mut world = World::new();
    let mut ids = Vec::new();
    for facts in all {
        let id = world.spawn(());
        let mut entity = world.entity_mut(id).unwrap();
        if facts.table {
            entity.insert(Table);
        }
        if facts.other {
            entity.insert(Other);
        }
        if facts.sparse {
            entity.insert(Sparse);
        }
        if facts.immediate {
            entity.insert(Immediate);
        }
        if matches!(facts.health, Tracked::Old | Tracked::Mutated) {
            entity.insert(Health(0));
        }
        if matches!(facts.mood, Tracked::Old | Tracked::Mutated) {
            entity.insert(Mood(0));
        }
        ids.push(id);
    }
    let tick = world.tick();
    for (&id, facts) in ids.iter().zip(all) {
        match facts.health {
            Tracked::Mutated => world.get_mut::<Health>(id).unwrap().0 += 1,
            Tracked::Added => world.insert(id, Health(0)).unwrap(),
            Tracked::None | Tracked::Old => {}
        }
        match facts.mood {
            Tracked::Mutated => world.get_mut::<Mood>(id).unwrap().0 += 1,
            Tracked::Added => world.insert(id, Mood(0)).unwrap(),
            Tracked::None | Tracked::Old => {}
        }
    }
    (world, ids, tick)
}

fn sorted(ids: &mut dyn Iterator<Item = Entity>) -> Vec<Entity> {
    let mut ids: Vec<_> = ids.collect();
    ids.sort_unstable();
    ids
}

/// A predicate of the entities that a query should visit.
type Matches<'a> = &'a dyn Fn(&Facts) -> bool;

/// The entities that match, sorted.
fn matching(
    (_, ids, _): &(World, Vec<Entity>, ecs_core::Tick),
    all: &[Facts],
    matches: Matches<'_>,
) -> Vec<Entity> {
    let matching = ids.iter().zip(all).filter(|(_, facts)| matches(facts));
    sorted(&mut matching.map(|(&id, _)| id))
}

/// Compares the entities that a query visits, in all ways, with the predicate's entities.
fn check<D: ecs_core::QueryData, F: ecs_core::QueryFilter>(
    built: &(World, Vec<Entity>, ecs_core::Tick),
    all: &[Facts],
    name: &str,
    matches: Matches<'_>,
) where
    for<'a> (Entity, D): ecs_core::QueryData,
{
    let (world, ids, tick) = built;
    let expected = matching(built, all, matches);
    let query = || world.query_filtered::<(Entity, D), F>().since(*tick);
    let mut by_id = Vec::new();
    for &id in ids {
        if query().contains(id) {
            by_id.push(id);
        }
    }
    by_id.sort_unstable();
    assert_eq!(by_id, expected, "contains: {name}");
    assert_eq!(query().count(), expected.len(), "count: {name}");
}

/// The same for the ids of a query, visited by `iter` and by `for_each`.
fn visit<F: ecs_core::QueryFilter>(
    built: &(World, Vec<Entity>, ecs_core::Tick),
    all: &[Facts],
    name: &str,
    matches: Matches<'_>,
) {
    let (world, _, tick) = built;
    let expected = matching(built, all, matches);
    let mut query = world.query_filtered::<Entity, F>().since(*tick);
    assert_eq!(sorted(&mut query.iter()), expected, "iter: {name}");
    let mut seen = Vec::new();
    query.for_each(|id| seen.push(id));
    seen.sort_unstable();
    assert_eq!(seen, expected, "for_each: {name}");
    drop(query);
    check::<Option<&Other>, F>(built, all, name, matches);
    check::<&Health, F>(built, all, name, &|facts| {
        matches(facts) && facts.health != Tracked::None
    });
    check::<&Mood, F>(built, all, name, &|facts| {
        matches(facts) && facts.mood != Tracked::None
    });
    check::<(&Table, Option<&mut Health>), F>(built, all, name, &|facts| {
        matches(facts) && facts.table
    });
}

/// Checks the filter, its negation, and the double negation.
fn negate<F: NegatableFilter>(
    built: &(World, Vec<Entity>, ecs_core::Tick),
    all: &[Facts],
    name: &str,
    matches: Matches<'_>,
) {
    visit::<F>(built, all, name, matches);
    visit::<Not<F>>(built, all, name, &|facts| !matches(facts));
    visit::<Not<Not<F>>>(built, all, name, matches);
    visit::<(Not<F>, With<Sparse>)>(built, all, name, &|facts| !matches(facts) && facts.sparse);
    visit::<Or<(Not<F>, With<Table>)>>(built, all, name, &|facts| !matches(facts) || facts.table);
}

macro_rules! negate {
    ($built:expr, $all:expr, $($filter:ty: $matches:expr),+ $(,)?) => {
        $(negate::<$filter>($built, $all, stringify!($filter), &$matches);)+
    };
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(100),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_negated_filter_matches_the_other_entities(
        all in prop::collection::vec(facts(), 0..if cfg!(miri) { 8 } else { 80 })
    ) {
        let built = &build(&all);
        let all = &all[..];
        negate!(built, all,
            With<Table>: |f| f.table,
            Without<Table>: |f| !f.table,
            With<Sparse>: |f| f.sparse,
            With<Immediate>: |f| f.immediate,
            Without<Immediate>: |f| !f.immediate,
            Changed<Health>: |f| f.health.changed(),
            Added<Health>: |f| f.health == Tracked::Added,
            Mutated<Health>: |f| f.health == Tracked::Mutated,
            Changed<Mood>: |f| f.mood.changed(),
            Added<Mood>: |f| f.mood == Tracked::Added,
            Mutated<Mood>: |f| f.mood == Tracked::Mutated,
            (With<Table>, Without<Other>): |f| f.table && !f.other,
            (With<Table>, Changed<Health>): |f| f.table && f.health.changed(),
            (Changed<Mood>, Mutated<Health>): |f| f.mood.changed() && f.health == Tracked::Mutated,
            Or<(With<Table>, With<Sparse>)>: |f| f.table || f.sparse,
            Or<(With<Table>, With<Other>, Changed<Health>)>: |f| f.table || f.other || f.health.changed(),
            Or<(Changed<Health>, Changed<Mood>)>: |f| f.health.changed() || f.mood.changed(),
            Or<(Added<Health>, With<Table>)>: |f| f.health == Tracked::Added || f.table,
            Or<(Added<Mood>, With<Sparse>)>: |f| f.mood == Tracked::Added || f.sparse,
            Or<(Mutated<Health>, Not<Added<Mood>>, Without<Table>)>:
                |f| f.health == Tracked::Mutated || f.mood != Tracked::Added || !f.table,
            Or<((Changed<Health>, With<Other>), (Changed<Mood>, Without<Other>))>:
                |f| if f.other { f.health.changed() } else { f.mood.changed() },
            Or<((With<Table>, Not<Changed<Mood>>), Not<With<Other>>)>:
                |f| f.table && !f.mood.changed() || !f.other,
            (Or<(Added<Health>, Not<Mutated<Mood>>)>, Not<(With<Other>, With<Sparse>)>):
                |f| (f.health == Tracked::Added || f.mood != Tracked::Mutated) && !(f.other && f.sparse),
        );
    }
}

/// Presence that follows from a negation keeps queries apart, just like a written `Without`.
#[test]
fn queries_that_negation_keeps_disjoint_share_a_system() {
    #[system]
    fn apart(
        mut with: Query<&mut Health, (With<Table>, With<Other>)>,
        mut without: Query<&mut Health, Not<Or<(With<Other>, Changed<Mood>)>>>,
    ) -> (usize, usize) {
        let mut counts = (0, 0);
        with.for_each(|_| without.for_each(|_| counts.0 += 1));
        without.for_each(|_| counts.1 += 1);
        counts
    }
    let mut world = World::new();
    world.spawn((Health(1), Table, Other));
    world.spawn((Health(1), Table));
    world.spawn((Health(1), Mood(0)));
    assert_eq!(apart(&world), (1, 1));
    // The `Mood` has not changed since.
    assert_eq!(apart(&world), (2, 2));
}

#[system(for_each, mutated(Health), without(Other))]
fn heal(health: &mut Health) {
    health.0 += 10;
}

#[test]
fn a_loop_runs_for_mutated_values() {
    let mut world = World::new();
    let [a, b] = [0, 1].map(|n| world.spawn(Health(n)));
    let c = world.spawn((Health(2), Other));
    let mut frame = Schedule::new();
    frame.add(heal);
    frame.run(&mut world).unwrap();
    for id in [a, c] {
        world.get_mut::<Health>(id).unwrap().0 += 1;
    }
    frame.run(&mut world).unwrap();
    assert_eq!(
        [a, b, c].map(|id| world.get::<Health>(id).unwrap().0),
        [11, 1, 3]
    );
}

#[test]
fn a_resource_is_mutated_if_it_is_written_after_it_was_seen() {
    #[system]
    fn seen(number: Option<Res<u32>>, mut log: ResMut<Vec<(bool, bool, bool)>>) {
        if let Some(number) = number {
            log.push((number.is_added(), number.is_mutated(), number.is_changed()));
        }
    }
    let mut world = World::new();
    world.insert_resource(Vec::<(bool, bool, bool)>::new());
    world.insert_resource(1_u32);
    *world.resource_mut::<u32>() += 1;
    let mut frame = Schedule::new();
    frame.add(seen);
    frame.run(&mut world).unwrap();
    frame.run(&mut world).unwrap();
    *world.resource_mut::<u32>() += 1;
    frame.run(&mut world).unwrap();
    let log = world.resource::<Vec<(bool, bool, bool)>>();
    assert_eq!(
        *log,
        [
            (true, false, true),
            (false, false, false),
            (false, true, true)
        ]
    );
}

#[system]
fn unchanged(_: Query<&mut Table, Not<Changed<Health>>>) {}
#[system]
fn lacking(_: Query<&mut Table, Without<Health>>) {}
#[system]
fn having(_: Query<&mut Table, With<Health>>) {}
#[system]
fn not_lacking(_: Query<&mut Table, Not<Without<Health>>>) {}

/// An entity without the component was not changed: the negation says nothing about presence.
#[test]
fn a_negated_filter_by_ticks_conflicts_with_both_sides() {
    use ecs_core::meta::may_conflict;
    const UNCHANGED: ecs_core::meta::SystemMeta = ecs_core::meta(&unchanged);
    const LACKING: ecs_core::meta::SystemMeta = ecs_core::meta(&lacking);
    const HAVING: ecs_core::meta::SystemMeta = ecs_core::meta(&having);
    const NOT_LACKING: ecs_core::meta::SystemMeta = ecs_core::meta(&not_lacking);
    assert!(may_conflict(&UNCHANGED, &LACKING));
    assert!(may_conflict(&UNCHANGED, &HAVING));
    assert!(may_conflict(&NOT_LACKING, &HAVING));
    assert!(!may_conflict(&NOT_LACKING, &LACKING));
    let world = World::new();
    unchanged(&world);
    lacking(&world);
    having(&world);
    not_lacking(&world);
}
