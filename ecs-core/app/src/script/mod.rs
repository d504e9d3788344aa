//! Scripts: `async` functions that wait for frames, time, events and conditions, and go on where they were.
//!
//! A cutscene, a tutorial, a boss with phases: code that does one thing after another, over many frames. As a system it is a state
//! machine; as a script it is a function. A [`Script`] is a component: it belongs to an entity and ends with it. The system
//! [`run_scripts`] runs all scripts up to their next waits. There is no runtime, and no thread.
//!
//! ```
//! use ecs_core::app::script::{Script, ScriptContext, run_scripts};
//! use ecs_core::prelude::*;
//! use std::time::Duration;
//!
//! #[derive(Clone)]
//! struct Hit { target: Entity }
//!
//! #[derive(Component, Debug, PartialEq)]
//! enum Mood { Asleep, Angry, Tired }
//!
//! async fn bear(script: ScriptContext) {
//!     let me = script.entity();
//!     let mut hits = script.events::<Hit>().await;
//!     loop {
//!         set_mood(&script, Mood::Asleep).await;
//!         hits.next_where(move |hit| hit.target == me).await;
//!         set_mood(&script, Mood::Angry).await;
//!         script.time(Duration::from_secs(2)).await;
//!         set_mood(&script, Mood::Tired).await;
//!         script.frames(1).await;
//!     }
//! }
//!
//! // Scripts are made of other `async` functions.
//! async fn set_mood(script: &ScriptContext, mood: Mood) {
//!     let me = script.entity();
//!     script.world(move |world| *world.get_mut::<Mood>(me).unwrap() = mood).await;
//! }
//!
//! let mut app = App::new();
//! app.add_event::<Hit>().add_systems(Update, run_scripts);
//! let bear = app.world_mut().spawn((Mood::Asleep, Script::new(bear)));
//! let mut mood = |app: &mut App| {
//!     app.update_by(Duration::from_secs(1));
//!     format!("{:?}", *app.world().get::<Mood>(bear).unwrap())
//! };
//! assert_eq!(mood(&mut app), "Asleep");
//! app.world_mut().send_event(Hit { target: bear });
//! assert_eq!([(); 4].map(|()| mood(&mut app)), ["Angry", "Angry", "Tired", "Asleep"]);
//! ```
//!
//! # Waits
//! Everything that a script waits for comes from its [`ScriptContext`]. A wait is checked when it begins, so one that is over
//! already costs no frame, and then once in each run. The script is only polled when one of its waits is over. [`first_of`] and
//! [`both`] wait for two futures at the same time, and other crates' combinators work too: waits wake their wakers.
//!
//! A script cannot wait for a future of other code: nothing would say in which frame it ends, and no two runs would be the
//! same. It panics with a message that says so. Give the work to [`Tasks`](ecs_engine::task::Tasks), and wait for the
//! result with [`until_some`](ScriptContext::until_some).
//!
//! # Order
//! Scripts run one after another, in the order of their starts; those that start in the same run, in the order of a query. A
//! condition sees everything that the scripts before it did in this run. Scripts that are inserted by another script start in
//! the next run. So a run has the same result on any number of threads.
//!
//! # The end
//! A script ends when its function returns, and is then removed from its entity, which stays unless the script says
//! [`then_despawn`](Script::then_despawn). It also ends when the entity is despawned, and when the component is removed or
//! replaced: its values are dropped there and then, and nothing after the current wait happens. A script may do all that to
//! itself. Scripts of [disabled](ecs_engine::Disabled) entities stand still.
//!
//! An entity has one script. For several give it children with one each, which are despawned with it, or use [`both`].
//!
//! A panic ends the script, and continues as the panic of `run_scripts`, with the name of the script, the place where it was made and
//! its entity. Scripts after it run in the next frame.
//!
//! # Snapshots and saves
//! The compiler turns an `async` function into a state machine that nothing can copy or write. So a snapshot of a world with
//! scripts is refused by name, unless it leaves them out: `Snapshotter::without::<Script>()`. Entities that still exist keep
//! their scripts then. Saves, recordings and rollback have the same limit. Behaviour that has to return with them
//! is data: an `enum` of states with a [`Timer`](crate::Timer), and a system that matches it. The guide shows both side by side.
//!
//! # Cost
//! A script that waits for frames or for time costs a comparison in each run. One that waits for a condition, an event or the end of
//! an entity also has a command, which asks for it.

mod combine;
mod component;
mod context;
mod events;
mod run;
mod state;
mod wait;

pub use combine::{both, first_of};
pub use component::Script;
pub use context::ScriptContext;
pub use events::ScriptEvents;
pub use run::run_scripts;
