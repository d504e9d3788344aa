//! The documentation of the impls that derives generate.

use quote::ToTokens;
use syn::Type;

use crate::pretty;
use crate::structs::Field;
use crate::system::access;
use crate::tokens::TokenList;

/// What the options of a component say.
pub(crate) struct Summary<'a> {
    pub(crate) is_sparse: bool,
    pub(crate) is_tracked: bool,
    pub(crate) is_immediate: bool,
    pub(crate) disables: bool,
    pub(crate) has_toggle: bool,
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
        if self.disables {
            text.push_str(" Loops leave out entities with it.");
        }
        if self.has_toggle {
            text.push_str(" Can be turned off without being removed.");
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

/// Returns the documentation of a derived parameter's impl: what each field accesses. `generic` has the names of generic
/// parameters, to which no documentation can link.
pub(crate) fn of_parameter(fields: &[Field], generic: &TokenList) -> String {
    let mut text = String::from("# Access\n");
    for field in fields.iter().filter(|field| !field.is_phantom()) {
        let name = field.member.to_token_stream();
        let access = access(&field.ty, generic);
        text.push_str(&format!("* `{name}` {access}\n"));
    }
    text
}

fn code(tokens: &impl ToTokens) -> String {
    format!("`{}`", pretty::line(tokens.to_token_stream()))
}
