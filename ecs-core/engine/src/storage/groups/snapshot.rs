//! Copies of groups.

use alloc::vec::Vec;

use super::Groups;
use crate::component::ComponentId;

impl Groups {
    /// Copies the members of all groups, and the numbers of their entities.
    pub(in crate::storage) fn copy_to(&self, copy: &mut Vec<(Vec<ComponentId>, usize)>) {
        let mut groups = 0;
        for group in self.families.iter().flat_map(|family| &family.0) {
            if copy.len() == groups {
                copy.push((Vec::new(), 0));
            }
            let (members, len) = &mut copy[groups];
            members.clear();
            members.extend_from_slice(&group.members);
            *len = group.len;
            groups += 1;
        }
        copy.truncate(groups);
    }

    /// Returns true if these are the groups of a copy.
    pub(in crate::storage) fn are_of(&self, copy: &[(Vec<ComponentId>, usize)]) -> bool {
        let groups = || self.families.iter().flat_map(|family| &family.0);
        let mut pairs = groups().zip(copy);
        groups().count() == copy.len()
            && pairs.all(|(group, (members, _))| *group.members == **members)
    }

    /// Returns true if these can be the components of groups.
    pub(in crate::storage) fn can_be(sets: &[&[ComponentId]]) -> bool {
        let has = |set: &[ComponentId], id: &ComponentId| set.contains(id);
        let is_group = |set: &[ComponentId]| {
            let is_member = |id: &ComponentId| id.storage().is_by_entity() && !id.is_immediate();
            let is_once = |(n, id): (usize, &ComponentId)| !has(&set[..n], id);
            (2..=Self::MAX_MEMBERS).contains(&set.len())
                && set.iter().all(is_member)
                && set.iter().enumerate().all(is_once)
        };
        let is_beside = |one: &[ComponentId], other: &[ComponentId]| {
            let shared = one.iter().filter(|id| has(other, id)).count();
            shared == 0 || one.len() != other.len() && shared == one.len().min(other.len())
        };
        let pairs = |n: usize| sets[..n].iter().all(|other| is_beside(sets[n], other));
        sets.iter().all(|set| is_group(set)) && (0..sets.len()).all(pairs)
    }

    /// The components of each group.
    pub(in crate::storage) fn members(&self) -> Vec<Vec<ComponentId>> {
        let groups = self.families.iter().flat_map(|family| &family.0);
        groups.map(|group| group.members.to_vec()).collect()
    }

    /// Returns to a copy of these groups; the sets of all components have returned to theirs.
    pub(in crate::storage) fn return_to(&mut self, copy: &[(Vec<ComponentId>, usize)]) {
        let groups = self.families.iter_mut().flat_map(|family| &mut family.0);
        for (group, (_, len)) in groups.zip(copy) {
            group.len = *len;
        }
    }
}
