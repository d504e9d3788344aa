use proc_macro2::TokenStream;

use super::expand;
use crate::tokens::{has, has_no, parsed};

fn expanded(item: TokenStream) -> String {
    expand(TokenStream::new(), item).to_string()
}

#[test]
fn a_system_is_a_function_of_the_same_name() {
    let code = expanded(parsed("pub fn movement(mut pos: CompMut<Position>) {}"));
    has(&code, "pub fn movement");
    has(&code, "enum __system_movement");
}

#[test]
fn arguments_come_first() {
    let code = expanded(parsed(
        "fn sum(a: usize, b: Res<usize>) -> usize { a + *b }",
    ));
    has(&code, "fn sum (a : usize , world");
    has(&code, "VisitSystem < __Out , (__A0 ,) > for");
}

#[test]
fn only_a_caller_passes_arguments_whose_types_the_system_does_not_know() {
    let code = expanded(parsed("fn f<F: FnMut(u8)>(f: F, b: Res<usize>) {}"));
    has_no(&code, "VisitSystem <");
}

#[test]
fn a_wrong_system_becomes_a_stub_with_its_body() {
    let code = expanded(parsed("fn f(a: Res<A>, b: &mut B) { a.b(b) }"));
    has(&code, "const f : [() ; { :: core :: compile_error");
    has(
        &code,
        "_inner { fn f (a : Res < A > , b : & mut B) { a . b (b) }",
    );
    has(&code, "a . b (b)");
}

#[test]
fn an_unfinished_body_affects_neither_callers_nor_the_signature() {
    for body in [
        "world.",
        "let x =",
        "if a.b { c(",
        "a.map(|x| x +",
        "match a { A =>",
    ] {
        // The form that the syntax fix-up of an editor passes: brackets are closed, the rest is as typed.
        let open = body.matches('{').count() - body.matches('}').count();
        let closed = format!(
            "pub fn f(a: Res<A>) {{ {body} {} {} }}",
            ")".repeat(body.matches('(').count()),
            "}".repeat(open),
        );
        let code = expanded(closed.parse().unwrap());
        has(&code, "pub fn f");
        has(&code, "VisitSystem <");
        has_no(&code, "compile_error");
    }
}

#[test]
fn a_parameter_that_is_being_typed_leaves_the_function_in_place() {
    for parameters in ["a", "a:", "a: Res<", "a: Res<A>, b", "mut", "a: &"] {
        let item: TokenStream = format!("pub fn f({parameters}) {{ a.b() }}")
            .parse()
            .unwrap();
        let code = expanded(item.clone());
        assert!(code.starts_with(&item.to_string()), "{parameters}: {code}");
        has_no(&code, "compile_error");
        has(&code, "cannot read");
    }
}

#[test]
fn the_error_about_a_missing_comma_is_left_to_the_compiler() {
    let code = expanded(parsed("fn f(a: Res<A> b: Comp<B>) {}"));
    has_no(&code, "compile_error");
    has(&code, "Comp < B >");
}

#[test]
fn two_systems_of_one_name_have_different_hidden_types() {
    let hidden = |code: String| {
        let (_, rest) = code.split_once("enum ").unwrap();
        rest.split(' ').next().unwrap().to_owned()
    };
    let first = hidden(expanded(parsed("fn f(a: Res<A>) {}")));
    let second = hidden(expanded(parsed("fn f(a: Res<B>) {}")));
    assert_ne!(first, second);
}

#[test]
fn there_is_a_system_for_each_combination_of_configured_parameters() {
    let code = expanded(quote!(
        fn f(
            #[cfg(a)] a: Res<A>,
            #[cfg_attr(b, cfg(c), allow(unused))] b: Res<B>,
            #[cfg(a)] c: Res<C>,
            d: Res<D>,
        ) {
        }
    ));
    assert_eq!(code.matches("HasInner <").count(), 4, "{code}");
    let b = "any (not (b) , c)";
    for (cfgs, types) in [
        (
            format!("# [cfg (a)] # [cfg ({b})]"),
            "Res < A > , Res < B > , Res < C > , Res < D >",
        ),
        (
            format!("# [cfg (a)] # [cfg (not ({b}))]"),
            "Res < A > , Res < C > , Res < D >",
        ),
        (
            format!("# [cfg (not (a))] # [cfg ({b})]"),
            "Res < B > , Res < D >",
        ),
        (
            format!("# [cfg (not (a))] # [cfg (not ({b}))]"),
            "Res < D >",
        ),
    ] {
        let (_, scope) = code.split_once(&format!("{cfgs} const _")).unwrap();
        let (_, inner) = scope.split_once("HasInner < fn ").unwrap();
        assert!(inner.starts_with(&format!("({types}) >")), "{code}");
    }
}

