//! The place of a value in a body, for errors.

use std::fmt;

/// The place of a value in a body: a step below another place. It is formatted (`roles[1].name`) only for an error.
#[derive(Debug, Clone, Copy)]
pub enum Location<'a> {
    /// A place as text; empty for the body itself.
    Text(&'a str),
    /// A member of an object.
    Member(&'a Location<'a>, &'a str),
    /// An element of a list.
    Element(&'a Location<'a>, usize),
}

impl fmt::Display for Location<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Text(words) => formatter.write_str(words),
            Location::Member(Location::Text(""), name) => formatter.write_str(name),
            Location::Member(above, name) => write!(formatter, "{above}.{name}"),
            Location::Element(above, index) => write!(formatter, "{above}[{index}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_a_place_from_outside_to_inside() {
        let body = Location::Text("");
        let prices = Location::Member(&body, "prices");
        let price = Location::Element(&prices, 3);
        assert_eq!(Location::Member(&price, "value").to_string(), "prices[3].value");
        assert_eq!(Location::Member(&Location::Text("actions[0]"), "price").to_string(), "actions[0].price");
        assert_eq!(Location::Member(&body, "price").to_string(), "price");
    }
}
