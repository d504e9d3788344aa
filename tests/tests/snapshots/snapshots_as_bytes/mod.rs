//! Snapshots as bytes: a world that returns to one, in this process or another, has the same future.

mod golden;
mod hostile;
mod model;
mod other_types;
mod random;
mod refused;
mod returns;

use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;
use serde::{Deserialize, Serialize};

use model::*;
