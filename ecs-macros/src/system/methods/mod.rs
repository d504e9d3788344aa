//! `#[systems]`: the systems in an `impl` block.
//!
//! A method becomes three functions: the original function, under a hidden name in the block; a free system after the
//! block, which borrows `Self` and calls it; and a function that calls the free system, under the method's own name in
//! the block. The rest works as in `#[system]`.

mod block;

use super::expand::{self};
use super::expansion::Expansion;
use super::model::SystemModel;
use super::param::{DECIDING, Param, ParamKind};
use super::parse::{self, Function};
use super::{check, lints, options, refuse_twice, undeclared};
use crate::attributes::is_any;
use crate::prelude::*;
use crate::types::{map_generics, name as type_name, predicates};
use block::{Block, BlockItem};

/// Expands an item as if it had the attribute, if it is a block with systems.
pub(super) fn expanded(item: TokenStream) -> TokenStream {
    if block::parse_block.parse2(item.clone()).is_ok() && mentions_system(&item) {
        return expand(TokenStream::new(), item);
    }
    item
}

fn mentions_system(item: &TokenStream) -> bool {
    names(item, &|name| name == "system")
}

/// Expands the attribute with `options` on `item`.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let block = match block::parse_block.parse2(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            let error = error.to_compile_error();
            let item = block::without_systems(item);
            return quote!(#item #error);
        }
    };
    // One error for all systems; a system that names the path itself has its own.
    let is_given = item.to_string().contains("crate =");
    let root = options::parse(TokenStream::new(), options.clone(), &mut Errors::default()).root;
    if let (Some(error), false) = (root.reject_unknown(), is_given) {
        return error.into_compile_error();
    }
    for lifetime in block.generics.lifetimes() {
        reject!(errors, &lifetime.lifetime =>
            "the `impl` of a `#[systems]` block cannot have lifetimes, because a resource owns its data");
    }
    let split = |content: ParseStream<'_>| block::split(content, &mut errors);
    let items = split.parse2(block.content.stream());
    let items = items.unwrap_or_else(|error| {
        errors.add(error);
        Vec::new()
    });
    if !mentions_system(&block.content.stream()) && errors.is_empty() {
        reject!(errors, block.head.clone() =>
            "no function in this block has `#[system]`\nhelp: write it on the functions that are systems");
    }
    let (mut inside, mut after) = (TokenStream::new(), TokenStream::new());
    let mut seen: Vec<Ident> = Vec::new();
    for item in items {
        match item {
            BlockItem::Other(tokens) => inside.extend(tokens),
            BlockItem::System(function, _) if is_repeated(&function, &mut seen) => {
                reject!(errors, &function.ident =>
                    "the name `{}` is defined twice in this block\nhelp: rename one of the systems", function.ident);
            }
            BlockItem::System(function, own) => {
                let method = |function| method(&block, function, [&options, &own]);
                let combinations = parse::combinations(&function);
                let is_one = combinations.len() == 1;
                // The original function occurs once, with its `cfg`s.
                if !is_one {
                    inside.extend(method(*function).as_written);
                }
                for method in combinations.into_iter().map(method) {
                    inside.extend(method.wrapper);
                    inside.extend(method.as_written.filter(|_| is_one));
                    after.extend(method.after);
                }
            }
        }
    }
    let content = group(Delimiter::Brace, block.content.span(), inside);
    let head = &block.head;
    let errors = errors.into_tokens();
    quote!(const _: () = { #after #head #content }; #errors)
}

/// Returns whether the function's name was `seen`, and adds it. Only one function with a `cfg` may be there.
fn is_repeated(function: &Function, seen: &mut Vec<Ident>) -> bool {
    let mut attrs = function.attrs.iter();
    let is_configured = attrs.any(|attribute| is_any(attribute, &["cfg", "cfg_attr"]));
    let is_repeated = !is_configured && seen.contains(&function.ident);
    seen.extend((!is_configured).then(|| function.ident.clone()));
    is_repeated
}

struct Method {
    /// The function that callers see.
    wrapper: TokenStream,
    /// The original function, if it can stay.
    as_written: Option<TokenStream>,
    /// The free system.
    after: TokenStream,
}

fn method(block: &Block, mut written: Function, [common, options]: [&TokenStream; 2]) -> Method {
    let mut own = Errors::default();
    refuse_twice(&mut written, &mut own);
    undeclared::declare(&mut written, Some(&block.generics), &mut own);
    let written_name = written.ident.clone();
    let receiver = receiver(&written, &mut own);
    let span = site().located_at(written_name.span());
    let inner = format_ident!("__{}", written_name.unraw(), span = span);
    let all_options = quote!(#common #options);

    let options = options::parse(common.clone(), options.clone(), &mut own);
    let ty = &block.ty;
    let generics = visible_generics(&block.generics, &written.generics);
    let mut function = of_type(written.clone(), ty);
    // The other parameters are classified as if the method had no `self`.
    let receiver = receiver.map(|handle| (handle, function.inputs.remove(0).pattern));
    function.generics = merged(&block.generics, &function.generics);
    let mut free = SystemModel::new(function, options);
    free.owner = type_name(ty);
    check::check(&free, &mut own);
    if let Some((handle, pattern)) = &receiver {
        if free.is_exclusive() {
            reject!(own, &written_name =>
                "a system with `&mut World` cannot have `self`, which is in the world\nhelp: get it from the world: `world.resource_mut::<Self>()`");
        }
        let param = borrowed_self(handle, pattern, ty, &free);
        free.params.insert(0, param);
    }
    check::reject_borrow(&free, &mut own);
    if !own.is_empty() {
        free.function.generics = generics;
        let (after, wrapper) = expand::stub(&free, own);
        let as_written = || as_written(&written, &inner, &all_options);
        return Method {
            wrapper,
            as_written: free.keeps_body().then(as_written),
            after,
        };
    }

    // The function that callers see has the method's own generics, and the hidden type also has the block's.
    let body = {
        let arguments = free.arguments().map(|param| &param.binding);
        let (world, name) = (free.world(), &free.function.ident);
        let turbofish = turbofish(&free.function.generics);
        let end = free.end();
        quote!(#name #turbofish (#(#arguments,)* #world) #end)
    };
    let code = Expansion::new(&free);
    for (input, param) in written.inputs.iter_mut().zip(free.written()) {
        input.ty = input.ty.take().map(|ty| code.silenced(param, &ty));
    }
    let hidden_type = code.ty;
    let all = core::mem::replace(&mut free.function.generics, generics);
    let wrapper = Expansion {
        ty: hidden_type,
        ..Expansion::new(&free)
    };
    let wrapper = wrapper.wrapper(&body);
    free.function.generics = all;

    let handle = receiver.map(|(handle, _)| handle);
    let forwarded = forward(&mut free, handle, ty, &inner);
    free.function.body = Group::new(Delimiter::Brace, forwarded);
    // The free system cannot be named, so its visibility is hidden from lints.
    let vis = hide(free.function.vis.to_token_stream());
    free.function.vis = syn::parse2(vis).unwrap_or(Visibility::Inherited);
    Method {
        wrapper,
        as_written: Some(as_written(&written, &inner, &all_options)),
        after: expand::expand(&free, true),
    }
}

/// Returns the method's own generics in the form that callers see; the system that they belong to is `'static`.
fn visible_generics(block: &Generics, own: &Generics) -> Generics {
    let mut generics = own.clone();
    for name in block.type_params().map(|param| &param.ident) {
        let clause = generics.make_where_clause();
        clause.predicates.push(parse_quote!(#name: 'static));
    }
    generics
}

/// Returns `self` as a parameter that the world supplies.
fn borrowed_self(handle: &str, pattern: &TokenList, of: &Type, system: &SystemModel) -> Param {
    // At the span of `self`, where errors about the type are shown.
    let (first, last) = pattern.ends();
    let (private, name) = (system.root.private(first), Ident::new(handle, last));
    let lifetime = lifetime(pattern);
    let ty = quote_spanned!(last=> #private::#name<#lifetime, #of>);
    let texts = ("self".to_owned(), format!("{handle}<{}>", pretty::line(of)));
    let (kind, generics) = (ParamKind::Borrowed, &system.function.generics);
    Param {
        pattern: TokenList::new(quote!(self)),
        ..Param::generated(kind, texts, local("this"), ty, generics)
    }
}

/// Returns the type that the world lends `self` as, if the function has one.
fn receiver(function: &Function, errors: &mut Errors) -> Option<&'static str> {
    let receiver = function.receiver()?;
    let words: Vec<String> = to_vec(receiver.0.iter().map(ToString::to_string));
    let first = function.inputs.first();
    let has_type = first.is_some_and(|input| input.ty.is_some());
    let is_borrowed = words.first().is_some_and(|word| word == "&");
    if has_type || !is_borrowed {
        reject!(errors, receiver =>
            "the `self` of a system is a resource that it borrows from the world\nhelp: write `&self` or `&mut self`");
    }
    let is_mutable = words.iter().any(|word| word == "mut");
    Some(if is_mutable { "ResMut" } else { "Res" })
}

/// Returns the lifetime in `&'a self`.
fn lifetime(receiver: &TokenList) -> Lifetime {
    let words = receiver.0.iter().skip(1).take(2).cloned();
    syn::parse2(words.collect()).unwrap_or_else(|_| Lifetime::new("'_", site()))
}

/// Returns the function under a hidden name.
fn as_written(function: &Function, name: &Ident, options: &TokenStream) -> TokenStream {
    let attrs = function.attrs.iter();
    let attrs = attrs.filter(|attribute| !is_any(attribute, &["doc", "must_use", "deprecated"]));
    let mut words = options.clone().into_iter();
    let is_each = words.any(|word| is_word(&word, "for_each") || is_word(&word, "par_for_each"));
    let inline = is_each.then(|| quote!(#[inline]));
    let inputs = function.inputs.iter().map(|input| {
        let (pattern, ty) = (&input.pattern, input.ty.iter());
        let attrs = input.attrs.iter();
        let attrs = attrs.filter(|attribute| !is_any(attribute, &DECIDING));
        quote!(#(#attrs)* #pattern #(: #ty)*)
    });
    let inputs = quote!(#(#inputs),*);
    let inputs = group(Delimiter::Parenthesis, function.parentheses, inputs);
    let (params, _, bounds) = function.generics.split_for_impl();
    let (qualifiers, output, body) = (&function.qualifiers, &function.output, &function.body);
    // Without a type for `self`, which is a parameter too.
    let types = function.inputs.iter().filter_map(|input| input.ty.as_ref());
    let allowances = lints::allowances(function.inputs.len(), &to_vec(types));
    // Lints ignore its signature: lints about a method concern the system.
    frame! {
        #(#attrs)*
        #[doc(hidden)]
        #inline
        #allowances
        #(#qualifiers)* fn #name #params #inputs #output #bounds #body
    }
}

/// Returns the function with `Self` replaced by the type itself.
fn of_type(mut function: Function, ty: &Type) -> Function {
    let named = |tokens: TokenStream| name_self(tokens, ty);
    let name = |ty: &mut Type| {
        if let Ok(named) = syn::parse2(named(ty.to_token_stream())) {
            *ty = named;
        }
    };
    for input in &mut function.inputs {
        if let Some(ty) = &mut input.ty {
            name(ty);
            input.text = pretty::line(ty);
        }
    }
    if let ReturnType::Type(_, ty) = &mut function.output {
        name(ty);
    }
    function.generics = map_generics(function.generics, &named);
    function
}

fn name_self(tokens: TokenStream, ty: &Type) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut named = TokenStream::new();
    while let Some(token) = tokens.next() {
        let in_path = tokens.peek().is_some_and(|next| is_mark(next, ':'));
        named.extend(match token {
            TokenTree::Ident(word) if word == "Self" && in_path => quote!(<#ty>),
            TokenTree::Ident(word) if word == "Self" => quote!(#ty),
            TokenTree::Group(own) => {
                let same = name_self(own.stream(), ty);
                group(own.delimiter(), own.span(), same).into_token_stream()
            }
            other => other.into(),
        });
    }
    named
}

/// Returns the generics of the block and of the function in one.
fn merged(block: &Generics, function: &Generics) -> Generics {
    let (mut merged, lifetimes) = (function.clone(), function.lifetimes().count());
    let is_lifetime = |param: &&GenericParam| matches!(param, GenericParam::Lifetime(_));
    let params = block.params.iter().skip_while(is_lifetime).enumerate();
    params.for_each(|(index, param)| merged.params.insert(lifetimes + index, param.clone()));
    let clause = merged.make_where_clause();
    clause.predicates.extend(predicates(block).cloned());
    merged
}

/// Renames the parameters, and returns the body that calls the original function with them.
fn forward(
    system: &mut SystemModel,
    receiver: Option<&str>,
    ty: &Type,
    inner: &Ident,
) -> TokenStream {
    let mut values = Vec::new();
    let params = system.params.iter_mut();
    let written = params.filter(|param| param.kind != ParamKind::Items);
    for (index, param) in written.enumerate() {
        let name = local(&format!("v{index}"));
        let (pattern, value) = match receiver.filter(|_| index == 0) {
            Some("ResMut") => (quote!(mut #name), quote!(&mut *#name)),
            Some(_) => (quote!(#name), quote!(&*#name)),
            None => (quote!(#name), quote!(#name)),
        };
        param.pattern = TokenList::new(pattern);
        values.push(value);
    }
    let end = system.end();
    quote!(<#ty>::#inner(#(#values),*) #end)
}

/// Returns `::<T, N>`, without lifetimes.
fn turbofish(generics: &Generics) -> Option<TokenStream> {
    let names = to_vec(generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) => Some(&param.ident),
        GenericParam::Const(param) => Some(&param.ident),
        _ => None,
    }));
    (!names.is_empty()).then(|| quote!(::<#(#names),*>))
}

#[cfg(test)]
mod tests;
