//! A fake S3 bucket with the operations that images need, and failures on demand.

use super::Images;
use object_store::aws::AmazonS3Builder;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

const BUCKET: &str = "pictures";

pub(super) struct FakeBucket {
    address: SocketAddr,
    server: JoinHandle<()>,
    content: Arc<BucketContent>,
}

struct BucketContent {
    /// Paths of the objects.
    kept: Mutex<BTreeSet<String>>,
    /// How many more objects it will store.
    takes: AtomicUsize,
}

impl FakeBucket {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let content = Arc::new(BucketContent {
            kept: Mutex::new(BTreeSet::new()),
            takes: AtomicUsize::new(usize::MAX),
        });
        let shared = Arc::clone(&content);
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(respond(stream, Arc::clone(&shared)));
            }
        });
        Self { address, server, content }
    }

    /// Returns a store of images in this bucket.
    pub(super) fn images(&self) -> Images {
        let server = AmazonS3Builder::new()
            .with_endpoint(format!("http://{}", self.address))
            .with_allow_http(true)
            .with_access_key_id("any")
            .with_secret_access_key("any");
        Images::in_bucket_at(server, &format!("s3://{BUCKET}")).unwrap()
    }

    /// Makes the bucket fail after this many more objects.
    pub(super) fn fail_after(&self, objects: usize) {
        self.content.takes.store(objects, Ordering::SeqCst);
    }

    pub(super) fn object_paths(&self) -> Vec<String> {
        self.content.kept.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Stops listening.
    pub(super) async fn stop(self) {
        self.server.abort();
        assert!(self.server.await.unwrap_err().is_cancelled());
    }
}

/// Handles one request.
async fn respond(stream: TcpStream, content: Arc<BucketContent>) {
    let mut stream = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_ascii_lowercase()),
        }
    }
    let length = lines.iter().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.unwrap();
    let mut request = lines[0].split(' ');
    let (method, path) = (request.next().unwrap(), request.next().unwrap());
    let (status, said) = content.change(method, path, &String::from_utf8_lossy(&body));
    let length = said.len();
    let response = format!(
        "HTTP/1.1 {status} -\r\nETag: \"any\"\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{said}"
    );
    stream.write_all(response.as_bytes()).await.unwrap();
}

impl BucketContent {
    /// Executes a request, and returns the status and the body of the response.
    fn change(&self, method: &str, path: &str, body: &str) -> (u16, &'static str) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match method {
            "put" => {
                let one_less = |takes: usize| takes.checked_sub(1);
                if self.takes.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_err() {
                    return (500, "");
                }
                kept.insert(path.to_owned());
                (200, "")
            }
            // Deletes several objects, which the body names.
            "post" if path.ends_with("?delete") => {
                let named = body.split("<Key>").skip(1).filter_map(|rest| rest.split_once("</Key>"));
                for (key, _) in named {
                    kept.remove(&format!("/{BUCKET}/{}", key.to_ascii_lowercase()));
                }
                (200, "<DeleteResult></DeleteResult>")
            }
            _ => (404, ""),
        }
    }
}
