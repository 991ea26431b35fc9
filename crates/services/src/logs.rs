//! The logs of deliveries and of requests, as the API and the test controls show them.

use crate::log_json::{duration_ms_json, insert_texts, time_json};
use crate::request_log::{RequestFilter, RequestLog};
use kontor_engine::Shop;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Map, Value, json};
use kontor_model::KindId;
use kontor_model::limits::{LIMIT_DEFAULT, LIMIT_MAX};
use kontor_outbound::{DeliveryLog, LoggedDelivery, ResourceName};
use std::ops::RangeInclusive;

/// The types of resources that name a destination, which are also the names of parameters.
const RECEIVERS: [&str; 2] = ["subscription", "extension"];
/// The results of attempts.
const RESULTS: [&str; 2] = ["delivered", "failed"];

/// Returns the value of a query parameter.
type ParameterReader<'a> = &'a (dyn Fn(&str) -> Option<String> + Send + Sync);

/// Which deliveries a caller wants.
#[derive(Debug, Default)]
pub struct DeliveryFilter {
    /// The types of receivers that the caller may see.
    receivers: Vec<&'static str>,
    /// The type and id of one receiver.
    receiver: Option<(&'static str, String)>,
    has_failed: Option<bool>,
    limit: usize,
}

impl DeliveryFilter {
    /// Parses query parameters. `limit_default`: the number of results unless a parameter says otherwise, `limit_max`: at
    /// most.
    pub fn parse(parameter: ParameterReader<'_>, limit_default: usize, limit_max: usize) -> ApiResult<Self> {
        let named: Vec<_> = RECEIVERS.iter().filter_map(|name| Some((*name, parameter(name)?))).collect();
        if named.len() > 1 {
            return Err(malformed(
                RECEIVERS[1],
                "Expected either the id of a Subscription or of an Extension",
            ));
        }
        let has_failed = match parameter("status").as_deref() {
            None => None,
            Some(status) if RESULTS.contains(&status) => Some(status == "failed"),
            Some(_) => return Err(malformed("status", "Expected 'delivered' or 'failed'")),
        };
        let limit = read_limit(parameter, limit_default, limit_max)?;
        Ok(Self { receivers: RECEIVERS.to_vec(), receiver: named.into_iter().next(), has_failed, limit })
    }
}

impl RequestFilter {
    /// Parses query parameters. `limit_default`: the number of results unless a parameter says otherwise, `limit_max`: at
    /// most.
    pub fn parse(parameter: ParameterReader<'_>, limit_default: usize, limit_max: usize) -> ApiResult<Self> {
        let status = match parameter("status") {
            None => None,
            Some(sent) => {
                let statuses = statuses(&sent);
                Some(statuses.ok_or_else(|| malformed("status", "Expected a status such as 404, or 4xx"))?)
            }
        };
        let limit = read_limit(parameter, limit_default, limit_max)?;
        Ok(Self { status, client: parameter("client"), path: parameter("path"), limit })
    }
}

/// Parses a status, or a class of statuses.
fn statuses(sent: &str) -> Option<RangeInclusive<u16>> {
    match sent.as_bytes() {
        [class @ b'1'..=b'5', b'x', b'x'] => {
            let first = u16::from(class - b'0') * 100;
            Some(first..=first + 99)
        }
        [b'1'..=b'9', b'0'..=b'9', b'0'..=b'9'] => sent.parse().ok().map(|status| status..=status),
        _ => None,
    }
}

fn read_limit(parameter: ParameterReader<'_>, default: usize, max: usize) -> ApiResult<usize> {
    let Some(sent) = parameter("limit") else { return Ok(default) };
    match sent.parse() {
        Ok(limit) if (1..=max).contains(&limit) => Ok(limit),
        _ => Err(malformed("limit", &format!("Expected an integer from 1 to {max}"))),
    }
}

fn malformed(parameter: &str, expected: &str) -> ApiError {
    ApiError::invalid_input(format!("Malformed parameter: {parameter}: {expected}."))
}

/// Handles the request for deliveries. The bodies contain resources: a client that manages receivers can have them sent
/// anywhere. `must_manage` fails if the caller may not manage documents of a kind.
pub(crate) fn deliveries(
    log: Option<&DeliveryLog>,
    shop: &Shop,
    parameter: ParameterReader<'_>,
    must_manage: &(dyn Fn(KindId) -> ApiResult<()> + Send + Sync),
) -> ApiResult<Value> {
    let mut filter = DeliveryFilter::parse(parameter, LIMIT_DEFAULT, LIMIT_MAX)?;
    let kind = |name: &str| -> ApiResult<KindId> {
        let kind = shop.model().kind_by_type_id(name);
        kind.ok_or_else(|| ApiError::bug(format!("the model has no '{name}'")))
    };
    if let Some((name, _)) = &filter.receiver {
        must_manage(kind(name)?)?;
    }
    let mut seen = Vec::new();
    for name in RECEIVERS {
        match must_manage(kind(name)?) {
            Ok(()) => seen.push(name),
            Err(error) if error.code() == Code::InsufficientScope => {}
            Err(error) => return Err(error),
        }
    }
    filter.receivers = seen;
    Ok(json!({"results": log.map(|log| last_deliveries(log, &shop.key, &filter)).unwrap_or_default()}))
}

/// Returns the last deliveries of a project as JSON, the newest first.
pub fn last_deliveries(log: &DeliveryLog, project: &str, filter: &DeliveryFilter) -> Vec<Value> {
    let found = log.last(project, filter.limit, |attempt| {
        let ResourceName { type_id, id } = &attempt.receiver;
        filter.receivers.contains(&type_id.as_str())
            && filter.receiver.as_ref().is_none_or(|(of_type, of)| of_type == type_id && of == id)
            && filter.has_failed.is_none_or(|has_failed| has_failed == attempt.error.is_some())
    });
    found.iter().map(|delivery| delivery_json(delivery)).collect()
}

/// Handles the request for requests, and records all of the next minutes.
pub(crate) fn requests(log: &RequestLog, shop: &Shop, parameter: ParameterReader<'_>) -> ApiResult<Value> {
    let filter = RequestFilter::parse(parameter, LIMIT_DEFAULT, LIMIT_MAX)?;
    log.watch();
    let found = log.last(&shop.key, &filter);
    Ok(json!({"results": found.iter().map(|request| request.to_json()).collect::<Vec<_>>()}))
}

fn delivery_json(delivery: &LoggedDelivery) -> Value {
    let attempt = &delivery.attempt;
    let name = |named: &ResourceName| json!({"typeId": named.type_id, "id": named.id});
    let mut shown = Map::new();
    shown.insert("id", json!(delivery.number.to_string()));
    shown.insert("kind", json!(attempt.receiver.type_id));
    shown.insert("receiver", name(&attempt.receiver));
    shown.insert("resource", name(attempt.resource.as_ref().unwrap_or(&attempt.receiver)));
    shown.insert("at", time_json(attempt.at_ms));
    shown.insert("destination", json!(attempt.destination));
    shown.insert("status", json!(RESULTS[usize::from(attempt.error.is_some())]));
    if let Some(status) = attempt.http_status {
        shown.insert("httpStatus", json!(status));
    }
    shown.insert("durationMs", duration_ms_json(attempt.duration));
    shown.insert("attempts", json!(attempt.attempts));
    let texts = [
        ("error", attempt.error.as_ref()),
        ("requestBody", Some(&attempt.request_body.0)),
        ("responseBody", attempt.response_body.as_ref().map(|body| &body.0)),
    ];
    insert_texts(&mut shown, texts);
    Value::Object(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(sent: &'static [(&str, &str)]) -> ApiResult<RequestFilter> {
        let value = move |name: &str| {
            sent.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        RequestFilter::parse(&value, 20, 500)
    }

    #[test]
    fn parses_statuses_and_limits() {
        assert_eq!(filter(&[]).unwrap().limit, 20);
        assert_eq!(filter(&[("status", "404"), ("limit", "500")]).unwrap().status, Some(404..=404));
        assert_eq!(filter(&[("status", "4xx")]).unwrap().status, Some(400..=499));
        for wrong in [
            &[("status", "4x")] as &[(&str, &str)],
            &[("status", "4xy")],
            &[("status", "6xx")],
            &[("status", "€")],
            &[("status", "4+4")],
            &[("limit", "0")],
            &[("limit", "501")],
            &[("limit", "x")],
        ] {
            assert!(filter(wrong).is_err(), "{wrong:?}");
        }
    }
}
