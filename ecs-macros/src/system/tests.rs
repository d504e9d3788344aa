use proc_macro2::TokenStream;

use super::expand;
use crate::tokens::{check, has, parsed};

/// Returns the code of a system, written `options | function` or as the function alone.
fn code_of(item: &str) -> String {
    let (options, item) = item.split_once(" | ").unwrap_or(("", item));
    expand(parsed(options), parsed(item)).to_string()
}

#[test]
fn a_system_is_a_function_of_the_same_name() {
    let parts = "
        pub fn movement(mut pos: CompMut<Position>) {}
            pub fn movement
            enum __SystemMovement
        fn sum(a: usize, b: Res<usize>) -> usize { a + *b }
            fn sum < > (a : usize , world
            VisitSystem < __Out , __A0 > for
        fn f<F: FnMut(u8)>(f: F, b: Res<usize>) {}
            ! VisitSystem <";
    check(code_of, parts);
}

#[test]
fn a_wrong_system_becomes_a_stub_with_its_body() {
    let parts = "
        fn f(a: Res<A>, b: &mut B) { a.b(b) }
            const f : [() ; { :: core :: compile_error
            Inner < > { fn f (a : Res < A > , b : & mut B) { a . b (b) }
        fn f(a: Res<A> b: Comp<B>) {}
            Comp < B >
            ! compile_error
        struct A;
            struct A ;
            found `struct`";
    check(code_of, parts);
}

#[test]
fn an_unfinished_body_affects_neither_callers_nor_the_signature() {
    // As the syntax fix-up of an editor passes it: brackets are closed, the rest is as typed.
    let bodies = "world. / let x = / if a.b { c() } / a.map(|x| x +) / match a { A => }";
    let code = |body: &str| code_of(&format!("pub fn f(a: Res<A>) {{ {body} }}"));
    for body in bodies.split(" / ") {
        let parts = "pub fn f\n VisitSystem <\n ! compile_error";
        check(code, &format!("{body}\n {parts}"));
    }
}

#[test]
fn a_parameter_that_is_being_typed_leaves_the_function_in_place() {
    for parameters in ["a", "a:", "a: Res<", "a: Res<A>, b", "mut", "a: &"] {
        let item: TokenStream = parsed(&format!("pub fn f({parameters}) {{ a.b() }}"));
        let code = expand(TokenStream::new(), item.clone()).to_string();
        assert!(code.starts_with(&item.to_string()), "{parameters}: {code}");
        assert!(!code.contains("compile_error"), "{code}");
        has(&code, "cannot read");
    }
}

#[test]
fn two_systems_of_one_name_have_different_hidden_types() {
    let hidden = |item: &str| {
        let code = code_of(item);
        let (_, rest) = code.split_once("enum ").unwrap();
        rest.split(' ').next().unwrap().to_owned()
    };
    assert_ne!(hidden("fn f(a: Res<A>) {}"), hidden("fn f(a: Res<B>) {}"));
}

#[test]
fn there_is_a_system_for_each_combination_of_configured_parameters() {
    let parts = "
        fn f(#[cfg(a)] a: Res<A>, #[cfg_attr(b, cfg(c), allow(unused))] b: Res<B>, #[cfg(a)] c: Res<C>, d: Res<D>) {}
            =4 HasInner <
            # [cfg (not (a))] # [cfg (any (not (b) , c))] const _ : () = {
            # [cfg (a)] # [cfg (any (not (b) , c))] # [doc = \"\\n# Access\\n```text\\nfn f(a: Res<A>, b: Res<B>, c: Res<C>, d: Res<D>)
            # [cfg (a)] # [cfg (not (any (not (b) , c)))] # [doc = \"\\n# Access\\n```text\\nfn f(a: Res<A>, c: Res<C>, d: Res<D>)
            # [cfg (not (a))] # [cfg (any (not (b) , c))] # [doc = \"\\n# Access\\n```text\\nfn f(b: Res<B>, d: Res<D>)
            # [cfg (not (a))] # [cfg (not (any (not (b) , c)))] # [doc = \"\\n# Access\\n```text\\nfn f(d: Res<D>)";
    check(code_of, parts);
}

#[test]
fn the_types_of_parameters_depend_on_the_metadata_if_their_uses_could_be_errors() {
    let parts = "
        fn f(n: u8, q: Query<&A, With<B>>, a: Option<Single<&A>>, r: Res<R>, m: Movers, g: Game<'_>, l: Local<L>) {}
            (n : u8 , q : Query < __SystemF8840Param < & A > , With < B >
            a : Option < Single < __SystemF8840Param < & A >
            , r : Res < R > , m : __SystemF8840Param < Movers > , g : __SystemF8840Param < Game < '_
            , l : Local < L >
        fn f(r: Res<R>) {}
            ! Param <
        fn f<T: Component>(a: Comp<T>, b: Query<&B>) {}
            ! Param <
        for_each | fn f(a: &mut A, b: Query<&B>) {}
            Param < & B >
            Param < () > ;
        par_for_each | fn f(a: &mut A, b: Query<&B>) {}
            ! Param <";
    check(code_of, parts);
}

#[test]
fn the_documentation_shows_signature_and_access() {
    let parts = "
        fn f(r: Option<Res<A>>, q: Query<&B, With<C>>, n: Removed<D>, w: &World) -> bool { true }
            fn f(r: Option<Res<A>>, q: Query<&B, With<C>>, n: Removed<D>, w: &World) -> bool
            * `r` reads the resource [`A`] if there is one
            * `q` visits entities: reads [`B`], with [`C`]
            * `n` reads the removals of [`D`]
            * `w` borrows the whole world";
    check(code_of, parts);
}

#[test]
fn the_items_of_a_loop_are_one_query() {
    let parts = r#"
        for_each, with(Player), without(Frozen, Dead) | fn f(by: f32, a: &mut A, b: Option<&B>, m: Mut<M>, e: Entity, r: Res<R>) {}
            name : "a, b, m, e" , ty : "Query<(&mut A, Option<&B>, Mut<M>, Entity), (With<Player>, Without<Frozen>, Without<Dead>)>"
            fn f < > (by : f32 , world
            * `b` reads the component [`B`] of each entity that has one
            * `m` writes the component [`M`] of each entity
            * `e` is each entity's id
        for_each | fn f(a: &A) -> Result<(), E> { Ok(()) }
            until_failed
        for_each | fn f(a: &A) {}
            . for_each (
        par_for_each, changed(A), added(B), with(C) | fn f(a: &A, r: Res<R>) {}
            __private :: par_for_each (& mut
            < Res < R > as :: ecs_core :: __private :: SharedParam > :: get_shared (& * __p1)
            Query<&A, (Changed<A>, Added<B>, With<C>)>"#;
    check(code_of, parts);
}

#[test]
fn each_parameter_that_can_conflict_is_checked_once() {
    // A view has no parts, and no resource is a component. A pair is two types that may be the same.
    let parts = "
        fn f(n: u8, a: CompMut<A>, b: Res<B>, c: Query<&C>) {}
            =1 :: refuse (
        fn f(a: CompMut<A>, b: Comp<B>, c: Res<C>, d: ResMut<D>) {}
            =2 :: refuse_same (
            =2 :: refuse_access (
            ! :: refuse (
        fn f(a: CompMut<A>, b: Index<A>) {}
            =1 :: refuse (
        fn f(a: Query<(&A, &mut B)>) {}
            =1 :: refuse (
        fn f(world: &mut World) {}
            ! :: refuse
        fn f(a: CompMut<A>, b: Comp<B>, c: Comp<C>, d: Res<D>, e: Query<&A>) {}
            =2 refuse_same (
            =1 (0usize , (< :: ecs_core :: __private :: Pair < :: ecs_core :: __private :: Comp < A > , :: ecs_core :: __private :: Comp < A >> > :: SAME , false))
        fn f(a: Query<&mut A, With<B>>, b: Query<&A, Without<C>>, c: Query<&A, Without<B>>) {}
            =1 ! (< :: ecs_core :: __private :: Pair
        fn f(a: Comp<A>, b: physics::Bodies<'_>) {}
            =1 share ! (Comp < A > , physics :: Bodies < '_ >)
            =1 share ! (physics :: Bodies < '_ >)";
    check(code_of, parts);
}

#[test]
fn a_generic_system_is_checked_with_and_without_an_instance() {
    // Where it is called and in a schedule.
    let parts = "
        fn f<T: Component>(a: Comp<T>, b: Res<B>, c: ResMut<C>) {}
            const META : :: ecs_core
            const CHECK : ()
            =2 CHECK ;
        fn f<T: Component>(a: Comp<A>) -> T {}
            ! CHECK";
    check(code_of, parts);
}
