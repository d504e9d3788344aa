//! Methods by the names that other libraries have for them: calling one is an error with the words to write here.
//!
//! Only names whose meaning is the same there. A method of this kind hides one that a trait of the user adds with `&mut self`, so
//! no type is here that derefs to a type of the user.

use crate::command::{Commands, EntityCommands};
use crate::entity::Entity;
use crate::event::{EventReader, EventWriter};
use crate::join::{Fetch, Filter, JoinIter};
use crate::query::Query;
use crate::schedule::{Schedule, State};
use crate::view::{Comp, CompMut};
use crate::world::{EntityMut, World};

/// Declares methods that cannot be called, each with the number of its arguments and the label of the error.
///
/// The bound of a method holds for no type, and has a lifetime of its own, so that the compiler tests it at the call and not
/// here. The result is of any type, so that its uses add no error.
#[doc(hidden)]
#[macro_export]
macro_rules! __other_names {
    ([$($generics:tt)*] $ty:ty {}) => {};
    ([$($generics:tt)*] $ty:ty { $name:ident ($($arg:ident),*) $label:literal; $($rest:tt)* }) => {
        $crate::__other_names! { [$($generics)*] $ty { $name ($($arg),*) -> Any, $label; $($rest)* } }
    };
    ([$($generics:tt)*] $ty:ty { $name:ident ($($arg:ident),*) -> $out:ty, $label:literal; $($rest:tt)* }) => {
        const _: () = {
            #[diagnostic::on_unimplemented(message = "there is no such method", label = $label)]
            pub trait OtherName<'a> {}

            #[allow(clippy::should_implement_trait, reason = "the name is that of another library")]
            impl<$($generics)*> $ty {
                #[doc(hidden)]
                pub fn $name<Any>(&self, $($arg: impl Sized),*) -> $out
                where
                    for<'a> (): OtherName<'a>,
                {
                    $(let _ = $arg;)*
                    unreachable!()
                }
            }
        };
        $crate::__other_names! { [$($generics)*] $ty { $($rest)* } }
    };
}

