use alloc::boxed::Box;
use alloc::string::ToString;

use super::*;

const fn ident<T: 'static>() -> ConstTypeId {
    ConstTypeIdOf::<T>::opaque().ident()
}

const A: ConstTypeId = ident::<u8>();
const B: ConstTypeId = ident::<u16>();
const C: ConstTypeId = ident::<u32>();

const fn leaf(domain: Domain, kind: Kind, ident: ConstTypeId) -> ParamAccess {
    ParamAccess::Leaf(Access {
        domain,
        kind,
        ident,
    })
}

const COMP: ParamAccess = leaf(Domain::Component, Kind::Read, A);
const COMP_MUT: ParamAccess = leaf(Domain::Component, Kind::Write, A);
const COMP_MUT_B: ParamAccess = leaf(Domain::Component, Kind::Write, B);
const RES: ParamAccess = leaf(Domain::Resource, Kind::Read, A);
const RES_MUT: ParamAccess = leaf(Domain::Resource, Kind::Write, A);
const NON_SEND: ParamAccess = ParamAccess::NonSend(Access {
    domain: Domain::NonSend,
    kind: Kind::Write,
    ident: A,
});
const WORLD_REF: ParamAccess = ParamAccess::WorldRef;
const RESOURCES_REF: ParamAccess = ParamAccess::ResourcesRef;
const NOTHING: ParamAccess = ParamAccess::Nothing;
const SHAPE: ParamAccess = ParamAccess::Shape;
const DEFERRED: ParamAccess = ParamAccess::Deferred;
const WORLD: ParamAccess = ParamAccess::World(Kind::Read);
const WORLD_MUT: ParamAccess = ParamAccess::World(Kind::Write);

const fn query(data: &'static QueryAccess, filter: &'static QueryAccess) -> ParamAccess {
    ParamAccess::Query { data, filter }
}

const ONLY_IDS: ParamAccess = query(&QueryAccess::Nothing, &QueryAccess::With(A));
const READ: ParamAccess = query(&QueryAccess::Read(A), &QueryAccess::Nothing);
const WRITE: ParamAccess = query(&QueryAccess::Write(A), &QueryAccess::Nothing);
const WRITE_WITH: ParamAccess = query(&QueryAccess::Write(A), &QueryAccess::With(B));
const WRITE_WITHOUT: ParamAccess = query(&QueryAccess::Write(A), &QueryAccess::Without(B));
const WRITE_WITHOUT_NESTED: ParamAccess = query(
    &QueryAccess::Write(A),
    &QueryAccess::All(&[
        &QueryAccess::With(C),
        &QueryAccess::All(&[&QueryAccess::Without(B), &QueryAccess::Nothing]),
    ]),
);
const WRITE_AND_B: ParamAccess = query(
    &QueryAccess::All(&[&QueryAccess::Write(A), &QueryAccess::Read(B)]),
    &QueryAccess::Nothing,
);
const WRITE_AND_OPT_B: ParamAccess = query(
    &QueryAccess::All(&[
        &QueryAccess::Write(A),
        &QueryAccess::Optional(&[&QueryAccess::Read(B)]),
    ]),
    &QueryAccess::Nothing,
);
const WRITE_OR_WITHOUT: ParamAccess = query(
    &QueryAccess::Write(A),
    &QueryAccess::Or(&[&QueryAccess::Without(B), &QueryAccess::With(C)]),
);
const WRITE_WITH_B_NO_C: ParamAccess = query(
    &QueryAccess::Write(A),
    &QueryAccess::All(&[&QueryAccess::With(B), &QueryAccess::Without(C)]),
);
const WRITE_NO_B_NO_C: ParamAccess = query(
    &QueryAccess::Write(A),
    &QueryAccess::All(&[&QueryAccess::Without(B), &QueryAccess::Without(C)]),
);
const WRITE_OR: ParamAccess = query(
    &QueryAccess::Write(A),
    &QueryAccess::Or(&[&QueryAccess::With(B), &QueryAccess::With(C)]),
);
const WRITE_OR_BOTH: ParamAccess = query(
    &QueryAccess::Write(A),
    &QueryAccess::Or(&[
        &QueryAccess::All(&[&QueryAccess::With(B), &QueryAccess::Without(C)]),
        &QueryAccess::Changed(B),
    ]),
);
const READ_OF_ANY: ParamAccess = query(
    &QueryAccess::All(&[
        &QueryAccess::Write(B),
        &QueryAccess::OfAny(&[&QueryAccess::Read(A)]),
    ]),
    &QueryAccess::With(C),
);
const TEST_OF_ANY: ParamAccess = query(
    &QueryAccess::Read(B),
    &QueryAccess::All(&[
        &QueryAccess::With(C),
        &QueryAccess::OfAny(&[&QueryAccess::Changed(A)]),
    ]),
);
const WRITE_WITHOUT_A: ParamAccess = query(&QueryAccess::Write(B), &QueryAccess::Without(A));
const WRITE_WITHOUT_C: ParamAccess = query(&QueryAccess::Write(A), &QueryAccess::Without(C));
const WRITE_B_WITHOUT_C: ParamAccess = query(&QueryAccess::Write(B), &QueryAccess::Without(C));
const WRITE_OR_NOTHING: ParamAccess = query(&QueryAccess::Write(A), &QueryAccess::Or(&[]));
const OPT_WRITE_WITHOUT: ParamAccess = query(
    &QueryAccess::Optional(&[&QueryAccess::Write(A)]),
    &QueryAccess::Without(B),
);
const WITHOUT_SELF: ParamAccess = query(
    &QueryAccess::Optional(&[&QueryAccess::Write(B)]),
    &QueryAccess::Without(A),
);
const BUNDLED: ParamAccess =
    ParamAccess::All(&[&NOTHING, &ParamAccess::All(&[&RES, &WRITE_WITHOUT])]);
