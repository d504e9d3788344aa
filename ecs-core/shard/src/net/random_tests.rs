//! Random bytes, cut anywhere, against everything that reads bytes of others.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use timely_bytes::arc::BytesMut;
use timely_communication::Bytesable;

use crate::net::hello::{HELLO, Hello, LineUse, Verdict};
use crate::net::inbox::RoundInbox;
use crate::net::link::{CheckedSocket, Fate, Fates};
use crate::net::piece::{Cause, Farewell, FramePiece, LONGEST_BODY, NetPiece, Seen, read_piece};

/// Numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        self.0.rotate_left(23) ^ self.0 >> 11
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// More in long runs.
fn cases(few: u64) -> u64 {
    if std::env::var_os("ECS_SOAK").is_some() {
        few * 100
    } else {
        few
    }
}

fn bytes_of(piece: &NetPiece) -> Vec<u8> {
    let mut bytes = Vec::new();
    piece.into_bytes(&mut bytes);
    assert_eq!(bytes.len(), piece.length_in_bytes());
    bytes
}

fn raw(bytes: Vec<u8>) -> NetPiece {
    NetPiece::from_bytes(BytesMut::from(bytes).freeze())
}

/// The messages of shard 1 to shard 0: whole frames of some rounds, in pieces of random length, each behind a head of timely.
fn stream(random: &mut Random) -> Vec<u8> {
    let mut stream = Vec::new();
    for round in 0..random.below(4) as u64 {
        let length = [0, 1, 300, 9000, 70_000][random.below(5)];
        let frame: Vec<u8> = (0..length).map(|i| (i * 7) as u8).collect();
        let mut start = 0;
        loop {
            let end = (start + 1 + random.below(length.max(1))).min(length);
            let part = FramePiece {
                from: 1,
                round,
                frame: frame.clone(),
                range: start..end,
            };
            add_message(&mut stream, &bytes_of(&NetPiece::Part(part)));
            start = end;
            if end == length {
                break;
            }
        }
    }
    if random.below(2) == 0 {
        let cause =
            [Cause::Done, Cause::Panicked, Cause::Lost(vec![2, 0])][random.below(3)].clone();
        add_message(
            &mut stream,
            &bytes_of(&NetPiece::Farewell(Farewell { from: 1, cause })),
        );
    }
    stream
}

fn add_message(stream: &mut Vec<u8>, piece: &[u8]) {
    for number in [0, 1, 0, 1, piece.len() as u64, 0] {
        stream.extend(number.to_be_bytes());
    }
    stream.extend(piece);
}

/// Sends bytes in random portions, and returns all that timely would read of them, with the end of the connection.
fn through(bytes: &[u8], random: &mut Random) -> (Vec<u8>, Fate) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let receiver = listener.accept().unwrap().0;
    let fates = Arc::new(Fates::new(2));
    let mut socket = CheckedSocket::new(receiver, 0, 1, Arc::clone(&fates));
    let (send, receive) = (random.next(), random.next());
    let read = thread::scope(|scope| {
        scope.spawn(move || {
            let mut random = Random(send);
            let mut rest = bytes;
            while !rest.is_empty() {
                let (now, later) = rest.split_at(1 + random.below(rest.len().min(20_000)));
                // The reader may have ended in the middle.
                if sender.write_all(now).is_err() {
                    break;
                }
                rest = later;
            }
            let _ = sender.shutdown(Shutdown::Write);
        });
        let mut random = Random(receive);
        let mut all = Vec::new();
        loop {
            let most = [1, 50, 5000, 1 << 20][random.below(4)];
            let mut buffer = vec![0xaa; 1 + random.below(most)];
            let count = socket.read(&mut buffer).unwrap();
            if count == 0 {
                break;
            }
            all.extend(&buffer[..count]);
        }
        // As timely does, which would panic otherwise.
        assert_eq!(socket.read(&mut [0]).unwrap(), 0);
        drop(socket);
        all
    });
    (read, fates.of(1).unwrap().clone())
}

/// Reads like timely's thread, with its panics, and returns the pieces.
fn read_like_timely(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    loop {
        let (head, rest) = bytes
            .split_first_chunk::<48>()
            .expect("the stream ends inside of a head");
        let number = |i: usize| u64::from_be_bytes(head[i * 8..i * 8 + 8].try_into().unwrap());
        if number(4) == 0 {
            assert!(rest.is_empty(), "something is behind the end");
            return pieces;
        }
        assert_eq!((number(0), number(1), number(2), number(3)), (0, 1, 0, 1));
        assert!(number(4) <= LONGEST_BODY as u64 + 40);
        let (piece, rest) = rest.split_at(number(4) as usize);
        pieces.push(piece);
        bytes = rest;
    }
}

#[test]
fn a_checked_stream_is_what_was_sent_and_the_end_that_timely_expects() {
    for seed in 0..cases(300) {
        let mut random = Random(seed);
        let mut sent = stream(&mut random);
        let length = sent.len();
        if random.below(2) == 0 {
            sent.extend([0; 48]);
        }
        let (read, fate) = through(&sent, &mut random);
        assert_eq!(fate, Fate::Ended);
        assert!(
            read[..length] == sent[..length] && read[length..] == [0; 48],
            "{seed}"
        );
        assert!(
            read_like_timely(&read)
                .iter()
                .all(|piece| read_piece(piece).is_ok())
        );
    }
}

