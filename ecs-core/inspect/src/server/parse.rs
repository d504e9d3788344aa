//! Reads the head of an HTTP request and applies the server's rules to it, without sockets.

use std::hint::black_box;

/// The most bytes of a head.
pub(crate) const MAX_HEAD: usize = 16 << 10;
/// The most bytes of a body.
pub(crate) const MAX_BODY: usize = 1 << 20;
/// The most bytes of a body without the token: to read takes few parameters, and the program drops them.
pub(crate) const MAX_READING_BODY: usize = 64 << 10;
/// The most header lines.
const MAX_HEADERS: usize = 64;

/// The facts about a server that decide whether a request is allowed.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// The port that requests have to name.
    pub(crate) port: u16,
    /// Only this machine can connect. Otherwise each request needs a secret.
    pub(crate) loopback: bool,
    /// The secret of the owner: everything is allowed.
    pub(crate) token: String,
    /// The secret for the page's files, for browsers, which cannot send the token when they load a page.
    pub(crate) pass: String,
}

/// The outcome of reading the start of a connection's bytes.
#[derive(Debug)]
pub(crate) enum Parsed {
    /// The head goes on.
    Partial,
    /// A request that may be answered once its body is there.
    Head(RequestHead),
    /// The connection gets this answer, and ends.
    Refused(Refusal),
}

/// A request that follows the rules.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RequestHead {
    /// The number of bytes before the body.
    pub(crate) len: usize,
    /// The number of bytes of the body.
    pub(crate) body: usize,
    pub(crate) target: RequestTarget,
    /// It brings the token.
    pub(crate) owner: bool,
    /// It brings another one.
    pub(crate) guesses: bool,
    /// The connection stays open after the answer.
    pub(crate) keep: bool,
    /// The client knows chunks.
    pub(crate) is_new: bool,
    /// The client waits for leave to send the body.
    pub(crate) waits: bool,
    /// The client showed the pass in the address, and gets it as a cookie.
    pub(crate) sets_pass: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RequestTarget {
    /// `POST /rpc`, and `POST /` for clients of the Bevy Remote Protocol.
    Rpc { is_brp: bool },
    /// `GET` or `HEAD` for a file.
    File { path: String, only_head: bool },
}

/// An answer that ends a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) message: &'static str,
}

fn refuse<T>(status: u16, message: &'static str) -> Result<T, Refusal> {
    Err(Refusal { status, message })
}

/// Like [`parse`], when an earlier call has found no whole head in the first `seen` bytes. It parses a head that comes byte by byte
/// only once a line.
pub(crate) fn parse_more(bytes: &[u8], seen: &mut usize, rules: &Rules) -> Parsed {
    let known = std::mem::replace(seen, bytes.len());
    if known == 0 || bytes[known..].contains(&b'\n') || bytes.len() >= MAX_HEAD {
        parse(bytes, rules)
    } else {
        Parsed::Partial
    }
}

/// Reads the request at the start of `bytes`, which may hold less or more than one.
pub(crate) fn parse(bytes: &[u8], rules: &Rules) -> Parsed {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let long = Refusal {
        status: 431,
        message: "the head is too long: at most 16 KiB and 64 lines",
    };
    match request.parse(&bytes[..bytes.len().min(MAX_HEAD)]) {
        Ok(httparse::Status::Complete(len)) => match check(&request, len, rules) {
            Ok(head) => Parsed::Head(head),
            Err(refusal) => Parsed::Refused(refusal),
        },
        Ok(httparse::Status::Partial) if bytes.len() < MAX_HEAD => Parsed::Partial,
        Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
            Parsed::Refused(long)
        }
        Err(_) => Parsed::Refused(Refusal {
            status: 400,
            message: "this is not HTTP/1.1",
        }),
    }
}

