//! A body that arrives in pieces, as text.

use gloo_net::http::Response;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStreamDefaultReader, TextDecodeOptions, TextDecoder};

/// Reads to the end. Nothing when the connection broke before it.
pub async fn read_text(response: Response, mut take: impl FnMut(String)) -> Option<()> {
    let reader: ReadableStreamDefaultReader = response.body()?.get_reader().unchecked_into();
    let decoder = TextDecoder::new().ok()?;
    // A character may be cut in two by the network; the decoder keeps its first half.
    let options = TextDecodeOptions::new();
    options.set_stream(true);
    loop {
        let piece = JsFuture::from(reader.read()).await.ok()?;
        let field = |name: &str| Reflect::get(&piece, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED);
        if field("done").is_truthy() {
            return Some(());
        }
        let bytes: Uint8Array = field("value").dyn_into().ok()?;
        take(decoder.decode_with_js_u8_array_and_options(&bytes, &options).ok()?);
    }
}
