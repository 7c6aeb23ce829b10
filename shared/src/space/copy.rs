//! The same request for other tools: `kubectl`, `hyp` and `curl`, ready to paste into a POSIX shell.

use super::create::CreateSpace;
use super::manifest::{sharing, to_manifest};
use super::yaml::to_yaml;
use super::{DesiredStatus, GPU_RESOURCE};
use crate::path;
use crate::quantity::{format_bytes, format_cpu};
use serde_json::Value;

/// The Workspace object as YAML.
pub fn as_yaml(request: &CreateSpace, detection: Option<&Value>) -> String {
    to_yaml(&to_manifest(request, detection))
}

/// `kubectl create` from standard input: `create`, so that it never overwrites.
pub fn as_kubectl(request: &CreateSpace, detection: Option<&Value>) -> String {
    let yaml = as_yaml(request, detection);
    format!("kubectl create -f - <<'SPACE'\n{yaml}SPACE\n")
}

/// The call that the portal's own form makes. The session comes from a cookie jar.
pub fn as_curl(request: &CreateSpace, cluster: &str, origin: &str) -> String {
    let body = serde_json::to_string(request).unwrap_or_default();
    let url = format!("{}{}", origin.trim_end_matches('/'), path::spaces(cluster));
    format!(
        "curl -sS --fail-with-body -b cookies.txt -H 'Content-Type: application/json' -H 'X-Spaceport-CSRF: 1' \\\n  \
         -X POST {} \\\n  -d {}\n",
        quote(&url),
        quote(&body)
    )
}

/// `hyp create hyp-space` with the options it has. It has none for the node selector's short form and none for
/// an accelerator that is neither a whole GPU nor a MIG slice; those are left out by name in a comment.
pub fn as_hyp(request: &CreateSpace, detection: Option<&Value>) -> String {
    let mut command = Hyp::default();
    command.option("name", Some(&request.name));
    command.option("display-name", Some(&request.display_name));
    command.option("namespace", Some(&request.namespace));
    if let Some(template) = &request.template {
        let value = format!("name={},namespace={}", template.name, template.namespace);
        command.option("template-ref", Some(&value));
    }
    command.option("image", request.image.as_deref());
    if request.desired_status == DesiredStatus::Stopped {
        command.option("desired-status", Some("Stopped"));
    }
    command.option("ownership-type", request.ownership_type.map(sharing).as_ref().and_then(Value::as_str));
    command.option("access-type", request.access_type.map(sharing).as_ref().and_then(Value::as_str));
    command.option("queue-name", request.queue.as_deref());
    command.option("priority", request.priority_class.as_deref());
    hyp_resources(&mut command, request);
    hyp_storage(&mut command, request);
    hyp_env_and_idle(&mut command, request, detection);
    command.finish()
}

fn hyp_resources(command: &mut Hyp, request: &CreateSpace) {
    let Some(resources) = &request.resources else { return };
    let (cpu, memory) = (format_cpu(resources.cpu_millis), format_bytes(resources.memory_bytes));
    command.option("cpu", Some(&cpu));
    command.option("cpu-limit", Some(&cpu));
    command.option("memory", Some(&memory));
    command.option("memory-limit", Some(&memory));
    if let Some(accelerator) = &resources.accelerator {
        let count = accelerator.count.to_string();
        match accelerator.mig_profile() {
            Some(profile) => {
                command.option("accelerator-partition-type", Some(&format!("mig-{profile}")));
                command.option("accelerator-partition-count", Some(&count));
            }
            None if accelerator.resource == GPU_RESOURCE => {
                command.option("gpu", Some(&count));
                command.option("gpu-limit", Some(&count));
            }
            None => command.missing.push(accelerator.resource.clone()),
        }
    }
    if let Some(selector) = super::manifest::node_selector(resources) {
        command.option("node-selector", Some(&selector.to_string()));
    }
}

fn hyp_storage(command: &mut Hyp, request: &CreateSpace) {
    if let Some(storage) = &request.storage {
        let mut parts = vec![format!("size={}", format_bytes(storage.size_bytes))];
        parts.extend(storage.class_name.as_ref().map(|c| format!("storageClassName={c}")));
        parts.extend(storage.mount_path.as_ref().map(|p| format!("mountPath={p}")));
        command.option("storage", Some(&parts.join(",")));
    }
    for (index, volume) in request.volumes.iter().enumerate() {
        let value = format!(
            "name=volume-{},mountPath={},persistentVolumeClaimName={}",
            index + 1,
            volume.mount_path,
            volume.claim
        );
        command.option("volume", Some(&value));
    }
}

