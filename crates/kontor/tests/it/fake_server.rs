//! A fake HTTP server for requests that Kontor sends: webhooks, API Extensions and cloud services.

use kontor_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Received requests: path, head and body.
type ReceivedRequests = Arc<Mutex<Vec<(String, String, Value)>>>;

/// A server that responds to each request with the result of a function of path and body. Status 0: it hangs.
pub(crate) struct FakeServer {
    pub(crate) url: String,
    asked: ReceivedRequests,
}

impl FakeServer {
    pub(crate) fn start(response: fn(&str, &Value) -> (u16, String)) -> Self {
        Self::start_at("127.0.0.1:0", response)
    }

    /// Starts at an address.
    pub(crate) fn start_at(address: &str, response: fn(&str, &Value) -> (u16, String)) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requested = ReceivedRequests::default();
        let all = Arc::clone(&requested);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let all = Arc::clone(&all);
                std::thread::spawn(move || serve_one(stream.unwrap(), &all, response));
            }
        });
        Self { url, asked: requested }
    }

    /// Returns the heads (in lower case) and bodies of the requests to a path, in order.
    pub(crate) fn received(&self, path: &str) -> Vec<(String, Value)> {
        let all = self.asked.lock().unwrap();
        let mine = all.iter().filter(|(at, _, _)| at == path);
        mine.map(|(_, head, body)| (head.clone(), body.clone())).collect()
    }
}

fn serve_one(mut stream: TcpStream, all: &ReceivedRequests, reply: fn(&str, &Value) -> (u16, String)) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut head, mut line) = (String::new(), String::new());
    while reader.read_line(&mut line).is_ok_and(|length| length > 0) && line != "\r\n" {
        head.push_str(&line);
        line.clear();
    }
    let head = head.to_ascii_lowercase();
    let Some(path) = head.split(' ').nth(1).map(str::to_owned) else { return };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
    let mut body = vec![0; length.trim().parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    // A GET has no body; a body that is no JSON is kept as a string.
    let text = || Value::from(String::from_utf8(body.clone()).unwrap());
    let body: Value =
        if body.is_empty() { Value::Null } else { kontor_json::from_slice(&body).unwrap_or_else(|_| text()) };
    all.lock().unwrap().push((path.clone(), head, body.clone()));
    let (status, body) = reply(&path, &body);
    if status == 0 {
        // Blocks until the client closes the connection.
        let _ = stream.read(&mut [0; 1]);
        return;
    }
    let length = body.len();
    let _ = stream.write_all(
        format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
            .as_bytes(),
    );
}
