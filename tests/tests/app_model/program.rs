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
    /// Runs the schedule `Turn`; does nothing inside of it.
    Turn,
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
    /// A number by which `after` is chosen.
    choice: u8,
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// What each plugin adds, in order. The second one is added by the first one, between its two halves.
    pub(crate) plugins: [Vec<(Place, Item)>; 2],
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
        1 => Just(Act::Turn),
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
    let plugin = || vec((places(), items()), 1..8);
    (plugin(), plugin(), vec(0..60_u64, 1..10)).prop_map(|(first, second, frames)| {
        let mut program = Program {
            plugins: [first, second],
            frames,
        };
        let mut next_id = 0;
        for plugin in &mut program.plugins {
            for (_, item) in plugin {
                number(item, &mut next_id);
            }
        }
        constrain(&mut program);
        program
    })
}

fn number(item: &mut Item, next_id: &mut u64) {
    *next_id += 1;
    item.id = *next_id;
    if let Node::Schedule(items) | Node::Fixed { items, .. } = &mut item.node {
        for item in &mut *items {
            number(item, next_id);
        }
        let mut list: Vec<&mut Item> = items.iter_mut().collect();
        constrain_list(&mut list);
    }
}

/// Adds constraints among the items of each list.
fn constrain(program: &mut Program) {
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
    }
}

/// Lets some items wait for later ones that wait for none, so there are no cycles.
fn constrain_list(list: &mut [&mut Item]) {
    for index in (0..list.len()).rev() {
        let later = index + 1 + usize::from(list[index].choice) / 3;
        if list[index].choice.is_multiple_of(3) && later < list.len() && list[later].after.is_none()
        {
            list[index].after = Some(list[later].id);
        }
    }
}
