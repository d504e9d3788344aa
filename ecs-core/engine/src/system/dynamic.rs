//! Systems that declare their accesses at run time.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ptr::NonNull;

use super::error::LockError;
use super::held_borrows::check;
use super::remembered::{Remember, captured};
use super::runner::{DynSystem, Runner, SystemId, SystemSource};
use super::value::SystemValue;
use crate::command::Commands;
use crate::dynamic::{DynamicQuery, Matches, Term};
use crate::meta::{ParamAccess, ParamInfo, QueryAccess, SystemMeta};
use crate::sync::{Mutex, PoisonError};
use crate::world::{CommandQueue, World};

/// A system that declares its accesses at run time, such as a script.
///
/// List its queries first. Then [`build`](Self::build) makes a [`SystemValue`] of them and a function. It runs, is
/// scheduled and is checked like other systems: the accesses of its queries decide which systems it can run alongside.
/// Two of its queries that may write the same data are an error when the schedule is planned.
///
/// ```
/// use ecs_core::component::ComponentId;
/// use ecs_core::dynamic::{DynamicQuery, Term};
/// use ecs_core::prelude::*;
/// use ecs_core::system::DynamicSystem;
///
/// #[derive(Component)]
/// #[component(name = "game.health")]
/// struct Health(u32);
///
/// let health = ComponentId::of::<Health>();
/// let burn = DynamicSystem::new("mod.burn").query(DynamicQuery::new([Term::Write(health)])?).commands().build(
///     |mut params| {
///         for mut item in params.queries[0].iter_mut() {
///             let entity = item.entity();
///             let health = item.write(0).unwrap().downcast::<Health>().unwrap();
///             health.0 -= 1;
///             if health.0 == 0 {
///                 params.commands.as_mut().unwrap().despawn(entity);
///             }
///         }
///     },
/// );
/// let mut frame = Schedule::new();
/// frame.add(burn);
/// let mut world = World::new();
/// let [tree, house] = [1, 5].map(|health| world.spawn(Health(health)));
/// frame.run(&mut world)?;
/// assert!(!world.contains(tree) && world.get::<Health>(house).unwrap().0 == 4);
///
/// let health = || DynamicQuery::new([Term::Write(health)]);
/// let twice = DynamicSystem::new("mod.twice").query(health()?).query(health()?).build(|_| ());
/// frame.add(twice);
/// assert_eq!(
///     frame.run(&mut world).unwrap_err().to_string(),
///     "conflicting parameters in system `mod.twice`: `query_0: &mut game.health` writes and `query_1: &mut game.health` writes the component `game.health`; help: merge them, make them disjoint with `With` and `Without`, or take turns with a `ParamSet`"
/// );
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "does nothing until it is built, and added to a schedule"]
pub struct DynamicSystem {
    name: String,
    queries: Vec<DynamicQuery>,
    commands: bool,
}

