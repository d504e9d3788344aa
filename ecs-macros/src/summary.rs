//! The documentation of the impls that derives generate.

use quote::ToTokens;
use syn::Type;

use crate::parameters::Parameter;
use crate::pretty;
use crate::structs::Field;
use crate::types::{optional, path, type_arguments};

/// What the options of a component say.
pub(crate) struct Summary<'a> {
    pub(crate) is_sparse: bool,
    pub(crate) is_tracked: bool,
    pub(crate) is_immediate: bool,
    /// The kinds and the functions of the hooks.
    pub(crate) hooks: Vec<(String, String)>,
    pub(crate) required: Vec<&'a Type>,
}

impl Summary<'_> {
    /// Returns the documentation of a component's impl.
    pub(crate) fn of_component(&self) -> String {
        let mut text = String::from(if self.is_sparse {
            "Stored in a sparse set."
        } else {
            "Stored in tables."
        });
        if self.is_tracked {
            text.push_str(" Changes are tracked.");
        }
        if self.is_immediate {
            text.push_str(" Views insert and remove it at once.");
        }
        if !self.required.is_empty() {
            text.push_str("\n# Required components\n");
            for ty in &self.required {
                text.push_str(&format!("* {}\n", code(ty)));
            }
        }
        if !self.hooks.is_empty() {
            text.push_str("\n# Hooks\n");
            for (kind, function) in &self.hooks {
                text.push_str(&format!("* `{kind}`: `{function}`\n"));
            }
        }
        text
    }
}

/// Returns the documentation of a derived parameter's impl: what each field accesses.
pub(crate) fn of_parameter(fields: &[Field]) -> String {
    let mut text = String::from("# Access\n");
    for field in fields.iter().filter(|field| !field.is_phantom()) {
        let name = field.member.to_token_stream();
        let access = known(&field.ty).unwrap_or_else(|| format!("borrows {}", code(&field.ty)));
        text.push_str(&format!("* `{name}` {access}\n"));
    }
    text
}

/// Returns the access of a parameter that is known by its name.
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

fn code(tokens: &impl ToTokens) -> String {
    format!("`{}`", pretty::line(tokens.to_token_stream()))
}
