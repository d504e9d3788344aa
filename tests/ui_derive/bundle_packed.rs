use ecs_core::prelude::*;

#[derive(Component)]
struct Position(u32);

#[derive(Component)]
struct Byte(u8);

#[derive(Bundle)]
#[repr(packed)]
struct Packed(Byte, Position);

#[derive(Bundle)]
#[repr(C, r#packed)]
struct Raw {
    byte: Byte,
    position: Position,
}

#[derive(Bundle)]
#[cfg_attr(all(), repr(packed(2)))]
struct Conditionally {
    byte: Byte,
    position: Position,
}

#[derive(Bundle)]
#[repr(packed)]
struct Generic<T: Component>(T);

// Bytes are aligned everywhere.
#[derive(Bundle)]
#[repr(packed)]
struct Bytes(Byte);

fn main() {}

//~ struct Packed(Byte, Position);
//~ position: Position
//~ position: Position
//~ struct Generic<T: Component>(T);
