//! The columns of every kind, as data. Names, types and descriptions are those that the API server of Kubernetes 1.36
//! and the CRDs of the add-ons give.

use super::{Cell, Column, cells, events, nodes, pods};
use crate::kube::kinds::Kind;

const NAME_TEXT: &str = "Name must be unique within a namespace. Is required when creating resources, although some \
    resources may allow a client to request the generation of an appropriate name automatically. \
    Name is primarily intended for creation idempotence and configuration definition. Cannot be \
    updated. More info: \
    https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const CREATED_TEXT: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It \
    is not guaranteed to be set in happens-before order across separate operations. Clients may not \
    set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. \
    Read-only. Null for lists. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
const ADDRESS_TEXT: &str = "List of addresses reachable to the node. Queried from cloud provider, if available. More info: \
    https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is declared \
    as mergeable, but the merge key is not sufficiently unique, which can cause data corruption \
    when it is merged. Callers should instead use a full-replacement patch. See \
    https://pr.k8s.io/79391 for an example. Consumers should assume that addresses can change \
    during the lifetime of a Node. However, there are some exceptions where this may not be \
    possible, such as Pods that inherit a Node's address in its own status or consumers of the \
    downward API (status.hostIP).";

const fn text(name: &'static str, description: &'static str, cell: Cell) -> Column {
    Column { name, kind: "string", priority: 0, description, cell }
}

const fn wide(name: &'static str, description: &'static str, cell: Cell) -> Column {
    Column { priority: 1, ..text(name, description, cell) }
}

const fn integer(name: &'static str, description: &'static str, cell: Cell) -> Column {
    Column { kind: "integer", ..text(name, description, cell) }
}

const fn boolean(name: &'static str, description: &'static str, cell: Cell) -> Column {
    Column { kind: "boolean", ..text(name, description, cell) }
}

const fn wide_integer(name: &'static str, description: &'static str, cell: Cell) -> Column {
    Column { kind: "integer", ..wide(name, description, cell) }
}

const NAME: Column = text("Name", NAME_TEXT, Cell::Name);
const AGE: Column = text("Age", CREATED_TEXT, Cell::Age);

/// What kinds without columns of their own show.
const DEFAULT: &[Column] =
    &[NAME, Column { kind: "date", ..text("Created At", CREATED_TEXT, Cell::Created) }];

/// The age of a custom resource, which its CRD declares.
const CUSTOM_AGE: Column = Column {
    kind: "date",
    ..text(
        "Age",
        "Custom resource definition column (in JSONPath format): .metadata.creationTimestamp",
        Cell::Age,
    )
};

const PODS: &[Column] = &[
    NAME,
    text("Ready", "The aggregate readiness state of this pod for accepting traffic.", Cell::Of(pods::ready)),
    text("Status", "The aggregate status of the containers in this pod.", Cell::Of(pods::status)),
    text(
        "Restarts",
        "The number of times the containers in this pod have been restarted and when the last container \
        in this pod has restarted.",
        Cell::Of(pods::restarts),
    ),
    AGE,
    wide(
        "IP",
        "podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet \
        allocated.",
        Cell::Of(pods::address),
    ),
    wide(
        "Node",
        "NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for \
        scheduling by the scheduler defined in schedulerName. Once this field is set, the kubelet for \
        this node becomes responsible for the lifecycle of this pod. This field should not be used to \
        express a desire for the pod to be scheduled on a specific node. \
        https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
        Cell::Of(pods::node),
    ),
    wide(
        "Nominated Node",
        "nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be \
        scheduled right away as preemption victims receive their graceful termination periods. This \
        field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to \
        place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to \
        give the resources on this node to a higher priority pod that is created after preemption. As a \
        result, this field may be different than PodSpec.nodeName when the pod is scheduled.",
        Cell::Of(pods::nominated),
    ),
    wide(
        "Readiness Gates",
        "If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all \
        its containers are ready AND all conditions specified in the readiness gates have status equal \
        to \"True\" More info: https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates",
        Cell::Of(pods::gates),
    ),
];
const NODES: &[Column] = &[
    NAME,
    text("Status", "The status of the node", Cell::Of(nodes::status)),
    text("Roles", "The roles of the node", Cell::Of(nodes::roles)),
    AGE,
    text("Version", "Kubelet Version reported by the node.", Cell::Of(nodes::version)),
    wide("Internal-IP", ADDRESS_TEXT, Cell::Of(nodes::internal)),
    wide("External-IP", ADDRESS_TEXT, Cell::Of(nodes::external)),
    wide(
        "OS-Image",
        "OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).",
        Cell::Of(nodes::os),
    ),
    wide(
        "Kernel-Version",
        "Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).",
        Cell::Of(nodes::kernel),
    ),
    wide(
        "Container-Runtime",
        "ContainerRuntime Version reported by the node through runtime remote API (e.g. \
        containerd://1.4.2).",
        Cell::Of(nodes::runtime),
    ),
];
const NAMESPACES: &[Column] =
    &[NAME, text("Status", "The status of the namespace", Cell::Path("/status/phase")), AGE];
