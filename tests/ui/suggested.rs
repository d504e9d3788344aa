//! Mistakes in bodies: the compiler suggests a change of the signature or of the body.

use ecs_core::prelude::*;
use std::collections::HashMap;

#[derive(Component)]
struct Position(f32);

#[derive(Resource)]
struct Names(HashMap<u32, String>);

#[system]
fn value(positions: Comp<Position>) {
    positions.iter().count()
}

#[system(for_each)]
fn value_of_each(position: &Position) {
    position.0
}

#[system]
fn value_of_an_instance<T: Component>(
    parts: Comp<T>,
) {
    parts.iter().count()
}

#[system]
fn value_with_arguments(by: usize, parts: Comp<Position>) {
    parts.iter().count() * by
}

#[system]
fn value_of_the_world(world: &mut World) {
    world.entities().len()
}

#[system]
fn failure(names: Res<Names>) {
    let number: u32 = names.0[&1].parse()?;
    let _ = number;
}

#[system(for_each)]
fn failure_of_each(_position: &Position, names: Res<Names>) {
    let _: u32 = names.0[&1].parse()?;
}

#[system]
fn unchangeable(positions: CompMut<Position>) {
    for position in &mut positions {
        position.0 = 1.0;
    }
}

#[system(for_each)]
fn unchangeable_item(position: &Position) {
    position.0 = 1.0;
}

#[system]
fn without_bound<T: Component>(parts: Comp<T>) -> usize {
    parts.iter().map(|part| T::clone(part)).count()
}

#[system]
fn wrong_closure(mut positions: CompMut<Position>) {
    positions.iter_mut().for_each(|| ());
}

#[system]
fn without_import(names: Res<Names>, found: Res<BTreeMap<u32, u32>>) {
    let _ = (names, found);
}

#[systems]
impl Names {
    #[system]
    fn method(&self) {
        self.0.len()
    }

    #[system]
    fn failing(&self, positions: Comp<Position>) {
        let _: u32 = self.0[&1].parse()?;
        let _ = positions;
    }

    #[system]
    fn unchanged(&self) {
        self.0.clear();
    }
}

fn main() {}

//~ positions.iter().count()
//~ position.0 }
//~ parts.iter().count() }
//~ parts.iter().count() * by
//~ world.entities().len()
//~ let number: u32 = names.0[&1].parse()?;
//~ let _: u32 = names.0[&1].parse()?;
//~ &mut positions
//~ unchangeable_item(position: &Position) { position.0 = 1.0;
//~ T::clone(part)
//~ positions.iter_mut().for_each(|| ());
//~ BTreeMap
//~ self.0.len()
//~ let _: u32 = self.0[&1].parse()?;
//~ self.0.clear();
