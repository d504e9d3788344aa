//! The view of entities: search, edits, and what can be done with one.

use serde_json::json;

use crate::game::{CHILDREN, page, run_meadow};
use crate::{FIRST_ROW, field};

#[test]
fn entities_are_listed_found_and_edited() {
    let Some(mut browser) = page("edits", 1000, "Hero") else {
        return;
    };
    browser.wait_for("$('#count').textContent === '1,000 entities'");
    browser.fill("#query", "game.health.now < 10");
    // It is searched without a key at the end.
    browser.wait_for("$('#count').textContent === '1 entity'");
    browser.wait_for(&format!("{FIRST_ROW}.innerText.includes('Hero')"));
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail h2').innerText.includes('Hero')");

    let health = "field-game.health-now";
    browser.wait_for(&format!("{} === '5'", field(health)));
    browser.eval(&format!(
        "document.getElementById({health:?}).id = 'health'"
    ));
    browser.fill("#health", "many");
    browser.key("Enter");
    browser.wait_for("$('#health ~ .error').innerText.includes('i32')");
    browser.key("Escape");
    browser.fill("#health", "9");
    browser.key("Enter");
    browser.wait_for(&format!("{FIRST_ROW}.innerText.includes('9')"));
    browser.click("#undo");
    browser.wait_for("$('#health').value === '5'");

    browser.fill("#query", "game.helth.now < 10");
    browser.wait_for("$('#query-error').innerText.includes('game.health')");
    let address = browser.eval("location.search");
    assert!(
        address
            .as_str()
            .is_some_and(|text| text.contains("helth") && text.contains("entity=0v1"))
    );
}

#[test]
fn a_choice_of_an_enum_is_a_menu() {
    let Some(mut browser) = page("enum", 3, "Hero") else {
        return;
    };
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail select')?.value === 'Calm'");
    browser.eval(
        "(() => { const e = $('#detail select'); e.value = 'Afraid'; e.dispatchEvent(new Event('change')) })()",
    );
    browser.fill("#query", "game.mood == \"Afraid\"");
    browser.wait_for("$('#count').textContent === '1 entity'");
}

#[test]
fn the_end_of_a_long_list_is_reached_by_the_keyboard() {
    let Some(mut browser) = page("long", 1_000_000, "Hero") else {
        return;
    };
    browser.wait_for("$('#count').textContent === '1,000,000 entities'");
    browser.eval("$('#list').focus()");
    browser.key("End");
    browser.wait_for("$('#list [aria-selected=true]').innerText.startsWith('999999v1')");
    // The heads are a row, too.
    browser.wait_for("$('#list').getAttribute('aria-rowcount') === '1000001'");
    browser.wait_for("$('#' + $('#list').getAttribute('aria-activedescendant')).innerText.startsWith('999999v1')");
    let elements = browser.eval("$$('#list .row').length");
    assert!(
        elements.as_u64().is_some_and(|rows| rows < 100),
        "{elements}"
    );
}

#[test]
fn a_hostile_name_is_a_text() {
    let name = "<img src=x onerror=\"document.title='taken'\">";
    let Some(mut browser) = page("hostile", 3, name) else {
        return;
    };
    browser.wait_for(&format!("{FIRST_ROW}.innerText.includes('<img')"));
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail h2').innerText.includes('<img')");
    assert_eq!(browser.eval("document.images.length"), json!(0));
    assert_ne!(browser.eval("document.title"), json!("taken"));
}

#[test]
fn an_entity_is_disabled_and_spawned() {
    let Some(mut browser) = page("disabled", 3, "Hero") else {
        return;
    };
    browser.wait_for("$('#count').textContent === '3 entities'");
    browser.click("#list .scroll .row");
    browser.press("Disable");
    browser.wait_for("$('#count').textContent === '2 entities'");
    browser.click("#disabled");
    browser.wait_for("$('#count').textContent === '3 entities'");
    browser.wait_for("$$('#list .row.off').length === 1");
    browser.press("Enable");
    browser.wait_for("$$('#list .row.off').length === 0");

    browser.click("#spawn");
    browser.fill("#dialog textarea", "{\"game.helth\": {\"now\": 1}}");
    browser.press("Spawn");
    browser.wait_for("$('#dialog .error').innerText.includes('game.health')");
    browser.fill("#dialog textarea", "{\"game.health\": {\"now\": 1}}");
    browser.press("Spawn");
    browser.wait_for("!$('#dialog').open");
    browser.wait_for("$('#count').textContent === '4 entities'");
    browser.wait_for("$('#detail h2').innerText.includes('v1')");
}

