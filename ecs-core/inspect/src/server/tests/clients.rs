//! The Rust client.

use super::*;

/// Answers one request after the other with these texts, and returns the server when there are no more.
fn answer(server: ByteServer, answers: &'static [&'static str]) -> JoinHandle<ByteServer> {
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
            request.reply.answer(|| (*answer).into());
        }
        server
    })
}

#[test]
fn the_client_returns_results_and_errors_and_connects_again() {
    let first = server();
    let mut client = Client::connect(&first.url()).unwrap();
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
    let mut client = Client::connect(&game.server.address().to_string()).unwrap();
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
    let address = format!("http://{}/#t=a\r\nHost: x", game.server.address());
    let mut client = Client::connect(&address).unwrap();
    assert_eq!(client.send("x").unwrap(), "x false false");
}
