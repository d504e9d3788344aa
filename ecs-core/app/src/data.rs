//! The app's own types in saves and snapshots.
//!
//! Snapshots copy all of them. With the feature `data`, saves have [`Time`], and components may have a [`Timer`] or a
//! [`Stopwatch`]. Neither [`RealTime`] nor [`Exit`] belongs in a save: after a load the wall clock goes on, and so does the app.

use ecs_engine::World;
use ecs_engine::data_type::{DataType, DataTypeOf};

use crate::exit::Exit;
use crate::real_time::RealTime;
use crate::stopwatch::Stopwatch;
use crate::time::Time;
use crate::timer::Timer;

/// The descriptions of types that snapshots copy, and saves leave out or have inside of other values.
const COPIED: &[DataType] = &[
    DataTypeOf::<RealTime>::new("", 1)
        .resource()
        .cloned()
        .erased(),
    DataTypeOf::<Exit>::new("", 1).resource().cloned().erased(),
    DataTypeOf::<Timer>::new("", 1).in_boxes().cloned().erased(),
    DataTypeOf::<Stopwatch>::new("", 1)
        .in_boxes()
        .cloned()
        .erased(),
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
