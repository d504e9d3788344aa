//! Ids of entities that are gone travel inside of values.

use super::{Party, Place};

#[test]
fn ids_of_dead_entities_keep_their_order_and_name_nothing_in_the_other_world() {
    let (mut one, mut other) = (Place::default(), Place::default());
    let gone = [(); 4].map(|()| one.world.spawn(()));
    gone.iter()
        .for_each(|&entity| one.world.despawn(entity).unwrap());
    let mut arrived = Vec::new();
    // Not in the order of the ids, and one of them twice.
    for (gid, named) in [(1, [3, 0, 2, 0]), (2, [1, 3, 0, 1])] {
        one.spawn(gid, Party(named.map(|number| gone[number]).to_vec()));
        let rows = one.take(&[gid]);
        let entity = other.put(rows).entities[0];
        let party = &other.world.get::<Party>(entity).unwrap().0;
        for (id, number) in party.iter().zip(named) {
            assert!(!other.world.contains(*id));
            for (other_id, other_number) in party.iter().zip(named) {
                assert_eq!(id.cmp(other_id), number.cmp(&other_number));
            }
        }
        arrived.push(party.clone());
    }
    let is_apart = |id| !arrived[0].contains(id);
    assert!(
        arrived[1].iter().all(is_apart),
        "each move has ids of its own: {arrived:?}"
    );
}
