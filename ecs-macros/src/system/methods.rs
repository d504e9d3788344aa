//! `#[systems]`: the systems in an `impl` block.
//!
//! A method is three functions: the one as written under a hidden name in the block, a free system beside the block that
//! borrows `Self` and calls it, and, under the method's own name in the block, one that calls the free system. All the
//! rest is left to `#[system]`.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::discouraged::Speculative as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{
    Attribute, GenericParam, Generics, Lifetime, Meta, Result, ReturnType, Token, Type,
    parse_quote_spanned,
};

use super::expand::{self, Expansion, is_any};
use super::impls::hide;
use super::model::System;
use super::param::{Cache, Kind, Param, ends, hidden};
use super::parse::{self, Function, Input};
use super::{check, classify, complexity, options};
use crate::errors::Errors;
use crate::lists::listed;
use crate::{pretty, regions};

/// Expands the attribute with `options` on `item`.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let block = match parse_block.parse2(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            let error = error.to_compile_error();
            return quote!(#item #error);
        }
    };
    for lifetime in block.generics.lifetimes() {
        errors.push(
            &lifetime.lifetime,
            "what a system belongs to owns its data, so the `impl` of a `#[systems]` block has no lifetimes",
        );
    }
    let split = |content: ParseStream<'_>| split(content, &options, &mut errors);
    let items = match split.parse2(block.content.stream()) {
        Ok(items) => items,
        Err(error) => {
            errors.add(error);
            Vec::new()
        }
    };
    if !items.iter().any(|item| matches!(item, Item::System(..))) && errors.is_empty() {
        errors.push(
            block.head.clone(),
            "no function in this block is marked `#[system]`",
        );
    }
    let (mut inside, mut beside) = (TokenStream::new(), TokenStream::new());
    for item in items {
        match item {
            Item::Other(tokens) => inside.extend(tokens),
            Item::System(function, options) => {
                let method = method(&block, *function, options, &mut errors);
                inside.extend(method.inside);
                beside.extend(method.beside);
            }
        }
    }
    let mut content = Group::new(Delimiter::Brace, inside);
    content.set_span(block.content.span());
    let head = &block.head;
    let errors = errors.into_tokens();
    quote! {
        const _: () = {
            #beside
            #head #content
        };
        #errors
    }
}

/// An `impl` block.
struct Block {
    /// All before the braces, as written.
    head: TokenStream,
    /// With the where clause.
    generics: Generics,
    ty: Type,
    content: Group,
}

fn parse_block(input: ParseStream<'_>) -> Result<Block> {
    let fork = input.fork();
    fork.call(Attribute::parse_outer)?;
    if !fork.peek(Token![impl]) {
        return Err(
            fork.error("`#[systems]` goes on an `impl` block; on a function write `#[system]`")
        );
    }
    fork.parse::<Token![impl]>()?;
    let mut generics: Generics = fork.parse()?;
    let ty: Type = fork.parse()?;
    if fork.peek(Token![for]) {
        return Err(fork.error(
            "the functions of a trait cannot be systems, as their signatures are the trait's; write an `impl` block of the type itself",
        ));
    }
    generics.where_clause = fork.parse()?;
    let mut tokens = listed(input.parse::<TokenStream>()?);
    match tokens.pop() {
        Some(TokenTree::Group(content)) if content.delimiter() == Delimiter::Brace => Ok(Block {
            head: tokens.into_iter().collect(),
            generics,
            ty,
            content,
        }),
        _ => Err(fork.error("expected the braces of the `impl` block")),
    }
}

/// What stands in a block.
enum Item {
    System(Box<Function>, TokenStream),
    /// Not ours.
    Other(TokenStream),
}

