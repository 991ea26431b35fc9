//! A browser for tests of the console: keeps the cookie, and sends the headers of the console's page.

use crate::harness::{run, serve};
use kontor_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

pub(crate) const PASSWORD: &str = "a long password";

/// A browser: keeps the cookie, and sends the headers of the console's page.
pub(crate) struct Browser {
    agent: ureq::Agent,
    pub(crate) url: String,
    pub(crate) cookie: String,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: ureq::http::HeaderMap,
    pub(crate) body: Value,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl Browser {
    pub(crate) fn new(url: &str) -> Self {
        let config = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0);
        Self { agent: config.build().into(), url: url.to_owned(), cookie: String::new() }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], None)
    }

    pub(crate) fn call(&self, method: &str, call: &str, body: Value) -> Answer {
        let headers = [("X-Kontor-Console", "1"), ("Origin", self.url.as_str())];
        self.send(method, &format!("/console/api/{call}"), &headers, Some(&body))
    }

    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Answer {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        request = request.header("Cookie", &self.cookie);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = match body {
            Some(body) => {
                let request = request.header("Content-Type", "application/json");
                self.agent.run(request.body(body.to_string()).unwrap()).unwrap()
            }
            None => self.agent.run(request.body(()).unwrap()).unwrap(),
        };
        let bytes = response.body_mut().read_to_vec().unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = kontor_json::from_str(&text).unwrap_or_default();
        Answer { status: response.status().as_u16(), headers: response.headers().clone(), body, text }
    }

    /// Keeps the cookie of a response.
    pub(crate) fn keep(&mut self, reply: &Answer) {
        let cookie = reply.header("set-cookie");
        self.cookie = cookie.split(';').next().unwrap().to_owned();
        assert!(self.cookie.starts_with("kontor_console=ks_"), "{cookie}");
    }

    /// Signs in by a password.
    #[track_caller]
    pub(crate) fn sign_in(url: &str, email: &str) -> Self {
        let mut browser = Self::new(url);
        let response = browser.call("POST", "sign-in", json!({"email": email, "password": PASSWORD}));
        assert_eq!(response.status, 200, "{}", response.text);
        browser.keep(&response);
        browser
    }

    #[track_caller]
    pub(crate) fn token(&self, project: &str) -> String {
        let response = self.call("POST", "token", json!({"project": project}));
        assert_eq!(response.status, 200, "{}", response.text);
        assert_eq!(response.body["expiresIn"], 600);
        response.body["accessToken"].as_str().unwrap().to_owned()
    }
}

/// A process that ends with its test, also when that fails.
pub(crate) struct RunningCommand(pub(crate) Child);

impl RunningCommand {
    pub(crate) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Creates an operator with a password, over the folder of a server.
pub(crate) fn operator(data: &Path, email: &str, role: &str) {
    run(data, &["operator", "create", email, "--role", role, "--password", PASSWORD, "--name", "Ann"]).ok();
}

/// Starts a server and returns it with the lines after the first that it prints, as a script would read them.
pub(crate) fn start_new_server(
    data: &Path,
    more: &[&str],
) -> (RunningCommand, String, BufReader<std::process::ChildStdout>) {
    let mut command: Command = serve(data);
    let mut process =
        command.args(["--listen", "127.0.0.1:0"]).args(more).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap());
    let mut first = String::new();
    lines.read_line(&mut first).unwrap();
    let url = first.trim().strip_prefix("kontor listening on ").unwrap().to_owned();
    (RunningCommand(process), url, lines)
}
