//! A compiled predicate: names resolved, variables inserted, values in the form of documents.
//!
//! All checks are *positive*: a check of a missing value is false. A negative test (`!=`, `not in`, `is not
//! defined`) is the [`Condition::Not`] of a positive one. So `name != "x"` is true if there is no name, while
//! `address(city != "x")` needs an address: a condition in parentheses applies to an object.

use crate::value::Value;

/// Names of fields, one below the other.
pub type Path = Vec<Box<str>>;

/// A condition on a JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// Holds always, or never.
    Constant(bool),
    /// Every member holds.
    All(Vec<Condition>),
    /// A member holds.
    Any(Vec<Condition>),
    /// The member does not hold.
    Not(Box<Condition>),
    /// Something is at `path`, and `condition` holds of it.
    Inside {
        /// Leads through objects only.
        path: Path,
        /// The condition on the inner object.
        condition: Box<Condition>,
    },
    /// As `Inside`; and where a list is, `condition` holds of (at least) one element.
    Element {
        /// Leads through objects only.
        path: Path,
        /// The condition on one element.
        condition: Box<Condition>,
    },
    /// A check of the value at `path`.
    Check {
        /// Leads through objects only; empty for the value itself.
        path: Path,
        /// The check.
        check: Check,
    },
    /// Checks the sum of the values at `addend` in those elements of the list at `path` that match `of`. In
    /// dialects only.
    Sum {
        /// The list; anything else is its own only element.
        path: Path,
        /// Which elements count.
        of: Box<Condition>,
        /// Below an element.
        addend: Path,
        /// The sum of no elements.
        nothing: Value,
        /// The check of the sum.
        check: Box<Check>,
    },
    /// The value at `path` is not what it was before the change (conditions of API Extensions).
    Changed {
        /// From the top of the document, through objects only.
        path: Path,
    },
}

/// A check of a value. For a list, all but the last four check whether any element matches.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// Is this value.
    Equals(Value),
    /// Is one of these values, which are sorted.
    OneOf(Box<[Value]>),
    /// Is none of these values, which are sorted.
    OtherThan(Box<[Value]>),
    /// Is smaller or greater than a value.
    Range(Range, Value),
    /// Is this text when case is ignored; the text is in lower case.
    TextIgnoringCase(Box<str>),
    /// Is a text of which this holds when it is in lower case.
    Lowercase(Box<Check>),
    /// Is there, and not null.
    Defined,
    /// Is a list (or a map) with or without elements.
    Empty(bool),
    /// Is a list that contains every one of these values.
    ContainsAll(Box<[Value]>),
    /// Is a `GeoJSON` point within a circle.
    WithinCircle(Circle),
}

/// One side of a value.
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
pub struct Circle {
    /// Of the centre, in degrees.
    pub longitude: f64,
    /// Of the centre, in degrees.
    pub latitude: f64,
    /// In metres.
    pub radius_m: f64,
}

impl Condition {
    /// The same of documents that have each field elsewhere: `path` says where the field of a name is.
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
            Condition::Inside { path, condition } => Condition::Inside { path: moved(path), condition },
            Condition::Element { path, condition } => Condition::Element { path: moved(path), condition },
            Condition::Check { path, check } => Condition::Check { path: moved(path), check },
            Condition::Sum { path, of, addend, nothing, check } => {
                Condition::Sum { path: moved(path), of, addend, nothing, check }
            }
            Condition::Changed { path } => Condition::Changed { path: moved(path) },
        }
    }

    /// The same with other conditions in the place of those about single fields of the document; `other` gets each with
    /// the name of its field.
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
            Condition::Inside { ref path, .. }
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

    /// Whether one of its paths goes through a field of one of these names.
    pub fn goes_through(&self, names: &[&str]) -> bool {
        let is_there = |path: &Path| path.iter().any(|step| names.contains(&&**step));
        match self {
            Condition::Constant(_) => false,
            Condition::All(members) | Condition::Any(members) => {
                members.iter().any(|member| member.goes_through(names))
            }
            Condition::Not(inner) => inner.goes_through(names),
            Condition::Inside { path, condition } | Condition::Element { path, condition } => {
                is_there(path) || condition.goes_through(names)
            }
            Condition::Sum { path, of, addend, .. } => {
                is_there(path) || is_there(addend) || of.goes_through(names)
            }
            Condition::Check { path, .. } | Condition::Changed { path } => is_there(path),
        }
    }

    /// All of `members`, without needless wrapping.
    pub fn all(members: Vec<Condition>) -> Condition {
        Self::combine(members, true)
    }

    /// Any of `members`, without needless wrapping.
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

    /// The opposite of `condition`.
    #[allow(clippy::should_implement_trait)] // `!condition` would hide that this wraps.
    pub fn not(condition: Condition) -> Condition {
        match condition {
            Condition::Constant(value) => Condition::Constant(!value),
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }

    /// A check of the field `name`.
    pub fn check(name: &str, check: Check) -> Condition {
        Condition::Check { path: vec![name.into()], check }
    }

    /// `condition` of the object in the field `name`. Paths are joined where that changes nothing, because
    /// one walk down a path is cheaper than a walk a name.
    pub fn inside(name: &str, condition: Condition) -> Condition {
        let joined = |path: Path| -> Path { std::iter::once(name.into()).chain(path).collect() };
        match condition {
            Condition::Constant(false) => Condition::Constant(false),
            Condition::Check { path, check } => Condition::Check { path: joined(path), check },
            Condition::Inside { path, condition } => Condition::Inside { path: joined(path), condition },
            Condition::Element { path, condition } => Condition::Element { path: joined(path), condition },
            Condition::Changed { path } => Condition::Changed { path: joined(path) },
            other => Condition::Inside { path: vec![name.into()], condition: Box::new(other) },
        }
    }

    /// `condition` of one element of the list in the field `name`.
    pub fn element(name: &str, condition: Condition) -> Condition {
        match condition {
            Condition::Constant(false) => Condition::Constant(false),
            other => Condition::Element { path: vec![name.into()], condition: Box::new(other) },
        }
    }
}

/// A path with another beginning.
pub(crate) fn relocate(own: Path, path: &dyn Fn(&str) -> Path) -> Path {
    let mut steps = own.into_iter();
    match steps.next() {
        Some(first) => path(&first).into_iter().chain(steps).collect(),
        None => Path::new(),
    }
}

/// Makes one `in` of neighbours that ask for values of the same field: `a = 1 or a = 2`.
fn merge_equalities(members: Vec<Condition>) -> Vec<Condition> {
    let mut merged: Vec<Condition> = Vec::with_capacity(members.len());
    let mut run: Option<(Path, Vec<Value>)> = None;
    let finish = |run: &mut Option<(Path, Vec<Value>)>, merged: &mut Vec<Condition>| {
        if let Some((path, values)) = run.take() {
            merged.push(Condition::Check { path, check: Check::one_of(values) });
        }
    };
    for member in members {
        let (path, values) = match member {
            Condition::Check { path, check: Check::Equals(value) } => (path, vec![value]),
            Condition::Check { path, check: Check::OneOf(values) } => (path, values.into_vec()),
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

impl Check {
    /// Whether the value is one of `values`.
    pub fn one_of(mut values: Vec<Value>) -> Check {
        values.sort_unstable();
        values.dedup();
        match values.len() {
            1 => Check::Equals(values.swap_remove(0)),
            _ => Check::OneOf(values.into()),
        }
    }

    /// Whether the value is none of `values`.
    pub fn other_than(mut values: Vec<Value>) -> Check {
        values.sort_unstable();
        values.dedup();
        Check::OtherThan(values.into())
    }
}