/// Takes the functions with `#[system]` out of what stands in a block.
fn split(content: ParseStream<'_>, common: &TokenStream, errors: &mut Errors) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    while !content.is_empty() {
        if !starts_system(content) {
            items.push(Item::Other(content.parse::<TokenTree>()?.into()));
            continue;
        }
        let ahead = content.fork();
        match parse::parse_function(&ahead) {
            Ok(mut function) => {
                content.advance_to(&ahead);
                let options = take_options(&mut function, common);
                items.push(Item::System(Box::new(function), options));
            }
            Err(error) => {
                errors.add(error);
                skip_item(content)?;
            }
        }
    }
    Ok(items)
}

/// Whether attributes come next of which one is `#[system]`.
fn starts_system(content: ParseStream<'_>) -> bool {
    let attributes = || content.fork().call(Attribute::parse_outer);
    content.peek(Token![#]) && attributes().is_ok_and(|attributes| attributes.iter().any(is_system))
}

/// Skips a function that cannot be read, with what seems to be its body.
fn skip_item(content: ParseStream<'_>) -> Result<()> {
    while !content.is_empty() {
        let is_end = match content.parse()? {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(mark) => mark.as_char() == ';',
            _ => false,
        };
        if is_end {
            break;
        }
    }
    Ok(())
}

/// Whether an attribute is `#[system]`, also by a path.
fn is_system(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|last| last.ident == "system")
}

/// Takes `#[system]` off the function and returns its options, after those of the whole block.
fn take_options(function: &mut Function, common: &TokenStream) -> TokenStream {
    let mut options = common.clone();
    if let Some(index) = function.attrs.iter().position(is_system)
        && let Meta::List(list) = function.attrs.remove(index).meta
    {
        let tokens = list.tokens;
        options = if common.is_empty() {
            tokens
        } else {
            quote!(#common, #tokens)
        };
    }
    options
}

/// The code for one method.
struct Method {
    inside: TokenStream,
    beside: TokenStream,
}

fn method(block: &Block, written: Function, options: TokenStream, errors: &mut Errors) -> Method {
    let mut own = Errors::default();
    let written_name = written.ident.clone();
    let receiver = receiver(&written, &mut own);
    let inner = format_ident!(
        "__{}",
        written_name.unraw(),
        span = Span::mixed_site().located_at(written_name.span())
    );
    let as_written = as_written(&written, &inner, &options);

    let options = options::parse(options, &mut own);
    let options_root = options.root.clone();
    let ty = &block.ty;
    let generics = visible_generics(&block.generics, &written.generics);
    let mut function = of_type(written, ty);
    let receiver = receiver.map(|handle| {
        let written = function.inputs.remove(0);
        // At the place of `self`, where it is shown what is wrong with the type.
        let (first, last) = ends(&written.pattern);
        let (open, name) = (options_root.private(first), Ident::new(handle, last));
        let region = region(&written.pattern);
        let ty = Type::Verbatim(quote_spanned!(last=> #open::#name<#region, #ty>));
        (handle, borrowed_self(handle, ty, &block.ty))
    });
    function.generics = merged(&block.generics, &function.generics);
    let mut free = System::new(function, options);
    free.owner = classify::type_name(ty);
    check::check(&free, &mut own);
    if receiver.is_none() {
        check::refuse_borrow(&free, &mut own);
    }
    let handle = receiver.as_ref().map(|(handle, _)| *handle);
    if let Some((_, param)) = receiver {
        if free.is_exclusive() {
            own.push(
                &written_name,
                "`&mut World` is all of the world, `self` included; ask the world for it: `world.resource_mut::<Self>()`",
            );
        }
        free.params.insert(0, param);
        check::refuse_borrow(&free, &mut own);
    }

    // The one that callers see has the method's own generics, the hidden type those of the block too.
    let body = {
        let arguments = free.arguments().map(|param| {
            let (cfg, name) = (param.cfgs(), &param.binding);
            quote!(#cfg #name)
        });
        let (world, name) = (hidden("world"), &free.function.ident);
        let turbofish = turbofish(&free.function.generics);
        quote!(#name #turbofish (#(#arguments,)* #world))
    };
    let hidden_type = Expansion::new(&free).ty;
    let all = core::mem::replace(&mut free.function.generics, generics);
    let wrapper = {
        let mut seen = Expansion::new(&free);
        seen.ty = hidden_type;
        seen.wrapper(&body)
    };
    free.function.generics = all;

    let is_right = own.is_empty();
    let forwarded = forward(&mut free, handle, ty, &inner);
    // Beside the block nobody reaches it, which is no mistake of the user.
    if let Ok(hidden) = syn::parse2(hide(free.function.vis.to_token_stream())) {
        free.function.vis = hidden;
    }
    free.function.body = Group::new(Delimiter::Brace, forwarded);
    let beside = if is_right {
        expand::expand(&free)
    } else {
        expand::stub(&free)
    };
    let as_written = is_right.then_some(as_written);
    if !is_right {
        errors.append(own);
    }
    Method {
        inside: quote!(#wrapper #as_written),
        beside,
    }
}

/// The method's own generics, as callers see them; the system that they belong to is `'static`.
fn visible_generics(block: &Generics, own: &Generics) -> Generics {
    let mut generics = own.clone();
    for param in block.type_params() {
        let name = &param.ident;
        let clause = generics.make_where_clause();
        clause
            .predicates
            .push(parse_quote_spanned!(Span::mixed_site()=> #name: 'static));
    }
    generics
}

/// `self` as a parameter that the world supplies; all others are sorted as if it were not there.
fn borrowed_self(handle: &str, ty: Type, of: &Type) -> Param {
    let of = pretty::line(of.to_token_stream());
    Param {
        kind: Kind::Borrowed,
        attrs: Vec::new(),
        cfg: Vec::new(),
        pattern: quote!(self),
        label: "self".to_owned(),
        binding: hidden("this"),
        ty,
        type_text: format!("{handle}<{of}>"),
        decider: None,
        words: Cache::default(),
    }
}

/// How `self` is borrowed from the world, if the function has one.
fn receiver(function: &Function, errors: &mut Errors) -> Option<&'static str> {
    let receiver = function.receiver()?;
    let words: Vec<String> = listed(receiver.clone().into_iter().map(|token| token.to_string()));
    let has_type = function
        .inputs
        .first()
        .is_some_and(|input| input.ty.is_some());
    let borrowed = words.first().is_some_and(|word| word == "&");
    if has_type || !borrowed {
        errors.push(
            receiver,
            "the `self` of a system is a resource of the world, which is borrowed: write `&self` or `&mut self`",
        );
    }
    Some(if words.iter().any(|word| word == "mut") {
        "ResMut"
    } else {
        "Res"
    })
}

/// The lifetime in `&'a self`.
fn region(receiver: &TokenStream) -> Lifetime {
    let words = listed(receiver.clone().into_iter().skip(1).take(2));
    syn::parse2(words.into_iter().collect())
        .unwrap_or_else(|_| Lifetime::new("'_", Span::mixed_site()))
}

/// The function under a hidden name.
fn as_written(function: &Function, name: &Ident, options: &TokenStream) -> TokenStream {
    let attrs = function.attrs.iter();
    let attrs = attrs.filter(|attribute| !is_any(attribute, &["doc", "must_use", "deprecated"]));
    let is_each = options
        .clone()
        .into_iter()
        .any(|token| matches!(token, TokenTree::Ident(word) if ["for_each", "par_for_each"].iter().any(|name| word == name)));
    let inline = is_each.then(|| quote!(#[inline]));
    let inputs = function.inputs.iter().map(|Input { attrs, pattern, ty }| {
        let attrs = attrs.iter();
        let attrs = attrs.filter(|attribute| !is_any(attribute, &["arg", "param", "item"]));
        match ty {
            Some(ty) => quote!(#(#attrs)* #pattern: #ty),
            None => quote!(#(#attrs)* #pattern),
        }
    });
    let (params, _, bounds) = function.generics.split_for_impl();
    let (output, body) = (&function.output, &function.body);
    let many = (function.inputs.len() > 7).then(|| quote!(#[allow(clippy::too_many_arguments)]));
    let types = function.inputs.iter().filter_map(|input| input.ty.as_ref());
    let complex = complexity::allowance(&listed(types));
    quote! {
        #(#attrs)*
        #[doc(hidden)]
        #inline
        #many
        #complex
        fn #name #params (#(#inputs),*) #output #bounds #body
    }
}

/// The function with the type itself in the place of `Self`.
fn of_type(mut function: Function, ty: &Type) -> Function {
    let named = |tokens: TokenStream| name_self(tokens, ty);
    for input in &mut function.inputs {
        if let Some(written) = &input.ty
            && let Ok(named) = syn::parse2(named(written.to_token_stream()))
        {
            input.ty = Some(named);
        }
    }
    if let ReturnType::Type(_, ty) = &mut function.output
        && let Ok(named) = syn::parse2(named(ty.to_token_stream()))
    {
        **ty = named;
    }
    function.generics = regions::changed(function.generics, &named);
    function
}

fn name_self(tokens: TokenStream, ty: &Type) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut named = TokenStream::new();
    while let Some(token) = tokens.next() {
        let in_path =
            matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        match token {
            TokenTree::Ident(word) if word == "Self" => {
                named.extend(if in_path { quote!(<#ty>) } else { quote!(#ty) });
            }
            TokenTree::Group(group) => {
                let mut same = Group::new(group.delimiter(), name_self(group.stream(), ty));
                same.set_span(group.span());
                named.extend([TokenTree::from(same)]);
            }
            other => named.extend([other]),
        }
    }
    named
}

/// The generics of the block and of the function as those of one function.
fn merged(block: &Generics, function: &Generics) -> Generics {
    let mut merged = function.clone();
    merged.params.clear();
    let mut add = |from: &Generics, lifetimes: bool| {
        for param in &from.params {
            if matches!(param, GenericParam::Lifetime(_)) == lifetimes {
                merged.params.push(param.clone());
            }
        }
    };
    add(function, true);
    add(block, false);
    add(function, false);
    if let Some(clause) = &block.where_clause {
        let predicates = &mut merged.make_where_clause().predicates;
        for predicate in &clause.predicates {
            predicates.push(predicate.clone());
        }
    }
    merged
}

/// Gives the parameters names of ours, and returns the body that calls the function as written with them.
fn forward(system: &mut System, receiver: Option<&str>, ty: &Type, inner: &Ident) -> TokenStream {
    let mut values = Vec::new();
    let written = system
        .params
        .iter_mut()
        .filter(|param| param.kind != Kind::Items);
    for (index, param) in written.enumerate() {
        let name = hidden(&format!("v{index}"));
        let cfg = param.cfgs();
        let value = match receiver {
            Some(handle) if index == 0 => {
                if handle == "ResMut" {
                    param.pattern = quote!(mut #name);
                    quote!(&mut *#name)
                } else {
                    param.pattern = quote!(#name);
                    quote!(&*#name)
                }
            }
            _ => {
                param.pattern = quote!(#name);
                quote!(#name)
            }
        };
        values.push(quote!(#cfg #value));
    }
    quote!(<#ty>::#inner(#(#values),*))
}

/// `::<T, N>`, without lifetimes.
fn turbofish(generics: &Generics) -> TokenStream {
    let mut names: Vec<&Ident> = Vec::new();
    for param in &generics.params {
        match param {
            GenericParam::Lifetime(_) => {}
            GenericParam::Type(param) => names.push(&param.ident),
            GenericParam::Const(param) => names.push(&param.ident),
            #[allow(unreachable_patterns, reason = "syn may learn more kinds")]
            _ => {}
        }
    }
    if names.is_empty() {
        TokenStream::new()
    } else {
        quote!(::<#(#names),*>)
    }
}

#[cfg(test)]
#[path = "methods_tests.rs"]
mod tests;
