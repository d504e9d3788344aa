//! The inspector: a running app is seen and changed by JSON-RPC calls.

mod budget;
mod call;
mod desk;
mod edits;
mod error;
mod event_tails;
mod frame_watch;
mod hidden;
mod history;
mod json;
mod methods;
mod page_places;
mod params;
mod plugin;
mod rpc;
mod values;

pub use error::RpcError;
pub use params::Params;
pub use plugin::{Inspect, Inspector, plugin};