impl DynamicSystem {
    /// Names a system that accesses nothing yet.
    #[inline]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            queries: Vec::new(),
            commands: false,
        }
    }

    /// Adds a query as the next parameter.
    #[inline]
    pub fn query(mut self, query: DynamicQuery) -> Self {
        self.queries.push(query);
        self
    }

    /// Lets the system defer changes of the world.
    #[inline]
    pub fn commands(mut self) -> Self {
        self.commands = true;
        self
    }

    /// Returns the system with its function, to be scheduled, run or registered.
    ///
    /// The description of the system is kept for the rest of the program. All systems with the same name and the same
    /// queries share one. [Sets](crate::IntoConfigs::in_set) order the system among others.
    #[inline]
    pub fn build<F, Out>(self, function: F) -> SystemValue<(), Out>
    where
        F: FnMut(DynamicParams<'_>) -> Out + Send + 'static,
        Out: 'static,
    {
        let meta = self.meta();
        // Invariant 1 of the source: the metadata has all terms of the queries, and the commands.
        SystemValue::of(SystemSource {
            id: SystemId::of::<F>(),
            meta,
            build: Box::new(move |_| {
                // Rejects queries of one system that are not disjoint.
                let _ = check(&meta, "");
                Runner::shared(BuiltDynamic {
                    queries: self.queries,
                    queue: self.commands.then(CommandQueue::new),
                    function,
                })
            }),
        })
    }

    /// Returns the description of the system.
    #[inline]
    fn meta(&self) -> SystemMeta {
        static KNOWN: Mutex<Vec<(DynamicSystem, SystemMeta)>> = Mutex::new(Vec::new());
        // The lock is never poisoned half-way through a change.
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |(other, _): &&(Self, SystemMeta)| {
            other.name == self.name
                && other.queries == self.queries
                && other.commands == self.commands
        };
        if let Some((_, meta)) = known.iter().find(same) {
            return *meta;
        }
        let meta = self.describe();
        known.push((self.clone(), meta));
        meta
    }

    #[inline]
    fn describe(&self) -> SystemMeta {
        let mut params = Vec::with_capacity(self.queries.len() + usize::from(self.commands));
        for (index, query) in self.queries.iter().enumerate() {
            let (mut data, mut filter) = (Vec::new(), Vec::new());
            for &term in query.terms() {
                match term.kind() {
                    Some(_) => data.push(access(term)),
                    None => filter.push(access(term)),
                }
                if term.kind().is_none() && term.component().is_immediate() {
                    // Views insert and remove this component, so testing for it is a read.
                    filter.push(access(Term::OptionalRead(term.component())));
                }
            }
            let access = ParamAccess::Query {
                data: leak(QueryAccess::All(data.leak())),
                filter: leak(QueryAccess::All(filter.leak())),
            };
            params.push(ParamInfo::new(
                format!("query_{index}").leak(),
                format!("{query}").leak(),
                leak(access),
            ));
        }
        if self.commands {
            params.push(ParamInfo::new(
                "commands",
                "Commands",
                &ParamAccess::Deferred,
            ));
        }
        SystemMeta::new(self.name.clone().leak(), params.leak())
    }
}

/// Returns the access of a term in the form that queries declare.
fn access(term: Term) -> &'static QueryAccess {
    let access: &QueryAccess = leak(term.access());
    match term {
        Term::OptionalRead(_) | Term::OptionalWrite(_) => {
            leak(QueryAccess::Optional(leak([access])))
        }
        _ => access,
    }
}

/// Keeps a part of a description for the rest of the program.
#[inline]
fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// The parameters of a [`DynamicSystem`] in one run.
#[non_exhaustive]
pub struct DynamicParams<'a> {
    /// The queries, in the listed order.
    pub queries: Vec<Matches<'a>>,
    /// The commands; `None` unless the builder [allowed](DynamicSystem::commands) the system to defer changes.
    pub commands: Option<Commands<'a>>,
}

impl fmt::Debug for DynamicParams<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.queries).finish()
    }
}

/// A built system; its queries have been checked against each other.
struct BuiltDynamic<F> {
    queries: Vec<DynamicQuery>,
    /// `None` if the system has no commands.
    queue: Option<CommandQueue>,
    function: F,
}

impl<F, Out> DynSystem<(), Result<Out, LockError>> for BuiltDynamic<F>
where
    F: FnMut(DynamicParams<'_>) -> Out + Send,
{
    #[inline]
    unsafe fn run(&mut self, world: NonNull<World>, (): ()) -> Result<Out, LockError> {
        // SAFETY: the world lives, and this system only shares it, by the caller's contract.
        let world = unsafe { world.as_ref() };
        let mut queries = Vec::with_capacity(self.queries.len());
        for query in &self.queries {
            // SAFETY: no other code uses the data that the metadata names in a conflicting way, by the caller's
            // contract. The metadata has the terms of this query and of the system's other queries, which `check` has
            // found to be disjoint, and it has the components that views can insert as reads.
            queries.push(unsafe { Matches::unlocked(world, query) });
        }
        let entities = world.entities();
        let queue = self.queue.as_mut();
        let commands = queue.map(|queue| Commands::new(queue, entities));
        Ok((self.function)(DynamicParams { queries, commands }))
    }

    #[inline]
    fn flush(&mut self, into: &mut CommandQueue) {
        if let Some(queue) = &mut self.queue {
            into.append(queue);
        }
    }

    #[inline]
    fn remembered(&mut self, remember: &mut Remember<'_>) {
        captured::<F>(remember);
    }
}
