use super::*;

#[test]
fn types_of_the_library_have_no_path_and_others_keep_theirs() {
    for (name, expected) in [
        (
            "ecs_engine::schedule::State<game::Screen>",
            "State<game::Screen>",
        ),
        (
            "(ecs_engine::a::A, alloc::vec::Vec<ecs_engine::b::c::C<u8>>, &mut game::D)",
            "(A, alloc::vec::Vec<C<u8>>, &mut game::D)",
        ),
        ("ecs_app::time::Time", "Time"),
        ("my_ecs_engine::A", "my_ecs_engine::A"),
        ("game::ecs_engine::A", "game::ecs_engine::A"),
        ("[u8; 3]", "[u8; 3]"),
        ("ecs_engine::a::measure::{{closure}}", "measure"),
        (
            "game::tick<ecs_engine::A>::{{closure}}",
            "game::tick<A>::{{closure}}",
        ),
        ("", ""),
    ] {
        assert_eq!(without_engine(name), expected);
    }
}

#[test]
fn types_of_the_standard_library_have_no_path_if_wanted() {
    let name = "alloc::vec::Vec<game::std::A, core::option::Option<alloc::string::String>>";
    let expected = "Vec<game::std::A, Option<String>>";
    assert_eq!(without_standard(name), expected);
    assert_eq!(without_standard("game::alloc::A"), "game::alloc::A");
}

#[test]
fn a_path_becomes_a_name_of_data() {
    for (path, name) in [
        ("game::combat::HitPoints", "game.hit_points"),
        ("game::ui::List2D<game::A>", "game.list2_d"),
        ("game::HTTP", "game.http"),
        ("Score", "Score"),
        ("game.texture", "game.texture"),
    ] {
        assert_eq!(data_name(path), name);
    }
}

#[test]
fn a_name_is_kept_once() {
    let name = "ecs_engine::A";
    assert!(core::ptr::eq(without_engine(name), without_engine(name)));
}
