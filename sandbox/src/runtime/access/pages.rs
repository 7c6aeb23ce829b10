//! The router's own pages: why a Space is not to be seen, in English or Simplified Chinese.

use axum::response::{Html, IntoResponse, Response};
use http::StatusCode;
use http::header::{self, HeaderMap};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    English,
    Chinese,
}

impl Language {
    /// The browser's first choice decides; anything but Chinese gets English.
    pub fn of(headers: &HeaderMap) -> Language {
        let wanted =
            headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if wanted.trim_start().to_ascii_lowercase().starts_with("zh") {
            Language::Chinese
        } else {
            Language::English
        }
    }
}

#[derive(Debug)]
pub enum Notice {
    UnknownHost,
    /// No cookie, or an expired one, or one of an earlier Space of the same name.
    NotOpened,
    BadToken,
    WrongHost,
    /// A page of another origin made the browser ask.
    ForeignOrigin,
    Starting {
        progress: Option<String>,
    },
    Simulated {
        name: String,
        reason: String,
    },
    Ended {
        code: Option<i32>,
        log: Vec<String>,
    },
    Unreachable,
    Stopped,
}

struct Text {
    status: StatusCode,
    title: &'static str,
    body: &'static str,
}

impl Notice {
    pub fn respond(&self, language: Language) -> Response {
        let text = match language {
            Language::English => self.english(),
            Language::Chinese => self.chinese(),
        };
        let refresh = match self {
            Notice::Starting { .. } => "<meta http-equiv=\"refresh\" content=\"1\">",
            Notice::Unreachable => "<meta http-equiv=\"refresh\" content=\"3\">",
            _ => "",
        };
        let detail = self.detail();
        let detail = if detail.is_empty() { detail } else { format!("<pre>{}</pre>", escape(&detail)) };
        let page = format!(
            "<!doctype html><html lang=\"{}\"><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\">{refresh}<title>{title}</title>\
             <style>{STYLE}</style><main><h1>{title}</h1><p>{}</p>{detail}</main></html>",
            if language == Language::Chinese { "zh-CN" } else { "en" },
            text.body,
            title = text.title,
        );
        let headers = [
            (header::CACHE_CONTROL, "no-store"),
            (
                header::CONTENT_SECURITY_POLICY,
                "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
            ),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        (text.status, headers, Html(page)).into_response()
    }

    /// What is not translated: names, reasons and output of programs.
    fn detail(&self) -> String {
        match self {
            Notice::Starting { progress } => progress.clone().unwrap_or_default(),
            Notice::Simulated { name, reason } => format!("{name}: {reason}"),
            Notice::Ended { code: Some(code), log } => format!("exit code {code}\n{}", log.join("\n")),
            Notice::Ended { code: None, log } => log.join("\n"),
            _ => String::new(),
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Notice::UnknownHost => StatusCode::NOT_FOUND,
            Notice::NotOpened | Notice::BadToken => StatusCode::UNAUTHORIZED,
            Notice::WrongHost | Notice::ForeignOrigin => StatusCode::FORBIDDEN,
            // Not 503: a browser would report the page that says "soon" as an error.
            Notice::Starting { .. } => StatusCode::ACCEPTED,
            Notice::Simulated { .. } => StatusCode::OK,
            Notice::Ended { .. } | Notice::Unreachable => StatusCode::BAD_GATEWAY,
            Notice::Stopped => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn english(&self) -> Text {
        let (title, body) = match self {
            Notice::UnknownHost => ("No such Space", "No Space has this address. It may have been deleted."),
            Notice::NotOpened => (
                "Open this Space from the portal",
                "This address needs a connection of your own: press <b>Open</b> at the Space in the portal.",
            ),
            Notice::BadToken => (
                "This link has expired",
                "Links to a Space are good for five minutes. Press <b>Open</b> at the Space in the portal again.",
            ),
            Notice::WrongHost => {
                ("This link belongs to another Space", "Press <b>Open</b> at the Space in the portal.")
            }
            Notice::ForeignOrigin => {
                ("Refused", "A page of another origin asked for this. Only pages of this Space may.")
            }
            Notice::Starting { .. } => {
                ("Starting …", "The server of this Space is starting. This page goes on by itself.")
            }
            Notice::Simulated { .. } => (
                "A simulated Space",
                "This page stands in for a notebook or an editor: nothing runs here and nothing is saved.",
            ),
            Notice::Ended { .. } => {
                ("The server has ended", "The server of this Space has ended by itself. Its last output:")
            }
            Notice::Unreachable => {
                ("No answer", "The server of this Space does not answer. This page tries again.")
            }
            Notice::Stopped => ("This Space is stopped", "Start it in the portal; its files are kept."),
        };
        Text { status: self.status(), title, body }
    }

    fn chinese(&self) -> Text {
        let (title, body) = match self {
            Notice::UnknownHost => ("没有这个 Space", "没有 Space 使用这个地址，它可能已被删除。"),
            Notice::NotOpened => {
                ("请从门户打开此 Space", "访问此地址需要您自己的连接：请在门户中点击该 Space 的<b>打开</b>。")
            }
            Notice::BadToken => ("链接已过期", "Space 的链接有效期为五分钟。请在门户中再次点击<b>打开</b>。"),
            Notice::WrongHost => ("此链接属于另一个 Space", "请在门户中点击该 Space 的<b>打开</b>。"),
            Notice::ForeignOrigin => ("已拒绝", "请求来自其他来源的页面，只有此 Space 自己的页面可以访问。"),
            Notice::Starting { .. } => ("正在启动 …", "此 Space 的服务器正在启动，页面会自动继续。"),
            Notice::Simulated { .. } => {
                ("模拟的 Space", "此页面代替笔记本或编辑器：没有实际运行的程序，也不会保存任何内容。")
            }
            Notice::Ended { .. } => ("服务器已退出", "此 Space 的服务器已自行退出，最后的输出："),
            Notice::Unreachable => ("没有响应", "此 Space 的服务器没有响应，页面会自动重试。"),
            Notice::Stopped => ("此 Space 已停止", "请在门户中启动它，文件会保留。"),
        };
        Text { status: self.status(), title, body }
    }
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:0;display:grid;place-items:center;min-height:100vh;\
color-scheme:light dark;background:Canvas;color:CanvasText}main{max-width:36rem;padding:2rem}h1{font-size:1.4rem}\
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.75rem;border:1px solid GrayText;border-radius:.4rem;font-size:.85rem}";

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    async fn page(notice: Notice, language: Language) -> String {
        let body = notice.respond(language).into_body().collect().await.unwrap().to_bytes();
        String::from_utf8(body.to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_simulated_space_says_so_in_both_languages() {
        let notice = || Notice::Simulated { name: "lab".into(), reason: "no python3".into() };
        let english = page(notice(), Language::English).await;
        assert!(english.contains("A simulated Space") && english.contains("no python3"));
        assert!(page(notice(), Language::Chinese).await.contains("模拟的 Space"));
    }

    #[tokio::test]
    async fn output_of_programs_cannot_write_markup() {
        let notice = Notice::Ended { code: Some(1), log: vec!["<script>alert(1)</script>".into()] };
        let text = page(notice, Language::English).await;
        assert!(!text.contains("<script>") && text.contains("&lt;script&gt;"));
    }

    #[test]
    fn the_browsers_first_language_decides() {
        let with = |value: &'static str| {
            Language::of(&HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, value.parse().unwrap())]))
        };
        assert_eq!(with("zh-CN,en;q=0.8"), Language::Chinese);
        assert_eq!(with("en,zh;q=0.9"), Language::English);
        assert_eq!(Language::of(&HeaderMap::new()), Language::English);
    }
}
