//! A parameter of a system.

use super::parse::Input;
use super::{event, item, place};
use crate::attributes::is_any;
use crate::parameters::{Borrows, Parameter, is_resources, is_world, is_world_parameter};
use crate::prelude::*;
use crate::types::{has_impl, is_primitive, optional, path, strip};

/// The attributes that decide the kind of a parameter.
pub(super) const DECIDING: [&str; 3] = ["arg", "param", "item"];

pub(super) struct Param {
    pub(super) kind: ParamKind,
    /// All attributes but documentation and those that decide the kind.
    pub(super) attrs: Vec<Attribute>,
    /// The lines of its documentation.
    pub(super) docs: String,
    pub(super) pattern: TokenList,
    /// The name for messages; `_` for a pattern.
    pub(super) label: String,
    /// The name of the value in generated code: the argument's own, or one that cannot collide with a name of the user.
    pub(super) binding: Ident,
    /// The type as written.
    pub(super) ty: Type,
    pub(super) type_text: String,
    /// The attributes that decide the kind: the first one does, and any others are an error.
    pub(super) deciding: Vec<Attribute>,
    /// The spans of the type's first and last token.
    pub(super) ends: (Span, Span),
    /// The type that implements `SystemParam`, without the names of lifetimes.
    pub(super) supplied: TokenList,
    /// The same, for errors in the types that it names.
    pub(super) placed: TokenList,
    /// The data that it borrows, judging by its tokens; `None` if it may be an alias of a known parameter.
    pub(super) borrows: Option<Borrows>,
}

/// The function of a parameter, for its classification.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) root: &'a Root,
    pub(super) generics: &'a Generics,
    /// True if the function is called for each entity.
    pub(super) for_each: bool,
}

/// The supplier of a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ParamKind {
    /// The caller.
    Argument,
    /// The world supplies it; it is a `SystemParam`.
    Borrowed,
    /// The world supplies it; it is `&World`.
    World,
    /// The world supplies it; it is `&ResourceMap`.
    Resources,
    /// The world supplies it; it is `&mut World`.
    Exclusive,
    /// The query over the items supplies it, one entity at a time.
    Item,
    /// The world supplies it; it is the query over the items, and not a parameter of the original function.
    Items,
}

impl Param {
    /// Makes the parameter at `index` of a function; `borrowed` says whether the world supplies an earlier one.
    pub(super) fn new(
        index: usize,
        input: Input,
        context: Context<'_>,
        borrowed: &mut bool,
    ) -> Option<Self> {
        let (mut ty, for_each) = (input.ty?, context.for_each);
        let attrs = input.attrs.into_iter();
        let (deciding, attrs): (Vec<_>, Vec<_>) = attrs.partition(|a| is_any(a, &DECIDING));
        let decided = |name| deciding.first().map(|a| a.path().is_ident(name));
        let item = decided("item").unwrap_or(for_each && item::is_item(&ty));
        let event = deciding.is_empty() && event::is_event(&ty);
        let known = item || decided("param").unwrap_or_else(|| is_world_parameter(&ty));
        // Certainly an argument: an error if it follows parameters of the world.
        let primitive = path(&ty).is_some_and(|ty| is_primitive(ty) && !ty.is_ident("Entity"));
        let argument = decided("arg").unwrap_or(event || (!known && (primitive || !*borrowed)));
        // An observer has no other argument.
        *borrowed |= !argument || event;
        let kind = match (argument, item) {
            (true, _) => ParamKind::Argument,
            (_, true) => ParamKind::Item,
            _ => kind(&ty),
        };
        let tokens = TokenList::new(ty.to_token_stream());
        let ends = tokens.ends();
        let supplied = supplied(kind, tokens, ends.1, context);
        let placed = match kind {
            ParamKind::Borrowed => place::placed(&mut ty, &supplied, context),
            _ => supplied.clone(),
        };
        let name = plain_name(&input.pattern);
        let label = (name.as_ref()).map_or("_".to_owned(), |name| name.unraw().to_string());
        let binding = match name {
            Some(name) if argument => name,
            _ if item => local_at(&format!("p{index}"), after(ends.1)),
            _ => local_at(&format!("p{index}"), ends.1),
        };
        Some(Self {
            kind,
            attrs,
            docs: input.docs,
            label,
            binding,
            pattern: input.pattern,
            type_text: input.text,
            borrows: borrows(&ty),
            ty,
            deciding,
            ends,
            supplied,
            placed,
        })
    }

    /// Makes a parameter that the original function does not have, or has with another type.
    pub(super) fn generated(
        kind: ParamKind,
        (label, type_text): (String, String),
        binding: Ident,
        ty: TokenStream,
        generics: &Generics,
    ) -> Self {
        let supplied = TokenList::new(lifetimes::replace(&ty, generics, "_"));
        let ends = supplied.ends();
        let ty = syn::parse2(ty.clone()).unwrap_or(Type::Verbatim(ty));
        Self {
            kind,
            attrs: Vec::new(),
            docs: String::new(),
            pattern: TokenList(Vec::new()),
            label,
            binding,
            type_text,
            deciding: Vec::new(),
            ends,
            placed: supplied.clone(),
            supplied,
            borrows: borrows(&ty),
            ty,
        }
    }

    /// Returns the parameter as text: `time: Res<Time>`.
    pub(super) fn text(&self) -> String {
        format!("{}: {}", self.label, self.type_text)
    }

    pub(super) fn has_impl(&self) -> bool {
        self.type_text.contains("impl") && has_impl(&self.ty)
    }

    /// Returns the span of the type's end.
    pub(super) fn span(&self) -> Span {
        self.ends.1
    }
}

/// Returns how the world supplies a parameter of this type.
fn kind(ty: &Type) -> ParamKind {
    match strip(ty) {
        Type::Reference(reference) if is_world(reference) => match reference.mutability {
            Some(_) => ParamKind::Exclusive,
            None => ParamKind::World,
        },
        Type::Reference(reference) if is_resources(reference) => ParamKind::Resources,
        _ => ParamKind::Borrowed,
    }
}

fn borrows(ty: &Type) -> Option<Borrows> {
    match (optional(ty), path(ty)) {
        (Some(inside), _) => borrows(inside),
        (_, Some(path)) => Parameter::known(path).map(|known| known.borrows),
        _ => Some(Borrows::Other),
    }
}

fn supplied(kind: ParamKind, ty: TokenList, last: Span, context: Context<'_>) -> TokenList {
    let name = match kind {
        ParamKind::World | ParamKind::Exclusive => "WorldRef",
        ParamKind::Resources => "ResourcesRef",
        _ if context.generics.lifetimes().next().is_none() => return ty,
        _ => return TokenList::new(lifetimes::replace(ty, context.generics, "_")),
    };
    let (private, name) = (context.root.private(last), Ident::new(name, last));
    TokenList::new(quote_spanned!(last=> #private::#name))
}

/// Returns the name in `name` or `mut name`.
fn plain_name(pattern: &TokenList) -> Option<Ident> {
    match pattern.0.as_slice() {
        [TokenTree::Ident(name)] if name != "_" && name != "mut" => Some(name.clone()),
        [word, TokenTree::Ident(name)] if is_word(word, "mut") && name != "_" => Some(name.clone()),
        _ => None,
    }
}
