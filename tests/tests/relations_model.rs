//! Random verbs on related entities, called and queued, against plain maps: both ends agree after each step, observers are
//! told of all that comes and goes, values are dropped once, and panics of hooks and drops leave no end without the other.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::relation::{ToMany, ToOne};
use ecs_core::world::CommandQueue;
use ecs_tests::{Ledger, Token};
use proptest::prelude::*;

thread_local! {
    static LEDGER: RefCell<Ledger> = RefCell::default();
    /// Where the next panic is to come from.
    static TRAP: Cell<Option<Trap>> = const { Cell::new(None) };
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Trap {
    Add,
    Replace,
    Remove,
    Despawn,
    Told,
    Drop,
}

const TRAPS: [Trap; 6] = [
    Trap::Add,
    Trap::Replace,
    Trap::Remove,
    Trap::Despawn,
    Trap::Told,
    Trap::Drop,
];

fn step_on(trap: Trap) {
    if TRAP.get() == Some(trap) {
        TRAP.set(None);
        panic!("trap");
    }
}

/// What edges carry.
struct Value(u32, #[expect(dead_code, reason = "dropped")] Token);

impl Drop for Value {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            step_on(Trap::Drop);
        }
    }
}

fn value(number: u32) -> Value {
    Value(number, LEDGER.with_borrow(Ledger::token))
}

#[derive(Relation)]
#[relation(tree, sources = "despawn")]
struct ChildOf(Value);

#[derive(Relation)]
struct Follows(Value);

#[derive(Relation)]
#[relation(many)]
struct Likes(Value);

#[derive(Relation)]
#[relation(many, sources = "despawn")]
struct Needs(Value);

/// In tables, with hooks that may panic.
#[derive(Component)]
#[component(on_add = trapped::<0>, on_replace = trapped::<1>, on_remove = trapped::<2>, on_despawn = trapped::<3>)]
struct Mark;

fn trapped<const TRAP: usize>(_: DeferredWorld, _: Entity) {
    step_on(TRAPS[TRAP]);
}

/// The relations as numbers.
const CHILD_OF: usize = 0;
const FOLLOWS: usize = 1;
const LIKES: usize = 2;
const NEEDS: usize = 3;
const DESPAWNS: [usize; 2] = [CHILD_OF, NEEDS];

/// What observers know of relations to one target.
#[derive(Default)]
struct Told([BTreeMap<Entity, Entity>; 2]);

#[derive(Clone, Copy, Debug)]
enum Step {
    Spawn(Option<(usize, usize)>, bool),
    SpawnBatch(usize, usize),
    SpawnMany(usize, usize),
    Insert(usize, usize, usize),
    InsertBoth(usize, usize, usize),
    Replace(usize, usize, usize),
    Relate(usize, usize, usize),
    Unrelate(usize, usize, usize),
    RemoveOutgoing(usize, usize),
    RemoveSources(usize, usize),
    MoveOutgoing(usize, usize, usize),
    MoveSources(usize, usize, usize),
    Mark(usize),
    Despawn(usize),
    DespawnMarked,
    DespawnFollowers,
    RemoveAll(usize),
    InsertAll(usize),
    Sort(usize, usize),
    MoveTo(usize, usize, usize),
    Clear,
}

