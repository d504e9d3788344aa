//! The inspector's HTTP server: one thread accepts connections and reads their first heads, one thread for each connection goes on
//! with it, and the program takes the requests from a queue when it has time for them.
//!
//! No client can make the program wait: it only ever tries a lock that threads hold for a few instructions. The number of
//! connections and of waiting requests, the size of a head and a body, and the time of a request have limits. No client keeps another
//! one out: of the connections that have sent no whole head the oldest ones go first, and requests with the token, requests for
//! files, and others have places of their own.
//!
//! | the server refuses | with |
//! |---|---|
//! | other protocols than HTTP/1.1, transfer encodings, a length that is not a number, a header that occurs twice | 400 |
//! | any request without secret, on an address that other machines reach | 401 |
//! | an `Origin` other than its own page | 403 |
//! | paths without file | 404 |
//! | methods but GET, HEAD and POST | 405 |
//! | a head that takes longer than 2 s, or a request longer than 10 s | 408 |
//! | POST without length | 411 |
//! | a body of more than 1 MiB, or without token of more than 64 KiB | 413 |
//! | POST without `Content-Type: application/json` | 415 |
//! | a `Host` other than this machine's (another site's name may lead here) | 421 |
//! | a wrong token, after 256 of them in a second | 429 |
//! | a head of more than 16 KiB or 64 lines | 431 |
//! | without token more than 22 requests at a time, 8 for files, or 56 that wait; with it more than 16, or 64 that wait | 503 |
//!
//! The connection's thread reads the text of a request and makes the text of its answer, so that the program only does what needs
//! the world. An answer may be a stream of texts, as events that a server sends.
//!
//! There is never a CORS header, so no other page reads an answer.

mod connection;
mod door;
mod parse;
mod places;
mod queue;
#[cfg(test)]
mod tests;

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use parse::Rules;
use places::Places;
use queue::Queue;
pub(crate) use queue::{HttpReply, HttpRequest, HttpStream};

/// A file of the page: its path with the slash, its content type, and its bytes.
pub(crate) type PageFile = (&'static str, &'static str, &'static [u8]);

/// Where a [`Server`] listens, and the files it serves.
pub(crate) struct ServerOptions<Q> {
    /// Port 0 is any free port.
    pub(crate) address: SocketAddr,
    /// The files that GET answers with. `/` is the page.
    pub(crate) files: &'static [PageFile],
    /// Makes a request for the program, on the connection's thread.
    pub(crate) read: ReadRequest<Q>,
}

/// Makes a request for the program from its text, whether it brought the token, and whether it came as `POST /`, from a client of
/// the Bevy Remote Protocol.
pub(crate) type ReadRequest<Q> = fn(Vec<u8>, bool, bool) -> Q;

/// Numbers about a [`Server`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ServerStats {
    /// The open connections that have sent a whole head.
    pub(crate) connections: usize,
    /// How many connections came so far.
    pub(crate) accepted: u64,
    /// How many requests and connections were turned away so far for lack of a place or in favour of later ones.
    pub(crate) refused: u64,
}

/// A server that listens until it is dropped.
#[derive(Debug)]
pub(crate) struct Server<Q: Send + 'static> {
    shared: Arc<Parts<Q>>,
    address: SocketAddr,
}

/// The part of a [`Server`] that its threads use.
#[derive(Debug)]
struct Parts<Q> {
    rules: Rules,
    files: &'static [PageFile],
    places: Places,
    queue: Queue<Q>,
    read: ReadRequest<Q>,
    closing: AtomicBool,
}

