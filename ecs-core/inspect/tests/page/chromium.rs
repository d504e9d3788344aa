//! A headless Chromium, driven through its debugging pipe.
//!
//! `INSPECT_BROWSER` names the program; otherwise `chromium` and its kin are looked for. Without one that starts, tests pass with
//! the word `skipped`, unless `INSPECT_BROWSER` is `required`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(30);

/// Returns the browser's program.
fn program() -> Option<String> {
    let wanted = std::env::var("INSPECT_BROWSER").unwrap_or_default();
    if !wanted.is_empty() && wanted != "required" {
        return Some(wanted);
    }
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.into_iter().find(|name| {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders).any(|folder| folder.join(name).is_file())
    });
    assert!(
        found.is_some() || !is_required(),
        "INSPECT_BROWSER=required, and there is no browser"
    );
    found.map(str::to_owned)
}

fn is_required() -> bool {
    std::env::var("INSPECT_BROWSER").is_ok_and(|wanted| wanted == "required")
}

/// A browser with one page, which ends when this is dropped.
pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    messages: u64,
    session: Option<String>,
    profile: PathBuf,
}

impl Browser {
    /// Starts a browser, or returns nothing if there is none.
    pub(crate) fn start(test: &str) -> Option<Self> {
        let Some(program) = program() else {
            println!("{test}: skipped, because there is no Chromium");
            return None;
        };
        let profile =
            std::env::temp_dir().join(format!("inspect-browser-{}-{test}", std::process::id()));
        // The pipe has the numbers 3 and 4. Tests may run as root, where the sandbox cannot start; the page is our own.
        let script = r#"exec "$0" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
            --window-size=1280,800 --remote-debugging-pipe --user-data-dir="$1" about:blank \
            3<&0 4>&1 </dev/null >/dev/null 2>&1"#;
        let mut child = Command::new("sh")
            .args(["-c", script, &program])
            .arg(&profile)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell can be started");
        let to = child.stdin.take().expect("it was piped");
        let from = BufReader::new(child.stdout.take().expect("it was piped"));
        let mut browser = Self {
            child,
            to,
            from,
            messages: 0,
            session: None,
            profile,
        };
        let first = browser.try_send("Target.createTarget", json!({"url": "about:blank"}));
        let Some(target) = first else {
            assert!(
                !is_required(),
                "INSPECT_BROWSER=required, and Chromium does not start"
            );
            println!("{test}: skipped, because Chromium does not start");
            return None;
        };
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.send("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        browser.send("Page.enable", json!({}));
        Some(browser)
    }

    /// Sends a message, and returns its result.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> Value {
        self.try_send(method, params).expect("the browser runs")
    }

    /// Sends a message, and returns its result; nothing if the browser has ended.
    fn try_send(&mut self, method: &str, params: Value) -> Option<Value> {
        self.messages += 1;
        let mut message = json!({"id": self.messages, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).ok()?;
        loop {
            let mut answer = Vec::new();
            self.from.read_until(0, &mut answer).ok()?;
            if answer.pop() != Some(0) {
                return None;
            }
            let answer: Value = serde_json::from_slice(&answer).expect("the browser sends JSON");
            // Everything else is an event.
            if answer["id"] == json!(self.messages) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return Some(answer["result"].clone());
            }
        }
    }

    pub(crate) fn open(&mut self, address: &str) {
        self.send("Page.navigate", json!({"url": address}));
    }

