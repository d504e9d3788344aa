//! The view of the schedule.

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
    browser.wait_for("$('#lanes').height > 0 && $('#trace-note').innerText.includes('runs')");
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
    let longest = browser.eval(
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
    assert!(
        longest.as_f64().is_some_and(|longest| longest < 300.0),
        "{longest}"
    );
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