const EVENTS: &[Column] = &[
    text("Last Seen", "Time when this event was last observed", Cell::Of(events::last_seen)),
    text(
        "Type",
        "Type of this event (Normal, Warning), new types could be added in the future",
        Cell::Path("/type"),
    ),
    text(
        "Reason",
        "This should be a short, machine understandable string that gives the reason for the transition \
        into the object's current status.",
        Cell::Path("/reason"),
    ),
    text("Object", "The object this event is about", Cell::Of(events::object)),
    wide("Subobject", "The part of the object this event is about", Cell::Of(events::field)),
    wide("Source", "The component reporting this event.", Cell::Of(events::source)),
    text(
        "Message",
        "A human-readable description of the status of this operation.",
        Cell::Of(events::message),
    ),
    wide("First Seen", "Time when this event was first observed", Cell::Of(events::first_seen)),
    wide_integer("Count", "The number of times this event has occurred.", Cell::Of(events::count)),
    wide("Name", NAME_TEXT, Cell::Name),
];
const SERVICES: &[Column] = &[
    NAME,
    text("Type", "How the service is exposed", Cell::Path("/spec/type")),
    text("Cluster-IP", "The address of the service inside the cluster", Cell::Of(cells::service_ip)),
    text("External-IP", "Addresses of the service outside the cluster", Cell::Of(cells::service_addresses)),
    text("Port(s)", "The ports exposed by this service", Cell::Of(cells::service_ports)),
    AGE,
    wide("Selector", "Labels of the pods behind the service", Cell::Of(cells::service_selector)),
];
const CLAIMS: &[Column] = &[
    NAME,
    text("Status", "The phase of the claim", Cell::Of(cells::claim_status)),
    text("Volume", "The volume behind the claim", Cell::Path("/spec/volumeName")),
    text("Capacity", "The size of the volume", Cell::Of(cells::claim_capacity)),
    text("Access Modes", "How the volume can be mounted", Cell::Of(cells::claim_modes)),
    text("StorageClass", "The class the volume is made from", Cell::Of(cells::storage_class)),
    text("VolumeAttributesClass", "The class of changeable attributes", Cell::Of(cells::unset)),
    AGE,
    wide("VolumeMode", "File system or block device", Cell::Path("/spec/volumeMode")),
];
const VOLUMES: &[Column] = &[
    NAME,
    text("Capacity", "The size of the volume", Cell::Path("/spec/capacity/storage")),
    text("Access Modes", "How the volume can be mounted", Cell::Of(cells::volume_modes)),
    text(
        "Reclaim Policy",
        "What happens to a released volume",
        Cell::Path("/spec/persistentVolumeReclaimPolicy"),
    ),
    text("Status", "The phase of the volume", Cell::Path("/status/phase")),
    text("Claim", "The claim that is bound to the volume", Cell::Of(cells::volume_claim)),
    text("StorageClass", "The class of the volume", Cell::Of(cells::storage_class)),
    text("VolumeAttributesClass", "The class of changeable attributes", Cell::Of(cells::unset)),
    text("Reason", "Why the volume is in its state", Cell::Path("/status/reason")),
    AGE,
    wide("VolumeMode", "File system or block device", Cell::Path("/spec/volumeMode")),
];
const CONFIG_MAPS: &[Column] = &[NAME, text("Data", "Number of entries", Cell::Of(cells::data_count)), AGE];
const SECRETS: &[Column] = &[
    NAME,
    text("Type", "Used to facilitate programmatic handling of secret data.", Cell::Path("/type")),
    text("Data", "Number of entries", Cell::Of(cells::data_count)),
    AGE,
];
const SERVICE_ACCOUNTS: &[Column] = &[NAME, AGE];
const QUOTAS: &[Column] = &[
    NAME,
    text("Request", "Requests used and allowed", Cell::Of(cells::quota_requests)),
    text("Limit", "Limits used and allowed", Cell::Of(cells::quota_limits)),
    AGE,
];
const DEPLOYMENTS: &[Column] = &[
    NAME,
    text("Ready", "Number of the pod with ready state", Cell::Of(cells::deployment_ready)),
    text(
        "Up-to-date",
        "Total number of non-terminating pods targeted by this deployment that have the desired template \
        spec.",
        Cell::Of(cells::deployment_updated),
    ),
    text(
        "Available",
        "Total number of available non-terminating pods (ready for at least minReadySeconds) targeted by \
        this deployment.",
        Cell::Of(cells::deployment_available),
    ),
    AGE,
    wide("Containers", "Names of each container in the template.", Cell::Of(cells::template_containers)),
    wide("Images", "Images referenced by each container in the template.", Cell::Of(cells::template_images)),
    wide(
        "Selector",
        "Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones \
        affected by this deployment. It must match the pod template's labels.",
        Cell::Of(cells::match_labels),
    ),
];
const REPLICA_SETS: &[Column] = &[
    NAME,
    integer("Desired", "Number of pods wanted", Cell::Of(cells::replicas_wanted)),
    integer("Current", "Number of pods there are", Cell::Of(cells::replicas_there)),
    integer("Ready", "Number of pods that are ready", Cell::Of(cells::replicas_ready)),
    AGE,
    wide("Containers", "Names of each container in the template.", Cell::Of(cells::template_containers)),
    wide("Images", "Images referenced by each container in the template.", Cell::Of(cells::template_images)),
    wide("Selector", "Labels of the pods", Cell::Of(cells::match_labels)),
];
const PRIORITY_CLASSES: &[Column] = &[
    NAME,
    integer(
        "Value",
        "value represents the integer value of this priority class. This is the actual priority that \
        pods receive when they have the name of this class in their pod spec.",
        Cell::Path("/value"),
    ),
    boolean(
        "Global-Default",
        "globalDefault specifies whether this PriorityClass should be considered as the default priority \
        for pods that do not have any priority class. Only one PriorityClass can be marked as \
        `globalDefault`. However, if more than one PriorityClasses exists with their `globalDefault` \
        field set to true, the smallest value of such global default PriorityClasses will be used as \
        the default priority.",
        Cell::Of(cells::is_global_default),
    ),
    AGE,
    text(
        "PreemptionPolicy",
        "preemptionPolicy is the Policy for preempting pods with lower priority. One of Never, \
        PreemptLowerPriority. Defaults to PreemptLowerPriority if unset.",
        Cell::Path("/preemptionPolicy"),
    ),
];
const STORAGE_CLASSES: &[Column] = &[
    text("Name", NAME_TEXT, Cell::Of(cells::class_name)),
    text("Provisioner", "Who makes volumes of this class", Cell::Path("/provisioner")),
    text("ReclaimPolicy", "What happens to released volumes", Cell::Path("/reclaimPolicy")),
    text("VolumeBindingMode", "When a claim gets its volume", Cell::Path("/volumeBindingMode")),
    text("AllowVolumeExpansion", "May volumes grow?", Cell::Of(cells::expandable)),
    AGE,
];
const LEASES: &[Column] = &[
    NAME,
    text(
        "Holder",
        "holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader \
        Election is used, the holder identity must be equal to the elected LeaseCandidate.metadata.name \
        field.",
        Cell::Of(cells::holder),
    ),
    AGE,
];
const BINDINGS: &[Column] = &[
    NAME,
    text("Role", "The role that is bound", Cell::Of(cells::bound_role)),
    AGE,
    wide("Users", "Users among the subjects", Cell::Of(cells::bound_users)),
    wide("Groups", "Groups among the subjects", Cell::Of(cells::bound_groups)),
    wide("ServiceAccounts", "Service accounts among the subjects", Cell::Of(cells::bound_accounts)),
];
const WORKSPACES: &[Column] = &[
    NAME,
    text(
        "Available",
        "Custom resource definition column (in JSONPath format): \
        .status.conditions[?(@.type==\"Available\")].status",
        Cell::Condition("Available"),
    ),
    text(
        "Progressing",
        "Custom resource definition column (in JSONPath format): \
        .status.conditions[?(@.type==\"Progressing\")].status",
        Cell::Condition("Progressing"),
    ),
    text(
        "Degraded",
        "Custom resource definition column (in JSONPath format): \
        .status.conditions[?(@.type==\"Degraded\")].status",
        Cell::Condition("Degraded"),
    ),
    CUSTOM_AGE,
    wide(
        "CreatedBy",
        "Custom resource definition column (in JSONPath format): \
        .metadata.annotations['workspace\\.jupyter\\.org/created-by']",
        Cell::Path("/metadata/annotations/workspace.jupyter.org~1created-by"),
    ),
    wide(
        "AccessType",
        "Custom resource definition column (in JSONPath format): .spec.accessType",
        Cell::Path("/spec/accessType"),
    ),
];
const TEMPLATES: &[Column] = &[
    NAME,
    text(
        "Display Name",
        "Custom resource definition column (in JSONPath format): .spec.displayName",
        Cell::Path("/spec/displayName"),
    ),
    text(
        "Default Image",
        "Custom resource definition column (in JSONPath format): .spec.defaultImage",
        Cell::Path("/spec/defaultImage"),
    ),
    CUSTOM_AGE,
];
const CUSTOM: &[Column] = &[NAME, CUSTOM_AGE];
const CLUSTER_QUEUES: &[Column] = &[
    NAME,
    text("Cohort", "Cohort that this ClusterQueue belongs to", Cell::Path("/spec/cohortName")),
    wide(
        "Strategy",
        "The queueing strategy used to prioritize workloads",
        Cell::Path("/spec/queueingStrategy"),
    ),
    integer("Pending Workloads", "Number of pending workloads", Cell::Path("/status/pendingWorkloads")),
    wide_integer(
        "Admitted Workloads",
        "Number of admitted workloads that haven't finished yet",
        Cell::Path("/status/admittedWorkloads"),
    ),
];
const LOCAL_QUEUES: &[Column] = &[
    NAME,
    text("ClusterQueue", "Backing ClusterQueue", Cell::Path("/spec/clusterQueue")),
    integer("Pending Workloads", "Number of pending workloads", Cell::Path("/status/pendingWorkloads")),
    integer(
        "Admitted Workloads",
        "Number of admitted workloads that haven't finished yet.",
        Cell::Path("/status/admittedWorkloads"),
    ),
];
const WORKLOADS: &[Column] = &[
    NAME,
    text("Queue", "Name of the queue this workload was submitted to", Cell::Path("/spec/queueName")),
    text(
        "Reserved in",
        "Name of the ClusterQueue where the workload is reserving quota",
        Cell::Path("/status/admission/clusterQueue"),
    ),
    text("Admitted", "Admission status", Cell::Condition("Admitted")),
    text("Finished", "Workload finished", Cell::Condition("Finished")),
    Column { kind: "date", ..text("Age", "Time this workload was created", Cell::Age) },
];
const WORKLOAD_PRIORITIES: &[Column] =
    &[NAME, integer("Value", "Value of workloadPriorityClass's Priority", Cell::Path("/value"))];

