use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::{Client, ClientError};

use super::parse::{Parsed, Refusal, RequestHead, RequestTarget, Rules, parse};
use super::{PageFile, Server, ServerOptions};

/// Longer than any limit of the server. A test that reaches it fails.
const PATIENCE: Duration = Duration::from_secs(30);
const FILES: &[PageFile] = &[
    ("/", "text/html; charset=utf-8", b"<p>page"),
    ("/page.js", "text/javascript", b"let script"),
];

fn server() -> Server {
    Server::start(ServerOptions {
        address: ([127, 0, 0, 1], 0).into(),
        files: FILES,
    })
    .unwrap()
}

/// A program that answers each request with a text about it, as a game does between frames.
struct Game {
    server: Arc<Server>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Game {
    fn start() -> Self {
        let server = Arc::new(server());
        let stop = Arc::new(AtomicBool::new(false));
        let (shared, stopped) = (Arc::clone(&server), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                // A frame answers a few requests.
                for _ in 0..4 {
                    if let Some(request) = shared.pending().then(|| shared.take()).flatten() {
                        let text = String::from_utf8_lossy(&request.body);
                        let answer = format!("{text} {} {}", request.may_write, request.is_brp);
                        request.reply(answer);
                    }
                }
                thread::sleep(Duration::from_millis(1));
            }
        });
        Self {
            server,
            stop,
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

fn head(text: &str, rules: &Rules) -> RequestHead {
    match parse(text.as_bytes(), rules) {
        Parsed::Head(head) => head,
        other => panic!("{other:?}: {text}"),
    }
}

fn refusal(text: &str, rules: &Rules) -> u16 {
    match parse(text.as_bytes(), rules) {
        Parsed::Refused(Refusal { status, .. }) => status,
        other => panic!("{other:?}: {text}"),
    }
}

/// Lines are separated by `|`.
fn lines(text: &str) -> String {
    format!("{}\r\n\r\n", text.replace('|', "\r\n"))
}

#[test]
fn each_attack_has_its_status() {
    let json = "Content-Type: application/json";
    let here = "Host: 127.0.0.1:7747";
    let attacks = [
        // Names that lead here, and other ports.
        (421, format!("POST /rpc HTTP/1.1|{json}|Content-Length: 2")),
        (
            421,
            format!("POST /rpc HTTP/1.1|Host: evil.example:7747|{json}|Content-Length: 2"),
        ),
        (
            421,
            format!(
                "POST /rpc HTTP/1.1|Host: 127.0.0.1.evil.example:7747|{json}|Content-Length: 2"
            ),
        ),
        (
            421,
            format!("POST /rpc HTTP/1.1|Host: 127.0.0.1|{json}|Content-Length: 2"),
        ),
        (
            421,
            format!("POST /rpc HTTP/1.1|Host: 127.0.0.1:80|{json}|Content-Length: 2"),
        ),
        (
            421,
            format!("POST /rpc HTTP/1.1|Host: 127.0.0.1:+7747|{json}|Content-Length: 2"),
        ),
        (
            421,
            format!("POST /rpc HTTP/1.1|Host: 127.0.0.1:7747:7747|{json}|Content-Length: 2"),
        ),
        (
            421,
            format!("POST /rpc HTTP/1.1|Host: 192.168.1.5:7747|{json}|Content-Length: 2"),
        ),
        (421, "GET / HTTP/1.1|Host: evil.example:7747".into()),
        // Pages of others.
        (
            403,
            format!(
                "POST /rpc HTTP/1.1|{here}|Origin: http://evil.example|{json}|Content-Length: 2"
            ),
        ),
        (
            403,
            format!(
                "POST /rpc HTTP/1.1|{here}|Origin: https://127.0.0.1:7747|{json}|Content-Length: 2"
            ),
        ),
        (
            403,
            format!(
                "POST /rpc HTTP/1.1|{here}|Origin: http://127.0.0.1:8080|{json}|Content-Length: 2"
            ),
        ),
        (
            403,
            format!("POST /rpc HTTP/1.1|{here}|Origin: null|{json}|Content-Length: 2"),
        ),
        (
            403,
            format!("GET / HTTP/1.1|{here}|Origin: http://evil.example"),
        ),
        // Forms and scripts, which send no JSON without asking first.
        (415, format!("POST /rpc HTTP/1.1|{here}|Content-Length: 2")),
        (
            415,
            format!("POST /rpc HTTP/1.1|{here}|Content-Type: text/plain|Content-Length: 2"),
        ),
        (
            415,
            format!("POST / HTTP/1.1|{here}|Content-Type: text/plain|Content-Length: 2"),
        ),
        (
            415,
            format!("POST /rpc HTTP/1.1|{here}|Content-Type: application/jsonp|Content-Length: 2"),
        ),
        (
            415,
            format!(
                "POST /rpc HTTP/1.1|{here}|Content-Type: text/plain; application/json|Content-Length: 2"
            ),
        ),
        (
            405,
            format!(
                "OPTIONS /rpc HTTP/1.1|{here}|Origin: http://127.0.0.1:7747|Access-Control-Request-Method: POST"
            ),
        ),
        (405, format!("DELETE / HTTP/1.1|{here}")),
        (405, format!("TRACE / HTTP/1.1|{here}")),
        (405, format!("GET /rpc HTTP/1.1|{here}")),
        (
            404,
            format!("POST /other HTTP/1.1|{here}|{json}|Content-Length: 2"),
        ),
        // Lengths that another program might read differently.
        (
            400,
            format!("POST /rpc HTTP/1.1|{here}|{json}|Content-Length: 2|Content-Length: 2"),
        ),
        (
            400,
            format!("POST /rpc HTTP/1.1|{here}|{json}|Content-Length: 2, 2"),
        ),
        (
            400,
            format!("POST /rpc HTTP/1.1|{here}|{json}|Content-Length: +2"),
        ),
        (
            400,
            format!("POST /rpc HTTP/1.1|{here}|{json}|Content-Length: -1"),
        ),
        (
            400,
            format!("POST /rpc HTTP/1.1|{here}|{json}|Content-Length:"),
        ),
        (
            400,
            format!("POST /rpc HTTP/1.1|{here}|{json}|Transfer-Encoding: chunked"),
        ),
        (
            400,
            format!(
                "POST /rpc HTTP/1.1|{here}|{json}|Content-Length: 2|Transfer-Encoding: chunked"
            ),
        ),
        (
            400,
            format!("POST /rpc HTTP/1.1|{here}|{json}|Content-Length : 2"),
        ),
        (411, format!("POST /rpc HTTP/1.1|{here}|{json}")),
        (
            413,
            format!("POST /rpc HTTP/1.1|{here}|{json}|Content-Length: 1048577"),
        ),
        (
            413,
            format!("POST /rpc HTTP/1.1|{here}|{json}|Content-Length: 99999999999999999999999999"),
        ),
        // Headers twice.
        (
            400,
            format!("POST /rpc HTTP/1.1|{here}|{here}|{json}|Content-Length: 2"),
        ),
        (
            400,
            format!("POST /rpc HTTP/1.1|{here}|{json}|{json}|Content-Length: 2"),
        ),
        (
            400,
            format!(
                "GET / HTTP/1.1|{here}|Origin: http://127.0.0.1:7747|Origin: http://evil.example"
            ),
        ),
        (
            400,
            format!("GET / HTTP/1.1|{here}|Authorization: Bearer a|Authorization: Bearer b"),
        ),
        // No requests.
        (400, "\u{16}\u{3}\u{1}\u{2}\u{0}".into()),
        (400, "GET / HTTP/2.0".into()),
        (400, "GET /".into()),
        (400, "SSH-2.0-OpenSSH_9.6".into()),
        (400, format!("GET / HTTP/1.1|{here}|a\u{0}b: c")),
        (431, format!("GET / HTTP/1.1|{here}{}", "|a: b".repeat(64))),
        (
            431,
            format!("GET / HTTP/1.1|{here}|a: {}", "b".repeat(16 << 10)),
        ),
    ];
    for (status, text) in attacks {
        assert_eq!(refusal(&lines(&text), &rules()), status, "{text}");
    }
}

#[test]
fn requests_of_browsers_and_programs_are_read() {
    let rules = rules();
    let text = lines(
        "POST /rpc HTTP/1.1|host: LOCALHOST:7747|origin: http://localhost:7747|content-type: Application/JSON; charset=utf-8|\
         content-length: 12|authorization: bearer 0123456789abcdef",
    );
    let expected = RequestHead {
        len: text.len(),
        body: 12,
        target: RequestTarget::Rpc { is_brp: false },
        owner: true,
        keep: true,
        waits: false,
        sets_pass: false,
    };
    assert_eq!(head(&text, &rules), expected);
    let text =
        lines("POST / HTTP/1.0|Host: [::1]:7747|Content-Type: application/json|Content-Length: 0");
    let brp = head(&text, &rules);
    assert!(brp.target == RequestTarget::Rpc { is_brp: true } && !brp.keep && !brp.owner);
    let file = head(
        &lines("HEAD /page.js?v=1 HTTP/1.1|Host: 127.0.0.1:7747|Connection: x, Close"),
        &rules,
    );
    assert_eq!(
        file.target,
        RequestTarget::File {
            path: "/page.js".into(),
            only_head: true
        }
    );
    assert!(!file.keep);
    // Port 80 is left out by browsers.
    head(
        &lines("GET / HTTP/1.1|Host: localhost"),
        &Rules { port: 80, ..rules },
    );
}

#[test]
fn only_the_exact_token_is_the_token() {
    for given in [
        "",
        "0123456789abcde",
        "0123456789abcdef0",
        "0123456789abcdeF",
        "x123456789abcdef",
        "fedcba9876543210",
    ] {
        let text = lines(&format!(
            "GET / HTTP/1.1|Host: 127.0.0.1:7747|Authorization: Bearer {given}"
        ));
        assert!(!head(&text, &rules()).owner, "{given}");
    }
    let text = lines("GET / HTTP/1.1|Host: 127.0.0.1:7747|Authorization: Basic 0123456789abcdef");
    assert!(!head(&text, &rules()).owner);
}

#[test]
fn an_address_for_other_machines_needs_a_secret_for_everything() {
    let rules = Rules {
        loopback: false,
        ..rules()
    };
    let host = "Host: 192.168.1.5:7747";
    assert_eq!(
        refusal(&lines(&format!("GET / HTTP/1.1|{host}")), &rules),
        401
    );
    assert_eq!(
        refusal(
            &lines("GET / HTTP/1.1|Host: game.example:7747|Authorization: Bearer 0123456789abcdef"),
            &rules
        ),
        421
    );
    let with_token = |line: &str| {
        lines(&format!(
            "GET / HTTP/1.1|{line}|Authorization: Bearer 0123456789abcdef"
        ))
    };
    assert!(head(&with_token(host), &rules).owner);
    assert!(head(&with_token("Host: [fe80::1]:7747"), &rules).owner);
    let other_page = format!("{host}|Origin: http://192.168.1.6:7747");
    assert_eq!(refusal(&with_token(&other_page), &rules), 403);
    // The pass opens files only.
    let first = head(
        &lines(&format!("GET /?pass=fedcba9876543210 HTTP/1.1|{host}")),
        &rules,
    );
    assert!(first.sets_pass && !first.owner);
    head(
        &lines(&format!(
            "GET /page.js HTTP/1.1|{host}|Cookie: a=b; pass=fedcba9876543210"
        )),
        &rules,
    );
    let call = "Content-Type: application/json|Content-Length: 2|Cookie: pass=fedcba9876543210";
    assert_eq!(
        refusal(&lines(&format!("POST /rpc HTTP/1.1|{host}|{call}")), &rules),
        401
    );
}

#[test]
fn every_start_of_a_request_is_part_of_one() {
    let text = lines(
        "POST /rpc HTTP/1.1|Host: 127.0.0.1:7747|Content-Type: application/json|Content-Length: 2",
    );
    for len in 0..text.len() {
        assert!(
            matches!(parse(&text.as_bytes()[..len], &rules()), Parsed::Partial),
            "{len}"
        );
    }
}

#[test]
fn a_request_reaches_the_program_and_its_answer_the_client() {
    let game = Game::start();
    assert_eq!(
        game.ask(game.fill(&post("hello", ""))),
        (200, "hello false false".into())
    );
    assert_eq!(
        game.ask(game.fill(&post("hello", "Authorization: Bearer {t}\r\n"))),
        (200, "hello true false".into())
    );
    let brp = game.fill(&post("hello", "").replace("/rpc", "/"));
    assert_eq!(game.ask(brp), (200, "hello false true".into()));
    assert_eq!(
        game.ask(game.fill("GET /page.js HTTP/1.1\r\nHost: 127.0.0.1:{p}\r\n\r\n")),
        (200, "let script".into())
    );
    assert_eq!(
        game.ask(game.fill("GET /../Cargo.toml HTTP/1.1\r\nHost: 127.0.0.1:{p}\r\n\r\n"))
            .0,
        404
    );
    assert_eq!(
        game.ask(game.fill("GET / HTTP/1.1\r\nHost: evil.example:{p}\r\n\r\n"))
            .0,
        421
    );
}

#[test]
fn one_connection_carries_many_requests_also_without_waiting_for_answers() {
    let game = Game::start();
    let mut stream = game.connect();
    let two = game.fill(&(post("one", "") + &post("two", "")));
    // A piece of the third comes with the second.
    let three = game.fill(&post("three", "Connection: close\r\n"));
    let (start, rest) = three.split_at(30);
    stream.write_all((two + start).as_bytes()).unwrap();
    assert_eq!(read_answer(&mut stream).unwrap().2, "one false false");
    assert_eq!(read_answer(&mut stream).unwrap().2, "two false false");
    stream.write_all(rest.as_bytes()).unwrap();
    assert_eq!(read_answer(&mut stream).unwrap().2, "three false false");
    wait_for_end(&mut stream);
}

#[test]
fn answers_carry_the_security_headers_and_never_leave_for_other_pages() {
    let game = Game::start();
    for request in [
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{p}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        &post("", ""),
    ] {
        let mut stream = game.connect();
        stream.write_all(game.fill(request).as_bytes()).unwrap();
        let (_, head, _) = read_answer(&mut stream).unwrap();
        for line in [
            "X-Content-Type-Options: nosniff",
            "Cache-Control: no-store",
            "frame-ancestors 'none'",
            "default-src 'none'",
        ] {
            assert!(head.contains(line), "{line}: {head}");
        }
        assert!(!head.contains("Access-Control"), "{head}");
    }
    let mut stream = game.connect();
    stream
        .write_all(
            game.fill("HEAD / HTTP/1.1\r\nHost: 127.0.0.1:{p}\r\nConnection: close\r\n\r\n")
                .as_bytes(),
        )
        .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(
        text.contains("Content-Length: 7\r\n") && text.ends_with("\r\n\r\n"),
        "{text}"
    );
}

#[test]
fn a_body_of_two_mebibytes_is_refused_and_the_client_sees_why() {
    let game = Game::start();
    let body = "x".repeat(2 << 20);
    let mut stream = game.connect();
    stream
        .write_all(game.fill(&post(&body, "")).as_bytes())
        .unwrap();
    assert_eq!(read_answer(&mut stream).unwrap().0, 413);
    // The limit itself is allowed, also with `Expect`.
    let body = "x".repeat(1 << 20);
    let request = game.fill(&post(&body, "Expect: 100-continue\r\n"));
    let (head, body) = request.split_at(request.len() - body.len());
    let mut stream = game.connect();
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(read_answer(&mut stream).unwrap().0, 100);
    stream.write_all(body.as_bytes()).unwrap();
    assert_eq!(read_answer(&mut stream).unwrap().0, 200);
}

#[test]
fn slow_heads_and_half_requests_lose_their_connection() {
    let game = Game::start();
    let mut half = game.connect();
    half.write_all(b"POST /rpc HTTP/1.1\r\nHost").unwrap();
    // The client has closed its side, and cannot be answered.
    let mut gone = game.connect();
    gone.write_all(b"POST /rpc HTTP/1.1\r\nHost").unwrap();
    gone.shutdown(std::net::Shutdown::Write).unwrap();
    wait_for_end(&mut gone);
    assert_eq!(read_answer(&mut half).unwrap().0, 408);
    wait_for_end(&mut half);
}

#[test]
fn an_answer_may_come_later_and_from_another_thread_and_a_dropped_request_is_an_error() {
    let server = server();
    let ask = |body: &str| {
        let mut stream = connect(server.address());
        let request = post(body, "").replace("{p}", &server.address().port().to_string());
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    let take = || {
        let start = Instant::now();
        loop {
            if let Some(request) = server.take() {
                return request;
            }
            assert!(start.elapsed() < PATIENCE);
            thread::yield_now();
        }
    };
    let mut first = ask("first");
    let later = take();
    let mut second = ask("second");
    drop(take());
    assert_eq!(read_answer(&mut second).unwrap().0, 500);
    thread::spawn(move || later.reply("late".into()))
        .join()
        .unwrap();
    assert_eq!(read_answer(&mut first).unwrap().2, "late");
    assert!(!server.pending() && server.take().is_none());
}

/// Answers one request after the other with these texts, and returns the server when there are no more.
fn answer(server: Server, answers: &'static [&'static str]) -> JoinHandle<Server> {
    thread::spawn(move || {
        for answer in answers {
            let start = Instant::now();
            let request = loop {
                assert!(start.elapsed() < PATIENCE);
                match server.take() {
                    Some(request) => break request,
                    None => thread::sleep(Duration::from_millis(1)),
                }
            };
            assert!(request.may_write);
            request.reply((*answer).into());
        }
        server
    })
}

#[test]
fn the_client_returns_results_and_errors_and_connects_again() {
    let first = server();
    let (address, token) = (first.address(), first.token().to_owned());
    let mut client = Client::connect(address, Some(&token)).unwrap();
    let program = answer(
        first,
        &[
            r#"{"jsonrpc": "2.0", "id": 1, "result": [1, 2]}"#,
            r#"{"jsonrpc": "2.0", "id": 2, "error": {"code": -32601, "message": "no method", "data": {"column": 3}}}"#,
            r#"{"jsonrpc": "2.0", "id": 1, "result": null}"#,
            "[]",
        ],
    );
    assert_eq!(client.call("a", json!({})).unwrap(), json!([1, 2]));
    match client.call("b", json!(null)) {
        Err(ClientError::Method {
            code: -32601,
            message,
            data,
        }) => {
            assert_eq!((&*message, data), ("no method", json!({"column": 3})));
        }
        other => panic!("{other:?}"),
    }
    // The answer to another call is none.
    assert!(matches!(
        client.call("c", json!({})),
        Err(ClientError::NoAnswer(_))
    ));
    assert!(matches!(
        client.call("d", json!({})),
        Err(ClientError::NoAnswer(_))
    ));
    let server = program.join().unwrap();
    assert_eq!(server.stats().connections, 1);
    // As a place that another connection takes.
    server.shared.places.end_all();
    let program = answer(
        server,
        &[r#"{"jsonrpc": "2.0", "id": 5, "result": "again"}"#],
    );
    assert_eq!(client.call("e", json!({})).unwrap(), json!("again"));
    drop(program.join().unwrap());
    assert!(matches!(
        client.call("f", json!({})),
        Err(ClientError::Io(_))
    ));
}

#[test]
fn the_client_says_why_it_was_refused() {
    let game = Game::start();
    let mut client = Client::connect(game.server.address(), None).unwrap();
    match client.send(&"x".repeat(2 << 20)) {
        Err(ClientError::Refused {
            status: 413,
            message,
        }) => {
            assert_eq!(message, "the body is too long: at most 1 MiB");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(client.send("again").unwrap(), "again false false");
    // A wrong token is none, and no header.
    let mut client = Client::connect(game.server.address(), Some("a\r\nHost: x")).unwrap();
    assert_eq!(client.send("x").unwrap(), "x false false");
}

#[test]
fn a_thousand_connections_in_turns_leave_the_server_as_it_was() {
    let game = Game::start();
    for i in 0..1_000 {
        let mut stream = game.connect();
        if i % 4 == 0 {
            let _ = stream.write_all(b"garbage\r\n\r\n");
        }
    }
    let mut open = Vec::new();
    for _ in 0..100 {
        open.push(game.connect());
    }
    game.owner().ask();
    assert!(game.server.stats().connections <= 24);
    assert!(game.server.stats().refused >= 60);
}

#[test]
fn the_owner_is_answered_while_all_other_places_are_busy() {
    let game = Game::start();
    // Heads are complete, bodies are not.
    let slow: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = game.connect();
            let request = game.fill(&post("0123456789", ""));
            let _ = stream.write_all(&request.as_bytes()[..request.len() - 5]);
            stream
        })
        .collect();
    let mut owner = game.owner();
    for _ in 0..20 {
        owner.ask();
    }
    drop(slow);
}

#[test]
fn the_owner_goes_first() {
    let server = server();
    let mut streams = Vec::new();
    let port = server.address().port().to_string();
    for lines in ["", "", "", "Authorization: Bearer {t}\r\n"] {
        let mut stream = connect(server.address());
        let request = post(lines, lines)
            .replace("{p}", &port)
            .replace("{t}", server.token());
        let waiting = server.shared.queue.waiting();
        stream.write_all(request.as_bytes()).unwrap();
        streams.push(stream);
        let start = Instant::now();
        while server.shared.queue.waiting() == waiting {
            assert!(start.elapsed() < PATIENCE);
            thread::yield_now();
        }
    }
    assert!(server.take().unwrap().may_write);
    assert!(!server.take().unwrap().may_write);
}

#[test]
fn a_port_in_use_is_an_error_that_says_so() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let error = Server::start(ServerOptions {
        address,
        files: FILES,
    })
    .unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    let port = address.port();
    assert_eq!(
        error.to_string(),
        format!(
            "port {port} is in use, perhaps by an earlier run of this program; help: end that one, or inspect at another \
             port (0 is any free one)"
        )
    );
}

#[test]
fn a_dropped_server_frees_its_port_and_ends_its_connections() {
    let first = server();
    let address = first.address();
    let mut idle = connect(address);
    let mut asking = connect(address);
    asking
        .write_all(
            post("", "")
                .replace("{p}", &address.port().to_string())
                .as_bytes(),
        )
        .unwrap();
    let start = Instant::now();
    let request = loop {
        if let Some(request) = first.take() {
            break request;
        }
        assert!(start.elapsed() < PATIENCE);
    };
    drop(first);
    wait_for_end(&mut idle);
    wait_for_end(&mut asking);
    // The answer has no reader.
    request.reply(String::new());
    let second = Server::start(ServerOptions {
        address,
        files: FILES,
    })
    .unwrap();
    assert_eq!(second.address(), address);
}

#[test]
fn tokens_have_128_bits_and_differ() {
    let (a, b) = (server(), server());
    assert_eq!(a.token().len(), 32);
    assert_ne!(a.token(), b.token());
    assert_ne!(a.token(), a.shared.rules.pass);
    assert_eq!(a.url(), format!("http://{}/#t={}", a.address(), a.token()));
}

#[test]
fn the_owner_is_answered_among_slow_and_hostile_clients() {
    soak(Duration::from_secs(5));
}

/// Run alone: `cargo test --release -p ecs-inspect --features server -- --ignored soak`.
#[test]
#[ignore = "takes ten minutes"]
fn soak_for_ten_minutes() {
    let times = soak(Duration::from_secs(600));
    let p99 = times[times.len() * 99 / 100];
    assert!(p99 <= Duration::from_millis(150), "{p99:?}");
}

/// 50 clients, half of them slow, silent or hostile. Returns the owner's times, sorted.
fn soak(time: Duration) -> Vec<Duration> {
    let game = Game::start();
    let stop = AtomicBool::new(false);
    let answers = AtomicUsize::new(0);
    let mut times = Vec::new();
    thread::scope(|scope| {
        for kind in 0..50 {
            let (game, stop, answers) = (&game, &stop, &answers);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    if client(game, kind, stop).is_ok() {
                        answers.fetch_add(1, Ordering::Relaxed);
                    }
                    thread::sleep(Duration::from_millis(5));
                }
            });
        }
        let mut owner = game.owner();
        let start = Instant::now();
        let mut memory = None;
        while start.elapsed() < time {
            times.push(owner.ask());
            thread::sleep(Duration::from_millis(20));
            // A tenth of the time is for everything to have its size.
            if memory.is_none() && start.elapsed() > time / 10 {
                memory = resident();
            }
        }
        if let (Some(before), Some(after)) = (memory, resident()) {
            assert!(
                after < before + (32 << 20),
                "memory grew from {before} to {after}"
            );
        }
        stop.store(true, Ordering::Relaxed);
    });
    times.sort();
    let stats = game.server.stats();
    println!(
        "owner: {} answers, p99 {:?}; others: {answers:?}; {stats:?}",
        times.len(),
        times[times.len() * 99 / 100]
    );
    assert!(times.len() > 1);
    times
}

