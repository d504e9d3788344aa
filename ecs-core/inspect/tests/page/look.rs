//! The look of the views, and the pictures of the guide.

use serde_json::json;

use crate::chromium::Browser;
use crate::game::{CHILDREN, page};

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
fn all_controls_are_in_sight_on_small_screens() {
    let Some(mut browser) = page("small", 100, "Hero") else {
        return;
    };
    browser.click("#list .scroll .row");
    // A window on a screen of 13 inches, and half of one.
    for (width, height) in [(1280, 640), (1024, 600)] {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        browser.send("Emulation.setDeviceMetricsOverride", size);
        for view in ["1", "2", "3", "4", "5"] {
            browser.key(view);
            browser.eval("new Promise((done) => setTimeout(done, 150))");
            let cut_off = browser.eval(
                "$$('button, input, select, canvas, dd, h3').filter((one) => one.offsetParent && !one.closest('.scroll, .head'))
                 .filter((one) => { const { left, right } = one.getBoundingClientRect(); return left < 0 || right > innerWidth })
                 .map((one) => one.id || one.textContent)",
            );
            let shot = browser.screenshot(&format!("{width}-{view}"));
            assert_eq!(cut_off, json!([]), "{}", shot.display());
            let wide = browser.eval("document.documentElement.scrollWidth > innerWidth");
            assert_eq!(wide, false, "{}", shot.display());
        }
    }
}

#[test]
fn controls_and_rows_have_accessible_names() {
    let Some(mut browser) = page("names", CHILDREN, "Hero") else {
        return;
    };
    browser.fill("#query", "game.health");
    browser.wait_for("$('#count').textContent === '3 entities'");
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail h2').innerText.includes('Hero')");
    for view in ["1", "2", "3", "4", "5"] {
        browser.eval("document.activeElement.blur()");
        browser.key(view);
        let full = [
            "#list .row",
            "#resource-list .card",
            "#observers .scroll .row",
            "#systems .scroll .row",
            "#map i",
        ];
        browser.wait_for(&format!(
            "$({:?})?.innerText",
            full[view.parse::<usize>().expect("a number") - 1]
        ));
        let tree = browser.send("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().expect("a list");
        let nodes = nodes.iter().filter(|node| node["ignored"] != true);
        let all: Vec<(&str, &str)> = nodes
            .map(|node| {
                let text = |key: &str| node[key]["value"].as_str().unwrap_or_default();
                (text("role"), text("name"))
            })
            .collect();
        let controls = [
            "button",
            "textbox",
            "checkbox",
            "combobox",
            "grid",
            "row",
            "columnheader",
            "image",
        ];
        for (role, name) in &all {
            assert!(
                !controls.contains(role) || !name.is_empty(),
                "a {role} of view {view} has no name"
            );
        }
        let has = |role: &str, part: &str| {
            all.iter()
                .any(|(one, name)| *one == role && name.contains(part))
        };
        match view {
            "1" => {
                assert!(has("row", "Shield ‹ Hero"), "{all:?}");
                assert!(
                    has("textbox", "now") && has("checkbox", "disabled"),
                    "{all:?}"
                );
                assert!(has("button", "remove game.health"), "{all:?}");
            }
            "4" => assert!(has("row", "dry") && has("grid", "systems"), "{all:?}"),
            "5" => assert!(has("image", "box for each table"), "{all:?}"),
            _ => {}
        }
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

/// Makes the pictures of the guide and the README from a running program, such as the example `inspected`:
/// `INSPECT_ADDRESS=http://127.0.0.1:7747/#t=.. INSPECT_SCREENSHOTS=examples/pictures cargo test -p ecs-inspect --test page guide`.
/// They are reduced to 128 colors afterwards.
#[test]
fn the_guide_shows_a_running_program() {
    let Ok(address) = std::env::var("INSPECT_ADDRESS") else {
        println!("skipped: `INSPECT_ADDRESS` names no program");
        return;
    };
    let Some(mut browser) = Browser::start("guide") else {
        return;
    };
    let size = json!({"width": 1040, "height": 560, "deviceScaleFactor": 1, "mobile": false});
    browser.send("Emulation.setDeviceMetricsOverride", size);
    browser.open(&address);
    browser.wait_for("$('#live').textContent === 'live'");
    browser.fill("#query", "game.wound, game.health.now < 90, ?game.brain");
    browser.wait_for("$('#list .scroll .row').innerText.includes('Rat')");
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail h2').innerText.includes('Rat')");
    std::thread::sleep(std::time::Duration::from_secs(3));
    browser.eval("document.activeElement.blur()");
    browser.screenshot("light");
    browser.prefer("dark");
    browser.key("4");
    let hurt = "$$('#systems .scroll .row').find((row) => row.innerText.includes('hurt'))";
    browser.wait_for(hurt);
    browser.eval(&format!("{hurt}.click()"));
    browser.click("#trace");
    browser.wait_for("$('#trace-note').innerText.includes('runs')");
    browser.fill("#access", "game.health");
    browser.key("Enter");
    browser.wait_for("$('#systems .writes')");
    browser.wait_for("$('#system pre').innerText.includes('waits for')");
    browser.eval("document.activeElement.blur()");
    browser.screenshot("dark");
}
