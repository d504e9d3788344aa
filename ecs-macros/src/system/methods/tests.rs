use proc_macro2::TokenStream;

use crate::tokens::{check, parsed};

fn code_of(item: &str) -> String {
    super::expand(TokenStream::new(), parsed(item)).to_string()
}

#[test]
fn a_method_borrows_its_type_as_a_resource() {
    let parts = r#"
        impl<T: Clone> Shop<T> { const SIZE: usize = { 1 }; #[system] pub fn restock(&mut self, n: usize, t: Res<Time>) -> Self { body() } fn other(&self) {} }
            struct __SystemRestock
             < T : Clone + 'static > (:: ecs_core
            ResMut < '_ , Shop < T > >
            fn __restock (& mut self
            const SIZE : usize = { 1 } ;
            fn other (& self) { }
            "::Shop::restock"
            ! compile_error"#;
    check(code_of, parts);
}

#[test]
fn two_methods_of_one_name_are_one_error() {
    let parts = "
        impl Shop { #[system] fn open(a: A) {} #[system] fn open(&self) {} }
            =1 compile_error
            =1 enum __SystemOpen
        impl Shop { #[cfg(a)] #[system] fn open(a: A) {} #[cfg(not(a))] #[system] fn open(&self) {} }
            ! compile_error";
    check(code_of, parts);
}

#[test]
fn self_is_one_of_the_parameters_that_lints_count() {
    // As written, and free.
    let parts = "
        impl Shop { #[system] fn restock(&self, a: A, b: B, c: C, d: D, e: E, f: F) {} }
            ! too_many_arguments
        impl Shop { #[system] fn restock(&self, a: A, b: B, c: C, d: D, e: E, f: F, g: G) {} }
            =2 too_many_arguments";
    check(code_of, parts);
}

#[test]
fn an_item_that_is_no_block_of_systems_stays() {
    let parts = "
        fn f() {}
            =1 compile_error
            fn f () { }
        impl Trait for Shop {}
            =1 compile_error
            impl Trait for Shop { }
        struct A;
            =1 compile_error
            struct A ;
        impl Shop { fn f() {} }
            no function in this block";
    check(code_of, parts);
}
