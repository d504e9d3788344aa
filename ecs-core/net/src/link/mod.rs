//! The two directions of a connection: what is sent, confirmed and received. No addresses, no handshake.
//!
//! ```text
//! number: varint, confirmation (`sequence.rs`), then messages (`message.rs`) to the end
//! ```

mod message;
mod receive;
mod send;
mod sequence;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use message::{QUESTION, ReadMessage, WrittenMessage, read_message};
use receive::{OVERHEAD, ReceiveQueue, UnreliablePieces};
pub(crate) use send::MESSAGE_MEMORY;
use send::{PIECE, PieceId, SendQueue, WINDOW, pieces_of};
use sequence::{Arrived, Confirmed};

use crate::peer::{Delivery, PeerStats};
use crate::transport::MAX_DATAGRAM;
use crate::wire::{DatagramError, WireReader, put_varint};

/// The memory for messages that have arrived and were not taken yet. A datagram that would need more is not confirmed, so it
/// comes again.
const RECEIVED_MEMORY: usize = 2 * 1024 * 1024;

/// The memory for unreliable messages in pieces.
const PARTIAL_MEMORY: usize = 512 * 1024;

/// The number of later datagrams whose arrival says that one got lost.
const OVERTAKEN: u64 = 3;

/// The time without a confirmation after which a message is sent again, at first and at least and at most.
const PATIENCE: (Duration, Duration, Duration) = (
    Duration::from_millis(250),
    Duration::from_millis(60),
    Duration::from_secs(2),
);

/// Both directions of a connection.
#[derive(Debug)]
pub(crate) struct PeerLink {
    /// The number of the next datagram.
    next: u64,
    in_flight: BTreeMap<u64, SentDatagram>,
    arrived: Arrived,
    /// True if something arrived that wants a confirmation.
    owes_confirmation: bool,
    reliable: SendQueue,
    ordered: SendQueue,
    unreliable: Vec<UnreliableMessage>,
    next_pieces: u64,
    from_reliable: ReceiveQueue,
    from_ordered: ReceiveQueue,
    pieces: UnreliablePieces,
    ready: VecDeque<(Delivery, Vec<u8>)>,
    ready_memory: usize,
    /// The bytes that may be sent now; below 0 after more was sent.
    credit: f64,
    rtt: Option<f64>,
    rtt_deviation: f64,
    pub(crate) stats: PeerStats,
    pub(crate) last_sent: Duration,
}

/// A datagram that waits for its confirmation.
#[derive(Debug)]
struct SentDatagram {
    at: Duration,
    pieces: Vec<(Delivery, PieceId)>,
}

#[derive(Debug)]
struct UnreliableMessage {
    priority: f32,
    bytes: Vec<u8>,
}

impl PeerLink {
    pub(crate) fn new(now: Duration) -> Self {
        Self {
            next: 0,
            in_flight: BTreeMap::new(),
            arrived: Arrived::default(),
            owes_confirmation: false,
            reliable: SendQueue::default(),
            ordered: SendQueue::default(),
            unreliable: Vec::new(),
            next_pieces: 0,
            from_reliable: ReceiveQueue::new(false),
            from_ordered: ReceiveQueue::new(true),
            pieces: UnreliablePieces::default(),
            ready: VecDeque::new(),
            ready_memory: 0,
            credit: 0.0,
            rtt: None,
            rtt_deviation: 0.0,
            stats: PeerStats::default(),
            last_sent: now,
        }
    }

    /// Adds a message to the ones that are sent next.
    pub(crate) fn send(&mut self, delivery: Delivery, priority: f32, bytes: Vec<u8>) {
        match delivery {
            Delivery::Unreliable => self.unreliable.push(UnreliableMessage { priority, bytes }),
            Delivery::Reliable => self.reliable.push(bytes),
            Delivery::Ordered => self.ordered.push(bytes),
        }
    }

