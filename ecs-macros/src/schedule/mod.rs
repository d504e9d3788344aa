//! `schedule!`.

mod condition;
mod docs;
mod expand;
mod model;
pub(crate) mod parse;
mod sets;
#[cfg(test)]
mod tests;

use crate::prelude::*;

/// Expands `[$crate] pub static FRAME = [input, movement.after(input)]`, once or several times.
pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut errors = Errors::default();
    let parser = |input: syn::parse::ParseStream<'_>| parse::schedules(input, &mut errors);
    let (root, schedules) = parser.parse2(input)?;
    let mut code = TokenStream::new();
    for schedule in &schedules {
        let list = model::FlatList::new(&schedule.entries);
        if list.errors.is_empty() {
            code.extend(expand::expand(schedule, &list, &root));
        } else if schedule.cfgs().is_empty() {
            errors.append(list.errors);
        } else {
            code.extend(list.errors.into_tokens_if(&schedule.cfgs()));
        }
    }
    match errors.is_empty() {
        true => Ok(code),
        false => Ok(errors.into_tokens()),
    }
}
