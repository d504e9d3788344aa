//! The procedural macros of `ecs-core`; use them through that crate, which documents them next to their traits.
//!
//! Each macro is parse -> model -> check -> expand, in a file of its own, on `proc_macro2` tokens so that unit tests can
//! run it. Mistakes are collected and shown all at once.

mod bundle;
mod component;
mod derive;
mod errors;
mod manifest;
mod paths;
mod pretty;
mod resource;
mod system;

use proc_macro::TokenStream;

/// Makes a type a component: data that can be attached to entities.
///
/// ```text
/// #[derive(Component)]
/// struct Position { x: f32, y: f32 }
///
/// #[derive(Component)]
/// #[component(storage = "sparse")]
/// struct Stunned { frames: u8 }
/// ```
///
/// * `#[component(storage = "table")]`, the default: fastest to iterate; `"sparse"`: fastest to insert and remove.
/// * `#[component(crate = path)]`: where `ecs-core` is, if it is only reachable through another crate.
///
/// Works on structs, enums and unions, generic ones too, that own their data: a lifetime parameter is an error.
#[proc_macro_derive(Component, attributes(component, ecs))]
pub fn derive_component(input: TokenStream) -> TokenStream {
    component::expand(input.into()).into()
}

/// Makes a type a resource: a value of which a world has at most one.
///
/// ```text
/// #[derive(Resource)]
/// struct Time { dt: f32 }
/// ```
///
/// `#[resource(crate = path)]` says where `ecs-core` is, if it is only reachable through another crate.
#[proc_macro_derive(Resource, attributes(resource, ecs))]
pub fn derive_resource(input: TokenStream) -> TokenStream {
    resource::expand(input.into()).into()
}

/// Makes a struct a bundle: components that are inserted or removed together.
///
/// ```text
/// #[derive(Bundle)]
/// struct Unit { position: Position, stats: (Health, Armour) }
/// ```
///
/// Each field is a bundle itself: a component, a tuple of bundles, or another bundle struct. The struct must not
/// implement `Drop`, as it is taken apart.
///
/// `#[bundle(crate = path)]` says where `ecs-core` is, if it is only reachable through another crate.
#[proc_macro_derive(Bundle, attributes(bundle, ecs))]
pub fn derive_bundle(input: TokenStream) -> TokenStream {
    bundle::expand(input.into()).into()
}

/// Makes a function a system: it borrows its parameters from a world.
///
/// ```text
/// #[system]
/// fn movement(mut pos: CompMut<Position>, vel: Comp<Velocity>, time: Res<Time>) {
///     (&mut pos, &vel).for_each(|(p, v)| p.0 += v.0 * time.dt);
/// }
///
/// #[system]
/// fn sum(a: usize, b: Res<usize>) -> usize { a + *b }
///
/// movement(&world);                  // a system stays a function
/// schedule.add(movement);            // and is scheduled by its name
/// assert_eq!(sum(1, &world), 3);     // the caller's arguments come first, the return value passes through
/// inner(&sum)(1, Res::from(&2));     // the function as written, for unit tests without a world
/// ```
///
/// # Parameters
/// World parameters are the types of `ecs_core` that are known by name (`Comp`, `Res`, `Local`, ..), `Option`s and
/// tuples of them, types written with a lifetime (`Phys<'_>`), `&World`, and *everything after the first of those*.
/// What stands before is an ordinary argument of the caller. `#[param]` and `#[arg]` on a parameter decide otherwise.
///
/// A function with `&mut World` is an exclusive system: it has no other world parameters, and is called with
/// `&mut World`.
///
/// # For each entity
/// ```text
/// #[system(for_each, with(Falling), without(Frozen))]
/// fn gravity(vel: &mut Velocity, mass: Option<&Mass>, g: Res<Gravity>) { vel.0 += g.0 * mass.map_or(1.0, |m| m.0); }
/// ```
/// The macro writes the loop: the function is called for each entity that has the items, which are `&T`, `&mut T`,
/// `Option` of those, and `Entity` (or marked `#[item]`). Other world parameters are handed to each call anew, ordinary
/// arguments are `Copy`. It returns `()`, or a `Result<(), E>` whose first error ends the loop.
///
/// # Conflicts
/// Parameters that would alias are an error at the later one, in `cargo check`: the same data twice, one of them to
/// write, also through an alias, inside of a tuple or by the items of a loop; `&World` or `&ResourceMap` beside a writer
/// of what they lend. Queries over the same component go together if one requires (by a term or `With`) what the other
/// one excludes by `Without`.
///
/// Two things come later. A generic system is checked for each instance, when that is built; what does not depend on its
/// generics is checked at once. And of two generic types inside of queries, tuples or derived parameters
/// (`Query<&mut Tag<u8>>` beside `Query<&Tag<T>>`) only the run time knows whether they are one: a schedule refuses a
/// system with such a conflict when it is planned, and a call panics before the system runs, with the same message.
///
/// # Options
/// `#[system(crate = path)]` says where `ecs-core` is, if it is only reachable through another crate.
///
/// # Scheduling
/// Any system without ordinary arguments that returns `()` or `Result<(), E>`; one that returns `bool` is a condition.
/// Generic systems are named with their arguments: `schedule.add(tick::<Position>)`; the arguments are `'static`.
#[proc_macro_attribute]
pub fn system(options: TokenStream, item: TokenStream) -> TokenStream {
    system::expand(options.into(), item.into()).into()
}
