//! Tasks whose results are data, so that a recording has their values.

use ecs_engine::World;
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::task::{Abandoned, Promise, ResultCodec, Tasks};
use serde_core::Serialize;
use serde_core::de::DeserializeOwned;

use crate::codec::{Decoder, Encoder};

/// Tasks whose results are data: a recording has their values.
///
/// A recording of an app notes the step at which each result of [`Tasks`] was passed on. If the program computes a value by itself,
/// such as a path through a level, a replay runs the work again, and plain [`Tasks::work`] is enough. A server's reply or a file's
/// contents come from outside: start such a task with one of these methods, and the replay passes on the recorded value without
/// doing the work.
///
/// ```
/// use ecs_core::data::DataTasks;
/// use ecs_core::prelude::*;
/// use ecs_core::task::Tasks;
///
/// let mut world = World::new();
/// world.insert_resource(Tasks::default());
/// let reply = world.resource_mut::<Tasks>().data_promise(|world, score: Result<u32, _>| {
///     world.insert_resource(score.unwrap_or_default());
/// });
/// reply.keep(7); // on any thread
/// world.flush_tasks();
/// assert_eq!(*world.resource::<u32>(), 7);
/// ```
pub trait DataTasks {
    /// Starts a task as [`Tasks::promise`] does. In a replay, `done` gets the recorded value, and the promise is
    /// [cancelled](Promise::is_cancelled) then.
    ///
    /// A value that cannot be read back without the names of its fields (`untagged`, `flatten`) is not recorded.
    fn data_promise<T: Serialize + DeserializeOwned + Send + 'static>(
        &mut self,
        done: impl FnOnce(&mut World, Result<T, Abandoned>) + Send + 'static,
    ) -> Promise<T>;

    /// Runs a function as a task, as [`Tasks::work`] does. In a replay, `done` gets the recorded value.
    fn data_work<T: Serialize + DeserializeOwned + Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
        done: impl FnOnce(&mut World, Result<T, Abandoned>) + Send + 'static,
    ) -> impl FnOnce() + Send + 'static;
}

impl DataTasks for Tasks {
    fn data_promise<T: Serialize + DeserializeOwned + Send + 'static>(
        &mut self,
        done: impl FnOnce(&mut World, Result<T, Abandoned>) + Send + 'static,
    ) -> Promise<T> {
        let codec = ResultCodec {
            write: written::<T>,
            read: read::<T>,
        };
        self.promise_with(Some(codec), done)
    }

    fn data_work<T: Serialize + DeserializeOwned + Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
        done: impl FnOnce(&mut World, Result<T, Abandoned>) + Send + 'static,
    ) -> impl FnOnce() + Send + 'static {
        let promise = self.data_promise(done);
        move || {
            if !promise.is_cancelled() {
                promise.keep(work());
            }
        }
    }
}

/// Returns the bytes of a value, with ids as their bits; `None` if it has none that can be read back.
fn written<T: Serialize + DeserializeOwned>(value: &T) -> Option<Vec<u8>> {
    let session = Session::new(IdForm::Bits);
    let mut encoder = Encoder::default();
    let result = session.run(|| encoder.value(value));
    let is_written = result.is_ok() && session.take_error().is_none();
    let bytes = is_written.then(|| encoder.into_bytes())?;
    read::<T>(&bytes).is_ok().then_some(bytes)
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let session = Session::new(IdForm::Bits);
    let mut decoder = Decoder::of_bytes(bytes);
    let value = session.run(|| decoder.value::<T>());
    let value = value.map_err(|error| format!("the result of a task: {error}"))?;
    decoder
        .finish()
        .map_err(|error| format!("the result of a task: {error}"))?;
    Ok(value)
}
