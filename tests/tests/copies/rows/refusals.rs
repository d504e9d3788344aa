//! Entities that cannot travel are refused before anything has changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ecs_core::prelude::*;
use ecs_core::rows::{PutRowsReason, TakeRowsError};
use ecs_core::staging::StageError;
use ecs_core::world::hooks::Trigger;
use serde::{Deserialize, Serialize};

use super::{Aim, Knows, PartOf, Party, Place, Tracked};

/// Refuses to be written or read if it is armed.
#[derive(Component, Clone, Debug, PartialEq)]
#[component(data = "rows.fussy")]
struct Fussy {
    of: Option<Entity>,
    says: u8,
}

impl Serialize for Fussy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.says {
            1 => Err(serde::ser::Error::custom("not now")),
            says => (self.of, says).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Fussy {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (of, says) = <(Option<Entity>, u8)>::deserialize(deserializer)?;
        match says {
            2 => Err(serde::de::Error::custom("never")),
            says => Ok(Self { of, says }),
        }
    }
}

fn take_error(place: &mut Place, list: &[Entity]) -> TakeRowsError {
    let before = (place.world.len(), place.world.tick());
    let keys = place.keys();
    let error = place
        .world
        .take_rows(list, |_, entity| keys.get(&entity).copied());
    let error = error.unwrap_err();
    place.world.check_invariants();
    assert_eq!(place.world.len(), before.0);
    error
}

#[test]
fn entities_that_cannot_leave_are_named() {
    let mut one = Place::default();
    let [a, b] = [1, 2].map(|gid| one.spawn(gid, Tracked("x".into())));
    let gone = one.world.spawn(());
    one.world.despawn(gone).unwrap();
    assert_eq!(
        take_error(&mut one, &[a, gone]),
        TakeRowsError::NoEntity { entity: gone }
    );
    assert_eq!(
        take_error(&mut one, &[b, a, b]),
        TakeRowsError::Twice { entity: b }
    );
    assert_eq!(
        take_error(&mut one, &[a, a]),
        TakeRowsError::Twice { entity: a }
    );

    let nameless = one.world.spawn(());
    let no_key = |named_by| TakeRowsError::NoKey {
        entity: nameless,
        named_by,
    };
    assert_eq!(take_error(&mut one, &[a, nameless]), no_key(None));
    one.world.insert(a, Aim(Some(nameless))).unwrap();
    assert_eq!(take_error(&mut one, &[a]), no_key(Some("rows.aim")));
    one.world.remove::<Aim>(a).unwrap();
    one.world.relate(a, Knows(1, None), nameless).unwrap();
    let error = take_error(&mut one, &[a]);
    assert_eq!(error, no_key(Some("rows.knows")));
    assert_eq!(
        error.to_string(),
        format!(
            "there is no key for the entity {nameless}, which stays, and `rows.knows` of an entity to be taken names it; help: return `Some` key for it, or take it along"
        )
    );
    one.world.unrelate::<Knows>(a, nameless).unwrap();
    let same = one.world.take_rows(&[a, b], |_, _| Some(7)).unwrap_err();
    assert_eq!(
        same,
        TakeRowsError::KeyTwice {
            key: 7,
            entities: [a, b]
        }
    );

    // The keys are not in order, and other ones are between the equal ones.
    let c = one.world.spawn(());
    let mut keys = [7, 3, 7].into_iter();
    let same = one.world.take_rows(&[a, b, c], |_, _| keys.next());
    assert_eq!(
        same.unwrap_err(),
        TakeRowsError::KeyTwice {
            key: 7,
            entities: [a, c]
        }
    );
    one.world.despawn(c).unwrap();
    // One that stays has a key of one that goes.
    one.world.insert(a, Aim(Some(b))).unwrap();
    let same = one.world.take_rows(&[a], |_, _| Some(7)).unwrap_err();
    assert_eq!(
        same,
        TakeRowsError::KeyTwice {
            key: 7,
            entities: [a, b]
        }
    );
    one.world.remove::<Aim>(a).unwrap();

    one.world.relate(b, PartOf, a).unwrap();
    let error = take_error(&mut one, &[a]);
    assert!(
        matches!(error, TakeRowsError::Related { source, target, .. } if (source, target) == (b, a))
    );
    assert!(
        error.to_string().contains("`take_rows_leaving_stubs`"),
        "{error}"
    );
    one.world.observe_on(b, |_: Trigger<u8>| {}).unwrap();
    assert_eq!(
        take_error(&mut one, &[b, a]),
        TakeRowsError::Observed { entity: b }
    );
}

#[test]
fn a_value_that_cannot_be_written_or_read_is_named() {
    let (mut one, mut other) = (Place::default(), Place::default());
    let a = one.spawn(1, Fussy { of: None, says: 0 });
    let b = one.spawn(
        2,
        Fussy {
            of: Some(a),
            says: 1,
        },
    );
    let error = take_error(&mut one, &[a, b]);
    let expected = TakeRowsError::Value {
        entity: Some(b),
        name: "rows.fussy",
        message: "not now".into(),
    };
    assert_eq!(error, expected);

    one.world
        .insert(
            b,
            Fussy {
                of: Some(a),
                says: 2,
            },
        )
        .unwrap();
    let rows = one.take(&[1, 2]);
    let error = other.world.put_rows(rows, |_| None).unwrap_err();
    let expected = PutRowsReason::Value {
        key: Some(2),
        name: "rows.fussy",
        message: "never".into(),
    };
    assert_eq!(*error.reason(), expected);
    assert!(other.world.is_empty());
    // They go back as they were.
    let put = one.world.put_rows(error.into_rows(), |_| None);
    assert!(put.is_err(), "the value is not read here either");
}

