//! Data that a system may not touch: it belongs to other modules, a contract keeps it, or the system does not declare it.

use alloc::string::String;

use super::contract::{SystemRules, WriteRule, is_in_one};
use super::touched::TouchedData;
use super::{Access, CrateContract, Kind, Message, ParamAccess, ParamInfo, RuledData, SystemMeta};

/// An access of a system that a rule forbids.
#[derive(Clone, Copy)]
struct ForbiddenAccess {
    touched: TouchedData,
    rule: BrokenRule,
}

/// The rule that an access breaks.
#[derive(Clone, Copy)]
enum BrokenRule {
    /// The data belongs to other modules: `written_by`.
    Owned(&'static [&'static str]),
    /// The component is immutable.
    Immutable,
    /// The contract of a crate.
    Contract(&'static WriteRule),
    /// The system does not declare it.
    Undeclared,
}

impl ForbiddenAccess {
    /// Returns the access at a position of a parameter if the system may not make it, as far as constants know.
    #[inline]
    const fn of(touched: TouchedData, system: &str, rules: &SystemRules) -> Option<Self> {
        if let TouchedData::Data(access) | TouchedData::ByCommands(access) = touched
            && access.kind.writes()
        {
            if access.ident.is_immutable() && matches!(touched, TouchedData::Data(_)) {
                let rule = BrokenRule::Immutable;
                return Some(Self { touched, rule });
            }
            let owners = access.ident.owners();
            if !owners.is_empty() && !is_in_one(system, owners) {
                let rule = BrokenRule::Owned(owners);
                return Some(Self { touched, rule });
            }
            if let Some(rule) = rules.contract.broken(system, access) {
                let rule = BrokenRule::Contract(rule);
                return Some(Self { touched, rule });
            }
        }
        let is_declared = match (rules.declared, touched) {
            (None, _) => true,
            (Some(declared), TouchedData::Data(access) | TouchedData::ByCommands(access)) => {
                declared.may_have(access)
            }
            (Some(_), TouchedData::Anything | TouchedData::AnythingByCommands) => false,
        };
        if is_declared {
            return None;
        }
        let rule = BrokenRule::Undeclared;
        Some(Self { touched, rule })
    }

    /// Like [`of`](Self::of), at run time, when all types are known. `others` are contracts that hold besides.
    fn by_type(
        touched: TouchedData,
        system: &str,
        rules: &SystemRules,
        others: &[&'static CrateContract],
    ) -> Option<Self> {
        if let Some(known) = Self::of(touched, system, rules) {
            return Some(known);
        }
        let (TouchedData::Data(access) | TouchedData::ByCommands(access)) = touched else {
            return None;
        };
        if access.kind.writes() {
            let mut contracts = [rules.contract].into_iter().chain(others.iter().copied());
            let broken = contracts.find_map(|other| other.broken_by_type(system, access));
            if let Some(rule) = broken {
                let rule = BrokenRule::Contract(rule);
                return Some(Self { touched, rule });
            }
        }
        let declared = rules.declared?;
        let rule = BrokenRule::Undeclared;
        (!declared.has_by_type(access)).then_some(Self { touched, rule })
    }

    #[inline]
    const fn access(&self) -> Option<Access> {
        match self.touched {
            TouchedData::Data(access) | TouchedData::ByCommands(access) => Some(access),
            TouchedData::Anything | TouchedData::AnythingByCommands => None,
        }
    }

    /// Writes what it does: " write the component `game::Position`".
    #[inline]
    const fn push_access(&self, text: &mut Message, name: &str) {
        text.push(match self.touched {
            TouchedData::Data(Access {
                kind: Kind::Read, ..
            }) => " read ",
            TouchedData::Data(_) => " write ",
            TouchedData::ByCommands(_) => " insert or remove ",
            TouchedData::Anything => " touch the whole world, or all resources,",
            TouchedData::AnythingByCommands => " insert or remove any component",
        });
        if let Some(access) = self.access() {
            text.data(access.domain, name);
        }
    }

    /// Writes why it may not do so.
    #[inline]
    const fn push_rule(&self, text: &mut Message) {
        match self.rule {
            BrokenRule::Owned(owners) => {
                text.push(": only systems in ");
                text.push_all(owners, " or ");
                text.push(" may (`written_by`)");
            }
            BrokenRule::Immutable => text.push(": it is immutable"),
            BrokenRule::Contract(WriteRule::Only(modules, _)) => {
                text.push(": only systems in ");
                text.push_all(modules, " or ");
                text.push(" may (`contract!`)");
            }
            BrokenRule::Contract(WriteRule::Nothing(modules, of)) => {
                text.push(": systems in ");
                text.push_all(modules, " and ");
                text.push(" write nothing");
                if let Some(of) = of {
                    text.push(" of `");
                    text.push(of);
                    text.push("`");
                }
                text.push(" (`contract!`)");
            }
            BrokenRule::Undeclared => text.push(": its `#[system(..)]` does not say so"),
        }
    }

    #[inline]
    const fn help(&self) -> &'static str {
        match (self.rule, self.touched) {
            (BrokenRule::Immutable, _) => {
                "; help: read it, and replace the value by `Commands::insert`"
            }
            (BrokenRule::Undeclared, TouchedData::Anything) => {
                "; help: take the data as parameters, or remove `writes(..)` and `reads(..)`"
            }
            (BrokenRule::Undeclared, TouchedData::AnythingByCommands) => {
                "; help: declare them: `Commands<(A, B)>`"
            }
            (
                BrokenRule::Undeclared,
                TouchedData::Data(Access {
                    kind: Kind::Read, ..
                }),
            ) => "; help: add it to `reads(..)`, or remove the parameter",
            (BrokenRule::Undeclared, _) => "; help: add it to `writes(..)`, or read it",
            (BrokenRule::Contract(WriteRule::Nothing(..)), _) => {
                "; help: read it, or let a system of another module change it: by an event, or called as a function"
            }
            _ => {
                "; help: read it, or let a system of that module change it: by an event, or called as a function"
            }
        }
    }

