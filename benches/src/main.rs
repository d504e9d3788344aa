//! `ecs-bench`: measures all workloads and prints a table for each. See `README.md`.

use std::error::Error;
use std::fs::File;
use std::io::Write as _;
use std::process::ExitCode;

use ecs_benches::options::{HELP, Options};
use ecs_benches::subject::Workload;
use ecs_benches::{harness, memory, report, workloads};

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
    if options.help {
        println!("{HELP}");
        return Ok(());
    }
    let mut chosen = workloads::all();
    chosen.retain(|workload| options.wants(workload.name));
    if chosen.is_empty() {
        return Err("no workload has such a name; `--list` shows them".into());
    }
    if options.list {
        list(&chosen);
        return Ok(());
    }
    measure(&chosen, options)
}

fn list(workloads: &[Workload]) {
    for workload in workloads {
        println!("{:<12} {}", workload.name, workload.about);
    }
}

fn measure(workloads: &[Workload], options: &Options) -> Result<(), Box<dyn Error>> {
    print!("{}", report::conditions(memory::pin_thresholds()));
    let mut csv = match &options.csv {
        Some(path) => {
            let mut file = File::create(path)
                .map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
            file.write_all(report::CSV_HEADER.as_bytes())?;
            Some(file)
        }
        None => None,
    };
    for workload in workloads {
        let figures = harness::measure(workload, options);
        print!("{}", report::table(workload, &figures));
        if let Some(file) = &mut csv {
            file.write_all(report::csv(workload, &figures).as_bytes())?;
        }
    }
    Ok(())
}
