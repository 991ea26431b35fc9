//! From a path to what is meant by it, by the model.

use kontor_engine::AsAssociate;
use kontor_model::{Addressing, KindId, Model};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// Path segments that are no project keys.
const RESERVED: &[&str] =
    &["oauth", "health", "images", "metrics", "console", "openapi", "openapi.json", "_test", "_operator"];

/// What stands before the paths of one Store, and before its key.
const IN_STORE: &str = "in-store/";
/// What stands before the paths of what belongs to who asks.
const ME: &str = "me";
/// What stands before the id of an associate, and before the paths of one unit.
const AS_ASSOCIATE: &str = "as-associate/";
const IN_UNIT: &str = "in-business-unit/";

/// What a path below `/{projectKey}` means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route<'a> {
    pub(crate) project: Cow<'a, str>,
    /// The Store of `/in-store/key={storeKey}`.
    pub(crate) store: Option<Cow<'a, str>>,
    /// Who acts below `/as-associate/{associateId}`, and for which unit.
    pub(crate) associate: Option<AsAssociate>,
    /// Below `/me`: what belongs to who asks.
    pub(crate) mine: bool,
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
    /// The only one: of the project, or below `/me` that of who asks.
    Only,
    /// The one of a Store that belongs to another document, by its id or key.
    Through { parent: KindId, by_key: bool, value: Cow<'a, str> },
    /// One that is yet to be, where creations have a path of their own: `/me/signup`.
    New,
}

/// A path, with what stands before every kind of resource taken off.
pub(crate) struct Below<'a> {
    pub(crate) project: Cow<'a, str>,
    pub(crate) store: Option<Cow<'a, str>>,
    /// What follows, without the slash before it; `None` where nothing does.
    pub(crate) rest: Option<&'a str>,
}

/// Takes project and Store off a path; `None` where it has none.
pub(crate) fn below(path: &str) -> Option<Below<'_>> {
    let (project, mut rest) = cut(path.strip_prefix('/')?);
    let project = decode(project).filter(|project| !project.is_empty() && !RESERVED.contains(&&**project))?;
    let mut store = None;
    if let Some(in_store) = rest.and_then(|rest| rest.strip_prefix(IN_STORE)) {
        let (segment, further) = cut(in_store);
        let key = decode(segment)?.strip_prefix("key=").filter(|key| !key.is_empty())?.to_owned();
        store = Some(Cow::Owned(key));
        rest = Some(further?);
    }
    Some(Below { project, store, rest })
}

/// The first segment, and what follows.
fn cut(path: &str) -> (&str, Option<&str>) {
    match path.split_once('/') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    }
}

/// The route of a path, or `None` where the model has none.
pub(crate) fn route<'a>(model: &Model, path: &'a str) -> Option<Route<'a>> {
    let Below { project, store, rest } = below(path)?;
    let Some(rest) = rest else {
        let kind = model.kind_by_path("")?;
        return Some(Route { project, store, associate: None, mine: false, kind, target: Target::Only });
    };
    if let Some(below) = rest.strip_prefix(AS_ASSOCIATE) {
        return if store.is_some() { None } else { as_associate(model, project, below) };
    }
    if store.is_some()
        && let [first, address, last] = &segments(rest)?[..]
        && let Some((kind, target)) = through(model, first, address, last)
    {
        return Some(Route { project, store, associate: None, mine: false, kind, target });
    }
    let mut segments = rest.split('/');
    let mut first = Some(segments.next()?);
    let mine = first == Some(ME);
    if mine {
        first = segments.next();
    }
    let mut rest = segments.map(decode).collect::<Option<Vec<_>>>()?.into_iter();
    let named = match first {
        Some(first) => decode(first).filter(|first| !first.is_empty())?,
        None => Cow::Borrowed(""),
    };
    let kind = if mine { model.kind_by_my_path(&named)? } else { model.kind_by_path(&named)? };
    let entry = model.kind(kind);
    let own = entry.mine.as_ref().filter(|_| mine);
    let target = match own {
        Some(own) if own.create.as_deref() == Some(&*named) => match rest.next() {
            None => Target::New,
            Some(_) => return None,
        },
        Some(own) if own.path.is_empty() => Target::Only,
        Some(own) if matches!(entry.addressing, Addressing::Id { .. }) => {
            target(&Addressing::Id { by_key: own.by_key }, rest)?
        }
        _ => target(&entry.addressing, rest)?,
    };
    let is_served = match (own, &store) {
        (Some(own), Some(_)) => own.in_store,
        (Some(_), None) => true,
        (None, Some(_)) => entry.in_store.is_some(),
        (None, None) => entry.associates.as_ref().is_none_or(|own| !own.only),
    };
    is_served.then_some(Route { project, store, associate: None, mine, kind, target })
}

