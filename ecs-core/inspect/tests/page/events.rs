//! The view of events.

use crate::game::page;

#[test]
fn events_are_shown_as_they_pass() {
    let Some(mut browser) = page("events", 3, "Hero") else {
        return;
    };
    browser.key("3");
    browser.wait_for("$('#tail-note').innerText.includes('Choose')");
    browser.click("#queues .scroll .row");
    browser.wait_for("$$('#tail p').length > 10");
    let first = "Number($('#tail p').innerText.match(/hour ([0-9]+)/)[1])";
    let before = browser.eval(first);
    browser.wait_for(&format!("{first} > {before} + 20"));
    // The last one stands on top, and none is missing.
    let hours = browser.eval(
        "$$('#tail p').map((line) => Number(line.innerText.match(/hour ([0-9]+)/)[1])).every((hour, at, all) => at === 0 || hour === all[at - 1] - 1)",
    );
    assert_eq!(hours, true);
}

#[test]
fn observers_are_listed() {
    let Some(mut browser) = page("observers", 3, "Hero") else {
        return;
    };
    browser.key("3");
    browser.wait_for("$('#observers .scroll .row').innerText.includes('add of game.mood')");
    browser.wait_for("$('#observers .scroll .row').innerText.includes('game.weather')");
}
