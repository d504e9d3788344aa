use ecs_core::containers::Arena;

fn main() {
    let mut arena = Arena::from_iter([1, 2]);
    let a = arena.ids().next().unwrap();
    let (one, rest) = arena.split(a);
    let other = arena.get_mut(a);
    std::mem::swap(one.unwrap(), other.unwrap());
    drop(rest);
}

//~ let other = arena
