//! The components that names in a text query mean.

use ecs_engine::World;
use ecs_engine::component::ComponentId;

use super::ast::Name;
use super::error::Problem;
use crate::closest::closest;

/// A component that a query can name.
struct Known {
    name: &'static str,
    component: ComponentId,
}

/// The components, or the relations, that a query on a world can name.
pub(super) struct Names {
    components: Vec<Known>,
    relations: Vec<Known>,
}

impl Names {
    pub(super) fn of(world: &World) -> Self {
        let (mut components, mut relations) = (Vec::new(), Vec::new());
        for component in world.registered_components() {
            components.push(Known {
                name: component.name(),
                component,
            });
            if let Some(name) = component.relation_of_sources() {
                relations.push(Known { name, component });
            }
        }
        Self {
            components,
            relations,
        }
    }

    /// Returns the component with the name.
    pub(super) fn component(&self, name: &Name) -> Result<ComponentId, Problem> {
        match self.exact_or_end(&name.text, name)? {
            Some(component) => Ok(component),
            None => Err(unknown("component", name, &self.components)),
        }
    }

    /// Returns the component and the field of `game.health.now`.
    pub(super) fn field(&self, name: &Name) -> Result<(ComponentId, String), Problem> {
        let mut end = name.text.len();
        // The longest name of a component that there is.
        loop {
            if let Some(component) = self.exact_or_end(&name.text[..end], name)? {
                let field = name.text[end..].trim_start_matches('.');
                return Ok((component, field.to_owned()));
            }
            let dot = name.text[..end].rfind('.');
            match dot {
                Some(dot) if !name.is_quoted => end = dot,
                _ => return Err(unknown("component", name, &self.components)),
            }
        }
    }

    /// Returns the component of the sources of the relation with the name.
    pub(super) fn relation(&self, name: &Name) -> Result<ComponentId, Problem> {
        match find(&self.relations, &name.text) {
            Found::One(component) => Ok(component),
            Found::Several(names) => Err(ambiguous("relation", name, &names)),
            Found::None => Err(unknown("relation", name, &self.relations)),
        }
    }

    fn exact_or_end(&self, text: &str, name: &Name) -> Result<Option<ComponentId>, Problem> {
        match find(&self.components, text) {
            Found::One(component) => Ok(Some(component)),
            Found::Several(names) => Err(ambiguous("component", name, &names)),
            Found::None => match ComponentId::named(text)[..] {
                // Known to the process, and of no entity of this world.
                [component] => Ok(Some(component)),
                _ => Ok(None),
            },
        }
    }
}

enum Found {
    One(ComponentId),
    Several(Vec<&'static str>),
    None,
}

/// Searches a component whose name is `text`, or the only one whose name ends with it.
fn find(known: &[Known], text: &str) -> Found {
    let those = |is: &dyn Fn(&Known) -> bool| -> Vec<&Known> {
        known.iter().filter(|known| is(known)).collect()
    };
    let mut found = those(&|known| known.name == text);
    if found.is_empty() {
        found = those(&|known| ends_with_part(known.name, text));
    }
    match found[..] {
        [] => Found::None,
        [only] => Found::One(only.component),
        _ => Found::Several(found.iter().map(|known| known.name).collect()),
    }
}

/// Returns true if a name ends with `text`, after a dot or a colon.
fn ends_with_part(name: &str, text: &str) -> bool {
    let before = name.strip_suffix(text);
    before.is_some_and(|before| before.ends_with(['.', ':'])) && !text.is_empty()
}

fn ambiguous(kind: &str, name: &Name, names: &[&str]) -> Problem {
    let same = names.windows(2).all(|pair| pair[0] == pair[1]);
    let help = if same {
        format!("give one of the types another name by `#[{kind}(name = \"..\")]`")
    } else {
        format!("write one of `{}`", names.join("`, `"))
    };
    Problem::new(
        name.at.clone(),
        format!("`{}` may be one of {} {kind}s", name.text, names.len()),
        help,
    )
}

fn unknown(kind: &str, name: &Name, known: &[Known]) -> Problem {
    let mut names: Vec<&str> = known.iter().map(|known| known.name).collect();
    names.sort_unstable();
    names.dedup();
    let help = match closest(&name.text, names.iter().copied()) {
        Some(close) => format!("there is `{close}`"),
        None if names.is_empty() => format!("no entity of this world has had a {kind} so far"),
        None if names.len() > 8 => format!(
            "it has {} others; an entity prints those that it has",
            names.len()
        ),
        None => format!("there are `{}`", names.join("`, `")),
    };
    Problem::new(
        name.at.clone(),
        format!("no {kind} `{}` in this world", name.text),
        help,
    )
}
