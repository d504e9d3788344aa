//! Waves: some of the entities, chosen at random, are despawned, and then as many are spawned.

use std::ops::Range;

use crate::columns::Values;
use crate::components::{self, Position, Rotation, Velocity};
use crate::digest::Digest;
use crate::peers::Peer;
use crate::shuffle::Shuffler;
use crate::subject::Workload;

/// The number of entities between waves.
pub(crate) const LIVING: u32 = 10_000;

/// The components of one entity: 36 bytes.
pub(crate) type Row = (Position, Rotation, Velocity);

/// Makes the components of the `number`th entity.
#[inline]
pub(crate) const fn row(number: u32) -> Row {
    let (_, position, rotation, velocity) = components::row(number);
    (position, rotation, velocity)
}

impl Values for Row {
    fn values(&self) -> impl Iterator<Item = f32> {
        let (position, rotation, velocity) = self;
        [position.0, rotation.0, velocity.0]
            .into_iter()
            .flat_map(components::Vec3::to_array)
    }
}

/// Returns the digest of all entities.
pub(crate) fn digest<'a>(
    rows: impl IntoIterator<Item = (&'a Position, &'a Rotation, &'a Velocity)>,
) -> u64 {
    let rows = rows.into_iter().map(|(p, r, v)| (*p, *r, *v));
    Digest::of(rows.map(|row| row.values().collect::<Vec<_>>()))
}

/// The number of random orders, after which they repeat.
const ORDERS: usize = 32;

/// The limit of numbers: above 2^24 an `f32` does not distinguish integers, so they start over there.
const NUMBERS: u32 = 0x0100_0000;

/// A world, its entities, and the places in the list of them that die next.
pub(crate) struct State<W, I> {
    world: W,
    living: Vec<I>,
    order: Vec<u16>,
    /// The position in `order`.
    place: usize,
    /// The number of the next entity.
    next: u32,
    victims: Vec<I>,
    born: Vec<I>,
}

impl<W, I: Copy> State<W, I> {
    /// Takes the ids of [`LIVING`] entities in the order of spawning, so that all peers despawn the same rows.
    pub(crate) fn new(world: W, living: Vec<I>) -> Self {
        let mut places: Vec<u16> = (0..LIVING as u16).collect();
        let mut shuffler = Shuffler::default();
        let mut order = Vec::with_capacity(ORDERS * places.len());
        for _ in 0..ORDERS {
            shuffler.shuffle(&mut places);
            order.extend(&places);
        }
        Self {
            world,
            living,
            order,
            place: 0,
            next: LIVING,
            victims: Vec::new(),
            born: Vec::new(),
        }
    }

    /// Passes the entities to despawn, the numbers of the rows to spawn, and the list for their ids.
    #[inline]
    fn wave(&mut self, size: u32, replace: impl Fn(&mut W, &[I], Range<u32>, &mut Vec<I>)) {
        if self.place + size as usize > self.order.len() {
            self.place = 0;
        }
        if self.next + size > NUMBERS {
            self.next = 0;
        }
        let places = &self.order[self.place..self.place + size as usize];
        self.victims.clear();
        self.victims
            .extend(places.iter().map(|&place| self.living[place as usize]));
        self.born.clear();
        let numbers = self.next..self.next + size;
        replace(&mut self.world, &self.victims, numbers, &mut self.born);
        for (&place, &id) in places.iter().zip(&self.born) {
            self.living[place as usize] = id;
        }
        self.place += size as usize;
        self.next += size;
    }
}

/// Adds a form, from a function that makes a world of [`LIVING`] entities, one that despawns the given entities and spawns
/// others with the given numbers, and one that returns the digest.
pub(crate) fn add<W: 'static, I: Copy + 'static>(
    workload: &mut Workload,
    peer: Peer,
    form: &'static str,
    setup: impl Fn() -> (W, Vec<I>) + 'static,
    replace: impl Fn(&mut W, &[I], Range<u32>, &mut Vec<I>) + Copy + 'static,
    digest: impl Fn(&mut W) -> u64 + Copy + 'static,
) {
    let size = workload.elements();
    workload.add(
        peer,
        form,
        move || {
            let (world, living) = setup();
            State::new(world, living)
        },
        move |state| state.wave(size, replace),
        move |state| digest(&mut state.world),
    );
}
