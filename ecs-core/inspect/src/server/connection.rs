//! One connection: reads requests, writes answers.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use super::parse::{Parsed, Refusal, RequestHead, RequestTarget, parse_more};
use super::places::{Places, SeatGroup};
use super::queue::{HttpRequest, Slot, SlotState};
use super::{PageFile, Parts};

/// How long a connection may say nothing between requests.
const IDLE: Duration = Duration::from_secs(60);
/// The longest time from the first byte of a request to the end of its head.
pub(super) const HEAD: Duration = Duration::from_secs(2);
/// The longest time from the first byte of a request to the last byte of its answer.
const WHOLE: Duration = Duration::from_secs(10);
/// How long the bytes of a refused request are read, so that the client sees the answer.
pub(super) const LINGER: Duration = Duration::from_millis(500);
/// How often a stream that has nothing to say looks whether its client is still there.
const LOOK: Duration = Duration::from_secs(1);
/// The bytes read at a time.
pub(super) const PIECE: usize = 16 << 10;

const PLAIN: &str = "text/plain; charset=utf-8";

/// The refusal of a request whose bytes did not come in time.
pub(super) const LATE: Refusal = Refusal {
    status: 408,
    message: "the request took too long",
};

/// Returns the number of the place of a connection whose first head is complete. Never waits.
pub(super) fn enter<Q>(
    shared: &Parts<Q>,
    stream: &Arc<TcpStream>,
    head: &RequestHead,
) -> Result<u64, Refusal> {
    may_guess(shared, head)?;
    let number = shared.places.enter(stream, group(head));
    number.ok_or(FULL)
}

/// Starts the thread of a connection that has a place, with the bytes that are read.
pub(super) fn start<Q: Send + 'static>(
    shared: &Arc<Parts<Q>>,
    number: u64,
    stream: Arc<TcpStream>,
    bytes: Vec<u8>,
    head: RequestHead,
) {
    let inner = Arc::clone(shared);
    let group = group(&head);
    shared.places.add_thread(Some(group));
    let thread = thread::Builder::new()
        .name(String::from("inspect connection"))
        .stack_size(256 << 10);
    let started = thread.spawn(move || {
        let end = EndOnDrop(&inner.places, number, group);
        serve(&inner, number, stream, bytes, head);
        drop(end);
    });
    if started.is_err() {
        drop(EndOnDrop(&shared.places, number, group));
    }
}

/// Gives the place of a connection free, also when its thread panics.
struct EndOnDrop<'a>(&'a Places, u64, SeatGroup);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        let Self(places, number, group) = *self;
        places.leave(number);
        places.end_thread(Some(group));
    }
}

/// Serves a connection until one side ends it.
fn serve<Q>(
    shared: &Parts<Q>,
    number: u64,
    stream: Arc<TcpStream>,
    bytes: Vec<u8>,
    head: RequestHead,
) {
    let mut connection = Connection {
        shared,
        number,
        stream,
        bytes,
        end: Instant::now() + WHOLE,
    };
    if let Err(Some(refusal)) = connection.run(head) {
        connection.refuse(refusal);
    }
}

const FULL: Refusal = Refusal {
    status: 503,
    message: "too many connections are busy",
};

fn may_guess<Q>(shared: &Parts<Q>, head: &RequestHead) -> Result<(), Refusal> {
    match head.guesses && !shared.places.may_guess() {
        true => Err(Refusal {
            status: 429,
            message: "too many wrong tokens; help: open the address that the program printed",
        }),
        false => Ok(()),
    }
}

/// Returns the kind of place that a request needs. One for a file is short.
fn group(head: &RequestHead) -> SeatGroup {
    match &head.target {
        _ if head.owner => SeatGroup::Owner,
        RequestTarget::File { .. } if head.body == 0 => SeatGroup::Files,
        _ => SeatGroup::Others,
    }
}

/// Why a connection ends: with an answer, or without.
type Ended = Option<Refusal>;

struct Connection<'a, Q> {
    shared: &'a Parts<Q>,
    number: u64,
    stream: Arc<TcpStream>,
    /// The bytes that are read and not used yet: less or more than a request.
    bytes: Vec<u8>,
    /// The end of the time for the present request.
    end: Instant,
}