    /// Returns the number of bytes that wait for their confirmation.
    pub(crate) const fn waiting(&self) -> usize {
        self.reliable.bytes() + self.ordered.bytes()
    }

    /// Returns the next message that has arrived.
    pub(crate) fn take(&mut self) -> Option<(Delivery, Vec<u8>)> {
        let message = self.ready.pop_front()?;
        self.ready_memory -= message.1.len() + OVERHEAD;
        Some(message)
    }

    fn patience(&self) -> Duration {
        let (first, least, most) = PATIENCE;
        let Some(rtt) = self.rtt else {
            return first;
        };
        Duration::from_secs_f64(rtt + 4.0 * self.rtt_deviation).clamp(least, most)
    }

    /// Lets time pass: `rate` bytes a second may be sent, and a quarter of a second of them at once.
    pub(crate) fn earn(&mut self, elapsed: Duration, rate: f64) {
        let most = (rate / 4.0).max(4.0 * MAX_DATAGRAM as f64);
        self.credit = (self.credit + rate * elapsed.as_secs_f64()).min(most);
    }

    /// Returns the bytes that may be sent now.
    pub(crate) fn room(&self) -> usize {
        self.credit.max(0.0) as usize
    }

    /// Makes datagrams of everything that is due and within the bytes that may be sent: of ordered messages, reliable ones, and
    /// unreliable ones by their priority. Unreliable ones that are left are dropped. With `asks`, makes at least one, which the
    /// other end confirms.
    pub(crate) fn write(
        &mut self,
        now: Duration,
        head: &[u8],
        asks: bool,
        send: &mut dyn FnMut(&[u8]),
    ) {
        self.give_up(now);
        let patience = self.patience();
        let (mut ordered, mut reliable) = (
            std::mem::take(&mut self.ordered),
            std::mem::take(&mut self.reliable),
        );
        let mut writer = DatagramWriter {
            link: self,
            head,
            now,
            open: None,
            send,
        };
        for (delivery, queue) in [
            (Delivery::Ordered, &mut ordered),
            (Delivery::Reliable, &mut reliable),
        ] {
            queue.send_due(now, patience, |due| {
                let message = WrittenMessage {
                    delivery,
                    number: Some(due.id.message),
                    piece: (due.count > 1).then_some((due.id.piece, due.count)),
                    bytes: due.bytes,
                };
                writer.message(&message, Some(due.id))
            });
        }
        let mut unreliable = std::mem::take(&mut writer.link.unreliable);
        unreliable.sort_by(|a, b| b.priority.total_cmp(&a.priority));
        for message in unreliable.drain(..) {
            writer.unreliable(&message.bytes);
        }
        writer.link.unreliable = unreliable;
        if asks && writer.open.is_none() {
            let open = writer.open();
            open.bytes.push(QUESTION);
            open.wants_confirmation = true;
        }
        if writer.link.owes_confirmation && writer.open.is_none() {
            writer.open();
        }
        writer.close();
        self.ordered = ordered;
        self.reliable = reliable;
    }

    /// Reads a datagram. If it is refused, nothing has changed.
    pub(crate) fn read(&mut self, now: Duration, bytes: &[u8]) -> Result<(), DatagramError> {
        let mut input = WireReader::new(bytes);
        let number = input.varint()?;
        let confirmed = Confirmed::read(&mut input)?;
        if let Some(&(_, newest)) = confirmed.ranges().first()
            && newest >= self.next
        {
            return Err(DatagramError::NeverSent);
        }
        // Everything is checked before anything is changed.
        let messages = input.clone();
        let mut wants_confirmation = false;
        let mut needed = 0;
        while !input.is_empty() {
            wants_confirmation = true;
            let Some(message) = read_message(&mut input)? else {
                continue;
            };
            let count = message.arrived.piece.map_or(0, |piece| piece.1 as usize);
            needed += OVERHEAD + message.arrived.bytes.len() + count * 16;
            match message.delivery {
                Delivery::Unreliable => message.arrived.check()?,
                Delivery::Reliable => self.from_reliable.check(&message.arrived)?,
                Delivery::Ordered => self.from_ordered.check(&message.arrived)?,
            }
        }
        self.confirm(now, &confirmed);
        let held = self.from_reliable.memory + self.from_ordered.memory;
        if self.ready_memory + held + needed > RECEIVED_MEMORY {
            self.stats.refused += 1;
            return Ok(());
        }
        let is_new = self.arrived.add(number);
        // Also if it came before: the confirmation may have got lost.
        self.owes_confirmation |= wants_confirmation;
        if !is_new {
            self.stats.duplicates += 1;
            return Ok(());
        }
        self.deliver(messages)
    }

