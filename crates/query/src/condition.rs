//! [`Condition`]: a compiled predicate, with names resolved, variables inserted, and values in the form of documents.
//!
//! All checks are *positive*: a check of a missing value is false. A negative test (`!=`, `not in`, `is not
//! defined`) is the [`Condition::Not`] of a positive one. So `name != "x"` is true if there is no name, while
//! `address(city != "x")` needs an address: a condition in parentheses applies to an object.

use crate::value::ConditionValue;

/// Names of nested fields, the outermost first.
pub type Path = Vec<Box<str>>;

/// A condition on a JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// Always or never true.
    Constant(bool),
    /// True if every member is.
    All(Vec<Condition>),
    /// True if at least one member is.
    Any(Vec<Condition>),
    /// True if the member is not.
    Not(Box<Condition>),
    /// True if there is a value at `path` and `condition` is true for it.
    Nested {
        /// A path through objects only.
        path: Path,
        /// The condition on the inner object.
        condition: Box<Condition>,
    },
    /// Like `Inside`; for a list, `condition` must be true for at least one element.
    Element {
        /// A path through objects only.
        path: Path,
        /// The condition on one element.
        condition: Box<Condition>,
    },
    /// A check of the value at `path`.
    Check {
        /// A path through objects only; empty for the value itself.
        path: Path,
        /// The check.
        check: ValueCheck,
    },
    /// Checks the sum of the values at `addend` in those elements of the list at `path` that match `of`. In
    /// dialects only.
    Sum {
        /// The list; any other value counts as a list with itself as the only element.
        path: Path,
        /// The condition on the elements that are summed.
        filter: Box<Condition>,
        /// The path of the summed value, below an element.
        addend: Path,
        /// The sum if no element matches.
        nothing: ConditionValue,
        /// The check of the sum.
        check: Box<ValueCheck>,
    },
    /// True if a change has modified the value at `path` (conditions of API Extensions).
    Changed {
        /// A path from the root of the document, through objects only.
        path: Path,
    },
}

/// A check of a value. For a list, all but the last four check whether any element matches.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueCheck {
    /// Equals this value.
    Equals(ConditionValue),
    /// Equals one of these values, which are sorted.
    OneOf(Box<[ConditionValue]>),
    /// Equals none of these values, which are sorted.
    OtherThan(Box<[ConditionValue]>),
    /// Is less or greater than this value.
    Range(Range, ConditionValue),
    /// Equals this text if case is ignored; the text is in lower case.
    TextIgnoringCase(Box<str>),
    /// Is a text whose lower-case form passes this check.
    Lowercase(Box<ValueCheck>),
    /// Exists, and is not null.
    Defined,
    /// Is a list (or a map) with or without elements.
    Empty(bool),
    /// Is a list that contains every one of these values.
    ContainsAll(Box<[ConditionValue]>),
    /// Is a `GeoJSON` point within a circle.
    WithinCircle(GeoCircle),
}

/// The direction of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The names say it all.
pub enum Range {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A circle on the earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeoCircle {
    /// The longitude of the centre, in degrees.
    pub longitude: f64,
    /// The latitude of the centre, in degrees.
    pub latitude: f64,
    /// The radius in metres.
    pub radius_m: f64,
}

impl Condition {
    /// Adapts the condition to documents with another layout: `path` returns where a top-level field is stored.
    #[must_use]
    pub fn relocated(self, path: &dyn Fn(&str) -> Path) -> Condition {
        let moved = |own: Path| relocate(own, path);
        let all = |members: Vec<Condition>| -> Vec<Condition> {
            members.into_iter().map(|member| member.relocated(path)).collect()
        };
        match self {
            Condition::Constant(_) => self,
            Condition::All(members) => Condition::All(all(members)),
            Condition::Any(members) => Condition::Any(all(members)),
            Condition::Not(inner) => Condition::Not(Box::new(inner.relocated(path))),
            Condition::Nested { path, condition } => Condition::Nested { path: moved(path), condition },
            Condition::Element { path, condition } => Condition::Element { path: moved(path), condition },
            Condition::Check { path, check } => Condition::Check { path: moved(path), check },
            Condition::Sum { path, filter, addend, nothing, check } => {
                Condition::Sum { path: moved(path), filter, addend, nothing, check }
            }
            Condition::Changed { path } => Condition::Changed { path: moved(path) },
        }
    }

    /// Replaces each condition on a single top-level field by the result of `other`, which gets it with the name of the
    /// field.
    ///
    /// # Errors
    /// Those of `other`.
    pub fn replaced<E>(
        self,
        other: &mut dyn FnMut(&str, Condition) -> Result<Condition, E>,
    ) -> Result<Condition, E> {
        let mut all = |members: Vec<Condition>| -> Result<Vec<Condition>, E> {
            members.into_iter().map(|member| member.replaced(other)).collect()
        };
        match self {
            Condition::All(members) => Ok(Condition::all(all(members)?)),
            Condition::Any(members) => Ok(Condition::any(all(members)?)),
            Condition::Not(inner) => Ok(Condition::not(inner.replaced(other)?)),
            Condition::Nested { ref path, .. }
            | Condition::Element { ref path, .. }
            | Condition::Check { ref path, .. }
            | Condition::Sum { ref path, .. }
            | Condition::Changed { ref path } => match path.first().cloned() {
                Some(name) => other(&name, self),
                None => Ok(self),
            },
            Condition::Constant(_) => Ok(self),
        }
    }

