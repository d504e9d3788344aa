use super::super::tests::entity;
use super::*;
use crate::test_random::random_from;

/// Moves entities of a list to random places, and compares it with a vector.
#[test]
fn entities_move_as_in_a_vector_and_keep_their_reverse_slots() {
    let mut random = random_from(1);
    for (count, place) in [
        (1, 0),
        (2, 0),
        (40, 0),
        (40, 1),
        (300, 0),
        (300, 7),
        (300, 299),
        (700, usize::MAX),
    ] {
        let mut list = EdgeList::default();
        for index in 0..count as u32 {
            let slot = list.push(entity(index));
            list.set_reverse_slot(slot, 1_000 + index as usize);
        }
        let mut model: Vec<Entity> = list.iter().collect();
        for step in 0..3 * count {
            let from = random(count);
            let to = if place == usize::MAX {
                random(count + 2)
            } else {
                place
            };
            let moved = model.remove(from);
            model.insert(to.min(model.len()), moved);
            let slot = list.find(moved).unwrap();
            let changed = list.move_to(slot, to);
            let new = list.find(moved).unwrap();
            assert!(changed.contains(&new));
            assert_eq!(list.at(new), Some(moved));
            if step % 5 == 0 {
                assert_eq!(list.as_slice(), model);
            }
            if step % 7 == 0 {
                list.take_out(new);
                let at = model.iter().position(|&one| one == moved).unwrap();
                model.remove(at);
                let slot = list.push(moved);
                list.set_reverse_slot(slot, 1_000 + moved.index() as usize);
                model.push(moved);
            }
            assert!(list.iter().eq(model.iter().copied()));
            assert_eq!(list.len(), model.len());
        }
        for (slot, one) in list.edges() {
            assert_eq!(list.reverse_slot(slot), Some(1_000 + one.index() as usize));
            assert_eq!(list.find(one), Some(slot));
        }
        assert_eq!(list.as_slice(), model);
    }
}
