//! From a path to what is meant by it, by the model.

use kontor_model::{Addressing, KindId, Model};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// Path segments that are no project keys.
const RESERVED: &[&str] =
    &["oauth", "health", "metrics", "console", "openapi", "openapi.json", "_test", "_operator"];

/// What a path below `/{projectKey}` means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route<'a> {
    pub(crate) project: Cow<'a, str>,
    pub(crate) kind: KindId,
    pub(crate) target: Target<'a>,
}

/// Which documents of the kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target<'a> {
    /// All of them.
    All,
    /// Those whose first addressing field has this value: `/custom-objects/{container}`.
    Part { field: String, value: Cow<'a, str> },
    /// One by id.
    Id(Cow<'a, str>),
    /// One by key.
    Key(Cow<'a, str>),
    /// One by the fields that address it.
    Fields(Vec<Cow<'a, str>>),
    /// The only one.
    Only,
}

/// The route of a path, or `None` where the model has none.
pub(crate) fn route<'a>(model: &Model, path: &'a str) -> Option<Route<'a>> {
    let mut segments = path.strip_prefix('/')?.split('/');
    let project = decode(segments.next()?)?;
    if project.is_empty() || RESERVED.contains(&&*project) {
        return None;
    }
    let Some(first) = segments.next() else {
        let kind = model.kind_by_path("")?;
        return Some(Route { project, kind, target: Target::Only });
    };
    let kind = model.kind_by_path(&decode(first)?).filter(|_| !first.is_empty())?;
    let rest = segments.map(decode).collect::<Option<Vec<_>>>()?;
    if rest.iter().any(|segment| segment.is_empty()) {
        return None;
    }
    let mut rest = rest.into_iter();
    let target = match (&model.kind(kind).addressing, rest.next(), rest.next(), rest.next()) {
        (Addressing::Singleton, ..) | (_, _, _, Some(_)) => return None,
        (_, None, ..) => Target::All,
        (Addressing::Id { by_key }, Some(segment), None, _) => match split_key(&segment) {
            Some(key) if *by_key => Target::Key(Cow::Owned(key.to_owned())),
            Some(_) => return None,
            None => Target::Id(segment),
        },
        (Addressing::Id { .. }, Some(_), Some(_), _) => return None,
        (Addressing::Fields(fields), Some(value), None, _) => {
            Target::Part { field: fields.first()?.clone(), value }
        }
        (Addressing::Fields(_), Some(first), Some(second), _) => Target::Fields(vec![first, second]),
    };
    Some(Route { project, kind, target })
}

/// The project and the segments below it, as they are meant.
pub(crate) fn segments(path: &str) -> Option<(Cow<'_, str>, Vec<Cow<'_, str>>)> {
    let mut segments = path.strip_prefix('/')?.split('/');
    let project = decode(segments.next()?).filter(|project| !RESERVED.contains(&&**project))?;
    Some((project, segments.map(decode).collect::<Option<Vec<_>>>()?))
}

/// The first segment below the project, as it stands.
pub(crate) fn first_segment(path: &str) -> Option<&str> {
    path.strip_prefix('/')?.split('/').nth(1)
}

fn split_key(segment: &str) -> Option<&str> {
    segment.strip_prefix("key=")
}

fn decode(segment: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(segment).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_by_the_model() {
        let model = Model::embedded().unwrap();
        let target = |path| route(&model, path).map(|route| route.target);
        assert_eq!(target("/shop/states"), Some(Target::All));
        assert_eq!(target("/shop/states/a-b"), Some(Target::Id("a-b".into())));
        assert_eq!(target("/shop/states/key=caf%C3%A9"), Some(Target::Key("café".into())));
        assert_eq!(
            target("/shop/custom-objects/box/a"),
            Some(Target::Fields(vec!["box".into(), "a".into()]))
        );
        assert_eq!(target("/shop"), Some(Target::Only));
        for unknown in [
            "/",
            "/shop/",
            "/shop/nothing",
            "/shop/states/a/b",
            "/shop/states/",
            "/oauth",
            "/shop/api-clients/key=a",
        ] {
            assert_eq!(target(unknown), None, "{unknown}");
        }
    }
}
