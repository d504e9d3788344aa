use crate::tokens::{check, parsed};

fn code_of(input: &str) -> String {
    super::expand(parsed(&format!("[$crate] {input}"))).to_string()
}

#[test]
fn parameters_become_one_tuple() {
    let parts = "
        self.world, |e, v: &mut Velocity, (a, b): Option<&Pair<A, B>>| v.step(e)
            Entity >
            __i1 = __items . of :: < Velocity > () . found ()
            __i2 = __items . of :: < Pair < A , B > > () . found ()
            , __i1 . write () , __i2 . maybe_read () ,)) . each
            | (e , mut v , (a , b) ,) |";
    check(code_of, parts);
}

#[test]
fn written_components_are_mut_and_destructured_ones_references() {
    let parts = "
        world, |v: &mut Velocity, Position(x, y): &mut Position| {}
            | (mut v , mut __p1 ,) |
            mutable (& mut v)
            let Position (x , y) : & mut Position =
        w, |v: &V, Position(x, y): &Position| {}
            ! mutable
            ! through
        w, |mut v: &mut V, _: &mut W| {}
            ! mutable
            ! through";
    check(code_of, parts);
}

#[test]
fn old_values_are_read_before_new_ones_are_written() {
    let parts = "
        world, |old: Velocity, input: &Input| -> Velocity { old }
            . renew ((__i0 , ()) , __values , | __i0 | (__i0 , ()))
            ! match
        find(app), |a: A, b: B| -> (A, B) { (a, b) }
            match & mut (find (app))
            . renew ((__i0 , (__i1 , ())) , __values , | (__i0 , __i1 ,) | (__i0 , (__i1 , ())))";
    check(code_of, parts);
    let code = code_of("world, |old: Velocity, input: &Input| -> Velocity { old }");
    let at = |name: &str| code.find(name).unwrap();
    assert!(at("values_of") < at("renew"), "{code}");
}

#[test]
fn only_components_that_may_alias_are_compared() {
    // No impl can name the generic parameter of a function around it.
    let parts = "
        w, |a: &mut Aa, b: &Bb| {}
            BorrowedMutablyOnlyOnce
        w, |a: Aa, b: Bb| -> (Aa, Bb) { (a, b) }
            BorrowedMutablyOnlyOnce
        w, |a: &Aa, b: &Bb| {}
            ! BorrowedMutablyOnlyOnce
        w, |e, a: &mut Aa| {}
            ! BorrowedMutablyOnlyOnce
        w, |a: &mut T, b: &Vec<T>| {}
            ! BorrowedMutablyOnlyOnce";
    check(code_of, parts);
}

#[test]
fn all_errors_are_reported_at_once() {
    for (errors, input) in [
        (2, "w, |a: &mut Aa, b: &Aa, c: &mut Aa| {}"),
        (3, "w, |a: &Aa, b, e: Entity, c: Cc| {}"),
        (3, "w, |a: Aa, b: &mut Bb| -> (Bb, Bb) { (b, b) }"),
        (1, "w, |a: &mut Aa| -> Aa { Aa }"),
        (1, "w, |a: Aa| -> Bb { Bb }"),
        (1, "w, |a: Aa| -> () {}"),
        (1, "w, || {}"),
        (1, "w, |a: &Aa| "),
        (1, "w, |a: &Aa| -> Aa a"),
        (1, "w"),
        (1, ", |a: &Aa| {}"),
    ] {
        check(code_of, &format!("{input}\n ={errors} compile_error"));
    }
}
