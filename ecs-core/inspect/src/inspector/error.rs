//! The error of a call.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_data::{ByNameError, EncodeError, Value};
use ecs_engine::__private::message_of;
use ecs_engine::world::NoSuchEntity;

use super::json::object;

/// The error of a call: a number, a message, and possibly data for programs.
///
/// ```
/// use ecs_core::data::Value;
/// use ecs_core::inspect::RpcError;
///
/// let left = Value::from(3_u64);
/// let error = RpcError::new(1, "there is not enough gold").with_data(left.clone());
/// assert_eq!((error.code(), error.data()), (1, Some(&left)));
/// assert_eq!(error.to_string(), "there is not enough gold (1)");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    code: i32,
    message: String,
    data: Option<Box<Value>>,
}

impl RpcError {
    pub(crate) const NOT_JSON: i32 = -32700;
    pub(crate) const NOT_A_CALL: i32 = -32600;
    pub(crate) const NO_METHOD: i32 = -32601;
    pub(crate) const PARAMS: i32 = -32602;
    pub(crate) const INTERNAL: i32 = -32603;
    pub(crate) const NO_ENTITY: i32 = -23401;
    pub(crate) const COMPONENT: i32 = -23402;
    pub(crate) const NOT_PRESENT: i32 = -23403;
    pub(crate) const SELF_PARENT: i32 = -23404;
    pub(crate) const RESOURCE: i32 = -23501;
    pub(crate) const NO_RESOURCE: i32 = -23502;
    pub(crate) const QUERY: i32 = -23601;
    pub(crate) const READ_ONLY: i32 = -23602;
    pub(crate) const BUSY: i32 = -23603;
    pub(crate) const TIME: i32 = -23604;
    pub(crate) const TOO_LARGE: i32 = -23605;

