//! The description of a system.

use alloc::vec::Vec;

use super::walk::{AccessLeaf, AccessLeaves};
use super::{Access, ConstTypeId, Domain, ParamAccess, QueryAccess, SystemRules};

/// The constant description of a system.
#[derive(Clone, Copy, Debug)]
pub struct SystemMeta {
    /// The path of the function, for example `game::physics::movement`; in a [`Schedule`](crate::Schedule) with the generic
    /// arguments of the instance, `game::physics::tick<game::Position>`.
    pub name: &'static str,
    /// The parameters that are borrowed from the world, in the order written; ordinary arguments are not listed.
    pub params: &'static [ParamInfo],
    /// The rules that it keeps.
    pub(crate) rules: SystemRules,
}

/// The constant description of one parameter of a system.
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    /// The parameter's name as written; `_` for a pattern.
    pub name: &'static str,
    /// The parameter's type as written.
    pub ty: &'static str,
    /// The constant description of its type.
    pub of: ParamType,
}

/// The constant description of a type of parameters.
#[derive(Clone, Copy, Debug)]
pub struct ParamType {
    /// The access of the parameter.
    pub access: &'static ParamAccess,
    /// True if its state carries information from run to run.
    pub remembers: bool,
    /// True if it has a reader of events or removals.
    pub has_readers: bool,
    /// True if it is the items of a loop over entities, `#[system(for_each)]`.
    pub is_row: bool,
}

impl SystemMeta {
    /// Describes a system.
    #[must_use]
    #[inline]
    pub const fn new(name: &'static str, params: &'static [ParamInfo]) -> Self {
        Self {
            name,
            params,
            rules: SystemRules::NONE,
        }
    }

    /// Returns every access to component and resource data, parameter by parameter.
    ///
    /// Optional and required data of a query count alike; `With` and `Without` access no data and are left out, and so is a
    /// parameter that is the whole world (see [`world`](Self::world)).
    #[must_use]
    pub fn access(&self) -> AccessIter {
        AccessIter(self.leaves())
    }

    /// Returns the components that the commands of the system insert and remove, if its parameters name them
    /// (`Commands<(Spark, Name)>`); empty if they do not. The list is a promise of the system: its commands may do more.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::tree::Name;
    ///
    /// #[derive(Component)]
    /// struct Spark;
    ///
    /// #[system]
    /// fn strike(mut commands: Commands<(Spark, Name)>) {
    ///     commands.spawn((Spark, Name::new("spark")));
    /// }
    ///
    /// let meta = ecs_core::system::meta(&strike);
    /// let names: Vec<_> = meta.commands().iter().map(|ident| ident.type_name()).collect();
    /// assert!(names[0].ends_with("Spark"), "{names:?}");
    /// assert!(names[1].ends_with("Name"));
    /// ```
    #[must_use]
    #[inline]
    pub fn commands(&self) -> Vec<ConstTypeId> {
        let mut found = Vec::new();
        for leaf in self.leaves() {
            if let AccessLeaf::Param(ParamAccess::Commands(components)) = leaf {
                components.for_each(&mut |ident| {
                    if !found.contains(ident) {
                        found.push(*ident);
                    }
                });
            }
        }
        found
    }

    /// Returns the types of the events that the system can send, by an `EventWriter` or a `ResMut<Events<E>>`. Its commands, and
    /// `&mut World`, may send others.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// struct Hit;
    /// struct Heal;
    ///
    /// #[system]
    /// fn fight(mut hits: EventWriter<Hit>, heals: EventReader<Heal>) { hits.send(Hit) }
    ///
    /// let sent = ecs_core::system::meta(&fight).sends();
    /// assert_eq!(sent.len(), 1);
    /// assert!(sent[0].type_name().ends_with("Hit"));
    /// ```
    #[must_use]
    #[inline]
    pub fn sends(&self) -> Vec<ConstTypeId> {
        let mut found = Vec::<ConstTypeId>::new();
        for leaf in self.leaves() {
            if let AccessLeaf::Param(ParamAccess::Sends(event)) = leaf
                && !found.iter().any(|other| other.type_id() == event.type_id())
            {
                found.push(*event);
            }
        }
        found
    }

    /// Returns true if the system is a loop over entities (`#[system(for_each)]`) that sees of all components only those of
    /// the entity itself.
    ///
    /// So what it reads of components does not depend on other entities: neither on their values nor on their existence. A
    /// loop with a view, a query or `Entities` beside its items sees others, and so do items that follow relations
    /// ([`Up`](crate::relation::Up)). Values that it keeps in a `Local` or a resource that it [writes](Self::access) may carry
    /// something from entity to entity, and its [commands](Self::defers) may change others.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Position(f32);
    /// #[derive(Component)]
    /// struct Velocity(f32);
    ///
    /// #[system(for_each)]
    /// fn movement(position: &mut Position, velocity: &Velocity, speed: Res<f32>) {
    ///     position.0 += velocity.0 * *speed;
    /// }
    /// #[system(for_each)]
    /// fn gather(velocity: &mut Velocity, all: Comp<Position>) {
    ///     velocity.0 = all.iter().map(|position| position.0).sum();
    /// }
    ///
    /// assert!(ecs_core::system::meta(&movement).is_per_row());
    /// assert!(!ecs_core::system::meta(&gather).is_per_row());
    /// ```
    #[must_use]
    #[inline]
    pub fn is_per_row(&self) -> bool {
        let sees_own_row = |param: &ParamInfo| match param.of.access {
            access if !param.of.is_row => !sees_rows(access),
            ParamAccess::Query { data, filter } => !data.sees_others() && !filter.sees_others(),
            _ => false,
        };
        self.params.iter().any(|param| param.of.is_row) && self.params.iter().all(sees_own_row)
    }