fn step() -> impl Strategy<Value = Step> {
    let one = || 0..2_usize;
    let kind = || 0..4_usize;
    let who = || 0..24_usize;
    prop_oneof![
        6 => (prop::option::of((one(), who())), any::<bool>()).prop_map(|(to, mark)| Step::Spawn(to, mark)),
        1 => (one(), who()).prop_map(|(r, t)| Step::SpawnBatch(r, t)),
        1 => (who(), who()).prop_map(|(s, t)| Step::SpawnMany(s, t)),
        4 => (one(), who(), who()).prop_map(|(r, s, t)| Step::Insert(r, s, t)),
        2 => (one(), who(), who()).prop_map(|(r, s, t)| Step::InsertBoth(r, s, t)),
        1 => (one(), who(), who()).prop_map(|(r, s, t)| Step::Replace(r, s, t)),
        12 => (kind(), who(), who()).prop_map(|(r, s, t)| Step::Relate(r, s, t)),
        3 => (kind(), who(), who()).prop_map(|(r, s, t)| Step::Unrelate(r, s, t)),
        2 => (kind(), who()).prop_map(|(r, s)| Step::RemoveOutgoing(r, s)),
        1 => (kind(), who()).prop_map(|(r, t)| Step::RemoveSources(r, t)),
        2 => (kind(), who(), who()).prop_map(|(r, s, t)| Step::MoveOutgoing(r, s, t)),
        1 => (kind(), who(), who()).prop_map(|(r, s, t)| Step::MoveSources(r, s, t)),
        2 => who().prop_map(Step::Mark),
        2 => who().prop_map(Step::Despawn),
        1 => Just(Step::DespawnMarked),
        1 => Just(Step::DespawnFollowers),
        1 => kind().prop_map(Step::RemoveAll),
        1 => who().prop_map(Step::InsertAll),
        1 => (kind(), who()).prop_map(|(r, t)| Step::Sort(r, t)),
        1 => (kind(), who(), who()).prop_map(|(r, t, s)| Step::MoveTo(r, t, s)),
        1 => Just(Step::Clear),
    ]
}

#[derive(Clone, Debug)]
enum Act {
    Call(Step),
    Queue(Vec<Step>),
    /// Called with a trap set.
    Trapped(Step, usize),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        12 => step().prop_map(Act::Call),
        3 => prop::collection::vec(step(), 1..6).prop_map(Act::Queue),
        4 => (step(), 0..TRAPS.len()).prop_map(|(step, trap)| Act::Trapped(step, trap)),
    ]
}

/// One relation in plain maps.
#[derive(Clone, Debug, Default, PartialEq)]
struct Edges {
    targets: BTreeMap<Entity, Vec<(Entity, u32)>>,
    sources: BTreeMap<Entity, Vec<Entity>>,
}

impl Edges {
    fn cut(&mut self, source: Entity, target: Entity) {
        if let Some(targets) = self.targets.get_mut(&source) {
            targets.retain(|&(other, _)| other != target);
            if targets.is_empty() {
                self.targets.remove(&source);
            }
        }
        if let Some(sources) = self.sources.get_mut(&target) {
            sources.retain(|&other| other != source);
            if sources.is_empty() {
                self.sources.remove(&target);
            }
        }
    }

    fn cut_targets(&mut self, source: Entity) {
        for (target, _) in self.targets.get(&source).cloned().unwrap_or_default() {
            self.cut(source, target);
        }
    }

    fn cut_sources(&mut self, target: Entity) {
        for source in self.sources.get(&target).cloned().unwrap_or_default() {
            self.cut(source, target);
        }
    }

    fn add(&mut self, source: Entity, target: Entity, value: u32) {
        let targets = self.targets.entry(source).or_default();
        match targets.iter_mut().find(|(other, _)| *other == target) {
            Some((_, old)) => *old = value,
            None => {
                targets.push((target, value));
                self.sources.entry(target).or_default().push(source);
            }
        }
    }

    fn is_ancestor(&self, ancestor: Entity, of: Entity) -> bool {
        let mut at = of;
        while let Some(targets) = self.targets.get(&at) {
            at = targets[0].0;
            if at == ancestor {
                return true;
            }
        }
        false
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    alive: BTreeSet<Entity>,
    edges: [Edges; 4],
}

impl Model {
    /// Inserts the only target.
    fn insert(&mut self, relation: usize, source: Entity, target: Entity, value: u32) {
        self.edges[relation].cut_targets(source);
        if self.alive.contains(&target) {
            self.edges[relation].add(source, target, value);
        }
    }

    fn may_relate(&self, relation: usize, source: Entity, target: Entity) -> bool {
        source != target
            && !(relation == CHILD_OF && self.edges[CHILD_OF].is_ancestor(source, target))
    }

