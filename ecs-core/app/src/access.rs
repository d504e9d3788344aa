//! The accesses of the systems of an app, as text.

use std::fmt::Debug;

use ecs_engine::World;
use ecs_engine::schedule::{Label, Schedule, joined};

use crate::app::App;
use crate::error::AppError;

impl App {
    /// Returns what each system of the app touches, as sorted text: a paragraph for each system, which begins with its schedule,
    /// and in it a line for each type that it reads, writes, sends or asks for. See
    /// [`Schedule::access_text`](ecs_engine::Schedule::access_text).
    ///
    /// A test compares it with a file, by [`assert_access_lock`](ecs_engine::schedule::assert_access_lock). Observers are not
    /// listed.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(name = "position")]
    /// struct Position(f32);
    ///
    /// #[system(for_each)]
    /// fn fall(position: &mut Position, time: Res<Time>) { position.0 -= time.delta_secs() }
    ///
    /// let mut app = App::new();
    /// app.add_systems(FixedUpdate, fall);
    /// let text = app.access_text()?;
    /// assert!(text.starts_with("FixedUpdate > "), "{text}");
    /// assert!(text.ends_with("fall\n    reads resource Time\n    writes component position\n"), "{text}");
    /// # Ok::<(), ecs_core::app::AppError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`build`](Self::build).
    pub fn access_text(&mut self) -> Result<String, AppError> {
        self.build()?;
        let Some(Ok(built)) = &mut self.built else {
            unreachable!("the app is built");
        };
        let mut paragraphs = Vec::new();
        let mut add = |label: &dyn Debug, schedule: &mut Schedule| {
            let planned = schedule.add_access(&format!("{label:?}"), &mut paragraphs);
            planned.expect("the app is built, so its schedules are planned");
        };
        add(&crate::labels::Startup, &mut built.startup);
        (self.world).for_each_schedule(|_: &mut World, label: &Label, it| add(label, it));
        let planned = built.frame.add_access("", &mut paragraphs);
        planned.expect("the app is built, so its schedules are planned");
        Ok(joined(paragraphs))
    }
}
