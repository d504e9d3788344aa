use ecs_core::statics::world;

struct Position;
struct Velocity;

world! {
    #[derive(Clone)]
    pub struct Game {
        #[inline]
        Position,
        &Velocity,
        dyn Send,
        str,
    }
}

world! { Menu<T> { Position } }
world! { Names { position: Position } }
world! { Semicolons { Position; Velocity } }
world! { Position, Velocity }
world! {}

fn main() {}

//~ #[derive(Clone)]
//~ pub struct
//~ #[inline]
//~ &Velocity
//~ dyn Send
//~ str,
//~ Menu<
//~ position:
//~ world! { Semicolons { Position; Velocity } }
//~ world! { Position, Velocity }
//~ world! {}
