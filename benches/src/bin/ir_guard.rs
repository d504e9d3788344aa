//! `ir_guard`: counts the instructions of our hot loops under valgrind and fails when one exceeds its budget.
//!
//! Time on a shared machine drifts by tens of percent. Instruction counts do not, so this can run after each change and
//! detects when the optimiser stops vectorising a loop. Run it through `ir-guard.sh`.
//!
//! * `ir_guard` checks all budgets.
//! * `ir_guard run WHO WORKLOAD FORM RUNS` does the counted work; use it to profile one loop.

use std::env;
use std::fmt;
use std::process::{Command, ExitCode};

use ecs_benches::kind;
use ecs_benches::peers::Peer;
use ecs_benches::shapes;
use ecs_benches::subject::Workload;

/// A loop and its budget of instructions.
struct Budget {
    who: &'static str,
    workload: &'static str,
    form: &'static str,
    /// The largest number of instructions per element that passes the check.
    most: f64,
    /// The count when the budget was set.
    recorded: f64,
}

/// The budgets for baseline x86-64 (SSE2) in the release profile of this workspace, with Rust 1.95.
///
/// A budget is about 15 % above the recorded count, which allows for another compiler version but not for a lost
/// optimisation; the loops over three floats have bounds of their own (`for_each` below 4.5, `for` at most 14,
/// `view.get` at most 30).
///
/// The program has the same loops over the same types several times, like users' programs: a loop that is inlined only
/// because it is the only one does not pass.
///
/// The hand-written loops come first: when they exceed their budgets as well, the compiler has changed, not the engine.
#[rustfmt::skip]
const BUDGETS: &[Budget] = &[
    budget("limit", "iter_10k", "blocks of 8", 3.4, 5.0),
    budget("limit", "iter_10k", "plain loop", 9.0, 14.0),
    budget("ours", "iter_10k", "for_each", 3.5, 4.5),
    budget("ours", "iter_10k", "query for_each", 3.5, 4.5),
    budget("ours", "iter_10k", "chunks", 9.0, 14.0),
    budget("ours", "iter_10k", "for", 12.0, 14.0),
    budget("ours", "iter_10k", "query for", 12.0, 14.0),
    budget("ours", "iter_10k", "sparse for_each", 23.1, 26.6),
    budget("ours", "frag_iter", "for_each", 2.5, 3.0),
    budget("ours", "frag_iter", "for", 7.5, 8.6),
    budget("ours", "frag_iter", "sparse for_each", 1.0, 1.5),
    budget("ours", "frag_deep", "for_each", 4.0, 4.7),
    budget("ours", "frag_deep", "for", 12.5, 14.5),
    budget("ours", "spawn_batch", "spawn_batch", 39.1, 45.0),
    budget("ours", "spawn_one", "spawn", 192.0, 221.0),
    budget("ours", "spawn_one", "one sparse, spawn", 387.9, 446.0),
    budget("ours", "commands", "spawn", 312.0, 359.0),
    budget("ours", "add_remove", "sparse", 111.5, 128.0),
    budget("ours", "add_remove", "table", 568.5, 654.0),
    budget("ours", "add_remove_wide", "sparse", 111.5, 128.0),
    budget("ours", "add_remove_wide", "table", 1200.5, 1381.0),
    budget("ours", "churn", "despawn, spawn", 395.0, 454.0),
    budget("ours", "churn_batch", "despawn, spawn_batch", 290.1, 334.0),
    budget("ours", "churn_batch", "despawn_batch, spawn_batch", 213.2, 245.0),
    budget("ours", "get_random", "view.get", 26.0, 30.0),
    budget("ours", "get_random", "query.get", 37.0, 43.0),
    budget("ours", "links", "for_each, view.get", 98.8, 114.0),
    budget("limit", "sort_rows", "columns, gathered", 226.6, 261.0),
    budget("ours", "sort_rows", "sort_rows_by_key", 244.6, 281.0),
    // More instructions than with a branch for each group of rows, which was mispredicted: a quarter less time.
    budget("ours", "changed_sparse", "system, Changed", 168.0, 193.0),
    budget("ours", "changed_sparse", "sparse, system, Changed", 167.0, 192.0),
    budget("ours", "one_and_rest", "for_each_with_rest", 11.5, 13.2),
    budget("ours", "one_and_rest", "for_each_pair", 13.5, 15.5),
    budget("limit", "float_1", "plain loop", 1.1, 1.5),
    budget("ours", "float_1", "for", 6.0, 7.0),
    budget("ours", "float_1", "chunks", 1.1, 1.5),
    budget("ours", "float_1", "for_each", 0.9, 1.2),
    budget("limit", "float_2", "plain loop", 1.4, 1.8),
    budget("ours", "float_2", "for", 6.0, 7.0),
    budget("limit", "float_4", "plain loop", 2.4, 3.0),
    budget("ours", "float_4", "for", 8.0, 9.2),
    budget("limit", "float_8", "plain loop", 4.8, 5.6),
    budget("ours", "float_8", "for", 14.1, 16.2),
    budget("limit", "float_option", "plain loop", 1.4, 1.8),
    budget("ours", "float_option", "for", 9.0, 10.4),
    budget("limit", "float_entity", "plain loop", 3.8, 4.5),
    budget("ours", "float_entity", "for", 7.0, 8.1),
    budget("limit", "float_tracked", "plain loop", 2.0, 2.5),
    budget("ours", "float_tracked", "for", 7.0, 8.1),
    budget("ours", "float_exclude", "for_each", 16.5, 19.0),
    budget("ours", "tree_up", "get", 56.0, 64.4),
    budget("ours", "tree_up", "Up", 50.1, 57.6),
    budget("ours", "empty_tables", "for_each", 244.0, 281.0),
    budget("ours", "get_exclusive", "world.get_mut", 35.0, 40.2),
    budget("ours", "get_random", "world.get", 42.0, 48.3),
    budget("ours", "get_random", "read_only, get", 37.0, 42.6),
    budget("ours", "schedule", "run_seq", 1.2, 1.5),
    budget("ours", "sched_seq", "run_seq", 115.0, 132.0),
    budget("ours", "sched_seq", "schedule!", 116.0, 133.0),
    budget("ours", "waves", "despawn, spawn", 344.0, 396.0),
    budget("ours", "waves_batch", "despawn_batch, spawn_batch", 213.2, 245.0),
    budget("ours", "kinds_0", "sparse components", 212.2, 244.0),
    budget("ours", "kinds_100", "sparse components", 212.3, 244.0),
    budget("ours", "kinds_0", "sparse components, insert, remove", 658.0, 757.0),
    budget("ours", "kinds_1000", "sparse components, insert, remove", 750.6, 863.0),
    budget("ours", "kinds_1000", "relations", 212.2, 244.0),
    budget("limit", "sched_tiny", "calls", 28.4, 32.7),
    budget("ours", "sched_tiny", "run_seq", 96.1, 110.5),
    budget("ours", "sched_tiny", "schedule!", 97.0, 111.6),
    budget("ours", "sched_tiny", "App, 10 systems a plugin", 97.7, 112.3),
    budget("ours", "app_frame", "update_by", 726.0, 835.0),
    budget("ours", "inspected_frame", "no inspector", 744.0, 856.0),
    budget("ours", "inspected_frame", "attached, idle", 750.0, 866.0),
    // An answer to a page that watches a million entities, and its part in a frame, which has 320 microseconds: the
    // server leaves JSON to other threads.
    budget("ours", "watched_page", "watch", 1_051_633.0, 1_210_000.0),
    budget("ours", "watched_page", "watch, between frames", 622_666.0, 716_000.0),
    budget("ours", "app_recorded", "not recorded", 882.2, 1014.0),
    budget("ours", "app_recorded", "frame lengths", 1376.5, 1583.0),
    budget("ours", "app_recorded", "a key a frame", 2892.5, 3326.0),
    // One hundredth of a 60 Hz frame are about 500,000: a part of the world is hashed after each.
    budget("ours", "recorded_world", "not recorded", 351_169.0, 404_000.0),
    budget("ours", "recorded_world", "hash_at_most(8192)", 822_224.0, 946_000.0),
    budget("ours", "recorded_world", "hash_every(1)", 29_987_000.0, 34_500_000.0),
    budget("ours", "sparse_join2", "for_each", 23.2, 26.7),
    budget("ours", "sparse_join2", "for", 32.1, 37.0),
    budget("ours", "sparse_join3", "for_each", 55.2, 63.5),
    budget("ours", "rare_join", "table query_mut", 48.0, 55.2),
    budget("ours", "rare_join", "sparse query_mut", 75.0, 86.3),
    budget("ours", "clone_1k", "clone_entity", 1491.0, 1715.0),
    budget("ours", "clone_1k", "clone_entity, children of one", 4296.0, 4940.0),
    budget("ours", "for_2", "tracked, for", 13.0, 14.9),
    budget("ours", "for_2", "Entity, query for", 13.0, 14.9),
    budget("limit", "for_8", "for", 31.0, 35.6),
    budget("ours", "for_8", "for", 33.0, 38.0),
    budget("ours", "for_option", "for", 17.0, 19.6),
    budget("ours", "text_query", "condition", 56.7, 65.2),
    budget("ours", "text_query", "text ==", 51.4, 59.1),
    budget("ours", "text_query", "text ~", 143.3, 164.8),
    budget("ours", "text_query", "text ~ of a long name", 207.5, 238.6),
    budget("ours", "text_query", "list element", 112.0, 128.8),
    budget("ours", "text_query", "map key", 149.8, 172.3),
    budget("ours", "text_query", "option", 59.5, 68.4),
    budget("ours", "text_query", "id", 87.9, 101.1),
    budget("ours", "text_query", "variant", 75.6, 86.9),
    budget("ours", "text_query", "field of a variant", 64.2, 73.8),
    budget("ours", "text_query", "sparse and table", 56.1, 64.5),
    budget("ours", "get_by_name", "get_by_name", 2947.0, 3389.0),
    budget("ours", "json_save", "to_vec", 6861.8, 7891.0),
    budget("ours", "json_load", "deserialize", 8345.4, 9597.0),
    budget("limit", "value_json", "serde", 687.6, 791.0),
    budget("ours", "value_json", "encoder", 1212.7, 1376.0),
    budget("limit", "value_json", "text, serde", 172.0, 198.0),
    budget("ours", "value_json", "text, encoder", 263.3, 302.8),
    budget("limit", "value_json", "u32, serde", 68.5, 78.8),
    budget("ours", "value_json", "u32, encoder", 131.7, 151.5),
    budget("limit", "value_json", "bool, serde", 13.6, 15.6),
    budget("ours", "value_json", "bool, encoder", 77.8, 89.5),
    budget("limit", "value_json", "f32, serde", 197.7, 227.4),
    budget("ours", "value_json", "f32, encoder", 326.7, 375.7),
    budget("limit", "value_json", "unit, serde", 11.1, 12.8),
    budget("ours", "value_json", "unit, encoder", 74.3, 85.4),
    budget("limit", "value_json", "option, serde", 49.3, 56.7),
    budget("ours", "value_json", "option, encoder", 108.0, 124.2),
    budget("limit", "value_json", "enum, serde", 209.4, 240.8),
    budget("ours", "value_json", "enum, encoder", 516.5, 594.0),
    budget("ours", "travel", "take_rows, put_rows", 465.5, 535.0),
    budget("ours", "snapshot_plain", "take", 15.4, 17.7),
    budget("ours", "snapshot_plain", "to_bytes", 40.3, 46.3),
    budget("ours", "snapshot_plain", "read_bytes", 77.5, 89.1),
    budget("ours", "snapshot_transform", "take", 23.4, 26.9),
    budget("ours", "snapshot_transform", "to_bytes", 66.5, 76.5),
    budget("ours", "snapshot_transform", "read_bytes", 83.5, 96.0),
    budget("ours", "snapshot_mind", "take", 27.5, 31.6),
    budget("ours", "snapshot_mind", "to_bytes", 85.5, 98.3),
    budget("ours", "snapshot_mind", "read_bytes", 128.8, 148.1),
    budget("ours", "hash_flat", "hash", 217.6, 250.2),
    budget("ours", "hash_rich", "hash", 2244.2, 2580.8),
];

