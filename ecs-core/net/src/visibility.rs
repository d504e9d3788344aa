//! The entities that each player sees.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ecs_engine::component::{
    Component, ComponentId, IdSlot, SparseComponent, StorageKind, Untracked,
};
use ecs_engine::meta::ConstTypeIdOf;
use ecs_engine::resource::Resource;
use ecs_engine::{Entity, Join, World};

use crate::player::{Owner, PlayerId};

/// The priority of the entities of a player.
const OWN: f32 = 1_000.0;

/// Says for each entity how important it is for a player; `None` if the player doesn't see it.
pub(crate) type Sees<'w> = Box<dyn FnMut(Entity) -> Option<f32> + 'w>;

/// A rule that says which entities players see.
pub(crate) trait VisibilityRule: Send + Sync {
    /// Returns the function of a player for one packet.
    fn sees<'w>(&self, world: &'w World, player: PlayerId) -> Sees<'w>;

    /// Appends the entities about which the answers may have changed since the last call. Returns false if that may be any.
    fn changed(&mut self, world: &World, entities: &mut Vec<Entity>) -> bool;

    /// Appends everything else that the answers for a player depend on.
    fn inputs(&self, world: &World, player: PlayerId, numbers: &mut Vec<u32>);
}

/// Values of entities as they were before.
pub(crate) struct RuleValues<T>(Vec<(Entity, T)>);

impl<T> Default for RuleValues<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: PartialEq> RuleValues<T> {
    /// Takes over the values of now, and appends the entities whose value is another one.
    pub(crate) fn update(
        &mut self,
        values: impl Iterator<Item = (Entity, T)>,
        changed: &mut Vec<Entity>,
    ) {
        let mut count = 0;
        for value in values {
            match self.0.get_mut(count) {
                Some(known) if *known == value => {}
                Some(known) => {
                    changed.extend([known.0, value.0]);
                    *known = value;
                }
                None => {
                    changed.push(value.0);
                    self.0.push(value);
                }
            }
            count += 1;
        }
        changed.extend(self.0.drain(count..).map(|(entity, _)| entity));
    }
}

/// The room of an entity: only players [in that room](Rooms) see it. Entities without it are in every room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InRoom(pub u32);

#[diagnostic::do_not_recommend]
impl Component for InRoom {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_net::InRoom", "InRoom");
    const STORAGE: StorageKind = StorageKind::Sparse;
    type Tracking = Untracked;

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        static SLOT: IdSlot<InRoom> = IdSlot::new();
        Some(&SLOT)
    }
}

#[diagnostic::do_not_recommend]
impl SparseComponent for InRoom {}

/// The rooms that players are in: a resource of an app with [`Network::see_by_rooms`](crate::Network::see_by_rooms).
///
/// ```
/// use ecs_core::net::{PlayerId, Rooms};
///
/// let mut rooms = Rooms::default();
/// rooms.enter(PlayerId(1), 7);
/// assert!(rooms.is_in(PlayerId(1), 7) && !rooms.is_in(PlayerId(2), 7));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rooms(BTreeMap<PlayerId, BTreeSet<u32>>);

impl Resource for Rooms {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_net::Rooms", "Rooms");
}

impl Rooms {
    /// Lets a player enter a room, beside those that the player is in.
    pub fn enter(&mut self, player: PlayerId, room: u32) {
        self.0.entry(player).or_default().insert(room);
    }

    /// Lets a player leave a room.
    pub fn leave(&mut self, player: PlayerId, room: u32) {
        if let Some(rooms) = self.0.get_mut(&player) {
            rooms.remove(&room);
        }
    }

    /// Lets a player leave all rooms.
    pub fn leave_all(&mut self, player: PlayerId) {
        self.0.remove(&player);
    }

    /// Returns true if a player is in a room.
    #[must_use]
    pub fn is_in(&self, player: PlayerId, room: u32) -> bool {
        self.0
            .get(&player)
            .is_some_and(|rooms| rooms.contains(&room))
    }
}

/// Players see the entities of their rooms.
#[derive(Default)]
pub(crate) struct RoomRule {
    known: RuleValues<u32>,
}

impl VisibilityRule for RoomRule {
    fn sees<'w>(&self, world: &'w World, player: PlayerId) -> Sees<'w> {
        let rooms = world.get_resource::<Rooms>();
        Box::new(move |entity| match world.get::<InRoom>(entity) {
            None => Some(1.0),
            Some(room) => {
                let rooms = rooms.as_ref()?;
                rooms.is_in(player, room.0).then_some(1.0)
            }
        })
    }

    fn changed(&mut self, world: &World, entities: &mut Vec<Entity>) -> bool {
        let rooms = world.view::<InRoom>();
        let rooms = rooms.with_entity();
        let rooms = rooms.iter().map(|(entity, room)| (entity, room.0));
        self.known.update(rooms, entities);
        true
    }

    fn inputs(&self, world: &World, player: PlayerId, numbers: &mut Vec<u32>) {
        let rooms = world.get_resource::<Rooms>();
        let rooms = rooms.as_ref().and_then(|rooms| rooms.0.get(&player));
        numbers.extend(rooms.into_iter().flatten());
    }
}

/// Players see entities with a place up to a distance from one of their own, the nearest ones most often.
pub(crate) struct DistanceRule<C> {
    pub(crate) radius: f32,
    pub(crate) place: fn(&C) -> [f32; 3],
    pub(crate) known: RuleValues<[f32; 3]>,
}

