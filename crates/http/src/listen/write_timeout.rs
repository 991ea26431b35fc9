//! Write timeout: a connection ends when a write makes no progress for a while.
//!
//! Otherwise a response that the client does not read would be kept in memory for as long as the client
//! likes.

use super::connections::ConnectionUsage;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A connection with a write timeout.
pub(super) struct WriteTimeoutStream<S> {
    stream: S,
    timeout: Duration,
    /// When the pending write times out; `None` before any write had to wait.
    until: Option<Pin<Box<Sleep>>>,
    is_waiting: bool,
    /// The usage record that is updated at each write.
    usage: Option<ConnectionUsage>,
}

impl<S> WriteTimeoutStream<S> {
    /// Wraps a connection.
    pub(super) fn new(stream: S, timeout: Duration) -> Self {
        Self { stream, timeout, until: None, is_waiting: false, usage: None }
    }

    /// Returns the same connection, recording its usage.
    pub(super) fn with_usage(self, usage: ConnectionUsage) -> Self {
        Self { usage: Some(usage), ..self }
    }

    /// Returns the result of a write, or a timeout error.
    fn check_timeout<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.is_waiting = false;
            if let Some(usage) = &self.usage {
                usage.record_write();
            }
            return written;
        }
        let timeout = self.timeout;
        let until = self.until.get_or_insert_with(|| Box::pin(sleep(timeout)));
        if !self.is_waiting {
            until.as_mut().reset(Instant::now() + timeout);
            self.is_waiting = true;
        }
        ready!(until.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(ErrorKind::TimedOut, "the other end reads nothing")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeoutStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check_timeout(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.check_timeout(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    const SHORT: Duration = Duration::from_millis(100);

    #[tokio::test]
    async fn a_write_without_progress_times_out() {
        let (ours, _theirs) = duplex(64);
        let mut stream = WriteTimeoutStream::new(ours, SHORT);
        let error = stream.write_all(&[0; 1000]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn slow_readers_receive_everything() {
        let (ours, mut theirs) = duplex(64);
        let mut stream = WriteTimeoutStream::new(ours, SHORT);
        let reader = tokio::spawn(async move {
            let mut read = Vec::new();
            while theirs.read_buf(&mut read).await.unwrap() > 0 {
                sleep(SHORT / 4).await;
            }
            read.len()
        });
        // The total time is several times the timeout of one write.
        stream.write_all(&[0; 64 * 16]).await.unwrap();
        drop(stream);
        assert_eq!(reader.await.unwrap(), 64 * 16);
    }
}
