//! Interprets a program by plain loops over lists.

use std::collections::BTreeMap;

use crate::app_model::Outcome;
use crate::app_model::program::{
    Act, Condition, Hand, Item, Node, Pause, Place, Program, Screen, Set, waits,
};

/// The length of a step of `FixedUpdate` in milliseconds.
pub(crate) const STEP: u64 = 20;

/// The most steps in a frame.
const MAX_STEPS: u64 = 8;

#[derive(Clone, Copy, PartialEq)]
struct Request<S> {
    state: S,
    again: bool,
}

struct Interpreter {
    lists: BTreeMap<Place, Vec<Item>>,
    sets: Vec<Set>,
    /// The answers of the sets' conditions in the current runs of lists, innermost last, and the outcomes of the items.
    answers: Vec<BTreeMap<usize, (Answer, Turn)>>,
    outcome: Outcome,
    /// The screen that each tag belongs to.
    scoped: Vec<(u64, Screen)>,
    events: Vec<u64>,
    /// The number of events that each reader has read.
    read: BTreeMap<u64, usize>,
    /// The marked entities.
    marked: [bool; 3],
    /// The entities that lost their marks; 3 stands for entities that were despawned with one.
    unmarked: Vec<usize>,
    /// The number of removals that each reader has read.
    unmarked_read: BTreeMap<u64, usize>,
    /// Errors of systems in the current run, and of systems that were run by hand inside of it.
    failed: [Vec<u64>; 2],
    /// The memory of `every`, by item or set, and position.
    every: BTreeMap<(Owner, usize), Every>,
    /// The time that is not simulated yet, by item; 0 is `FixedUpdate`.
    backlog: BTreeMap<u64, u64>,
    delta: u64,
    screen: Screen,
    pause: Option<Pause>,
    played: bool,
    next_screen: Option<Request<Screen>>,
    next_pause: Option<Request<Pause>>,
    has_entered: bool,
    in_turn: bool,
    in_fight: bool,
}

/// The owner of a condition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Item(u64),
    Set(usize),
}

/// The combined answer of some conditions.
#[derive(Clone, Copy)]
struct Answer {
    all_hold: bool,
    /// True if a condition about states is false.
    sleeps: bool,
}

/// The outcome of an item, or of the items of a set.
#[derive(Clone, Copy, Default)]
struct Turn {
    ran: bool,
    is_awake: bool,
}

/// The turns since the last `n`th one.
#[derive(Default)]
struct Every {
    seen: u32,
    is_nth: bool,
    /// True if an `n`th turn has passed without a run.
    is_due: bool,
}

/// Returns the outcome after each frame.
pub(crate) fn run(program: &Program) -> Vec<Outcome> {
    let mut lists: BTreeMap<Place, Vec<Item>> = BTreeMap::new();
    for (place, item) in program.added() {
        lists.entry(*place).or_default().push(item.clone());
    }
    let mut it = Interpreter {
        lists,
        sets: program.sets.clone(),
        answers: Vec::new(),
        outcome: Outcome::default(),
        scoped: Vec::new(),
        events: Vec::new(),
        read: BTreeMap::new(),
        marked: [true; 3],
        unmarked: Vec::new(),
        unmarked_read: BTreeMap::new(),
        failed: Default::default(),
        every: BTreeMap::new(),
        backlog: BTreeMap::new(),
        delta: 0,
        screen: Screen::Menu,
        pause: None,
        played: false,
        next_screen: None,
        next_pause: None,
        has_entered: false,
        in_turn: false,
        in_fight: false,
    };
    it.place(Place::Startup);
    it.end_run();
    let mut outcomes = Vec::new();
    for &millis in &program.frames {
        it.frame(millis);
        it.end_run();
        it.outcome.tags.sort_unstable();
        outcomes.push(it.outcome.clone());
    }
    outcomes
}

impl Interpreter {
    /// Handles the errors of a run.
    fn end_run(&mut self) {
        for failed in &mut self.failed {
            self.outcome.failed.append(failed);
        }
    }

    fn frame(&mut self, millis: u64) {
        self.delta = millis;
        self.place(Place::StateTransition);
        self.transitions();
        self.place(Place::First);
        self.place(Place::PreUpdate);
        let fixed = self.lists.get(&Place::FixedUpdate).cloned();
        if let Some(items) = fixed {
            self.fixed(0, STEP, &items);
        }
        for place in [Place::Update, Place::Combat, Place::PostUpdate, Place::Last] {
            self.place(place);
        }
    }

