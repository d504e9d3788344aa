//! The rules of a crate about who writes what.

/// States which modules write what, for all systems of a crate.
///
/// Write it once, outside of functions, in the file of the crate's root (`main.rs` or `lib.rs`). A system that may break a rule is
/// a compile error at its parameter. If a macro or an included file writes the contract, the file of the root still has to contain
/// the word `contract`, perhaps in a comment: without it, systems don't look for one, which saves the compiler time.
///
/// ```standalone_crate
/// use ecs_core::prelude::*;
///
/// mod physics {
///     use ecs_core::prelude::*;
///
///     #[derive(Component)]
///     pub struct Velocity(pub f32);
///
///     #[system(for_each)]
///     pub fn fall(velocity: &mut Velocity) { velocity.0 -= 1.0 }
/// }
/// mod ui {
///     use super::physics::Velocity;
///     use ecs_core::prelude::*;
///
///     #[system(for_each)]
///     pub fn label(velocity: &Velocity) { println!("{}", velocity.0) }
/// }
///
/// contract! {
///     only physics writes Velocity;
///     ui writes nothing of physics;
/// }
/// # use physics::Velocity;
/// # fn main() {
/// # let mut frame = Schedule::new();
/// # frame.add((physics::fall, ui::label));
/// # assert!(frame.plan().is_ok());
/// # frame.add(|_: CompMut<Velocity>| ());
/// # assert!(frame.plan().is_err());
/// # }
/// ```
///
/// # Rules
/// * `only physics, load writes Velocity, Score;`: no system outside of these modules writes the components or resources. Other
///   crates' types are named like those of the crate. For events, name `Events<Hit>`.
/// * `ui writes nothing of game;`: systems in the module `ui` write no data whose type is declared in the module `game`, nor
///   insert or remove such components. With `writes nothing;` they write no data at all. They may send events, except in the
///   second form.
/// * `like game;`: the contract of the crate `game`, which has one, holds in this crate too.
///
/// Modules inside count. A path begins at the root of the crate, `game::physics`; for another crate, write `::other::module`. A
/// module that does not exist is an error.
///
/// # What counts
/// Parameters, and [commands](crate::Commands) that declare their components: `Commands<(Spark, Name)>`. Other commands, `&World`,
/// `&mut World`, and code outside of systems can write anything. `#[component(written_by = "game::physics")]` says the same beside
/// a type of your own, and holds in all crates.
///
/// What the compiler cannot tell, a plan refuses ([`PlanError::ForeignWrite`](crate::schedule::PlanError::ForeignWrite)). There a
/// contract holds for all systems of a schedule that has a system of the contract's crate: also for closures, and for systems of
/// other crates.
///
/// # Compile errors
/// ```compile_fail,E0080
/// # use ecs_core::prelude::*;
/// # mod physics {}
/// # #[derive(Component)]
/// # struct Velocity(f32);
/// contract! { only physics writes Velocity }
///
/// #[system(for_each)]
/// fn drag(velocity: &mut Velocity) { velocity.0 = 0.0 }
/// # fn main() {}
/// ```
// With `$crate`, and not by a procedural macro: a contract is parsed once in a crate.
#[doc(inline)]
pub use crate::__contract as contract;

#[doc(hidden)]
#[macro_export]
#[allow(
    clippy::crate_in_macro_def,
    reason = "a contract is one of the crate that writes it"
)]
macro_rules! __contract {
    ($($rules:tt)*) => {
        $crate::__private::known_contract! {}
        #[doc(hidden)]
        #[allow(dead_code, missing_docs, reason = "a crate may have no system")]
        pub(crate) static __CONTRACT_AT_THE_CRATE_ROOT: $crate::__private::CrateContract =
            $crate::__contract_rules!([] [] $($rules)* ;);
        /// For `like` in other crates.
        #[doc(hidden)]
        #[allow(dead_code, reason = "only `like` uses it")]
        pub static __CONTRACT: &$crate::__private::CrateContract = &crate::__CONTRACT_AT_THE_CRATE_ROOT;
    };
}

