//! The procedural macros of `ecs-core`; use them through that crate, which documents them next to their traits.
//!
//! Each macro parses, builds a model, checks it and expands it. They work on `proc_macro2` tokens so that unit tests
//! can run them. Errors are collected and reported all at once.

#![warn(clippy::too_many_lines)]

// First, because the other modules use its macros.
#[macro_use]
mod tokens;

mod attributes;
mod bounds;
mod bundle;
mod component;
mod data;
mod derive;
mod errors;
mod event;
#[cfg(feature = "statics")]
mod inline_system;
mod lifetimes;
mod manifest;
mod options;
mod parameters;
mod paths;
mod prelude;
mod pretty;
mod query_data;
mod query_filter;
mod relation;
mod require;
mod resource;
mod schedule;
#[cfg(feature = "statics")]
mod spawn;
mod structs;
mod system;
mod system_param;
mod toggle;
mod toml;
mod types;
#[cfg(feature = "statics")]
mod world;
mod written;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;

use tokens::Site;

/// Runs a macro: every macro goes through this function.
fn run(input: TokenStream, expand: impl FnOnce(Tokens) -> syn::Result<Tokens>) -> TokenStream {
    let input = input.into();
    let _site = Site::of(&input);
    let expanded = expand(input).unwrap_or_else(syn::Error::into_compile_error);
    expanded.into()
}

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
/// * `#[component(track)]`: changes are tracked, for `Changed`, `Added`, `Removed` and `Mut`.
/// * `#[component(storage = "sparse", immediate)]`: a `CompMut` inserts and removes it immediately. Not with `track`,
///   hooks or `require`.
/// * `#[component(immutable)]`: values are only replaced, by insertions, so hooks see every change.
/// * `#[component(unique)]`: also, no two entities have equal values; see `index::UniqueIndex`, with the feature `index`.
/// * `#[component(disables)]`: loops leave out entities that have it, unless a query names it or has the filter
///   `query::AndDisabled`; see `Disabled`.
/// * `#[component(toggle)]`: it can be turned off without being removed, for the filters `TurnedOn` and `TurnedOff`; see the
///   module `toggle`.
/// * `#[component(on_add = function)]`, and `on_insert`, `on_replace`, `on_remove`, `on_despawn`: a
///   `fn(DeferredWorld, Entity)` that every world calls, see `world::hooks`. The function may be a path such as
///   `Self::joined`.
/// * `#[component(name = "game.stunned")]`: the name in messages, and the constant `NAME` for save games, which
///   survives renaming the type. Not on a generic type.
/// * `#[component(require(Position, Visibility = Visibility::Hidden))]`: components inserted with this one if the
///   entity lacks them. Their value is [`Default`] or the given expression, evaluated for each entity; it cannot use
///   local variables. Their own requirements are inserted too; see `component::Required`.
/// * `#[component(written_by = "game::physics")]`: only systems in this module may write it; all may read it.
/// * `#[component(crate = path)]`: the path of `ecs-core`, if only another crate depends on it directly.
///
/// Works on structs, enums and unions that own their data, including generic ones: a lifetime parameter is an error,
/// unless it is bound to be `'static`.
#[proc_macro_derive(
    Component,
    attributes(
        component,
        ecs,
        resource,
        relation,
        event,
        require,
        storage,
        relationship,
        relationship_target
    )
)]
pub fn derive_component(input: TokenStream) -> TokenStream {
    run(input, component::expand)
}

/// Makes a type a resource: a world has at most one value of it.
///
/// ```text
/// #[derive(Resource)]
/// struct Time { dt: f32 }
/// ```
/// * `#[resource(written_by = "game::clock")]`: only systems in this module may write it.
#[proc_macro_derive(Resource, attributes(resource, ecs, component, relation, event))]
pub fn derive_resource(input: TokenStream) -> TokenStream {
    run(input, resource::expand)
}

/// Makes pending events of a type data, which is saved, cloned and copied with its world.
///
/// ```text
/// #[derive(Event, Clone, Debug, Serialize, Deserialize)]
/// #[event(data = "game.hit")]
/// struct Hit { target: Entity, damage: u32 }
/// ```
///
/// Any type can be an event without it. `World::register_data_event` makes the events known to a world.
#[proc_macro_derive(Event, attributes(event, ecs, component, resource, relation))]
pub fn derive_event(input: TokenStream) -> TokenStream {
    run(input, event::expand)
}

/// Makes a type a relation: a kind of edge between entities, with values of this type.
///
/// ```text
/// #[derive(Relation)]
/// #[relation(tree, sources = "despawn")]
/// struct ChildOf;
///
/// #[derive(Relation)]
/// #[relation(many)]
/// struct Likes { much: u32 }
/// ```
///
/// * `#[relation(many)]`: a source has any number of targets instead of one.
/// * `#[relation(tree)]`: an entity cannot be related to its own descendants. Only with one target.
/// * `#[relation(sources = "detach")]`, the default: when a target is despawned, its sources stay and lose the target;
///   `"despawn"`: they are despawned too.
/// * `#[relation(crate = path)]`: the path of `ecs-core`, if only another crate depends on it directly.
#[proc_macro_derive(Relation, attributes(relation, ecs, component, resource, event))]
pub fn derive_relation(input: TokenStream) -> TokenStream {
    run(input, relation::expand)
}