#[test]
fn an_item_that_is_not_a_function_stays() {
    let item = parsed("struct A;");
    let code = expanded(item.clone());
    assert!(code.starts_with(&item.to_string()), "{code}");
    has(&code, "found `struct`");
}

#[test]
fn the_documentation_shows_signature_and_access() {
    let code = expanded(parsed(
        "fn f(r: Option<Res<A>>, q: Query<&B, With<C>>, n: Removed<D>, w: &World) -> bool { true }",
    ));
    for line in [
        "fn f(r: Option<Res<A>>, q: Query<&B, With<C>>, n: Removed<D>, w: &World) -> bool",
        "* `r` reads the resource [`A`] if there is one",
        "* `q` visits entities: reads [`B`], with [`C`]",
        "* `n` reads the removals of [`D`]",
        "* `w` borrows the whole world",
    ] {
        has(&code, line);
    }
}

#[test]
fn the_items_of_a_loop_are_one_query() {
    let options = quote!(for_each, with(Player), without(Frozen, Dead));
    let item =
        parsed("fn f(by: f32, a: &mut A, b: Option<&B>, m: Mut<M>, e: Entity, r: Res<R>) {}");
    let code = expand(options, item).to_string();
    let query = "name : \"a, b, m, e\" , ty : \"Query<(&mut A, Option<&B>, Mut<M>, Entity), (With<Player>, Without<Frozen>, Without<Dead>)>\"";
    has(&code, query);
    has(&code, "fn f (by : f32 , world");
    for line in [
        "* `b` reads the component [`B`] of each entity that has one",
        "* `m` writes the component [`M`] of each entity",
        "* `e` is each entity's id",
    ] {
        has(&code, line);
    }
}

#[test]
fn a_result_ends_the_loop_at_the_first_error() {
    let item = parsed("fn f(a: &A) -> Result<(), E> { Ok(()) }");
    let code = expand(quote!(for_each), item).to_string();
    has(&code, "until_failed");
    let code = expand(quote!(for_each), parsed("fn f(a: &A) {}")).to_string();
    has(&code, ". for_each (");
}

#[test]
fn a_parallel_loop_reads_its_parameters_by_shared_guards() {
    let item = parsed("fn f(a: &A, r: Res<R>) {}");
    let options = quote!(par_for_each, changed(A), added(B), with(C));
    let code = expand(options, item).to_string();
    has(&code, "__private :: par_for_each (& mut");
    has(
        &code,
        "< Res < R > as :: ecs_core :: __private :: SharedParam > :: get_shared (& * __p1)",
    );
    has(&code, "Query<&A, (Changed<A>, Added<B>, With<C>)>");
}

fn checks(item: TokenStream) -> usize {
    expanded(item).matches(":: refuse").count()
}

#[test]
fn each_parameter_that_can_conflict_is_checked_once() {
    assert_eq!(
        checks(parsed(
            "fn f(n: u8, a: CompMut<A>, b: Res<B>, c: Query<&C>) {}"
        )),
        2,
        "the first one is a view and has no parts"
    );
    assert_eq!(checks(parsed("fn f(a: Query<(&A, &mut B)>) {}")), 1);
    assert_eq!(checks(parsed("fn f(world: &mut World) {}")), 0);
}

#[test]
fn types_are_compared_where_they_may_be_the_same() {
    let questions = |item| expanded(item).matches("Pair <").count();
    let views = parsed("fn f(a: CompMut<A>, b: Comp<B>, c: Comp<C>, d: Res<D>, e: Query<&A>) {}");
    assert_eq!(questions(views), 2, "a with b, a with c");
    let alias = parsed("fn f(a: Comp<A>, b: physics::Bodies<'_>) {}");
    assert_eq!(questions(alias), 1);
}

#[test]
fn a_generic_system_is_checked_with_and_without_an_instance() {
    let code = expanded(parsed(
        "fn f<T: Component>(a: Comp<T>, b: Res<B>, c: ResMut<C>) {}",
    ));
    has(&code, "const META : :: ecs_core");
    has(&code, "const CHECK : ()");
    assert_eq!(
        code.matches("CHECK ;").count(),
        2,
        "call and schedule: {code}"
    );
    let code = expanded(parsed("fn f<T: Component>(a: Comp<A>) -> T {}"));
    has_no(&code, "CHECK");
}