    fn deliver(&mut self, mut messages: WireReader<'_>) -> Result<(), DatagramError> {
        while !messages.is_empty() {
            let Some(ReadMessage { delivery, arrived }) = read_message(&mut messages)? else {
                continue;
            };
            let (ready, memory) = (&mut self.ready, &mut self.ready_memory);
            let mut deliver = |bytes: Vec<u8>| {
                *memory += bytes.len() + OVERHEAD;
                ready.push_back((delivery, bytes));
            };
            match (delivery, arrived.piece) {
                (Delivery::Reliable, _) => self.from_reliable.add(arrived, deliver)?,
                (Delivery::Ordered, _) => self.from_ordered.add(arrived, deliver)?,
                (Delivery::Unreliable, None) => deliver(arrived.bytes.to_vec()),
                (Delivery::Unreliable, Some(piece)) => {
                    if self.pieces.memory + PIECE > PARTIAL_MEMORY {
                        self.pieces = UnreliablePieces::default();
                    }
                    let whole = self.pieces.add(arrived.message, piece, arrived.bytes)?;
                    whole.into_iter().for_each(deliver);
                }
            }
        }
        Ok(())
    }

    /// Notes the datagrams that have arrived at the other end.
    fn confirm(&mut self, now: Duration, confirmed: &Confirmed) {
        let Some(&(_, newest)) = confirmed.ranges().first() else {
            return;
        };
        let mut sample = None;
        for &(first, last) in confirmed.ranges() {
            let numbers = self
                .in_flight
                .range(first..=last)
                .map(|(&number, _)| number);
            for number in Vec::from_iter(numbers) {
                let Some(sent) = self.in_flight.remove(&number) else {
                    continue;
                };
                if number == newest {
                    sample = Some((now - sent.at).as_secs_f64());
                }
                for (delivery, id) in sent.pieces {
                    self.queue(delivery).confirm(id);
                }
                self.count_loss(0.0);
            }
        }
        if let Some(sample) = sample {
            match &mut self.rtt {
                None => (self.rtt, self.rtt_deviation) = (Some(sample), sample / 2.0),
                Some(rtt) => {
                    let apart = (*rtt - sample).abs();
                    self.rtt_deviation += (apart - self.rtt_deviation) / 4.0;
                    *rtt += (sample - *rtt) / 8.0;
                }
            }
            self.stats.rtt = Duration::from_secs_f64(self.rtt.unwrap_or(0.0));
            self.stats.jitter = Duration::from_secs_f64(self.rtt_deviation);
        }
        // Jitter lets datagrams overtake one another, so they also have some time.
        let patience = self.rtt.unwrap_or(0.0) + 2.0 * self.rtt_deviation;
        let end = newest.saturating_sub(OVERTAKEN - 1);
        let late = self.in_flight.range(..end);
        let late = late.filter(|(_, sent)| (now - sent.at).as_secs_f64() > patience);
        let lost = Vec::from_iter(late.map(|(&number, _)| number));
        self.lose(&lost);
    }

    /// Counts datagrams as lost whose confirmation can no longer be expected.
    fn give_up(&mut self, now: Duration) {
        let late = self.in_flight.iter();
        let late = late.take_while(|(_, sent)| now - sent.at > PATIENCE.2);
        let lost = Vec::from_iter(late.map(|(&number, _)| number));
        self.lose(&lost);
    }

