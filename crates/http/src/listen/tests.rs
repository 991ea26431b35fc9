//! Idle and slow clients, against a listener with short timeouts.

#![allow(clippy::unwrap_used)] // What cannot be had fails the test.

use super::*;
use bytes::Bytes;
use futures_util::stream;
use hyper::service::service_fn;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;

const SHORT: Duration = Duration::from_millis(200);
/// Longer than [`SHORT`] by far: a test that takes so long has failed.
const LONG: Duration = Duration::from_secs(60);
const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: k\r\n\r\n";
/// More than the buffers between client and server hold.
const ANSWER_BYTES: usize = 64 * 1024 * 1024;
const PART_BYTES: usize = 64 * 1024;

/// Signals when a response is dropped.
struct DropSignal(mpsc::UnboundedSender<()>);

impl Drop for DropSignal {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

/// A response that is generated while it is sent.
fn streamed_response(held: DropSignal) -> Response<Body> {
    let parts = stream::unfold((held, 0), |(held, sent)| async move {
        let part: Result<Bytes, Infallible> = Ok(Bytes::from_static(&[b'x'; PART_BYTES]));
        (sent < ANSWER_BYTES).then_some((part, (held, sent + PART_BYTES)))
    });
    Response::new(Body::from_stream(parts))
}

/// Serves large responses. Returns the address, and a receiver that signals dropped responses.
async fn served(timeout: ConnectionTimeouts) -> (std::net::SocketAddr, mpsc::UnboundedReceiver<()>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (gone, ended) = mpsc::unbounded_channel();
    let connection = move |_| {
        let gone = gone.clone();
        service_fn(move |_| {
            let held = DropSignal(gone.clone());
            async move { Ok(streamed_response(held)) }
        })
    };
    tokio::spawn(serve(listener, connection, timeout, std::future::pending()));
    (address, ended)
}

#[tokio::test]
async fn drops_a_response_that_is_not_read() {
    let (address, mut ended) = served(ConnectionTimeouts { head: LONG, write: SHORT }).await;
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(REQUEST).await.unwrap();
    tokio::time::timeout(LONG, ended.recv()).await.expect("it is held without end");
    // The rest of the response was not sent.
    let mut read = Vec::new();
    let whole = client.read_to_end(&mut read).await;
    assert!(whole.is_err() || read.len() < ANSWER_BYTES, "{} bytes", read.len());
    assert!(!read.ends_with(b"0\r\n\r\n"), "it ends like an answer that is whole");
}

#[tokio::test]
async fn completes_a_response_that_is_read_slowly() {
    const STEPS: usize = 16;
    let (address, _ended) = served(ConnectionTimeouts { head: LONG, write: SHORT }).await;
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(REQUEST).await.unwrap();
    // The total time is several times the timeout of one write.
    let mut step = vec![0; ANSWER_BYTES / STEPS];
    for _ in 0..STEPS {
        client.read_exact(&mut step).await.expect("it ends before it is whole");
        tokio::time::sleep(SHORT / 4).await;
    }
}

#[tokio::test]
async fn closes_connections_with_an_unfinished_head() {
    let (address, _ended) = served(ConnectionTimeouts { head: SHORT, write: LONG }).await;
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(&REQUEST[..REQUEST.len() - 2]).await.unwrap();
    let mut read = Vec::new();
    tokio::time::timeout(LONG, client.read_to_end(&mut read)).await.expect("it stays open").unwrap();
    assert!(!String::from_utf8_lossy(&read).contains("xxx"));
}
