//! The saved form of events: the bound, and the events that a reader may still have to read.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde_core::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde_core::ser::SerializeStruct as _;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::Events;

const BOUND: &str = "bound";
const UNREAD: &str = "unread";

/// Writes the bound, and the events that a registered reader has not read; without readers, all that are kept.
impl<E: Serialize> Serialize for Events<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Events", 2)?;
        fields.serialize_field(BOUND, &(self.bound() as u64))?;
        fields.serialize_field(UNREAD, &UnreadEvents(self))?;
        fields.end()
    }
}

struct UnreadEvents<'a, E>(&'a Events<E>);

impl<E: Serialize> Serialize for UnreadEvents<'_, E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.log.unread_by_any())
    }
}

/// Reads events that no reader has read yet.
impl<'de, E: Deserialize<'de>> Deserialize<'de> for Events<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("Events", &[BOUND, UNREAD], EventFields(PhantomData))
    }
}

struct EventFields<E>(PhantomData<E>);

impl<'de, E: Deserialize<'de>> Visitor<'de> for EventFields<E> {
    type Value = Events<E>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("events, with a bound")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Events<E>, A::Error> {
        let missing = |at| A::Error::invalid_length(at, &"a bound and a list of events");
        let bound = seq.next_element()?.ok_or_else(|| missing(0))?;
        let unread = seq.next_element()?.ok_or_else(|| missing(1))?;
        Ok(events(Some(bound), unread))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Events<E>, A::Error> {
        let (mut bound, mut unread) = (None, None);
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                BOUND if bound.is_none() => bound = Some(map.next_value()?),
                UNREAD if unread.is_none() => unread = Some(map.next_value()?),
                BOUND => return Err(A::Error::duplicate_field(BOUND)),
                UNREAD => return Err(A::Error::duplicate_field(UNREAD)),
                other => return Err(A::Error::unknown_field(other, &[BOUND, UNREAD])),
            }
        }
        let unread = unread.ok_or_else(|| A::Error::missing_field(UNREAD))?;
        Ok(events(bound, unread))
    }
}

/// Creates the events. An impossible bound is replaced by the nearest possible one.
fn events<E>(bound: Option<u64>, unread: Vec<E>) -> Events<E> {
    let bound = bound.map_or(Events::<E>::DEFAULT_BOUND, |bound| {
        usize::try_from(bound).unwrap_or(usize::MAX).max(1)
    });
    let mut events = Events::with_bound(bound);
    events.send_batch(unread);
    events
}

impl<E> Events<E> {
    /// Converts all events; none was read.
    #[doc(hidden)]
    #[must_use]
    pub fn map<T>(self, convert: impl FnMut(E) -> T) -> Events<T> {
        let mut events = Events::with_bound(self.bound());
        events.send_batch(self.log.into_kept().map(convert));
        events
    }
}
