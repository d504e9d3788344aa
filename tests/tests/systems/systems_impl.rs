//! `#[systems] impl`: methods and associated functions as systems.
#![forbid(unsafe_code)]
#![deny(missing_docs, warnings, unreachable_pub)]

use std::marker::PhantomData;

use ecs_core::meta::{Kind, SystemMeta};
use ecs_core::prelude::*;
use ecs_core::system::SystemInfo;

/// The elapsed time.
#[derive(Resource)]
pub struct Time(u32);

#[derive(Component, Debug, PartialEq)]
struct Price(u32);

/// A shop for one kind of goods.
#[derive(Resource)]
pub struct Shop<T> {
    stock: u32,
    of: PhantomData<fn() -> T>,
}

#[systems]
impl<T> Shop<T>
where
    T: Default + Into<u32> + 'static,
{
    const PACK: u32 = { 10 };

    /// Fills the shelves.
    #[system]
    pub fn restock(&mut self, time: Res<Time>) {
        self.stock += self.packs() * Self::PACK * time.0;
    }

    /// The number of goods that are sold at once.
    fn packs(&self) -> u32 {
        T::default().into() + 1
    }

    #[system]
    fn left(&self, at_least: u32, (_, mut calls): (Res<Time>, Local<u32>)) -> Option<u32> {
        *calls += 1;
        (self.stock >= at_least).then_some(self.stock + *calls)
    }

    #[system(for_each, with(Price))]
    fn price(&self, by: u32, price: &mut Price, time: Res<Time>) {
        price.0 += by * self.stock + time.0;
    }

    #[system]
    fn open(time: Res<Time>, mut commands: Commands) {
        commands.insert_resource(Self::of(time.0));
    }

    #[system]
    #[must_use]
    pub(crate) fn close(world: &mut World) -> Option<Self> {
        world.remove_resource::<Self>()
    }

    fn of(stock: u32) -> Self {
        Self {
            stock,
            of: PhantomData,
        }
    }

    #[system]
    #[allow(clippy::needless_pass_by_value, reason = "as a system takes them")]
    fn generic<'n, U: Component, const N: usize>(
        &self,
        names: [&'n str; N],
        all: Query<&U>,
    ) -> (&'n str, usize)
    where
        T: Clone,
    {
        (names[0], all.count() + N)
    }

    #[cfg(any())]
    #[system]
    fn absent(&self, x: DoesNotExist) {}

    #[cfg_attr(all(), system, must_use)]
    pub(crate) fn there(&self, prices: Comp<Price>) -> usize {
        self.stock as usize + prices.len()
    }

    /// A system only in other builds.
    #[cfg_attr(any(), system, must_use)]
    pub(crate) fn elsewhere(stock: u32) -> u32 {
        stock + 1
    }
}

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Time(2));
    world.insert_resource(Shop::<u8>::of(1));
    world.spawn(Price(3));
    world
}

fn stock(world: &World) -> u32 {
    world.resource::<Shop<u8>>().stock
}

#[test]
fn a_method_is_called_and_scheduled() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = world();
    Shop::<u8>::restock(&world);
    assert_eq!(stock(&world), 21);
    let mut day = Schedule::new();
    day.add(Shop::<u8>::restock);
    day.run(&mut world)?;
    assert_eq!(stock(&world), 41);
    world.run(Shop::<u8>::restock);
    assert_eq!(stock(&world), 61);
    Ok(())
}

#[test]
fn a_method_is_a_system_under_the_condition_of_its_cfg_attr() {
    let mut world = world();
    assert_eq!(world.run(Shop::<u8>::there), 2);
    assert_eq!(Shop::<u8>::elsewhere(1), 2, "a function as written");
}

#[test]
fn methods_take_arguments_and_return() {
    let world = world();
    assert_eq!(Shop::<u8>::left(1, &world), Some(2));
    assert_eq!(Shop::<u8>::left(1, &world), Some(3));
    assert_eq!(Shop::<u8>::left(9, &world), None);
}

#[test]
fn methods_are_called_for_each_entity() {
    let mut world = world();
    world.spawn(Price(100));
    Shop::<u8>::price(5, &world);
    let mut prices: Vec<u32> = world.view::<Price>().iter().map(|price| price.0).collect();
    prices.sort_unstable();
    assert_eq!(prices, [10, 107]);
}

