//! The program behind the page: its time, its end, and other pages.

use serde_json::json;

use crate::chromium::Browser;
use crate::field;
use crate::game::{CHILDREN, page, run_meadow};

#[test]
fn time_is_paused_stepped_and_taken_back() {
    let Some(mut browser) = page("time", 3, "Hero") else {
        return;
    };
    browser.click("#list .scroll .row");
    browser.click("#pause");
    browser.wait_for("$('#live').textContent === 'paused'");
    let x = field("field-game.place-x");
    browser.wait_for(&format!("Number({x}) > 0"));
    let wait_settled = "new Promise((done) => setTimeout(done, 500))";
    browser.eval(wait_settled);
    let before = browser.eval(&format!("Number({x})"));
    let before = before.as_f64().expect("a number");
    browser.click("#step");
    browser.wait_for(&format!("Number({x}) === {before} + 1"));
    browser.click("#back");
    browser.wait_for(&format!("Number({x}) === {before}"));
    browser.click("#step-system");
    browser.wait_for("$('#live').textContent === 'paused in a frame'");
    browser.click("#step");
    browser.wait_for("$('#live').textContent === 'paused'");

    browser.key("u");
    browser.fill(
        "#dialog input",
        &format!("game.place.x > {}", before + 20.0),
    );
    browser.press("Run");
    browser.wait_for("$('#notice').textContent.startsWith('after')");
    browser.wait_for(&format!("Number({x}) > {before} + 20"));
    browser.click("#pause");
    browser.wait_for("$('#live').textContent === 'live'");
}

#[test]
fn a_game_that_starts_anew_is_noticed() {
    let Some(mut browser) = Browser::start("anew") else {
        return;
    };
    let (address, end) = run_meadow(3, "Hero", 0);
    browser.open(&address);
    browser.wait_for("$('#mode').textContent === 'edits on'");
    browser.click("#list .scroll .row");
    browser.wait_for("Number($('#frame').textContent) > 10");
    drop(end);
    browser.wait_for("$('#live').className === 'lost'");
    let port = address
        .split([':', '/'])
        .nth(4)
        .and_then(|port| port.parse().ok());
    let (_, _end) = run_meadow(9, "Hero", port.expect("a port"));
    browser.wait_for("$('#live').textContent === 'live'");
    // The text goes after some seconds.
    browser.wait_for("$('#notice').title.includes('anew')");
    browser.wait_for("$('#count').textContent === '9 entities'");
    // It has another token.
    browser.wait_for("$('#mode').textContent === 'read-only'");
    browser.wait_for("$('#pause').getAttribute('aria-disabled') === 'true'");
    browser.key(" ");
    browser.wait_for("$('#notice').textContent.includes('with its token')");
}

#[test]
fn seven_pages_are_answered() {
    let Some(mut browser) = Browser::start("seven") else {
        return;
    };
    let (address, _end) = run_meadow(50, "Hero", 0);
    for _ in 0..6 {
        browser.open_beside(&address);
    }
    browser.open(&address);
    browser.wait_for("$('#count').textContent === '50 entities'");
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail h2').innerText.includes('Hero')");
}

#[test]
fn the_browsers_back_returns_to_the_view_and_the_entity() {
    let Some(mut browser) = page("history", 3, "Hero") else {
        return;
    };
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail h2').innerText.includes('Hero')");
    browser.key("5");
    browser.wait_for("!$('#memory').hidden");
    browser.eval("history.back()");
    browser.wait_for("$('#memory').hidden && $('#detail h2').innerText.includes('Hero')");
}

#[test]
fn the_program_stops_where_a_component_changes() {
    let Some(mut browser) = page("break", 3, "Hero") else {
        return;
    };
    browser.click("#list .scroll .row");
    let card = "$$('#detail .card').find((card) => card.innerText.includes('game.place'))";
    browser.wait_for(card);
    browser.eval(&format!(
        "[...{card}.querySelectorAll('button')].find((one) => one.textContent === 'Break').click()"
    ));
    browser.wait_for("/page::game::walk; .* became /.test($('#notice').textContent)");
    browser.wait_for("$('#live').textContent === 'paused in a frame'");
    browser.click("#step");
    browser.key("4");
    let row = "$$('#systems .row').find((row) => row.innerText.includes('dry'))";
    browser.wait_for(row);
    browser.eval(&format!("{row}.click()"));
    browser.press("Run to it");
    browser.wait_for("$('#notice').textContent.includes('page::game::dry')");
}

