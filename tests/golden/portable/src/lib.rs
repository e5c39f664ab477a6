//! The golden scene for whoever asks: as a program (`main.rs`), and in wasm through a few functions.
//!
//! In wasm, `quantum` plays the next 128 frames, leaves them where `frames` says, left and right in turns, as floats,
//! and gives the number of their act, from 1 on, or 0 when the scene is over. Then `report` and `report_len` say where
//! the report is, a line for each act as in `golden.txt`. The module has no imports.

#[path = "../../scene/mod.rs"]
pub mod scene;

#[cfg(target_arch = "wasm32")]
mod wasm {
    use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

    use super::scene::{QUANTUM, Scene};

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
        let Some(frames) = player.scene.quantum() else {
            player.report = player.scene.report();
            return 0;
        };
        *player.frames = frames;
        player.scene.outcomes.len() as u32 + 1
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
}
