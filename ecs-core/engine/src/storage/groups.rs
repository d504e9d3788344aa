//! Groups: sparse sets that keep the entities they have in common at the front, in the same order in each.
//!
//! ```text
//! groups (A, B) and (A, B, C); the sets of A, B and C contain these entities:
//!
//! A  | 7 3 | 9 1 | 4        entities in the order of the set; 7 and 3 are in (A, B, C),
//! B  | 7 3 | 9 1 | 5 8      7, 3, 9 and 1 are in (A, B)
//! C  | 7 3 | 2
//! ```
//!
//! Two groups are either nested or disjoint. So the groups of one component are a chain: the more members a group has, the
//! fewer entities it has, and the further left they are. An entity enters the groups from the smallest to the largest and
//! leaves them in reverse, with one swap of two values per member and group.

#[cfg(feature = "snapshot")]
mod snapshot;

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::group_member::{GroupMembers, Member};
use super::sparse_set::SparseSet;
use super::store::ComponentStore;
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::sort::sort_by_number;

/// The groups of a world.
///
/// A family is a group that is inside no other one, together with all groups inside it.
#[derive(Default)]
pub(crate) struct Groups {
    families: Vec<Family>,
}

/// Groups from the smallest to the largest, which contains all others.
struct Family(Vec<SetGroup>);

struct SetGroup {
    /// Invariant 1: at least two sparse components, which are registered and not immediate.
    members: Box<[ComponentId]>,
    /// The bits of the members, see [`Member`].
    bits: u16,
    /// Invariant 2: the first `len` entities of each member's set are the entities that have all members, in the same order
    /// in each set.
    len: usize,
}

