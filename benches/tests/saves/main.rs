//! Saves and clones of random worlds, compared with a model and so with the other peers in this build:
//! `cargo test -p ecs-benches --features bevy,hecs --test saves`.

#[cfg(feature = "bevy")]
mod bevy;
#[cfg(feature = "hecs")]
mod hecs;
mod model;
mod ours;

use model::Plan;

/// The number of random worlds.
const ROUNDS: u64 = 300;

#[test]
fn worlds_come_back_from_saves() {
    for seed in 0..ROUNDS {
        let plan = Plan::random(seed);
        let expected = plan.rows();
        for (form, found) in ours::saved_and_loaded(&plan) {
            assert_eq!(found, expected, "ours, {form}, {seed}");
        }
        #[cfg(feature = "hecs")]
        for (form, found) in hecs::saved_and_loaded(&plan) {
            assert_eq!(found, expected, "hecs, {form}, {seed}");
        }
    }
}

#[test]
fn trees_are_cloned_with_their_links() {
    for seed in 0..ROUNDS {
        let plan = Plan::random(seed);
        for root in 0..plan.nodes.len() {
            let expected = plan.with_clone_of(root);
            assert_eq!(
                ours::with_clone_of(&plan, root),
                expected,
                "ours, {seed}, {root}"
            );
            // bevy only finds the copies of ancestors when it clones a value with ids.
            #[cfg(feature = "bevy")]
            if plan.links_lead_up_or_out() {
                assert_eq!(
                    bevy::with_clone_of(&plan, root),
                    expected,
                    "bevy, {seed}, {root}"
                );
            }
        }
    }
}

#[test]
fn single_entities_are_cloned_with_links_to_themselves() {
    for seed in 0..ROUNDS {
        // Without children, a tree is a single entity.
        let plan = Plan::random(seed).without_parents();
        for root in 0..plan.nodes.len() {
            let expected = plan.with_clone_of(root);
            assert_eq!(
                ours::with_clone_of_one(&plan, root),
                expected,
                "ours, {seed}, {root}"
            );
            #[cfg(feature = "bevy")]
            assert_eq!(
                bevy::with_clone_of(&plan, root),
                expected,
                "bevy, {seed}, {root}"
            );
        }
    }
}

#[test]
fn some_plans_have_what_is_compared() {
    let plans: Vec<Plan> = (0..ROUNDS).map(Plan::random).collect();
    let nodes = || plans.iter().flat_map(|plan| &plan.nodes);
    assert!(nodes().filter(|node| node.parent.is_some()).count() > 300);
    assert!(nodes().filter(|node| node.link.is_some()).count() > 300);
    let up = plans.iter().filter(|plan| plan.links_lead_up_or_out());
    let up = up.count();
    assert!((60..280).contains(&up), "{up} of {ROUNDS}");
}
