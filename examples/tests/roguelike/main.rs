//! Tests of the roguelike, subject by subject.

mod access;
mod command_line;
mod files;
mod hero;
mod maps;
mod monsters;
mod moves;
mod pictures;
mod program;
mod recordings;
mod saves;
mod scripts;
mod senses;
mod stage;
