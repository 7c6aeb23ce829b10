//! `[log]`: form and amount of the log.

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    pub format: LogFormat,
    /// A tracing filter, such as `info,spaceport_gateway=debug`.
    pub filter: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    #[default]
    Text,
    Json,
}

impl Default for Log {
    fn default() -> Self {
        Log { format: LogFormat::Text, filter: "info,tower_sessions=warn".to_owned() }
    }
}
