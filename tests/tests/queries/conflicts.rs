//! Conflicting parameters: the compile-time check, the run-time check and the run-time borrows must agree.
//!
//! The compile errors are in `ui/conflict_*.rs`.

mod instances;

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::meta::{
    Access, Compatibility, ConstTypeId, Domain, Kind, ParamAccess, ParamInfo, QueryAccess,
    SystemMeta, params_compatible, params_compatible_in_const, self_compatible,
    self_compatible_in_const,
};
use ecs_core::prelude::*;
use ecs_core::query::{All, AllMut, One, OneMut, queryable};
use ecs_core::relation::{Inherited, Related, Sources, Target, Up};
use ecs_core::system::HeldBorrows;
use ecs_core::toggle::{Toggle, TurnedOff, TurnedOn};
use ecs_core::{Or, SystemParam, With, Without};
use proptest::prelude::*;

#[derive(Relation)]
struct ChildOf;
#[derive(Component)]
#[component(track)]
struct A(u32);
#[derive(Component)]
struct B;
#[derive(Component)]
#[component(storage = "sparse")]
struct C;
#[derive(Component)]
struct Tag<T: Send + Sync + 'static>(T);
#[derive(Component)]
struct Of<T: Component>(PhantomData<T>);
#[derive(Component)]
#[component(toggle)]
struct Lamp;
#[derive(Resource)]
struct Time;
trait First {}
trait Second {}
impl<T> First for T {}
impl<T> Second for T {}
queryable!(dyn First: A, C, Tag<u8>);
queryable!(dyn Second: B, Tag<u8>, Of<A>);
#[derive(ecs_core::QueryData)]
#[allow(dead_code, reason = "only borrowed")]
struct Both<'a> {
    written: Option<(&'a mut C, &'a A)>,
    read: &'a B,
}

fn is_conflict(compatibility: Compatibility) -> bool {
    matches!(compatibility, Compatibility::Conflict(_))
}

// Random access metadata.

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Components whose identities the compiler knows exactly, including instances of generic ones, and two that only the run
/// time can distinguish.
fn component() -> impl Strategy<Value = ConstTypeId> {
    prop::sample::select(vec![
        A::IDENTITY.ident(),
        B::IDENTITY.ident(),
        C::IDENTITY.ident(),
        Tag::<u8>::IDENTITY.ident(),
        Tag::<u16>::IDENTITY.ident(),
        Tag::<i8>::IDENTITY.ident(),
        Toggle::<Lamp>::IDENTITY.ident(),
        Target::<ChildOf>::IDENTITY.ident(),
        Of::<A>::IDENTITY.ident(),
        Of::<Tag<u8>>::IDENTITY.ident(),
    ])
}

fn resource() -> impl Strategy<Value = ConstTypeId> {
    prop::sample::select(vec![
        Time::IDENTITY.ident(),
        Vec::<u8>::IDENTITY.ident(),
        Vec::<u16>::IDENTITY.ident(),
    ])
}

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![Kind::Read, Kind::Write])
}

fn list<T: Sync>(parts: Vec<&'static T>) -> &'static [&'static T] {
    leak(parts)
}

fn data() -> impl Strategy<Value = &'static QueryAccess> {
    let leaf = prop_oneof![
        Just(leak(QueryAccess::Nothing) as &_),
        component().prop_map(|c| leak(QueryAccess::Read(c)) as &_),
        component().prop_map(|c| leak(QueryAccess::Write(c)) as &_),
        component()
            .prop_map(|c| leak(QueryAccess::OfAny(list(vec![leak(QueryAccess::Read(c))]))) as &_),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        (0..3, prop::collection::vec(inner, 1..4)).prop_map(|(kind, parts)| {
            let parts = list(parts);
            leak(match kind {
                0 => QueryAccess::Optional(parts),
                1 => QueryAccess::Or(parts),
                _ => QueryAccess::All(parts),
            }) as &_
        })
    })
}