    /// Evaluates an expression in the page, where `$` and `$$` find elements.
    #[track_caller]
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true,
            "includeCommandLineAPI": true});
        let result = self.send("Runtime.evaluate", params);
        let problem = &result["exceptionDetails"];
        assert!(problem.is_null(), "{expression}: {problem}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true. The page may be loading, so errors count as false.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let start = Instant::now();
        let safe =
            format!("(() => {{ try {{ return !!({expression}) }} catch {{ return false }} }})()");
        while self.eval(&safe) != json!(true) {
            if start.elapsed() > PATIENCE {
                let shot = self.screenshot("failed");
                let text = self.eval("document.body.innerText");
                panic!("never true: {expression}\n{}\n{text}", shot.display());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Clicks an element.
    #[track_caller]
    pub(crate) fn click(&mut self, selector: &str) {
        self.wait_for(&format!(
            "$({selector:?}) && !$({selector:?}).disabled && !$({selector:?}).dataset.why"
        ));
        self.eval(&format!("$({selector:?}).click()"));
    }

    /// Clicks the button with a text.
    #[track_caller]
    pub(crate) fn press(&mut self, text: &str) {
        let find = format!("$$('button').find((one) => one.textContent === {text:?})");
        self.wait_for(&format!("{find} && !{find}.dataset.why"));
        self.eval(&format!("{find}.click()"));
    }

    /// Clicks a place of an element, in pixels from its corner.
    #[track_caller]
    pub(crate) fn click_at(&mut self, selector: &str, x: f64, y: f64) {
        for kind in ["mousePressed", "mouseReleased"] {
            self.mouse(kind, selector, x, y);
        }
    }

    /// Moves the mouse to a place of an element.
    #[track_caller]
    pub(crate) fn move_to(&mut self, selector: &str, x: f64, y: f64) {
        self.mouse("mouseMoved", selector, x, y);
    }

    #[track_caller]
    fn mouse(&mut self, kind: &str, selector: &str, x: f64, y: f64) {
        let corner = self.eval(&format!(
            "(({{x, y}}) => [x, y])($({selector:?}).getBoundingClientRect())"
        ));
        let place = |at: usize, by: f64| corner[at].as_f64().expect("a number") + by;
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let params = json!({"type": kind, "x": place(0, x), "y": place(1, y), "button": button, "clickCount": 1});
        self.send("Input.dispatchMouseEvent", params);
    }

    /// Sets the colors that the user prefers.
    pub(crate) fn prefer(&mut self, scheme: &str) {
        let scheme = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.send("Emulation.setEmulatedMedia", scheme);
    }

    /// Gives an element the focus, and replaces its text.
    #[track_caller]
    pub(crate) fn fill(&mut self, selector: &str, text: &str) {
        self.wait_for(&format!("$({selector:?})"));
        self.eval(&format!(
            "(() => {{ const e = $({selector:?}); e.focus(); e.select() }})()"
        ));
        self.send("Input.insertText", json!({"text": text}));
    }

    /// Presses a key, such as `Enter`, `End` or `a`.
    pub(crate) fn key(&mut self, key: &str) {
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "End" => 35,
            "Home" => 36,
            "PageDown" => 34,
            "ArrowDown" => 40,
            _ => 0,
        };
        let mut down = json!({"type": "keyDown", "key": key, "windowsVirtualKeyCode": code});
        if key == "Enter" {
            down["text"] = json!("\r");
        } else if key.chars().count() == 1 {
            down["text"] = json!(key);
        }
        self.send("Input.dispatchKeyEvent", down);
        let up = json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code});
        self.send("Input.dispatchKeyEvent", up);
    }

    /// Writes a picture of the page, and returns its path.
    pub(crate) fn screenshot(&mut self, name: &str) -> PathBuf {
        let shot = self.send("Page.captureScreenshot", json!({"format": "png"}));
        let folder =
            std::env::var_os("INSPECT_SCREENSHOTS").map_or_else(std::env::temp_dir, PathBuf::from);
        let path = folder.join(format!("inspector-{name}.png"));
        let data = shot["data"].as_str().expect("a picture");
        std::fs::write(&path, from_base64(data)).expect("the folder can be written");
        path
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
        _ = std::fs::remove_dir_all(&self.profile);
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for byte in text.bytes() {
        let Some(six) = alphabet.iter().position(|&one| one == byte) else {
            break;
        };
        bits = bits << 6 | six as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