impl Groups {
    /// The maximum number of components in a group.
    pub(crate) const MAX_MEMBERS: usize = u16::BITS as usize;

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.families.is_empty()
    }

    /// Returns the number of entities that have all components of a set, if the set is a group. Their values come
    /// first, in the same order, in the sparse set of each component.
    pub(crate) fn len(&self, all: GroupMembers) -> Option<usize> {
        let groups = &self.families.get(usize::from(all.family))?.0;
        let group = groups.iter().find(|group| group.bits == all.bits)?;
        Some(group.len)
    }

    /// Returns a member and the length of the smallest group whose components are all in the given set. Every entity that
    /// has the whole set is among the member's first ones, up to that length.
    pub(crate) fn narrowest(&self, all: GroupMembers) -> Option<(ComponentId, usize)> {
        let groups = &self.families.get(usize::from(all.family))?.0;
        let mut narrowest: Option<&SetGroup> = None;
        for group in groups {
            let is_inside = group.bits & !all.bits == 0;
            if is_inside && narrowest.is_none_or(|other| group.len < other.len) {
                narrowest = Some(group);
            }
        }
        narrowest.map(|group| (group.members[0], group.len))
    }

    /// Replaces all groups. Each set has at least two and at most [`MAX_MEMBERS`](Self::MAX_MEMBERS) components, all of
    /// them sparse, registered and not immediate; any two sets are nested and different, or disjoint.
    #[inline]
    pub(super) fn set(
        &mut self,
        components: &mut [ComponentStore],
        mut sets: Vec<Vec<ComponentId>>,
    ) {
        self.families.clear();
        for store in &mut *components {
            store.member = Member::default();
        }
        sort_by_number(&mut sets, |set| set.len() as u64);
        // From the largest set on: each set is either inside an existing family, or the first of a new one.
        while let Some(members) = sets.pop() {
            if !components[members[0].index()].member.is_grouped() {
                let family =
                    u16::try_from(self.families.len()).expect("fewer than 65,536 families");
                for (number, member) in members.iter().enumerate() {
                    let bit = 1 << number;
                    components[member.index()].member = Member { family, bit };
                }
                self.families.push(Family(Vec::new()));
            }
            let mut bits = 0;
            for member in &members {
                bits |= components[member.index()].member.bit;
            }
            let family = components[members[0].index()].member.family;
            let group = SetGroup {
                bits,
                members: members.into(),
                len: 0,
            };
            self.families[usize::from(family)].0.insert(0, group);
        }
        for family in &mut self.families {
            for group in &mut family.0 {
                group.fill(components);
            }
        }
    }

    /// Adds an entity that just got the component to the groups that it belongs to now.
    pub(super) fn enter(
        &mut self,
        components: &mut [ComponentStore],
        member: Member,
        entity: Entity,
    ) {
        for group in &mut self.families[usize::from(member.family)].0 {
            if group.bits & member.bit == 0 {
                continue;
            }
            if !group.fits(components, entity) {
                // Then it does not fit into the larger ones either.
                return;
            }
            group.add(components, entity);
        }
    }

    /// Removes an entity that will lose the component, if it has it, from all groups that the component is in.
    #[cold]
    #[inline(never)]
    pub(super) fn leave(
        &mut self,
        components: &mut [ComponentStore],
        member: Member,
        entity: Entity,
    ) {
        for group in self.families[usize::from(member.family)].0.iter_mut().rev() {
            if group.bits & member.bit != 0 {
                group.remove(components, entity);
            }
        }
    }

    /// Empties all groups. Called when all sets are emptied.
    pub(super) fn clear(&mut self) {
        for family in &mut self.families {
            for group in &mut family.0 {
                group.len = 0;
            }
        }
    }

    /// Checks invariants 1 and 2.
    #[cfg(feature = "validate")]
    pub(super) fn check(&self, components: &[ComponentStore]) {
        for group in self.families.iter().flat_map(|family| &family.0) {
            assert!(group.members.len() > 1, "a group has several members");
            let sets = || {
                let members = group.members.iter();
                members.map(|id| components[id.index()].frozen_shared().set())
            };
            let first = components[group.members[0].index()]
                .frozen_shared()
                .set()
                .entities();
            for set in sets() {
                assert_eq!(
                    set.entities()[..group.len],
                    first[..group.len],
                    "the sets of a group start with the same entities"
                );
            }
            let complete = first
                .iter()
                .filter(|&&entity| sets().all(|set| set.contains(entity)));
            assert_eq!(
                complete.count(),
                group.len,
                "all entities that have the members are in the group"
            );
        }
    }
}

impl SetGroup {
    #[inline]
    fn set(components: &mut [ComponentStore], member: ComponentId) -> &SparseSet {
        components[member.index()].set_mut()
    }

    /// Returns true if the entity has all members.
    fn fits(&self, components: &mut [ComponentStore], entity: Entity) -> bool {
        let mut members = self.members.iter();
        members.all(|&id| Self::set(components, id).contains(entity))
    }

    /// Adds an entity that has all members and is not in the group.
    fn add(&mut self, components: &mut [ComponentStore], entity: Entity) {
        for id in &self.members {
            components[id.index()].set_mut().swap_to(entity, self.len);
        }
        self.len += 1;
    }

    /// Removes an entity, if it is in the group.
    fn remove(&mut self, components: &mut [ComponentStore], entity: Entity) {
        let position = Self::set(components, self.members[0]).position(entity);
        if position.is_some_and(|position| position < self.len) {
            self.len -= 1;
            for id in &self.members {
                components[id.index()].set_mut().swap_to(entity, self.len);
            }
        }
    }

    /// Adds all entities that have all members. The group must be empty.
    #[inline]
    fn fill(&mut self, components: &mut [ComponentStore]) {
        let mut shortest = self.members[0];
        for &member in &self.members {
            if Self::set(components, member).len() < Self::set(components, shortest).len() {
                shortest = member;
            }
        }
        for position in 0..Self::set(components, shortest).len() {
            // A swap moves an entity that was visited already to this position.
            let entity = Self::set(components, shortest).entities()[position];
            if self.fits(components, entity) {
                self.add(components, entity);
            }
        }
    }
}