/// The route of what follows `as-associate/`.
fn as_associate<'a>(model: &Model, project: Cow<'a, str>, below: &'a str) -> Option<Route<'a>> {
    let (id, rest) = cut(below);
    let id = decode(id).filter(|id| !id.is_empty())?.into_owned();
    let mut rest = rest?;
    let mut unit = None;
    if let Some(in_unit) = rest.strip_prefix(IN_UNIT) {
        let (segment, further) = cut(in_unit);
        unit = Some(split_key(&decode(segment)?).filter(|key| !key.is_empty())?.to_owned());
        rest = further?;
    }
    let (named, further) = cut(rest);
    let kind = model.kind_by_path(&decode(named)?)?;
    let entry = model.kind(kind);
    let own = entry.associates.as_ref()?;
    if own.unit.is_empty() != unit.is_none() {
        return None;
    }
    let further = further.map(segments).map_or(Some(Vec::new()), |decoded| decoded)?;
    let target = target(&entry.addressing, further.into_iter())?;
    Some(Route {
        project,
        store: None,
        associate: Some(AsAssociate { id: Some(id), unit }),
        mine: false,
        kind,
        target,
    })
}

/// The document of a Store that belongs to another one: `products/{id}/product-tailoring`.
pub(crate) fn through(
    model: &Model,
    first: &str,
    address: &str,
    last: &str,
) -> Option<(KindId, Target<'static>)> {
    let (kind, parent) = model.kind_through(first, last)?;
    let (by_key, value) = match split_key(address) {
        Some(key) => (true, key),
        None => (false, address),
    };
    (!value.is_empty())
        .then(|| (kind, Target::Through { parent, by_key, value: Cow::Owned(value.to_owned()) }))
}

/// What the segments below a kind's path mean.
fn target<'a>(addressing: &Addressing, mut rest: impl Iterator<Item = Cow<'a, str>>) -> Option<Target<'a>> {
    let mut next = || rest.next();
    let (one, two, three) = (next(), next(), next());
    if [&one, &two].into_iter().flatten().any(|segment| segment.is_empty()) {
        return None;
    }
    Some(match (addressing, one, two, three) {
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
    })
}

/// The segments of what follows project and Store, as they are meant.
pub(crate) fn segments(rest: &str) -> Option<Vec<Cow<'_, str>>> {
    rest.split('/').map(decode).collect()
}

pub(crate) fn split_key(segment: &str) -> Option<&str> {
    segment.strip_prefix("key=")
}

fn decode(segment: &str) -> Option<Cow<'_, str>> {
    if !segment.contains('%') {
        return Some(Cow::Borrowed(segment));
    }
    percent_decode_str(segment).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_and_who_asks_stand_before_the_paths_of_kinds() {
        let model = Model::embedded().unwrap();
        let read = |path| {
            let route = route(&model, path)?;
            Some((route.store.map(Cow::into_owned), route.mine, route.target))
        };
        assert_eq!(
            read("/shop/in-store/key=caf%C3%A9/customers/key=a"),
            Some((Some("café".into()), false, Target::Key("a".into())))
        );
        assert_eq!(read("/shop/me"), Some((None, true, Target::Only)));
        assert_eq!(read("/shop/me/signup"), Some((None, true, Target::New)));
        assert_eq!(read("/shop/me/payments/a"), Some((None, true, Target::Id("a".into()))));
        assert_eq!(read("/shop/in-store/key=a/me"), Some((Some("a".into()), true, Target::Only)));
    }

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
            "/shop/me/",
            "/shop/me/nothing",
            "/shop/me/signup/a",
            "/shop/in-store",
            "/shop/in-store/key=a",
            "/shop/in-store/key=/customers",
            "/shop/in-store/a/customers",
            "/shop/in-store/key=a/zones",
            "/shop/in-store/key=a/me/payments",
            "/shop/me/in-store/key=a",
        ] {
            assert_eq!(target(unknown), None, "{unknown}");
        }
    }
}
