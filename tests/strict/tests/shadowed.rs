#![no_implicit_prelude]
#![forbid(unsafe_code, missing_docs, unused)]
#![deny(warnings)]
//! A crate that shadows common names and denies all lints.

extern crate ecs_core as renamed;

use ::std::iter::Iterator as _;

/// Names that generated code must not use.
mod shadows {
    pub struct Option;
    pub struct Result;
    pub struct Vec;
    pub struct Default;
    pub struct Clone;
    pub struct StaticWorld;
    pub struct World;
    pub struct Entity;
    pub struct Pages;
}
use shadows::*;

#[derive(::std::clone::Clone)]
struct Position(i32);
#[derive(::std::clone::Clone)]
struct r#Type(i32);
struct Bar<T>(::std::marker::PhantomData<T>);

/// The user's own prelude.
mod own {
    pub(crate) use ::renamed::statics::{component, spawn, system, world};
}

mod inner {
    use super::own::world;

    world! {
        /// Visible in the outer module.
        pub(super) Game {
            super::Position,
            super::r#Type,
            /// Documented.
            super::Bar<i32>,
            #[cfg(any())]
            super::Missing,
        }
    }
}

macro_rules! make {
    ($name:ident, $component:ty, $value:expr) => {
        own::world! { $name { $component } }

        fn made() -> i32 {
            let mut world = $name::new();
            let entity = own::spawn!(world; $value);
            own::system!(world, |id, value: &mut $component| {
                ::std::assert!(id == entity);
                value.0 += 1;
            });
            own::system!(world, |value: $component| -> $component { Position(value.0 + 1) });
            own::component!(world, $component).iter().map(|value| value.0).sum()
        }
    };
}

make!(Made, Position, Position(1));

fn main() {
    let mut world = inner::Game::new();
    let (items, values, index, entity) = (1, 2, 3, 4);
    own::spawn!(world; Position(items), r#Type(values), Bar::<i32>(::std::marker::PhantomData));
    own::system!(world, |p: &mut Position, t: &r#Type, _: &Bar<i32>| p.0 +=
        t.0 + values + index);
    own::system!(world, |entity_of,
                         p: Position,
                         t: r#Type|
     -> (Position, r#Type) {
        let _ = entity_of;
        (Position(t.0 + entity), r#Type(p.0 + items))
    });
    let position = own::component!(world, Position).iter().next().map(|p| p.0);
    ::std::assert!(position == ::std::option::Option::Some(6));
    ::std::assert!(made() == 3);
    let _: (Option, Result, Vec, Default, Clone);
    let _: (StaticWorld, World, Entity, Pages);
}
