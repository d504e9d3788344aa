//! Tests of the command line of `ecs-bench`.

use std::time::Duration;

use ecs_benches::options::Options;
use ecs_benches::peers::Peer;

fn parse(arguments: &[&str]) -> Result<Options, String> {
    Options::parse(arguments.iter().map(|&argument| argument.to_owned()))
}

#[test]
fn no_arguments_measure_everything() {
    let options = parse(&[]).expect("nothing to refuse");
    assert_eq!(options, Options::default());
    assert!(options.wants("churn"));
}

#[test]
fn a_filter_keeps_names_that_contain_it() {
    let options = parse(&["--filter", "iter"]).expect("a known argument");
    assert!(options.wants("iter_10k") && options.wants("frag_iter"));
    assert!(!options.wants("churn"));
}

#[test]
fn rounds_and_file_are_taken() {
    let options = parse(&["--rounds", "7", "--csv", "out.csv"]).expect("known arguments");
    assert_eq!(options.rounds, 7);
    assert_eq!(options.csv, Some("out.csv".into()));
}

#[test]
fn peers_are_chosen_by_name_and_the_limit_stays() {
    let options = parse(&["--peers", "ours"]).expect("it is always built");
    assert!(options.wants_peer(Peer::Ours) && options.wants_peer(Peer::Limit));
    assert!(!options.wants_peer(Peer::Hecs));
}

#[test]
fn a_child_gets_its_task() {
    let arguments = ["--child", "iter_10k", "ours", "for", "5000000", "0"];
    let task = parse(&arguments).expect("a task").child.expect("a task");
    assert_eq!(
        (task.workload.as_str(), task.form.as_str()),
        ("iter_10k", "for")
    );
    assert_eq!((task.batch, task.runs), (Duration::from_millis(5), None));
}

#[test]
fn quick_is_short() {
    let options = parse(&["--quick"]).expect("a known argument");
    assert!(options.rounds < 10 && options.batch <= Duration::from_millis(1));
}

#[test]
fn growth_has_fewer_rounds_and_libraries_unless_they_are_given() {
    let options = parse(&["--growth"]).expect("a known argument");
    assert!(options.rounds < Options::default().rounds);
    assert!(options.wants_peer(Peer::Hecs) && !options.wants_peer(Peer::Specs));
    let options =
        parse(&["--rounds", "24", "--peers", "ours", "--growth"]).expect("known arguments");
    assert_eq!((options.rounds, options.peers), (24, vec![Peer::Ours]));
}

#[test]
fn wrong_arguments_are_named() {
    for (arguments, named) in [
        (&["--fast"][..], "`--fast`"),
        (&["--rounds"], "`--rounds` needs a value"),
        (&["--rounds", "0"], "`--rounds 0`"),
        (&["--peers", "unity"], "unknown peer `unity`"),
        (&["--child", "iter_10k"], "`--child` takes"),
        (&["--rounds", "many"], "`--rounds many`"),
    ] {
        let message = parse(arguments).expect_err("wrong");
        assert!(message.contains(named), "{message}");
    }
}
