//! The parameters of a call.

use ecs_data::Value;
use ecs_engine::Entity;

use super::error::RpcError;
use super::json;

/// The parameters of a call, by name. They come as a JSON object.
///
/// ```
/// use ecs_core::data::Value;
/// use ecs_core::inspect::{Inspect, Params, RpcError};
/// use ecs_core::prelude::*;
///
/// fn pay(_: &mut World, params: Params) -> Result<Value, RpcError> {
///     let (from, to) = (params.text("from")?, params.entities("to")?);
///     let twice = if params.flag("twice")? { 2 } else { 1 };
///     let gold = twice * params.number_or("gold", 1)?;
///     Ok(format!("{from} pays {gold} to {}", to.len()).into())
/// }
///
/// let mut app = App::new();
/// let inspector = Inspect::new(7747).method("game.pay", pay).attach(&mut app);
/// let mut call = |params: &str| {
///     let call = format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "game.pay", "params": {params}}}"#);
///     inspector.answer(&mut app, &call)
/// };
/// let answer = call(r#"{"from": "bank", "to": ["0v1", "4v2"], "twice": true}"#);
/// assert!(answer.contains("bank pays 2 to 2"));
/// assert!(call(r#"{"from": 7}"#).contains("`from` is a text"));
/// ```
#[derive(Clone, Debug)]
pub struct Params(Value);

impl Params {
    pub(crate) fn new(params: Value) -> Result<Self, RpcError> {
        match params {
            Value::Null => Ok(Self(Value::Map(Vec::new()))),
            Value::Map(_) => Ok(Self(params)),
            _ => Err(RpcError::params(
                "parameters have names; help: pass an object in `params`",
            )),
        }
    }

