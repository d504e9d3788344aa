//! Systems that a world keeps and runs by their handles.

#[cfg(feature = "snapshot")]
mod snapshot;

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::any::{Any, TypeId};
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

use super::error::LockError;
use super::value::{IntoSystemValue, ValueRunner};
use crate::invariant::Invariant;
use crate::meta::SystemMeta;
use crate::numbered_list::NumberedList;
use crate::sync::{Mutex, PoisonError};
use crate::type_name::type_name;
use crate::world::{World, WorldId};

/// Names a system that is [registered](World::register_system) with a world: it takes an `In` and returns an `Out`.
///
/// The handle is a number, so you can store it in components and resources, for any types. The world never issues it
/// again.
pub struct SystemHandle<In, Out> {
    world: WorldId,
    /// The number of systems that were registered before this one.
    number: u64,
    of: Invariant<(In, Out)>,
}

impl<In, Out> Clone for SystemHandle<In, Out> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<In, Out> Copy for SystemHandle<In, Out> {}

impl<In, Out> PartialEq for SystemHandle<In, Out> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        (self.world, self.number) == (other.world, other.number)
    }
}

impl<In, Out> Eq for SystemHandle<In, Out> {}

impl<In, Out> Hash for SystemHandle<In, Out> {
    // Without the world: its number depends on the other actions of the process.
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.number.hash(hasher);
    }
}

impl<In, Out> fmt::Debug for SystemHandle<In, Out> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (input, out) = (type_name::<In>(), type_name::<Out>());
        write!(f, "SystemHandle<{input}, {out}>({})", self.number)
    }
}

/// The error of a registered system that did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunError {
    /// The system was unregistered.
    NotRegistered,
    /// The system is registered with another world.
    OtherWorld,
    /// The system is running and tried, directly or through code that it called, to run itself.
    AlreadyRunning {
        /// The name of the system.
        system: &'static str,
    },
    /// A parameter cannot be locked, for example because a resource is missing.
    Lock(LockError),
}

impl fmt::Display for RunError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRegistered => f.write_str(
                "the system is no longer registered; help: ask `World::registered_system` whether it is",
            ),
            Self::OtherWorld => f.write_str(
                "the system is registered with another world; help: register it with each world that runs it",
            ),
            Self::AlreadyRunning { system } => write!(
                f,
                "system `{system}` is running already, and cannot run itself; help: let it queue the next run: `commands.run_system`"
            ),
            Self::Lock(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for RunError {
    #[inline]
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Lock(error) => Some(error),
            _ => None,
        }
    }
}

impl From<LockError> for RunError {
    #[inline]
    fn from(error: LockError) -> Self {
        Self::Lock(error)
    }
}

/// The registered systems of a world, stored with the states of systems.
#[derive(Default)]
struct Registered {
    /// The number of the next system.
    next: u64,
    systems: NumberedList<RegisteredEntry>,
}

struct RegisteredEntry {
    meta: SystemMeta,
    /// A [`Seat`] for the types of the handle.
    seat: Arc<dyn Any + Send + Sync>,
    #[cfg(feature = "snapshot")]
    remembered: snapshot::RememberSeat,
}

/// The place of a built system; empty while the system runs. The run shares it, because in the meantime the world may
/// be swapped for another one and the system unregistered.
type Seat<In, Out> = Mutex<Option<ValueRunner<In, Out>>>;

/// A system that has left its seat to run, and returns there.
struct Running<In: 'static, Out: 'static> {
    seat: Arc<Seat<In, Out>>,
    /// `None` after the return.
    runner: Option<ValueRunner<In, Out>>,
}

impl<In, Out> Running<In, Out> {
    #[inline]
    fn new(seat: Arc<Seat<In, Out>>) -> Option<Self> {
        let runner = seat.lock().unwrap_or_else(PoisonError::into_inner).take();
        runner.is_some().then_some(Self { seat, runner })
    }
}

impl<In, Out> Drop for Running<In, Out> {
    // Also runs after a panic.
    #[inline]
    fn drop(&mut self) {
        let mut seat = self.seat.lock().unwrap_or_else(PoisonError::into_inner);
        *seat = self.runner.take();
    }
}

