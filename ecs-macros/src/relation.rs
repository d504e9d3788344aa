//! `#[derive(Relation)]`.

use crate::data::{self, Described};
use crate::derive::{self, Derived};
use crate::options::{Opt, Table, Takes, option};
use crate::prelude::*;

const DETACH: &str = "when a target is despawned its sources stay, the default";
const SOURCES: &[(&str, &str)] = &[("detach", DETACH), ("despawn", "they are despawned too")];
const SOURCES_FORM: &str = "sources = \"detach\"`, `sources = \"despawn\"";

const OWN: [Opt; 3] = [
    option("many", "many", Takes::Nothing),
    option("tree", "tree", Takes::Nothing),
    option("sources", SOURCES_FORM, Takes::OneOf(SOURCES)),
];

pub(crate) const OPTIONS: Table = &[&OWN, &data::OPTIONS];

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut derived = Derived::parse(input, "relation", OPTIONS)?;
    derived.reject_lifetimes("relation");
    if let (Some(_), Some(tree)) = (derived.path("many"), derived.path("tree")) {
        reject!(derived.errors, tree => "a relation with many targets cannot be a tree\nhelp: remove `many` or `tree`");
    }
    let data = Described::of("relation", &mut derived);
    let implementation = implement(&mut derived, data.as_ref());
    Ok(derived.finish(&implementation))
}

fn implement(derived: &mut Derived, data: Option<&Described>) -> TokenStream {
    let (identity, place) = derived.identity("RELATION", None, None);
    let private = derived.private();
    let has = |option| derived.option(option).is_some();
    let (kind, component) = match has("many") {
        true => ("relation::ToMany", hidden("Targets")),
        false => ("relation::ToOne", hidden("Target")),
    };
    let flags = [
        (has("tree") && !has("many"), "TREE"),
        (derived.says("sources", "despawn"), "DESPAWNS_SOURCES"),
    ];
    let flags = derive::flags(&flags, &private);
    let data = data.map(|data| data.constant(data.expand(derived), &private));
    let slots = derived.slot("slots", "relation::RelationIdSlots");
    let outgoing = quote!(type Outgoing = #private::relation::#component<Self>;);
    let items = quote!(#outgoing #flags #data #identity #slots);
    let relation = derived.implement("relation::Relation", &items);
    let kind = derived.implement(kind, &TokenStream::new());
    quote!(#place #relation #kind)
}

#[cfg(test)]
#[path = "relation_tests.rs"]
mod tests;
