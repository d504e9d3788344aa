//! The "Access" section that `cargo doc` shows for a system.

use quote::ToTokens as _;
use syn::Type;

use super::classify;
use super::model::System;
use super::param::{Kind, Param};
use crate::lists::listed;
use crate::pretty;

/// The signature as written, and what each world parameter touches.
pub(super) fn section(system: &System) -> String {
    let function = &system.function;
    let generics = pretty::line(function.generics.to_token_stream());
    let output = pretty::line(function.output.to_token_stream());
    let output = output.trim_start();
    let space = if output.is_empty() { "" } else { " " };
    let params: Vec<String> = listed(
        system
            .written()
            .map(|p| format!("{}: {}", pretty::line(p.pattern.clone()), p.type_text)),
    );
    let name = system.name();
    let mut text = format!(
        "\n# Access\n```text\nfn {name}{generics}({}){space}{output}\n```\n",
        params.join(", ")
    );
    for param in system.written().filter(|p| p.kind != Kind::Argument) {
        text.push_str(&format!("* `{}` {}\n", param.label, touches(param)));
    }
    text
}

fn touches(param: &Param) -> String {
    match param.kind {
        Kind::World => return "borrows the whole world".to_owned(),
        Kind::Resources => return "borrows all resources".to_owned(),
        Kind::Exclusive => return "needs the whole world alone".to_owned(),
        Kind::Item => return item(&param.ty, ""),
        Kind::Borrowed | Kind::Argument | Kind::Items => {}
    }
    known(&param.ty, "").unwrap_or_else(|| format!("borrows `{}`", param.type_text))
}

/// What a system that is called for each entity does with a part of it.
fn item(ty: &Type, suffix: &str) -> String {
    let component = |ty: &Type| pretty::line(ty.to_token_stream());
    match classify::strip(ty) {
        Type::Reference(reference) => {
            let verb = reference.mutability.map_or("reads", |_| "writes");
            format!(
                "{verb} the component `{}` of each entity{suffix}",
                component(&reference.elem)
            )
        }
        Type::Path(path) => match classify::types(&path.path).first() {
            Some(ty) => item(ty, " that has one"),
            None => "is each entity's id".to_owned(),
        },
        _ => format!("fetches `{}` of each entity", component(ty)),
    }
}

fn known(ty: &Type, suffix: &str) -> Option<String> {
    let Type::Path(path) = classify::strip(ty) else {
        return None;
    };
    let inside = classify::types(&path.path);
    let verb = match classify::head(&path.path)?.to_string().as_str() {
        "Option" => return known(inside.first()?, " if there is one"),
        "Comp" => "reads the component",
        "CompMut" => "writes the component",
        "Res" | "NonSend" => "reads the resource",
        "ResMut" | "NonSendMut" => "writes the resource",
        "Query" => "visits the entities with",
        "Local" => "keeps from run to run",
        "EventReader" => "reads the events",
        "EventWriter" => "writes the events",
        "Commands" => return Some("issues commands".to_owned()),
        "Entities" => return Some("reads which entities live".to_owned()),
        _ => return None,
    };
    let what: Vec<String> = listed(
        inside
            .iter()
            .map(|ty| format!("`{}`", pretty::line(ty.to_token_stream()))),
    );
    Some(format!("{verb} {}{suffix}", what.join(" where ")))
}
