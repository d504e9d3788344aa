//! Tests of definitions and values.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::alloc::Layout;

use super::{
    DefineError, DynamicComponent, DynamicRef, DynamicType, DynamicValue, FieldError, FieldKind,
    FieldMut, FieldRef,
};
use crate::component::{ComponentId, StorageKind};
use crate::meta::ConstTypeId;
use crate::test_components::Position;
use crate::world::{ErasedColumn, World};

fn person() -> DynamicComponent {
    DynamicComponent::new("tests.person")
        .field("age", FieldKind::U8)
        .field("name", FieldKind::String)
        .field("score", FieldKind::F64)
        .field("friend", FieldKind::Entity)
        .field("title", FieldKind::String)
}

#[test]
fn fields_have_places_of_their_own() {
    let mut all = DynamicComponent::new("tests.all_kinds");
    for kind in FieldKind::ALL {
        all = all.field(kind.name().replace(['<', '>'], "_"), *kind);
    }
    let ty = DynamicType::of(all.register().unwrap()).unwrap();
    let mut ends = Vec::new();
    for field in ty.fields() {
        assert!(field.offset() >= size_of::<&DynamicType>());
        assert_eq!(field.offset() % field.kind().layout().align(), 0);
        assert!(ends.iter().all(|&end| field.offset() >= end));
        ends.push(field.offset() + field.kind().layout().size());
    }
    assert!(ty.layout().size() >= *ends.last().unwrap());
    assert_eq!(ty.layout(), ty.layout().pad_to_align());
    let value = DynamicValue::new(ty.component()).unwrap();
    for (field, (name, value)) in ty.fields().iter().zip(value.as_ref().fields()) {
        assert_eq!((field.name(), field.kind()), (name, value.kind()));
    }
    assert_eq!(value.as_ref().fields().count(), FieldKind::ALL.len());
}

#[test]
fn plain_fields_need_no_more_memory_than_a_struct() {
    let plain = DynamicComponent::new("tests.plain")
        .field("x", FieldKind::F32)
        .field("on", FieldKind::Bool)
        .register()
        .unwrap();
    assert_eq!(plain.layout(), Layout::new::<(f32, bool)>());
    let tag = DynamicComponent::new("tests.tag").register().unwrap();
    assert_eq!(tag.layout(), Layout::new::<()>());
    let [plain, tag] = [plain, tag].map(|id| DynamicValue::new(id).unwrap());
    assert_eq!(
        alloc::format!("{plain:?} {tag:?}"),
        "tests.plain { x: 0.0, on: false } tests.tag"
    );
    assert_eq!(tag.clone(), tag);
    assert_ne!(tag, plain);
}

#[test]
fn values_are_written_read_cloned_and_compared() {
    let id = person().register().unwrap();
    let mut one = DynamicValue::new(id)
        .unwrap()
        .with("name", "Ada".to_owned())
        .and_then(|value| value.with("age", 36_u8))
        .unwrap();
    let copy = one.clone();
    assert_eq!(one, copy);
    one.as_mut()
        .get_mut::<String>("name")
        .unwrap()
        .push_str(" L.");
    for (name, field) in one.as_mut().fields_mut() {
        if let FieldMut::String(text) = field {
            text.insert_str(0, name);
        }
    }
    assert_ne!(one, copy);
    assert_eq!(one.as_ref().get::<String>("name").unwrap(), "nameAda L.");
    assert_eq!(one.as_ref().get::<String>("title").unwrap(), "title");
    assert_eq!(
        copy.as_ref().field("name"),
        Some(FieldRef::String(&"Ada".to_owned()))
    );
    assert_eq!(copy.as_ref().field("none"), None);
    assert_eq!(
        alloc::format!("{copy:?}"),
        r#"tests.person { age: 36, name: "Ada", score: 0.0, friend: None, title: "" }"#
    );
    drop(one);
    assert_eq!(copy.as_ref().get::<u8>("age"), Ok(&36));
}

#[test]
fn fields_of_the_wrong_type_are_refused() {
    let id = person().register().unwrap();
    let value = DynamicValue::new(id).unwrap();
    assert_eq!(
        value.as_ref().get::<u32>("age").unwrap_err().to_string(),
        "field `age` of component `tests.person` is of type `u8`, not `u32`; help: use `u8`"
    );
    assert_eq!(
        value.with("agee", 3_u8).unwrap_err().to_string(),
        "component `tests.person` has no field `agee`; help: its fields are `age: u8`, `name: String`, `score: f64`, `friend: Option<Entity>`, `title: String`"
    );
    let typed = ComponentId::of::<Position>();
    assert_eq!(
        DynamicValue::new(typed).unwrap_err(),
        FieldError::NoFields { component: typed }
    );
    assert!(DynamicType::of(typed).is_none());
}

