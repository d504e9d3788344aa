//! Answers, and connections that are slow.

use super::*;

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
    // The limits themselves are allowed, also with `Expect`.
    for (limit, lines) in [(64 << 10, ""), (1 << 20, "Authorization: Bearer {t}\r\n")] {
        let refused = game.fill(&post(&"x".repeat(limit + 1), lines));
        let mut stream = game.connect();
        stream.write_all(refused.as_bytes()).unwrap();
        assert_eq!(read_answer(&mut stream).unwrap().0, 413);
        let body = "x".repeat(limit);
        let request = game.fill(&post(&body, &format!("{lines}Expect: 100-continue\r\n")));
        let (head, body) = request.split_at(request.len() - body.len());
        let mut stream = game.connect();
        stream.write_all(head.as_bytes()).unwrap();
        assert_eq!(read_answer(&mut stream).unwrap().0, 100);
        stream.write_all(body.as_bytes()).unwrap();
        assert_eq!(read_answer(&mut stream).unwrap().0, 200);
    }
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
    thread::spawn(move || later.reply.answer(|| "late".into()))
        .join()
        .unwrap();
    assert_eq!(read_answer(&mut first).unwrap().2, "late");
    assert!(!server.pending() && server.take().is_none());
}
