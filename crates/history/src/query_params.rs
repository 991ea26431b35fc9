//! Parses and validates the parameters of a Change History query.

use crate::changes::{KINDS, NOT_RECORDED, PLATFORM_INITIATED, RecordedKind};
use crate::limits::LOOKED_BACK_HOURS;
use jiff::{SignedDuration, Timestamp};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_model::limits::{HISTORY_IDS_MAX, LIMIT_DEFAULT, LIMIT_MAX, OFFSET_MAX};
use kontor_model::parse_date_time;

/// Seconds of an hour.
const HOUR_SECONDS: f64 = 3600.0;
/// The largest accepted age of `date.from`, in seconds: a thousand years, which is before all records.
const PAST_SECONDS_MAX: f64 = 3.2e10;
/// The value that excludes all changes that the platform derives from other changes.
pub(crate) const EXCLUDE_ALL: &str = "excludeAll";
/// The values of `type`.
const TYPES: [&str; 3] = ["ResourceCreated", "ResourceUpdated", "ResourceDeleted"];
/// The values of `source` (reference type `Source`, release note of 18 November 2026).
pub(crate) const SOURCES: [&str; 9] = [
    CONSOLE,
    "ImpEx",
    CLIENTS,
    "Import",
    "Export",
    "ManagedCommerceMCP",
    "PromotionsAgent",
    "ProductEnrichmentAgent",
    "IntakeAgent",
];
/// The source of changes by operators in the console.
pub(crate) const CONSOLE: &str = "MerchantCenter";
/// The source of all other changes, also of attributed ones.
pub(crate) const CLIENTS: &str = "ApiClient";
/// The older name of two sources.
const IMPORTS_AND_EXPORTS: (&str, [&str; 2]) = ("ImpEx", ["Import", "Export"]);

/// A query before it is parsed: names and values of its parameters.
pub struct HistoryParameters<'a> {
    /// The kind in the path, if any.
    pub path: Option<&'a str>,
    /// The id in the path, if any.
    pub id: Option<&'a str>,
    /// The parameters.
    pub parameters: &'a [(String, String)],
}

/// A validated query.
#[derive(Clone, Default)]
pub(crate) struct HistoryQuery {
    /// The requested kinds; empty: all.
    pub(crate) kinds: Vec<&'static RecordedKind>,
    /// The ids of the requested resources; empty: all.
    pub(crate) resource_ids: Vec<String>,
    pub(crate) resource_key: Option<String>,
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    pub(crate) limit: usize,
    pub(crate) offset: usize,
    pub(crate) with_total: bool,
    pub(crate) expand: bool,
    pub(crate) ty: Option<String>,
    pub(crate) client_id: Option<String>,
    pub(crate) customer_id: Option<String>,
    pub(crate) associate_id: Option<String>,
    pub(crate) business_unit: Option<String>,
    /// The requested changes; empty: all.
    pub(crate) changes: Vec<String>,
    /// The excluded changes.
    pub(crate) excluded: Vec<&'static str>,
    /// The requested Stores; empty: any.
    pub(crate) stores: Vec<String>,
    /// The operators who made the changes; empty: all callers.
    pub(crate) user_ids: Vec<String>,
    /// The requested sources; empty: any.
    pub(crate) sources: Vec<&'static str>,
}

/// Returns 400 for an invalid query (reference: `ErrorResponse` of Change History).
fn bad(message: impl Into<String>) -> ApiError {
    ApiError::new(Code::BadRequest, message)
}

impl HistoryQuery {
    /// Parses a query. Fails with 400 for unknown or invalid values.
    pub(crate) fn read(sent: &HistoryParameters<'_>, now: Timestamp) -> ApiResult<Self> {
        let all = |name: &str| -> Vec<&str> {
            let values = sent.parameters.iter().filter(|(key, _)| key == name || *key == format!("{name}[]"));
            values.map(|(_, value)| value.as_str()).collect()
        };
        let one = |name: &str| all(name).first().copied();
        let text = |name: &str| one(name).map(str::to_owned);
        let chosen = |name: &str, allowed: &[&str]| match text(name) {
            Some(value) if !allowed.contains(&value.as_str()) => {
                Err(bad(format!("{name}: '{value}' was sent, expected one of {}.", allowed.join(", "))))
            }
            value => Ok(value),
        };
        let number = |name: &str, default: usize, max: usize| match one(name) {
            None => Ok(default),
            Some(value) => {
                let expected = || bad(format!("{name}: '{value}' was sent, expected 0 to {max}."));
                value.parse().ok().filter(|number| *number <= max).ok_or_else(expected)
            }
        };
        let flag = |name: &str| match one(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(value) => Err(bad(format!("{name}: '{value}' was sent, expected true or false."))),
        };
        let kinds = kinds(sent, &all("resourceTypes"))?;
        let from = time("date.from", one("date.from"), now, LOOKED_BACK_HOURS)?;
        let to = time("date.to", one("date.to"), now, 0)?;
        if from > to {
            return Err(bad("date.from: expected a point in time before date.to."));
        }
        let resource_ids = match sent.id {
            Some(id) => vec![id.to_owned()],
            None => ids(one("resourceId"), &all("resourceIds"), "resourceIds")?,
        };
        Ok(Self {
            sources: sources(&[all("source"), all("sources")].concat())?,
            changes: changes(&all("changes"), &kinds)?,
            excluded: excluded(&all("excludePlatformInitiatedChanges"))?,
            kinds,
            resource_ids,
            resource_key: text("resourceKey"),
            from,
            to,
            limit: number("limit", LIMIT_DEFAULT, LIMIT_MAX)?,
            offset: number("offset", 0, OFFSET_MAX)?,
            with_total: flag("withTotal")?,
            expand: flag("expand")?,
            ty: chosen("type", &TYPES)?,
            client_id: text("clientId"),
            customer_id: text("customerId"),
            associate_id: text("associateId"),
            business_unit: text("businessUnit"),
            stores: all("stores").into_iter().map(str::to_owned).collect(),
            user_ids: ids(one("userId"), &all("userIds"), "userIds")?,
        })
    }
}

