//! A client of the inspector's server.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::iter::FusedIterator;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use serde_json::{Value, json};

/// The longest wait for a connection, and for each piece of an answer: longer than the server lets a request take.
const PATIENCE: Duration = Duration::from_secs(12);
/// The most bytes of an answer's body and of its head.
const MAX_ANSWER: usize = 256 << 20;
const MAX_HEAD: u64 = 64 << 10;

/// A connection to a program with an inspector, for tests, bots and viewers without browser.
///
/// The connection stays open between calls. When the program has closed it, the next call connects again, once.
///
/// ```
/// use ecs_core::inspect::{Client, Inspect};
/// use ecs_core::prelude::*;
///
/// let (send, addresses) = std::sync::mpsc::channel();
/// let mut app = App::new();
/// app.add_plugin(Inspect::new(0).announce(move |address| send.send(address.to_owned()).unwrap()));
///
/// let address = addresses.recv()?;
/// let bot = std::thread::spawn(move || {
///     let mut client = Client::connect(&address)?;
///     client.call("app.status", serde_json::json!({}))
/// });
/// while !bot.is_finished() {
///     app.update();
/// }
/// assert_eq!(bot.join().unwrap()?["paused"], false);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Client {
    address: SocketAddr,
    /// The head of each request, up to its `Content-Length`.
    lines: String,
    stream: Option<BufReader<TcpStream>>,
    calls: u64,
}

/// The reason why a call of a [`Client`] has no result.
///
/// ```
/// use ecs_core::inspect::{Client, ClientError, Inspect};
/// use ecs_core::prelude::*;
/// use serde_json::json;
///
/// # let (send, addresses) = std::sync::mpsc::channel();
/// # let mut app = App::new();
/// # app.add_plugin(Inspect::new(0).announce(move |address| send.send(address.to_owned()).unwrap()));
/// # let address = addresses.recv()?;
/// # let bot = std::thread::spawn(move || -> Result<(), ClientError> {
/// let mut client = Client::connect(&address)?;
/// match client.call("app.puase", json!({})) {
///     Err(ClientError::Method { code: -32601, message, .. }) => assert!(message.contains("app.puase")),
///     other => panic!("{other:?}"),
/// }
/// #     Ok(())
/// # });
/// # while !bot.is_finished() {
/// #     app.update();
/// # }
/// # bot.join().unwrap()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The program cannot be reached, or stopped in the middle of an answer.
    Io(io::Error),
    /// The server refused the request, before any method saw it.
    Refused {
        /// The HTTP status: 401 without the token, 503 with too many connections.
        status: u16,
        /// The server's reason.
        message: String,
    },
    /// The method failed.
    Method {
        /// The JSON-RPC code: -32601 for an unknown method.
        code: i64,
        /// The method's reason.
        message: String,
        /// Details for programs, or null.
        data: Value,
    },
    /// The answer doesn't come from an inspector.
    NoAnswer(String),
}

impl Client {
    /// Connects to a program's inspector at the address that it prints, such as `http://127.0.0.1:7747/#t=4f..`. Without the token
    /// after `#t=` the client can only read. `127.0.0.1:7747` is an address, too.
    ///
    /// ```
    /// use ecs_core::inspect::{Client, ClientError};
    ///
    /// assert!(matches!(Client::connect("127.0.0.1:1"), Err(ClientError::Io(_))));
    /// ```
    ///
    /// # Errors
    /// If no program listens at the address.
    pub fn connect(address: &str) -> Result<Self, ClientError> {
        let rest = address.trim().strip_prefix("http://");
        let (rest, fragment) = split(rest.unwrap_or(address.trim()), '#');
        let (host, _) = split(rest, '/');
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in host.to_socket_addrs()? {
            match connect(address) {
                Ok(stream) => return Ok(Self::new(address, fragment.strip_prefix("t="), stream)),
                Err(error) => last = error,
            }
        }
        Err(last.into())
    }

