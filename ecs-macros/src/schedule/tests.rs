use super::expand;
use proc_macro2::TokenStream;
use quote::quote;

fn expanded(tokens: TokenStream) -> String {
    expand(quote!([$crate] #tokens)).unwrap().to_string()
}

fn error(tokens: TokenStream) -> String {
    let error = expand(quote!([$crate] #tokens)).expect_err("no error");
    error.to_string()
}

#[test]
fn tuples_are_flattened() {
    let code = expanded(quote! {
        pub static FRAME = [(a, (b, tick::<P, Q>)).chain().after(c), c.run_if(d)]
    });
    assert!(code.contains("order :: < 4usize , 5usize >"), "{code}");
    for link in ["0usize , 1usize", "0usize , 2usize"] {
        assert!(code.contains(&format!("Chained ({link})")), "{code}");
    }
    assert!(!code.contains("Chained (1usize , 2usize)"), "{code}");
    assert!(code.contains("\"tick::<P, Q>\""), "{code}");
    assert!(code.contains("& [] , & [] , & [] , & [0usize]]"), "{code}");
}

#[test]
fn several_can_be_declared_at_once() {
    let code = expanded(quote!(static A = [a]; #[cfg(test)] pub(crate) static B = [];));
    assert!(code.contains("static A :"), "{code}");
    assert!(code.contains("pub (crate) static B :"), "{code}");
    assert!(!code.contains("compile_error"), "{code}");
}

#[test]
fn errors_say_what_is_wrong() {
    for (tokens, expected) in [
        (quote!(), "expected a schedule"),
        (quote!(const A = [a]), "expected `static`"),
        (quote!(static A: B = [a]), "unexpected type annotation"),
        (quote!(static A = (a, b)), "expected a list of systems"),
        (
            quote!(static A = [a()]),
            "a system is listed by its path, not called",
        ),
        (
            quote!(static A = [|x| x]),
            "expected the path of one `#[system]` function",
        ),
        (
            quote!(static A = [a.in_set(S)]),
            "`in_set` is not available at compile time",
        ),
        (
            quote!(static A = [a.after(b, c)]),
            "expected the path of one `#[system]` function",
        ),
        (
            quote!(static A = [a.chain(b)]),
            "`chain` takes no arguments",
        ),
        (
            quote!(static A = [(a, unordered(b, c))]),
            "cannot be a member of a tuple",
        ),
        (quote!(static A = [unordered(a)]), "expected `,`"),
        (
            quote!(static A = [#[cfg(test)] a]),
            "attributes cannot be used in the list",
        ),
    ] {
        let message = error(tokens);
        assert!(message.contains(expected), "{expected}: {message}");
    }
}
