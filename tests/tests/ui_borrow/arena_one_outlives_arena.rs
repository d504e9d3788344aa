use ecs_core::containers::Arena;

fn main() {
    let one = {
        let mut arena = Arena::from_iter([1, 2]);
        let a = arena.ids().next().unwrap();
        arena.split(a).0.unwrap()
    };
    *one += 1;
}

//~ arena.split(a).0.unwrap()
