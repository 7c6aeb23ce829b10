//! Checks of the image's recipe that need no container engine.

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use crate::paths::root;

    fn dockerfile() -> String {
        std::fs::read_to_string(root().join("Dockerfile")).unwrap()
    }

    #[test]
    fn everything_the_image_copies_from_the_checkout_exists_and_is_not_ignored() {
        let ignored = std::fs::read_to_string(root().join(".dockerignore")).unwrap();
        let copies: Vec<String> = dockerfile()
            .lines()
            .filter_map(|line| line.strip_prefix("COPY "))
            .filter(|rest| !rest.starts_with("--from"))
            .map(str::to_owned)
            .collect();
        assert!(!copies.is_empty());
        for copy in copies {
            let mut words: Vec<&str> = copy.split_whitespace().collect();
            words.pop().unwrap();
            for source in words {
                assert!(root().join(source).exists(), "COPY of {source}, which is not there");
                assert!(!ignored.lines().any(|line| line.trim_matches('/') == source), "{source} is ignored");
            }
        }
    }

    #[test]
    fn the_images_toolchain_and_tools_are_those_of_the_workspace() {
        let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
        let line = manifest.lines().find(|line| line.starts_with("rust-version")).unwrap();
        let version = line.split('"').nth(1).unwrap();
        assert!(dockerfile().contains(&format!("FROM docker.io/library/rust:{version}")), "rust {version}");
    }

    #[test]
    fn the_image_runs_the_gateway_as_a_user_without_rights() {
        let text = dockerfile();
        let user = text.lines().rfind(|line| line.starts_with("USER ")).unwrap();
        assert_ne!(user, "USER root");
        assert!(
            user.trim_start_matches("USER ").split(':').all(|id| id.parse::<u32>().is_ok_and(|id| id > 0))
        );
        assert!(text.contains("ENTRYPOINT [\"/usr/local/bin/spaceport\"]"));
    }

    #[test]
    fn the_images_build_command_names_crates_and_features_that_exist() {
        let gateway = std::fs::read_to_string(root().join("gateway/Cargo.toml")).unwrap();
        assert!(
            dockerfile().contains(
                "cargo build --release --locked --package spaceport-gateway --features embed-assets"
            )
        );
        assert!(gateway.contains("name = \"spaceport-gateway\"") && gateway.contains("embed-assets = "));
    }
}
