use super::super::tests::entity;
use super::*;

/// Moves entities of a list to random places, and compares it with a vector.
#[test]
fn entities_move_as_in_a_vector_and_keep_their_reverse_slots() {
    let mut next = 1_u64;
    let mut random = |below: usize| {
        next = next
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (next >> 33) as usize % below
    };
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
