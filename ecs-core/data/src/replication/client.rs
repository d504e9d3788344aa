//! The knowledge of a client, and the packets on their way to it.

use std::collections::{BTreeMap, HashMap, VecDeque};

use ecs_engine::__private::BuildIndexHasher;
use ecs_engine::Entity;

use super::delta_ids::{DeltaIds, fitting};
use super::packet::Census;
use super::replicator::SentPart;

/// The number of packets that a client may confirm; older ones count as lost.
const IN_FLIGHT: usize = 1024;

/// The values, despawns and sources that the packets in flight may list together; beyond that, the oldest packets count as lost.
const ITEMS: usize = 1 << 16;

#[derive(Default)]
pub(super) struct KnownClient {
    /// The entities that the client sees, in ascending order.
    pub(super) shown: Vec<ShownEntity>,
    /// The clock of the last packet with other entities than the one before, or other components of them.
    shown_since: u64,
    /// The clock of the last packet, for which it was said what the client sees.
    pub(super) asked: u64,
    /// True if the last packet had everything, so that no entity waits.
    pub(super) is_served: bool,
    /// The entities that it may have, but does not see.
    pub(super) hidden: HashMap<Entity, Hidden>,
    /// The indices whose entities the client may have, although they are not listed as hidden.
    pub(super) uncounted: Uncounted,
    /// The clock of the last packet with everything that the client has confirmed.
    pub(super) confirmed: u64,
    pub(super) rates: Vec<SendRate>,
    /// The clocks of confirmed packets with a part of everything: by the entity and the position in the protocol; the last
    /// position stands for the entity itself.
    known: HashMap<Entity, Vec<u64>, BuildIndexHasher>,
    /// Sources whose order was disturbed by a packet with a part of the edges, or is sent in pieces: by relation and target.
    pub(super) orders: BTreeMap<(usize, Entity), PendingOrder>,
    /// The clocks of confirmed packets with the last piece of an order.
    pub(super) ordered: HashMap<(usize, Entity), u64>,
    in_flight: VecDeque<InFlight>,
    /// The total length of their lists.
    items: usize,
    /// Packets that together have everything that the client did not know, by the clock of the first one.
    batches: BTreeMap<u64, WholeBatch>,
    /// True if other content took the room for the entity that has waited longest. It comes first in one of the next packets.
    pub(super) owes_entity: bool,
    /// Counts packets of a limited size.
    pub(super) turn: u64,
}

/// An entity that a client sees.
#[derive(Clone, Copy)]
pub(super) struct ShownEntity {
    pub(super) entity: Entity,
    /// The clock when it came into sight.
    pub(super) since: u64,
    /// True if the client may have it.
    pub(super) is_sent: bool,
    /// The sum of its priorities since it was sent last.
    pub(super) waited: f64,
    /// The components that the client does not get, as bits by their position in the protocol.
    pub(super) without: u64,
    /// The priority that was said last.
    pub(super) priority: f32,
}

/// An entity that a client has seen.
pub(super) struct Hidden {
    /// The clock when it went out of sight.
    pub(super) since: u64,
    /// The clock of the last packet that says so.
    pub(super) sent: u64,
}

/// Indices of entities that are still to be counted: if a [`Census`] does not list an entity, the client despawns it.
#[derive(Default)]
pub(super) struct Uncounted {
    /// Ascending, with both ends.
    pub(super) ranges: Vec<(u32, u32)>,
    /// The clock of its beginning.
    pub(super) since: u64,
    /// The index that the next part begins with.
    pub(super) next: u32,
}

/// The order of the sources of a target that a client does not have.
pub(super) struct PendingOrder {
    /// The clock of the last disturbance.
    pub(super) since: u64,
    /// The sources as they were when the first piece was sent.
    pub(super) sources: Vec<Entity>,
    /// The number of sources that the client has confirmed.
    pub(super) done: usize,
}

/// The rate of a component's updates at a client.
#[derive(Clone, Copy)]
pub(super) struct SendRate {
    pub(super) every: u64,
    /// The last update that sent it.
    pub(super) sent: u64,
    /// The clock of the last confirmed packet with everything that had it.
    pub(super) confirmed: u64,
}

/// A packet that may be confirmed.
struct InFlight {
    number: u64,
    content: PacketContent,
}

pub(super) enum PacketContent {
    /// Everything about these components that the client did not know.
    All { has: Vec<bool> },
    /// A part of it.
    Part(FullContent),
}

