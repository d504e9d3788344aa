//! Component types that are defined at run time, beside typed ones: against plain maps, with a ledger of drops.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use ecs_core::component::ComponentId;
use ecs_core::dynamic::{
    DynamicComponent, DynamicMut, DynamicQuery, DynamicRef, DynamicType, DynamicValue, FieldKind,
    Term,
};
use ecs_core::prelude::*;
use ecs_core::world::ErasedColumn;
use ecs_tests::{ARMED, Held, Kept, Ledger, Plain, Token};
use proptest::prelude::*;

/// The dynamic components: with named fields, in a table and in a set, and with tokens in their memory.
struct Ids {
    text: ComponentId,
    loose_text: ComponentId,
    number: ComponentId,
    tag: ComponentId,
    token: ComponentId,
    loose_token: ComponentId,
}

impl Ids {
    fn all(&self) -> [ComponentId; 6] {
        let Self {
            text,
            loose_text,
            number,
            tag,
            token,
            loose_token,
        } = *self;
        [text, loose_text, number, tag, token, loose_token]
    }
}

/// # Safety
/// `values` points to `len` tokens, which are not used afterwards.
unsafe fn drop_tokens(values: *mut u8, len: usize) {
    let values = std::ptr::slice_from_raw_parts_mut(values.cast::<Token>(), len);
    // SAFETY: these are tokens that are not used afterwards, by the caller's contract.
    unsafe { values.drop_in_place() };
}

fn ids() -> &'static Ids {
    static IDS: OnceLock<Ids> = OnceLock::new();
    IDS.get_or_init(|| {
        let text = |name: &str| {
            DynamicComponent::new(name)
                .field("number", FieldKind::U32)
                .field("text", FieldKind::String)
        };
        // SAFETY: values are tokens, which `drop_tokens` drops, and which are `Send` and `Sync`.
        let token = |name: &str| unsafe {
            DynamicComponent::raw(name, Layout::new::<Token>(), Some(drop_tokens), None)
        };
        Ids {
            text: text("test.text").register().unwrap(),
            loose_text: text("test.loose_text")
                .sparse()
                .tracked()
                .register()
                .unwrap(),
            number: DynamicComponent::new("test.number")
                .field("number", FieldKind::U32)
                .tracked()
                .register()
                .unwrap(),
            tag: DynamicComponent::new("test.tag")
                .sparse()
                .register()
                .unwrap(),
            token: token("test.token").register().unwrap(),
            loose_token: token("test.loose_token").sparse().register().unwrap(),
        }
    })
}

/// A value of a component with fields; the number is also its text.
fn value(component: ComponentId, number: u32) -> DynamicValue {
    let mut value = DynamicValue::new(component).unwrap();
    let _ = value.as_mut().set("number", number);
    let _ = value.as_mut().set("text", number.to_string());
    value
}

fn insert_token(world: &mut World, entity: Entity, component: ComponentId, token: Token) {
    let mut column = ErasedColumn::new(component);
    let token = std::mem::ManuallyDrop::new(token);
    // SAFETY: values of the component are tokens, and this one is not used afterwards.
    unsafe { column.push_bytes((&raw const token).cast()) };
    let _ = world.insert_erased(entity, &mut column);
}

/// The expected components of each entity, by number, with the dynamic components first.
type Model = BTreeMap<Entity, [Option<u32>; 9]>;

fn check(world: &World, model: &Model, ledger: &Ledger) {
    world.check_invariants();
    let ids = ids();
    let mut tokens = Vec::new();
    for (component, id) in ids.all().into_iter().enumerate() {
        let view = world.view_erased(id);
        let expected = model.values().filter(|has| has[component].is_some());
        assert_eq!(view.len(), expected.count(), "{}", id.name());
        for (&entity, has) in model {
            let found = view.get(entity);
            assert_eq!(found.is_some(), has[component].is_some());
            assert_eq!(world.has_erased(entity, id), has[component].is_some());
            let (Some(found), Some(expected)) = (found, has[component]) else {
                continue;
            };
            if component < 4 {
                let found = DynamicRef::of(found).unwrap();
                assert_eq!(found, value(id, expected).as_ref());
            } else {
                // SAFETY: values of the component are tokens.
                let token = unsafe { &*found.as_ptr().cast::<Token>() };
                assert_eq!(token.id(), expected);
                tokens.push(expected);
            }
        }
    }
    for (&entity, has) in model {
        assert_eq!(world.get::<Plain>(entity).map(|plain| plain.0), has[6]);
        assert_eq!(world.get::<Kept>(entity).map(|kept| kept.0.id()), has[7]);
        assert_eq!(world.get::<Held>(entity).map(|held| held.0.id()), has[8]);
        tokens.extend(has[7]);
        tokens.extend(has[8]);
    }
    tokens.sort_unstable();
    assert_eq!(ledger.alive(), tokens);
    assert_eq!(world.entities().len(), model.len());
}

