//! Deep links into a local IDE, with their parameters percent-encoded.
//!
//! The add-on writes values as they are (jupyter-k8s-aws), so that the `?` and `&` of the stream's own address end up
//! between the link's parameters and an IDE reads half of it.

use spaceport_shared::path::encode;

/// The parameters the toolkit reads; text between two of them belongs to the first.
const PARAMETERS: [&str; 6] =
    ["sessionId", "sessionToken", "streamUrl", "workspaceName", "namespace", "eksClusterArn"];

/// The link with every value encoded once. Web addresses and values that are encoded already stay as they are.
pub fn encoded(link: &str) -> String {
    let Some((front, query)) = link.split_once('?') else { return link.to_owned() };
    if front.starts_with("http://") || front.starts_with("https://") {
        return link.to_owned();
    }
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for piece in query.split('&') {
        let known = piece.split_once('=').filter(|(name, _)| PARAMETERS.contains(name));
        match (known, pairs.last_mut()) {
            (Some((name, value)), _) => pairs.push((name, value.to_owned())),
            (None, Some((_, value))) => {
                value.push('&');
                value.push_str(piece);
            }
            // Nothing we know comes first: not a link of the toolkit, so not ours to change.
            (None, None) => return link.to_owned(),
        }
    }
    let query: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={}", once(value))).collect();
    format!("{front}?{}", query.join("&"))
}

fn once(value: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~%".contains(&b);
    if value.contains('%') && value.bytes().all(plain) { value.to_owned() } else { encode(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_the_stream_stays_one_value() {
        let link = "vscode://amazonwebservices.aws-toolkit-vscode/connect/workspace?sessionId=s-1&sessionToken=a+b/c==\
                    &streamUrl=wss://ssm.example/v1/c/s-1?role=publish_subscribe&cell-number=AAE&workspaceName=lab\
                    &namespace=hyperpod-ns-team-a&eksClusterArn=arn:aws:eks:r:1:cluster/c";
        let found = encoded(link);
        let url = url::Url::parse(&found).expect("an address");
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        assert_eq!(pairs[1].1, "a+b/c==");
        assert_eq!(pairs[2].1, "wss://ssm.example/v1/c/s-1?role=publish_subscribe&cell-number=AAE");
        assert_eq!(pairs.len(), 6);
        assert_eq!(encoded(&found), found);
    }

    #[test]
    fn web_addresses_and_foreign_links_are_left_alone() {
        for link in
            ["https://lab-x.example/bearer-auth?token=a.b.c", "ssh://host", "tool://x?other=1&sessionId=2"]
        {
            assert_eq!(encoded(link), link);
        }
    }
}
