//! `Sub` is a subtype of `Super`, and both are components: a borrow or an id of one cannot become one of the other.

use ecs_core::component::IdSlot;
use ecs_core::event::EventCursor;
use ecs_core::join::{
    AddedFilter, ChangedFilter, WithFilter, JoinChunks, JoinIter, Joined, WithoutFilter, ReadFetch, WriteFetch,
};
use ecs_core::meta::ConstTypeIdOf;
use ecs_core::prelude::*;
use ecs_core::query::QueryOld;
use ecs_core::relation::{Sources, SourcesMut};
use ecs_core::view::{CompRest, RemovedCursor};
use ecs_core::world::hooks::OnAdd;

#[derive(Component, Resource, Relation)]
#[component(track)]
struct Of<F: Send + Sync + 'static>(F);

type Sub = Of<for<'a> fn(&'a u8)>;
type Super = Of<fn(&'static u8)>;

// The only coercion that compiles, for a value.
fn value(value: Sub) -> Super {
    value
}

fn query<'w>(of: Query<'w, &'static Sub>) -> Query<'w, &'static Super> {
    of
}

fn query_filter<'w>(of: Query<'w, Entity, With<Sub>>) -> Query<'w, Entity, With<Super>> {
    of
}

fn param_set<'g>(of: ParamSet<'g, (Comp<'static, Sub>,)>) -> ParamSet<'g, (Comp<'static, Super>,)> {
    of
}

fn view<'w>(of: Comp<'w, Sub>) -> Comp<'w, Super> {
    of
}

fn view_mut<'w>(of: CompMut<'w, Sub>) -> CompMut<'w, Super> {
    of
}

fn read<'w>(of: Joined<'w, ReadFetch<'w, Sub>, ()>) -> Joined<'w, ReadFetch<'w, Super>, ()> {
    of
}

fn write<'w>(of: Joined<'w, WriteFetch<'w, Sub>, ()>) -> Joined<'w, WriteFetch<'w, Super>, ()> {
    of
}

fn has<'w>(of: WithFilter<'w, Sub>) -> WithFilter<'w, Super> {
    of
}

fn lacks<'w>(of: WithoutFilter<'w, Sub>) -> WithoutFilter<'w, Super> {
    of
}

fn changed<'w>(of: ChangedFilter<'w, Sub>) -> ChangedFilter<'w, Super> {
    of
}

fn added<'w>(of: AddedFilter<'w, Sub>) -> AddedFilter<'w, Super> {
    of
}

fn iter<'w>(of: JoinIter<'w, ReadFetch<'w, Sub>, ()>) -> JoinIter<'w, ReadFetch<'w, Super>, ()> {
    of
}

fn chunks<'w>(of: JoinChunks<'w, ReadFetch<'w, Sub>, ()>) -> JoinChunks<'w, ReadFetch<'w, Super>, ()> {
    of
}

fn rest<'w>(of: CompRest<'w, Sub>) -> CompRest<'w, Super> {
    of
}

fn old<'w>(of: QueryOld<'w, &'static Sub>) -> QueryOld<'w, &'static Super> {
    of
}

fn id_slot(of: IdSlot<Sub>) -> IdSlot<Super> {
    of
}

fn identity(of: ConstTypeIdOf<Sub>) -> ConstTypeIdOf<Super> {
    of
}

fn sources_mut<'w>(of: SourcesMut<'w, Sub>) -> SourcesMut<'w, Super> {
    of
}

fn sources(of: Sources<Sub>) -> Sources<Super> {
    of
}

fn removed<'g>(of: Removed<'g, Sub>) -> Removed<'g, Super> {
    of
}

fn removed_cursor(of: RemovedCursor<Sub>) -> RemovedCursor<Super> {
    of
}

fn event_cursor(of: EventCursor<Sub>) -> EventCursor<Super> {
    of
}

fn event_reader<'g>(of: EventReader<'g, Sub>) -> EventReader<'g, Super> {
    of
}

fn event_writer<'g>(of: EventWriter<'g, Sub>) -> EventWriter<'g, Super> {
    of
}

