//! The app's own types in saves and snapshots.
//!
//! Snapshots copy all of them, also as bytes. With the feature `data`, saves have [`Time`], and components may have a [`Timer`] or a
//! [`Stopwatch`]. Neither [`RealTime`] nor [`Exit`] belongs in a save: after a load the wall clock goes on, and so does the app.

use ecs_engine::World;
use ecs_engine::data_type::{DataType, DataTypeOf};

use crate::exit::Exit;
use crate::real_time::RealTime;
use crate::stopwatch::Stopwatch;
use crate::time::Time;
use crate::timer::Timer;

/// Describes a type that snapshots copy.
macro_rules! copied {
    ($ty:ty) => {{
        let data = DataTypeOf::<$ty>::new("", 1).in_boxes().cloned();
        #[cfg(feature = "data")]
        let data = data.coded_in_snapshots(const { &ecs_data::__private::Saved::of::<$ty>() });
        data
    }};
}

/// The descriptions of types that snapshots copy, and saves leave out or have inside of other values.
const COPIED: &[DataType] = &[
    copied!(RealTime).resource().erased(),
    copied!(Exit).resource().erased(),
    copied!(Timer).erased(),
    copied!(Stopwatch).erased(),
    #[cfg(feature = "data")]
    copied!(crate::saves::Saves).resource().erased(),
];

/// Tells the world of an app about the app's own types.
pub(crate) fn make_known(world: &mut World) {
    for data in COPIED {
        world.make_copied_known(data);
    }
    #[cfg(feature = "data")]
    world.make_data_known(&Time::DATA[0]);
    #[cfg(not(feature = "data"))]
    world.make_copied_known(&Time::DATA[0]);
}
