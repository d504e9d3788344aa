//! Types of a list that do not exist.

use ecs_core::statics::world;

struct Position(f32);
struct Bar<T>(T);

world! { pub Unknown { Position, Missing } }

world! { UnknownInside { Bar<Absent>, Position } }

fn main() {}

//~ Missing
//~ Bar<Absent>