fn filter() -> impl Strategy<Value = &'static QueryAccess> {
    let leaf =
        prop_oneof![
            Just(leak(QueryAccess::Nothing) as &_),
            component().prop_map(|c| leak(QueryAccess::With(c)) as &_),
            component().prop_map(|c| leak(QueryAccess::Without(c)) as &_),
            component().prop_map(|c| leak(QueryAccess::Changed(c)) as &_),
            component().prop_map(|c| leak(QueryAccess::OfAny(list(vec![leak(
                QueryAccess::Changed(c)
            )]))) as &_),
            component().prop_map(|c| leak(QueryAccess::OfAny(list(vec![leak(
                QueryAccess::Without(c)
            )]))) as &_),
        ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        (any::<bool>(), prop::collection::vec(inner, 1..4)).prop_map(|(or, parts)| {
            let parts = list(parts);
            leak(if or {
                QueryAccess::Or(parts)
            } else {
                QueryAccess::All(parts)
            }) as &_
        })
    })
}

fn access() -> impl Strategy<Value = &'static ParamAccess> {
    let leaf = |domain, kind, ident| {
        ParamAccess::Leaf(Access {
            domain,
            kind,
            ident,
        })
    };
    let part = prop_oneof![
        1 => Just(leak(ParamAccess::Nothing) as &_),
        1 => Just(leak(ParamAccess::Deferred) as &_),
        1 => Just(leak(ParamAccess::Shape) as &_),
        1 => Just(leak(ParamAccess::WorldRef) as &_),
        1 => Just(leak(ParamAccess::ResourcesRef) as &_),
        3 => (kind(), component()).prop_map(move |(k, c)| leak(leaf(Domain::Component, k, c)) as &_),
        3 => (kind(), resource()).prop_map(move |(k, r)| leak(leaf(Domain::Resource, k, r)) as &_),
        6 => (data(), filter()).prop_map(|(data, filter)| leak(ParamAccess::Query { data, filter }) as &_),
    ];
    part.prop_recursive(2, 6, 3, |inner| {
        (any::<bool>(), prop::collection::vec(inner, 1..4)).prop_map(|(turns, parts)| {
            let parts = list(parts);
            leak(if turns {
                ParamAccess::OneOf(parts)
            } else {
                ParamAccess::All(parts)
            }) as &_
        })
    })
}

/// Collects the accesses of a parameter to one entity by evaluating its filters on the entity, without the engine's logic.
///
/// `has` are the components of the entity; only the `TypeId` counts.
fn touched(access: &ParamAccess, has: &[ConstTypeId], into: &mut Vec<(ConstTypeId, Kind)>) {
    match access {
        ParamAccess::Leaf(access)
            if access.domain == Domain::Component && has.contains(&access.ident) =>
        {
            into.push((access.ident, access.kind));
        }
        ParamAccess::Query { data, filter } => {
            for part in [data, filter] {
                fetched_of_any(part, has, into);
                if matches(data, has) && matches(filter, has) {
                    fetched(part, has, into);
                }
            }
        }
        ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
            parts.iter().for_each(|part| touched(part, has, into));
        }
        _ => {}
    }
}

/// Collects the accesses of a query to an entity that it need not match, because another one may be related to it.
fn fetched_of_any(query: &QueryAccess, has: &[ConstTypeId], into: &mut Vec<(ConstTypeId, Kind)>) {
    match query {
        QueryAccess::Optional(parts) | QueryAccess::All(parts) | QueryAccess::Or(parts) => {
            parts
                .iter()
                .for_each(|part| fetched_of_any(part, has, into));
        }
        QueryAccess::OfAny(parts) => parts.iter().for_each(|part| fetched(part, has, into)),
        _ => {}
    }
}

fn matches(query: &QueryAccess, has: &[ConstTypeId]) -> bool {
    match query {
        QueryAccess::Read(c)
        | QueryAccess::Write(c)
        | QueryAccess::With(c)
        | QueryAccess::Added(c)
        | QueryAccess::Changed(c) => has.contains(c),
        QueryAccess::Without(c) => !has.contains(c),
        QueryAccess::All(parts) => parts.iter().all(|part| matches(part, has)),
        QueryAccess::Or(parts) => parts.iter().any(|part| matches(part, has)),
        QueryAccess::Nothing | QueryAccess::Optional(_) | QueryAccess::OfAny(_) => true,
    }
}

