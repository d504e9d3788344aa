//! The order of the sources of a target.

use alloc::vec::Vec;

use super::super::Storage;
use crate::component::{ComponentId, End};
use crate::entity::Entity;

impl Storage {
    /// Returns the sources of a target in their order, to be reordered.
    #[inline]
    pub(crate) fn order(
        &self,
        component: ComponentId,
        target: Entity,
    ) -> Vec<(Entity, Option<usize>)> {
        let list = self.list(component, target).into_iter();
        let edges = list.flat_map(|list| {
            let edges = list.edges();
            edges.map(|(slot, source)| (source, list.reverse_slot(slot)))
        });
        edges.collect()
    }

    /// Reorders the sources of a target; `order` is a permutation of the result of [`order`](Self::order).
    #[inline]
    pub(crate) fn set_order(
        &mut self,
        component: ComponentId,
        target: Entity,
        order: Vec<(Entity, Option<usize>)>,
    ) {
        let Some(list) = self.list_mut(component, target) else {
            return;
        };
        debug_assert_eq!(list.len(), order.len());
        list.set(order);
        let slots = 0..list.end();
        self.update_reverse_slots(component, target, slots);
    }

    /// Moves sources of a target, each listed once: the first one gets an index among the others, or the end if there are
    /// fewer, and the next ones follow it. Returns how many of the entities are sources; the others are ignored.
    ///
    /// Costs as much as moving elements of a vector; few other edges change, amortised.
    #[inline]
    pub(crate) fn move_sources(
        &mut self,
        component: ComponentId,
        target: Entity,
        index: usize,
        sources: &[Entity],
    ) -> usize {
        if let [source] = sources {
            return usize::from(self.move_source(component, target, index, *source));
        }
        // To the end first, so that the index is one among the others.
        for &source in sources {
            self.move_source(component, target, usize::MAX, source);
        }
        let mut moved = 0;
        for &source in sources {
            moved += usize::from(self.move_source(
                component,
                target,
                index.saturating_add(moved),
                source,
            ));
        }
        moved
    }

    #[inline]
    fn move_source(
        &mut self,
        component: ComponentId,
        target: Entity,
        index: usize,
        source: Entity,
    ) -> bool {
        let Some(slot) = self.source_slot(component, target, source) else {
            return false;
        };
        let list = self.list_mut(component, target);
        let changed = list.expect("a target has a list").move_to(slot, index);
        self.update_reverse_slots(component, target, changed);
        self.compact_or_discard(component, target);
        true
    }

    /// Returns the slot of a source in the list of a target.
    #[inline]
    fn source_slot(&self, component: ComponentId, target: Entity, source: Entity) -> Option<usize> {
        let outgoing = self.other(component);
        if let Some(End::Target { .. }) = self.end_of(outgoing) {
            let link = self.target_link(outgoing, source)?;
            return (link.target == target).then_some(link.slot as usize);
        }
        let slot = self.edge(outgoing, source, target)?;
        self.list(outgoing, source)?.reverse_slot(slot)
    }
}
