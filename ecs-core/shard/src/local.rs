//! Components that stay behind when their entity moves to another shard.

use std::any::type_name;

use ecs_engine::component::{ComponentId, SparseComponent};
use ecs_engine::meta::{ConstTypeId, Domain, SystemMeta};
use ecs_engine::query::{AndDisabled, With};
use ecs_engine::{Entity, World};

use crate::gid::Gid;
use crate::messages::Outbox;
use crate::reduce::Reduce;

/// The functions of a component that stays behind.
#[derive(Clone, Copy)]
pub(crate) struct LocalComponent {
    pub(crate) component: ComponentId,
    pub(crate) ident: ConstTypeId,
    pub(crate) register: fn(&mut World),
    pub(crate) remove: fn(&mut World, Entity),
    holders: fn(&World) -> Vec<Entity>,
}

impl LocalComponent {
    pub(crate) fn of<T: SparseComponent>() -> Self {
        Self {
            component: ComponentId::of::<T>(),
            ident: T::IDENTITY.ident(),
            register: |world| world.register::<T>(),
            // An entity that is dead has none.
            remove: |world, entity| _ = world.remove::<T>(entity),
            holders: |world| {
                let query = world.query_filtered::<Entity, (With<T>, AndDisabled)>();
                query.iter().collect()
            },
        }
    }

    /// Returns the reason why a component cannot stay behind.
    pub(crate) fn problem<T: SparseComponent>() -> Option<String> {
        let name = T::IDENTITY.ident().type_name();
        if T::LINK.is_some() {
            return Some(format!(
                "`{name}` is an end of a relation, which moves with its entities; help: let a component stay that names the entity"
            ));
        }
        let required = T::REQUIRED.first()?;
        Some(format!(
            "`{name}` stays behind and requires `{}`, which would be added where an entity arrives; help: let it require nothing",
            required.component().rust_name()
        ))
    }
}

/// The components that stay behind.
#[derive(Clone, Default)]
pub(crate) struct LocalComponents(pub(crate) Vec<LocalComponent>);

impl LocalComponents {
    /// Removes them from an entity that leaves.
    pub(crate) fn strip(&self, world: &mut World, entity: Entity) {
        for local in &self.0 {
            if world.has_erased(entity, local.component) {
                (local.remove)(world, entity);
            }
        }
    }

    /// Removes them from all entities for which a function returns true.
    pub(crate) fn strip_all(&self, world: &mut World, forgets: impl Fn(Option<Gid>) -> bool) {
        for local in &self.0 {
            for entity in (local.holders)(world) {
                if forgets(world.get::<Gid>(entity).map(|gid| *gid)) {
                    (local.remove)(world, entity);
                }
            }
        }
    }

    pub(crate) fn has(&self, component: ComponentId) -> bool {
        self.0.iter().any(|local| local.component == component)
    }

    pub(crate) fn is(&self, ident: &ConstTypeId) -> bool {
        self.0.iter().any(|local| local.ident == *ident)
    }

    /// Returns true if one of them has a name as data.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.0.iter().any(|local| local.component.name() == name)
    }

    /// Returns the name of one that a system sees while it can change something that is not one of them.
    pub(crate) fn leak(&self, meta: &SystemMeta) -> Option<&'static str> {
        let all_seen = meta.seen_components();
        let mut locals = self.0.iter();
        let seen = locals.find(|local| all_seen.contains(&local.ident))?;
        let is_local = |ident: &ConstTypeId| self.is(ident);
        let writes_other = meta.access().any(|access| match access.domain {
            Domain::Component => access.kind.writes() && !is_local(&access.ident),
            Domain::Resource => access.kind.writes() || collects(access.ident.type_name()),
            Domain::NonSend => true,
        });
        let is_leak = writes_other
            || meta.undeclared_commands().is_some()
            || !meta.commands().iter().all(is_local);
        is_leak.then(|| seen.ident.type_name())
    }
}

/// Returns true if a system changes a resource by a `Res` too.
fn collects(name: &str) -> bool {
    is_of_generic::<Outbox<()>>(name) || is_of_generic::<Reduce<()>>(name)
}

/// Returns true if `name` is the name of a type of the same generic type as `T`: of `Outbox<Hit>` for `Outbox<()>`.
pub(crate) fn is_of_generic<T>(name: &str) -> bool {
    fn generic(name: &str) -> Option<&str> {
        name.split_once('<').map(|(generic, _)| generic)
    }
    generic(name) == generic(type_name::<T>())
}
