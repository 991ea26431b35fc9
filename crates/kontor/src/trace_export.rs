//! Exports traces to an OpenTelemetry collector (tracing), configured by OpenTelemetry's own environment variables.

use anyhow::{Context as _, bail};
use opentelemetry::global;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use std::time::Duration;

/// The service name in traces, unless `OTEL_SERVICE_NAME` is set.
const SERVICE_NAME: &str = "kontor";
/// The only supported export protocol.
const PROTOCOL: &str = "http/protobuf";
/// Variables that may request another protocol.
const PROTOCOL_VARIABLES: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];
/// Timeout for sending the last spans when the server stops.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Sends spans to a collector. Flushes the last ones when dropped.
pub(crate) struct TraceExporter(SdkTracerProvider);

impl TraceExporter {
    /// Starts the export if `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` names a collector
    /// that accepts OTLP over HTTP, or if `OTEL_TRACES_EXPORTER=otlp` selects the default one on this machine; else
    /// returns `None`. The other variables of OpenTelemetry (headers, sampler, batches, resource attributes) work as
    /// documented there.
    ///
    /// # Errors
    /// A variable has an invalid value or requests another protocol.
    pub(crate) fn start(variable: impl Fn(&str) -> Option<String>) -> anyhow::Result<Option<Self>> {
        if !is_enabled(&variable) {
            return Ok(None);
        }
        check_protocol(&variable)?;
        // Fails if a provider is installed already, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let exporter = SpanExporter::builder().with_http().build().context("traces cannot be sent")?;
        let mut resource = Resource::builder();
        if variable("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name(SERVICE_NAME);
        }
        let provider = SdkTracerProvider::builder()
            .with_resource(resource.build())
            .with_batch_exporter(exporter)
            .build();
        global::set_text_map_propagator(TraceContextPropagator::new());
        Ok(Some(Self(provider)))
    }

    pub(crate) fn tracer(&self) -> SdkTracer {
        self.0.tracer(SERVICE_NAME)
    }
}

impl Drop for TraceExporter {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown_with_timeout(FLUSH_TIMEOUT) {
            tracing::warn!(%error, "the last traces were not sent");
        }
    }
}

/// Fails if a variable requests an unsupported protocol; otherwise traces would be missing without notice.
fn check_protocol(variable: impl Fn(&str) -> Option<String>) -> anyhow::Result<()> {
    let given = |name: &str| variable(name).filter(|value| !value.is_empty());
    let requested = PROTOCOL_VARIABLES.iter().find_map(|name| Some((name, given(name)?)));
    match requested {
        Some((name, requested)) if requested != PROTOCOL => bail!(
            "traces cannot be sent: {name} is '{requested}', and only {PROTOCOL} is supported, which collectors accept \
             on port 4318 by default"
        ),
        _ => Ok(()),
    }
}

fn is_enabled(variable: impl Fn(&str) -> Option<String>) -> bool {
    let is = |name: &str, value: &str| variable(name).is_some_and(|given| given.eq_ignore_ascii_case(value));
    let has = |name: &str| variable(name).is_some_and(|given| !given.is_empty());
    !is("OTEL_SDK_DISABLED", "true")
        && !is("OTEL_TRACES_EXPORTER", "none")
        && (is("OTEL_TRACES_EXPORTER", "otlp")
            || has("OTEL_EXPORTER_OTLP_ENDPOINT")
            || has("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_traces_when_a_collector_is_configured() {
        let wanted = |given: &[(&str, &str)]| {
            is_enabled(|name| {
                given.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");
        assert!(wanted(&[endpoint]));
        assert!(wanted(&[("OTEL_TRACES_EXPORTER", "otlp")]));
        assert!(!wanted(&[]));
        assert!(!wanted(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "")]));
        assert!(!wanted(&[endpoint, ("OTEL_SDK_DISABLED", "TRUE")]));
        assert!(!wanted(&[endpoint, ("OTEL_TRACES_EXPORTER", "none")]));
    }

    #[test]
    fn rejects_unsupported_protocols() {
        let requested = |name: &'static str, value: &'static str| {
            check_protocol(move |variable| (variable == name).then(|| value.to_owned()))
        };
        assert!(requested("OTEL_EXPORTER_OTLP_PROTOCOL", PROTOCOL).is_ok());
        assert!(requested("OTEL_EXPORTER_OTLP_PROTOCOL", "").is_ok());
        for name in PROTOCOL_VARIABLES {
            assert!(requested(name, "grpc").is_err_and(|error| error.to_string().contains(name)));
        }
        // An empty variable counts as not set.
        let general = |name: &str| Some(if name == PROTOCOL_VARIABLES[0] { "" } else { "grpc" }.to_owned());
        assert!(check_protocol(general).is_err());
    }
}
