use ecs_core::statics::world;

struct Position;
struct Velocity;
struct Bar<T>(T);
type Place = Position;

world! { pub Game { Position, Velocity, Bar<Position>, Position, Bar<Position>, } }

world! { Menu { Position, Velocity, Place } }

fn main() {}

//~ world! { pub Game { Position, Velocity, Bar<Position>, Position
//~ world! { pub Game { Position, Velocity, Bar<Position>, Position, Bar<Position>
//~ world! { Menu { Position, Velocity, Place } }
