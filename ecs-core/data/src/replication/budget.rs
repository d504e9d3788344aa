//! Packets of a limited size: the content that a client needs most.

use std::collections::{HashMap, HashSet};

use ecs_engine::Entity;

use super::client::{
    FullContent, KnownClient, ListedOrder, PacketContent, PendingOrder, ShownEntity,
};
use super::delta_ids::{DeltaIds, fitting, list_len};
use super::packet::{
    CENSUS, EMPTY, END, ENTITY, Extent, KIND, ORDER, PART, PacketPart, PacketValue, PacketWriter,
};
use super::packets::PacketSource;
use super::replicator::SentPart;

/// The lists of sources in a packet: relation, target and sources.
type Orders = Vec<(usize, Entity, Vec<Entity>)>;

/// The number of entities that do not fit before a packet counts as full.
const MISSES: usize = 16;

/// The bounds of priorities, so that no entity waits forever.
const PRIORITIES: (f32, f32) = (0.001, 1000.0);

/// Returns a packet of at most this many bytes, or with a single larger value.
pub(super) fn packet(source: &PacketSource<'_>, client: &mut KnownClient, bytes: usize) -> Vec<u8> {
    let withheld = source.due.iter().filter(|due| !**due).count();
    let room = bytes.saturating_sub(EMPTY + withheld * KIND);
    let mut listed = FullContent::default();
    client.turn = client.turn.wrapping_add(1);
    // Not in each second packet, in case these are lost.
    let is_first = client.owes_entity && client.first_of(2) == 0;
    let (mut taken, mut census) = (0, None);
    let mut orders = Vec::new();
    if !is_first {
        listed.gone = client.take_gone(room / 2, source.clock);
        taken = list_len(&listed.gone);
        let left = (room / 2).saturating_sub(taken + CENSUS);
        if left >= DeltaIds::MOST || taken == 0 {
            census = client.next_census(left);
        }
        listed.counted = census.as_ref().map(|census| (census.first, census.last));
        taken += census
            .as_ref()
            .map_or(0, |census| CENSUS + list_len(&census.entities));
        (orders, listed.orders) = source.orders(client, room / 4, taken == 0);
    }
    let behind = orders
        .iter()
        .map(|order| ORDER + list_len(&order.2))
        .sum::<usize>();
    let writer = PacketWriter::new(
        source.protocol,
        source.clock,
        &listed.gone,
        census.as_ref(),
        source.due,
    );
    let mut packer = Packer {
        source,
        room,
        most: bytes.saturating_sub(behind + END),
        is_empty: taken + behind == 0,
        is_first,
        owes_entity: false,
        misses: 0,
        is_left: vec![false; source.kinds.len()],
        visited: HashSet::new(),
        packed: HashSet::new(),
        parts: HashSet::new(),
        values: Vec::new(),
        disturbed: Vec::new(),
        writer,
    };
    packer.pack(client);
    let Packer {
        owes_entity,
        is_left,
        packed,
        mut parts,
        values,
        disturbed,
        writer,
        ..
    } = packer;
    client.owes_entity = owes_entity;
    // If the client does not have some entities of a value yet, the value has dead ids there, and is sent again.
    for (entity, position, value) in values {
        let is_there = |id: &Entity| {
            let shown = client.shown(*id);
            shown.is_none_or(|shown| client.has(shown) || packed.contains(id))
        };
        if !value.ids.iter().all(is_there) {
            parts.remove(&(entity, position));
        }
    }
    listed.parts.extend(parts);
    for key in disturbed {
        let order = PendingOrder {
            since: source.clock,
            sources: Vec::new(),
            done: 0,
        };
        client.orders.insert(key, order);
    }
    for shown in &mut client.shown {
        if packed.contains(&shown.entity) {
            (shown.is_sent, shown.waited) = (true, 0.0);
        }
    }
    for (position, rate) in client.rates.iter_mut().enumerate() {
        if source.due[position] && !is_left[position] {
            rate.sent = source.frame;
        }
    }
    client.sent(source.clock, PacketContent::Part(listed));
    writer.finish(&orders)
}

