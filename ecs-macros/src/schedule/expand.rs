//! The code of a schedule.

use super::docs;
use super::model::{Constraint, FlatList};
use super::parse::{ListEntry, Modifier, ParsedSchedule, Systems};
use crate::prelude::*;

/// Returns the static, the hidden type that it is generic over, and that type's constants.
pub(super) fn expand(schedule: &ParsedSchedule, list: &FlatList<'_>, root: &Root) -> TokenStream {
    let private = &root.private(site());
    let (attrs, vis, name) = (&schedule.attrs, &schedule.vis, &schedule.name);
    let cfgs = schedule.cfgs();
    let hidden = format_ident!("__schedule_{}", name, span = site());
    let hidden_vis = hide(vis.to_token_stream());
    let count = list.systems.len();
    let (count, words) = (number(count), number(count.div_ceil(64)));

    let consts = &quote!(<#hidden as #private::SystemList>);
    let code = &Code {
        list,
        consts,
        private,
    };
    let systems = list.systems.iter().map(|system| code.by_path(system.path));
    let conditions = list.conditions.iter().map(|path| {
        let function = quote!(#private::WrittenCondition::new);
        call(ends(path).0, function, reference(path))
    });
    let asked = list.systems.iter().map(|system| {
        let places = system.asked.iter().map(|place| number(*place));
        quote!(&[#(#places),*])
    });
    let links = (list.constraints.iter()).map(|constraint| link_of(constraint, code));
    let added = schedule.entries.iter().map(|entry| add(entry, code));
    let distinct = distinct(list, private);
    let steps = text(&docs::section(list));
    let mut checks = checks(name, code);
    let declared = schedule.is_deterministic.then(|| {
        checks.extend(determinism_checks(code));
        quote!(.deterministic())
    });
    let checks = (checks.iter()).map(|check| quote!(#cfgs const _: () = #check;));
    let hidden_name = hide(hidden.to_token_stream());
    let declaration = frame!(#cfgs #[doc(hidden)] #hidden_vis struct #hidden_name(()););
    quote! {
        #(#attrs)*
        #[doc = #steps]
        #vis static #name: #private::StaticSchedule<#hidden> = #private::StaticSchedule::new();

        #declaration

        #cfgs
        impl #private::SystemList for #hidden {
            const SYSTEMS: &'static [#private::ListedFunction] = &[#(#systems),*];
            const CONDITIONS: &'static [#private::WrittenCondition] = &[#(#conditions),*];
            const ASKED: &'static [&'static [#private::usize]] = &[#(#asked),*];
            const LINKS: &'static [#private::ConstLink] = &[#(#links),*];
            const ORDER: &'static [#private::usize] =
                &#private::order::<#count>(#consts::SYSTEMS, #consts::LINKS);
            const CONFLICTS: &'static [#private::u64] = #private::matrix::<
                #count,
                #words,
                { #private::table_size(#consts::SYSTEMS, #consts::ASKED, #consts::CONDITIONS) },
            >(#consts::SYSTEMS, #consts::ASKED, #consts::CONDITIONS).as_flattened();
            const STAGES: &'static [#private::usize] = &#private::stages::<#count>(
                #consts::SYSTEMS, #consts::ASKED, #consts::CONDITIONS, #consts::LINKS, #consts::ORDER, #consts::CONFLICTS,
            );

            #[inline]
            fn add_to(__schedule: &mut #private::Schedule) -> &mut #private::Schedule {
                #distinct
                __schedule #declared #(#added)*
            }
        }

        #(#checks)*
    }
}

/// The names in the code of a schedule.
pub(super) struct Code<'a> {
    list: &'a FlatList<'a>,
    /// The type with the constants of the list.
    consts: &'a TokenStream,
    pub(super) private: &'a TokenList,
}

impl Code<'_> {
    /// Returns a system, by its path: editors find and rename it at each place.
    fn by_path(&self, path: &TokenStream) -> TokenStream {
        let (private, text) = (self.private, text(&pretty::line(path)));
        let function = quote!(#private::ListedFunction::new);
        let arguments = reference(path);
        call(ends(path).0, function, quote!(#arguments, #text))
    }

    /// Returns the system that a condition calls.
    pub(super) fn condition(&self, path: &TokenStream) -> TokenStream {
        let mut conditions = self.list.conditions.iter();
        let index = conditions.position(|known| core::ptr::eq(*known, path));
        let condition = index.map(|index| self.listed("CONDITIONS", index));
        condition.unwrap_or_default()
    }

    fn listed(&self, list: &str, index: usize) -> TokenStream {
        let (consts, list, index) = (self.consts, Ident::new(list, site()), number(index));
        quote!(#consts::#list[#index])
    }
}

fn link_of(constraint: &Constraint<'_>, code: &Code<'_>) -> TokenStream {
    let private = code.private;
    match constraint {
        Constraint::Chained(first, second) => {
            let (first, second) = (number(*first), number(*second));
            quote!(#private::ConstLink::Chained(#first, #second))
        }
        Constraint::Ordered(system, word, other) => {
            let name = if *word == "after" { "After" } else { "Before" };
            let relation = Ident::new(name, site());
            let (system, other) = (number(*system), code.by_path(other));
            quote!(#private::ConstLink::Placed(#system, #private::OrderKind::#relation, #other))
        }
        Constraint::Unordered { one, other, .. } => {
            let (one, other) = (code.by_path(one), code.by_path(other));
            quote!(#private::ConstLink::Waived(#one, #other))
        }
    }
}

/// Returns expressions that fail to compile if the list is wrong, each with the span of its error.
fn checks(name: &Ident, code: &Code<'_>) -> Vec<TokenStream> {
    let (list, consts, private) = (code.list, code.consts, code.private);
    let mut checks = Vec::new();
    let mut last: Option<&TokenStream> = None;
    for (at, constraint) in list.constraints.iter().enumerate() {
        let at = number(at);
        let path = match *constraint {
            Constraint::Chained(..) => continue,
            Constraint::Ordered(_, _, other) => other,
            Constraint::Unordered { at, .. } => at,
        };
        // A constraint of a tuple applies to each of its systems.
        let is_repeated = last.is_some_and(|last| core::ptr::eq(last, path));
        if is_repeated && matches!(constraint, Constraint::Ordered(..)) {
            continue;
        }
        last = Some(path);
        let link = quote!(#consts::SYSTEMS, &#consts::LINKS[#at]);
        checks.push(call(ends(path).0, quote!(#private::refuse_unknown), link));
        if let Constraint::Unordered { .. } = constraint {
            let lists = quote!(#consts::SYSTEMS, #consts::ASKED, #consts::CONDITIONS, &#consts::LINKS[#at],);
            checks.push(call(ends(path).0, quote!(#private::refuse_waived), lists));
        }
    }
    let count = number(list.systems.len());
    if !list.constraints.is_empty() {
        let function = quote!(#private::refuse_cycle::<#count>);
        let lists = quote!(#consts::SYSTEMS, #consts::LINKS);
        checks.push(call(name.span(), function, lists));
    }
    checks
}

/// Returns expressions that fail to compile if the list cannot be deterministic, each with the span of a system.
fn determinism_checks(code: &Code<'_>) -> Vec<TokenStream> {
    let (list, consts, private) = (code.list, code.consts, code.private);
    let systems = to_vec(list.systems.iter().map(|system| system.path));
    let mut checks = Vec::new();
    let conditions = &list.conditions;
    for (all, function, paths) in [
        ("SYSTEMS", "refuse_undetermined", &systems),
        ("CONDITIONS", "refuse_undetermined_condition", conditions),
    ] {
        let (all, function) = (hidden(all), hidden(function));
        for (position, path) in paths.iter().enumerate() {
            let (at, position) = (ends(path).0, number(position));
            let place = quote!(#consts::#all, #position);
            checks.push(call(at, quote!(#private::#function), place));
        }
    }
    checks
}

/// Returns a call whose errors are shown at `span`.
///
/// Only the parentheses have that span: editors explain each name at the place of the user's name.
fn call(span: Span, function: TokenStream, arguments: TokenStream) -> TokenStream {
    quote_spanned!(span=> (#function)(#arguments))
}

/// Returns a reference to the function, with the spans of the user's path.
pub(super) fn reference(path: &TokenStream) -> TokenStream {
    quote_spanned!(ends(path).0=> &#path)
}

/// Returns the method call that adds an entry of the list to a schedule.
fn add(entry: &ListEntry, code: &Code<'_>) -> TokenStream {
    let target = |other| target(other, code);
    match entry {
        ListEntry::Unordered(one, other) => {
            let (one, other) = (target(one), target(other));
            quote!(.unordered(#one, #other))
        }
        ListEntry::ChainSets(sets) => quote!(.chain_sets([#(#sets),*])),
        ListEntry::Configure(set, modifiers) => {
            let calls = modifiers.iter().map(|modifier| call_of(modifier, code));
            let calls = calls.map(|(method, argument)| quote!(.#method(#argument)));
            quote!(.configure(#set, |__set| __set #(#calls)*))
        }
        ListEntry::Systems(systems, modifiers) => {
            let systems = configured(systems, modifiers, code);
            quote!(.add(#systems))
        }
    }
}

/// Returns a statement that fails if two sets that are written differently are the same one.
fn distinct(list: &FlatList<'_>, private: &TokenList) -> Option<TokenStream> {
    let sets = to_vec(list.sets.all());
    let texts = sets.iter().map(|set| text(&pretty::line(set)));
    let distinct = quote!(#private::DistinctSets::default() #(.and(#sets, #texts))*.end(););
    (sets.len() > 1).then_some(distinct)
}

/// Returns the target of a constraint.
fn target(other: &TokenStream, code: &Code<'_>) -> TokenStream {
    if code.list.sets.find(other).is_some() {
        return other.clone();
    }
    // A function that is not a system is reported once, in the list.
    let system = match code.list.position(other) {
        Some(index) => code.listed("SYSTEMS", index),
        None => code.by_path(other),
    };
    quote!(#system.source())
}

fn configured(systems: &Systems, modifiers: &[Modifier], code: &Code<'_>) -> TokenStream {
    let private = code.private;
    let systems = match systems {
        Systems::One(path) => target(path, code),
        Systems::Tuple(entries) => {
            let members = entries.iter().map(|entry| match entry {
                ListEntry::Systems(systems, modifiers) => configured(systems, modifiers, code),
                // In no tuple.
                _ => TokenStream::new(),
            });
            quote!((#(#members,)*))
        }
    };
    modifiers.iter().fold(systems, |configured, modifier| {
        let (method, argument) = call_of(modifier, code);
        let argument = argument.into_iter();
        quote!(#private::IntoConfigs::#method(#configured #(, #argument)*))
    })
}

/// Returns the method that configures a system or a set, and its argument.
fn call_of(modifier: &Modifier, code: &Code<'_>) -> (Ident, Option<TokenStream>) {
    match modifier {
        Modifier::Ordered(word, other) => (hidden(&word.to_string()), Some(target(other, code))),
        Modifier::InSet(set) => (hidden("in_set"), Some(set.clone())),
        Modifier::RunIf(condition) => (hidden("run_if"), Some(condition.expression(code))),
        Modifier::Chain => (hidden("chain"), None),
    }
}
