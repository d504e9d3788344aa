//! Random programs.

use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Screen {
    Menu,
    Game,
    End,
}

/// Exists in `Screen::Game`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Pause {
    Running,
    Paused,
}

/// Exists in all screens but the menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Played;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Place {
    Startup,
    StateTransition,
    First,
    PreUpdate,
    FixedUpdate,
    Update,
    /// A schedule after `Update`.
    Combat,
    PostUpdate,
    Last,
    /// A schedule that systems run by hand.
    Turn,
    /// Another one.
    Fight,
    EnterScreen(Screen),
    ExitScreen(Screen),
    ChangeScreen(Screen, Screen),
    EnterPause(Pause),
    ExitPause(Pause),
    EnterPlayed,
    ExitPlayed,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    Note,
    Send,
    Read,
    Count,
    Spawn,
    SpawnFor(Screen),
    Screen(Screen),
    ScreenAgain(Screen),
    Pause(Pause),
    Delta,
    /// Removes the mark of one of the marked entities.
    Unmark(usize),
    /// Marks the entity.
    Mark(usize),
    /// Reads which entities lost their marks.
    Unmarked,
    /// Fails, with a policy of its own.
    Fail,
    /// Runs a schedule by hand, in a system or in a command; does nothing if it is already inside of that schedule.
    Run {
        hand: Hand,
        by_command: bool,
    },
}

/// A schedule that is run by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hand {
    Turn,
    Fight,
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    System { log: usize, act: Act },
    Schedule(Vec<Item>),
    Fixed { millis: u64, items: Vec<Item> },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Condition {
    Every(u32),
    Screen(Screen),
    Pause(Pause),
}

/// A step.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Different for each item of a program.
    pub(crate) id: u64,
    pub(crate) node: Node,
    pub(crate) conditions: Vec<Condition>,
    /// The id of an item of the same list that runs before this one.
    pub(crate) after: Option<u64>,
    /// The set that it is in, by position in [`Program::sets`].
    pub(crate) set: Option<usize>,
    /// A number that selects `after`.
    choice: u8,
}

/// A configured set of items of one list.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    /// `None` if its list is inside a step.
    pub(crate) place: Option<Place>,
    pub(crate) conditions: Vec<Condition>,
    /// The id of an item of the list that runs before all in the set.
    pub(crate) after: Option<u64>,
    /// The id of an item of the list that runs after all in the set.
    pub(crate) before: Option<u64>,
}

/// Numbers that select the set of a list.
#[derive(Clone, Debug)]
struct SetChoice {
    conditions: Vec<Condition>,
    /// A bit for each item.
    members: u8,
    target: u8,
    is_before: bool,
}

/// Returns true if an item has to wait for one that is left, in a list with these sets.
pub(crate) fn waits(item: &Item, left: &[&Item], sets: &[Set]) -> bool {
    let is_left = |id: u64| left.iter().any(|other| other.id == id);
    let set = item.set.map(|set| &sets[set]);
    let after = [item.after, set.and_then(|set| set.after)];
    let waits_for_set = |other: &&Item| {
        let set = other.set.map(|set| &sets[set]);
        set.is_some_and(|set| set.before == Some(item.id))
    };
    after.into_iter().flatten().any(is_left) || left.iter().any(waits_for_set)
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The additions of each plugin, in order. The first plugin adds the second one between its two halves.
    pub(crate) plugins: [Vec<(Place, Item)>; 2],
    pub(crate) sets: Vec<Set>,
    /// The lengths of the frames in milliseconds.
    pub(crate) frames: Vec<u64>,
}

impl Program {
    /// Returns everything in the order of adding.
    pub(crate) fn added(&self) -> Vec<&(Place, Item)> {
        let (first, second) = self.plugins[0].split_at(self.plugins[0].len() / 2);
        [first, &self.plugins[1], second].concat_refs()
    }
}

trait ConcatRefs<'a> {
    fn concat_refs(self) -> Vec<&'a (Place, Item)>;
}

