use proc_macro2::TokenStream;

use super::expand;
use crate::tokens::parsed;

fn expanded(item: TokenStream) -> String {
    expand(item).unwrap().to_string()
}

#[test]
fn lifetimes_become_one_in_the_item_and_static_elsewhere() {
    let code = expanded(parsed(
        "struct Phys<'w, 's, T: Component> { all: Comp<'w, T>, calls: Local<'s, u32>}",
    ));
    assert!(code.contains("= Phys < '__g , '__g , T >"), "{code}");
    assert!(
        code.contains("< Phys < 'static , 'static , T > as __Fields > :: List as"),
        "{code}"
    );
    assert!(code.contains("\"calls: Local<'s, u32>\""), "{code}");
}

#[test]
fn state_and_guard_keep_field_types_private() {
    let code = expanded(parsed("pub struct Phys<'w>(Comp<'w, A>);"));
    assert!(code.contains("pub struct __PhysState ("), "{code}");
    assert!(code.contains("pub struct __PhysGuard < '__w > ("), "{code}");
    assert!(code.contains("type State = __PhysState ;"), "{code}");
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
        assert!(code.contains(line), "{line}: {code}");
    }
    assert!(!code.contains("* `of`"), "{code}");
}
