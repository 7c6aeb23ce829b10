//! Codes of the API in both languages. Exhaustive matches: a new code does not compile until it has its words.

use super::Language;
use super::Language::{En, Zh};
use shared::error::{ErrorCode, FieldCode, FieldError, Layer};
use shared::policy::matrix::Role;
use shared::space::actions::{Action, Denial, DenialCode};
use shared::space::explanation::{Advice, AdviceCode, StepId};
use shared::space::status::{Reason, ReasonCode, SpaceStatus};
use std::collections::BTreeMap;

fn pick(language: Language, en: &'static str, zh: &'static str) -> &'static str {
    match language {
        En => en,
        Zh => zh,
    }
}

/// Fills `{name}` from the code's parameters; a parameter that is missing leaves an ellipsis, never a brace.
fn fill(text: &str, params: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let Some(length) = rest[start..].find('}') else { break };
        out.push_str(&rest[..start]);
        out.push_str(params.get(&rest[start + 1..start + length]).map_or("…", String::as_str));
        rest = &rest[start + length + 1..];
    }
    out.push_str(rest);
    out
}

pub fn status(l: Language, status: SpaceStatus) -> &'static str {
    use SpaceStatus::*;
    match status {
        Running => pick(l, "Running", "运行中"),
        Starting => pick(l, "Starting", "启动中"),
        Queued => pick(l, "Queued", "排队中"),
        Blocked => pick(l, "Blocked", "受阻"),
        Unschedulable => pick(l, "No room", "无可用节点"),
        PullingImage => pick(l, "Pulling image", "拉取镜像"),
        PreparingAccess => pick(l, "Preparing access", "准备访问"),
        StorageError => pick(l, "Storage error", "存储错误"),
        Error => pick(l, "Error", "错误"),
        Stopping => pick(l, "Stopping", "停止中"),
        Stopped => pick(l, "Stopped", "已停止"),
        Preempted => pick(l, "Preempted", "被抢占"),
        Failed => pick(l, "Failed", "失败"),
        Deleting => pick(l, "Deleting", "删除中"),
        Unknown => pick(l, "Unknown", "未知"),
    }
}