/// Packets in flight that together have everything that a client did not know.
pub(super) struct WholeBatch {
    /// The number of packets that the client has not confirmed.
    pub(super) left: usize,
    /// By the position in the protocol: true if the packets are about the component.
    pub(super) has: Vec<bool>,
}

/// The content of a packet with a part of everything.
#[derive(Default)]
pub(super) struct FullContent {
    /// The clock of the first packet that was made at the same time.
    pub(super) batch: u64,
    pub(super) gone: Vec<Entity>,
    pub(super) counted: Option<(u32, u32)>,
    /// Entities with the positions of parts; the last position stands for the entity itself.
    pub(super) parts: Vec<(Entity, u16)>,
    pub(super) orders: Vec<ListedOrder>,
}

/// A piece of an order in a packet.
pub(super) struct ListedOrder {
    pub(super) key: (usize, Entity),
    pub(super) since: u64,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl FullContent {
    fn len(&self) -> usize {
        self.gone.len() + self.parts.len() + self.orders.len() + 1
    }
}

impl PacketContent {
    fn len(&self) -> usize {
        match self {
            Self::All { .. } => 0,
            Self::Part(listed) => listed.len(),
        }
    }
}

impl KnownClient {
    pub(super) fn new(kinds: usize) -> Self {
        let rate = SendRate {
            every: 1,
            sent: 0,
            confirmed: 0,
        };
        Self {
            rates: vec![rate; kinds],
            ..Self::default()
        }
    }

    /// Notes that the client sees these entities, in ascending order, and no others. If it may have more than `most` others, and
    /// more than it sees, they are not listed any longer.
    ///
    /// An entity whose components for the client are others than before comes into sight anew. So does one that had no component
    /// to send for some time, up to a clock: which ones it has lost is not known.
    pub(super) fn see(
        &mut self,
        entities: impl Iterator<Item = (Entity, u64, u64)>,
        clock: u64,
        most: usize,
    ) {
        let mut entities = entities.peekable();
        let is_known = |shown: &ShownEntity, &(entity, without, found): &(Entity, u64, u64)| {
            shown.entity == entity && shown.without == without && shown.since >= found
        };
        // Mostly a client sees the same entities as before.
        let same = self.shown.iter().take_while(|shown| {
            let is_same = |next: &(Entity, u64, u64)| is_known(shown, next);
            entities.next_if(is_same).is_some()
        });
        let same = same.count();
        if same == self.shown.len() && entities.peek().is_none() {
            return;
        }
        self.shown_since = clock;
        self.is_served = false;
        let mut before = self.shown.split_off(same).into_iter().peekable();
        for (entity, without, found) in entities {
            while let Some(gone) = before.next_if(|known| known.entity < entity) {
                self.hide(gone, clock);
            }
            let shown = match before.next_if(|known| known.entity == entity) {
                Some(known) if is_known(&known, &(entity, without, found)) => known,
                Some(known) => ShownEntity {
                    since: clock,
                    without,
                    ..known
                },
                None => ShownEntity {
                    entity,
                    since: clock,
                    is_sent: self.hidden.remove(&entity).is_some()
                        || !self.uncounted.ranges.is_empty(),
                    waited: 0.0,
                    without,
                    priority: 0.0,
                },
            };
            self.shown.push(shown);
        }
        for gone in before {
            self.hide(gone, clock);
        }
        if self.hidden.len() > most.max(self.shown.len()) {
            self.hidden = HashMap::new();
            self.uncounted.ranges = vec![(0, u32::MAX)];
            self.uncounted.since = clock;
        }
    }

    /// Notes that the client has not seen any entity before, because they belong to another world.
    pub(super) fn see_anew(&mut self, clock: u64) {
        let shown = &mut self.shown;
        shown.iter_mut().for_each(|shown| shown.since = clock);
        self.shown_since = clock;
    }

    /// Returns true if the client has everything that it sees, if that is the same as before and nothing was changed after a clock.
    pub(super) fn has_all(&self, newest: u64, due: &[bool]) -> bool {
        self.is_served
            && self.hidden.is_empty()
            && self.uncounted.ranges.is_empty()
            && self.orders.is_empty()
            && newest.max(self.shown_since) <= self.settled(due)
    }

    fn hide(&mut self, gone: ShownEntity, clock: u64) {
        self.known.remove(&gone.entity);
        if gone.is_sent {
            let hidden = Hidden {
                since: clock,
                sent: 0,
            };
            self.hidden.insert(gone.entity, hidden);
        }
    }

