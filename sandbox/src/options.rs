//! What a sandbox is started with.

pub use crate::runtime::RuntimeChoice;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The ports that `docs/SANDBOX.md` names.
pub const KUBE_PORT: u16 = 16443;
pub const KUBE_EAST_PORT: u16 = 16444;
pub const AWS_PORT: u16 = 14566;
pub const SPACES_PORT: u16 = 18888;
pub const ADMIN_PORT: u16 = 14567;

/// Everything that can be chosen. Ports are on 127.0.0.1, whatever else the machine has; 0 takes any free one.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of state, volumes, kubeconfigs and the gateway's configuration; created if missing.
    pub dir: PathBuf,
    pub kube_port: u16,
    pub kube_east_port: u16,
    pub aws_port: u16,
    pub spaces_port: u16,
    /// The sandbox's own door for faults, see `admin`.
    pub admin_port: u16,
    /// Scale of all delays inside the clusters: 1 is the demo's, 0 none, about 10 a real cluster's.
    pub pace: f64,
    pub runtime: RuntimeChoice,
    /// Applied to an empty store only.
    pub seed: SeedChoice,
    /// Where the gateway will be reached: `public_url` of the written configuration.
    pub gateway_url: String,
    /// The gateway's own admin listener, for the written configuration.
    pub gateway_admin_port: u16,
}

impl Options {
    /// Free ports, no delays, stand-ins instead of notebook servers: what a test wants.
    pub fn for_tests(dir: impl Into<PathBuf>, seed: SeedChoice) -> Options {
        Options {
            dir: dir.into(),
            kube_port: 0,
            kube_east_port: 0,
            aws_port: 0,
            spaces_port: 0,
            admin_port: 0,
            pace: 0.0,
            runtime: RuntimeChoice::Simulated,
            seed,
            gateway_url: "http://127.0.0.1:8080".to_owned(),
            gateway_admin_port: 8081,
        }
    }
}

/// Which objects an empty store begins with. Namespaces, rights, add-on and nodes are in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeedChoice {
    /// Teams at work: Spaces in every state that needs no queue.
    #[default]
    Demo,
    /// Nothing but the installation.
    Empty,
    /// This many simulated Spaces over many namespaces.
    Scale(usize),
}

/// More would not fit in the memory of a small machine.
const MOST_SPACES: usize = 50_000;

impl fmt::Display for SeedChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeedChoice::Demo => f.write_str("demo"),
            SeedChoice::Empty => f.write_str("empty"),
            SeedChoice::Scale(count) => write!(f, "{count}"),
        }
    }
}

impl FromStr for SeedChoice {
    type Err = String;

    /// `demo`, `empty` or a number of Spaces.
    fn from_str(text: &str) -> Result<SeedChoice, String> {
        match text {
            "demo" => Ok(SeedChoice::Demo),
            "empty" => Ok(SeedChoice::Empty),
            number => match number.parse() {
                Ok(count) if (1..=MOST_SPACES).contains(&count) => Ok(SeedChoice::Scale(count)),
                _ => Err(format!("expected demo, empty or a number from 1 to {MOST_SPACES}")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_named_or_counted() {
        assert_eq!("demo".parse(), Ok(SeedChoice::Demo));
        assert_eq!("10000".parse(), Ok(SeedChoice::Scale(10_000)));
        assert_eq!("10000".parse::<SeedChoice>().map(|seed| seed.to_string()), Ok("10000".to_owned()));
        assert!("0".parse::<SeedChoice>().is_err());
        assert!("many".parse::<SeedChoice>().is_err());
    }
}
