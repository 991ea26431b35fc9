package kontortest

import (
	"encoding/base64"
	"net/url"
	"testing"
	"time"
)

// JSON is an object, for bodies of requests and responses.
type JSON = map[string]any

// Project is a project of a test. Paths are below the project, e.g. "/categories". A request that fails ends the test;
// Try returns its error instead.
type Project struct {
	// The address of the server, of its API and of its authorization service.
	URL                         string
	Key, ClientID, ClientSecret string

	server *Server
	t      testing.TB
	token  string
}

// Fault says which requests fail, and how.
type Fault struct {
	Method string `json:"method,omitempty"`
	// The path below the project; `*` at its end matches anything.
	Path string `json:"path,omitempty"`
	// In place of Method and Path: the destination of requests that the server sends.
	URL        string `json:"url,omitempty"`
	Status     int    `json:"status,omitempty"`
	DelayMs    int    `json:"delayMs,omitempty"`
	Disconnect bool   `json:"disconnect,omitempty"`
	Panic      bool   `json:"panic,omitempty"`
	// The number of requests. Default: 1.
	Times int `json:"times,omitempty"`
}

// Token returns an access token of the project's client, requested once.
func (p *Project) Token() string {
	p.t.Helper()
	if p.token == "" {
		p.RequestToken()
	}
	return p.token
}

// RequestToken returns a new access token. Tokens expire by the clock of the project, after two days.
func (p *Project) RequestToken() string {
	p.t.Helper()
	credentials := base64.StdEncoding.EncodeToString([]byte(p.ClientID + ":" + p.ClientSecret))
	var response struct {
		AccessToken string `json:"access_token"`
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	p.do("POST", p.URL+"/oauth/token", map[string]string{"Authorization": "Basic " + credentials}, form, &response)
	p.token = response.AccessToken
	return p.token
}

// Get sends a request; the query may be nil.
func (p *Project) Get(path string, query url.Values) JSON {
	p.t.Helper()
	return p.must("GET", path+encode(query), nil)
}

// Post sends a request with a JSON body.
func (p *Project) Post(path string, body any) JSON {
	p.t.Helper()
	return p.must("POST", path, body)
}

// Delete sends a request; the query may be nil.
func (p *Project) Delete(path string, query url.Values) JSON {
	p.t.Helper()
	return p.must("DELETE", path+encode(query), nil)
}

func (p *Project) must(method, path string, body any) JSON {
	p.t.Helper()
	response, err := p.Try(method, path, body)
	if err != nil {
		p.t.Fatal(err)
	}
	return response
}

// Try sends a request and returns its response. The error of a response is an *Error.
func (p *Project) Try(method, path string, body any) (JSON, error) {
	p.t.Helper()
	var response JSON
	header := map[string]string{"Authorization": "Bearer " + p.Token()}
	err := send(method, p.URL+"/"+p.Key+path, header, body, &response)
	return response, err
}

// SetClock sets the clock. It continues to run.
func (p *Project) SetClock(now time.Time) {
	p.t.Helper()
	p.control("clock", JSON{"now": now.UTC().Format("2006-01-02T15:04:05.000Z")}, nil)
}

// AdvanceClock moves the clock; a negative duration moves it back.
func (p *Project) AdvanceClock(by time.Duration) {
	p.t.Helper()
	p.control("clock", JSON{"advanceSeconds": int64(by / time.Second)}, nil)
}

// ResetClock returns to real time.
func (p *Project) ResetClock() {
	p.t.Helper()
	p.control("clock", JSON{}, nil)
}

// Fault lets the next requests fail, wait or lose their connection.
func (p *Project) Fault(fault Fault) {
	p.t.Helper()
	p.control("faults", fault, nil)
}

// Settle waits for searches, derived fields and deliveries of earlier changes.
func (p *Project) Settle() {
	p.t.Helper()
	p.control("settle", JSON{}, nil)
}

// Snapshot saves the content, and returns the id of the snapshot.
func (p *Project) Snapshot() string {
	p.t.Helper()
	var snapshot struct{ ID string }
	p.control("snapshot", JSON{}, &snapshot)
	return snapshot.ID
}

// Restore restores a snapshot.
func (p *Project) Restore(id string) {
	p.t.Helper()
	p.control("restore", JSON{"id": id}, nil)
}

// Reset deletes the content, the faults and the logs.
func (p *Project) Reset() {
	p.t.Helper()
	p.control("reset", JSON{}, nil)
}

// Remove removes the project with its clients and tokens. A project that is gone is no failure.
func (p *Project) Remove() {
	p.t.Helper()
	err := send("DELETE", p.controls(""), p.server.header(), nil, nil)
	if failure, is := err.(*Error); err != nil && !(is && failure.Status == 404) {
		p.t.Error(err)
	}
}

// Requests returns the requests that the project got, the newest first. Filters: status, client, path, limit.
func (p *Project) Requests(filters url.Values) []JSON {
	p.t.Helper()
	return p.read("/requests", filters)
}

// ClearRequests empties the log of requests.
func (p *Project) ClearRequests() {
	p.t.Helper()
	p.do("DELETE", p.controls("/requests"), p.server.header(), nil, nil)
}

// Deliveries returns what Subscriptions and API Extensions were sent, the newest first.
func (p *Project) Deliveries(filters url.Values) []JSON {
	p.t.Helper()
	return p.read("/deliveries", filters)
}

// ClearDeliveries empties the log of deliveries.
func (p *Project) ClearDeliveries() {
	p.t.Helper()
	p.do("DELETE", p.controls("/deliveries"), p.server.header(), nil, nil)
}

func (p *Project) read(name string, filters url.Values) []JSON {
	p.t.Helper()
	var page struct{ Results []JSON }
	p.do("GET", p.controls(name)+encode(filters), p.server.header(), nil, &page)
	return page.Results
}

func (p *Project) control(name string, body, response any) {
	p.t.Helper()
	p.do("POST", p.controls("/"+name), p.server.header(), body, response)
}

func (p *Project) controls(name string) string {
	return p.URL + "/_test/projects/" + p.Key + name
}

func (p *Project) do(method, address string, header map[string]string, body, response any) {
	p.t.Helper()
	if err := send(method, address, header, body, response); err != nil {
		p.t.Fatal(err)
	}
}

func encode(query url.Values) string {
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}