fn fetched(query: &QueryAccess, has: &[ConstTypeId], into: &mut Vec<(ConstTypeId, Kind)>) {
    match query {
        QueryAccess::Read(c) | QueryAccess::Added(c) | QueryAccess::Changed(c)
            if has.contains(c) =>
        {
            into.push((*c, Kind::Read));
        }
        QueryAccess::Write(c) if has.contains(c) => {
            into.push((*c, Kind::Write));
        }
        QueryAccess::Optional(parts) | QueryAccess::All(parts) | QueryAccess::Or(parts) => {
            parts.iter().for_each(|part| fetched(part, has, into));
        }
        _ => {}
    }
}

/// Returns true if both access one component of some entity and at least one writes.
fn aliases(first: &ParamAccess, second: &ParamAccess) -> bool {
    let all = [
        A::IDENTITY.ident(),
        B::IDENTITY.ident(),
        C::IDENTITY.ident(),
        Tag::<u8>::IDENTITY.ident(),
        Tag::<u16>::IDENTITY.ident(),
    ];
    (0..1_u32 << all.len()).any(|set| {
        let member = |(i, ident): (usize, &ConstTypeId)| (set >> i & 1 == 1).then_some(*ident);
        let has: Vec<ConstTypeId> = all.iter().enumerate().filter_map(member).collect();
        let (mut one, mut two) = (Vec::new(), Vec::new());
        touched(first, &has, &mut one);
        touched(second, &has, &mut two);
        one.iter().any(|(c, kind)| {
            two.iter()
                .any(|(other, k)| c == other && (kind.writes() || k.writes()))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(2000)))]

    #[test]
    fn the_compile_time_check_never_contradicts_the_run_time(first in access(), second in access()) {
        let (known, truth) = (params_compatible_in_const(first, second), params_compatible(first, second));
        prop_assert_ne!(truth, Compatibility::Unknown);
        match known {
            Compatibility::Unknown => {}
            Compatibility::Conflict(_) => prop_assert!(is_conflict(truth)),
            Compatibility::Disjoint => prop_assert_eq!(truth, Compatibility::Disjoint),
            Compatibility::FilteredApart => prop_assert!(!is_conflict(truth)),
        }
        prop_assert_eq!(is_conflict(truth), is_conflict(params_compatible(second, first)), "the order does not matter");

        let (known, truth) = (self_compatible_in_const(first), self_compatible(first));
        prop_assert!(known == Compatibility::Unknown || is_conflict(known) == is_conflict(truth));
        prop_assert_ne!(truth, Compatibility::Unknown);
    }

    #[test]
    fn compatible_parameters_alias_no_entity(first in access(), second in access()) {
        let compatibility = params_compatible(first, second);
        prop_assert!(is_conflict(compatibility) || !aliases(first, second), "{:?} {:?}", first, second);
    }

    #[test]
    fn a_list_of_parameters_conflicts_if_a_pair_does(params_access in prop::collection::vec(access(), 0..5)) {
        let params: Vec<ParamInfo> = params_access.iter().map(|access| ParamInfo::new("p", "P", access)).collect();
        let meta = SystemMeta::new("system", leak(params));
        let alone = params_access.iter().any(|access| is_conflict(self_compatible(access)));
        let pairs = (0..params_access.len()).any(|i| (0..i).any(|j| is_conflict(params_compatible(params_access[j], params_access[i]))));
        prop_assert_eq!(meta.conflict().is_some(), alone || pairs);
        prop_assert_eq!(is_conflict(meta.compatibility()), alone || pairs);
        let known = meta.compatibility_in_const();
        prop_assert!(known == Compatibility::Unknown || is_conflict(known) == (alone || pairs));
    }
}

// Parameters of the engine, which are borrowed at run time.

struct Param {
    name: &'static str,
    access: &'static ParamAccess,
    /// Calls the function while the parameter is borrowed; returns false if it cannot be borrowed.
    hold: fn(&World, &mut dyn FnMut()) -> bool,
}

fn hold<P: SystemParam>(world: &World, then: &mut dyn FnMut()) -> bool {
    let mut state = P::init(world);
    let Ok(mut guard) = P::lock(&mut state, world, &HeldBorrows::NONE) else {
        return false;
    };
    let _item = P::item(&mut guard);
    then();
    true
}

macro_rules! params {
    ($($ty:ty),* $(,)?) => {
        [$(Param {
            name: stringify!($ty),
            access: <$ty as SystemParam>::ACCESS,
            hold: hold::<$ty>,
        }),*]
    };
}

const PARAMS: &[Param] = &params![
    Comp<'_, A>,
    CompMut<'_, A>,
    CompMut<'_, B>,
    Comp<'_, C>,
    CompMut<'_, C>,
    CompMut<'_, Tag<u8>>,
    Comp<'_, Tag<u16>>,
    Query<'_, &A>,
    Query<'_, &mut A>,
    Query<'_, (&mut A, &B)>,
    Query<'_, (&mut A, Option<&mut A>)>,
    Query<'_, (&A, Option<&A>), With<C>>,
    Query<'_, Option<&mut C>>,
    Query<'_, Option<(&mut A, &B)>>,
    Query<'_, (&C, Option<(&mut B, Option<&C>)>)>,
    Query<'_, (Option<&A>, Option<(Entity, Option<(&B, &mut A)>)>)>,
    Query<'_, (&mut B, Option<(&C, Up<ChildOf, &A>)>), With<A>>,
    Query<'_, Option<Both>>,
    Query<'_, (), (With<A>, Without<B>)>,
    Query<'_, Entity, (With<A>, Without<B>)>,
    Query<'_, &mut Tag<u8>>,
    Query<'_, &Tag<u16>, Or<(With<A>, With<B>)>>,
    Query<'_, (&mut B, Up<ChildOf, &A>)>,
    Query<'_, (&mut A, Option<Up<ChildOf, &A>>)>,
    Query<'_, Up<ChildOf, &B>, With<A>>,
    Query<'_, (&mut B, Inherited<ChildOf, &A>), With<C>>,
    Query<'_, (&mut A, Option<Inherited<ChildOf, &A>>)>,
    Query<'_, &mut B, Related<ChildOf, Changed<A>>>,
    Query<'_, &mut A, (Without<B>, Related<ChildOf, Changed<A>>)>,
    Query<'_, &Target<ChildOf>, Related<ChildOf, With<C>>>,
    Comp<'_, Target<ChildOf>>,
    Query<'_, (Entity, &Sources<ChildOf>)>,
    Comp<'_, Toggle<Lamp>>,
    CompMut<'_, Toggle<Lamp>>,
    Query<'_, &Lamp, TurnedOn<Lamp>>,
    Query<'_, &mut Toggle<Lamp>, TurnedOff<Lamp>>,
    Query<'_, &mut Of<A>, Without<Lamp>>,
    Query<'_, All<dyn First>>,
    Query<'_, AllMut<dyn First>, Without<Lamp>>,
    Query<'_, (One<dyn First>, Option<AllMut<dyn Second>>)>,
    Query<'_, OneMut<dyn Second>>,
    Comp<'_, Of<Tag<u8>>>,
    Single<'_, (&mut A, &B)>,
    Single<'_, (&A, Option<&A>), With<C>>,
    Single<'_, (&A, &mut A)>,
    Option<Single<'_, &mut Tag<u8>>>,
    Res<'_, Time>,
    ResMut<'_, Time>,
    Option<Res<'_, Time>>,
    Option<ResMut<'_, Vec<u8>>>,
    Res<'_, Vec<u16>>,
    EventReader<'_, u8>,
    EventWriter<'_, u8>,
    EventWriter<'_, u16>,
    ResMut<'_, Events<u8>>,
    Local<'_, u8>,
    Commands<'_>,
    Entities<'_>,
    (Comp<'_, A>, ResMut<'_, Time>),
    (CompMut<'_, A>, Comp<'_, A>),
];

/// Creates a world with all types registered, so that everything can be borrowed.
fn world() -> World {
    let mut world = World::new();
    let root = world.spawn((A(1), B, C, Tag(1_u8), Tag(1_u16)));
    world.spawn((Lamp, Of::<A>(PhantomData), Of::<Tag<u8>>(PhantomData)));
    world.spawn(ChildOf.to(root));
    world.insert_resource(Time);
    world.insert_resource(vec![1_u8]);
    world.insert_resource(vec![1_u16]);
    world.insert_resource(Events::<u8>::default());
    world.insert_resource(Events::<u16>::default());
    world
}

/// Returns true if all parameters can be borrowed at the same time.
fn can_be_held(params: &[&Param], world: &World) -> bool {
    let Some((param, rest)) = params.split_first() else {
        return true;
    };
    let mut others = false;
    (param.hold)(world, &mut || others = can_be_held(rest, world)) && others
}

fn conflict(params: &[&Param]) -> bool {
    let alone = params
        .iter()
        .any(|p| is_conflict(self_compatible(p.access)));
    alone
        || (0..params.len()).any(|i| {
            (0..i).any(|j| is_conflict(params_compatible(params[j].access, params[i].access)))
        })
}

#[test]
fn each_pair_of_parameters_can_be_borrowed_or_conflicts() {
    let world = world();
    for one in PARAMS {
        assert_eq!(
            can_be_held(&[one], &world),
            !conflict(&[one]),
            "{}",
            one.name
        );
        for two in PARAMS {
            let pair = [one, two];
            let names = [one.name, two.name];
            assert_eq!(can_be_held(&pair, &world), !conflict(&pair), "{names:?}");
            let known = params_compatible_in_const(one.access, two.access);
            let truth = params_compatible(one.access, two.access);
            assert!(
                known == Compatibility::Unknown || is_conflict(known) == is_conflict(truth),
                "{names:?}"
            );
        }
    }
}

proptest! {
    #[test]
    fn any_parameters_can_be_borrowed_together_or_conflict(
        chosen in prop::collection::vec(0..PARAMS.len(), 0..6),
    ) {
        let params: Vec<&Param> = chosen.iter().map(|&n| &PARAMS[n]).collect();
        let names: Vec<&str> = params.iter().map(|p| p.name).collect();
        prop_assert_eq!(can_be_held(&params, &world()), !conflict(&params), "{:?}", names);
    }
}

/// Returns the message of the panic of `f`.
fn panic_message(f: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).expect_err("a panic");
    panic.downcast_ref::<String>().expect("a message").clone()
}

