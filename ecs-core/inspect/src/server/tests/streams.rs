//! Answers that are streams.

use super::*;
use crate::server::HttpStream;

/// Sends a request, and opens a stream for it.
fn open(server: &ByteServer, version: &str) -> (TcpStream, HttpStream) {
    let mut client = connect(server.address());
    let request = post("x", "").replace("{p}", &server.address().port().to_string());
    let request = request.replace("HTTP/1.1", version);
    client.write_all(request.as_bytes()).unwrap();
    let request = wait_for(|| server.take());
    (client, request.reply.stream())
}

fn wait_for<T>(look: impl Fn() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        match look() {
            Some(found) => return found,
            None => assert!(start.elapsed() < PATIENCE, "it never came"),
        }
        thread::sleep(Duration::from_millis(1));
    }
}

fn ready(stream: &HttpStream) {
    wait_for(|| stream.is_ready().then_some(()));
}

#[test]
fn a_stream_comes_in_chunks_and_ends_after_its_last_text() {
    let server = server();
    let (mut client, stream) = open(&server, "HTTP/1.1");
    for text in ["one", "two"] {
        ready(&stream);
        stream.send(|| text.into());
    }
    // The text that waits is written, too.
    drop(stream);
    let mut all = String::new();
    client.read_to_string(&mut all).unwrap();
    let (head, body) = all.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
        ),
        "{head}"
    );
    assert!(!head.contains("Content-Length"), "{head}");
    assert_eq!(
        body,
        "b\r\ndata: one\n\n\r\nb\r\ndata: two\n\n\r\n0\r\n\r\n"
    );
}

#[test]
fn an_old_client_gets_a_stream_without_chunks() {
    let server = server();
    let (mut client, stream) = open(&server, "HTTP/1.0");
    ready(&stream);
    stream.send(|| "one".into());
    drop(stream);
    let mut all = String::new();
    client.read_to_string(&mut all).unwrap();
    assert!(!all.contains("chunked"), "{all}");
    assert!(all.ends_with("\r\n\r\ndata: one\n\n"), "{all}");
}

#[test]
fn a_client_that_goes_gives_its_place_free() {
    let server = server();
    let (client, stream) = open(&server, "HTTP/1.1");
    ready(&stream);
    drop(client);
    wait_for(|| stream.is_abandoned().then_some(()));
    assert!(!stream.is_ready());
    stream.send(|| panic!("the client has gone"));
    wait_for(|| (server.stats().connections == 0).then_some(()));
}

#[test]
fn a_client_that_does_not_read_is_not_waited_for_and_dropped_in_the_end() {
    let server = server();
    let (client, stream) = open(&server, "HTTP/1.1");
    let text = "x".repeat(1 << 20);
    let (start, mut sent) = (Instant::now(), 0);
    // The system takes some of it, then none.
    while !stream.is_abandoned() {
        assert!(start.elapsed() < PATIENCE, "it was not dropped");
        if stream.is_ready() {
            sent += 1;
            let text = text.clone();
            stream.send(move || text);
        }
        thread::sleep(Duration::from_millis(1));
    }
    assert!((1..100).contains(&sent), "{sent}");
    wait_for(|| (server.stats().connections == 0).then_some(()));
    drop(client);
}

#[test]
fn the_end_of_a_server_ends_its_streams() {
    let server = server();
    let (mut client, stream) = open(&server, "HTTP/1.1");
    ready(&stream);
    drop(server);
    wait_for_end(&mut client);
    assert!(!stream.is_ready());
}