fn observed(of: OnAdd<Sub>) -> OnAdd<Super> {
    of
}

fn resource_mut<'w>(of: ResMut<'w, Sub>) -> ResMut<'w, Super> {
    of
}

fn non_send_mut<'w>(of: NonSendMut<'w, Sub>) -> NonSendMut<'w, Super> {
    of
}

fn change<'w>(of: Mut<'w, Sub>) -> Mut<'w, Super> {
    of
}

fn local<'s>(of: Local<'s, Sub>) -> Local<'s, Super> {
    of
}

fn main() {}

//~ fn query<'w>(of: Query<'w, &'static Sub>) -> Query<'w, &'static Super> { of
//~ fn query_filter<'w>(of: Query<'w, Entity, With<Sub>>) -> Query<'w, Entity, With<Super>> { of
//~ fn param_set<'g>(of: ParamSet<'g, (Comp<'static, Sub>,)>) -> ParamSet<'g, (Comp<'static, Super>,)> { of
//~ fn view<'w>(of: Comp<'w, Sub>) -> Comp<'w, Super> { of
//~ fn view_mut<'w>(of: CompMut<'w, Sub>) -> CompMut<'w, Super> { of
//~ fn read<'w>(of: Joined<'w, ReadFetch<'w, Sub>, ()>) -> Joined<'w, ReadFetch<'w, Super>, ()> { of
//~ fn write<'w>(of: Joined<'w, WriteFetch<'w, Sub>, ()>) -> Joined<'w, WriteFetch<'w, Super>, ()> { of
//~ fn has<'w>(of: WithFilter<'w, Sub>) -> WithFilter<'w, Super> { of
//~ fn lacks<'w>(of: WithoutFilter<'w, Sub>) -> WithoutFilter<'w, Super> { of
//~ fn changed<'w>(of: ChangedFilter<'w, Sub>) -> ChangedFilter<'w, Super> { of
//~ fn added<'w>(of: AddedFilter<'w, Sub>) -> AddedFilter<'w, Super> { of
//~ fn iter<'w>(of: JoinIter<'w, ReadFetch<'w, Sub>, ()>) -> JoinIter<'w, ReadFetch<'w, Super>, ()> { of
//~ fn chunks<'w>(of: JoinChunks<'w, ReadFetch<'w, Sub>, ()>) -> JoinChunks<'w, ReadFetch<'w, Super>, ()> { of
//~ fn rest<'w>(of: CompRest<'w, Sub>) -> CompRest<'w, Super> { of
//~ fn old<'w>(of: QueryOld<'w, &'static Sub>) -> QueryOld<'w, &'static Super> { of
//~ fn id_slot(of: IdSlot<Sub>) -> IdSlot<Super> { of
//~ fn identity(of: ConstTypeIdOf<Sub>) -> ConstTypeIdOf<Super> { of
//~ fn sources_mut<'w>(of: SourcesMut<'w, Sub>) -> SourcesMut<'w, Super> { of
//~ fn sources(of: Sources<Sub>) -> Sources<Super> { of
//~ fn removed<'g>(of: Removed<'g, Sub>) -> Removed<'g, Super> { of
//~ fn removed_cursor(of: RemovedCursor<Sub>) -> RemovedCursor<Super> { of
//~ fn event_cursor(of: EventCursor<Sub>) -> EventCursor<Super> { of
//~ fn event_reader<'g>(of: EventReader<'g, Sub>) -> EventReader<'g, Super> { of
//~ fn event_writer<'g>(of: EventWriter<'g, Sub>) -> EventWriter<'g, Super> { of
//~ fn observed(of: OnAdd<Sub>) -> OnAdd<Super> { of
//~ fn resource_mut<'w>(of: ResMut<'w, Sub>) -> ResMut<'w, Super> { of
//~ fn non_send_mut<'w>(of: NonSendMut<'w, Sub>) -> NonSendMut<'w, Super> { of
//~ fn change<'w>(of: Mut<'w, Sub>) -> Mut<'w, Super> { of
//~ fn local<'s>(of: Local<'s, Sub>) -> Local<'s, Super> { of
