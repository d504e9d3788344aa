//! Packets of a limited size: the content that a client needs most.

use std::collections::{HashMap, HashSet};

use ecs_engine::__private::BuildIndexHasher;
use ecs_engine::Entity;

use super::client::{
    FullContent, KnownClient, ListedOrder, PacketContent, PendingOrder, ShownEntity, WholeBatch,
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

/// Returns at most `most` packets of at most this many bytes each, or with a single larger value, until everything is in one of
/// them. The clock is the one of the last packet afterwards.
pub(super) fn packets(
    source: &mut PacketSource<'_>,
    client: &mut KnownClient,
    bytes: usize,
    most: usize,
) -> Vec<Vec<u8>> {
    let mut batch = Batch {
        first: source.clock,
        waiting: source.waiting(client),
        is_cut: vec![false; source.kinds.len()],
        has_orders: false,
    };
    let mut packets = Vec::new();
    while packets.len() < most.max(1) {
        source.clock = batch.first + packets.len() as u64;
        let Some(packet) = packet(source, client, bytes, &mut batch) else {
            break;
        };
        packets.push(packet);
        if batch.waiting.is_empty() && !batch.has_gone_left(client) {
            break;
        }
    }
    source.clock = batch.first + packets.len() as u64 - 1;
    for position in 0..source.kinds.len() {
        if source.due[position] && !batch.leaves(source, client, position) {
            client.rates[position].sent = source.frame;
        }
    }
    if batch.is_whole(client) {
        let whole = WholeBatch {
            left: packets.len(),
            has: source.due.to_vec(),
        };
        client.sent_all(batch.first, whole);
    }
    packets
}

/// Packets that are made for a client at the same time.
struct Batch {
    /// The clock of the first one.
    first: u64,
    /// The entities that are in none of them, the most important ones first.
    waiting: Vec<usize>,
    /// By the position in the protocol: true if something that is due is missing at an entity of a packet.
    is_cut: Vec<bool>,
    /// True if the order of sources is or may be on its way.
    has_orders: bool,
}

impl Batch {
    /// Returns true if something about a component is in none of the packets.
    fn leaves(&self, source: &PacketSource<'_>, client: &KnownClient, position: usize) -> bool {
        let lacks = |&at: &usize| {
            let part = source.seen[at].part(position);
            client.lacks(&client.shown[at], position, part)
        };
        self.is_cut[position] || self.waiting.iter().any(lacks)
    }

    /// Returns true if despawns are left for another packet.
    fn has_gone_left(&self, client: &KnownClient) -> bool {
        let mut hidden = client.hidden.values();
        hidden.any(|hidden| hidden.sent < self.first)
    }

    /// Returns true if the packets have everything that the client did not know.
    fn is_whole(&self, client: &KnownClient) -> bool {
        self.waiting.is_empty()
            && !self.is_cut.contains(&true)
            && !self.has_orders
            && client.orders.is_empty()
            && client.uncounted.ranges.is_empty()
            && !self.has_gone_left(client)
    }
}

/// Returns the next packet; none if it is not the first one, and has nothing that fits.
fn packet(
    source: &PacketSource<'_>,
    client: &mut KnownClient,
    bytes: usize,
    batch: &mut Batch,
) -> Option<Vec<u8>> {
    let is_first_packet = batch.first == source.clock;
    let withheld = source.due.iter().filter(|due| !**due).count();
    let room = bytes.saturating_sub(EMPTY + withheld * KIND);
    let mut listed = FullContent {
        batch: batch.first,
        ..FullContent::default()
    };
    client.turn = client.turn.wrapping_add(1);
    // Not in each second packet, in case these are lost.
    let is_first = client.owes_entity && client.first_of(2) == 0;
    let (mut taken, mut census) = (0, None);
    let mut orders = Vec::new();
    if !is_first {
        listed.gone = client.take_gone(room / 2, batch.first, source.clock);
        taken = list_len(&listed.gone);
    }
    if !is_first && is_first_packet {
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
    batch.has_orders |= source.orders.len() > 0;
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
        is_cut: std::mem::take(&mut batch.is_cut),
        visited: vec![false; source.seen.len()],
        is_packed: vec![false; source.seen.len()],
        packed: Vec::new(),
        parts: HashSet::default(),
        values: Vec::new(),
        disturbed: Vec::new(),
        writer,
    };
    let tried = packer.pack(client, &batch.waiting);
    let Packer {
        owes_entity,
        is_cut,
        is_packed,
        packed,
        mut parts,
        values,
        disturbed,
        writer,
        ..
    } = packer;
    batch.is_cut = is_cut;
    if !is_first_packet && packed.is_empty() && listed.gone.is_empty() {
        return None;
    }
    let mut rest = batch.waiting.split_off(tried);
    batch.waiting.retain(|&at| !is_packed[at]);
    if tried - batch.waiting.len() < packed.len() {
        // Others came before their time.
        rest.retain(|&at| !is_packed[at]);
    }
    batch.waiting.append(&mut rest);
    client.owes_entity = owes_entity;
    // If the client does not have some entities of a value yet, the value has dead ids there, and is sent again.
    for (entity, position, value) in values {
        let is_there = |id: &Entity| {
            let shown = client.position(*id);
            shown.is_none_or(|at| client.has(&client.shown[at]) || is_packed[at])
        };
        if !value.ids.iter().all(is_there) {
            parts.remove(&(entity, position));
            batch.is_cut[usize::from(position)] = true;
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
    for at in packed {
        let shown = &mut client.shown[at];
        (shown.is_sent, shown.waited) = (true, 0.0);
    }
    client.sent(source.clock, PacketContent::Part(listed));
    Some(writer.finish(&orders))
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

    /// Chooses hidden entities to report as gone, beginning with those reported least recently, without those that a packet since
    /// `first` reports.
    fn take_gone(&mut self, room: usize, first: u64, clock: u64) -> Vec<Entity> {
        let hidden = self.hidden.iter().filter(|(_, hidden)| hidden.sent < first);
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
    /// Returns the positions of the entities that a client lacks something of, the most important ones first.
    fn waiting(&self, client: &mut KnownClient) -> Vec<usize> {
        let settled = client.settled(self.due);
        let mut waiting = Vec::new();
        for (at, seen) in self.seen.iter().enumerate() {
            let shown = client.shown[at];
            if seen.is_settled(shown.since, settled)
                || client.has(&shown) && !self.lacks_any(client, at)
            {
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
        waiting.into_iter().map(|(_, at)| at).collect()
    }

    fn lacks_any(&self, client: &KnownClient, at: usize) -> bool {
        let shown = &client.shown[at];
        let mut due = (0..self.kinds.len()).filter(|&position| self.due[position]);
        due.any(|position| {
            let part = self.seen[at].part(position);
            client.lacks(shown, position, part)
        })
    }

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
    /// By the position in the protocol: true if something that is due is missing at an entity of the packet.
    is_cut: Vec<bool>,
    visited: Vec<bool>,
    /// By the position of the entity: true if it is in the packet.
    is_packed: Vec<bool>,
    /// The positions of the entities that are in the packet.
    packed: Vec<usize>,
    /// The parts that the client has when it has the packet; the last position stands for the entity itself.
    parts: HashSet<(Entity, u16), BuildIndexHasher>,
    /// Values with ids.
    values: Vec<(Entity, u16, &'a PacketPart)>,
    /// Relations and targets that got new edges.
    disturbed: Vec<(usize, Entity)>,
    writer: PacketWriter,
}

impl<'a> Packer<'a> {
    /// Fills the packet, and returns the number of entities at the beginning of the list that were tried.
    fn pack(&mut self, client: &KnownClient, waiting: &[usize]) -> usize {
        // The entities before it may fill each packet: their own edges wait for it, or their values change all the time.
        let mut longest = waiting.iter().copied();
        let longest = longest.find(|&at| self.has_ready(client, at));
        if let Some(at) = longest.filter(|_| self.is_first) {
            self.add(client, at);
        }
        let is_full = |packer: &Self| {
            packer.misses >= MISSES
                || packer.writer.len() + ENTITY > packer.most && !packer.is_empty
        };
        let mut tried = 0;
        while tried < waiting.len() && !is_full(self) {
            self.add_with_named(client, waiting[tried]);
            tried += 1;
        }
        self.owes_entity = longest.is_some_and(|at| !self.is_packed[at]);
        tried
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

    /// Adds an entity after the entities that its edges and values name and that the client does not have.
    fn add_with_named(&mut self, client: &KnownClient, at: usize) {
        let mut stack = vec![at];
        while let Some(&top) = stack.last() {
            if std::mem::replace(&mut self.visited[top], true) {
                stack.pop();
                if !self.is_packed[top] && self.misses < MISSES {
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
                    if let Some(named) = client.position(*named)
                        && !self.visited[named]
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
                (is_whole, self.is_cut[position]) = (false, true);
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
            self.write(client, at, extent, &lacking);
            return;
        }
        if bytes <= self.room {
            self.misses += 1;
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
                self.is_cut[part.0] = true;
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
            self.write(client, at, extent, &fitting);
        }
    }

    /// Returns true if the client has all entities that edges lead to, or the packet has.
    fn is_ready(&self, client: &KnownClient, position: usize, value: &PacketPart) -> bool {
        let kind = &self.source.kinds[position];
        let targets = value.ids[..value.targets as usize].iter();
        let mut seen = targets.filter_map(|&target| client.position(target));
        seen.all(|at| {
            let target = &client.shown[at];
            (client.has(target) || self.is_packed[at])
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
        at: usize,
        extent: Extent,
        parts: &[PacketValue<'a>],
    ) {
        let entity = self.source.seen[at].entity;
        self.is_empty = false;
        self.is_packed[at] = true;
        self.packed.push(at);
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
