use super::*;

#[test]
fn types_look_as_written() {
    for text in [
        "CompMut<Position>",
        "Query<(&mut a::Position, Option<&'static Velocity>), (With<A>, Without<B>)>",
        "&'a mut [f32; 3]",
        "Box<dyn Fn(u8) -> bool + Send>",
        "mut pos: CompMut<r#type>",
    ] {
        assert_eq!(line(parsed(text)), text);
    }
}
