package control

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// agent of a database pod, with its handler behind a gate, and what has come through.
type agent struct {
	gate *Gate
	// at is the agent's own clock.
	at  time.Duration
	got []string
	// answered is called with the answer on its way back.
	answered func(*http.Response)
	// requests that came.
	requests int
}

func newAgent(password string) *agent {
	a := &agent{}
	a.gate = NewGate(NewKey(password), func(err error) (int, []byte) {
		if errors.Is(err, ErrFull) {
			return http.StatusConflict, []byte(err.Error())
		}
		return http.StatusUnauthorized, []byte(err.Error())
	})
	a.gate.elapsed = func() time.Duration { return a.at }
	return a
}

// RoundTrip takes a request to the agent, past whoever listens on the network.
func (a *agent) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	q := httptest.NewRequest(r.Method, r.URL.String(), strings.NewReader(string(body)))
	q.Header = r.Header.Clone()
	a.requests++
	answer := a.take(q)
	if a.answered != nil {
		a.answered(answer)
	}
	return answer, nil
}

// take a request as it came over the network.
func (a *agent) take(q *http.Request) *http.Response {
	w := httptest.NewRecorder()
	a.gate.Guard(func(r *http.Request) (int, []byte) {
		body, _ := io.ReadAll(r.Body)
		a.got = append(a.got, fmt.Sprintf("%s %s %s", r.Method, r.URL.RequestURI(), body))
		return http.StatusAccepted, fmt.Appendf(nil, "answer %d", len(a.got))
	})(w, q)
	return w.Result()
}

func ask(t *testing.T, c http.RoundTripper, method, path, body string) (int, string, error) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, "http://agent"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.RoundTrip(q)
	if err != nil {
		return 0, "", err
	}
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

func TestTheKeyOpens(t *testing.T) {
	a := newAgent("secret")
	c := NewTransport(NewKey("secret"), a)
	for i := range 3 {
		code, text, err := ask(t, c, "POST", "/restore?x=1", `{"id":"a"}`)
		if want := fmt.Sprint("answer ", i+1); code != http.StatusAccepted || text != want || err != nil {
			t.Fatalf("%d %q %v, want %q", code, text, err, want)
		}
	}
	want := []string{`POST /restore?x=1 {"id":"a"}`, `POST /restore?x=1 {"id":"a"}`, `POST /restore?x=1 {"id":"a"}`}
	if diff := cmp.Diff(want, a.got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a.requests != 4 {
		t.Errorf("%d requests for three, want one more for the challenge", a.requests)
	}
}

func TestAnotherKeyDoesNot(t *testing.T) {
	a := newAgent("secret")
	for _, password := range []string{"", "Secret", "secret "} {
		if code, _, err := ask(t, NewTransport(NewKey(password), a), "GET", "/speed", ""); code != http.StatusUnauthorized || err != nil {
			t.Errorf("%q: %d %v", password, code, err)
		}
	}
	if len(a.got) > 0 {
		t.Errorf("the agent did %v", a.got)
	}
}

// sent is a request on its way, with a signature that holds, and its body.
func sent(t *testing.T, a *agent, c *Transport) (q *http.Request, body string) {
	t.Helper()
	if code, _, err := ask(t, c, "GET", "/environment", ""); code != http.StatusAccepted || err != nil {
		t.Fatalf("getting a challenge: %d %v", code, err)
	}
	a.got = nil
	body = `{"id":"a"}`
	return c.sign(httptest.NewRequest("POST", "/restore?wait=1", strings.NewReader(body)), []byte(body), make([]byte, sizeNonce)), body
}

// Whoever is on the network takes a request from its way and sends another one in its place: the
// agent does nothing.
func TestNothingIsWorthReplaying(t *testing.T) {
	authorize := func(change func(a *agent, c *credentials)) func(*agent, *http.Request, *string) {
		return func(a *agent, q *http.Request, _ *string) {
			c, err := parse(q.Header.Get("Authorization"))
			if err != nil {
				panic(err)
			}
			change(a, &c)
			q.Header.Set("Authorization", c.String())
		}
	}
	tests := map[string]func(a *agent, q *http.Request, body *string){
		"a minute later":           func(a *agent, _ *http.Request, _ *string) { a.at += valid + 1 },
		"with another method":      func(_ *agent, q *http.Request, _ *string) { q.Method = "DELETE" },
		"on another path":          func(_ *agent, q *http.Request, _ *string) { q.URL.Path = "/snapshot" },
		"with another query":       func(_ *agent, q *http.Request, _ *string) { q.URL.RawQuery = "wait=2" },
		"with another body":        func(_ *agent, _ *http.Request, b *string) { *b = `{"id":"b"}` },
		"without a body":           func(_ *agent, _ *http.Request, b *string) { *b = "" },
		"without a signature":      func(_ *agent, q *http.Request, _ *string) { q.Header.Del("Authorization") },
		"with another nonce":       authorize(func(_ *agent, c *credentials) { c.nonce[0]++ }),
		"with another signature":   authorize(func(_ *agent, c *credentials) { c.signature[0]++ }),
		"with a newer challenge":   authorize(func(a *agent, c *credentials) { a.at++; c.challenge = a.gate.challenge(a.at) }),
		"with a made-up challenge": authorize(func(_ *agent, c *credentials) { c.challenge[7]++ }),
		"at the agent of a replica, with the same password": func(a *agent, _ *http.Request, _ *string) { a.gate.secret = newAgent("secret").gate.secret },
		"after a restart of the agent": func(a *agent, _ *http.Request, _ *string) {
			a.gate.secret, a.gate.used = newAgent("secret").gate.secret, map[string]time.Duration{}
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			a := newAgent("secret")
			a.at = time.Hour
			q, body := sent(t, a, NewTransport(NewKey("secret"), a))
			change(a, q, &body)
			q.Body = io.NopCloser(strings.NewReader(body))
			if code := a.take(q).StatusCode; code != http.StatusUnauthorized || len(a.got) > 0 {
				t.Errorf("status %d; the agent did %v", code, a.got)
			}
		})
	}
	a := newAgent("secret")
	q, body := sent(t, a, NewTransport(NewKey("secret"), a))
	for i, want := range []int{http.StatusAccepted, http.StatusUnauthorized} {
		again := q.Clone(q.Context())
		again.Body = io.NopCloser(strings.NewReader(body))
		if code := a.take(again).StatusCode; code != want {
			t.Errorf("the request as it was, time %d: status %d, want %d", i, code, want)
		}
	}
}

