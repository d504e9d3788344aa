//! `#[derive(Relation)]`.

use proc_macro2::TokenStream;
use syn::Result;

use crate::data::{self, Described};
use crate::derive::Derived;
use crate::options::{Opt, Table, Takes, option};
use crate::tokens::site;

const SOURCES: &[(&str, &str)] = &[
    (
        "detach",
        "when a target is despawned its sources stay, the default",
    ),
    ("despawn", "they are despawned too"),
];

const OWN: [Opt; 3] = [
    option("many", "many", Takes::Nothing),
    option("tree", "tree", Takes::Nothing),
    option(
        "sources",
        "sources = \"detach\"`, `sources = \"despawn\"",
        Takes::OneOf(SOURCES),
    ),
];

pub(crate) const OPTIONS: Table = &[&OWN, &data::OPTIONS];

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut derived = Derived::parse(input, "relation", OPTIONS)?;
    derived.reject_lifetimes("relation");
    let is_many = derived.option("many").is_some();
    let tree = derived.path("tree");
    if let (true, Some(tree)) = (is_many, &tree) {
        reject!(derived.errors, tree => "a relation with many targets cannot be a tree\nhelp: remove `many` or `tree`");
    }
    let data = Described::of("relation", &mut derived);
    let private = derived.root.private(site());
    let (generics, ty, bounds) = derived.header();
    let (kind, component) = if is_many {
        (quote!(ToMany), quote!(Targets))
    } else {
        (quote!(ToOne), quote!(Target))
    };
    let flags = [
        (tree.is_some() && !is_many, quote!(TREE)),
        (derived.says("sources", "despawn"), quote!(DESPAWNS_SOURCES)),
    ];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
    let flags = flags.map(|(_, name)| quote!(const #name: #private::bool = true;));
    let data = data.map(|data| data.constant(data.expand(&derived), &private));
    let (import, identity) = derived.identity_of();
    let slots = derived.slot("slots", &quote!(relation::RelationIdSlots));
    let implementation = quote! {
        impl #generics #private::relation::Relation for #ty #bounds {
            type Outgoing = #private::relation::#component<Self>;
            #(#flags)*
            #data
            const RELATION: #private::ConstTypeIdOf<Self> = { #import #identity };
            #slots
        }
        impl #generics #private::relation::#kind for #ty #bounds {}
    };
    Ok(derived.finish(&implementation))
}

#[cfg(test)]
mod tests {
    use crate::tokens::{check, code_of};

    #[test]
    fn options_become_constants() {
        let parts = r#"
            struct Follows;
                relation :: Target < Self >
                relation :: ToOne for Follows
                ! TREE
                ! DESPAWNS
            #[relation(tree, sources = "despawn")] struct ChildOf;
                const TREE : :: ecs_core :: __private :: bool = true
                const DESPAWNS_SOURCES : :: ecs_core :: __private :: bool = true
            #[relation(many, sources = "detach")] struct Likes<T>(T);
                relation :: Targets < Self >
                relation :: ToMany for Likes
                ! SLOT
                ! DESPAWNS"#;
        check(code_of(super::expand), parts);
    }
}
