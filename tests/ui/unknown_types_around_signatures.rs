use ecs_core::prelude::*;

#[derive(Component)]
#[component(track)]
struct Position(f32);

#[system(for_each, with(Flying), without(Tree))]
fn filter(_position: &Position) {}

#[system(for_each, changed(Health))]
fn filter_of_changes(_entity: Entity) {}

#[system(for_each, with(Position))]
fn item_beside_a_filter(_speed: &mut Speed) {}

#[system(writes(Mass))]
fn declared(_positions: CompMut<Position>) {}

#[system]
fn bound<T: Component + Into<Length>>(_of: Comp<T>) {}

#[system]
fn clause<T>(_of: Comp<T>)
where
    T: Component + Into<Breadth>,
{
}

#[system]
fn body(entity: Entity, mut commands: Commands) {
    commands.remove::<Burning>(entity);
    commands.run(|all: Query<&Spark>| assert!(all.is_empty()));
}

#[system(for_each)]
fn body_of_an_item(_position: &Position) {
    let _: Vec<Place> = Vec::new();
}

#[system]
fn index(_at: OrderedIndex<Position>) {}

fn main() {}

//~ Flying
//~ Tree
//~ Health
//~ Speed
//~ Mass
//~ Length
//~ Breadth
//~ Burning
//~ Spark
//~ Place
//~ OrderedIndex