    fn lose(&mut self, numbers: &[u64]) {
        for number in numbers {
            let Some(lost) = self.in_flight.remove(number) else {
                continue;
            };
            self.stats.datagrams_lost += 1;
            self.count_loss(1.0);
            for (delivery, id) in lost.pieces {
                self.queue(delivery).lose(id);
            }
        }
    }

    fn count_loss(&mut self, lost: f32) {
        self.stats.loss += (lost - self.stats.loss) / 64.0;
    }

    fn queue(&mut self, delivery: Delivery) -> &mut SendQueue {
        match delivery {
            Delivery::Ordered => &mut self.ordered,
            Delivery::Reliable | Delivery::Unreliable => &mut self.reliable,
        }
    }
}

/// Packs messages into datagrams.
struct DatagramWriter<'a> {
    link: &'a mut PeerLink,
    head: &'a [u8],
    now: Duration,
    open: Option<OpenDatagram>,
    send: &'a mut dyn FnMut(&[u8]),
}

/// A datagram that is being filled.
struct OpenDatagram {
    number: u64,
    bytes: Vec<u8>,
    pieces: Vec<(Delivery, PieceId)>,
    wants_confirmation: bool,
}

impl DatagramWriter<'_> {
    fn open(&mut self) -> &mut OpenDatagram {
        let link = &mut *self.link;
        self.open.get_or_insert_with(|| {
            let number = link.next;
            link.next += 1;
            let mut bytes = Vec::with_capacity(MAX_DATAGRAM);
            bytes.extend_from_slice(self.head);
            put_varint(&mut bytes, number);
            link.arrived.write(&mut bytes);
            link.owes_confirmation = false;
            OpenDatagram {
                number,
                bytes,
                pieces: Vec::new(),
                wants_confirmation: false,
            }
        })
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        debug_assert!(open.bytes.len() <= MAX_DATAGRAM);
        let link = &mut *self.link;
        link.credit -= open.bytes.len() as f64;
        link.last_sent = self.now;
        if open.wants_confirmation {
            let sent = SentDatagram {
                at: self.now,
                pieces: open.pieces,
            };
            link.in_flight.insert(open.number, sent);
        }
        (self.send)(&open.bytes);
    }

    /// Adds a message; returns false if it may not be sent now.
    fn message(&mut self, message: &WrittenMessage<'_>, id: Option<PieceId>) -> bool {
        let length = message.len();
        let is_full = |open: &OpenDatagram| open.bytes.len() + length > MAX_DATAGRAM;
        if self.open.as_ref().is_some_and(is_full) {
            self.close();
        }
        let used = self.open.as_ref().map_or(0, |open| open.bytes.len());
        if self.link.credit < (used + length) as f64 || self.link.in_flight.len() > WINDOW as usize
        {
            return false;
        }
        let open = self.open();
        message.put(&mut open.bytes);
        open.pieces.extend(id.map(|id| (message.delivery, id)));
        open.wants_confirmation = true;
        true
    }

    fn unreliable(&mut self, bytes: &[u8]) {
        let whole = WrittenMessage {
            delivery: Delivery::Unreliable,
            number: None,
            piece: None,
            bytes,
        };
        let count = pieces_of(bytes.len());
        if count == 1 {
            if !self.message(&whole, None) {
                self.link.stats.dropped += 1;
            }
            return;
        }
        let number = self.link.next_pieces;
        self.link.next_pieces += 1;
        for (piece, bytes) in bytes.chunks(PIECE).enumerate() {
            let piece = WrittenMessage {
                number: Some(number),
                piece: Some((piece as u32, count as u32)),
                bytes,
                ..whole
            };
            if !self.message(&piece, None) {
                self.link.stats.dropped += 1;
                return;
            }
        }
    }
}
