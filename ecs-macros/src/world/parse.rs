//! What is written in `world!`.

use proc_macro2::{Delimiter, Ident};
use quote::ToTokens as _;

use crate::errors::{Errors, Result};
use crate::paths::Root;
use crate::syntax::{Attribute, Input, Shape, Type, Visibility};

/// A world.
pub(super) struct World {
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    pub(super) name: Ident,
    pub(super) components: Vec<Component>,
}

/// An entry of the list.
pub(super) struct Component {
    pub(super) cfg: Vec<Attribute>,
    pub(super) ty: Type,
}

/// Reads the path of the crate and all worlds. Mistakes after which one can go on are added to `errors`.
pub(super) fn worlds(input: &mut Input, errors: &mut Errors) -> Result<(Root, Vec<World>)> {
    let root = crate::root::read(input)?;
    if input.is_empty() {
        return Err(input.error(
            "a world has a name and components: `world! { pub Game { Position, Velocity } }`",
        ));
    }
    let mut worlds = Vec::new();
    while !input.is_empty() {
        worlds.push(world(input, errors)?);
    }
    Ok((root, worlds))
}

fn world(input: &mut Input, errors: &mut Errors) -> Result<World> {
    let mut attrs = Attribute::read_all(input)?;
    attrs.retain(|attribute| {
        let derives = attribute.is("derive");
        if derives {
            errors.push(
                attribute,
                "a closed world cannot derive; it has `Default` and `Debug` already",
            );
        }
        !derives
    });
    let vis = Visibility::read(input)?;
    for word in ["struct", "enum"] {
        if let Some(word) = input.eat(word) {
            errors.push(
                word,
                "only the name: `world! { pub Game { Position, Velocity } }`",
            );
        }
    }
    let name = input.name()?;
    if input.peek("<") {
        return Err(input.error(format!(
            "the world `{name}` cannot be generic: it lists the types that there are, `{name} {{ Bar<Health>, Bar<Mana> }}`"
        )));
    }
    if !input.peek_group(Delimiter::Brace) {
        return Err(input.error(format!(
            "here comes the list of components: `{name} {{ Position, Velocity }}`"
        )));
    }
    let mut list = Input::inside(&input.group(Delimiter::Brace)?);
    let mut components = Vec::new();
    while !list.is_empty() {
        components.push(component(&mut list, errors)?);
        if !list.is_empty() {
            comma(&mut list)?;
        }
    }
    Ok(World {
        attrs,
        vis,
        name,
        components,
    })
}

fn component(list: &mut Input, errors: &mut Errors) -> Result<Component> {
    let mut cfg = Vec::new();
    for attribute in Attribute::read_all(list)? {
        if attribute.is("cfg") {
            cfg.push(attribute);
        } else if !attribute.is("doc") {
            let name = attribute.path().to_token_stream();
            errors.push(&attribute, format!("`#[{name}]` does nothing here; a component of a world can have `#[cfg(..)]` and documentation"));
        }
    }
    let ty = Type::read(list)?;
    if matches!(ty.shape, Shape::Reference(_)) {
        errors.push(
            &ty,
            "a component owns its data; store owned values (`String`, `Arc<..>`) or an `Entity` instead of a reference",
        );
    }
    Ok(Component { cfg, ty })
}

fn comma(list: &mut Input) -> Result<()> {
    if list.peek(":") {
        return Err(list.error("components have no names, only types: `Position, Velocity`"));
    }
    if list.peek(";") {
        return Err(list.error("components are divided by `,`"));
    }
    list.expect(",").map(drop)
}