const IN_TURNS: ParamAccess = ParamAccess::OneOf(&[&COMP_MUT, &COMP]);
const NO_PARTS: ParamAccess = ParamAccess::All(&[&NOTHING, &ParamAccess::All(&[])]);

#[test]
fn parameters_of_two_systems() {
    #[rustfmt::skip]
    let table: &[(&str, &'static ParamAccess, &'static ParamAccess, bool)] = &[
        ("readers share a storage", &COMP, &COMP, false),
        ("a writer excludes a reader", &COMP_MUT, &COMP, true),
        ("a writer excludes a writer", &COMP_MUT, &COMP_MUT, true),
        ("different storages", &COMP_MUT, &COMP_MUT_B, false),
        ("a component is not a resource of the same type", &COMP_MUT, &RES_MUT, false),
        ("readers share a resource", &RES, &RES, false),
        ("a resource is written by one", &RES_MUT, &RES, true),
        ("a non-send value is written by one", &NON_SEND, &NON_SEND, true),
        ("a non-send value is not a resource of the same type", &NON_SEND, &RES_MUT, false),
        ("reading queries", &READ, &READ, false),
        ("reading and writing queries", &READ, &WRITE, true),
        ("With against Without", &WRITE_WITH, &WRITE_WITHOUT, false),
        ("fetched data against Without", &WRITE_AND_B, &WRITE_WITHOUT, false),
        ("fetched data against a nested Without", &WRITE_AND_B, &WRITE_WITHOUT_NESTED, false),
        ("optional data is not required", &WRITE_AND_OPT_B, &WRITE_WITHOUT, true),
        ("two times Without", &WRITE_WITHOUT, &WRITE_WITHOUT, true),
        ("one alternative against With", &WRITE_OR_WITHOUT, &WRITE_WITH, true),
        ("each alternative against the other one's filter", &WRITE_OR_WITHOUT, &WRITE_WITH_B_NO_C, false),
        ("alternatives against Without of all", &WRITE_OR, &WRITE_NO_B_NO_C, false),
        ("alternatives against Without of one", &WRITE_OR, &WRITE_WITHOUT, true),
        ("a filter that all alternatives imply", &WRITE_OR_BOTH, &WRITE_WITHOUT, false),
        ("no alternatives", &WRITE_OR_NOTHING, &WRITE, true),
        ("what is read of any entity against a filter", &READ_OF_ANY, &WRITE_WITHOUT_C, true),
        ("what is tested of any entity against a filter", &TEST_OF_ANY, &WRITE_WITHOUT_C, true),
        ("what is read of any entity keeps nothing else together", &READ_OF_ANY, &WRITE_B_WITHOUT_C, false),
        ("what is read of any entity, twice", &TEST_OF_ANY, &TEST_OF_ANY, false),
        ("presence in any entity is not presence in this one", &READ_OF_ANY, &WRITE_WITHOUT_A, true),
        ("an optional write is a write", &OPT_WRITE_WITHOUT, &WRITE, true),
        ("an optional write against a disjoint filter", &OPT_WRITE_WITHOUT, &WRITE_WITH, false),
        ("Without against fetched data", &WITHOUT_SELF, &WRITE_AND_B, false),
        ("a view has no filter", &COMP_MUT, &WRITE_WITHOUT, true),
        ("a view of a component that the query only tests", &COMP_MUT_B, &WRITE_WITHOUT, false),
        ("a view of a component that the query reads", &COMP_MUT_B, &WRITE_AND_B, true),
        ("ids touch no data", &ONLY_IDS, &COMP_MUT, false),
        ("parts of a derived parameter", &BUNDLED, &RES_MUT, true),
        ("filters inside of a derived parameter", &BUNDLED, &WRITE_WITH, false),
        ("a derived parameter and itself", &BUNDLED, &BUNDLED, true),
        ("the whole world and a reader", &WORLD, &COMP, false),
        ("the whole world and a writer", &WORLD, &COMP_MUT, true),
        ("the whole world and a writing query", &WORLD, &OPT_WRITE_WITHOUT, true),
        ("the whole world and a resource", &WORLD, &RES_MUT, true),
        ("the whole world twice", &WORLD, &WORLD, false),
        ("the whole world for writing", &WORLD_MUT, &WORLD, true),
        ("the whole world for writing, twice", &WORLD_MUT, &WORLD_MUT, true),
        ("the whole world for writing and a reader", &WORLD_MUT, &RES, true),
        ("the whole world for writing and ids", &WORLD_MUT, &ONLY_IDS, true),
        ("the whole world for writing and a part", &WORLD_MUT, &BUNDLED, true),
        ("nothing and the whole world", &NOTHING, &WORLD_MUT, false),
        ("no parts and the whole world", &NO_PARTS, &WORLD_MUT, false),
        ("nothing and a writer", &NOTHING, &COMP_MUT, false),
        ("a reference to the world and a reader", &WORLD_REF, &COMP, true),
        ("two references to the world", &WORLD_REF, &WORLD_REF, true),
        ("a reference to the resources and a resource", &RESOURCES_REF, &RES, true),
        ("a reference to the resources and a component", &RESOURCES_REF, &COMP_MUT, false),
        ("a reference to the resources and one to the world", &RESOURCES_REF, &WORLD_REF, true),
        ("parameters borrowed in turns", &IN_TURNS, &COMP, true),
        ("deferred access, twice", &DEFERRED, &DEFERRED, true),
        ("deferred access and a writer", &DEFERRED, &COMP_MUT, false),
        ("deferred access and shape access", &DEFERRED, &SHAPE, false),
        ("deferred access and all resources", &DEFERRED, &RESOURCES_REF, false),
        ("deferred access and a reference to the world", &DEFERRED, &WORLD_REF, true),
        ("shape access and the whole world for writing", &SHAPE, &WORLD_MUT, true),
        ("shape access, twice", &SHAPE, &SHAPE, false),
    ];
    for (case, first, second, expected) in table {
        assert_eq!(overlap(first, second).is_some(), *expected, "{case}");
        assert_eq!(
            overlap(second, first).is_some(),
            *expected,
            "{case}, swapped"
        );
    }
}

