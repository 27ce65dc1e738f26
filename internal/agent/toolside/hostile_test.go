package toolside

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/agent/toolwire"
)

// patience of the agents in these tests: so long a supervisor may take to say hello.
const patience = 5 * time.Second

// facing is an agent whose supervisor is what the test makes of the connection.
func facing(t *testing.T, supervisor func(net.Conn)) *Side {
	t.Helper()
	// The names of tests are too long for a socket.
	dir, err := os.MkdirTemp("", "tool")
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	s, err := Listen(socket, patience)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); _ = conn.Close(); _ = os.RemoveAll(dir) })
	go supervisor(conn)
	return s
}

// answering serves orders over a connection.
func answering(handler http.HandlerFunc) func(net.Conn) {
	return func(conn net.Conn) {
		protocols := new(http.Protocols)
		protocols.SetUnencryptedHTTP2(true)
		l := &once{conn: conn, end: make(chan struct{})}
		_ = (&http.Server{Protocols: protocols, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == toolwire.PathHello {
				_ = json.NewEncoder(w).Encode(toolwire.Hello{Version: toolwire.Version})
				return
			}
			handler(w, r)
		})}).Serve(l)
	}
}

// once is a listener with one connection.
type once struct {
	conn net.Conn
	end  chan struct{}
}

func (o *once) Accept() (net.Conn, error) {
	if c := o.conn; c != nil {
		o.conn = nil
		return c, nil
	}
	<-o.end
	return nil, net.ErrClosed
}
func (o *once) Close() error   { return nil }
func (o *once) Addr() net.Addr { return &net.UnixAddr{} }

func document(v any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(v) }
}

// ready is an agent whose supervisor has said hello, and answers with the handler.
func ready(t *testing.T, handler http.HandlerFunc) *Side {
	t.Helper()
	s := facing(t, answering(handler))
	if _, err := s.Wait(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func flood(w io.Writer) {
	for line := bytes.Repeat([]byte(`"a",`), 1<<14); ; {
		if _, err := w.Write(line); err != nil {
			return
		}
	}
}

func TestSupervisorsThatAreNone(t *testing.T) {
	tests := map[string]func(net.Conn){
		"closes at once": func(c net.Conn) { _ = c.Close() },
		"is silent":      func(net.Conn) {},
		"sends noise":    func(c net.Conn) { flood(c) },
		"speaks another protocol": func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		},
	}
	for name, supervisor := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := facing(t, supervisor)
			if _, err := s.Wait(t.Context(), nil); !errors.Is(err, ErrLost) {
				t.Errorf("got %v, want ErrLost", err)
			}
			if _, err := s.Usage(t.Context()); !errors.Is(err, ErrLost) {
				t.Errorf("afterwards: %v, want ErrLost", err)
			}
		})
	}
}

func TestAnotherVersionOfTheProtocol(t *testing.T) {
	s := facing(t, answeringOnly(document(toolwire.Hello{Version: strings.Repeat("v0", 1000)})))
	if _, err := s.Wait(t.Context(), nil); !errors.Is(err, ErrLost) || len(err.Error()) > 500 {
		t.Errorf("got %v, want a short ErrLost", err)
	}
}

// answeringOnly answers also the hello with the handler.
func answeringOnly(handler http.HandlerFunc) func(net.Conn) {
	return func(conn net.Conn) {
		protocols := new(http.Protocols)
		protocols.SetUnencryptedHTTP2(true)
		_ = (&http.Server{Protocols: protocols, Handler: handler}).Serve(&once{conn: conn, end: make(chan struct{})})
	}
}

func TestNobodyElseMayConnect(t *testing.T) {
	s := ready(t, document(nil))
	if _, err := net.Dial("unix", s.listener.Addr().String()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a second connection: %v, want that there is no socket", err)
	}
}

func TestASupervisorThatNeverComes(t *testing.T) {
	dir, err := os.MkdirTemp("", "tool")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := Listen(filepath.Join(dir, "s"), patience)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // timing: it has to run out: nobody comes
	defer cancel()
	if _, err := s.Wait(ctx, nil); !errors.Is(err, ErrLost) {
		t.Errorf("got %v, want ErrLost", err)
	}
}

func TestAnswersThatAreRefused(t *testing.T) {
	usage := func(s *Side, ctx context.Context) error { _, err := s.Usage(ctx); return err }
	end := func(s *Side, ctx context.Context) error { _, err := s.End(ctx, "run", time.Now()); return err }
	relay := func(s *Side, ctx context.Context) error { _, err := s.OpenRelay(ctx, "x:1", time.Second); return err }
	tests := map[string]struct {
		answer http.HandlerFunc
		order  func(*Side, context.Context) error
		want   error
	}{
		"never":          {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, usage, ErrLost},
		"without an end": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "["); flood(w) }, usage, ErrLost},
		"no document":    {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "yes") }, usage, ErrLost},
		"another kind":   {document("yes"), usage, ErrLost},
		"a huge header":  {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, usage, ErrLost},
		"another address": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com/", http.StatusFound)
		}, usage, ErrLost},
		"a long refusal": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_ = json.NewEncoder(w).Encode(toolwire.Refusal{Message: strings.Repeat("no", 1<<15)})
		}, usage, ErrRefused},
		"a signal that is none": {document(toolwire.Ended{Signal: "SIG\x1b[31m"}), end, ErrLost},
		"a port that is none":   {document(1 << 20), relay, ErrLost},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ready(t, tt.answer)
			if err := tt.order(s, t.Context()); !errors.Is(err, tt.want) || len(err.Error()) > 2000 {
				t.Errorf("got %.300v, want %v in a short message", err, tt.want)
			}
		})
	}
}