    /// Begins the message about a system and its parameter, with the name of the type.
    #[inline]
    const fn message(&self, system: &str, param: &ParamInfo, name: &str) -> Message {
        let mut text = Message::new();
        text.push("the system `");
        text.push(system);
        text.push("` may not");
        self.push_access(&mut text, name);
        text.push(" by ");
        text.parameter(param);
        self.push_rule(&mut text);
        text
    }

    /// Returns the refusal of a system at run time.
    fn refusal(&self, system: &str, param: &ParamInfo) -> ForeignWrite {
        let data = self.access().map_or("", |access| access.ident.type_name());
        let mut message = self.message(system, param, data);
        message.push(self.help());
        let owners: &[&str] = match self.rule {
            BrokenRule::Owned(owners) => owners,
            BrokenRule::Contract(WriteRule::Only(modules, _)) => modules,
            _ => &[],
        };
        ForeignWrite {
            data,
            owners,
            message: String::from(message.as_str()),
        }
    }

    /// Adds another access of the same parameter to the message.
    #[inline]
    const fn push_also(&self, text: &mut Message, name: &str) {
        text.push("; nor");
        self.push_access(text, name);
        self.push_rule(text);
    }

    /// Returns true if both are about the same data.
    #[inline]
    const fn is_about(&self, other: &Self) -> bool {
        match (self.access(), other.access()) {
            (Some(one), Some(two)) => {
                one.domain as u8 == two.domain as u8
                    && one.kind as u8 == two.kind as u8
                    && !matches!(one.ident.const_eq(&two.ident), Some(false))
            }
            _ => false,
        }
    }
}

/// Returns true if an access of the parameter before a position breaks a rule about the same data.
#[inline]
const fn is_repeated(
    found: &ForbiddenAccess,
    position: usize,
    access: &ParamAccess,
    system: &str,
    rules: &SystemRules,
) -> bool {
    let mut earlier = 0;
    while earlier < position {
        if let Some(touched) = TouchedData::at(access, earlier)
            && let Some(other) = ForbiddenAccess::of(touched, system, rules)
            && other.is_about(found)
        {
            return true;
        }
        earlier += 1;
    }
    false
}