#[test]
fn one_name_is_one_component() {
    let id = person().register().unwrap();
    assert_eq!(person().register(), Ok(id));
    assert_eq!(ComponentId::named("tests.person"), [id]);
    assert_eq!(DynamicType::named("tests.person").unwrap().component(), id);
    let taken = Err(DefineError::NameTaken {
        name: "tests.person".to_owned(),
    });
    assert_eq!(person().sparse().register(), taken);
    assert_eq!(person().tracked().register(), taken);
    assert_eq!(person().field("more", FieldKind::Bool).register(), taken);
    // SAFETY: the component has no values that are used.
    let raw = unsafe { DynamicComponent::raw("tests.person", id.layout(), None, None) };
    assert_eq!(raw.register(), taken);
    let sparse = DynamicComponent::new("tests.sparse")
        .sparse()
        .register()
        .unwrap();
    assert_eq!(
        (sparse.storage(), id.storage()),
        (StorageKind::Sparse, StorageKind::Table)
    );
    let typed = ComponentId::of::<Position>();
    assert!(DynamicComponent::new(typed.name()).register().is_err());
}

#[test]
fn bad_names_are_refused() {
    for name in ["", "two words", "a,b", "a\nb", "(a)", "a\"b", "*", "!a"] {
        let bad = Err(DefineError::BadName {
            name: name.to_owned(),
        });
        assert_eq!(DynamicComponent::new(name).register(), bad);
        let field = DynamicComponent::new("tests.bad_field").field(name, FieldKind::U8);
        assert_eq!(field.register(), bad);
    }
    let twice = DynamicComponent::new("tests.twice")
        .field("a", FieldKind::U8)
        .field("a", FieldKind::U8);
    assert_eq!(
        twice.register().unwrap_err().to_string(),
        "cannot define component `tests.twice`: two of its fields are called `a`; help: rename one"
    );
    assert!(ComponentId::named("tests.twice").is_empty());
}

#[test]
fn identities_are_different_for_access_checks() {
    let [one, two] = ["tests.ident_1", "tests.ident_2"]
        .map(|name| DynamicComponent::new(name).register().unwrap());
    let typed: &ConstTypeId = ComponentId::of::<Position>().ident();
    let (a, b) = (one.ident(), two.ident());
    assert!(a == a && a != b && a != typed && typed != b);
    assert_eq!(
        (a.const_eq(b), a.const_eq(a), a.const_eq(typed)),
        (Some(false), Some(true), Some(false))
    );
    assert_eq!(
        (a.name(), a.type_name()),
        ("tests.ident_1", "tests.ident_1")
    );
    assert_eq!(ComponentId::of_ident(a), Some(one));
    assert_eq!(
        ComponentId::of_ident(typed),
        Some(ComponentId::of::<Position>())
    );
}

#[test]
fn many_values_are_cloned_and_dropped_at_once() {
    let ty = DynamicType::of(person().register().unwrap()).unwrap();
    let named = |i: usize| {
        let value = DynamicValue::new(ty.component()).unwrap();
        value.with("name", i.to_string()).unwrap()
    };
    let values: Vec<DynamicValue> = (0..5).map(named).collect();
    let (mut all, mut copies) = (
        ErasedColumn::new(ty.component()),
        ErasedColumn::new(ty.component()),
    );
    for value in &values {
        let mut column = ErasedColumn::from(value.clone());
        // SAFETY: the column has a value of the component, which it forgets next.
        unsafe { all.push_bytes(column.as_ptr()) };
        // SAFETY: no value is claimed to be initialised.
        unsafe { column.set_len(0) };
    }
    copies.reserve(5);
    // SAFETY: both columns are of the component, one has five values, and the other one memory for as many.
    unsafe { ty.clone_values(all.as_ptr(), copies.as_mut_ptr(), 5) };
    // SAFETY: the values were just written.
    unsafe { copies.set_len(5) };
    drop(all);
    let mut world = World::new();
    for expected in values.iter().rev() {
        let entity = world.spawn(());
        world.insert_erased(entity, &mut copies).unwrap();
        let view = world.view_erased(ty.component());
        assert_eq!(
            DynamicRef::of(view.get(entity).unwrap()).unwrap(),
            expected.as_ref()
        );
    }
}
