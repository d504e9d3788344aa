//! A unique component is compared and cloned, is not required by others, and is not written.

use ecs_core::index::UniqueIndex;
use ecs_core::prelude::*;

#[derive(Component, Clone, PartialEq, Eq)]
#[component(unique)]
struct Weight(u32);

#[derive(Component, Clone, Default, PartialEq, Eq, Hash)]
#[component(unique)]
struct Number(u32);

#[derive(Component)]
#[component(require(Number))]
struct Numbered;

#[derive(Component, Clone, PartialEq, Eq, Hash)]
struct Plain(u32);

#[system]
fn renumber(mut numbers: CompMut<Number>) {
    for number in &mut numbers {
        number.0 += 1;
    }
}

#[system]
fn reads_and_writes(_numbers: UniqueIndex<Plain>, _plain: CompMut<Plain>) {}

fn main() {
    World::new().spawn(Numbered);
}

//~ struct Weight
//~ require(Number)
//~ CompMut<Number>
//~ UniqueIndex<Plain>
