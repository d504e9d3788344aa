//! The window of a game, or its canvas in a page.

use std::future::Future;

use macroquad::prelude as mq;

use crate::HeldKeys;

/// Opens a window in which a game runs until its future ends. In a page the function returns at once, and the game goes on.
pub fn open_window(title: &str, width: i32, height: i32, game: impl Future<Output = ()> + 'static) {
    // The page's loader has no `wasm-bindgen`, but its own clock.
    #[cfg(target_family = "wasm")]
    ecs_core::set_host_clock(|| {
        std::time::Duration::from_secs_f64(macroquad::miniquad::date::now())
    });
    let conf = mq::Conf {
        window_title: title.into(),
        window_width: width,
        window_height: height,
        ..mq::Conf::default()
    };
    macroquad::Window::from_config(conf, game);
}

/// Returns the keys that the player holds down.
#[must_use]
pub fn held_keys() -> HeldKeys {
    HeldKeys {
        left: mq::is_key_down(mq::KeyCode::Left),
        right: mq::is_key_down(mq::KeyCode::Right),
        up: mq::is_key_down(mq::KeyCode::Up) || mq::is_key_down(mq::KeyCode::Space),
    }
}
