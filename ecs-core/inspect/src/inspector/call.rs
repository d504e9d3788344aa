//! Calls: the table of methods, their shared state, and jobs that go on in later frames.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use ecs_app::App;
use ecs_data::{Prefab, Value};
use ecs_engine::{Entity, World};

use super::budget::Budget;
use super::edits::UndoableEdit;
use super::error::RpcError;
use super::event_tails::SharedTails;
use super::frame_watch::SharedWatch;
use super::hidden::HiddenTypes;
use super::history::SharedHistory;
use super::page_places::PagePlaces;
use super::params::Params;

/// The most frames that one call may take.
pub(crate) const MOST_FRAMES: u64 = 100_000;

pub(crate) type Answer = Result<Value, RpcError>;

/// A call that is continued in later frames. It does some work at each call, even if the budget is spent.
pub(crate) type Job = Box<dyn FnMut(&mut CallContext<'_>) -> Option<Answer> + Send>;

/// A watch: returns the changes since the last call, or `None` without any. An error ends it.
pub(crate) type WatchJob = Box<dyn FnMut(&mut CallContext<'_>) -> Option<Answer> + Send>;

/// Work that another thread does on a result before it sends it.
pub(crate) type LateWork = Box<dyn FnOnce(Value) -> Answer + Send>;

/// The state of a call: it has ended, goes on in a later frame, or answers with a stream.
pub(crate) enum Progress {
    Done(Value),
    Later(Job),
    Stream(WatchJob),
}

impl From<Value> for Progress {
    fn from(value: Value) -> Self {
        Self::Done(value)
    }
}

/// Answers with a list. Each frame makes items until its budget is spent; `each` leaves an item out by returning `None`.
pub(crate) fn in_pieces<T: Send + 'static>(
    items: Vec<T>,
    each: impl FnMut(&mut CallContext<'_>, T) -> Result<Option<Value>, RpcError> + Send + 'static,
) -> Progress {
    in_pieces_then(items, each, |_, list| Ok(Value::List(list)))
}

/// Like [`in_pieces`], but answers with the value that `end` makes of the list.
pub(crate) fn in_pieces_then<T: Send + 'static>(
    items: Vec<T>,
    mut each: impl FnMut(&mut CallContext<'_>, T) -> Result<Option<Value>, RpcError> + Send + 'static,
    end: impl FnOnce(&mut CallContext<'_>, Vec<Value>) -> Answer + Send + 'static,
) -> Progress {
    let (mut items, mut list, mut end) = (items.into_iter(), Vec::new(), Some(end));
    Progress::Later(Box::new(move |context| {
        while let Some(item) = items.next() {
            match each(context, item) {
                Ok(value) => list.extend(value),
                Err(error) => return Some(Err(error)),
            }
            if context.budget.is_spent() && items.len() > 0 {
                return None;
            }
        }
        let end = end.take()?;
        Some(end(context, std::mem::take(&mut list)))
    }))
}

/// The effect of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Reads,
    /// Changes nothing in the world, but only clients that may write can call it.
    Owner,
    /// Only clients that may write can call it.
    Writes,
    /// Like `Writes`, but it runs systems: a panic in one ends the app, as in any frame.
    Runs,
}

pub(crate) type BuiltIn = fn(&mut CallContext<'_>, &Params) -> Result<Progress, RpcError>;
pub(crate) type Reading = Box<dyn FnMut(&World, Params) -> Answer + Send>;
pub(crate) type Writing = Box<dyn FnMut(&mut World, Params) -> Answer + Send>;

pub(crate) enum MethodRun {
    BuiltIn(BuiltIn),
    Reading(Reading),
    Writing(Writing),
}

pub(crate) struct RpcMethod {
    pub(crate) name: Cow<'static, str>,
    pub(crate) effect: Effect,
    /// A description of the parameters, for people.
    pub(crate) params: &'static str,
    pub(crate) help: Cow<'static, str>,
    pub(crate) run: MethodRun,
}

/// A line of the table of methods.
pub(crate) const fn method(
    name: &'static str,
    effect: Effect,
    params: &'static str,
    help: &'static str,
    run: BuiltIn,
) -> RpcMethod {
    RpcMethod {
        name: Cow::Borrowed(name),
        effect,
        params,
        help: Cow::Borrowed(help),
        run: MethodRun::BuiltIn(run),
    }
}

/// Everything that methods remember.
#[derive(Default)]
pub(crate) struct InspectState {
    pub(crate) hidden: HiddenTypes,
    pub(crate) read_only: bool,
    pub(crate) history: SharedHistory,
    pub(crate) tails: SharedTails,
    pub(crate) watch: SharedWatch,
    /// The prefabs that can be spawned.
    pub(crate) prefabs: BTreeMap<String, Prefab>,
    /// A text that identifies this world: no other world has the same.
    pub(crate) here: String,
    /// The name of the program.
    pub(crate) name: String,
    pub(crate) places: PagePlaces,
    pub(crate) edits: VecDeque<UndoableEdit>,
    /// The methods of the inspector that only read, unless the app has replaced them.
    pub(crate) readers: BTreeMap<Cow<'static, str>, BuiltIn>,
    /// The names, effects, parameters and help of the methods.
    pub(crate) methods: Vec<Value>,
}

impl InspectState {
    /// The most edits that can be undone.
    const MOST_EDITS: usize = 256;

    /// Remembers an edit.
    pub(crate) fn remember(&mut self, edit: UndoableEdit) {
        if self.edits.len() == Self::MOST_EDITS {
            self.edits.pop_front();
        }
        self.edits.push_back(edit);
    }
}

/// The arguments of a method, apart from its parameters.
pub(crate) struct CallContext<'a> {
    pub(crate) app: &'a mut App,
    pub(crate) state: &'a mut InspectState,
    pub(crate) budget: Budget,
    /// True if ids are written as numbers, as in the Bevy Remote Protocol.
    pub(crate) numbers: bool,
    pub(crate) may_write: bool,
    /// Set by a call that ends: work that another thread does on the result before it sends it.
    pub(crate) late: Option<LateWork>,
}

impl CallContext<'_> {
    pub(crate) fn world(&self) -> &World {
        self.app.world()
    }

    /// Writes an id that isn't part of a component's value.
    pub(crate) fn id(&self, entity: Entity) -> Value {
        match self.numbers {
            true => Value::Int(entity.to_bits().into()),
            false => Value::String(entity.to_string()),
        }
    }

    /// Returns true if the client asks for a value of any size. Writing a large one may take longer than a frame allows.
    ///
    /// # Errors
    /// If the client may not write.
    pub(crate) fn whole(&self, params: &Params) -> Result<bool, RpcError> {
        match params.flag("whole")? {
            true if !self.may_write => Err(RpcError::new(
                RpcError::READ_ONLY,
                "a value may be larger than a frame has time for, so only clients with the token read it `whole`",
            )),
            whole => Ok(whole),
        }
    }

    /// # Errors
    /// If the type is hidden.
    pub(crate) fn shown(&self, name: &str) -> Result<(), RpcError> {
        self.state.hidden.check(self.app.world(), name)
    }
}
