//! `#[derive(Resource)]`.

use crate::data::{self, Described};
use crate::derive::Derived;
use crate::options::{Table, WRITTEN_BY};
use crate::prelude::*;

pub(crate) const OPTIONS: Table = &[&[WRITTEN_BY], &data::OPTIONS];

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut derived = Derived::parse(input, "resource", OPTIONS)?;
    derived.reject_lifetimes("resource");
    derived.reject_rc("resource");
    let data = Described::of("resource", &mut derived);
    let data = data.map(|data| data.expand(&derived));
    let name = derived.text("data").cloned();
    let (identity, place) = derived.identity("IDENTITY", name.as_ref(), data.as_ref());
    let implementation = derived.implement("Resource", &identity);
    Ok(derived.finish(&quote!(#place #implementation)))
}