/// Two forms of a workload, and how much the second one may cost: a budget of its own would let more pass.
struct Comparison {
    workload: &'static str,
    less: &'static str,
    more: &'static str,
    most: Most,
}

enum Most {
    /// Instructions per element that it may cost more.
    More(f64),
    /// Times the instructions of the first one.
    Times(f64),
}

#[rustfmt::skip]
const COMPARISONS: &[Comparison] = &[
    // An inspector without requests.
    compare("inspected_frame", "no inspector", "attached, idle", Most::More(10.0)),
    // A recorder that writes a frame like the one before. 42 of its instructions note which hook is called, and catch panics
    // of hooks, to report them.
    compare("app_recorded", "not recorded", "frame lengths", Most::More(560.0)),
    // A recorder that hashes a part of 100,000 entities, which all change: one hundredth of a frame.
    compare("recorded_world", "not recorded", "hash_at_most(8192)", Most::More(500_000.0)),
    // Values as JSON, and serde_json with their types. Two calls cost about twice a short number and six times a `bool`. Without the
    // types and the format nothing that we know is faster: the same values by erased_serde 0.4 take, in multiples of serde_json's
    // time (ours): bool 12 (5.4), unit 9.9 (4.4), u32 3.4 (2.3), option 5.7 (2.3), tuple of two 9.2 (4.3), enum 2.7 (2.7), list of
    // four 4.3 (2.3), f32 2.2 (3.4), text 1.5 (1.5), struct 2.1 (1.7). A function for each pair of type and format takes 1.0 to 1.4.
    compare("value_json", "serde", "encoder", Most::Times(2.0)),
    compare("value_json", "text, serde", "text, encoder", Most::Times(2.0)),
    compare("value_json", "u32, serde", "u32, encoder", Most::Times(2.0)),
    // Values of one part: the present figures and a margin. Of a `bool` 27 instructions would be twice as many, and as many are in the
    // loop and in saving registers. Of the variant with a field, 120 of 517 print its names, and 114 write and keep the tape.
    compare("value_json", "bool, serde", "bool, encoder", Most::Times(6.6)),
    compare("value_json", "f32, serde", "f32, encoder", Most::Times(2.0)),
    compare("value_json", "unit, serde", "unit, encoder", Most::Times(7.7)),
    compare("value_json", "option, serde", "option, encoder", Most::Times(2.5)),
    compare("value_json", "enum, serde", "enum, encoder", Most::Times(2.8)),
    // Exact snapshots as bytes, and in memory, where plain columns are copied as a whole. Of 66 instructions for a row of transforms,
    // which has 80 bytes, 28 write its fields, 24 are the checksum, and 5 look for runs of ids: twice as many as `take` has.
    compare("snapshot_plain", "take", "to_bytes", Most::Times(2.8)),
    compare("snapshot_transform", "take", "to_bytes", Most::Times(3.1)),
    compare("snapshot_mind", "take", "to_bytes", Most::Times(3.4)),
];

