//! Random plans of new entities, which are made one by one, or staged.

use std::collections::BTreeMap;

use ecs_core::component::ComponentId;
use ecs_core::prelude::*;
use ecs_core::relation::{Target, Targets};
use ecs_core::staging::{EdgeTarget, ErasedColumn, Staged, StagedEdge, StagedEdges, StagedRows};

use super::parts::{self, ChildOf, Dice, Follows, Likes, Sees, Token, numbered};

/// The components of plans. Components that require others come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Plain,
    Text,
    Mark,
    Wide,
    Kept,
    Tracked,
    Loose,
    Held,
    Trail,
    Lit,
    Tied,
    Needy,
    Greedy,
}

pub(crate) use Kind::*;

pub(crate) const KINDS: [Kind; 13] = [
    Plain, Text, Mark, Wide, Kept, Tracked, Loose, Held, Trail, Lit, Tied, Needy, Greedy,
];

/// Calls a function with the value of a kind that an entity gets.
macro_rules! with_value {
    ($kind:expr, $number:expr, $value:ident => $body:expr) => {{
        let number: u32 = $number;
        let token = |kind: Kind| numbered(10_000 + number * 20 + kind as u32);
        match $kind {
            Plain => {
                let $value = parts::Plain(number);
                $body
            }
            Text => {
                let $value = parts::Text(format!("text {number}"));
                $body
            }
            Mark => {
                let $value = parts::Mark;
                $body
            }
            Wide => {
                let $value = parts::Wide([number as u8; 300]);
                $body
            }
            Kept => {
                let $value = parts::Kept(token(Kept));
                $body
            }
            Tracked => {
                let $value = parts::Tracked(token(Tracked));
                $body
            }
            Loose => {
                let $value = parts::Loose(number.into());
                $body
            }
            Held => {
                let $value = parts::Held(token(Held));
                $body
            }
            Trail => {
                let $value = parts::Trail(token(Trail));
                $body
            }
            Lit => {
                let $value = parts::Lit(token(Lit));
                $body
            }
            Tied => {
                let $value = parts::Tied(token(Tied));
                $body
            }
            Needy => {
                let $value = parts::Needy(token(Needy));
                $body
            }
            Greedy => {
                let $value = parts::Greedy(token(Greedy));
                $body
            }
        }
    }};
}

impl Kind {
    pub(crate) fn id(self) -> ComponentId {
        match self {
            Plain => ComponentId::of::<parts::Plain>(),
            Text => ComponentId::of::<parts::Text>(),
            Mark => ComponentId::of::<parts::Mark>(),
            Wide => ComponentId::of::<parts::Wide>(),
            Kept => ComponentId::of::<parts::Kept>(),
            Tracked => ComponentId::of::<parts::Tracked>(),
            Loose => ComponentId::of::<parts::Loose>(),
            Held => ComponentId::of::<parts::Held>(),
            Trail => ComponentId::of::<parts::Trail>(),
            Lit => ComponentId::of::<parts::Lit>(),
            Tied => ComponentId::of::<parts::Tied>(),
            Needy => ComponentId::of::<parts::Needy>(),
            Greedy => ComponentId::of::<parts::Greedy>(),
        }
    }

    pub(crate) fn is_sparse(self) -> bool {
        matches!(self, Loose | Held | Trail | Lit | Greedy)
    }
}

/// A relation of plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tie {
    Child,
    Follow,
    Like,
    See,
}

pub(crate) const TIES: [Tie; 4] = [Tie::Child, Tie::Follow, Tie::Like, Tie::See];

impl Tie {
    pub(crate) fn outgoing(self) -> ComponentId {
        match self {
            Self::Child => ComponentId::of::<Target<ChildOf>>(),
            Self::Follow => ComponentId::of::<Target<Follows>>(),
            Self::Like => ComponentId::of::<Targets<Likes>>(),
            Self::See => ComponentId::of::<Targets<Sees>>(),
        }
    }

    fn is_many(self) -> bool {
        matches!(self, Self::Like | Self::See)
    }
}

