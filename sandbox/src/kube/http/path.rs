//! What a request asks for, read from its method, path and query (apiserver `RequestInfo`).

use super::query::Query;
use crate::kube::hooks::Attributes;
use http::Method;
use percent_encoding::percent_decode_str;

/// A request, understood. `resource` is empty for paths that name no resource (`/healthz`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// `get list watch create update patch delete deletecollection`, or a lower-case method for other paths. Empty
    /// for methods that mean nothing to a resource.
    pub verb: String,
    pub group: String,
    pub version: String,
    pub resource: String,
    pub subresource: String,
    /// Also set for a namespace itself, as upstream does.
    pub namespace: String,
    pub name: String,
    pub path: String,
}

impl Route {
    /// Reads a request.
    pub fn parse(method: &Method, path: &str, query: &Query) -> Route {
        let mut route = Route { path: path.to_owned(), ..Route::default() };
        let parts: Vec<String> = path
            .split('/')
            .filter(|part| !part.is_empty())
            .map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned())
            .collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let rest = match parts.as_slice() {
            ["api", version, rest @ ..] if !rest.is_empty() => {
                route.version = (*version).to_owned();
                rest
            }
            ["apis", group, version, rest @ ..] if !rest.is_empty() => {
                route.group = (*group).to_owned();
                route.version = (*version).to_owned();
                rest
            }
            _ => {
                route.verb = method.as_str().to_lowercase();
                return route;
            }
        };
        route.read_resource(rest);
        route.read_verb(method, query);
        route
    }

    fn read_resource(&mut self, rest: &[&str]) {
        let own = |text: &&str| (*text).to_owned();
        let rest = match rest {
            ["namespaces", namespace, inner @ ..] => {
                self.namespace = own(namespace);
                // `status` and `finalize` are parts of the namespace itself.
                if inner.is_empty() || matches!(inner[0], "status" | "finalize") { rest } else { inner }
            }
            _ => rest,
        };
        self.resource = rest.first().map(own).unwrap_or_default();
        self.name = rest.get(1).map(own).unwrap_or_default();
        self.subresource = rest.get(2).map(own).unwrap_or_default();
    }

    fn read_verb(&mut self, method: &Method, query: &Query) {
        let verb = match *method {
            Method::GET | Method::HEAD if !self.name.is_empty() => "get",
            Method::GET | Method::HEAD if query.flag("watch") => "watch",
            Method::GET | Method::HEAD => "list",
            Method::POST => "create",
            Method::PUT => "update",
            Method::PATCH => "patch",
            Method::DELETE if self.name.is_empty() => "deletecollection",
            Method::DELETE => "delete",
            _ => "",
        };
        self.verb = verb.to_owned();
        // A list of one name is judged as a request for that name.
        if matches!(verb, "list" | "watch" | "deletecollection")
            && let Some(name) =
                query.get("fieldSelector").and_then(|text| text.strip_prefix("metadata.name="))
            && !name.contains([',', '=', '!', '/', '%', '\\'])
        {
            self.name = name.to_owned();
        }
    }

    pub fn is_resource(&self) -> bool {
        !self.resource.is_empty()
    }

    /// As the authorizers want it.
    pub fn attributes(&self) -> Attributes {
        if !self.is_resource() {
            return Attributes { verb: self.verb.clone(), path: self.path.clone(), ..Attributes::default() };
        }
        Attributes {
            verb: self.verb.clone(),
            group: self.group.clone(),
            version: self.version.clone(),
            resource: self.resource.clone(),
            subresource: self.subresource.clone(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            path: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(method: Method, path: &str, query: &str) -> Route {
        Route::parse(&method, path, &Query::parse(query))
    }

    #[test]
    fn a_namespace_is_a_resource_and_a_scope() {
        let one = route(Method::GET, "/api/v1/namespaces/a", "");
        assert_eq!(
            (one.resource.as_str(), one.namespace.as_str(), one.name.as_str()),
            ("namespaces", "a", "a")
        );
        let status = route(Method::PUT, "/api/v1/namespaces/a/status", "");
        assert_eq!((status.resource.as_str(), status.subresource.as_str()), ("namespaces", "status"));
        let pod = route(Method::GET, "/api/v1/namespaces/a/pods/p/log", "");
        assert_eq!(
            (pod.resource.as_str(), pod.name.as_str(), pod.subresource.as_str()),
            ("pods", "p", "log")
        );
    }

    #[test]
    fn a_list_of_one_name_is_judged_by_that_name() {
        let list = route(Method::GET, "/api/v1/namespaces/a/pods", "fieldSelector=metadata.name%3Dp&watch=1");
        assert_eq!((list.verb.as_str(), list.name.as_str()), ("watch", "p"));
    }

    #[test]
    fn group_documents_are_no_resources() {
        assert!(!route(Method::GET, "/apis/apps/v1", "").is_resource());
        assert!(!route(Method::GET, "/api/v1", "").is_resource());
    }
}
