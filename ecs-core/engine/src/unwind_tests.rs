use std::env;
use std::process::Command;

use super::aborting;

/// Set in the process that is to end.
const ENDS: &str = "ECS_ENGINE_TEST_ENDS";

#[test]
#[cfg_attr(miri, ignore = "starts a process")]
fn a_panic_that_cannot_be_caught_ends_the_program() {
    if env::var_os(ENDS).is_some() {
        // A test that fails would end with 101, and one that goes on with 0.
        let _ = std::panic::catch_unwind(|| aborting::catch_unwind(|| panic!("by the user")));
        return;
    }
    let mut again = Command::new(env::current_exe().unwrap());
    let name = "unwind::tests::a_panic_that_cannot_be_caught_ends_the_program";
    let again = again.args(["--exact", name]).env(ENDS, "1").output();
    let status = again.unwrap().status;
    assert!(!status.success() && status.code() != Some(101), "{status}");
    assert_eq!(aborting::catch_unwind(|| 5).ok(), Some(5));
}
