//! The look of the views, and the pictures of the guide.

use crate::game::page;

#[test]
fn every_view_shows_its_part() {
    let Some(mut browser) = page("views", 100, "Hero") else {
        return;
    };
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        browser.key("2");
        browser.wait_for("$('#resource-list').innerText.includes('game.weather')");
        browser.screenshot(&format!("{scheme}-resources"));
        browser.key("3");
        browser.wait_for("$('#queues').innerText.includes('game.rang')");
        browser.screenshot(&format!("{scheme}-events"));
        browser.key("4");
        browser.wait_for("$('#systems').innerText.includes('dry')");
        browser.click("#trace");
        browser.wait_for("$('#trace-note').innerText.includes('runs')");
        browser.screenshot(&format!("{scheme}-schedule"));
        browser.key("5");
        browser.wait_for("$('#tables').innerText.includes('game.place')");
        browser.screenshot(&format!("{scheme}-memory"));
        browser.key("1");
        browser.wait_for("$('#list').innerText.includes('Hero')");
        browser.screenshot(&format!("{scheme}-entities"));
        let back = browser.eval("getComputedStyle(document.body).backgroundColor");
        let is_dark = back.as_str().is_some_and(|back| back.starts_with("rgb(1"));
        assert_eq!(is_dark, scheme == "dark", "{back}");
    }
}

#[test]
fn a_box_of_the_memorys_map_leads_to_its_entities() {
    let Some(mut browser) = page("map", 100, "Hero") else {
        return;
    };
    browser.key("5");
    browser.wait_for("$('#tables').innerText.includes('game.place')");
    browser.click_at("#map", 30.0, 30.0);
    browser.wait_for("$('#tables [aria-selected=true]')");
    browser.click_at("#map", 30.0, 30.0);
    browser.wait_for("!$('#entities').hidden && $('#query').value.includes('game.')");
}
