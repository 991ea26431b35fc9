//! A TCP relay between clients and servers: a load balancer, or a connection that can be cut.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The timeout for connecting to a target, all of which are on this machine.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Forwards each connection to the next of its targets (round robin), and skips targets that do not listen.
pub(crate) struct TcpRelay {
    address: SocketAddr,
    shared: Arc<RelayState>,
}

struct RelayState {
    targets: Mutex<Vec<SocketAddr>>,
    next: AtomicUsize,
    /// Both ends of each open connection.
    open: Mutex<HashMap<usize, [TcpStream; 2]>>,
}

impl TcpRelay {
    pub(crate) fn start(targets: Vec<SocketAddr>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(RelayState {
            targets: Mutex::new(targets),
            next: AtomicUsize::new(0),
            open: Mutex::default(),
        });
        let relay = Self { address, shared: Arc::clone(&shared) };
        // The thread runs until the process ends.
        std::thread::spawn(move || {
            for incoming in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.forward(incoming));
            }
        });
        relay
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes the address of a target.
    pub(crate) fn set_target(&self, at: usize, target: SocketAddr) {
        self.shared.targets.lock().unwrap()[at] = target;
    }

    /// Closes all open connections, even while they are in use.
    pub(crate) fn cut(&self) {
        for end in self.shared.open.lock().unwrap().values().flatten() {
            // The connection may be closed already.
            let _ = end.shutdown(Shutdown::Both);
        }
    }
}

impl RelayState {
    fn forward(&self, incoming: TcpStream) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let targets = self.targets.lock().unwrap().clone();
        let in_turn = (0..targets.len()).map(|at| targets[(number + at) % targets.len()]);
        let connected = in_turn.map(|target| TcpStream::connect_timeout(&target, CONNECT_TIMEOUT));
        // If no target listens, dropping the connection closes it.
        let Some(outgoing) = connected.flatten().next() else { return };
        let (incoming, outgoing) = (&incoming, &outgoing);
        incoming.set_nodelay(true).unwrap();
        outgoing.set_nodelay(true).unwrap();
        let ends = [incoming.try_clone().unwrap(), outgoing.try_clone().unwrap()];
        self.open.lock().unwrap().insert(number, ends);
        std::thread::scope(|scope| {
            scope.spawn(|| copy_until_closed(incoming, outgoing));
            copy_until_closed(outgoing, incoming);
        });
        self.open.lock().unwrap().remove(&number);
    }
}

/// Copies bytes until one side closes, then closes both.
fn copy_until_closed(mut from: &TcpStream, mut to: &TcpStream) {
    let mut bytes = [0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
