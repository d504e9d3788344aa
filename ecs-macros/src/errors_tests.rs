use crate::tokens::{check, code_of, parsed};
use crate::{component, system};

#[test]
fn options_are_offered_where_one_is_unknown() {
    let item = || parsed("fn f(a: &A) {}");
    let of = |options: &str| system::expand(parsed(options), item()).to_string();
    let parts = "
        for_each, wi
            options :: system :: wi as _
        for_each
            ! rust_analyzer";
    check(of, parts);
    let parts = "
        #[component(tr)] struct A;
            options :: component :: tr as _";
    check(code_of(component::expand), parts);
}