static RUNS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

/// The two instances are one for some arguments.
#[system]
fn generic_inside_of_queries<T: Send + Sync + 'static>(
    _writes: Query<&mut Tag<T>>,
    _reads: Query<&Tag<u8>>,
) {
    RUNS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
}

#[system]
fn generic_condition<T: Send + Sync + 'static>(
    _writes: Query<&mut Tag<T>>,
    _reads: Query<(Entity, &Tag<u8>)>,
) -> bool {
    true
}

/// Instances of generic components that are apart, even if only the compiler's equality of types shows it.
mod apart {
    use super::*;

    type Bytes = Tag<u8>;

    #[system]
    pub(super) fn arguments(
        _a: Query<(&mut Tag<u8>, &Tag<u16>)>,
        _b: Query<&Tag<i8>>,
        _c: CompMut<Of<A>>,
        _d: Query<(&Of<B>, &Of<Tag<u8>>)>,
    ) {
    }

    #[system]
    pub(super) fn filters(
        _a: Query<&mut Bytes, With<Tag<u16>>>,
        _b: Query<&super::Tag<u8>, Without<Tag<u16>>>,
        _c: Query<&mut C, With<Bytes>>,
        _d: Query<&C, Without<Tag<u8>>>,
    ) {
    }

    #[system]
    pub(super) fn readers(
        _a: Query<&Tag<u8>>,
        _b: Query<&Bytes>,
        _c: Query<&Lamp, TurnedOn<Lamp>>,
        _d: Comp<Toggle<Lamp>>,
        _e: Comp<Target<ChildOf>>,
    ) {
    }