#[test]
fn parameters_of_one_system() {
    #[rustfmt::skip]
    let table: &[(&str, &'static ParamAccess, &'static ParamAccess, Compatibility)] = &[
        ("readers", &COMP, &COMP, Compatibility::Disjoint),
        ("a writer and a reader", &COMP_MUT, &COMP, conflict(Kind::Write, Kind::Read)),
        ("With against Without", &WRITE_WITH, &WRITE_WITHOUT, Compatibility::FilteredApart),
        ("two times Without", &WRITE_WITHOUT, &WRITE_WITHOUT, conflict(Kind::Write, Kind::Write)),
        ("filters without data in common", &ONLY_IDS, &WRITE, Compatibility::Disjoint),
        ("a reference to the world and a reader", &WORLD_REF, &COMP, Compatibility::Disjoint),
        ("a reference to the world and a reading query", &WORLD_REF, &READ, Compatibility::Disjoint),
        ("a reference to the world and a writing query", &WORLD_REF, &WRITE, Compatibility::Conflict(Overlap::World)),
        ("two references to the world", &WORLD_REF, &WORLD_REF, Compatibility::Disjoint),
        ("a reference to the world and nothing", &WORLD_REF, &NOTHING, Compatibility::Disjoint),
        ("a reference to the resources and a resource", &RESOURCES_REF, &RES_MUT, Compatibility::Conflict(Overlap::World)),
        ("a reference to the resources and a component", &RESOURCES_REF, &COMP_MUT, Compatibility::Disjoint),
        ("the whole world and ids", &WORLD_MUT, &ONLY_IDS, Compatibility::Conflict(Overlap::World)),
        ("parameters borrowed in turns", &IN_TURNS, &COMP, conflict(Kind::Write, Kind::Read)),
        ("deferred access, twice", &DEFERRED, &DEFERRED, Compatibility::Disjoint),
        ("deferred access and a reference to the world", &DEFERRED, &WORLD_REF, Compatibility::Disjoint),
    ];
    for (case, first, second, expected) in table {
        assert_eq!(params_compatible(first, second), *expected, "{case}");
    }
}

