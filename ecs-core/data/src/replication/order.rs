//! The order of the sources of targets, which edges alone do not have.

use std::collections::{BTreeMap, HashSet};

use ecs_engine::{Entity, World};

use super::Protocol;

/// The sources of the targets of all relations, in order.
#[derive(Default)]
pub(super) struct SourceOrders {
    /// By the position of the relation in the protocol, and the target.
    lists: BTreeMap<(usize, Entity), SourceOrder>,
}

struct SourceOrder {
    sources: Vec<Entity>,
    /// The clock of the update that moved sources.
    version: u64,
    /// The clock of the last update that found it.
    found: u64,
}

impl SourceOrder {
    /// Returns true if a target has these sources in this order, beside ones that are not sent, if the same entities are sent as before.
    fn is_same(
        &self,
        sources: impl Iterator<Item = Entity>,
        is_sent: impl Fn(Entity) -> bool,
    ) -> bool {
        let mut known = self.sources.iter().copied().peekable();
        for source in sources {
            if known.next_if_eq(&source).is_none() && is_sent(source) {
                return false;
            }
        }
        known.next().is_none()
    }
}

impl SourceOrders {
    pub(super) fn clear(&mut self) {
        self.lists.clear();
    }

    /// Takes over the lists of a world, with the entities that are sent. Returns true if sources were moved. O(edges), in
    /// comparisons unless `is_listed`: then other entities may be sent than in the last update.
    pub(super) fn update(
        &mut self,
        protocol: &Protocol,
        world: &World,
        is_sent: impl Fn(Entity) -> bool,
        is_listed: bool,
        clock: u64,
    ) -> bool {
        let mut is_moved = false;
        for (position, kind) in protocol.kinds.iter().enumerate() {
            let Some(edges) = kind.edges else {
                continue;
            };
            for &target in world.targets_of_relation(&edges.info) {
                let sources = world.sources_erased(&edges.info, target);
                // A single source is in order.
                if sources.len() < 2 {
                    continue;
                }
                let key = (position, target);
                let mut known = self.lists.get_mut(&key);
                if let Some(order) = &mut known
                    && !is_listed
                    && order.is_same(sources, &is_sent)
                {
                    order.found = clock;
                    continue;
                }
                let sources = world.sources_erased(&edges.info, target);
                let sources: Vec<Entity> = sources.filter(|&source| is_sent(source)).collect();
                if sources.len() < 2 || !is_sent(target) {
                    continue;
                }
                let version = match known {
                    Some(order) if is_continued(&order.sources, &sources) => order.version,
                    _ => clock,
                };
                is_moved |= version == clock;
                let order = SourceOrder {
                    sources,
                    version,
                    found: clock,
                };
                self.lists.insert(key, order);
            }
        }
        self.lists.retain(|_, order| order.found == clock);
        is_moved
    }

    /// The number of targets with several sources.
    pub(super) fn len(&self) -> usize {
        self.lists.len()
    }

    /// Returns true if a target has several sources of a relation.
    pub(super) fn has(&self, key: &(usize, Entity)) -> bool {
        self.lists.contains_key(key)
    }

    /// Iterates over relations and targets, with the clock since their sources have this order.
    pub(super) fn lists(&self) -> impl Iterator<Item = ((usize, Entity), u64, &[Entity])> {
        let lists = self.lists.iter();
        lists.map(|(&key, order)| (key, order.version, &order.sources[..]))
    }

    /// Returns the sources that come last at each target, if a client does not have them in this order already.
    ///
    /// `shown` has the clock since the client sees an entity. `sent` are the relations and sources whose edges are in the packet,
    /// sorted: a client adds them after the others, in the order of their ids. `is_disturbed` says of a relation and a target
    /// that the client may have any order.
    pub(super) fn tails(
        &self,
        shown: impl Fn(Entity) -> Option<u64>,
        confirmed: u64,
        sent: &[(usize, Entity)],
        is_disturbed: impl Fn(&(usize, Entity)) -> bool,
    ) -> Vec<(usize, Entity, Vec<Entity>)> {
        let mut tails = Vec::new();
        for (&(kind, target), order) in &self.lists {
            let Some(since) = shown(target) else {
                continue;
            };
            let seen = order.sources.iter().copied();
            let mut seen = seen.filter(|&source| shown(source).is_some());
            let is_sent = |source: &Entity| sent.binary_search(&(kind, *source)).is_ok();
            let tail: Vec<Entity> =
                if order.version.max(since) > confirmed || is_disturbed(&(kind, target)) {
                    seen.collect()
                } else if sent.is_empty() {
                    continue;
                } else {
                    let first = seen.find(is_sent);
                    first.into_iter().chain(seen).collect()
                };
            if !tail.is_sorted() || !tail.iter().all(is_sent) {
                tails.push((kind, target, tail));
            }
        }
        tails
    }
}

/// Returns true if a list is an older one without some of its entities, and with new ones at the end.
fn is_continued(old: &[Entity], new: &[Entity]) -> bool {
    if new.starts_with(old) {
        return true;
    }
    let all: HashSet<Entity> = new.iter().copied().collect();
    let mut left = old.iter().filter(|source| all.contains(source));
    let mut new = new.iter();
    left.all(|source| new.next() == Some(source))
}
