//! Patterns of several related entities.

use std::collections::{BTreeMap, BTreeSet};

use ecs_core::Disabled;
use ecs_core::data::EntityPattern;
use ecs_core::prelude::*;
use ecs_core::relation::{Target, Targets};
use ecs_core::system::DynamicSystem;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Relation)]
#[relation(many)]
struct Likes;

#[derive(Relation)]
struct At;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "pattern.cat")]
struct Cat;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "pattern.heat", storage = "sparse")]
struct Heat {
    now: u32,
}

/// An entity of the model.
#[derive(Clone, Debug, Default)]
struct Being {
    is_cat: bool,
    heat: Option<u32>,
    is_disabled: bool,
    at: Option<usize>,
    likes: BTreeSet<usize>,
}

fn beings() -> impl Strategy<Value = Vec<Being>> {
    let being = (
        any::<bool>(),
        proptest::option::of(0..4_u32),
        prop::bool::weighted(0.15),
        proptest::option::of(0..7_usize),
        prop::collection::btree_set(0..7_usize, 0..5),
    );
    let being = being.prop_map(|(is_cat, heat, is_disabled, at, likes)| Being {
        is_cat,
        heat,
        is_disabled,
        at,
        likes,
    });
    prop::collection::vec(being, 1..7).prop_map(|mut beings| {
        // No entity is related to itself, or to one that does not exist.
        let len = beings.len();
        for (number, being) in beings.iter_mut().enumerate() {
            being.at = being.at.filter(|&at| at < len && at != number);
            being.likes.retain(|&liked| liked < len && liked != number);
        }
        beings
    })
}

fn world_of(beings: &[Being]) -> (World, Vec<Entity>) {
    let mut world = World::new();
    world.register::<Cat>();
    world.register::<Heat>();
    world.register::<Target<At>>();
    world.register::<Targets<Likes>>();
    let entities: Vec<Entity> = beings.iter().map(|_| world.spawn(())).collect();
    for (being, &entity) in beings.iter().zip(&entities) {
        if being.is_cat {
            world.insert(entity, Cat).unwrap();
        }
        if let Some(now) = being.heat {
            world.insert(entity, Heat { now }).unwrap();
        }
        if let Some(at) = being.at {
            world.relate(entity, At, entities[at]).unwrap();
        }
        for &liked in &being.likes {
            world.relate(entity, Likes, entities[liked]).unwrap();
        }
    }
    for (being, &entity) in beings.iter().zip(&entities) {
        if being.is_disabled {
            world.insert(entity, Disabled).unwrap();
        }
    }
    (world, entities)
}

/// A relation.
#[derive(Clone, Copy, Debug)]
enum Kind {
    At,
    Likes,
}

/// A path from one entity to another.
#[derive(Clone, Copy, Debug)]
enum Path {
    Direct,
    EitherWay,
    Steps,
}

/// A term of a random pattern; numbers are variables.
#[derive(Clone, Copy, Debug)]
enum PatternTerm {
    Cat(usize, bool),
    Hotter(usize, u32),
    Edge(Kind, Path, [usize; 2], bool),
    Distinct(usize, usize),
}

fn pattern_terms() -> impl Strategy<Value = Vec<PatternTerm>> {
    let variable = || 0..3_usize;
    let kind = prop_oneof![Just(Kind::At), Just(Kind::Likes)];
    let path =
        prop_oneof![3 => Just(Path::Direct), 1 => Just(Path::EitherWay), 1 => Just(Path::Steps)];
    let ends = [variable(), variable()];
    let is = || prop::bool::weighted(0.8);
    let term = prop_oneof![
        1 => (variable(), any::<bool>()).prop_map(|(one, is)| PatternTerm::Cat(one, is)),
        1 => (variable(), 0..4_u32).prop_map(|(one, than)| PatternTerm::Hotter(one, than)),
        5 => (kind, path, ends, is()).prop_map(|(kind, path, ends, is)| PatternTerm::Edge(kind, path, ends, is)),
        1 => (variable(), 1..3_usize).prop_map(|(one, on)| PatternTerm::Distinct(one, (one + on) % 3)),
    ];
    prop::collection::vec(term, 1..7)
}

/// Returns true if there is an edge.
fn is_related(beings: &[Being], kind: Kind, from: usize, to: usize) -> bool {
    match kind {
        Kind::At => beings[from].at == Some(to),
        Kind::Likes => beings[from].likes.contains(&to),
    }
}