    fn relate(&mut self, relation: usize, source: Entity, target: Entity, value: u32) -> bool {
        let both = [source, target];
        if !both.iter().all(|entity| self.alive.contains(entity))
            || !self.may_relate(relation, source, target)
        {
            return false;
        }
        if relation == CHILD_OF || relation == FOLLOWS {
            self.edges[relation].cut_targets(source);
        }
        self.edges[relation].add(source, target, value);
        true
    }

    fn despawn(&mut self, entity: Entity) {
        if !self.alive.remove(&entity) {
            return;
        }
        let mut next = Vec::new();
        for relation in DESPAWNS {
            let sources = self.edges[relation].sources.get(&entity);
            next.extend(sources.into_iter().flatten().copied());
        }
        for edges in &mut self.edges {
            edges.cut_targets(entity);
            edges.cut_sources(entity);
        }
        for source in next {
            self.despawn(source);
        }
    }
}

fn one<R: ToOne>(world: &World, edges: &mut Edges, number: fn(&R) -> u32) {
    for (entity, target) in world.view::<Target<R>>().with_entity().iter() {
        let edge = (target.entity(), number(target.value()));
        edges.targets.insert(entity, vec![edge]);
    }
    sources::<R>(world, edges);
}

fn many<R: ToMany>(world: &World, edges: &mut Edges, number: fn(&R) -> u32) {
    for (entity, targets) in world.view::<Targets<R>>().with_entity().iter() {
        let all = targets
            .iter()
            .map(|(target, value)| (target, number(value)));
        edges.targets.insert(entity, all.collect());
        assert!(
            targets
                .iter()
                .map(|(target, _)| target)
                .eq(targets.entities().iter().copied())
        );
        assert_eq!(targets.len(), targets.iter().count());
    }
    sources::<R>(world, edges);
}

fn sources<R: Relation>(world: &World, edges: &mut Edges) {
    for (entity, sources) in world.view::<Sources<R>>().with_entity().iter() {
        assert!(sources.iter().eq(sources.as_slice().iter().copied()));
        assert_eq!(sources.len(), sources.as_slice().len());
        edges.sources.insert(entity, sources.to_vec());
    }
}

/// What is in the world, as a model.
fn read(world: &World) -> Model {
    let mut model = Model {
        alive: world.entities().iter().collect(),
        ..Model::default()
    };
    one::<ChildOf>(world, &mut model.edges[CHILD_OF], |r| r.0.0);
    one::<Follows>(world, &mut model.edges[FOLLOWS], |r| r.0.0);
    many::<Likes>(world, &mut model.edges[LIKES], |r| r.0.0);
    many::<Needs>(world, &mut model.edges[NEEDS], |r| r.0.0);
    model
}

/// Calls `$body` with `$R` and a constructor of it.
macro_rules! with_one {
    ($relation:expr, $R:ident => $body:expr) => {
        match $relation {
            CHILD_OF => {
                use ChildOf as $R;
                $body
            }
            _ => {
                use Follows as $R;
                $body
            }
        }
    };
}

macro_rules! with_any {
    ($relation:expr, $R:ident => $body:expr) => {
        match $relation {
            CHILD_OF => {
                use ChildOf as $R;
                $body
            }
            FOLLOWS => {
                use Follows as $R;
                $body
            }
            LIKES => {
                use Likes as $R;
                $body
            }
            _ => {
                use Needs as $R;
                $body
            }
        }
    };
}

fn observe<R: ToOne, const INDEX: usize>(world: &mut World) {
    fn check<R: ToOne>(world: &World, entity: Entity) -> Entity {
        step_on(Trap::Told);
        let target = world
            .get::<Target<R>>(entity)
            .expect("it is there")
            .entity();
        assert!(world.contains(target), "targets live");
        let sources = world.get::<Sources<R>>(target).expect("the other end too");
        assert!(sources.iter().any(|source| source == entity));
        target
    }
    world.observe(|on: OnInsert<Target<R>>, world: DeferredWorld| {
        let target = check::<R>(&world, on.entity());
        let old = world.resource_mut::<Told>().0[INDEX].insert(on.entity(), target);
        assert_eq!(old, None);
    });
    world.observe(|on: OnReplace<Target<R>>, world: DeferredWorld| {
        let target = check::<R>(&world, on.entity());
        let old = world.resource_mut::<Told>().0[INDEX].remove(&on.entity());
        assert_eq!(old, Some(target));
    });
    world.observe(|on: OnRemove<Target<R>>, world: DeferredWorld| {
        let target = check::<R>(&world, on.entity());
        let old = world.resource_mut::<Told>().0[INDEX].remove(&on.entity());
        assert_eq!(old, Some(target));
    });
}

impl Resource for Told {
    const IDENTITY: ecs_core::meta::Identity<Self> = ecs_core::meta::Identity::opaque();
}

struct Test {
    world: World,
    model: Model,
    /// All ids that were ever used.
    ids: Vec<Entity>,
    counter: u32,
}

impl Test {
    fn new() -> Self {
        let mut world = World::new();
        world.insert_resource(Told::default());
        observe::<ChildOf, CHILD_OF>(&mut world);
        observe::<Follows, FOLLOWS>(&mut world);
        Self {
            world,
            model: Model::default(),
            ids: Vec::new(),
            counter: 0,
        }
    }

