//! Tests of parallel joins. They use plain threads, so that Miri can run them; the pool is tested in integration tests.

use alloc::vec::Vec;
use core::ops::Range;

use super::{NumberedRows, RowLocation};
use crate::entity::Entity;
use crate::join::pieces::Pieces;
use crate::join::{Fetch, Filter, Join, Joined};
use crate::test_components::{Position, Stunned, Tag, Velocity};
use crate::world::World;

/// Visits all rows with three threads, in pieces of at least a given size.
fn visit<'a, T: Fetch<'a>, F: Filter<'a>>(
    join: Joined<'a, T, F>,
    size: usize,
    f: impl Fn(T::Item) + Sync,
) {
    let rows = join.rows();
    let pieces = Pieces::new(rows.len, size, 6);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for piece in pieces.by_ref() {
                    // SAFETY: the join came by value, and no row is in two pieces.
                    unsafe { join.visit(&rows, piece, &mut |item| f(item)) };
                }
            });
        }
    });
}

/// Tables of 30, 15 and 15 rows; all have a sparse component.
fn world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all = (0..60)
        .map(|i| {
            let entity = world.spawn((Position([0.0; 3]), Stunned(0)));
            match i % 4 {
                0 => world.insert(entity, Velocity([1.0; 3])).unwrap(),
                1 => world.insert(entity, Tag).unwrap(),
                _ => {}
            }
            entity
        })
        .collect();
    (world, all)
}

#[test]
fn several_threads_visit_each_row_once() {
    let (world, all) = world();
    let mut position = world.view_mut::<Position>();
    for size in [1, 7, 8, 16, 29, 30, 31, 60, 100] {
        visit((&mut position).joined(), size, |p| p.0[0] += 1.0);
    }
    assert!(position.iter().all(|p| p.0[0] == 9.0));
    let velocity = world.view::<Velocity>();
    visit((&mut position, &velocity).joined(), 4, |(p, v)| {
        p.0[1] += v.0[1];
    });
    for (i, &entity) in all.iter().enumerate() {
        let moved = f32::from(u8::from(i % 4 == 0));
        assert_eq!(position.get(entity).unwrap().0[1], moved);
    }
}

#[test]
fn sparse_joins_are_divided_by_set_by_list_and_by_table() {
    let (mut world, all) = world();
    for entity in all.iter().skip(20).step_by(2) {
        world.remove::<Stunned>(*entity).unwrap();
    }
    let (mut stunned, mut position) = (world.view_mut::<Stunned>(), world.view_mut::<Position>());
    let (velocity, tag) = (world.view::<Velocity>(), world.view::<Tag>());

    let alone = (&mut stunned).joined();
    assert!(matches!(alone.rows().location, RowLocation::Dense(0)));
    visit(alone, 8, |s| s.0 += 1);

    let by_list = (&mut stunned, &mut position).joined();
    assert!(matches!(by_list.rows().location, RowLocation::List(_)));
    visit(by_list, 3, |(s, p)| {
        s.0 += 1;
        p.0[2] += 1.0;
    });

    let by_tables = (&mut stunned, &velocity).joined();
    assert!(matches!(by_tables.rows().location, RowLocation::Table(_)));
    visit(by_tables, 4, |(s, _)| s.0 += 10);
    visit((&mut stunned).exclude(&tag).joined(), 5, |s| s.0 += 100);

    for (i, &entity) in all.iter().enumerate() {
        let has = i < 20 || i % 2 == 1;
        let expected = 2 + if i % 4 == 0 { 10 } else { 0 } + if i % 4 == 1 { 0 } else { 100 };
        assert_eq!(stunned.get(entity).map(|s| s.0), has.then_some(expected));
        let visits = f32::from(u8::from(has));
        assert_eq!(position.get(entity).unwrap().0[2], visits);
    }
}

#[test]
fn tables_without_rows_are_not_listed() {
    let (mut world, all) = world();
    let mut position = world.view_mut::<Position>();
    let location = (&mut position).joined().rows().location;
    assert!(matches!(location, RowLocation::Tables(tables) if tables.len() == 3));
    drop(position);
    for (i, &entity) in all.iter().enumerate() {
        if i % 4 < 2 {
            world.despawn(entity).unwrap();
        }
    }
    let mut position = world.view_mut::<Position>();
    let rows = (&mut position).joined().rows();
    assert!(matches!(rows.location, RowLocation::Table((0, _))) && rows.len == 30);
    visit((&mut position).joined(), 7, |p| p.0[0] += 1.0);
    assert!(position.iter().all(|p| p.0[0] == 1.0));
}

#[test]
fn a_join_without_a_world_has_no_rows() {
    let no_view: Option<&crate::view::Comp<'_, Position>> = None;
    visit(no_view.joined(), 1, |_| panic!("there is no entity"));
}

#[test]
fn pieces_cover_all_rows_once() {
    for (len, least) in [(0, 5), (1, 5), (5, 5), (6, 5), (100, 7), (1000, 8)] {
        let pieces: Vec<Range<usize>> = Pieces::new(len, least, 4).by_ref().collect();
        assert_eq!(
            pieces.iter().cloned().flatten().collect::<Vec<_>>(),
            (0..len).collect::<Vec<_>>()
        );
        let before_last = &pieces[..pieces.len().saturating_sub(1)];
        assert!(before_last.iter().all(|piece| piece.len() % least == 0));
    }
}

#[test]
fn pieces_get_shorter_as_rows_are_taken() {
    let lengths = |len, least| {
        let pieces = Pieces::new(len, least, 4);
        let lengths = pieces.by_ref().map(|piece| piece.len());
        lengths.collect::<Vec<_>>()
    };
    assert_eq!(lengths(80, 8), [16, 16, 8, 8, 8, 8, 8, 8]);
    assert_eq!(lengths(16, 1), [4, 3, 2, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(lengths(7, 8), [7]);
}

#[test]
fn a_piece_is_split_by_table() {
    let rows = NumberedRows {
        len: 10,
        location: RowLocation::Tables(vec![(0, 7), (4, 3), (5, 9)]),
    };
    let one = NumberedRows {
        len: 10,
        location: RowLocation::Table((0, 7)),
    };
    assert_eq!(one.in_tables(3..8).collect::<Vec<_>>(), [(7, 3..8)]);
    let parts = |piece| rows.in_tables(piece).collect::<Vec<_>>();
    assert_eq!(parts(0..10), [(7, 0..4), (3, 0..1), (9, 0..5)]);
    assert_eq!(parts(0..4), [(7, 0..4)]);
    assert_eq!(parts(3..5), [(7, 3..4), (3, 0..1)]);
    assert_eq!(parts(4..6), [(3, 0..1), (9, 0..1)]);
    assert_eq!(parts(7..10), [(9, 2..5)]);
}
