//! Parses and validates the parameters of a Change History query.

use crate::changes::{KINDS, NOT_RECORDED, PLATFORM_INITIATED, RecordedKind};
use crate::limits::LOOKED_BACK_HOURS;
use jiff::{SignedDuration, Timestamp};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_model::limits::{LIMIT_DEFAULT, LIMIT_MAX, OFFSET_MAX};
use kontor_model::parse_date_time;

/// Seconds of an hour.
const HOUR_SECONDS: f64 = 3600.0;
/// The largest accepted age of `date.from`, in seconds: a thousand years, which is before all records.
const PAST_SECONDS_MAX: f64 = 3.2e10;
/// The value that excludes all changes that the platform derives from other changes.
pub(crate) const EXCLUDE_ALL: &str = "excludeAll";
/// The values of `type`.
const TYPES: [&str; 3] = ["ResourceCreated", "ResourceUpdated", "ResourceDeleted"];
/// The values of `source` (reference type `Source`).
const SOURCES: [&str; 3] = [CONSOLE, "ImpEx", CLIENTS];
/// The source of changes by operators in the console.
const CONSOLE: &str = "MerchantCenter";
/// The source of all other changes.
const CLIENTS: &str = "ApiClient";

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
    pub(crate) resource_id: Option<String>,
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
    /// The operator who made the changes.
    pub(crate) user_id: Option<String>,
    /// Whether only changes by operators in the console match, or only others; `None`: all.
    pub(crate) is_of_console: Option<bool>,
    /// Whether nothing can match, because this server has no such source.
    pub(crate) is_of_nobody: bool,
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
        let source = chosen("source", &SOURCES)?;
        Ok(Self {
            changes: changes(&all("changes"), &kinds)?,
            excluded: excluded(&all("excludePlatformInitiatedChanges"))?,
            kinds,
            resource_id: sent.id.map(str::to_owned).or_else(|| text("resourceId")),
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
            user_id: text("userId"),
            is_of_nobody: source.as_ref().is_some_and(|source| source != CONSOLE && source != CLIENTS),
            is_of_console: source.map(|source| source == CONSOLE),
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