/// Returns true if steps along edges lead from one to the other.
fn reaches(beings: &[Being], kind: Kind, from: usize, to: usize) -> bool {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(at) = next.pop() {
        let targets = (0..beings.len()).filter(|&other| is_related(beings, kind, at, other));
        next.extend(targets.filter(|&target| reached.insert(target)));
    }
    reached.contains(&to)
}

impl PatternTerm {
    fn variables(self) -> Vec<usize> {
        match self {
            Self::Cat(one, _) | Self::Hotter(one, _) => vec![one],
            Self::Edge(_, _, ends, _) => ends.to_vec(),
            Self::Distinct(one, other) => vec![one, other],
        }
    }

    fn text(self) -> String {
        let not = |is: bool| if is { "" } else { "!" };
        let subject = |variable: usize| match variable {
            0 => String::new(),
            variable => format!("$v{variable}: "),
        };
        let name = |variable: usize| match variable {
            0 => "$this".to_owned(),
            variable => format!("$v{variable}"),
        };
        match self {
            Self::Cat(one, is) => format!("{}{}pattern.cat", subject(one), not(is)),
            Self::Hotter(one, than) => format!("{}heat.now > {than}", subject(one)),
            Self::Edge(kind, path, [one, to], is) => {
                // With and without the comma of flecs.
                let path = match path {
                    Path::Direct if one == 0 => ",",
                    Path::Direct => "",
                    Path::EitherWay => " <>",
                    Path::Steps => "+",
                };
                format!("{}{}({kind:?}{path} {})", subject(one), not(is), name(to))
            }
            Self::Distinct(one, other) => format!("{} != {}", name(one), name(other)),
        }
    }

    fn holds(self, beings: &[Being], bound: &BTreeMap<usize, usize>) -> bool {
        let being = |variable: usize| &beings[bound[&variable]];
        match self {
            Self::Cat(one, is) => being(one).is_cat == is,
            Self::Hotter(one, than) => being(one).heat.is_some_and(|now| now > than),
            Self::Edge(kind, path, ends, is) => {
                let [one, to] = ends.map(|end| bound[&end]);
                let holds = match path {
                    Path::Direct => is_related(beings, kind, one, to),
                    Path::EitherWay => {
                        is_related(beings, kind, one, to) || is_related(beings, kind, to, one)
                    }
                    Path::Steps => reaches(beings, kind, one, to),
                };
                holds == is
            }
            Self::Distinct(one, other) => bound[&one] != bound[&other],
        }
    }

    /// Adds the term to a typed pattern, if it exists there.
    fn add(self, pattern: &mut EntityPattern) -> bool {
        let mut variable = |number: usize| pattern.variable(&format!("v{number}"));
        match self {
            Self::Cat(one, is) => {
                let one = variable(one);
                if is {
                    pattern.with::<Cat>(one);
                } else {
                    pattern.without::<Cat>(one);
                }
            }
            Self::Edge(kind, path, ends, is) => {
                let [one, to] = ends.map(variable);
                match (kind, path, is) {
                    (Kind::At, Path::Direct, true) => pattern.related::<At>(one, to),
                    (Kind::At, Path::Direct, false) => pattern.unrelated::<At>(one, to),
                    (Kind::At, Path::EitherWay, true) => pattern.related_either_way::<At>(one, to),
                    (Kind::At, Path::Steps, true) => pattern.reaches::<At>(one, to),
                    (Kind::Likes, Path::Direct, true) => pattern.related::<Likes>(one, to),
                    (Kind::Likes, Path::Direct, false) => pattern.unrelated::<Likes>(one, to),
                    (Kind::Likes, Path::EitherWay, true) => {
                        pattern.related_either_way::<Likes>(one, to)
                    }
                    (Kind::Likes, Path::Steps, true) => pattern.reaches::<Likes>(one, to),
                    (_, _, false) => return false,
                };
            }
            Self::Distinct(one, other) => {
                let (one, other) = (variable(one), variable(other));
                pattern.distinct(one, other);
            }
            Self::Hotter(..) => return false,
        }
        true
    }
}

/// All combinations of enabled entities that fit, by trying each.
fn by_hand(beings: &[Being], terms: &[PatternTerm]) -> BTreeSet<Vec<usize>> {
    let mut variables: Vec<usize> = terms.iter().flat_map(|term| term.variables()).collect();
    variables.sort_unstable();
    variables.dedup();
    let mut partial: Vec<BTreeMap<usize, usize>> = vec![BTreeMap::new()];
    for &variable in &variables {
        let enabled = (0..beings.len()).filter(|&number| !beings[number].is_disabled);
        let longer = enabled.flat_map(|number| {
            partial.iter().map(move |bound| {
                let mut bound = bound.clone();
                bound.insert(variable, number);
                bound
            })
        });
        partial = longer.collect();
    }
    let fitting = partial
        .into_iter()
        .filter(|bound| terms.iter().all(|term| term.holds(beings, bound)));
    fitting.map(|bound| bound.into_values().collect()).collect()
}

