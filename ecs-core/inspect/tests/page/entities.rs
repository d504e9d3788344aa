//! The view of entities: search, edits, and what can be done with one.

use serde_json::json;

use crate::chromium::Browser;
use crate::game::{CHILDREN, knot, meadow, page, page_of, run_meadow};
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
fn a_text_of_several_lines_keeps_them() {
    let Some(mut browser) = page("lines", 10, "Hero\nof the north") else {
        return;
    };
    browser.click("#list .scroll .row");
    let name = field("field-game.name-");
    browser.wait_for(&format!("{name} === 'Hero\\nof the north'"));
    browser.eval("document.getElementById('field-game.name-').id = 'name'");
    browser.fill("#name", "Heroine\nof the north");
    browser.key("Enter");
    browser.wait_for(&format!("{FIRST_ROW}.innerText.includes('Heroine')"));
    browser.wait_for("$('#name').value === 'Heroine\\nof the north'");
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
    // A notch of the wheel is as many rows as in a short list.
    browser.wheel("#list .scroll", 40.0, 40.0, -96.0);
    browser.wait_for("$('#list').innerText.includes('999999v1') === false");
    let first =
        "Number($$('#list .scroll .row').filter((row) => !row.hidden)[0].innerText.split('v')[0])";
    browser.wait_for(&format!("{first} >= 0"));
    let above = browser.eval(&format!("$('#list .scroll').clientHeight / 24 + {first}"));
    let above = above.as_f64().expect("a number");
    assert!((999_994.0..999_998.0).contains(&above), "{above}");
    browser.key("Home");
    browser.wait_for("$('#list [aria-selected=true]').innerText.startsWith('0v1')");
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
fn hostile_names_are_texts_and_stay_in_their_places() {
    let names = [
        "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>",
        "\u{202e}gninrut\u{2067} \u{5d0}\u{5d1}",
        &"W".repeat(10_000),
        "line\nbreak\ttab\0nul \u{feff}\u{200b}",
    ];
    for name in names {
        let name: &'static str = name.to_owned().leak();
        let Some(mut browser) = page("hostile", CHILDREN, name) else {
            return;
        };
        browser.fill("#query", "game.health");
        browser.click("#list .scroll .row");
        browser.wait_for("$('#detail h2').innerText.includes('0v1')");
        let first = name
            .chars()
            .find(|letter| letter.is_alphanumeric())
            .expect("one");
        for place in ["#list .scroll .row", "#detail h2"] {
            browser.wait_for(&format!("$({place:?}).innerText.includes('{first}')"));
        }
        browser.wait_for("$('#list').innerText.includes('Boss ‹ Shield ‹')");
        assert_eq!(
            browser.eval("document.images.length + $$('script').length"),
            1
        );
        assert_ne!(browser.eval("document.title"), json!("taken"));
        let turning = browser
            .eval("/[\\u202e\\u2067]/.test($('#list').innerText + $('#detail h2').innerText)");
        assert_eq!(turning, false, "{name}");
        let fits = browser.eval(
            "$$('#list .scroll .row').every((row) => row.hidden || row.offsetHeight === 24) && $('#detail h2').offsetHeight < 100
             && document.documentElement.scrollWidth <= innerWidth && $('#detail').scrollWidth <= $('#detail').clientWidth",
        );
        let shot = browser.screenshot("hostile");
        assert_eq!(fits, true, "{}", shot.display());
    }
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
    browser.key("Enter");
    browser.wait_for("document.activeElement === $('#list')");
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

    browser.eval(&format!("{}.click()", row_of("Shield ‹ Hero")));
    browser.wait_for("$('#detail h2').innerText.includes('Shield')");
    browser.key("m");
    browser.wait_for("$('#notice').textContent.includes('is held')");
    browser.key("m");
    browser.wait_for("!$('#list').innerText.includes('‹ Hero') && $('#list').innerText.includes('Boss ‹ Shield')");
    browser.key("m");
    browser.eval(&format!("{}.click()", row_of("Boss ‹ Shield")));
    browser.wait_for("$('#move').textContent.startsWith('Put')");
    browser.key("m");
    browser.wait_for("$('#notice').title.includes('is a descendant of')");
    browser.eval(&format!("{}.click()", row_of("Shield")));
    browser.wait_for(
        "$('#move')?.textContent === 'Move…' && $('#detail h2').innerText.includes('Shield')",
    );
    browser.key("m");
    browser.eval(&format!("{}.click()", row_of("Hero")));
    browser.wait_for("$('#move').textContent.startsWith('Put')");
    browser.key("m");
    browser.wait_for("$('#list').innerText.includes('Boss ‹ Shield ‹ Hero')");
    browser.click("#undo");
    browser.wait_for("!$('#list').innerText.includes('‹ Hero')");
}

/// Returns an expression for the row with a name.
fn row_of(name: &str) -> String {
    format!("$$('#list .scroll .row').find((row) => row.children[1].textContent === {name:?})")
}

#[test]
fn an_entity_is_dragged_below_another_one() {
    let Some(mut browser) = page("drag", CHILDREN, "Hero") else {
        return;
    };
    browser.fill("#query", "game.health");
    browser.wait_for("$('#count').textContent === '3 entities'");
    for (name, id) in [("Hero", "hero"), ("Boss ‹ Shield ‹ Hero", "boss")] {
        let row = row_of(name);
        browser.wait_for(&row);
        browser.eval(&format!("{row}.children[1].id = '{id}'"));
    }
    browser.drag("#boss", "#hero");
    browser.wait_for("$('#boss').textContent === 'Boss ‹ Hero'");
    browser.drag("#boss", "#list .head");
    browser.wait_for("$('#boss').textContent === 'Boss'");
    // No outline stays.
    browser.wait_for("!$('#list .held')");
    browser.click("#undo");
    browser.wait_for("$('#boss').textContent === 'Boss ‹ Hero'");
    assert_eq!(
        browser.eval("$('#notice').textContent.startsWith('took back ecs.child_of of')"),
        true
    );

    // A field that holds an entity takes a row, too.
    browser.click("#boss");
    browser.wait_for("document.getElementById('field-ecs.child_of-')?.value === '0v1'");
    browser.eval("document.getElementById('field-ecs.child_of-').id = 'parent'");
    let shield = row_of("Shield ‹ Hero");
    browser.eval(&format!("{shield}.children[1].id = 'shield'"));
    browser.drag("#shield", "#parent");
    browser.wait_for("$('#parent').value.endsWith('v1') && $('#parent').value !== '0v1'");
    browser.key("Enter");
    browser.wait_for("$('#boss').textContent === 'Boss ‹ Shield ‹ Hero'");
}

#[test]
fn a_component_is_inserted_and_edited_as_text() {
    let Some(mut browser) = page("insert", 3, "Hero") else {
        return;
    };
    browser.fill("#query", "game.place, !game.name");
    browser.wait_for("$('#count').textContent === '2 entities'");
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail').innerText.includes('game.place')");
    browser.press("Insert…");
    browser.wait_for("$('#dialog select')");
    let choose = |name: &str| {
        format!("(() => {{ const e = $('#dialog select'); e.value = '{name}'; e.onchange() }})()")
    };
    // What it has is there to be changed; other types begin with a value of their shape.
    browser.eval(&choose("game.place"));
    browser.wait_for("JSON.parse($('#dialog textarea').value).x > 0");
    browser.eval(&choose("game.mood"));
    browser.wait_for("$('#dialog textarea').value === '\"Calm\"'");
    browser.fill("#dialog textarea", "\"Angry\"");
    browser.press("Insert");
    browser.wait_for("$('#dialog .error').innerText.includes('Angry')");
    browser.fill("#dialog textarea", "\"Afraid\"");
    browser.press("Insert");
    browser.wait_for("!$('#dialog').open && $('#detail select')?.value === 'Afraid'");

    browser.click("[aria-label='edit game.mood as text']");
    browser.wait_for("$('#dialog textarea').value === '\"Afraid\"'");
    browser.fill("#dialog textarea", "\"Calm\"");
    browser.press("Replace");
    browser.wait_for("!$('#dialog').open && $('#detail select').value === 'Calm'");
    browser.click("[aria-label='remove game.mood']");
    browser.wait_for("!$('#detail select')");
}

#[test]
fn a_text_in_quotes_is_a_part_of_a_name() {
    let Some(mut browser) = page("quoted", CHILDREN, "Hero") else {
        return;
    };
    browser.fill("#query", "\"hE");
    browser.wait_for("$('#count').textContent === '1 entity'");
    browser.wait_for(&format!("{FIRST_ROW}.innerText.includes('Hero')"));
    browser.fill("#query", "\"o\"");
    browser.wait_for("$('#count').textContent === '2 entities'");
    browser.wait_for("$('#list').innerText.includes('Boss ‹ Shield ‹ Hero')");
    browser.fill("#query", "\"Villain\"");
    browser.wait_for("$('#count').textContent === '0 entities'");
}

#[test]
fn names_in_a_query_are_completed() {
    let Some(mut browser) = page("completed", 3, "Hero") else {
        return;
    };
    browser.fill("#query", "game.name, ?heal");
    browser.wait_for(
        "[...$('#names').children].some((one) => one.value === 'game.name, ?game.health')",
    );
    browser.fill("#query", "game.name, ?game.health");
    browser.wait_for("$('#count').textContent === '1 entity'");
    browser.wait_for("$('#names').children.length === 0");
}

#[test]
fn a_despawn_and_a_spawn_are_taken_back() {
    let Some(mut browser) = page("undone", CHILDREN, "Hero") else {
        return;
    };
    browser.fill("#query", "game.health");
    browser.wait_for("$('#count').textContent === '3 entities'");
    browser.key("Enter");
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail h2').innerText.includes('Hero')");
    browser.key("Delete");
    browser.wait_for("$('#count').textContent === '0 entities'");
    browser.key("z");
    browser.wait_for("$('#count').textContent === '3 entities'");
    browser.wait_for("$('#list').innerText.includes('Boss ‹ Shield ‹ Hero')");
    // It has another id, and is still the chosen one.
    browser.wait_for(
        "$('#detail h2').innerText.includes('Hero') && !$('#detail h2').innerText.includes('0v1')",
    );
    browser.press("Clone");
    browser.wait_for("$('#count').textContent === '6 entities'");
    browser.key("z");
    browser.wait_for("$('#count').textContent === '3 entities'");
    browser.key("z");
    browser.wait_for("$('#notice').textContent === 'there is no edit to take back'");
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

#[test]
fn the_end_of_a_long_sorted_list_is_reached() {
    let Some(mut browser) = page("sorted", 10_000, "Hero") else {
        return;
    };
    browser.fill("#query", "game.place, !game.name");
    let head = "$$('#list .head button').find((one) => one.textContent.startsWith('place.y'))";
    browser.wait_for(head);
    browser.eval(&format!("{head}.click()"));
    browser.wait_for(&format!("{FIRST_ROW}.lastChild.textContent === '9999'"));
    browser.eval("$('#list').focus()");
    browser.key("End");
    browser.wait_for("$('#list [aria-selected=true]').lastChild.textContent === '1'");
}

#[test]
fn an_entity_in_a_field_is_a_link_to_it() {
    let knotted = page_of("link", |app, inspect| {
        meadow(app, CHILDREN, "Hero");
        knot(app);
        inspect
    });
    let Some(mut browser) = knotted else {
        return;
    };
    let link = |path: &str| format!("[id=\"field-game.rope-{path}\"] ~ .link");
    browser.fill("#query", "game.rope");
    browser.wait_for("$('#count').textContent === '1 entity'");
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail h2').innerText.includes('Knot')");
    // A number has no link.
    browser.wait_for(
        "$$('#detail .field .link').filter((one) => one.textContent === 'go').length === 3",
    );
    browser.click(&link("last"));
    browser.wait_for("$('#detail h2').innerText.includes('Shield')");
    browser.wait_for("location.search.includes('entity=4v1')");
    browser.eval("history.back()");
    browser.wait_for("$('#detail h2').innerText.includes('Knot')");
    browser.click(&link("ends[0]"));
    browser.wait_for("$('#detail h2').innerText.includes('Hero')");
    browser.eval("history.back()");
    browser.wait_for("$('#detail h2').innerText.includes('Knot')");
    // One that is no longer there says so.
    browser.click(&link("ends[1]"));
    browser.wait_for("/v1: .*(not|no longer)/.test($('#detail').innerText)");
}

/// The same for a program that runs: `INSPECT_ADDRESS=http://127.0.0.1:7747/#t=.. cargo test -p ecs-inspect --test page million`.
#[test]
fn a_million_rows_are_scrolled_without_lag() {
    let running = std::env::var("INSPECT_ADDRESS");
    let browser = match &running {
        Ok(_) => Browser::start("million"),
        Err(_) => page("million", 1_000_000, "Hero"),
    };
    let Some(mut browser) = browser else {
        return;
    };
    if let Ok(address) = &running {
        browser.open(address);
    }
    browser.wait_for("$('#list .scroll .row')?.innerText.includes('v')");
    // From the beginning of the page to the first rows, by its own clock.
    browser.eval("(window.isOld = true, location.reload())");
    let first =
        "!$('#list .scroll .row').hidden && /^\\d+v/.test($('#list .scroll .row').innerText)";
    browser.wait_for(&format!(
        "!window.isOld && {first} && (window.shownAt ??= performance.now())"
    ));
    println!("first rows after {} ms at most", browser.eval("shownAt"));
    browser.eval("$('#list').focus()");
    // Each frame scrolls by some rows, by a page, by a tenth of the list, or to one of its ends.
    let mut longest = |move_by: &str| {
        let round = browser.eval(&format!(
            "new Promise((done) => {{
               // `$` is gone when the frames come.
               const [list, root] = [$('#list .scroll'), $('#list')];
               const press = (key) => root.dispatchEvent(new KeyboardEvent('keydown', {{ key, bubbles: true }}));
               let [last, longest, frames] = [performance.now(), 0, 0];
               const frame = (now) => {{
                 longest = Math.max(longest, now - last);
                 last = now;
                 frames += 1;
                 {move_by};
                 frames === 40 ? done(longest) : requestAnimationFrame(frame);
               }};
               requestAnimationFrame(frame);
             }})"
        ));
        round.as_f64().expect("milliseconds")
    };
    for move_by in [
        "list.scrollTop += 72",
        "press('PageDown')",
        "list.scrollTop = list.scrollHeight * (frames % 10) / 10",
        "press(frames % 2 ? 'End' : 'Home')",
    ] {
        let rounds: Vec<f64> = (0..4).map(|_| longest(move_by)).collect();
        println!("{move_by}: the longest frames of four rounds are {rounds:.1?} ms");
        assert!(
            rounds.iter().any(|longest| *longest < 200.0),
            "{move_by}: {rounds:?}"
        );
    }
    browser.eval("$('#list').focus()");
    browser.key("End");
    browser.wait_for("$('#list [aria-selected=true]').getAttribute('aria-rowindex') === $('#list').getAttribute('aria-rowcount')");
}