#[test]
fn associated_functions_are_systems_too() {
    let mut world = world();
    let mut day = Schedule::new();
    day.add((
        Shop::<u16>::open,
        Shop::<u8>::restock.after(Shop::<u16>::open),
    ));
    day.run(&mut world).unwrap();
    assert_eq!(world.resource::<Shop<u16>>().stock, 2);
    assert_eq!(
        Shop::<u8>::close(&mut world).map(|shop| shop.stock),
        Some(21)
    );
    assert!(world.run(Shop::<u8>::close).is_none());
}

#[test]
fn methods_have_generics_of_their_own() {
    let world = world();
    let name = String::from("x");
    let found = Shop::<u8>::generic::<Price, 1>([&name], &world);
    assert_eq!(found, ("x", 2));
}

#[test]
fn metadata_names_type_and_self() {
    const META: SystemMeta = ecs_core::meta(&Shop::<u8>::restock);
    assert_eq!(META.name, "systems::systems_impl::Shop::restock");
    assert_eq!(META.params[0].name, "self");
    assert_eq!(META.params[0].ty, "ResMut<Shop<T>>");
    let access: Vec<Kind> = Shop::<u8>::restock
        .access()
        .map(|access| access.kind)
        .collect();
    assert_eq!(access, [Kind::Write, Kind::Read]);
}

#[test]
fn a_missing_self_is_named() {
    let call = || Shop::<u8>::left(1, &World::new());
    let caught = std::panic::catch_unwind(call).unwrap_err();
    let message = caught.downcast_ref::<String>().unwrap();
    assert!(
        message.starts_with(
            "system `systems::systems_impl::Shop::left<u8>`, parameter `self: Res<Shop<T>>`: no resource"
        ),
        "{message}"
    );
}

#[test]
fn the_method_runs_without_a_world() {
    let mut shop = Shop::<u8>::of(1);
    ecs_core::inner(&Shop::<u8>::restock)(ResMut::from(&mut shop), Res::from(&Time(1)));
    assert_eq!(shop.stock, 11);
}

#[derive(Resource, Default)]
struct Plain(u32);

#[systems]
impl Plain {
    #[ecs_core::system]
    fn same(&self) -> u32 {
        self.0
    }
}

/// A second block, with a system of the same name as one in the block of another type.
#[systems(crate = ecs_core)]
impl Time {
    /// Returns the time.
    #[system(crate = ecs_core)]
    pub fn same(&self, #[param] _n: Local<'_, u8>) -> u32 {
        self.0
    }
}

#[test]
fn blocks_of_different_types_may_use_the_same_names() {
    let mut world = world();
    world.insert_resource(Plain(7));
    assert_eq!(Plain::same(&world), 7);
    assert_eq!(Time::same(&world), 2);
}

/// A row of `N` bytes.
#[derive(Debug, PartialEq)]
struct Row<const N: usize>([u8; N]);

macro_rules! make_methods {
    ($ty:ty, $vis:vis $name:ident -> $returned:ty $body:block) => {
        #[systems]
        impl $ty {
            /// A method from a macro.
            #[system]
            $vis fn $name(&self, _number: Res<u32>) -> $returned $body

            /// A method whose return type and bounds contain braces.
            #[system]
            pub(crate) fn row<T>(&self, _number: Res<T>) -> Row<{ 1 + 1 }>
            where
                Row<{ 2 + 1 }>: PartialEq,
                T: Resource,
            {
                Row([1; { 1 + 1 }])
            }
        }
    };
}

make_methods!(Plain, pub(crate) six -> u32 { 6 });

#[test]
fn braces_before_the_body_and_bodies_of_macros_are_no_obstacle() {
    let mut world = world();
    world.insert_resource(Plain(7));
    world.insert_resource(1_u32);
    assert_eq!(Plain::six(&world), 6);
    assert_eq!(Plain::row::<u32>(&world), Row([1, 1]));
}

#[test]
fn a_block_may_be_inside_a_function() {
    #[derive(Resource)]
    struct Inside(u32);
    #[systems]
    impl Inside {
        #[system]
        fn get(&self) -> u32 {
            self.0
        }
    }
    let mut world = World::new();
    world.insert_resource(Inside(1));
    assert_eq!(Inside::get(&world), 1);
}