    #[system(for_each)]
    pub(super) fn items(_a: &mut Bytes, _b: (&Tag<u16>, Entity), _c: Option<&Of<A>>) {}

    #[derive(SystemParam)]
    pub(super) struct Fields<'w> {
        _a: Query<'w, &'static mut Bytes, With<B>>,
        _b: Query<'w, &'static Tag<u8>, Without<B>>,
        _c: CompMut<'w, Tag<u16>>,
    }

    #[system]
    pub(super) fn fields(_fields: Fields<'_>) {}

    /// Not a component: constants cannot tell the two instances from each other.
    pub(super) struct One;
    /// Has the same layout as the other one.
    pub(super) struct Other;

    #[derive(SystemParam)]
    pub(super) struct Undecided<'w> {
        _a: Query<'w, &'static mut Tag<One>>,
        _b: Query<'w, &'static Tag<Other>>,
    }

    #[system]
    pub(super) fn undecided(_before: Query<&A>, #[param] _fields: Undecided) {}

    type First = Tag<One>;

    #[system]
    pub(super) fn with_filters(
        _one: Query<(&mut C, &mut Tag<One>, &Tag<Other>), (With<Tag<i8>>, Without<Tag<u8>>)>,
        _a: Query<(&mut A, &Tag<One>), Without<Tag<Other>>>,
        _b: Query<&A, (Without<First>, With<Tag<u8>>)>,
        _c: Query<(&A, &Tag<Other>), Without<First>>,
    ) {
    }

    #[system]
    pub(super) fn beside_another(#[param] _fields: Fields, _read: Query<&Tag<i8>>) {}
}

#[test]
fn instances_of_generic_components_that_are_apart_are_borrowed_together() {
    let mut world = World::new();
    world.spawn((Tag(1_u8), Tag(2_u16), Tag(3_i8), Lamp));
    apart::arguments(&world);
    apart::filters(&world);
    apart::readers(&world);
    apart::items(&world);
    apart::fields(&world);
    apart::undecided(&world);
    apart::with_filters(&world);
    apart::beside_another(&world);
}

#[system]
fn nothing() {}

const STORY: &str = "conflicting parameters in system `queries::conflicts::generic_inside_of_queries<u8>`: `_writes: Query<&mut Tag<T>>` writes and `_reads: Query<&Tag<u8>>` reads the component `queries::conflicts::Tag<u8>`; ";

#[test]
fn conflicts_unknown_to_the_compiler_are_refused_before_the_system_runs() {
    let mut world = world();
    assert_eq!(
        ecs_core::meta(&generic_inside_of_queries::<u8>).compatibility_in_const(),
        Compatibility::Unknown
    );
    let message = panic_message(|| generic_inside_of_queries::<u8>(&world));
    assert!(message.starts_with(STORY), "{message}");
    let message = panic_message(|| world.run(generic_inside_of_queries::<u8>));
    assert!(message.starts_with(STORY), "{message}");
    assert_eq!(RUNS.load(std::sync::atomic::Ordering::Relaxed), 0);
}

#[test]
fn a_schedule_refuses_conflicting_parameters_when_it_is_planned() {
    use ecs_core::schedule::PlanError;
    let mut frame = Schedule::new();
    frame.add((nothing, generic_inside_of_queries::<u8>));
    let error = frame.plan().expect_err("a conflict");
    assert!(error.to_string().starts_with(STORY), "{error}");
    assert!(
        matches!(error, PlanError::ConflictingParameters { system, .. } if system == "queries::conflicts::generic_inside_of_queries<u8>")
    );
    assert!(frame.run(&mut world()).is_err());

    let mut frame = Schedule::new();
    frame.add(nothing.run_if(generic_condition::<u8>));
    let error = frame.plan().expect_err("a conflict");
    assert!(
        error
            .to_string()
            .contains("queries::conflicts::generic_condition"),
        "{error}"
    );
}

#[system]
fn other_instance(mut writes: Query<&mut Tag<u8>>, reads: Query<&Tag<u16>>) -> usize {
    writes.iter_mut().for_each(|tag| tag.0 += 1);
    reads.count()
}

#[system]
fn of_any<T: Send + Sync + 'static>(_one: Query<&mut Tag<T>>, two: Comp<Tag<u8>>) -> usize {
    two.len()
}

