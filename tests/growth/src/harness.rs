//! Measures rows, and compares their costs with the allowed costs.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use ecs_tests::counting::{Counting, peak_of};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The measured work. Values that it owns are dropped later, when nothing is measured.
pub(crate) type Work = Box<dyn FnMut()>;

/// The growth of a cost with the amount of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Growth {
    /// Grows as fast as the work.
    Linear,
    /// Does not grow.
    Flat,
}

/// Work in two amounts, and how its costs may grow.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The smaller amount; the other is four times as much.
    pub(crate) n: usize,
    /// Gets ready for an amount of work, and returns the work.
    pub(crate) prepare: fn(usize) -> Work,
    pub(crate) instructions: Growth,
    /// Growth of the bytes that the work adds to the heap, at its peak.
    pub(crate) bytes: Growth,
}

impl Row {
    /// Work whose instructions and memory grow with the amount.
    pub(crate) const fn linear(name: &'static str, n: usize, prepare: fn(usize) -> Work) -> Self {
        Self {
            name,
            n,
            prepare,
            instructions: Growth::Linear,
            bytes: Growth::Linear,
        }
    }

    /// Work that costs the same whatever `n` is, such as one call in a world of `n` entities. Do the same once in the
    /// preparation, so that a list that grows now and then has just grown.
    pub(crate) const fn flat(name: &'static str, n: usize, prepare: fn(usize) -> Work) -> Self {
        Self {
            instructions: Growth::Flat,
            bytes: Growth::Flat,
            ..Self::linear(name, n, prepare)
        }
    }

    /// Returns the two amounts: a part of them by default, and all with the variable `ECS_WORLDS`, as for random tests. Others stay:
    /// a small amount could become too few for its row, and a large one is what its row needs.
    fn amounts(&self) -> [usize; 2] {
        let part = match (env::var_os("ECS_WORLDS"), self.n) {
            (None, 120..250) => 2,
            (None, 250..=300 | 1_000) => 4,
            _ => 1,
        };
        let n = self.n / part;
        [n, 4 * n]
    }
}

impl Growth {
    /// Returns the largest cost of an amount that is `times` as large. `slack` is the most that rounding may add, for instance to
    /// a power of two.
    fn most(self, small: u64, times: u64, slack: u64) -> u64 {
        match self {
            // A quarter is for logarithms, and for lists that have just grown.
            Self::Linear => (times + times.div_ceil(4)) * small + slack,
            Self::Flat => small + small / 3 + slack,
        }
    }
}

/// Instructions that do not count: one row in a hundred that grows a list, and the first call of a function.
const SLACK_INSTRUCTIONS: u64 = 20_000;
/// Bytes that do not count.
const SLACK_BYTES: u64 = 2_048;

/// Checks how the bytes on the heap grow.
pub(crate) fn check_memory(rows: &[&[Row]]) {
    let costs = |row: &Row| {
        row.amounts().map(|n| {
            let mut work = (row.prepare)(n);
            let ((), peak) = peak_of(|| growth_measured(&mut *work));
            (n, peak as u64)
        })
    };
    let compare = |row: &Row| compare(row, costs(row), row.bytes, SLACK_BYTES, "bytes");
    report(chosen(rows).filter_map(compare).collect());
}

/// Checks how the number of instructions grows.
pub(crate) fn check_instructions(rows: &[&[Row]]) {
    let Some(counts) = count_instructions("run_all_rows") else {
        return;
    };
    let mut counts = counts.into_iter();
    let mut next = |n: usize| (n, counts.next().expect("two counts of each row"));
    let mut compare = |row: &Row| {
        let costs = row.amounts().map(&mut next);
        compare_instructions(row, costs)
    };
    report(chosen(rows).filter_map(&mut compare).collect());
}

