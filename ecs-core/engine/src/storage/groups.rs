//! Groups: sparse sets that keep the entities they have in common at the front, in the same order in each.
//!
//! ```text
//! groups (A, B) and (A, B, C); an upper-case letter is a value of an entity that has all of the group
//!
//! A  | 7 3 | 9 1 | 4        entities in the order of the set; 7 and 3 are in (A, B, C),
//! B  | 7 3 | 9 1 | 5 8      7, 3, 9 and 1 are in (A, B)
//! C  | 7 3 | 2
//! ```
//!
//! Two groups are nested or have nothing in common. So the groups of one component are a chain, in which the one with
//! more members has fewer entities, further left: an entity enters them from the smallest group to the largest and
//! leaves them the other way round, with one exchange of two values per member and group.

use super::sparse_set::SparseSet;
use super::store::ComponentStore;
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::sort::sort_short;

/// The groups of a world.
///
/// A family is a group that is inside no other one, and all groups inside it.
#[derive(Default)]
pub(crate) struct Groups {
    families: Vec<Family>,
}

/// Groups from the smallest to the largest, which contains all others.
struct Family(Vec<Group>);

struct Group {
    /// Invariant 1: at least two sparse components, which the world knows and which are not immediate.
    members: Box<[ComponentId]>,
    /// The members' bits, see [`Member`].
    bits: u16,
    /// Invariant 2: the first `len` values of each member's set are those of the entities that have all members, in the
    /// same order in each set.
    len: usize,
}

/// Where a component stands in the groups of its world.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Member {
    family: u16,
    /// Its bit among the components of the family; 0 if it is in no group.
    bit: u16,
}

impl Member {
    /// Whether the component is in a group.
    #[inline]
    pub(crate) fn is_grouped(self) -> bool {
        self.bit != 0
    }
}

/// A set of components of one family.
#[derive(Clone, Copy, Default)]
pub(crate) struct Members {
    /// Invariant 1: names a family of the world unless `bits` is 0.
    family: u16,
    bits: u16,
}

impl Members {
    /// Adds a component; `false` if it is in no group, or in one of another family than the others.
    #[inline]
    pub(crate) fn add(&mut self, member: Member) -> bool {
        if self.bits == 0 {
            self.family = member.family;
        }
        let fits = member.is_grouped() && member.family == self.family;
        if fits {
            self.bits |= member.bit;
        }
        fits
    }
}

impl Groups {
    /// The most components that a group can have.
    pub(crate) const MAX_MEMBERS: usize = u16::BITS as usize;

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.families.is_empty()
    }

    /// The number of entities that have all components of a set, the values of which come first, in the same order, in
    /// the sparse set of each component; `None` if they are no group.
    pub(crate) fn len(&self, all: Members) -> Option<usize> {
        let groups = &self.families.get(usize::from(all.family))?.0;
        let group = groups.iter().find(|group| group.bits == all.bits)?;
        Some(group.len)
    }

    /// The smallest number of entities that a group has which is part of a set of components, and a member of the group:
    /// whoever has all of the set is among the first so many of the member's.
    pub(crate) fn narrowest(&self, all: Members) -> Option<(ComponentId, usize)> {
        let groups = &self.families.get(usize::from(all.family))?.0;
        let mut narrowest: Option<&Group> = None;
        for group in groups {
            let is_inside = group.bits & !all.bits == 0;
            if is_inside && narrowest.is_none_or(|other| group.len < other.len) {
                narrowest = Some(group);
            }
        }
        narrowest.map(|group| (group.members[0], group.len))
    }

    /// Replaces all groups; every set of members has at least two and at most [`MAX_MEMBERS`](Self::MAX_MEMBERS)
    /// components, all of them sparse, known and not immediate, and two sets are nested but not the same, or have nothing in common.
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
        sort_short(&mut sets, Vec::len);
        // From the largest set on: each one either lies in a family that is there, or is the first of a new one.
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
            let group = Group {
                bits,
                members: members.into(),
                len: 0,
            };
            self.families[usize::from(family)].0.insert(0, group);
        }
        for family in &mut self.families {
            for group in &mut family.0 {
                group.pack(components);
            }
        }
    }

    /// Moves an entity, which just got the component, to the groups that it belongs to now.
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
                // Nor does it fit into the larger ones.
                return;
            }
            group.take_in(components, entity);
        }
    }

    /// Moves an entity, which will lose the component if it has it, out of all groups that the component is in.
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
                group.let_out(components, entity);
            }
        }
    }

    /// Notes that all sets are empty.
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
                members.map(|id| components[id.index()].settled().set())
            };
            let first = components[group.members[0].index()]
                .settled()
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

impl Group {
    #[inline]
    fn set(components: &mut [ComponentStore], member: ComponentId) -> &SparseSet {
        components[member.index()].set_mut()
    }

    /// Whether the entity has all members.
    fn fits(&self, components: &mut [ComponentStore], entity: Entity) -> bool {
        let mut members = self.members.iter();
        members.all(|&id| Self::set(components, id).contains(entity))
    }

    /// Adds an entity that has all members.
    fn take_in(&mut self, components: &mut [ComponentStore], entity: Entity) {
        for id in &self.members {
            components[id.index()].set_mut().exchange(entity, self.len);
        }
        self.len += 1;
    }

    /// Takes out an entity, if it is in the group.
    fn let_out(&mut self, components: &mut [ComponentStore], entity: Entity) {
        let position = Self::set(components, self.members[0]).position(entity);
        if position.is_some_and(|position| position < self.len) {
            self.len -= 1;
            for id in &self.members {
                components[id.index()].set_mut().exchange(entity, self.len);
            }
        }
    }

    /// Takes in all entities that have all members, none of which is in the group yet.
    #[inline]
    fn pack(&mut self, components: &mut [ComponentStore]) {
        let mut shortest = self.members[0];
        for &member in &self.members {
            if Self::set(components, member).len() < Self::set(components, shortest).len() {
                shortest = member;
            }
        }
        for position in 0..Self::set(components, shortest).len() {
            // An exchange brings here an entity that was asked already.
            let entity = Self::set(components, shortest).entities()[position];
            if self.fits(components, entity) {
                self.take_in(components, entity);
            }
        }
    }
}
