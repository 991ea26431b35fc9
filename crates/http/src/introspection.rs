//! Sends token introspection requests to external OAuth servers. Implements the trait of `auth`, which has no HTTP
//! client.

use axum::http::{HeaderValue, header};
use bytes::Bytes;
use kontor_auth::{
    ExternalFailure, INTROSPECTION_BYTES_MAX, INTROSPECTION_DEADLINE, IntrospectionCall,
    IntrospectionEndpoint, IntrospectionFuture, IntrospectionReply,
};
use kontor_outbound::{CORRELATION_ID, Outbound, OutboundError, OutboundRequest};
use secrecy::ExposeSecret as _;

/// Sends the requests over HTTP.
pub(crate) struct HttpIntrospection(Outbound);

impl HttpIntrospection {
    /// Returns an endpoint that uses this HTTP client.
    pub(crate) fn new(outbound: Outbound) -> Self {
        Self(outbound)
    }
}

impl IntrospectionEndpoint for HttpIntrospection {
    fn call(&self, ask: IntrospectionCall) -> IntrospectionFuture {
        let outbound = self.0.of_project(&ask.project);
        Box::pin(async move {
            let received = outbound.post(build_request(ask)?).await.map_err(|why| external_failure(&why))?;
            Ok(IntrospectionReply { status: received.status, body: received.body.to_vec() })
        })
    }
}

fn build_request(call: IntrospectionCall) -> Result<OutboundRequest, ExternalFailure> {
    let mut authorization = HeaderValue::from_str(call.authorization.expose_secret())
        .map_err(|_| ExternalFailure::NotConfigured)?;
    authorization.set_sensitive(true);
    let mut headers = vec![
        (header::AUTHORIZATION, authorization),
        (header::CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded")),
        (header::ACCEPT, HeaderValue::from_static("application/json")),
    ];
    let id = call.correlation_id.as_ref().and_then(|id| HeaderValue::from_str(id).ok());
    headers.extend(id.map(|id| (CORRELATION_ID, id)));
    Ok(OutboundRequest {
        url: call.url.clone(),
        headers,
        body: Bytes::from(call.form_bytes()),
        timeout: INTROSPECTION_DEADLINE,
        response_bytes_max: INTROSPECTION_BYTES_MAX,
    })
}

/// Converts a failed request. Private addresses give the same error as unreachable servers, in the same time, so that
/// callers cannot probe the network.
fn external_failure(why: &OutboundError) -> ExternalFailure {
    match why {
        OutboundError::NotAllowed => {
            tracing::warn!(
                "the address of an external OAuth server is missing, or in a private network \
                 (--allow-private-destinations allows these)"
            );
            ExternalFailure::NoResponse
        }
        OutboundError::Unreachable(error) | OutboundError::Closed(error) => {
            tracing::warn!(%error, "an external OAuth server did not respond");
            ExternalFailure::NoResponse
        }
        OutboundError::TimedOut => ExternalFailure::NoResponse,
        OutboundError::InvalidResponse => ExternalFailure::InvalidResponse,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use kontor_outbound::Destinations;
    use std::time::{Duration, Instant};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    /// A server that responds to one request in pieces of 1 KB, and returns the request that it read.
    async fn server(response: String) -> (String, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/introspect?a=b", listener.local_addr().unwrap());
        let served = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut read = Vec::new();
            while !read.windows(7).any(|bytes| bytes == b"token=t") {
                assert_ne!(stream.read_buf(&mut read).await.unwrap(), 0, "the request ended early");
            }
            for piece in response.as_bytes().chunks(1024) {
                if stream.write_all(piece).await.is_err() {
                    break;
                }
            }
            if response.is_empty() {
                // Hangs until the client has disconnected.
                let _ = stream.read_buf(&mut read).await;
            }
            String::from_utf8(read).unwrap()
        });
        (url, served)
    }

    fn call(url: &str) -> IntrospectionFuture {
        call_to(url, Destinations::Any)
    }

    fn call_to(url: &str, destinations: Destinations) -> IntrospectionFuture {
        HttpIntrospection::new(Outbound::new(destinations)).call(IntrospectionCall {
            project: "shop".to_owned(),
            url: url.to_owned(),
            authorization: "Bearer open-sesame".to_owned().into(),
            form: "token=t".to_owned().into(),
            correlation_id: Some("correlation-1".to_owned()),
        })
    }

    fn http_response(status: &str, body: &str) -> String {
        format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    }

    #[tokio::test]
    async fn sends_a_form_with_the_header_of_the_project() {
        let (url, served) = server(http_response("200 OK", "{\"active\":false}")).await;
        let reply = call(&url).await.unwrap();
        assert_eq!((reply.status, &*reply.body), (200, &b"{\"active\":false}"[..]));
        let request = served.await.unwrap().to_ascii_lowercase();
        for line in [
            "post /introspect?a=b http/1.1\r\n",
            "authorization: bearer open-sesame\r\n",
            "content-type: application/x-www-form-urlencoded\r\n",
            "x-correlation-id: correlation-1\r\n",
            "\r\n\r\ntoken=t",
        ] {
            assert!(request.contains(line), "{line} is missing: {request}");
        }
    }

    #[tokio::test]
    async fn times_out_on_a_server_that_hangs() {
        let (url, _served) = server(String::new()).await;
        let started = Instant::now();
        assert_eq!(call(&url).await.unwrap_err(), ExternalFailure::NoResponse);
        let taken = started.elapsed();
        assert!((INTROSPECTION_DEADLINE..Duration::from_secs(5)).contains(&taken), "{taken:?}");
    }

    #[tokio::test]
    async fn reports_an_unreachable_server() {
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        let url = format!("http://127.0.0.1:{port}/");
        assert_eq!(call(&url).await.unwrap_err(), ExternalFailure::NoResponse);
    }

    #[tokio::test]
    async fn rejects_oauth_servers_at_private_addresses() {
        let (url, served) = server(http_response("200 OK", "{\"active\":true}")).await;
        let port = url.rsplit(':').next().unwrap().to_owned();
        for host in ["127.0.0.1", "localhost", "127.1", "[::ffff:127.0.0.1]"] {
            let reply = call_to(&format!("http://{host}:{port}"), Destinations::Public).await;
            assert_eq!(reply.unwrap_err(), ExternalFailure::NoResponse, "{host}");
        }
        assert!(!served.is_finished(), "nobody was asked");
    }

    #[tokio::test]
    async fn does_not_follow_redirects() {
        let redirect = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
        let (url, _served) = server(redirect.to_owned()).await;
        assert_eq!(call(&url).await.unwrap().status, 302);
    }

    #[tokio::test]
    async fn rejects_large_responses() {
        for body in ["x".repeat(INTROSPECTION_BYTES_MAX), "x".repeat(1024 * 1024)] {
            let (url, _served) = server(http_response("200 OK", &body)).await;
            let reply = call(&url).await;
            if body.len() <= INTROSPECTION_BYTES_MAX {
                assert_eq!(reply.unwrap().body.len(), body.len());
            } else {
                assert_eq!(reply.unwrap_err(), ExternalFailure::InvalidResponse);
            }
        }
    }

    #[tokio::test]
    async fn malformed_urls_do_not_panic() {
        for url in ["", "https://exa mple.com", "http://[::1", "/introspect"] {
            assert!(call(url).await.is_err(), "{url}");
        }
    }
}