/// Checks how the number of instructions grows over many amounts, each ten times the one before, and writes a table of all rows.
pub(crate) fn check_far(rows: &[&[Row]], far: &[FarRow], path: &Path) {
    let counts = count_instructions("run_far_rows").expect("valgrind");
    let mut counts = counts.into_iter();
    let (mut wrong, mut table) = (
        Vec::new(),
        String::from("work,growth,n,instructions,per_n\n"),
    );
    for (row, amounts) in far_rows(rows, far) {
        let costs: Vec<(usize, u64)> = amounts
            .map(|n| (n, counts.next().expect("a count of each amount")))
            .collect();
        for &(n, cost) in &costs {
            let (name, growth) = (row.name, row.instructions);
            let per = cost as f64 / n as f64;
            table += &format!("\"{name}\",{growth:?},{n},{cost},{per:.2}\n");
        }
        let steps = costs.windows(2).map(|step| [step[0], step[1]]);
        wrong.extend(steps.filter_map(|step| compare_instructions(row, step)));
    }
    // A table of some rows would overwrite the complete one.
    if env::var_os("GROWTH").is_none() {
        fs::write(path, table).unwrap();
    }
    report(wrong);
}

/// A row by its name, and the smallest and the largest amount of its work.
pub(crate) type FarRow = (&'static str, usize, usize);

/// Returns the rows with their amounts.
fn far_rows<'a>(
    rows: &'a [&'a [Row]],
    far: &'a [FarRow],
) -> impl Iterator<Item = (&'a Row, impl Iterator<Item = usize>)> {
    far.iter().filter_map(|&(name, from, to)| {
        let mut all = rows.iter().copied().flatten();
        let row = all.find(|row| row.name == name);
        let row = row.unwrap_or_else(|| panic!("no row `{name}`"));
        let amounts = std::iter::successors(Some(from), move |n| Some(n * 10).filter(|&n| n <= to));
        is_chosen(row).then_some((row, amounts))
    })
}

/// Does the work of all rows; see [`run`].
pub(crate) fn run_all(rows: &[&[Row]]) {
    let mut all = Vec::new();
    for row in chosen(rows) {
        all.extend(row.amounts().map(row.prepare));
    }
    run(all);
}

/// Does the work of some rows in many amounts; see [`run`].
pub(crate) fn run_far(rows: &[&[Row]], far: &[FarRow]) {
    let works = far_rows(rows, far).flat_map(|(row, amounts)| amounts.map(row.prepare));
    run(works.collect());
}

/// Does some work; each call of `growth_measured` is one count of valgrind.
///
/// All of it is prepared before callgrind looks at any: it forgets the code that it has translated at each of its requests,
/// so one for each count made the test three times as long.
fn run(mut all: Vec<Work>) {
    ask_callgrind(START);
    for work in &mut all {
        growth_measured(&mut **work);
    }
    ask_callgrind(STOP);
}

/// Checks the bounds themselves.
pub(crate) fn test_bounds() {
    let nothing: fn(usize) -> Work = |_| Box::new(|| ());
    let linear = Row::linear("some work", 100, nothing);
    let at = |[small, large]: [u64; 2]| [(100, small), (400, large)];
    let grows = |costs| compare(&linear, at(costs), linear.bytes, 10, "bytes");
    assert_eq!(grows([1_000, 4_000]), None);
    assert_eq!(
        grows([1_000, 16_000]).unwrap(),
        "some work: 1000 bytes for n = 100, 16000 for n = 400: 16.0 x, but the growth is Linear"
    );
    let flat = Row::flat("some work", 100, nothing);
    let grows = |costs| compare(&flat, at(costs), flat.bytes, 10, "bytes");
    assert_eq!(grows([1_000, 1_100]), None);
    assert_eq!(grows([0, 10]), None);
    assert!(grows([1_000, 4_000]).unwrap().contains("4.0 x"));

    let squares = |n: usize| -> Work {
        Box::new(move || drop(Vec::<u8>::with_capacity(std::hint::black_box(n * n))))
    };
    let row = Row::linear("squares", 100, squares);
    let outcome = std::panic::catch_unwind(|| check_memory(&[&[row]]));
    // Not if another row is selected by its name.
    assert!(outcome.is_err() || env::var_os("GROWTH").is_some());
}

/// The function whose instructions are counted. Valgrind knows it by this name.
#[inline(never)]
#[unsafe(no_mangle)]
fn growth_measured(work: &mut dyn FnMut()) {
    work();
}