// A request that was held up on the way is taken once, whatever came before it.
func TestInAnyOrder(t *testing.T) {
	a := newAgent("secret")
	c := NewTransport(NewKey("secret"), a)
	if _, _, err := ask(t, c, "GET", "/environment", ""); err != nil {
		t.Fatal(err)
	}
	sign := func(path string) *http.Request {
		q := httptest.NewRequest("GET", path, nil)
		nonce := make([]byte, sizeNonce)
		copy(nonce, path)
		return c.sign(q, nil, nonce)
	}
	first, second := sign("/first"), sign("/second")
	var codes []int
	for _, q := range []*http.Request{second, first, second, first} {
		codes = append(codes, a.take(q).StatusCode)
	}
	if diff := cmp.Diff([]int{202, 202, 401, 401}, codes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The clocks of both sides may jump, and a challenge may be too old: another one is asked for.
func TestNoClockMatters(t *testing.T) {
	a := newAgent("secret")
	c := NewTransport(NewKey("secret"), a)
	now := time.Now()
	c.now = func() time.Time { return now }
	steps := map[string]func(){
		"at first":    func() {},
		"a day later": func() { now, a.at = now.Add(24*time.Hour), a.at+24*time.Hour },
		"the client was stopped, the agent was not": func() { a.at += 24 * time.Hour },
		"the client's clock was set ahead":          func() { now = now.Add(24 * time.Hour) },
		"and back":                                  func() { now = now.Add(-48 * time.Hour) },
		"the agent has restarted":                   func() { a.gate.secret, a.at = NewKey("another process"), 0 },
	}
	for _, name := range []string{"at first", "a day later", "the client was stopped, the agent was not", "the client's clock was set ahead", "and back", "the agent has restarted"} {
		steps[name]()
		if code, _, err := ask(t, c, "GET", "/clock", ""); code != http.StatusAccepted || err != nil {
			t.Errorf("%s: %d %v", name, code, err)
		}
	}
}

// An answer counts only as the agent gave it, to this request.
func TestAnswersAreSigned(t *testing.T) {
	var earlier string
	tests := map[string]func(*http.Response){
		"another body":      func(r *http.Response) { r.Body = io.NopCloser(strings.NewReader("answer 9")) },
		"another status":    func(r *http.Response) { r.StatusCode = http.StatusOK },
		"without signature": func(r *http.Response) { r.Header.Del(HeaderSignature) },
		"a signature of another answer": func(r *http.Response) {
			r.Header.Set(HeaderSignature, earlier)
		},
		"an earlier answer as it was": func(r *http.Response) {
			r.Header.Set(HeaderSignature, earlier)
			r.Body = io.NopCloser(strings.NewReader("answer 1"))
		},
		"a proxy that answers": func(r *http.Response) {
			r.StatusCode, r.Header, r.Body = http.StatusServiceUnavailable, http.Header{}, http.NoBody
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			a := newAgent("secret")
			c := NewTransport(NewKey("secret"), a)
			a.answered = func(r *http.Response) { earlier = r.Header.Get(HeaderSignature) }
			if _, _, err := ask(t, c, "GET", "/speed", ""); err != nil {
				t.Fatal(err)
			}
			a.answered = change
			if code, text, err := ask(t, c, "GET", "/speed", ""); !errors.Is(err, ErrUnsigned) {
				t.Errorf("%d %q %v, want ErrUnsigned", code, text, err)
			}
		})
	}
}

// The memory for nonces has an end, and is free again when their challenges are too old.
func TestManyRequests(t *testing.T) {
	a := newAgent("secret")
	c := NewTransport(NewKey("secret"), a)
	for i := range maxNonces {
		if err := a.gate.use(fmt.Sprint(i), 0, valid); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
	}
	if _, _, err := ask(t, c, "GET", "/speed", ""); !errors.Is(err, ErrUnsigned) {
		t.Errorf("too many requests: %v", err)
	}
	a.at = valid + 1
	if code, _, err := ask(t, c, "GET", "/speed", ""); code != http.StatusAccepted || err != nil {
		t.Errorf("a minute later: %d %v", code, err)
	}
	if n := len(a.gate.used); n != 1 {
		t.Errorf("%d nonces are remembered, want 1", n)
	}
}

// A body that is too large is refused without being read.
func TestALargeBody(t *testing.T) {
	a := newAgent("secret")
	if code, _, _ := ask(t, NewTransport(NewKey("secret"), a), "POST", "/restore", strings.Repeat("x", maxBody+1)); code != http.StatusUnauthorized {
		t.Errorf("status %d", code)
	}
	if len(a.got) > 0 {
		t.Error("the agent got it")
	}
}

// FuzzHeader: whatever comes in the header, it is refused, or written in the one way there is.
func FuzzHeader(f *testing.F) {
	good := credentials{make([]byte, sizeChallenge), make([]byte, sizeNonce), make([]byte, sizeMAC)}.String()
	for _, seed := range []string{
		"", "Bearer x", scheme, good, strings.ToUpper(good), good + ",", strings.Replace(good, "00", "0 ", 1), good[:len(good)-1], good[:len(good)-2] + "0x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		c, err := parse(header)
		if err != nil {
			return
		}
		if got := c.String(); got != header {
			t.Errorf("%q is read as %q", header, got)
		}
		if len(c.challenge) != sizeChallenge || len(c.nonce) != sizeNonce || len(c.signature) != sizeMAC {
			t.Errorf("%q: sizes %d, %d, %d", header, len(c.challenge), len(c.nonce), len(c.signature))
		}
	})
}

func TestHeader(t *testing.T) {
	good := credentials{make([]byte, sizeChallenge), make([]byte, sizeNonce), make([]byte, sizeMAC)}.String()
	if _, err := parse(good); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "Bearer x", scheme, good + "00", good[:len(good)-2], good + ",", strings.Replace(good, "00", "0A", 1), strings.Replace(good, "00", "0g", 1)} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
