//! Types that the inspector does not show.

use std::any::{TypeId, type_name};

use ecs_data::{CatalogType, TextQuery, WorldData};
use ecs_engine::World;
use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::world::hooks::ListedObserver;

use super::error::RpcError;

/// The types that are hidden, with their paths, and the names that are.
#[derive(Clone, Debug, Default)]
pub(crate) struct HiddenTypes {
    types: Vec<(TypeId, &'static str)>,
    names: Vec<String>,
}

impl HiddenTypes {
    pub(crate) fn add<T: 'static>(&mut self) {
        self.types.push((TypeId::of::<T>(), type_name::<T>()));
    }

    pub(crate) fn add_name(&mut self, name: String) {
        self.names.push(name);
    }

    fn is_empty(&self) -> bool {
        self.types.is_empty() && self.names.is_empty()
    }

    fn has_name(&self, name: &str) -> bool {
        self.names.iter().any(|hidden| hidden == name)
            || self.types.iter().any(|(_, path)| *path == name)
    }

    fn has_data(&self, data: &DataType) -> bool {
        let is_it = |id: TypeId| id == data.type_id() || Some(id) == data.event_type();
        let mut names = std::iter::once(data.name()).chain(data.aliases().iter().copied());
        self.types.iter().any(|(id, _)| is_it(*id)) || names.any(|name| self.has_name(name))
    }

    /// Returns true if a type of this name is hidden, be it one of its earlier names or the name of an end of a relation.
    pub(crate) fn has(&self, world: &World, name: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        let is_named = |data: &DataType| data.name() == name || data.aliases().contains(&name);
        let mut data = world.data_types().into_iter();
        let mut components = world.registered_components().into_iter();
        self.has_name(name)
            || data.any(|data| is_named(data) && self.has_data(data))
            || components.any(|component| component.name() == name && self.has_own(component))
    }

    /// Returns true if a component is hidden, or the relation that it is an end of.
    pub(crate) fn has_component(&self, component: ComponentId) -> bool {
        !self.is_empty() && (self.has_name(component.name()) || self.has_own(component))
    }

    fn has_own(&self, component: ComponentId) -> bool {
        let data = component.data().or(component.relation());
        let path = ["Target<", "Sources<"].iter().find_map(|end| {
            let path = component.name().strip_prefix(end)?;
            path.strip_suffix('>')
        });
        data.is_some_and(|data| self.has_data(data)) || path.is_some_and(|path| self.has_name(path))
    }

    /// Returns true if the event of an observer is hidden, or its component.
    pub(crate) fn has_event(&self, world: &World, observer: &ListedObserver) -> bool {
        match observer.component {
            Some(component) => self.has_component(component),
            None => {
                let data = world.data_types().into_iter();
                let mut data = data.filter(|data| {
                    observer.event_type.is_some() && data.event_type() == observer.event_type
                });
                self.has(world, observer.event) || data.any(|data| self.has_data(data))
            }
        }
    }

    /// # Errors
    /// If the type is hidden: the same as for a type that does not exist.
    pub(crate) fn check(&self, world: &World, name: &str) -> Result<(), RpcError> {
        match self.has(world, name) {
            true => Err(refused(name)),
            false => Ok(()),
        }
    }

    /// # Errors
    /// If the query tests a component that is hidden.
    pub(crate) fn check_query(&self, query: &TextQuery) -> Result<(), RpcError> {
        let terms = query.query().terms().iter().map(|term| term.component());
        let columns = query.columns().iter().map(|column| column.component());
        let mut all = terms.chain(columns);
        match all.find(|component| self.has_component(*component)) {
            Some(component) => Err(refused(component.name())),
            None => Ok(()),
        }
    }

    /// Returns all names and paths of the hidden types that the world knows.
    pub(crate) fn names(&self, world: &World) -> HiddenNames {
        if self.is_empty() {
            return HiddenNames(Vec::new());
        }
        let data = world.data_types().into_iter();
        let data = data.filter(|data| self.has_data(data));
        let data = data.flat_map(|data| {
            let names = [data.name(), data.rust_name()];
            data.aliases().iter().copied().chain(names)
        });
        let components = world.registered_components().into_iter();
        let components = components.filter(|component| self.has_component(*component));
        let components = components.map(|component| component.name());
        let paths = self.types.iter().map(|(_, path)| *path);
        let names = self.names.iter().map(String::as_str);
        let all = data.chain(components).chain(paths).chain(names);
        HiddenNames(all.map(str::to_owned).collect())
    }

    /// Returns an error without its help if that names a hidden type: help lists the names that are close, or all.
    pub(crate) fn redacted(&self, world: &World, error: RpcError) -> RpcError {
        let has_help = error.message().contains("help: ");
        if self.is_empty() || !has_help {
            return error;
        }
        let is_named = {
            let help = error.message().split("help: ").skip(1).collect::<Vec<_>>();
            let names = self.names(world).0;
            names
                .iter()
                .any(|name| help.iter().any(|help| help.contains(name.as_str())))
        };
        if is_named {
            error.without_help()
        } else {
            error
        }
    }

    /// Returns the types that the world knows and that are shown.
    pub(crate) fn catalog(&self, world: &World) -> Vec<CatalogType> {
        let mut all = world.data_catalog();
        all.retain(|known| !self.has(world, known.name()));
        all
    }
}

/// The names of hidden types, for texts that other threads make.
pub(crate) struct HiddenNames(Vec<String>);

impl HiddenNames {
    /// Returns a text with a word in the place of each hidden name, and of the last part of a path, as parameters have it.
    pub(crate) fn redact(&self, mut text: String) -> String {
        for name in &self.0 {
            text = without_word(text, name);
            if let Some((_, last)) = name.rsplit_once("::") {
                text = without_word(text, last);
            }
        }
        text
    }
}

/// Replaces a word, where it is not a part of a longer one.
fn without_word(text: String, word: &str) -> String {
    if word.is_empty() || !text.contains(word) {
        return text;
    }
    let is_part = |one: Option<char>| one.is_some_and(|one| one.is_alphanumeric() || one == '_');
    let mut left = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(word) {
        let (before, end) = (&rest[..at], at + word.len());
        let starts = before.chars().next_back().or(left.chars().next_back());
        let is_whole = !is_part(starts) && !is_part(rest[end..].chars().next());
        left.push_str(before);
        left.push_str(if is_whole { "(hidden)" } else { word });
        rest = &rest[end..];
    }
    left.push_str(rest);
    left
}

fn refused(name: &str) -> RpcError {
    let message = format!("`{name}` is hidden from the inspector");
    RpcError::new(RpcError::COMPONENT, message)
}
