//! The section "Access" in the documentation of a system.

use quote::ToTokens as _;
use syn::Type;

use super::item;
use super::model::System;
use super::param::{Param, ParamKind};
use crate::parameters::Parameter;
use crate::pretty;
use crate::tokens::to_vec;
use crate::types::{mutable_reference, name, optional, path, type_arguments};

/// Returns the signature as written, and the access of each world parameter.
pub(super) fn section(system: &System) -> String {
    let function = &system.function;
    let generics = pretty::line(function.generics.to_token_stream());
    let output = pretty::line(function.output.to_token_stream());
    let output = output.trim_start();
    let space = if output.is_empty() { "" } else { " " };
    let params: Vec<String> = to_vec(
        system
            .written()
            .map(|p| format!("{}: {}", pretty::line(p.pattern.clone()), p.type_text)),
    );
    let name = system.name();
    let mut text = format!(
        "\n# Access\n```text\nfn {name}{generics}({}){space}{output}\n```\n",
        params.join(", ")
    );
    for param in system.written().filter(|p| p.kind != ParamKind::Argument) {
        text.push_str(&format!("* `{}` {}\n", param.label, access(param)));
    }
    text
}

fn access(param: &Param) -> String {
    match param.kind {
        ParamKind::World => "borrows the whole world".to_owned(),
        ParamKind::Resources => "borrows all resources".to_owned(),
        ParamKind::Exclusive => "borrows the whole world exclusively".to_owned(),
        ParamKind::Item => of_item(&param.ty),
        ParamKind::Borrowed | ParamKind::Argument | ParamKind::Items => {
            known(&param.ty).unwrap_or_else(|| format!("borrows `{}`", param.type_text))
        }
    }
}

fn of_item(ty: &Type) -> String {
    match item::component(ty) {
        Some((component, tracked)) => {
            let writes = tracked || mutable_reference(ty).is_some();
            let accesses = if writes { "writes" } else { "reads" };
            let suffix = optional(ty).map_or("", |_| " that has one");
            format!(
                "{accesses} the component {} of each entity{suffix}",
                code(component)
            )
        }
        None if name(ty).is_some_and(|name| name == "Entity") => "is each entity's id".to_owned(),
        None => format!("fetches {} of each entity", code(ty)),
    }
}

fn known(ty: &Type) -> Option<String> {
    if let Some(inside) = optional(ty) {
        return known(inside).map(|access| format!("{access} if there is one"));
    }
    let path = path(ty)?;
    let mut text = Parameter::known(path)?.access.to_owned();
    // A query has its data and its filter.
    for (index, ty) in type_arguments(path).into_iter().enumerate() {
        text.push_str(if index == 0 { " " } else { " where " });
        text.push_str(&code(ty));
    }
    Some(text)
}

fn code(ty: &Type) -> String {
    format!("`{}`", pretty::line(ty.to_token_stream()))
}
