//! A headless Chromium, driven through its debugging pipe. All tests share one; each has a window of its own.
//!
//! `INSPECT_BROWSER` names the program; otherwise `chromium` and its kin are looked for. Without one that starts, tests pass with
//! the word `skipped`, unless `INSPECT_BROWSER` is `required`.

use std::any::Any;
use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _, stderr};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
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
    found.map(str::to_owned)
}

/// The browser, or the reason why there is none. It ends with the program of the tests, which closes the pipe.
static CHROMIUM: LazyLock<Result<Chromium, &str>> = LazyLock::new(|| {
    let started = program().ok_or("there is no Chromium").and_then(|program| {
        let chromium = Chromium::start(&program);
        let answer = chromium.send(None, "Browser.getVersion", json!({}));
        answer.map(|_| chromium).ok_or("Chromium does not start")
    });
    let is_required = std::env::var("INSPECT_BROWSER").is_ok_and(|wanted| wanted == "required");
    if let (Err(problem), true) = (&started, is_required) {
        panic!("INSPECT_BROWSER=required, and {problem}");
    }
    started
});

/// The senders of answers by the numbers of their messages, until the browser ends.
type Waiting = Arc<Mutex<Option<HashMap<u64, Sender<Value>>>>>;

struct Chromium {
    to: Mutex<ChildStdin>,
    messages: AtomicU64,
    waiting: Waiting,
    /// The drags that began, by session.
    drags: Arc<Mutex<HashMap<String, Value>>>,
}

impl Chromium {
    fn start(program: &str) -> Self {
        let profile = std::env::temp_dir().join(format!("inspect-browser-{}", std::process::id()));
        // The pipe has the numbers 3 and 4. Tests may run as root, where the sandbox cannot start; the page is our own.
        let script = r#""$0" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
            --window-size=1280,800 --remote-debugging-pipe --user-data-dir="$1" about:blank \
            3<&0 4>&1 </dev/null >/dev/null 2>&1; rm -rf "$1""#;
        let mut child = Command::new("sh")
            .args(["-c", script, program])
            .arg(&profile)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell can be started");
        let to = child.stdin.take().expect("it was piped");
        let from = BufReader::new(child.stdout.take().expect("it was piped"));
        let chromium = Self {
            to: Mutex::new(to),
            messages: AtomicU64::new(0),
            waiting: Arc::new(Mutex::new(Some(HashMap::new()))),
            drags: Arc::default(),
        };
        let (waiting, drags) = (chromium.waiting.clone(), chromium.drags.clone());
        thread::spawn(move || {
            read(from, &waiting, &drags);
            child.wait()
        });
        chromium
    }

    /// Sends a message, and returns its result; nothing if the browser has ended, or does not answer in time.
    fn send(&self, session: Option<&str>, method: &str, params: Value) -> Option<Value> {
        let answer = self.answer(session, method, params, PATIENCE)?;
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        Some(answer["result"].clone())
    }

    /// Sends a message, and returns the answer.
    fn answer(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        patience: Duration,
    ) -> Option<Value> {
        let id = self.messages.fetch_add(1, Ordering::Relaxed) + 1;
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let (send, received) = mpsc::channel();
        let mut waiting = self.waiting.lock().expect("no holder panics");
        waiting.as_mut()?.insert(id, send);
        drop(waiting);
        self.to
            .lock()
            .expect("no holder panics")
            .write_all(&bytes)
            .ok()?;
        received.recv_timeout(patience).ok()
    }
}

/// Gives each answer to the test that waits for it.
fn read(
    mut from: BufReader<ChildStdout>,
    waiting: &Mutex<Option<HashMap<u64, Sender<Value>>>>,
    drags: &Mutex<HashMap<String, Value>>,
) {
    let mut bytes = Vec::new();
    while from.read_until(0, &mut bytes).is_ok() && bytes.pop() == Some(0) {
        let mut message: Value = serde_json::from_slice(&bytes).expect("the browser sends JSON");
        bytes.clear();
        if message["method"] == "Input.dragIntercepted" {
            let session = message["sessionId"].as_str().unwrap_or_default().to_owned();
            let data = message["params"]["data"].take();
            drags
                .lock()
                .expect("no holder panics")
                .insert(session, data);
        }
        let Some(id) = message["id"].as_u64() else {
            continue;
        };
        let mut waiting = waiting.lock().expect("no holder panics");
        let sender = waiting.as_mut().and_then(|waiting| waiting.remove(&id));
        // A test that failed waits no longer.
        _ = sender.map(|sender| sender.send(message));
    }
    *waiting.lock().expect("no holder panics") = None;
}

/// A window with one page, which is closed when this is dropped.
pub(crate) struct Browser {
    chromium: &'static Chromium,
    context: Value,
    session: String,
    kept: Vec<Box<dyn Any>>,
}

