//! One of the two machines: its world, and the messages to and from the other one.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use ecs_core::data::{InputError, Rollback, RollbackStats, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;

use crate::Result;
use crate::game::{self, Dice, Input, Inputs};
use crate::link::Link;
use crate::options::Options;
use crate::recording::{RecordedMatch, file_of};

/// The number of frames between two comparisons of the worlds.
const HASHED: u32 = 10;

/// A machine counts as gone after this time without messages.
const PATIENCE: Duration = Duration::from_secs(5);

/// A machine.
pub(crate) struct Peer {
    pub(crate) world: World,
    sim: Schedule,
    pub(crate) rollback: Rollback<Input>,
    pub(crate) player: usize,
    pub(crate) frame: Duration,
    recorded: Option<RecordedMatch>,
    link: Link,
    dice: Dice,
    /// The first of my frames that the other machine has no input for.
    acknowledged: u64,
    /// The time of the last message; `None` until the other machine has sent one.
    last_message: Option<Instant>,
    /// The end of the match, if it has one.
    end: Option<u64>,
    state: State,
    /// The state of the other machine.
    other: State,
}

/// The state of a machine, in the form that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Playing = 0,
    /// It knows all inputs of the match.
    Ended = 1,
    /// Its player has stopped.
    Left = 2,
}

/// The end of a match.
#[derive(Debug)]
pub(crate) struct End {
    /// The hash of the world after the last frame.
    pub(crate) hash: u64,
    score: [u32; 2],
    stats: RollbackStats,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hash, score, stats } = self;
        write!(
            f,
            "score {}:{}, {} rollbacks, {} frames again (at most {} at once), {} waits, hash {hash:016x}",
            score[0], score[1], stats.rollbacks, stats.frames_again, stats.longest, stats.waits
        )
    }
}

impl Peer {
    pub(crate) fn new(player: usize, link: Link, options: &Options) -> Self {
        let mut world = World::new();
        game::set_up(&mut world, options.seed);
        let rollback = Rollback::new(2, Snapshotter::new())
            .input_delay(options.input_delay)
            .max_prediction(options.prediction)
            .hashes(HASHED, WorldHasher::new());
        Self {
            world,
            sim: game::schedule(),
            rollback,
            player,
            frame: options.frame,
            recorded: options
                .record
                .as_ref()
                .map(|file| RecordedMatch::new(&file_of(player, file), options.seed)),
            link,
            dice: Dice::new(options.seed * 2 + player as u64),
            acknowledged: 0,
            last_message: None,
            end: None,
            state: State::Playing,
            other: State::Playing,
        }
    }

    /// Lets a bot play so many frames, or until the other machine leaves.
    pub(crate) fn play_bot(mut self, frames: Option<u64>) -> Result<Option<End>> {
        // Hashes belong to the starts of some frames.
        self.end = frames.map(|frames| frames.next_multiple_of(HASHED.into()));
        let mut next = Instant::now();
        self.last_message = Some(next);
        let mut ended = None;
        while self.other != State::Left {
            let input = game::advice(&self.world, self.player, &mut self.dice);
            self.step(input)?;
            if let Some(hash) = self.hash_of_end() {
                // The other machine may still lack the last inputs.
                let ended = ended.get_or_insert_with(Instant::now);
                if self.other == State::Ended || ended.elapsed() > PATIENCE {
                    let score = self.world.resource::<game::Score>().0;
                    let stats = self.rollback.stats();
                    return Ok(Some(End { hash, score, stats }));
                }
            }
            next += self.frame;
            thread::sleep(next.saturating_duration_since(Instant::now()));
        }
        Ok(None)
    }

    /// Returns the hash of the world at the end of the match, if all inputs before it are known.
    fn hash_of_end(&self) -> Option<u64> {
        self.rollback.confirmed_hash(self.end?)
    }

    /// Leaves the match.
    pub(crate) fn leave(&mut self) -> Result<()> {
        self.state = State::Left;
        // At least one of them should arrive.
        (0..20).try_for_each(|_| self.send())?;
        thread::sleep(Duration::from_millis(200));
        self.link.flush()
    }