/// Systems that a world keeps.
impl World {
    /// Keeps a system in the world, to be run by its handle: immediately with [`run_system`](Self::run_system), or later
    /// with [`Commands::run_system`](crate::Commands::run_system).
    ///
    /// Takes every [system](IntoSystemValue), with any return type: `#[system]` functions (their ordinary arguments are
    /// the handle's `In`), closures of parameters, exclusive closures in [`from_fn`](super::from_fn), and pipes. The
    /// system keeps its captured values and the states of its parameters ([`Local`](super::Local), positions of readers)
    /// from run to run; each registration has its own. From now on events and removals wait for its readers.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Health(i32);
    ///
    /// #[system]
    /// fn heal(who: Entity, by: i32, mut healths: CompMut<Health>, mut uses: Local<u32>) -> u32 {
    ///     healths.get_mut(who).unwrap().0 += by;
    ///     *uses += 1;
    ///     *uses
    /// }
    ///
    /// /// What happens when an item is used is a value.
    /// #[derive(Component)]
    /// struct Potion(SystemHandle<(Entity, i32), u32>);
    ///
    /// let mut world = World::new();
    /// let hero = world.spawn(Health(1));
    /// let healing = world.register_system(heal);
    /// let potion = world.spawn(Potion(healing));
    ///
    /// let Potion(effect) = *world.get::<Potion>(potion).unwrap();
    /// assert_eq!(world.run_system(effect, (hero, 5))?, 1);
    /// assert_eq!(world.run_system(effect, (hero, 5))?, 2);
    /// assert_eq!(world.get::<Health>(hero).unwrap().0, 11);
    ///
    /// let wounded = world.register_system(|healths: Query<&Health>| healths.iter().filter(|h| h.0 < 50).count());
    /// assert_eq!(world.run_system(wounded, ())?, 1);
    /// assert!(world.unregister_system(wounded));
    /// # Ok::<(), ecs_core::system::RunError>(())
    /// ```
    ///
    /// # Panics
    /// If parameters conflict in a way that the compiler cannot decide, or if the initialisation of a `Local` panics.
    #[track_caller]
    #[inline]
    pub fn register_system<S, M>(&mut self, system: S) -> SystemHandle<S::In, S::Out>
    where
        S: IntoSystemValue<M>,
    {
        let value = system.into_value();
        let meta = value.meta();
        // May run user code, so it precedes the look-up.
        let runner = (value.build)(self);
        let seat: Arc<Seat<S::In, S::Out>> = Arc::new(Mutex::new(Some(runner)));
        let number = self.keep_system(RegisteredEntry {
            meta,
            seat,
            #[cfg(feature = "snapshot")]
            remembered: snapshot::remember_seat::<S::In, S::Out>,
        });
        self.make_params_known(meta.params);
        SystemHandle {
            world: self.id(),
            number,
            of: PhantomData,
        }
    }

    /// Runs a registered system once, applies its commands, and returns its result.
    ///
    /// O(log of registered systems) to find it.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[system]
    /// fn add(more: u32, mut sum: ResMut<u32>) -> u32 {
    ///     *sum += more;
    ///     *sum
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(7_u32);
    /// let add = world.register_system(add);
    /// assert_eq!(world.run_system(add, 1).unwrap(), 8);
    /// ```
    ///
    /// # Errors
    /// If the system was unregistered, is registered with another world, is already running, or if a parameter cannot be
    /// locked. The system then does not run and stays registered. If it is a pipe, the systems before the one with that
    /// parameter have run, and their commands are applied.
    ///
    /// # Panics
    /// If the system or one of its commands panics. The system stays registered; the commands of a panicking system are
    /// dropped.
    #[inline]
    pub fn run_system<In: 'static, Out: 'static>(
        &mut self,
        system: SystemHandle<In, Out>,
        input: In,
    ) -> Result<Out, RunError> {
        if system.world != self.id() {
            return Err(RunError::OtherWorld);
        }
        let Some((meta, seat)) = self.find_system(system.number) else {
            return Err(RunError::NotRegistered);
        };
        let seat = seat.downcast::<Seat<In, Out>>();
        let seat = seat.expect("a handle has the types of its system");
        let Some(mut running) = Running::new(seat) else {
            return Err(RunError::AlreadyRunning { system: meta.name });
        };
        let runner = running.runner.as_mut().expect("is there until `drop`");
        let result = runner.run_alone(self, input);
        // Its commands can run it again.
        drop(running);
        self.flush();
        result.map_err(RunError::Lock)
    }

    /// Drops a registered system, and returns whether it was registered with this world.
    ///
    /// A running system is dropped when it has ended. Its queued runs do nothing. Amortised O(log of registered systems).
    #[inline]
    pub fn unregister_system<In: 'static, Out: 'static>(
        &mut self,
        system: SystemHandle<In, Out>,
    ) -> bool {
        if system.world != self.id() {
            return false;
        }
        // Dropping it runs the user's code, so the list is made consistent first.
        let removed = self.registered().systems.remove(system.number);
        removed.is_some()
    }

    /// Returns the description of a registered system; `None` if it is not registered with this world.
    #[must_use]
    #[inline]
    pub fn registered_system<In: 'static, Out: 'static>(
        &self,
        system: SystemHandle<In, Out>,
    ) -> Option<SystemMeta> {
        if system.world != self.id() {
            return None;
        }
        self.find_system(system.number).map(|(meta, _)| meta)
    }

    #[inline]
    fn keep_system(&mut self, entry: RegisteredEntry) -> u64 {
        let registered = self.registered();
        let number = registered.next;
        registered.systems.push(number, entry);
        registered.next += 1;
        number
    }

    #[inline]
    fn find_system(&self, number: u64) -> Option<(SystemMeta, Arc<dyn Any + Send + Sync>)> {
        let states = self.system_states.lock();
        let states = states.unwrap_or_else(PoisonError::into_inner);
        let registered: &Registered = states.get(TypeId::of::<Registered>())?.downcast_ref()?;
        let entry = registered.systems.get(number)?;
        Some((entry.meta, Arc::clone(&entry.seat)))
    }

    #[inline]
    fn registered(&mut self) -> &mut Registered {
        let states = self.system_states.get_mut();
        let states = states.unwrap_or_else(PoisonError::into_inner);
        let id = TypeId::of::<Registered>();
        if !states.contains(id) {
            states.insert(id, Box::new(Registered::default()));
        }
        let registered = states.get_mut(id).and_then(|state| state.downcast_mut());
        registered.expect("was inserted above")
    }
}