fn kinds(sent: &HistoryParameters<'_>, types: &[&str]) -> ApiResult<Vec<&'static RecordedKind>> {
    if let Some(path) = sent.path {
        let known = KINDS.iter().find(|kind| kind.path == path);
        let paths = || KINDS.iter().map(|kind| kind.path).collect::<Vec<_>>().join(", ");
        let unknown = || bad(format!("resourceType: '{path}' was sent, expected one of {}.", paths()));
        return Ok(vec![known.ok_or_else(unknown)?]);
    }
    let known = |name: &&str| {
        let names = || KINDS.iter().map(|kind| kind.type_id).collect::<Vec<_>>().join(", ");
        let unknown = || bad(format!("resourceTypes: '{name}' was sent, expected one of {}.", names()));
        crate::changes::by_type_id(name).ok_or_else(unknown)
    };
    types.iter().map(known).collect()
}

/// Returns the ids of a parameter for one and a parameter for several, separated by commas or repeated. Each once.
fn ids(one: Option<&str>, several: &[&str], name: &str) -> ApiResult<Vec<String>> {
    let several: Vec<&str> =
        several.iter().flat_map(|sent| sent.split(',')).map(str::trim).filter(|id| !id.is_empty()).collect();
    if several.len() > HISTORY_IDS_MAX {
        return Err(bad(format!("{name}: {} were sent, expected at most {HISTORY_IDS_MAX}.", several.len())));
    }
    let mut ids: Vec<String> = one.into_iter().chain(several).map(str::to_owned).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Returns the requested sources; none if the query has no such parameter.
fn sources(sent: &[&str]) -> ApiResult<Vec<&'static str>> {
    let mut found = Vec::new();
    for name in sent {
        let expected = || bad(format!("source: '{name}' was sent, expected one of {}.", SOURCES.join(", ")));
        let source = SOURCES.into_iter().find(|known| known == name).ok_or_else(expected)?;
        match source {
            _ if source == IMPORTS_AND_EXPORTS.0 => found.extend(IMPORTS_AND_EXPORTS.1),
            _ => found.push(source),
        }
    }
    Ok(found)
}

/// Parses a point in time: a date-time, a number of hours before now, or now.
fn time(name: &str, sent: Option<&str>, now: Timestamp, hours_default: i64) -> ApiResult<Timestamp> {
    let before_now = |past: SignedDuration| now.checked_sub(past).unwrap_or(Timestamp::MIN);
    match sent {
        None => Ok(before_now(SignedDuration::from_hours(hours_default))),
        Some("now") => Ok(now),
        Some(text) => {
            // The number of hours is documented as an integer, and described as a number.
            let hours = text.parse::<f64>().ok().filter(|hours| *hours >= 0.0 && hours.is_finite());
            let at = match hours {
                Some(hours) => Some(before_now(SignedDuration::from_secs_f64(
                    (hours * HOUR_SECONDS).min(PAST_SECONDS_MAX),
                ))),
                None => parse_date_time(text),
            };
            at.ok_or_else(|| {
                bad(format!("{name}: '{text}' was sent, expected a date-time, a number of hours, or now."))
            })
        }
    }
}

fn changes(sent: &[&str], kinds: &[&'static RecordedKind]) -> ApiResult<Vec<String>> {
    if sent.is_empty() {
        return Ok(Vec::new());
    }
    let all: Vec<&RecordedKind> = if kinds.is_empty() { KINDS.iter().collect() } else { kinds.to_vec() };
    let known: Vec<&str> = all.iter().flat_map(|kind| kind.change_names()).collect();
    let checked = |name: &&str| match known.contains(name) || NOT_RECORDED.contains(name) {
        true => Ok((*name).to_owned()),
        false => Err(bad(format!("changes: '{name}' was sent, which is no change of the resource type."))),
    };
    sent.iter().map(checked).collect()
}

fn excluded(sent: &[&str]) -> ApiResult<Vec<&'static str>> {
    if sent.contains(&EXCLUDE_ALL) {
        return Ok(PLATFORM_INITIATED.to_vec());
    }
    let checked = |name: &&str| {
        let unknown = || {
            let allowed = PLATFORM_INITIATED.join(", ");
            bad(format!(
                "excludePlatformInitiatedChanges: '{name}' was sent, expected one of {EXCLUDE_ALL}, {allowed}."
            ))
        };
        PLATFORM_INITIATED.into_iter().find(|known| known == name).ok_or_else(unknown)
    };
    sent.iter().map(checked).collect()
}