#[derive(Clone, Debug)]
enum Op {
    Spawn,
    Insert {
        entity: usize,
        component: usize,
    },
    Remove {
        entity: usize,
        component: usize,
    },
    Despawn {
        entity: usize,
    },
    DespawnBatch {
        from: usize,
    },
    /// The drop of a token that the entity has panics.
    Arm {
        entity: usize,
    },
}

fn op() -> impl Strategy<Value = Op> {
    let entity = 0..12_usize;
    prop_oneof![
        3 => Just(Op::Spawn),
        8 => (entity.clone(), 0..9_usize).prop_map(|(entity, component)| Op::Insert { entity, component }),
        4 => (entity.clone(), 0..9_usize).prop_map(|(entity, component)| Op::Remove { entity, component }),
        2 => entity.clone().prop_map(|entity| Op::Despawn { entity }),
        1 => entity.clone().prop_map(|from| Op::DespawnBatch { from }),
        1 => entity.prop_map(|entity| Op::Arm { entity }),
    ]
}

fn run(ops: &[Op], drop_world_with: bool) {
    let (ids, ledger) = (ids(), Ledger::default());
    let mut world = World::new();
    let (mut model, mut all, mut number) = (Model::new(), Vec::<Entity>::new(), 0);
    for op in ops {
        number += 1;
        let at = |index: usize| all.get(index % all.len().max(1)).copied();
        // A panicking drop comes last, so that each change is complete.
        let quiet = |change: &mut dyn FnMut()| {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(change)) {
                assert_eq!(panic.downcast_ref::<&str>(), Some(&ARMED));
            }
        };
        match *op {
            Op::Spawn => {
                let entity = world.spawn(());
                all.push(entity);
                model.insert(entity, [None; 9]);
            }
            Op::Insert { entity, component } => {
                let Some(entity) = at(entity) else { continue };
                let mut inserted = number;
                quiet(&mut || match component {
                    0..4 => {
                        let value = value(ids.all()[component], number);
                        assert_eq!(
                            world.insert_dynamic(entity, value).is_ok(),
                            model.contains_key(&entity)
                        );
                    }
                    4 | 5 => {
                        let token = ledger.token();
                        inserted = token.id();
                        insert_token(&mut world, entity, ids.all()[component], token);
                    }
                    6 => drop(world.insert(entity, Plain(number))),
                    _ => {
                        let token = ledger.token();
                        inserted = token.id();
                        if component == 7 {
                            let _ = world.insert(entity, Kept(token));
                        } else {
                            let _ = world.insert(entity, Held(token));
                        }
                    }
                });
                if let Some(has) = model.get_mut(&entity) {
                    has[component] = Some(inserted);
                }
            }
            Op::Remove { entity, component } => {
                let Some(entity) = at(entity) else { continue };
                quiet(&mut || match component {
                    0..6 => drop(world.remove_erased(entity, ids.all()[component])),
                    6 => drop(world.remove::<Plain>(entity)),
                    7 => drop(world.remove::<Kept>(entity)),
                    _ => drop(world.remove::<Held>(entity)),
                });
                if let Some(has) = model.get_mut(&entity) {
                    has[component] = None;
                }
            }
            Op::Despawn { entity } => {
                let Some(entity) = at(entity) else { continue };
                quiet(&mut || _ = world.despawn(entity));
                model.remove(&entity);
            }
            Op::DespawnBatch { from } => {
                let gone: Vec<Entity> = all.iter().copied().skip(from).step_by(2).collect();
                quiet(&mut || _ = world.despawn_batch(gone.iter().copied()));
                gone.iter().for_each(|entity| _ = model.remove(entity));
            }
            Op::Arm { entity } => {
                let has = at(entity).and_then(|entity| model.get(&entity));
                let tokens = has.map(|has| [has[4], has[5], has[7], has[8]]);
                if let Some(token) = tokens.into_iter().flatten().flatten().next() {
                    ledger.arm(token);
                }
            }
        }
        check(&world, &model, &ledger);
    }
    if drop_world_with {
        let _ = catch_unwind(AssertUnwindSafe(|| drop(world)));
    } else {
        let _ = catch_unwind(AssertUnwindSafe(|| {
            world.clear();
            world.check_invariants();
            drop(world);
        }));
    }
    // All of them, although drops may have panicked: at most one did, because a second one aborts.
    assert!(ledger.alive().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(300)))]

    #[test]
    fn dynamic_components_do_what_typed_ones_do(
        ops in prop::collection::vec(op(), 1..if cfg!(miri) { 30 } else { 120 }),
        drop_world in any::<bool>(),
    ) {
        // Two armed tokens in one change would abort.
        let mut armed = false;
        let ops: Vec<Op> = ops.into_iter().filter(|op| {
            !matches!(op, Op::Arm { .. }) || !std::mem::replace(&mut armed, true)
        }).collect();
        run(&ops, drop_world);
    }
}

