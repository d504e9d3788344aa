//! The macros in a strict crate of edition 2021: no prelude, shadowed names, all warnings forbidden, pedantic lints too.
#![no_implicit_prelude]
#![forbid(unsafe_code, missing_docs, unused, nonstandard_style, unreachable_pub)]
#![forbid(single_use_lifetimes, unnameable_types)]
#![forbid(private_interfaces, private_bounds, future_incompatible)]
#![deny(clippy::pedantic)]
#![forbid(warnings)]

pub mod forms;
pub mod own_prelude;
pub mod shadowed;