#[test]
fn a_reload_shows_the_same_again() {
    let Some(mut browser) = page("reload", CHILDREN, "Hero") else {
        return;
    };
    browser.fill("#query", "game.health");
    browser.wait_for("$('#count').textContent === '3 entities'");
    let head = "$$('#list .head button').find((one) => one.textContent.startsWith('health.now'))";
    browser.wait_for(head);
    browser.eval(&format!("{head}.click()"));
    browser.click("#disabled");
    browser.wait_for("$('#list .scroll .row').innerText.includes('Hero')");
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail h2').innerText.includes('Hero')");
    browser.send("Page.reload", json!({}));
    browser.wait_for("$('#query').value === 'game.health' && $('#disabled').checked");
    browser.wait_for("$('#detail h2').innerText.includes('Hero')");
    browser.wait_for(&format!("{head}.textContent.includes('▾')"));
    browser.wait_for("$('#list [aria-selected=true]').innerText.includes('Hero')");
    // The token is not in the address, and still known.
    browser.wait_for("$('#mode').textContent === 'edits on' && !location.hash");

    browser.key("4");
    let row = "$$('#systems .row').find((row) => row.innerText.includes('dry'))";
    browser.wait_for(row);
    browser.eval(&format!("{row}.click()"));
    browser.wait_for("$('#system pre').innerText.includes('walk')");
    browser.send("Page.reload", json!({}));
    browser.wait_for("$('#system pre').innerText.includes('walk') && !$('#schedule').hidden");
}

#[test]
fn resources_are_found_by_a_part_of_their_name() {
    let Some(mut browser) = page("resources", 3, "Hero") else {
        return;
    };
    browser.key("2");
    browser.wait_for("$('#resource-list').innerText.includes('ecs.time')");
    browser.fill("#resource-filter", "WEATH");
    browser.wait_for("$('#resource-list').innerText.includes('game.weather') && !$('#resource-list').innerText.includes('ecs.time')");
    browser.fill("#resource-filter", "");
    browser.wait_for("$('#resource-list').innerText.includes('ecs.time')");
}

#[test]
fn resources_and_states_are_edited_and_their_errors_stand_below_the_field() {
    let Some(mut browser) = page("resources-edited", 3, "Hero") else {
        return;
    };
    browser.key("2");
    browser.click("#pause");
    browser.wait_for("$('#live').textContent === 'paused'");
    let rain = "document.getElementById('field-game.weather-rain')";
    browser.wait_for(&format!("{rain} && !{rain}.checked"));
    browser.eval(&format!("{rain}.click()"));
    browser.wait_for(&format!("{rain}.checked"));
    let millimetres = "[id=\"field-game.weather-millimetres\"]";
    browser.fill(millimetres, "much");
    browser.key("Enter");
    browser.wait_for(&format!(
        "$('{millimetres}').closest('.field').innerText.includes('expected u32')"
    ));
    browser.fill(millimetres, "7");
    browser.key("Enter");
    browser.wait_for(&format!(
        "!$('{millimetres}').closest('.field').innerText.includes('expected') && $('{millimetres}').value === '7'"
    ));
    // The next frame makes the transition.
    let sky = "$('[id=\"field-game.sky-\"]')";
    browser.wait_for(&format!("{sky}.value === 'Day'"));
    browser.eval(&format!("({sky}.value = 'Night', {sky}.onchange())"));
    browser.wait_for(&format!("{sky}.value === 'Day'"));
    browser.click("#step");
    browser.wait_for(&format!("{sky}.value === 'Night'"));
    browser.key("z");
    browser.wait_for("$('#notice').textContent.startsWith('took back')");
}
