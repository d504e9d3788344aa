//! Ways to see more at once: trees, entities that stay, plots; and ways on from what is seen.

use crate::game::{CHILDREN, page};

#[test]
fn entities_are_shown_as_a_tree() {
    let Some(mut browser) = page("tree", CHILDREN, "Hero") else {
        return;
    };
    browser.fill("#query", "game.health");
    browser.wait_for("$('#count').textContent === '3 entities'");
    let choose =
        "(() => { const tree = $('#tree'); tree.value = 'ecs.child_of'; tree.onchange() })()";
    browser.wait_for("$('#tree').options.length > 1");
    browser.eval(choose);
    browser.wait_for("$('#count').textContent === '1 entity'");
    browser.wait_for("$('#list .scroll .row').innerText.includes('▸ Hero')");
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail h2').innerText.includes('Hero')");
    browser.key("ArrowRight");
    browser.wait_for("$('#count').textContent === '2 entities'");
    browser.wait_for(
        "$('#list').innerText.includes('▾ Hero') && $('#list').innerText.includes('▸ Shield')",
    );
    browser.key("ArrowDown");
    browser.wait_for("$('#detail h2').innerText.includes('Shield')");
    browser.key("ArrowRight");
    browser.wait_for(
        "$('#count').textContent === '3 entities' && $('#list').innerText.includes('Boss')",
    );
    // The address has it.
    browser.eval("location.reload()");
    browser.wait_for("$('#tree').value === 'ecs.child_of' && $('#list .scroll .row').innerText.includes('▸ Hero')");
    // A click on the chosen row opens it, too.
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail h2').innerText.includes('Hero')");
    browser.click("#list .scroll .row");
    browser.wait_for("$('#count').textContent === '2 entities'");
    browser.key("ArrowLeft");
    browser.wait_for("$('#count').textContent === '1 entity'");
}

#[test]
fn entities_stay_beside_the_chosen_one_and_can_be_edited() {
    let Some(mut browser) = page("pins", CHILDREN, "Hero") else {
        return;
    };
    browser.fill("#query", "game.health");
    browser.wait_for("$('#count').textContent === '3 entities'");
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail h2').innerText.includes('Hero')");
    browser.press("Pin");
    browser.wait_for("$$('#detail .panel').length === 1");
    browser.key("Escape");
    browser.eval("$('#list').focus()");
    browser.key("ArrowDown");
    browser.wait_for(
        "$$('#detail .panel').length === 2 && !$('#detail h2').innerText.includes('Hero')",
    );
    browser.wait_for("$$('#detail h2')[1].innerText.includes('Hero')");
    let pinned = "[id=\"0v1field-game.health-now\"]";
    browser.fill(pinned, "31");
    browser.key("Enter");
    browser.wait_for(&format!(
        "$('{pinned}').value === '31' && document.activeElement !== $('{pinned}')"
    ));
    browser.eval("location.reload()");
    browser.wait_for(&format!(
        "$$('#detail .panel').length === 2 && $('{pinned}').value === '31'"
    ));
    browser.press("Unpin");
    browser.wait_for("$$('#detail .panel').length === 1");
}

#[test]
fn a_component_is_added_to_the_query_by_a_click() {
    let Some(mut browser) = page("find", CHILDREN, "Hero") else {
        return;
    };
    browser.fill("#query", "game.health");
    browser.wait_for("$('#count').textContent === '3 entities'");
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail').innerText.includes('game.mood')");
    browser.click("[aria-label='find entities with game.mood too']");
    browser.wait_for(
        "$('#query').value === 'game.health, game.mood' && $('#count').textContent === '1 entity'",
    );
}

#[test]
fn a_number_is_plotted() {
    let Some(mut browser) = page("plot", CHILDREN, "Hero") else {
        return;
    };
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail').innerText.includes('game.place')");
    browser.eval("$('[id=\"field-game.place-x\"]').closest('.field').querySelector('[aria-label=plot]').click()");
    let canvas = "$('[id=\"field-game.place-x\"]').closest('.field').querySelector('canvas')";
    // It grows.
    browser.wait_for(&format!(
        "(([least, most]) => most > least + 5)({canvas}.title.match(/[0-9.]+/g).map(Number))"
    ));
}

#[test]
fn an_event_is_sent_to_its_readers_and_its_observers() {
    let Some(mut browser) = page("send", CHILDREN, "Hero") else {
        return;
    };
    browser.key("3");
    browser.click("#queues .scroll .row");
    browser.wait_for("$('#tail-head').textContent === 'game.rang'");
    browser.wait_for("$('#send').ariaDisabled === 'false'");
    browser.click("#send");
    browser.wait_for("$('#dialog textarea').value.includes('hour')");
    browser.fill("#dialog textarea", "{\"hour\": -1}");
    browser.press("Send");
    browser.wait_for("$('#dialog .error').innerText.includes('hour')");
    browser.fill("#dialog textarea", "{\"hour\": 987654321}");
    browser.press("Send");
    browser.wait_for("!$('#dialog').open && $('#tail').innerText.includes('987654321')");
    browser.click("#send");
    browser.wait_for("$('#dialog textarea').value.includes('hour')");
    browser.eval("$('#dialog select').selectedIndex = 1");
    browser.press("Send");
    browser.wait_for("!$('#dialog').open");
    browser.key("2");
    browser.wait_for("$('[id=\"field-game.weather-millimetres\"]').value === '99'");
}
