use super::*;

#[test]
fn only_declared_lifetimes_are_replaced() {
    let generics: Generics = parse_quote!(<'a, 'b, T>);
    let tokens = quote!((Comp<'a, T>, &'b str, &'static u8, for<'c> fn(&'c a)));
    let expected = quote!((Comp<'g, T>, &'g str, &'static u8, for<'c> fn(&'c a)));
    assert!(!mentions(&quote!(Comp<'a, b>), &|name| name == "b"));
    let replaced = replace(tokens, &generics, "g").to_string();
    assert_eq!(replaced, expected.to_string());
}

#[test]
fn references_without_a_lifetime_are_found() {
    let types = "&str | Option<&T> | Vec<&'a &T> | (u8, &T)";
    let named = "&'a str | Option<&'static T> | Box<dyn Fn(&T)>";
    for (types, expected) in [(types, true), (named, false)] {
        for ty in types.split(" | ") {
            assert_eq!(elides(parsed(ty)), expected, "{ty}");
        }
    }
}
