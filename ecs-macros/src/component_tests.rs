use crate::tokens::{check, code_of};

#[test]
fn a_plain_type_gets_an_exact_identity_and_a_slot() {
    let parts = "
        struct Position(f32);
            identity ! (\"::Position\"
            static SLOT
            ! STORAGE
        struct Tag<T: Clone>(T) where T: Copy;
            with_argument
            ! static SLOT
            T : Copy , Self :";
    check(code_of(super::expand), parts);
}

#[test]
fn hooks_and_requirements_become_constants() {
    let parts = "
        #[component(on_add = Self::joined, on_remove = crate::left)] struct Player;
            NONE . on_add (Self :: joined) . on_remove (crate :: left)
        #[component(require(Position, a::Speed<u8> = a::Speed(3)), require(Size))] struct Player;
            Required :: of_default :: < Position >
            Required :: of :: < a :: Speed < u8 > > (|| a :: Speed (3))
            Required :: of_default :: < Size >
            ! compile_error";
    check(code_of(super::expand), parts);
}

#[test]
fn a_name_is_for_messages_and_the_location_stays_the_identity() {
    let parts = r#"
        #[component(name = "game.player")] struct Player;
            . called ("game.player")
            identity ! ("::Player""#;
    check(code_of(super::expand), parts);
    for name in ["", "two words", r"line\n", "`a`"] {
        let item = format!("#[component(name = \"{name}\")] struct Player;");
        let parts = format!("{item}\n =1 compile_error\n ! called");
        check(code_of(super::expand), &parts);
    }
}

#[test]
fn the_documentation_of_the_impl_says_what_the_options_say() {
    let parts = r#"
        #[component(storage = "sparse", track, on_add = Self::joined, require(Position, a::Speed = f()))] struct Player;
            Stored in a sparse set. Changes are tracked.\n# Required components\n* `Position`\n* `a::Speed`\n\n# Hooks\n* `on_add`: `Self::joined`\n
        #[component(disables, toggle)] struct Asleep;
            "Stored in tables. Changes are tracked. Loops leave out entities with it. Can be turned off without being removed."
        #[component(storage = "sparse", immediate)] struct Fast;
            "Stored in a sparse set. Views insert and remove it at once."
        struct Plain;
            "Stored in tables.""#;
    check(code_of(super::expand), parts);
}

#[test]
fn all_errors_are_reported_at_once() {
    let parts = r#"
        #[component(storage = "heap")] #[component(colour = 1)] #[component(on_add = f, on_add = g)] struct Name<'a>(&'a str);
            =4 compile_error
            duplicate option `on_add`
            unknown value `heap` of `storage`
            unknown option `colour`
            lifetime `'a`"#;
    check(code_of(super::expand), parts);
}
