//! Edges between entities that return to a copy and others, which stay.

use alloc::vec::Vec;

use super::links::NewEdge;
use super::{DropList, Storage};
use crate::component::{ComponentId, End};
use crate::entity::Entity;

impl Storage {
    /// Returns the first edge of each relation that leaves the part: the function returns true for its source and false for
    /// its target. Each comes with the component of sources.
    pub(crate) fn edges_out_of(
        &self,
        is_inside: &dyn Fn(Entity) -> bool,
    ) -> Vec<(ComponentId, Entity, Entity)> {
        let mut found = Vec::new();
        for &component in &self.sparse {
            let store = self.store(component);
            let Some(End::Sources { .. }) = store.info.link.map(|link| link.end) else {
                continue;
            };
            let outgoing = store.other.expect("it is an end of a relation");
            let targets = store.frozen_shared().set().entities().iter();
            found.extend(targets.copied().find_map(|target| {
                let list = self
                    .list(component, target)
                    .filter(|_| !is_inside(target))?;
                let source = list.iter().find(|&source| is_inside(source))?;
                Some((outgoing, source, target))
            }));
        }
        found
    }

    /// Cuts all edges between entities inside and others, except edges from others to entities that return. Returns these
    /// edges, by targets in the order of their sources, and the sources that are despawned because a target is gone.
    pub(super) fn detach_others(
        &mut self,
        is_inside: &dyn Fn(Entity) -> bool,
        returns: &dyn Fn(Entity) -> bool,
        drops: &mut DropList,
    ) -> (Vec<(ComponentId, NewEdge)>, Vec<Entity>) {
        let (mut kept, mut orphans, mut cut) = (Vec::new(), Vec::new(), Vec::new());
        for &incoming in &self.sparse {
            let store = self.store(incoming);
            let Some(End::Sources { despawned }) = store.info.link.map(|link| link.end) else {
                continue;
            };
            let outgoing = store.other.expect("it is an end of a relation");
            for &target in store.frozen_shared().set().entities() {
                let list = self.list(incoming, target);
                let list = list.expect("the entity has the component");
                for (place, source) in list.edges() {
                    if is_inside(source) == is_inside(target) {
                        continue;
                    }
                    let slot = list.reverse_slot(place);
                    if is_inside(target) && returns(target) {
                        let slot = slot.unwrap_or(0) as u32;
                        let edge = NewEdge {
                            source,
                            target,
                            slot,
                        };
                        kept.push((outgoing, edge));
                        continue;
                    }
                    if is_inside(target) && despawned {
                        orphans.push(source);
                    }
                    cut.push((outgoing, source, target));
                }
            }
        }
        for (outgoing, source, target) in cut {
            // Slots change when lists are compacted, so each edge is searched for.
            match self.edge_slot(outgoing, source, target) {
                Some(slot) => self.cut(outgoing, source, slot, drops),
                None => self.cut_single(outgoing, source, drops),
            }
        }
        for (outgoing, edge) in &mut kept {
            let slot = self.edge_slot(*outgoing, edge.source, edge.target);
            edge.slot = slot.unwrap_or(0) as u32;
        }
        (kept, orphans)
    }

    /// Adds edges of others to the lists of their targets again, which are the copy's lists.
    pub(super) fn attach_others(&mut self, edges: Vec<(ComponentId, NewEdge)>) {
        for (outgoing, edge) in edges {
            let incoming = self.store(outgoing).other;
            let incoming = incoming.expect("it is an end of a relation");
            self.store_mut(incoming).set_mut().make_room(1);
            self.link_new(outgoing, [edge]);
        }
    }

    /// Returns the slot of an edge in the list of its source; `None` if the source has one target and so no list.
    fn edge_slot(&self, outgoing: ComponentId, source: Entity, target: Entity) -> Option<usize> {
        let link = self.store(outgoing).info.link?;
        matches!(link.end, End::Targets { .. })
            .then(|| self.edge(outgoing, source, target))
            .flatten()
    }
}
