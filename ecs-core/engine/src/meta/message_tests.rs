use super::*;

#[test]
fn text_that_does_not_fit_is_truncated_between_characters() {
    let long = "é".repeat(400);
    let param = ParamInfo::new("a", "B", &ParamAccess::Nothing);
    let params = [&param, &param];
    let message = Message::conflict(
        MessageOwner::system(&format!("{long}-{long}")),
        params,
        Overlap::World,
        "",
        true,
    );
    assert!(message.as_str().ends_with('é'));
    assert!(message.as_str().len() >= 1023);
}
