//! All values of a component in any format: the same as each of them alone.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::component::ComponentId;
use ecs_core::data::ValueEncoder;
use ecs_core::dynamic::{DynamicComponent, DynamicValue, FieldKind};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize, Serializer};

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "rows.unit", storage = "sparse")]
struct Unit;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "rows.awake")]
struct Awake(bool);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "rows.whole", track)]
struct Whole(u64);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "rows.wide", storage = "sparse")]
struct Wide(i128);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "rows.real")]
struct Real(f32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "rows.key")]
struct Key(char);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "rows.caption")]
struct Caption(String);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "rows.aim")]
struct Aim(Option<Entity>);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "rows.nested")]
struct Nested(Option<Option<()>>);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "rows.order", storage = "sparse")]
enum Order {
    Wait,
    Some,
    Walk { x: f64 },
    Follow(Entity),
}

/// Spawns so many entities with values, and compares.
fn are_alike<T: Component + Debug>(name: &str, count: u32, value: impl Fn(u32) -> T) {
    let mut world = World::new();
    for number in 0..count {
        let entity = world.spawn(value(number));
        if number % 5 == 0 {
            // Another table.
            world.insert(entity, Other).unwrap();
        }
    }
    compare(&world, ValueEncoder::named(&world, name).unwrap(), count);
}

#[derive(Component)]
struct Other;

/// A value in two formats, or the errors.
fn written(value: &impl Serialize) -> [Result<Vec<u8>, String>; 2] {
    [
        serde_json::to_vec(value).map_err(|error| error.to_string()),
        rmp_serde::to_vec(value).map_err(|error| error.to_string()),
    ]
}

#[track_caller]
fn compare(world: &World, encoder: ValueEncoder, count: u32) {
    let view = world.view_erased(encoder.component());
    let mut compared = 0;
    for chunk in view.chunks() {
        let mut rows = encoder.encode_rows(chunk);
        for row in 0..chunk.len() {
            assert_eq!(rows.len(), chunk.len() - row);
            let (one, of_rows) = (
                encoder.encode(chunk.get(row).unwrap()),
                rows.next().unwrap(),
            );
            assert_eq!(written(&one), written(&of_rows));
            // `NaN` is another value than itself.
            let [one, of_rows] = [one.to_value(), of_rows.to_value()]
                .map(|tree| format!("{:?}", tree.map_err(|error| error.to_string())));
            assert_eq!(one, of_rows);
            compared += 1;
        }
        assert!(rows.next().is_none() && rows.next().is_none());
        let mut each = Vec::new();
        encoder
            .encode_rows(chunk)
            .for_each(|value| each.push(written(&value)));
        let alone = (0..chunk.len()).map(|row| written(&encoder.encode(chunk.get(row).unwrap())));
        assert!(each.into_iter().eq(alone), "all in one loop");
    }
    assert_eq!(compared, count);
}

#[test]
fn rows_are_written_like_each_value_alone() {
    let mut world = World::new();
    let leader = world.spawn(());
    for count in [1, 5, 63, 64, 65, 128, 129, 200] {
        are_alike("rows.unit", count, |_| Unit);
        are_alike("rows.awake", count, |number| Awake(number % 3 == 0));
        are_alike("rows.whole", count, |number| {
            Whole(u64::MAX >> (number % 64))
        });
        are_alike("rows.wide", count, |number| {
            Wide(i128::MIN >> (number % 128))
        });
        are_alike("rows.real", count, |number| {
            Real([0.1, f32::NAN, f32::INFINITY, -0.0][number as usize % 4])
        });
        are_alike("rows.key", count, |number| {
            Key(char::from_u32(number * 31).unwrap())
        });
        are_alike("rows.caption", count, |number| {
            Caption("\"".repeat(number as usize % 7))
        });
        are_alike("rows.aim", count, |number| {
            Aim((number % 2 == 0).then_some(leader))
        });
        are_alike("rows.nested", count, |number| {
            Nested([None, Some(None), Some(Some(()))][number as usize % 3])
        });
        // The first 80 have parts.
        are_alike("rows.order", count, |number| match number {
            0..80 => Order::Walk {
                x: f64::from(number),
            },
            _ => match number % 3 {
                0 => Order::Wait,
                1 => Order::Some,
                _ => Order::Follow(leader),
            },
        });
    }
}

#[test]
fn rows_of_a_component_of_run_time_are_written_like_each_value_alone() {
    let component = DynamicComponent::new("rows.oxygen")
        .field("left", FieldKind::F32)
        .register()
        .unwrap();
    let mut world = World::new();
    for number in 0..40 {
        let entity = world.spawn(());
        let value = DynamicValue::new(component).unwrap();
        let value = value.with("left", number as f32).unwrap();
        world.insert_dynamic(entity, value).unwrap();
    }
    compare(
        &world,
        ValueEncoder::named(&world, "rows.oxygen").unwrap(),
        40,
    );
}

#[derive(Component, Clone, Debug, Deserialize)]
#[component(data = "rows.fragile")]
struct Fragile(u32);

impl Serialize for Fragile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            40 => panic!("it breaks"),
            50 => Err(serde::ser::Error::custom("it is broken")),
            number => serializer.serialize_u32(number),
        }
    }
}

#[test]
fn a_value_that_fails_does_not_change_the_others() {
    let mut world = World::new();
    for number in (0..100).filter(|number| *number != 40) {
        world.spawn(Fragile(number));
    }
    let encoder = ValueEncoder::named(&world, "rows.fragile").unwrap();
    compare(&world, encoder, 99);
    let view = world.view_erased(encoder.component());
    let values = view.chunks().flat_map(|chunk| encoder.encode_rows(chunk));
    let failed = values.filter(|value| serde_json::to_string(value).is_err());
    assert_eq!(failed.count(), 1);
}

#[test]
fn after_a_panic_no_value_is_passed_over() {
    let mut world = World::new();
    for number in 0..70 {
        // The 66th panics.
        world.spawn(Fragile(if number == 65 { 40 } else { number + 100 }));
    }
    let encoder = ValueEncoder::named(&world, "rows.fragile").unwrap();
    let view = world.view_erased(encoder.component());
    let mut rows = encoder.encode_rows(view.chunks().next().unwrap());
    let before = rows
        .by_ref()
        .take(64)
        .map(|value| serde_json::to_string(&value).unwrap());
    assert!(before.eq((100..164).map(|number| number.to_string())));
    for _ in 0..2 {
        assert!(catch_unwind(AssertUnwindSafe(|| rows.next().is_some())).is_err());
        assert_eq!(rows.len(), 6);
    }
}

#[test]
#[should_panic(expected = "a value of `rows.unit` was passed to the encoder of `rows.awake`")]
fn an_encoder_refuses_rows_of_other_components() {
    let mut world = World::new();
    world.spawn(Unit);
    let encoder = ValueEncoder::of(ComponentId::of::<Awake>()).unwrap();
    let view = world.view_erased(ComponentId::of::<Unit>());
    let _ = encoder.encode_rows(view.chunks().next().unwrap());
}