fn hyp_env_and_idle(command: &mut Hyp, request: &CreateSpace, detection: Option<&Value>) {
    if !request.env.is_empty() {
        command.option("env", Some(&super::manifest::env(&request.env).to_string()));
    }
    if let Some(idle) = &request.idle {
        let block = super::manifest::idle_shutdown(idle, detection);
        let value = format!(
            "enabled={},idleTimeoutInMinutes={},detection={}",
            block["enabled"], block["idleTimeoutInMinutes"], block["detection"]
        );
        command.option("idle-shutdown", Some(&value));
    }
}

/// A `hyp create hyp-space` command line under construction.
#[derive(Default)]
struct Hyp {
    options: Vec<String>,
    missing: Vec<String>,
}

impl Hyp {
    fn option(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.options.push(format!("--{name} {}", quote(value)));
        }
    }

    fn finish(self) -> String {
        let mut text = format!("hyp create hyp-space \\\n  {}\n", self.options.join(" \\\n  "));
        for resource in self.missing {
            text.push_str(&format!("# hyp has no option for {resource}; use kubectl\n"));
        }
        text
    }
}

/// One word of a POSIX shell.
pub fn quote(text: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"/_.,:=@%+-".contains(&b);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::super::create::{EnvVar, IdleRequest};
    use super::super::sample::create;
    use super::*;
    use crate::space::Accelerator;
    use proptest::prelude::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quote("lab-1"), "lab-1");
        assert_eq!(quote("it's $HOME"), "'it'\\''s $HOME'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("a\nb"), "'a\nb'");
    }

    #[test]
    fn hyp_gets_its_own_options() {
        let mut request = create();
        request.display_name = "My lab".into();
        request.env = vec![EnvVar { name: "A".into(), value: "it's".into() }];
        request.idle = Some(IdleRequest { enabled: true, timeout_minutes: Some(30) });
        let resources = request.resources.as_mut().expect("stated");
        resources.accelerator = Some(Accelerator { resource: "nvidia.com/mig-1g.5gb".into(), count: 2 });
        let text = as_hyp(&request, None);
        for part in [
            "hyp create hyp-space \\\n  --name lab",
            "--display-name 'My lab'",
            "--template-ref name=sagemaker-jupyter-template,namespace=jupyter-k8s-system",
            "--queue-name hyperpod-ns-team-a-localqueue",
            "--priority interactive-priority",
            "--cpu 4 \\\n  --cpu-limit 4 \\\n  --memory 16Gi",
            "--accelerator-partition-type mig-1g.5gb",
            "--accelerator-partition-count 2",
            "--storage size=20Gi",
            "--env '[{\"name\":\"A\",\"value\":\"it'\\''s\"}]'",
        ] {
            assert!(text.contains(part), "{part}\nnot in\n{text}");
        }
    }

    #[test]
    fn what_hyp_cannot_say_is_said() {
        let mut request = create();
        request.resources.as_mut().expect("stated").accelerator =
            Some(Accelerator { resource: "aws.amazon.com/neurondevice".into(), count: 1 });
        assert!(as_hyp(&request, None).contains("# hyp has no option for aws.amazon.com/neurondevice"));
    }

    #[test]
    fn curl_sends_the_same_body() {
        let text = as_curl(&create(), "sandbox", "http://127.0.0.1:8080/");
        assert!(text.contains("-X POST http://127.0.0.1:8080/api/v1/clusters/sandbox/spaces"));
        assert!(text.contains("\"name\":\"lab\""));
    }

    #[test]
    fn kubectl_reads_a_heredoc_that_expands_nothing() {
        let text = as_kubectl(&create(), None);
        assert!(
            text.starts_with("kubectl create -f - <<'SPACE'\napiVersion: workspace.jupyter.org/v1alpha1\n")
        );
        assert!(text.ends_with("\nSPACE\n"));
    }

    proptest! {
        #[test]
        fn a_quoted_word_holds_no_open_quote(text in "\\PC{0,30}") {
            let quoted = quote(&text);
            prop_assert_eq!(quoted.matches('\'').count() % 2, text.matches('\'').count() % 2);
        }
    }
}
