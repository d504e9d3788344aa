//! Keeps the two ends of relations in line.
//!
//! What is done here belongs to the writes of a verb: no user code runs, so nobody ever sees one end without the other.
//! Values that must be dropped are noted in the verb's list, in boxes, so that sets can be changed again before that
//! is run. Limits were looked at [before](room), so that nothing here panics.

mod check;
mod despawn_set;
mod list;
mod room;

pub(crate) use check::WrongEnd;
pub(crate) use list::List;
pub use list::ListIter;

use core::mem::take;
use core::ptr::NonNull;

use self::list::number;
use super::{DropList, Storage};
use crate::component::{ComponentId, End, Values};
use crate::entity::Entity;

/// What the value of a source begins with that has one target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetLink {
    pub(crate) target: Entity,
    /// In which slot of the target's list the source is.
    slot: u32,
}

impl TargetLink {
    pub(crate) const fn new(target: Entity) -> Self {
        Self { target, slot: 0 }
    }
}

impl Storage {
    /// Whether the component is an end of a relation.
    #[inline]
    fn end_of(&self, component: ComponentId) -> Option<End> {
        Some(self.store(component).info.link?.end)
    }

    /// The component at the other end.
    fn other(&self, component: ComponentId) -> ComponentId {
        self.store(component).other.expect("it is an end")
    }

    /// The entity's target, of a component that is an [`End::Target`].
    pub(crate) fn toward(&self, component: ComponentId, entity: Entity) -> Option<&TargetLink> {
        debug_assert!(matches!(self.end_of(component), Some(End::Target { .. })));
        let value = self.store(component).settled().set().get(entity)?;
        // SAFETY: by invariant 1 of `RawLink` the value begins with one; it stays where it is while the storage is borrowed.
        Some(unsafe { &*value.cast() })
    }

    fn toward_mut(&mut self, component: ComponentId, entity: Entity) -> Option<&mut TargetLink> {
        debug_assert!(matches!(self.end_of(component), Some(End::Target { .. })));
        let value = self.store_mut(component).set_mut().get(entity)?;
        // SAFETY: by invariant 1 of `RawLink` the value begins with one; the storage is borrowed exclusively as long as the reference.
        Some(unsafe { &mut *value.cast() })
    }

    /// The entity's list, of a component that is another [`End`].
    pub(crate) fn list(&self, component: ComponentId, entity: Entity) -> Option<&List> {
        debug_assert!(!matches!(
            self.end_of(component),
            None | Some(End::Target { .. })
        ));
        let value = self.store(component).settled().set().get(entity)?;
        // SAFETY: by invariant 1 of `RawLink` the value begins with one; it stays where it is while the storage is borrowed.
        Some(unsafe { &*value.cast() })
    }

    fn list_mut(&mut self, component: ComponentId, entity: Entity) -> Option<&mut List> {
        debug_assert!(!matches!(
            self.end_of(component),
            None | Some(End::Target { .. })
        ));
        let value = self.store_mut(component).set_mut().get(entity)?;
        // SAFETY: by invariant 1 of `RawLink` the value begins with one; the storage is borrowed exclusively as long as the reference.
        Some(unsafe { &mut *value.cast() })
    }

    /// Brings the others in line with values that were just put in, as far as these components are ends and not in line
    /// already. A value whose target does not live is taken off again.
    ///
    /// Before the first write of the verb there was [room](Self::reserve_edges) for the edges of these values.
    #[inline(never)]
    pub(crate) fn link(
        &mut self,
        components: &[ComponentId],
        entity: Entity,
        drops: &mut DropList,
    ) {
        for &component in components {
            match self.end_of(component) {
                Some(End::Target { acyclic, .. }) => {
                    self.link_target(component, entity, acyclic, drops);
                }
                Some(End::Targets { values }) => {
                    self.link_targets(component, entity, values, drops);
                }
                // It has come without anybody: there is no other way to have one.
                Some(End::Sources { .. }) => self.discard_if_empty(component, entity),
                None => {}
            }
        }
    }