impl<Q> Connection<'_, Q> {
    fn run(&mut self, first: RequestHead) -> Result<(), Ended> {
        self.stream.set_nonblocking(false).map_err(|_| None)?;
        self.stream.set_nodelay(true).map_err(|_| None)?;
        let mut head = first;
        loop {
            let body = self.read_body(&head)?;
            let keep = head.keep;
            self.answer(head, body)?;
            if !keep {
                return Ok(());
            }
            self.shared.places.rest(self.number);
            head = self.read_head()?;
            may_guess(self.shared, &head).map_err(Some)?;
            if !self.shared.places.work(self.number, group(&head)) {
                return Err(Some(FULL));
            }
        }
    }

    /// Reads until the head of a request is complete.
    fn read_head(&mut self) -> Result<RequestHead, Ended> {
        if self.bytes.is_empty() {
            // A large body is not kept.
            self.bytes.shrink_to(PIECE);
            self.read(Instant::now() + IDLE).map_err(|_| None)?;
        }
        let start = Instant::now();
        self.end = start + WHOLE;
        let mut seen = 0;
        loop {
            match parse_more(&self.bytes, &mut seen, &self.shared.rules) {
                Parsed::Head(head) => return Ok(head),
                Parsed::Refused(refusal) => return Err(Some(refusal)),
                Parsed::Partial => {}
            }
            self.read(start + HEAD).map_err(|error| late(&error))?;
        }
    }

    /// Reads the body, and removes the request from the bytes. The next request may follow.
    fn read_body(&mut self, head: &RequestHead) -> Result<Vec<u8>, Ended> {
        let whole = head.len + head.body;
        if head.waits && self.bytes.len() < whole {
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        while self.bytes.len() < whole {
            self.read(self.end).map_err(|error| late(&error))?;
        }
        let rest = self.bytes.split_off(whole);
        let mut body = std::mem::replace(&mut self.bytes, rest);
        body.drain(..head.len);
        Ok(body)
    }

    /// Reads some bytes: an error at the end of the time or of the stream.
    fn read(&mut self, end: Instant) -> io::Result<()> {
        let mut piece = [0; PIECE];
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.stream.set_read_timeout(Some(left))?;
            match (&*self.stream).read(&mut piece) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    self.bytes.extend_from_slice(&piece[..count]);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn answer(&mut self, head: RequestHead, body: Vec<u8>) -> Result<(), Ended> {
        let (only_head, is_brp) = match head.target {
            RequestTarget::File { path, only_head } => {
                let file = self.shared.files.iter().find(|(name, ..)| *name == path);
                let missing: PageFile = ("", PLAIN, b"there is no such file");
                let &(name, kind, bytes) = file.unwrap_or(&missing);
                let status = if name.is_empty() { 404 } else { 200 };
                let cookie = head.sets_pass.then_some(&*self.shared.rules.pass);
                let answer = Response {
                    status,
                    keep: head.keep,
                    kind,
                    cookie,
                    only_head,
                };
                return self.write(&answer.to_bytes(bytes));
            }
            RequestTarget::Rpc { is_brp } => (false, is_brp),
        };
        let read = (self.shared.read)(body, head.owner, is_brp);
        let (request, slot) = HttpRequest::new(read, head.owner);
        if !self.shared.queue.add(request) {
            self.shared.places.count_refused();
            return Err(Some(Refusal {
                status: 503,
                message: "too many requests wait",
            }));
        }
        let answer = Response {
            status: 200,
            keep: head.keep,
            kind: "application/json",
            cookie: None,
            only_head,
        };
        self.shared.places.ask(self.number);
        let outcome = slot.wait(self.end, || self.is_closing());
        if !matches!(outcome, SlotState::Opened) {
            self.shared.places.reply(self.number);
        }
        match outcome {
            SlotState::Answer(text) => self.write(&answer.to_bytes(text().as_bytes())),
            SlotState::Opened => {
                let outcome = self.write_stream(&slot, head.is_new);
                slot.leave();
                Err(outcome.err().flatten())
            }
            SlotState::Dropped => Err(Some(Refusal {
                status: 500,
                message: "the program dropped the request",
            })),
            _ => Err(Some(Refusal {
                status: 504,
                message: "the program did not answer: it may be stopped in a debugger",
            })),
        }
    }

    fn is_closing(&self) -> bool {
        self.shared.closing.load(Ordering::Relaxed)
    }

    /// Writes the texts of a stream until one side ends it. A client that does not take a text in time has ended it.
    fn write_stream(&mut self, slot: &Slot, chunks: bool) -> Result<(), Ended> {
        let coding = match chunks {
            true => "Transfer-Encoding: chunked\r\n",
            false => "",
        };
        self.end = Instant::now() + WHOLE;
        self.write(
            format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{coding}Connection: close\r\n{SAFETY}\r\n"
            )
            .as_bytes(),
        )?;
        loop {
            let look = Instant::now() + LOOK;
            let (text, is_last) = match slot.next(look, || self.is_closing()) {
                SlotState::Item { text, is_last } => (text(), is_last),
                SlotState::Ready if self.is_closing() || self.is_gone() => return Ok(()),
                SlotState::Ready => continue,
                _ => (String::new(), true),
            };
            let mut bytes = Vec::new();
            if !text.is_empty() {
                let item = format!("data: {text}\n\n");
                if chunks {
                    bytes.extend_from_slice(format!("{:x}\r\n{item}\r\n", item.len()).as_bytes());
                } else {
                    bytes.extend_from_slice(item.as_bytes());
                }
            }
            if is_last && chunks {
                bytes.extend_from_slice(b"0\r\n\r\n");
            }
            self.end = Instant::now() + WHOLE;
            self.write(&bytes)?;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Returns whether the client has closed its side.
    fn is_gone(&self) -> bool {
        let peek = self
            .stream
            .set_nonblocking(true)
            .and_then(|()| self.stream.peek(&mut [0]));
        let is_open = match &peek {
            Ok(count) => *count > 0,
            Err(error) => error.kind() == io::ErrorKind::WouldBlock,
        };
        !is_open || self.stream.set_nonblocking(false).is_err()
    }

    /// Writes in one piece if the system takes it, within the time of the request.
    fn write(&mut self, mut bytes: &[u8]) -> Result<(), Ended> {
        let end = self.end.max(Instant::now() + HEAD);
        while !bytes.is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(None);
            }
            self.stream
                .set_write_timeout(Some(left))
                .map_err(|_| None)?;
            match (&*self.stream).write(bytes) {
                Ok(0) => return Err(None),
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(None),
            }
        }
        Ok(())
    }

    /// Answers and ends the connection. Bytes that are still to come are read for a while: if there were any at the close,
    /// the system would take the answer back.
    fn refuse(&mut self, Refusal { status, message }: Refusal) {
        let answer = Response::refusal(status);
        if self.write(&answer.to_bytes(message.as_bytes())).is_err()
            || self.stream.shutdown(Shutdown::Write).is_err()
        {
            return;
        }
        self.shared.places.linger(self.number);
        let end = Instant::now() + LINGER;
        while self.read(end).is_ok() {
            self.bytes.clear();
        }
    }
}

