//! Commands that fail, and the world's policy for them.

use alloc::boxed::Box;
use core::error::Error;
use core::fmt;

use super::World;
use crate::entity::Entity;
use crate::type_name::without_engine;

/// The reaction of a world to commands that fail when they are applied; see [`World::on_command_error`].
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub enum OnCommandError {
    /// The command does nothing.
    #[default]
    Ignore,
    /// Prints the error to the standard error stream. Without the feature `std`, this equals [`Ignore`](Self::Ignore).
    Print,
    /// Panics with the error. The queue is dropped, as after any [panic in a
    /// command](crate::CommandQueue#panics-in-commands).
    Panic,
    /// Calls a function, which may log the error, keep it in a resource, or panic.
    Call(fn(&mut World, CommandError)),
}

/// A command that failed.
#[derive(Debug)]
#[non_exhaustive]
pub struct CommandError {
    /// The name of the method that queued the command, such as `insert`.
    pub command: &'static str,
    /// The name of the command's type: a bundle, a relation or an event. Empty for `despawn` and the like.
    pub of: &'static str,
    /// The entity of the command.
    pub entity: Entity,
    /// The error of the [`World`] method with the same name, such as a [`NoSuchEntity`](super::NoSuchEntity); `downcast_ref`
    /// recovers its type.
    pub error: Box<dyn Error + Send + Sync>,
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the command `{}`", self.command)?;
        if !self.of.is_empty() {
            write!(f, " of `{}`", self.of)?;
        }
        write!(
            f,
            " failed: {}; help: put `if_exists()` or `on_missing(..)` before it if its entity may be gone",
            self.error
        )
    }
}

impl Error for CommandError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.error)
    }
}

/// The policy of a world, and its exception.
#[derive(Clone, Copy, Default)]
pub(crate) struct CommandErrors {
    policy: OnCommandError,
    /// A missing entity whose commands are expected to fail in the queue that is being applied.
    pub(crate) expected: Option<Entity>,
}

impl World {
    /// Sets the reaction to commands that fail when they are applied, and returns the old one. By default such commands do
    /// nothing.
    ///
    /// A command fails if the `World` method of the same name would return an error, mostly because its entity was despawned
    /// after the command was queued. That is often fine: two systems may despawn the same entity. Commands after
    /// [`if_exists`](crate::EntityCommands::if_exists) or [`on_missing`](crate::EntityCommands::on_missing) do not count as
    /// failed if the entity is gone. Batch commands count the entities that exist, and never fail.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::world::OnCommandError;
    ///
    /// #[derive(Component)]
    /// struct Poisoned;
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Vec::<String>::new());
    /// world.on_command_error(OnCommandError::Call(|world, error| {
    ///     world.resource_mut::<Vec<String>>().push(error.to_string());
    /// }));
    /// let rat = world.spawn(());
    /// world.despawn(rat)?;
    /// world.run(move |mut commands: Commands| {
    ///     commands.entity(rat).despawn();
    ///     commands.entity(rat).if_exists().insert(Poisoned);
    /// });
    /// let errors = world.resource::<Vec<String>>();
    /// assert_eq!(errors.len(), 1);
    /// assert!(errors[0].starts_with("the command `despawn` failed: no entity 0v1"), "{}", errors[0]);
    /// # Ok::<(), ecs_core::world::NoSuchEntity>(())
    /// ```
    ///
    /// The policy belongs to the world as a whole: its copies, snapshots and saves do not contain the policy. In an app, set
    /// it through `app.world_mut()`.
    pub fn on_command_error(&mut self, policy: OnCommandError) -> OnCommandError {
        core::mem::replace(&mut self.command_errors.policy, policy)
    }

    /// Handles the error of a command by the policy.
    #[cold]
    pub(crate) fn command_failed<E: Error + Send + Sync + 'static>(
        &mut self,
        command: &'static str,
        of: &'static str,
        entity: Entity,
        error: E,
    ) {
        let CommandErrors { policy, expected } = self.command_errors;
        if matches!(policy, OnCommandError::Ignore) || expected == Some(entity) {
            return;
        }
        let error = CommandError {
            command,
            of: without_engine(of),
            entity,
            error: Box::new(error),
        };
        match policy {
            OnCommandError::Ignore => {}
            OnCommandError::Print => {
                #[cfg(feature = "std")]
                std::eprintln!("{error}");
            }
            OnCommandError::Panic => panic!("{error}"),
            OnCommandError::Call(f) => f(self, error),
        }
    }
}
