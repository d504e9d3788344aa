//! Refuses systems that could have other results on several shards than in one world, by their metadata.
//!
//! | a system | is |
//! |---|---|
//! | that sees only the components of the entity it visits (`#[system(for_each)]`), and writes no resource | accepted |
//! | that sees no component, writes resources, and reads none that differs between shards | accepted: it does the same everywhere |
//! | with the whole world, a `Local`, a reader of events or removals, a value that stays on its thread | refused |
//! | that writes tracked components of the entity it visits, by `&mut` | accepted; by `Mut`, which knows of changes, refused |
//! | that looks at ticks (`Added`, `Changed`) | refused, unless it is trusted: they travel, but each shard has a clock of its own |
//! | that sees the `Sources` of a relation that is not kept together | refused, unless it is trusted: they are those of one shard |
//! | that sees the `Target` of such a relation, after a system that may despawn it | refused, unless it is trusted: elsewhere it dies later |
//! | with commands that name a component that is not data, and does not stay behind | refused, unless it is trusted |
//! | that sees a component that stays behind, and writes one that does not | refused, unless it is trusted |
//! | that sees other entities, in any order | refused, unless it is trusted |
//! | that needs neighbours, messages or a reduction that is not declared | refused, unless it is trusted |
//! | that writes a resource that is not data, if there are checkpoints | refused, unless it is trusted: a resumed run has another one |
//!
//! Observers and components with hooks are refused too, unless they are trusted: neither is called when an entity moves. So are
//! components with unique values, because a shard knows only its own entities, and
//! relations whose sources die with their target, unless they are [kept together](crate::PlaceOptions::keep_together): a target on
//! another shard dies when the tick ends, and its sources would live until then.

use std::any::{type_name, type_name_of_val};

use ecs_engine::World;
use ecs_engine::command::Delayed;
use ecs_engine::component::ComponentId;
use ecs_engine::meta::{Access, ConstTypeId, Domain, ParamAccess, ParamInfo, SystemMeta};
use ecs_engine::rows::Rows;
use ecs_engine::schedule::{SchedulePlan, Step};
use ecs_engine::staging::{ErasedColumn, RelationInfo};

use crate::error::{COMPONENT_TO_DATA, RefusedSystem, ShardError, to_data};
use crate::known::note_death;
use crate::local::{LocalComponents, is_of_generic};
use crate::messages::{Inbox, Outbox};
use crate::neighbours::Neighbours;
use crate::placement::TreeFns;
use crate::reduce::Reduce;
use crate::shards::{Phase, Shards, Trusted};

/// Refuses the systems of a tick, all at once.
pub(crate) fn systems(plan: &mut Shards) -> Result<(), ShardError> {
    let mut reasons = Vec::new();
    let tree = plan.placement.as_ref().and_then(|place| place.tree);
    let declared = declared(plan);
    let mut rules = RefusalRules {
        locals: &plan.locals,
        tree,
        has_checkpoints: plan.checkpoint.is_some(),
        declared: &declared,
        states_are_data: !plan.types.is_empty(),
        killer: None,
        sees_tree: false,
    };
    for phase in &mut plan.phases {
        if let Phase::Systems(schedule) = phase {
            of_plan(
                schedule.plan()?,
                &mut rules,
                &mut plan.trusted,
                &mut reasons,
            );
        }
    }
    let sees_tree = rules.sees_tree;
    if let Some(placement) = &mut plan.placement {
        placement.sees_tree = sees_tree;
    }
    if !reasons.is_empty() {
        let unused = plan.trusted.iter().filter(|trusted| !trusted.is_used);
        reasons.extend(unused.map(|trusted| RefusedSystem {
            system: trusted.system.to_owned(),
            reason: UNKNOWN.to_owned(),
        }));
    }
    refused(reasons)
}

/// The reason to refuse a name that is no system's.
const UNKNOWN: &str = "is named by `trust`, and there is no such system, observer or component; help: name the end of its path, such as `census`, and register a component in the setup";

