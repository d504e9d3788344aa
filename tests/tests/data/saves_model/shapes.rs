//! Columns whose fields or variants differ between the program and the save are refused instead of misread.

use std::collections::BTreeMap;

use ecs_core::data::{LoadError, Loader, Protocol, Unknown, WorldData};
use ecs_core::prelude::*;
use ecs_core::relation::Targets;
use serde::{Deserialize, Serialize};

/// A component with a value.
pub(super) trait Sample: Component {
    fn sample() -> Self;
}

/// Two programs that define a component of one name in two ways.
macro_rules! programs {
    ($name:ident $old_value:expr; { $($old:item)* } { $($new:item)* }) => {
        mod $name {
            pub(super) mod old {
                use super::super::*;
                $(#[derive(Clone, Debug, Serialize, Deserialize)] #[allow(dead_code, reason = "it is only read")] $old)*
                impl Sample for It {
                    fn sample() -> Self { $old_value }
                }
            }
            pub(super) mod new {
                use super::super::*;
                $(#[derive(Clone, Debug, Serialize, Deserialize)] #[allow(dead_code, reason = "it is only read")] $new)*
            }
        }
    };
}

programs! { fields It { now: 1.0, max: 2.0 };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { now: f32, max: f32 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { max: f32, now: f32 } } }
programs! { variants It::A;
{ #[derive(Component)] #[component(data = "it")] pub(crate) enum It { A, B } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) enum It { B, A } } }
programs! { kinds It(7);
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It(u32); }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It(f32); } }
programs! { newtypes It { long: Meters(1.0) };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { long: Meters } pub(crate) struct Meters(f32); }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { long: Feet } pub(crate) struct Feet(f32); } }
programs! { nested It(Some(vec![(1, Deep { x: 1, y: 2 })]));
{ #[derive(Component)] #[component(data = "it", storage = "sparse")] pub(crate) struct It(Option<Vec<(u8, Deep)>>); pub(crate) struct Deep { x: u8, y: u8 } }
{ #[derive(Component)] #[component(data = "it", storage = "sparse")] pub(crate) struct It(Option<Vec<(u8, Deep)>>); pub(crate) struct Deep { y: u8, x: u8 } } }
programs! { in_a_variant It::Last(BTreeMap::from([(1, Inner::Second { x: 1, y: 2 })]));
{ #[derive(Component)] #[component(data = "it")] pub(crate) enum It { First, Last(BTreeMap<u8, Inner>) } pub(crate) enum Inner { First, Second { x: u8, y: u8 } } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) enum It { First, Last(BTreeMap<u8, Inner>) } pub(crate) enum Inner { First, Second { y: u8, x: u8 } } } }
programs! { numbers_and_ids It { at: 0 };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { at: u32 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { at: Entity } } }
programs! { arrays It([1, 2, 3, 4]);
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It([u8; 4]); }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It(u32); } }
programs! { adjacent It(Tagged::A(1));
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It(Tagged); #[serde(tag = "kind", content = "value")] pub(crate) enum Tagged { A(u8), B(u8) } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It(Tagged); #[serde(tag = "kind", content = "value")] pub(crate) enum Tagged { B(u8), A(u8) } } }
programs! { inserted It::Last(3);
{ #[derive(Component)] #[component(data = "it")] pub(crate) enum It { First, Last(u8) } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) enum It { First, Middle(u8), Last(u8) } } }
programs! { recursive It::Two(Box::new(It::One), Box::new(It::One));
{ #[derive(Component)] #[component(data = "it")] pub(crate) enum It { One, Two(Box<It>, Box<It>), Not { x: u8, y: u8 } } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) enum It { One, Two(Box<It>, Box<It>), Not { y: u8, x: u8 } } } }
programs! { renamed It { x: 1 };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { x: u8 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { z: u8 } } }
programs! { added It { x: 1 };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { x: u8 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { x: u8, #[serde(default)] z: u8 } } }

programs! { transparent It { now: 7 };
{ #[derive(Component)] #[component(data = "it")] #[serde(transparent)] pub(crate) struct It { now: u32 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It(u32); } }
programs! { transparent_of_another_kind It { now: 7 };
{ #[derive(Component)] #[component(data = "it")] #[serde(transparent)] pub(crate) struct It { now: u32 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It(f32); } }
programs! { appended It::Last(3);
{ #[derive(Component)] #[component(data = "it")] pub(crate) enum It { First, Last(u8) } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) enum It { First, Last(u8), Newest } } }
programs! { with_an_alias It { life: 1, x: 2, mood: Mood::Calm };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { life: u8, x: u8, mood: Mood } pub(crate) enum Mood { Calm, Mad } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { #[serde(alias = "life")] health: u8, x: u8, mood: Mood } pub(crate) enum Mood { #[serde(alias = "Calm")] Quiet, Mad } } }
programs! { kept_by_rename It { life: 1, long: Meters(2) };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { life: u8, long: Meters } pub(crate) struct Meters(u8); }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { #[serde(rename = "life")] health: u8, long: Metres } #[serde(rename = "Meters")] pub(crate) struct Metres(u8); } }
programs! { other_types It { at: Place { x: 1, y: 2 } };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { at: Place } pub(crate) struct Place { x: u8, y: u8 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { at: Spot } pub(crate) struct Spot { x: u8, y: u8 } } }
programs! { other_order_of_names It { known: 1, rest: Rest { x: 1 } };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { known: u8, #[serde(flatten)] rest: Rest } pub(crate) struct Rest { x: u8 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { #[serde(flatten)] rest: Rest, known: u8 } pub(crate) struct Rest { x: u8 } } }

pub(super) fn load<A: Sample, B: Component>() -> Result<World, LoadError> {
    let mut world = World::new();
    world.spawn(A::sample());
    let bytes = world.save().to_vec().unwrap();
    let same = Loader::new().with::<A>().load(&bytes[..]);
    assert_eq!(
        same.unwrap().save().to_vec().unwrap(),
        bytes,
        "the same program reads it"
    );
    // Values that another program kept on the way are refused too, and values that became trees are read by name.
    let mut between = World::new();
    let keeping = Loader::new().unknown(Unknown::Keep);
    keeping.load_into(&mut between, &bytes[..]).unwrap();
    let loader = Loader::new().with::<B>();
    let kept = loader.load(&between.save().to_vec().unwrap()[..]);
    let direct = loader.load(&bytes[..]);
    assert_eq!(direct.is_ok(), kept.is_ok());
    if let (Err(direct), Err(kept)) = (&direct, &kept) {
        let (direct, kept) = (direct.to_string(), kept.to_string());
        assert!(direct.ends_with(&kept), "{direct}, {kept}");
    }
    direct
}

#[test]
fn columns_of_another_shape_are_refused_by_name() {
    macro_rules! refused {
        ($($name:ident: $shapes:literal,)*) => {$({
            let Err(error) = load::<$name::old::It, $name::new::It>() else {
                panic!("{} was read", stringify!($name))
            };
            assert!(matches!(error, LoadError::Shape { .. }), "{error:?}");
            let (old, new) = $shapes.split_once(" | ").unwrap();
            let expected = format!(
                "`it` has other fields or variants in the save, where it is `{old}`, than in this program, where it is `{new}`, and the same version 1; \
                 help: give it `version = 2`, and add `migrate(1 = Old)`"
            );
            let error = error.to_string();
            assert!(error.starts_with(&expected), "{}: {error}", stringify!($name));
        })*};
    }
    refused! {
        fields: "{now:f32,max:f32} | {max:f32,now:f32}",
        variants: "<A,B> | <B,A>",
        kinds: "@(u32) | @(f32)",
        newtypes: "{long:@Meters(f32)} | {long:@Feet(f32)}",
        nested: "@(?[(u8,{x:u8,y:u8})]) | @(?[(u8,{y:u8,x:u8})])",
        in_a_variant: "<First,Last({u8=<First,Second{x:u8,y:u8}>})> | <First,Last({u8=<First,Second{y:u8,x:u8}>})>",
        numbers_and_ids: "{at:u32} | {at:id}",
        transparent_of_another_kind: "u32 | @(f32)",
        arrays: "@((u8,u8,u8,u8)) | @(u32)",
        adjacent: "@(<A(u8),B(u8)>) | @(<B(u8),A(u8)>)",
        inserted: "<First,Last(u8)> | <First,Middle(u8),Last(u8)>",
        recursive: "<One,Two(#0,#0),Not{x:u8,y:u8}> | <One,Two(#0,#0),Not{y:u8,x:u8}>",
        renamed: "{x:u8} | {z:u8}",
        added: "{x:u8} | {x:u8,z:u8}",
    }
}

#[test]
fn columns_that_can_be_read_are_read() {
    load::<appended::old::It, appended::new::It>().unwrap();
    load::<transparent::old::It, transparent::new::It>().unwrap();
    load::<with_an_alias::old::It, with_an_alias::new::It>().unwrap();
    load::<kept_by_rename::old::It, kept_by_rename::new::It>().unwrap();
    load::<other_types::old::It, other_types::new::It>().unwrap();
    load::<other_order_of_names::old::It, other_order_of_names::new::It>().unwrap();
    let back = load::<Appended, appended::old::It>().unwrap_err();
    assert!(
        matches!(back, LoadError::Shape { .. }),
        "what a newer program has added: {back}"
    );
}

type Appended = appended::new::It;

impl Sample for Appended {
    fn sample() -> Self {
        Self::First
    }
}

mod one {
    use super::*;

    #[derive(Resource, Clone, Debug, Serialize, Deserialize)]
    #[resource(data = "score")]
    pub(super) struct Score {
        pub(super) a: u8,
        pub(super) b: u8,
    }
    #[derive(Event, Clone, Debug, Serialize, Deserialize)]
    #[event(data = "hit")]
    pub(super) struct Hit {
        pub(super) a: u8,
        pub(super) b: u8,
    }
    #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
    #[relation(data = "likes", many)]
    pub(super) struct Likes {
        pub(super) a: u8,
        pub(super) b: u8,
    }
}

mod other {
    use super::*;

    #[derive(Resource, Clone, Debug, Serialize, Deserialize)]
    #[resource(data = "score")]
    pub(super) struct Score {
        b: u8,
        a: u8,
    }
    #[derive(Event, Clone, Debug, Serialize, Deserialize)]
    #[event(data = "hit")]
    pub(super) struct Hit {
        b: u8,
        a: u8,
    }
    #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
    #[relation(data = "likes", many)]
    pub(super) struct Likes {
        b: u8,
        a: u8,
    }

    /// The same under another name.
    #[derive(Event, Clone, Debug, Serialize, Deserialize)]
    #[event(data = "hit")]
    pub(super) struct Strike {
        a: u8,
        b: u8,
    }
}

#[test]
fn resources_events_edges_and_packets_have_shapes_too() {
    let mut world = World::new();
    world.insert_resource(one::Score { a: 1, b: 2 });
    world.register_data_event::<one::Hit>();
    world.send_event(one::Hit { a: 1, b: 2 });
    let [a, b] = [(); 2].map(|()| world.spawn(()));
    world.relate(a, one::Likes { a: 1, b: 2 }, b).unwrap();
    let error = |save: ecs_core::data::Save<'_>, loader: Loader| {
        let error = loader.load(&save.to_vec().unwrap()[..]).unwrap_err();
        let LoadError::Shape { name, .. } = &error else {
            panic!("{error}")
        };
        name.clone()
    };
    let loader = || Loader::new().with::<Targets<one::Likes>>();
    let resource = world.save().resource::<one::Score>();
    let known = loader().with_events::<one::Hit>();
    assert_eq!(
        error(resource, known.clone().with_resource::<other::Score>()),
        "score"
    );
    assert_eq!(
        error(world.save(), loader().with_events::<other::Hit>()),
        "hit"
    );
    let loader = Loader::new().with_events::<one::Hit>();
    assert_eq!(
        error(world.save(), loader.clone().with::<Targets<other::Likes>>()),
        "likes"
    );
    let bytes = world.save().without_resources().to_vec().unwrap();
    known.load(&bytes[..]).unwrap();
    let bytes = world.save().to_vec().unwrap();
    let renamed = Loader::new()
        .with::<Targets<one::Likes>>()
        .with_events::<other::Strike>();
    renamed.load(&bytes[..]).unwrap();

    let protocol = Protocol::new().with::<fields::old::It>();
    assert_ne!(
        protocol.id(),
        Protocol::new().with::<fields::new::It>().id()
    );
    let protocol = Protocol::new().with_relation::<one::Likes>();
    assert_ne!(
        protocol.id(),
        Protocol::new().with_relation::<other::Likes>().id()
    );
}

mod migrated {
    use super::*;

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "it")]
    pub(super) struct First {
        pub(super) long: Meters,
        pub(super) mood: Mood,
    }
    #[derive(Clone, Debug, Serialize, Deserialize)]
    pub(super) struct Meters(pub(super) u8);
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub(super) enum Mood {
        Calm,
        Mad,
    }

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "it", version = 2, migrate(1 = V1))]
    pub(super) struct Now(pub(super) Mood);
    #[derive(Deserialize)]
    pub(super) struct V1 {
        long: MetersV1,
        mood: MoodV1,
    }
    #[derive(Deserialize)]
    pub(super) struct MetersV1(u8);
    #[derive(Deserialize)]
    pub(super) enum MoodV1 {
        Calm,
        Mad,
    }
    impl From<V1> for Now {
        fn from(old: V1) -> Self {
            _ = old.long.0;
            Self(match old.mood {
                MoodV1::Calm => Mood::Calm,
                MoodV1::Mad => Mood::Mad,
            })
        }
    }

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "it", version = 2, migrate(1 = WrongV1))]
    pub(super) struct Wrong(Mood);
    #[derive(Deserialize)]
    pub(super) struct WrongV1 {
        mood: MoodV1,
        long: MetersV1,
    }
    impl From<WrongV1> for Wrong {
        fn from(old: WrongV1) -> Self {
            _ = (old.mood, old.long.0);
            Self(Mood::Calm)
        }
    }
}

#[test]
fn a_migration_reads_the_shape_of_the_older_type_under_other_names_of_types() {
    let mut world = World::new();
    let (long, mood) = (migrated::Meters(1), migrated::Mood::Mad);
    world.spawn(migrated::First { long, mood });
    let bytes = world.save().to_vec().unwrap();
    let new = Loader::new()
        .with::<migrated::Now>()
        .load(&bytes[..])
        .unwrap();
    let query = new.query::<&migrated::Now>();
    assert_eq!(query.iter().next().unwrap().0, migrated::Mood::Mad);
    drop(query);
    let wrong = Loader::new().with::<migrated::Wrong>().load(&bytes[..]);
    let error = wrong.unwrap_err();
    assert!(
        matches!(error, LoadError::Shape { version: 1, .. }),
        "{error}"
    );
}

/// A number that the type refuses unless it is this one, so that no made-up value can reveal anything after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
struct Only<const N: u32>;

impl<const N: u32> TryFrom<u32> for Only<N> {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        match number == N {
            true => Ok(Self),
            false => Err(format!("{number} instead of {N}")),
        }
    }
}

impl<const N: u32> From<Only<N>> for u32 {
    fn from(_: Only<N>) -> Self {
        N
    }
}

/// The number of made-up values.
type Small = Only<77>;
/// A number that no made-up value has.
type Large = Only<7_000_123>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Text(String),
}

programs! { behind_a_small_number It { key: Only, at: Place { x: 1, y: 2 } };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { key: Small, at: Place } pub(crate) struct Place { x: u8, y: u8 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { key: Small, at: Place } pub(crate) struct Place { y: u8, x: u8 } } }
programs! { behind_a_large_number It { key: Only, at: Place { x: 1, y: 2 } };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { key: Large, at: Place } pub(crate) struct Place { x: u8, y: u8 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { key: Large, at: Place } pub(crate) struct Place { x: u8, z: u8 } } }
programs! { behind_two_numbers It(Only, Some(Only), Mood::B);
{ #[derive(Component)] #[component(data = "it", storage = "sparse")] pub(crate) struct It(Large, Option<Only<9_000_001>>, Mood); pub(crate) enum Mood { A, B } }
{ #[derive(Component)] #[component(data = "it", storage = "sparse")] pub(crate) struct It(Large, Option<Only<9_000_001>>, Mood); pub(crate) enum Mood { B, A } } }
programs! { in_a_variant_behind_it It::Last(Only, Place { x: 1, y: 2 });
{ #[derive(Component)] #[component(data = "it")] pub(crate) enum It { First, Last(Large, Place) } pub(crate) struct Place { x: u8, y: u8 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) enum It { First, Last(Large, Place) } pub(crate) struct Place { x: u8, y: u8, #[serde(default)] z: u8 } } }
programs! { behind_one_that_became_another It { key: Only, x: 1 };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { key: Large, x: u8 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { key: Only<7_000_124>, x: i8 } } }
programs! { unchanged It { keys: vec![(Only, Deep { key: Some(Only), x: 7 })], rest: BTreeMap::from([(Only, Mood::Mad(Only))]) };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { keys: Vec<(Large, Deep)>, rest: BTreeMap<ByKey, Mood> }
  pub(crate) struct Deep { key: Option<Small>, x: i8 } pub(crate) enum Mood { Calm, Mad(Large) } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { keys: Vec<(Large, Deep)>, rest: BTreeMap<ByKey, Mood> }
  pub(crate) struct Deep { key: Option<Small>, x: i8 } pub(crate) enum Mood { Calm, Mad(Large), Newest } } }
programs! { without_a_common_value It { key: Only, x: 1 };
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { key: Large, x: u8 } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { key: Small, x: u8 } } }
programs! { untagged_behind_it It { key: Only, at: Untagged::Text("a".to_owned()) };
{ #[derive(Component, PartialEq)] #[component(data = "it")] pub(crate) struct It { pub(crate) key: Large, pub(crate) at: Untagged } }
{ #[derive(Component)] #[component(data = "it")] pub(crate) struct It { key: Large, at: Untagged } } }

type ByKey = Only<8_000_001>;

impl<const N: u32> PartialOrd for Only<N> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<const N: u32> Eq for Only<N> {}

impl<const N: u32> Ord for Only<N> {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

#[test]
fn a_value_that_the_type_refuses_hides_nothing_behind_it() {
    macro_rules! refused {
        ($($name:ident: $shapes:literal,)*) => {$({
            let Err(error) = load::<$name::old::It, $name::new::It>() else {
                panic!("{} was read", stringify!($name))
            };
            let LoadError::Shape { found, current, .. } = &error else {
                panic!("{error:?}")
            };
            assert_eq!(format!("{found} | {current}"), $shapes);
        })*};
    }
    refused! {
        behind_a_small_number: "{key:u32,at:{x:u8,y:u8}} | {key:u32,at:{y:u8,x:u8}}",
        behind_a_large_number: "{key:u32,at:{x:u8,y:u8}} | {key:u32,at:{x:u8,z:u8}}",
        behind_two_numbers: "@(u32,?u32,<A,B>) | @(u32,?u32,<B,A>)",
        in_a_variant_behind_it: "<First,Last(u32,{x:u8,y:u8})> | <First,Last(u32,{x:u8,y:u8,z:u8})>",
    }
    load::<unchanged::old::It, unchanged::new::It>().unwrap();
    // The value itself is refused where the new type does not know it, so nothing is misread.
    for error in [
        load::<behind_one_that_became_another::old::It, behind_one_that_became_another::new::It>(),
        load::<without_a_common_value::old::It, without_a_common_value::new::It>(),
    ] {
        let error = error.unwrap_err();
        assert!(matches!(error, LoadError::Value { .. }), "{error:?}");
    }

    // A type after it that needs names is written with them.
    type It = untagged_behind_it::old::It;
    load::<It, untagged_behind_it::new::It>().unwrap();
    let mut world = World::new();
    let entity = world.spawn(It::sample());
    let bytes = world.save().with_ids().to_vec().unwrap();
    let loader = Loader::new().with::<It>().same_ids();
    let loaded = loader.load(&bytes[..]).unwrap();
    assert_eq!(*loaded.get::<It>(entity).unwrap(), It::sample());
}

#[test]
fn edges_resources_events_and_older_versions_hide_nothing_behind_such_a_value() {
    let mut world = World::new();
    world.insert_resource(hiding::Score(Only, 1));
    world.register_data_event::<hiding::Hit>();
    world.send_event(hiding::Hit(Only, 1));
    let [a, b] = [(); 2].map(|()| world.spawn(hiding::First(Only, 7)));
    world.relate(a, hiding::Likes(Only, 1), b).unwrap();
    let bytes = world.save().resource::<hiding::Score>().to_vec().unwrap();
    let loader = Loader::new();
    let all = loader.clone().with::<Targets<hiding::Likes>>();
    let all = all.with_events::<hiding::Hit>();
    let all = all.with_resource::<hiding::Score>();
    for loader in [
        all.clone().with::<hiding::First>(),
        all.with::<hiding::Now>(),
    ] {
        loader.load(&bytes[..]).unwrap();
    }
    let skipping = loader.unknown(Unknown::Skip);
    for (name, loader) in [
        ("it", skipping.clone().with::<hiding::Wrong>()),
        ("score", skipping.clone().with_resource::<hid::Score>()),
        ("hit", skipping.clone().with_events::<hid::Hit>()),
        ("likes", skipping.with::<Targets<hid::Likes>>()),
    ] {
        let error = loader.load(&bytes[..]).unwrap_err();
        let LoadError::Shape { name: found, .. } = &error else {
            panic!("{name}: {error}")
        };
        assert_eq!(found, name);
    }
}

mod hiding {
    use super::*;

    #[derive(Resource, Clone, Debug, Serialize, Deserialize)]
    #[resource(data = "score")]
    pub(super) struct Score(pub(super) Large, pub(super) u8);
    #[derive(Event, Clone, Debug, Serialize, Deserialize)]
    #[event(data = "hit")]
    pub(super) struct Hit(pub(super) Large, pub(super) u8);
    #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
    #[relation(data = "likes", many)]
    pub(super) struct Likes(pub(super) Large, pub(super) u8);
    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "it")]
    pub(super) struct First(pub(super) Large, pub(super) u8);

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "it", version = 2, migrate(1 = V1))]
    pub(super) struct Now(u8);
    #[derive(Deserialize)]
    pub(super) struct V1(Large, u8);
    impl From<V1> for Now {
        fn from(old: V1) -> Self {
            _ = old.0;
            Self(old.1)
        }
    }

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "it", version = 2, migrate(1 = WrongV1))]
    pub(super) struct Wrong(i8);
    #[derive(Deserialize)]
    pub(super) struct WrongV1(Large, i8);
    impl From<WrongV1> for Wrong {
        fn from(old: WrongV1) -> Self {
            _ = old.0;
            Self(old.1)
        }
    }
}

mod hid {
    use super::*;

    #[derive(Resource, Clone, Debug, Serialize, Deserialize)]
    #[resource(data = "score")]
    pub(super) struct Score(Large, i8);
    #[derive(Event, Clone, Debug, Serialize, Deserialize)]
    #[event(data = "hit")]
    pub(super) struct Hit(Large, i8);
    #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
    #[relation(data = "likes", many)]
    pub(super) struct Likes(Large, i8);
}
