//! What a program does, as plain loops over lists.

use std::collections::BTreeMap;

use crate::Outcome;
use crate::program::{Act, Condition, Hand, Item, Node, Pause, Place, Program, Screen, Set, waits};

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
    /// The results of conditions of sets in the current runs of lists, innermost last: false, and whether it is about states.
    answers: Vec<BTreeMap<usize, Option<bool>>>,
    outcome: Outcome,
    /// The screen that each tag belongs to.
    scoped: Vec<(u64, Screen)>,
    events: Vec<u64>,
    /// The number of events that each reader has read.
    read: BTreeMap<u64, usize>,
    /// The entities that are marked.
    marked: [bool; 3],
    /// The entities that lost their marks; 3 stands for those that are despawned with one.
    unmarked: Vec<usize>,
    /// The number of removals that each reader has read.
    unmarked_read: BTreeMap<u64, usize>,
    /// Errors of systems in the current run, and of those that were run by hand inside of it.
    failed: [Vec<u64>; 2],
    /// The number of evaluations of `every`, by item or set, and position.
    evaluated: BTreeMap<(Owner, usize), u32>,
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

/// What a condition is on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Item(u64),
    Set(usize),
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
        evaluated: BTreeMap::new(),
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
        self.answers.pop();
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
        let mut refused = None;
        if let Some(set) = item.set {
            // Once in each run of the list.
            let run = self.answers.len() - 1;
            refused = match self.answers[run].get(&set) {
                Some(answer) => *answer,
                None => {
                    let conditions = self.sets[set].conditions.clone();
                    let answer = self.refusal(Owner::Set(set), &conditions);
                    self.answers[run].insert(set, answer);
                    answer
                }
            };
        }
        match refused.or_else(|| self.refusal(Owner::Item(item.id), &item.conditions)) {
            Some(true) => return self.skip(item),
            Some(false) => return,
            None => {}
        }
        match &item.node {
            Node::System { log, act } => self.act(item.id, *log, *act),
            Node::Schedule(items) => self.list(items),
            Node::Fixed { millis, items } => self.fixed(item.id, *millis, items),
        }
    }

    /// Evaluates conditions up to the first one that is false; returns whether that is about states, `None` if all hold.
    fn refusal(&mut self, owner: Owner, conditions: &[Condition]) -> Option<bool> {
        for (position, condition) in conditions.iter().enumerate() {
            let (holds, is_of_state) = match *condition {
                Condition::Every(n) => {
                    let count = self.evaluated.entry((owner, position)).or_insert(0);
                    *count += 1;
                    (count.is_multiple_of(n), false)
                }
                Condition::Screen(screen) => (self.screen == screen, true),
                Condition::Pause(pause) => (self.pause == Some(pause), true),
            };
            if !holds {
                return Some(is_of_state);
            }
        }
        None
    }

    /// What was not read by a reader that sleeps is not read later.
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
        // What handlers request is for the next frame.
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