/// Refuses the observers that the setup has registered, components with hooks, and names that [`trust`](Shards::trust) does not
/// find.
pub(crate) fn observers(world: &World, plan: &mut Shards) -> Result<(), ShardError> {
    let mut reasons = hooks(
        world.registered_components(),
        &plan.locals,
        &mut plan.trusted,
    );
    let tree = plan.placement.as_ref().and_then(|place| place.tree);
    reasons.extend(relations(
        world.registered_components(),
        tree,
        &mut plan.trusted,
    ));
    for observer in world.observer_list() {
        let is_own = observer.name.contains(type_name_of_val(&note_death));
        if !is_own && !is_trusted(&mut plan.trusted, observer.name) {
            reasons.push(RefusedSystem {
                system: observer.name.to_owned(),
                reason: format!(
                    "observes `{}`, in an order that depends on borders, and is not called when an entity moves; help: send messages, or `trust` it if neither matters",
                    observer.event
                ),
            });
        }
    }
    refused(reasons)?;
    match plan.trusted.iter().find(|trusted| !trusted.is_used) {
        None => Ok(()),
        Some(Trusted { system, why, .. }) => Err(ShardError::Declaration {
            problem: format!("`{system}` ({why}) {UNKNOWN}"),
        }),
    }
}

/// Refuses a part of the setup whose world has more than entities, which alone are kept.
pub(crate) fn more_than_entities(part: &World, number: u64) -> Result<(), ShardError> {
    let found = match part.observer_list().first() {
        Some(observer) => format!("observes `{}`", observer.event),
        None if !part.resources().is_empty() => "inserts a resource".to_owned(),
        None => return Ok(()),
    };
    let problem = format!(
        "part {number} of the setup {found}, and only its entities are kept; help: do it in `setup`, which comes before all parts"
    );
    Err(ShardError::Declaration { problem })
}

/// Returns the reasons to refuse components with hooks or unique values.
fn hooks(
    components: impl IntoIterator<Item = ComponentId>,
    locals: &LocalComponents,
    trusted: &mut [Trusted],
) -> Vec<RefusedSystem> {
    let mut reasons: Vec<RefusedSystem> = Vec::new();
    for component in components {
        let reason = match (component.has_hooks(), locals.has(component)) {
            (true, true) => {
                "is a component with hooks, which run where an entity leaves; help: `trust` it if they change nothing but components that stay"
            }
            (true, false) => {
                "is a component with hooks, which are not called when an entity moves; help: do the same in a system; or register it in the setup, and `trust` it if that does not matter"
            }
            _ if component.is_unique() => {
                "is a component with unique values, and a shard compares only those of its own entities; help: make values of the `Gid`, which no two entities share, and leave out `unique`; or register it in the setup, and `trust` it if no value is given twice"
            }
            _ => continue,
        };
        let system = component.rust_name();
        let is_known = reasons.iter().any(|reason| reason.system == system);
        if !is_known && !is_trusted(trusted, system) {
            reasons.push(RefusedSystem {
                system: system.to_owned(),
                reason: reason.to_owned(),
            });
        }
    }
    reasons
}

/// Returns the reasons to refuse relations whose sources die with their target, which may do so on another shard.
fn relations(
    components: impl IntoIterator<Item = ComponentId>,
    tree: Option<TreeFns>,
    trusted: &mut [Trusted],
) -> Vec<RefusedSystem> {
    let mut reasons = Vec::new();
    for info in components.into_iter().filter_map(RelationInfo::of) {
        let is_together = tree.is_some_and(|tree| (tree.relation)() == info.outgoing());
        if info.despawns_sources() && !is_together && !is_trusted(trusted, info.name()) {
            reasons.push(RefusedSystem {
                system: info.name().to_owned(),
                reason: "is a relation whose sources are despawned with their target, which may live on another shard; help: declare it with `keep_together`, or `trust` it if sources and targets live and die on one shard".to_owned(),
            });
        }
    }
    reasons
}

