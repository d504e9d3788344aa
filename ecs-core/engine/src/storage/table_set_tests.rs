use super::*;

fn list(tables: impl IntoIterator<Item = TableId>) -> TableList {
    let mut list = TableList::default();
    tables.into_iter().for_each(|table| list.push(table));
    list
}

fn walk(list: &TableList, occupied: &TableBits) -> Vec<TableId> {
    OccupiedTables::new(list.blocks(), occupied).collect()
}

#[test]
fn only_occupied_tables_are_visited_and_in_order() {
    let all = list(0..10_000);
    let some = list([3, 63, 64, 4_095, 4_096, 9_000, 9_999]);
    let mut occupied = TableBits::default();
    assert_eq!((walk(&all, &occupied), all.len()), (vec![], 10_000));
    for table in [9_999, 64, 65, 3, 4_096, 8_999, 200] {
        occupied.insert(table);
    }
    assert_eq!(walk(&all, &occupied), [3, 64, 65, 200, 4_096, 8_999, 9_999]);
    assert_eq!(walk(&some, &occupied), [3, 64, 4_096, 9_999]);
    occupied.remove(64);
    // Another table of the word stays.
    occupied.insert(9_000);
    occupied.remove(9_000);
    occupied.remove(9_999);
    assert_eq!(walk(&all, &occupied), [3, 65, 200, 4_096, 8_999]);
    assert_eq!(walk(&some, &occupied), [3, 4_096]);
    occupied.clear();
    assert!(walk(&some, &occupied).is_empty());
}

#[test]
fn blocks_without_occupied_tables_are_skipped_together() {
    let all = list(0..60_000);
    let mut occupied = TableBits::default();
    occupied.insert(59_999);
    let rest = skip(&all.blocks[1..], 0, &occupied);
    assert_eq!((rest.len(), rest[0].word), (1, 937));
    assert_eq!(walk(&all, &occupied), [59_999]);
    occupied.remove(59_999);
    assert_eq!(skip(&all.blocks[1..], 0, &occupied).len(), 0);
}

#[test]
fn tables_of_disabled_entities_are_apart() {
    let all = list(0..200);
    let mut occupied = Occupied::default();
    for (table, is_disabled) in [(3, false), (70, true), (71, false), (130, true)] {
        occupied.add_table(table, is_disabled);
        occupied.insert(table);
    }
    assert_eq!(walk(&all, occupied.all()), [3, 70, 71, 130]);
    assert_eq!(walk(&all, occupied.enabled()), [3, 71]);
    assert!(occupied.any_disabled());
    occupied.remove(70);
    assert!(occupied.any_disabled());
    occupied.remove(130);
    assert!(!occupied.any_disabled());
    occupied.add_table(130, false);
    occupied.insert(130);
    assert_eq!(walk(&all, occupied.enabled()), [3, 71, 130]);
    occupied.clear();
    occupied.insert(70);
    assert!(walk(&all, occupied.enabled()).is_empty());
    assert!(occupied.any_disabled());
}

#[test]
fn a_list_is_the_same_however_many_blocks_it_has_and_had() {
    // Of the first 64 tables or beyond, and of several blocks.
    for all in [&[5, 63][..], &[64, 100], &[5, 63, 64, 200, 9_999]] {
        let mut occupied = TableBits::default();
        all.iter().for_each(|&table| occupied.insert(table));
        for first in [0, 6, 63, 64, 65, 128, 201, 9_999, 10_000] {
            let mut cut = list(all.iter().copied());
            cut.truncate(first);
            let kept: Vec<_> = all.iter().copied().filter(|&it| it < first).collect();
            assert_eq!(
                (walk(&cut, &occupied), cut.len()),
                (kept, all.partition_point(|&it| it < first))
            );
            // Tables that are made again.
            all.iter()
                .filter(|&&it| it >= first)
                .for_each(|&it| cut.push(it));
            assert_eq!(
                (walk(&cut, &occupied), cut.len()),
                (all.to_vec(), all.len())
            );
        }
    }
}
