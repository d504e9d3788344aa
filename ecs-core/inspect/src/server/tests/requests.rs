//! Requests that are refused or read.

use super::*;

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
        guesses: false,
        keep: true,
        is_new: true,
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
        let head = head(&text, &rules());
        assert!(!head.owner && head.guesses, "{given}");
    }
    let text = lines("GET / HTTP/1.1|Host: 127.0.0.1:7747");
    assert!(!head(&text, &rules()).guesses);
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