/// Refuses rows with components that have hooks or unique values: those that no entity had after the setup.
pub(crate) fn rows(rows: &Rows, plan: &mut Shards) -> Result<(), ShardError> {
    let tables = rows.tables().flat_map(|(_, columns, _)| columns);
    let columns = tables.chain(rows.sets().map(|(_, column, _)| column));
    refused(hooks(
        columns.map(ErasedColumn::component),
        &plan.locals,
        &mut plan.trusted,
    ))
}

/// Returns the names of the resources of this package that a declaration makes.
fn declared(plan: &Shards) -> Vec<String> {
    let of = |generic: &str, name: &str| {
        let generic = generic.split('<').next().unwrap_or(generic);
        format!("{generic}<{name}>")
    };
    let mut names = Vec::new();
    for message in &plan.messages {
        names.push(of(type_name::<Outbox<()>>(), message.name));
        names.push(of(type_name::<Inbox<()>>(), message.name));
    }
    for reduce in &plan.reductions {
        names.push(of(type_name::<Reduce<()>>(), reduce.name));
    }
    let placement = plan.placement.as_ref();
    if let Some(mirror) = placement.and_then(|placement| placement.mirror.as_ref()) {
        names.push(of(type_name::<Neighbours<()>>(), mirror.fns.name()));
    }
    names
}

fn refused(reasons: Vec<RefusedSystem>) -> Result<(), ShardError> {
    match reasons.is_empty() {
        true => Ok(()),
        false => Err(ShardError::Refused { reasons }),
    }
}

/// Returns true if a system is trusted by the end of its path.
fn is_trusted(trusted: &mut [Trusted], name: &str) -> bool {
    let path = name.split('<').next().unwrap_or(name);
    let is_it = |trusted: &&mut Trusted| {
        let rest = path.strip_suffix(trusted.system);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
    };
    match trusted.iter_mut().find(is_it) {
        None => false,
        Some(found) => {
            found.is_used = true;
            true
        }
    }
}

/// The parts of a declaration that decide about what systems see.
struct RefusalRules<'a> {
    locals: &'a LocalComponents,
    tree: Option<TreeFns>,
    has_checkpoints: bool,
    /// The names of the resources of this package that the declaration makes.
    declared: &'a [String],
    /// True if entities can end with a state.
    states_are_data: bool,
    /// The first system of the tick, up to the one that is looked at, that may despawn entities.
    killer: Option<&'static str>,
    /// True if a system sees the sources of the relation that is kept together.
    sees_tree: bool,
}

