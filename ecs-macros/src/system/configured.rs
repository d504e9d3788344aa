//! Functions whose parameters have `#[cfg]`: they become one system for each combination of present parameters.

use super::parse::Function;
use crate::attributes::{condition, predicates};
use crate::prelude::*;

/// Returns the function once for each combination of its parameters, each with its own `#[cfg]`: the first one has all
/// parameters.
pub(super) fn combinations(function: Function) -> Vec<Function> {
    let (mut all, mut open) = (Vec::new(), vec![function]);
    while let Some(mut with) = open.pop() {
        let mut inputs = with.inputs.iter();
        let Some(condition) = inputs.find_map(|input| condition(&input.attrs)) else {
            all.push(with);
            continue;
        };
        let mut without = with.clone();
        let text = condition.to_string();
        let is_that = |attrs: &[Attribute]| {
            self::condition(attrs).is_some_and(|that| that.to_string() == text)
        };
        without.inputs.retain(|input| !is_that(&input.attrs));
        for input in &mut with.inputs {
            if is_that(&input.attrs) {
                (input.attrs).retain(|attribute| predicates(attribute).is_empty());
            }
        }
        with.attrs.push(parse_quote!(#[cfg(#condition)]));
        without.attrs.push(parse_quote!(#[cfg(not(#condition))]));
        open.extend([without, with]);
    }
    all
}
