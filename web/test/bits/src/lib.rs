//! A scene in steps of 0.2 s, the same on the page and natively: what is said after how many frames is the same, and so
//! must be every bit that is heard.

pub mod scene;

#[cfg(target_arch = "wasm32")]
mod page {
    use std::cell::RefCell;

    use voicepool::{Config, Mixer};

    use crate::scene::{Scene, config};

    thread_local! {
        static SCENE: RefCell<Option<Scene>> = const { RefCell::new(None) };
        static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
    }

    /// Opens the mixer of the scene; or one of 256 voices at another pitch.
    #[unsafe(no_mangle)]
    pub extern "C" fn test_open(is_storm: bool) {
        let config = if is_storm { Config { voices: 256, ..Config::DEFAULT } } else { config() };
        let mixer = Mixer::open(config).expect("a good config");
        SCENE.set(Some(Scene::new(mixer)));
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn test_step(step: usize) {
        SCENE.with_borrow_mut(|scene| scene.as_mut().expect("it is open").step(step));
    }

    /// As many voices as there are, each between its samples.
    #[unsafe(no_mangle)]
    pub extern "C" fn test_storm() {
        SCENE.with_borrow_mut(|scene| scene.as_mut().expect("it is open").storm());
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn test_stream() {
        SCENE.with_borrow_mut(|scene| scene.as_mut().expect("it is open").stream());
    }

    /// Lays a text ready, and returns where. Its length is [`test_length`].
    fn tell(text: impl FnOnce(&Scene) -> String) -> *const u8 {
        let text = SCENE.with_borrow(|scene| text(scene.as_ref().expect("it is open")));
        TEXT.with_borrow_mut(|held| {
            *held = text;
            held.as_ptr()
        })
    }

    /// What became of it.
    #[unsafe(no_mangle)]
    pub extern "C" fn test_report() -> *const u8 {
        tell(Scene::report)
    }

    /// Where the sound goes.
    #[unsafe(no_mangle)]
    pub extern "C" fn test_output() -> *const u8 {
        tell(|scene| scene.output().to_string())
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn test_length() -> usize {
        TEXT.with_borrow(String::len)
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn test_close() {
        SCENE.set(None);
    }
}
