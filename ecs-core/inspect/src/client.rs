//! A client of the inspector's server.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use serde_json::{Value, json};

/// The longest wait for a connection, and for each piece of an answer: longer than the server lets a request take.
const PATIENCE: Duration = Duration::from_secs(12);
/// The most bytes of an answer, and of its first lines.
const MAX_ANSWER: usize = 256 << 20;
const MAX_HEAD: u64 = 64 << 10;

/// A connection to a program with an inspector, for tests, bots and viewers without browser.
///
/// The connection stays open between calls. When the program has closed it, the next call connects again, once.
///
/// ```
/// use ecs_core::inspect::{Client, ClientError};
///
/// // No program listens there.
/// let error = Client::connect("127.0.0.1:1", None).unwrap_err();
/// assert!(matches!(error, ClientError::Io(_)));
/// ```
#[derive(Debug)]
pub struct Client {
    address: SocketAddr,
    /// The first lines of each request, up to the length.
    lines: String,
    stream: Option<BufReader<TcpStream>>,
    calls: u64,
}

/// The reason why a call of a [`Client`] has no result.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The program cannot be reached, or stopped in the middle of an answer.
    Io(io::Error),
    /// The server refused the request, before any method saw it.
    Refused {
        /// The number of HTTP: 401 without the token, 503 when too many ask.
        status: u16,
        /// The server's reason.
        message: String,
    },
    /// The method failed.
    Method {
        /// The number of JSON-RPC: -32601 for an unknown method.
        code: i64,
        /// The method's reason.
        message: String,
        /// More about it, or null.
        data: Value,
    },
    /// The answer is not one of an inspector.
    NoAnswer(String),
}

impl Client {
    /// Connects to a program's inspector at `address`, such as `127.0.0.1:7747`. Without `token`, the printed one, nothing can
    /// be changed.
    ///
    /// # Errors
    ///
    /// No program listens at the address.
    pub fn connect(address: impl ToSocketAddrs, token: Option<&str>) -> Result<Self, ClientError> {
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in address.to_socket_addrs()? {
            match connect(address) {
                Ok(stream) => return Ok(Self::new(address, token, stream)),
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
    /// # Errors
    ///
    /// The program cannot be reached, refuses the request, or its method fails.
    pub fn call(&mut self, method: &str, params: Value) -> Result<Value, ClientError> {
        self.calls += 1;
        let id = self.calls;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let text = self.send(&request.to_string())?;
        let Ok(Value::Object(mut answer)) = serde_json::from_str(&text) else {
            return Err(ClientError::NoAnswer(text));
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
            _ => Err(ClientError::NoAnswer(text)),
        }
    }

    /// Sends the text of a JSON-RPC request or batch as it is, and returns the text of the answer.
    ///
    /// # Errors
    ///
    /// The program cannot be reached, or refuses the request. Errors of methods are in the text.
    pub fn send(&mut self, request: &str) -> Result<String, ClientError> {
        let bytes = format!(
            "{}Content-Length: {}\r\n\r\n{request}",
            self.lines,
            request.len()
        );
        if let Some(stream) = self.stream.take() {
            match self.exchange(stream, &bytes) {
                // The server closes connections that were idle for a long time.
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
        // An answer may be there although the server has not read everything.
        let first = read_head(&mut stream);
        let (status, len, keep) = match (first, sent) {
            (Ok(head), _) => head,
            (Err(_), Err(error)) => return Err(error.into()),
            (Err(error), Ok(())) => return Err(error.into()),
        };
        let mut body = Vec::new();
        let read = stream.by_ref().take(len as u64).read_to_end(&mut body);
        if read.map_err(in_the_middle)? < len {
            return Err(in_the_middle(io::ErrorKind::UnexpectedEof.into()).into());
        }
        let text = String::from_utf8_lossy(&body).into_owned();
        if status != 200 {
            return Err(ClientError::Refused {
                status,
                message: text,
            });
        }
        self.stream = keep.then_some(stream);
        Ok(text)
    }
}

fn connect(address: SocketAddr) -> io::Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(BufReader::new(stream))
}

/// Returns the status, the length of the body, and whether the connection stays open.
fn read_head(stream: &mut BufReader<TcpStream>) -> io::Result<(u16, usize, bool)> {
    if stream.fill_buf()?.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut lines = stream.by_ref().take(MAX_HEAD);
    let mut line = String::new();
    let (mut status, mut len, mut keep) = (None, None, true);
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
            let word = text
                .strip_prefix("HTTP/1.")
                .and_then(|rest| rest.split(' ').nth(1));
            status = word.and_then(|word| word.parse().ok());
        } else if let Some((name, value)) = text.split_once(':') {
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                len = value.parse().ok();
            } else if name.eq_ignore_ascii_case("connection") {
                keep = !value.eq_ignore_ascii_case("close");
            }
        }
    }
    match (status, len) {
        (Some(status), Some(len)) if len <= MAX_ANSWER => Ok((status, len, keep)),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the answer is not one of an inspector",
        )),
    }
}

/// An answer that broke off is not asked for again.
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
