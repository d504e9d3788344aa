use proc_macro2::TokenStream;

use super::expand;
use crate::tokens::{has, has_no, parsed};

fn expanded(item: TokenStream) -> String {
    expand(item).unwrap().to_string()
}

#[test]
fn lifetimes_become_one_in_the_item_and_static_elsewhere() {
    let code = expanded(parsed(
        "struct Phys<'w, 's, T: Component> { all: Comp<'w, T>, calls: Local<'s, u32>}",
    ));
    has(&code, "= Phys < '__g , '__g , T >");
    has(
        &code,
        "< Phys < 'static , 'static , T > as __Fields > :: List as",
    );
    has(&code, "\"calls: Local<'s, u32>\"");
}

#[test]
fn state_and_guard_keep_field_types_private() {
    let code = expanded(parsed("pub struct Phys<'w>(Comp<'w, A>);"));
    has(&code, "pub struct __PhysState (");
    has(&code, "pub struct __PhysGuard < '__w > (");
    has(&code, "type State = __PhysState ;");
}

#[test]
fn the_documentation_of_the_impl_lists_the_accesses() {
    let code = expanded(quote!(
        struct Clock<'w, T> {
            time: Res<'w, Time>,
            bodies: Query<'w, &'w mut Body, With<Alive>>,
            other: Option<Other<'w>>,
            of: PhantomData<T>,
        }
    ));
    for line in [
        "* `time` reads the resource [`Time`]",
        "* `bodies` visits entities: writes [`Body`], with [`Alive`]",
        "* `other` borrows what [`Other`]`<'w>` lists if there is one",
    ] {
        has(&code, line);
    }
    has_no(&code, "* `of`");
}
