//! Types that are saved with the names of their fields: values whose names the program no longer knows are refused.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ecs_core::data::{LoadError, Loader, WorldData};
use ecs_core::prelude::*;
use ecs_core::relation::Targets;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::shapes::{Sample, load};

programs! { tag It::A { x: Some(7) };
{ #[derive(Component)] #[component(data = "it")] #[serde(tag = "t")] pub(crate) enum It { A { x: Option<u8> } } }
{ #[derive(Component)] #[component(data = "it")] #[serde(tag = "t")] pub(crate) enum It { A { y: Option<u8> } } } }
programs! { struct_in_tag It::A(In { x: 1, y: 2 });
{ #[derive(Component)] #[component(data = "it")] #[serde(tag = "t")] pub(crate) enum It { A(In) } pub(crate) struct In { x: u8, y: u8 } }
{ #[derive(Component)] #[component(data = "it")] #[serde(tag = "t")] pub(crate) enum It { A(In) } pub(crate) struct In { x: u8, #[serde(default)] z: u8 } } }
programs! { content It(Kind::A { x: Some(7) }, In::N(3));
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It(Kind, In); #[serde(tag = "t", content = "c")] pub(crate) enum Kind { A { x: Option<u8> } } #[serde(untagged)] pub(crate) enum In { N(u8) } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It(Kind, In); #[serde(tag = "t", content = "c")] pub(crate) enum Kind { A { y: Option<u8> } } #[serde(untagged)] pub(crate) enum In { N(u8) } } }
programs! { untagged It::A { x: 1, y: 2 };
{ #[derive(Component)] #[component(data = "it", storage = "sparse")] #[serde(untagged)] pub(crate) enum It { A { x: u8, y: u8 }, B(String) } }
{ #[derive(Component)] #[component(data = "it", storage = "sparse")] #[serde(untagged)] pub(crate) enum It { A { x: u8, #[serde(default)] z: u8 }, B(String) } } }
programs! { flat It { rest: Rest { x: Some(1) }, c: 4 };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { #[serde(flatten)] rest: Rest, c: u8 } pub(crate) struct Rest { x: Option<u8> } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { #[serde(flatten)] rest: Rest, c: u8 } pub(crate) struct Rest { y: Option<u8> } } }
programs! { flat_option It { rest: Some(Rest { x: 1 }), c: 4 };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { #[serde(flatten)] rest: Option<Rest>, c: u8 } pub(crate) struct Rest { x: u8 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { #[serde(flatten)] rest: Option<Rest>, c: u8 } pub(crate) struct Rest { y: u8 } } }
programs! { flat_map It { rest: BTreeMap::from([("a".to_owned(), Inner { x: Some(1) })]) };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { #[serde(flatten)] rest: BTreeMap<String, Inner> } pub(crate) struct Inner { x: Option<u8> } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { #[serde(flatten)] rest: BTreeMap<String, Inner> } pub(crate) struct Inner { y: Option<u8> } } }
programs! { without_the_map It { c: 1, rest: BTreeMap::from([("a".to_owned(), 1)]) };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { c: u8, #[serde(flatten)] rest: BTreeMap<String, u8> } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { c: u8, #[serde(flatten)] rest: Rest } pub(crate) struct Rest {} } }
programs! { skipped It(vec![Bag { items: vec![], b: 1 }, Bag { items: vec![3], b: 1 }]);
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It(Vec<Bag>); pub(crate) struct Bag { #[serde(default, skip_serializing_if = "Vec::is_empty")] items: Vec<u8>, b: u8 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It(Vec<Bag>); pub(crate) struct Bag { #[serde(default, skip_serializing_if = "Vec::is_empty")] goods: Vec<u8>, b: u8 } } }
programs! { nested It(Some(vec![BTreeMap::from([(3, Kind::A { x: Some(7) })])]));
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It(Option<Vec<BTreeMap<u8, Kind>>>); #[serde(tag = "t")] pub(crate) enum Kind { A { x: Option<u8> } } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It(Option<Vec<BTreeMap<u8, Kind>>>); #[serde(tag = "t")] pub(crate) enum Kind { A { y: Option<u8> } } } }
programs! { several It::A { x: 1, y: 1 };
{ #[derive(Component)] #[component(data = "it")] #[serde(tag = "t")] pub(crate) enum It { A { x: u8, y: u8 } } }
{ #[derive(Component)] #[component(data = "it")] #[serde(tag = "t")] pub(crate) enum It { A { #[serde(alias = "x")] z: u8 } } } }

programs! { aliases It::Calm { x: 1, rest: Rest { a: 2, b: 3 }, n: 7 };
{ #[derive(Component)] #[component(data = "it")] #[serde(tag = "t")] pub(crate) enum It { Calm { x: u8, rest: Rest, n: u8 } } pub(crate) struct Rest { a: u8, b: u8 } }
{ #[derive(Component)] #[component(data = "it")] #[serde(tag = "t")] pub(crate) enum It { #[serde(alias = "Calm")] Quiet { #[serde(alias = "x")] y: u8, #[serde(alias = "rest")] others: Rest, n: u8 } } pub(crate) struct Rest { #[serde(alias = "a")] c: u8, b: u8 } } }
programs! { alias_in_flat It { rest: Rest { x: Some(1) }, c: 4 };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { #[serde(flatten)] rest: Rest, c: u8 } pub(crate) struct Rest { x: Option<u8> } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { #[serde(flatten)] rest: Rest, c: u8 } pub(crate) struct Rest { #[serde(alias = "x")] y: Option<u8> } } }
programs! { added It::A { x: 1 };
{ #[derive(Component)] #[component(data = "it")] #[serde(tag = "t")] pub(crate) enum It { A { x: u8 } } }
{ #[derive(Component)] #[component(data = "it")] #[serde(tag = "t")] pub(crate) enum It { B, A { #[serde(default)] z: u8, x: u8 }, C { y: u8 } } } }
programs! { taken_by_the_map It { x: 1, rest: BTreeMap::new() };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { x: u8, #[serde(flatten)] rest: BTreeMap<String, u8> } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { y: Option<u8>, #[serde(flatten)] rest: BTreeMap<String, u8> } } }
programs! { nothing It::A { x: None };
{ #[derive(Component)] #[component(data = "it")] #[serde(tag = "t")] pub(crate) enum It { A { x: Option<u8> } } }
{ #[derive(Component)] #[component(data = "it")] #[serde(tag = "t")] pub(crate) enum It { A { y: Option<u8> } } } }

#[test]
fn a_field_that_would_be_lost_is_refused_by_name() {
    macro_rules! refused {
        ($($name:ident: $names:literal,)*) => {$({
            let Err(error) = load::<$name::old::It, $name::new::It>() else {
                panic!("{} was read", stringify!($name))
            };
            let LoadError::Shape { name, version: 1, found, current } = &error else {
                panic!("{error:?}")
            };
            assert_eq!(name, "it");
            assert_eq!(format!("{found} | {current}"), $names);
        })*};
    }
    refused! {
        tag: "{t,x} | {t,y}",
        struct_in_tag: "{t,x,y} | {t,x,z}",
        content: "[{t,c:{x}}] | [{t,c:{y}}]",
        untagged: "{x,y} | {x,z}",
        flat: "{x,c} | {y,c}",
        flat_option: "{x,c} | {c}",
        flat_map: "{a:{x}} | {a:{y}}",
        without_the_map: "{c,a} | {c}",
        skipped: "[{items,b}] | [{b}]",
        nested: "[{3:{t,x}}] | [{3:{t,y}}]",
        several: "{t,x,y} | {t,z}",
    }
}

#[test]
fn what_is_read_by_its_name_or_an_alias_is_read() {
    load::<aliases::old::It, aliases::new::It>().unwrap();
    load::<alias_in_flat::old::It, alias_in_flat::new::It>().unwrap();
    load::<added::old::It, added::new::It>().unwrap();
    load::<taken_by_the_map::old::It, taken_by_the_map::new::It>().unwrap();
    load::<nothing::old::It, nothing::new::It>().unwrap();
}

/// The types of two programs, which differ by the name of a field.
macro_rules! with_ids {
    ($program:ident $field:ident) => {
        mod $program {
            use super::*;

            #[derive(Component, Clone, Debug, Serialize, Deserialize)]
            #[component(data = "aims")]
            pub(super) struct Aims {
                #[serde(flatten)]
                pub(super) rest: Rest,
            }
            #[derive(Clone, Debug, Serialize, Deserialize)]
            pub(super) struct Rest {
                pub(super) $field: Option<Entity>,
            }
            #[derive(Resource, Clone, Debug, Serialize, Deserialize)]
            #[resource(data = "score")]
            pub(super) struct Score(pub(super) Kind);
            #[derive(Event, Clone, Debug, Serialize, Deserialize)]
            #[event(data = "hit")]
            pub(super) struct Hit(pub(super) Kind);
            #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
            #[relation(data = "likes", many)]
            pub(super) struct Likes(pub(super) Kind);
            #[derive(Clone, Debug, Serialize, Deserialize)]
            #[serde(tag = "t")]
            pub(super) enum Kind {
                A { $field: Option<u8> },
            }
        }
    };
}

with_ids!(before x);
with_ids!(after y);

mod with_alias {
    use super::*;

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "aims")]
    pub(super) struct Aims {
        #[serde(flatten)]
        pub(super) rest: Rest,
    }
    #[derive(Clone, Debug, Serialize, Deserialize)]
    pub(super) struct Rest {
        #[serde(alias = "x")]
        pub(super) aim: Option<Entity>,
    }
}

#[test]
fn ids_are_not_lost_either_and_have_aliases() {
    let mut world = World::new();
    let [_, target, dead] = [(); 3].map(|()| world.spawn(()));
    world.despawn(dead).unwrap();
    let aims = |x| before::Aims {
        rest: before::Rest { x },
    };
    let entity = world.spawn(aims(Some(target)));
    world.spawn(aims(Some(dead)));
    world.spawn(aims(None));
    let save = world.save().with_ids();
    let bytes = save.dangling(ecs_core::data::Dangling::Dead);
    let bytes = bytes.to_vec().unwrap();
    let error = Loader::new().with::<after::Aims>().load(&bytes[..]);
    assert!(matches!(error, Err(LoadError::Shape { .. })), "{error:?}");
    let loader = Loader::new().same_ids();
    let loaded = loader.with::<with_alias::Aims>().load(&bytes[..]).unwrap();
    let aims = loaded.get::<with_alias::Aims>(entity).unwrap();
    assert_eq!(aims.rest.aim, Some(target));
}

#[test]
fn resources_events_and_edges_lose_nothing_either() {
    let one = before::Kind::A { x: Some(1) };
    let mut world = World::new();
    world.insert_resource(before::Score(one.clone()));
    world.register_data_event::<before::Hit>();
    world.send_event(before::Hit(one.clone()));
    let [a, b] = [(); 2].map(|()| world.spawn(()));
    world.relate(a, before::Likes(one), b).unwrap();
    let bytes = world.save().resource::<before::Score>().to_vec().unwrap();
    let known = [Loader::new(), Loader::new(), Loader::new(), Loader::new()];
    let [all, score, hit, likes] =
        known.map(|loader| loader.unknown(ecs_core::data::Unknown::Skip));
    let all = all.with::<Targets<before::Likes>>();
    let all = all.with_events::<before::Hit>();
    let all = all.with_resource::<before::Score>();
    all.load(&bytes[..]).unwrap();
    for (name, loader) in [
        ("score", score.with_resource::<after::Score>()),
        ("hit", hit.with_events::<after::Hit>()),
        ("likes", likes.with::<Targets<after::Likes>>()),
    ] {
        let error = loader.load(&bytes[..]).unwrap_err();
        let LoadError::Shape { name: found, .. } = &error else {
            panic!("{name}: {error}")
        };
        assert_eq!(found, name);
    }
}

/// A type with everything that needs names, including sets without an order.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "any")]
enum Any {
    Unit,
    Flat {
        a: u8,
        #[serde(flatten)]
        rest: HashMap<String, Inner>,
    },
    FlatOption(Flat),
    Inner(Inner),
    Untagged(Untagged),
    Adjacent(Adjacent),
    Entity(Option<Entity>),
    Set(HashSet<Inner>),
    Pairs(Vec<(Untagged, HashMap<String, BTreeSet<u8>>)>),
    Skipped {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        list: Vec<Any>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        one: Option<Box<Any>>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "t")]
enum Inner {
    A { x: Option<i64>, id: Option<Entity> },
    B(Flat),
    C,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Flat {
    z: u8,
    #[serde(flatten)]
    rest: Option<Rest>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Rest {
    #[serde(rename = "text of it", alias = "c")]
    text: String,
    #[serde(default)]
    n: Option<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Struct {
        q: String,
        #[serde(default)]
        w: Vec<Untagged>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "t", content = "c", rename_all = "kebab-case")]
enum Adjacent {
    FooBar(Vec<Adjacent>),
    BazQux { z: Option<Option<u8>> },
}

fn any_of(ids: &'static [Entity]) -> impl Strategy<Value = Any> {
    let id = move || prop::option::of(prop::sample::select(ids));
    let flat = || {
        let rest = ("[ab]{0,2}", any::<Option<u8>>()).prop_map(|(text, n)| Rest { text, n });
        (any::<u8>(), prop::option::of(rest)).prop_map(|(z, rest)| Flat { z, rest })
    };
    let inner = move || {
        prop_oneof![
            (any::<Option<i64>>(), id()).prop_map(|(x, id)| Inner::A { x, id }),
            flat().prop_map(Inner::B),
            Just(Inner::C),
        ]
    };
    let untagged = || {
        let number = any::<u8>().prop_map(Untagged::Number);
        number.prop_recursive(2, 4, 3, |inner| {
            ("[a-c]?", prop::collection::vec(inner, 0..3))
                .prop_map(|(q, w)| Untagged::Struct { q, w })
        })
    };
    let adjacent = || {
        let z = any::<Option<Option<u8>>>();
        let one = z.prop_map(|z| Adjacent::BazQux { z });
        one.prop_recursive(2, 4, 3, |inner| {
            prop::collection::vec(inner, 0..3).prop_map(Adjacent::FooBar)
        })
    };
    let sets = || {
        prop::collection::hash_map(
            "[a-d]",
            prop::collection::btree_set(any::<u8>(), 0..3),
            0..4,
        )
    };
    let leaf = prop_oneof![
        Just(Any::Unit),
        (
            any::<u8>(),
            prop::collection::hash_map("[b-f]", inner(), 0..4)
        )
            .prop_map(|(a, rest)| Any::Flat {
                a,
                rest: rest.into_iter().filter(|(key, _)| key != "a").collect()
            }),
        flat().prop_map(Any::FlatOption),
        inner().prop_map(Any::Inner),
        untagged().prop_map(Any::Untagged),
        adjacent().prop_map(Any::Adjacent),
        id().prop_map(Any::Entity),
        prop::collection::hash_set(inner(), 0..5).prop_map(Any::Set),
        prop::collection::vec((untagged(), sets()), 0..3).prop_map(Any::Pairs),
    ];
    leaf.prop_recursive(3, 8, 3, |any| {
        (
            prop::collection::vec(any.clone(), 0..3),
            prop::option::of(any),
        )
            .prop_map(|(list, one)| Any::Skipped {
                list,
                one: one.map(Box::new),
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn what_has_not_changed_is_never_refused(
        values in prop::collection::vec(any_of(&*IDS), 1..12)
    ) {
        let mut world = World::new();
        for _ in 0..3 {
            world.spawn(());
        }
        let entities: Vec<_> = values.iter().map(|value| world.spawn(value.clone())).collect();
        let bytes = world.save().with_ids().to_vec().unwrap();
        let loaded = Loader::new().with::<Any>().same_ids().load(&bytes[..]).unwrap();
        for (entity, value) in entities.into_iter().zip(&values) {
            prop_assert_eq!(&*loaded.get::<Any>(entity).unwrap(), value);
        }
    }
}

/// The first entities of a new world.
static IDS: std::sync::LazyLock<[Entity; 3]> = std::sync::LazyLock::new(|| {
    let mut world = World::new();
    [(); 3].map(|()| world.spawn(()))
});
