//! Saves of an app that are written while its frames go on.
//!
//! A hook after each frame takes the copies; a [`SaveWriter`] writes them. Requests and results are in the resource [`Saves`]. The
//! writer is in the hook: a snapshot of the app has none, and a return to one does not change a save that is being written.

use std::fmt;
use std::mem::take;
use std::time::Duration;

use ecs_data::{
    Save, SaveCopy, SaveFinished, SaveSlots, SaveWriter, SlotError, SlotInfo, WorldData as _,
};
use ecs_engine::World;

use crate::app::App;
use crate::exit::AppExit;
use crate::plugin::Plugin;
use crate::real_time::RealTime;
use crate::saves::Saves;

/// A plugin that writes saves in the background: at intervals, at the end, and when a system [requests](Saves::request) one.
///
/// The frame pays for a [copy](SaveCopy) of the world; a thread encodes it and writes it into a [slot](SaveSlots). Saves are written
/// one after the other, and the latest one of a slot stays. When the app has ended, all are written before
/// [`run`](App::run) or [`update`](App::update) returns, and also when the app is dropped before.
///
/// ```
/// use ecs_core::app::{Autosave, Saves};
/// use ecs_core::data::{SaveSlots, SlotInfo};
/// use ecs_core::prelude::*;
/// use std::time::Duration;
///
/// #[system]
/// fn at_checkpoint(mut saves: ResMut<Saves>, mut frames: Local<u32>) {
///     *frames += 1;
///     if *frames == 3 {
///         saves.request("checkpoint", SlotInfo::new().note("The bridge"));
///     }
///     for saved in saves.finished() {
///         if let Err(error) = &saved.result {
///             println!("{} was not saved: {error}", saved.slot);
///         }
///     }
/// }
///
/// # let folder = std::env::temp_dir().join(format!("ecs-doc-autosave-{}", std::process::id()));
/// let slots = SaveSlots::new(&folder); // or `SaveSlots::of_game("Company", "Game")?`
/// let mut app = App::new();
/// app.add_plugin(Autosave::new(slots.clone()).every(Duration::from_secs(60)).at_exit());
/// app.add_systems(Update, at_checkpoint);
/// app.update_times(65, Duration::from_secs(1));
/// drop(app);
/// let mut names: Vec<_> = slots.list()?.iter().map(|slot| slot.name().to_owned()).collect();
/// names.sort();
/// assert_eq!(names, ["autosave", "checkpoint"]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A replay of a recording saves too: give its app another folder.
#[must_use = "add it to an app"]
pub struct Autosave {
    writer: SaveWriter,
    slot: String,
    every: Option<Duration>,
    /// The time of the next autosave, by [`RealTime`].
    next: Option<Duration>,
    at_exit: bool,
    save: SaveFn,
    info: InfoFn,
    condition: Condition,
}

type SaveFn = Box<dyn Fn(&World) -> Save<'_> + Send>;
type InfoFn = Box<dyn Fn(&World) -> SlotInfo + Send>;
type Condition = Box<dyn Fn(&World) -> bool + Send>;

impl Autosave {
    /// Writes the saves that systems request into these slots, and nothing else yet.
    pub fn new(slots: SaveSlots) -> Self {
        Self {
            writer: SaveWriter::new(slots),
            slot: "autosave".to_owned(),
            every: None,
            next: None,
            at_exit: false,
            save: Box::new(|world| world.save()),
            info: Box::new(|_| SlotInfo::new()),
            condition: Box::new(|_| true),
        }
    }

    /// Saves after each interval of [`RealTime`], in the frame that ends it.
    pub fn every(mut self, interval: Duration) -> Self {
        self.every = Some(interval);
        self
    }

    /// Saves in the last frame, if the app ends with success: after an error of a system the state may be half of one. A program
    /// whose window just closes has no last frame; let it [end](crate::Exit) the app.
    pub fn at_exit(mut self) -> Self {
        self.at_exit = true;
        self
    }

