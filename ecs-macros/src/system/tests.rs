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
