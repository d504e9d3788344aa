//! The components that the names in a text query stand for.

use ecs_engine::World;
use ecs_engine::component::ComponentId;

use super::ast::NameText;
use super::error::TextProblem;
use crate::closest::closest;

/// A component that a query can name.
struct KnownComponent {
    name: &'static str,
    component: ComponentId,
}

/// The components, or the relations, that a query on a world can name.
pub(super) struct QueryNames {
    components: Vec<KnownComponent>,
    relations: Vec<KnownComponent>,
}

impl QueryNames {
    pub(super) fn of(world: &World) -> Self {
        let (mut components, mut relations) = (Vec::new(), Vec::new());
        for component in world.registered_components() {
            components.push(KnownComponent {
                name: component.name(),
                component,
            });
            if let Some(name) = component.relation_of_sources() {
                relations.push(KnownComponent { name, component });
            }
        }
        Self {
            components,
            relations,
        }
    }

    /// Returns the component with the name.
    pub(super) fn component(&self, name: &NameText) -> Result<ComponentId, TextProblem> {
        if let Some(component) = self.exact_or_end(&name.text, name)? {
            return Ok(component);
        }
        // A field alone is not a condition.
        if let Ok((component, field)) = self.field(name) {
            return Err(TextProblem::new(
                name.at.clone(),
                format!("no component `{}` in this world", name.text),
                format!(
                    "compare `{field}` of `{}` with a value, such as `{} == 1`",
                    component.name(),
                    name.text
                ),
            ));
        }
        Err(unknown("component", name, &self.components))
    }

    /// Returns the component and the field of `game.health.now`.
    pub(super) fn field(&self, name: &NameText) -> Result<(ComponentId, String), TextProblem> {
        let mut end = name.text.len();
        // The longest name of an existing component.
        loop {
            if let Some(component) = self.exact_or_end(&name.text[..end], name)? {
                let field = name.text[end..].trim_start_matches('.');
                return Ok((component, field.to_owned()));
            }
            let dot = name.text[..end].rfind(['.', '[']);
            match dot {
                Some(dot) if !name.is_quoted => end = dot,
                _ => return Err(self.unknown_with_field(name)),
            }
        }
    }

    /// Returns the problem with an unknown component's name that is followed by a field. It assumes that the longest part that
    /// is close to the name of a component was meant.
    fn unknown_with_field(&self, name: &NameText) -> TextProblem {
        let mut end = name.text.len();
        loop {
            let names = self.components.iter().map(|known| known.name);
            if !name.is_quoted && closest_end(&name.text[..end], names).is_some() {
                let component = NameText {
                    text: name.text[..end].to_owned(),
                    at: name.at.start..name.at.start + end,
                    ..*name
                };
                return unknown("component", &component, &self.components);
            }
            match name.text[..end].rfind(['.', '[']) {
                Some(dot) => end = dot,
                None => return unknown("component", name, &self.components),
            }
        }
    }

    /// Returns the component of the sources of the relation with the name.
    pub(super) fn relation(&self, name: &NameText) -> Result<ComponentId, TextProblem> {
        match find(&self.relations, &name.text) {
            NameMeaning::One(component) => Ok(component),
            NameMeaning::Several(names) => Err(ambiguous("relation", name, &names)),
            NameMeaning::None => match ComponentId::of_relation_named(&name.text)[..] {
                // Known to the process, but not used in this world.
                [relation] => Ok(relation),
                _ => Err(unknown("relation", name, &self.relations)),
            },
        }
    }

    fn exact_or_end(
        &self,
        text: &str,
        name: &NameText,
    ) -> Result<Option<ComponentId>, TextProblem> {
        match find(&self.components, text) {
            NameMeaning::One(component) => Ok(Some(component)),
            NameMeaning::Several(names) => Err(ambiguous("component", name, &names)),
            NameMeaning::None => match ComponentId::named(text)[..] {
                // Known to the process, but not used in this world.
                [component] => Ok(Some(component)),
                _ => Ok(None),
            },
        }
    }
}

enum NameMeaning {
    One(ComponentId),
    Several(Vec<&'static str>),
    None,
}

/// Searches for a component whose name is `text`, or the only one whose name ends with it.
fn find(known: &[KnownComponent], text: &str) -> NameMeaning {
    let those = |is: &dyn Fn(&KnownComponent) -> bool| -> Vec<&KnownComponent> {
        known.iter().filter(|known| is(known)).collect()
    };
    let mut found = those(&|known| known.name == text);
    if found.is_empty() {
        found = those(&|known| ends_with_part(known.name, text));
    }
    match found[..] {
        [] => NameMeaning::None,
        [only] => NameMeaning::One(only.component),
        _ => NameMeaning::Several(found.iter().map(|known| known.name).collect()),
    }
}

/// Returns true if a name ends with `text`, after a dot or a colon.
fn ends_with_part(name: &str, text: &str) -> bool {
    let before = name.strip_suffix(text);
    before.is_some_and(|before| before.ends_with(['.', ':'])) && !text.is_empty()
}

/// Returns the name, or the last part of a name, that differs least from a text.
fn closest_end<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let both = names.flat_map(|name| {
        let start = name.rfind(['.', ':']).map_or(0, |before| before + 1);
        [name, &name[start..]]
    });
    closest(text, both)
}

fn ambiguous(kind: &str, name: &NameText, names: &[&str]) -> TextProblem {
    let same = names.windows(2).all(|pair| pair[0] == pair[1]);
    let help = if same {
        format!("give one of the types another name by `#[{kind}(name = \"..\")]`")
    } else {
        format!("write one of `{}`", names.join("`, `"))
    };
    TextProblem::new(
        name.at.clone(),
        format!("`{}` may be one of {} {kind}s", name.text, names.len()),
        help,
    )
}

fn unknown(kind: &str, name: &NameText, known: &[KnownComponent]) -> TextProblem {
    let mut names: Vec<&str> = known.iter().map(|known| known.name).collect();
    names.sort_unstable();
    names.dedup();
    let help = match closest_end(&name.text, names.iter().copied()) {
        Some(close) => format!("there is `{close}`"),
        None if names.is_empty() => {
            format!("add a {kind} to an entity first: none has had one so far")
        }
        None if names.len() > 8 => format!(
            "print an entity to see its {kind}s; the world has {} others",
            names.len()
        ),
        None => format!("there are `{}`", names.join("`, `")),
    };
    TextProblem::new(
        name.at.clone(),
        format!("no {kind} `{}` in this world", name.text),
        help,
    )
}
