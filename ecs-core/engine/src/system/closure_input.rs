//! Closures with an input: systems as values.

use super::param::SystemParam;
use super::run::Run;
#[cfg(doc)]
use super::value::IntoSystemValue;
#[cfg(doc)]
use crate::world::World;

/// The input of a closure that is a system: its first argument.
///
/// Pass such a closure to [`from_fn`](super::from_fn): it becomes a value ([`IntoSystemValue`]), which can be the second
/// system of a [pipe](IntoSystemValue::pipe) and can be [registered](World::register_system). Up to eight system
/// parameters follow the input, or a `&mut World`. A `#[system]` function takes ordinary arguments instead.
///
/// ```
/// use ecs_core::from_fn;
/// use ecs_core::prelude::*;
/// use ecs_core::system::In;
///
/// #[derive(Component)]
/// struct Health(i32);
///
/// let mut world = World::new();
/// let hero = world.spawn(Health(40));
/// let heal = world.register_system(from_fn(|In((who, by)): In<(Entity, i32)>, mut healths: CompMut<Health>| {
///     healths.get_mut(who).unwrap().0 += by;
/// }));
/// world.run_system(heal, (hero, 2))?;
///
/// let wounded = |healths: Query<&Health>| healths.iter().filter(|health| health.0 < 50).count();
/// let report = from_fn(|In(count): In<usize>, mut log: ResMut<Vec<usize>>| log.push(count));
/// world.insert_resource(Vec::<usize>::new());
/// let mut frame = Schedule::new();
/// frame.add(wounded.pipe(report));
/// frame.run(&mut world)?;
/// assert_eq!(*world.resource::<Vec<usize>>(), [1]);
/// assert_eq!(world.get::<Health>(hero).unwrap().0, 42);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
///
/// Conflicting parameters are a compile error, which `cargo build` shows and `cargo check` does not:
///
/// ```compile_fail,E0080
/// use ecs_core::prelude::*;
/// # #[derive(Component)]
/// # struct Health(i32);
/// # let mut world = World::new();
/// world.register_system(ecs_core::from_fn(
///     |ecs_core::system::In(by): ecs_core::system::In<i32>, a: CompMut<Health>, b: Comp<Health>| {},
/// ));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct In<T>(pub T);

/// A closure with its parameters that receives its input when it runs.
#[doc(hidden)]
pub(super) struct ReceivesInput<R>(pub(super) R);

impl<R, T, Out> Run<Out, T> for ReceivesInput<R>
where
    R: Run<Out, (In<T>,)>,
{
    type Params = R::Params;

    #[inline]
    fn run(&mut self, guard: &mut <R::Params as SystemParam>::Guard<'_>, input: T) -> Out {
        self.0.run(guard, (In(input),))
    }
}