/// The matches as numbers of entities, in the order of the variables' numbers.
fn found(pattern: &EntityPattern, world: &World, entities: &[Entity]) -> Vec<Vec<usize>> {
    let names: BTreeMap<String, usize> = pattern
        .names()
        .enumerate()
        .map(|(number, name)| (name.replace("this", "v0"), number))
        .collect();
    let matches = pattern.matches(world).unwrap();
    let numbers = matches.iter().map(|found| {
        let number = |&variable: &usize| {
            let entity = found.entities()[variable];
            entities.iter().position(|&other| other == entity).unwrap()
        };
        names.values().map(number).collect()
    });
    numbers.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(300)))]

    #[test]
    fn a_pattern_finds_each_combination_of_entities_that_fits_once(
        beings in beings(),
        terms in pattern_terms(),
    ) {
        let (world, entities) = world_of(&beings);
        let text: Vec<String> = terms.iter().map(|term| term.text()).collect();
        let pattern = EntityPattern::from_text(&world, &text.join(", ")).unwrap();
        let all = found(&pattern, &world, &entities);
        let distinct: BTreeSet<Vec<usize>> = all.iter().cloned().collect();
        prop_assert_eq!(all.len(), distinct.len(), "a match came twice");
        prop_assert_eq!(distinct, by_hand(&beings, &terms));

        let mut typed = EntityPattern::new();
        let terms: Vec<PatternTerm> = terms.into_iter().filter(|term| term.add(&mut typed)).collect();
        // A term that does not exist there may have named a variable.
        if terms.iter().flat_map(|term| term.variables()).collect::<BTreeSet<_>>().len() == typed.names().len() && !terms.is_empty() {
            let typed = found(&typed, &world, &entities).into_iter().collect::<BTreeSet<_>>();
            prop_assert_eq!(typed, by_hand(&beings, &terms));
        }
    }
}

fn error_of(text: &str) -> String {
    let mut world = World::new();
    world.register::<Cat>();
    let [one, other] = [(); 2].map(|()| world.spawn(()));
    world.relate(one, Likes, other).unwrap();
    EntityPattern::from_text(&world, text)
        .unwrap_err()
        .to_string()
}

#[test]
fn a_mistake_in_a_pattern_is_an_error_at_its_place() {
    assert_eq!(
        error_of("$food pattern.cat"),
        "expected `:` or `!=` after the variable, found the name `pattern.cat`
  | $food pattern.cat
  |       ^^^^^^^^^^^ column 7
  = help: write `$food: game.health`, or `!=` and another variable"
    );
    assert_eq!(
        error_of("(Likes $food) || pattern.cat"),
        "expected a comma, found `||`
  | (Likes $food) || pattern.cat
  |               ^^ column 15
  = help: a relation to a variable is a term of its own: write a comma after it"
    );
    assert_eq!(
        error_of("pattern.cat && (Likes $food)"),
        "expected the target of a relation, found the variable `$food`
  | pattern.cat && (Likes $food)
  |                       ^^^^^ column 23
  = help: in an `EntityPattern`, write the relation to a variable as a term of its own"
    );
    assert_eq!(
        error_of("$a != $a"),
        "`$a` is never distinct from itself
  | $a != $a
  |       ^^ column 7
  = help: name another variable"
    );
    assert_eq!(
        error_of("(Liks $food)"),
        "no relation `Liks` in this world
  | (Liks $food)
  |  ^^^^ column 2
  = help: there is `Likes`"
    );
    assert!(error_of("$: pattern.cat").starts_with("a `$` without a name"));
    assert!(error_of("$a != pattern.cat").starts_with("expected a variable"));
    assert!(error_of("$a: (Likes $b").starts_with("expected `)`"));
    assert!(error_of("$a:").starts_with("expected a component"));
    assert!(error_of("$a").starts_with("expected `:` or `!=`"));
    assert!(error_of("(Likes+ 3v1)").starts_with("expected a variable, found the value `3v1`"));
    assert!(error_of("(Likes <> *)").starts_with("expected a variable, found `*`"));
    assert!(error_of("(Likes + )").starts_with("expected a variable, found `)`"));
    let error = ecs_core::data::TextQuery::new(&World::new(), "$a: pattern.cat").unwrap_err();
    assert!(
        error.to_string().starts_with("expected a component"),
        "{error}"
    );
}

