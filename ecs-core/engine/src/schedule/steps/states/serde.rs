//! The saved forms of a state: its value, its request, and the values of its entities.

use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::{DespawnOnExit, NextState, Request, State, StateValue};

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
        let request = self.request.as_ref();
        let request = request.map(|request| (&request.state, request.again));
        (request, self.entered).serialize(serializer)
    }
}

impl<'de, S: Deserialize<'de>> Deserialize<'de> for NextState<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (request, entered): (Option<(S, bool)>, bool) = Deserialize::deserialize(deserializer)?;
        let request = request.map(|(state, again)| Request { state, again });
        Ok(Self { request, entered })
    }
}
