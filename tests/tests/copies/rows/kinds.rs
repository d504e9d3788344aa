//! Values of all kinds travel.

use std::cell::RefCell;

use ecs_core::Disabled;
use ecs_core::dynamic::{DynamicComponent, DynamicRef, DynamicValue, FieldKind};
use ecs_core::index::Index;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::toggle::TurnedOff;
use ecs_core::tree::Name;
use ecs_core::world::Layout;
use ecs_core::world::hooks::{OnAdd, OnDespawn, OnInsert, OnRemove};
use ecs_tests::{Held, Kept, Ledger, Loose as LooseWord, Mark, Token, Wide};

use super::{Aim, Burning, Gid, Knows, Loose, PartOf, Party, Place, Shield, Tracked};

#[derive(Relation)]
#[relation(many)]
struct Owes(Token);

#[derive(Relation)]
struct Guards(#[allow(dead_code, reason = "it is dropped")] Token);

#[test]
fn values_of_all_kinds_arrive() {
    let (mut one, mut other) = (Place::default(), Place::default());
    let ledger = Ledger::default();
    let full = (
        (Wide([7; 700]), Mark, Tracked("one".into()), Shield(3)),
        (Kept(ledger.token()), Held(ledger.token())),
        (Loose(8), LooseWord(9), Burning(1), Name::new("hero")),
    );
    let stays = one.spawn(1, (Loose(1), Tracked("stays".into())));
    let hero = one.spawn(2, full);
    one.spawn(3, Disabled);
    one.spawn(4, ());
    one.world.turn_off::<Shield>(hero);

    let rows = one.take(&[2, 3, 4]);
    assert_eq!((rows.len(), one.world.len()), (3, 1));
    assert_eq!(*one.world.get::<Loose>(stays).unwrap(), Loose(1));
    assert_eq!(ledger.alive(), [0, 1]);
    let put = other.put(rows);
    let [hero, disabled, bare] = put.entities[..] else {
        panic!("three entities")
    };
    let world = &mut other.world;
    assert_eq!(world.get::<Wide>(hero).unwrap().0, [7; 700]);
    assert!(world.has::<Mark>(hero));
    assert_eq!(*world.get::<Tracked>(hero).unwrap(), Tracked("one".into()));
    assert_eq!(world.get::<Kept>(hero).unwrap().0.id(), 0);
    assert_eq!(world.get::<Held>(hero).unwrap().0.id(), 1);
    assert_eq!(*world.get::<Loose>(hero).unwrap(), Loose(8));
    assert_eq!(*world.get::<Burning>(hero).unwrap(), Burning(1));
    assert_eq!(&**world.get::<Name>(hero).unwrap(), "hero");
    let off = world.query_filtered::<Entity, TurnedOff<Shield>>();
    assert!(off.iter().eq([hero]));
    drop(off);
    assert!(world.has::<Disabled>(disabled) && world.query::<&Gid>().iter().count() == 2);
    assert_eq!(world.get::<Gid>(bare).unwrap().0, 4);
    drop(other);
    assert!(ledger.alive().is_empty());
}

#[test]
fn rows_that_are_never_put_are_dropped_once() {
    let mut one = Place::default();
    let ledger = Ledger::default();
    one.spawn(1, (Kept(ledger.token()), Held(ledger.token())));
    one.spawn(2, Kept(ledger.token()));
    one.world
        .relate(one.by_gid[&1], PartOf, one.by_gid[&2])
        .unwrap();
    let rows = one.take(&[1, 2]);
    assert_eq!(ledger.alive().len(), 3);
    drop(one);
    assert_eq!(ledger.alive().len(), 3);
    drop(rows);
    assert!(ledger.alive().is_empty());
}

#[test]
fn values_of_edges_have_one_owner() {
    let (mut one, mut other) = (Place::default(), Place::default());
    let ledger = Ledger::default();
    let all = [1, 2, 3].map(|gid| one.spawn(gid, ()));
    for (source, target) in [(0, 1), (0, 2), (1, 2)] {
        let owes = Owes(ledger.token());
        one.world.relate(all[source], owes, all[target]).unwrap();
        let guards = Guards(ledger.token());
        one.world.relate(all[source], guards, all[target]).unwrap();
    }
    // The second target replaces the first one of `Guards`.
    let alive = ledger.alive();
    assert_eq!(alive.len(), 5);
    let rows = one.take(&[1, 2]);
    assert_eq!(ledger.alive(), alive);
    drop(one);
    assert_eq!(ledger.alive(), alive);
    other.put(rows);
    assert_eq!(ledger.alive(), alive);
    let targets = other.world.get::<Targets<Owes>>(other.by_gid[&1]).unwrap();
    assert!(targets.iter().map(|(_, owes)| owes.0.id()).eq([0, 2]));
    drop(targets);
    drop(other);
    assert!(ledger.alive().is_empty());
}

#[test]
fn ids_in_values_become_the_ids_of_the_other_world() {
    let (mut one, mut other) = (Place::default(), Place::default());
    other.spawn(100, ());
    let [a, b, c] = [1, 2, 3].map(|gid| one.spawn(gid, ()));
    let gone = one.world.spawn(());
    one.world.despawn(gone).unwrap();
    one.world
        .insert(a, (Party(vec![b, c, a, gone, gone]), Aim(Some(c))))
        .unwrap();
    one.world.insert(b, Aim(None)).unwrap();
    one.world.relate(a, Knows(1, Some(b)), c).unwrap();
    let known = other.spawn(3, Mark);

    let rows = one.take(&[2, 1]);
    assert!(rows.outside().eq([3]));
    let put = other.put(rows);
    let [b, a] = put.entities[..] else {
        panic!("two")
    };
    let party = &other.world.get::<Party>(a).unwrap().0;
    assert_eq!(party[..3], [b, known, a]);
    assert!(party[3] == party[4] && !other.world.contains(party[3]) && party[3] != gone);
    assert_eq!(*other.world.get::<Aim>(a).unwrap(), Aim(Some(known)));
    assert_eq!(*other.world.get::<Aim>(b).unwrap(), Aim(None));
    let targets = other.world.get::<Targets<Knows>>(a).unwrap();
    assert_eq!(targets.get(known), Some(&Knows(1, Some(b))));
}

#[test]
fn edges_travel_with_their_values_and_order() {
    let (mut one, mut other) = (Place::default(), Place::default());
    let [a, b, c, d] = [1, 2, 3, 4].map(|gid| one.spawn(gid, ()));
    for (source, value, target) in [
        (b, 1, a),
        (a, 2, b),
        (c, 3, a),
        (a, 4, d),
        (d, 5, a),
        (a, 6, c),
    ] {
        one.world
            .relate(source, Knows(value, None), target)
            .unwrap();
    }
    // Leaves a gap in the middle of two lists.
    one.world.relate(b, PartOf, a).unwrap();
    one.world.relate(c, PartOf, a).unwrap();
    one.world.relate(d, PartOf, a).unwrap();
    one.world.unrelate::<Knows>(a, d).unwrap();
    one.world.relate(a, Knows(7, None), d).unwrap();
    one.world.unrelate::<PartOf>(c, a).unwrap();
    one.world.relate(c, PartOf, a).unwrap();

    let rows = one.take(&[3, 1, 4, 2]);
    assert!(one.world.is_empty());
    other.spawn(50, ());
    other.put(rows);
    let [a, b, c, d] = [1, 2, 3, 4].map(|gid| other.by_gid[&gid]);
    let targets = other.world.get::<Targets<Knows>>(a).unwrap();
    let expected = [(b, 2), (c, 6), (d, 7)];
    assert!(
        targets
            .iter()
            .map(|(target, edge)| (target, edge.0))
            .eq(expected)
    );
    let order = |place: &Place| {
        let sources = place.world.get::<Sources<PartOf>>(a).unwrap();
        sources.iter().collect::<Vec<_>>()
    };
    assert_eq!(order(&other), [b, d, c]);
    let knows = other.world.get::<Sources<Knows>>(a).unwrap();
    assert!(knows.iter().eq([b, c, d]));
    // Both ends are consistent: a despawn cuts them.
    drop((targets, knows));
    other.world.despawn(a).unwrap();
    other.world.check_invariants();
    assert!(!other.world.has::<Target<PartOf>>(b) && !other.world.has::<Sources<Knows>>(c));
}

#[test]
fn an_entity_that_stays_becomes_a_stub_and_later_the_entity() {
    let (mut one, mut other) = (Place::default(), Place::default());
    let leader = one.spawn(1, Tracked("leader".into()));
    let rest = one.spawn(2, Aim(Some(leader)));
    one.world.relate(rest, PartOf, leader).unwrap();
    let rows = one.take(&[2]);
    let put = other.put(rows);
    let [(1, stub)] = put.stubs[..] else {
        panic!("one stub")
    };
    assert!(other.world.is_related::<PartOf>(put.entities[0], stub));
    assert_eq!(
        *other.world.get::<Aim>(put.entities[0]).unwrap(),
        Aim(Some(stub))
    );
    assert_eq!(other.world.entity(stub).unwrap().components().count(), 1);

    let rows = one.take(&[1]);
    let put = other.put(rows);
    assert_eq!((put.entities, put.stubs.len()), (vec![stub], 0));
    assert_eq!(
        *other.world.get::<Tracked>(stub).unwrap(),
        Tracked("leader".into())
    );
    let sources = other.world.get::<Sources<PartOf>>(stub).unwrap();
    assert_eq!(sources.iter().count(), 1);
}

#[test]
fn a_stub_left_behind_keeps_the_edges_of_others() {
    let (mut one, mut other) = (Place::default(), Place::default());
    let root = one.spawn(1, Mark);
    let leaf = one.spawn(2, ());
    one.world.relate(leaf, PartOf, root).unwrap();
    let rows = one.take_leaving_stubs(&[1]);
    assert!(one.world.is_related::<PartOf>(leaf, root) && !one.world.has::<Gid>(root));
    other.put(rows);
    let rows = other.take(&[1]);
    let put = one.put(rows);
    assert_eq!(put.entities, [root]);
    assert!(one.world.has::<Mark>(root) && one.world.is_related::<PartOf>(leaf, root));
}

#[test]
fn no_hook_and_no_observer_is_called_and_nothing_counts_as_removed() {
    std::thread_local!(static CALLS: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) });
    #[derive(Component)]
    #[component(track, on_add = Hooked::call, on_insert = Hooked::call, on_remove = Hooked::call, on_despawn = Hooked::call)]
    struct Hooked;
    impl Hooked {
        fn call(_: ecs_core::world::hooks::DeferredWorld<'_>, _: Entity) {
            CALLS.with_borrow_mut(|calls| calls.push("hook"));
        }
    }
    #[system]
    fn removed(mut gone: Removed<Hooked>) -> usize {
        gone.read().count()
    }
    let call = |event: &'static str| CALLS.with_borrow_mut(|calls| calls.push(event));
    let (mut one, mut other) = (Place::default(), Place::default());
    for place in [&mut one, &mut other] {
        place.world.observe(move |_: OnAdd<Hooked>| call("add"));
        place
            .world
            .observe(move |_: OnInsert<Hooked>| call("insert"));
        place
            .world
            .observe(move |_: OnRemove<Hooked>| call("remove"));
        place
            .world
            .observe(move |_: OnDespawn<Hooked>| call("despawn"));
        assert_eq!(removed(&place.world), 0);
    }
    one.spawn(1, Hooked);
    CALLS.take();
    let rows = one.take(&[1]);
    other.put(rows);
    let hooked = other.by_gid[&1];
    assert_eq!((removed(&one.world), removed(&other.world)), (0, 0));
    assert!(CALLS.take().is_empty());
    // From now on it is an entity like others.
    other.world.despawn(hooked).unwrap();
    assert_eq!(CALLS.take().len(), 4);
    assert_eq!(removed(&other.world), 1);
}

