#![allow(unused)]

use ecs_core::prelude::*;
use ecs_core::query::{All, AllMut, One, OneMut, queryable};

trait Shape {}
trait Solid {}

#[derive(Component)]
struct Disc(f32);
#[derive(Component)]
struct Square(f32);
#[derive(Component)]
struct Cube(f32);
#[derive(Component)]
struct Other;

impl Shape for Disc {}
impl Shape for Square {}
impl Solid for Cube {}
impl Solid for Square {}

queryable!(dyn Shape: Disc, Square);
queryable!(dyn Solid: Cube, Square);

trait Sound {}
struct NoComponent;
impl Sound for NoComponent {}
queryable!(dyn Sound: NoComponent);

type Shapes = dyn Shape;

#[system]
fn view_and_trait(discs: CompMut<Disc>, shapes: Query<All<dyn Shape>>) {}

#[system]
fn trait_and_query(shapes: Query<OneMut<dyn Shape>>, squares: Query<(Entity, &Square)>) {}

#[system]
fn behind_an_alias(shapes: Query<AllMut<Shapes>>, discs: Query<&Disc>) {}

#[system]
fn two_traits(shapes: Query<AllMut<dyn Shape>>, solids: Query<One<dyn Solid>>) {}

#[system]
fn two_traits_in_one(both: Query<(AllMut<dyn Shape>, OneMut<dyn Solid>)>) {}

#[system]
fn trait_and_component(both: Query<(All<dyn Shape>, &mut Disc)>) {}

#[system]
fn one_filter_is_not_enough(
    shapes: Query<AllMut<dyn Shape>, Without<Other>>,
    discs: Query<&Disc, Without<Square>>,
) {
}

#[system(for_each)]
fn items(mut shape: OneMut<dyn Shape>, square: &mut Square) {}

#[system]
fn apart(
    shapes: Query<AllMut<dyn Shape>, Without<Other>>,
    discs: Query<&Disc, With<Other>>,
    solids: Query<All<dyn Solid>, With<Other>>,
) {
}

#[system]
fn only_read(shapes: Query<All<dyn Shape>>, solids: Query<One<dyn Solid>>, squares: Comp<Square>) {}

fn main() {}

//~ dyn Sound: NoComponent
//~ Query<All<dyn Shape>>) {}
//~ Query<(Entity, &Square)>
//~ Query<&Disc>
//~ Query<One<dyn Solid>>) {}
//~ Query<(AllMut<dyn Shape>, OneMut<dyn Solid>)>
//~ Query<(All<dyn Shape>, &mut Disc)>
//~ Query<&Disc, Without<Square>>
//~ OneMut<dyn Shape>, square: &mut Square
