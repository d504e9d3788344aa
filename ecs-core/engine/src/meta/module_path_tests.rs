use super::{is_in_module, is_module};

#[test]
fn a_module_is_a_path_that_begins_with_a_crate() {
    for path in ["game", "game::physics", "_a1::b_2", "crates::selfish"] {
        assert!(is_module(path), "{path}");
    }
    for path in [
        "", "::game", "game::", "game:a", "1a", "a b", "a<b>", "crate", "crate::a", "self::a",
        "super::a",
    ] {
        assert!(!is_module(path), "{path}");
    }
}

#[test]
fn a_path_is_in_its_modules_and_in_no_others() {
    for path in [
        "game::physics::fall",
        "<game::physics::Rules as Plugin>::build::{{closure}}",
    ] {
        for module in ["game", "game::physics"] {
            assert!(is_in_module(path, module), "{path} {module}");
        }
        for module in [
            "",
            "physics",
            "game::phys",
            "game::physics::fall",
            "game::physics2",
            "ame",
        ] {
            assert!(!is_in_module(path, module), "{path} {module}");
        }
    }
    assert!(!is_in_module("game::physics2::fall", "game::physics"));
    assert!(!is_in_module("", "game"));
}
