//! Machines that predict inputs and correct themselves end with the same worlds as if they had waited.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::data::{InputError, Rollback, RollbackError, RollbackFrame, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::snapshot::{RestoreError, Snapshotter};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "place", track)]
struct Place(i64);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "trail", storage = "sparse")]
struct Trail(Vec<i64>);

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "inputs")]
struct Inputs(Vec<u8>);

#[derive(Clone)]
struct Moved(Entity);

#[system]
fn movement(
    mut places: Query<(Entity, &mut Place)>,
    inputs: Res<Inputs>,
    mut moved: EventWriter<Moved>,
) {
    for (n, (entity, mut place)) in (&mut places).into_iter().enumerate() {
        let input = inputs.0[n % inputs.0.len()];
        if input > 0 {
            place.0 = place.0 * 31 + i64::from(input);
            place.0 %= 1_000_003;
            moved.send(Moved(entity));
        }
    }
}

#[system]
fn spawn_and_despawn(
    mut moved: EventReader<Moved>,
    places: Query<(Entity, &Place)>,
    mut turns: Local<u32>,
    mut commands: Commands,
) {
    *turns += 1;
    for Moved(entity) in moved.read() {
        if turns.is_multiple_of(3) {
            commands.spawn(Place(i64::from(*turns)));
        }
        commands.insert(*entity, Trail(vec![i64::from(*turns)]));
    }
    if turns.is_multiple_of(7)
        && let Some((entity, _)) = places.iter().nth(2)
    {
        commands.despawn(entity);
    }
}

#[system]
fn follow(mut changed: Query<(&mut Trail, &Place), Changed<Place>>) {
    for (trail, place) in &mut changed {
        trail.0.push(place.0);
    }
}

struct Machine {
    world: World,
    sim: Schedule,
    rollback: Rollback<u8>,
    /// The exact hash of the world at the start of each frame whose inputs were all known.
    seen: BTreeMap<u64, u64>,
}

fn snapshotter() -> Snapshotter {
    Snapshotter::new().events::<Moved>()
}

impl Machine {
    fn new(rollback: Rollback<u8>) -> Self {
        let mut world = World::new();
        world.register_data_resource::<Inputs>();
        world.insert_resource(Inputs::default());
        world.insert_resource(Events::<Moved>::default());
        for n in 0..4 {
            world.spawn(Place(n));
        }
        let mut sim = Schedule::new();
        sim.add((movement, spawn_and_despawn, follow));
        Self {
            world,
            sim,
            rollback,
            seen: BTreeMap::new(),
        }
    }

    /// Runs a frame; returns true if it had to wait.
    fn advance(&mut self) -> bool {
        let Self {
            world,
            sim,
            rollback,
            seen,
        } = self;
        let advanced = rollback.advance(world, sim, |world, frame| {
            if frame.is_confirmed {
                seen.insert(frame.number, WorldHasher::new().exact(world).unwrap());
            }
            apply(world, frame);
        });
        let advanced = advanced.unwrap();
        assert!(advanced.errors.is_empty());
        advanced.is_waiting
    }
}

fn apply(world: &mut World, frame: &RollbackFrame<'_, u8>) {
    world.resource_mut::<Inputs>().0 = frame.inputs.to_vec();
}

/// Returns a machine that has waited for all inputs, and the hashes at the starts of its frames.
fn without_prediction(inputs: &[Vec<u8>], frames: u64) -> (Machine, Vec<u64>) {
    let rollback = Rollback::new(inputs.len(), snapshotter()).max_prediction(0);
    let mut machine = Machine::new(rollback);
    let mut hashes = Vec::new();
    for frame in 0..frames {
        for (player, inputs) in inputs.iter().enumerate() {
            let input = inputs[frame as usize];
            machine.rollback.add_input(player, frame, input).unwrap();
        }
        hashes.push(machine.world.hash().unwrap());
        assert!(!machine.advance());
    }
    assert!(machine.advance(), "there are no more inputs");
    assert_eq!(machine.rollback.stats().rollbacks, 0);
    (machine, hashes)
}

