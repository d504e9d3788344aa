#![allow(unused)]

use ecs_core::prelude::*;
use ecs_core::query::{All, queryable};

trait Shape {}
trait Twice {}
trait Unlisted {}

#[derive(Component)]
struct Disc(f32);
#[derive(Component)]
struct Square(f32);

impl Shape for Disc {}
impl Twice for Disc {}
impl Twice for Square {}

// `Square` is no `Shape`.
queryable!(dyn Shape: Disc, Square);

queryable!(dyn Twice: Square, Disc, Square);

fn not_listed(all: &All<dyn Unlisted>) {}

fn main() {}

//~ dyn Shape: Disc, Square
//~ dyn Twice: Square, Disc, Square
//~ dyn Unlisted