    fn place(&mut self, place: Place) {
        if let Some(items) = self.lists.get(&place).cloned() {
            self.list(&items);
        }
    }

    /// Runs a list: always the first item that waits for none.
    fn list(&mut self, items: &[Item]) {
        let mut left: Vec<&Item> = items.iter().collect();
        self.answers.push(BTreeMap::new());
        while !left.is_empty() {
            let mut all = left.iter();
            let next = all.position(|item| !waits(item, &left, &self.sets));
            let item = left.remove(next.expect("there are no cycles"));
            self.item(item);
        }
        let sets = self.answers.pop().expect("pushed above");
        for (set, (_, turn)) in sets {
            self.settle(Owner::Set(set), turn);
        }
    }

    fn fixed(&mut self, id: u64, step: u64, items: &[Item]) {
        let outside = self.delta;
        let mut backlog = self.backlog.remove(&id).unwrap_or(0) + outside;
        let steps = backlog / step;
        backlog -= steps.saturating_sub(MAX_STEPS) * step;
        for _ in 0..steps.min(MAX_STEPS) {
            backlog -= step;
            self.delta = step;
            self.list(items);
        }
        self.delta = outside;
        self.backlog.insert(id, backlog);
    }

    fn item(&mut self, item: &Item) {
        let mut answer = self.ask(Owner::Item(item.id), &item.conditions);
        // Conditions of a set are asked once in each run of the list.
        let run = self.answers.len() - 1;
        if let Some(set) = item.set {
            if !self.answers[run].contains_key(&set) {
                let conditions = self.sets[set].conditions.clone();
                let answer = self.ask(Owner::Set(set), &conditions);
                self.answers[run].insert(set, (answer, Turn::default()));
            }
            let of_set = self.answers[run][&set].0;
            answer.all_hold &= of_set.all_hold;
            answer.sleeps |= of_set.sleeps;
        }
        let turn = Turn {
            ran: answer.all_hold,
            is_awake: !answer.sleeps,
        };
        self.settle(Owner::Item(item.id), turn);
        if let Some(set) = item.set {
            let (_, of_set) = self.answers[run].get_mut(&set).expect("asked above");
            of_set.ran |= turn.ran;
            of_set.is_awake |= turn.is_awake;
        }
        if !answer.all_hold {
            if answer.sleeps {
                self.skip(item);
            }
            return;
        }
        match &item.node {
            Node::System { log, act } => self.act(item.id, *log, *act),
            Node::Schedule(items) => self.list(items),
            Node::Fixed { millis, items } => self.fixed(item.id, *millis, items),
        }
    }

    /// Asks all conditions.
    fn ask(&mut self, owner: Owner, conditions: &[Condition]) -> Answer {
        let mut answer = Answer {
            all_hold: true,
            sleeps: false,
        };
        for (position, condition) in conditions.iter().enumerate() {
            let (holds, is_of_state) = match *condition {
                Condition::Every(n) => {
                    let every = self.every.entry((owner, position)).or_default();
                    every.is_nth = every.seen + 1 == n;
                    (every.is_nth || every.is_due, false)
                }
                Condition::Screen(screen) => (self.screen == screen, true),
                Condition::Pause(pause) => (self.pause == Some(pause), true),
            };
            answer.all_hold &= holds;
            answer.sleeps |= is_of_state && !holds;
        }
        answer
    }

    /// Ends a turn for the conditions of an item or a set.
    fn settle(&mut self, owner: Owner, turn: Turn) {
        let of_owner = (owner, 0)..=(owner, usize::MAX);
        for (_, every) in self.every.range_mut(of_owner) {
            if turn.is_awake {
                every.seen = if every.is_nth { 0 } else { every.seen + 1 };
                every.is_due = !turn.ran && (every.is_due || every.is_nth);
            }
        }
    }

    /// If a reader sleeps, it never reads the events it missed.
    fn skip(&mut self, item: &Item) {
        match &item.node {
            Node::System { .. } => {
                self.read.insert(item.id, self.events.len());
                self.unmarked_read.insert(item.id, self.unmarked.len());
            }
            Node::Schedule(items) | Node::Fixed { items, .. } => {
                for item in items {
                    self.skip(item);
                }
            }
        }
    }

