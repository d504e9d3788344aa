//! Relations, trees and names.

mod names;
mod relations;
mod relations_model;
mod trees;