    /// The newer ones more often.
    fn pick(&mut self, number: usize) -> Entity {
        if self.ids.is_empty() {
            let entity = self.world.spawn(());
            self.came(entity);
        }
        let last = self.ids.len() - 1;
        self.ids[last.saturating_sub(number)]
    }

    fn came(&mut self, entity: Entity) {
        self.ids.push(entity);
        self.model.alive.insert(entity);
    }

    fn number(&mut self) -> u32 {
        self.counter += 1;
        self.counter
    }

    /// Calls the verb and does the same to the model.
    fn call(&mut self, step: Step) {
        let n = self.number();
        match step {
            Step::Spawn(None, mark) => {
                let entity = if mark {
                    self.world.spawn(Mark)
                } else {
                    self.world.spawn(())
                };
                self.came(entity);
            }
            Step::Spawn(Some((r, t)), mark) => {
                let target = self.pick(t);
                let entity = with_one!(r, R => if mark {
                    self.world.spawn((Mark, R(value(n)).to(target)))
                } else {
                    self.world.spawn(R(value(n)).to(target))
                });
                self.came(entity);
                self.model.insert(r, entity, target, n);
            }
            Step::SpawnBatch(r, t) => {
                let target = self.pick(t);
                let spawned = with_one!(r, R => {
                    self.world.spawn_batch((0..3).map(|_| (Mark, R(value(n)).to(target)))).to_vec()
                });
                for entity in spawned {
                    self.came(entity);
                    self.model.insert(r, entity, target, n);
                }
            }
            Step::SpawnMany(a, b) => {
                let (a, b) = (self.pick(a), self.pick(b));
                let entity = self
                    .world
                    .spawn(Likes(value(n)).to(a).and(Likes(value(n + 1)), b));
                self.came(entity);
                for (target, value) in [(a, n), (b, n + 1)] {
                    self.model.relate(LIKES, entity, target, value);
                }
            }
            Step::Insert(r, s, t) | Step::InsertBoth(r, s, t) | Step::Replace(r, s, t) => {
                let (source, target) = (self.pick(s), self.pick(t));
                let is_alive = self.model.alive.contains(&source);
                let is_right = !is_alive || self.model.may_relate(r, source, target);
                let world = &mut self.world;
                let outcome = catch_unwind(AssertUnwindSafe(|| {
                    with_one!(r, R => match step {
                        Step::InsertBoth(..) => world.insert(source, (Mark, R(value(n)).to(target))),
                        Step::Replace(..) => world.replace(source, R(value(n)).to(target)).map(drop),
                        _ => world.insert(source, R(value(n)).to(target)),
                    })
                }));
                match outcome {
                    Ok(result) => {
                        assert!(is_right, "refused");
                        assert_eq!(result.is_ok(), is_alive);
                        if is_alive {
                            self.model.insert(r, source, target, n);
                        }
                    }
                    Err(panic) if is_right => std::panic::resume_unwind(panic),
                    Err(panic) => {
                        let message = panic.downcast_ref::<String>().expect("a message");
                        assert!(message.contains("instead of panicking"), "{message}");
                    }
                }
            }
            Step::Relate(r, s, t) => {
                let (source, target) = (self.pick(s), self.pick(t));
                let result = with_any!(r, R => self.world.relate(source, R(value(n)), target));
                assert_eq!(
                    result.is_ok(),
                    self.model.relate(r, source, target, n),
                    "{result:?}"
                );
                assert_eq!(
                    with_any!(r, R => self.world.is_related::<R>(source, target)),
                    self.model.edges[r]
                        .sources
                        .get(&target)
                        .is_some_and(|s| s.contains(&source)),
                );
            }
            Step::Unrelate(r, s, t) => {
                let (source, target) = (self.pick(s), self.pick(t));
                let result = with_any!(r, R => self.world.unrelate::<R>(source, target));
                assert_eq!(result.is_ok(), self.model.alive.contains(&source));
                let before = self.model.edges[r].clone();
                self.model.edges[r].cut(source, target);
                assert_eq!(result == Ok(true), before != self.model.edges[r]);
            }
            Step::RemoveOutgoing(r, s) => {
                let source = self.pick(s);
                let _ = with_any!(r, R => {
                    self.world.remove::<<R as Relation>::Outgoing>(source)
                });
                self.model.edges[r].cut_targets(source);
            }
            Step::RemoveSources(r, t) => {
                let target = self.pick(t);
                let _ = with_any!(r, R => self.world.remove::<Sources<R>>(target));
                self.model.edges[r].cut_sources(target);
            }
            Step::MoveOutgoing(r, from, to) => {
                let (from, to) = (self.pick(from), self.pick(to));
                let taken = self.model.edges[r]
                    .targets
                    .get(&from)
                    .cloned()
                    .unwrap_or_default();
                let fits = self.model.alive.contains(&to)
                    && taken.iter().all(|&(target, _)| target != to)
                    && !taken.is_empty();
                if fits {
                    // Not to close circles, so after it is off.
                    let mut after = self.model.clone();
                    after.edges[r].cut_targets(from);
                    if taken
                        .iter()
                        .all(|&(target, _)| after.may_relate(r, to, target))
                    {
                        with_any!(r, R => {
                            let taken = self.world.take::<<R as Relation>::Outgoing>(from).unwrap();
                            self.world.insert(to, taken).unwrap();
                        });
                        self.model = after;
                        self.model.edges[r].cut_targets(to);
                        for (target, value) in taken {
                            self.model.edges[r].add(to, target, value);
                        }
                    }
                }
            }
            Step::MoveSources(r, from, to) => {
                let (from, to) = (self.pick(from), self.pick(to));
                with_any!(r, R => {
                    if let Ok(taken) = self.world.take::<Sources<R>>(from) {
                        assert_eq!(taken.len(), 0, "its edges are cut");
                        self.model.edges[r].cut_sources(from);
                        if self.world.insert(to, taken).is_ok() {
                            self.model.edges[r].cut_sources(to);
                        }
                    }
                });
            }
            Step::Mark(e) => {
                let entity = self.pick(e);
                if self.world.has::<Mark>(entity) {
                    let _ = self.world.remove::<Mark>(entity);
                } else {
                    let _ = self.world.insert(entity, Mark);
                }
            }
            Step::Despawn(e) => {
                let entity = self.pick(e);
                let _ = self.world.despawn(entity);
                self.model.despawn(entity);
            }
            Step::DespawnMarked => {
                let marked: Vec<Entity> = self
                    .world
                    .query_filtered::<Entity, With<Mark>>()
                    .iter()
                    .collect();
                self.world.despawn_all::<With<Mark>>();
                marked
                    .into_iter()
                    .for_each(|entity| self.model.despawn(entity));
            }
            Step::DespawnFollowers => {
                self.world.despawn_all::<With<Target<Follows>>>();
                let followers: Vec<Entity> =
                    self.model.edges[FOLLOWS].targets.keys().copied().collect();
                followers
                    .into_iter()
                    .for_each(|entity| self.model.despawn(entity));
            }
            Step::RemoveAll(r) => {
                let marked: Vec<Entity> = self
                    .world
                    .query_filtered::<Entity, With<Mark>>()
                    .iter()
                    .collect();
                with_any!(r, R => {
                    self.world.remove_all::<(<R as Relation>::Outgoing, Sources<R>), With<Mark>>();
                });
                for entity in marked {
                    self.model.edges[r].cut_targets(entity);
                    self.model.edges[r].cut_sources(entity);
                }
            }
            Step::InsertAll(t) => {
                let target = self.pick(t);
                let marked: Vec<Entity> = self
                    .world
                    .query_filtered::<Entity, With<Mark>>()
                    .iter()
                    .collect();
                let gone = self.world.spawn(());
                self.world.despawn(gone).unwrap();
                let target = |entity| if entity == target { gone } else { target };
                self.world.insert_all_with::<With<Mark>, _>(|entity| {
                    Follows(value(n)).to(target(entity))
                });
                for entity in marked {
                    self.model.insert(FOLLOWS, entity, target(entity), n);
                }
            }
            Step::Sort(r, t) => {
                let target = self.pick(t);
                with_any!(r, R => if let Some(mut sources) = self.world.sources_mut::<R>(target) {
                    sources.sort_by_key(|source| core::cmp::Reverse(source.id()));
                });
                if let Some(sources) = self.model.edges[r].sources.get_mut(&target) {
                    sources.sort_by_key(|&source| core::cmp::Reverse(source));
                }
            }
            Step::MoveTo(r, t, s) => {
                let (target, source) = (self.pick(t), self.pick(s));
                let position = n as usize % 4;
                let moved = with_any!(r, R => {
                    let sources = self.world.sources_mut::<R>(target);
                    sources.is_some_and(|mut sources| sources.move_to(source, position))
                });
                let sources = self.model.edges[r].sources.get_mut(&target);
                let from = sources
                    .as_ref()
                    .and_then(|s| s.iter().position(|&other| other == source));
                assert_eq!(moved, from.is_some());
                if let (Some(sources), Some(from)) = (sources, from) {
                    sources.remove(from);
                    sources.insert(position.min(sources.len()), source);
                }
            }
            Step::Clear => {
                self.world.clear();
                self.model = Model::default();
            }
        }
    }