impl<'a> ConcatRefs<'a> for [&'a [(Place, Item)]; 3] {
    fn concat_refs(self) -> Vec<&'a (Place, Item)> {
        self.into_iter().flatten().collect()
    }
}

fn screens() -> impl Strategy<Value = Screen> + Clone {
    prop_oneof![Just(Screen::Menu), Just(Screen::Game), Just(Screen::End)]
}

fn pauses() -> impl Strategy<Value = Pause> + Clone {
    prop_oneof![Just(Pause::Running), Just(Pause::Paused)]
}

fn places() -> impl Strategy<Value = Place> {
    prop_oneof![
        1 => Just(Place::Startup),
        1 => Just(Place::StateTransition),
        1 => Just(Place::First),
        1 => Just(Place::PreUpdate),
        2 => Just(Place::FixedUpdate),
        3 => Just(Place::Update),
        1 => Just(Place::Combat),
        1 => Just(Place::PostUpdate),
        1 => Just(Place::Last),
        2 => Just(Place::Turn),
        2 => Just(Place::Fight),
        2 => screens().prop_map(Place::EnterScreen),
        2 => screens().prop_map(Place::ExitScreen),
        1 => (screens(), screens()).prop_map(|(from, to)| Place::ChangeScreen(from, to)),
        1 => pauses().prop_map(Place::EnterPause),
        1 => pauses().prop_map(Place::ExitPause),
        1 => Just(Place::EnterPlayed),
        1 => Just(Place::ExitPlayed),
    ]
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => Just(Act::Note),
        2 => Just(Act::Send),
        4 => Just(Act::Read),
        1 => Just(Act::Count),
        1 => Just(Act::Spawn),
        1 => screens().prop_map(Act::SpawnFor),
        2 => screens().prop_map(Act::Screen),
        1 => screens().prop_map(Act::ScreenAgain),
        1 => pauses().prop_map(Act::Pause),
        1 => Just(Act::Delta),
        3 => (0..3_usize).prop_map(Act::Mark),
        4 => (0..3_usize).prop_map(Act::Unmark),
        5 => Just(Act::Unmarked),
        3 => Just(Act::Fail),
        4 => (prop_oneof![Just(Hand::Turn), Just(Hand::Fight)], any::<bool>())
            .prop_map(|(hand, by_command)| Act::Run { hand, by_command }),
    ]
}

fn conditions() -> impl Strategy<Value = Vec<Condition>> {
    let condition = prop_oneof![
        (1..4_u32).prop_map(Condition::Every),
        screens().prop_map(Condition::Screen),
        pauses().prop_map(Condition::Pause),
    ];
    prop_oneof![2 => Just(Vec::new()), 1 => vec(condition, 1..3)]
}

fn item(node: impl Strategy<Value = Node>) -> impl Strategy<Value = Item> {
    (node, conditions(), any::<u8>()).prop_map(|(node, conditions, choice)| Item {
        id: 0,
        node,
        conditions,
        after: None,
        set: None,
        choice,
    })
}

fn items() -> impl Strategy<Value = Item> {
    let leaf = item((0..3_usize, acts()).prop_map(|(log, act)| Node::System { log, act }));
    leaf.prop_recursive(2, 8, 3, |inner| {
        let inside = vec(inner, 1..4);
        item(prop_oneof![
            inside.clone().prop_map(Node::Schedule),
            (5..40_u64, inside).prop_map(|(millis, items)| Node::Fixed { millis, items }),
        ])
    })
}

/// Random programs.
pub(crate) fn programs() -> impl Strategy<Value = Program> {
    let plugin = || vec((places(), items()), 1..12);
    let sets = vec(set_choices(), 0..8);
    let parts = (plugin(), plugin(), sets, vec(0..60_u64, 1..10));
    parts.prop_map(|(first, second, mut choices, frames)| {
        let mut program = Program {
            plugins: [first, second],
            sets: Vec::new(),
            frames,
        };
        let mut next_id = 0;
        for plugin in &mut program.plugins {
            for (_, item) in plugin {
                number(item, &mut next_id, &mut program.sets, &mut choices);
            }
        }
        constrain(&mut program, &mut choices);
        program
    })
}

