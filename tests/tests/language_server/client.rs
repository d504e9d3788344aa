//! A client of a language server, like an editor.

use std::env::{join_paths, split_paths};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::iter::once;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use ecs_tests::compilers::{has_sources, has_sources_of};
use serde_json::{Value, json};

/// The time limit of a test, whatever the server does.
const MOST: Duration = Duration::from_secs(300);

/// The session of the tests that run at the moment.
static SESSION: Mutex<Weak<Mutex<Session>>> = Mutex::new(Weak::new());

/// A test's share in a session, which ends with the last one. Tests that run at the same time take turns with one server, because
/// it needs longer to load the workspace than to answer a test.
pub(crate) struct SessionShare(Arc<Mutex<Session>>);

impl SessionShare {
    /// Returns a share in the session, which begins if there is none. None if no server is installed.
    pub(crate) fn of_all() -> Option<Self> {
        let mut session = SESSION.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = session.upgrade() {
            return Some(Self(session));
        }
        let toolchain = Toolchain::installed()?;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let file = root.join("examples/small/hello.rs");
        let new = Arc::new(Mutex::new(Session::start(&toolchain, root, file)));
        *session = Arc::downgrade(&new);
        Some(Self(new))
    }

    /// Waits for the test's turn. Each test begins with a text of its own, so it does not matter if another one has failed.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Session> {
        let mut session = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        session.deadline = Instant::now() + MOST;
        session
    }
}

/// A session with rust-analyzer and one open file. Dropping it ends the server.
pub(crate) struct Session {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    requests: u64,
    deadline: Instant,
    uri: String,
    /// The open file.
    pub(crate) file: PathBuf,
    /// Its text on the disk.
    pub(crate) saved: String,
    /// Its text as the server sees it.
    text: String,
    /// True if the toolchain has the sources of the standard library.
    pub(crate) has_sources: bool,
    version: u64,
}

/// A place in a file: the path, and the line and the column from 0.
pub(crate) type Place = (PathBuf, u64, u64);

/// The folder of the toolchain that Debian's packages `cargo-web`, `rust-web-analyzer` and `rust-web-src` are.
const OF_DISTRIBUTION: &str = "/usr/bin";

/// A language server, and the toolchain that it asks.
struct Toolchain {
    analyzer: PathBuf,
    /// The folder of `cargo` and `rustc`; none for the ones that run the tests.
    folder: Option<PathBuf>,
    /// True if it has the sources of the standard library, with its macros: `derive` is one.
    has_sources: bool,
}

impl Toolchain {
    /// Returns the tests' own toolchain, or the distribution's if only that one has sources; the language server is the program of
    /// the environment variable `RUST_ANALYZER`, or `rust-analyzer`. None if no server runs.
    fn installed() -> Option<Self> {
        let name = std::env::var("RUST_ANALYZER").unwrap_or_else(|_| "rust-analyzer".to_owned());
        let own = Self {
            analyzer: name.into(),
            folder: None,
            has_sources: has_sources(),
        };
        let folder = Path::new(OF_DISTRIBUTION);
        let other = Self {
            analyzer: folder.join("rust-analyzer"),
            folder: Some(folder.to_owned()),
            has_sources: folder.join("cargo").exists() && has_sources_of(&folder.join("rustc")),
        };
        let runs = |it: &Self| {
            // A rustup without the component has a program of this name, which fails.
            let version = Command::new(&it.analyzer).arg("--version").output();
            version.is_ok_and(|version| version.status.success())
        };
        let both = [own, other];
        let whole = both.iter().position(|it| it.has_sources && runs(it));
        let some = whole.or_else(|| both.iter().position(|it| it.folder.is_none() && runs(it)));
        both.into_iter().nth(some?)
    }

    /// Returns a folder with the sources of the standard library: links to the distribution's, but without its `Cargo.toml`. With
    /// that, the server would ask Cargo for the library's dependencies, which no registry has. None for the tests' own toolchain.
    fn std_sources(&self, root: &Path) -> Option<PathBuf> {
        let usr = self.folder.as_deref()?.parent()?;
        let library = root.join("target/language_server/library");
        fs::create_dir_all(&library).expect("a folder for the build");
        for entry in fs::read_dir(usr.join("lib/rustlib/src/rust/library")).ok()? {
            let path = entry.ok()?.path();
            if path.join("src").exists() {
                let mut link = Command::new("ln");
                link.arg("-sfn").arg(&path).arg(&library);
                assert!(link.status().is_ok_and(|it| it.success()), "{path:?}");
            }
        }
        Some(library)
    }