/// Names one entity, and another one later. It goes on if an id cannot be written, or be read.
#[derive(Component, Debug, Default)]
#[component(data = "rows.shifty", no_clone)]
struct Shifty {
    of: [Option<Entity>; 2],
    is_later: Arc<AtomicBool>,
    reads: Option<u32>,
}

impl Serialize for Shifty {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let later = self.is_later.load(Ordering::Relaxed);
        _ = serde_json::to_string(&self.of[usize::from(later)]);
        self.reads.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Shifty {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let reads = Option::<u32>::deserialize(deserializer)?;
        _ = reads.map(|number| serde_json::from_str::<Entity>(&number.to_string()));
        Ok(Self {
            reads,
            ..Self::default()
        })
    }
}

#[test]
fn an_id_that_cannot_be_written_or_read_is_an_error_even_if_the_value_goes_on() {
    let (mut one, mut other) = (Place::default(), Place::default());
    let [a, b] = [1, 2].map(|gid| one.spawn(gid, ()));
    let cases = [
        (
            [Some(a), Some(b)],
            None,
            format!("the entity {b} is not saved"),
        ),
        ([Some(a); 2], Some(9), "there is no entity 9".to_owned()),
    ];
    for (of, reads, message) in cases {
        let is_later = Arc::new(AtomicBool::new(false));
        let shifty = Shifty {
            of,
            is_later: is_later.clone(),
            reads,
        };
        one.spawn(3, shifty);
        let rows = one.take(&[3]);
        is_later.store(true, Ordering::Relaxed);
        let error = other.world.put_rows(rows, |_| None).unwrap_err();
        let name = "rows.shifty";
        let key = Some(3);
        assert_eq!(*error.reason(), PutRowsReason::Value { key, name, message });
        assert!(other.world.is_empty());
        other.world.check_invariants();
    }
}

#[test]
fn entities_that_do_not_fit_into_the_other_world_come_back() {
    let (mut one, mut other) = (Place::default(), Place::default());
    let [a, b, c] = [1, 2, 3].map(|gid| one.spawn(gid, Party(Vec::new())));
    one.world.insert(a, Party(vec![b, c])).unwrap();
    one.world.relate(a, PartOf, c).unwrap();
    let known = other.spawn(1, Tracked("known".into()));
    let gone = other.world.spawn(());
    other.world.despawn(gone).unwrap();
    let rows = one.take(&[1, 2]);
    let ids = [(1, known), (1, gone), (3, gone)];
    let mut rows = Some(rows);
    let mut refuse = |other: &mut Place, find: &dyn Fn(u64) -> Option<Entity>| {
        let error = other
            .world
            .put_rows(rows.take().unwrap(), find)
            .unwrap_err();
        let (reason, text) = (error.reason().clone(), error.to_string());
        rows = Some(error.into_rows());
        other.world.check_invariants();
        assert_eq!(other.world.len(), 1);
        (reason, text)
    };
    for (key, entity) in ids {
        let (reason, _) = refuse(&mut other, &|gid| (gid == key).then_some(entity));
        let expected = match entity == known {
            true => PutRowsReason::NoStub { key, entity },
            false => PutRowsReason::NoEntity { key, entity },
        };
        assert_eq!(reason, expected);
    }
    other.world.remove::<(Tracked, super::Gid)>(known).unwrap();
    let (reason, text) = refuse(&mut other, &|gid| (gid < 3).then_some(known));
    assert_eq!(
        reason,
        PutRowsReason::EntityTwice {
            keys: [1, 2],
            entity: known
        }
    );
    assert_eq!(
        text,
        format!("the entity {known} is said to have the key 1 and the key 2")
    );

    // Back home with all ids.
    let put = one
        .world
        .put_rows(rows.unwrap(), |gid| (gid == 3).then_some(c))
        .unwrap();
    let [a, b] = put.entities[..] else {
        panic!("two")
    };
    assert_eq!(*one.world.get::<Party>(a).unwrap(), Party(vec![b, c]));
    assert!(one.world.is_related::<PartOf>(a, c));
}

#[test]
fn a_cycle_by_way_of_a_stub_is_refused() {
    let (mut one, mut other) = (Place::default(), Place::default());
    let [a, b] = [1, 2].map(|gid| one.spawn(gid, ()));
    one.world.relate(a, PartOf, b).unwrap();
    one.world.insert(a, Party(vec![b, a])).unwrap();
    // In the other world, 2 is below 1, and ids differ.
    other.world.spawn(());
    let [stub, below] = [(); 2].map(|()| other.world.spawn(()));
    other.world.relate(below, PartOf, stub).unwrap();
    let rows = one.take(&[1]);
    let find = |gid| Some(if gid == 1 { stub } else { below });
    let error = other.world.put_rows(rows, find).unwrap_err();
    let PutRowsReason::Stage(StageError::CycleOfWorld {
        number: 0, target, ..
    }) = *error.reason()
    else {
        panic!("{error}")
    };
    assert_eq!(target, below);
    assert!(error.to_string().contains("is a tree"), "{error}");
    let put = one
        .world
        .put_rows(error.into_rows(), |gid| (gid == 2).then_some(b))
        .unwrap();
    let a = put.entities[0];
    assert!(one.world.is_related::<PartOf>(a, b));
    assert_eq!(*one.world.get::<Party>(a).unwrap(), Party(vec![b, a]));
}