    /// Sets the slot of these saves; otherwise it is `autosave`.
    pub fn slot(mut self, name: impl Into<String>) -> Self {
        self.slot = name.into();
        self
    }

    /// Only saves at intervals and at the end while a function returns true, so that the menu does not replace the game. Requests
    /// are followed in any case.
    pub fn only_if(mut self, condition: impl Fn(&World) -> bool + Send + 'static) -> Self {
        self.condition = Box::new(condition);
        self
    }

    /// Sets the function that makes the save, in the frame; otherwise it is of the whole world. The copy is of the whole world in any
    /// case, see [`SaveCopy`].
    pub fn save_by(mut self, save: impl Fn(&World) -> Save<'_> + Send + 'static) -> Self {
        self.save = Box::new(save);
        self
    }

    /// Sets the function that describes the saves at intervals and at the end.
    pub fn info(mut self, info: impl Fn(&World) -> SlotInfo + Send + 'static) -> Self {
        self.info = Box::new(info);
        self
    }

    /// Takes copies for the requests of the frame, and passes on results.
    fn after_frame(&mut self, app: &mut App) {
        let exit = app.asked();
        let world = app.world_mut();
        let (mut requests, had_results) = match peek(world) {
            Some(saves) => (take(&mut saves.requests), !saves.finished.is_empty()),
            // The program has removed it.
            None => (Vec::new(), false),
        };
        if self.is_due(world, exit) {
            requests.retain(|(slot, _)| *slot != self.slot);
            requests.push((self.slot.clone(), (self.info)(world)));
        }
        let mut finished = self.writer.finished();
        for (slot, info) in requests {
            match SaveCopy::take(world, &self.save) {
                Ok(copy) => self.writer.save(slot, info, copy),
                Err(error) => finished.push(SaveFinished::new(slot, Err(SlotError::Copy(error)))),
            }
        }
        if exit.is_some() {
            self.writer.wait();
            finished.extend(self.writer.finished());
            for (slot, error) in finished
                .iter()
                .filter_map(|it| Some((&it.slot, it.result.as_ref().err()?)))
            {
                // No frame follows that could show it.
                eprintln!("error: the slot `{slot}` was not saved: {error}");
            }
        }
        let is_writing = self.writer.is_writing();
        let Some(saves) = peek(world) else {
            return;
        };
        // A system may wait for a change of the resource.
        let is_changed = had_results || !finished.is_empty() || saves.is_writing != is_writing;
        if is_changed {
            let mut saves = world.resource_mut::<Saves>();
            saves.finished = finished;
            saves.is_writing = is_writing;
        }
    }

    /// Returns true if it is time for a save that no system has requested.
    fn is_due(&mut self, world: &World, exit: Option<AppExit>) -> bool {
        let now = world.get_resource::<RealTime>();
        let now = now.map_or(Duration::ZERO, |time| time.elapsed());
        let is_over = self.every.is_some_and(|every| {
            // The first frame may be long after the start of the program.
            let first = now.saturating_add(every);
            *self.next.get_or_insert(first) <= now
        });
        let is_last = match exit {
            Some(exit) => self.at_exit && exit.is_success(),
            None => is_over,
        };
        if !is_last || !(self.condition)(world) {
            return false;
        }
        self.next = self.every.map(|every| now.saturating_add(every));
        true
    }
}

impl Plugin for Autosave {
    fn build(mut self, app: &mut App) {
        app.init_resource::<Saves>();
        app.after_frame(move |app| self.after_frame(app));
    }
}

/// Returns the resource without a change of it.
fn peek(world: &mut World) -> Option<&mut Saves> {
    world.resources_mut().bypass::<Saves>()
}

impl fmt::Debug for Autosave {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Autosave")
            .field("writer", &self.writer)
            .field("slot", &self.slot)
            .field("every", &self.every)
            .field("at_exit", &self.at_exit)
            .finish_non_exhaustive()
    }
}
