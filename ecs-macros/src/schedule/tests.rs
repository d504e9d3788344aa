use super::expand;
use crate::tokens::{has, has_no, parsed};
use proc_macro2::TokenStream;

fn expanded(tokens: TokenStream) -> String {
    expand(quote!([$crate] #tokens)).unwrap().to_string()
}

fn error(tokens: TokenStream) -> String {
    let code = expand(quote!([$crate] #tokens));
    let code = code.unwrap_or_else(syn::Error::into_compile_error);
    assert!(code.to_string().contains("compile_error"), "{code}");
    code.to_string()
}

#[test]
fn tuples_are_flattened() {
    let code = expanded(parsed(
        "pub static FRAME = [(a, (b, tick::<P, Q>)).chain().after(c), c.run_if(d)]",
    ));
    has(&code, "order :: < 4usize >");
    for link in ["0usize , 1usize", "0usize , 2usize"] {
        has(&code, &format!("Chained ({link})"));
    }
    has_no(&code, "Chained (1usize , 2usize)");
    has(&code, "\"tick::<P, Q>\"");
    has(&code, "& [] , & [] , & [] , & [0usize]]");
}

#[test]
fn several_can_be_declared_at_once() {
    let code = expanded(quote!(static A = [a]; #[cfg(test)] pub(crate) static B = [];));
    has(&code, "static A :");
    has(&code, "pub (crate) static B :");
    has_no(&code, "compile_error");
}

#[test]
fn errors_say_what_is_wrong() {
    for (input, expected) in [
        ("", "expected a schedule"),
        ("const A = [a]", "expected `static`"),
        ("static A: B = [a]", "unexpected type annotation"),
        ("static A = (a, b)", "expected a list of systems"),
    ] {
        let message = error(parsed(input));
        has(&message, expected);
    }
    let lists = "
        a() => a system is listed by its path, not called
        |x| x => expected the path of one `#[system]` function
        a.flush_later() => `flush_later` is not available at compile time
        a.after(S::Input) => no system of this schedule is in the set `S::Input`
        a.in_set(S), configure(S, |set| set.in_set(S)) => the set `S` is in itself
        a.in_set(S), configure(S, |x| x), configure(S, |x| x) => the set `S` is configured twice
        a.run_if(exists::<u8>()) => `exists::<u8>(..)` makes a condition at run time
        a.after(b, c) => expected the path of one `#[system]` function
        a.chain(b) => `chain` takes no arguments
        (a, unordered(b, c)) => cannot be a member of a tuple
        unordered(a) => expected `,`
        #[cfg(test)] a, #[inline] b => an entry of a schedule cannot have this attribute";
    for line in lists.trim().lines() {
        let (list, expected) = line.split_once(" => ").unwrap();
        let message = error(parsed(&format!("static A = [{list}]")));
        has(&message, expected);
    }
}

#[test]
fn sets_become_links_between_their_systems() {
    let code = expanded(quote! {
        static FRAME = [
            (a, b).in_set(S::Inner),
            c.before("outer"),
            d.in_set(T(1)),
            configure(S::Inner, |set| set.in_set("outer").after(d).run_if(e.and(not(f)))),
            chain_sets(["outer", Empty, T(1)]),
            unordered(S::Inner, c),
        ]
    });
    for link in [(2, 0), (2, 1), (0, 3), (1, 3)] {
        let (first, second) = link;
        let text = format!("Chained ({first}usize , {second}usize)");
        has(&code, &text);
    }
    assert_eq!(code.matches("Chained (").count(), 4, "{code}");
    assert_eq!(code.matches("Waived (").count(), 2, "{code}");
    assert_eq!(code.matches("Placed (").count(), 2, "{code}");
    let asked = "& [0usize , 1usize] , & [0usize , 1usize] , & [] , & []";
    has(&code, asked);
}

#[test]
fn the_documentation_lists_the_steps() {
    let code = expanded(parsed(
        "static FRAME = [a.after(b).run_if(c).run_if(d.or(not(e).and(f))), b, g.after(h)]",
    ));
    for line in [
        "1. `b`",
        "2. `a` if `c` and (`d` or (not `e` and `f`))",
        "3. `g`",
        "Systems that a constraint names by another path can be in another place.",
    ] {
        has(&code, line);
    }
}
