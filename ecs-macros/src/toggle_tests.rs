use crate::tokens::{check, code_of};

#[test]
fn a_hook_of_the_user_is_called_before_the_toggle_is_removed() {
    let parts = "
        #[component(toggle, on_remove = Self::left)] struct Shield;
            (Self :: left) (__world . reborrow () , __entity) ; :: ecs_core :: __private :: toggle :: removed :: < Self > (__world , __entity)";
    check(code_of(crate::component::expand), parts);
}
