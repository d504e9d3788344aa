use super::*;
use std::collections::HashSet;

#[derive(Debug, PartialEq, Eq, Hash)]
struct Physics;
#[derive(Debug, PartialEq, Eq, Hash)]
enum Stage {
    Physics,
    Draw(u8),
}

#[test]
fn labels_differ_by_type_and_value() {
    let labels = || {
        [
            Label::new(Physics),
            Label::new(Stage::Physics),
            Label::new(Stage::Draw(1)),
            Label::new(Stage::Draw(2)),
            Label::new("Physics"),
        ]
    };
    let set: HashSet<Label> = labels().into_iter().chain(labels()).collect();
    assert_eq!(set.len(), 5);
    assert_ne!(Label::new(Physics), Label::new(Stage::Physics));
    assert_eq!(format!("{:?}", Label::new(Stage::Draw(1))), "Draw(1)");
}