    /// Queues what can be queued; the model does it at once.
    fn queue(&mut self, steps: &[Step]) {
        let mut queue = CommandQueue::new();
        for &step in steps {
            let n = self.number();
            match step {
                Step::Spawn(Some((r, t)), _) => {
                    let target = self.pick(t);
                    let mut commands = Commands::new(&mut queue, self.world.entities());
                    let entity =
                        with_one!(r, R => commands.spawn((Mark, R(value(n)).to(target))).id());
                    self.came(entity);
                    self.model.insert(r, entity, target, n);
                }
                Step::Spawn(None, _) => {
                    // Nobody fills it, so it is placed where it is first used.
                    let mut commands = Commands::new(&mut queue, self.world.entities());
                    let entity = commands.spawn_empty().id();
                    self.came(entity);
                }
                Step::Relate(r, s, t) => {
                    let (source, target) = (self.pick(s), self.pick(t));
                    let mut commands = Commands::new(&mut queue, self.world.entities());
                    with_any!(r, R => {
                        commands.entity(source).relate(R(value(n)), target);
                    });
                    self.model.relate(r, source, target, n);
                }
                Step::Unrelate(r, s, t) => {
                    let (source, target) = (self.pick(s), self.pick(t));
                    let mut commands = Commands::new(&mut queue, self.world.entities());
                    with_any!(r, R => commands.unrelate::<R>(source, target));
                    self.model.edges[r].cut(source, target);
                }
                Step::Insert(r, s, t) => {
                    let (source, target) = (self.pick(s), self.pick(t));
                    if self.model.may_relate(r, source, target) {
                        let mut commands = Commands::new(&mut queue, self.world.entities());
                        with_one!(r, R => commands.insert(source, R(value(n)).to(target)));
                        if self.model.alive.contains(&source) {
                            self.model.insert(r, source, target, n);
                        }
                    }
                }
                Step::RemoveOutgoing(r, s) => {
                    let source = self.pick(s);
                    let mut commands = Commands::new(&mut queue, self.world.entities());
                    with_any!(r, R => commands.remove::<<R as Relation>::Outgoing>(source));
                    self.model.edges[r].cut_targets(source);
                }
                Step::Despawn(e) => {
                    let entity = self.pick(e);
                    let mut commands = Commands::new(&mut queue, self.world.entities());
                    commands.despawn(entity);
                    self.model.despawn(entity);
                }
                _ => {}
            }
        }
        queue.apply(&mut self.world);
        self.world.flush();
    }

