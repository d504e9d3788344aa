use std::marker::PhantomData;

use ecs_core::prelude::*;
use ecs_core::query::Not;
use ecs_core::relation::{Target, Targets};
use ecs_core::toggle::{Toggle, TurnedOn};
use ecs_core::{Or, QueryData, SystemParam, With, Without};

#[derive(Component)]
struct Tag<T: Send + Sync + 'static>(T);
#[derive(Component)]
struct Of<T: Component>(PhantomData<T>);
#[derive(Component)]
#[component(toggle)]
struct Lamp;
#[derive(Relation)]
struct ChildOf;
#[derive(Relation)]
#[relation(many)]
struct Likes<T: Send + Sync + 'static>(T);
struct Plain;
#[derive(Component)]
struct Count(u32);
#[derive(Resource)]
struct Total<T: Send + Sync + 'static>(T);

type Bytes = Tag<u8>;

#[system]
fn of_a_toggle(_lit: Query<&Lamp, TurnedOn<Lamp>>, _toggles: CompMut<Toggle<Lamp>>) {}

#[system]
fn of_a_component(_written: CompMut<Of<Lamp>>, _read: Query<&self::Of<self::Lamp>>) {}

#[system]
fn by_other_paths(_written: Query<&mut Tag<Plain>>, _read: Query<Option<&crate::Tag<crate::Plain>>>) {}

#[system]
fn by_an_alias(_written: Query<&mut Bytes, With<Lamp>>, _read: Query<&Tag<u8>>) {}

#[system]
fn by_one_alias(_written: Query<&mut Bytes>, _read: Query<&Bytes, Or<(With<Lamp>, With<Bytes>)>>) {}

#[system]
fn among_others(_written: Query<(&mut Tag<u8>, &Tag<u16>)>, _read: Query<(&Bytes, &Tag<u16>)>) {}

#[system]
fn with_one_filter(_written: Query<&mut Tag<u8>, Without<Lamp>>, _read: Query<&Tag<u8>, Without<Lamp>>) {}

#[system]
fn in_one_query(_all: Query<(&mut Tag<u8>, Option<&Bytes>)>) {}

#[system]
fn in_a_tuple(_all: (CompMut<Tag<u8>>, Query<&Bytes>)) {}

#[system]
fn among_resources(_all: (Res<u32>, (CompMut<Tag<u8>>, Local<u8>)), _read: Query<(Entity, Option<&Bytes>)>) {}

#[system(for_each)]
fn as_items(_written: &mut Tag<u8>, _read: (&Bytes, Entity)) {}

#[system]
fn a_condition(_written: CompMut<Bytes>, _read: Query<&Tag<u8>>) -> bool {
    true
}

#[derive(SystemParam)]
struct Fields<'w> {
    written: CompMut<'w, Bytes>,
    read: Query<'w, &'static Tag<u8>>,
}

#[derive(QueryData)]
struct Items<'a> {
    written: &'a mut Tag<u8>,
    read: &'a Bytes,
}

#[derive(SystemParam)]
struct Tags<'w, 's> {
    written: Query<'w, (Entity, &'static mut Tag<u8>), With<Lamp>>,
    commands: Commands<'w>,
    count: Local<'s, u32>,
}