const fn conflict(first: Kind, second: Kind) -> Compatibility {
    Compatibility::Conflict(Overlap::Data {
        domain: Domain::Component,
        ident: A,
        first,
        second,
    })
}

#[test]
fn parts_of_one_parameter() {
    const TWICE: ParamAccess = query(
        &QueryAccess::All(&[
            &QueryAccess::Optional(&[&QueryAccess::Read(A)]),
            &QueryAccess::All(&[&QueryAccess::Write(A)]),
        ]),
        &QueryAccess::Nothing,
    );
    const BOTH: ParamAccess = ParamAccess::All(&[&RES, &ParamAccess::All(&[&COMP_MUT, &COMP])]);
    assert_eq!(self_compatible(&TWICE), conflict(Kind::Read, Kind::Write));
    assert_eq!(self_compatible(&BOTH), conflict(Kind::Write, Kind::Read));
    const OF_ANY: ParamAccess = query(
        &QueryAccess::All(&[
            &QueryAccess::Write(A),
            &QueryAccess::OfAny(&[&QueryAccess::Read(A)]),
        ]),
        &QueryAccess::Nothing,
    );
    const CHANGED_OF_ANY: ParamAccess = query(
        &QueryAccess::Write(A),
        &QueryAccess::OfAny(&[&QueryAccess::Changed(A)]),
    );
    assert_eq!(self_compatible(&OF_ANY), conflict(Kind::Write, Kind::Read));
    assert_eq!(
        self_compatible(&CHANGED_OF_ANY),
        conflict(Kind::Read, Kind::Write)
    );
    assert_eq!(self_compatible(&READ_OF_ANY), Compatibility::Disjoint);
    assert_eq!(self_compatible(&IN_TURNS), Compatibility::Disjoint);
    assert_eq!(self_compatible(&WRITE_AND_B), Compatibility::Disjoint);
    assert_eq!(self_compatible(&BUNDLED), Compatibility::Disjoint);
}