    /// Returns a parameter; `None` if it is missing or null.
    ///
    /// ```
    /// use ecs_core::data::Value;
    /// use ecs_core::inspect::{Inspect, Params, RpcError};
    /// use ecs_core::prelude::*;
    ///
    /// fn give(_: &mut World, params: Params) -> Result<Value, RpcError> {
    ///     // The client may leave it out.
    ///     let gold = params.get("gold").and_then(Value::as_int);
    ///     Ok(Value::from(gold.is_some()))
    /// }
    /// # let mut app = App::new();
    /// # let inspector = Inspect::new(0).method("give", give).attach(&mut app);
    /// # let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "give", "params": {"gold": null}}"#;
    /// # assert_eq!(inspector.answer(&mut app, call), r#"{"jsonrpc":"2.0","id":1,"result":false}"#);
    /// ```
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        let mut entries = self.0.as_map()?.iter();
        let (_, value) = entries.find(|(key, _)| key.as_str() == Some(name))?;
        Some(value).filter(|value| !value.is_null())
    }

    /// Returns a parameter.
    ///
    /// ```
    /// use ecs_core::data::Value;
    /// use ecs_core::inspect::{Inspect, Params, RpcError};
    /// use ecs_core::prelude::*;
    ///
    /// fn keep(_: &mut World, params: Params) -> Result<Value, RpcError> {
    ///     let color = params.value("color")?;
    ///     Ok(color.clone())
    /// }
    /// # let mut app = App::new();
    /// # let inspector = Inspect::new(0).method("keep", keep).attach(&mut app);
    /// # let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "keep", "params": {"color": [1, 2]}}"#;
    /// # assert_eq!(inspector.answer(&mut app, call), r#"{"jsonrpc":"2.0","id":1,"result":[1,2]}"#);
    /// ```
    ///
    /// # Errors
    /// If it is missing or null.
    pub fn value(&self, name: &str) -> Result<&Value, RpcError> {
        self.get(name)
            .ok_or_else(|| RpcError::params(format!("`{name}` is missing")))
    }

    /// Returns a text.
    ///
    /// ```
    /// use ecs_core::data::Value;
    /// use ecs_core::inspect::{Inspect, Params, RpcError};
    /// use ecs_core::prelude::*;
    ///
    /// fn greet(_: &mut World, params: Params) -> Result<Value, RpcError> {
    ///     let name = params.text("name")?;
    ///     Ok(format!("hello {name}").into())
    /// }
    /// # let mut app = App::new();
    /// # let inspector = Inspect::new(0).method("greet", greet).attach(&mut app);
    /// # let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "greet", "params": {"name": "Ann"}}"#;
    /// # assert_eq!(inspector.answer(&mut app, call), r#"{"jsonrpc":"2.0","id":1,"result":"hello Ann"}"#);
    /// ```
    ///
    /// # Errors
    /// If it is missing, or something else.
    pub fn text(&self, name: &str) -> Result<&str, RpcError> {
        self.value(name)?
            .as_str()
            .ok_or_else(|| RpcError::params(format!("`{name}` is a text")))
    }

    /// Returns an entity, which may be a text such as `"12v1"`, an object `{"entity":"12v1"}`, or the id as a number.
    ///
    /// ```
    /// use ecs_core::data::Value;
    /// use ecs_core::inspect::{Inspect, Params, RpcError};
    /// use ecs_core::prelude::*;
    ///
    /// fn index(_: &mut World, params: Params) -> Result<Value, RpcError> {
    ///     let entity = params.entity("of")?;
    ///     Ok(Value::from(u64::from(entity.index())))
    /// }
    /// # let mut app = App::new();
    /// # let inspector = Inspect::new(0).method("index", index).attach(&mut app);
    /// # let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "index", "params": {"of": "12v1"}}"#;
    /// # assert_eq!(inspector.answer(&mut app, call), r#"{"jsonrpc":"2.0","id":1,"result":12}"#);
    /// ```
    ///
    /// # Errors
    /// If it is missing, or something else. The entity need not be alive.
    pub fn entity(&self, name: &str) -> Result<Entity, RpcError> {
        entity(self.value(name)?, name)
    }

    /// Returns a list of entities, each as for [`entity`](Self::entity).
    ///
    /// ```
    /// use ecs_core::data::Value;
    /// use ecs_core::inspect::{Inspect, Params, RpcError};
    /// use ecs_core::prelude::*;
    ///
    /// fn count(_: &mut World, params: Params) -> Result<Value, RpcError> {
    ///     let entities = params.entities("of")?;
    ///     Ok(Value::from(entities.len() as u64))
    /// }
    /// # let mut app = App::new();
    /// # let inspector = Inspect::new(0).method("count", count).attach(&mut app);
    /// # let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "count", "params": {"of": ["12v1", {"entity": "4v2"}]}}"#;
    /// # assert_eq!(inspector.answer(&mut app, call), r#"{"jsonrpc":"2.0","id":1,"result":2}"#);
    /// ```
    ///
    /// # Errors
    /// If it is missing, or something else.
    pub fn entities(&self, name: &str) -> Result<Vec<Entity>, RpcError> {
        let list = self.value(name)?.as_list();
        let list = list.ok_or_else(|| RpcError::params(format!("`{name}` is a list")))?;
        let entities: Option<Vec<Entity>> = list.iter().map(found_entity).collect();
        entities.ok_or_else(|| {
            RpcError::params(format!("`{name}` is a list of entities such as \"12v1\""))
        })
    }

    /// Returns a whole number from 0; `default` if it is missing.
    ///
    /// ```
    /// use ecs_core::data::Value;
    /// use ecs_core::inspect::{Inspect, Params, RpcError};
    /// use ecs_core::prelude::*;
    ///
    /// fn twice(_: &mut World, params: Params) -> Result<Value, RpcError> {
    ///     let number = params.number_or("number", 4)?;
    ///     Ok(Value::from(2 * number))
    /// }
    /// # let mut app = App::new();
    /// # let inspector = Inspect::new(0).method("twice", twice).attach(&mut app);
    /// # let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "twice", "params": {}}"#;
    /// # assert_eq!(inspector.answer(&mut app, call), r#"{"jsonrpc":"2.0","id":1,"result":8}"#);
    /// ```
    ///
    /// # Errors
    /// If it is something else.
    pub fn number_or(&self, name: &str, default: u64) -> Result<u64, RpcError> {
        let Some(value) = self.get(name) else {
            return Ok(default);
        };
        let number = value.as_int().and_then(|number| u64::try_from(number).ok());
        number.ok_or_else(|| RpcError::params(format!("`{name}` is a whole number from 0")))
    }

    /// Returns true or false; false if it is missing.
    ///
    /// ```
    /// use ecs_core::data::Value;
    /// use ecs_core::inspect::{Inspect, Params, RpcError};
    /// use ecs_core::prelude::*;
    ///
    /// fn mute(_: &mut World, params: Params) -> Result<Value, RpcError> {
    ///     let is_loud = params.flag("loud")?;
    ///     Ok(Value::from(!is_loud))
    /// }
    /// # let mut app = App::new();
    /// # let inspector = Inspect::new(0).method("mute", mute).attach(&mut app);
    /// # let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "mute", "params": {"loud": true}}"#;
    /// # assert_eq!(inspector.answer(&mut app, call), r#"{"jsonrpc":"2.0","id":1,"result":false}"#);
    /// ```
    ///
    /// # Errors
    /// If it is something else.
    pub fn flag(&self, name: &str) -> Result<bool, RpcError> {
        match self.get(name) {
            None => Ok(false),
            Some(value) => value
                .as_bool()
                .ok_or_else(|| RpcError::params(format!("`{name}` is true or false"))),
        }
    }

    /// Returns a list of texts; an empty one if it is missing.
    ///
    /// ```
    /// use ecs_core::data::Value;
    /// use ecs_core::inspect::{Inspect, Params, RpcError};
    /// use ecs_core::prelude::*;
    ///
    /// fn invite(_: &mut World, params: Params) -> Result<Value, RpcError> {
    ///     let names = params.texts("names")?;
    ///     Ok(names.join(" and ").into())
    /// }
    /// # let mut app = App::new();
    /// # let inspector = Inspect::new(0).method("invite", invite).attach(&mut app);
    /// # let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "invite", "params": {"names": ["Ann", "Ben"]}}"#;
    /// # assert_eq!(inspector.answer(&mut app, call), r#"{"jsonrpc":"2.0","id":1,"result":"Ann and Ben"}"#);
    /// ```
    ///
    /// # Errors
    /// If it is something else.
    pub fn texts(&self, name: &str) -> Result<Vec<&str>, RpcError> {
        texts(self.get(name), name)
    }

    /// Returns the entries of an object in the order of the request; none if it is missing.
    pub(crate) fn entries(&self, name: &str) -> Result<Vec<(&str, &Value)>, RpcError> {
        let Some(value) = self.get(name) else {
            return Ok(Vec::new());
        };
        let entries = value.as_map().into_iter().flatten();
        let named: Option<Vec<_>> = entries
            .map(|(key, value)| Some((key.as_str()?, value)))
            .collect();
        named
            .filter(|_| value.as_map().is_some())
            .ok_or_else(|| RpcError::params(format!("`{name}` is an object of values by name")))
    }

    /// Returns the parameters inside of one; none if it is missing.
    pub(crate) fn inner(&self, name: &str) -> Result<Self, RpcError> {
        let inner = self.get(name).cloned().unwrap_or_default();
        Self::new(inner).map_err(|_| RpcError::params(format!("`{name}` is an object")))
    }
}

fn texts<'a>(value: Option<&'a Value>, name: &str) -> Result<Vec<&'a str>, RpcError> {
    let Some(value) = value else {
        return Ok(Vec::new());
    };
    let texts = value
        .as_list()
        .map(|list| list.iter().map(Value::as_str).collect());
    texts
        .flatten()
        .ok_or_else(|| RpcError::params(format!("`{name}` is a list of texts")))
}

fn found_entity(value: &Value) -> Option<Entity> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Int(bits) => u64::try_from(*bits).ok().and_then(Entity::from_bits),
        other => json::marked(other),
    }
}

fn entity(value: &Value, name: &str) -> Result<Entity, RpcError> {
    found_entity(value)
        .ok_or_else(|| RpcError::params(format!("`{name}` is an entity such as \"12v1\"")))
}