impl KnownClient {
    /// Returns the position to start from this time, in a list that does not fit as a whole. It changes without a pattern,
    /// because the positions of lost packets may have one.
    fn first_of(&self, len: usize) -> usize {
        let mut mixed = self.turn;
        for _ in 0..2 {
            mixed = (mixed ^ mixed >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        (mixed >> 32) as usize % len.max(1)
    }

    /// Chooses hidden entities to report as gone, beginning with those reported least recently.
    fn take_gone(&mut self, room: usize, clock: u64) -> Vec<Entity> {
        let hidden = self.hidden.iter();
        let mut gone: Vec<(u64, u64, Entity)> = hidden
            .map(|(&entity, hidden)| (hidden.sent, hidden.since, entity))
            .collect();
        gone.sort_unstable();
        let lengths = gone.iter().map(|gone| DeltaIds::most(gone.2));
        gone.truncate(fitting(lengths, room).max(1));
        let mut gone: Vec<Entity> = gone.into_iter().map(|(_, _, entity)| entity).collect();
        gone.sort_unstable();
        for entity in &gone {
            if let Some(hidden) = self.hidden.get_mut(entity) {
                hidden.sent = clock;
            }
        }
        gone
    }
}

impl PacketSource<'_> {
    /// Returns the state of a part of an entity that the client sees.
    fn part(&self, client: &KnownClient, entity: Entity, position: usize) -> Option<&SentPart> {
        let found = client
            .shown
            .binary_search_by_key(&entity, |shown| shown.entity);
        self.seen[found.ok()?].part(position)
    }

    /// Chooses pieces of orders. If the packet is empty so far, one piece has at least one source.
    fn orders(
        &self,
        client: &mut KnownClient,
        mut room: usize,
        mut is_empty: bool,
    ) -> (Orders, Vec<ListedOrder>) {
        let mut lists = HashMap::new();
        for (key, version, sources) in self.orders.lists() {
            let Some(target) = client.shown(key.1) else {
                continue;
            };
            let known = client.ordered.get(&key).copied().unwrap_or(0);
            let is_old = version.max(target.since) <= client.confirmed.max(known);
            if is_old && !client.orders.contains_key(&key) {
                continue;
            }
            let sources = sources.iter().copied();
            let sources = Vec::from_iter(sources.filter(|&source| client.shown(source).is_some()));
            if sources.len() > 1 {
                lists.insert(key, sources);
            }
        }
        client.orders.retain(|key, _| lists.contains_key(key));
        if client.ordered.len() > 2 * self.orders.len() {
            client.ordered.retain(|key, _| self.orders.has(key));
        }
        let mut keys = Vec::from_iter(lists.keys().copied());
        keys.sort_unstable();
        // The first one changes each time, so that none is left out forever.
        let first = client.first_of(keys.len());
        keys.rotate_left(first);
        let (mut orders, mut listed) = (Vec::new(), Vec::new());
        for key in keys {
            if !is_empty && room < ORDER + DeltaIds::MOST {
                break;
            }
            let Some(sources) = lists.remove(&key) else {
                continue;
            };
            // The order is only sent once all edges have arrived, because each edge comes last at its target.
            if !sources
                .iter()
                .all(|&source| self.has_edges(client, source, key))
            {
                continue;
            }
            let order = client.orders.entry(key).or_insert(PendingOrder {
                since: self.clock,
                sources: Vec::new(),
                done: 0,
            });
            if order.sources != sources {
                *order = PendingOrder {
                    since: self.clock,
                    sources,
                    done: 0,
                };
            }
            let left = &order.sources[order.done..];
            let mut list = DeltaIds::new();
            let lengths = left.iter().map(|&source| list.len(source));
            let most = fitting(lengths, room.saturating_sub(ORDER));
            let piece = left[..most.max(1).min(left.len())].to_vec();
            let to = order.done + piece.len();
            room = room.saturating_sub(ORDER + list_len(&piece));
            is_empty = false;
            orders.push((key.0, key.1, piece));
            listed.push(ListedOrder {
                key,
                since: order.since,
                from: order.done,
                to,
            });
        }
        orders.sort_unstable_by_key(|order| (order.0, order.1));
        (orders, listed)
    }

    /// Returns true if the client has the edges of a source, and the target.
    fn has_edges(
        &self,
        client: &KnownClient,
        source: Entity,
        (kind, target): (usize, Entity),
    ) -> bool {
        let has = |entity| client.shown(entity).filter(|shown| client.has(shown));
        let part = self.part(client, source, kind);
        has(target).is_some() && has(source).is_some_and(|source| !client.lacks(source, kind, part))
    }
}

/// A packet that is being filled.
struct Packer<'a> {
    source: &'a PacketSource<'a>,
    /// The bytes for content in an empty packet.
    room: usize,
    /// The bytes that the packet may have before the orders.
    most: usize,
    is_empty: bool,
    /// True if the entity that has waited longest comes first.
    is_first: bool,
    /// True if it is not in the packet.
    owes_entity: bool,
    /// The number of entities that did not fit.
    misses: usize,
    /// By the position in the protocol: true if something that is due is not in the packet.
    is_left: Vec<bool>,
    visited: HashSet<usize>,
    /// The entities that are in the packet.
    packed: HashSet<Entity>,
    /// The parts that the client has when it has the packet; the last position stands for the entity itself.
    parts: HashSet<(Entity, u16)>,
    /// Values with ids.
    values: Vec<(Entity, u16, &'a PacketPart)>,
    /// Relations and targets that got new edges.
    disturbed: Vec<(usize, Entity)>,
    writer: PacketWriter,
}

impl<'a> Packer<'a> {
    fn pack(&mut self, client: &mut KnownClient) {
        let mut waiting = Vec::new();
        for (at, seen) in self.source.seen.iter().enumerate() {
            let shown = client.shown[at];
            if client.has(&shown) && !self.lacks_any(client, at) {
                continue;
            }
            let (least, most) = PRIORITIES;
            // The maximum of a NaN and a number is the number.
            let priority = seen.priority.max(least).min(most);
            let shown = &mut client.shown[at];
            shown.waited += f64::from(priority);
            waiting.push((shown.waited, at));
        }
        waiting.sort_by(|(a, at_a), (b, at_b)| b.total_cmp(a).then(at_a.cmp(at_b)));
        // The entities before it may fill each packet: their own edges wait for it, or their values change all the time.
        let mut longest = waiting.iter().map(|&(_, at)| at);
        let longest = longest.find(|&at| self.has_ready(client, at));
        if let Some(at) = longest.filter(|_| self.is_first) {
            self.add(client, at);
        }
        for (_, at) in waiting {
            if self.misses >= MISSES || self.writer.len() + ENTITY > self.most && !self.is_empty {
                self.leave(client, at);
                continue;
            }
            self.add_with_named(client, at);
        }
        self.owes_entity =
            longest.is_some_and(|at| !self.packed.contains(&client.shown[at].entity));
    }