    fn act(&mut self, id: u64, log: usize, act: Act) {
        let mut note = |value: u64| self.outcome.logs[log].push(id * 10_000 + value);
        match act {
            Act::Note => note(0),
            Act::Send => self.events.push(id),
            Act::Read => {
                let read = self.read.entry(id).or_insert(0);
                let unread = &self.events[*read..];
                *read = self.events.len();
                note(unread.iter().sum::<u64>() * 10 + unread.len() as u64 % 10);
            }
            Act::Count => note(self.outcome.tags.len() as u64),
            Act::Spawn => self.outcome.tags.push(id),
            Act::SpawnFor(screen) => {
                self.outcome.tags.push(id);
                self.scoped.push((id, screen));
            }
            Act::Screen(state) => {
                self.next_screen = Some(Request {
                    state,
                    again: false,
                });
            }
            Act::ScreenAgain(state) => self.next_screen = Some(Request { state, again: true }),
            Act::Pause(state) => {
                if self.pause.is_some() {
                    self.next_pause = Some(Request {
                        state,
                        again: false,
                    });
                }
            }
            Act::Delta => note(self.delta),
            Act::Mark(entity) => self.marked[entity] = true,
            Act::Unmark(entity) => {
                if std::mem::take(&mut self.marked[entity]) {
                    self.unmarked.push(entity);
                }
            }
            Act::Unmarked => {
                let read = self.unmarked_read.entry(id).or_insert(0);
                let unread = self.unmarked[*read..].iter();
                note(unread.fold(1, |sum, entity| (sum * 4 + *entity as u64) % 9_973));
                *read = self.unmarked.len();
            }
            Act::Fail => self.failed[0].push(id),
            Act::Run { hand, .. } => self.by_hand(hand),
        }
    }

    fn by_hand(&mut self, hand: Hand) {
        let (place, is_running) = match hand {
            Hand::Turn => (Place::Turn, &mut self.in_turn),
            Hand::Fight => (Place::Fight, &mut self.in_fight),
        };
        if std::mem::replace(is_running, true) {
            return;
        }
        let outer = std::mem::take(&mut self.failed);
        self.place(place);
        let inner = std::mem::replace(&mut self.failed, outer);
        self.failed[1].extend(inner.into_iter().flatten());
        match hand {
            Hand::Turn => self.in_turn = false,
            Hand::Fight => self.in_fight = false,
        }
    }

    fn transitions(&mut self) {
        // Requests of handlers apply to the next frame.
        let screen = self.next_screen.take();
        let pause = self.next_pause.take();
        let mut ran = Vec::new();
        if !self.has_entered {
            self.has_entered = true;
            self.handlers(Place::EnterScreen(self.screen), &mut ran);
        }
        if let Some(request) = screen.filter(|r| r.again || r.state != self.screen) {
            self.change_screen(request.state, &mut ran);
        } else if let (Some(request), Some(old)) = (pause, self.pause)
            && request.state != old
        {
            self.handlers(Place::ExitPause(old), &mut ran);
            self.pause = Some(request.state);
            self.handlers(Place::EnterPause(request.state), &mut ran);
        }
        // The others sleep.
        let of_states = |place: &Place| *place >= Place::EnterScreen(Screen::Menu);
        let lists = self.lists.clone();
        for (place, items) in lists {
            if of_states(&place) && !ran.contains(&place) {
                items.iter().for_each(|item| self.skip(item));
            }
        }
    }

    fn change_screen(&mut self, new: Screen, ran: &mut Vec<Place>) {
        let (old, pause, played) = (self.screen, self.pause, self.played);
        let will_be_played = new != Screen::Menu;
        // Children before parents, the last one first.
        if played && !will_be_played {
            self.handlers(Place::ExitPlayed, ran);
        }
        if let Some(pause) = pause {
            self.handlers(Place::ExitPause(pause), ran);
        }
        self.handlers(Place::ExitScreen(old), ran);
        let goes = |tag: &u64| self.scoped.contains(&(*tag, old));
        let before = self.outcome.tags.len();
        self.outcome.tags.retain(|tag| !goes(tag));
        let gone = before - self.outcome.tags.len();
        self.unmarked.extend(vec![3; gone]);
        self.screen = new;
        self.pause = (new == Screen::Game).then_some(Pause::Running);
        self.played = will_be_played;
        self.next_pause = None;
        self.handlers(Place::ChangeScreen(old, new), ran);
        self.handlers(Place::EnterScreen(new), ran);
        if let Some(pause) = self.pause {
            self.handlers(Place::EnterPause(pause), ran);
        }
        if will_be_played && !played {
            self.handlers(Place::EnterPlayed, ran);
        }
    }

    fn handlers(&mut self, place: Place, ran: &mut Vec<Place>) {
        self.place(place);
        ran.push(place);
    }
}
