//! The saved form of events: the bound, the events that a reader may still have to read, and those that are delayed.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;

use serde_core::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{SerializeSeq as _, SerializeStruct as _};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::Events;
use super::delayed::DelayedEvents;
use crate::data_type::DueAt;

const BOUND: &str = "bound";
const UNREAD: &str = "unread";
const AFTER_RUNS: &str = "after_runs";
const AFTER_TIME: &str = "after_time";
const FIELDS: &[&str] = &[BOUND, UNREAD, AFTER_RUNS, AFTER_TIME];

/// The form of a delayed event: the runs or the time that is left, and the event.
type Left<T, E> = (T, E);

/// Writes the bound, and the events that a registered reader has not read; without readers, all that are kept. Delayed events are in
/// two fields that are only there if one waits.
impl<E: Serialize> Serialize for Events<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let delayed = self
            .delayed
            .as_ref()
            .map_or(Vec::new(), |delayed| delayed.left());
        let count = if delayed.is_empty() { 2 } else { 4 };
        let mut fields = serializer.serialize_struct("Events", count)?;
        fields.serialize_field(BOUND, &(self.bound() as u64))?;
        fields.serialize_field(UNREAD, &UnreadEvents(self))?;
        if !delayed.is_empty() {
            let (mut by_run, mut by_time): (Vec<Left<_, _>>, Vec<Left<_, _>>) = Default::default();
            for (due, event) in delayed {
                match due {
                    DueAt::Run(left, _) => by_run.push((left, event)),
                    DueAt::Time(left, _) => by_time.push((left, event)),
                }
            }
            fields.serialize_field(AFTER_RUNS, &WithoutLength(by_run))?;
            fields.serialize_field(AFTER_TIME, &WithoutLength(by_time))?;
            // The binary form without names has room for two fields. It refuses to skip one, and the form with names is used instead.
            fields.skip_field(AFTER_TIME)?;
        }
        fields.end()
    }
}

/// A list whose length is not known in advance. A format that refuses it, such as postcard, has no names: its reader would take the
/// bytes for those of something else.
struct WithoutLength<T>(Vec<T>);

impl<T: Serialize> Serialize for WithoutLength<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for item in &self.0 {
            list.serialize_element(item)?;
        }
        list.end()
    }
}

struct UnreadEvents<'a, E>(&'a Events<E>);

impl<E: Serialize> Serialize for UnreadEvents<'_, E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.log.unread_by_any())
    }
}

/// Reads events that no reader has read yet.
impl<'de, E: Deserialize<'de> + Send + Sync + 'static> Deserialize<'de> for Events<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The others are only there in forms with names.
        deserializer.deserialize_struct("Events", &[BOUND, UNREAD], EventFields(PhantomData))
    }
}

struct EventFields<E>(PhantomData<E>);

impl<'de, E: Deserialize<'de> + Send + Sync + 'static> Visitor<'de> for EventFields<E> {
    type Value = Events<E>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("events, with a bound")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Events<E>, A::Error> {
        let missing = |at| A::Error::invalid_length(at, &"a bound and a list of events");
        let bound = seq.next_element()?.ok_or_else(|| missing(0))?;
        let unread = seq.next_element()?.ok_or_else(|| missing(1))?;
        let by_run = seq.next_element()?.unwrap_or_default();
        let by_time = seq.next_element()?.unwrap_or_default();
        Ok(events(Some(bound), unread, by_run, by_time))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Events<E>, A::Error> {
        let (mut bound, mut unread, mut by_run, mut by_time) = (None, None, None, None);
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                BOUND if bound.is_none() => bound = Some(map.next_value()?),
                UNREAD if unread.is_none() => unread = Some(map.next_value()?),
                AFTER_RUNS if by_run.is_none() => by_run = Some(map.next_value()?),
                AFTER_TIME if by_time.is_none() => by_time = Some(map.next_value()?),
                other => match FIELDS.iter().find(|known| **known == other) {
                    Some(known) => return Err(A::Error::duplicate_field(known)),
                    None => return Err(A::Error::unknown_field(other, FIELDS)),
                },
            }
        }
        let unread = unread.ok_or_else(|| A::Error::missing_field(UNREAD))?;
        let (by_run, by_time) = (by_run.unwrap_or_default(), by_time.unwrap_or_default());
        Ok(events(bound, unread, by_run, by_time))
    }
}

/// Creates the events. An impossible bound is replaced by the nearest possible one.
fn events<E: Send + Sync + 'static>(
    bound: Option<u64>,
    unread: Vec<E>,
    by_run: Vec<Left<u64, E>>,
    by_time: Vec<Left<Duration, E>>,
) -> Events<E> {
    let bound = bound.map_or(Events::<E>::DEFAULT_BOUND, |bound| {
        usize::try_from(bound).unwrap_or(usize::MAX).max(1)
    });
    let mut events = Events::with_bound(bound);
    events.send_batch(unread);
    let by_run = by_run.into_iter();
    let by_run = by_run.map(|(left, event)| (DueAt::Run(left, 0), event));
    let by_time = by_time.into_iter();
    let by_time = by_time.map(|(left, event)| (DueAt::Time(left, 0), event));
    for (number, (due, event)) in (0..).zip(by_run.chain(by_time)) {
        let new = || Box::new(DelayedEvents::new(None));
        let delayed = events.delayed.get_or_insert_with(new);
        delayed.push(due.numbered(number), event);
    }
    events
}

impl<E> Events<E> {
    /// Converts all events. No reader may have read any.
    #[doc(hidden)]
    #[must_use]
    pub fn map<T: Send + Sync + 'static>(self, mut convert: impl FnMut(E) -> T) -> Events<T> {
        let mut events = Events::with_bound(self.bound());
        events.send_batch(self.log.into_kept().map(&mut convert));
        let delayed = self.delayed;
        events.delayed = delayed.map(|all| Box::new(DelayedEvents::converted(*all, convert)));
        events
    }
}