/// Makes a struct a bundle: components that are inserted or removed together.
///
/// ```text
/// #[derive(Bundle)]
/// struct Unit { position: Position, stats: (Health, Armour) }
/// ```
///
/// Each field is a bundle itself: a component, a tuple of bundles, or another bundle struct. The struct must not
/// implement `Drop`, because its fields are moved out.
#[proc_macro_derive(Bundle, attributes(bundle, ecs))]
pub fn derive_bundle(input: TokenStream) -> TokenStream {
    run(input, bundle::expand)
}

/// Makes a struct a system parameter: a group of parameters that are borrowed together, and can have methods.
///
/// ```text
/// #[derive(SystemParam)]
/// struct Physics<'w, 's> {
///     positions: CompMut<'w, Position>,
///     time: Res<'w, Time>,
///     frames: Local<'s, u32>,
///     sounds: Sounds<'w>,               // another derived parameter
/// }
///
/// #[system]
/// fn fall(mut physics: Physics<'_>) { .. }
/// ```
///
/// The fields are system parameters. A `PhantomData` field can use a generic parameter that no other field uses. The
/// lifetimes can have any name, and one for all fields is enough. A system writes the parameter with its lifetime,
/// `Physics<'_>`: so `#[system]` distinguishes it from an ordinary argument. Conflicting fields are an error at the
/// later one; a generic struct is checked for each instance that a system uses.
///
/// * `#[system_param(shared)]`: the threads of a `#[system(par_for_each)]` system can use it at the same time; all its
///   fields must be shared parameters.
/// * `#[system_param(crate = path)]`: the path of `ecs-core`, if only another crate depends on it directly.
#[proc_macro_derive(SystemParam, attributes(system_param, ecs))]
pub fn derive_system_param(input: TokenStream) -> TokenStream {
    run(input, system_param::expand)
}

/// Makes a struct query data: its fields are fetched together, and a query over it yields the struct.
///
/// ```text
/// #[derive(QueryData)]
/// struct Mover<'a> {
///     position: &'a mut Position,
///     velocity: &'a Velocity,
///     mass: Option<&'a Mass>,
///     id: Entity,
///     model: Model<'a>,                 // another derived struct
/// }
///
/// #[system]
/// fn movement(mut movers: Query<Mover, Without<Frozen>>) {
///     for mover in &mut movers { mover.position.0 += mover.velocity.0; }
/// }
/// ```
///
/// The fields are query data, and the struct is visited as fast as a tuple of them. A struct with fields that write gets a
/// read-only variant with `&` for `&mut`, here `MoverReadOnly`: the item of the methods of `Query` that only read, including
/// `for mover in &movers`. The components must be as visible as the struct. If two fields borrow a component and one of them
/// writes it, the later field is an error. A struct can be generic over query data: with a parameter `D: QueryData` and a field
/// `ecs_core::query::Item<'a, D>`, a struct `Owned<'a, D>` is used as `Query<Owned<&Position>>`.
#[proc_macro_derive(QueryData, attributes(query_data, ecs))]
pub fn derive_query_data(input: TokenStream) -> TokenStream {
    run(input, query_data::expand)
}

/// Makes a struct a query filter: all its fields must match.
///
/// ```text
/// #[derive(QueryFilter)]
/// struct Alive {
///     body: With<Body>,
///     dead: Without<Dead>,
/// }
///
/// #[system]
/// fn breathe(bodies: Query<&mut Body, Alive>) { .. }
/// ```
#[proc_macro_derive(QueryFilter, attributes(query_filter, ecs))]
pub fn derive_query_filter(input: TokenStream) -> TokenStream {
    run(input, query_filter::expand)
}

/// Reports that a state, a set or a label needs only traits of the standard library: other libraries have derives for them.
macro_rules! foreign {
    ($($function:ident $name:ident: $text:literal;)*) => {
        $(
            #[doc(hidden)]
            #[proc_macro_derive($name)]
            pub fn $function(_: TokenStream) -> TokenStream {
                let message = concat!("`", stringify!($name), "` is not a trait here: ", $text, " is any type with `#[derive(Clone, Debug, PartialEq, Eq, Hash)]`\nhelp: remove `", stringify!($name), "`");
                syn::Error::new(proc_macro2::Span::call_site(), message).into_compile_error().into()
            }
        )*
    };
}

foreign! {
    derive_states States: "a state";
    derive_system_set SystemSet: "a set of systems";
    derive_schedule_label ScheduleLabel: "the label of a schedule";
}

