//! Sets of field paths, written as FieldsV1.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A set of paths as a tree. Names are those of FieldsV1 (`f:spec`, `k:{"name":"a"}`, `v:1`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    nodes: BTreeMap<String, Node>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Node {
    member: bool,
    below: Set,
}

impl Set {
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn insert(&mut self, path: &[String]) {
        let Some((last, parents)) = path.split_last() else { return };
        let mut set = self;
        for name in parents {
            set = &mut set.nodes.entry(name.clone()).or_default().below;
        }
        set.nodes.entry(last.clone()).or_default().member = true;
    }

    /// Removes a name with everything below it.
    pub fn remove_tree(&mut self, path: &[&str]) {
        match path {
            [] => {}
            [last] => {
                self.nodes.remove(*last);
            }
            [first, rest @ ..] => {
                if let Some(node) = self.nodes.get_mut(*first) {
                    node.below.remove_tree(rest);
                    if !node.member && node.below.is_empty() {
                        self.nodes.remove(*first);
                    }
                }
            }
        }
    }

    /// Removes one name, leaving what is below it.
    pub fn remove_member(&mut self, name: &str) {
        if let Some(node) = self.nodes.get_mut(name) {
            node.member = false;
            if node.below.is_empty() {
                self.nodes.remove(name);
            }
        }
    }

    #[must_use]
    pub fn union(&self, other: &Set) -> Set {
        let mut all = self.clone();
        for (name, node) in &other.nodes {
            let into = all.nodes.entry(name.clone()).or_default();
            into.member |= node.member;
            into.below = into.below.union(&node.below);
        }
        all
    }

    /// Members of this set that are no members of the other.
    #[must_use]
    pub fn difference(&self, other: &Set) -> Set {
        self.combine(other, |here, there| here && !there)
    }

    #[must_use]
    pub fn intersection(&self, other: &Set) -> Set {
        self.combine(other, |here, there| here && there)
    }

    fn combine(&self, other: &Set, keep: fn(bool, bool) -> bool) -> Set {
        let nothing = Node::default();
        let nodes = self.nodes.iter().filter_map(|(name, node)| {
            let there = other.nodes.get(name).unwrap_or(&nothing);
            let member = keep(node.member, there.member);
            let below = node.below.combine(&there.below, keep);
            (member || !below.is_empty()).then(|| (name.clone(), Node { member, below }))
        });
        Set { nodes: nodes.collect() }
    }

    /// With every parent of a member a member itself.
    #[must_use]
    pub fn with_parents(&self) -> Set {
        let nodes = self.nodes.iter();
        Set {
            nodes: nodes
                .map(|(name, n)| (name.clone(), Node { member: true, below: n.below.with_parents() }))
                .collect(),
        }
    }

    /// Every member, parents first.
    pub fn paths(&self) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), &mut found);
        found
    }

    fn collect(&self, prefix: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
        for (name, node) in &self.nodes {
            prefix.push(name.clone());
            if node.member {
                found.push(prefix.clone());
            }
            node.below.collect(prefix, found);
            prefix.pop();
        }
    }

    pub fn encode(&self) -> Value {
        let mut fields = Map::new();
        for (name, node) in &self.nodes {
            let mut below = node.below.encode();
            if node.member && !node.below.is_empty() {
                below["."] = json!({});
            }
            fields.insert(name.clone(), below);
        }
        Value::Object(fields)
    }

    /// What is not understood is dropped.
    pub fn decode(fields: &Value) -> Set {
        let mut set = Set::default();
        for (name, below) in fields.as_object().into_iter().flatten().filter(|(name, _)| *name != ".") {
            let children = Set::decode(below);
            let member = children.is_empty() || below.get(".").is_some();
            set.nodes.insert(name.clone(), Node { member, below: children });
        }
        set
    }
}

/// A path as conflicts name it: `.spec.containers[name="a"].image`.
pub fn describe(path: &[String]) -> String {
    let mut text = String::new();
    for name in path {
        match name.split_at_checked(2) {
            Some(("f:", field)) => {
                text.push('.');
                text.push_str(field);
            }
            Some(("k:", keys)) => {
                let keys: Map<String, Value> = serde_json::from_str(keys).unwrap_or_default();
                let pairs: Vec<String> = keys.iter().map(|(key, value)| format!("{key}={value}")).collect();
                text.push_str(&format!("[{}]", pairs.join(",")));
            }
            Some(("v:", value)) => text.push_str(&format!("[={value}]")),
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_comes_back_from_its_written_form() {
        let written = json!({"f:metadata": {"f:labels": {".": {}, "f:a": {}}}, "f:spec": {"f:image": {}}});
        let set = Set::decode(&written);
        assert_eq!(set.encode(), written);
        let texts: Vec<String> = set.paths().iter().map(|path| describe(path)).collect();
        assert_eq!(texts, [".metadata.labels", ".metadata.labels.a", ".spec.image"]);
    }

    #[test]
    fn a_difference_keeps_parents_that_still_have_members() {
        let all = Set::decode(&json!({"f:spec": {".": {}, "f:a": {}, "f:b": {}}}));
        let gone = Set::decode(&json!({"f:spec": {"f:a": {}}}));
        assert_eq!(all.difference(&gone).encode(), json!({"f:spec": {".": {}, "f:b": {}}}));
        assert_eq!(all.intersection(&gone).encode(), json!({"f:spec": {"f:a": {}}}));
    }
}
