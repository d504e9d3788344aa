//! Cached facts about a bundle type: its components, and the tables that entities move to when it is inserted or
//! removed.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::TypeId;
use core::hash::BuildHasher as _;
use hashbrown::HashMap;

use super::{Bundle, FieldVisitor, TypeVisitor};
use crate::component::{Component, ComponentId, LifecycleSet, Required};
use crate::entity::TableId;
use crate::hash::{BuildIndexHasher, BuildTypeIdHasher, TypeMap};
use crate::sort::{first_duplicate, sort_by_number};
use crate::storage::{ErasedColumn, Storage, Table};
use crate::type_name::without_engine;

/// The bundle types that a world has used.
pub(crate) struct Bundles {
    /// The index in `infos` of the last bundle found for each remainder of a type's hash. This cache replaces a search by
    /// one comparison with a constant.
    recent: [u32; RECENT],
    /// The bundle types that share an entry of `recent` with another one. A small world has none, and so allocates no map.
    by_type: TypeMap,
    infos: Vec<BundleInfo>,
    /// By component, the index in `infos` of the bundle that has only this component, for code that does not know its type.
    by_component: Vec<Option<u32>>,
    /// By the indices of the components, in order, the index in `infos` of the bundle that has only these components, for bundles
    /// with [optional](Bundle::IS_VARIABLE) parts.
    by_list: HashMap<Box<[u32]>, u32, BuildIndexHasher>,
    /// The list that was looked up last, to keep its memory.
    list: Vec<u32>,
}

/// A bundle that a world has used, for code that does not know its type.
#[derive(Clone, Copy)]
pub(crate) struct BundleIndex(u32);

