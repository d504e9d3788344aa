//! `schedule!`.

mod condition;
mod docs;
mod expand;
mod model;
mod parse;
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
        let mut own = Errors::default();
        let list = model::FlatList::new(&schedule.entries, &mut own);
        if own.is_empty() {
            code.extend(expand::expand(schedule, &list, &root));
        } else if schedule.cfgs().is_empty() {
            errors.append(own);
        } else {
            code.extend(own.into_tokens_if(&schedule.cfgs()));
        }
    }
    let is_correct = errors.is_empty();
    Ok(if is_correct {
        code
    } else {
        errors.into_tokens()
    })
}
