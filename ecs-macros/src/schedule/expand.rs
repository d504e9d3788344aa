//! The code for a list.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote_spanned};

use super::model::{Link, List};
use super::parse::{Entry, Said, Schedule, What};
use crate::lists::listed;
use crate::paths::{Root, Words};
use crate::pretty;
use crate::system::hide;

/// The static, the type behind it, and its constants.
pub(super) fn expand(schedule: &Schedule, list: &List<'_>, root: &Root) -> TokenStream {
    let private = &root.private(site());
    let Schedule {
        attrs,
        vis,
        name,
        entries,
    } = schedule;
    let cfg = listed(
        attrs
            .iter()
            .filter(|attribute| attribute.path().is_ident("cfg")),
    );
    let hidden = format_ident!("__schedule_{}", name, span = site());
    let hidden_vis = hide(vis.to_token_stream());
    let count = list.systems.len();
    let links_count = list.links.len();
    let words = count.div_ceil(64);

    let systems = list
        .systems
        .iter()
        .map(|system| named(system.path, private));
    let conditions = list
        .conditions
        .iter()
        .map(|path| reference(path))
        .map(|path| quote_spanned!(site()=> #private::Written::new(#path, "").meta()));
    let asked = list.systems.iter().map(|system| {
        let places = &system.conditions;
        quote_spanned!(site()=> &[#(#places),*])
    });
    let links = list.links.iter().map(|link| link_tokens(link, private));
    let build_systems = list.systems.iter().map(|system| {
        let path = reference(system.path);
        quote_spanned!(site()=> builder.system(#path);)
    });
    let build_conditions = list
        .conditions
        .iter()
        .map(|path| quote_spanned!(site()=> builder.condition(#path);));
    let added = entries.iter().map(|entry| add(entry, private));
    let numbers = 0..count;
    let steps = list.systems.iter().enumerate().map(|(place, system)| {
        let (path, conditions) = (reference(system.path), &system.conditions);
        quote_spanned! {site()=>
            #(#cfg)*
            impl #private::StepOf<#place> for #hidden {
                #[inline]
                fn run(running: &mut #private::Running<'_>) {
                    running.step(#place, &[#(#conditions),*], #path);
                }
            }
        }
    });
    let checks = checks(list, &hidden, name, root);
    let checks = checks
        .iter()
        .map(|check| quote_spanned!(site()=> #(#cfg)* const _: () = #check;));
    let consts = quote_spanned!(site()=> <#hidden as #private::SystemList>);
    quote_spanned! {site()=>
        #(#attrs)*
        #vis static #name: #private::StaticSchedule<#hidden> = #private::StaticSchedule::new();

        #(#cfg)*
        #[doc(hidden)]
        #hidden_vis struct #hidden(());

        #(#cfg)*
        impl #private::SystemList for #hidden {
            const SYSTEMS: &'static [#private::Written] = &[#(#systems),*];
            const CONDITIONS: &'static [#private::SystemMeta] = &[#(#conditions),*];
            const ASKED: &'static [&'static [#private::usize]] = &[#(#asked),*];
            const LINKS: &'static [#private::Link] = &[#(#links),*];
            const ORDER: &'static [#private::usize] =
                &#private::order::<#count, #links_count>(#consts::SYSTEMS, #consts::LINKS);
            const CONFLICTS: &'static [#private::u64] = #private::matrix::<
                #count,
                #words,
                { #private::table_size(#consts::SYSTEMS, #consts::ASKED, #consts::CONDITIONS) },
            >(#consts::SYSTEMS, #consts::ASKED, #consts::CONDITIONS).as_flattened();
            const STAGES: &'static [#private::usize] = &#private::stages::<#count, #links_count>(
                #consts::SYSTEMS, #consts::ASKED, #consts::CONDITIONS, #consts::LINKS, #consts::ORDER, #consts::CONFLICTS,
            );

            fn build(builder: &mut #private::Builder<'_>) {
                #(#build_systems)*
                #(#build_conditions)*
            }

            fn run(running: &mut #private::Running<'_>) {
                #(<#hidden as #private::StepOf<{ #consts::ORDER[#numbers] }>>::run(running);)*
            }

            fn add_to(schedule: &mut #private::Schedule) {
                #(#added)*
            }
        }

        #(#steps)*
        #(#checks)*
    }
}

fn named(path: &TokenStream, private: &Words) -> TokenStream {
    let text = pretty::line(path.clone());
    let path = reference(path);
    quote_spanned!(site()=> #private::Written::new(#path, #text))
}

fn link_tokens(link: &Link<'_>, private: &Words) -> TokenStream {
    match link {
        Link::Chained(first, second) => {
            quote_spanned!(site()=> #private::Link::Chained(#first, #second))
        }
        Link::Placed(system, word, other) => {
            let relation = relation(word);
            let other = named(other, private);
            quote_spanned!(site()=> #private::Link::Placed(#system, #private::Relation::#relation, #other))
        }
        Link::Waived(one, other) => {
            let (one, other) = (named(one, private), named(other, private));
            quote_spanned!(site()=> #private::Link::Waived(#one, #other))
        }
    }
}

fn relation(word: &Ident) -> Ident {
    let name = if word == "after" { "After" } else { "Before" };
    Ident::new(name, site())
}

/// Expressions that stop the compilation where the list is wrong, each with the place of what is to blame.
fn checks(list: &List<'_>, hidden: &Ident, name: &Ident, root: &Root) -> Vec<TokenStream> {
    let mut checks = Vec::new();
    let mut last: Option<&TokenStream> = None;
    for (number, link) in list.links.iter().enumerate() {
        let blamed = match *link {
            Link::Chained(..) => continue,
            Link::Placed(_, _, other) => other,
            Link::Waived(one, _) => one,
        };
        // What is said about a tuple is said about each of its systems.
        if last.is_some_and(|last| core::ptr::eq(last, blamed)) {
            continue;
        }
        last = Some(blamed);
        let place = span(blamed);
        let private = root.private(place);
        let list = quote_spanned!(place=> <#hidden as #private::SystemList>);
        checks.push(quote_spanned! {place=>
            #private::refuse_unknown(#list::SYSTEMS, &#list::LINKS[#number])
        });
        if let Link::Waived(..) = link {
            checks.push(quote_spanned! {place=>
                #private::refuse_waived(
                    #list::SYSTEMS, #list::ASKED, #list::CONDITIONS, &#list::LINKS[#number],
                )
            });
        }
    }
    let (count, links) = (list.systems.len(), list.links.len());
    if links > 0 {
        let place = name.span();
        let private = root.private(place);
        let list = quote_spanned!(place=> <#hidden as #private::SystemList>);
        checks.push(quote_spanned! {place=>
            #private::refuse_cycle::<#count, #links>(#list::SYSTEMS, #list::LINKS)
        });
    }
    checks
}

/// A reference to the function, in all its parts at the user's place.
fn reference(path: &TokenStream) -> TokenStream {
    quote_spanned!(span(path)=> &#path)
}

fn span(path: &TokenStream) -> Span {
    path.clone()
        .into_iter()
        .next()
        .map_or_else(Span::mixed_site, |token| token.span())
}

/// The statement that adds a place of the list to a schedule.
fn add(entry: &Entry, private: &Words) -> TokenStream {
    if let Entry::Unordered(one, other) = entry {
        return quote_spanned!(site()=> schedule.unordered(#one, #other););
    }
    let systems = configured(entry, private);
    quote_spanned!(site()=> schedule.add(#systems);)
}

fn configured(entry: &Entry, private: &Words) -> TokenStream {
    let (what, said) = match entry {
        Entry::Systems { what, said } => (what, said),
        Entry::Unordered(..) => return TokenStream::new(),
    };
    let what = match what {
        What::One(path) => path.clone(),
        What::Several(entries) => {
            let members = entries.iter().map(|entry| configured(entry, private));
            quote_spanned!(site()=> (#(#members,)*))
        }
    };
    let into = quote_spanned!(site()=> #private::IntoConfigs);
    said.iter().fold(what, |what, said| match said {
        Said::Placed(word, other) if word == "after" => {
            quote_spanned!(site()=> #into::after(#what, #other))
        }
        Said::Placed(_, other) => quote_spanned!(site()=> #into::before(#what, #other)),
        Said::RunIf(condition) => quote_spanned!(site()=> #into::run_if(#what, #condition)),
        Said::Chain => quote_spanned!(site()=> #into::chain(#what)),
    })
}

/// Where names are the macro's own: a system of the list may be called like one of them.
fn site() -> Span {
    Span::mixed_site()
}