#[test]
fn groups_of_both_worlds_stay_packed() {
    let layout = Layout::new().group::<(Loose, LooseWord)>();
    let mut one = Place::default();
    one.world.set_layout(&layout).unwrap();
    let mut other = Place::default();
    for gid in 0..20 {
        one.spawn(gid, Loose(gid as u16));
        if gid % 3 != 0 {
            one.world.insert(one.by_gid[&gid], LooseWord(gid)).unwrap();
        }
    }
    let rows = one.take(&[5, 4, 9, 0, 19]);
    other.world.set_layout(&layout).unwrap();
    other.put(rows);
    let pairs = |place: &Place| {
        let query = place.world.query::<(&Loose, &LooseWord)>();
        let mut all: Vec<_> = query.iter().map(|(a, b)| (u64::from(a.0), b.0)).collect();
        all.sort_unstable();
        all
    };
    assert_eq!(pairs(&other), [(4, 4), (5, 5), (19, 19)]);
    assert_eq!(pairs(&one).len(), 10);
}

#[test]
fn fields_of_dynamic_components_that_name_entities_are_translated() {
    let bond = DynamicComponent::new("rows.bond")
        .field("to", FieldKind::Entity)
        .field("name", FieldKind::String)
        .register()
        .unwrap();
    let (mut one, mut other) = (Place::default(), Place::default());
    other.spawn(9, ());
    let [a, b] = [1, 2].map(|gid| one.spawn(gid, ()));
    let value = DynamicValue::new(bond).unwrap();
    let value = value
        .with("to", Some(b))
        .unwrap()
        .with("name", String::from("x"))
        .unwrap();
    one.world.insert_dynamic(a, value).unwrap();
    one.world
        .insert_dynamic(b, DynamicValue::new(bond).unwrap())
        .unwrap();
    let rows = one.take(&[1]);
    let put = other.put(rows);
    let view = other.world.view_erased(bond);
    let value = DynamicRef::of(view.get(put.entities[0]).unwrap()).unwrap();
    assert_eq!(value.get::<Option<Entity>>("to"), Ok(&Some(put.stubs[0].1)));
    assert_eq!(value.get::<String>("name").map(String::as_str), Ok("x"));
}

#[test]
fn an_index_knows_what_has_come_and_gone() {
    #[derive(Component, Clone, PartialEq, Eq, Hash)]
    #[component(track)]
    struct Team(u8);
    #[system]
    fn of_team(teams: Index<Team>) -> Vec<Entity> {
        teams.get(&Team(1)).to_vec()
    }
    let (mut one, mut other) = (Place::default(), Place::default());
    let a = one.spawn(1, Team(1));
    let b = one.spawn(2, Team(1));
    let c = other.spawn(3, Team(1));
    assert_eq!(
        (of_team(&one.world), of_team(&other.world)),
        (vec![a, b], vec![c])
    );
    let rows = one.take(&[1]);
    assert_eq!(of_team(&one.world), [b]);
    let put = other.put(rows);
    let mut both = vec![c, put.entities[0]];
    both.sort_unstable();
    assert_eq!(of_team(&other.world), both);
}