#[test]
fn a_stream_that_is_cut_or_changed_anywhere_is_whole_for_timely() {
    let mut wrong = 0;
    for seed in 0..cases(600) {
        let mut random = Random(seed << 20);
        let good = stream(&mut random);
        let mut sent = good.clone();
        sent.extend([0; 48]);
        for _ in 0..random.below(3) {
            // Heads are where it matters.
            let most = if random.below(2) == 0 { 81 } else { usize::MAX };
            let at = random.below(sent.len().min(most));
            sent[at] = random.next() as u8;
        }
        sent.truncate(1 + random.below(sent.len()));
        let (read, fate) = through(&sent, &mut random);
        wrong += usize::from(fate != Fate::Ended);
        let mut inbox = RoundInbox::new(2, 1 << 20);
        for piece in read_like_timely(&read) {
            // Any result, but no panic. A later piece may fit again.
            let _ = inbox.accept(raw(piece.to_vec()));
        }
    }
    assert!(wrong > 50, "{wrong} streams were noticed as wrong");
}

#[test]
fn an_inbox_holds_no_more_memory_than_twice_what_was_sent() {
    for seed in 0..cases(200) {
        let mut random = Random(seed << 30);
        let limit = 1 << 30;
        let mut inbox = RoundInbox::new(2, limit);
        // One that claims a gigabyte, and sends much less.
        let (mut at, count) = (0, 1 + random.below(40));
        for _ in 0..count {
            let body = vec![1; 1 + random.below(100_000)];
            let mut piece = Vec::new();
            for number in [0, limit as u64, at as u64] {
                piece.extend(number.to_le_bytes());
            }
            piece.extend([0, 0, 0, 0, 1, 0, 0, 0]);
            piece.extend(&body);
            piece.extend(b"ecs-end!");
            inbox.accept(raw(piece)).unwrap();
            at += body.len();
        }
        assert!(
            inbox.held_bytes() <= (2 * at).max(1 << 17),
            "{} for {at}",
            inbox.held_bytes()
        );
    }
}

#[test]
fn random_pieces_are_refused_or_fit() {
    let mut fitting = 0;
    for seed in 0..cases(20_000) {
        let mut random = Random(seed << 10);
        let mut inbox = RoundInbox::new(3, 1000);
        for _ in 0..random.below(6) {
            let few = |random: &mut Random| [0, 1, 2, 3, 7, 1000, 1001, u64::MAX][random.below(8)];
            let mut piece = Vec::new();
            for _ in 0..3 {
                piece.extend(few(&mut random).to_le_bytes());
            }
            for _ in 0..2 {
                piece.extend((few(&mut random) as u32).to_le_bytes());
            }
            piece.extend(vec![1; [0, 1, 2, 3, 7][random.below(5)]]);
            piece.extend(b"ecs-end!");
            piece.truncate(if random.below(9) == 0 {
                random.below(piece.len())
            } else {
                piece.len()
            });
            if inbox.accept(raw(piece)).is_ok() {
                fitting += 1;
            }
        }
        if inbox.missing().next().is_none() {
            assert_eq!(inbox.finish_round().len(), 3);
        }
    }
    assert!(fitting > 1000, "{fitting} fit");
}

#[test]
fn farewells_come_back_as_they_were() {
    let late = Cause::Late(
        vec![0, 7, 1 << 20],
        core::time::Duration::from_millis(12_345),
    );
    for cause in [Cause::Done, Cause::Panicked, Cause::Lost(vec![3]), late] {
        let farewell = Farewell { from: 5, cause };
        match read_piece(&bytes_of(&NetPiece::Farewell(farewell.clone()))) {
            Ok(Seen::Farewell(read)) => assert_eq!(read, farewell),
            _ => panic!("{farewell:?}"),
        }
    }
}

#[test]
fn a_greeting_with_any_other_bit_in_magic_or_token_is_a_strangers() {
    let hello = |from, to| Hello {
        shards: 3,
        from,
        to,
        line: LineUse::Rounds,
        schema: 8,
        run: 9,
        token: [7; 32],
    };
    let good = hello(2, 0).to_bytes();
    let mine = hello(0, 0);
    assert_eq!(mine.judge(&good), Verdict::Fits(2, LineUse::Rounds));
    for bit in 0..HELLO * 8 {
        let mut bytes = good;
        bytes[bit / 8] ^= 1 << (bit % 8);
        match mine.judge(&bytes) {
            Verdict::Stranger => assert!(!(8..40).contains(&(bit / 8)), "{bit}"),
            Verdict::Differs(_) => assert!((8..40).contains(&(bit / 8)), "{bit}"),
            // It may call for pulses, too.
            Verdict::Fits(2, LineUse::Pulses) => assert_eq!(bit, 20 * 8 + 1),
            // Shard 1 is another one that there is.
            Verdict::Fits(from, _) => assert!(bit / 8 == 12 && from < 3 && from != 0, "{bit}"),
        }
    }
}
