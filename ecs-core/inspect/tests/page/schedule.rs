//! The view of the schedule.

use serde_json::json;

use crate::game::{machine_page, page};

#[test]
fn a_system_says_what_it_waits_for_and_why() {
    let Some(mut browser) = page("why", 100, "Hero") else {
        return;
    };
    browser.key("4");
    let row = "$$('#systems .row').find((row) => row.innerText.includes('dry'))";
    browser.wait_for(row);
    browser.eval(&format!("{row}.click()"));
    browser.wait_for("$('#system pre').innerText.includes('walk')");
    browser.press("page::game::walk");
    browser.wait_for("$('#system').innerText.includes('These wait for it')");
    browser.click("#trace");
    browser.wait_for("$('#lanes i') && $('#trace-note').innerText.includes('runs')");
}

#[test]
fn the_graph_of_systems_and_a_trace_are_saved_as_files() {
    let Some(mut browser) = page("files", 100, "Hero") else {
        return;
    };
    browser.eval(
        "window.files = {}; HTMLAnchorElement.prototype.click = function () {
           const name = this.download;
           files[name] = texts.pop();
         };
         window.texts = []; window.Blob = class extends Blob { constructor(parts) { super(parts); texts.push(parts[0]); } }; 0",
    );
    browser.key("4");
    browser.click("#picture");
    browser.wait_for("window.files['schedule.svg']?.startsWith('<svg')");
    let names = browser.eval("files['schedule.svg'].includes('walk')");
    assert_eq!(names, true);
    browser.click("#trace");
    browser.wait_for("!$('#keep').hidden");
    browser.click("#keep");
    browser.wait_for("JSON.parse(window.files['trace.json'] ?? '0')");
}

#[test]
fn a_thousand_systems_are_shown_without_lag() {
    let Some(mut browser) = machine_page("thousand") else {
        return;
    };
    browser.key("4");
    browser.wait_for("$('#systems').getAttribute('aria-rowcount') === '1001'");
    browser.eval("$('#systems').focus()");
    browser.key("End");
    browser.wait_for("$('#system pre')?.innerText.includes('waits for')");
    browser.click("#trace");
    browser.wait_for("$('#trace-note').innerText === '1000 runs'");
    // The page goes on drawing while the numbers of a thousand systems change ten times a second.
    // On a busy machine, other programs' turns are part of a round, and not of each.
    let mut longest = || {
        let round = browser.eval(
            "new Promise((done) => {
               let [last, longest, frames] = [performance.now(), 0, 0];
               const frame = (now) => {
                 longest = Math.max(longest, now - last);
                 last = now;
                 frames += 1;
                 frames === 60 ? done(longest) : requestAnimationFrame(frame);
               };
               requestAnimationFrame(frame);
             })",
        );
        round.as_f64().expect("milliseconds")
    };
    let rounds: Vec<f64> = (0..8).map(|_| longest()).collect();
    assert!(rounds.iter().any(|longest| *longest < 300.0), "{rounds:?}");
}

#[test]
fn the_users_of_a_component_are_marked() {
    let Some(mut browser) = page("users", 100, "Hero") else {
        return;
    };
    browser.click("#list .scroll .row");
    browser.press("game.place");
    let has = |kind: &str, text: &str| {
        format!("$$('#systems .{kind}').some((row) => row.innerText.includes({text:?}))")
    };
    browser.wait_for(&has("writes", "writes: game::walk"));
    browser.wait_for(&has("reads", "reads: game::dry"));
    browser.fill("#access", "game.weather");
    browser.key("Enter");
    browser.wait_for(&has("writes", "writes: game::dry"));
    // What is typed stays when the page draws anew.
    browser.fill("#access", "game.wether");
    browser.eval("history.replaceState(null, '', location.search + '&system=page::game::dry'); dispatchEvent(new PopStateEvent('popstate'))");
    browser.wait_for("$('#system h2')?.textContent.includes('dry')");
    assert_eq!(browser.eval("$('#access').value"), "game.wether");
    browser.key("Enter");
    browser.wait_for("$('#trace-note').innerText.includes('game.weather')");
}

#[test]
fn a_spike_of_the_graph_opens_its_trace() {
    let Some(mut browser) = page("spike", 100, "Hero") else {
        return;
    };
    browser.wait_for("$('#frames').ariaLabel.match(/at most ([0-9.]+)/)[1] > 35");
    browser.click("#pause");
    browser.wait_for("$('#live').textContent === 'paused'");
    let width = browser
        .eval("$('#frames').clientWidth")
        .as_f64()
        .expect("a number");
    let mut x = 34.0;
    while browser.eval("$('#frames').title.includes('trace')") != json!(true) {
        assert!(x < width, "no frame was traced");
        x += 3.0;
        browser.move_to("#frames", x, 20.0);
    }
    browser.click_at("#frames", x, 20.0);
    browser.wait_for("/took [0-9.]+ ms: [0-9]+ runs/.test($('#trace-note').innerText)");
    browser.wait_for("$('#lanes i')");
}

#[test]
fn the_wheel_zooms_the_lanes() {
    let Some(mut browser) = page("zoom", 100, "Hero") else {
        return;
    };
    browser.key("4");
    browser.click("#trace");
    browser.wait_for("$('#lanes i')");
    let ends = "[...$('#axis').children].map((one) => one.textContent)";
    let before = browser.eval(ends);
    assert_eq!(before[0], "0.0 µs");
    let middle = browser
        .eval("$('#lanes').clientWidth / 2")
        .as_f64()
        .expect("a number");
    // The place below the pointer stays.
    browser.wheel("#lanes", middle, 10.0, -300.0);
    browser.wait_for("Math.abs($('#lanes').scrollWidth / $('#lanes').clientWidth - 2) < 0.01");
    let after = browser.eval(ends);
    let micros = |text: &serde_json::Value| {
        let (number, unit) = text.as_str()?.split_once(' ')?;
        let thousands = if unit == "ms" { 1000.0 } else { 1.0 };
        Some(number.parse::<f64>().ok()? * thousands)
    };
    let [before_middle, after_middle] =
        [&before[1], &after[1]].map(|text| micros(text).expect("a time"));
    // Boxes are scrolled by whole pixels, and times are rounded to hundredths of their unit.
    let pixel = before_middle / middle;
    let rounded = before_middle / 100.0;
    assert!(
        (after_middle - before_middle).abs() <= pixel.max(rounded),
        "{before} {after}"
    );
    assert_ne!(after[0], before[0]);
    browser.wheel("#lanes", middle, 10.0, 600.0);
    browser.wait_for("$('#lanes').scrollWidth === $('#lanes').clientWidth");
    assert_eq!(browser.eval(ends), before);
    // A box leads to its system.
    browser.eval("[...$$('#lanes i')].find((one) => one.textContent === 'dry').click()");
    browser.wait_for(
        "$('#system h2').textContent.includes('dry') && $('#lanes i.writes').textContent === 'dry'",
    );
    let colors = browser.eval("(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle($('#lanes i.writes')))");
    assert_ne!(colors[0], colors[1]);
}

#[test]
fn a_frame_of_the_graph_opens_the_schedule() {
    let Some(mut browser) = page("graph", 100, "Hero") else {
        return;
    };
    browser.wait_for("$('#frames').ariaLabel.match(/[0-9]+/)[0] > 30");
    browser.click_at("#frames", 40.0, 20.0);
    browser.wait_for("!$('#schedule').hidden && $('#trace-note').innerText.includes('frame')");
}