    /// Whether one of its paths contains a field of one of these names.
    pub fn contains_any_field(&self, names: &[&str]) -> bool {
        let is_there = |path: &Path| path.iter().any(|step| names.contains(&&**step));
        match self {
            Condition::Constant(_) => false,
            Condition::All(members) | Condition::Any(members) => {
                members.iter().any(|member| member.contains_any_field(names))
            }
            Condition::Not(inner) => inner.contains_any_field(names),
            Condition::Nested { path, condition } | Condition::Element { path, condition } => {
                is_there(path) || condition.contains_any_field(names)
            }
            Condition::Sum { path, filter, addend, .. } => {
                is_there(path) || is_there(addend) || filter.contains_any_field(names)
            }
            Condition::Check { path, .. } | Condition::Changed { path } => is_there(path),
        }
    }

    /// Returns the `and` of `members`, without needless wrapping.
    pub fn all(members: Vec<Condition>) -> Condition {
        Self::combine(members, true)
    }

    /// Returns the `or` of `members`, without needless wrapping.
    pub fn any(members: Vec<Condition>) -> Condition {
        Self::combine(members, false)
    }

    fn combine(members: Vec<Condition>, all: bool) -> Condition {
        let mut flat = Vec::with_capacity(members.len());
        for member in members {
            match member {
                Condition::Constant(value) if value == all => {}
                Condition::Constant(value) => return Condition::Constant(value),
                Condition::All(inner) if all => flat.extend(inner),
                Condition::Any(inner) if !all => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if !all {
            flat = merge_equalities(flat);
        }
        match flat.len() {
            0 => Condition::Constant(all),
            1 => flat.swap_remove(0),
            _ if all => Condition::All(flat),
            _ => Condition::Any(flat),
        }
    }

    /// Returns the negation of `condition`.
    #[allow(clippy::should_implement_trait)] // `!condition` would hide that this wraps.
    pub fn not(condition: Condition) -> Condition {
        match condition {
            Condition::Constant(value) => Condition::Constant(!value),
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }

    /// Returns a check of the field `name`.
    pub fn check(name: &str, check: ValueCheck) -> Condition {
        Condition::Check { path: vec![name.into()], check }
    }

    /// Applies `condition` to the object in the field `name`. Nested paths are joined if that keeps the meaning,
    /// because one walk down a path is cheaper than a walk for each name.
    pub fn nested(name: &str, condition: Condition) -> Condition {
        let joined = |path: Path| -> Path { std::iter::once(name.into()).chain(path).collect() };
        match condition {
            Condition::Constant(false) => Condition::Constant(false),
            Condition::Check { path, check } => Condition::Check { path: joined(path), check },
            Condition::Nested { path, condition } => Condition::Nested { path: joined(path), condition },
            Condition::Element { path, condition } => Condition::Element { path: joined(path), condition },
            Condition::Changed { path } => Condition::Changed { path: joined(path) },
            other => Condition::Nested { path: vec![name.into()], condition: Box::new(other) },
        }
    }

    /// Applies `condition` to the elements of the list in the field `name`; one of them must match.
    pub fn element(name: &str, condition: Condition) -> Condition {
        match condition {
            Condition::Constant(false) => Condition::Constant(false),
            other => Condition::Element { path: vec![name.into()], condition: Box::new(other) },
        }
    }
}

/// Replaces the first name of a path by the path where that field is stored.
pub(crate) fn relocate(own: Path, path: &dyn Fn(&str) -> Path) -> Path {
    let mut steps = own.into_iter();
    match steps.next() {
        Some(first) => path(&first).into_iter().chain(steps).collect(),
        None => Path::new(),
    }
}

/// Merges neighbours that test the same field for a value into one `in`: `a = 1 or a = 2`.
fn merge_equalities(members: Vec<Condition>) -> Vec<Condition> {
    let mut merged: Vec<Condition> = Vec::with_capacity(members.len());
    let mut run: Option<(Path, Vec<ConditionValue>)> = None;
    let finish = |run: &mut Option<(Path, Vec<ConditionValue>)>, merged: &mut Vec<Condition>| {
        if let Some((path, values)) = run.take() {
            merged.push(Condition::Check { path, check: ValueCheck::any_value_of(values) });
        }
    };
    for member in members {
        let (path, values) = match member {
            Condition::Check { path, check: ValueCheck::Equals(value) } => (path, vec![value]),
            Condition::Check { path, check: ValueCheck::OneOf(values) } => (path, values.into_vec()),
            other => {
                finish(&mut run, &mut merged);
                merged.push(other);
                continue;
            }
        };
        match &mut run {
            Some((same, all)) if *same == path => all.extend(values),
            _ => {
                finish(&mut run, &mut merged);
                run = Some((path, values));
            }
        }
    }
    finish(&mut run, &mut merged);
    merged
}

impl ValueCheck {
    /// Returns the check for one of `values`.
    pub fn any_value_of(mut values: Vec<ConditionValue>) -> ValueCheck {
        values.sort_unstable();
        values.dedup();
        match values.len() {
            1 => ValueCheck::Equals(values.swap_remove(0)),
            _ => ValueCheck::OneOf(values.into()),
        }
    }

    /// Returns the check for none of `values`.
    pub fn other_than(mut values: Vec<ConditionValue>) -> ValueCheck {
        values.sort_unstable();
        values.dedup();
        ValueCheck::OtherThan(values.into())
    }
}