    /// Returns true if the other machine has left.
    pub(crate) fn is_alone(&self) -> bool {
        self.other == State::Left
    }

    /// Runs a frame: takes the received messages, plays, and sends the inputs that the other machine lacks.
    pub(crate) fn step(&mut self, input: Input) -> Result<()> {
        self.receive()?;
        if self
            .last_message
            .is_some_and(|last| last.elapsed() > PATIENCE)
        {
            return Err("the other machine is gone".into());
        }
        self.rollback.add_local_input(self.player, input)?;
        let Self {
            world,
            sim,
            rollback,
            ..
        } = self;
        let advanced = rollback.advance(world, sim, |world, frame| {
            world.resource_mut::<Inputs>().0 = [frame.inputs[0], frame.inputs[1]];
        })?;
        if let Some((frame, error)) = advanced.errors.first() {
            return Err(format!("frame {frame}: {error}").into());
        }
        if let Some(recorded) = &mut self.recorded {
            recorded.catch_up(&self.rollback)?;
        }
        if self.hash_of_end().is_some() {
            self.state = State::Ended;
        }
        self.send()
    }

    /// ```text
    /// next input that is wanted: u64, frame of a hash: u64, hash: u64, state: u8, first frame: u64, [input: u8]
    /// ```
    fn send(&mut self) -> Result<()> {
        let other = 1 - self.player;
        let (frame, hash) = self.rollback.last_confirmed_hash().unwrap_or_default();
        let mut message = Vec::new();
        message.extend(self.rollback.next_input(other)?.to_le_bytes());
        message.extend(frame.to_le_bytes());
        message.extend(hash.to_le_bytes());
        message.push(self.state as u8);
        message.extend(self.acknowledged.to_le_bytes());
        let inputs = self.rollback.inputs_from(self.player, self.acknowledged);
        message.extend(inputs.take(255).map(|(_, input)| input.to_byte()));
        self.link.send(message)
    }

    fn receive(&mut self) -> Result<()> {
        self.link.flush()?;
        let mut buffer = [0; 512];
        while let Some(message) = self.link.receive(&mut buffer)? {
            self.last_message = Some(Instant::now());
            let Some(message) = Message::of_bytes(message) else {
                // A damaged message counts as lost.
                continue;
            };
            self.take(message)?;
        }
        Ok(())
    }

    fn take(&mut self, message: Message<'_>) -> Result<()> {
        let other = 1 - self.player;
        self.acknowledged = self.acknowledged.max(message.wanted);
        if message.state != State::Playing {
            self.other = message.state;
        }
        for (frame, &input) in (message.first..).zip(message.inputs) {
            let Some(input) = Input::of_byte(input) else {
                break;
            };
            match self.rollback.add_input(other, frame, input) {
                Ok(()) => {}
                // An earlier message is missing.
                Err(InputError::Gap { .. }) => break,
                Err(error) => return Err(error.into()),
            }
        }
        let (frame, hash) = message.hash;
        match self.rollback.confirmed_hash(frame) {
            Some(mine) if mine != hash && frame > 0 => {
                Err(format!("desync: the worlds differ at the beginning of frame {frame}").into())
            }
            _ => Ok(()),
        }
    }
}

/// A message of the other machine.
struct Message<'a> {
    wanted: u64,
    hash: (u64, u64),
    state: State,
    first: u64,
    inputs: &'a [u8],
}

impl<'a> Message<'a> {
    fn of_bytes(bytes: &'a [u8]) -> Option<Self> {
        fn number(bytes: &mut &[u8]) -> Option<u64> {
            let (number, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(u64::from_le_bytes(*number))
        }
        let mut rest = bytes;
        let wanted = number(&mut rest)?;
        let hash = (number(&mut rest)?, number(&mut rest)?);
        let (&state, mut rest) = rest.split_first()?;
        let state = match state {
            0 => State::Playing,
            1 => State::Ended,
            2 => State::Left,
            _ => return None,
        };
        let first = number(&mut rest)?;
        Some(Self {
            wanted,
            hash,
            state,
            first,
            inputs: rest,
        })
    }
}