#[test]
fn a_pattern_without_terms_has_no_match() {
    let mut world = World::new();
    world.spawn(());
    assert_eq!(
        EntityPattern::new().matches(&world).unwrap().iter().count(),
        0
    );
    let pattern = EntityPattern::from_text(&world, " ").unwrap();
    assert_eq!(pattern.matches(&world).unwrap().iter().count(), 0);
}

#[test]
fn a_component_that_is_borrowed_for_writing_elsewhere_is_an_error() {
    let mut world = World::new();
    world.spawn(Cat);
    let pattern = EntityPattern::from_text(&world, "pattern.cat, pattern.cat").unwrap();
    let cats = world.view_mut::<Cat>();
    assert!(pattern.matches(&world).is_err());
    drop(cats);
    assert_eq!(pattern.matches(&world).unwrap().iter().count(), 1);
}

#[test]
#[should_panic(expected = "no variable `drink` in the pattern; help: there is `this`, `food`")]
fn the_name_of_a_variable_that_does_not_exist_panics_with_those_that_do() {
    let mut world = World::new();
    let [one, other] = [(); 2].map(|()| world.spawn(()));
    world.relate(one, Likes, other).unwrap();
    let pattern = EntityPattern::from_text(&world, "(Likes $food)").unwrap();
    let matches = pattern.matches(&world).unwrap();
    let found = matches.iter().next().unwrap();
    let _ = found["drink"];
}

#[test]
#[should_panic(expected = "the variable belongs to another pattern")]
fn a_variable_of_another_pattern_panics() {
    let stranger = EntityPattern::new().variable("stranger");
    EntityPattern::new().with::<Cat>(stranger);
}

#[test]
#[should_panic(expected = "the matches are not those of the pattern's queries")]
fn matches_of_other_queries_panic() {
    let world = World::new();
    let mut pattern = EntityPattern::new();
    let cat = pattern.variable("cat");
    pattern.with::<Cat>(cat);
    drop(pattern.matches_of(&[]));
    drop(world);
}

#[test]
fn a_system_with_a_pattern_runs_beside_others_that_write_something_else() {
    let mut pattern = EntityPattern::new();
    let [cat, other] = ["cat", "other"].map(|name| pattern.variable(name));
    pattern.with::<Cat>(cat).related::<Likes>(cat, other);
    let mut system = DynamicSystem::new("pairs");
    for query in pattern.queries() {
        system = system.query(query.clone());
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    let sender = std::sync::Mutex::new(sender);
    let system = system.build(move |params| {
        for found in pattern.matches_of(&params.queries) {
            sender
                .lock()
                .unwrap()
                .send((found[cat], found[other]))
                .unwrap();
        }
    });
    let mut world = World::new();
    let [tom, fish] = [(); 2].map(|()| world.spawn(()));
    world.insert(tom, Cat).unwrap();
    world.relate(tom, Likes, fish).unwrap();
    let mut frame = Schedule::new();
    frame.add(system);
    frame.run(&mut world).unwrap();
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [(tom, fish)]);
}

/// A star: one place with many beings, each of whom likes another one there. From the place, each step has few candidates.
#[test]
fn a_pattern_starts_with_the_rarest_and_checks_the_shorter_list() {
    let mut world = World::new();
    let place = world.spawn(());
    let beings: Vec<Entity> = (0..3_000).map(|_| world.spawn(At.to(place))).collect();
    for pair in beings.windows(2) {
        world.relate(pair[0], Likes, pair[1]).unwrap();
    }
    world.insert(beings[5], Cat).unwrap();
    // 3,000 × 3,000 combinations would take minutes.
    let text = "(At $place), (Likes $other), $other: (At $place)";
    let pattern = EntityPattern::from_text(&world, text).unwrap();
    assert_eq!(pattern.matches(&world).unwrap().iter().count(), 2_999);
    let text = "(Likes $cat), $cat: pattern.cat";
    let pattern = EntityPattern::from_text(&world, text).unwrap();
    let matches = pattern.matches(&world).unwrap();
    let found: Vec<Vec<Entity>> = matches
        .iter()
        .map(|found| found.entities().to_vec())
        .collect();
    assert_eq!(found, [vec![beings[4], beings[5]]]);
}