impl Browser {
    /// Opens a window, or returns nothing if there is no browser.
    pub(crate) fn start(test: &str) -> Option<Self> {
        let chromium = match &*CHROMIUM {
            Ok(chromium) => chromium,
            Err(problem) => {
                // Not `println`, which a test that passes does not show.
                _ = writeln!(stderr(), "{test}: skipped, because {problem}");
                return None;
            }
        };
        let send = |method, params| {
            let result = chromium.send(None, method, params);
            result.expect("the browser runs")
        };
        let context = send("Target.createBrowserContext", json!({}))["browserContextId"].take();
        let target = json!({"url": "about:blank", "browserContextId": context});
        let target = send("Target.createTarget", target);
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = send("Target.attachToTarget", attach);
        let session = session["sessionId"].as_str().expect("a session").to_owned();
        let mut browser = Self {
            chromium,
            context,
            session,
            kept: Vec::new(),
        };
        browser.send("Page.enable", json!({}));
        // Every window behaves as the one in front.
        let focus = json!({"enabled": true});
        browser.send("Emulation.setFocusEmulationEnabled", focus);
        Some(browser)
    }

    /// Keeps a value until the window is closed.
    pub(crate) fn keep(&mut self, value: impl Any) {
        self.kept.push(Box::new(value));
    }

    /// Lets the page read and write the clipboard.
    pub(crate) fn grant_clipboard(&mut self) {
        let permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"];
        let grant = json!({"permissions": permissions, "browserContextId": self.context});
        let granted = self.chromium.send(None, "Browser.grantPermissions", grant);
        granted.expect("the browser runs");
    }

    /// Sends a message, and returns its result.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> Value {
        let result = self.chromium.send(Some(&self.session), method, params);
        result.expect("the browser runs")
    }

    /// Opens another page in the same window, and leaves it alone.
    pub(crate) fn open_beside(&mut self, address: &str) {
        let target = json!({"url": address, "browserContextId": self.context});
        let opened = self.chromium.send(None, "Target.createTarget", target);
        opened.expect("the browser runs");
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

    /// Waits until an expression is true. The page may be loading, so errors and lost answers count as false.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let start = Instant::now();
        let safe =
            format!("(() => {{ try {{ return !!({expression}) }} catch {{ return false }} }})()");
        let params =
            json!({"expression": safe, "returnByValue": true, "includeCommandLineAPI": true});
        let is_true = |browser: &Self| {
            let session = Some(&*browser.session);
            let patience = Duration::from_secs(5);
            let answer =
                browser
                    .chromium
                    .answer(session, "Runtime.evaluate", params.clone(), patience);
            answer.is_some_and(|answer| answer["result"]["result"]["value"] == json!(true))
        };
        while !is_true(self) {
            if start.elapsed() > PATIENCE {
                let shot = self.screenshot("failed");
                let text = self.eval("document.body.innerText");
                panic!("never true: {expression}\n{}\n{text}", shot.display());
            }
            thread::sleep(Duration::from_millis(50));
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
        let [x, y] = self.place(selector, x, y);
        let (kind, button, buttons) = match kind {
            "mouseMoved" => (kind, "none", 0),
            "mouseDragged" => ("mouseMoved", "left", 1),
            _ => (kind, "left", 1),
        };
        let params = json!({"type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1});
        self.send("Input.dispatchMouseEvent", params);
    }

    /// Turns the wheel at a place of an element.
    #[track_caller]
    pub(crate) fn wheel(&mut self, selector: &str, x: f64, y: f64, by: f64) {
        let [x, y] = self.place(selector, x, y);
        let params = json!({"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": by});
        self.send("Input.dispatchMouseEvent", params);
    }

    /// Drags an element and drops it on another one.
    #[track_caller]
    pub(crate) fn drag(&mut self, from: &str, to: &str) {
        let to = to.to_owned();
        self.send("Input.setInterceptDrags", json!({"enabled": true}));
        self.mouse("mousePressed", from, 40.0, 8.0);
        self.mouse("mouseDragged", from, 60.0, 12.0);
        self.mouse("mouseDragged", &to, 40.0, 8.0);
        let start = Instant::now();
        let data = loop {
            let mut drags = self.chromium.drags.lock().expect("no holder panics");
            if let Some(data) = drags.remove(&self.session) {
                break data;
            }
            drop(drags);
            assert!(start.elapsed() < PATIENCE, "{from} is not dragged");
            thread::sleep(Duration::from_millis(10));
        };
        let [x, y] = self.place(&to, 40.0, 8.0);
        for kind in ["dragEnter", "dragOver", "drop"] {
            let params = json!({"type": kind, "x": x, "y": y, "data": data});
            self.send("Input.dispatchDragEvent", params);
        }
        self.mouse("mouseReleased", &to, 40.0, 8.0);
        self.send("Input.setInterceptDrags", json!({"enabled": false}));
    }

    /// Returns a place in the window, from one in an element.
    #[track_caller]
    fn place(&mut self, selector: &str, x: f64, y: f64) -> [f64; 2] {
        let corner = self.eval(&format!(
            "(({{x, y}}) => [x, y])($({selector:?}).getBoundingClientRect())"
        ));
        let place = |at: usize, by: f64| corner[at].as_f64().expect("a number") + by;
        [place(0, x), place(1, y)]
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
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Delete" => 46,
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
        std::fs::create_dir_all(folder).expect("the folder can be made");
        std::fs::write(&path, from_base64(data)).expect("the folder can be written");
        path
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let context = json!({"browserContextId": self.context});
        let send = |method, params| self.chromium.send(None, method, params);
        _ = send("Target.disposeBrowserContext", context);
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
