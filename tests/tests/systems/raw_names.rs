//! Names that are keywords, including lifetimes, in each macro.
#![deny(warnings)]
#![allow(
    missing_docs,
    explicit_outlives_requirements,
    non_camel_case_types,
    non_upper_case_globals,
    reason = "keywords in all places where names can be"
)]

use ecs_core::prelude::*;
use ecs_core::statics::{StaticWorld, spawn, system, world};
use ecs_core::world::hooks::DeferredWorld;

#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct r#type(f32);

#[derive(Component)]
#[component(storage = "sparse", on_add = Self::r#fn, require(r#type = r#type(1.0)))]
pub struct r#struct<T: Send + Sync + 'static>(T);

impl<T: Send + Sync + 'static> r#struct<T> {
    fn r#fn(world: DeferredWorld<'_>, entity: Entity) {
        assert!(world.has::<r#type>(entity));
    }
}

#[derive(Resource)]
struct r#match {
    r#ref: u32,
}

#[derive(Relation)]
struct r#in;

#[derive(Bundle)]
struct r#let {
    r#if: r#type,
    r#else: r#struct<u8>,
}

#[derive(SystemParam)]
#[system_param(shared)]
struct Read<'r#w> {
    r#type: Comp<'r#w, r#type>,
    r#match: Res<'r#w, r#match>,
}

#[derive(SystemParam)]
struct Write<'r#w, 'r#s, T: Send + Sync + 'static>
where
    T: 'r#w,
{
    r#struct: CompMut<'r#w, r#struct<T>>,
    r#do: Local<'r#s, u32>,
    r#as: Read<'r#w>,
}

#[derive(QueryData)]
pub struct Both<'r#w> {
    r#type: &'r#w mut r#type,
    r#struct: Option<&'r#w r#struct<u8>>,
}

#[derive(QueryData)]
pub struct Nested<'r#a> {
    r#mut: Both<'r#a>,
    r#where: Entity,
}

#[derive(QueryFilter)]
struct r#while {
    r#type: With<r#type>,
}

#[system]
fn r#loop<'r#w>(mut write: Write<'r#w, '_, u8>, r#match: Res<'r#w, u8>) -> u32 {
    *write.r#do += u32::from(*r#match) + write.r#as.r#match.r#ref;
    write.r#struct.iter_mut().for_each(|r#x| r#x.0 += 1);
    *write.r#do + write.r#as.r#type.len() as u32
}

#[system]
fn r#for(mut r#all: Query<Nested, r#while>) {
    for r#one in &mut r#all {
        let r#more = r#one.r#mut.r#struct.map_or(0, |r#else| r#else.0);
        r#one.r#mut.r#type.0 += f32::from(r#more);
        let _: Entity = r#one.r#where;
    }
}

#[system(for_each, with(r#struct<u8>))]
fn r#use(r#yield: &mut r#type, r#match: Res<r#match>) {
    r#yield.0 += r#match.r#ref as f32;
}

#[system]
fn r#true(r#match: Res<r#match>) -> bool {
    r#match.r#ref > 0
}

schedule! {
    static r#static = [r#use.after(r#for).run_if(r#true), r#for];
    static r#mod = [(r#for, r#use).chain()]
}

world! { r#impl { r#type, r#struct<u8> } }

#[test]
fn keywords_are_names_in_all_macros() {
    let mut world = World::new();
    world.insert_resource(r#match { r#ref: 3 });
    world.insert_resource(5_u8);
    let bundle = r#let {
        r#if: r#type(1.0),
        r#else: r#struct(7),
    };
    let r#let = world.spawn(bundle);
    let child = world.spawn((r#struct(0_u8), r#in.to(r#let)));
    assert_eq!(*world.get::<r#type>(child).unwrap(), r#type(1.0));
    assert_eq!((r#loop(&world), r#loop(&world)), (10, 18));
    r#static.run(&mut world).unwrap();
    assert_eq!(world.get::<r#type>(r#let).unwrap().0, 1.0 + 9.0 + 3.0);
    r#mod.run(&mut world).unwrap();
    assert_eq!(world.get::<r#type>(r#let).unwrap().0, 13.0 + 9.0 + 3.0);
    assert_eq!(ecs_core::meta(&r#loop).name, "systems::raw_names::loop");
}

#[test]
fn keywords_are_names_in_closed_worlds() {
    let mut world = r#impl::new();
    let r#let = spawn!(world; r#type(1.0), r#struct(7_u8));
    system!(world, |r#fn, r#as: &mut r#type, r#else: &r#struct<u8>| {
        assert_eq!(r#fn, r#let);
        r#as.0 += f32::from(r#else.0);
    });
    system!(world, |r#as: r#type| -> r#type { r#type(r#as.0 * 2.0) });
    assert_eq!(world.get::<r#type>(r#let), Some(&r#type(16.0)));
}
