//! Many connections, also of slow and hostile clients, and the end of a server.

use super::*;

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
    for _ in 0..door::MOST + 100 {
        open.push(game.connect());
    }
    game.owner().ask();
    assert!(game.server.stats().connections <= 1);
    assert!(game.server.stats().refused >= 100);
}

/// The clients that have connected, in the order of their arrival.
struct Crowd<'a> {
    game: &'a Game,
    held: Vec<TcpStream>,
    /// The connections to the server so far, without the owner's.
    came: u64,
}

impl<'a> Crowd<'a> {
    fn new(game: &'a Game) -> Self {
        Self {
            game,
            held: Vec::new(),
            came: game.server.stats().accepted,
        }
    }

    /// Connects, sends bytes, and holds the connection.
    fn hold(&mut self, count: usize, bytes: &[u8]) {
        for _ in 0..count {
            let mut stream = self.connect();
            let _ = stream.write_all(bytes);
            self.held.push(stream);
        }
    }

    /// Connects. The system forgets connections when more than 128 wait to be accepted, and the client tries again a second later: no
    /// server can help it, so at most 32 wait.
    fn connect(&mut self) -> TcpStream {
        let stream = self.game.connect();
        self.came += 1;
        let start = Instant::now();
        while self.came > self.game.server.stats().accepted + 32 {
            assert!(start.elapsed() < PATIENCE);
            thread::sleep(Duration::from_millis(1));
        }
        stream
    }

    /// Connects and goes.
    fn pass(&mut self, count: usize) {
        for _ in 0..count {
            drop(self.connect());
        }
    }

    /// Asks for more answers than a connection takes, and reads none.
    fn flood(&mut self, count: usize) {
        let request = self.game.fill(&post(&"x".repeat(60_000), ""));
        for _ in 0..count {
            let mut stream = self.connect();
            stream.set_nonblocking(true).unwrap();
            while let Ok(1..) = stream.write(request.as_bytes()) {}
            self.held.push(stream);
        }
    }
}

/// Nothing here depends on how busy the machine is: the hostile clients come at fixed points of the owner's request, and a second
/// is counted in frames of the program.
#[test]
fn a_new_connection_of_the_owner_is_answered_while_two_hundred_hostile_ones_hold_everything() {
    let game = Game::start();
    let hostile = game.fill(&post("0123456789", ""));
    let hostile = hostile.as_bytes();
    let file = game.fill("GET / HTTP/1.1\r\nHost: 127.0.0.1:{p}\r\n\r\n");
    let request = game.fill(&post("owner", "Authorization: Bearer {t}\r\n"));
    for (request, expected) in [(file.as_str(), "<p>page"), (&request, "owner true false")] {
        let mut crowd = Crowd::new(&game);
        crowd.hold(60, b"");
        crowd.hold(60, &hostile[..30]);
        crowd.hold(60, &hostile[..hostile.len() - 5]);
        crowd.flood(20);
        let mut owner = game.connect();
        // More come than stand at the door, before the owner says anything and after it.
        crowd.hold(60, &hostile[..30]);
        crowd.pass(300);
        crowd.hold(60, b"");
        owner.write_all(request.as_bytes()).unwrap();
        let frames = game.frames.load(Ordering::Relaxed);
        let (answer, frames) = thread::scope(|scope| {
            let answer = scope.spawn(|| {
                let answer = read_answer(&mut owner);
                (answer, game.frames.load(Ordering::Relaxed) - frames)
            });
            crowd.hold(door::MOST, &hostile[..30]);
            answer.join().unwrap()
        });
        let (status, _, body) = answer.expect("the owner's connection was closed");
        assert_eq!((status, &*body), (200, expected));
        assert!(frames < 1_000, "answered after {frames} frames");
    }
}

