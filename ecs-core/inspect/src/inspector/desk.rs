//! Requests that wait for their turn, streams, and the budget that they share.

use std::collections::VecDeque;
use std::time::Duration;

use ecs_app::App;

use super::budget::Budget;
use super::rpc::{InspectCore, OpenRequest, OpenStream, RequestStep};
use crate::server::{HttpReply, HttpRequest, HttpStream};

type DeskRequest = (OpenRequest, HttpReply);

/// The open requests and streams, which take turns.
#[derive(Default)]
pub(crate) struct Desk {
    owner: VecDeque<DeskRequest>,
    others: VecDeque<DeskRequest>,
    /// The one that was looked at longest ago comes first.
    streams: VecDeque<(OpenStream, HttpStream)>,
    /// The list whose turn it is: so requests without token leave half of the time to the owner, and a part to streams.
    turn: u8,
}

impl Desk {
    /// The open requests.
    const MOST: usize = 64;
    /// The streams.
    const MOST_STREAMS: usize = 4;

    pub(crate) fn is_empty(&self) -> bool {
        self.owner.is_empty() && self.others.is_empty() && self.streams.is_empty()
    }

    /// Returns true if no request is taken in until one is answered, so that waiting ones are refused by the server.
    pub(crate) fn is_full(&self) -> bool {
        self.owner.len() + self.others.len() >= Self::MOST
    }

    pub(crate) fn add(&mut self, request: HttpRequest<OpenRequest>) {
        let list = match request.may_write {
            true => &mut self.owner,
            false => &mut self.others,
        };
        list.push_back((request.body, request.reply));
    }

    /// Works on requests and streams until the budget is spent: on one at least.
    pub(crate) fn work(&mut self, core: &mut InspectCore, app: &mut App, time: Duration) {
        let budget = Budget::from_now(time);
        let mut answers = Vec::new();
        let mut looks = self.streams.len();
        loop {
            let turn = self.turn;
            self.turn = (turn + 1) % 4;
            let request = match turn {
                0 | 2 => self.owner.pop_front(),
                1 => self.others.pop_front(),
                _ => None,
            };
            let has_worked = match request {
                Some((request, reply)) => {
                    self.go_on(core, app, budget, (request, reply), &mut answers);
                    true
                }
                None if turn == 3 && looks > 0 => {
                    looks -= 1;
                    self.look(core, app)
                }
                None => false,
            };
            let is_idle = self.owner.is_empty() && self.others.is_empty() && looks == 0;
            if is_idle || (has_worked && budget.is_spent()) {
                break;
            }
        }
        // After the clock was looked at: to wake a thread can cost this one its core.
        for (request, reply) in answers {
            reply.answer(move || request.into_text());
        }
    }

    fn go_on(
        &mut self,
        core: &mut InspectCore,
        app: &mut App,
        budget: Budget,
        (mut request, reply): DeskRequest,
        answers: &mut Vec<DeskRequest>,
    ) {
        // An answer to a client that has gone has no reader.
        if reply.is_abandoned() {
            return;
        }
        match request.go_on(core, app, budget) {
            RequestStep::Open if request.may_write() => self.owner.push_back((request, reply)),
            RequestStep::Open => self.others.push_back((request, reply)),
            RequestStep::Done => answers.push((request, reply)),
            RequestStep::Stream(stream) => match self.has_place_for(&stream) {
                true => self.streams.push_back((stream, reply.stream())),
                false => {
                    request.refuse_stream(stream, Self::MOST_STREAMS);
                    answers.push((request, reply));
                }
            },
        }
    }

    /// Looks at the next stream, if its client is ready. Returns whether it was.
    fn look(&mut self, core: &mut InspectCore, app: &mut App) -> bool {
        let Some((mut stream, client)) = self.streams.pop_front() else {
            return false;
        };
        if client.is_abandoned() {
            return false;
        }
        let is_ready = client.is_ready();
        let next = is_ready.then(|| stream.next(core, app)).flatten();
        let has_ended = stream.has_ended();
        if let Some(text) = next {
            client.send(text);
        }
        if !has_ended {
            self.streams.push_back((stream, client));
        }
        is_ready
    }

    /// Returns whether there is a place for a stream. The owner's takes the place of the oldest one without token.
    fn has_place_for(&mut self, stream: &OpenStream) -> bool {
        if self.streams.len() < Self::MOST_STREAMS {
            return true;
        }
        let others = self.streams.iter().enumerate();
        let others = others.filter(|(_, (open, _))| !open.may_write());
        let oldest = others.min_by_key(|(_, (open, _))| open.number());
        let oldest = oldest.map(|(index, _)| index);
        match oldest.filter(|_| stream.may_write()) {
            Some(index) => self.streams.remove(index).is_some(),
            None => false,
        }
    }
}