#[test]
fn an_entity_is_cloned_moved_and_despawned() {
    let Some(mut browser) = page("moved", CHILDREN, "Hero") else {
        return;
    };
    browser.fill("#query", "game.health");
    browser.wait_for("$('#count').textContent === '3 entities'");
    // A row says what is above it.
    browser.wait_for("$('#list').innerText.includes('Boss ‹ Shield ‹ Hero')");
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail h2').innerText.includes('Hero')");
    browser.wait_for("$('#detail').innerText.includes('from 1')");
    browser.press("Clone");
    browser.wait_for("$('#count').textContent === '6 entities'");
    browser.wait_for("$$('#list .row').filter((row) => row.innerText.includes('Boss ‹ Shield ‹ Hero')).length === 2");
    browser.press("Despawn");
    browser.wait_for("$('#count').textContent === '3 entities'");

    let shield = "$$('#list .scroll .row').find((row) => row.innerText.includes('Shield ‹') && !row.innerText.includes('Boss'))";
    browser.eval(&format!("{shield}.click()"));
    browser.wait_for("$('#detail h2').innerText.includes('Shield')");
    browser.press("Reparent…");
    browser.fill("#dialog input", "0v9");
    browser.press("Move");
    browser.wait_for("$('#dialog .error').innerText.includes('0v9')");
    browser.fill("#dialog input", "");
    browser.press("Move");
    browser.wait_for("!$('#list').innerText.includes('‹ Hero') && $('#list').innerText.includes('Boss ‹ Shield')");
}

#[test]
fn a_prefab_is_spawned() {
    let Some(mut browser) = page("prefab", 3, "Hero") else {
        return;
    };
    browser.click("#spawn");
    browser.wait_for("$('#dialog option[value=guard]')");
    browser.eval("(() => { const e = $('#dialog select'); e.value = 'guard'; e.dispatchEvent(new Event('change')) })()");
    browser.press("Spawn");
    browser.wait_for("$('#detail h2').innerText.includes('Guard')");
    browser.wait_for("$('#list').innerText.includes('Shield ‹ Guard')");
}

#[test]
fn a_copy_is_pasted_into_another_world() {
    let Some(mut browser) = page("copy", CHILDREN, "Hero") else {
        return;
    };
    browser.grant_clipboard();
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail').innerText.includes('from 1')");
    browser.press("Copy");
    browser.wait_for("$('#notice').textContent.includes('copied 3')");
    let text = browser.eval("navigator.clipboard.readText()");

    let (address, end) = run_meadow(9, "Villain", 0);
    browser.keep(end);
    browser.open(&address);
    browser.wait_for("$('#list').innerText.includes('Villain')");
    browser.click("#spawn");
    browser.fill("#dialog textarea", text.as_str().expect("a text"));
    browser.press("Spawn");
    browser.wait_for("$('#count').textContent === '12 entities'");
    browser.wait_for("$('#detail h2').innerText.includes('Hero')");
    browser.wait_for("$('#list').innerText.includes('Boss ‹ Shield ‹ Hero')");
}

#[test]
fn a_click_on_a_head_sorts_by_its_column() {
    let Some(mut browser) = page("sort", 500, "Hero") else {
        return;
    };
    browser.fill("#query", "game.place");
    let head = "$$('#list .head button').find((one) => one.textContent.startsWith('place.y'))";
    let first = |text: &str| format!("{FIRST_ROW}.lastChild.textContent === '{text}'");
    browser.wait_for(head);
    browser.eval(&format!("{head}.click()"));
    browser.wait_for(&first("499"));
    browser.wait_for(&format!("{head}.parentNode.ariaSort === 'descending'"));
    browser.eval(&format!("{head}.click()"));
    browser.wait_for(&first("1"));
    browser.eval(&format!("{head}.click()"));
    browser.wait_for(&first("7"));
    browser.eval(&format!("{head}.click()"));
    browser.wait_for(&first("499"));
    let address = browser.eval("location.search");
    assert!(
        address
            .as_str()
            .is_some_and(|text| text.contains("sort=-game.place.y"))
    );
}