/// One bundle type, or one list of components.
pub(crate) struct BundleInfo {
    /// Its place in the list of bundles.
    index: BundleIndex,
    /// The bundle type; [`NoBundle`] for a list of components.
    type_id: TypeId,
    /// The components in the order of the bundle's visit, each once.
    /// Invariant 1: the same as in `Bundle::types`, and registered.
    components: Box<[ComponentId]>,
    /// The required components that are not in `components`, each once: the nearest first.
    /// Invariant 3: registered.
    required: Box<[(ComponentId, &'static Required)]>,
    /// The columns of the `components` that are not sparse, in [`spawn_table`](Self::spawn_table), in order.
    /// Invariant 2: valid for that table.
    columns: Box<[u32]>,
    /// The table of an entity that has exactly the bundle and its required components.
    spawn_table: TableId,
    /// The sparse ones of `components` and `required`, in that order.
    sets: Box<[ComponentId]>,
    /// True if any of `components` has values that must be dropped.
    needs_drop: bool,
    /// True if the bundle has effects besides its components.
    has_effects: bool,
    /// The union of the observed lifecycle events of `components` and `required`.
    observed: LifecycleSet,
    /// True if no component is sparse, observed or required, none disables entities, and there are no effects: structural
    /// changes only write tables.
    is_plain: bool,
    /// True if a component disables entities.
    disables: bool,
    /// By table: the table that an entity moves to when the bundle is inserted, or removed.
    after_insert: TableMap,
    after_remove: TableMap,
}

const RECENT: usize = 64;

/// A type that is not a bundle, for lists of components.
struct NoBundle;

impl Default for Bundles {
    fn default() -> Self {
        Self {
            // Beyond every list.
            recent: [u32::MAX; RECENT],
            by_type: TypeMap::default(),
            infos: Vec::new(),
            by_component: Vec::new(),
            by_list: HashMap::default(),
            list: Vec::new(),
        }
    }
}

impl Bundles {
    /// Returns the info of `B`, registering `B` at its first use. O(1) except for the first use.
    ///
    /// # Panics
    /// If `B` has a component type twice.
    #[inline]
    pub(crate) fn info<B: Bundle>(&mut self, storage: &mut Storage) -> &mut BundleInfo {
        let bundle = BundleType {
            types: B::types::<TypeList>,
            name: core::any::type_name::<B>,
        };
        self.info_of(TypeId::of::<B>(), bundle, storage)
    }

    /// Returns the info of the components that this bundle has: [`info`](Self::info) of its type, unless some parts are optional.
    /// O(components) then, except for the first use.
    ///
    /// # Panics
    /// If it has a component type twice.
    #[inline]
    pub(crate) fn info_of_value<B: Bundle>(
        &mut self,
        bundle: &B,
        storage: &mut Storage,
    ) -> &mut BundleInfo {
        if !B::IS_VARIABLE {
            return self.info::<B>(storage);
        }
        self.list.clear();
        let mut list = ComponentList(&mut self.list);
        // SAFETY: the bundle is initialised, and the visitor moves nothing out.
        unsafe { B::fields(core::ptr::from_ref(bundle).cast_mut(), &mut list) };
        self.info_of_noted(core::any::type_name::<B>, storage)
    }

    /// Returns the info of the bundle with these components. `name` names its type in messages.
    pub(crate) fn info_of_list(
        &mut self,
        components: &[ComponentId],
        name: fn() -> &'static str,
        storage: &mut Storage,
    ) -> &mut BundleInfo {
        self.list.clear();
        let indices = components.iter().map(|component| component.index() as u32);
        self.list.extend(indices);
        self.info_of_noted(name, storage)
    }

    /// Returns the info of the components in `self.list`. Not generic, so compiled once.
    fn info_of_noted(
        &mut self,
        name: fn() -> &'static str,
        storage: &mut Storage,
    ) -> &mut BundleInfo {
        let index = match self.by_list.get(&*self.list) {
            Some(&index) => index,
            None => self.register_noted(name, storage),
        };
        &mut self.infos[index as usize]
    }

    #[cold]
    #[inline(never)]
    fn register_noted(&mut self, name: fn() -> &'static str, storage: &mut Storage) -> u32 {
        let components = self
            .list
            .iter()
            .map(|&index| ComponentId::from_index(index as usize));
        let list = TypeList::of(components.collect());
        let index = self.add(TypeId::of::<NoBundle>(), list, name, storage);
        self.by_list.insert(self.list.as_slice().into(), index);
        index
    }

    /// Returns the info of a bundle that this world has used.
    #[inline]
    pub(crate) fn at(&mut self, index: BundleIndex) -> &mut BundleInfo {
        &mut self.infos[index.0 as usize]
    }

    /// Not generic, so compiled once.
    #[inline]
    fn info_of(
        &mut self,
        id: TypeId,
        bundle: BundleType,
        storage: &mut Storage,
    ) -> &mut BundleInfo {
        let entry = BuildTypeIdHasher::default().hash_one(id) as usize % RECENT;
        let recent = self.recent[entry] as usize;
        let found = self.infos.get(recent);
        if found.is_some_and(|info| info.type_id == id) {
            return &mut self.infos[recent];
        }
        let index = self.find(id, recent, bundle, storage);
        self.recent[entry] = index;
        &mut self.infos[index as usize]
    }

    /// Returns the info of the bundle of one component, whose type is not known, registering it at its first use. O(1)
    /// except for the first use.
    #[inline]
    pub(crate) fn info_of_component(
        &mut self,
        component: ComponentId,
        storage: &mut Storage,
    ) -> &mut BundleInfo {
        let known = self.by_component.get(component.index()).copied().flatten();
        let index = known.unwrap_or_else(|| self.register_component(component, storage));
        &mut self.infos[index as usize]
    }

    #[cold]
    #[inline(never)]
    fn register_component(&mut self, component: ComponentId, storage: &mut Storage) -> u32 {
        let list = TypeList::of(vec![component]);
        let name = core::any::type_name::<NoBundle>;
        let index = self.add(TypeId::of::<NoBundle>(), list, name, storage);
        if self.by_component.len() <= component.index() {
            self.by_component.resize(component.index() + 1, None);
        }
        self.by_component[component.index()] = Some(index);
        index
    }

    /// Updates the set of observed events of every bundle. O(bundle types x their components).
    pub(crate) fn update_observed(&mut self, storage: &Storage) {
        for info in &mut self.infos {
            info.set_observed(storage);
        }
    }

    /// Finds or registers a bundle type, whose entry in `recent` has this index.
    #[cold]
    #[inline(never)]
    fn find(
        &mut self,
        id: TypeId,
        recent: usize,
        bundle: BundleType,
        storage: &mut Storage,
    ) -> u32 {
        if let Some(&index) = self.by_type.get(&id) {
            return index as u32;
        }
        let mut list = TypeList::default();
        (bundle.types)(&mut list);
        let index = self.add(id, list, bundle.name, storage);
        if let Some(other) = self.infos.get(recent) {
            self.by_type.insert(other.type_id, recent);
            self.by_type.insert(id, index as usize);
        }
        index
    }

    /// Adds the info of a list of components. `name` names its type in messages.
    fn add(
        &mut self,
        type_id: TypeId,
        list: TypeList,
        name: fn() -> &'static str,
        storage: &mut Storage,
    ) -> u32 {
        let index = self.infos.len() as u32;
        let info = BundleInfo::new(BundleIndex(index), type_id, list, name, storage);
        self.infos.push(info);
        index
    }
}

/// [`Bundles::info`] of some bundle, for code that does not depend on the bundle's type in any other way.
pub(crate) type InfoFn = for<'b> fn(&'b mut Bundles, &mut Storage) -> &'b mut BundleInfo;

/// The facts about a bundle type that come from the type itself.
#[derive(Clone, Copy)]
struct BundleType {
    types: fn(&mut TypeList),
    name: fn() -> &'static str,
}

#[derive(Default)]
struct TypeList {
    components: Vec<ComponentId>,
    /// The requirements of the components, without empty lists.
    requirements: Vec<&'static [Required]>,
    has_effects: bool,
}

impl TypeList {
    fn of(components: Vec<ComponentId>) -> Self {
        let all = components.iter();
        let all = all.map(|component| component.info().more.required);
        Self {
            requirements: all.filter(|required| !required.is_empty()).collect(),
            components,
            has_effects: false,
        }
    }
}

/// Lists the components of a value.
struct ComponentList<'a>(&'a mut Vec<u32>);

