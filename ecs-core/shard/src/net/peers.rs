//! The settings of a process among others.

use core::fmt;
use core::time::Duration;
use std::net::{SocketAddr, ToSocketAddrs};
use std::{env, fs};

use crate::net::NetError;
use crate::net::pulse::{BEAT, LEAST_SILENCE};

/// The processes of a run, and the place of this one among them.
///
/// ```no_run
/// use ecs_core::shard::{NetError, Peers, run_processes};
///
/// // SHARD_PEERS=127.0.0.1:7000,127.0.0.1:7001 SHARD_ME=1 ./city
/// let peers = Peers::from_env()?.schema(0x5eed).run(7);
/// let parts = run_processes(&peers, |net| net.round(vec![b"hello".to_vec(); net.shards()]))??;
/// assert_eq!(parts.len(), 2);
/// # Ok::<(), NetError>(())
/// ```
///
/// # Who may join
/// Processes of the same machine, if all addresses are loopback ones. For addresses of other machines a [token](Peers::token) is
/// needed, and a process must come from an address of the list. The token and all data travel in clear: use a private network,
/// or a tunnel. Strangers are turned away, and cannot delay the others; a process with the token is trusted to go on.
#[derive(Clone, PartialEq, Eq)]
pub struct Peers {
    pub(super) addresses: Vec<SocketAddr>,
    pub(super) me: usize,
    pub(super) token: Option<[u8; 32]>,
    pub(super) schema: u64,
    pub(super) run: u64,
    pub(super) deadline: Duration,
    pub(super) patience: Duration,
    pub(super) silence: Duration,
    pub(super) max_frame: usize,
}

impl Peers {
    /// Shard `me` of a run with a process at each of these addresses. All processes have the same list, in the same order.
    ///
    /// ```
    /// use ecs_core::shard::Peers;
    ///
    /// let addresses = [([127, 0, 0, 1], 7000).into(), ([127, 0, 0, 1], 7001).into()];
    /// let first = Peers::new(addresses, 0);
    /// let second = Peers::new(addresses, 1);
    /// # assert_ne!(first, second);
    /// ```
    pub fn new(addresses: impl IntoIterator<Item = SocketAddr>, me: usize) -> Peers {
        Peers {
            addresses: addresses.into_iter().collect(),
            me,
            token: None,
            schema: 0,
            run: 0,
            deadline: Duration::from_secs(30),
            patience: Duration::from_secs(60),
            silence: Duration::from_millis(800),
            max_frame: 1 << 30,
        }
    }

    /// Settings from the environment.
    ///
    /// | variable | meaning |
    /// |---|---|
    /// | `SHARD_PEERS` | the addresses of all processes with a comma between them, such as `10.0.0.1:7000,10.0.0.2:7000` |
    /// | `SHARD_ME` | the number of this one, from 0 |
    /// | `SHARD_TOKEN_FILE` | the path of a file with 64 hexadecimal digits (`openssl rand -hex 32`); needed beyond loopback |
    /// | `SHARD_RUN` | the number of the run; 0 without it |
    ///
    /// # Errors
    /// If a variable is missing or wrong, a name has no address, or the file cannot be read.
    pub fn from_env() -> Result<Peers, NetError> {
        let list = variable("SHARD_PEERS")?
            .ok_or_else(|| missing("SHARD_PEERS", "127.0.0.1:7000,127.0.0.1:7001"))?;
        let addresses = list
            .split(',')
            .map(|name| address(name.trim()))
            .collect::<Result<Vec<_>, _>>()?;
        let me = number("SHARD_ME")?.ok_or_else(|| missing("SHARD_ME", "0"))?;
        let me = usize::try_from(me).unwrap_or(usize::MAX);
        let mut peers = Peers::new(addresses, me);
        if let Some(path) = variable("SHARD_TOKEN_FILE")? {
            let text = fs::read_to_string(&path);
            let text = text
                .map_err(|error| NetError::io(format!("read the token file `{path}`"), &error))?;
            peers.token = Some(token(&path, text.trim())?);
        }
        if let Some(run) = number("SHARD_RUN")? {
            peers.run = run;
        }
        Ok(peers)
    }

    /// The secret of this run, 32 random bytes. It is needed beyond loopback, and is the same in all processes.
    #[must_use]
    pub fn token(mut self, token: [u8; 32]) -> Peers {
        self.token = Some(token);
        self
    }

    /// A hash of the component types. Processes of other programs are refused by it. 0 by default.
    #[must_use]
    pub fn schema(mut self, schema: u64) -> Peers {
        self.schema = schema;
        self
    }

    /// The number of this run. Processes that are left of an earlier run are refused by it. 0 by default.
    #[must_use]
    pub fn run(mut self, run: u64) -> Peers {
        self.run = run;
        self
    }