/// An input on its way.
#[derive(Clone, Debug)]
struct Message {
    to: usize,
    from: usize,
    frame: u64,
    input: u8,
    arrives: u64,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(24)))]
    #[test]
    fn machines_with_any_network_agree(
        inputs in (2..4_usize).prop_flat_map(|players| {
            prop::collection::vec(prop::collection::vec(0..3_u8, 60), players)
        }),
        delay in 0..4_u32,
        prediction in 0..9_u32,
        network in prop::collection::vec((0..9_u64, 0..10_u8), 400),
    ) {
        let players = inputs.len();
        let frames = 30;
        let mut machines: Vec<Machine> = (0..players).map(|_| {
            let rollback = Rollback::new(players, snapshotter())
                .input_delay(delay)
                .max_prediction(prediction)
                .hashes(5, WorldHasher::new());
            Machine::new(rollback)
        }).collect();
        let mut delayed: Vec<Vec<u8>> = Vec::new();
        for inputs in &inputs {
            let mut all = vec![0; delay as usize];
            all.extend(inputs);
            delayed.push(all);
        }
        let (reference, hashes) = without_prediction(&delayed, frames);
        let mut on_their_way: Vec<Message> = Vec::new();
        let mut network = network.iter().cycle();
        let is_done = |machine: &Machine| {
            machine.rollback.confirmed().min(machine.rollback.frame()) >= frames
        };
        let mut time = 0;
        while !machines.iter().all(is_done) {
            time += 1;
            prop_assert!(time < 20_000, "they go on");
            for me in 0..players {
                // Inputs are sent again until they have arrived.
                for to in (0..players).filter(|&to| to != me) {
                    let arrived = machines[to].rollback.next_input(me).unwrap();
                    for (frame, &input) in machines[me].rollback.inputs_from(me, arrived) {
                        let &(latency, luck) = network.next().unwrap();
                        if luck > 3 {
                            let arrives = time + latency;
                            on_their_way.push(Message { to, from: me, frame, input, arrives });
                        }
                    }
                }
            }
            let is_here = |message: &Message| message.arrives <= time;
            let (arrived, rest): (Vec<_>, Vec<_>) = on_their_way.into_iter().partition(is_here);
            on_their_way = rest;
            for Message { to, from, frame, input, .. } in arrived {
                match machines[to].rollback.add_input(from, frame, input) {
                    Ok(()) | Err(InputError::Gap { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            for (me, machine) in machines.iter_mut().enumerate() {
                let now = machine.rollback.frame();
                let input = inputs[me].get(now as usize).copied().unwrap_or(0);
                machine.rollback.add_local_input(me, input).unwrap();
                machine.advance();
            }
        }
        for machine in &machines {
            let mut compared = 0;
            for frame in 0..frames {
                if let Some(hash) = machine.rollback.confirmed_hash(frame) {
                    prop_assert_eq!(hash, hashes[frame as usize], "at frame {}", frame);
                    compared += 1;
                }
                let exact = (reference.seen[&frame], machine.seen.get(&frame));
                prop_assert!(exact.1.is_none_or(|&seen| seen == exact.0), "at frame {}", frame);
            }
            prop_assert!(compared >= 5, "{}", compared);
            let stats = machine.rollback.stats();
            prop_assert!(stats.longest <= prediction);
            prop_assert!(stats.frames >= frames);
            prop_assert!(prediction > 0 || stats.rollbacks == 0);
        }
    }
}

/// Runs frames with another player who changes behaviour; the machine learns that three frames later.
fn late(machine: &mut Machine, frames: std::ops::Range<u64>) {
    for frame in frames {
        machine.rollback.add_local_input(0, 1).unwrap();
        if let Some(past) = frame.checked_sub(3) {
            machine
                .rollback
                .add_input(1, past, (past % 3) as u8)
                .unwrap();
        }
        machine.advance();
    }
}

#[test]
fn a_frame_that_panics_runs_again() {
    let players = [vec![1; 40], (0..40).map(|frame| frame % 3).collect()];
    let (reference, _) = without_prediction(&players, 30);
    for at in (0..60).step_by(3) {
        let mut machine = Machine::new(Rollback::new(2, snapshotter()));
        let mut calls = 0;
        let mut frame = 0;
        let mut panics = 0;
        while machine.rollback.frame() < 30 {
            _ = machine.rollback.add_local_input(0, 1).unwrap();
            if let Some(past) = machine.rollback.frame().checked_sub(3) {
                machine
                    .rollback
                    .add_input(1, past, (past % 3) as u8)
                    .unwrap();
            }
            let Machine {
                world,
                sim,
                rollback,
                seen,
            } = &mut machine;
            let result = catch_unwind(AssertUnwindSafe(|| {
                let advanced = rollback.advance(world, sim, |world, frame| {
                    if frame.is_confirmed {
                        seen.insert(frame.number, WorldHasher::new().exact(world).unwrap());
                    }
                    apply(world, frame);
                    calls += 1;
                    if calls == at {
                        world.spawn(Place(77));
                        panic!("injected");
                    }
                });
                advanced.unwrap();
            }));
            panics += u32::from(result.is_err());
            frame += 1;
            assert!(frame < 100);
        }
        assert_eq!(panics, u32::from(at > 0));
        assert!(machine.seen.len() > 10);
        for (frame, hash) in &machine.seen {
            assert_eq!(
                *hash, reference.seen[frame],
                "at frame {frame}, a panic in call {at}"
            );
        }
    }
}

#[test]
fn frames_that_run_again_say_so_and_are_counted() {
    let mut machine = Machine::new(Rollback::new(2, snapshotter()));
    let mut log = Vec::new();
    for frame in 0..6 {
        machine.rollback.add_local_input(0, 1).unwrap();
        if frame == 4 {
            for past in 0..3 {
                machine
                    .rollback
                    .add_input(1, past, (past == 2).into())
                    .unwrap();
            }
        }
        let Machine {
            world,
            sim,
            rollback,
            ..
        } = &mut machine;
        let advanced = rollback.advance(world, sim, |world, frame| {
            log.push((
                frame.number,
                frame.inputs[1],
                frame.is_again,
                frame.is_confirmed,
            ));
            apply(world, frame);
        });
        assert_eq!(advanced.unwrap().again, if frame == 4 { 2 } else { 0 });
    }
    let (new, again) = (false, true);
    assert_eq!(
        log,
        [
            (0, 0, new, false),
            (1, 0, new, false),
            (2, 0, new, false),
            (3, 0, new, false),
            (2, 1, again, true),
            (3, 1, again, false),
            (4, 1, new, false),
            (5, 1, new, false),
        ]
    );
    let stats = machine.rollback.stats();
    assert_eq!(
        (stats.frames, stats.rollbacks, stats.frames_again),
        (6, 1, 2)
    );
    assert_eq!((stats.longest, stats.waits), (2, 0));
    assert_eq!(machine.rollback.confirmed(), 3);
}

#[test]
fn nothing_runs_further_ahead_than_allowed() {
    let mut machine = Machine::new(Rollback::new(2, snapshotter()).max_prediction(3));
    for call in 0..10 {
        machine.rollback.add_local_input(0, 1).unwrap();
        assert_eq!(machine.advance(), call >= 3);
    }
    assert_eq!(
        (machine.rollback.frame(), machine.rollback.stats().waits),
        (3, 7)
    );
    machine.rollback.add_input(1, 0, 2).unwrap();
    assert!(!machine.advance(), "the first one is known now");
    assert_eq!(machine.rollback.stats().longest, 3);
    assert!(machine.advance());
}

#[test]
fn inputs_that_cannot_be_are_errors_and_change_nothing() {
    let mut machine = Machine::new(Rollback::new(2, snapshotter()).input_delay(2));
    let rollback = &mut machine.rollback;
    assert_eq!(rollback.add_local_input(0, 7), Ok(0..3));
    assert_eq!(
        rollback.add_local_input(0, 8),
        Ok(3..3),
        "it has one for the frame"
    );
    assert!(rollback.inputs_from(0, 0).eq([(0, &0), (1, &0), (2, &7)]));
    assert!(rollback.inputs_from(0, 2).eq([(2, &7)]));
    assert_eq!(rollback.inputs_from(0, u64::MAX).count(), 0);
    assert_eq!(rollback.inputs_from(9, 0).count(), 0);
    let gap = InputError::Gap {
        player: 1,
        frame: 1,
        expected: 0,
    };
    assert_eq!(rollback.add_input(1, 1, 3), Err(gap));
    rollback.add_input(1, 0, 3).unwrap();
    assert_eq!(rollback.add_input(1, 0, 3), Ok(()), "again");
    let conflict = InputError::Conflict {
        player: 1,
        frame: 0,
    };
    assert_eq!(rollback.add_input(1, 0, 4), Err(conflict));
    let none = InputError::NoPlayer {
        player: 2,
        count: 2,
    };
    assert_eq!(rollback.add_input(2, 0, 4), Err(none));
    assert_eq!(rollback.next_input(2), Err(none));
    for frame in [1025, u64::MAX] {
        let early = InputError::TooEarly { player: 1, frame };
        assert_eq!(rollback.add_input(1, frame, 4), Err(early));
    }
    for frame in 1..=1024 {
        rollback.add_input(1, frame, 4).unwrap();
    }
    assert!(rollback.add_input(1, 1025, 4).is_err());
    assert_eq!(
        (rollback.next_input(1), rollback.confirmed()),
        (Ok(1025), 3)
    );
}

#[test]
fn a_world_that_cannot_be_copied_or_is_another_one_is_refused() {
    #[derive(Component)]
    struct Sprite;
    let mut machine = Machine::new(Rollback::new(1, snapshotter()));
    machine.world.spawn(Sprite);
    machine.rollback.add_local_input(0, 1).unwrap();
    let Machine {
        world,
        sim,
        rollback,
        ..
    } = &mut machine;
    let error = rollback.advance(world, sim, apply).unwrap_err();
    assert!(matches!(error, RollbackError::Snapshot(_)), "{error}");
    assert!(error.to_string().contains("Sprite"), "{error}");
    assert_eq!(rollback.frame(), 0);

    let mut one = Machine::new(Rollback::new(2, snapshotter()));
    late(&mut one, 0..5);
    let other = Machine::new(Rollback::new(2, snapshotter()));
    (one.world, one.sim) = (other.world, other.sim);
    one.rollback.add_input(1, 2, 9).unwrap();
    let error = one.rollback.advance(&mut one.world, &mut one.sim, apply);
    let error = error.unwrap_err();
    assert!(
        matches!(error, RollbackError::Restore(RestoreError::OtherWorld)),
        "{error}"
    );
}

#[test]
fn errors_of_systems_are_handed_on_and_the_frame_counts() {
    #[system]
    fn fail(inputs: Res<Inputs>) -> Result<(), String> {
        if inputs.0[0] == 2 {
            Err("no fuel".to_owned())
        } else {
            Ok(())
        }
    }
    let mut machine = Machine::new(Rollback::new(1, snapshotter()));
    machine.sim.add(fail);
    for frame in 0..4 {
        machine.rollback.add_local_input(0, frame).unwrap();
        let Machine {
            world,
            sim,
            rollback,
            ..
        } = &mut machine;
        let advanced = rollback.advance(world, sim, apply).unwrap();
        let failed: Vec<u64> = advanced.errors.iter().map(|(frame, _)| *frame).collect();
        assert_eq!(failed, if frame == 2 { vec![2] } else { vec![] });
    }
}

#[test]
fn hashes_are_those_of_confirmed_frames() {
    let mut machine = Machine::new(Rollback::new(2, snapshotter()).hashes(2, WorldHasher::new()));
    late(&mut machine, 0..20);
    let rollback = &machine.rollback;
    assert_eq!((rollback.frame(), rollback.confirmed()), (20, 17));
    assert_eq!(rollback.confirmed_hash(17), None, "an odd frame");
    assert_eq!(rollback.confirmed_hash(18), None, "not confirmed");
    assert_eq!(
        rollback.last_confirmed_hash(),
        Some((16, rollback.confirmed_hash(16).unwrap()))
    );
    let rollback = Rollback::<u8>::new(1, snapshotter());
    assert_eq!(
        (rollback.confirmed_hash(0), rollback.last_confirmed_hash()),
        (None, None)
    );
}

/// Numbers that depend on the inputs of each frame.
#[system]
fn multiply(inputs: Res<Inputs>, mut places: Query<&mut Place>) {
    for mut place in &mut places {
        place.0 = place.0 * 3 + inputs.0.iter().map(|&input| i64::from(input)).sum::<i64>();
    }
}

#[test]
fn the_hash_of_a_frame_that_has_to_run_again_is_not_confirmed() {
    let mut world = World::new();
    world.insert_resource(Inputs::default());
    world.spawn(Place(1));
    let mut sim = Schedule::new();
    sim.add(multiply);
    let mut rollback = Rollback::<u8>::new(2, Snapshotter::new()).hashes(1, WorldHasher::new());
    let mut advance = |rollback: &mut Rollback<u8>| {
        rollback.add_local_input(0, 1).unwrap();
        let apply = |world: &mut World, frame: &RollbackFrame<'_, u8>| {
            world.resource_mut::<Inputs>().0 = frame.inputs.to_vec();
        };
        rollback.advance(&mut world, &mut sim, apply).unwrap();
    };
    for _ in 0..4 {
        advance(&mut rollback);
    }
    for frame in 0..4 {
        rollback.add_input(1, frame, 5).unwrap();
    }
    assert!(rollback.confirmed_hash(0).is_some(), "no input came before");
    assert_eq!(
        rollback.confirmed_hash(2),
        None,
        "frame 1 ran with another input"
    );
    advance(&mut rollback);
    assert!(rollback.confirmed_hash(2).is_some());
}
