//! The heads of requests to the inspector: any bytes are a request that follows the rules, a refusal, or the start of either.

use crate::http::{MAX_BODY, MAX_HEAD, Parsed, RequestHead, RequestTarget, Rules, parse};

/// The bytes that a connection read. The first one says whether other machines reach the server.
pub type Input = super::StrangeBytes;

const TOKEN: &str = "0123456789abcdef";
const PASS: &str = "fedcba9876543210";

fn has(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|part| part.eq_ignore_ascii_case(text.as_bytes()))
}

/// Reads the bytes at once and in pieces.
///
/// # Panics
/// If a request that breaks a rule is allowed, or the outcome depends on the pieces.
pub fn run(input: Input) {
    let Some((&first, bytes)) = input.0.split_first() else {
        return;
    };
    let loopback = first != b'!';
    let rules = Rules {
        port: 7747,
        loopback,
        token: TOKEN.into(),
        pass: PASS.into(),
    };
    match parse(bytes, &rules) {
        Parsed::Head(head) => allowed(bytes, &head, &rules),
        Parsed::Refused(refusal) => {
            assert!((400..500).contains(&refusal.status) && !refusal.message.is_empty());
        }
        Parsed::Partial => {
            assert!(bytes.len() < MAX_HEAD);
            for len in [bytes.len() / 2, bytes.len().saturating_sub(1)] {
                assert!(matches!(parse(&bytes[..len], &rules), Parsed::Partial));
            }
        }
    }
}

fn allowed(bytes: &[u8], head: &RequestHead, rules: &Rules) {
    assert!(head.len <= bytes.len() && head.len <= MAX_HEAD && head.body <= MAX_BODY);
    let text = &bytes[..head.len];
    assert!(has(text, "host:") && !has(text, "\ntransfer-encoding:"));
    assert!(has(text, "7747"));
    assert!(!head.owner || has(text, TOKEN));
    assert!(rules.loopback || has(text, TOKEN) || has(text, PASS));
    if let RequestTarget::Rpc { .. } = head.target {
        assert!(text.trim_ascii_start().starts_with(b"POST"));
        assert!(has(text, "application/json") && has(text, "content-length:"));
        assert!(rules.loopback || head.owner);
    }
    for len in [head.len / 2, head.len - 1] {
        assert!(matches!(parse(&bytes[..len], rules), Parsed::Partial));
    }
    let more = [bytes, b"POST / HTTP/1.1\r\n\r\n"].concat();
    match parse(&more, rules) {
        Parsed::Head(same) => assert_eq!(same, *head),
        other => panic!("{other:?}"),
    }
}