    fn new(address: SocketAddr, token: Option<&str>, stream: BufReader<TcpStream>) -> Self {
        let mut lines =
            format!("POST /rpc HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n");
        // A line break would end the header.
        if let Some(token) = token.filter(|token| token.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            lines.push_str(&format!("Authorization: Bearer {token}\r\n"));
        }
        Self {
            address,
            lines,
            stream: Some(stream),
            calls: 0,
        }
    }

    /// Calls a method, and waits for its result.
    ///
    /// A call whose connection breaks before any byte of the answer is sent again, so when the program ends and starts again
    /// meanwhile, both runs may have seen it.
    ///
    /// ```
    /// use ecs_core::inspect::{Client, ClientError, Inspect};
    /// use ecs_core::prelude::*;
    /// use serde_json::json;
    ///
    /// # let (send, addresses) = std::sync::mpsc::channel();
    /// # let mut app = App::new();
    /// # app.add_plugin(Inspect::new(0).announce(move |address| send.send(address.to_owned()).unwrap()));
    /// # let address = addresses.recv()?;
    /// # let bot = std::thread::spawn(move || -> Result<(), ClientError> {
    /// let mut client = Client::connect(&address)?;
    /// let spawned = client.call("world.spawn_entity", json!({"components": {"ecs.name": "Ann"}}))?;
    /// assert!(spawned["entity"].is_string());
    /// #     Ok(())
    /// # });
    /// # while !bot.is_finished() {
    /// #     app.update();
    /// # }
    /// # bot.join().unwrap()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the program cannot be reached, refuses the request, or its method fails.
    pub fn call(&mut self, method: &str, params: Value) -> Result<Value, ClientError> {
        self.calls += 1;
        let id = self.calls;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let text = self.send(&request.to_string())?;
        result(&text, id)
    }

    /// Watches something: calls a method whose name ends in `+watch`, and returns an iterator over its results. The first one has
    /// everything, later ones what has changed. Each watch has a connection of its own, and a program allows 4.
    ///
    /// ```no_run
    /// # use ecs_core::inspect::Client;
    /// # use serde_json::json;
    /// let client = Client::connect("http://127.0.0.1:7747/#t=4f")?;
    /// let hero = json!({"entity": "0v1", "components": ["game.health"]});
    /// for change in client.watch("world.get_components+watch", hero)? {
    ///     println!("{}", change?["components"]["game.health"]);
    /// }
    /// # Ok::<(), ecs_core::inspect::ClientError>(())
    /// ```
    ///
    /// # Errors
    /// If the program cannot be reached, refuses the request, its method fails, or there are too many watches.
    pub fn watch(&self, method: &str, params: Value) -> Result<WatchResults, ClientError> {
        let request = json!({"jsonrpc": "2.0", "id": 0, "method": method, "params": params});
        let bytes = self.request(&request.to_string());
        let mut stream = connect(self.address)?;
        stream.get_mut().write_all(bytes.as_bytes())?;
        let head = read_head(&mut stream)?;
        if !head.is_stream {
            let text = read_body(&mut stream, &head)?;
            return Err(match result(&text, 0) {
                Ok(_) => ClientError::NoAnswer(text),
                Err(error) => error,
            });
        }
        // The next change may be a long time away, so reading doesn't time out.
        stream.get_mut().set_read_timeout(None)?;
        Ok(WatchResults {
            stream: Some(stream),
        })
    }

    fn request(&self, text: &str) -> String {
        format!("{}Content-Length: {}\r\n\r\n{text}", self.lines, text.len())
    }

