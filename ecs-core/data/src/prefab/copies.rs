//! Copies of a prefab, with components of their own.

use std::fmt;

use ecs_engine::component::{Component, ComponentId};
use ecs_engine::staging::ErasedColumn;
use ecs_engine::{Entity, World};

use crate::template::{CloneError, Template};

/// Copies of a prefab that are about to be spawned; from [`Prefab::copies`](crate::Prefab::copies).
#[must_use = "nothing is spawned yet"]
pub struct Copies<'a> {
    template: &'a Template,
    n: usize,
    /// Of different components, none of which is an end of a relation; each has `n` values.
    overrides: Vec<ErasedColumn>,
}

impl<'a> Copies<'a> {
    pub(super) fn new(template: &'a Template, n: usize) -> Self {
        Self {
            template,
            n,
            overrides: Vec::new(),
        }
    }

    /// Gives the root of each copy a component, which the function makes from the number of the copy. It replaces the one of
    /// the prefab, if that has it. The component need not be `data`.
    ///
    /// # Panics
    /// If the component is an end of a relation, or the function panics.
    #[track_caller]
    pub fn with<T: Component>(mut self, mut value: impl FnMut(usize) -> T) -> Self {
        let component = ComponentId::of::<T>();
        assert!(
            !component.is_end(),
            "`{}` is an end of a relation, which is no component of a prefab\nhelp: relate the copies after they were spawned",
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

    /// Spawns the copies, and returns their roots. Hooks and observers are called when all are there.
    ///
    /// The entities of a copy have the ids that follow that of its root, in the order of the prefab.
    ///
    /// # Errors
    /// See [`CloneError`]. The world is as it was then.
    pub fn spawn(self, world: &mut World) -> Result<Vec<Entity>, CloneError> {
        let ids = self.template.clone().spawn(world, self.n, self.overrides)?;
        Ok(ids.into_iter().step_by(self.template.len()).collect())
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
