use ecs_core::prelude::*;

#[derive(Component)]
struct InTables(u8);

#[derive(Component)]
#[component(storage = "sparse")]
struct Sparse(u8);

fn main() {
    let _ = World::builder().group::<(InTables, Sparse)>().build();
    let _ = World::builder().group::<(Sparse,)>().build();
    let _ = World::builder().group::<Sparse>().build();
}

//~ (InTables, Sparse)
//~ (Sparse,)
//~ .group::<Sparse
