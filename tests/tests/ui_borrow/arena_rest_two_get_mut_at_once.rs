use ecs_core::containers::Arena;

fn main() {
    let mut arena = Arena::from_iter([1, 2]);
    let [a, b] = [0, 1].map(|nth| arena.ids().nth(nth).unwrap());
    let (_, mut rest) = arena.split(a);
    let one = rest.get_mut(b).unwrap();
    let two = rest.get_mut(b).unwrap();
    std::mem::swap(one, two);
}

//~ let two = rest
