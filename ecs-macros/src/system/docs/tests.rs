use proc_macro2::TokenStream;

use crate::system;
use crate::tokens::{check, parsed};

/// Checks the documentation of systems with one parameter, whose type is in a table.
fn check_parameters(parts: &str) {
    let code = |ty: &str| {
        let item = parsed(&format!("fn f<T: Component>(#[param] p: {ty}) {{}}"));
        system::expand(TokenStream::new(), item).to_string()
    };
    check(code, parts);
}

#[test]
fn parameters_are_resolved_to_components_and_resources() {
    check_parameters(
        r"
        Comp<A>
            * `p` reads the component [`A`]\n
        Option<(ResMut<a::B>, Removed<C>)>
            * `p` writes the resource [`a::B`], reads the removals of [`C`] if there is one\n
        physics::Bodies<'_>
            * `p` borrows the data that [`physics::Bodies`]`<'_>` lists\n
        Query<Entity>
            * `p` visits entities\n
        Query<(&A, Mut<B>), Or<((With<C>, Without<D>), Changed<E>)>>
            * `p` visits entities: reads [`A`], writes [`B`], with [`C`] and without [`D`] or with a changed [`E`]\n
        Query<&A, (Not<With<B>>, Alive)>
            * `p` visits entities: reads [`A`], not with [`B`], for which [`Alive`] holds\n",
    );
}

#[test]
fn types_without_a_page_are_no_links() {
    for ty in ["T", "r#type", "[u8; 3]", "T::Assoc", "<A as B>::C", "u8"] {
        let line = format!("* `p` keeps from run to run `{ty}`\\n");
        check_parameters(&format!("Local<{ty}>\n {line}"));
    }
}

#[test]
fn filters_of_a_loop_are_listed() {
    let options = "for_each, with(B), without(C<u8>), changed(A), added(a::D)";
    let code = |item: &str| system::expand(parsed(options), parsed(item)).to_string();
    let parts = r"
        fn f(p: &mut A) {}
            * visits entities with [`B`], without [`C`]`<u8>`, with a changed [`A`], with a new [`a::D`]\n";
    check(code, parts);
}
