//! Naming conventions of the official schema.

use kontor_model::lower_first;

/// Converts e.g. `addRoles` to `AddRoles`.
pub(crate) fn upper_first(name: &str) -> String {
    let mut characters = name.chars();
    match characters.next() {
        Some(first) => first.to_ascii_uppercase().to_string() + characters.as_str(),
        None => String::new(),
    }
}

/// Converts the path of a kind to the name of its field, e.g. `tax-categories` to `taxCategories`.
pub(crate) fn field_of_path(path: &str) -> String {
    let joined: String = path.split('-').map(upper_first).collect();
    lower_first(&joined)
}

/// Returns the name of an update action's input, e.g. `AddStateRoles` for `addRoles` of `State`.
pub(crate) fn action_input(kind: &str, action: &str) -> String {
    let end = action.find(|character: char| character.is_ascii_uppercase()).unwrap_or(action.len());
    let (verb, rest) = action.split_at(end);
    format!("{}{kind}{rest}", upper_first(verb))
}

/// Returns the named type in SDL, e.g. `State` for `[State!]! = []`.
pub(crate) fn named_type(sdl: &str) -> &str {
    let ty = sdl.split('=').next().unwrap_or_default();
    ty.trim_matches(|character: char| character.is_whitespace() || "[]!".contains(character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_conventions() {
        assert_eq!(action_input("State", "addRoles"), "AddStateRoles");
        assert_eq!(action_input("Payment", "transitionState"), "TransitionPaymentState");
        assert_eq!(action_input("Cart", "recalculate"), "RecalculateCart");
        assert_eq!(field_of_path("tax-categories"), "taxCategories");
        assert_eq!(named_type("[[Float!]!]! = []"), "Float");
    }
}
