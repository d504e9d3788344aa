use super::*;

const OLD: &str = "# comment\n\ngame::fall\n    reads resource f32\n    writes component game::Position\n\ngame::jump\n";

#[test]
fn equal_texts_have_no_differences_whatever_their_order_and_line_ends() {
    let sorted = "game::jump\r\n\r\ngame::fall\r\n    writes component game::Position\r\n    reads resource f32\r\n";
    assert_eq!(differences(OLD, sorted), "");
}

#[test]
fn each_difference_is_a_line_below_its_system() {
    let new = "game::fall\n    reads resource f32\n    reads component game::Position\n\ngame::land\n    reads resource u8\n";
    assert_eq!(
        differences(OLD, new),
        "  game::fall\n+     reads component game::Position\n-     writes component game::Position\n- game::jump\n+ game::land\n+     reads resource u8\n"
    );
}

#[test]
fn a_system_that_was_added_a_second_time_is_a_difference() {
    let new = format!("{OLD}game::jump\n");
    assert_eq!(differences(OLD, &new), "+ game::jump\n");
}

#[test]
fn a_file_is_written_only_if_asked_and_a_missing_one_is_an_error() {
    let path = std::env::temp_dir().join(format!("access-{}.lock", std::process::id()));
    let missing = compare_or_write(&path, OLD, false).unwrap_err();
    assert!(
        missing.contains("help: run the test with ACCESS_LOCK=write"),
        "{missing}"
    );
    compare_or_write(&path, OLD, true).unwrap();
    compare_or_write(&path, OLD, false).unwrap();
    let changed = compare_or_write(&path, "game::jump\n", false).unwrap_err();
    assert!(
        changed.contains("- game::fall\n-     reads resource f32\n"),
        "{changed}"
    );
    std::fs::remove_file(&path).unwrap();
}
