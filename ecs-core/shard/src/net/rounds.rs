//! Rounds over the channels of timely: the one implementation of [`Net`] for threads and processes.

use core::time::Duration;
use std::sync::Arc;
use std::time::Instant;

use timely_communication::{Allocator, Pull, Push};

use crate::net::inbox::RoundInbox;
use crate::net::link::{Fate, Fates, PieceWriter};
use crate::net::piece::{CHANNEL, Cause, Farewell, FramePiece, LONGEST_BODY, NetPiece};
use crate::net::solo::assert_parts;
use crate::net::{Net, NetError};

/// The longest that a thread sleeps without a look at its inbox. Each arrival wakes it.
const NAP: Duration = Duration::from_millis(250);

/// A thread that sleeps longer than it wanted by this time was stopped, together with those that deliver what arrives.
const STOPPED: Duration = Duration::from_millis(250);

/// The longer patience for each shard that is late beside another one.
const GRACE: Duration = Duration::from_millis(100);

const MOST_GRACE: Duration = Duration::from_millis(500);

/// A shard's end of all channels.
pub(super) struct Rounds {
    allocator: Allocator,
    senders: Vec<Box<dyn Push<NetPiece>>>,
    receiver: Box<dyn Pull<NetPiece>>,
    inbox: RoundInbox,
    /// The ends of connections. Threads have none: they always say farewell.
    fates: Option<Arc<Fates>>,
    patience: Duration,
    /// The longest frame to another process.
    limit: usize,
    /// The most bytes in a piece.
    longest_piece: usize,
    failed: Option<NetError>,
}

impl Rounds {
    /// The rounds of a thread.
    pub(super) fn of_thread(allocator: Allocator, patience: Duration) -> Rounds {
        Rounds::new(allocator, patience, usize::MAX, usize::MAX, None)
    }

    /// The rounds of a process, with frames of at most `limit` bytes, and a writer to each other shard.
    pub(super) fn of_process(
        allocator: Allocator,
        writers: Vec<PieceWriter>,
        patience: Duration,
        limit: usize,
        fates: Arc<Fates>,
    ) -> Rounds {
        let mut rounds = Rounds::new(allocator, patience, limit, LONGEST_BODY, Some(fates));
        for writer in writers {
            let peer = writer.peer;
            rounds.senders[peer] = Box::new(writer);
        }
        rounds
    }

    fn new(
        mut allocator: Allocator,
        patience: Duration,
        limit: usize,
        longest_piece: usize,
        fates: Option<Arc<Fates>>,
    ) -> Rounds {
        let (senders, receiver) = allocator.allocate(CHANNEL);
        let inbox = RoundInbox::new(senders.len(), limit);
        Rounds {
            allocator,
            senders,
            receiver,
            inbox,
            fates,
            patience,
            limit,
            longest_piece,
            failed: None,
        }
    }

    /// Tells the others that this shard does no further round. All that it has sent arrives before.
    pub(super) fn finish(mut self, panicked: bool) {
        // A shard that has failed said so then.
        if self.failed.is_none() {
            self.say_farewell(if panicked {
                Cause::Panicked
            } else {
                Cause::Done
            });
        }
    }

