use super::expand;
use crate::tokens::{check, code_of, has};

#[test]
fn a_struct_that_writes_gets_a_read_only_variant() {
    let parts = "
        struct Seen<'a> { a: &'a A, b: Option<&'a B>, e: Entity, t: (&'a C, Entity)}
            type ReadOnly = Self
            ! SeenReadOnly
        pub struct Mover<'a>(pub &'a mut A, Option<&'a mut B>, Entity);
            pub struct MoverReadOnly < 'a >
            pub & 'a A
            type ReadOnly = MoverReadOnly < 'a >";
    check(code_of(expand), parts);
}

#[test]
fn more_fields_than_a_tuple_has_are_nested() {
    let fields = (0..17).map(|i| quote::format_ident!("f{i}"));
    let code = expand(quote!(struct Many<'a> { #(#fields: &'a A),* }));
    has(&code.unwrap().to_string(), "__f15 ,) , (__f16 ,)");
}
