//! The saved forms of a state: its value, its request, and the values of its entities.

use serde_core::de::Error as _;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::erased::Change;
use super::{DespawnOnExit, NextState, Request, State, StateMemory, StateValue};

impl<S: Serialize> Serialize for State<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        self.current.serialize(serializer)
    }
}

impl<'de, S: Deserialize<'de>> Deserialize<'de> for State<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let current = S::deserialize(deserializer)?;
        Ok(Self { current })
    }
}

impl<S: StateValue + Serialize> Serialize for DespawnOnExit<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, S: StateValue + Deserialize<'de>> Deserialize<'de> for DespawnOnExit<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        S::deserialize(deserializer).map(Self)
    }
}

/// The request with whether the value is entered again, and whether the first value was entered.
impl<S: Serialize> Serialize for NextState<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        (parts(self.request.as_ref()), self.entered).serialize(serializer)
    }
}

impl<'de, S: Deserialize<'de>> Deserialize<'de> for NextState<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (request, entered): (Option<(S, bool)>, bool) = Deserialize::deserialize(deserializer)?;
        let request = request.map(|(state, again)| Request { state, again });
        Ok(Self { request, entered })
    }
}

/// A request as it is written: the state, and whether it is entered again.
fn parts<S>(request: Option<&Request<S>>) -> Option<(&S, bool)> {
    request.map(|request| (&request.state, request.again))
}

impl<S: Serialize> Serialize for StateMemory<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let Self {
            request,
            change,
            old,
            new,
        } = self;
        (parts(request.as_ref()), *change as u8, old, new).serialize(serializer)
    }
}

impl<'de, S: Deserialize<'de>> Deserialize<'de> for StateMemory<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        type Parts<S> = (Option<(S, bool)>, u8, Option<S>, Option<S>);
        let (request, change, old, new): Parts<S> = Deserialize::deserialize(deserializer)?;
        let known = Change::ALL.into_iter().find(|known| *known as u8 == change);
        Ok(Self {
            request: request.map(|(state, again)| Request { state, again }),
            change: known.ok_or_else(|| D::Error::custom("there is no such change of a state"))?,
            old,
            new,
        })
    }
}
