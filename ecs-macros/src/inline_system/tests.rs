use crate::tokens::{has, has_no, parsed};
use proc_macro2::TokenStream;

fn expanded(tokens: TokenStream) -> String {
    super::expand(quote!([$crate] #tokens)).to_string()
}

#[test]
fn parameters_become_one_tuple() {
    let code = expanded(parsed(
        "self.world, |e, v: &mut Velocity, (a, b): Option<&Pair<A, B>>| v.step(e)",
    ));
    for item in [
        "Entity >",
        "__i1 = __items . of :: < Velocity > () . found ()",
        "__i2 = __items . of :: < Pair < A , B > > () . found ()",
        ", __i1 . write () , __i2 . maybe_read () ,)) . each",
    ] {
        has(&code, item);
    }
    has(&code, "| (e , mut v , (a , b) ,) |");
}

#[test]
fn written_components_are_mut_and_destructured_ones_references() {
    let code = expanded(parsed(
        "world, |v: &mut Velocity, Position(x, y): &mut Position| {}",
    ));
    has(&code, "| (mut v , mut __p1 ,) |");
    has(&code, "mutable (& mut v)");
    has(&code, "let Position (x , y) : & mut Position =");
    for unchanged in [
        quote!(w, |v: &V, Position(x, y): &Position| {}),
        quote!(w, |mut v: &mut V, _: &mut W| {}),
    ] {
        let code = expanded(unchanged);
        assert!(
            !code.contains("mutable") && !code.contains("through"),
            "{code}"
        );
    }
}

#[test]
fn old_values_are_read_before_new_ones_are_written() {
    let code = expanded(parsed(
        "world, |old: Velocity, input: &Input| -> Velocity { old }",
    ));
    let (read, write) = (code.find("values_of").unwrap(), code.find("renew").unwrap());
    assert!(read < write, "{code}");
    has(
        &code,
        ". renew ((__i0 , ()) , __values , | __i0 | (__i0 , ()))",
    );
    has_no(&code, "match");
    let code = expanded(quote!(find(app), |a: A, b: B| -> (A, B) { (a, b) }));
    assert!(
        code.contains("match & mut (find (app))")
            && code
                .contains(". renew ((__i0 , (__i1 , ())) , __values , | (__i0 , __i1 ,) | (__i0 , (__i1 , ())))"),
        "{code}"
    );
}

#[test]
fn only_components_that_may_alias_are_compared() {
    let compared = |tokens| expanded(tokens).contains("BorrowedMutablyOnlyOnce");
    assert!(compared(quote!(w, |a: &mut Aa, b: &Bb| {})));
    assert!(compared(quote!(w, |a: Aa, b: Bb| -> (Aa, Bb) { (a, b) })));
    assert!(!compared(quote!(w, |a: &Aa, b: &Bb| {})));
    assert!(!compared(quote!(w, |e, a: &mut Aa| {})));
    // No impl can name the generic parameter of a function around it.
    assert!(!compared(quote!(w, |a: &mut T, b: &Vec<T>| {})));
}

#[test]
fn all_errors_are_reported_at_once() {
    for (tokens, errors) in [
        (quote!(w, |a: &mut Aa, b: &Aa, c: &mut Aa| {}), 2),
        (quote!(w, |a: &Aa, b, e: Entity, c: Cc| {}), 3),
        (quote!(w, |a: Aa, b: &mut Bb| -> (Bb, Bb) { (b, b) }), 3),
        (quote!(w, |a: &mut Aa| -> Aa { Aa }), 1),
        (quote!(w, |a: Aa| -> Bb { Bb }), 1),
        (quote!(w, |a: Aa| -> () {}), 1),
        (quote!(w, || {}), 1),
        (quote!(w, |a: &Aa| ), 1),
        (quote!(w, |a: &Aa| -> Aa a), 1),
        (quote!(w), 1),
        (quote!(, |a: &Aa| {}), 1),
    ] {
        let code = expanded(tokens.clone());
        assert_eq!(
            code.matches("compile_error").count(),
            errors,
            "{tokens}: {code}"
        );
    }
}