__other_names! { ['g, D] Commands<'g, D> {
    add(command) "write `queue`";
    add_observer(observer) "write `queue(|world| ..)`, and `world.observe(..)` inside of it";
    despawn_recursive(entity) "write `despawn`";
    get(entity) -> Option<Any>, "commands read nothing: take a `Query<&T>` or a `Comp<T>`, and `get` from it";
    get_entity(entity) "write `entity`";
    init_resource() "write `insert_resource` with the value";
    run_system_cached(system) "write `queue(|world| ..)`, and `world.run(..)` inside of it";
    send_event(event) "take an `EventWriter`, and write `send`";
    spawn_bundle(bundle) "write `spawn`";
    trigger_targets(event, targets) "write `trigger_on`, with the entity first";
    write_message(message) "take an `EventWriter`, and write `send`";
} }

__other_names! { ['c] EntityCommands<'c> {
    add(component) "write `insert`";
    add_child(child) "write `insert_children_at` with an index and a slice, or `reparent` on the child";
    add_children(children) "write `insert_children_at` with an index before them";
    despawn_recursive() "write `despawn`";
    get() -> Option<Any>, "commands read nothing: take a `Query<&T>` or a `Comp<T>`, and `get` from it";
    insert_bundle(bundle) "write `insert`";
    set(component) "write `insert`";
    set_parent(parent) "write `reparent`";
    try_insert(bundle) "write `if_exists()`, and `insert` after it";
    with(component) "write `insert`";
} }

__other_names! { ['w] EntityMut<'w> {
    add(component) "write `insert`";
    despawn_recursive() "write `despawn`";
    insert_bundle(bundle) "write `insert`";
    set(component) "write `insert`";
    set_parent(parent) "write `reparent`";
    with(component) "write `insert`";
} }

__other_names! { [] Entity {
    add() "write `world.insert(entity, ..)` with the component";
    despawn_recursive() "write `world.despawn(entity)`";
    id() "`World::spawn` returns the id itself: remove `.id()`";
    insert(bundle) "write `world.insert(entity, ..)`, or `world.entity_mut(entity).insert(..)`";
    set(component) "write `world.insert(entity, ..)`";
    with(component) "spawn a tuple of components: `world.spawn((Position, Velocity))`";
} }

__other_names! { ['w, D, F] Query<'w, D, F> {
    each(function) "write `for_each`";
    for_each_mut(function) "write `for_each`";
    get_component(entity) "take a `Query<&T>`, and write `get`";
    get_component_mut(entity) "take a `Query<&mut T>`, and write `get_mut`";
    get_many(entities) "write `get` for each entity";
    get_single() "write `single`";
    get_single_mut() "write `single_mut`";
    iter_combinations_mut() "write `for_each_pair`, with a function";
    iter_many(entities) "write `get` for each entity";
    join() "write `iter`";
    par_iter() "write `par_for_each`";
    par_iter_mut() "write `par_for_each`";
    with() -> Self, "write `query_filtered::<D, With<T>>()`, or `Query<D, With<T>>` for a parameter";
    without() -> Self, "write `query_filtered::<D, Without<T>>()`, or `Query<D, Without<T>>` for a parameter";
} }

__other_names! { ['j, T: Fetch<'j>, F: Filter<'j>] JoinIter<'j, T, F> {
    sort() "write `sorted_by_key` in place of `iter`";
    sort_by(compare) "write `sorted_by` in place of `iter`";
    sort_by_key(key) "write `sorted_by_key` in place of `iter`";
    with_entity() "write `with_entity()` before `iter()`";
    with_id() "write `with_entity()` before `iter()`";
} }

__other_names! { ['w, T] Comp<'w, T> {
    join() "write `iter`";
} }

__other_names! { ['w, T] CompMut<'w, T> {
    join() "write `iter` or `iter_mut`";
} }

__other_names! { ['g, E] EventReader<'g, E> {
    iter() "write `read`";
    par_read() "write `read`";
} }

__other_names! { ['g, E] EventWriter<'g, E> {
    push(event) "write `send`";
    write(event) "write `send`";
    write_batch(events) "write `send_batch`";
} }

__other_names! { [] World {
    add_entity(components) "write `spawn`";
    add_observer(observer) "write `observe`";
    add_resource(resource) "write `insert_resource`";
    add_unique(resource) "write `insert_resource`";
    create_entity() "write `spawn` with a tuple of components";
    despawn_recursive(entity) "write `despawn`";
    exec(command) "a `&mut World` is changed at once";
    fetch() "write `resource`";
    fetch_mut() "write `resource_mut`";
    get_entity(entity) "write `entity`";
    get_unique() "write `resource`";
    init_resource() "write `insert_resource` with the value";
    insert_one(entity, component) "write `insert`";
    maintain() "commands of systems are applied without a call";
    progress() "write `schedule.run(&mut world)`";
    query_one(entity) "write `query`, and `get` of it";
    read_resource() "write `resource`";
    read_storage() "write `view`";
    remove_one(entity) "write `remove`";
    resource_scope(function) "write `scope`";
    run_system_once(system) "write `run`";
    spawn_bundle(bundle) "write `spawn`";
    write_message(message) "write `send_event`";
    write_resource() "write `resource_mut`";
    write_storage() "write `view_mut`";
} }

__other_names! { [S] State<S> {
    set(state) "take a `ResMut<NextState<S>>`, and write `set` there";
} }

__other_names! { [] Schedule {
    add_system(system) "write `add`";
    add_systems(systems) "write `add`";
    configure_sets(sets) "write `configure` for one set, or `chain_sets` for their order";
    dispatch(world) "write `run`";
    with_system(system) "write `add`";
} }
