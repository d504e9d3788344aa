//! Pages, rows, and a world without the macro.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use ecs_engine::__private::Ids;
use ecs_engine::Entity;
use ecs_engine::world::NoSuchEntity;

use crate::{ClosedSystems, ComponentOf, Pages, StaticWorld};

/// A value that must be dropped.
#[derive(Clone, Debug, PartialEq)]
struct Name(String);

/// A type without data, with an alignment.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
struct Tag;

/// A large and over-aligned value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(128))]
struct Large([u8; 5000]);

/// The expansion of `world! { Pair { Name, Tag } }`.
#[derive(Default)]
struct Pair {
    ids: Ids,
    names: Pages<Name>,
    tags: Pages<Tag>,
}

impl StaticWorld for Pair {
    fn ids(&self) -> &Ids {
        &self.ids
    }

    fn ids_mut(&mut self) -> &mut Ids {
        &mut self.ids
    }

    fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        let index = self.ids.find(entity).ok_or(NoSuchEntity { entity })?;
        let _tag = self.tags.vacate(index);
        let _name = self.names.vacate(index);
        self.ids.free(entity);
        Ok(())
    }

    fn clear(&mut self) {
        self.names = Pages::new();
        self.tags = Pages::new();
        self.ids.free_all();
    }
}

// SAFETY: `names` is the only field of its type (clause 1), and no other component has the number 0 (clause 2).
unsafe impl ComponentOf<Pair> for Name {
    const INDEX: usize = 0;

    fn pages(world: &Pair) -> &Pages<Self> {
        &world.names
    }

    fn parts_mut(world: &mut Pair) -> (&Ids, &mut Pages<Self>) {
        (&world.ids, &mut world.names)
    }
}

// SAFETY: `tags` is the only field of its type (clause 1), and no other component has the number 1 (clause 2).
unsafe impl ComponentOf<Pair> for Tag {
    const INDEX: usize = 1;

    fn pages(world: &Pair) -> &Pages<Self> {
        &world.tags
    }

    fn parts_mut(world: &mut Pair) -> (&Ids, &mut Pages<Self>) {
        (&world.ids, &mut world.tags)
    }
}

#[test]
fn blocks_and_single_rows_visit_each_entity_once() {
    let mut world = Pair::default();
    let mut expected = Vec::new();
    for number in 0..200_usize {
        let entity = world.spawn((Name(number.to_string()),));
        // Full pages, full blocks, blocks with holes, and pages without any.
        if number < 72 || number % 5 == 0 && number < 128 {
            world.insert(entity, Tag).unwrap();
            expected.push((entity, format!("{number}!")));
        }
    }
    let items = world.system_items();
    let (name, tag) = (items.of::<Name>().found(), items.of::<Tag>().found());
    let iteration = items.iterate((name.write(), tag.read()));
    world.for_each_of(iteration.each(|(name, _)| name.0.push('!')));
    let mut visited = Vec::new();
    let iteration = items.iterate((PhantomData::<Entity>, name.read(), tag.maybe_write()));
    world.for_each_of(iteration.each(|(entity, name, tag)| {
        assert_eq!(name.0.ends_with('!'), tag.is_some());
        if tag.is_some() {
            visited.push((entity, name.0.clone()));
        }
    }));
    assert_eq!(visited, expected);
}

#[test]
fn a_panicking_system_keeps_the_changes_made_before_the_panic() {
    let mut world = Pair::default();
    let ids: Vec<Entity> = (0..20).map(|_| world.spawn((Name("a".into()),))).collect();
    let items = world.system_items();
    let name = items.of::<Name>().found();
    let mut left = 10;
    let result = catch_unwind(AssertUnwindSafe(|| {
        let iteration = items.iterate(name.write());
        world.for_each_of(iteration.each(|name| {
            assert!(left > 0, "on purpose");
            name.0.push('b');
            left -= 1;
        }));
    }));
    assert!(result.is_err());
    let names: Vec<&str> = ids
        .iter()
        .map(|&e| &*world.get::<Name>(e).unwrap().0)
        .collect();
    assert_eq!(names, [["ab"; 10], ["a"; 10]].concat());
    let result = catch_unwind(AssertUnwindSafe(|| {
        let iteration = items.iterate(name.read());
        world.values_of(iteration.renew(|_| -> Name { panic!("on purpose") }))
    }));
    assert!(result.is_err());
    world.despawn(ids[3]).unwrap();
    assert_eq!(world.view::<Name>().len(), 19);
}

#[test]
fn values_of_any_layout_are_stored_unchanged() {
    let mut large = Pages::new();
    for index in [0, 63, 64, 200] {
        large.fill(index, Large([index as u8; 5000]));
    }
    assert_eq!(large.replace(64, Large([1; 5000])), Some(Large([64; 5000])));
    assert_eq!(large.vacate(200).unwrap().into_inner(), Large([200; 5000]));
    let found: Vec<u8> = (0..300)
        .filter_map(|index| Some(large.get(index)?.0[4999]))
        .collect();
    assert_eq!(found, [0, 63, 1]);
    let mut tags = Pages::new();
    tags.fill(70, Tag);
    assert!(tags.contains(70) && !tags.contains(6) && tags.vacate(6).is_none());
    assert_eq!((tags.len(), tags.end()), (1, 2));
}

#[test]
fn every_value_is_dropped_once_even_if_one_destructor_panics() {
    struct Bomb {
        _counter: Rc<()>,
        armed: bool,
    }

    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(!self.armed, "on purpose");
        }
    }

    let counter = Rc::new(());
    let mut pages = Pages::new();
    for index in 0..150 {
        let bomb = Bomb {
            _counter: counter.clone(),
            armed: index == 70,
        };
        pages.fill(index, bomb);
    }
    drop(pages.vacate(3));
    assert_eq!(Rc::strong_count(&counter), 150);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(pages))).is_err());
    assert_eq!(Rc::strong_count(&counter), 1);
}