/// Makes a function a system: it borrows its parameters from a world.
///
/// A system stays a function: the caller's arguments come first, then the world, and the return value passes through. A
/// schedule takes it by its name. `inner` returns the function as written, for unit tests without a world.
///
/// # Parameters
/// World parameters are the types of `ecs_core` that are known by name (`Comp`, `Res`, `Local`, ..), `Option`s and tuples
/// of them, types written with a lifetime (`Phys<'_>`), `&World`, and *all parameters after the first of these*.
/// Parameters before it are ordinary arguments of the caller. `#[param]` and `#[arg]` on a parameter override that. Take
/// world parameters by value (`mut commands: Commands`). A function that receives them from other systems marks them:
/// `#[arg] commands: &mut Commands`. A parameter may have a `#[cfg(..)]`, and documentation, which is shown with the
/// access of the system.
///
/// A type parameter that only ordinary arguments mention is the caller's: it can be a closure that borrows, and all its
/// instances are one system, with one `Local`.
///
/// A function with `&mut World` is an exclusive system: it has no other world parameters, and you call it with `&mut World`.
/// With `writes(..)` and `reads(..)`, the types of data that it touches, a parameter with other data is an error.
///
/// # For each entity
/// ```text
/// #[system(for_each, with(Falling), without(Frozen))]
/// fn gravity(vel: &mut Velocity, mass: Option<&Mass>, g: Res<Gravity>) { vel.0 += g.0 * mass.map_or(1.0, |m| m.0); }
/// ```
/// The function is called for each entity that has the items. Items are `&T`, `&mut T`, `Mut<T>`, `Entity`, tuples of these
/// and `Option`s of these or of tuples (or marked `#[item]`; mark a reference that the caller supplies `#[arg]`).
/// `with(..)`, `without(..)`, `changed(..)`, `added(..)` and `mutated(..)` filter the entities, by one component or
/// several. Each call receives the other world parameters, and ordinary arguments, which are `Copy`. The function returns
/// `()`, or a `Result<(), E>` whose first error ends the loop.
///
/// `#[system(par_for_each)]` is the same loop on the threads of the current `rayon` pool, in no order, if several are faster for
/// the first entities. Calls must not wait for one another. The threads share the other parameters, so these only read: `Res`,
/// `Comp`, queries without `&mut`, `&World`, derived parameters with `#[system_param(shared)]`; a `ResMut`, `Local` or `Commands`
/// is an error. Make changes through the items, an atomic or a `Mutex`. The loop returns the error of the first entity in the order
/// of `for_each`; it may have visited some later ones. It needs the feature `parallel` of `ecs-core` (default).
///
/// # Conflicts
/// Parameters that would alias are an error at the later one, in `cargo check`: the same data twice, one of them
/// written, even through an alias, inside a tuple or by the items of a loop; or `&World` or `&ResourceMap` together
/// with a parameter that writes to them. Queries over the same component are compatible if one requires (by an item or
/// `With`) a component that the other one excludes by `Without`.
///
/// A generic system is checked when an instance is built, except for parameters that do not depend on its generics or are written
/// alike. Only at run time is it known whether two generic types inside of queries, tuples or derived parameters are the same: a
/// schedule refuses such a conflict when it is planned, and a call panics before the system runs, with the same message.
///
/// # Options
/// `#[system(crate = path)]` sets the path of `ecs-core`, if only another crate depends on it directly; the derives and
/// `#[systems]` take the option too, as in `#[bundle(crate = path)]`. To set it for all items of a crate, add
/// `[package.metadata.ecs-core]` with `crate = "engine::ecs"` to its `Cargo.toml`. If the other crate re-exports
/// everything, write `extern crate engine as ecs_core;` at the root instead.
///
/// # Scheduling
/// A schedule takes systems without ordinary arguments that return `()` or `Result<(), E>`; a system that returns
/// `bool` is a condition. Name generic systems with their arguments: `schedule.add(tick::<Position>)`; the arguments
/// must be `'static`.
#[proc_macro_attribute]
pub fn system(options: TokenStream, item: TokenStream) -> TokenStream {
    run(item, |item| Ok(system::expand(options.into(), item)))
}

/// Makes functions in an `impl` block systems: methods, which borrow their type as a resource, and functions without `self`.
///
/// `&self` is `Res<Self>` and `&mut self` is `ResMut<Self>`, so the type must be a resource. All forms of `#[system]`
/// work in the block. For unit tests, `inner` returns the function with `Res` or `ResMut` for `self`.
#[proc_macro_attribute]
pub fn systems(options: TokenStream, item: TokenStream) -> TokenStream {
    let options = options.into();
    run(item, |item| Ok(system::expand_methods(options, item)))
}

/// The expansions of macros of `ecs_core`, which documents them.
macro_rules! expansions {
    ($($(#[$attribute:meta])* $name:ident: $expand:expr;)*) => {
        $(
            $(#[$attribute])*
            #[doc(hidden)]
            #[proc_macro]
            pub fn $name(input: TokenStream) -> TokenStream {
                run(input, $expand)
            }
        )*
    };
}

expansions! {
    #[cfg(feature = "statics")]
    world: world::expand;
    #[cfg(feature = "statics")]
    spawn: spawn::expand;
    #[cfg(feature = "statics")]
    inline_system: |input| Ok(inline_system::expand(input));
    schedule: schedule::expand;
    known_contract: |_| manifest::refuse_unknown_contract();
}
