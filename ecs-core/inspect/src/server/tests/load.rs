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
