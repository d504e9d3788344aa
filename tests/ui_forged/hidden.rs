//! Hidden items that the engine trusts can be implemented only with `unsafe`.

use ecs_core::__private as hidden;
use ecs_core::join::Views;
use ecs_core::prelude::*;
use ecs_core::system::{ParamList, SystemFn};

#[derive(Component)]
struct Position(f32);

#[derive(Component)]
struct Player;

type Same = (
    Query<'static, &'static mut Position>,
    Query<'static, &'static mut Position>,
);

/// The filters of the system's parameters are disjoint, but the list's filters are not.
fn other_parameters<F: SystemFn<M>, M>(_: F, world: &World) {
    let direct = hidden::Direct::<F::System>::new(world);
    direct.call(hidden::list::<Same>().once(|(), (one, two)| drop((one, two))), ());
}

struct Unchecked;

impl hidden::System for Unchecked {
    const META: ecs_core::meta::SystemMeta = ecs_core::meta::SystemMeta::new("unchecked", &[]);
    const IS_FREE: bool = true;
    const REMEMBERS: bool = false;
    const ASKS: bool = false;
}

impl hidden::VisitSystem<()> for Unchecked {
    fn visit<E>(visitor: &mut hidden::SystemVisitor<Self, (), (), E>)
    where
        (): hidden::RunOutput<E>,
    {
        hidden::DirectParams::<Same>::plain(visitor, |one: Query<&mut Position>, two: Query<&mut Position>| {
            drop((one, two));
        })
    }
}

#[derive(SystemParam)]
struct Nothing<'w>(CompMut<'w, Position>);

impl ParamList for Nothing<'_> {
    type Guards<'w> = ();
    const TURNS: &'static ecs_core::meta::ParamAccess = &ecs_core::meta::ParamAccess::Nothing;
}

struct OfNoWorld<V>(V);

impl<'a, V: Views<'a>> Views<'a> for OfNoWorld<V> {
    type All = V::All;
    type None = V::None;

    fn tests(self) -> (Option<&'a hidden::Storage>, V::All, V::None) {
        let (_, all, none) = self.0.tests();
        (None, all, none)
    }
}

#[system]
fn apart(_: Query<&mut Position, With<Player>>, _: Query<&mut Position, Without<Player>>) {}

fn main() {
    other_parameters(apart, &World::new());
}

//~ hidden::Direct::<F::System>::new(world)
//~ const IS_FREE: bool = true;
//~ const REMEMBERS: bool = false;
//~ const ASKS: bool = false;
//~ impl hidden::VisitSystem<()> for Unchecked
//~ impl ParamList for Nothing<'_>
//~ impl<'a, V: Views<'a>> Views<'a> for OfNoWorld<V>