    /// Returns true if the client lacks a part of an entity that needs nothing before it.
    fn has_ready(&self, client: &KnownClient, at: usize) -> bool {
        let (seen, shown) = (&self.source.seen[at], &client.shown[at]);
        let mut due = (0..self.source.kinds.len()).filter(|&position| self.source.due[position]);
        !client.has(shown)
            || due.any(|position| {
                let part = seen.part(position);
                let value = part.and_then(|part| part.value.as_ref());
                client.lacks(shown, position, part)
                    && value.is_none_or(|value| self.is_ready(client, position, value))
            })
    }

    /// Notes that nothing of an entity is in the packet.
    fn leave(&mut self, client: &KnownClient, at: usize) {
        let shown = &client.shown[at];
        for position in 0..self.source.kinds.len() {
            if self.source.due[position] && !self.is_left[position] {
                let part = self.source.part(client, shown.entity, position);
                self.is_left[position] = client.lacks(shown, position, part);
            }
        }
    }

    fn lacks_any(&self, client: &KnownClient, at: usize) -> bool {
        let shown = &client.shown[at];
        let mut due = (0..self.source.kinds.len()).filter(|&position| self.source.due[position]);
        due.any(|position| {
            let part = self.source.seen[at].part(position);
            client.lacks(shown, position, part)
        })
    }

    /// Adds an entity after the entities that its edges and values name and that the client does not have.
    fn add_with_named(&mut self, client: &KnownClient, at: usize) {
        let mut stack = vec![at];
        while let Some(&top) = stack.last() {
            if !self.visited.insert(top) {
                stack.pop();
                if !self.packed.contains(&client.shown[top].entity) && self.misses < MISSES {
                    self.add(client, top);
                }
                continue;
            }
            for (position, kind) in self.source.kinds.iter().enumerate() {
                let part = self.source.seen[top].part(position);
                let Some(value) = part.and_then(|part| part.value.as_ref()) else {
                    continue;
                };
                if value.ids.is_empty() || !client.lacks(&client.shown[top], position, part) {
                    continue;
                }
                for named in &value.ids {
                    let found = client
                        .shown
                        .binary_search_by_key(named, |shown| shown.entity);
                    if let Ok(named) = found
                        && !self.visited.contains(&named)
                        && self.is_before(client, named, kind.is_tree(), position)
                    {
                        stack.push(named);
                    }
                }
            }
        }
    }

    /// Returns true if an entity comes before the ones that name it.
    fn is_before(
        &self,
        client: &KnownClient,
        named: usize,
        is_tree: bool,
        position: usize,
    ) -> bool {
        let shown = &client.shown[named];
        !client.has(shown)
            || is_tree && {
                let part = self.source.part(client, shown.entity, position);
                client.lacks(shown, position, part)
            }
    }