    /// Brings the others in line before values leave, as far as the entity has these components and they are ends.
    #[inline(never)]
    pub(crate) fn unlink(
        &mut self,
        components: &[ComponentId],
        entity: Entity,
        drops: &mut DropList,
    ) {
        for &component in components {
            match self.end_of(component) {
                Some(End::Target { .. }) => {
                    if let Some(&TargetLink { target, slot }) = self.toward(component, entity) {
                        self.take_out(self.other(component), target, slot as usize);
                    }
                }
                Some(End::Targets { .. }) => self.unlink_targets(component, entity),
                Some(End::Sources { .. }) => self.unlink_sources(component, entity, drops),
                None => {}
            }
        }
    }

    /// As [`unlink`](Self::unlink), of all that the entity has.
    pub(super) fn unlink_all(&mut self, entity: Entity, drops: &mut DropList) {
        let links = take(&mut self.links);
        self.unlink(&links, entity, drops);
        self.links = links;
    }

    fn link_target(
        &mut self,
        component: ComponentId,
        entity: Entity,
        acyclic: bool,
        drops: &mut DropList,
    ) {
        let other = self.other(component);
        let Some(&TargetLink { target, slot }) = self.toward(component, entity) else {
            return;
        };
        let list = self.list(other, target);
        if list.is_some_and(|list| list.at(slot as usize) == Some(entity)) {
            return;
        }
        // Who inserts a bundle was refused before. This is about components that others require.
        let is_wrong = acyclic && self.is_ancestor(other, entity, target);
        let slot = (!is_wrong).then(|| self.push(other, target, entity));
        match slot.flatten() {
            Some(slot) => {
                let toward = self.toward_mut(component, entity);
                toward.expect("it has one").slot = number(slot);
            }
            None => self.cut_target(component, entity, drops),
        }
    }

    fn link_targets(
        &mut self,
        component: ComponentId,
        entity: Entity,
        values: Values,
        drops: &mut DropList,
    ) {
        let other = self.other(component);
        let Some(list) = self.list(component, entity) else {
            return;
        };
        let edges: Vec<(usize, Entity)> = list.edges().collect();
        for (slot, target) in edges {
            let own = self
                .list(component, entity)
                .and_then(|list| list.twin(slot));
            let twin = own.filter(|&twin| {
                let list = self.list(other, target);
                list.is_some_and(|list| {
                    list.at(twin) == Some(entity) && list.twin(twin) == Some(slot)
                })
            });
            if twin.is_some() {
                continue;
            }
            match self.push(other, target, entity) {
                Some(twin) => self.set_twins((component, entity, slot), (other, target, twin)),
                None => {
                    self.take_value(component, entity, slot, values, drops);
                    let list = self.list_mut(component, entity);
                    list.expect("it has one").take_out(slot);
                }
            }
        }
        self.discard_if_empty(component, entity);
    }

    fn unlink_targets(&mut self, component: ComponentId, entity: Entity) {
        let other = self.other(component);
        let Some(list) = self.list_mut(component, entity) else {
            return;
        };
        // Out of the way meanwhile. It stays as it is, as it may go on to another place.
        let list = take(list);
        for (slot, target) in list.edges() {
            self.take_out(
                other,
                target,
                list.twin(slot).expect("each edge has a twin"),
            );
        }
        *self.list_mut(component, entity).expect("it has one") = list;
    }

    /// Cuts all edges to the entity, which keeps an empty list.
    fn unlink_sources(&mut self, component: ComponentId, entity: Entity, drops: &mut DropList) {
        let other = self.other(component);
        let Some(list) = self.list_mut(component, entity) else {
            return;
        };
        let list = take(list);
        for (slot, source) in list.edges() {
            match list.twin(slot) {
                None => self.cut_target(other, source, drops),
                Some(twin) => self.cut_edge(other, source, twin, drops),
            }
        }
    }

    /// Adds an edge from a source, which has a list, at whose end the caller puts its value. Says whether the target lives.
    ///
    /// There is [room](Self::reserve_edge) for it.
    #[inline]
    pub(crate) fn add_edge(
        &mut self,
        component: ComponentId,
        source: Entity,
        target: Entity,
    ) -> bool {
        let other = self.other(component);
        let Some(twin) = self.push(other, target, source) else {
            return false;
        };
        let list = self.list_mut(component, source);
        let slot = list.expect("the source has a list").push(target);
        self.set_twins((component, source, slot), (other, target, twin));
        true
    }