#[test]
fn other_instances_of_the_generic_type_are_allowed() {
    let world = world();
    assert_eq!(other_instance(&world), 1);
    assert_eq!(of_any::<u16>(&world), 1);
    let message = panic_message(|| {
        of_any::<u8>(&world);
    });
    assert!(
        message.contains("reads the component `queries::conflicts::Tag<u8>`"),
        "{message}"
    );
}

#[system]
fn swap(mut with: Query<&mut A, With<C>>, mut without: Query<&mut A, Without<C>>) {
    for mut one in &mut with {
        for mut two in &mut without {
            core::mem::swap(&mut one.0, &mut two.0);
        }
    }
}

#[system]
fn disjoint_by_a_generic_type(
    mut with: Query<&mut A, With<Tag<u8>>>,
    without: Query<&A, Without<Tag<u8>>>,
    (other, _time): (Query<&A, Without<Tag<u8>>>, Res<Time>),
) {
    let sum: u32 = without.iter().map(|a| a.0).sum();
    let more: u32 = other.iter().map(|a| a.0).sum();
    with.for_each(|mut a| a.0 += sum + more);
}

#[system]
fn swap_and_look(
    #[arg] outside: &World,
    fail: bool,
    with: Query<&mut A, With<C>>,
    without: Query<&mut A, Without<C>>,
) -> bool {
    assert!(!fail, "on purpose");
    assert_eq!((with.count(), without.count()), (1, 1));
    outside.try_view::<A>().is_ok()
}