    /// Adds the parts of an entity that the client lacks, if they fit.
    fn add(&mut self, client: &KnownClient, at: usize) {
        let source = self.source;
        let (seen, shown) = (&source.seen[at], client.shown[at]);
        let is_new = !client.has(&shown);
        let mut lacking: Vec<PacketValue<'a>> = Vec::new();
        let mut is_whole = is_new;
        for position in (0..source.kinds.len()).filter(|&position| source.due[position]) {
            let part = seen.part(position);
            if !client.lacks(&shown, position, part) {
                // Parts that the client has are not sent again.
                is_whole = false;
                continue;
            }
            let value = part.and_then(|part| part.value.as_ref());
            let is_ready = value.is_none_or(|value| self.is_ready(client, position, value));
            if is_ready {
                lacking.push((position, value));
            } else {
                (is_whole, self.is_left[position]) = (false, true);
            }
        }
        if lacking.is_empty() && !is_new {
            return;
        }
        let extent = match (is_new, is_whole) {
            (false, _) => Extent::Changes,
            (true, true) => Extent::Whole,
            (true, false) => Extent::Part,
        };
        let is_said = |part: &PacketValue<'_>| extent != Extent::Whole || part.1.is_some();
        let size = |part: &PacketValue<'_>| PART + part.1.map_or(0, PacketPart::len);
        let bytes = lacking.iter().filter(|part| is_said(part)).map(size);
        let bytes = ENTITY + bytes.sum::<usize>();
        if self.writer.len() + bytes <= self.most {
            self.write(client, &shown, extent, &lacking);
            return;
        }
        if bytes <= self.room {
            self.misses += 1;
            lacking.iter().for_each(|part| self.is_left[part.0] = true);
            return;
        }
        // Larger than any packet: as many values as fit, starting from another one each time.
        let extent = match is_new {
            true => Extent::Part,
            false => Extent::Changes,
        };
        let first = client.first_of(lacking.len());
        lacking.rotate_left(first);
        let mut left = self.most.saturating_sub(self.writer.len() + ENTITY);
        let mut fitting: Vec<PacketValue<'a>> = Vec::new();
        for part in &lacking {
            let bytes = size(part);
            if bytes <= left {
                left -= bytes;
                fitting.push(*part);
            } else {
                self.is_left[part.0] = true;
            }
        }
        let oversized = lacking
            .first()
            .filter(|part| ENTITY + size(part) > self.room);
        if self.is_empty
            && let Some(part) = oversized
        {
            fitting = vec![*part];
        } else if fitting.is_empty() && self.is_empty {
            fitting.extend(lacking.first());
        }
        if fitting.is_empty() || oversized.is_some() && !self.is_empty {
            self.misses += 1;
        }
        if !fitting.is_empty() {
            self.write(client, &shown, extent, &fitting);
        }
    }

    /// Returns true if the client has all entities that edges lead to, or the packet has.
    fn is_ready(&self, client: &KnownClient, position: usize, value: &PacketPart) -> bool {
        let kind = &self.source.kinds[position];
        let targets = value.ids[..value.targets as usize].iter();
        let mut seen = targets.filter_map(|&target| client.shown(target));
        seen.all(|target| {
            (client.has(target) || self.packed.contains(&target.entity))
                && (!kind.is_tree() || self.is_branch_there(client, target, position))
        })
    }

    /// Returns true if the client has the edges of an entity of a tree and of all above, or the packet has. Otherwise another
    /// edge there might close a cycle for a time.
    fn is_branch_there(&self, client: &KnownClient, from: &ShownEntity, position: usize) -> bool {
        let mut at = *from;
        for _ in 0..=self.source.seen.len() {
            let part = self.source.part(client, at.entity, position);
            if client.lacks(&at, position, part)
                && !self.parts.contains(&(at.entity, position as u16))
            {
                return false;
            }
            let value = part.and_then(|part| part.value.as_ref());
            let parent = value.and_then(|value| value.ids.first());
            let Some(parent) = parent.and_then(|&parent| client.shown(parent)) else {
                return true;
            };
            at = *parent;
        }
        false
    }

    fn write(
        &mut self,
        client: &KnownClient,
        shown: &ShownEntity,
        extent: Extent,
        parts: &[PacketValue<'a>],
    ) {
        let entity = shown.entity;
        self.is_empty = false;
        self.packed.insert(entity);
        self.parts.insert((entity, self.source.kinds.len() as u16));
        let mut written = parts.to_vec();
        if extent == Extent::Whole {
            written.retain(|part| part.1.is_some());
        }
        self.writer.entity(entity, extent, &written);
        for &(position, value) in parts {
            self.parts.insert((entity, position as u16));
            let Some(value) = value else {
                continue;
            };
            if !value.ids.is_empty() {
                self.values.push((entity, position as u16, value));
            }
            let targets = value.ids[..value.targets as usize].iter();
            let seen = targets.filter(|&&target| client.shown(target).is_some());
            self.disturbed
                .extend(seen.map(|&target| (position, target)));
        }
    }
}