    /// The time for all processes to meet. 30 seconds by default.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Peers {
        self.deadline = deadline;
        self
    }

    /// The time that a round waits for the others, their work before it included. 60 seconds by default.
    ///
    /// A process that dies is lost at once, and one that gives no sign of life is [silent](Peers::silence). One that works on, and
    /// comes to no round, is [late](NetError::Late).
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Peers {
        self.patience = patience;
        self
    }

    /// The time without a sign of life after which a process is [silent](NetError::Silent): 800 milliseconds by default.
    ///
    /// A thread of each process sends a pulse to all others every 100 milliseconds, however long a tick takes. So only a machine
    /// without power, a cut line and a process that stands still are silent. Set it longer for lossy lines, for
    /// machines that are so busy that a thread waits for most of a second, and to stop a process in a debugger.
    ///
    /// ```
    /// use ecs_core::shard::Peers;
    /// use std::time::Duration;
    ///
    /// let addresses = [([127, 0, 0, 1], 7000).into(), ([127, 0, 0, 1], 7001).into()];
    /// let debugged = Peers::new(addresses, 0).silence(Duration::MAX).patience(Duration::MAX);
    /// # assert_eq!(debugged.me(), 0);
    /// ```
    #[must_use]
    pub fn silence(mut self, silence: Duration) -> Peers {
        self.silence = silence;
        self
    }

    /// The most bytes that a shard sends to another in one round. 1 GiB by default, the same in all processes.
    #[must_use]
    pub fn max_frame(mut self, bytes: usize) -> Peers {
        self.max_frame = bytes;
        self
    }

    /// The number of processes.
    #[must_use]
    pub fn shards(&self) -> usize {
        self.addresses.len()
    }

    /// The number of this one.
    #[must_use]
    pub fn me(&self) -> usize {
        self.me
    }

    /// Refuses settings that cannot work, or that let strangers in.
    pub(super) fn check(&self) -> Result<(), NetError> {
        let shards = self.addresses.len();
        let problem = |problem: String| Err(NetError::Settings { problem });
        if self.me >= shards {
            let me = self.me;
            return problem(format!(
                "this process is shard {me} of {shards}; help: count from 0, with one number for each address"
            ));
        }
        let mut sorted = self.addresses.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return problem(format!(
                "two shards have the address {}; help: give each a port of its own",
                twice[0]
            ));
        }
        if self.silence < LEAST_SILENCE {
            let silence = self.silence;
            return problem(format!(
                "the `silence` is {silence:?}, and a sign of life comes every {BEAT:?}; help: set at least {LEAST_SILENCE:?}"
            ));
        }
        let far = self
            .addresses
            .iter()
            .find(|address| !address.ip().to_canonical().is_loopback());
        match (far, self.token) {
            (Some(address), None) => problem(format!(
                "the address {address} is not a loopback one, and there is no token, so strangers could join; help: set a token in all \
                 processes, such as by `SHARD_TOKEN_FILE`"
            )),
            (_, Some(token)) if token == [0; 32] => {
                problem("the token is all zeros; help: take 32 random bytes".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// Does not show the token.
impl fmt::Debug for Peers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Peers");
        text.field("addresses", &self.addresses)
            .field("me", &self.me)
            .field("has_token", &self.token.is_some());
        text.field("schema", &self.schema)
            .field("run", &self.run)
            .field("deadline", &self.deadline);
        text.field("patience", &self.patience)
            .field("silence", &self.silence)
            .field("max_frame", &self.max_frame)
            .finish()
    }
}

fn settings(problem: String) -> NetError {
    NetError::Settings { problem }
}

fn missing(name: &str, example: &str) -> NetError {
    settings(format!(
        "the variable `{name}` is not set; help: set `{name}={example}`"
    ))
}

fn variable(name: &str) -> Result<Option<String>, NetError> {
    match env::var(name) {
        Ok(value) => Ok(Some(value)),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(error) => Err(settings(format!(
            "the variable `{name}` cannot be read: {error}"
        ))),
    }
}

fn number(name: &str) -> Result<Option<u64>, NetError> {
    let Some(text) = variable(name)? else {
        return Ok(None);
    };
    let number = text.trim().parse();
    number.map(Some).map_err(|error| {
        settings(format!(
            "the variable `{name}` is `{text}`, not a number: {error}"
        ))
    })
}

fn address(name: &str) -> Result<SocketAddr, NetError> {
    let found = name.to_socket_addrs().map_err(|error| {
        settings(format!("`{name}` in `SHARD_PEERS` is not an address: {error}; help: write a name or an address, a colon, a port"))
    });
    found?
        .next()
        .ok_or_else(|| settings(format!("the name `{name}` in `SHARD_PEERS` has no address")))
}

fn token(path: &str, text: &str) -> Result<[u8; 32], NetError> {
    let (digits, rest) = text.as_bytes().as_chunks::<2>();
    let mut token = [0; 32];
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|value| value as u8);
    let pairs = digits
        .iter()
        .map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    let bytes = pairs
        .collect::<Option<Vec<u8>>>()
        .filter(|bytes| rest.is_empty() && bytes.len() == token.len());
    let bytes = bytes.ok_or_else(|| {
        settings(format!(
            "the token file `{path}` does not have 64 hexadecimal digits; help: make one by `openssl rand -hex 32 > {path}`"
        ))
    })?;
    token.copy_from_slice(&bytes);
    Ok(token)
}
