//! Copies of a prefab, with components of their own.

use std::fmt;
use std::sync::Arc;

use ecs_engine::component::{Component, ComponentId};
use ecs_engine::staging::ErasedColumn;
use ecs_engine::{Entity, World};

use super::Prefab;
use crate::prefab_part::PrefabPart;
use crate::template::CloneError;

/// Copies of a prefab that are about to be spawned; from [`Prefab::copies`](crate::Prefab::copies).
#[must_use = "nothing is spawned yet"]
pub struct Copies<'a> {
    prefab: &'a Prefab,
    remembered: Option<Arc<str>>,
    n: usize,
    /// The components given by [`Copies::with`], all different and none an end of a relation; each has `n` values.
    overrides: Vec<ErasedColumn>,
}

impl<'a> Copies<'a> {
    pub(super) fn new(prefab: &'a Prefab, n: usize) -> Self {
        Self {
            prefab,
            remembered: None,
            n,
            overrides: Vec::new(),
        }
    }

    /// Gives the root of each copy a component, which the function makes from the number of the copy. It replaces the one of
    /// the prefab, if that has it. The component does not have to be `data`.
    ///
    /// # Panics
    /// If the component is an end of a relation, or the function panics.
    #[track_caller]
    pub fn with<T: Component>(mut self, mut value: impl FnMut(usize) -> T) -> Self {
        let component = ComponentId::of::<T>();
        assert!(
            !component.is_end(),
            "`{}` is an end of a relation, and a copy of a prefab begins without it; help: relate the copies after the spawn",
            component.name()
        );
        let mut column = ErasedColumn::new(component);
        column.reserve(self.n);
        for copy in 0..self.n {
            let pushed = column.push(value(copy));
            assert!(pushed.is_ok(), "the column is one of the component");
        }
        self.overrides
            .retain(|other| other.component() != component);
        self.overrides.push(column);
        self
    }

    /// Makes each entity of a copy remember the prefab by a name, its number in it, and the root, as a [`PrefabPart`]:
    /// for [`Prefab::changes`](crate::Prefab::changes), and to find all copies of a prefab.
    ///
    /// The component is inserted into one copy after the other, once all copies exist.
    pub fn remembered(mut self, name: &str) -> Self {
        self.remembered = Some(name.into());
        self
    }

    /// Spawns the copies, and returns their roots. Hooks and observers are called once all copies exist.
    ///
    /// The entities of a copy have the ids that follow the root's id, in the order of the prefab.
    ///
    /// # Errors
    /// See [`CloneError`]. The world is unchanged in that case.
    pub fn spawn(self, world: &mut World) -> Result<Vec<Entity>, CloneError> {
        let template = self.prefab.template.clone();
        let ids = template.spawn(world, self.n, self.overrides, None)?;
        let size = self.prefab.len();
        if size == 1 && self.remembered.is_none() {
            return Ok(ids);
        }
        let roots: Vec<Entity> = ids.iter().copied().step_by(size).collect();
        if let Some(name) = &self.remembered {
            let version = self.prefab.version();
            for (place, entity) in ids.into_iter().enumerate() {
                let number = self.prefab.number_of((place % size) as u32);
                let root = roots[place / size];
                let part = PrefabPart::new(Arc::clone(name), number, root, version);
                // A hook may have despawned it.
                _ = world.insert(entity, part);
            }
        }
        Ok(roots)
    }
}

impl fmt::Debug for Copies<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with = self
            .overrides
            .iter()
            .map(|column| column.component().name());
        f.debug_struct("Copies")
            .field("n", &self.n)
            .field("with", &with.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
