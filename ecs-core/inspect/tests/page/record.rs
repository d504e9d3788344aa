//! Recordings that the page starts, ends and keeps.

use std::fs;

use ecs_core::prelude::*;
use ecs_core::record::{Outcome, Recorder, Recording, Replay};

use crate::game::{meadow, page, page_of};

/// Keeps the files of the page as hexadecimal digits in `files`.
const KEEP_FILES: &str =
    "window.files = {}; URL.createObjectURL = (blob) => ((window.blob = blob), '');
 HTMLAnchorElement.prototype.click = async function () {
   const name = this.download;
   const bytes = new Uint8Array(await window.blob.arrayBuffer());
   files[name] = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
 }; 0";

#[test]
fn a_recording_is_kept_and_replays_with_the_edits_of_the_page() {
    let folder = std::env::temp_dir().join(format!("page-record-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the folder for temporary files accepts it");
    let path = folder.join("there.rec");
    let there = path.clone();
    let opened = page_of("record", move |app, inspect| {
        meadow(app, 3, "Hero");
        let recorder = Recorder::new(there).hash_every(1).stopped();
        let inspect = recorder.control().inspected(inspect);
        app.add_plugin(recorder);
        inspect
    });
    let Some(mut browser) = opened else {
        return;
    };
    browser.eval(KEEP_FILES);
    browser.click("#list .scroll .row");
    browser.wait_for("$('#detail h2').innerText.includes('Hero')");
    browser.wait_for("$('#record').textContent === '● Record' && !$('#record').hidden");
    // Its own numbers begin later than the program's.
    browser.wait_for("Number($('#frame').textContent) > 30");
    browser.click("#record");
    browser.wait_for("$('#record').textContent === '■ End'");
    let health = "[id=\"field-game.health-now\"]";
    browser.fill(health, "77");
    browser.key("Enter");
    browser.wait_for(&format!(
        "$('{health}').value === '77' && document.activeElement !== $('{health}')"
    ));
    browser.key("u");
    browser.fill("#dialog input", "game.place.x > 60");
    browser.press("Run");
    browser.wait_for("$('#live').textContent === 'paused'");
    browser.click("#back");
    // The frame in whose middle it stands still is not recorded yet.
    browser.click("#step-system");
    browser.wait_for("$('#live').textContent === 'paused in a frame'");
    browser.click("#pause");
    browser.wait_for("$('#live').textContent === 'live'");
    // The newest frame of the graph has a number in the recording.
    let newest = "(() => {
        const canvas = $('#frames');
        const move = new MouseEvent('mousemove');
        for (let x = 34; x < canvas.clientWidth; x += 3) {
            Object.defineProperty(move, 'offsetX', { value: x, configurable: true });
            canvas.onmousemove(move);
            if (canvas.title.includes('in the recording')) return canvas.title;
        }
        return '';
    })()";
    browser.wait_for(newest);
    let title = browser.eval(newest);
    let title = title.as_str().expect("a text").to_owned();
    browser.key("r");
    browser.wait_for("window.files['there.rec']");
    browser.wait_for("$('#record').textContent === '● Record'");
    let digits = browser.eval("window.files['there.rec']");
    let digits = digits.as_str().expect("digits").to_owned();
    let bytes = |two: &[u8]| {
        let two = std::str::from_utf8(two).expect("digits");
        u8::from_str_radix(two, 16).expect("digits")
    };
    let bytes: Vec<u8> = digits.as_bytes().chunks(2).map(bytes).collect();
    let kept = folder.join("kept.rec");
    fs::write(&kept, &bytes).expect("the folder accepts it");
    let recording = Recording::read(&kept).expect("the whole file came");
    let end = recording.end_frame();
    let game = || {
        let mut app = App::new();
        meadow(&mut app, 3, "Hero");
        app
    };
    let mut replay = Replay::new(recording, game()).expect("it is the same game");
    // The title names a frame by its number in the program, and in the recording.
    let numbers = title.split(|c: char| !c.is_ascii_digit());
    let numbers: Vec<u64> = numbers.filter_map(|part| part.parse().ok()).collect();
    let (frame, recorded) = (numbers[0], numbers[3]);
    assert!(recorded < end, "{title}");
    replay.run_to(recorded).expect("it is there");
    assert_eq!(
        replay.world().resource::<Time>().frame() + 1,
        frame,
        "{title}"
    );
    assert_eq!(replay.finish().expect("it replays"), Outcome::Same);
    assert_eq!(replay.compared(), end);
    fs::remove_dir_all(&folder).expect("the folder is ours");
}

#[test]
fn without_a_recorder_there_is_no_button_and_the_key_says_why() {
    let Some(mut browser) = page("no-recorder", 3, "Hero") else {
        return;
    };
    browser.wait_for("Number($('#frame').textContent) > 10 && $('#record').hidden");
    browser.key("r");
    browser.wait_for("$('#notice').textContent.includes('app.record')");
}