/// Returns the answer to a request whose bytes did not come: none when the client has gone.
fn late(error: &io::Error) -> Ended {
    let is_late = matches!(
        error.kind(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock
    );
    is_late.then_some(LATE)
}

/// The first lines of an answer.
pub(super) struct Response<'a> {
    status: u16,
    keep: bool,
    kind: &'a str,
    cookie: Option<&'a str>,
    /// The body is left out: only its length is there.
    only_head: bool,
}

impl Response<'static> {
    /// An answer that ends its connection.
    pub(super) fn refusal(status: u16) -> Self {
        Self {
            status,
            keep: false,
            kind: PLAIN,
            cookie: None,
            only_head: false,
        }
    }
}

impl Response<'_> {
    /// Returns the whole answer. In several writes it would wait for the client's acknowledgement of the first.
    pub(super) fn to_bytes(&self, body: &[u8]) -> Vec<u8> {
        let Self {
            status,
            keep,
            kind,
            cookie,
            only_head,
        } = *self;
        let connection = if keep { "keep-alive" } else { "close" };
        let mut head = format!(
            "HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: {connection}\r\n{SAFETY}",
            reason(status),
            body.len()
        );
        match status {
            401 => head.push_str("WWW-Authenticate: Bearer\r\n"),
            405 => head.push_str("Allow: GET, HEAD, POST\r\n"),
            429 | 503 => head.push_str("Retry-After: 1\r\n"),
            _ => {}
        }
        if let Some(pass) = cookie {
            head.push_str(&format!(
                "Set-Cookie: pass={pass}; HttpOnly; SameSite=Strict\r\n"
            ));
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        if !only_head {
            bytes.extend_from_slice(body);
        }
        bytes
    }
}

/// The page runs only its own scripts and styles, nothing else may show or read it, and nothing is stored.
const SAFETY: &str = "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: default-src 'none'; script-src 'self'; \
    style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'\r\n";

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        421 => "Misdirected Request",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Internal Server Error",
    }
}
