use crate::tokens::{check, code_of};

#[test]
fn lifetimes_become_one_in_the_item_and_static_elsewhere() {
    let parts = r#"
        struct Phys<'w, 's, T: Component> { all: Comp<'w, T>, calls: Local<'s, u32>}
            = Phys < '__g , '__g , T >
            < Phys < 'static , 'static , T > as :: ecs_core :: __private :: StructOfParams > :: Fields as
            "calls: Local<'s, u32>""#;
    check(code_of(super::expand), parts);
}

#[test]
fn the_documentation_of_the_impl_lists_the_accesses() {
    let parts = r"
        struct Clock<'w, T> { time: Res<'w, Time>, bodies: Query<'w, &'w mut Body, With<Alive>>, other: Option<Other<'w>>, of: PhantomData<T> }
            * `time` reads the resource [`Time`]
            * `bodies` visits entities: writes [`Body`], with [`Alive`]
            * `other` borrows the data that [`Other`]`<'w>` lists if there is one
            ! * `of`";
    check(code_of(super::expand), parts);
}
