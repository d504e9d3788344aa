//! What the function-like macros are given first: where `ecs-core` is.

use proc_macro2::Delimiter;

use crate::errors::Result;
use crate::paths::Root;
use crate::syntax::Input;

/// Reads `[$crate]`, which the `macro_rules!` around each function-like macro puts before what the user wrote: the one
/// path that is right under every name and through every re-export.
pub(crate) fn read(input: &mut Input) -> Result<Root> {
    Ok(Root::Chosen(input.group(Delimiter::Bracket)?.stream()))
}