fn values(world: &World) -> Vec<u32> {
    let mut values: Vec<u32> = world.view::<A>().iter().map(|a| a.0).collect();
    values.sort_unstable();
    values
}

#[test]
fn queries_disjoint_by_filters_are_used_at_the_same_time() {
    let mut world = world();
    let loose = world.spawn(A(7));
    swap(&world);
    assert_eq!(world.get::<A>(loose).map(|a| a.0), Some(1));
    assert_eq!(
        ecs_core::meta(&swap).compatibility_in_const(),
        Compatibility::FilteredApart
    );

    let mut frame = Schedule::new();
    frame.add((swap, disjoint_by_a_generic_type, swap));
    frame.run(&mut world).expect("no conflict");
    // 7 and 1 became 1 and 7, the tagged entity received 7 twice, and the two were swapped back.
    assert_eq!(world.get::<A>(loose).map(|a| a.0), Some(15));
    frame.run(&mut world).expect("no conflict");
    assert_eq!(values(&world).len(), 2);
}

#[test]
fn queries_disjoint_by_filters_borrow_their_components() {
    let mut world = world();
    world.spawn(A(7));
    assert!(
        !swap_and_look(&world, false, &world),
        "borrowed while the system runs"
    );
    let view = world.view::<A>();
    let message = panic_message(|| swap(&world));
    assert!(message.contains("queries::conflicts::swap"), "{message}");
    assert!(message.contains("queries::conflicts::A"), "{message}");
    drop(view);
    swap(&world);
    let failing = AssertUnwindSafe(|| swap_and_look(&world, true, &world));
    assert!(catch_unwind(failing).is_err());
    assert!(world.try_view_mut::<A>().is_ok(), "given back");
}

#[test]
fn unregistered_components_do_not_conflict() {
    let world = World::new();
    swap(&world);
    assert_eq!(values(&world), [0; 0]);
}

#[system]
fn beside_the_world(world: &World, a: Comp<A>, q: Query<&C, With<B>>) -> bool {
    world.try_view::<A>().is_ok()
        && world.try_view_mut::<A>().is_err()
        && world.try_view_mut::<B>().is_ok()
        && a.len() == q.count()
}

#[test]
fn parameters_beside_the_world_only_read_and_hold_their_borrows() {
    assert!(beside_the_world(&world()));
}

#[system]
fn swap_both(
    mut with: Query<(&mut A, &mut B), With<C>>,
    mut without: Query<(&mut A, &mut B), Without<C>>,
) {
    let counts = (with.iter_mut().count(), without.iter_mut().count());
    assert_eq!(counts, (1, 1));
}

#[test]
fn a_system_that_fails_to_borrow_releases_only_what_it_has_borrowed() {
    let mut world = world();
    world.spawn((A(1), B));
    let view = world.view::<B>();
    assert!(catch_unwind(AssertUnwindSafe(|| swap_both(&world))).is_err());
    assert!(world.try_view_mut::<B>().is_err(), "`view` still reads it");
    assert!(world.try_view_mut::<A>().is_ok());
    drop(view);
    swap_both(&world);
}
