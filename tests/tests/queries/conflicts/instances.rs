//! Systems over different instances of one generic component, which no constant identity tells apart.

use super::*;

struct Red;
struct Blue;

type Movers<'w> = Query<'w, (&'static mut Tag<Red>, &'static Tag<Blue>)>;
type Apart<'w> = Query<'w, &'static mut Tag<Red>, With<Lamp>>;

type OneOf<'w> = ParamSet<'w, (CompMut<'w, Tag<Red>>, Comp<'w, Tag<Red>>)>;

#[derive(ecs_core::QueryData)]
#[allow(dead_code, reason = "only borrowed")]
struct Marked<'a> {
    red: &'a mut Tag<Red>,
    blue: &'a Tag<Blue>,
}

#[derive(SystemParam)]
#[allow(dead_code, reason = "only borrowed")]
struct Halves<'w> {
    red: Query<'w, &'static mut Tag<Red>, With<Lamp>>,
    blue: Query<'w, &'static mut Tag<Blue>, Without<Lamp>>,
}

#[derive(SystemParam)]
#[allow(dead_code, reason = "only borrowed")]
pub(super) struct Turns<'w, T: Component> {
    set: OneOf<'w>,
    other: Comp<'w, T>,
}

#[system]
fn of_an_alias(_red: Movers<'_>, _blue: Comp<Tag<Blue>>) {}

#[system]
fn kept_apart(_red: Apart<'_>, _read: Query<&Tag<Red>, Without<Lamp>>) {}

#[system]
fn of_derived_data(_red: Query<Marked<'_>>, _blue: Query<(&Tag<Blue>, &A)>) {}

#[system]
fn of_halves(
    _halves: Halves<'_>,
    _red: Query<&Tag<Red>, Without<Lamp>>,
    _blue: Query<&mut Tag<Blue>, With<Lamp>>,
) {
}

#[system]
fn of_turns(_turns: Turns<'_, Tag<Blue>>, _blue: Comp<Tag<Blue>>) {}

#[system]
fn by_filters(_red: Query<&mut A, With<Tag<Red>>>, _blue: Query<&A, Without<Tag<Red>>>) {}

mod filters {
    use super::*;

    #[derive(Component)]
    struct Secret<T: Send + Sync + 'static>(T);

    type Grey = (Without<Secret<Blue>>, Without<Secret<Red>>);

    #[derive(ecs_core::QueryFilter)]
    #[allow(dead_code, reason = "only compared")]
    pub(crate) struct Known {
        secret: With<Secret<Red>>,
    }

    #[derive(ecs_core::QueryFilter)]
    #[allow(dead_code, reason = "only compared")]
    pub(crate) struct Unknown {
        lamp: With<Lamp>,
        secret: Without<Secret<Red>>,
    }

    #[derive(SystemParam)]
    #[allow(dead_code, reason = "only borrowed")]
    pub(crate) struct KnownOnes<'w> {
        all: Query<'w, &'static mut A, Known>,
    }

    #[derive(SystemParam)]
    #[allow(dead_code, reason = "only borrowed")]
    pub(crate) struct UnknownOnes<'w> {
        all: Query<'w, &'static A, Grey>,
    }
}
use filters::{Known, KnownOnes, Unknown, UnknownOnes};

type Colourless = Without<Tag<Red>>;
type NotBoth = ecs_core::Or<(Colourless, Without<Tag<Blue>>)>;
type Both = (Known, With<Tag<Red>>, With<Tag<Blue>>);

#[system]
fn by_derived_filters(_known: Query<&mut A, Known>, _unknown: Query<&A, Unknown>) {}

#[system]
fn by_filters_of_fields(_known: KnownOnes<'_>, _unknown: UnknownOnes<'_>) {}

#[system]
fn by_an_alias(_red: Query<(&mut A, &Tag<Red>)>, _others: Query<&A, Colourless>) {}

#[system]
fn by_a_negation(
    _red: Query<&mut A, ecs_core::query::Not<Colourless>>,
    _others: Query<&A, (With<Tag<Blue>>, Colourless)>,
) {
}

#[system]
fn by_alternatives(_both: Query<&mut A, Both>, _others: Query<&A, NotBoth>) {}

#[test]
fn systems_over_different_instances_are_accepted() {
    let world = World::new();
    of_an_alias(&world);
    kept_apart(&world);
    of_derived_data(&world);
    of_halves(&world);
    of_turns(&world);
    by_filters(&world);
    by_derived_filters(&world);
    by_filters_of_fields(&world);
    by_an_alias(&world);
    by_a_negation(&world);
    by_alternatives(&world);
}