    /// Sends the text of a JSON-RPC request or batch as it is, and returns the text of the answer.
    ///
    /// ```
    /// use ecs_core::inspect::{Client, ClientError, Inspect};
    /// use ecs_core::prelude::*;
    ///
    /// # let (send, addresses) = std::sync::mpsc::channel();
    /// # let mut app = App::new();
    /// # app.add_plugin(Inspect::new(0).announce(move |address| send.send(address.to_owned()).unwrap()));
    /// # let address = addresses.recv()?;
    /// # let bot = std::thread::spawn(move || -> Result<(), ClientError> {
    /// let mut client = Client::connect(&address)?;
    /// let answer = client.send(r#"{"jsonrpc": "2.0", "id": "a", "method": "app.pause"}"#)?;
    /// assert_eq!(answer, r#"{"jsonrpc":"2.0","id":"a","result":null}"#);
    /// #     Ok(())
    /// # });
    /// # while !bot.is_finished() {
    /// #     app.update();
    /// # }
    /// # bot.join().unwrap()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the program cannot be reached, or refuses the request. Errors of methods are in the text.
    pub fn send(&mut self, request: &str) -> Result<String, ClientError> {
        let bytes = self.request(request);
        if let Some(stream) = self.stream.take() {
            match self.exchange(stream, &bytes) {
                // The server has closed the connection if it was idle for long.
                Err(ClientError::Io(error)) if is_closed(&error) => {}
                outcome => return outcome,
            }
        }
        let stream = connect(self.address)?;
        self.exchange(stream, &bytes)
    }

    /// Keeps the connection if the server does.
    fn exchange(
        &mut self,
        mut stream: BufReader<TcpStream>,
        bytes: &str,
    ) -> Result<String, ClientError> {
        let sent = stream.get_mut().write_all(bytes.as_bytes());
        // The server may have answered before it read all of the request.
        let first = read_head(&mut stream);
        let head = match (first, sent) {
            (Ok(head), _) => head,
            (Err(_), Err(error)) => return Err(error.into()),
            (Err(error), Ok(())) => return Err(error.into()),
        };
        if head.is_stream {
            let text = "a stream; help: call `watch`";
            return Err(ClientError::NoAnswer(text.to_owned()));
        }
        let text = read_body(&mut stream, &head)?;
        self.stream = head.keep.then_some(stream);
        Ok(text)
    }
}

/// The results of a watch; see [`Client::watch`]. The iterator waits for the next result, and ends when the program closes the
/// stream.
#[derive(Debug)]
pub struct WatchResults {
    stream: Option<BufReader<TcpStream>>,
}

impl WatchResults {
    /// Reads a chunk, which is the text of an event; `None` at the end.
    fn chunk(stream: &mut BufReader<TcpStream>) -> Result<Option<String>, ClientError> {
        let mut line = String::new();
        stream.by_ref().take(MAX_HEAD).read_line(&mut line)?;
        let len = usize::from_str_radix(line.trim_end(), 16);
        let len = match len.ok().filter(|len| *len <= MAX_ANSWER) {
            Some(0) => return Ok(None),
            Some(len) => len,
            None => return Err(ClientError::NoAnswer(line)),
        };
        let mut text = vec![0; len + 2];
        stream.read_exact(&mut text).map_err(in_the_middle)?;
        text.truncate(len);
        Ok(Some(String::from_utf8_lossy(&text).into_owned()))
    }
}

impl Iterator for WatchResults {
    type Item = Result<Value, ClientError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut stream = self.stream.take()?;
        let answer = match Self::chunk(&mut stream) {
            Ok(Some(text)) => match text.trim_end().strip_prefix("data: ") {
                Some(text) => result(text, 0),
                None => Err(ClientError::NoAnswer(text)),
            },
            Ok(None) => return None,
            Err(error) => Err(error),
        };
        self.stream = answer.is_ok().then_some(stream);
        Some(answer)
    }
}

impl FusedIterator for WatchResults {}

/// Returns the result in the text of an answer.
fn result(text: &str, id: u64) -> Result<Value, ClientError> {
    let Ok(Value::Object(mut answer)) = serde_json::from_str(text) else {
        return Err(ClientError::NoAnswer(text.to_owned()));
    };
    if let Some(error) = answer.get_mut("error") {
        return Err(ClientError::Method {
            code: error["code"].as_i64().unwrap_or_default(),
            message: error["message"].as_str().unwrap_or_default().to_owned(),
            data: error["data"].take(),
        });
    }
    match answer.remove("result") {
        Some(result) if answer.get("id") == Some(&json!(id)) => Ok(result),
        _ => Err(ClientError::NoAnswer(text.to_owned())),
    }
}

