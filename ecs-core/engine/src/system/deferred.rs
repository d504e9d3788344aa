//! Runs of systems as commands.

use super::registered::{RunError, SystemHandle};
use super::runner::{IntoSystem, SystemOutput, erased};
use crate::command::Commands;
use crate::world::World;

/// Running systems by commands.
///
/// Such a run has no receiver for a result, so the result must be `()` or a `Result<(), E>`;
/// [map](super::SystemValue::map) other results to one of these.
impl<D> Commands<'_, D> {
    /// Runs a system once, in order with the other commands: [`World::run`], deferred.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Enemy;
    ///
    /// #[system]
    /// fn wave(mut commands: Commands) {
    ///     commands.spawn_batch([(); 3].map(|()| (Enemy,)));
    ///     commands.run(|enemies: Comp<Enemy>, mut seen: ResMut<usize>| *seen = enemies.len());
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(0_usize);
    /// world.run(wave);
    /// assert_eq!(*world.resource::<usize>(), 3);
    /// ```
    ///
    /// # Panics
    /// When the command is applied, if the system returns an error, or if a parameter cannot be locked: the error has no
    /// other receiver. To handle it, [`queue`](Self::queue) a function that runs the system.
    #[inline]
    pub fn run<S, M>(&mut self, system: S)
    where
        S: IntoSystem<M> + Send + 'static,
        S::Out: SystemOutput,
        M: 'static,
    {
        self.queue(|world: &mut World| {
            let (_, name) = system.named();
            finish(name, world.run(system));
        });
    }

    /// Runs a registered system with this input, in order with the other commands: [`World::run_system`], deferred.
    ///
    /// If the system is no longer registered when the command is applied, nothing happens. Commands for an entity that
    /// is no longer alive behave the same way.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct CountDown(SystemHandle<u32, ()>);
    ///
    /// #[system]
    /// fn count_down(from: u32, itself: Res<CountDown>, mut log: ResMut<Vec<u32>>, mut commands: Commands) {
    ///     log.push(from);
    ///     if from > 0 {
    ///         commands.run_system(itself.0, from - 1);
    ///     }
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Vec::<u32>::new());
    /// let handle = world.register_system(count_down);
    /// world.insert_resource(CountDown(handle));
    /// world.run_system(handle, 3)?;
    /// assert_eq!(*world.resource::<Vec<u32>>(), [3, 2, 1, 0]);
    /// # Ok::<(), ecs_core::system::RunError>(())
    /// ```
    ///
    /// # Panics
    /// When the command is applied, if the system returns an error, is registered with another world or running, or if a
    /// parameter cannot be locked: the error has no other receiver. To handle it, [`queue`](Self::queue) a function that
    /// runs the system.
    #[inline]
    pub fn run_system<In, Out>(&mut self, system: SystemHandle<In, Out>, input: In)
    where
        In: Send + 'static,
        Out: SystemOutput + 'static,
    {
        self.queue(move |world: &mut World| {
            let name = world.registered_system(system).map(|meta| meta.name);
            match world.run_system(system, input) {
                Ok(out) => finish(name.expect("a system that ran was registered"), out),
                Err(RunError::NotRegistered) => {}
                Err(error) => panic!("a command cannot run a registered system: {error}"),
            }
        });
    }
}

/// Reports the error of a system whose result has no receiver.
#[inline]
fn finish(system: &str, out: impl SystemOutput) {
    if let Err(error) = erased(out) {
        panic!(
            "system `{system}`, which a command ran, failed: {error}; help: queue a function that runs the system, and handle its error there: `commands.queue(|world| ..)`"
        );
    }
}
