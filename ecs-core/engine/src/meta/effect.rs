//! The effect of a system on given data, as far as its parameters tell.

use core::fmt;

use super::walk::{AccessLeaf, AccessLeaves};
use super::{
    Components, ConstTypeId, Domain, Kind, Overlap, ParamAccess, ParamInfo, SystemMeta, overlap,
};

/// How a system can change data, and the parameter that allows it; see [`SystemMeta::effect_on`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum WriteEffect {
    /// The parameter writes or sends it.
    Parameter(ParamInfo),
    /// The parameter is the whole world, or all resources.
    World(ParamInfo),
    /// The commands insert or remove it by their declaration: `Commands<(Spark, Name)>`.
    Commands(ParamInfo),
    /// The commands are not declared, so they may do anything.
    UndeclaredCommands(ParamInfo),
}

impl WriteEffect {
    /// Returns the parameter.
    #[must_use]
    #[inline]
    pub fn param(&self) -> ParamInfo {
        match self {
            Self::Parameter(param)
            | Self::World(param)
            | Self::Commands(param)
            | Self::UndeclaredCommands(param) => *param,
        }
    }
}

/// For example "writes it by `health: CompMut<Health>`".
impl fmt::Display for WriteEffect {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parameter(_) => "writes it",
            Self::World(_) => "may write it",
            Self::Commands(_) => "inserts or removes it",
            Self::UndeclaredCommands(_) => "may change it",
        })?;
        let ParamInfo { name, ty, .. } = self.param();
        write!(f, " by `{name}: {ty}`")
    }
}

impl SystemMeta {
    /// Returns how the system can change the data that a parameter reads, for example
    /// `<Query<&Health, With<Player>>>::ACCESS`; `None` if it cannot.
    ///
    /// Filters count: a `Query<&mut Health, Without<Player>>` does not change this data. A view (`CompMut<Health>`) has all
    /// entities, whatever filters its loops add in the body of the system, because only types are metadata. So does a
    /// command. Declared commands ([`Commands<(Spark, Name)>`](crate::Commands)) are taken at their word, and insert and
    /// remove only these components; the end of an entity by a despawn is not counted. Hooks and observers are not part of
    /// the system.
    ///
    /// ```
    /// use ecs_core::meta::WriteEffect;
    /// use ecs_core::prelude::*;
    /// use ecs_core::system::{SystemParam, meta};
    ///
    /// #[derive(Component)]
    /// struct Health(u32);
    /// #[derive(Component)]
    /// struct Ghost;
    ///
    /// #[system(for_each, without(Ghost))]
    /// fn heal(health: &mut Health) { health.0 += 1 }
    /// #[system]
    /// fn bless(mut commands: Commands<Health>, ghosts: Query<Entity, With<Ghost>>) {
    ///     for ghost in &ghosts {
    ///         commands.entity(ghost).insert(Health(1));
    ///     }
    /// }
    ///
    /// let of_ghosts = <Query<&Health, With<Ghost>>>::ACCESS;
    /// assert!(meta(&heal).effect_on(of_ghosts).is_none());
    /// assert!(meta(&heal).effect_on(<Comp<Health>>::ACCESS).is_some());
    /// assert!(matches!(meta(&bless).effect_on(of_ghosts), Some(WriteEffect::Commands(_))));
    /// ```
    #[must_use]
    #[inline]
    pub fn effect_on(&self, data: &'static ParamAccess) -> Option<WriteEffect> {
        let names = |ident: &ConstTypeId| {
            data.accesses()
                .any(|access| access.domain == Domain::Component && access.ident == *ident)
        };
        self.first_effect(&names, &|param| match overlap(data, param.of.access)? {
            Overlap::World => Some(WriteEffect::World(*param)),
            Overlap::Data {
                second: Kind::Write,
                ..
            } => Some(WriteEffect::Parameter(*param)),
            _ => None,
        })
    }

    /// Returns how the system can send events of a type; `None` if it cannot. Declared commands send none.
    #[must_use]
    #[inline]
    pub fn effect_on_events(&self, event: &ConstTypeId) -> Option<WriteEffect> {
        self.first_effect(&|_| false, &|param| {
            let mut leaves = AccessLeaves::of_param(param.of.access);
            leaves.find_map(|leaf| match leaf {
                AccessLeaf::Param(ParamAccess::Sends(sent)) if sent == event => {
                    Some(WriteEffect::Parameter(*param))
                }
                AccessLeaf::Param(
                    ParamAccess::World(Kind::Write)
                    | ParamAccess::WorldRef
                    | ParamAccess::ResourcesRef,
                ) => Some(WriteEffect::World(*param)),
                _ => None,
            })
        })
    }

    /// Returns the first parameter with commands that declare no components, and so may do anything.
    #[must_use]
    #[inline]
    pub fn undeclared_commands(&self) -> Option<ParamInfo> {
        let is_undeclared = |param: &&ParamInfo| {
            let mut found = false;
            for_each_commands(param.of.access, &mut |declared| found |= declared.is_none());
            found
        };
        self.params.iter().find(is_undeclared).copied()
    }

    /// Returns the first effect of a parameter itself, or otherwise of commands.
    #[inline]
    fn first_effect(
        &self,
        is_declared: &dyn Fn(&ConstTypeId) -> bool,
        of_param: &dyn Fn(&ParamInfo) -> Option<WriteEffect>,
    ) -> Option<WriteEffect> {
        if let Some(effect) = self.params.iter().find_map(of_param) {
            return Some(effect);
        }
        for param in self.params {
            let mut found = false;
            for_each_commands(param.of.access, &mut |declared| {
                if let Some(declared) = declared {
                    declared.for_each_inserted(&mut |ident| found |= is_declared(ident));
                }
            });
            if found {
                return Some(WriteEffect::Commands(*param));
            }
        }
        self.undeclared_commands()
            .map(WriteEffect::UndeclaredCommands)
    }
}

/// Calls a function for each parameter inside that defers changes, with the components that it declares.
#[inline]
fn for_each_commands(access: &'static ParamAccess, f: &mut dyn FnMut(Option<&'static Components>)) {
    match access {
        ParamAccess::Deferred => f(None),
        ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
            let declared = parts.iter().find_map(|part| match part {
                ParamAccess::Commands(components) => Some(*components),
                _ => None,
            });
            for part in *parts {
                match part {
                    ParamAccess::Deferred => f(declared),
                    _ => for_each_commands(part, f),
                }
            }
        }
        _ => {}
    }
}
