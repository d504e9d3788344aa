//! Relations without their types: a list of them, and their edges.

use alloc::vec::Vec;
use core::any::TypeId;
use core::fmt;
use core::iter::FusedIterator;

use crate::component::{ComponentId, EdgeValues, End, RawLink};
use crate::data_type::DataType;
use crate::entity::Entity;
use crate::hash::IdMap;
use crate::sort::sort_by_number;
use crate::storage::{EdgeList, Head, Storage, TargetLink};
use crate::world::World;

/// A relation whose type is not known.
#[derive(Clone, Copy)]
pub struct RelationInfo {
    outgoing: ComponentId,
    end: End,
    edge: &'static EdgeValues,
    link: &'static RawLink,
    data: Option<&'static DataType>,
}

impl RelationInfo {
    /// Returns the relation whose sources have the component; `None` if it is another component.
    #[inline]
    #[must_use]
    pub fn of(outgoing: ComponentId) -> Option<Self> {
        let info = outgoing.info();
        let link = info.link?;
        Some(Self {
            outgoing,
            end: link.end,
            edge: link.end.edge_values()?,
            link,
            data: outgoing.relation(),
        })
    }

    /// Returns the component of sources, [`Target`](crate::relation::Target) or [`Targets`](crate::relation::Targets), which
    /// stands for the relation.
    #[inline]
    #[must_use]
    pub fn outgoing(&self) -> ComponentId {
        self.outgoing
    }

    /// Returns the component of targets, [`Sources`](crate::relation::Sources).
    #[inline]
    #[must_use]
    pub fn incoming(&self) -> ComponentId {
        self.link.other()
    }

    /// Returns the name of the relation if it is data, or else the full path of its type.
    #[inline]
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.data {
            Some(data) => data.name(),
            None => (self.edge.type_name)(),
        }
    }

    /// Returns functions for the values of edges, if the relation is data.
    #[inline]
    #[must_use]
    pub fn data(&self) -> Option<&'static DataType> {
        self.data
    }

    /// Returns the size of the value of an edge.
    #[inline]
    pub(crate) fn value_size(&self) -> usize {
        self.edge.layout.size()
    }

    /// Returns true if the values of edges have bytes.
    #[inline]
    #[must_use]
    pub fn has_values(&self) -> bool {
        self.value_size() > 0
    }

    /// Returns the type of the values of edges: the relation's type.
    #[inline]
    #[must_use]
    pub fn type_id(&self) -> TypeId {
        (self.edge.type_id)()
    }

    /// Returns true if a source can have many targets.
    #[inline]
    #[must_use]
    pub fn is_many(&self) -> bool {
        matches!(self.end, End::Targets { .. })
    }

    /// Returns true if no entity can be related to its own descendants.
    #[inline]
    #[must_use]
    pub fn is_tree(&self) -> bool {
        matches!(self.end, End::Target { acyclic: true, .. })
    }

    /// Returns true if sources are despawned with their target.
    #[inline]
    #[must_use]
    pub fn despawns_sources(&self) -> bool {
        let link = self.incoming().info().link;
        matches!(
            link.map(|link| link.end),
            Some(End::Sources { despawned: true })
        )
    }
}

impl RelationInfo {
    /// Writes a component of sources with the edges that `head` lists; `values` points to their values. All of it is moved.
    ///
    /// # Safety
    /// `head` belongs to this relation's end, `values` points to a value for each edge, and `place` to aligned memory for
    /// the component. Moved values are not used afterwards.
    #[inline]
    pub(super) unsafe fn make(&self, head: &Head, values: *const u8, place: *mut u8) {
        // SAFETY: the function is for values of the relation's component, and the rest is the contract of this function.
        unsafe { (self.edge.make)(head.as_ptr(), values, place) };
    }
}

impl fmt::Debug for RelationInfo {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RelationInfo({})", self.name())
    }
}

/// Reads edges. No run-time borrow is needed: edges are only changed through `&mut World`, and their values never.
#[doc(hidden)]
impl World {
    /// Returns the relations that the world knows, in the [order of registration](World#order).
    #[inline]
    #[must_use]
    pub fn relations(&self) -> Vec<RelationInfo> {
        let sparse = self.storage.sparse().iter();
        sparse
            .filter_map(|&component| RelationInfo::of(component))
            .collect()
    }

    /// Returns the entities that are sources of a relation, in no special order.
    #[inline]
    #[must_use]
    pub fn sources_of_relation(&self, relation: &RelationInfo) -> &[Entity] {
        entities_of(&self.storage, relation.outgoing)
    }

    /// Returns the entities that are targets of a relation, in no special order.
    #[inline]
    #[must_use]
    pub fn targets_of_relation(&self, relation: &RelationInfo) -> &[Entity] {
        entities_of(&self.storage, relation.incoming())
    }

