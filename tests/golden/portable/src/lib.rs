//! The golden scene for whoever asks: as a program (`main.rs`), and in wasm through four functions.
//!
//! In wasm, [`quantum`] plays the next 128 frames and leaves them where [`frames`] says, left and right in turns, as
//! floats; it gives 0 when the scene is over. Then [`report`] and [`report_len`] say where the report is, a line for
//! each act as in `golden.txt`, and [`differing`] how many of its lines are not golden. The module has no imports.

#[path = "../../scene/mod.rs"]
pub mod scene;

#[cfg(target_arch = "wasm32")]
mod wasm {
    use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

    use super::scene::{self, QUANTUM, Scene};

    struct Player {
        scene: Scene,
        frames: Box<[[f32; 2]; QUANTUM]>,
        report: String,
    }

    static PLAYER: LazyLock<Mutex<Player>> = LazyLock::new(|| {
        let frames = Box::new([[0.0; 2]; QUANTUM]);
        Mutex::new(Player { scene: Scene::new(), frames, report: String::new() })
    });

    fn player() -> MutexGuard<'static, Player> {
        PLAYER.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn quantum() -> u32 {
        let mut player = player();
        let frames = player.scene.quantum();
        *player.frames = frames.unwrap_or([[0.0; 2]; QUANTUM]);
        if frames.is_none() {
            player.report = player.scene.report();
        }
        frames.is_some().into()
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn frames() -> *const f32 {
        player().frames.as_flattened().as_ptr()
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn report() -> *const u8 {
        player().report.as_ptr()
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn report_len() -> usize {
        player().report.len()
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn differing() -> usize {
        scene::differing(&player().report).len()
    }
}