#[test]
fn a_dynamic_component_is_written_through_views_and_queries() {
    let Ids {
        loose_text, number, ..
    } = *ids();
    let mut world = World::new();
    let all: Vec<Entity> = (0..10)
        .map(|i| {
            let entity = world.spawn(Plain(i));
            world.insert_dynamic(entity, value(number, i)).unwrap();
            if i % 2 == 0 {
                world.insert_dynamic(entity, value(loose_text, i)).unwrap();
            }
            entity
        })
        .collect();
    let before = world.tick();
    let query = DynamicQuery::new([
        Term::Write(loose_text),
        Term::Read(number),
        Term::Read(ComponentId::of::<Plain>()),
    ])
    .unwrap();
    let mut found = world.query_dynamic(&query);
    for mut item in found.iter_mut() {
        let plain = item.read(2).unwrap().downcast::<Plain>().unwrap().0;
        let number = DynamicRef::of(item.read(1).unwrap()).unwrap();
        assert_eq!(number.get::<u32>("number"), Ok(&plain));
        if plain == 4 {
            let mut text = DynamicMut::of(item.write(0).unwrap()).unwrap();
            text.get_mut::<String>("text")
                .unwrap()
                .push_str(" and more");
        }
    }
    drop(found);
    let view = world.view_erased(loose_text);
    let text = |entity| {
        let value = DynamicRef::of(view.get(entity).unwrap()).unwrap();
        value.get::<String>("text").unwrap().as_str()
    };
    assert_eq!((text(all[4]), text(all[2])), ("4 and more", "2"));
    let changed = |entity| view.get(entity).unwrap().changed().unwrap() > before;
    assert_eq!((changed(all[4]), changed(all[2])), (true, false));
    // Its memory is counted, and no type can be mistaken for it.
    let usage = world.memory_usage();
    let sets = usage
        .sparse_sets
        .iter()
        .filter(|set| set.component == loose_text);
    assert_eq!(
        sets.map(|set| (set.name, set.values)).collect::<Vec<_>>(),
        [("test.loose_text", 5)]
    );
    assert!(view.get(all[0]).unwrap().downcast::<Plain>().is_none());
    let mut column = ErasedColumn::new(number);
    assert!(column.push(7_u32).is_err() && column.values::<u32>().is_none());
}

#[test]
fn a_dead_entity_gets_no_value() {
    let mut world = World::new();
    let entity = world.spawn(());
    world.despawn(entity).unwrap();
    let error = world
        .insert_dynamic(entity, value(ids().text, 1))
        .unwrap_err();
    assert_eq!(error.entity, entity);
    world.check_invariants();
}

#[test]
fn a_raw_component_is_cloned_by_its_function() {
    /// # Safety
    /// Both point to `len` boxes, and the second ones are not initialised.
    unsafe fn clone_boxes(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: there are `len` boxes by the caller's contract.
        let from = unsafe { std::slice::from_raw_parts(from.cast::<Box<u32>>(), len) };
        // SAFETY: there is memory for `len` boxes by the caller's contract, which may hold anything.
        let to = unsafe { std::slice::from_raw_parts_mut(to.cast::<MaybeUninit<Box<u32>>>(), len) };
        for (from, to) in from.iter().zip(to) {
            to.write(from.clone());
        }
    }
    /// # Safety
    /// Points to `len` boxes, which are not used afterwards.
    unsafe fn drop_boxes(values: *mut u8, len: usize) {
        let boxes = std::ptr::slice_from_raw_parts_mut(values.cast::<Box<u32>>(), len);
        // SAFETY: these are boxes that are not used afterwards, by the caller's contract.
        unsafe { boxes.drop_in_place() };
    }
    let layout = Layout::new::<Box<u32>>();
    // SAFETY: values are boxes of numbers, which both functions are for.
    let boxed =
        unsafe { DynamicComponent::raw("test.boxed", layout, Some(drop_boxes), Some(clone_boxes)) };
    let id = boxed.clone().register().unwrap();
    assert_eq!(boxed.register(), Ok(id));
    let ty = DynamicType::of(id).unwrap();
    assert!(ty.is_raw() && ty.is_clone() && ty.fields().is_empty());
    assert!(DynamicValue::new(id).is_err());
    let mut column = ErasedColumn::new(id);
    let value = std::mem::ManuallyDrop::new(Box::new(7_u32));
    // SAFETY: values are boxes, and this one is not used afterwards.
    unsafe { column.push_bytes((&raw const value).cast()) };
    let mut copies = ErasedColumn::new(id);
    copies.reserve(1);
    // SAFETY: one column has a value, and the other one memory for one.
    unsafe { ty.clone_values(column.as_ptr(), copies.as_mut_ptr(), 1) };
    // SAFETY: a value was written.
    unsafe { copies.set_len(1) };
    drop(column);
    let mut world = World::new();
    let entity = world.spawn(());
    world.insert_erased(entity, &mut copies).unwrap();
    let view = world.view_erased(id);
    let found = view.get(entity).unwrap().as_ptr().cast::<Box<u32>>();
    // SAFETY: values are boxes of numbers.
    let found = unsafe { &*found };
    assert_eq!(**found, 7);
    let plain = DynamicType::of(ids().token).unwrap();
    assert!(!plain.is_clone());
}
