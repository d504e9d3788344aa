use ecs_core::containers::Arena;

fn main() {
    let mut arena = Arena::from_iter([1, 2, 3]);
    let [a, b] = [0, 1].map(|nth| arena.ids().nth(nth).unwrap());
    let (_, mut rest) = arena.split(a);
    let (one, inner) = rest.split(b);
    let one = one.unwrap();
    drop(inner);
    for (_, other) in rest.iter_mut() {
        std::mem::swap(one, other);
    }
}

//~ in rest
