//! `#[derive(Relation)]`.

use crate::data::{self, Described};
use crate::derive::{self, Derived};
use crate::options::{Opt, Table, Takes, option};
use crate::prelude::*;

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

struct Model {
    derived: Derived,
    is_many: bool,
    is_tree: bool,
    despawns_sources: bool,
    data: Option<Described>,
}

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut derived = Derived::parse(input, "relation", OPTIONS)?;
    derived.reject_lifetimes("relation");
    if let (Some(_), Some(tree)) = (derived.path("many"), derived.path("tree")) {
        reject!(derived.errors, tree => "a relation with many targets cannot be a tree\nhelp: remove `many` or `tree`");
    }
    let data = Described::of("relation", &mut derived);
    let is_many = derived.option("many").is_some();
    let model = Model {
        is_many,
        is_tree: derived.option("tree").is_some() && !is_many,
        despawns_sources: derived.says("sources", "despawn"),
        data,
        derived,
    };
    let implementation = model.implement();
    Ok(model.derived.finish(&implementation))
}

impl Model {
    fn implement(&self) -> TokenStream {
        let derived = &self.derived;
        let private = derived.root.private(site());
        let (generics, ty, bounds) = derived.header();
        let (kind, component) = if self.is_many {
            (quote!(ToMany), quote!(Targets))
        } else {
            (quote!(ToOne), quote!(Target))
        };
        let flags = derive::flags(
            &[
                (self.is_tree, "TREE"),
                (self.despawns_sources, "DESPAWNS_SOURCES"),
            ],
            &private,
        );
        let data = self
            .data
            .as_ref()
            .map(|data| data.constant(data.expand(derived), &private));
        let (identity, place) = derived.identity("RELATION", None, None);
        let slots = derived.slot("slots", &quote!(relation::RelationIdSlots));
        quote! {
            #place

            impl #generics #private::relation::Relation for #ty #bounds {
                type Outgoing = #private::relation::#component<Self>;
                #flags
                #data
                #identity
                #slots
            }
            impl #generics #private::relation::#kind for #ty #bounds {}
        }
    }
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
