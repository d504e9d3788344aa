//! Machines that go back and run frames again, one with sparks and one without.

use std::collections::BTreeMap;

use ecs_core::data::{Rollback, WorldHasher};
use ecs_core::prelude::*;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Glow, Kind, Likes, Owner, PartOf, Place, Simulated, Spark, snapshotter};

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "inputs")]
struct Inputs(Vec<u8>);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "bullet")]
struct Bullet {
    left: u8,
}

#[system]
fn steer(mut places: Query<&mut Place, (With<Simulated>, Without<Bullet>)>, inputs: Res<Inputs>) {
    for (n, mut place) in (&mut places).into_iter().enumerate() {
        let input = inputs.0[n % inputs.0.len()];
        place.0 = (place.0 * 31 + i64::from(input)) % 1_000_003;
    }
}

#[system]
fn shoot(
    places: Query<(Entity, &Place), (With<Simulated>, Without<Bullet>)>,
    inputs: Res<Inputs>,
    mut commands: Commands,
) {
    for (n, (entity, place)) in places.iter().enumerate() {
        let input = inputs.0[n % inputs.0.len()];
        if input.is_multiple_of(3) {
            let bullet = commands.spawn((Simulated, Bullet { left: input % 7 }, Place(place.0)));
            let bullet = bullet.id();
            commands.relate(bullet, Owner, entity);
        }
    }
}

#[system]
fn fly(mut bullets: Query<(Entity, &mut Bullet, &mut Place)>, mut commands: Commands) {
    for (entity, bullet, mut place) in &mut bullets {
        place.0 += 1;
        match bullet.left.checked_sub(1) {
            Some(left) => bullet.left = left,
            None => commands.despawn(entity),
        }
    }
}

struct Machine {
    world: World,
    sim: Schedule,
    rollback: Rollback<u8>,
    hashes: BTreeMap<u64, u64>,
}

impl Machine {
    fn new(local: u32) -> Self {
        let mut world = World::new();
        world.insert_resource(Inputs::default());
        for n in 0..3 {
            world.spawn((Simulated, Place(n)));
        }
        // All machines have the same number.
        world.reserve_local_ids(local);
        let mut sim = Schedule::new();
        sim.add((steer, shoot, fly).chain());
        let hasher = WorldHasher::new().entities::<With<Simulated>>();
        let rollback = Rollback::new(2, snapshotter()).hashes(1, hasher);
        Self {
            world,
            sim,
            rollback,
            hashes: BTreeMap::new(),
        }
    }

    fn advance(&mut self) {
        let apply = |world: &mut World, frame: &ecs_core::data::RollbackFrame<'_, u8>| {
            world.resource_mut::<Inputs>().0 = frame.inputs.to_vec();
        };
        self.rollback
            .advance(&mut self.world, &mut self.sim, apply)
            .unwrap();
        self.world.check_invariants();
        if let Some((frame, hash)) = self.rollback.last_confirmed_hash() {
            self.hashes.insert(frame, hash);
        }
    }

    /// Makes, changes and removes entities that are not simulated.
    fn render(&mut self, (kind, which, number): (u8, usize, u32)) {
        let world = &mut self.world;
        let simulated: Vec<Entity> = world
            .query_filtered::<Entity, With<Simulated>>()
            .iter()
            .collect();
        let others: Vec<Entity> = world
            .query_filtered::<Entity, Without<Simulated>>()
            .iter()
            .collect();
        let target = simulated[which % simulated.len()];
        let other = (!others.is_empty()).then(|| others[which % others.len()]);
        match (kind, other) {
            (0, _) => drop(world.spawn((Spark(number.to_string()), Place(1)))),
            (1, _) => {
                let sprite = world.spawn((Glow(number.to_string()), Kind(number)));
                world.relate(sprite, PartOf(2), target).unwrap();
            }
            (2, Some(other)) => drop(world.relate(other, Owner, target)),
            (3, Some(other)) => drop(world.relate(other, Likes(number.to_string()), target)),
            (4 | 5, Some(other)) => world.despawn(other).unwrap(),
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(30),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_machine_with_sparks_that_goes_back_agrees_with_one_that_has_neither(
        inputs in proptest::collection::vec((0..20_u8, 0..20_u8, 0..5_usize), 40),
        draws in proptest::collection::vec((0..6_u8, 0..100_usize, 0..1000_u32), 120),
    ) {
        let (mut late, mut plain) = (Machine::new(200), Machine::new(200));
        let mut waiting = 0;
        let mut draws = draws.into_iter();
        for (frame, &(one, other, gap)) in (0_u64..).zip(&inputs) {
            plain.rollback.add_input(0, frame, one).unwrap();
            plain.rollback.add_input(1, frame, other).unwrap();
            plain.advance();
            late.rollback.add_input(0, frame, one).unwrap();
            waiting += 1;
            if waiting > gap {
                let first = late.rollback.next_input(1).unwrap();
                for frame in first..=frame {
                    late.rollback.add_input(1, frame, inputs[frame as usize].1).unwrap();
                }
                waiting = 0;
            }
            late.advance();
            draws.by_ref().take(3).for_each(|draw| late.render(draw));
        }
        prop_assert!(late.rollback.stats().rollbacks > 0 || inputs.iter().all(|input| input.2 == 0));
        prop_assert!(late.hashes.len() > 5);
        for (frame, hash) in &late.hashes {
            if let Some(other) = plain.hashes.get(frame) {
                prop_assert_eq!(hash, other, "frame {}", frame);
            }
        }
    }
}