    /// Returns the command that starts the server.
    fn server(&self, root: &Path) -> Command {
        let mut server = Command::new(&self.analyzer);
        // It would install the sources of the standard library, which change the texts of the compiler's errors.
        server.env("RUSTUP_DIST_SERVER", "file:///none");
        if let Some(folder) = &self.folder {
            let others = std::env::var_os("PATH").unwrap_or_default();
            let path = once(folder.clone()).chain(split_paths(&others));
            server
                .env("PATH", join_paths(path).expect("no colon"))
                .env("CARGO", folder.join("cargo"))
                .env("RUSTC", folder.join("rustc"))
                // Two compilers would build into one folder in turns.
                .env("CARGO_TARGET_DIR", root.join("target/language_server"))
                .env_remove("LD_LIBRARY_PATH")
                .env_remove("RUSTUP_TOOLCHAIN");
        }
        server
    }
}

impl Session {
    /// Starts the server in the folder `root`, and opens `file`.
    fn start(toolchain: &Toolchain, root: &Path, file: PathBuf) -> Self {
        let saved = fs::read_to_string(&file).expect("the file exists");
        let mut server = (toolchain.server(root))
            .current_dir(root)
            .env("CARGO_NET_OFFLINE", "true")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let input = server.stdin.take().expect("a pipe");
        let output = BufReader::new(server.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        thread::spawn(move || read(output, &sender));
        let mut session = Self {
            server,
            input,
            messages,
            requests: 0,
            deadline: Instant::now() + MOST,
            uri: uri(&file),
            file,
            text: saved.clone(),
            saved,
            version: 1,
            has_sources: toolchain.has_sources,
        };
        session.open(root, toolchain.std_sources(root));
        session
    }

    fn open(&mut self, root: &Path, library: Option<PathBuf>) {
        // Only the macros have to be built, and everything that is not asked for is off.
        let build = [
            "cargo",
            "build",
            "--quiet",
            "-p",
            "ecs-macros",
            "--all-features",
            "--message-format=json",
        ];
        self.request(
            "initialize",
            json!({
                "processId": std::process::id(),
                "rootUri": uri(root),
                "capabilities": {
                    "experimental": { "serverStatusNotification": true },
                    "textDocument": { "hover": { "contentFormat": ["markdown"] } },
                },
                "initializationOptions": {
                    "checkOnSave": false,
                    "cachePriming": { "enable": false },
                    "procMacro": { "enable": true },
                    "cargo": {
                        "buildScripts": { "overrideCommand": build, "invocationStrategy": "once" },
                        "sysrootSrc": library,
                    },
                },
            }),
        );
        self.notify("initialized", json!({}));
        let document =
            json!({ "uri": self.uri, "languageId": "rust", "version": 1, "text": self.text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        loop {
            let message = self.receive();
            if message["method"] == "experimental/serverStatus"
                && message["params"]["quiescent"] == true
            {
                break;
            }
        }
    }

    /// Replaces the text of the file, like typing.
    pub(crate) fn type_in(&mut self, text: String) {
        self.version += 1;
        self.text = text;
        let document = json!({ "uri": self.uri, "version": self.version });
        let changes = json!([{ "text": self.text }]);
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
    }

    /// Returns the names that the server offers after `before`.
    pub(crate) fn completions(&mut self, before: &str) -> Vec<String> {
        let position = self.position(before);
        self.offered(position)
    }

    /// Returns the names that the server offers at this byte of the text.
    pub(crate) fn completions_at(&mut self, byte: usize) -> Vec<String> {
        let position = self.place_of(byte);
        self.offered(position)
    }

    fn offered(&mut self, position: Value) -> Vec<String> {
        let result = self.ask("textDocument/completion", position, json!({}));
        let items = result["items"].as_array().or(result.as_array());
        let label = |item: &Value| item["label"].as_str().unwrap_or_default().to_owned();
        items
            .map(|items| items.iter().map(label).collect())
            .unwrap_or_default()
    }

    /// Returns the text that the server shows for the name that begins after `before`.
    pub(crate) fn hover(&mut self, before: &str) -> String {
        let at = self.byte(before);
        self.hover_at(at)
    }

    /// Returns the text that the server shows for the name that begins at this byte of the text.
    pub(crate) fn hover_at(&mut self, byte: usize) -> String {
        let result = self.ask("textDocument/hover", self.name(byte), json!({}));
        result["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Returns the definitions of the name after `before`.
    pub(crate) fn definitions(&mut self, before: &str) -> Vec<Place> {
        let at = self.byte(before);
        self.definitions_at(at)
    }

    /// Returns the definitions of the name that begins at this byte of the text.
    pub(crate) fn definitions_at(&mut self, byte: usize) -> Vec<Place> {
        let result = self.ask("textDocument/definition", self.name(byte), json!({}));
        result.as_array().into_iter().flatten().map(place).collect()
    }

    /// Returns the text of the file after a change of the name that begins after `before`.
    pub(crate) fn rename(&mut self, before: &str, name: &str) -> String {
        let at = self.byte(before);
        self.rename_at(at, name)
    }

    /// Returns the text of the file after a change of the name that begins at this byte of the text.
    pub(crate) fn rename_at(&mut self, byte: usize, name: &str) -> String {
        let result = self.ask(
            "textDocument/rename",
            self.name(byte),
            json!({ "newName": name }),
        );
        let documents = result["documentChanges"].as_array();
        let edits = documents.into_iter().flatten().flat_map(|document| {
            assert_eq!(document["textDocument"]["uri"], self.uri);
            document["edits"].as_array().unwrap()
        });
        let mut lines: Vec<String> = self.text.lines().map(str::to_owned).collect();
        // From the last one to the first: an edit moves the text after it.
        let mut edits: Vec<(Place, u64, &Value)> = edits
            .map(|edit| {
                let (_, line, start) = place(&json!({ "uri": self.uri, "range": edit["range"] }));
                let end = edit["range"]["end"]["character"].as_u64().unwrap();
                ((PathBuf::new(), line, start), end, &edit["newText"])
            })
            .collect();
        edits.sort_by_key(|((_, line, start), ..)| (*line, *start));
        for ((_, line, start), end, text) in edits.into_iter().rev() {
            lines[line as usize]
                .replace_range(start as usize..end as usize, text.as_str().unwrap());
        }
        lines.join("\n")
    }

    /// Returns the line of the file (from 0) where `text` ends.
    pub(crate) fn line(&self, text: &str) -> u64 {
        self.position(text)["line"].as_u64().unwrap()
    }

    fn ask(&mut self, method: &str, position: Value, more: Value) -> Value {
        let mut parameters = more;
        parameters["textDocument"] = json!({ "uri": self.uri });
        parameters["position"] = position;
        self.request(method, parameters)
    }

    /// Returns the first line of the file (from 0) where this text begins.
    pub(crate) fn line_of(&self, text: &str) -> u64 {
        let start = self.text.find(text).expect("the text occurs");
        self.text[..start].matches('\n').count() as u64
    }

    /// Returns a position in the name that begins at this byte.
    fn name(&self, byte: usize) -> Value {
        self.place_of(byte + usize::from(self.text[byte + 1..].starts_with(char::is_alphanumeric)))
    }

    fn position(&self, before: &str) -> Value {
        self.place_of(self.byte(before))
    }

    /// Returns the byte after the only occurrence of `before`.
    fn byte(&self, before: &str) -> usize {
        let mut found = self.text.match_indices(before);
        let (Some((start, _)), None) = (found.next(), found.next()) else {
            panic!("`{before}` does not occur once");
        };
        start + before.len()
    }

    fn place_of(&self, byte: usize) -> Value {
        let text = &self.text[..byte];
        let column = text.len() - text.rfind('\n').map_or(0, |end| end + 1);
        json!({ "line": text.matches('\n').count(), "character": column })
    }

    fn request(&mut self, method: &str, parameters: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
        loop {
            let message = self.receive();
            if message["id"] == id && message["method"].is_null() {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
        }
    }

    fn notify(&mut self, method: &str, parameters: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": parameters }));
    }

    fn send(&mut self, message: Value) {
        let message = message.to_string();
        write!(
            self.input,
            "Content-Length: {}\r\n\r\n{message}",
            message.len()
        )
        .unwrap();
        self.input.flush().unwrap();
    }

    /// Returns the next message; a question of the server gets an empty answer.
    fn receive(&mut self) -> Value {
        let rest = self.deadline.saturating_duration_since(Instant::now());
        let message = self.messages.recv_timeout(rest);
        let message = message.unwrap_or_else(|error| panic!("no answer of the server: {error}"));
        if message["method"].is_string() && !message["id"].is_null() {
            self.send(json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
        }
        message
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Reads messages until the server ends.
fn read(mut output: BufReader<impl std::io::Read>, sender: &Sender<Value>) -> Option<()> {
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            output
                .read_line(&mut line)
                .ok()
                .filter(|count| *count > 0)?;
            match line.trim().split_once(": ") {
                Some(("Content-Length", count)) => length = count.parse().ok()?,
                Some(_) => {}
                None => break,
            }
        }
        let mut message = vec![0; length];
        output.read_exact(&mut message).ok()?;
        sender.send(serde_json::from_slice(&message).ok()?).ok()?;
    }
}

fn uri(path: &Path) -> String {
    let path = fs::canonicalize(path).expect("the path exists");
    format!("file://{}", path.display())
}

fn place(location: &Value) -> Place {
    let path = location["uri"].as_str().unwrap_or_default();
    let start = &location["range"]["start"];
    let number = |name: &str| start[name].as_u64().unwrap_or_default();
    (
        PathBuf::from(path.trim_start_matches("file://")),
        number("line"),
        number("character"),
    )
}
