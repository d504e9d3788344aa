use super::edit_distance;

#[test]
fn the_distance_counts_edits() {
    assert_eq!(edit_distance("Update", "Update"), 0);
    assert_eq!(edit_distance("Updat", "Update"), 1);
    assert_eq!(edit_distance("", "Last"), 4);
    assert_eq!(edit_distance("FixedUpdate", "Update"), 5);
}
