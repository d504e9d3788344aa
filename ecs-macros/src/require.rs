//! `#[component(require(..))]`.

use syn::token::{Brace, Bracket, Paren};

use crate::derive::Derived;
use crate::options::{OptionValue, list};
use crate::prelude::*;
use crate::types;

/// `Component`, or `Component = expression`.
#[derive(Clone)]
pub(crate) struct Requirement {
    pub(crate) component: Type,
    pub(crate) value: Option<TokenStream>,
}

impl Parse for Requirement {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let component: Type = input.parse()?;
        if !matches!(component, Type::Path(_)) {
            fail!(&component =>
                "expected the path of a component type\nhelp: write `require(Component)` or `require(Component = expression)`");
        }
        if input.peek(Paren) || input.peek(Brace) {
            let value = input.parse::<TokenTree>()?;
            let (name, value) = (owner(&component), quote!(#component #value));
            let (name, value) = (pretty::line(name), pretty::line(value));
            fail!(&component =>
                "expected the value of a required component after its type\nhelp: write `{name} = {value}`");
        }
        let has_value = input.parse::<Option<Token![=]>>()?.is_some();
        let value = has_value.then(|| value(input)).transpose()?;
        Ok(Self { component, value })
    }
}

/// Returns the type that a path belongs to, or whose associated function it probably names: `A` of `A::new`.
fn owner(component: &Type) -> TokenStream {
    let mut path = match component {
        Type::Path(path) if path.qself.is_none() => path.path.clone(),
        other => return other.to_token_stream(),
    };
    let is_function = |name: &Ident| name.unraw().to_string().starts_with(char::is_lowercase);
    if path.segments.len() > 1 && types::head(&path).is_some_and(is_function) {
        path.segments.pop();
        path.segments.pop_punct();
    }
    path.to_token_stream()
}

/// Parses an expression: one that `syn` knows without its feature `full`, or any in braces or brackets.
fn value(input: ParseStream<'_>) -> Result<TokenStream> {
    if input.peek(Brace) || input.peek(Bracket) {
        return Ok(input.parse::<TokenTree>()?.into_token_stream());
    }
    let span = input.span();
    let expression = input.parse::<Expr>().map_err(|_| {
        wrong!(at span =>
            "expected an expression\nhelp: put it in braces if it is more than a call, a value or a path: `Component = {{ .. }}`")
    })?;
    Ok(expression.into_token_stream())
}

/// Parses the parentheses and their content.
pub(crate) fn parse(meta: &ParseNestedMeta<'_>) -> Result<Vec<Requirement>> {
    if !meta.input.peek(Paren) {
        fail!(&meta.path =>
            "expected the required components in parentheses\nhelp: write `require(Component)` or `require(Component = expression)`");
    }
    list(meta.input, Requirement::parse)
}

/// Returns all required components.
pub(crate) fn of(derived: &Derived) -> Vec<Requirement> {
    let options = derived.all(&["require"]);
    to_vec(options.flat_map(|option| match &option.value {
        OptionValue::Required(required) => required.clone(),
        _ => Vec::new(),
    }))
}

/// Returns the required components without the component itself, which is an error.
pub(crate) fn of_others(derived: &Derived) -> Vec<Requirement> {
    let mut all = of(derived);
    all.retain(|required| !is_own(derived, &required.component));
    all
}

fn is_own(derived: &Derived, component: &Type) -> bool {
    let path = types::path(component);
    path.is_some_and(|path| path.is_ident(&derived.input.ident) || path.is_ident("Self"))
}

/// Reports components that are required twice, or by themselves.
pub(crate) fn check(derived: &Derived, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for Requirement { component, .. } in of(derived) {
        let name = pretty::line(&component);
        if is_own(derived, &component) {
            reject!(errors, &component => "`{name}` requires itself\nhelp: remove it from `require(..)`");
        } else if seen.contains(&name) {
            reject!(errors, &component =>
                "`{name}` is required twice, but an entity has one value of a component\nhelp: remove one");
        }
        seen.push(name);
    }
}

/// Returns the constant of the component; nothing without requirements.
pub(crate) fn expand(derived: &Derived, required: &[Requirement]) -> Option<TokenStream> {
    if required.is_empty() {
        return None;
    }
    let private = derived.root.private(site());
    let required = required.iter().map(|Requirement { component, value }| {
        // A missing `Default` or `Component` is reported at the type.
        let end = after(component.span());
        let private = derived.root.private(end);
        let required = quote_spanned!(end=> #private::Required);
        match value.as_ref().map(|value| frame!(|| #value)) {
            Some(value) => quote_spanned!(end=> #required::of::<#component>(#value)),
            None => quote_spanned!(end=> #required::of_default::<#component>()),
        }
    });
    let name = &derived.input.ident;
    // The compiler's message about a cycle points here, so this has the spans of the types' names.
    Some(quote_spanned! {site().located_at(name.span())=>
        const REQUIRED: &'static [#private::Required] = &[#(#required),*];
    })
}

/// Returns code that makes `cargo check` find cycles of requirements; `cargo build` finds cycles of generic components.
pub(crate) fn check_cycles(derived: &Derived, required: &[Requirement]) -> Option<TokenStream> {
    let name = &derived.input.ident;
    let private = derived.private();
    let is_checked = !required.is_empty() && derived.input.generics.params.is_empty();
    is_checked.then(|| {
        quote! {
            const _: () = {
            #[allow(dead_code)]
            const REMOVE_ONE_OF_THE_REQUIREMENTS: &[#private::Required] = <#name as #private::Component>::REQUIRED;
            };
        }
    })
}