impl<C: Component> DistanceRule<C> {
    /// Returns the places of a player.
    fn own(&self, world: &World, player: PlayerId) -> Vec<[f32; 3]> {
        let owners = world.view::<Owner>();
        let own = (&owners).with_entity();
        let own = own.iter().filter(|(_, owner)| owner.0 == player);
        own.filter_map(|(entity, _)| world.get::<C>(entity).map(|value| (self.place)(&value)))
            .collect()
    }
}

impl<C: Component> VisibilityRule for DistanceRule<C> {
    fn sees<'w>(&self, world: &'w World, player: PlayerId) -> Sees<'w> {
        let (radius, place) = (self.radius, self.place);
        let own = self.own(world, player);
        let places = world.view::<C>();
        Box::new(move |entity| {
            let Some(value) = places.get(entity) else {
                return Some(1.0);
            };
            let [x, y, z] = place(value);
            let squares = own.iter().map(|at| {
                let apart = [at[0] - x, at[1] - y, at[2] - z];
                apart.iter().map(|d| d * d).sum::<f32>()
            });
            let nearest = squares.fold(f32::INFINITY, f32::min);
            (nearest <= radius * radius).then(|| 1.0 + 3.0 * (1.0 - nearest.sqrt() / radius))
        })
    }

    fn changed(&mut self, world: &World, entities: &mut Vec<Entity>) -> bool {
        let (places, place) = (world.view::<C>(), self.place);
        let places = places.with_entity();
        let places = places.iter().map(|(entity, value)| (entity, place(value)));
        self.known.update(places, entities);
        true
    }

    fn inputs(&self, world: &World, player: PlayerId, numbers: &mut Vec<u32>) {
        let own = self.own(world, player);
        numbers.extend(own.iter().flatten().map(|number| number.to_bits()));
    }
}

/// A function of the game, which may depend on everything.
pub(crate) struct FunctionRule<F>(pub(crate) Arc<F>);

impl<F> VisibilityRule for FunctionRule<F>
where
    F: Fn(&World, PlayerId, Entity) -> Option<f32> + Send + Sync + 'static,
{
    fn sees<'w>(&self, world: &'w World, player: PlayerId) -> Sees<'w> {
        let rule = self.0.clone();
        Box::new(move |entity| rule(world, player, entity))
    }

    fn changed(&mut self, _: &World, _: &mut Vec<Entity>) -> bool {
        false
    }

    fn inputs(&self, _: &World, _: PlayerId, _: &mut Vec<u32>) {}
}

/// Returns the function that asks all rules; the product of their priorities counts. Players always see their own entities.
pub(crate) fn all_rules<'w>(
    rules: &[Box<dyn VisibilityRule>],
    world: &'w World,
    player: PlayerId,
) -> Sees<'w> {
    let mut rules = Vec::from_iter(rules.iter().map(|rule| rule.sees(world, player)));
    let owners = world.view::<Owner>();
    Box::new(move |entity| {
        if owners.get(entity).is_some_and(|owner| owner.0 == player) {
            return Some(OWN);
        }
        let mut priorities = rules.iter_mut().map(|rule| rule(entity));
        priorities.try_fold(1.0, |product, priority| Some(product * priority?))
    })
}

/// The greatest number of functions that say who sees a component.
const FUNCTIONS: usize = 8;

type SeesComponent = Arc<dyn Fn(&World, PlayerId, Entity) -> bool + Send + Sync>;

/// The components that some players do not see, of entities that they do.
#[derive(Default)]
pub(crate) struct PrivateComponents {
    only_owner: Vec<ComponentId>,
    functions: Vec<(ComponentId, SeesComponent)>,
    /// By the functions that return false, as bits: their components; and the same with the ones for owners.
    hidden: [Vec<Vec<ComponentId>>; 2],
}

impl PrivateComponents {
    pub(crate) fn add_for_owner(&mut self, component: ComponentId) {
        self.only_owner.push(component);
        self.list();
    }

    #[track_caller]
    pub(crate) fn add(&mut self, component: ComponentId, sees: SeesComponent) {
        assert!(
            self.functions.len() < FUNCTIONS,
            "a network has at most {FUNCTIONS} components with a function that says who sees them"
        );
        self.functions.push((component, sees));
        self.list();
    }

    fn list(&mut self) {
        let of_bits = |bits: usize| {
            let functions = self.functions.iter().enumerate();
            let hidden = functions.filter(move |(bit, _)| bits >> bit & 1 == 1);
            hidden.map(|(_, (component, _))| *component)
        };
        let all = 0..1_usize << self.functions.len();
        let for_owner = all.clone().map(|bits| of_bits(bits).collect());
        let for_others = all.map(|bits| {
            let for_owner = self.only_owner.iter().copied();
            for_owner.chain(of_bits(bits)).collect()
        });
        self.hidden = [for_owner.collect(), for_others.collect()];
    }

    /// Returns true if functions of the game have to be asked, which may depend on everything.
    pub(crate) fn has_functions(&self) -> bool {
        !self.functions.is_empty()
    }

    /// Returns the function that lists the components of an entity that a player does not see.
    pub(crate) fn hidden<'w>(
        &'w self,
        world: &'w World,
        player: PlayerId,
    ) -> impl FnMut(Entity) -> &'w [ComponentId] {
        let owners = world.view::<Owner>();
        move |entity| {
            let mut bits = 0;
            for (bit, (_, sees)) in self.functions.iter().enumerate() {
                bits |= usize::from(!sees(world, player, entity)) << bit;
            }
            let is_owner = owners.get(entity).is_some_and(|owner| owner.0 == player);
            let lists = &self.hidden[usize::from(!is_owner)];
            lists.get(bits).map_or(&[], |list| &list[..])
        }
    }
}