    /// Returns whether a round has failed.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    fn say_farewell(&mut self, cause: Cause) {
        let me = self.me();
        for (_, sender) in self
            .senders
            .iter_mut()
            .enumerate()
            .filter(|(to, _)| *to != me)
        {
            sender.send(NetPiece::Farewell(Farewell {
                from: me,
                cause: cause.clone(),
            }));
            sender.done();
        }
        self.allocator.release();
    }

    fn send(&mut self, to: usize, frame: Vec<u8>) {
        let (from, round, longest) = (self.me(), self.inbox.round(), self.longest_piece);
        let range = 0..frame.len().min(longest);
        let mut piece = Some(NetPiece::Part(FramePiece {
            from,
            round,
            frame,
            range,
        }));
        loop {
            // The channel of a thread takes the piece, which then has the whole frame. A writer leaves it.
            self.senders[to].push(&mut piece);
            let Some(NetPiece::Part(part)) = &mut piece else {
                break;
            };
            let (start, length) = (part.range.end, part.frame.len());
            if start == length {
                break;
            }
            part.range = start..length.min(start + longest);
        }
        self.senders[to].done();
    }

    /// Sends the parts, and waits until all of the others are here.
    fn exchange(&mut self, mut out: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, NetError> {
        let (me, limit) = (self.me(), self.limit);
        let too_long = |(to, part): (usize, &Vec<u8>)| {
            (to != me && part.len() > limit).then_some((to, part.len()))
        };
        if let Some((to, length)) = out.iter().enumerate().find_map(too_long) {
            return Err(NetError::TooLong { to, length, limit });
        }
        let own = core::mem::take(&mut out[me]);
        let range = 0..own.len();
        self.inbox.accept(NetPiece::Part(FramePiece {
            from: me,
            round: self.inbox.round(),
            frame: own,
            range,
        }))?;
        for (to, frame) in out.into_iter().enumerate().filter(|(to, _)| *to != me) {
            self.send(to, frame);
        }
        self.allocator.release();
        self.wait()?;
        Ok(self.inbox.finish_round())
    }

    fn wait(&mut self) -> Result<(), NetError> {
        let mut begin = Instant::now();
        loop {
            // An end that is seen here was noted after all that came before it had been delivered.
            // One that is noted later may follow a farewell that is still to be received.
            let ended = self.fates.as_ref().map_or(Vec::new(), |f| f.ended());
            self.receive()?;
            if self.inbox.missing().next().is_none() {
                return Ok(());
            }
            if let Some(error) = self.cause_of_end(&ended) {
                return Err(error);
            }
            let waited = begin.elapsed();
            // A shard that waits for the same one may be a round behind, and so be missing, too. It misses fewer, so it gives up
            // first, and says why.
            let others = self.inbox.missing().count() - 1;
            let patience = self.patience + MOST_GRACE.min(GRACE * others as u32);
            let Some(left) = patience.checked_sub(waited).filter(|left| !left.is_zero()) else {
                return Err(NetError::Late {
                    shards: self.inbox.missing().collect(),
                    waited,
                });
            };
            let nap = left.min(NAP);
            let asleep = Instant::now();
            self.allocator.await_events(Some(nap));
            // A process that was stopped begins to wait again: what the others said meanwhile is not yet delivered.
            if asleep.elapsed() > nap + STOPPED {
                begin = Instant::now();
            }
        }
    }

    /// Puts all that has arrived into the inbox.
    fn receive(&mut self) -> Result<(), NetError> {
        self.allocator.receive();
        while let Some(piece) = self.receiver.recv() {
            match self.inbox.accept(piece) {
                // The last piece of a connection that broke inside of it. The end was noted before the piece was delivered.
                Err(NetError::Frame { from, .. }) if self.fate_of(from).is_some() => {}
                result => result?,
            }
        }
        // They are not read, and waiting only parks without them.
        self.allocator.events().borrow_mut().clear();
        self.allocator.release();
        Ok(())
    }

    fn fate_of(&self, shard: usize) -> Option<&Fate> {
        self.fates.as_ref()?.of(shard)
    }

    /// The reason why this round cannot be finished, if there is one. `ended` has the shards whose connections had ended before the
    /// inbox was read.
    fn cause_of_end(&self, ended: &[usize]) -> Option<NetError> {
        let (me, count) = (self.me(), self.shards());
        // A farewell that names no other shard is about its sender.
        let add_named = |list: &mut Vec<usize>, named: &mut dyn Iterator<Item = usize>, sender| {
            let before = list.len();
            list.extend(named.filter(|shard| *shard < count));
            if list.len() == before {
                list.push(sender);
            }
        };
        let (mut lost, mut late, mut silent, mut done) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut waited = Duration::ZERO;
        for shard in (0..self.shards()).filter(|shard| *shard != me) {
            match self.inbox.farewell_of(shard) {
                Some(Cause::Done) => done.extend(self.inbox.misses(shard).then_some(shard)),
                Some(Cause::Panicked) => lost.push(shard),
                Some(Cause::Lost(shards)) => {
                    let mut others = shards.iter().copied().filter(|other| *other != me);
                    add_named(&mut lost, &mut others, shard);
                }
                Some(Cause::Late(shards, time)) => {
                    add_named(&mut late, &mut shards.iter().copied(), shard);
                    waited = waited.max(*time);
                }
                Some(Cause::Silent(shards, time)) => {
                    add_named(&mut silent, &mut shards.iter().copied(), shard);
                    waited = waited.max(*time);
                }
                None if ended.contains(&shard) => match self.fate_of(shard) {
                    None => {}
                    Some(Fate::Ended) => lost.push(shard),
                    Some(&Fate::Silent(time)) => {
                        silent.push(shard);
                        waited = waited.max(time);
                    }
                    Some(Fate::Wrong(problem)) => {
                        return Some(NetError::Frame {
                            from: shard,
                            problem: problem.clone(),
                        });
                    }
                },
                None => {}
            }
        }
        for shards in [&mut lost, &mut silent, &mut late] {
            shards.sort_unstable();
            shards.dedup();
        }
        if !lost.is_empty() {
            Some(NetError::Lost { shards: lost })
        } else if !silent.is_empty() {
            Some(NetError::Silent {
                shards: silent,
                waited,
            })
        } else if !late.is_empty() {
            Some(NetError::Late {
                shards: late,
                waited,
            })
        } else {
            (!done.is_empty()).then_some(NetError::Ended { shards: done })
        }
    }
}