/// Makes a contract of the rules: `[rules so far] [contracts of others so far] rest`.
#[doc(hidden)]
#[macro_export]
macro_rules! __contract_rules {
    ([$($rule:expr,)*] [$($other:expr,)*]) => {{
        #[allow(unused_imports, reason = "rules about modules name no type")]
        use $crate::__private::no_contract::*;
        $crate::__private::CrateContract::new(&[$($rule,)*], &[$($other,)*])
    }};
    ($rules:tt $others:tt ; $($rest:tt)*) => { $crate::__contract_rules!($rules $others $($rest)*) };
    ($rules:tt [$($others:tt)*] like $(::)? $game:ident ; $($rest:tt)*) => {
        $crate::__contract_rules!($rules [$($others)* $game::__CONTRACT,] $($rest)*)
    };
    ($rules:tt $others:tt only $($rest:tt)+) => {
        $crate::__contract_rules!(@modules $rules $others only [] [] $($rest)+)
    };
    // Modules so far, the path of the next one so far, and the rest.
    (@modules $rules:tt $others:tt $kind:ident [$($modules:tt)*] [$($path:tt)+] , $($rest:tt)+) => {
        $crate::__contract_rules!(
            @modules $rules $others $kind [$($modules)* $crate::__contract_module!($($path)+),] [] $($rest)+
        )
    };
    (@modules $rules:tt $others:tt $kind:ident [$($modules:tt)*] [$($path:tt)+] writes $($rest:tt)+) => {
        $crate::__contract_rules!(
            @$kind $rules $others [$($modules)* $crate::__contract_module!($($path)+),] $($rest)+
        )
    };
    (@modules $rules:tt $others:tt $kind:ident $modules:tt [$($path:tt)*] :: $($rest:tt)+) => {
        $crate::__contract_rules!(@modules $rules $others $kind $modules [$($path)* ::] $($rest)+)
    };
    (@modules $rules:tt $others:tt $kind:ident $modules:tt [$($path:tt)*] $part:ident $($rest:tt)+) => {
        $crate::__contract_rules!(@modules $rules $others $kind $modules [$($path)* $part] $($rest)+)
    };
    // The data that they write.
    (@only [$($rules:tt)*] $others:tt $modules:tt $($data:ty),+ ; $($rest:tt)*) => {
        $crate::__contract_rules!([$($rules)* $crate::__private::WriteRule::Only(&$modules, &[$(
            $crate::__private::RuledData::new(
                <$crate::__private::Probe<$data>>::COMPONENT,
                <$crate::__private::Probe<$data>>::RESOURCE,
            ),
        )+]),] $others $($rest)*)
    };
    (@all [$($rules:tt)*] $others:tt $modules:tt nothing ; $($rest:tt)*) => {
        $crate::__contract_rules!(
            [$($rules)* $crate::__private::WriteRule::Nothing(&$modules, $crate::__private::None),]
            $others $($rest)*
        )
    };
    (@all [$($rules:tt)*] $others:tt $modules:tt nothing of $(:: $($other:ident)::+)? $($of:ident)::* ; $($rest:tt)*) => {
        $crate::__contract_rules!([$($rules)* $crate::__private::WriteRule::Nothing(
            &$modules,
            $crate::__private::Some($crate::__contract_module!($(:: $($other)::+)? $($of)::*)),
        ),] $others $($rest)*)
    };
    (@ $($wrong:tt)*) => { $crate::__contract_rules!(wrong) };
    (wrong) => {
        ::core::compile_error!(
            "a rule of a contract is `only physics writes Velocity;`, `ui writes nothing of game;`, `ui writes nothing;` or `like game;`"
        )
    };
    ($rules:tt $others:tt $($rest:tt)*) => {
        $crate::__contract_rules!(@modules $rules $others all [] [] $($rest)*)
    };
}

/// Returns the path of a module as text, and makes sure that it exists.
#[doc(hidden)]
#[macro_export]
#[allow(
    clippy::crate_in_macro_def,
    reason = "a contract is one of the crate that writes it"
)]
macro_rules! __contract_module {
    (crate) => { ::core::module_path!() };
    (crate :: $($module:ident)::+) => { $crate::__contract_module!($($module)::+) };
    (:: $first:ident $(:: $module:ident)*) => {{
        use ::$first $(:: $module)* as _;
        ::core::concat!(::core::stringify!($first) $(, "::", ::core::stringify!($module))*)
    }};
    ($($module:ident)::+) => {{
        use crate $(:: $module)+ as _;
        ::core::concat!(::core::module_path!() $(, "::", ::core::stringify!($module))+)
    }};
}