impl<Q: Send + 'static> Server<Q> {
    /// Listens at the address.
    ///
    /// # Errors
    ///
    /// The port is in use, the address is not of this machine, or there can be no thread.
    pub(crate) fn start(options: ServerOptions<Q>) -> io::Result<Self> {
        let ServerOptions {
            address,
            files,
            read,
        } = options;
        let listener = TcpListener::bind(address).map_err(|error| explain(address, &error))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Parts {
            rules: Rules {
                port: address.port(),
                loopback: address.ip().is_loopback(),
                token: secret(&address),
                pass: secret(&address),
            },
            files,
            places: Places::new(),
            queue: Queue::new(),
            read,
            closing: AtomicBool::new(false),
        });
        let inner = Arc::clone(&shared);
        shared.places.add_thread(None);
        let thread = thread::Builder::new().name(String::from("inspect"));
        let started = thread.spawn(move || {
            door::stand(&listener, &inner);
            drop(listener);
            inner.places.end_thread(None);
        });
        if let Err(error) = started {
            shared.places.end_thread(None);
            return Err(error);
        }
        Ok(Self { shared, address })
    }

    /// Returns whether a request waits. This is one relaxed load.
    #[inline]
    pub(crate) fn pending(&self) -> bool {
        self.shared.queue.waiting() != 0
    }

    /// Returns the number that is not zero while a request waits. The program adds to it while it works on requests.
    pub(crate) fn bell(&self) -> Arc<AtomicUsize> {
        self.shared.queue.bell()
    }

    /// Takes the next request: the owner's before others, the oldest first. `None` also when a thread is about to add one:
    /// the program never waits for it.
    pub(crate) fn take(&self) -> Option<HttpRequest<Q>> {
        self.shared.queue.take()
    }

    /// Returns the address, with the port chosen by the system for port 0.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the secret that allows writes, and everything on addresses that other machines reach.
    pub(crate) fn token(&self) -> &str {
        &self.shared.rules.token
    }

    /// Returns the address for a browser. The token is in the fragment, which browsers do not send. On addresses that other
    /// machines reach, another secret opens the page's files.
    pub(crate) fn url(&self) -> String {
        let Rules {
            loopback,
            token,
            pass,
            ..
        } = &self.shared.rules;
        let address = self.address;
        if *loopback {
            format!("http://{address}/#t={token}")
        } else {
            format!("http://{address}/?pass={pass}#t={token}")
        }
    }

    /// Returns how many connections there are and were refused.
    pub(crate) fn stats(&self) -> ServerStats {
        let places = &self.shared.places;
        ServerStats {
            connections: places.open(),
            accepted: places.accepted(),
            refused: places.refused(),
        }
    }
}

/// The port is free again afterwards.
impl<Q: Send + 'static> Drop for Server<Q> {
    fn drop(&mut self) {
        let Self { shared, address } = self;
        shared.closing.store(true, Ordering::SeqCst);
        shared.queue.close();
        shared.places.close();
        // The accepting thread waits for a connection: it gets one. When it has too many to take this one, it does not wait.
        let here = match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        let _ = TcpStream::connect_timeout(
            &SocketAddr::new(here, address.port()),
            Duration::from_millis(200),
        );
        // Threads that are stuck in a system call end later; they own all that they use.
        shared.places.wait_for_threads(0, Duration::from_secs(1));
    }
}

fn explain(address: SocketAddr, error: &io::Error) -> io::Error {
    let port = address.port();
    let text = match error.kind() {
        io::ErrorKind::AddrInUse => format!(
            "port {port} is in use, perhaps by an earlier run of this program; help: end that one, or inspect at another port \
             (0 is any free one)"
        ),
        io::ErrorKind::PermissionDenied => {
            format!(
                "port {port} may not be used by this program; help: inspect at a port from 1024 on, or at 0 for any free one"
            )
        }
        _ => format!(
            "cannot listen at {address}: {error}; help: inspect at 127.0.0.1, port 0 is any free one"
        ),
    };
    io::Error::new(error.kind(), text)
}

/// Returns 128 random bits as hexadecimal digits. The hashers have keys from the system's random numbers.
fn secret(address: &SocketAddr) -> String {
    let half = || RandomState::new().hash_one((address, SystemTime::now(), thread::current().id()));
    format!("{:016x}{:016x}", half(), half())
}
