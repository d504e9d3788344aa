use crate::tokens::{check, code_of as code};

fn code_of(input: &str) -> String {
    code(super::expand)(&format!("[$crate] {input}"))
}

#[test]
fn lists_are_flattened() {
    let parts = r#"
        pub static FRAME = [(a, (b, tick::<P, Q>)).chain().after(c), c.run_if(d)]
            order :: < 4usize >
            Chained (0usize , 1usize)
            Chained (0usize , 2usize)
            ! Chained (1usize , 2usize)
            "tick::<P, Q>"
            & [] , & [] , & [] , & [0usize]]
        static A = [a]; #[cfg(test)] pub(crate) static B = [];
            static A :
            pub (crate) static B :
            ! compile_error
        static FRAME = [#[cfg(a)] x, (y, #[cfg(b)] z)]
            =4 static FRAME
            # [cfg (a)] # [cfg (not (b))] # [doc = "\n# Steps\n1. `x`\n2. `y`\n"]
            # [cfg (not (a))] # [cfg (b)] # [doc = "\n# Steps\n1. `y`\n2. `z`\n"]"#;
    check(code_of, parts);
}

#[test]
fn errors_say_what_is_wrong() {
    let inputs = "
        => expected a schedule
        const A = [a] => expected `static`
        static A: B = [a] => unexpected type annotation
        static A = (a, b) => expected a list of systems
        static A = [a()] => a system is listed by its path, not called
        static A = [|x| x] => expected the path of one `#[system]` function
        static A = [a.flush_later()] => `flush_later` is not available at compile time
        static A = [a.after(S::Input)] => no system of this schedule is in the set `S::Input`
        static A = [a.in_set(S), configure(S, |set| set.in_set(S))] => the set `S` is in itself
        static A = [a.in_set(S), configure(S, |x| x), configure(S, |x| x)] => the set `S` is configured twice
        static A = [a.run_if(exists::<u8>())] => `exists::<u8>(..)` makes a condition at run time
        static A = [a.after(b, c)] => expected the path of one `#[system]` function
        static A = [a.chain(b)] => `chain` takes no arguments
        static A = [(a, unordered(b, c))] => cannot be a member of a tuple
        static A = [unordered(a)] => expected `,`
        static A = [#[cfg(test)] a, #[inline] b] => an entry of a schedule cannot have this attribute";
    for line in inputs.trim().lines() {
        let (input, expected) = line.split_once("=> ").unwrap();
        let parts = format!("{line}\n  compile_error\n  {expected}");
        check(|_| code_of(input), &parts);
    }
}

#[test]
fn sets_become_links_between_their_systems() {
    let parts = r#"
        static FRAME = [(a, b).in_set(S::Inner), c.before("outer"), d.in_set(T(1)), configure(S::Inner, |set| set.in_set("outer").after(d).run_if(e.and(not(f)))), chain_sets(["outer", Empty, T(1)]), unordered(S::Inner, c)]
            Chained (2usize , 0usize)
            Chained (2usize , 1usize)
            Chained (0usize , 3usize)
            Chained (1usize , 3usize)
            =4 Chained (
            =2 Waived (
            =2 Placed (
            & [0usize , 1usize] , & [0usize , 1usize] , & [] , & []"#;
    check(code_of, parts);
}

#[test]
fn the_documentation_lists_the_steps() {
    let parts = "
        static FRAME = [a.after(b).run_if(c).run_if(d.or(not(e).and(f))), b, g.after(h)]
            1. `b`
            2. `a` if `c` and (`d` or (not `e` and `f`))
            3. `g`
            Systems that a constraint names by another path can be in another place.";
    check(code_of, parts);
}