    fn check(&self) {
        self.world.check_invariants();
        let found = read(&self.world);
        assert_eq!(found, self.model);
        let told = self.world.resource::<Told>();
        for relation in [CHILD_OF, FOLLOWS] {
            let targets = self.model.edges[relation].targets.iter();
            let targets: BTreeMap<Entity, Entity> = targets.map(|(&s, t)| (s, t[0].0)).collect();
            assert_eq!(told.0[relation], targets);
        }
        let edges = &self.model.edges[CHILD_OF];
        for &entity in &self.model.alive {
            let mut expected = Vec::new();
            let mut open = vec![entity];
            while let Some(at) = open.pop() {
                expected.push(at);
                open.extend(edges.sources.get(&at).into_iter().flatten().rev());
            }
            assert!(
                self.world
                    .descendants::<ChildOf>(entity)
                    .eq(expected[1..].iter().copied())
            );
            let descendants: BTreeSet<Entity> = expected[1..].iter().copied().collect();
            let wide: Vec<Entity> = self
                .world
                .descendants_breadth_first::<ChildOf>(entity)
                .collect();
            assert_eq!(wide.len(), descendants.len());
            assert_eq!(wide.into_iter().collect::<BTreeSet<_>>(), descendants);
            for descendant in descendants {
                assert!(
                    self.world
                        .ancestors::<ChildOf>(descendant)
                        .any(|other| other == entity)
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn both_ends_agree_with_plain_maps(acts in prop::collection::vec(act(), 1..80)) {
        std::panic::set_hook(Box::new(|info| {
            let message = info.payload_as_str().unwrap_or("");
            if message != "trap" && !message.contains("instead of panicking") {
                eprintln!("{info}");
            }
        }));
        LEDGER.with_borrow_mut(|ledger| *ledger = Ledger::default());
        let mut test = Test::new();
        for act in acts {
            match act {
                Act::Call(step) => test.call(step),
                Act::Queue(steps) => test.queue(&steps),
                Act::Trapped(step, trap) => {
                    TRAP.set(Some(TRAPS[trap]));
                    let outcome = catch_unwind(AssertUnwindSafe(|| test.call(step)));
                    TRAP.set(None);
                    if outcome.is_err() {
                        // What was done when it came is the business of other tests. It is whole.
                        test.world.check_invariants();
                        test.model = read(&test.world);
                        test.ids.extend(test.model.alive.iter().filter(|entity| !test.ids.contains(entity)).copied().collect::<Vec<_>>());
                        let mut told = test.world.resource_mut::<Told>();
                        for relation in [CHILD_OF, FOLLOWS] {
                            let targets = test.model.edges[relation].targets.iter();
                            told.0[relation] = targets.map(|(&s, t)| (s, t[0].0)).collect();
                        }
                    }
                }
            }
            test.check();
            let edges = test.model.edges.iter().flat_map(|edges| edges.targets.values());
            let edges: usize = edges.map(Vec::len).sum();
            LEDGER.with_borrow(|ledger| assert_eq!(ledger.alive().len(), edges));
        }
        drop(test);
        LEDGER.with_borrow(|ledger| assert!(ledger.alive().is_empty()));
    }
}
