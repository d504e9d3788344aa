//! Generational ids and slice tricks (Rust, 2021): homing missiles, and *one mutable and all the rest*, on our engine and in
//! a container without a world.

use ecs_core::join::ManyError;
use ecs_core::prelude::*;
use ecs_core::view::CompRest;
use ecs_tests::counting::allocations;

/// Each test of the write-up runs once in tables and once in a sparse set.
macro_rules! both_storages {
    ($($name:ident $(: $storage:literal)?;)*) => {$(
        mod $name {
            use super::*;

            #[derive(Component, Clone, Debug, PartialEq)]
            $(#[component(storage = $storage)])?
            struct Missile {
                at: f32,
                speed: f32,
                /// The target, which may be despawned at any time.
                target: Option<Entity>,
            }

            fn missile(at: f32) -> Missile {
                Missile { at, speed: 1.0, target: None }
            }

            /// Creates five missiles at 0 to 4.
            fn five() -> (World, [Entity; 5]) {
                let mut world = World::new();
                let ids = [0.0, 1.0, 2.0, 3.0, 4.0].map(|at| world.spawn(missile(at)));
                (world, ids)
            }

            #[test]
            fn add_get_and_remove() {
                let mut world = World::new();
                let id = world.spawn(missile(3.0));
                assert_eq!(world.get::<Missile>(id).unwrap().at, 3.0);
                world.get_mut::<Missile>(id).unwrap().at = 4.0;
                let taken = world.take::<Missile>(id).unwrap();
                assert_eq!(taken, missile(4.0));
                assert!(world.get::<Missile>(id).is_none());
            }

            #[test]
            fn a_stale_id_finds_nothing() {
                let (mut world, ids) = five();
                world.despawn(ids[2]).unwrap();
                let other = world.spawn(missile(9.0));
                assert_eq!(other.index(), ids[2].index());
                assert!(world.get::<Missile>(ids[2]).is_none());
                assert!(world.get_mut::<Missile>(ids[2]).is_none());
                let mut missiles = world.view_mut::<Missile>();
                assert!(missiles.get(ids[2]).is_none() && missiles.get_mut(ids[2]).is_none());
                assert!(missiles.split(ids[2]).is_none());
            }

            #[test]
            fn homing_missiles_lose_targets_that_die() {
                #[system]
                fn home(mut missiles: CompMut<Missile>) {
                    let ids: Vec<Entity> = (&missiles).entities().collect();
                    for id in ids {
                        let Some((one, rest)) = missiles.split(id) else { continue };
                        match one.target.map(|target| rest.get(target)) {
                            Some(Some(target)) => one.at += one.speed * (target.at - one.at).signum(),
                            Some(None) => one.target = None,
                            None => {}
                        }
                    }
                }

                let (mut world, ids) = five();
                world.get_mut::<Missile>(ids[0]).unwrap().target = Some(ids[4]);
                world.get_mut::<Missile>(ids[1]).unwrap().target = Some(ids[3]);
                world.run(home);
                world.despawn(ids[4]).unwrap();
                // Reuses the slot of the target; the old id does not find it.
                world.spawn(missile(-100.0));
                world.run(home);
                let first = world.get::<Missile>(ids[0]).unwrap();
                assert_eq!((first.at, first.target), (1.0, None));
                let second = world.get::<Missile>(ids[1]).unwrap();
                assert_eq!((second.at, second.target), (3.0, Some(ids[3])));
            }

            #[test]
            fn two_at_once_in_all_corner_cases() {
                let (mut world, ids) = five();
                world.despawn(ids[4]).unwrap();
                let young = world.spawn(missile(7.0));
                let mut missiles = world.view_mut::<Missile>();

                let (a, b) = missiles.get_pair_mut(ids[0], ids[1]);
                std::mem::swap(a.unwrap(), b.unwrap());
                assert_eq!(missiles.get(ids[0]).unwrap().at, 1.0);

                // Two ids of the same slot, one alive and one stale, in either order: only the living one finds a value.
                let at = |pair: (Option<&mut Missile>, Option<&mut Missile>)| {
                    (pair.0.map(|m| m.at), pair.1.map(|m| m.at))
                };
                assert_eq!(at(missiles.get_pair_mut(young, ids[4])), (Some(7.0), None));
                assert_eq!(at(missiles.get_pair_mut(ids[4], young)), (None, Some(7.0)));
                assert_eq!(at(missiles.get_pair_mut(ids[4], ids[4])), (None, None));
                // The same entity twice yields one reference only.
                assert_eq!(at(missiles.get_pair_mut(young, young)), (Some(7.0), None));
                // One id is stale, or its entity lacks the component.
                assert_eq!(at(missiles.get_pair_mut(ids[4], ids[2])), (None, Some(2.0)));
            }

            #[test]
            fn n_at_once() {
                let (world, ids) = five();
                let mut missiles = world.view_mut::<Missile>();
                let [a, b, c] = missiles.get_many_mut([ids[4], ids[0], ids[2]]).unwrap();
                std::mem::swap(&mut a.at, &mut b.at);
                c.at += a.at + b.at;
                let at: Vec<f32> = ids.iter().map(|&id| missiles.get(id).unwrap().at).collect();
                assert_eq!(at, [4.0, 1.0, 6.0, 3.0, 0.0]);
                assert!(matches!(
                    missiles.get_many_mut([ids[1], ids[2], ids[1]]),
                    Err(ManyError::Duplicate { .. })
                ));
            }

            #[test]
            fn one_mutable_and_all_the_rest() {
                let (world, ids) = five();
                let mut missiles = world.view_mut::<Missile>();
                let (one, mut rest) = missiles.split(ids[2]).unwrap();
                // The rest can be iterated repeatedly, shared and mutably, while the one is borrowed.
                for other in rest.iter() {
                    one.speed += other.at;
                }
                for other in rest.iter_mut() {
                    other.speed = one.speed;
                }
                assert_eq!(rest.iter().count(), 4);
                assert!(rest.get(ids[2]).is_none(), "the one is not in the rest");
                assert_eq!(one.speed, 1.0 + 8.0);
                assert!(missiles.iter().all(|m| m.speed == 9.0));
            }

            #[test]
            fn the_rest_is_visited_mutably_with_ids() {
                let (world, ids) = five();
                let mut missiles = world.view_mut::<Missile>();
                let (one, rest) = missiles.split(ids[0]).unwrap();
                let mut seen = Vec::new();
                for (id, other) in &mut rest.with_entity() {
                    other.at += one.at + 10.0;
                    seen.push(id);
                }
                seen.sort_unstable();
                assert_eq!(seen, ids[1..]);
                assert_eq!(missiles.get(ids[4]).unwrap().at, 14.0);
                assert_eq!(missiles.get(ids[0]).unwrap().at, 0.0);
            }

            #[test]
            fn nested_levels_restore_excluded_entities() {
                let (world, ids) = five();
                let mut missiles = world.view_mut::<Missile>();
                let (a, mut rest) = missiles.split(ids[0]).unwrap();
                {
                    let (b, mut rest) = rest.split(ids[1]).unwrap();
                    {
                        let (c, mut rest) = rest.split(ids[2]).unwrap();
                        a.at += b.at + c.at;
                        assert_eq!(rest.iter().count(), 2);
                        assert!(rest.split(ids[0]).is_none(), "excluded on an outer level");
                        for other in rest.iter_mut() {
                            other.at += c.at;
                        }
                    }
                    assert_eq!(rest.iter().count(), 3, "the third is back");
                    b.at = 100.0;
                }
                assert_eq!(rest.iter().count(), 4, "the second is back");
                assert_eq!(a.at, 3.0);
                let at: Vec<f32> = ids.iter().map(|&id| missiles.get(id).unwrap().at).collect();
                assert_eq!(at, [3.0, 100.0, 2.0, 5.0, 6.0]);
            }

            #[test]
            fn behaviours_call_each_other_with_the_rest() {
                type Others<'a> = CompRest<'a, Missile>;

                /// The behaviour of a missile, which the code that runs it does not know.
                trait Behaviour {
                    fn act(&self, one: &mut Missile, rest: &mut Others<'_>);
                }

                /// Moves all others towards the one.
                struct Attract;

                /// Takes the targets of targets, and lets the last one act.
                struct Chain(Box<dyn Behaviour>);

                impl Behaviour for Attract {
                    fn act(&self, one: &mut Missile, rest: &mut Others<'_>) {
                        for other in rest.iter_mut() {
                            other.at += (one.at - other.at) / 2.0;
                        }
                    }
                }

                impl Behaviour for Chain {
                    fn act(&self, one: &mut Missile, rest: &mut Others<'_>) {
                        match one.target.and_then(|target| rest.split(target)) {
                            Some((next, mut rest)) => {
                                next.speed += one.speed;
                                self.act(next, &mut rest);
                            }
                            None => self.0.act(one, rest),
                        }
                    }
                }

                let (world, ids) = five();
                let mut missiles = world.view_mut::<Missile>();
                for (from, to) in [(0, 2), (2, 4), (4, 0)] {
                    missiles.get_mut(ids[from]).unwrap().target = Some(ids[to]);
                }
                let behaviour: Box<dyn Behaviour> = Box::new(Chain(Box::new(Attract)));
                let before = allocations();
                let (one, mut rest) = missiles.split(ids[0]).unwrap();
                behaviour.act(one, &mut rest);
                assert_eq!(allocations(), before, "excluding a few entities needs no memory");
                let of = |get: fn(&Missile) -> f32| ids.map(|id| get(missiles.get(id).unwrap()));
                // The last of the chain, whose target is excluded, attracts the two that are left.
                assert_eq!(of(|m| m.at), [0.0, 2.5, 2.0, 3.5, 4.0]);
                assert_eq!(of(|m| m.speed), [1.0, 1.0, 2.0, 1.0, 3.0]);
            }

            #[test]
            fn queries_are_split_too() {
                #[derive(Component)]
                struct Shield(f32);

                let (mut world, ids) = five();
                for id in &ids[1..] {
                    world.insert(*id, Shield(2.0)).unwrap();
                }
                let mut query = world.query_filtered::<(Entity, &mut Missile, &Shield), Without<Still>>();
                let ((id, one, shield), mut rest) = query.split(ids[3]).unwrap();
                assert_eq!(id, ids[3]);
                for (id, other, _) in rest.iter_mut() {
                    assert_ne!(id, ids[3]);
                    other.at -= shield.0;
                    one.speed += other.at;
                }
                assert_eq!(one.speed, 1.0 + (-1.0 + 0.0 + 2.0));
                assert!(query.split(ids[0]).is_none(), "has no shield");
            }

            #[test]
            fn each_with_all_others_in_one_call() {
                let (world, _) = five();
                let mut missiles = world.view_mut::<Missile>();
                missiles.for_each_with_rest(|one, rest| {
                    one.speed = rest.iter().map(|other| (other.at - one.at).abs()).sum();
                });
                let speeds: Vec<f32> = missiles.iter().map(|m| m.speed).collect();
                assert_eq!(speeds, [10.0, 7.0, 6.0, 7.0, 10.0]);
            }
        }
    )*};
}

#[derive(Component)]
struct Still;

both_storages! {
    in_tables;
    in_a_sparse_set: "sparse";
}

/// The same on the container, without a world.
mod in_an_arena {
    use ecs_core::containers::{Arena, GenerationalVec, Id, ManyError};

    #[derive(Clone, Debug, PartialEq)]
    struct Missile {
        at: f32,
        speed: f32,
        /// The target, which may be removed at any time.
        target: Option<Id>,
    }

    fn missile(at: f32) -> Missile {
        let (speed, target) = (1.0, None);
        Missile { at, speed, target }
    }

    /// Creates five missiles at 0 to 4.
    fn five() -> (Arena<Missile>, [Id; 5]) {
        let mut arena = Arena::new();
        let ids = [0.0, 1.0, 2.0, 3.0, 4.0].map(|at| arena.insert(missile(at)));
        (arena, ids)
    }

    #[test]
    fn add_get_and_remove() {
        let mut arena = Arena::new();
        let id = arena.insert(missile(3.0));
        assert_eq!(arena.get(id).unwrap().at, 3.0);
        arena.get_mut(id).unwrap().at = 4.0;
        assert_eq!(arena.remove(id), Some(missile(4.0)));
        assert!(arena.get(id).is_none() && arena.remove(id).is_none());
    }

    #[test]
    fn a_stale_id_finds_nothing() {
        let (mut arena, ids) = five();
        arena.remove(ids[2]);
        let other = arena.insert(missile(9.0));
        assert_eq!(other.index(), ids[2].index());
        assert!(arena.get(ids[2]).is_none() && arena.get_mut(ids[2]).is_none());
        assert!(!arena.contains(ids[2]) && arena.contains(other));
        let (one, rest) = arena.split(ids[2]);
        assert_eq!((one, rest.iter().count()), (None, 5));
        assert!(arena.remove(ids[2]).is_none());
        assert_eq!(arena.len(), 5);
    }

    #[test]
    fn homing_missiles_lose_targets_that_die() {
        fn home(missiles: &mut Arena<Missile>) {
            let ids: Vec<Id> = missiles.ids().collect();
            for id in ids {
                let (Some(one), rest) = missiles.split(id) else {
                    continue;
                };
                match one.target.map(|target| rest.get(target)) {
                    Some(Some(target)) => one.at += one.speed * (target.at - one.at).signum(),
                    Some(None) => one.target = None,
                    None => {}
                }
            }
        }

        let (mut missiles, ids) = five();
        missiles[ids[0]].target = Some(ids[4]);
        missiles[ids[1]].target = Some(ids[3]);
        home(&mut missiles);
        missiles.remove(ids[4]);
        // Reuses the index of the target; the old id does not find it.
        missiles.insert(missile(-100.0));
        home(&mut missiles);
        assert_eq!((missiles[ids[0]].at, missiles[ids[0]].target), (1.0, None));
        assert_eq!(
            (missiles[ids[1]].at, missiles[ids[1]].target),
            (3.0, Some(ids[3]))
        );
    }

    #[test]
    fn two_at_once_in_all_corner_cases() {
        let (mut missiles, ids) = five();
        missiles.remove(ids[4]);
        let young = missiles.insert(missile(7.0));
        let (a, b) = missiles.get_pair_mut(ids[0], ids[1]);
        std::mem::swap(a.unwrap(), b.unwrap());
        assert_eq!((missiles[ids[0]].at, missiles[ids[1]].at), (1.0, 0.0));

        let mut at = |a, b| {
            let (a, b) = missiles.get_pair_mut(a, b);
            (a.map(|m| m.at), b.map(|m| m.at))
        };
        // Two ids of the same index, one alive and one stale, in either order: only the living one finds a value.
        assert_eq!(at(young, ids[4]), (Some(7.0), None));
        assert_eq!(at(ids[4], young), (None, Some(7.0)));
        assert_eq!(at(ids[4], ids[4]), (None, None));
        // The same value twice yields one reference only.
        assert_eq!(at(young, young), (Some(7.0), None));
        // One id is stale.
        assert_eq!(at(ids[4], ids[2]), (None, Some(2.0)));
        assert_eq!(at(ids[2], ids[4]), (Some(2.0), None));
    }

    #[test]
    fn n_at_once() {
        let (mut missiles, ids) = five();
        let [a, b, c] = missiles.get_many_mut([ids[4], ids[0], ids[2]]).unwrap();
        std::mem::swap(&mut a.at, &mut b.at);
        c.at += a.at + b.at;
        let at: Vec<f32> = missiles.values().map(|missile| missile.at).collect();
        assert_eq!(at, [4.0, 1.0, 6.0, 3.0, 0.0]);
        let twice = missiles.get_many_mut([ids[1], ids[2], ids[1]]);
        assert_eq!(twice, Err(ManyError::Duplicate { id: ids[1] }));
        missiles.remove(ids[2]);
        let missing = missiles.get_many_mut([ids[1], ids[2]]);
        assert_eq!(missing, Err(ManyError::Missing { id: ids[2] }));
    }

    #[test]
    fn one_mutable_and_all_the_rest_with_ids() {
        let (mut missiles, ids) = five();
        let (one, mut rest) = missiles.split(ids[2]);
        let one = one.unwrap();
        // The rest can be iterated repeatedly, shared and mutably, while the one is borrowed.
        for (_, other) in rest.iter() {
            one.speed += other.at;
        }
        let mut seen = Vec::new();
        for (id, other) in rest.iter_mut() {
            other.speed = one.speed;
            seen.push(id);
        }
        assert_eq!(seen, [ids[0], ids[1], ids[3], ids[4]]);
        assert_eq!(rest.iter().count(), 4);
        assert!(rest.get(ids[2]).is_none(), "the one is not in the rest");
        assert_eq!(one.speed, 1.0 + 8.0);
        assert!(missiles.values().all(|missile| missile.speed == 9.0));
    }

    #[test]
    fn nested_levels_restore_excluded_values() {
        let (mut missiles, ids) = five();
        let (a, mut rest) = missiles.split(ids[0]);
        let a = a.unwrap();
        {
            let (b, mut rest) = rest.split(ids[1]);
            let b = b.unwrap();
            {
                let (c, mut rest) = rest.split(ids[2]);
                let c = c.unwrap();
                a.at += b.at + c.at;
                assert_eq!(rest.iter().count(), 2);
                assert_eq!(rest.split(ids[0]).0, None, "excluded on an outer level");
                for (_, other) in rest.iter_mut() {
                    other.at += c.at;
                }
            }
            assert_eq!(rest.iter().count(), 3, "the third is back");
            b.at = 100.0;
        }
        assert_eq!(rest.iter().count(), 4, "the second is back");
        assert_eq!(a.at, 3.0);
        let at: Vec<f32> = missiles.values().map(|missile| missile.at).collect();
        assert_eq!(at, [3.0, 100.0, 2.0, 5.0, 6.0]);
    }

    #[test]
    fn virtual_calls_are_nested() {
        /// A part of a game that acts on all others, and may pass them on.
        trait Part {
            fn act(&mut self, others: &mut Others<'_>) -> u32;
        }
        type Others<'a> = ecs_core::containers::Rest<'a, Box<dyn Part>>;

        /// Calls the next part, while it and all callers are excluded.
        struct Link(Option<Id>, u32);

        impl Part for Link {
            fn act(&mut self, others: &mut Others<'_>) -> u32 {
                self.1 = others.iter().count() as u32;
                let Some(next) = self.0 else { return self.1 };
                match others.split(next) {
                    (Some(next), mut others) => next.act(&mut others),
                    (None, _) => 99,
                }
            }
        }

        let mut parts: Arena<Box<dyn Part>> = Arena::new();
        let last = parts.insert(Box::new(Link(None, 0)));
        let middle = parts.insert(Box::new(Link(Some(last), 0)));
        let first = parts.insert(Box::new(Link(Some(middle), 0)));
        let (one, mut others) = parts.split(first);
        assert_eq!(one.unwrap().act(&mut others), 0);
        // A part that is calling itself is not there.
        parts[last] = Box::new(Link(Some(first), 0));
        let (one, mut others) = parts.split(first);
        assert_eq!(one.unwrap().act(&mut others), 99);
    }

    #[test]
    fn values_beside_those_of_the_arena() {
        let (mut missiles, ids) = five();
        let mut fuel = GenerationalVec::new();
        for id in missiles.ids() {
            fuel.insert(id, id.index()).unwrap();
        }
        missiles.remove(ids[3]);
        let young = missiles.insert(missile(0.0));
        assert_eq!((fuel.get(young), fuel.get(ids[3])), (None, Some(&3)));
        assert_eq!(fuel.insert(young, 50).unwrap(), Some(3));
        assert_eq!((fuel.get(young), fuel.get(ids[3])), (Some(&50), None));
        assert_eq!(fuel.insert(ids[3], 3).unwrap_err().value, 3);
        fuel.retain(|id, _| missiles.contains(id) && id != ids[0]);
        assert_eq!(fuel.len(), 4);
    }
}