#[test]
fn slow_bodies_and_clients_that_do_not_read_give_their_places_to_others_after_a_second() {
    let game = Game::start();
    let request = game.fill(&post("0123456789", ""));
    let mut crowd = Crowd::new(&game);
    let places = places::SeatGroup::Others.places();
    crowd.hold(places, &request.as_bytes()[..request.len() - 5]);
    let start = Instant::now();
    while game.server.stats().connections < places {
        assert!(start.elapsed() < PATIENCE);
        thread::yield_now();
    }
    let start = Instant::now();
    let mut refused = 0;
    while game.ask(&request).0 != 200 {
        refused += 1;
        assert!(start.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(50));
    }
    assert!(refused > 0);
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
fn wrong_tokens_are_answered_some_hundred_times_a_second_and_the_right_one_always() {
    let game = Game::start();
    let guess = "GET / HTTP/1.1\r\nHost: 127.0.0.1:{p}\r\nAuthorization: Bearer {g}\r\n\r\n";
    let guess = game
        .fill(guess)
        .replace("{g}", "0123456789abcdef0123456789abcdef");
    let start = Instant::now();
    let mut answers = 0;
    'out: loop {
        let mut stream = game.connect();
        let _ = stream.write_all(guess.repeat(1000).as_bytes());
        while let Some((status, ..)) = read_answer(&mut stream) {
            answers += u32::from(status == 200);
            if status == 429 {
                break 'out;
            }
        }
        assert!(start.elapsed() < PATIENCE, "{answers}");
    }
    let seconds = start.elapsed().as_secs() as u32 + 1;
    assert!(answers <= (seconds + 1) * places::GUESSES, "{answers}");
    game.owner().ask();
    let (status, _) = game.ask(game.fill("GET / HTTP/1.1\r\nHost: 127.0.0.1:{p}\r\n\r\n"));
    assert_eq!(status, 200);
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
    let error = Server::start(options(address)).unwrap_err();
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
    request.reply.answer(String::new);
    let second = Server::start(options(address)).unwrap();
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
    let (_, _) = soak(Duration::from_secs(5));
}

/// Run alone: `cargo test --release -p ecs-inspect --features server -- --ignored soak`.
#[test]
#[ignore = "takes ten minutes"]
fn soak_for_ten_minutes() {
    let (mut frames, grown) = soak(Duration::from_secs(600));
    assert!(grown < 32 << 20, "memory grew by {grown} bytes");
    frames.sort_unstable();
    let p99 = frames[frames.len() * 99 / 100];
    assert!(p99 <= 50, "{p99} frames of a millisecond");
}

/// Ends the clients, also when the owner panics.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// 50 clients, half of them slow, silent or hostile. Returns how many frames each answer to the owner took: milliseconds of a machine
/// that has time, and as many frames on one that has none. Also returns by how much
/// the memory of the process grew. Other tests may have caused a part of that.
fn soak(time: Duration) -> (Vec<usize>, usize) {
    let game = Game::start();
    let stop = AtomicBool::new(false);
    let answers = AtomicUsize::new(0);
    let (mut frames, mut times) = (Vec::new(), Vec::new());
    let (mut retries, mut grown) = (0, 0);
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
        let stops = StopOnDrop(&stop);
        let mut owner = game.owner();
        let start = Instant::now();
        let mut memory = None;
        while start.elapsed() < time {
            // Every other request comes on a new connection.
            if times.len() % 2 == 0 {
                owner.stream = None;
            }
            let before = game.frames.load(Ordering::Relaxed);
            times.push(owner.ask());
            frames.push(game.frames.load(Ordering::Relaxed) - before);
            thread::sleep(Duration::from_millis(20));
            // A tenth of the time is for everything to have its size.
            if memory.is_none() && start.elapsed() > time / 10 {
                memory = resident();
            }
        }
        if let (Some(before), Some(after)) = (memory, resident()) {
            grown = after.saturating_sub(before);
        }
        retries = owner.retries;
        drop(stops);
    });
    times.sort();
    let stats = game.server.stats();
    println!(
        "owner: {} answers, p99 {:?}; others: {answers:?}; {stats:?}",
        times.len(),
        times[times.len() * 99 / 100]
    );
    assert!(times.len() > 1);
    assert_eq!(retries, 0, "the owner was turned away");
    (frames, grown)
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
