//! Questions to external OAuth servers, over HTTP: in time, not too long, no further than they are sent, and to no neighbours.

use crate::destinations::Destinations;
use axum::http::{HeaderValue, Request, Uri, header};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kontor_auth::{
    ExternalFailure, INTROSPECTION_BYTES_MAX, INTROSPECTION_DEADLINE, IntrospectionCall,
    IntrospectionEndpoint, IntrospectionFuture, IntrospectionReply,
};
use secrecy::ExposeSecret as _;

type HttpClient = Client<HttpsConnector<HttpConnector<Destinations>>, Full<Bytes>>;

/// Sends questions and keeps connections open for the next ones.
pub(crate) struct HttpIntrospection {
    client: HttpClient,
    destinations: Destinations,
}

impl HttpIntrospection {
    /// Trusts the certificates that the machine trusts. Fails where there are none.
    pub(crate) fn new(destinations: Destinations) -> std::io::Result<Self> {
        let mut plain = HttpConnector::new_with_resolver(destinations);
        plain.enforce_http(false);
        plain.set_nodelay(true);
        let provider = hyper_rustls_provider();
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_native_roots(provider)?
            .https_or_http()
            .enable_http1()
            .wrap_connector(plain);
        Ok(Self { client: Client::builder(TokioExecutor::new()).build(connector), destinations })
    }
}

fn hyper_rustls_provider() -> rustls::crypto::CryptoProvider {
    rustls::crypto::ring::default_provider()
}

impl IntrospectionEndpoint for HttpIntrospection {
    fn call(&self, call: IntrospectionCall) -> IntrospectionFuture {
        let (client, destinations) = (self.client.clone(), self.destinations);
        Box::pin(async move {
            // Told in the same words as a server that is not there, and not in less time or more.
            if !is_admitted(destinations, &call.url) {
                tracing::warn!(
                    "an external OAuth server is at an address of this machine or of a private network, which \
                     --allow-private-destinations would allow"
                );
                return Err(ExternalFailure::NoAnswer);
            }
            match tokio::time::timeout(INTROSPECTION_DEADLINE, send(&client, call)).await {
                Ok(reply) => reply,
                Err(_) => Err(ExternalFailure::NoAnswer),
            }
        })
    }
}

fn is_admitted(destinations: Destinations, url: &str) -> bool {
    let url = url.parse::<Uri>();
    url.ok().is_none_or(|url| url.host().is_none_or(|host| destinations.admit_host(host)))
}

async fn send(client: &HttpClient, call: IntrospectionCall) -> Result<IntrospectionReply, ExternalFailure> {
    let mut authorization = HeaderValue::from_str(call.authorization.expose_secret())
        .map_err(|_| ExternalFailure::NotConfigured)?;
    authorization.set_sensitive(true);
    let mut request = Request::post(&call.url)
        .header(header::AUTHORIZATION, authorization)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::ACCEPT, "application/json");
    if let Some(id) = &call.correlation_id {
        request = request.header("x-correlation-id", id);
    }
    let request = request
        .body(Full::new(Bytes::from(call.form_bytes())))
        .map_err(|_| ExternalFailure::NotConfigured)?;
    let answer = client.request(request).await.map_err(|error| {
        tracing::warn!(%error, "an external OAuth server did not answer");
        ExternalFailure::NoAnswer
    })?;
    let status = answer.status().as_u16();
    let body = Limited::new(answer.into_body(), INTROSPECTION_BYTES_MAX)
        .collect()
        .await
        .map_err(|_| ExternalFailure::BadAnswer)?
        .to_bytes();
    Ok(IntrospectionReply { status, body: body.to_vec() })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    /// A server that reads one request, answers it, and tells what it read. It answers in pieces of 1 KB.
    async fn server(answer: String) -> (String, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/introspect?a=b", listener.local_addr().unwrap());
        let served = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut read = Vec::new();
            while !read.windows(7).any(|bytes| bytes == b"token=t") {
                assert_ne!(stream.read_buf(&mut read).await.unwrap(), 0, "the request ended early");
            }
            for piece in answer.as_bytes().chunks(1024) {
                if stream.write_all(piece).await.is_err() {
                    break;
                }
            }
            if answer.is_empty() {
                // Hangs until the caller has gone.
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
        HttpIntrospection::new(destinations).unwrap().call(IntrospectionCall {
            url: url.to_owned(),
            authorization: "Bearer open-sesame".to_owned().into(),
            form: "token=t".to_owned().into(),
            correlation_id: Some("correlation-1".to_owned()),
        })
    }

    fn answer(status: &str, body: &str) -> String {
        format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    }

    #[tokio::test]
    async fn a_question_is_a_form_with_the_header_of_the_project() {
        let (url, served) = server(answer("200 OK", "{\"active\":false}")).await;
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
    async fn a_server_that_hangs_is_left_in_time() {
        let (url, _served) = server(String::new()).await;
        let started = Instant::now();
        assert_eq!(call(&url).await.unwrap_err(), ExternalFailure::NoAnswer);
        let taken = started.elapsed();
        assert!((INTROSPECTION_DEADLINE..Duration::from_secs(5)).contains(&taken), "{taken:?}");
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_is_no_answer() {
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        let url = format!("http://127.0.0.1:{port}/");
        assert_eq!(call(&url).await.unwrap_err(), ExternalFailure::NoAnswer);
    }

    #[tokio::test]
    async fn neighbours_are_no_servers_whatever_listens_there() {
        let (url, served) = server(answer("200 OK", "{\"active\":true}")).await;
        let port = url.rsplit(':').next().unwrap().to_owned();
        for host in ["127.0.0.1", "localhost", "127.1", "[::ffff:127.0.0.1]"] {
            let reply = call_to(&format!("http://{host}:{port}"), Destinations::Public).await;
            assert_eq!(reply.unwrap_err(), ExternalFailure::NoAnswer, "{host}");
        }
        assert!(!served.is_finished(), "nobody was asked");
    }

    #[tokio::test]
    async fn a_redirect_is_an_answer_and_not_followed() {
        let redirect = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
        let (url, _served) = server(redirect.to_owned()).await;
        assert_eq!(call(&url).await.unwrap().status, 302);
    }

    #[tokio::test]
    async fn a_megabyte_is_too_much() {
        for body in ["x".repeat(INTROSPECTION_BYTES_MAX), "x".repeat(1024 * 1024)] {
            let (url, _served) = server(answer("200 OK", &body)).await;
            let reply = call(&url).await;
            if body.len() <= INTROSPECTION_BYTES_MAX {
                assert_eq!(reply.unwrap().body.len(), body.len());
            } else {
                assert_eq!(reply.unwrap_err(), ExternalFailure::BadAnswer);
            }
        }
    }

    #[tokio::test]
    async fn settings_that_no_request_can_have_are_no_panic() {
        for url in ["", "https://exa mple.com", "http://[::1", "/introspect"] {
            assert!(call(url).await.is_err(), "{url}");
        }
    }
}
