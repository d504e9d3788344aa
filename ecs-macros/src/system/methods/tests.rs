use proc_macro2::TokenStream;

use super::expand;
use crate::tokens::{has, has_no, parsed};

fn expanded(item: TokenStream) -> String {
    expand(TokenStream::new(), item).to_string()
}

#[test]
fn a_method_borrows_its_type_as_a_resource() {
    let code = expanded(quote! {
        impl<T: Clone> Shop<T> {
            const SIZE: usize = { 1 };

            #[system]
            pub fn restock(&mut self, n: usize, t: Res<Time>) -> Self { body() }

            fn other(&self) {}
        }
    });
    has(&code, "struct __system_restock_");
    has(&code, " < T : Clone + 'static > (:: ecs_core");
    has(&code, "ResMut < '_ , Shop < T > >");
    has(&code, "fn __restock (& mut self");
    has(&code, "const SIZE : usize = { 1 } ;");
    has(&code, "fn other (& self) { }");
    has(&code, "\"::Shop::restock\"");
    has_no(&code, "compile_error");
}

#[test]
fn two_methods_of_one_name_are_one_error() {
    let code = expanded(parsed(
        "impl Shop { #[system] fn open(a: A) {} #[system] fn open(&self) {} }",
    ));
    assert_eq!(code.matches("compile_error").count(), 1, "{code}");
    assert_eq!(code.matches("enum __system_open").count(), 1, "{code}");
    let configured = expanded(parsed(
        "impl Shop { #[cfg(a)] #[system] fn open(a: A) {} #[cfg(not(a))] #[system] fn open(&self) {} }",
    ));
    has_no(&configured, "compile_error");
}

#[test]
fn self_is_one_of_the_parameters_that_lints_count() {
    let allowed = |params: TokenStream| {
        let block = quote!(impl Shop { #[system] fn restock(&self, #params) {} });
        expanded(block).matches("too_many_arguments").count()
    };
    let six = quote!(a: A, b: B, c: C, d: D, e: E, f: F);
    assert_eq!(allowed(quote!(#six)), 0);
    assert_eq!(allowed(quote!(#six, g: G)), 2, "as written, and free");
}

#[test]
fn an_item_that_is_no_block_of_systems_stays() {
    for item in [
        parsed("fn f() {}"),
        parsed("impl Trait for Shop {}"),
        parsed("struct A;"),
    ] {
        let code = expanded(item.clone());
        assert!(code.starts_with(&item.to_string()), "{code}");
        assert_eq!(code.matches("compile_error").count(), 1, "{code}");
    }
    let code = expanded(parsed("impl Shop { fn f() {} }"));
    has(&code, "no function in this block");
}