    /// Returns an entity that the client sees.
    pub(super) fn shown(&self, entity: Entity) -> Option<&ShownEntity> {
        self.position(entity).map(|position| &self.shown[position])
    }

    /// Returns the position of an entity that the client sees.
    pub(super) fn position(&self, entity: Entity) -> Option<usize> {
        let shown = &self.shown;
        let found = shown.binary_search_by_key(&entity, |shown| shown.entity);
        found.ok()
    }

    fn known(&self, entity: Entity, position: usize) -> u64 {
        let known = self.known.get(&entity);
        known.map_or(0, |known| known[position])
    }

    /// Returns the clock of the last confirmed packet that had the unknown part of an entity.
    pub(super) fn confirmed(&self, entity: Entity, position: usize) -> u64 {
        self.rates[position]
            .confirmed
            .max(self.known(entity, position))
    }

    /// Returns a clock: the client has each entity that it saw at that time, and all of its due components that did not change
    /// since.
    pub(super) fn settled(&self, due: &[bool]) -> u64 {
        let due = self.rates.iter().zip(due).filter(|(_, due)| **due);
        let confirmed = due.map(|(rate, _)| rate.confirmed);
        confirmed.fold(self.confirmed, u64::min)
    }

    /// Returns true if the client has the entity, which it sees.
    pub(super) fn has(&self, shown: &ShownEntity) -> bool {
        shown.since
            <= self
                .confirmed
                .max(self.known(shown.entity, self.rates.len()))
    }

    /// Returns true if the client lacks this part of an entity that it sees.
    pub(super) fn lacks(
        &self,
        shown: &ShownEntity,
        position: usize,
        part: Option<&SentPart>,
    ) -> bool {
        let confirmed = self.confirmed(shown.entity, position);
        let version = part.map_or(0, |part| part.version);
        if shown.since.max(version) > confirmed {
            return true;
        }
        // An entity that it names may have come into sight, and have another id there.
        let value = part.and_then(|part| part.value.as_ref());
        let mut ids = value.iter().flat_map(|value| &value.ids);
        ids.any(|&id| self.shown(id).is_some_and(|id| id.since > confirmed))
    }

    /// Returns the components that are due.
    pub(super) fn due(&self, is_relation: impl Fn(usize) -> bool, frame: u64) -> Vec<bool> {
        let rates = self.rates.iter().enumerate();
        rates
            .map(|(position, rate)| {
                let is_due = is_relation(position)
                    || rate.sent == 0
                    || (rate.every > 0 && rate.sent + rate.every <= frame);
                is_due && rate.every > 0
            })
            .collect()
    }

    /// Returns the report of a packet on all indices that have to be counted.
    pub(super) fn census_of_all(&self) -> Option<Census> {
        if self.uncounted.ranges.is_empty() {
            return None;
        }
        let entities = self.shown.iter().map(|shown| shown.entity);
        Some(Census {
            first: 0,
            last: u32::MAX,
            entities: entities.collect(),
        })
    }

    /// Returns the report of a packet on the next indices that have to be counted, with entities of at most this many bytes, or
    /// one.
    pub(super) fn next_census(&mut self, room: usize) -> Option<Census> {
        let uncounted = &mut self.uncounted;
        let next = uncounted.next;
        let ahead = uncounted.ranges.iter().find(|range| range.1 >= next);
        let &(first, last) = ahead.or(uncounted.ranges.first())?;
        let first = if next <= last { first.max(next) } else { first };
        let shown = self.shown.iter().map(|shown| shown.entity);
        let mut entities: Vec<Entity> = shown
            .filter(|entity| (first..=last).contains(&entity.index()))
            .collect();
        entities.sort_unstable_by_key(|entity| entity.index());
        let mut end = last;
        let mut list = DeltaIds::new();
        let lengths = entities.iter().map(|&entity| list.len(entity));
        let most = fitting(lengths, room).max(1);
        if let Some(behind) = entities.get(most) {
            end = behind.index() - 1;
            entities.truncate(most);
        }
        uncounted.next = end.wrapping_add(1);
        Some(Census {
            first,
            last: end,
            entities,
        })
    }

