//! Rings of snapshots, and rollback: after any return the simulation has the same future as if it had never returned,
//! and others stay.

use std::collections::BTreeMap;

use ecs_core::data::{Rollback, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::snapshot::Ring;
use ecs_core::toggle::TurnedOn;
use proptest::prelude::*;
use proptest::sample::select;
use serde::{Deserialize, Serialize};

use super::model::{All, CHOICES, Choice, expected, see};
use super::steps::{Of, Step, any_step, spawn_member, step, world_of};
use super::{Fast, Local, Place, Shield, Simulated, Text, snapshotter_of};

/// The steps of the frame that runs, and the number of the choice.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "frames.inputs")]
struct Inputs(Vec<Step>, usize);

/// A digest of all changes that the readers of the simulation have seen.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "frames.digest")]
struct Digest(u64);

impl Digest {
    fn add(&mut self, reader: u64, entities: impl IntoIterator<Item = Entity>) {
        for entity in entities {
            let next =
                (self.0 ^ entity.to_bits() ^ (reader << 60)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.0 = next.rotate_left(23);
        }
    }
}

#[system]
fn simulate(world: &mut World) {
    let Inputs(steps, choice) = world.resource::<Inputs>().clone();
    for next in steps {
        step(world, CHOICES[choice], Of::Members, next);
    }
}

/// The local ids, the same on all machines.
const LOCAL: std::ops::Range<u32> = 12..212;

type IsSimulated = (With<Simulated>, Without<Local>);

#[system]
fn digest(
    places: Query<Entity, (Changed<Place>, IsSimulated)>,
    fast: Query<Entity, (Added<Fast>, IsSimulated)>,
    shields: Query<Entity, (Changed<Shield>, TurnedOn<Shield>, IsSimulated)>,
    mut removed: Removed<Fast>,
    mut digest: ResMut<Digest>,
) {
    digest.add(1, &places);
    digest.add(2, &fast);
    digest.add(3, &shields);
    let removed = removed
        .read()
        .filter(|entity| !LOCAL.contains(&entity.index()));
    digest.add(5, removed);
}

/// Sees the changes of several frames at once.
#[system]
fn digest_later(places: Query<Entity, (Changed<Place>, IsSimulated)>, mut digest: ResMut<Digest>) {
    digest.add(4, &places);
}

struct Machine {
    choice: Choice,
    world: World,
    sim: Schedule,
    hasher: WorldHasher,
}

impl Machine {
    fn new(choice: usize) -> Self {
        let mut world = world_of(false);
        world.insert_resource(Inputs(Vec::new(), choice));
        world.insert_resource(Digest::default());
        (0..12).for_each(|number| spawn_member(&mut world, number));
        world.reserve_local_ids(LOCAL.len() as u32);
        let mut sim = Schedule::new();
        let later = digest_later.run_if(|inputs: Res<Inputs>| inputs.0.len().is_multiple_of(3));
        sim.add((simulate, digest, later).chain());
        sim.prepare(&mut world).unwrap();
        let choice = CHOICES[choice];
        Self {
            choice,
            world,
            sim,
            hasher: (choice.hasher)(WorldHasher::new().without::<Text>()),
        }
    }

    fn hash(&mut self) -> u64 {
        self.hasher.exact(&mut self.world).unwrap()
    }

    fn see(&self) -> All {
        see(&self.world, self.choice)
    }

    fn run(&mut self, steps: &[Step]) {
        self.world.resource_mut::<Inputs>().0 = steps.to_vec();
        let sim = &mut self.sim;
        self.world
            .with_simulated_ids(|world| sim.run(world))
            .unwrap();
    }

    fn render(&mut self, steps: &[Step]) {
        for &next in steps {
            step(&mut self.world, self.choice, Of::OthersApart, next);
        }
    }
}

/// Returns the hashes before each frame of a machine that has no others and never goes back.
fn straight(choice: usize, frames: &[Frame]) -> Vec<u64> {
    let mut machine = Machine::new(choice);
    let mut hash_and_run = |frame: &Frame| {
        let hash = machine.hash();
        machine.run(&frame.steps);
        hash
    };
    let mut hashes: Vec<u64> = frames.iter().map(&mut hash_and_run).collect();
    hashes.push(machine.hash());
    hashes
}

#[derive(Clone, Debug)]
struct Frame {
    steps: Vec<Step>,
    /// The steps that the frame runs with at first.
    guess: Option<Vec<Step>>,
    /// The number of frames until the true steps are known.
    late: usize,
    /// The steps of the renderer after the frame.
    render: Vec<Step>,
}

fn frames() -> impl Strategy<Value = Vec<Frame>> {
    let steps = |len| proptest::collection::vec(any_step(), 0..len);
    let guess = proptest::option::of(steps(6));
    let frame = (steps(6), guess, 0..6_usize, steps(8));
    let frame = frame.prop_map(|(steps, guess, late, render)| Frame {
        steps,
        guess,
        late,
        render,
    });
    proptest::collection::vec(frame, 1..25)
}

/// The choices whose members no step of a simulation removes.
fn any_choice() -> impl Strategy<Value = usize> {
    let all: Vec<usize> = (0..CHOICES.len()).collect();
    select(all).prop_filter("its entities stay its own", |&n| {
        CHOICES[n].name != "simulated and awake"
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(50),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_ring_leads_to_the_future_of_a_straight_run(choice in any_choice(), frames in frames()) {
        let hashes = straight(choice, &frames);
        let mut machine = Machine::new(choice);
        let mut ring = Ring::new(snapshotter_of(machine.choice), 8);
        let mut then: Vec<All> = Vec::new();
        let mut guessed: Vec<usize> = Vec::new();
        for (now, &hash) in hashes.iter().enumerate() {
            // The last ones are known at the end.
            let is_known = |frame: usize| now == frames.len() || frame + frames[frame].late <= now;
            let known = guessed.extract_if(.., |&mut frame| is_known(frame));
            if let Some(first) = known.min() {
                let after = machine.see();
                ring.restore_with(first as u64, &mut machine.world, &mut [&mut machine.sim]).unwrap();
                prop_assert_eq!(machine.see(), expected(&then[first], &after), "back to {}", first);
                then.truncate(first);
                for (frame, Frame { steps, guess, .. }) in frames.iter().enumerate().take(now).skip(first) {
                    ring.take_with(frame as u64, &mut machine.world, &mut [&mut machine.sim]).unwrap();
                    then.push(machine.see());
                    let guess = guess.as_ref().filter(|_| guessed.contains(&frame));
                    machine.run(guess.unwrap_or(steps));
                }
            }
            if guessed.is_empty() {
                prop_assert_eq!(machine.hash(), hash, "before frame {}", now);
            }
            if let Some(frame) = frames.get(now) {
                ring.take_with(now as u64, &mut machine.world, &mut [&mut machine.sim]).unwrap();
                then.push(machine.see());
                match &frame.guess {
                    Some(guess) => {
                        guessed.push(now);
                        machine.run(guess);
                    }
                    None => machine.run(&frame.steps),
                }
                machine.render(&frame.render);
            }
        }
        prop_assert!(guessed.is_empty());
    }

    #[test]
    fn machines_that_roll_back_have_the_hashes_of_a_straight_run(
        choice in any_choice(),
        frames in frames(),
    ) {
        let hashes = straight(choice, &frames);
        let mut machine = Machine::new(choice);
        let mut rollback = Rollback::<Vec<Step>>::new(1, snapshotter_of(machine.choice));
        let mut last = BTreeMap::new();
        for now in 0..frames.len() + 8 {
            for (frame, Frame { steps, late, .. }) in (0_u64..).zip(&frames) {
                if frame == rollback.next_input(0).unwrap() && frame as usize + late <= now {
                    rollback.add_input(0, frame, steps.clone()).unwrap();
                }
            }
            let Machine { choice, world, sim, hasher } = &mut machine;
            let others = |world: &World| -> All {
                let mut all = see(world, *choice);
                all.retain(|_, seen| !seen.is_member);
                all
            };
            let before = others(world);
            let advanced = rollback.advance(world, sim, |world, frame| {
                // Frames run again if they ran with other inputs.
                last.insert(frame.number as usize, hasher.exact(world).unwrap());
                world.resource_mut::<Inputs>().0 = frame.inputs[0].clone();
            });
            prop_assert!(advanced.unwrap().errors.is_empty());
            // Edges to missing entities are gone.
            let values = |all: All| all.into_iter().map(|(e, seen)| (e, seen.values)).collect::<Vec<_>>();
            prop_assert_eq!(values(others(world)), values(before));
            if let Some(frame) = frames.get(now) {
                machine.render(&frame.render);
            }
        }
        for (frame, hash) in hashes.iter().enumerate() {
            prop_assert_eq!(last[&frame], *hash, "before frame {}", frame);
        }
    }
}
