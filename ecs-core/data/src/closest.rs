//! The name that was probably meant.

use ecs_engine::__private::edit_distance;

/// Returns the name that differs least from a text, unless a third of its characters is wrong.
pub(crate) fn closest<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distances = names.map(|name| (edit_distance(text, name), name));
    let close = distances.filter(|&(distance, _)| distance <= text.chars().count() / 3);
    close.min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_found_if_it_is_close() {
        let names = ["game.health", "game.heal", "game.dead"];
        let find = |text| closest(text, names.into_iter());
        assert_eq!(find("game.healt"), Some("game.heal"));
        assert_eq!(find("game.helth"), Some("game.health"));
        assert_eq!(find("dead"), None);
        assert_eq!(find(""), None);
    }
}