    /// Returns true if the system reads components of any entities, or which ones exist.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn count(entities: Query<Entity>) -> usize { entities.iter().count() }
    /// #[system]
    /// fn age(mut days: ResMut<u32>) { *days += 1 }
    ///
    /// assert!(ecs_core::system::meta(&count).sees_rows());
    /// assert!(!ecs_core::system::meta(&age).sees_rows());
    /// ```
    #[must_use]
    #[inline]
    pub fn sees_rows(&self) -> bool {
        let mut params = self.params.iter();
        params.any(|param| param.of.is_row || sees_rows(param.of.access))
    }

    /// Returns the components that the system reads or writes, or by which it selects entities. Those that only its commands insert
    /// or remove are not among them, and `&World` names none.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::system::meta;
    ///
    /// #[derive(Component)]
    /// struct Goal(f32);
    /// #[derive(Component)]
    /// struct Path(Vec<f32>);
    ///
    /// #[system(for_each, without(Path))]
    /// fn plan(goal: &Goal) { /* .. */ }
    /// #[system(for_each)]
    /// fn forget(entity: Entity, goal: &Goal, mut commands: Commands<(Path,)>) {
    ///     commands.remove::<Path>(entity);
    /// }
    ///
    /// assert_eq!(meta(&plan).seen_components().len(), 2);
    /// assert_eq!(meta(&forget).seen_components().len(), 1);
    /// ```
    #[must_use]
    #[inline]
    pub fn seen_components(&self) -> Vec<ConstTypeId> {
        let mut found = Vec::new();
        for leaf in self.leaves() {
            let ident = match leaf {
                AccessLeaf::Query(query) => query.ident().copied(),
                AccessLeaf::Param(ParamAccess::Leaf(access)) => {
                    (access.domain == Domain::Component).then_some(access.ident)
                }
                AccessLeaf::Param(_) => None,
            };
            if let Some(ident) = ident
                && !found.contains(&ident)
            {
                found.push(ident);
            }
        }
        found
    }

    /// Returns true if any parameter's state carries information from run to run.
    #[must_use]
    #[inline]
    pub const fn remembers(&self) -> bool {
        let mut i = 0;
        while i < self.params.len() {
            if self.params[i].of.remembers {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Returns true if any parameter has a reader of events or removals.
    #[must_use]
    #[inline]
    pub const fn has_readers(&self) -> bool {
        let mut i = 0;
        while i < self.params.len() {
            if self.params[i].of.has_readers {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Returns the parts of all parameters, in the order written.
    #[inline]
    pub(super) fn leaves(&self) -> AccessLeaves {
        let params = self.params.iter().rev();
        AccessLeaves::of(
            params
                .map(|param| AccessLeaf::Param(param.of.access))
                .collect(),
        )
    }
}

/// Returns true if a parameter reads components of any entities, or which ones exist.
#[inline]
fn sees_rows(access: &'static ParamAccess) -> bool {
    AccessLeaves::of_param(access).any(|leaf| match leaf {
        AccessLeaf::Query(_) => true,
        AccessLeaf::Param(param) => matches!(
            param,
            ParamAccess::Shape
                | ParamAccess::World(_)
                | ParamAccess::WorldRef
                | ParamAccess::Query { .. }
                | ParamAccess::Leaf(Access {
                    domain: Domain::Component,
                    ..
                })
        ),
    })
}

impl QueryAccess {
    /// Returns true if it follows relations to other entities.
    #[inline]
    fn sees_others(&self) -> bool {
        match self {
            Self::OfAny(_) => true,
            Self::All(parts) | Self::Or(parts) | Self::Optional(parts) => {
                parts.iter().any(|part| part.sees_others())
            }
            _ => false,
        }
    }
}

impl ParamInfo {
    /// Describes a parameter whose state carries no information from run to run.
    #[must_use]
    #[inline]
    pub const fn new(name: &'static str, ty: &'static str, access: &'static ParamAccess) -> Self {
        let of = ParamType {
            access,
            remembers: false,
            has_readers: false,
            is_row: false,
        };
        Self { name, ty, of }
    }
}

impl ParamAccess {
    /// Returns every access to component and resource data; see [`SystemMeta::access`].
    #[must_use]
    #[inline]
    pub fn accesses(&'static self) -> AccessIter {
        AccessIter(AccessLeaves::of_param(self))
    }

    /// Returns true if one of its filters tests when components were added or changed, such as [`Changed`](crate::Changed).
    #[must_use]
    #[inline]
    pub fn filters_by_ticks(&'static self) -> bool {
        AccessLeaves::of_param(self).any(|leaf| {
            let AccessLeaf::Query(query) = leaf else {
                return false;
            };
            matches!(query, QueryAccess::Added(_) | QueryAccess::Changed(_))
        })
    }
}

/// Iterator over the accesses of a system; see [`SystemMeta::access`].
pub struct AccessIter(AccessLeaves);

impl Iterator for AccessIter {
    type Item = Access;

    fn next(&mut self) -> Option<Access> {
        self.0.find_map(AccessLeaf::access)
    }
}