const fn compare(
    workload: &'static str,
    less: &'static str,
    more: &'static str,
    most: Most,
) -> Comparison {
    Comparison {
        workload,
        less,
        more,
        most,
    }
}

const fn budget(
    who: &'static str,
    workload: &'static str,
    form: &'static str,
    recorded: f64,
    most: f64,
) -> Budget {
    Budget {
        who,
        workload,
        form,
        most,
        recorded,
    }
}

/// The runs of the shorter execution: the first ones grow lists and fault pages.
const SHORT: u32 = 3;
/// The runs of the longer execution; the two counts differ by the additional runs.
const LONG: u32 = 13;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        [] => check_all(),
        ["run", who, workload, form, runs] => run(who, workload, form, runs),
        _ => Err(Failure::new("usage: ir_guard [run WHO WORKLOAD FORM RUNS]")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one entry a number of times.
fn run(who: &str, workload: &str, form: &str, runs: &str) -> Result<(), Failure> {
    let runs: u32 = runs
        .parse()
        .map_err(|_| Failure(format!("`{runs}` is not a number of runs")))?;
    let peer = Peer::find(who).ok_or_else(|| Failure(format!("unknown peer `{who}`")))?;
    let found = find(workload, peer)?;
    let entry = found
        .find(who, form)
        .ok_or_else(|| Failure(format!("`{workload}` has no form `{form}` of `{who}`")))?;
    let mut subject = entry.build();
    for _ in 0..runs {
        subject.run();
    }
    Ok(())
}

/// Returns the forms of a peer: of a timed workload, or of a shape that is only counted.
fn find(workload: &str, peer: Peer) -> Result<Workload, Failure> {
    let timed = kind::find(workload).map(|spec| Workload::of(*spec, peer));
    timed
        .or_else(|| shapes::find(workload, peer))
        .ok_or_else(|| Failure(format!("unknown workload `{workload}`")))
}

/// Counts all loops, prints a line for each, and fails if any is over its budget.
fn check_all() -> Result<(), Failure> {
    if cfg!(any(not(target_arch = "x86_64"), target_feature = "avx")) {
        return Err(Failure::new(
            "the budgets hold for x86-64 without AVX; this build has another target",
        ));
    }
    println!(
        "{:<6} {:<16} {:<22} {:>9} {:>9} {:>9}",
        "who", "workload", "form", "counted", "recorded", "budget"
    );
    let mut exceeded = 0_u32;
    let mut all = Vec::new();
    for budget in BUDGETS {
        let counted = count_per_element(budget)?;
        all.push((budget.workload, budget.form, counted));
        let over = counted > budget.most;
        exceeded += u32::from(over);
        println!(
            "{:<6} {:<16} {:<22} {counted:>9.2} {:>9.2} {:>9.2}{}",
            budget.who,
            budget.workload,
            budget.form,
            budget.recorded,
            budget.most,
            if over { "  OVER" } else { "" },
        );
    }
    for comparison in COMPARISONS {
        exceeded += u32::from(exceeds(comparison, &all)?);
    }
    match exceeded {
        0 => Ok(()),
        _ => Err(Failure(format!("{exceeded} loops are over budget"))),
    }
}

/// Prints the cost of the second form of a comparison, and returns true if it is too high.
fn exceeds(comparison: &Comparison, counted: &[(&str, &str, f64)]) -> Result<bool, Failure> {
    let Comparison {
        workload,
        less,
        more,
        most,
    } = comparison;
    let count = |form: &str| {
        let mut all = counted.iter();
        let found = all.find(|(name, known, _)| (name, *known) == (workload, form));
        found
            .map(|(.., counted)| *counted)
            .ok_or_else(|| Failure(format!("`{workload}` has no budget for `{form}`")))
    };
    let (less_cost, more_cost) = (count(less)?, count(more)?);
    let (is_over, cost) = match *most {
        Most::More(most) => {
            let cost = more_cost - less_cost;
            (
                cost > most,
                format!("{cost:.2} more than `{less}`, of {most:.2}"),
            )
        }
        Most::Times(most) => {
            let cost = more_cost / less_cost;
            (
                cost > most,
                format!("{cost:.2} times `{less}`, of {most:.2}"),
            )
        }
    };
    let over = if is_over { "  OVER" } else { "" };
    println!("{workload}: `{more}` costs {cost}{over}");
    Ok(is_over)
}

/// Returns the instructions per element: the difference of a long and a short execution, so that set-up cancels out.
fn count_per_element(budget: &Budget) -> Result<f64, Failure> {
    let elements = find(budget.workload, Peer::Ours)?.elements();
    let short = count(budget, SHORT)?;
    let long = count(budget, LONG)?;
    Ok((long - short) as f64 / f64::from(LONG - SHORT) / f64::from(elements))
}

/// Counts the instructions of one execution of this program under valgrind.
fn count(budget: &Budget, runs: u32) -> Result<u64, Failure> {
    let this = env::current_exe()
        .map_err(|error| Failure(format!("cannot find the path of this program: {error}")))?;
    let output = Command::new("valgrind")
        // A new world grows its lists. Whether growing copies a list depends on the allocator. Large copies are
        // `rep movsb`, which counts one instruction per byte: tens per entity at random. With this setting a copy moves 16
        // or more bytes per instruction, and so does a loop that sets memory to zero.
        .env(
            "GLIBC_TUNABLES",
            "glibc.cpu.x86_rep_movsb_threshold=1000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000",
        )
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(this)
        .args([
            "run",
            budget.who,
            budget.workload,
            budget.form,
            &runs.to_string(),
        ])
        .output()
        .map_err(|error| Failure(format!("cannot start valgrind: {error}")))?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(Failure(format!("valgrind failed:\n{log}")));
    }
    // `==123== Collected : 456`
    log.lines()
        .find_map(|line| line.split_once("Collected : "))
        .and_then(|(_, count)| count.trim().parse().ok())
        .ok_or_else(|| Failure(format!("no count in the output of valgrind:\n{log}")))
}

/// The reason why the check failed.
struct Failure(String);

impl Failure {
    fn new(message: &str) -> Self {
        Self(message.to_owned())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ir_guard: {}", self.0)
    }
}
