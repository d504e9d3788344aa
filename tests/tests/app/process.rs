//! A process exits with the code of its app.

use std::process::{Command, Output};

fn run(how: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_app_exit"));
    command.arg(how).env("RUST_BACKTRACE", "0");
    command.output().expect("the program starts")
}

/// Asserts the exit code, and that both outputs contain the texts.
#[track_caller]
fn check(how: &str, code: i32, out: &str, err: &str) {
    let output = run(how);
    let texts = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(output.status.code(), Some(code), "{how}: {texts:?}");
    assert!(texts[0].contains(out), "{how}: {texts:?}");
    assert!(texts[1].contains(err), "{how}: {texts:?}");
    assert!(!err.is_empty() || texts[1].is_empty(), "{how}: {texts:?}");
}

#[test]
fn an_app_that_ends_as_planned_succeeds() {
    check("success", 0, "the third frame", "");
}

#[test]
fn a_code_that_a_system_asks_for_is_that_of_the_process() {
    check("code", 42, "", "");
}

#[test]
fn an_error_is_printed_with_its_path_and_fails_the_process() {
    check(
        "error",
        1,
        "",
        "error: in `FixedUpdate`: system `app_exit::fails` failed: no luck",
    );
    let startup = run("startup");
    assert_eq!(startup.status.code(), Some(1));
    assert!(startup.stdout.is_empty());
}

#[test]
fn a_logged_error_is_printed_each_time_and_fails_nothing() {
    check("log", 0, "the third frame", "no luck");
    let lines = String::from_utf8(run("log").stderr).unwrap();
    assert_eq!(lines.lines().count(), 3);
}

#[test]
fn a_panic_ends_the_process_as_any_does() {
    check(
        "panic policy",
        101,
        "",
        "system `app_exit::fails` failed: no luck",
    );
    check("panic", 101, "", "out of cheese");
}

#[test]
fn a_function_decides() {
    check(
        "go on",
        0,
        "called with: system `app_exit::fails` failed: no luck",
        "",
    );
    assert_eq!(run("give up").status.code(), Some(1));
}

#[test]
fn an_app_that_cannot_be_built_says_why() {
    check(
        "unbuilt",
        1,
        "",
        "error: the app has no schedule `\"nowhere\"`, which is named at ",
    );
}

#[test]
fn a_runner_decides_how_the_app_ends() {
    check("runner", 9, "", "");
}