fn check(
    request: &httparse::Request<'_, '_>,
    len: usize,
    rules: &Rules,
) -> Result<RequestHead, Refusal> {
    let one = |name: &str| one(request.headers, name);
    let hosts = one("host")?;
    let host = hosts.filter(|host| is_served(host, rules));
    let Some(host) = host else {
        return refuse(
            421,
            "this host is not served here; help: open the address that the program printed",
        );
    };
    if let Some(origin) = one("origin")? {
        let page = origin.strip_prefix("http://");
        if !page.is_some_and(|page| {
            if rules.loopback {
                is_served(page, rules)
            } else {
                page == host
            }
        }) {
            return refuse(403, "pages of other addresses may not ask");
        }
    }
    if one("transfer-encoding")?.is_some() {
        return refuse(
            400,
            "no transfer encodings: send the body in one piece with its `Content-Length`",
        );
    }
    let length = one("content-length")?;
    let body = length.map_or(Ok(0), body_len)?;
    let method = request.method.unwrap_or_default();
    if !matches!(method, "GET" | "HEAD" | "POST") {
        return refuse(405, "only GET, HEAD and POST");
    }
    let (path, query) = split(request.path.unwrap_or_default());
    let target = if method == "POST" {
        let is_brp = path == "/";
        if !is_brp && path != "/rpc" {
            return refuse(404, "only `/rpc` and `/` take requests");
        }
        if !one("content-type")?.is_some_and(is_json) {
            return refuse(
                415,
                "requests are JSON: send `Content-Type: application/json`",
            );
        }
        if length.is_none() {
            return refuse(411, "the body needs its `Content-Length`");
        }
        RequestTarget::Rpc { is_brp }
    } else {
        if path == "/rpc" {
            return refuse(405, "`/rpc` takes POST");
        }
        RequestTarget::File {
            path: path.to_owned(),
            only_head: method == "HEAD",
        }
    };
    let authorization = one("authorization")?;
    let owner = authorization
        .and_then(bearer)
        .is_some_and(|given| is_same(given, &rules.token));
    if !owner && body > MAX_READING_BODY {
        return refuse(
            413,
            "the body is too long: at most 64 KiB without the token",
        );
    }
    let shown = query
        .split('&')
        .filter_map(|part| part.strip_prefix("pass="))
        .any(|given| is_same(given, &rules.pass));
    if !rules.loopback && !owner {
        let kept = one("cookie")?.unwrap_or_default().split(';');
        let mut kept = kept.filter_map(|part| part.trim().strip_prefix("pass="));
        let may_read = shown || kept.any(|given| is_same(given, &rules.pass));
        if !(may_read && matches!(target, RequestTarget::File { .. })) {
            return refuse(
                401,
                "this address needs its token; help: open the address that the program printed",
            );
        }
    }
    let connection = one("connection")?.unwrap_or_default();
    let says = |word: &str| {
        connection
            .split(',')
            .any(|part| part.trim().eq_ignore_ascii_case(word))
    };
    let is_new = request.version == Some(1);
    Ok(RequestHead {
        len,
        body,
        target,
        owner,
        guesses: authorization.is_some() && !owner,
        keep: is_new && !says("close"),
        is_new,
        waits: is_new
            && one("expect")?.is_some_and(|value| value.eq_ignore_ascii_case("100-continue")),
        sets_pass: shown && !rules.loopback,
    })
}

/// Returns the header's value. Two lines with one name are refused, whatever they say: programs that read the first and
/// programs that read the last would see different requests.
fn one<'a>(headers: &[httparse::Header<'a>], name: &str) -> Result<Option<&'a str>, Refusal> {
    let mut named = headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case(name));
    let Some(header) = named.next() else {
        return Ok(None);
    };
    if named.next().is_some() {
        return refuse(400, "a header occurs twice");
    }
    match std::str::from_utf8(header.value) {
        Ok(value) => Ok(Some(value.trim_matches([' ', '\t']))),
        Err(_) => refuse(400, "a header is not text"),
    }
}

/// Returns whether `host` names this server. Names other than `localhost` are refused because any of them may be made to
/// lead here.
fn is_served(host: &str, rules: &Rules) -> bool {
    let (name, port) = match host.rfind(':').filter(|&at| !host[at..].contains(']')) {
        Some(at) => (&host[..at], &host[at + 1..]),
        None => (host, "80"),
    };
    let is_decimal = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    if !is_decimal || port.parse() != Ok(rules.port) {
        return false;
    }
    if ["127.0.0.1", "localhost", "[::1]"]
        .iter()
        .any(|here| name.eq_ignore_ascii_case(here))
    {
        return true;
    }
    let bare = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    !rules.loopback
        && match bare {
            Some(bare) => bare.parse::<std::net::Ipv6Addr>().is_ok(),
            None => name.parse::<std::net::Ipv4Addr>().is_ok(),
        }
}

fn body_len(text: &str) -> Result<usize, Refusal> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return refuse(400, "`Content-Length` is not a number");
    }
    match text.parse() {
        Ok(len) if len <= MAX_BODY => Ok(len),
        _ => refuse(413, "the body is too long: at most 1 MiB"),
    }
}

fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

fn split(target: &str) -> (&str, &str) {
    target.split_once('?').unwrap_or((target, ""))
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Compares in a time that says nothing about where the texts differ.
fn is_same(given: &str, secret: &str) -> bool {
    let different = given
        .bytes()
        .zip(secret.bytes())
        .fold(0, |sum, (a, b)| black_box(sum | (a ^ b)));
    given.len() == secret.len() && !secret.is_empty() && different == 0
}
