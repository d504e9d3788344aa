//! The observable state of a world.

use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};

use crate::bundles::{KINDS, with_kind};
use crate::kinds::*;
use crate::log::log;

pub(crate) fn dump(world: &World) {
    log!("{world:?}");
    // By table, in the order of rows.
    let all: Vec<Entity> = world.entities().iter().collect();
    log!("entities {all:?}");
    log!(
        "rows {:?}",
        world.query::<Entity>().iter().collect::<Vec<_>>()
    );
    for kind in 0..KINDS {
        with_kind!(kind, K => {
            let view = world.view::<K>();
            let values: Vec<_> = view.with_entity().iter().map(|(e, value)| (e, value.number())).collect();
            log!("{} {values:?}", K::CALLED);
            let without = world.query_filtered::<Entity, Without<K>>().iter().collect::<Vec<_>>();
            log!("without: {without:?}");
            let loose = world.view::<Loose>();
            let few: Vec<Entity> = (&loose, &view).with_entity().iter().map(|(e, _)| e).collect();
            let others: Vec<Entity> = loose.exclude(&view).with_entity().iter().map(|(e, _)| e).collect();
            log!("with Loose: {few:?}, not with it: {others:?}");
        });
    }
    slices(world);
    relations(world);
}

/// Logs the slices of sparse components, and of an unregistered one.
fn slices(world: &World) {
    let (left, middle, right) = (
        world.view::<Left>(),
        world.view::<Middle>(),
        world.view::<Right>(),
    );
    let (loose, never) = (world.view::<Loose>(), world.view::<Never>());
    let len = |lens: (&[Left], &[Right])| (lens.0.len(), lens.1.len());
    log!("slices {:?}", (&left, &right).try_slices().map(len));
    log!(
        "slices {:?}",
        (&left, &right).exclude(&middle).try_slices().map(len)
    );
    log!(
        "slices {:?}",
        left.exclude(&never).try_slices().map(<[Left]>::len)
    );
    log!(
        "slices {:?}",
        loose.include(&never).try_slices().map(<[Loose]>::len)
    );
    log!(
        "slices {:?}",
        never.include(&never).try_slices().map(<[Never]>::len)
    );
    log!(
        "slices {:?}",
        never.exclude(&loose).try_slices().map(<[Never]>::len)
    );
    let either = world.query_filtered::<Entity, (With<Loose>, Or<(With<Never>, With<Mark>)>)>();
    log!("either {:?}", either.iter().collect::<Vec<_>>());
}

fn relations(world: &World) {
    for entity in world.entities().iter() {
        let parent = world
            .get::<Target<ChildOf>>(entity)
            .map(|target| (target.entity(), target.value().0.number()));
        let leader = world
            .get::<Target<Follows>>(entity)
            .map(|target| (target.entity(), target.value().0.number()));
        let likes = world.get::<Targets<Likes>>(entity).map(|targets| {
            targets
                .iter()
                .map(|(target, value)| (target, value.0.number()))
                .collect::<Vec<_>>()
        });
        let needs = world
            .get::<Targets<Needs>>(entity)
            .map(|targets| targets.entities().to_vec());
        log!("{entity}: {parent:?} {leader:?} {likes:?} {needs:?}");
        let children = world
            .get::<Sources<ChildOf>>(entity)
            .map(|sources| sources.to_vec());
        let others = world
            .get::<Sources<Likes>>(entity)
            .map(|sources| sources.to_vec());
        let all: Vec<Entity> = world.descendants::<ChildOf>(entity).collect();
        log!("{children:?} {others:?} {all:?}");
    }
}
