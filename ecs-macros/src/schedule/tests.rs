use super::expand;
use proc_macro2::TokenStream;
use quote::quote;

fn expanded(tokens: TokenStream) -> String {
    expand(quote!([$crate] #tokens)).to_string()
}

fn error(tokens: TokenStream) -> String {
    let code = expanded(tokens);
    let (_, message) = code.split_once("compile_error").expect("no error");
    message.to_owned()
}

#[test]
fn tuples_are_taken_apart() {
    let code = expanded(quote! {
        pub static FRAME = [(a, (b, tick::<P, Q>)).chain().after(c), c.run_if(d)]
    });
    assert!(code.contains("order :: < 4usize , 5usize >"), "{code}");
    for link in ["0usize , 1usize", "0usize , 2usize"] {
        assert!(code.contains(&format!("Chained ({link})")), "{code}");
    }
    assert!(!code.contains("Chained (1usize , 2usize)"), "{code}");
    assert!(code.contains("\"tick::<P, Q>\""), "{code}");
    assert!(
        code.contains("running . step (3usize , & [0usize] , & c)"),
        "{code}"
    );
}

#[test]
fn several_can_be_declared_at_once() {
    let code = expanded(quote!(static A = [a]; #[cfg(test)] pub(crate) static B = [];));
    assert!(code.contains("static A :"), "{code}");
    assert!(code.contains("pub (crate) static B :"), "{code}");
    assert!(!code.contains("compile_error"), "{code}");
}

#[test]
fn mistakes_are_told_with_what_to_write() {
    for (tokens, expected) in [
        (quote!(), "a schedule has a name and a list"),
        (quote!(const A = [a]), "a schedule is a `static`"),
        (quote!(static A: B = [a]), "the type is not written"),
        (quote!(static A = (a, b)), "here comes the list of systems"),
        (quote!(static A = [a()]), "a system is named, not called"),
        (
            quote!(static A = [|x| x]),
            "a system is the path of a `#[system]` function",
        ),
        (
            quote!(static A = [a.in_set(S)]),
            "`in_set` is not known while compiling",
        ),
        (
            quote!(static A = [a.after(b, c)]),
            "the path of a `#[system]` function",
        ),
        (quote!(static A = [a.chain(b)]), "`chain` takes nothing"),
        (
            quote!(static A = [(a, unordered(b, c))]),
            "is no member of a tuple",
        ),
        (quote!(static A = [unordered(a)]), "expected `,`"),
        (
            quote!(static A = [#[cfg(test)] a]),
            "places of the list have no attributes",
        ),
    ] {
        let message = error(tokens);
        assert!(message.contains(expected), "{expected}: {message}");
    }
}
