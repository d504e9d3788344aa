//! Refuses systems that could have other results on several shards than in one world, by their metadata.
//!
//! | a system | is |
//! |---|---|
//! | that sees only the components of the entity it visits (`#[system(for_each)]`), and writes no resource | accepted |
//! | that sees no component, writes resources, and reads none that differs between shards | accepted: it does the same everywhere |
//! | with the whole world, a `Local`, a reader of events or removals, a value that stays on its thread | refused |
//! | that looks at ticks (`Added`, `Changed`) | accepted: ticks travel with their values |
//! | that sees other entities, in any order | refused, unless it is trusted |

use ecs_engine::World;
use ecs_engine::component::ComponentId;
use ecs_engine::meta::{Access, Domain, SystemMeta};
use ecs_engine::schedule::{SchedulePlan, Step};

use crate::error::{RefusedSystem, ShardError};
use crate::shards::{Phase, Shards, Trusted};

/// Refuses the systems of a tick, all at once.
pub(crate) fn systems(plan: &mut Shards) -> Result<(), ShardError> {
    let mut reasons = Vec::new();
    let mut used = vec![false; plan.trusted.len()];
    for phase in &mut plan.phases {
        if let Phase::Systems(schedule) = phase {
            of_plan(schedule.plan()?, &plan.trusted, &mut used, &mut reasons);
        }
    }
    if let Some(unused) = used.iter().position(|used| !used) {
        let trusted = &plan.trusted[unused];
        return Err(ShardError::Declaration {
            problem: format!(
                "`trust` names `{}` ({}), and there is no such system; help: name the end of its path, such as `census`",
                trusted.system, trusted.why
            ),
        });
    }
    match reasons.is_empty() {
        true => Ok(()),
        false => Err(ShardError::Refused { reasons }),
    }
}

fn of_plan(
    plan: &SchedulePlan,
    trusted: &[Trusted],
    used: &mut [bool],
    reasons: &mut Vec<RefusedSystem>,
) {
    for step in plan.steps() {
        for (_, inner) in step.inner() {
            of_plan(inner, trusted, used, reasons);
        }
        if step.inner().len() != 0 {
            continue;
        }
        let name = step.name();
        let is_it = |trusted: &Trusted| {
            let rest = name
                .split('<')
                .next()
                .unwrap_or(name)
                .strip_suffix(trusted.system);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
        };
        if let Some(at) = trusted.iter().position(is_it) {
            used[at] = true;
        } else if let Some(reason) = reason_of(step) {
            reasons.push(RefusedSystem {
                system: name,
                reason,
            });
        }
    }
}

/// Returns the reason to refuse a step.
fn reason_of(step: Step<'_>) -> Option<String> {
    let meta = step.meta();
    let conditions = step.conditions().flat_map(|condition| &condition.parts);
    for condition in conditions {
        if sees_components(condition) || remembers(condition) {
            return Some(format!(
                "has the condition `{}`, which depends on this shard's entities or on the past; help: test a resource, such as `TickNumber` or a `Reduce`",
                condition.name
            ));
        }
    }
    if meta.borrows_unnamed() {
        return Some("borrows the whole world; help: name what it needs".into());
    }
    if remembers(&meta) {
        return Some(
            "remembers something from tick to tick, which does not move with entities; help: keep it in a component, and send messages instead of events".into(),
        );
    }
    let mut access = meta.access();
    if access.any(|access| access.domain == Domain::NonSend) {
        return Some("uses a value that stays on its thread; help: use a component".into());
    }
    let written = || {
        let writes = meta
            .access()
            .filter(|access| access.domain == Domain::Resource && access.kind.writes());
        let mut names: Vec<&str> = writes.map(|access| access.ident.type_name()).collect();
        names.dedup();
        names.join("`, `")
    };
    if meta.is_per_row() {
        let written = written();
        return (!written.is_empty()).then(|| {
            format!("visits entities and writes the resource `{written}`, which is not shared; help: add to a `Reduce`, or send a message")
        });
    }
    if sees_components(&meta) || step.defers() {
        return Some(
            "can see entities in an order, or of a number, that depends on borders; help: make it `#[system(for_each)]`, look at others through `Neighbours`, or `trust` it if order and number do not matter".into(),
        );
    }
    let reads_own = |access: &Access| is_of_one_shard(access.ident.type_name());
    let written = written();
    if !written.is_empty() && meta.access().any(|access| reads_own(&access)) {
        return Some(format!(
            "writes the resource `{written}` from what is only known on this shard; help: compute it from the total of a `Reduce`"
        ));
    }
    None
}

/// Returns true if a resource of this package differs between shards.
fn is_of_one_shard(name: &str) -> bool {
    [
        "ecs_shard::neighbours::Neighbours<",
        "ecs_shard::messages::Inbox<",
        "ecs_shard::messages::Outbox<",
    ]
    .iter()
    .any(|own| name.starts_with(own))
}

fn remembers(meta: &SystemMeta) -> bool {
    meta.remembers() || meta.has_readers()
}

fn sees_components(meta: &SystemMeta) -> bool {
    meta.sees_rows()
}

/// Refuses entities with components that cannot travel.
pub(crate) fn not_data(world: &World) -> Result<(), ShardError> {
    let mut names = Vec::new();
    for (_, components) in world.tables_with_rows() {
        let travels = |component: &ComponentId| component.data().is_some();
        names.extend(
            components
                .iter()
                .filter(|component| !travels(component))
                .map(|c| c.name()),
        );
    }
    names.sort_unstable();
    names.dedup();
    match names.is_empty() {
        true => Ok(()),
        false => Err(ShardError::NotData { components: names }),
    }
}