// A tool may lie about when it started and ended, but not beyond what the agent saw.
func TestInstantsOutsideOfWhatHappened(t *testing.T) {
	for _, lie := range []toolwire.Instant{0, math.MinInt64, math.MaxInt64, toolwire.Now() - toolwire.Instant(time.Hour), toolwire.Now() + toolwire.Instant(time.Hour)} {
		s := ready(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "start") {
				document(lie)(w, r)
			} else {
				document(toolwire.Ended{At: lie})(w, r)
			}
		})
		sent := time.Now()
		started, err := s.Start(t.Context(), "run", time.Time{})
		if err != nil || started.Before(sent) || started.After(time.Now()) {
			t.Errorf("%d: started %s after the order, %v", lie, started.Sub(sent), err)
		}
		ended, err := s.End(t.Context(), "run", started)
		if err != nil || ended.At.Before(started) || ended.At.After(time.Now()) {
			t.Errorf("%d: ended %s after the start, %v", lie, ended.At.Sub(started), err)
		}
	}
}

func TestFilesThatAreImpossible(t *testing.T) {
	whole := func(more ...toolwire.File) []toolwire.File {
		return append([]toolwire.File{{Name: toolwire.Stdout}, {Name: toolwire.Stderr}}, more...)
	}
	many := whole()
	for i := range toolwire.MaxFiles + 1 {
		many = append(many, toolwire.File{Name: fmt.Sprintf("files/%d", i)})
	}
	tests := map[string][]toolwire.File{
		"none":                           nil,
		"no output of errors":            {{Name: toolwire.Stdout}},
		"above":                          whole(toolwire.File{Name: "files/../../token"}),
		"absolute":                       whole(toolwire.File{Name: "/var/run/secrets/token"}),
		"another of the raw files":       whole(toolwire.File{Name: "command.txt"}),
		"the folder itself":              whole(toolwire.File{Name: "files/"}),
		"a long name":                    whole(toolwire.File{Name: "files/" + strings.Repeat("x", 300)}),
		"twice":                          whole(toolwire.File{Name: toolwire.Stdout}),
		"a size below nothing":           whole(toolwire.File{Name: "files/a", Size: -1}),
		"too large":                      whole(toolwire.File{Name: "files/a", Size: toolwire.MaxOutput + 1}),
		"too large together":             whole(toolwire.File{Name: "files/a", Size: toolwire.MaxOutput}, toolwire.File{Name: "files/b", Size: 1}),
		"sizes whose sum is no number":   whole(toolwire.File{Name: "files/a", Size: math.MaxInt64}, toolwire.File{Name: "files/b", Size: math.MaxInt64}),
		"more than there may be":         many,
		"a name that is also a folder":   whole(toolwire.File{Name: "files/a"}, toolwire.File{Name: "files/a/b"}),
		"fewer bytes than announced":     whole(toolwire.File{Name: "files/short", Size: 10}),
		"a file that never comes":        whole(toolwire.File{Name: "files/never", Size: 10}),
		"a file without an end is cut":   whole(toolwire.File{Name: "files/endless", Size: 10}),
		"a file that cannot be read any": whole(toolwire.File{Name: "files/gone", Size: 10}),
	}
	for name, files := range tests {
		t.Run(name, func(t *testing.T) {
			s := ready(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, "short"):
					_, _ = io.WriteString(w, "12345")
				case strings.HasSuffix(r.URL.Path, "never"):
					<-r.Context().Done()
				case strings.HasSuffix(r.URL.Path, "endless"):
					flood(w)
				case strings.HasSuffix(r.URL.Path, "gone"):
					w.WriteHeader(http.StatusUnprocessableEntity)
				}
			})
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if strings.HasSuffix(name, "never comes") {
				time.AfterFunc(time.Second, cancel)
			}
			out, err := s.Fetch(ctx, "run", files, filepath.Join(dir, "raw/run"))
			if strings.HasSuffix(name, "is cut") {
				if err != nil || len(out.Files["endless"]) != 10 {
					t.Errorf("%d bytes, %v; want the 10 that were announced", len(out.Files["endless"]), err)
				}
				return
			}
			if err == nil {
				t.Errorf("taken: %v", out)
			}
			if found, _ := filepath.Glob(filepath.Join(dir, "*")); len(found) > 1 {
				t.Errorf("written outside of the folder: %q", found)
			}
		})
	}
}

// Somebody who answers without pause fills no memory.
func TestAnswersOfADialogueWithoutEnd(t *testing.T) {
	s := ready(t, func(w http.ResponseWriter, _ *http.Request) { flood(w) })
	d, err := s.OpenDialogue(t.Context(), "run")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if n, err := io.Copy(io.Discard, d.Answers); n != toolwire.MaxOutput || !errors.Is(err, ErrOutput) {
		t.Errorf("%d bytes and %v, want %d and ErrOutput", n, err, toolwire.MaxOutput)
	}
}

// Who neither reads nor answers is left when the dialogue is closed.
func TestADialogueWithSomebodySilent(t *testing.T) {
	s := ready(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	d, err := s.OpenDialogue(t.Context(), "run")
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, d.Close)
	for err == nil {
		_, err = d.Ask.Write(bytes.Repeat([]byte("x"), 1<<20))
	}
	if _, err := d.Answers.Read(make([]byte, 1)); err == nil {
		t.Error("an answer came")
	}
}