/// An edge of a plan, and the key that sorts the targets of its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub(crate) edge: StagedEdge,
    pub(crate) key: u32,
}

/// New entities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) entities: Vec<Vec<Kind>>,
    pub(crate) edges: BTreeMap<Tie, Vec<Planned>>,
    pub(crate) resource: bool,
}

impl Plan {
    pub(crate) fn random(dice: &mut Dice, living: &[Entity]) -> Self {
        let count = dice.below(30);
        // Few sets of components, so that tables have several rows.
        let shapes: Vec<Vec<Kind>> = (0..1 + dice.below(4))
            .map(|_| KINDS.into_iter().filter(|_| dice.below(4) == 0).collect())
            .collect();
        let entities: Vec<Vec<Kind>> = (0..count)
            .map(|_| {
                let mut shape = shapes[dice.below(shapes.len())].clone();
                // The sparse ones also differ among entities of one table.
                shape.retain(|kind| !kind.is_sparse() || dice.below(3) > 0);
                shape
            })
            .collect();
        let mut edges: BTreeMap<Tie, Vec<Planned>> = BTreeMap::new();
        for tie in TIES {
            if count < 2 || dice.below(3) == 0 {
                continue;
            }
            let list = edges.entry(tie).or_default();
            let mut seen = Vec::new();
            for _ in 0..dice.below(2 * count) {
                let source = dice.below(count) as u32;
                let target = if dice.below(3) == 0 && !living.is_empty() {
                    EdgeTarget::Living(living[dice.below(living.len())])
                } else {
                    EdgeTarget::New(dice.below(count) as u32)
                };
                let edge = StagedEdge { source, target };
                // Sources of a tree have lower numbers than targets, so there are no cycles.
                let is_wrong = match target {
                    EdgeTarget::New(target) if tie == Tie::Child => target <= source,
                    EdgeTarget::New(target) => target == source,
                    EdgeTarget::Living(_) => false,
                };
                let is_known =
                    |other: &StagedEdge| *other == edge || !tie.is_many() && other.source == source;
                if !is_wrong && !seen.iter().any(is_known) {
                    seen.push(edge);
                    let key = dice.below(3) as u32;
                    list.push(Planned { edge, key });
                }
            }
        }
        let resource = dice.below(2) == 0;
        Self {
            entities,
            edges,
            resource,
        }
    }

    /// Makes the entities one by one.
    pub(crate) fn make(&self, world: &mut World) -> Vec<Entity> {
        let ids: Vec<Entity> = self.entities.iter().map(|_| world.spawn(())).collect();
        let is_late = |kind: Kind| matches!(kind, Tied | Needy | Greedy);
        for late in [false, true] {
            if late {
                self.relate(world, &ids);
            }
            for (number, kinds) in (0..).zip(&self.entities) {
                for &kind in kinds.iter().filter(|&&kind| is_late(kind) == late) {
                    with_value!(kind, number, value => world.insert(ids[number as usize], value).unwrap());
                }
            }
        }
        if self.resource {
            world.insert_resource(numbered(9_000));
        }
        ids
    }

    fn relate(&self, world: &mut World, ids: &[Entity]) {
        for (&tie, list) in &self.edges {
            let mut sorted: Vec<usize> = (0..list.len()).collect();
            sorted.sort_by_key(|&at| {
                (
                    list[at].edge.source,
                    if tie.is_many() { list[at].key } else { 0 },
                    at,
                )
            });
            for &at in &sorted {
                let StagedEdge { source, target } = list[at].edge;
                let (source, target) = (ids[source as usize], id_of(target, ids));
                match tie {
                    Tie::Child => world.relate(source, ChildOf(edge_token(tie, at)), target),
                    Tie::Follow => world.relate(source, Follows, target),
                    Tie::Like => world.relate(source, Likes(edge_token(tie, at)), target),
                    Tie::See => world.relate(source, Sees, target),
                }
                .unwrap();
            }
            match tie {
                Tie::Child => reorder::<ChildOf>(world, list, ids),
                Tie::Follow => reorder::<Follows>(world, list, ids),
                Tie::Like => reorder::<Likes>(world, list, ids),
                Tie::See => reorder::<Sees>(world, list, ids),
            }
        }
    }

