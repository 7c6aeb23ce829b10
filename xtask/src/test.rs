//! `cargo xtask test`: every check, one after the other, all of them even when one fails, and a summary.

mod steps;

pub use steps::{browser_tests, lint, set_up, transcripts, write_openapi};

use anyhow::{Result, bail};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct TestOptions {
    /// Also the tests against the heavy outside clients: hyp (600 MB) and code-server
    #[arg(long)]
    peers: bool,
}

/// A step that could not run fails like one that found something: nothing is skipped in silence.
struct Outcome {
    name: &'static str,
    took: Duration,
    failure: Option<String>,
}

pub fn test(options: &TestOptions) -> Result<()> {
    let started = Instant::now();
    let tools = set_up(options.peers)?;
    let outcomes: Vec<Outcome> =
        steps::all(&tools).into_iter().map(|(name, step)| perform(name, step)).collect();
    let (text, failed) = summary(&outcomes, started.elapsed());
    println!("{text}");
    if failed > 0 {
        bail!("{failed} of {} steps failed", outcomes.len());
    }
    Ok(())
}

fn perform(name: &'static str, step: impl FnOnce() -> Result<()>) -> Outcome {
    println!("\n== {name}");
    let started = Instant::now();
    let failure = step().err().map(|error| format!("{error:#}"));
    if let Some(why) = &failure {
        println!("!! {name}: {why}");
    }
    Outcome { name, took: started.elapsed(), failure }
}

fn summary(outcomes: &[Outcome], took: Duration) -> (String, usize) {
    let failed = outcomes.iter().filter(|outcome| outcome.failure.is_some()).count();
    let mut text = String::from("\n");
    for outcome in outcomes {
        let (verdict, why) = match &outcome.failure {
            None => ("ok    ", String::new()),
            Some(why) => ("FAILED", format!("  {}", why.lines().next().unwrap_or_default())),
        };
        text += &format!("{verdict} {:>7.1} s  {}{why}\n", outcome.took.as_secs_f64(), outcome.name);
    }
    text += &format!("{} passed, {failed} failed in {:.0} s", outcomes.len() - failed, took.as_secs_f64());
    (text, failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_and_names_what_failed() {
        let good = perform("good", || Ok(()));
        let bad = perform("bad", || bail!("no browser\ndetails"));
        let (text, failed) = summary(&[good, bad], Duration::from_secs(61));
        assert_eq!(failed, 1);
        assert!(text.ends_with("1 passed, 1 failed in 61 s"), "{text}");
        assert!(text.contains("bad  no browser\n"), "{text}");
    }
}
