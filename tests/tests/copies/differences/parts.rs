//! Differences that leave out components, and the order of maps.

use std::collections::HashMap;

use ecs_core::data::{Diff, Differ};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[component(data = "parts.gold")]
struct Gold(u32);

#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "parts.speed")]
struct Speed(u32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "parts.wheels")]
struct Wheels(u32);

impl Default for Wheels {
    fn default() -> Self {
        Self(4)
    }
}

#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "parts.paint", storage = "sparse")]
struct Paint(u32);

/// Requires a component that a difference leaves out, and others.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "parts.cart", require(Speed, Wheels, Paint))]
struct Cart;

#[test]
fn a_difference_that_leaves_out_components_makes_those_alone() {
    let mut world = World::new();
    let [stays, gets] = [Some(Cart), None].map(|cart| match cart {
        Some(cart) => world.spawn((cart, Speed(7))),
        None => world.spawn(Gold(1)),
    });
    let before = world.try_clone().unwrap();
    // The required component is missing in the second state.
    world.insert(gets, (Cart, Speed(8))).unwrap();
    world.remove::<(Wheels, Paint)>(gets).unwrap();
    world.remove::<Wheels>(stays).unwrap();
    let spawned = world.spawn((Cart, Speed(9), Wheels(3)));
    world.remove::<Paint>(spawned).unwrap();
    let without = Differ::new().without::<Speed>();
    let diff = without.between(&before, &world).unwrap();
    let text = serde_json::to_string(&diff).unwrap();
    assert!(text.contains(r#""partial":["parts.speed"]"#), "{text}");
    let read: Diff = serde_json::from_str(&text).unwrap();
    assert_eq!(read, diff);
    assert_eq!(Diff::from_slice(&diff.to_vec().unwrap()).unwrap(), diff);
    for diff in [&diff, &read, &Diff::default().then(&diff).unwrap()] {
        let mut copy = before.try_clone().unwrap();
        diff.apply(&mut copy).unwrap();
        assert!(without.between(&copy, &world).unwrap().is_empty());
        let speed = |entity| copy.get::<Speed>(entity).unwrap().0;
        assert_eq!(speed(stays), 7, "those that stay keep theirs");
        assert_eq!(
            [gets, spawned].map(speed),
            [Speed::default().0; 2],
            "it is required"
        );
        diff.reversed().apply(&mut copy).unwrap();
        assert!(without.between(&copy, &before).unwrap().is_empty());
    }
    // Facts that the difference would need to know about an entity that disappears.
    let mut other = world.try_clone().unwrap();
    other.insert(spawned, Gold(5)).unwrap();
    let error = diff.reversed().apply(&mut other).unwrap_err();
    assert!(error.to_string().contains("`parts.gold`"), "{error}");
    // A difference written without the names inserts all required components, and includes everything.
    let old = text.replace(r#"["parts.speed"]"#, "true");
    let old: Diff = serde_json::from_str(&old).unwrap();
    old.reversed().apply(&mut other).unwrap();
    old.apply(&mut other).unwrap();
    assert_eq!(*other.get::<Paint>(spawned).unwrap(), Paint(0));
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "parts.prices")]
struct Prices(HashMap<String, HashMap<u8, i32>>);

impl Prices {
    /// Equal maps have their entries in different orders.
    fn new(count: u8) -> Self {
        let inner = || (0..20).map(|key| (key, i32::from(key) - 1)).collect();
        Self(
            (0..count)
                .map(|key| (format!("key {key}"), inner()))
                .collect(),
        )
    }
}

#[test]
fn the_order_of_a_map_is_no_difference() {
    let make = |count| {
        let mut world = World::new();
        world.spawn(Prices::new(count));
        world
    };
    for _ in 0..10 {
        let [one, other] = [make(20), make(20)];
        assert!(one.diff(&other).unwrap().is_empty());
        assert!(one.diff(&one.try_clone().unwrap()).unwrap().is_empty());
        let less = make(19);
        let [first, second] = [one, other].map(|world| less.diff(&world).unwrap());
        assert_eq!(first, second);
        assert_eq!(first.reversed(), second.reversed());
        assert_ne!(first, second.reversed());
        assert!(first.then(&second.reversed()).unwrap().is_empty());
        let mut world = make(19);
        second.apply(&mut world).unwrap();
        assert_eq!(world.hash().unwrap(), make(20).hash().unwrap());
    }
}