#[system]
fn beside_a_query(#[param] _tags: Tags, _read: Query<&self::Tag<u8>>) {}

#[system]
fn beside_itself(#[param] _one: Tags, #[param] _other: Tags) {}

type Writers<'w> = Query<'w, (Entity, &'static mut Tag<u8>)>;
type Readers<'w> = Query<'w, &'static Bytes>;

#[system]
fn of_a_query(_written: Writers<'_>, _read: Query<&crate::Tag<u8>>) {}

#[system]
fn beside_a_view(_read: Comp<'_, self::Tag<u8>>, _written: Writers<'_>) {}

#[system]
fn by_two_aliases(_written: Writers<'_>, _read: Readers<'_>) {}

type Movers<'w> = Query<'w, (&'static Count, &'static mut Tag<Plain>), Without<Lamp>>;
type Seen<'w> = Query<'w, (Option<&'static Lamp>, &'static Tag<Plain>)>;
type Data = (&'static mut Tag<Plain>, &'static Count);

#[system]
fn of_several_components(_written: Movers<'_>, _read: Comp<Tag<Plain>>) {}

#[system]
fn of_two_such_aliases(_read: Seen<'_>, _written: Movers<'_>) {}

#[system]
fn of_the_data(_written: Query<Data>, _read: Query<(&Tag<Plain>, &Lamp)>) {}

#[system]
fn of_the_same_query(_all: Query<(Data, &Tag<Plain>)>) {}

#[derive(QueryData)]
struct Marked<'a> {
    tag: &'a mut Tag<Plain>,
    count: Option<&'a Count>,
}

#[system]
fn of_derived_data(_written: Query<Marked<'_>>, _read: Comp<Tag<Plain>>) {}

#[system(for_each)]
fn of_a_derived_item(#[item] _written: Marked<'_>, _read: &Tag<Plain>) {}

type Lamps = Tag<Plain>;

#[derive(SystemParam)]
struct Inner<'w> {
    lamps: CompMut<'w, Lamps>,
}

#[derive(SystemParam)]
struct Outer<'w> {
    inner: Inner<'w>,
    count: Comp<'w, Count>,
}

#[system]
fn of_a_derived_parameter(_written: Outer<'_>, _read: Comp<Tag<Plain>>) {}

#[derive(SystemParam)]
struct Halves<'w> {
    with: Query<'w, &'static mut Tag<Plain>, With<Lamp>>,
    without: Query<'w, &'static mut Tag<Plain>, Without<Lamp>>,
}

#[system]
fn of_the_second_half(_written: Halves<'_>, _read: Query<&Tag<Plain>, Without<Lamp>>) {}

#[system]
fn by_two_paths_of_an_alias(_written: Query<(&mut Lamps, &Count)>, _read: Query<&self::Lamps>) {}

#[system]
fn of_resources(_written: (ResMut<Total<Plain>>, Comp<Count>), _read: (Res<Total<Plain>>,)) {}

mod elsewhere {
    use super::*;

    #[derive(Component)]
    struct Secret<T: Send + Sync + 'static>(T);

    #[derive(SystemParam)]
    pub struct Writer<'w> {
        secret: CompMut<'w, Secret<u8>>,
        count: Comp<'w, Count>,
    }

    #[derive(SystemParam)]
    pub struct Reader<'w> {
        secret: Query<'w, (Entity, &'static Secret<u8>)>,
    }

    #[derive(QueryData)]
    pub struct Changing<'a> {
        secret: &'a mut Secret<u8>,
        tag: Option<&'a Tag<u16>>,
    }

    #[derive(QueryData)]
    pub struct Beside<'a, D: QueryData> {
        data: ecs_core::query::Item<'a, D>,
        secret: &'a Secret<u16>,
    }

    #[derive(ecs_core::QueryFilter)]
    pub struct Lit {
        lamp: With<Lamp>,
        tag: Without<Secret<u16>>,
    }

    #[derive(ecs_core::QueryFilter)]
    pub struct Known {
        secret: With<Secret<u8>>,
    }

    #[derive(SystemParam)]
    pub struct KnownCounts<'w> {
        counts: Query<'w, &'static mut Count, Known>,
    }

    #[derive(SystemParam)]
    pub struct UnlitCounts<'w> {
        counts: Query<'w, &'static Count, Without<Secret<u16>>>,
    }
}
use elsewhere::{
    Beside, Changing, ChangingReadOnly, Known, KnownCounts, Lit, Reader, UnlitCounts, Writer,
};

#[system]
fn of_public_parameters(_written: Writer<'_>, _read: Reader<'_>) {}

#[system]
fn of_public_data(_written: Query<Changing<'_>>, _read: Query<ChangingReadOnly<'_>>) {}