    /// Iterates over the sources of a target, in order; over nothing if it has none, or was despawned.
    #[inline]
    pub fn sources_erased(
        &self,
        relation: &RelationInfo,
        target: Entity,
    ) -> impl ExactSizeIterator<Item = Entity> + '_ {
        let incoming = relation.incoming();
        let store = self.storage.component(incoming);
        let list = store.and_then(|_| self.storage.list(incoming, target));
        list.map(EdgeList::iter).unwrap_or_default()
    }

    /// Iterates over the targets of a source, in order, with pointers to the values of the edges, which are valid as long as
    /// the world is borrowed; over nothing if it has none, or was despawned.
    #[inline]
    #[must_use]
    pub fn targets_erased(&self, relation: &RelationInfo, source: Entity) -> TargetsOf<'_> {
        let outgoing = relation.outgoing;
        let store = self.storage.component(outgoing);
        let value = store.and_then(|store| store.frozen_shared().set().get(source));
        let ends = match value {
            None => Ends::One(None),
            Some(_) if relation.is_many() => match self.storage.list(outgoing, source) {
                Some(list) => Ends::Many(list, 0),
                None => Ends::One(None),
            },
            Some(_) => {
                let link = self.storage.target_link(outgoing, source);
                Ends::One(link.copied())
            }
        };
        TargetsOf {
            ends,
            value: value.unwrap_or(core::ptr::null_mut()),
            edge: relation.edge,
        }
    }
}

#[doc(hidden)]
impl World {
    /// Removes an edge and drops its value; returns true if there was one. Like [`unrelate`](Self::unrelate), for a relation
    /// whose type is not known.
    ///
    /// # Panics
    /// If the `Drop` of the value panics; the edge is removed nevertheless.
    #[inline]
    pub fn unrelate_erased(
        &mut self,
        relation: &RelationInfo,
        source: Entity,
        target: Entity,
    ) -> bool {
        let mut targets = self.targets_erased(relation, source);
        if targets.all(|(other, _)| other != target) {
            return false;
        }
        let component = relation.outgoing;
        if !relation.is_many() {
            return self.remove_erased(source, component) == Ok(true);
        }
        let slot = self.storage.edge(component, source, target);
        if let Some(slot) = slot {
            let mut drops = self.storage.take_drops();
            self.storage.cut(component, source, slot, &mut drops);
            self.storage.run(drops);
        }
        slot.is_some()
    }

    /// Sorts the sources of a target by their positions in a list. Sources that are not in it come last, in their present
    /// order.
    #[inline]
    pub fn order_sources_erased(
        &mut self,
        relation: &RelationInfo,
        target: Entity,
        list: &[Entity],
    ) {
        let component = relation.incoming();
        if self.storage.component(component).is_none() {
            return;
        }
        let mut positions = IdMap::<u32>::default();
        positions.extend(list.iter().map(|source| source.to_bits()).zip(0..));
        let mut order = self.storage.order(component, target);
        sort_by_number(&mut order, |(source, _)| {
            let found = positions.get(&source.to_bits());
            found.map_or(u64::MAX, |&position| position.into())
        });
        self.storage.set_order(component, target, order);
    }
}

#[inline]
fn entities_of(storage: &Storage, component: ComponentId) -> &[Entity] {
    let store = storage.component(component);
    store.map_or(&[], |store| store.frozen_shared().set().entities())
}

/// Iterator over the targets of a source, with pointers to the values of the edges; from [`World::targets_erased`].
pub struct TargetsOf<'w> {
    ends: Ends<'w>,
    /// Invariant 1: points to a value of the component that `edge` is for, unless `ends` has no end.
    value: *const u8,
    edge: &'static EdgeValues,
}

/// The remaining targets.
enum Ends<'w> {
    One(Option<TargetLink>),
    /// A list, and the next slot of it.
    Many(&'w EdgeList, usize),
}

impl TargetsOf<'_> {
    /// Returns the next item, and the slot of the source in the target's list, which grows along that list.
    #[inline]
    pub(super) fn next_placed(&mut self) -> Option<((Entity, *const u8), usize)> {
        let (target, slot, place) = match &mut self.ends {
            Ends::One(link) => {
                let link = link.take()?;
                (link.target, 0, link.slot())
            }
            Ends::Many(list, next) => loop {
                let slot = *next;
                if slot >= list.end() {
                    return None;
                }
                *next += 1;
                if let Some(target) = list.at(slot) {
                    let place = list.reverse_slot(slot);
                    break (target, slot, place.expect("each edge is in two lists"));
                }
            },
        };
        // SAFETY: the function is for values of the component, and `value` is one (invariant 1).
        let value = unsafe { (self.edge.value)(self.value, slot) };
        Some(((target, value), place))
    }
}

impl Iterator for TargetsOf<'_> {
    type Item = (Entity, *const u8);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_placed().map(|(item, _)| item)
    }
}

impl FusedIterator for TargetsOf<'_> {}

impl fmt::Debug for TargetsOf<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TargetsOf").finish_non_exhaustive()
    }
}