#[test]
fn exact_types_are_compared_in_constants() {
    const EXACT: ConstTypeId = ConstTypeIdOf::<u64>::exact("here", "u64").ident();
    const OTHER: ConstTypeId = ConstTypeIdOf::<i64>::exact("there", "i64").ident();
    const WRITES: SystemMeta = SystemMeta::new(
        "writes",
        &[ParamInfo::new(
            "a",
            "CompMut<u64>",
            &leaf(Domain::Component, Kind::Write, EXACT),
        )],
    );
    const READS: SystemMeta = SystemMeta::new(
        "reads",
        &[ParamInfo::new(
            "a",
            "Comp<i64>",
            &leaf(Domain::Component, Kind::Read, OTHER),
        )],
    );
    const _: () = assert!(!may_conflict(&WRITES, &READS));
    const _: () = assert!(may_conflict(&WRITES, &WRITES));
    const _: () = assert!(!may_conflict(&READS, &READS));
}

#[test]
fn a_conflict_names_parameters_and_type() {
    const FIRST: SystemMeta = SystemMeta::new(
        "first",
        &[
            ParamInfo::new("time", "Res<u8>", &RES),
            ParamInfo::new("pos", "CompMut<A>", &COMP_MUT),
        ],
    );
    const SECOND: SystemMeta = SystemMeta::new(
        "second",
        &[
            ParamInfo::new("_", "Commands", &NOTHING),
            ParamInfo::new("old", "Comp<A>", &COMP),
        ],
    );
    const THIRD: SystemMeta = SystemMeta::new(
        "third",
        &[ParamInfo::new("world", "&mut World", &WORLD_MUT)],
    );
    assert_eq!(
        conflicts(&FIRST, &SECOND).unwrap().to_string(),
        "`pos: CompMut<A>` writes and `old: Comp<A>` reads the component `u8`"
    );
    assert_eq!(
        conflicts(&FIRST, &THIRD).unwrap().to_string(),
        "`time: Res<u8>` and `world: &mut World` share the world"
    );
    assert!(conflicts(&SECOND, &SECOND).is_none());
}

#[test]
fn systems_with_non_send_values_or_exclusive_world_access_run_on_the_calling_thread() {
    const fn one(access: &'static ParamAccess) -> ParamInfo {
        ParamInfo::new("p", "P", access)
    }
    const NESTED: ParamAccess = ParamAccess::All(&[&COMP, &ParamAccess::OneOf(&[&RES, &NON_SEND])]);
    const BOUND: [&[ParamInfo]; 3] = [
        &[one(&NON_SEND)],
        &[one(&WORLD_MUT)],
        &[one(&RES), one(&NESTED)],
    ];
    const FREE: [&[ParamInfo]; 3] = [&[], &[one(&COMP_MUT), one(&RES_MUT)], &[one(&WORLD_REF)]];
    let is_thread_bound = |params| SystemMeta::new("s", params).on_calling_thread();
    assert_eq!(BOUND.map(is_thread_bound), [true; 3]);
    assert_eq!(FREE.map(is_thread_bound), [false; 3]);
}