    /// Cuts the edge in a slot of a source's list. Its value is noted to be dropped.
    #[inline]
    pub(crate) fn cut(
        &mut self,
        component: ComponentId,
        source: Entity,
        slot: usize,
        drops: &mut DropList,
    ) {
        let list = self.list(component, source).expect("the source has a list");
        let target = list.at(slot).expect("there is an edge");
        let twin = list.twin(slot).expect("each edge has a twin");
        self.take_out(self.other(component), target, twin);
        self.cut_edge(component, source, slot, drops);
    }

    /// The slot of the edge from `source`, which has a list, to `target`. O(edges of that of them which has fewer).
    #[inline]
    pub(crate) fn edge(
        &self,
        component: ComponentId,
        source: Entity,
        target: Entity,
    ) -> Option<usize> {
        let targets = self.list(component, source)?;
        let sources = self.list(self.other(component), target)?;
        if targets.len() <= sources.len() {
            targets.find(target)
        } else {
            sources.find(source).and_then(|slot| sources.twin(slot))
        }
    }

    /// The sources of a target, in order, to be put in another order.
    #[inline]
    pub(crate) fn order(
        &self,
        component: ComponentId,
        target: Entity,
    ) -> Vec<(Entity, Option<usize>)> {
        let list = self.list(component, target).into_iter();
        let edges = list.flat_map(|list| {
            let edges = list.edges();
            edges.map(|(slot, source)| (source, list.twin(slot)))
        });
        edges.collect()
    }

