//! The input of `world!`.

use crate::prelude::*;

pub(super) struct ListedWorld {
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    pub(super) name: Ident,
    pub(super) components: Vec<ListedComponent>,
}

/// An entry of the list.
pub(super) struct ListedComponent {
    pub(super) cfg: Vec<Attribute>,
    pub(super) ty: Type,
}

/// Parses the path of the crate and all worlds. Errors that do not stop the parser are added to `errors`.
pub(super) fn worlds(
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> Result<(Root, Vec<ListedWorld>)> {
    let root = Root::parse(input)?;
    demand!(!input.is_empty(), input =>
        "expected a name and components\nhelp: write `world! {{ pub Game {{ Position, Velocity }} }}`");
    let mut worlds = Vec::new();
    while !input.is_empty() {
        worlds.push(world(input, errors)?);
    }
    Ok((root, worlds))
}

fn world(input: ParseStream<'_>, errors: &mut Errors) -> Result<ListedWorld> {
    let mut attrs = input.call(Attribute::parse_outer)?;
    for derive in attrs.extract_if(.., |attribute| attribute.path().is_ident("derive")) {
        reject!(errors, derive =>
            "a closed world cannot derive traits, and implements `Default` and `Debug` by itself\nhelp: remove the attribute");
    }
    let vis = input.parse()?;
    if input.peek(Token![struct]) || input.peek(Token![enum]) {
        let word = input.call(Ident::parse_any)?;
        reject!(errors, &word =>
            "unexpected `{word}`\nhelp: write only the name: `world! {{ pub Game {{ Position, Velocity }} }}`");
    }
    let name: Ident = input.parse()?;
    demand!(!input.peek(Token![<]), input =>
        "the world `{name}` cannot be generic, because it lists its types\nhelp: list the instances: `{name} {{ Bar<Health>, Bar<Mana> }}`");
    demand!(input.peek(token::Brace), input =>
        "expected a list of components\nhelp: write `{name} {{ Position, Velocity }}`");
    let list;
    syn::braced!(list in input);
    let mut components = Vec::new();
    while !list.is_empty() {
        components.extend(component(&list, errors)?);
        if !list.is_empty() {
            demand!(!list.peek(Token![:]), list =>
                "components have no names\nhelp: list the types: `Position, Velocity`");
            demand!(!list.peek(Token![;]), list => "expected `,` between components");
            list.parse::<Token![,]>()?;
        }
    }
    Ok(ListedWorld {
        attrs,
        vis,
        name,
        components,
    })
}

/// Parses a component. Returns none for one that cannot be in a world, which is reported.
fn component(list: ParseStream<'_>, errors: &mut Errors) -> Result<Option<ListedComponent>> {
    let mut cfg = Vec::new();
    for attribute in list.call(Attribute::parse_outer)? {
        if attribute.path().is_ident("cfg") {
            cfg.push(attribute);
        } else if !attribute.path().is_ident("doc") {
            let name = attribute.path().to_token_stream();
            reject!(errors, &attribute =>
                "`#[{name}]` cannot be used on a component of a world\nhelp: remove it; `#[cfg(..)]` and documentation are allowed");
        }
    }
    let ty: Type = list.parse()?;
    let is_unsized = match &ty {
        Type::TraitObject(_) | Type::ImplTrait(_) | Type::Slice(_) => true,
        Type::Path(path) => path.path.is_ident("str"),
        _ => false,
    };
    if is_unsized {
        reject!(errors, &ty =>
            "a component must be of one type with a known size\nhelp: put it in a `Box` or `Arc`, or name the type");
    } else if is_borrow(&ty) {
        reject!(errors, &ty =>
            "a component cannot be a reference, because it owns its data\nhelp: store owned values (`String`, `Arc<..>`) or an `Entity` instead");
    } else {
        return Ok(Some(ListedComponent { cfg, ty }));
    }
    Ok(None)
}

/// Returns whether a type is a reference that is not `'static`.
fn is_borrow(ty: &Type) -> bool {
    let is_static = |lifetime: &Lifetime| lifetime.ident == "static";
    matches!(ty, Type::Reference(reference) if !reference.lifetime.as_ref().is_some_and(is_static))
}
