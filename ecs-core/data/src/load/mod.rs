//! Loading.
mod column;
mod error;
pub use error::LoadError;
