//! Runs until something happens.

use ecs_data::{TextQuery, Value, WorldData};
use ecs_engine::Entity;

use super::rows::{parsed, query_error};
use super::schedule::{is_named, plans, walk};
use crate::inspector::call::{CallContext, Effect::Runs, MOST_FRAMES, Progress, RpcMethod, method};
use crate::inspector::error::RpcError;
use crate::inspector::json::{self, object};
use crate::inspector::params::Params;
use crate::inspector::values::{self, reached};

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![method(
        "app.run_until",
        Runs,
        "query, system, entity, component, frames",
        "Pauses, and runs frames until a query has a match, a system has run, or a component has changed.",
        run_until,
    )]
}

/// The events that end a run.
struct Breaks {
    query: Option<TextQuery>,
    system: Option<String>,
    cell: Option<WatchedComponent>,
}

/// A component of an entity, with its value before the next system.
struct WatchedComponent {
    entity: Entity,
    name: String,
    value: Value,
    text: String,
}

/// The end of a run.
#[derive(Default)]
struct Hit {
    found: Option<Entity>,
    system: Option<&'static str>,
    /// The values before and after the system.
    change: Option<(Value, Value)>,
}

fn run_until(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let mut breaks = Breaks::of(context, params)?;
    let frames = params.number_or("frames", 600)?.min(MOST_FRAMES);
    context.app.pause();
    let mut run = 0;
    Ok(Progress::Later(Box::new(move |context| {
        loop {
            let hit = match breaks.look(context, None) {
                Ok(None) if run < frames && context.app.exit().is_none() => {
                    breaks.frame(context, &mut run)
                }
                hit => hit,
            };
            match hit {
                Err(error) => return Some(Err(error)),
                Ok(None) if run < frames && context.app.exit().is_none() => {}
                Ok(hit) => return Some(Ok(answer(context, run, hit.unwrap_or_default()))),
            }
            if context.budget.is_spent() {
                return None;
            }
        }
    })))
}

fn answer(context: &CallContext<'_>, run: u64, hit: Hit) -> Value {
    let found = hit.found.map(|entity| context.id(entity));
    let (before, after) = hit.change.unwrap_or_default();
    object([
        ("reached", reached(context.app, run)),
        ("found", found.into()),
        ("system", hit.system.into()),
        ("before", before),
        ("after", after),
    ])
}

impl Breaks {
    fn of(context: &mut CallContext<'_>, params: &Params) -> Result<Self, RpcError> {
        let text = |name| params.get(name).map(|_| params.text(name)).transpose();
        let query = match text("query")? {
            Some(query) => {
                let query = parsed(context.world(), query)?;
                context.state.hidden.check_query(&query)?;
                Some(query)
            }
            None => None,
        };
        let system = text("system")?.map(str::to_owned);
        if let Some(wanted) = &system {
            // In the middle of a frame the plans are lent to it.
            let known = context.app.is_in_frame() || plans(context, |plans| has(&plans, wanted))?;
            if !known {
                let message = format!("no schedule has a system `{wanted}`");
                return Err(RpcError::params(message));
            }
        }
        let cell = match text("component")? {
            Some(name) => {
                context.shown(name)?;
                let entity = params.entity("entity")?;
                values::component(context.world(), entity, name)?;
                let (value, text) = read(context, entity, name);
                let name = name.to_owned();
                Some(WatchedComponent {
                    entity,
                    name,
                    value,
                    text,
                })
            }
            None => None,
        };
        if query.is_none() && system.is_none() && cell.is_none() {
            let message = "name a `query`, a `system`, or an `entity` and a `component`";
            return Err(RpcError::params(message));
        }
        Ok(Self {
            query,
            system,
            cell,
        })
    }

    /// Runs a frame, or the rest of one: system by system only if that matters.
    fn frame(
        &mut self,
        context: &mut CallContext<'_>,
        run: &mut u64,
    ) -> Result<Option<Hit>, RpcError> {
        if self.system.is_none() && self.cell.is_none() {
            context.app.step();
            *run += 1;
            return self.look(context, None);
        }
        while let Some(system) = context.app.step_system() {
            if let Some(hit) = self.look(context, Some(system))? {
                return Ok(Some(hit));
            }
        }
        *run += 1;
        Ok(None)
    }

    /// Looks at the world after a system, or between frames.
    fn look(
        &mut self,
        context: &CallContext<'_>,
        system: Option<&'static str>,
    ) -> Result<Option<Hit>, RpcError> {
        let mut hit = None;
        if let (Some(wanted), Some(system)) = (&self.system, system)
            && is_named(system, wanted)
        {
            hit = Some(Hit::default());
        }
        if let Some(cell) = &mut self.cell {
            let (value, text) = read(context, cell.entity, &cell.name);
            if text != cell.text {
                cell.text = text;
                let before = std::mem::replace(&mut cell.value, value.clone());
                hit.get_or_insert_default().change = Some((before, value));
            }
        }
        if let Some(query) = &self.query {
            let matches = query.matches(context.world());
            let matches = matches.map_err(|error| query_error(&error))?;
            if let Some(first) = matches.iter().next() {
                hit.get_or_insert_default().found = Some(first.entity());
            }
        }
        Ok(hit.map(|hit| Hit { system, ..hit }))
    }
}

/// Returns a value, null if the entity no longer has it, and its text: `NaN` is equal to itself there.
fn read(context: &CallContext<'_>, entity: Entity, name: &str) -> (Value, String) {
    let value = values::read(|| Ok(context.world().get_by_name(entity, name)?));
    let value = value.ok().flatten().unwrap_or_default();
    let text = json::write(&value, false).unwrap_or_default();
    (value, text)
}

fn has(plans: &[(String, &ecs_engine::schedule::SchedulePlan)], wanted: &str) -> bool {
    let mut found = false;
    for (name, plan) in plans {
        walk(plan, name, &mut |_, step| {
            found |= is_named(step.name(), wanted);
        });
    }
    found
}
