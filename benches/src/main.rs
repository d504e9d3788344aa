//! `ecs-bench`: measures the workloads and prints tables. See `README.md`.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use ecs_benches::harness::{self, Outcome};
use ecs_benches::kind::{self, Spec};
use ecs_benches::options::{HELP, Options};
use ecs_benches::{memory, report};

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    // Before any allocation that could move the thresholds.
    let pinned = memory::pin_thresholds();
    if let Some(task) = &options.child {
        println!("{}", task.run()?.to_line());
        return Ok(());
    }
    if options.help {
        println!("{HELP}");
        return Ok(());
    }
    let specs = if options.growth {
        kind::GROWTH
    } else {
        kind::STANDARD
    };
    let chosen: Vec<Spec> = specs
        .iter()
        .filter(|spec| options.wants(spec.name))
        .copied()
        .collect();
    if chosen.is_empty() {
        return Err("no workload matches the filter; help: `--list` shows all names".into());
    }
    if options.list {
        for spec in &chosen {
            println!("{:<24} {}", spec.name, spec.about);
        }
        return Ok(());
    }
    print!("{}", report::conditions(pinned));
    let outcomes = measure(&chosen, options)?;
    print(&outcomes, options);
    if let Some(path) = &options.csv {
        write(path, &report::csv(&outcomes))?;
    }
    if let Some(path) = &options.svg {
        let picture = match options.growth {
            true => report::growth_svg(&outcomes, options.rounds),
            false => report::svg(&outcomes, options.rounds),
        };
        write(path, &picture)?;
    }
    Ok(())
}

fn measure(specs: &[Spec], options: &Options) -> Result<Vec<Outcome>, String> {
    let mut outcomes = Vec::new();
    for spec in specs {
        eprintln!("{} ...", spec.name);
        outcomes.push(harness::measure(*spec, options)?);
    }
    Ok(outcomes)
}

fn print(outcomes: &[Outcome], options: &Options) {
    if options.details {
        for outcome in outcomes {
            println!("\n{}: {}\n", outcome.spec.name, outcome.spec.about);
            print!("{}", report::details(outcome).render(options.markdown));
        }
    }
    println!();
    if options.growth {
        for table in report::growth(outcomes) {
            println!("{}", table.render(options.markdown));
        }
    } else {
        print!("{}", report::summary(outcomes).render(options.markdown));
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write `{}`: {error}", path.display()))
}