impl FieldVisitor for ComponentList<'_> {
    #[inline]
    unsafe fn visit<T: Component>(&mut self, _: *mut T) {
        self.0.push(ComponentId::of::<T>().index() as u32);
    }

    unsafe fn visit_erased(&mut self, values: &mut Vec<ErasedColumn>) {
        let components = values.iter().map(ErasedColumn::component);
        self.0
            .extend(components.map(|component| component.index() as u32));
    }
}

impl TypeVisitor for TypeList {
    fn visit<T: Component>(&mut self) {
        self.components.push(ComponentId::of::<T>());
        if !T::REQUIRED.is_empty() {
            self.requirements.push(T::REQUIRED);
        }
    }

    fn effect(&mut self) {
        self.has_effects = true;
    }
}

impl BundleInfo {
    fn new(
        index: BundleIndex,
        type_id: TypeId,
        list: TypeList,
        name: fn() -> &'static str,
        storage: &mut Storage,
    ) -> Self {
        let components = list.components;
        if let Some(component) = first_duplicate(&components) {
            panic!(
                "the bundle `{}` has the component `{}` twice; help: remove one of the two",
                without_engine(name()),
                component.name()
            );
        }
        let required = resolve(&components, list.requirements);
        let of_required = required.iter().map(|(component, _)| component);
        let all = components.iter().chain(of_required);
        storage.make_stores(all.clone());
        let mut in_table = Vec::with_capacity(components.len() + required.len());
        let mut sets = Vec::new();
        for &component in all {
            storage.register(component);
            if storage.store(component).info.storage.is_by_entity() {
                sets.push(component);
            } else {
                in_table.push(component);
            }
        }
        sort_by_number(&mut in_table, |&component| storage.rank(component).into());
        let spawn_table = storage.table_of(&in_table);
        let table = storage.table(spawn_table);
        let mut columns = Vec::with_capacity(components.len());
        let mut needs_drop = false;
        for &component in &components {
            if let Some(position) = table.position(component) {
                columns.push(position as u32);
            }
            needs_drop |= storage.store(component).info.drop.is_some();
        }
        let disables = |&component: &ComponentId| storage.store(component).info.disables;
        let disables = components.iter().any(disables);
        let mut info = Self {
            index,
            type_id,
            sets: sets.into(),
            observed: LifecycleSet::NOTHING,
            is_plain: false,
            disables,
            required,
            needs_drop,
            has_effects: list.has_effects,
            components: components.into(),
            columns: columns.into(),
            spawn_table,
            after_insert: TableMap::default(),
            after_remove: TableMap::default(),
        };
        info.set_observed(storage);
        info
    }

    fn set_observed(&mut self, storage: &Storage) {
        self.observed = LifecycleSet::NOTHING;
        for &component in &self.components {
            self.observed = self.observed.and(storage.store(component).observed);
        }
        for &(component, _) in &self.required {
            self.observed = self.observed.and(storage.store(component).observed);
        }
        self.is_plain = !self.has_sparse()
            && self.observed.is_nothing()
            && self.required.is_empty()
            && !self.disables
            && !self.has_effects;
    }

    #[inline]
    pub(crate) fn index(&self) -> BundleIndex {
        self.index
    }

    #[inline]
    pub(crate) fn components(&self) -> &[ComponentId] {
        &self.components
    }

