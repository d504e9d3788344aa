mod answers;
mod clients;
mod load;
mod requests;
mod streams;

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::{Client, ClientError};

use super::parse::{Parsed, Refusal, RequestHead, RequestTarget, Rules, parse};
use super::{PageFile, Server, ServerOptions, door, places};

/// Longer than any limit of the server. A test that reaches it fails.
const PATIENCE: Duration = Duration::from_secs(30);
const FILES: &[PageFile] = &[
    ("/", "text/html; charset=utf-8", b"<p>page"),
    ("/page.js", "text/javascript", b"let script"),
];

/// A server whose requests are bytes, and whether they came from a client of the Bevy Remote Protocol.
type ByteServer = Server<(Vec<u8>, bool)>;

fn options(address: SocketAddr) -> ServerOptions<(Vec<u8>, bool)> {
    ServerOptions {
        address,
        files: FILES,
        read: |body, _, is_brp| (body, is_brp),
    }
}

fn server() -> ByteServer {
    Server::start(options(([127, 0, 0, 1], 0).into())).unwrap()
}

/// A program that answers each request with a text about it, like a game between frames.
struct Game {
    server: Arc<ByteServer>,
    stop: Arc<AtomicBool>,
    /// The frames that the program has done: a clock that goes slower on a busy machine.
    frames: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Game {
    fn start() -> Self {
        let server = Arc::new(server());
        let stop = Arc::new(AtomicBool::new(false));
        let frames = Arc::new(AtomicUsize::new(0));
        let (shared, stopped) = (Arc::clone(&server), Arc::clone(&stop));
        let count = Arc::clone(&frames);
        let thread = thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                // A frame answers a few requests.
                for _ in 0..4 {
                    if let Some(request) = shared.pending().then(|| shared.take()).flatten() {
                        let (body, is_brp) = &request.body;
                        let text = String::from_utf8_lossy(body);
                        let answer = format!("{text} {} {is_brp}", request.may_write);
                        request.reply.answer(|| answer);
                    }
                }
                count.fetch_add(1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(1));
            }
        });
        Self {
            server,
            stop,
            frames,
            thread: Some(thread),
        }
    }

    fn connect(&self) -> TcpStream {
        connect(self.server.address())
    }

    /// Sends bytes, and returns the status and body of the answer.
    fn ask(&self, bytes: impl AsRef<[u8]>) -> (u16, String) {
        let mut stream = self.connect();
        stream.write_all(bytes.as_ref()).unwrap();
        let (status, _, body) = read_answer(&mut stream).expect("an answer");
        (status, body)
    }

    /// `{p}` in the head is the port, `{t}` is the token.
    fn fill(&self, text: &str) -> String {
        let port = self.server.address().port().to_string();
        text.replace("{p}", &port)
            .replace("{t}", self.server.token())
    }

    fn owner(&self) -> Owner<'_> {
        Owner {
            game: self,
            stream: None,
            retries: 0,
        }
    }
}

impl Drop for Game {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

/// A client with the token that connects again when its connection was closed.
struct Owner<'a> {
    game: &'a Game,
    stream: Option<TcpStream>,
    /// The connections that were closed without an answer, or with a refusal.
    retries: usize,
}

impl Owner<'_> {
    /// Asks until there is an answer, and returns the time.
    fn ask(&mut self) -> Duration {
        let start = Instant::now();
        let request = self
            .game
            .fill(&post("owner", "Authorization: Bearer {t}\r\n"));
        while start.elapsed() < PATIENCE {
            let stream = self.stream.get_or_insert_with(|| self.game.connect());
            if let Ok(()) = stream.write_all(request.as_bytes())
                && let Some((200, _, body)) = read_answer(stream)
            {
                assert_eq!(body, "owner true false");
                return start.elapsed();
            }
            self.stream = None;
            self.retries += 1;
        }
        panic!("the owner was kept out");
    }
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream
}

fn post(body: &str, lines: &str) -> String {
    let len = body.len();
    format!(
        "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{{p}}\r\nContent-Type: application/json\r\n{lines}Content-Length: {len}\r\n\r\n{body}"
    )
}

/// Reads one answer, and nothing behind it: status, head, body. `None` if the connection ends before.
fn read_answer(stream: &mut TcpStream) -> Option<(u16, String, String)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let len = head
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "))
        .map_or(0, |len| len.parse().unwrap());
    let mut body = vec![0; len];
    stream.read_exact(&mut body).ok()?;
    Some((status, head, String::from_utf8(body).unwrap()))
}

/// Waits for the server to close the connection.
fn wait_for_end(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        Ok(_) => {}
        Err(error) => assert_ne!(
            error.kind(),
            io::ErrorKind::WouldBlock,
            "the connection stayed open"
        ),
    }
}

fn rules() -> Rules {
    Rules {
        port: 7747,
        loopback: true,
        token: "0123456789abcdef".into(),
        pass: "fedcba9876543210".into(),
    }
}
