//! Requests that wait for their turn, and the budget that they share.

use std::collections::VecDeque;
use std::time::Duration;

use ecs_app::App;

use super::core::Budget;
use super::rpc::{Core, OpenRequest};

/// A function that sends the answer.
pub(crate) type Reply = Box<dyn FnOnce(String) + Send>;

/// The open requests, which take turns.
#[derive(Default)]
pub(crate) struct Desk(VecDeque<(OpenRequest, Reply)>);

impl Desk {
    /// The open requests.
    const MOST: usize = 64;

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if no request is taken in until one is answered, so that waiting ones are refused by the server.
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= Self::MOST
    }

    pub(crate) fn add(&mut self, request: OpenRequest, reply: Reply) {
        self.0.push_back((request, reply));
    }

    /// Works on requests until the budget is spent: on one at least.
    pub(crate) fn work(&mut self, core: &mut Core, app: &mut App, time: Duration) {
        let budget = Budget::from_now(time);
        let mut answers = Vec::new();
        while let Some((mut request, reply)) = self.0.pop_front() {
            match request.go_on(core, app, budget) {
                Some(answer) => answers.push((answer, reply)),
                None => self.0.push_back((request, reply)),
            }
            if budget.is_spent() {
                break;
            }
        }
        // After the clock was looked at: to wake a thread can cost this one its core.
        for (answer, reply) in answers {
            reply(answer);
        }
    }
}