    /// The components that are inserted together with the bundle's own ones if they are missing. `B` is the bundle.
    #[inline]
    pub(crate) fn required<B: Bundle>(&self) -> &[(ComponentId, &'static Required)] {
        if B::MAY_REQUIRE {
            &self.required
        } else {
            // Equal to `self.required`, and a constant for the compiler.
            debug_assert!(self.required.is_empty());
            &[]
        }
    }

    /// Like [`required`](Self::required), if the type of the bundle is not known.
    pub(crate) fn requirements(&self) -> &[(ComponentId, &'static Required)] {
        &self.required
    }

    /// The sparse ones of its components and of its required components.
    #[inline]
    pub(crate) fn sets(&self) -> &[ComponentId] {
        &self.sets
    }

    /// The columns of its components that are not sparse, in the [`spawn_table`](Self::spawn_table), in order.
    #[inline]
    pub(crate) fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Pointers to the first value of each field's column in a table that has them all, and to the first ticks if it is
    /// tracked.
    pub(crate) fn starts_in(&self, table: &Table) -> Vec<*mut u8> {
        let mut starts = Vec::with_capacity(self.components.len());
        for &component in &self.components {
            let position = table.position(component);
            let position = position.expect("the table has the bundle's components");
            table.push_starts(position, &mut starts);
        }
        starts
    }

    #[inline]
    pub(crate) fn spawn_table(&self) -> TableId {
        self.spawn_table
    }

    #[inline]
    pub(crate) fn has_sparse(&self) -> bool {
        self.columns.len() < self.components.len()
    }

    /// The union of the observed lifecycle events of the components and the required components.
    #[inline]
    pub(crate) fn observed(&self) -> LifecycleSet {
        self.observed
    }

    /// Returns true if inserting and removing it only touches its own components, in tables, and notifies no observer.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Returns true if it [is plain](Self::is_plain), as the info of a `B`. The info of a value with optional parts knows nothing
    /// of effects.
    #[inline]
    pub(crate) fn is_plain_of<B: Bundle>(&self) -> bool {
        !(B::IS_VARIABLE && B::HAS_EFFECTS) && self.is_plain()
    }

    /// Returns true if one of its components disables entities.
    #[inline]
    pub(crate) fn disables(&self) -> bool {
        self.disables
    }

    /// Returns true if values of the bundle must be dropped.
    #[inline]
    pub(crate) fn needs_drop(&self) -> bool {
        self.needs_drop
    }

    /// Returns true if its components are all sparse, so that removing it never changes an entity's table.
    #[inline]
    pub(crate) fn keeps_table(&self) -> bool {
        self.columns.is_empty()
    }

    /// The table that an entity in `from` moves to when the bundle and its required components are inserted.
    #[inline]
    pub(crate) fn after_insert(&mut self, from: TableId, storage: &mut Storage) -> TableId {
        match self.after_insert.get(from) {
            Some(table) => table,
            None => self.find_after_insert(from, storage),
        }
    }

    #[cold]
    fn find_after_insert(&mut self, from: TableId, storage: &mut Storage) -> TableId {
        let mut components: Vec<ComponentId> = Vec::new();
        for table in [from, self.spawn_table] {
            for component in storage.table(table).components() {
                if !components.contains(&component) {
                    components.push(component);
                }
            }
        }
        sort_by_number(&mut components, |&component| storage.rank(component).into());
        let table = storage.table_of(&components);
        self.after_insert.set(from, table);
        table
    }

    /// The table that an entity in `from` moves to when the bundle is removed.
    #[inline]
    pub(crate) fn after_remove(&mut self, from: TableId, storage: &mut Storage) -> TableId {
        match self.after_remove.get(from) {
            Some(table) => table,
            None => self.find_after_remove(from, storage),
        }
    }

    #[cold]
    fn find_after_remove(&mut self, from: TableId, storage: &mut Storage) -> TableId {
        let mut components = Vec::new();
        for component in storage.table(from).components() {
            if !self.components.contains(&component) {
                components.push(component);
            }
        }
        let table = storage.table_of(&components);
        self.after_remove.set(from, table);
        table
    }
}

/// Returns the components that these ones require and that are not among them, the nearest first.
#[inline]
pub(crate) fn required_by(components: &[ComponentId]) -> Box<[(ComponentId, &'static Required)]> {
    resolve(components, TypeList::of(components.into()).requirements)
}

/// The required components that are not among `components`: breadth first because the nearest requirement wins.
fn resolve(
    components: &[ComponentId],
    mut requirements: Vec<&'static [Required]>,
) -> Box<[(ComponentId, &'static Required)]> {
    let mut found: Vec<(ComponentId, &'static Required)> = Vec::new();
    let mut next = 0;
    while next < requirements.len() {
        for required in requirements[next] {
            let id = required.component();
            if !components.contains(&id) && found.iter().all(|&(other, _)| other != id) {
                found.push((id, required));
                requirements.push(required.requires());
            }
        }
        next += 1;
    }
    found.into()
}

/// A map from tables to tables.
#[derive(Default)]
struct TableMap(Vec<TableId>);

impl TableMap {
    const UNKNOWN: TableId = TableId::MAX;

    #[inline]
    fn get(&self, table: TableId) -> Option<TableId> {
        self.0
            .get(table as usize)
            .copied()
            .filter(|&target| target != Self::UNKNOWN)
    }

    fn set(&mut self, table: TableId, target: TableId) {
        let index = table as usize;
        if index >= self.0.len() {
            self.0.resize(index + 1, Self::UNKNOWN);
        }
        self.0[index] = target;
    }
}

#[cfg(test)]
#[path = "info_tests.rs"]
mod tests;