#[test]
fn the_reach_of_a_system_follows_from_its_parameters() {
    const fn one(access: &'static ParamAccess) -> ParamInfo {
        ParamInfo::new("p", "P", access)
    }
    const NESTED: ParamAccess =
        ParamAccess::All(&[&NOTHING, &ParamAccess::OneOf(&[&COMP, &DEFERRED])]);
    #[rustfmt::skip]
    const TABLE: &[(&str, &[ParamInfo], [bool; 3])] = &[
        ("no parameters", &[], [false, false, false]),
        ("parameters of its own", &[one(&NO_PARTS)], [false, false, false]),
        ("shape access", &[one(&SHAPE)], [true, false, false]),
        ("data", &[one(&NOTHING), one(&COMP)], [true, false, false]),
        ("ids", &[one(&ONLY_IDS)], [true, false, false]),
        ("all resources", &[one(&RESOURCES_REF)], [true, false, false]),
        ("commands", &[one(&COMP), one(&DEFERRED)], [true, true, false]),
        ("commands inside of others", &[one(&NESTED)], [true, true, false]),
        ("a reference to the world", &[one(&WORLD_REF)], [true, true, true]),
        ("the whole world", &[one(&WORLD_MUT)], [true, true, true]),
    ];
    for (case, params, expected) in TABLE {
        let meta = SystemMeta::new("s", params);
        let found = [meta.touches_world(), meta.defers(), meta.runs_alone()];
        assert_eq!(found, *expected, "{case}");
    }
}

#[test]
fn the_worst_between_two_systems_counts() {
    const FILTERED_APART: SystemMeta =
        SystemMeta::new("apart", &[ParamInfo::new("q", "Query", &WRITE_WITH)]);
    const OTHER: SystemMeta =
        SystemMeta::new("other", &[ParamInfo::new("q", "Query", &WRITE_WITHOUT)]);
    const ALL: SystemMeta = SystemMeta::new(
        "all",
        &[
            ParamInfo::new("q", "Query", &WRITE_WITHOUT),
            ParamInfo::new("p", "CompMut<A>", &COMP_MUT),
        ],
    );
    assert_eq!(
        systems_compatible(&FILTERED_APART, &OTHER),
        Compatibility::FilteredApart
    );
    assert!(matches!(
        systems_compatible(&FILTERED_APART, &ALL),
        Compatibility::Conflict(_)
    ));
    assert_eq!(
        systems_compatible(&FILTERED_APART, &SystemMeta::new("none", &[])),
        Compatibility::Disjoint
    );
}

/// Four places ask whether a parameter can write: comparisons in constants and at run time, the list of accesses, and snapshots
/// of the data that systems write.
#[test]
fn all_that_asks_whether_a_parameter_can_write_has_one_answer() {
    const ALL: &[&ParamAccess] = &[
        &COMP,
        &COMP_MUT,
        &RES,
        &RES_MUT,
        &NOTHING,
        &SHAPE,
        &ONLY_IDS,
        &READ,
        &WRITE,
        &WRITE_WITH,
        &WRITE_WITHOUT_NESTED,
        &WRITE_AND_B,
        &WRITE_AND_OPT_B,
        &WRITE_OR_BOTH,
        &READ_OF_ANY,
        &TEST_OF_ANY,
        &OPT_WRITE_WITHOUT,
        &WITHOUT_SELF,
        &BUNDLED,
        &IN_TURNS,
        &NO_PARTS,
    ];
    let mut writers = 0;
    for (index, access) in ALL.iter().copied().enumerate() {
        let listed = access.accesses().any(|access| access.kind.writes());
        let verdicts = [
            params_compatible(&WORLD, access),
            params_compatible_in_const(&WORLD, access),
        ];
        let conflicts = verdicts.map(|found| matches!(found, Compatibility::Conflict(_)));
        assert_eq!(conflicts, [listed; 2], "{index}: {access:?}");
        let params: &'static [ParamInfo] = Box::leak(Box::new([ParamInfo::new("p", "P", access)]));
        let mut written = WriteSet::default();
        written.add(&SystemMeta::new("s", params));
        let is_written = |access: Access| match access.domain {
            Domain::Component => written.has_component(&access.ident),
            _ => written.has_resource(access.ident.type_id()),
        };
        assert!(!written.everything, "{index}: {access:?}");
        for found in access.accesses() {
            let of_type = access
                .accesses()
                .filter(|other| (other.domain, other.ident) == (found.domain, found.ident));
            let writes = of_type.map(|other| other.kind.writes()).max();
            assert_eq!(Some(is_written(found)), writes, "{index}: {access:?}");
        }
        writers += usize::from(listed);
    }
    assert!(writers > 8 && writers < ALL.len() - 5);
}
