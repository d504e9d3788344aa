//! `#[component(require(..))]`.

use proc_macro2::{Delimiter, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};

use crate::derive::Derived;
use crate::errors::{Error, Errors, Result};
use crate::syntax::{Input, Setting, Shape, Type, Words};

/// `Component`, or `Component = expression`.
pub(crate) struct Requirement {
    component: Type,
    value: Option<Words>,
}

impl Requirement {
    fn read(input: &mut Input) -> Result<Self> {
        let component = Type::read(input)?;
        if !matches!(component.shape, Shape::Path(_)) {
            return Err(Error::spanned(
                &component,
                "a required component is named by its type: `require(Component)`, or `require(Component = expression)`",
            ));
        }
        if input.peek_group(Delimiter::Parenthesis) || input.peek_group(Delimiter::Brace) {
            let (name, value) = (component.to_token_stream(), input.token()?);
            return Err(Error::spanned(
                &component,
                format!("a required value is written behind its type: `{name} = {name}{value}`"),
            ));
        }
        let value = match input.eat("=") {
            Some(_) => Some(input.expression()?),
            None => None,
        };
        Ok(Self { component, value })
    }
}

/// Reads what stands in the parentheses.
pub(crate) fn read(
    setting: &mut Setting<'_>,
    required: &mut Vec<Requirement>,
    errors: &mut Errors,
) -> Result<()> {
    let mut list = setting.input.parentheses()?;
    while !list.is_empty() {
        let requirement = Requirement::read(&mut list)?;
        if !list.is_empty() {
            list.expect(",")?;
        }
        let component = &requirement.component;
        let name = component.to_token_stream().to_string();
        let mut others = required.iter();
        if others.any(|other| other.component.to_token_stream().to_string() == name) {
            errors.push(
                component,
                format!("`{name}` is required twice; an entity has one value of a component: take one out"),
            );
        }
        required.push(requirement);
    }
    Ok(())
}

/// The constant of the component, and what lets `cargo check` see whether components require each other in a circle, which
/// for instances of generic components `cargo build` does. Nothing without requirements.
pub(crate) fn expand(
    derived: &Derived,
    required: &[Requirement],
) -> Option<(TokenStream, TokenStream)> {
    if required.is_empty() {
        return None;
    }
    let private = derived.root.private(Span::mixed_site());
    let required = required.iter().map(|Requirement { component, value }| {
        // A missing `Default` or `Component` is shown at the type.
        let private = derived.root.private(component.span());
        let value = match value {
            Some(value) => quote!(|| #value),
            None => quote_spanned!(component.span()=> <#component as #private::Default>::default),
        };
        quote_spanned!(component.span()=> #private::Required::of::<#component>(#value))
    });
    let name = &derived.input.name;
    // What the compiler says of a circle points here, so it points at the names of the types.
    let constant = quote_spanned! {Span::mixed_site().located_at(name.span())=>
        const REQUIRED: &'static [#private::Required] = &[#(#required),*];
    };
    let is_generic = !derived.input.generics.params.is_empty();
    let checked = (!is_generic).then(|| {
        quote! {
            const _: &[#private::Required] = <#name as #private::Component>::REQUIRED;
        }
    });
    Some((constant, checked.unwrap_or_default()))
}
