package notify

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// Secrets of 24 bytes and more, as Standard Webhooks wants them.
const (
	newKey = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
	oldKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
)

// credentials in a directory of the test.
func credentials(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func sender(t *testing.T, r config.Receiver) *Sender {
	t.Helper()
	s, err := NewSender(r, hang.Limit)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The answer decides what came of an attempt.
func TestSend(t *testing.T) {
	var followed atomic.Int32
	tests := map[string]struct {
		answer http.HandlerFunc
		want   Outcome
	}{
		"a receiver that has it":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, Outcome{State: Delivered}},
		"an error":                {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, Outcome{State: Undelivered, Reason: "answered 500"}},
		"a refusal for this time": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400) }, Outcome{State: Undelivered, Reason: "answered 400"}},
		"a refusal for good":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) }, Outcome{State: Refused, Reason: "answered 410"}},
		"one that asks for time":  {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "90"); w.WriteHeader(429) }, Outcome{Undelivered, 90 * time.Second, "answered 429"}},
		"one that asks for too much": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "999999")
			w.WriteHeader(503)
		}, Outcome{Undelivered, time.Hour, "answered 503"}},
		"one that asks for no number": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "-5"); w.WriteHeader(503) }, Outcome{Undelivered, 0, "answered 503"}},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, Outcome{State: Undelivered, Reason: "answered 307, a redirect, which is not followed"}},
		"one that hangs": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, Outcome{State: Undelivered, Reason: "no answer within 500ms"}},
		"an answer without an end": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		}, Outcome{State: Delivered}},
		"a connection that breaks": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, Outcome{State: Undelivered, Reason: "EOF"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/hook" {
					followed.Add(1)
					return
				}
				// A server learns that its client has gone when it has read the request.
				_, _ = io.Copy(io.Discard, r.Body)
				tt.answer(w, r)
			}))
			t.Cleanup(server.Close)
			s := sender(t, config.Receiver{URL: server.URL + "/hook", Unsigned: true})
			if name == "one that hangs" {
				s.timeout = 500 * time.Millisecond
			}
			if got := s.Send(t.Context(), "id", []byte("{}")); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
	if n := followed.Load(); n > 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

// The library of Standard Webhooks verifies the signatures, by the new key and by the old one while
// both are there; keys are read for each attempt.
func TestSignatures(t *testing.T) {
	type request struct {
		body   []byte
		header http.Header
	}
	got := make(chan request, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- request{body, r.Header}
	}))
	t.Cleanup(server.Close)
	dir := credentials(t, map[string]string{FileKey: newKey + "\n" + oldKey + "\n"})
	s := sender(t, config.Receiver{URL: server.URL, Credentials: dir})
	verified := func(key string) bool {
		t.Helper()
		if out := s.Send(t.Context(), "u-1-run-failed", []byte(`{"a":1}`)); out.State != Delivered {
			t.Fatal(out)
		}
		r := <-got
		if r.header.Get("Content-Type") != ContentType || r.header.Get("webhook-id") != "u-1-run-failed" || r.header.Get("Authorization") != "" {
			t.Errorf("headers %v", r.header)
		}
		hook, err := standardwebhooks.NewWebhook(key)
		if err != nil {
			t.Fatal(err)
		}
		if err := hook.Verify([]byte(`{"a":2}`), r.header); err == nil {
			t.Error("another body is verified too")
		}
		return hook.Verify(r.body, r.header) == nil
	}
	if !verified(newKey) || !verified(oldKey) {
		t.Error("a signature is missing")
	}
	if err := os.WriteFile(filepath.Join(dir, FileKey), []byte(newKey), 0o600); err != nil {
		t.Fatal(err)
	}
	if !verified(newKey) || verified(oldKey) {
		t.Error("the old key signs after it was taken away")
	}
}

// The example of the specification of Standard Webhooks.
func TestSignatureOfTheSpecification(t *testing.T) {
	s := sender(t, config.Receiver{URL: "https://ci", Credentials: credentials(t, map[string]string{FileKey: oldKey})})
	s.now = func() time.Time { return time.Unix(1614265330, 0) }
	r, err := s.request(t.Context(), "msg_p5jXN8AQM9LWM0D4loKWxJek", []byte(`{"test": 2432232314}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Header.Get("webhook-signature"), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Only the CA of the credentials counts, where there is one.
func TestTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	dir := credentials(t, map[string]string{FileCA: ca})
	s := sender(t, config.Receiver{URL: server.URL, Credentials: dir, Unsigned: true})
	if out := s.Send(t.Context(), "id", nil); out.State != Delivered {
		t.Errorf("with the CA: %+v", out)
	}
	if err := os.Remove(filepath.Join(dir, FileCA)); err != nil {
		t.Fatal(err)
	}
	if out := s.Send(t.Context(), "id", nil); out.State != Undelivered || !strings.Contains(out.Reason, "certificate") {
		t.Errorf("without the CA: %+v", out)
	}
}

// What cannot work is refused when the manager starts, and no error has the address.
func TestNewSenderRefuses(t *testing.T) {
	url := config.Receiver{URL: "https://ci/token-7"}
	for name, tt := range map[string]struct {
		receiver config.Receiver
		files    map[string]string
		want     string
	}{
		"no key":                {url, nil, "there is no file signing-key"},
		"a key that is no key":  {url, map[string]string{FileKey: "secret"}, "must be whsec_"},
		"a key that is short":   {url, map[string]string{FileKey: "whsec_c2VjcmV0"}, "at least 24 bytes"},
		"too many keys":         {url, map[string]string{FileKey: strings.Repeat(newKey+"\n", 5)}, "at most 4"},
		"a CA that is none":     {url, map[string]string{FileKey: newKey, FileCA: "none"}, "ca.crt has no certificate"},
		"no address":            {config.Receiver{}, map[string]string{FileKey: newKey}, "no file url"},
		"an address of a file":  {config.Receiver{}, map[string]string{FileKey: newKey, FileURL: "file:///token-7"}, "http or https"},
		"an address with a key": {config.Receiver{}, map[string]string{FileKey: newKey, FileURL: "https://a:token-7@b"}, "no user"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.receiver.Credentials = credentials(t, tt.files)
			_, err := NewSender(tt.receiver, time.Second)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "token-7") {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// The address may be a secret: what goes to the log does not have it.
func TestReasonsHaveNoAddress(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for name, address := range map[string]string{
		"nobody listens": closed.URL + "/token-7", "a host that is not there": "http://token-7.invalid/token-7",
	} {
		t.Run(name, func(t *testing.T) {
			out := sender(t, config.Receiver{Credentials: credentials(t, map[string]string{FileURL: address, FileKey: newKey})}).Send(t.Context(), "id", nil)
			if out.State != Undelivered || out.Reason == "" || strings.Contains(out.Reason, "token-7") {
				t.Errorf("%+v", out)
			}
		})
	}
}
