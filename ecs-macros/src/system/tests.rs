use proc_macro2::TokenStream;
use quote::quote;

use super::expand;

fn expanded(item: TokenStream) -> String {
    expand(TokenStream::new(), item).to_string()
}

fn mistakes(item: TokenStream) -> usize {
    expanded(item).matches("compile_error").count()
}

#[test]
fn a_system_is_a_function_of_the_same_name() {
    let code = expanded(quote!(
        pub fn movement(mut pos: CompMut<Position>) {}
    ));
    assert!(code.contains("pub fn movement"), "{code}");
    assert!(code.contains("struct __system_movement"), "{code}");
}

#[test]
fn arguments_come_first() {
    let code = expanded(quote!(
        fn sum(a: usize, b: Res<usize>) -> usize {
            a + *b
        }
    ));
    assert!(code.contains("fn sum (a : usize , world"), "{code}");
    assert!(!code.contains("Call <"), "only a caller can run it: {code}");
}

#[test]
fn several_mistakes_are_reported_at_once() {
    let item = quote! {
        async unsafe fn f(a: Res<A>, b: &mut B, c: impl Trait) -> impl Trait {}
    };
    assert_eq!(mistakes(item), 5);
}

#[test]
fn a_stub_stands_for_a_wrong_system() {
    let code = expanded(quote!(
        async fn f(a: Res<A>) {
            a.b().await
        }
    ));
    assert!(code.contains("fn f"), "{code}");
    assert!(code.contains("Call <"), "{code}");
    assert!(!code.contains("await"), "{code}");
}

#[test]
fn what_is_not_a_function_stays() {
    let item = quote!(
        struct A;
    );
    let code = expanded(item.clone());
    assert!(code.starts_with(&item.to_string()), "{code}");
    assert!(code.contains("not on a `struct`"), "{code}");
}

#[test]
fn the_documentation_shows_signature_and_access() {
    let code = expanded(quote!(
        fn f(r: Option<Res<A>>, q: Query<&B, With<C>>, w: &World) -> bool {
            true
        }
    ));
    for line in [
        "fn f(r: Option<Res<A>>, q: Query<&B, With<C>>, w: &World) -> bool",
        "* `r` reads the resource `A` if there is one",
        "* `q` visits the entities with `&B` where `With<C>`",
        "* `w` borrows the whole world",
    ] {
        assert!(code.contains(line), "{line}: {code}");
    }
}

#[test]
fn the_items_of_a_loop_are_one_query() {
    let options = quote!(for_each, with(Player), without(Frozen, Dead));
    let item = quote!(
        fn f(by: f32, a: &mut A, b: Option<&B>, e: Entity, r: Res<R>) {}
    );
    let code = expand(options, item).to_string();
    let query = "\"a, b, e\" , \"Query<(&mut A, Option<&B>, Entity), (With<Player>, Without<Frozen>, Without<Dead>)>\"";
    assert!(code.contains(query), "{code}");
    assert!(code.contains("fn f (by : f32 , world"), "{code}");
    assert!(
        code.contains("* `b` reads the component `B` of each entity that has one"),
        "{code}"
    );
    assert!(code.contains("* `e` is each entity's id"), "{code}");
}

#[test]
fn a_result_ends_the_loop_at_the_first_error() {
    let item = quote!(
        fn f(a: &A) -> Result<(), E> {
            Ok(())
        }
    );
    let code = expand(quote!(for_each), item).to_string();
    assert!(code.contains("until_failed"), "{code}");
    let code = expand(
        quote!(for_each),
        quote!(
            fn f(a: &A) {}
        ),
    )
    .to_string();
    assert!(code.contains(". for_each ("), "{code}");
}