pub fn reason(l: Language, reason: &Reason) -> String {
    use ReasonCode::*;
    let text = match reason.code {
        JustCreated => pick(l, "Just created", "刚刚创建"),
        CreatingResources => pick(l, "Creating resources", "正在创建资源"),
        WaitingForQuota => pick(l, "Waiting in the queue for quota", "正在队列中等待配额"),
        PreemptedRequeued => pick(l, "Its capacity was taken back; queued again", "容量被收回，已重新排队"),
        PreemptedStopped => pick(l, "Stopped because its capacity was taken back", "容量被收回，已停止"),
        Deactivated => pick(l, "Its workload was put on hold", "其工作负载已被暂停"),
        QuotaExceeded => pick(l, "The namespace's resource quota is used up", "命名空间的资源配额已用尽"),
        ServiceAccountMissing => {
            pick(l, "The service account it needs does not exist", "所需的服务账号不存在")
        }
        AdmissionDenied => pick(l, "A rule of the cluster refuses it", "被集群规则拒绝"),
        QueueLabelMissing => {
            pick(l, "This namespace demands a queue and none is set", "该命名空间要求指定队列，但未设置")
        }
        ChildRefused => pick(l, "The cluster refuses a part of it", "集群拒绝创建其组成部分"),
        InsufficientCpu => pick(l, "No node has enough free vCPU", "没有节点有足够的空闲 vCPU"),
        InsufficientMemory => pick(l, "No node has enough free memory", "没有节点有足够的空闲内存"),
        InsufficientAccelerator => {
            pick(l, "No node has enough free accelerators", "没有节点有足够的空闲加速器")
        }
        NoMatchingNode => pick(l, "No node is of the type it asks for", "没有符合所选类型的节点"),
        TaintNotTolerated => {
            pick(l, "The nodes with room are reserved for other work", "有空闲的节点已预留给其他工作")
        }
        VolumeZoneConflict => {
            pick(l, "Its volume lies in a zone without a free node", "其存储卷所在可用区没有空闲节点")
        }
        VolumeSlots => pick(l, "The nodes can attach no further volume", "节点无法再挂载更多存储卷"),
        PodSlots => pick(l, "The nodes can take no further pod", "节点无法再容纳更多 Pod"),
        NodeProvisioning => pick(l, "A node is on its way", "节点正在准备中"),
        Unschedulable => pick(l, "No node can take it now", "目前没有节点可以运行它"),
        ClaimMissing => pick(l, "A volume it needs does not exist", "所需的存储卷不存在"),
        ClaimPending => pick(l, "Its volume is being made", "正在创建存储卷"),
        VolumeAttachFailed => pick(l, "Its volume cannot be attached", "存储卷无法挂接"),
        VolumeMountFailed => pick(l, "Its volume cannot be mounted", "存储卷无法挂载"),
        PullingImage => pick(l, "Fetching the image", "正在获取镜像"),
        ImagePullFailed => pick(l, "The image cannot be fetched", "无法获取镜像"),
        InvalidImageName => pick(l, "The image name is not valid", "镜像名称无效"),
        CrashLoop => pick(l, "The container keeps ending", "容器反复退出"),
        OutOfMemory => pick(l, "It ran out of memory", "内存不足"),
        ContainerConfigError => pick(l, "The container's configuration is wrong", "容器配置有误"),
        StartingContainer => pick(l, "Starting the container", "正在启动容器"),
        PreparingAccess => pick(l, "Running, not reachable yet", "已运行，尚不可访问"),
        AccessProbeGaveUp => {
            pick(l, "Running, but its address never answered", "已运行，但其地址始终没有响应")
        }
        ResourcesStopping => pick(l, "Shutting down", "正在关闭"),
        FinalizersPending => pick(l, "Something still holds the deletion", "删除仍被占用"),
        Unclear => pick(l, "What is known does not say", "现有信息无法判断"),
        ReasonCode::Unknown => pick(l, "A reason newer than this page", "此页面尚不认识的原因"),
    };
    fill(text, &reason.params)
}

pub fn advice(l: Language, advice: &Advice) -> String {
    use AdviceCode::*;
    let text = match advice.code {
        Wait => pick(l, "Nothing to do: it goes on by itself.", "无需操作，会自动继续。"),
        StopAndStart => pick(l, "Stop it and start it again.", "请先停止，再重新启动。"),
        ReduceRequest => pick(l, "Ask for less, then start again.", "请减少所需资源后重新启动。"),
        ChooseOtherInstanceType => pick(l, "Choose another instance type.", "请选择其他实例类型。"),
        ChooseOtherImage => pick(l, "Choose another image.", "请选择其他镜像。"),
        FreeQuota => {
            pick(l, "Stop a Space that is not needed to free quota.", "请停止不需要的 Space 以释放配额。")
        }
        AskLead => pick(l, "Ask your project lead.", "请联系项目负责人。"),
        AskPlatform => pick(l, "Ask the platform team.", "请联系平台团队。"),
        SetQueue => pick(l, "Set a queue.", "请设置队列。"),
        ReadLogs => pick(l, "Read the logs.", "请查看日志。"),
        RaiseMemory => pick(l, "Give it more memory.", "请增加内存。"),
        CreateClaim => pick(
            l,
            "Create the missing volume, or take it off the Space.",
            "请创建缺失的存储卷，或从 Space 中移除它。",
        ),
        ProbablyStuck => pick(
            l,
            "It has waited {minutes} minutes; it will probably not go on by itself.",
            "已等待 {minutes} 分钟，很可能不会自行恢复。",
        ),
        StopToReleaseQueue => pick(l, "Stop it to give up its place in the queue.", "停止它可让出队列位置。"),
        AdviceCode::Unknown => pick(l, "See the events.", "请查看事件。"),
    };
    fill(text, &advice.params)
}

pub fn step(l: Language, step: StepId) -> &'static str {
    match step {
        StepId::Admission => pick(l, "Accepted", "接受请求"),
        StepId::Queue => pick(l, "Queue", "排队"),
        StepId::Node => pick(l, "Node", "节点"),
        StepId::Volume => pick(l, "Volume", "存储卷"),
        StepId::Image => pick(l, "Image", "镜像"),
        StepId::Container => pick(l, "Container", "容器"),
        StepId::Access => pick(l, "Web address", "访问地址"),
    }
}

