//! The derives, and the macros where names have unusual meanings.

use ecs_core::bundle::TypeVisitor;
use ecs_core::component::{ComponentId, StorageKind};
use ecs_core::{Bundle, Component, Resource, World};

#[derive(Component)]
struct Position(#[allow(dead_code, reason = "only its type counts")] f32);

#[derive(Component)]
#[component(storage = "sparse")]
enum Mood {
    #[allow(dead_code, reason = "only its type counts")]
    Good,
}

#[derive(Component)]
#[component(storage = "table")]
struct Tag<T, const N: usize = 0>(#[allow(dead_code, reason = "only its type counts")] [T; N])
where
    T: Clone;

#[derive(Component)]
union Bits {
    #[allow(dead_code, reason = "only its type counts")]
    word: u32,
}

#[derive(Component)]
#[allow(non_camel_case_types, reason = "a raw identifier")]
struct r#struct;

fn ident<T: Component>() -> ecs_core::meta::ConstTypeId {
    T::IDENTITY.ident()
}

#[test]
fn a_component_has_an_identity_a_storage_and_an_id() {
    assert_eq!(ident::<Position>().name(), "components::derives::Position");
    assert_eq!(ident::<r#struct>().name(), "components::derives::struct");
    assert_eq!(Position::STORAGE, StorageKind::Table);
    assert_eq!(Mood::STORAGE, StorageKind::Sparse);
    assert_eq!(ident::<Position>().const_eq(&ident::<Mood>()), Some(false));
    assert_eq!(
        ident::<Position>().const_eq(&ident::<Position>()),
        Some(true)
    );
    assert_ne!(ComponentId::of::<Position>(), ComponentId::of::<Mood>());
    assert_eq!(ComponentId::of::<Bits>(), ComponentId::of::<Bits>());
}

#[derive(Component, Debug)]
#[component(name = "game.wind", storage = "sparse")]
struct Wind;

/// A component with the same name as another one.
#[derive(Component)]
#[component(name = "game.wind")]
struct Storm;

#[test]
fn a_given_name_is_a_constant_and_appears_in_messages() {
    const NAME: &str = Wind::NAME.unwrap();
    assert_eq!((NAME, Position::NAME), ("game.wind", None));
    assert_eq!(ComponentId::of::<Wind>().name(), "game.wind");
    let mut world = World::new();
    let calm = world.spawn(());
    let error = world.take::<Wind>(calm).unwrap_err().to_string();
    assert!(error.contains("`game.wind`"), "{error}");
}

#[test]
fn components_with_the_same_name_are_distinct() {
    let (wind, storm) = (ident::<Wind>(), ident::<Storm>());
    assert_eq!(wind.const_eq(&storm), Some(false));
    assert_ne!(wind, storm);
    assert_ne!(ComponentId::of::<Wind>(), ComponentId::of::<Storm>());
}

#[derive(Component)]
struct Of<T: Component>(core::marker::PhantomData<T>);

#[test]
fn a_generic_component_is_decided_by_arguments_with_an_identity_and_by_its_layout() {
    fn equal<A: Component, B: Component>() -> Option<bool> {
        assert_eq!(
            ident::<A>() == ident::<B>(),
            ComponentId::of::<A>() == ComponentId::of::<B>()
        );
        ident::<A>().const_eq(&ident::<B>())
    }
    assert_eq!(equal::<Tag<u8, 1>, Tag<u8, 1>>(), None);
    assert_eq!(equal::<Tag<u8, 1>, Tag<i8, 1>>(), None);
    assert_eq!(equal::<Tag<u8, 1>, Tag<u16, 1>>(), Some(false));
    assert_eq!(equal::<Tag<u8, 1>, Tag<u8, 2>>(), Some(false));
    assert_eq!(equal::<Of<Position>, Of<Position>>(), Some(true));
    assert_eq!(equal::<Of<Position>, Of<Wind>>(), Some(false));
    assert_eq!(equal::<Of<Of<Wind>>, Of<Of<Wind>>>(), Some(true));
    assert_eq!(equal::<Of<Tag<u8, 1>>, Of<Tag<u8, 1>>>(), None);
    assert_eq!(equal::<Of<Tag<u8, 1>>, Of<Tag<u16, 1>>>(), Some(false));
    assert_eq!(equal::<Of<Position>, Position>(), Some(false));
}

macro_rules! components {
    ($($name:ident)*) => { $(#[derive(Component)] struct $name;)* };
}

/// A macro whose derive stays in one place, whatever it is given.
macro_rules! component {
    ($($item:tt)*) => {
        #[derive(Component)]
        $($item)*
    };
}

/// The names of variables in generated code, as names of the user's.
#[allow(non_upper_case_globals, unused, reason = "names of variables")]
mod constants {
    use ecs_core::prelude::*;

    use super::Time;

    macro_rules! constants {
        ($($name:ident)*) => { $(const $name: () = ();)* };
    }
    constants!(error fields guard held into list made remember source state storage this visitor window world);

    #[derive(SystemParam)]
    #[system_param(shared)]
    struct Clock<'w>(Res<'w, Time>);

    #[derive(QueryData)]
    struct Mover<'a> {
        mark: &'a mut Mark,
    }

    #[derive(QueryFilter)]
    struct Marked(With<Mark>);

    #[derive(Bundle)]
    struct Two(Mark, First);

    #[derive(Component)]
    struct Mark;

    #[derive(Component)]
    struct First;
}

#[test]
fn types_of_one_name_that_a_macro_declares_in_two_functions_differ() {
    fn one() -> ecs_core::meta::ConstTypeId {
        component!(
            struct Inside;
        );
        ident::<Inside>()
    }
    fn two() -> ecs_core::meta::ConstTypeId {
        component!(
            struct Inside;
        );
        ident::<Inside>()
    }
    assert_eq!(one().const_eq(&two()), Some(false));
}

#[test]
fn types_of_the_same_name_or_place_differ() {
    fn one() -> ecs_core::meta::ConstTypeId {
        #[derive(Component)]
        struct Inside;
        ident::<Inside>()
    }
    fn two() -> ecs_core::meta::ConstTypeId {
        #[derive(Component)]
        struct Inside;
        ident::<Inside>()
    }
    components!(First Second);
    assert_eq!(one().const_eq(&two()), Some(false));
    assert_eq!(ident::<First>().const_eq(&ident::<Second>()), Some(false));
}

#[derive(Resource)]
struct Time;

#[derive(Resource)]
struct Cache<T: Send>(#[allow(dead_code, reason = "only its type counts")] T);

#[test]
fn a_resource_has_an_identity() {
    assert_eq!(Time::IDENTITY.ident().name(), "components::derives::Time");
    assert!(Time::IDENTITY.ident().exact());
    assert!(!Cache::<u8>::IDENTITY.ident().exact());
}

#[derive(Bundle)]
struct Unit {
    #[allow(dead_code, reason = "only its type counts")]
    position: Position,
    #[allow(dead_code, reason = "only its type counts")]
    rest: (Mood, Pair<Bits>),
}

#[derive(Bundle)]
struct Pair<T>(
    #[allow(dead_code, reason = "only its type counts")] T,
    #[allow(dead_code, reason = "only its type counts")] Tag<u8>,
);

#[derive(Bundle)]
struct Nothing;

fn types<B: Bundle>() -> Vec<ComponentId> {
    struct Ids(Vec<ComponentId>);
    impl TypeVisitor for Ids {
        fn visit<T: Component>(&mut self) {
            self.0.push(ComponentId::of::<T>());
        }
    }
    let mut ids = Ids(Vec::new());
    B::types(&mut ids);
    ids.0
}

#[test]
fn a_bundle_names_its_fields_components_in_order() {
    assert_eq!(
        types::<Unit>(),
        [
            ComponentId::of::<Position>(),
            ComponentId::of::<Mood>(),
            ComponentId::of::<Bits>(),
            ComponentId::of::<Tag<u8>>(),
        ]
    );
    assert_eq!(types::<Nothing>(), []);
}

/// Code without any name in scope: the macros must use absolute paths.
mod bare {
    #![no_implicit_prelude]
    #![forbid(unsafe_code, warnings)]
    #![deny(clippy::pedantic, clippy::missing_const_for_fn)]

    use ::ecs_core::Res;

    #[derive(::ecs_core::Component)]
    #[component(storage = "sparse")]
    pub(super) struct Part(pub(super) u8);

    #[derive(::ecs_core::Resource)]
    pub(super) struct Number(pub(super) u8);

    #[derive(::ecs_core::Bundle)]
    pub(super) struct Both {
        pub(super) part: Part,
        pub(super) nested: (Other<u8>,),
    }

    #[derive(::ecs_core::Component)]
    pub(super) struct Other<T>(pub(super) T);

    #[derive(::ecs_core::Bundle)]
    pub(super) struct Wrapped<T>(pub(super) T, pub(super) Other<u16>);

    #[::ecs_core::system]
    pub(super) fn read(plus: u8, number: Res<'_, Number>) -> u8 {
        plus + number.0
    }

    #[::ecs_core::system]
    pub(super) fn run(_number: Res<'_, Number>) {}

    #[::ecs_core::system]
    pub(super) fn alone(_world: &mut ::ecs_core::World) {}
}

/// Code that gives common names another meaning.
mod shadowed {
    #![allow(
        dead_code,
        clippy::upper_case_acronyms,
        reason = "only the names count"
    )]
    struct Option;
    struct Result;
    struct Ok;
    struct Some;
    struct Box;
    struct Vec;
    struct Send;
    struct World;
    struct Self_;
    mod core {}
    mod std {}
    mod ecs_core {}

    #[derive(::ecs_core::Component)]
    pub(super) struct Part(pub(super) u8);

    #[derive(::ecs_core::Resource)]
    pub(super) struct Number(pub(super) u8);

    #[derive(::ecs_core::Component)]
    pub(super) struct V(u8);

    #[derive(::ecs_core::Component)]
    pub(super) struct Visitor(u8);

    #[derive(::ecs_core::Component)]
    pub(super) struct Source(u8);

    #[derive(::ecs_core::Component)]
    pub(super) struct SLOT;

    #[derive(::ecs_core::Bundle)]
    pub(super) struct Letters {
        visitor: Visitor,
        source: Source,
        this: SLOT,
        t: V,
    }

    #[::ecs_core::system]
    pub(super) fn letters(_v: ::ecs_core::Comp<V>, _s: ::ecs_core::CompMut<Source>) {}

    #[::ecs_core::system(for_each, with(Visitor))]
    pub(super) fn each_letter(_v: &V, _s: &mut Source) {}

    #[derive(::ecs_core::Bundle)]
    pub(super) struct Both<T>(pub(super) Part, pub(super) T);

    #[::ecs_core::system]
    pub(super) fn read(number: ::ecs_core::Res<Number>, _local: ::ecs_core::Local<u8>) -> u8 {
        number.0
    }
}

/// The names of primitive types have another meaning.
#[allow(
    non_camel_case_types,
    dead_code,
    reason = "only their names count, and that the derives compile"
)]
mod primitives {
    use ecs_core::prelude::*;
    use ecs_core::statics::world;

    macro_rules! shadow {
        ($($name:ident)*) => {$(
            struct $name;
        )*};
    }
    shadow!(bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

    #[derive(Component)]
    #[component(storage = "sparse", immediate)]
    pub(super) struct Mark;
    #[derive(Component)]
    #[component(name = "part", track, require(Other = Other), on_add = hook)]
    pub(super) struct Part;
    #[derive(Component)]
    pub(super) struct Other;
    fn hook(_: ecs_core::world::hooks::DeferredWorld<'_>, _: Entity) {}
    #[derive(Resource)]
    pub(super) struct Number;
    #[derive(Bundle)]
    pub(super) struct Both(pub(super) Mark, pub(super) Part);
    #[derive(Relation)]
    #[relation(tree, sources = "despawn")]
    pub(super) struct ChildOf;
    #[derive(Relation)]
    #[relation(many)]
    struct Likes;
    #[derive(SystemParam)]
    #[system_param(shared)]
    pub(super) struct Param<'w>(Comp<'w, Mark>, Res<'w, Number>);
    #[derive(QueryData)]
    pub(super) struct Data<'a>(&'a mut Part, Entity);
    #[derive(QueryFilter)]
    pub(super) struct Filter(With<Part>, Without<Other>);

    #[system(par_for_each, with(Other), changed(Part))]
    pub(super) fn each(_part: &mut Part, _param: Param<'_>) -> Result<(), Number> {
        Ok(())
    }
    #[system]
    pub(super) fn thin(query: Query<Data, Filter>) {
        assert!(query.is_empty());
    }
    world! { pub(super) Closed { Part, Other } }
    schedule! { pub(super) static TURN = [each_, thin.after(each_)] }
    #[system]
    fn each_(_number: Res<Number>) {}
}

#[test]
fn generated_code_needs_no_primitive_type_by_its_name() {
    let mut world = ecs_core::World::new();
    world.insert_resource(primitives::Number);
    world.spawn(primitives::Both(primitives::Mark, primitives::Part));
    assert!(primitives::each(&world).is_ok());
    assert!(primitives::TURN.run(&mut world).is_ok());
    drop(primitives::Closed::new());
}

#[test]
fn generated_code_needs_no_names_in_scope() {
    let mut world = ecs_core::World::new();
    world.insert_resource(bare::Number(1));
    world.insert_resource(shadowed::Number(2));
    assert_eq!(bare::read(1, &world), 2);
    bare::run(&world);
    bare::alone(&mut world);
    shadowed::letters(&world);
    shadowed::each_letter(&world);
    assert_eq!(types::<shadowed::Letters>().len(), 4);
    assert_eq!(shadowed::read(&world), 2);
    let both = bare::Both {
        part: bare::Part(1),
        nested: (bare::Other(1),),
    };
    assert_eq!(both.part.0 + both.nested.0.0, 2);
    let bare::Wrapped(part, other) = bare::Wrapped(bare::Part(1), bare::Other(2));
    assert_eq!(part.0, 1);
    assert_eq!(other.0, 2);
    assert_eq!(types::<bare::Both>().len(), 2);
    assert_eq!(types::<bare::Wrapped<bare::Part>>().len(), 2);
    assert_eq!(types::<shadowed::Both<Position>>().len(), 2);
}

#[test]
fn the_path_of_the_crate_can_be_chosen() {
    mod engine {
        pub(super) mod ecs {
            pub(in super::super) use ::ecs_core::*;
        }
    }
    #[derive(Component)]
    #[component(crate = engine::ecs, storage = "sparse")]
    struct A;
    #[derive(Component)]
    #[ecs(crate = "engine::ecs")]
    struct B;
    #[derive(Resource)]
    #[resource(crate = engine::ecs)]
    struct C;
    #[derive(Bundle)]
    #[bundle(crate = engine::ecs)]
    struct D(A, B);
    #[ecs_core::system(crate = engine::ecs)]
    fn e(_c: ecs_core::Res<C>) -> u8 {
        5
    }
    let mut world = ecs_core::World::new();
    world.insert_resource(C);
    assert_eq!(e(&world), 5);
    let D(A, B) = D(A, B);
    assert_eq!(types::<D>().len(), 2);
}

/// A lifetime that is bound to be `'static` is not a borrow.
#[test]
fn types_with_a_static_lifetime_own_their_data() {
    #[derive(Component, Clone)]
    struct Name<'a: 'static>(&'a str);
    #[derive(Resource)]
    struct Title<'a>(&'a str)
    where
        'a: 'static;
    #[derive(Bundle)]
    struct Named<'a: 'static>(Name<'a>);

    let mut world = World::new();
    world.insert_resource(Title("sir"));
    let entity = world.spawn(Named(Name("bob")));
    assert_eq!(world.get::<Name>(entity).unwrap().0, "bob");
    assert_eq!(world.resource::<Title>().0, "sir");
    assert_eq!(types::<Named>(), types::<Name>());
}

/// A `Box` or `Arc` of a trait object is a resource like any other.
#[test]
fn trait_objects_are_resources() {
    use ecs_core::Res;
    use std::sync::Arc;
    type Callback = Option<Box<dyn Fn(u32) -> u32 + Send + Sync>>;
    trait Sound: Send + Sync {
        fn volume(&self) -> u32;
    }
    impl Sound for u32 {
        fn volume(&self) -> u32 {
            *self
        }
    }
    #[ecs_core::system]
    fn sum(
        shared: Res<Arc<dyn Sound>>,
        owned: Res<Box<dyn Sound + Send + Sync>>,
        f: Res<Callback>,
    ) -> u32 {
        shared.volume() + owned.volume() + f.as_ref().map_or(0, |f| f(1))
    }
    let mut world = World::new();
    world.insert_resource::<Arc<dyn Sound>>(Arc::new(1));
    world.insert_resource::<Box<dyn Sound + Send + Sync>>(Box::new(2));
    world.insert_resource::<Option<Box<dyn Fn(u32) -> u32 + Send + Sync>>>(Some(Box::new(|x| {
        x + 3
    })));
    assert_eq!(sum(&world), 7);
}
