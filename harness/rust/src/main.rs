//! The harness of Rust's MySQL drivers: reads one request per line, writes one answer per line.
//! docs/contributing/driver-protocol.md says what the lines mean.

mod connection;
mod crew;
mod drivers;
mod harness;
mod histogram;
mod measure;
mod protocol;
mod rows;
mod runtimes;
mod statement;
mod steps;
mod worker;

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("harness: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers until the end of the input; then the harness closes what is open.
fn serve() -> io::Result<()> {
    let mut harness = harness::Harness::new()?;
    let mut answers = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        writeln!(answers, "{}", harness.answer(&line)?)?;
        answers.flush()?;
    }
    harness.close_all();
    Ok(())
}