    /// The numbers of errors, and their meanings.
    pub(crate) const CODES: [(i32, &'static str); 16] = [
        (Self::NOT_JSON, "not JSON"),
        (Self::NOT_A_CALL, "not a call"),
        (Self::NO_METHOD, "no such method"),
        (Self::PARAMS, "a parameter is missing or has the wrong form"),
        (Self::INTERNAL, "the method panicked"),
        (Self::NO_ENTITY, "no such entity"),
        (
            Self::COMPONENT,
            "a component is unknown or its value has the wrong form",
        ),
        (Self::NOT_PRESENT, "the entity lacks the component"),
        (Self::SELF_PARENT, "an entity cannot be its own parent"),
        (
            Self::RESOURCE,
            "a resource or an event is unknown or its value has the wrong form",
        ),
        (Self::NO_RESOURCE, "there is no such resource"),
        (
            Self::QUERY,
            "a query cannot be parsed; `data` has the place of the mistake",
        ),
        (
            Self::READ_ONLY,
            "the method changes the world, and the client may only read",
        ),
        (Self::BUSY, "there are too many streams"),
        (Self::TIME, "not possible at this time"),
        (
            Self::TOO_LARGE,
            "a value, a text or a list is too large to be written within a frame",
        ),
    ];

    /// Makes an error. Numbers from -32768 to -32000 belong to JSON-RPC, and from -23699 to -23400 to the inspector.
    ///
    /// ```
    /// use ecs_core::inspect::RpcError;
    ///
    /// let error = RpcError::new(1, format!("{} has left", "Ann"));
    /// assert_eq!(error.to_string(), "Ann has left (1)");
    /// ```
    #[must_use]
    pub fn new(code: i32, message: impl fmt::Display) -> Self {
        Self {
            code,
            message: message.to_string(),
            data: None,
        }
    }

    /// Adds data for programs.
    ///
    /// ```
    /// use ecs_core::data::Value;
    /// use ecs_core::inspect::RpcError;
    ///
    /// let error = RpcError::new(1, "there is not enough gold").with_data(Value::from(3_u64));
    /// assert_eq!(error.data(), Some(&Value::from(3_u64)));
    /// ```
    #[must_use]
    pub fn with_data(self, data: Value) -> Self {
        Self {
            data: Some(Box::new(data)),
            ..self
        }
    }

    /// Returns the number.
    ///
    /// ```
    /// use ecs_core::inspect::RpcError;
    ///
    /// assert_eq!(RpcError::new(1, "there is not enough gold").code(), 1);
    /// ```
    #[must_use]
    pub fn code(&self) -> i32 {
        self.code
    }

    /// Returns the message.
    ///
    /// ```
    /// use ecs_core::inspect::RpcError;
    ///
    /// assert_eq!(RpcError::new(1, "there is not enough gold").message(), "there is not enough gold");
    /// ```
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the data for programs.
    ///
    /// ```
    /// use ecs_core::inspect::RpcError;
    ///
    /// assert!(RpcError::new(1, "there is not enough gold").data().is_none());
    /// ```
    #[must_use]
    pub fn data(&self) -> Option<&Value> {
        self.data.as_deref()
    }

    /// Returns the error without the help in its message and its data.
    pub(crate) fn without_help(mut self) -> Self {
        if let Some(at) = self.message.find("help: ") {
            let rest = self.message[..at].trim_end_matches(['=', ' ', '\n', ';']);
            self.message = rest.to_owned();
        }
        if let Some(help) = self.data.as_mut().and_then(|data| data.get_mut("help")) {
            *help = Value::Null;
        }
        self
    }

    /// Returns the error in the form that an answer has.
    pub(crate) fn to_value(&self) -> Value {
        let code = ("code", Value::from(self.code));
        let message = ("message", Value::from(self.message()));
        match &self.data {
            Some(data) => object([code, message, ("data", (**data).clone())]),
            None => object([code, message]),
        }
    }

    pub(crate) fn params(message: impl fmt::Display) -> Self {
        Self::new(Self::PARAMS, message)
    }

    pub(crate) fn of_resource(error: &ByNameError) -> Self {
        match error {
            ByNameError::TooLarge { .. } => Self::of_large_value(error),
            error => Self::new(Self::RESOURCE, error),
        }
    }

    /// Makes the error for a component's value that can't be read, perhaps because it is too large.
    pub(crate) fn of_value(error: &EncodeError) -> Self {
        match error.is_too_large() {
            true => Self::of_large_value(error),
            false => Self::new(Self::COMPONENT, error),
        }
    }

    fn of_large_value(error: impl fmt::Display) -> Self {
        Self::too_large(format!(
            "{error}; help: `world.get_components` and `world.get_resources` with `whole` show it to clients with the token"
        ))
    }

    pub(crate) fn too_large(message: impl fmt::Display) -> Self {
        Self::new(Self::TOO_LARGE, message)
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for RpcError {}

impl From<NoSuchEntity> for RpcError {
    fn from(error: NoSuchEntity) -> Self {
        Self::new(Self::NO_ENTITY, error)
    }
}

/// Errors of access to components.
impl From<ByNameError> for RpcError {
    fn from(error: ByNameError) -> Self {
        match error {
            ByNameError::NoSuchEntity(error) => error.into(),
            ByNameError::TooLarge { .. } => Self::of_large_value(error),
            error => Self::new(Self::COMPONENT, error),
        }
    }
}

/// Calls a function. A panic in it is an error.
pub(crate) fn caught<T>(
    call: impl FnOnce() -> Option<Result<T, RpcError>>,
) -> Option<Result<T, RpcError>> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        let message = format!("the method panicked: {}", into_message(payload));
        Some(Err(RpcError::new(RpcError::INTERNAL, message)))
    })
}

/// Returns the message of a panic, and drops its payload.
pub(crate) fn into_message(payload: Box<dyn Any + Send>) -> String {
    let message = message_of(&*payload).unwrap_or("no message").to_owned();
    // A payload may panic when it is dropped.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(payload))).map_err(std::mem::forget);
    message
}
