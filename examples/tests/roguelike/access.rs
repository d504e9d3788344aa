//! The accesses of the systems of a turn, compared with a file.

use ecs_core::schedule::assert_access_lock;

use crate::stage::game;

#[test]
fn systems_touch_what_access_lock_says() {
    let text = game("@.>")
        .access_text()
        .expect("the systems have an order");
    assert_access_lock("src/roguelike/access.lock", &text);
}
