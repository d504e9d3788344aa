//! Structural changes without types do what those with types do: two worlds get the same changes, one of each kind, and stay
//! alike in everything that can be observed.

mod announced;
mod columns;
mod parts;
mod plans;
mod refused;
mod single;
mod staged;