/// Stops the compilation at the caller if a parameter of a system touches data that it may not: one error, with all of it.
///
/// # Panics
/// If it does.
#[track_caller]
#[inline]
pub(crate) const fn refuse_forbidden(system: &str, param: &ParamInfo, rules: &SystemRules) {
    let access = param.of.access;
    let mut text = None;
    let mut help = "";
    let mut position = 0;
    while let Some(touched) = TouchedData::at(access, position) {
        if let Some(found) = ForbiddenAccess::of(touched, system, rules)
            && !is_repeated(&found, position, access, system, rules)
        {
            let name = match found.access() {
                Some(access) => access.ident.name(),
                None => "",
            };
            match &mut text {
                None => {
                    text = Some(found.message(system, param, name));
                    help = found.help();
                }
                Some(text) => found.push_also(text, name),
            }
        }
        position += 1;
    }
    if let Some(mut text) = text {
        text.push(help);
        panic!("{}", text.as_str());
    }
}

/// A refusal at run time: the data, the modules that may write it, and the message.
pub(crate) struct ForeignWrite {
    pub(crate) data: &'static str,
    pub(crate) owners: &'static [&'static str],
    pub(crate) message: String,
}

impl SystemMeta {
    /// Describes a system of a crate, with its rules.
    ///
    /// # Panics
    /// If the system says that it touches data that no parameter does.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn with_rules(
        name: &'static str,
        rules: SystemRules,
        params: &'static [ParamInfo],
    ) -> Self {
        let meta = Self {
            name,
            params,
            rules,
        };
        refuse_untouched(&meta);
        meta
    }

    /// Returns the first access that the system may not make. `others` are contracts that hold besides the one of its crate.
    pub(crate) fn foreign_write(&self, others: &[&'static CrateContract]) -> Option<ForeignWrite> {
        let refused = |name: &str, param: &ParamInfo, access: &ParamAccess| {
            let mut touched = (0..).map_while(|position| TouchedData::at(access, position));
            let found = touched
                .find_map(|touched| ForbiddenAccess::by_type(touched, name, &self.rules, others))?;
            Some(found.refusal(name, param))
        };
        // Systems that run in turns have one parameter, with a part for each of them.
        if let [param] = self.params
            && let ParamAccess::OneOf(parts) = param.of.access
            && self.name.split(" | ").count() == parts.len()
        {
            let mut parts = self.name.split(" | ").zip(*parts);
            return parts.find_map(|(name, access)| refused(name, param, access));
        }
        let mut params = self.params.iter();
        params.find_map(|param| refused(self.name, param, param.of.access))
    }

    /// Returns the contract of the system's crate.
    #[inline]
    pub(crate) const fn contract(&self) -> Option<&'static CrateContract> {
        match self.rules.contract.is_empty() {
            true => None,
            false => Some(self.rules.contract),
        }
    }
}

/// Stops the compilation at the caller if a system says that it touches data that no parameter does.
///
/// # Panics
/// If there is such data.
#[track_caller]
#[inline]
const fn refuse_untouched(system: &SystemMeta) {
    let Some(declared) = system.rules.declared else {
        return;
    };
    let mut i = 0;
    while let Some((data, is_write)) = declared.at(i) {
        i += 1;
        // A parameter that breaks a rule may be the one that was meant, and is an error of its own.
        if is_touched(system, data, is_write) || breaks_rules(system) {
            continue;
        }
        let mut text = Message::new();
        text.push("no parameter of the system `");
        text.push(system.name);
        text.push(if is_write {
            "` writes "
        } else {
            "` only reads "
        });
        let (domain, name) = data.name();
        text.data(domain, name);
        text.push(if is_write {
            "; help: remove it from `writes(..)`"
        } else {
            "; help: remove it from `reads(..)`"
        });
        panic!("{}", text.as_str());
    }
}

#[inline]
const fn breaks_rules(system: &SystemMeta) -> bool {
    let mut i = 0;
    while i < system.params.len() {
        let mut position = 0;
        while let Some(touched) = TouchedData::at(system.params[i].of.access, position) {
            if ForbiddenAccess::of(touched, system.name, &system.rules).is_some() {
                return true;
            }
            position += 1;
        }
        i += 1;
    }
    false
}

#[inline]
const fn is_touched(system: &SystemMeta, data: &RuledData, is_write: bool) -> bool {
    let mut i = 0;
    while i < system.params.len() {
        let mut position = 0;
        while let Some(touched) = TouchedData::at(system.params[i].of.access, position) {
            if let TouchedData::Data(access) | TouchedData::ByCommands(access) = touched
                && access.kind.writes() == is_write
                && !matches!(data.is(access), Some(false))
            {
                return true;
            }
            position += 1;
        }
        i += 1;
    }
    false
}
