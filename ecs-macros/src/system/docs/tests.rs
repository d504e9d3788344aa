use crate::tokens::parsed;
use proc_macro2::TokenStream;

use crate::system;

/// Returns whether the documentation of a system has this line.
fn documents(options: TokenStream, item: TokenStream, line: &str) -> bool {
    let code = system::expand(options, item).to_string();
    let found = code.contains(&format!("* {line}\\n"));
    if !found {
        println!("{code}");
    }
    found
}

fn documents_parameter(ty: TokenStream, access: &str) -> bool {
    let item = quote!(
        fn f<T: Component>(#[param] p: #ty) {}
    );
    documents(TokenStream::new(), item, &format!("`p` {access}"))
}

#[test]
fn parameters_are_resolved_to_components_and_resources() {
    assert!(documents_parameter(
        quote!(Comp<A>),
        "reads the component [`A`]"
    ));
    assert!(documents_parameter(
        quote!(Option<(ResMut<a::B>, Removed<C>)>),
        "writes the resource [`a::B`], reads the removals of [`C`] if there is one"
    ));
    assert!(documents_parameter(
        quote!(physics::Bodies<'_>),
        "borrows what [`physics::Bodies`]`<'_>` lists"
    ));
    assert!(documents_parameter(
        quote!(Query<Entity>),
        "visits entities"
    ));
    assert!(documents_parameter(
        quote!(Query<(&A, Mut<B>), Or<((With<C>, Without<D>), Changed<E>)>>),
        "visits entities: reads [`A`], writes [`B`], with [`C`] and without [`D`] or with a changed [`E`]"
    ));
    assert!(documents_parameter(
        quote!(Query<&A, (Not<With<B>>, Alive)>),
        "visits entities: reads [`A`], not with [`B`], for which [`Alive`] holds"
    ));
}

#[test]
fn types_without_a_page_are_no_links() {
    for ty in [
        quote!(T),
        quote!(r#type),
        quote!([u8; 3]),
        quote!(T::Assoc),
        quote!(<A as B>::C),
        quote!(u8),
    ] {
        let text = crate::pretty::line(ty.clone());
        assert!(documents_parameter(
            quote!(Local<#ty>),
            &format!("keeps from run to run `{text}`")
        ));
    }
}

#[test]
fn filters_of_a_loop_are_listed() {
    let item = parsed("fn f(p: &mut A) {}");
    let options = quote!(for_each, with(B), without(C<u8>), changed(A), added(a::D));
    assert!(documents(
        options,
        item,
        "visits entities with [`B`], without [`C`]`<u8>`, with a changed [`A`], with a new [`a::D`]"
    ));
}