impl RefusalRules<'_> {
    /// Returns the reason to refuse a system that needs a resource of this package that is not declared.
    fn undeclared(&self, meta: &SystemMeta) -> Option<String> {
        let mut params = meta.params.iter();
        params.find_map(|param| self.undeclared_by(param))
    }

    fn undeclared_by(&self, param: &ParamInfo) -> Option<String> {
        let ParamAccess::Leaf(access) = param.of.access else {
            return None;
        };
        let name = access.ident.type_name();
        let declaration = if is_of_generic::<Neighbours<()>>(name) {
            "call `mirror` after `place`, with these components"
        } else if is_of_generic::<Outbox<()>>(name) || is_of_generic::<Inbox<()>>(name) {
            "call `deliver` for the message"
        } else if is_of_generic::<Reduce<()>>(name) {
            "call `reduce` for its name"
        } else {
            return None;
        };
        let is_declared =
            param.ty.starts_with("Option<") || self.declared.iter().any(|one| one == name);
        (!is_declared).then(|| {
            format!("needs the resource `{name}`, which is not declared; help: {declaration}")
        })
    }

    /// Notes a system that may despawn entities.
    fn note_killer(&mut self, step: Step<'_>) {
        let ends_states = self.states_are_data && is_transitions(step);
        if ends_states || step.meta().undeclared_commands().is_some() {
            self.killer.get_or_insert(step.name());
        }
    }

    /// Notes a system that sees the sources of the relation that is kept together.
    fn note_tree(&mut self, step: Step<'_>) {
        let sources = self.tree.map(|tree| tree.sources);
        self.sees_tree |=
            sources.is_some_and(|sources| step.meta().seen_components().contains(&sources));
    }

    /// Returns the reason to refuse a system that sees the targets of a relation when some may have died: those on other shards
    /// die when the tick ends.
    fn dead_targets(&self, meta: &SystemMeta) -> Option<String> {
        let killer = self.killer?;
        let together = self.tree.map(|tree| tree.target);
        let mut seen = meta.seen_components().into_iter();
        let found = seen.find(|ident| {
            let name = ident.type_name();
            (name.starts_with("Target<") || name.starts_with("Targets<"))
                && Some(*ident) != together
        })?;
        Some(format!(
            "sees `{}` after `{killer}`, which may despawn targets, and one on another shard dies when the tick ends; help: let it run before, declare the relation with `keep_together`, or `trust` it if no target is despawned",
            found.type_name()
        ))
    }

    /// Returns the name of a component with the sources of relations that a system sees, unless they are all on its shard.
    fn sources(&self, meta: &SystemMeta) -> Option<&'static str> {
        let together = self.tree.map(|tree| tree.sources);
        let mut seen = meta.seen_components().into_iter();
        let found = seen.find(|ident| {
            let name = ident.type_name();
            // Types of the engine have no path.
            name.starts_with("Sources<") && Some(*ident) != together
        });
        found.map(|ident| ident.type_name())
    }
}

fn of_plan(
    plan: &SchedulePlan,
    rules: &mut RefusalRules<'_>,
    trusted: &mut [Trusted],
    reasons: &mut Vec<RefusedSystem>,
) {
    for step in plan.steps() {
        for (_, inner) in step.inner() {
            of_plan(inner, rules, trusted, reasons);
        }
        // The handlers of states are inner systems, but there may be none. A system of a user has a path.
        let is_step = step.inner().len() > 0 || is_transitions(step);
        if !is_step
            && !is_trusted(trusted, step.name())
            && let Some(reason) = reason_of(step, rules)
                .or_else(|| rules.undeclared(&step.meta()))
                .or_else(|| rules.dead_targets(&step.meta()))
        {
            let system = step.name().to_owned();
            reasons.push(RefusedSystem { system, reason });
        }
        rules.note_killer(step);
        rules.note_tree(step);
    }
}

/// Returns true for the step that changes states, whose handlers are inner systems.
fn is_transitions(step: Step<'_>) -> bool {
    step.name() == "Transitions"
}