#[system]
fn of_nested_public_data(_read: Reader<'_>, _written: Query<Beside<'_, Changing<'_>>>) {}

#[system]
fn of_an_argument(_read: Query<&mut Lamps>, _written: Query<Beside<'_, &'static Tag<Plain>>, Lit>) {}

type Octets = Tag<u8>;

#[system]
fn by_two_names(_written: Query<&mut Bytes, With<Lamp>>, _read: Query<(&Octets, &Lamp)>) {}

#[system]
fn behind_other_filters(_written: Query<&mut Count, With<Tag<u8>>>, _read: Query<&Count, Without<Tag<u16>>>) {}

struct Other;

#[system]
fn with_another_tag(_written: Query<(&mut Count, &Tag<Plain>)>, _read: Query<&Count, Without<Tag<Other>>>) {}

#[system]
fn of_a_tag_with_another(_written: Query<&mut Lamps, With<Of<Lamp>>>, _read: Query<&Tag<Plain>, Without<Tag<Other>>>) {}

type Unlit = Without<Tag<Other>>;

#[system]
fn by_filters_of_other_instances(_written: Query<&mut Count, Known>, _read: Query<&Count, Lit>) {}

#[system]
fn by_a_filter_with_another_name(_written: Query<&mut Count, With<Tag<u8>>>, _read: Query<&Count, Unlit>) {}

#[system]
fn by_a_negated_filter(_written: Query<&mut Count, Not<Unlit>>, _read: Query<&Count, Without<Bytes>>) {}

#[system]
fn by_filters_of_fields(_written: KnownCounts<'_>, _read: UnlitCounts<'_>) {}

#[system]
fn in_one_tuple(_all: (Query<&mut Count, With<Tag<u8>>>, Query<&Count, Unlit>)) {}

type N0 = Tag<[u8; 0]>;
type Many<'w> = Query<'w, (
    (&'static mut Tag<[u8; 1]>, &'static mut Tag<[u8; 2]>, &'static mut Tag<[u8; 3]>, &'static mut Tag<[u8; 4]>),
    (&'static mut Tag<[u8; 5]>, &'static mut Tag<[u8; 6]>, &'static mut Tag<[u8; 7]>, &'static mut Tag<[u8; 8]>),
    (&'static mut Tag<[u8; 9]>, &'static mut Tag<[u8; 10]>, &'static mut N0),
)>;
type Others<'w> = Query<'w, (
    (&'static Tag<[u8; 11]>, &'static Tag<[u8; 12]>, &'static Tag<[u8; 13]>, &'static Tag<[u8; 14]>),
    (&'static Tag<[u8; 15]>, &'static Tag<[u8; 16]>, &'static Tag<[u8; 17]>, &'static Tag<[u8; 18]>),
    (&'static Tag<[u8; 19]>, &'static Tag<[u8; 20]>, &'static Tag<[u8; 0]>),
)>;

#[system]
fn of_the_last_of_many(_written: Many<'_>, _read: Others<'_>) {}

fn main() {}

//~ CompMut<Toggle<Lamp>>
//~ Query<&self::Of<self::Lamp>>
//~ Query<Option<&crate::Tag<crate::Plain>>>
//~ _read: Query<&Tag<u8>>) {}
//~ Query<&Bytes, Or<(With<Lamp>, With<Bytes>)>>
//~ Query<(&Bytes, &Tag<u16>)>
//~ Query<&Tag<u8>, Without<Lamp>>
//~ Query<(&mut Tag<u8>, Option<&Bytes>)>
//~ (CompMut<Tag<u8>>, Query<&Bytes>)
//~ Query<(Entity, Option<&Bytes>)>
//~ &mut Tag<u8>, _read: (&Bytes, Entity)
//~ Query<&Tag<u8>>) -> bool
//~ read: Query<'w, &'static Tag<u8>>
//~ read: &'a Bytes
//~ Query<&self::Tag<u8>>) {}
//~ Tags) {}
//~ Query<&crate::Tag<u8>>
//~ Writers<'_>) {}
//~ Readers<'_>) {}
//~ Movers<'_>, _read: Comp<Tag<Plain>>
//~ _read: Seen<'_>, _written: Movers<'_>
//~ Query<(&Tag<Plain>, &Lamp)>
//~ Query<(Data, &Tag<Plain>)>
//~ Query<Marked<'_>>, _read: Comp<Tag<Plain>>
//~ _written: Marked<'_>, _read: &Tag<Plain>
//~ Outer<'_>, _read: Comp<Tag<Plain>>
//~ Halves<'_>, _read: Query<&Tag<Plain>, Without<Lamp>>
//~ Query<&self::Lamps>
//~ (Res<Total<Plain>>,)
//~ _read: Reader<'_>) {}
//~ Query<ChangingReadOnly<'_>>
//~ Query<Beside<'_, Changing<'_>>>
//~ Query<Beside<'_, &'static Tag<Plain>>, Lit>
//~ Query<(&Octets, &Lamp)>
//~ Query<&Count, Without<Tag<u16>>>
//~ Query<&Count, Without<Tag<Other>>>
//~ Query<&Tag<Plain>, Without<Tag<Other>>>
//~ _read: Query<&Count, Lit>
//~ Query<&mut Count, With<Tag<u8>>>, _read: Query<&Count, Unlit>
//~ Query<&mut Count, Not<Unlit>>, _read: Query<&Count, Without<Bytes>>
//~ UnlitCounts<'_>) {}
//~ (Query<&mut Count, With<Tag<u8>>>, Query<&Count, Unlit>)
//~ Others<'_>) {}