    /// Puts the sources of a target in another order: the same ones that [`order`](Self::order) has given out.
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
        self.tell_twins(component, target);
    }

    /// Adds a source at the end of a target's list, which is made if there is none; `None` if the target does not live, or
    /// is the source.
    fn push(&mut self, component: ComponentId, target: Entity, source: Entity) -> Option<usize> {
        self.entities.get(target)?;
        if target == source {
            return None;
        }
        let set = self.store_mut(component).set_mut();
        if !set.contains(target) {
            assert!(set.has_room(), "room was made before the first write");
            set.reserve_position(target);
            // SAFETY: the target has a row and is not in the set, as was just looked up, which has room for its value and its
            // position; the value is written at once.
            let place = unsafe { set.push(target) };
            // SAFETY: the place is one for the sources of a relation, which are a list.
            unsafe { place.cast::<List>().write(List::default()) };
            if !self.linked {
                self.linked = true;
                self.watch_leaving();
            }
        }
        let list = self.list_mut(component, target);
        Some(list.expect("it has one").push(source))
    }

    /// Takes a source out of a target's list.
    fn take_out(&mut self, component: ComponentId, target: Entity, slot: usize) {
        let list = self.list_mut(component, target);
        let list = list.expect("the target has a list with the source");
        list.take_out(slot);
        self.tidy(component, target);
    }

    /// Brings a list in order from which something was taken out.
    fn tidy(&mut self, component: ComponentId, entity: Entity) {
        let list = self.list_mut(component, entity).expect("it has one");
        if !list.is_full_of_gaps() {
            self.discard_if_empty(component, entity);
            return;
        }
        list.compact();
        if let Some(End::Targets { values }) = self.end_of(component)
            && let Some(value) = self.store_mut(component).set_mut().get(entity)
        {
            // SAFETY: the function is the component's, and the value one of it, to which nobody has a reference.
            unsafe { (values.compact)(value) };
        }
        self.tell_twins(component, entity);
    }

    /// Tells those at the other end in which slots they are now.
    fn tell_twins(&mut self, component: ComponentId, entity: Entity) {
        let other = self.other(component);
        let list = take(self.list_mut(component, entity).expect("it has one"));
        for (slot, source) in list.edges() {
            match list.twin(slot) {
                None => {
                    let toward = self.toward_mut(other, source);
                    toward.expect("each source has a target").slot = number(slot);
                }
                Some(twin) => {
                    let list = self.list_mut(other, source);
                    list.expect("each edge is in two lists")
                        .set_twin(twin, slot);
                }
            }
        }
        *self.list_mut(component, entity).expect("it has one") = list;
    }

    fn set_twins(
        &mut self,
        (component, source, slot): (ComponentId, Entity, usize),
        (other, target, twin): (ComponentId, Entity, usize),
    ) {
        let list = self.list_mut(component, source);
        list.expect("the source has a list").set_twin(slot, twin);
        let list = self.list_mut(other, target);
        list.expect("the target has a list").set_twin(twin, slot);
    }

    /// Takes its target off a source.
    fn cut_target(&mut self, component: ComponentId, source: Entity, drops: &mut DropList) {
        let Some(End::Target { values, .. }) = self.end_of(component) else {
            return;
        };
        if let Some(value) = self.take_sparse_off(component, source) {
            // SAFETY: it was a value of the component, which nobody else reaches, and is not used again.
            let boxed = unsafe { (values.take)(value, 0) };
            drop_boxed(boxed, values, drops);
        }
    }

    /// Cuts an edge at its source, where it has a list.
    fn cut_edge(
        &mut self,
        component: ComponentId,
        source: Entity,
        slot: usize,
        drops: &mut DropList,
    ) {
        let Some(End::Targets { values }) = self.end_of(component) else {
            return;
        };
        self.take_value(component, source, slot, values, drops);
        self.take_out(component, source, slot);
    }

    fn take_value(
        &mut self,
        component: ComponentId,
        source: Entity,
        slot: usize,
        values: Values,
        drops: &mut DropList,
    ) {
        if let Some(value) = self.store_mut(component).set_mut().get(source) {
            // SAFETY: it is a value of the component, to which nobody has a reference.
            let boxed = unsafe { (values.take)(value, slot) };
            drop_boxed(boxed, values, drops);
        }
    }

    /// Takes an empty list off an entity.
    fn discard_if_empty(&mut self, component: ComponentId, entity: Entity) {
        let list = self.list(component, entity);
        if list.is_some_and(List::is_empty)
            && let Some(value) = self.take_sparse_off(component, entity)
            && let Some(drop) = self.store(component).info.drop
        {
            // SAFETY: it was a value of the component, which is not used again. Being empty it has no values of edges, so
            // no user code runs.
            unsafe { drop(value, 1) };
        }
    }

    /// Checks that both ends of all relations agree.
    #[cfg(feature = "validate")]
    pub(super) fn check_links(&self) {
        for &component in &self.links {
            let store = self.store(component);
            let (name, other) = (store.info.name, self.other(component));
            for &entity in store.settled().set().entities() {
                assert!(self.linked, "{name} is known to be in use");
                if let Some(End::Target { .. }) = self.end_of(component) {
                    let toward = self.toward(component, entity).expect("it has one");
                    let list = self.list(other, toward.target);
                    let list = list.unwrap_or_else(|| {
                        panic!("{name} of {entity}: {} has sources", toward.target)
                    });
                    let back = list.at(toward.slot as usize);
                    assert_eq!(
                        back,
                        Some(entity),
                        "{name} of {entity} is known to its target"
                    );
                    continue;
                }
                let list = self.list(component, entity).expect("it has one");
                assert!(!list.is_empty(), "{name} of {entity} has somebody");
                assert_eq!(
                    list.as_slice().len(),
                    list.len(),
                    "{name} of {entity} knows its length"
                );
                for (slot, end) in list.edges() {
                    let back = match list.twin(slot) {
                        None => self
                            .toward(other, end)
                            .map(|toward| (toward.target, toward.slot as usize)),
                        Some(twin) => self
                            .list(other, end)
                            .and_then(|list| list.at(twin).zip(list.twin(twin))),
                    };
                    assert_eq!(
                        back,
                        Some((entity, slot)),
                        "{name} of {entity} is known to {end}"
                    );
                }
            }
        }
    }
}

/// Notes a box to be dropped that the functions of a component have given out.
fn drop_boxed(boxed: Option<NonNull<u8>>, values: Values, drops: &mut DropList) {
    if let Some(value) = boxed {
        // SAFETY: `take` has given the box away, which `free`, of the same component (invariant 1 of `Values`), drops.
        unsafe { drops.push(Some(values.free), value.as_ptr(), 1) };
    }
}
