//! The end of an app.

use std::num::NonZeroU8;
use std::process::{ExitCode, Termination};

#[cfg(feature = "data")]
use ecs_engine::__private::serde_core as serde;
use ecs_engine::Resource;
use ecs_engine::meta::ConstTypeIdOf;

/// The way an app ended; returned by `main`, it is the exit code of the process.
///
/// ```
/// use std::process::{ExitCode, Termination};
/// use ecs_core::app::AppExit;
///
/// assert!(AppExit::Success.is_success());
/// assert_eq!(AppExit::from(3), AppExit::error(3));
/// assert_eq!(AppExit::from(0), AppExit::Success);
/// assert_eq!(AppExit::error(3).code(), 3);
/// assert_eq!(AppExit::error(3).report(), ExitCode::from(3));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "return it from `main`, so that it becomes the exit code"]
pub enum AppExit {
    /// Success: exit code 0.
    Success,
    /// An error, with this exit code.
    Error(NonZeroU8),
}

impl AppExit {
    /// Returns an error with an exit code; 0, which would be a success, counts as 1.
    pub fn error(code: u8) -> Self {
        Self::Error(NonZeroU8::new(code).unwrap_or(NonZeroU8::MIN))
    }

    /// Returns the exit code: 0 for a success.
    ///
    /// For programs whose `main` belongs to a library, and which end by [`std::process::exit`].
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Error(code) => code.get(),
        }
    }

    /// Returns true if the app ended as planned.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Self::Success
    }
}

/// From an exit code.
impl From<u8> for AppExit {
    fn from(code: u8) -> Self {
        NonZeroU8::new(code).map_or(Self::Success, Self::Error)
    }
}

impl Termination for AppExit {
    fn report(self) -> ExitCode {
        ExitCode::from(self.code())
    }
}

/// Ends the app: a resource that every app has.
///
/// The current frame is completed, and no other frame runs. If several systems end the app, the first error counts; without an
/// error, the app ends with success.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::app::{AppExit, Exit};
///
/// #[system]
/// fn count_down(mut left: Local<u32>, mut exit: ResMut<Exit>) {
///     *left += 1;
///     if *left == 3 {
///         exit.success();
///     }
/// }
///
/// let mut app = App::new();
/// app.add_systems(Update, count_down);
/// assert_eq!(app.run(), AppExit::Success);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Exit {
    asked: Option<AppExit>,
}

// The exit code, for snapshots as bytes. Saves leave it out.
#[cfg(feature = "data")]
impl serde::Serialize for Exit {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.asked.map(AppExit::code).serialize(to)
    }
}

#[cfg(feature = "data")]
impl<'de> serde::Deserialize<'de> for Exit {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let code = Option::<u8>::deserialize(from)?;
        let asked = code.map(AppExit::from);
        Ok(Self { asked })
    }
}

impl Resource for Exit {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_core::app::Exit", "Exit");
}

impl Exit {
    /// Ends the app with the exit code 0, unless a system has ended it with an error.
    pub fn success(&mut self) {
        self.with(AppExit::Success);
    }

    /// Ends the app with this exit code, unless a system has ended it with another error. 0 counts as 1.
    pub fn error(&mut self, code: u8) {
        self.with(AppExit::error(code));
    }

    /// Ends the app with this value, unless a system has ended it with an error.
    pub fn with(&mut self, exit: AppExit) {
        if !matches!(self.asked, Some(AppExit::Error(_))) {
            self.asked = Some(exit);
        }
    }

    /// Returns how the app is going to end; `None` if nothing has ended it.
    #[must_use]
    pub fn get(&self) -> Option<AppExit> {
        self.asked
    }
}
