// Package kontortest starts Kontor for tests, and gives each test a project of its own.
package kontortest

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

var address = regexp.MustCompile(`http:\S+`)

// Server is a running server. Its URL is the address of its API and of its authorization service.
type Server struct {
	URL       string
	testToken string
	command   *exec.Cmd
}

// Start starts a server in memory at a free port, with more flags of `kontor serve`, e.g. "--strict".
// The test, or the benchmark, stops it at its end.
func Start(t testing.TB, flags ...string) *Server {
	t.Helper()
	server, err := Run(flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}

// Run starts a server like Start, for use in TestMain. The caller stops it.
func Run(flags ...string) (*Server, error) {
	binary := os.Getenv("KONTOR_BIN")
	if binary == "" {
		binary = "kontor"
	}
	arguments := []string{"serve", "--in-memory", "--test-controls", "--listen", "127.0.0.1:0", "--log", "warn"}
	command := exec.Command(binary, append(arguments, flags...)...)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("kontor cannot be started: %w", err)
	}
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadString('\n')
		if url := address.FindString(line); url != "" {
			// The output is read to its end: a full pipe would stop the server.
			go io.Copy(io.Discard, lines)
			return &Server{URL: url, command: command}, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s ended before it was ready: %w", binary, command.Wait())
		}
	}
}

// Connect returns a server that runs already, e.g. in a container. The test token is empty without --test-token.
func Connect(url, testToken string) *Server {
	return &Server{URL: strings.TrimRight(url, "/"), testToken: testToken}
}

// Stop stops the server and waits for its end. A server that this process has not started continues.
func (s *Server) Stop() {
	if s.command == nil {
		return
	}
	_ = s.command.Process.Signal(syscall.SIGTERM)
	_ = s.command.Wait()
	s.command = nil
}

// Project creates a project with a random key, and with a client that has every scope. It is removed at the end of the
// test.
func (s *Server) Project(t testing.TB) *Project {
	t.Helper()
	random := make([]byte, 4)
	if _, err := rand.Read(random); err != nil {
		t.Fatal(err)
	}
	project := &Project{server: s, t: t, URL: s.URL, Key: "test-" + hex.EncodeToString(random)}
	var client struct{ ID, Secret string }
	project.do("POST", s.URL+"/_test/projects", s.header(), map[string]string{"key": project.Key}, &client)
	project.ClientID, project.ClientSecret = client.ID, client.Secret
	t.Cleanup(project.Remove)
	return project
}

func (s *Server) header() map[string]string {
	if s.testToken == "" {
		return nil
	}
	return map[string]string{"X-Test-Token": s.testToken}
}
