//! The last page: after a panic no code of the application can be trusted, so plain DOM takes its place.

use leptos::prelude::{document, window};
use std::panic::PanicHookInfo;

/// Both languages: which one was chosen is not asked of a broken application. No word of a person is in it.
const PAGE: &str = r#"<main class="center"><div class="state" role="alert">
<h1>The page has stopped working</h1><p>Your Spaces are not affected. Reload to go on.</p>
<h1 lang="zh-CN">页面已停止工作</h1><p lang="zh-CN">您的 Space 不受影响。请刷新页面继续。</p>
<p><a class="button primary" rel="external">Reload · 刷新</a></p></div></main>"#;

/// Reports to the console and replaces the page.
pub fn install() {
    std::panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        console_error_panic_hook::hook(info);
        replace_page();
    }));
}

fn replace_page() {
    let Some(body) = document().body() else { return };
    body.set_inner_html(PAGE);
    let Ok(Some(link)) = document().query_selector("a[rel='external']") else { return };
    let here = window().location().href().unwrap_or_else(|_| "/".to_owned());
    // A constant attribute name is always valid.
    let _ = link.set_attribute("href", &here);
}
