use ecs_core::prelude::*;
use ecs_core::world::hooks::OnAdd;

#[derive(Component)]
struct Position;

#[system]
fn query(bodies: Query<(&Position, &Body)>) {}

#[system]
fn view_and_writer(bodies: Comp<B>, positions: CompMut<Position>) {}

#[system]
fn two_writers(limbs: CompMut<Limb>, positions: Query<&mut Position>) {}

#[system]
fn generic<T: Component>(of: CompMut<T>, parts: Query<&mut Fragment>) {}

#[system(for_each)]
fn item(body: &mut Bodies, position: &Position) {}

#[system]
fn argument(names: Vec<Label>, positions: Comp<Position>) {}

#[system]
fn own_parameter(physics: Physics<'_>) {}

#[system]
fn observer(added: OnAdd<Addition>) {}

#[system]
fn result(positions: Comp<Position>) -> Vec<Outcome> {
    Vec::new()
}

#[derive(Resource)]
struct Shop;

#[systems]
impl Shop {
    #[system]
    fn restock(&mut self, goods: Res<Goods>) {}
}

#[derive(Component)]
#[component(require(Required))]
struct Requiring;

#[derive(Bundle)]
struct Kit {
    part: Part,
    position: Position,
}

#[derive(QueryData)]
struct Mover<'a> {
    speed: &'a mut Speed,
    position: &'a Position,
}

fn main() {
    query(&World::new());
    own_parameter(&World::new());
}

//~ Body
//~ Comp<B>
//~ Limb
//~ Fragment
//~ Bodies
//~ Label
//~ Physics
//~ Addition
//~ Outcome
//~ Goods
//~ Required
//~ part: Part
//~ Speed
