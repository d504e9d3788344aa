//! Structural changes without types have the same effects as changes with types: two worlds receive the same changes, one of
//! each kind, and agree in everything observable.

mod announced;
mod columns;
mod parts;
mod plans;
mod refused;
mod single;
mod staged;