    /// Notes that a packet was made.
    pub(super) fn sent(&mut self, number: u64, content: PacketContent) {
        self.items += content.len();
        self.in_flight.push_back(InFlight { number, content });
        while self.in_flight.len() > IN_FLIGHT || (self.items > ITEMS && self.in_flight.len() > 1) {
            let lost = self.in_flight.pop_front();
            self.items -= lost.map_or(0, |lost| lost.content.len());
        }
    }

    /// Notes that the client has applied a packet. Returns false if it is not in flight.
    pub(super) fn acknowledge(&mut self, number: u64) -> bool {
        let found = self
            .in_flight
            .binary_search_by_key(&number, |packet| packet.number);
        let Some(packet) = found.ok().and_then(|at| self.in_flight.remove(at)) else {
            return false;
        };
        self.items -= packet.content.len();
        match packet.content {
            PacketContent::All { has } => self.confirm_all(number, &has),
            PacketContent::Part(listed) => {
                let batch = listed.batch;
                // The last one confirms everything at once.
                if self.batches.get(&batch).is_none_or(|whole| whole.left > 1) {
                    self.confirm_part(number, listed);
                }
                self.confirm_batch(batch);
            }
        }
        true
    }

    /// Notes that packets, of which the first has this clock, have everything that the client did not know.
    pub(super) fn sent_all(&mut self, batch: u64, whole: WholeBatch) {
        self.batches.insert(batch, whole);
        if self.batches.len() > IN_FLIGHT {
            self.batches.pop_first();
        }
    }

    /// Notes that the client has applied one of the packets that were made at this clock.
    fn confirm_batch(&mut self, batch: u64) {
        let Some(whole) = self.batches.get_mut(&batch) else {
            return;
        };
        whole.left -= 1;
        if whole.left == 0
            && let Some(whole) = self.batches.remove(&batch)
        {
            self.confirm_all(batch, &whole.has);
        }
    }

    fn confirm_all(&mut self, number: u64, has: &[bool]) {
        self.confirmed = number;
        self.batches = self.batches.split_off(&(number + 1));
        let rates = self.rates.iter_mut().zip(has);
        for (rate, _) in rates.filter(|(_, has)| **has) {
            rate.confirmed = number;
        }
        self.hidden.retain(|_, hidden| hidden.since > number);
        if self.uncounted.since <= number {
            self.uncounted.ranges.clear();
        }
        self.orders.retain(|_, order| order.since > number);
        let rates = &self.rates;
        self.known.retain(|_, known| {
            let mut all = known.iter().zip(rates.iter().map(|rate| rate.confirmed));
            known[rates.len()] > number || all.any(|(known, all)| *known > all)
        });
        // Older content is known, or was not sent with this one because it was not due.
        let mut items = 0;
        self.in_flight.retain(|packet| {
            let stays = packet.number > number || matches!(packet.content, PacketContent::Part(_));
            items += if stays { packet.content.len() } else { 0 };
            stays
        });
        self.items = items;
    }

    fn confirm_part(&mut self, number: u64, listed: FullContent) {
        for gone in &listed.gone {
            if self
                .hidden
                .get(gone)
                .is_some_and(|hidden| hidden.since <= number)
            {
                self.hidden.remove(gone);
            }
        }
        if let Some(counted) = listed.counted
            && self.uncounted.since <= number
        {
            self.uncounted.ranges = without(&self.uncounted.ranges, counted);
        }
        let kinds = self.rates.len();
        for (entity, position) in listed.parts {
            // Otherwise it has gone out of sight since. One that has come back since is newer than the packet.
            if self.shown(entity).is_some() {
                let known = self.known.entry(entity);
                let known = known.or_insert_with(|| vec![0; kinds + 1]);
                let known = &mut known[usize::from(position)];
                *known = number.max(*known);
            }
        }
        for piece in listed.orders {
            let Some(order) = self.orders.get_mut(&piece.key) else {
                continue;
            };
            if (order.since, order.done) == (piece.since, piece.from) {
                order.done = piece.to;
                if order.done == order.sources.len() {
                    self.orders.remove(&piece.key);
                    self.ordered.insert(piece.key, number);
                }
            }
        }
    }
}

/// Returns ranges without the indices of one.
fn without(ranges: &[(u32, u32)], (first, last): (u32, u32)) -> Vec<(u32, u32)> {
    let mut left = Vec::new();
    for &(from, to) in ranges {
        if to < first || from > last {
            left.push((from, to));
            continue;
        }
        if from < first {
            left.push((from, first - 1));
        }
        if to > last {
            left.push((last + 1, to));
        }
    }
    left
}