/// Returns the bytes of memory that the process uses, where the system says so.
fn resident() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    text.split(' ')
        .nth(1)?
        .parse::<usize>()
        .ok()
        .map(|pages| pages << 12)
}

/// One connection of a client. Errors are how the server defends itself.
fn client(game: &Game, kind: usize, stop: &AtomicBool) -> io::Result<()> {
    let mut stream = TcpStream::connect_timeout(&game.server.address(), PATIENCE)?;
    stream.set_read_timeout(Some(Duration::from_millis(500)))?;
    stream.set_write_timeout(Some(Duration::from_millis(500)))?;
    let request = game.fill(&post("0123456789", ""));
    let slow = |bytes: &[u8], stream: &mut TcpStream| -> io::Result<()> {
        for byte in bytes.chunks(1) {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            stream.write_all(byte)?;
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    };
    match kind {
        0..5 => slow(request.as_bytes(), &mut stream),
        5..10 => {
            stream.write_all(&request.as_bytes()[..request.len() - 10])?;
            slow(&request.as_bytes()[request.len() - 10..], &mut stream)
        }
        // Asks and never reads.
        10..15 => {
            for _ in 0..1_000 {
                stream.write_all(request.as_bytes())?;
            }
            Ok(())
        }
        15..20 => {
            let garbage: Vec<u8> = (0..4_096_usize)
                .map(|i| (i * i * 31 + kind) as u8)
                .collect();
            stream.write_all(&garbage)?;
            stream.read(&mut [0; 64]).map(drop)
        }
        // Says nothing.
        20..25 => stream.read(&mut [0; 64]).map(drop),
        _ => {
            for _ in 0..20 {
                stream.write_all(request.as_bytes())?;
                if read_answer(&mut stream).is_none_or(|(status, ..)| status != 200) {
                    return Err(io::ErrorKind::ConnectionReset.into());
                }
            }
            Ok(())
        }
    }
}