/// Returns the reason to refuse a step.
fn reason_of(step: Step<'_>, rules: &RefusalRules<'_>) -> Option<String> {
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
    if meta
        .params
        .iter()
        .any(|param| param.of.access.filters_by_ticks())
    {
        return Some(
            "looks at when components were added or changed, and each shard has a clock of its own; help: compare them with a component that has the values of the last tick, or `trust` it".into(),
        );
    }
    let mut rows = meta.params.iter().filter(|param| param.of.is_row);
    if rows.any(gets_mut) {
        return Some(
            "gets a `Mut`, which tells whether the value has changed, and each shard has a clock of its own; help: write it by `&mut`, or `trust` it if it does not ask for changes".into(),
        );
    }
    let mut access = meta.access();
    if access.any(|access| access.domain == Domain::NonSend) {
        return Some("uses a value that stays on its thread; help: use a component".into());
    }
    if let Some(name) = rules.sources(&meta) {
        return Some(format!(
            "sees `{name}`, and sources on other shards are not in it; help: let them send messages, or declare the relation with `keep_together`"
        ));
    }
    if let Some(name) = rules.locals.leak(&meta) {
        return Some(format!(
            "sees `{name}`, which stays behind when an entity moves, and can change what does not; help: change only components that stay, or `trust` it if its results are the same without a `{name}`"
        ));
    }
    let commands = meta.commands();
    let mut inserted = commands.iter();
    if let Some(ident) = inserted.find(|ident| ident.data().is_none() && !rules.locals.is(ident)) {
        let name = ident.type_name();
        return Some(format!(
            "has commands for `{name}`, which is not data, so it cannot move with its entity; help: {}",
            to_data(name, COMPONENT_TO_DATA)
        ));
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
    let is_lost = |access: &Access| {
        let is_written = access.domain == Domain::Resource && access.kind.writes();
        let data = access.ident.data();
        is_written && data.is_none_or(|data| data.codec().is_none())
    };
    if rules.has_checkpoints
        && let Some(access) = meta.access().find(is_lost)
    {
        return Some(format!(
            "writes the resource `{}`, which is not data, so a checkpoint leaves it out; help: {}",
            access.ident.type_name(),
            to_data(
                access.ident.type_name(),
                "make it data, such as by `#[resource(data = \"game.clock\")]`"
            )
        ));
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
    is_of_generic::<Neighbours<()>>(name)
        || is_of_generic::<Inbox<()>>(name)
        || is_of_generic::<Outbox<()>>(name)
}

fn remembers(meta: &SystemMeta) -> bool {
    // The row of a loop remembers the tick of its last run, which matters only to filters.
    let mut params = meta.params.iter();
    params.any(|param| param.of.remembers && !param.of.is_row) || meta.has_readers()
}

/// Returns true if a loop gets a `Mut`, which tells whether its value has changed.
fn gets_mut(param: &ParamInfo) -> bool {
    let text = param.ty;
    let is_word = |(at, _): (usize, &str)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|before| before.is_alphanumeric() || before == '_')
    };
    // The macro takes no other name for it.
    if text.match_indices("Mut<").any(is_word) {
        return true;
    }
    // One in a struct: a write that is not written as `&mut`.
    let accesses = param.of.access.accesses();
    let writes: Vec<ConstTypeId> = accesses
        .filter(|access| access.domain == Domain::Component && access.kind.writes())
        .map(|access| access.ident)
        .collect();
    let is_tracked = |ident: &ConstTypeId| {
        let mut named = ComponentId::named(ident.type_name()).into_iter();
        named.any(ComponentId::is_tracked)
    };
    writes.len() > text.matches("mut ").count() && writes.iter().any(is_tracked)
}

fn sees_components(meta: &SystemMeta) -> bool {
    meta.sees_rows()
}

/// Refuses delays: one counts the runs of one shard's schedules, and belongs to no entity.
pub(crate) fn delayed(world: &World) -> Result<(), ShardError> {
    let Some(delayed) = world.get_resource::<Delayed>() else {
        return Ok(());
    };
    let queues = world.event_queues().into_iter();
    Err(ShardError::Delayed {
        functions: delayed.functions(),
        events: queues
            .filter(|queue| queue.delayed > 0)
            .map(|queue| queue.name)
            .collect(),
    })
}

/// Refuses entities with components that cannot travel. Returns the number of tables.
pub(crate) fn not_data(world: &World, locals: &LocalComponents) -> Result<usize, ShardError> {
    let memory = world.memory_usage();
    let with_rows = memory.tables.iter().filter(|table| table.rows > 0);
    let in_tables = with_rows.flat_map(|table| &table.components);
    let in_sets = memory.sparse_sets.iter().filter(|set| set.values > 0);
    let components = in_tables.chain(in_sets).map(|memory| memory.component);
    let is_data = |component: &ComponentId| component.data().or(component.relation()).is_some();
    let stuck = components.filter(|component| !is_data(component) && !locals.has(*component));
    let mut names: Vec<&'static str> = stuck.map(|component| component.name()).collect();
    names.sort_unstable();
    names.dedup();
    match names.is_empty() {
        true => Ok(memory.tables.len()),
        false => Err(ShardError::NotData { components: names }),
    }
}
