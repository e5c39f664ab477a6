//! On a page that is made with `wasm-bindgen`, the glue comes along and is attached by itself.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(module = "/src/output/web/glue.js")]
extern "C" {
    /// Carries what crosses between an instance on the page and those in worklets. Once is enough.
    fn attach(exports: &JsValue, module: &JsValue);
}

/// Attaches this very instance.
pub(super) fn attach_this() {
    attach(&wasm_bindgen::exports(), &wasm_bindgen::module());
}
