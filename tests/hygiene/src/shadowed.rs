//! The macros in a scope where common names have another meaning.

use ::ecs_core::prelude::*;

macro_rules! shadow {
    ($($name:ident)*) => {$(
        /// A type that shadows a common name.
        #[derive(::core::fmt::Debug)]
        pub struct $name;
    )*};
}

shadow!(Option Result Vec Box String Send Sync Sized Drop Ok Some None Err PhantomData Self_ State Guard Item);

/// A component.
#[derive(Component)]
pub struct Position(f32);

/// Another component.
#[derive(Component)]
pub struct Other;

/// A relation.
#[derive(Relation)]
#[relation(tree, sources = "despawn")]
pub struct ChildOf;

/// A relation to many.
#[derive(Relation)]
#[relation(many)]
pub struct Likes(pub u32);

/// A parameter.
#[derive(SystemParam)]
pub struct Param<'w, 'g, '__state> {
    world: Comp<'w, Other>,
    guard: Local<'g, u8>,
    state: Commands<'__state>,
}

/// Data.
#[derive(QueryData)]
pub struct Data<'a> {
    fields: &'a mut Position,
    made: Entity,
}

/// A system whose parameters are named like items of generated code.
#[system]
pub fn system(
    f0: u8,
    mut state: Param<'_, '_, '_>,
    mut world: ParamSet<(Query<Data>, Comp<Position>)>,
) -> u8 {
    *state.guard += f0;
    if state.world.is_empty() {
        state.state.spawn(Position(1.0));
    }
    world.p0().for_each(|data| {
        let _: Entity = data.made;
        data.fields.0 += 1.0;
    });
    *state.guard
}

macro_rules! make {
    ($name:ident, $system:ident, $field:ident: $ty:ty) => {
        /// Made by a macro.
        #[derive(SystemParam)]
        pub struct $name<'w> {
            $field: Res<'w, $ty>,
            count: Local<'w, $ty>,
        }

        /// Made by a macro.
        #[system]
        pub fn $system(mut made: $name<'_>) -> $ty {
            *made.count += *made.$field;
            *made.count
        }

        #[systems]
        impl $name<'static> {
            /// Made by a macro.
            #[system]
            pub fn read(number: Res<$ty>) -> $ty {
                *number
            }
        }
    };
}

make!(Made, made, number: u32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_user_do_not_meet_generated_ones() {
        let mut world = World::new();
        world.insert_resource(2_u32);
        ::std::assert_eq!((made(&world), made(&world), Made::read(&world)), (2, 4, 2));
        let empty = World::new();
        ::std::assert_eq!((system(1, &empty), system(2, &empty)), (1, 3));
    }
}