impl Net for Rounds {
    fn me(&self) -> usize {
        self.allocator.index()
    }

    fn shards(&self) -> usize {
        self.senders.len()
    }

    fn round(&mut self, out: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, NetError> {
        assert_parts(&out, self.shards());
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.exchange(out).inspect_err(|error| {
            let cause = match error {
                NetError::Lost { shards } => Cause::Lost(shards.clone()),
                NetError::Late { shards, waited } => Cause::Late(shards.clone(), *waited),
                NetError::Silent { shards, waited } => Cause::Silent(shards.clone(), *waited),
                NetError::Frame { from, .. } => Cause::Lost(vec![*from]),
                NetError::Ended { .. } => Cause::Done,
                _ => Cause::Panicked,
            };
            self.failed = Some(error.clone());
            self.say_farewell(cause);
        })
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use timely_communication::Hooks;
    use timely_communication::allocator::ProcessBuilder;

    use super::*;

    #[test]
    fn a_connection_that_ends_after_the_inbox_was_read_may_have_brought_a_farewell() {
        let builders = ProcessBuilder::new_typed_vector(3, Hooks::default().refill, None);
        thread::scope(|scope| {
            for builder in builders {
                scope.spawn(|| {
                    let mut rounds =
                        Rounds::of_thread(Allocator::Process(builder.build()), Duration::MAX);
                    let fates = Arc::new(Fates::new(3));
                    rounds.fates = Some(Arc::clone(&fates));
                    let me = rounds.me();
                    let [first, second] = [(me + 1) % 3, (me + 2) % 3];
                    fates.note(first, Fate::Ended);
                    let ended = fates.ended();
                    fates.note(second, Fate::Ended);
                    let lost = |shards| Some(NetError::Lost { shards });
                    assert_eq!(rounds.cause_of_end(&ended), lost(vec![first]));
                    let mut both = vec![first, second];
                    both.sort_unstable();
                    assert_eq!(rounds.cause_of_end(&fates.ended()), lost(both));
                });
            }
        });
    }
}
