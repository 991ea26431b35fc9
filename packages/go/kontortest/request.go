package kontortest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Error is a response with an error status. Body is the error of the API.
type Error struct {
	Method, URL string
	Status      int
	Body        JSON
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %d %v", e.Method, e.URL, e.Status, e.Body["message"])
}

// send sends a request and reads the JSON of its response. A body other than a form is sent as JSON.
func send(method, address string, header map[string]string, body, response any) error {
	content, kind, err := encodeBody(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, address, content)
	if err != nil {
		return err
	}
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	received, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer received.Body.Close()
	text, err := io.ReadAll(received.Body)
	if err != nil {
		return err
	}
	if received.StatusCode >= 400 {
		failure := &Error{Method: method, URL: address, Status: received.StatusCode}
		if json.Unmarshal(text, &failure.Body) != nil {
			failure.Body = JSON{"message": string(text)}
		}
		return failure
	}
	if response == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, response)
}

func encodeBody(body any) (io.Reader, string, error) {
	switch body := body.(type) {
	case nil:
		return nil, "", nil
	case url.Values:
		return strings.NewReader(body.Encode()), "application/x-www-form-urlencoded", nil
	default:
		text, err := json.Marshal(body)
		return bytes.NewReader(text), "application/json", err
	}
}