/// Splits a text at a character, and leaves the character out.
fn split(text: &str, at: char) -> (&str, &str) {
    text.split_once(at).unwrap_or((text, ""))
}

fn connect(address: SocketAddr) -> io::Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(BufReader::new(stream))
}

/// The head of an answer.
struct AnswerHead {
    status: u16,
    /// The length of the body.
    len: usize,
    /// True if the server keeps the connection open.
    keep: bool,
    /// True if the body is a stream of events, in chunks.
    is_stream: bool,
}

fn read_head(stream: &mut BufReader<TcpStream>) -> io::Result<AnswerHead> {
    if stream.fill_buf()?.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut lines = stream.by_ref().take(MAX_HEAD);
    let mut line = String::new();
    let (mut status, mut len, mut keep, mut is_stream) = (None, None, true, false);
    loop {
        line.clear();
        if lines.read_line(&mut line).map_err(in_the_middle)? == 0 {
            return Err(in_the_middle(io::ErrorKind::UnexpectedEof.into()));
        }
        let text = line.trim_end();
        if text.is_empty() {
            break;
        }
        if status.is_none() {
            let (version, rest) = split(text, ' ');
            let word = version.starts_with("HTTP/1.").then_some(split(rest, ' ').0);
            status = word.and_then(|word| word.parse().ok());
            continue;
        }
        let (name, value) = split(text, ':');
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            len = value.parse().ok();
        } else if name.eq_ignore_ascii_case("connection") {
            keep = !value.eq_ignore_ascii_case("close");
        } else if name.eq_ignore_ascii_case("content-type") {
            is_stream = value == "text/event-stream";
        }
    }
    let len = len.or(is_stream.then_some(0));
    match (status, len.filter(|len| *len <= MAX_ANSWER)) {
        (Some(status), Some(len)) => Ok(AnswerHead {
            status,
            len,
            keep,
            is_stream,
        }),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the answer is not one of an inspector",
        )),
    }
}

/// Reads a body that is not a stream.
fn read_body(stream: &mut BufReader<TcpStream>, head: &AnswerHead) -> Result<String, ClientError> {
    let mut body = Vec::new();
    let read = stream.by_ref().take(head.len as u64).read_to_end(&mut body);
    if read.map_err(in_the_middle)? < head.len {
        return Err(in_the_middle(io::ErrorKind::UnexpectedEof.into()).into());
    }
    let text = String::from_utf8_lossy(&body).into_owned();
    match head.status {
        200 => Ok(text),
        status => Err(ClientError::Refused {
            status,
            message: text,
        }),
    }
}

/// Returns the error for an answer that broke off. The call isn't repeated, because the method may have run.
fn in_the_middle(error: io::Error) -> io::Error {
    io::Error::other(format!("the answer broke off: {error}"))
}

fn is_closed(error: &io::Error) -> bool {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected, UnexpectedEof,
    };
    matches!(
        error.kind(),
        BrokenPipe | ConnectionAborted | ConnectionReset | NotConnected | UnexpectedEof
    )
}

impl From<io::Error> for ClientError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(
                f,
                "the program's inspector cannot be reached: {error}; help: check its printed address"
            ),
            Self::Refused { status, message } => write!(
                f,
                "the inspector refused the request with {status}: {message}"
            ),
            Self::Method { code, message, .. } => write!(f, "{message} ({code})"),
            Self::NoAnswer(text) => {
                let start: String = text.chars().take(80).collect();
                write!(f, "this is not an answer of an inspector: {start:?}")
            }
        }
    }
}

impl std::error::Error for ClientError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}
