//! Tests of `facts.rs`.

use super::super::entities::EntityTable;
use super::*;

const HERE: Location = Location { table: 0, row: 0 };

#[test]
fn the_same_ids_come_next_after_a_copy_of_facts() {
    let mut entities = EntityTable::with_max_generation(MAX_GENERATION);
    let first: Vec<Entity> = (0..200).map(|_| entities.alloc_at(HERE)).collect();
    for &gone in first.iter().step_by(3) {
        entities.free(gone);
    }
    entities.reserve_local(5);
    let dead: Vec<Entity> = entities.next_dead_ids(2).collect();
    entities.take_dead_ids(&dead);
    for is_local in [true, false] {
        entities.set_local(is_local);
        let mut copy = EntitiesCopy::default();
        entities.copy_to(&mut copy);
        let facts = copy.facts();
        assert_eq!((facts.local.clone(), facts.is_local), (200..205, is_local));
        let all = (0..entities.end()).filter_map(|index| entities.placed_at(index));
        let all: Vec<Entity> = all.collect();
        let made = EntitiesCopy::of_facts(facts, &[&all]).unwrap();
        let mut other = EntityTable::default();
        other.return_to(&made);
        #[cfg(feature = "validate")]
        other.check(all.len());
        let next_dead = |table: &EntityTable| table.next_dead_ids(1).next();
        assert_eq!(next_dead(&other), next_dead(&entities));
        let count = if is_local { 5 } else { 80 };
        let next = |table: &mut EntityTable| -> Vec<Entity> {
            (0..count).map(|_| table.alloc_at(HERE)).collect()
        };
        let mut again = EntityTable::default();
        again.return_to(&copy);
        again.set_local(is_local);
        assert_eq!(next(&mut other), next(&mut again));
    }
}

#[test]
fn facts_that_contradict_each_other_are_refused() {
    let id = |index| Entity::new(index, core::num::NonZeroU32::MIN);
    let make = |facts, placed: &[u32]| {
        let all: Vec<Entity> = placed.iter().map(|&index| id(index)).collect();
        EntitiesCopy::of_facts(facts, &[&all]).map(drop)
    };
    let facts = |unplaced: &[u32]| IdFacts {
        unplaced: unplaced.to_vec(),
        dead: DeadIds::default().numbers(),
        ..IdFacts::default()
    };
    assert_eq!(make(facts(&[1, 2]), &[0, 3]), Ok(()));
    assert!(make(facts(&[1, 2]), &[0, 4]).is_err(), "never allocated");
    assert!(make(facts(&[1, 2]), &[0, 0]).is_err(), "twice");
    assert!(make(facts(&[1, 2]), &[0, 1, 2, 1]).is_err(), "twice");
    assert!(make(facts(&[1]), &[2, 3, 4]).is_err(), "never allocated");
    let hundreds: Vec<u32> = (0..700).collect();
    assert_eq!(make(facts(&[]), &hundreds), Ok(()));
    let twice = [&hundreds[..], &hundreds[300..600]].concat();
    assert!(make(facts(&[]), &twice).is_err(), "twice");
    assert!(make(facts(&[MAX_GENERATION + 1]), &[0]).is_err());
    let with = |change: &dyn Fn(&mut IdFacts)| {
        let mut facts = facts(&[1]);
        change(&mut facts);
        make(facts, &[0])
    };
    assert!(with(&|facts| facts.local = 1..3).is_err());
    assert!(with(&|facts| facts.is_local = true).is_err());
    assert!(with(&|facts| facts.dead[0] = u64::MAX).is_err());
    assert!(
        with(&|facts| facts.revived.push((1, 2))).is_err(),
        "it is not placed"
    );
    assert!(
        with(&|facts| facts.revived.push((0, 1))).is_err(),
        "not later"
    );
    assert_eq!(with(&|facts| facts.revived.push((0, 9))), Ok(()));
}