/// Callgrind's requests to begin and to stop looking at instructions. The preparation takes most of them: without the
/// requests, the test takes several times as long.
const START: usize = 0x4354_0004;
const STOP: usize = 0x4354_0005;

/// Makes a request of callgrind, if it observes this process.
#[cfg(target_arch = "x86_64")]
fn ask_callgrind(request: usize) {
    let words = [request, 0, 0, 0, 0, 0];
    // SAFETY: valgrind knows these instructions, and sets `rdx` to its answer. A processor rotates `rdi` by 128 bits, which
    // restores it, and exchanges a register with itself.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") words.as_ptr(), inout("rdx") 0_usize => _,
        );
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn ask_callgrind(_: usize) {}

/// Returns the chosen rows.
fn chosen<'a>(rows: &'a [&'a [Row]]) -> impl Iterator<Item = &'a Row> {
    let rows = rows.iter().copied().flatten();
    rows.filter(|row| is_chosen(row))
}

/// Returns true if the name contains the value of the variable `GROWTH`, or if that is not set.
fn is_chosen(row: &Row) -> bool {
    row.name.contains(&env::var("GROWTH").unwrap_or_default())
}

/// Returns the message about the instructions of a row for two amounts; `None` if they are fine.
fn compare_instructions(row: &Row, costs: [(usize, u64); 2]) -> Option<String> {
    let growth = row.instructions;
    compare(row, costs, growth, SLACK_INSTRUCTIONS, "instructions")
}

/// Returns the message about the costs of a row for two amounts; `None` if they are fine.
fn compare(
    row: &Row,
    [(less, small), (more, large)]: [(usize, u64); 2],
    growth: Growth,
    slack: u64,
    unit: &str,
) -> Option<String> {
    let ratio = large as f64 / small.max(1) as f64;
    let figures = format!(
        "{}: {small} {unit} for n = {less}, {large} for n = {more}: {ratio:.1} x",
        row.name
    );
    println!("{figures}");
    let too_fast = large > growth.most(small, (more / less) as u64, slack);
    too_fast.then(|| format!("{figures}, but the growth is {growth:?}"))
}

fn report(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// Runs a test in a process under valgrind, and returns the instructions of each call of `growth_measured`; `None` without
/// valgrind.
fn count_instructions(test: &str) -> Option<Vec<u64>> {
    let found = Command::new("valgrind").arg("--version").output();
    if !found.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no valgrind; NO INSTRUCTIONS WERE COUNTED");
        return None;
    }
    let folder = env::temp_dir().join(format!("ecs-growth-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let output = Command::new("valgrind")
        // The same setting as in the guard of the benchmarks: each byte that `rep movsb` copies is an instruction.
        .env(
            "GLIBC_TUNABLES",
            "glibc.cpu.x86_rep_movsb_threshold=1000000000",
        )
        .args(["--tool=callgrind", "--compress-strings=yes"])
        .args(cfg!(target_arch = "x86_64").then_some("--instr-atstart=no"))
        .args(["--toggle-collect=growth_measured"])
        .args(["--dump-after=growth_measured"])
        .arg(format!(
            "--callgrind-out-file={}",
            folder.join("count").display()
        ))
        .arg(env::current_exe().unwrap())
        .args([test, "--exact", "--ignored", "--test-threads=1"])
        .output()
        .unwrap();
    let log = [output.stdout, output.stderr].map(|log| String::from_utf8_lossy(&log).into_owned());
    assert!(
        output.status.success(),
        "valgrind failed:\n{}",
        log.concat()
    );
    let counts = (1..).map_while(|number| count_in(&folder.join(format!("count.{number}"))));
    let counts = counts.collect();
    fs::remove_dir_all(&folder).unwrap();
    Some(counts)
}

/// Returns the sum in a file of callgrind: `totals: 456`.
fn count_in(path: &Path) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let sum = text.lines().find_map(|line| line.strip_prefix("totals: "));
    Some(sum.unwrap_or_default().trim().parse().unwrap_or_default())
}