/// The columns of a kind, in order.
pub fn of(kind: &Kind) -> &'static [Column] {
    match kind.plural {
        "pods" => PODS,
        "nodes" => NODES,
        "namespaces" => NAMESPACES,
        "events" => EVENTS,
        "services" => SERVICES,
        "persistentvolumeclaims" => CLAIMS,
        "persistentvolumes" => VOLUMES,
        "configmaps" => CONFIG_MAPS,
        "secrets" => SECRETS,
        "serviceaccounts" => SERVICE_ACCOUNTS,
        "resourcequotas" => QUOTAS,
        "deployments" => DEPLOYMENTS,
        "replicasets" => REPLICA_SETS,
        "priorityclasses" => PRIORITY_CLASSES,
        "storageclasses" => STORAGE_CLASSES,
        "leases" => LEASES,
        "rolebindings" | "clusterrolebindings" => BINDINGS,
        "workspaces" => WORKSPACES,
        "workspacetemplates" => TEMPLATES,
        "clusterqueues" => CLUSTER_QUEUES,
        "localqueues" => LOCAL_QUEUES,
        "workloads" => WORKLOADS,
        "workloadpriorityclasses" => WORKLOAD_PRIORITIES,
        _ if kind.custom => CUSTOM,
        _ => DEFAULT,
    }
}
