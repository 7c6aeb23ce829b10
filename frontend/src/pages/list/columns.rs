//! The columns of the list: heading, order, and how a cell reads.

use crate::model::listing::SortKey;
use crate::pages::detail::{accelerator, cost, idle_text};
use crate::words::{Language, Pick, app_name, bytes, cores};
use shared::space::{Sharing, SpaceRow};

#[derive(Clone, Copy)]
pub struct Column {
    pub id: &'static str,
    pub word: Pick,
    pub sort: Option<SortKey>,
    pub numeric: bool,
}

impl PartialEq for Column {
    fn eq(&self, other: &Column) -> bool {
        self.id == other.id
    }
}

const fn column(id: &'static str, word: Pick, sort: Option<SortKey>, numeric: bool) -> Column {
    Column { id, word, sort, numeric }
}

/// "There is none", which is neither zero nor unknown.
const NOTHING: &str = "–";

pub const COLUMNS: [Column; 14] = [
    column("status", |w| w.col_status, Some(SortKey::Status), false),
    column("app", |w| w.col_app, Some(SortKey::App), false),
    column("access", |w| w.col_access, Some(SortKey::Access), false),
    column("owner", |w| w.col_owner, Some(SortKey::Owner), false),
    column("namespace", |w| w.col_namespace, Some(SortKey::Namespace), false),
    column("cluster", |w| w.col_cluster, None, false),
    column("gpu", |w| w.col_gpu, Some(SortKey::Gpu), false),
    column("cpu", |w| w.col_cpu, Some(SortKey::Cpu), true),
    column("memory", |w| w.col_memory, Some(SortKey::Memory), true),
    column("storage", |w| w.col_storage, Some(SortKey::Storage), true),
    column("idle", |w| w.col_idle, None, false),
    column("queue", |w| w.queue, None, false),
    column("age", |w| w.col_age, Some(SortKey::Age), false),
    column("cost", |w| w.col_cost, Some(SortKey::Cost), true),
];

/// Text of a plain cell. Status and age have cells of their own.
pub fn cell(l: Language, row: &SpaceRow, id: &str) -> String {
    let w = l.words();
    let none = || NOTHING.to_owned();
    match id {
        "app" => row.app_type.as_deref().map(app_name).unwrap_or_else(|| w.not_stated.to_owned()),
        "access" => match row.access_type {
            Sharing::OwnerOnly => w.access_owner.to_owned(),
            Sharing::Public => w.access_public.to_owned(),
            Sharing::Unknown => w.not_stated.to_owned(),
        },
        "owner" => row.owner.display_name.clone(),
        "namespace" => row.namespace.clone(),
        "cluster" => row.cluster.clone(),
        "gpu" if row.resources.accelerator.is_none() => none(),
        "gpu" => accelerator(l, row),
        "cpu" => row.resources.cpu_millis.map_or_else(|| w.not_stated.to_owned(), |c| cores(l, c)),
        "memory" => row.resources.memory_bytes.map_or_else(|| w.not_stated.to_owned(), |b| bytes(l, b)),
        "storage" => row.storage.as_ref().and_then(|s| s.size_bytes).map_or_else(none, |b| bytes(l, b)),
        "idle" => idle_text(l, &row.idle).1,
        "queue" => row.queue.clone().unwrap_or_else(none),
        "cost" => cost(l, row.cost_per_hour),
        _ => String::new(),
    }
}