pub fn action(l: Language, action: Action) -> &'static str {
    match action {
        Action::Start => pick(l, "Start", "启动"),
        Action::Stop => pick(l, "Stop", "停止"),
        Action::Open => pick(l, "Open", "打开"),
        Action::OpenRemote => pick(l, "Open in IDE", "在 IDE 中打开"),
        Action::Edit => pick(l, "Edit", "编辑"),
        Action::Delete => pick(l, "Delete", "删除"),
    }
}

pub fn layer(l: Language, layer: Layer) -> &'static str {
    match layer {
        Layer::Organization => pick(l, "organization", "组织"),
        Layer::Project => pick(l, "project", "项目"),
        Layer::Cluster => pick(l, "cluster", "集群"),
        Layer::Workload => pick(l, "workload", "工作负载"),
    }
}

pub fn role(l: Language, role: Role) -> &'static str {
    match role {
        Role::PlatformAdmin => pick(l, "Platform admin", "平台管理员"),
        Role::ProjectLead => pick(l, "Project lead", "项目负责人"),
        Role::Engineer => pick(l, "Engineer", "工程师"),
        Role::Auditor => pick(l, "Auditor", "审计员"),
    }
}

/// The denial, with the layer and the rule that decide.
pub fn denial(l: Language, denial: &Denial) -> String {
    use DenialCode::*;
    let text = match denial.code {
        OwnerOnly => pick(l, "Private to its owner", "仅所有者可用"),
        RoleForbids => pick(l, "Your role does not permit it", "您的角色不允许此操作"),
        ClusterForbids => pick(l, "The cluster does not grant you this", "集群未授予您此权限"),
        AlreadyRunning => pick(l, "It already runs", "已在运行"),
        AlreadyStopped => pick(l, "It is already stopped", "已经停止"),
        NotReady => pick(l, "It is not ready yet", "尚未就绪"),
        BeingDeleted => pick(l, "It is being deleted", "正在删除"),
        NoWebAccess => pick(l, "Its access strategy offers no browser access", "其访问策略不支持浏览器访问"),
        NoRemoteAccess => pick(l, "Its access strategy offers no IDE access", "其访问策略不支持 IDE 访问"),
        IdentityMismatch => pick(
            l,
            "The cluster knows you under another name; writes are refused",
            "集群识别的用户名与您不符，已拒绝写操作",
        ),
        Unreachable => pick(l, "The cluster cannot be reached now", "目前无法连接集群"),
        DenialCode::Unknown => pick(l, "Not permitted", "不允许"),
    };
    let text = fill(text, &denial.params);
    match denial.code {
        OwnerOnly | RoleForbids | ClusterForbids | IdentityMismatch => match l {
            En => format!("{text} ({}: {})", layer(l, denial.layer), denial.rule),
            Zh => format!("{text}（{}：{}）", layer(l, denial.layer), denial.rule),
        },
        _ => text,
    }
}