    /// Stages the entities: entities with the same components in tables are staged together.
    pub(crate) fn stage(&self, dice: &mut Dice) -> Staged {
        let mut staged = Staged::new(self.entities.len() as u32);
        let mut tables: BTreeMap<Vec<Kind>, Vec<u32>> = BTreeMap::new();
        for (number, kinds) in (0..).zip(&self.entities) {
            let in_table: Vec<Kind> = kinds
                .iter()
                .copied()
                .filter(|kind| !kind.is_sparse())
                .collect();
            // Some tables are divided, and entities without components need not be in one.
            let twin = dice.below(5) == 0;
            if !in_table.is_empty() || dice.below(2) == 0 {
                let mut key = in_table;
                key.extend(twin.then_some(Loose));
                tables.entry(key).or_default().push(number);
            }
        }
        for (kinds, numbers) in tables {
            let columns = kinds
                .iter()
                .filter(|kind| !kind.is_sparse())
                .map(|&kind| column_of(kind, &numbers))
                .collect();
            let is_range = numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]);
            staged.add_table(
                if is_range {
                    StagedRows::Range(numbers[0]..numbers[0] + numbers.len() as u32)
                } else {
                    StagedRows::List(numbers)
                },
                columns,
            );
        }
        for kind in KINDS.into_iter().filter(|kind| kind.is_sparse()) {
            let mut numbers: Vec<u32> = (0..self.entities.len() as u32)
                .filter(|&number| self.entities[number as usize].contains(&kind))
                .collect();
            if dice.below(3) == 0 {
                numbers.reverse();
            }
            let column = column_of(kind, &numbers);
            staged.add_set(numbers, column);
        }
        for (&tie, list) in &self.edges {
            staged.add_edges(edges_of(tie, list));
        }
        if self.resource {
            staged.add_resource("a token", Box::new(numbered(9_000)));
        }
        staged
    }
}

pub(crate) fn id_of(target: EdgeTarget, ids: &[Entity]) -> Entity {
    match target {
        EdgeTarget::New(number) => ids[number as usize],
        EdgeTarget::Living(entity) => entity,
    }
}

pub(crate) fn edge_token(tie: Tie, at: usize) -> Token {
    numbered(20_000 + 1_000 * tie as u32 + at as u32)
}

/// Sorts the sources of each target in the order of the list, after the sources that it had before.
pub(crate) fn reorder<R: Relation>(world: &mut World, list: &[Planned], ids: &[Entity]) {
    let targets: Vec<Entity> = list
        .iter()
        .map(|planned| id_of(planned.edge.target, ids))
        .collect();
    for &target in &targets {
        let mut sources = world.sources_mut::<R>(target).unwrap();
        sources.sort_by_key(|source| {
            let found = list.iter().zip(&targets).position(|(planned, &other)| {
                ids[planned.edge.source as usize] == source.id() && other == target
            });
            found.map_or(0, |at| at + 1)
        });
    }
}

pub(crate) fn column_of(kind: Kind, numbers: &[u32]) -> ErasedColumn {
    let mut column = ErasedColumn::new(kind.id());
    for &number in numbers {
        with_value!(kind, number, value => assert!(column.push(value).is_ok()));
    }
    column
}

pub(crate) fn edges_of(tie: Tie, list: &[Planned]) -> StagedEdges {
    let mut values = ErasedColumn::of_edges(tie.outgoing()).unwrap();
    for at in 0..list.len() {
        let pushed = match tie {
            Tie::Child => values.push(ChildOf(edge_token(tie, at))).is_ok(),
            Tie::Follow => values.push(Follows).is_ok(),
            Tie::Like => values.push(Likes(edge_token(tie, at))).is_ok(),
            Tie::See => values.push(Sees).is_ok(),
        };
        assert!(pushed);
    }
    StagedEdges {
        outgoing: tie.outgoing(),
        edges: list.iter().map(|planned| planned.edge).collect(),
        order: list.iter().map(|planned| planned.key).collect(),
        values,
    }
}
