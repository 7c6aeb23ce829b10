//! Failures on demand: what a Space's name or image provokes. The only place that knows these names.
//!
//! | name begins with | what happens |
//! |---|---|
//! | `fail-image-` | ErrImagePull, then ImagePullBackOff |
//! | `fail-config-` | CreateContainerConfigError: a secret that does not exist |
//! | `fail-crash-` | the container ends with code 1: CrashLoopBackOff |
//! | `fail-oom-` | the container is OOMKilled (137): CrashLoopBackOff |
//! | `fail-probe-` | the pod runs, the access startup probe never succeeds: AccessProbeThresholdExceeded |
//! | `fail-mount-` | FailedMount, ContainerCreating for ever |
//! | `fail-attach-` | FailedAttachVolume, ContainerCreating for ever |
//! | `fail-volume-` | ProvisioningFailed, the claim stays Pending |
//! | `fail-remote-` | remote connections answer 500: session limit of the managed instance |
//! | `hold-image-` | the image pull never ends: stays Starting |
//! | `hold-ready-` | the pod runs and never becomes ready: stays Starting |
//! | `hold-stop-` | the Deployment keeps a foreign finalizer: stays Stopping |
//! | `hold-delete-` | the volume claim keeps a foreign finalizer: stays Deleting |
//! | `busy-` | a kernel is always busy: never idle |
//!
//! An image whose name contains `missing` cannot be pulled (not found), `private` cannot be pulled (authorization
//! failed), whatever the Space's name.

/// A provoked behaviour of a Space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sentinel {
    FailImage,
    FailConfig,
    FailCrash,
    FailOom,
    FailProbe,
    FailMount,
    FailAttach,
    FailVolume,
    FailRemote,
    HoldImage,
    HoldReady,
    HoldStop,
    HoldDelete,
    Busy,
}

/// Prefix and meaning, the table above as data.
pub const TABLE: [(&str, Sentinel); 14] = [
    ("fail-image-", Sentinel::FailImage),
    ("fail-config-", Sentinel::FailConfig),
    ("fail-crash-", Sentinel::FailCrash),
    ("fail-oom-", Sentinel::FailOom),
    ("fail-probe-", Sentinel::FailProbe),
    ("fail-mount-", Sentinel::FailMount),
    ("fail-attach-", Sentinel::FailAttach),
    ("fail-volume-", Sentinel::FailVolume),
    ("fail-remote-", Sentinel::FailRemote),
    ("hold-image-", Sentinel::HoldImage),
    ("hold-ready-", Sentinel::HoldReady),
    ("hold-stop-", Sentinel::HoldStop),
    ("hold-delete-", Sentinel::HoldDelete),
    ("busy-", Sentinel::Busy),
];

/// The finalizer behind `hold-stop-` and `hold-delete-`. Removing it by hand lets the object go.
pub const HOLD_FINALIZER: &str = "sandbox.spaceport.dev/hold";

/// What the Space's name provokes.
pub fn of_space(name: &str) -> Option<Sentinel> {
    TABLE.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, sentinel)| *sentinel)
}

/// Why an image cannot be pulled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullFailure {
    NotFound,
    Unauthorized,
}

impl PullFailure {
    /// The container runtime's words.
    pub fn message(self, image: &str) -> String {
        let (repository, tag) = image.rsplit_once(':').unwrap_or((image, "latest"));
        let cause = match self {
            PullFailure::NotFound => format!("{repository}:{tag}: not found"),
            PullFailure::Unauthorized => {
                "pull access denied, repository does not exist or may require authorization: authorization failed: \
                 no basic auth credentials"
                    .to_owned()
            }
        };
        format!(
            "failed to pull and unpack image \"{image}\": failed to resolve reference \"{repository}:{tag}\": {cause}"
        )
    }
}

/// What an image's name provokes.
pub fn of_image(image: &str) -> Option<PullFailure> {
    if image.contains("missing") {
        Some(PullFailure::NotFound)
    } else if image.contains("private") {
        Some(PullFailure::Unauthorized)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_decides_and_an_ordinary_name_provokes_nothing() {
        assert_eq!(of_space("fail-oom-1"), Some(Sentinel::FailOom));
        assert_eq!(of_space("hold-ready-x"), Some(Sentinel::HoldReady));
        assert_eq!(of_space("failure-analysis"), None);
        assert_eq!(of_space("my-fail-oom-1"), None);
    }

    #[test]
    fn every_prefix_is_in_the_documentation_above() {
        let documentation: String =
            include_str!("sentinel.rs").lines().take_while(|line| line.starts_with("//!")).collect();
        for (prefix, _) in TABLE {
            assert!(documentation.contains(&format!("`{prefix}`")), "{prefix}");
        }
    }

    #[test]
    fn images_name_their_failure() {
        assert_eq!(of_image("repo/missing:1"), Some(PullFailure::NotFound));
        assert_eq!(of_image("repo/private:1"), Some(PullFailure::Unauthorized));
        assert_eq!(of_image("public.ecr.aws/sagemaker/sagemaker-distribution:latest-cpu"), None);
        assert!(PullFailure::NotFound.message("repo/missing:1").ends_with("repo/missing:1: not found"));
    }
}