pub fn error(l: Language, code: ErrorCode) -> &'static str {
    use ErrorCode::*;
    match code {
        Malformed => pick(l, "The request could not be read.", "请求无法识别。"),
        Unauthenticated => pick(l, "Please sign in again.", "请重新登录。"),
        Forbidden => pick(l, "You may not do this.", "您没有权限执行此操作。"),
        IdentityMismatch => pick(
            l,
            "The cluster knows you under another name, so changes are refused. An administrator must correct the access entry.",
            "集群识别的用户名与您不符，因此拒绝更改。请管理员更正访问条目。",
        ),
        CsrfRejected => pick(
            l,
            "The request came from another page. Reload and try again.",
            "请求来自其他页面，请刷新后重试。",
        ),
        NotFound => pick(l, "It does not exist, or you may not see it.", "不存在，或您无权查看。"),
        MethodNotAllowed => pick(l, "The portal does not offer this.", "门户不支持此操作。"),
        Conflict => pick(
            l,
            "It has changed since you read it. Look at the new state and decide again.",
            "内容已被更改，请查看最新状态后再决定。",
        ),
        AlreadyExists => pick(l, "This name is taken.", "该名称已被使用。"),
        NotReady => pick(l, "It is not ready for this yet.", "尚未就绪，无法执行。"),
        ObjectReplaced => pick(l, "The name now belongs to another Space.", "该名称现属于另一个 Space。"),
        TooLarge => pick(l, "The request is too large.", "请求过大。"),
        UnsupportedMediaType => pick(l, "The request has the wrong content type.", "请求的内容类型不正确。"),
        UnknownHost => pick(l, "Use the portal's own address.", "请使用门户自己的地址。"),
        Invalid => pick(l, "Some fields need your attention.", "部分字段需要修改。"),
        QuotaExceeded => pick(l, "A quota of the cluster forbids it.", "超出集群配额。"),
        PreconditionRequired => pick(l, "The version of the object is missing.", "缺少对象版本。"),
        RateLimited => pick(l, "Too many requests. Wait a moment.", "请求过多，请稍候。"),
        Internal => pick(l, "The portal made a mistake.", "门户内部出错。"),
        UpstreamFailed => {
            pick(l, "The cluster gave an answer that cannot be used.", "集群返回了无法使用的结果。")
        }
        UpstreamUnavailable => pick(l, "The cluster cannot be reached now.", "目前无法连接集群。"),
        Unavailable => pick(l, "The portal is restarting or overloaded.", "门户正在重启或过载。"),
        ErrorCode::Unknown => pick(l, "Something went wrong.", "出错了。"),
    }
}

pub fn field(l: Language, error: &FieldError) -> String {
    use FieldCode::*;
    let text = match error.code {
        Required => pick(l, "Required.", "必填。"),
        InvalidFormat => pick(l, "Not of the right form.", "格式不正确。"),
        InvalidCharacter => pick(
            l,
            "“{character}” is not allowed: lower-case letters， digits and hyphens only.",
            "不允许“{character}”：仅限小写字母、数字和连字符。",
        ),
        TooLong => pick(l, "Too long: at most {max} characters.", "过长：最多 {max} 个字符。"),
        NameBudget => pick(
            l,
            "Too long for this namespace's web addresses: at most {max} characters.",
            "超出该命名空间访问地址的长度：最多 {max} 个字符。",
        ),
        BelowMinimum => pick(l, "At least {min}.", "不得小于 {min}。"),
        AboveMaximum => pick(l, "At most {max}.", "不得大于 {max}。"),
        NotAllowed => pick(l, "Not allowed. Allowed: {allowed}.", "不允许。可选：{allowed}。"),
        FieldCode::NotFound => pick(l, "Does not exist.", "不存在。"),
        Duplicate => pick(l, "Already used: {value}.", "重复：{value}。"),
        MixedAccelerators => {
            pick(l, "Whole GPUs and MIG slices cannot be combined.", "整卡 GPU 与 MIG 切片不能同时使用。")
        }
        ZoneConflict => {
            pick(l, "These volumes lie in different zones: {zones}.", "这些存储卷位于不同可用区：{zones}。")
        }
        Immutable => pick(l, "Cannot be changed after creation.", "创建后不可更改。"),
        CannotShrink => {
            pick(l, "A volume can only grow; it has {current} now.", "存储卷只能扩大，当前为 {current}。")
        }
        Reserved => pick(l, "Reserved.", "保留名称。"),
        PatternMismatch => pick(l, "Must match {pattern}.", "必须匹配 {pattern}。"),
        UnknownField => pick(l, "Unknown field.", "未知字段。"),
        Rejected => pick(l, "Refused by the cluster: {reason}", "被集群拒绝：{reason}"),
        NoDetection => pick(
            l,
            "Nothing can detect activity here, so it would never stop.",
            "无法检测活动，因此永远不会自动停止。",
        ),
        QueueRequired => pick(l, "This namespace needs a queue.", "该命名空间需要指定队列。"),
        FieldCode::Unknown => return error.message.clone(),
    };
    fill(text, &error.params)
}
