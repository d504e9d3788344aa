//! Relations in plain maps.

use std::collections::{BTreeMap, BTreeSet};

use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets, ToMany, ToOne};

use crate::relations_model::relations::{
    CHILD_OF, ChildOf, DESPAWNS, FOLLOWS, Follows, LIKES, Likes, NEEDS, Needs,
};

/// The edges of one relation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Edges {
    pub(crate) targets: BTreeMap<Entity, Vec<(Entity, u32)>>,
    pub(crate) sources: BTreeMap<Entity, Vec<Entity>>,
}

impl Edges {
    pub(crate) fn cut(&mut self, source: Entity, target: Entity) {
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

    pub(crate) fn cut_targets(&mut self, source: Entity) {
        for (target, _) in self.targets.get(&source).cloned().unwrap_or_default() {
            self.cut(source, target);
        }
    }

    pub(crate) fn cut_sources(&mut self, target: Entity) {
        for source in self.sources.get(&target).cloned().unwrap_or_default() {
            self.cut(source, target);
        }
    }

    pub(crate) fn add(&mut self, source: Entity, target: Entity, value: u32) {
        let targets = self.targets.entry(source).or_default();
        match targets.iter_mut().find(|(other, _)| *other == target) {
            Some((_, old)) => *old = value,
            None => {
                targets.push((target, value));
                self.sources.entry(target).or_default().push(source);
            }
        }
    }

    /// The first target of each source.
    pub(crate) fn only_targets(&self) -> BTreeMap<Entity, Entity> {
        let targets = self.targets.iter();
        targets
            .map(|(&source, targets)| (source, targets[0].0))
            .collect()
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
pub(crate) struct Model {
    pub(crate) alive: BTreeSet<Entity>,
    pub(crate) edges: [Edges; 4],
}

impl Model {
    /// Inserts the target component of a relation to one target.
    pub(crate) fn insert(&mut self, relation: usize, source: Entity, target: Entity, value: u32) {
        self.edges[relation].cut_targets(source);
        if self.alive.contains(&target) {
            self.edges[relation].add(source, target, value);
        }
    }

    pub(crate) fn may_relate(&self, relation: usize, source: Entity, target: Entity) -> bool {
        source != target
            && !(relation == CHILD_OF && self.edges[CHILD_OF].is_ancestor(source, target))
    }

    pub(crate) fn relate(
        &mut self,
        relation: usize,
        source: Entity,
        target: Entity,
        value: u32,
    ) -> bool {
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

    pub(crate) fn despawn(&mut self, entity: Entity) {
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
        for (target, value) in targets {
            assert_eq!(targets.get(target).map(number), Some(number(value)));
        }
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

/// Reads the world into a model.
pub(crate) fn read(world: &World) -> Model {
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