fn set_choices() -> impl Strategy<Value = SetChoice> {
    let all = (conditions(), any::<u8>(), any::<u8>(), any::<bool>());
    all.prop_map(|(conditions, members, target, is_before)| SetChoice {
        conditions,
        members,
        target,
        is_before,
    })
}

fn number(item: &mut Item, next_id: &mut u64, sets: &mut Vec<Set>, choices: &mut Vec<SetChoice>) {
    *next_id += 1;
    item.id = *next_id;
    if let Node::Schedule(items) | Node::Fixed { items, .. } = &mut item.node {
        for item in &mut *items {
            number(item, next_id, sets, choices);
        }
        let mut list: Vec<&mut Item> = items.iter_mut().collect();
        constrain_list(&mut list);
        configure(&mut list, None, sets, choices);
    }
}

/// Adds constraints among the items of each list.
fn constrain(program: &mut Program, choices: &mut Vec<SetChoice>) {
    let mut places: Vec<Place> = program.added().iter().map(|added| added.0).collect();
    places.sort_unstable();
    places.dedup();
    for place in places {
        let order = program.added();
        let order = order.iter().filter(|added| added.0 == place);
        let ids: Vec<u64> = order.map(|added| added.1.id).collect();
        let all = program.plugins.iter_mut().flatten();
        let mut list: Vec<&mut Item> = all.map(|(_, item)| item).collect();
        list.retain(|item| ids.contains(&item.id));
        list.sort_by_key(|item| ids.iter().position(|id| *id == item.id));
        constrain_list(&mut list);
        // Handlers of states have no sets.
        if place < Place::EnterScreen(Screen::Menu) {
            configure(&mut list, Some(place), &mut program.sets, choices);
        }
    }
}

/// Makes some items wait for later items that wait for none, so cycles cannot occur.
fn constrain_list(list: &mut [&mut Item]) {
    for index in (0..list.len()).rev() {
        let later = index + 1 + usize::from(list[index].choice) / 3;
        if list[index].choice.is_multiple_of(3) && later < list.len() && list[later].after.is_none()
        {
            list[index].after = Some(list[later].id);
        }
    }
}

/// Puts some items into a set, which the next choice configures, if there is one.
fn configure(
    list: &mut [&mut Item],
    place: Option<Place>,
    sets: &mut Vec<Set>,
    choices: &mut Vec<SetChoice>,
) {
    if list.len() < 2 {
        return;
    }
    let Some(choice) = choices.pop() else {
        return;
    };
    let number = sets.len();
    for (position, item) in list.iter_mut().enumerate() {
        let is_member = position < 8 && choice.members >> position & 1 == 1;
        item.set = is_member.then_some(number);
    }
    sets.push(Set {
        place,
        conditions: choice.conditions,
        after: None,
        before: None,
    });
    // The constraint changes the order if its target is the first or the last item.
    let last = list.len() - 1;
    let target = match (choice.target % 4, choice.is_before) {
        (0, _) => usize::from(choice.target / 4) % list.len(),
        (_, true) => 0,
        (_, false) => last,
    };
    if list[target].set.is_none() {
        let id = Some(list[target].id);
        let set = &mut sets[number];
        (set.after, set.before) = if choice.is_before {
            (None, id)
        } else {
            (id, None)
        };
        let mut left: Vec<&Item> = list.iter().map(|item| &**item).collect();
        while let Some(next) = left.iter().position(|item| !waits(item, &left, sets)) {
            left.remove(next);
        }
        if !left.is_empty() {
            // A cycle.
            (sets[number].after, sets[number].before) = (None, None);
        }
    }
}
