use super::*;

#[test]
fn known_names_lifetimes_and_tuples_of_them_come_from_the_world() {
    let world = "Res<Time> | ecs_core::CompMut<Position> | Option<ResMut<Time>> | Phys<'_> | Phys<'w, T> | (Comp<A>, usize) | &World | &mut ecs::World | &ResourceMap | ((Local<u8>))";
    let caller = "usize | &str | Option<usize> | Cow<'static, str> | (u8, f32) | Vec<Res>";
    for (types, expected) in [(world, true), (caller, false)] {
        for ty in types.split(" | ") {
            let parsed = syn::parse_str(ty).unwrap();
            assert_eq!(is_world_parameter(&parsed), expected, "{ty}");
        }
    }
}
