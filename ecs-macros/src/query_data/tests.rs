use proc_macro2::TokenStream;

use super::expand;
use crate::tokens::{has, has_no, parsed};

fn expanded(item: TokenStream) -> String {
    expand(item).unwrap().to_string()
}

#[test]
fn a_struct_that_reads_is_its_own_read_only_variant() {
    let code = expanded(parsed(
        "struct Seen<'a> { a: &'a A, b: Option<&'a B>, e: Entity, t: (&'a C, Entity)}",
    ));
    has(&code, "type ReadOnly = Self");
    has_no(&code, "SeenReadOnly");
}

#[test]
fn a_struct_that_writes_gets_a_read_only_variant() {
    let code = expanded(parsed(
        "pub struct Mover<'a>(pub &'a mut A, Option<&'a mut B>, Entity);",
    ));
    has(&code, "pub struct MoverReadOnly < 'a >");
    has(&code, "pub & 'a A");
    has(&code, "type ReadOnly = MoverReadOnly < 'a >");
}

#[test]
fn more_fields_than_a_tuple_has_are_nested() {
    let fields = (0..17).map(|i| quote::format_ident!("f{i}"));
    let code = expanded(quote!(struct Many<'a> { #(#fields: &'a A),* }));
    has(&code, "__f15 ,) , (__f16 ,)");
}
