package client

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// shelf is an object store that takes what was signed for.
type shelf struct {
	*httptest.Server
	mu sync.Mutex
	// answers are the statuses of the next requests; 200 after them.
	answers []int
	objects map[string][]byte
	tries   int
}

func newShelf(t *testing.T, answers ...int) *shelf {
	t.Helper()
	s := &shelf{answers: answers, objects: map[string][]byte{}}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(s.take))
	t.Cleanup(s.Close)
	return s
}

func (s *shelf) take(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries++
	data, err := io.ReadAll(r.Body)
	if len(s.answers) > 0 {
		status := s.answers[0]
		s.answers = s.answers[1:]
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<Error><Code>Nope</Code><Message>because</Message></Error>")
		return
	}
	if err != nil || r.Method != http.MethodPut || r.Header.Get("Signed") != "yes" || r.ContentLength != int64(len(data)) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.objects[strings.TrimPrefix(r.URL.Path, "/")] = data
}

// offer of the shelf for what a client announced.
func (s *shelf) offer(objects []contract.Object) contract.Offer {
	o := contract.Offer{Version: contract.OfferVersion, CA: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))}
	for _, object := range objects {
		o.Objects = append(o.Objects, contract.OfferedObject{
			Object: object, URL: s.URL + "/" + object.SHA256 + "?signature=secret", Headers: map[string]string{"Signed": "yes"},
		})
	}
	return o
}

func withStore(trial *contract.Trial) {
	trial.Store = &contract.Store{OverBytes: 100 << 10, MaxObjectBytes: 8 << 20, UploadSeconds: 1}
}

// The raw files go to the store, and the result stays in the ConfigMap.
func TestRawFilesGoToTheStore(t *testing.T) {
	r, s := newRig(t, "loud", contract.PhaseCleanup, withStore), newShelf(t)
	r.api.offer = s.offer
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	encoded, inPlace := r.api.delivered(t, r.agent.Result)
	res, err := contract.Decode(encoded)
	if err != nil || res.State != contract.Succeeded || len(inPlace) > 0 || res.Whole != nil {
		t.Fatalf("state %s, %d bytes of raw files in the ConfigMap, whole %v: %v", res.State, len(inPlace), res.Whole, err)
	}
	raw := s.objects[res.RawSHA256]
	if contract.Digest(raw) != res.RawSHA256 || len(unpack(t, raw)["cleanup/stdout.txt"]) != 2<<20 {
		t.Errorf("the store has %d bytes of another content", len(raw))
	}
	if told := r.termination(t); told.NotUploaded != "" || told.SHA256 != contract.Digest(encoded) {
		t.Errorf("termination %+v", told)
	}
	if res.Measurements[0].Intervals == nil {
		t.Error("the intervals are lost, although they fit")
	}
}

// A result over the size goes to the store as well; its numbers stay in the ConfigMap.
func TestALargeResultGoesToTheStore(t *testing.T) {
	r, s := newRig(t, "good", contract.PhaseCleanup, func(trial *contract.Trial) {
		withStore(trial)
		trial.Store.OverBytes = 200
	}), newShelf(t)
	r.api.offer = s.offer
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	encoded, _ := r.api.delivered(t, r.agent.Result)
	small, err := contract.Decode(encoded)
	if err != nil || small.State != contract.Succeeded || small.Whole == nil {
		t.Fatalf("got %+v: %v", small, err)
	}
	if m := small.Measurements[0]; m.Value == nil || m.Intervals != nil {
		t.Errorf("measurement %+v, want the value alone", m)
	}
	whole, err := contract.Decode(s.objects[small.Whole.SHA256])
	if err != nil || whole.Measurements[0].Intervals == nil || whole.RawSHA256 != small.RawSHA256 || whole.Trial.RunUID != "u" {
		t.Errorf("the store has %+v: %v", whole, err)
	}
}

// What the store says decides whether another try is worth it. The numbers do not depend on it.
func TestUploadTriesAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		answers []int
		rig     func(*rig, *shelf)
		// says is in the reason; empty for success.
		says  string
		tries int
	}{
		"it works":                  {tries: 1},
		"it is away for a while":    {answers: []int{503, 500, 429}, tries: 4},
		"it is there already":       {answers: []int{412}, tries: 1},
		"it was signed for another": {answers: []int{403}, says: "403 Forbidden: Nope: because", tries: 1},
		"the content was changed":   {answers: []int{400}, says: "400 Bad Request: Nope", tries: 1},
		"nobody signs":              {rig: func(r *rig, _ *shelf) { r.api.offer = nil }, says: "no signed URLs", tries: 0},
		"somebody signs for something else": {rig: func(r *rig, s *shelf) {
			r.api.offer = func([]contract.Object) contract.Offer {
				return s.offer([]contract.Object{{Name: contract.KeyRaw, SHA256: "x", Bytes: 1}})
			}
		}, says: "other objects", tries: 0},
		"nobody answers": {rig: func(_ *rig, s *shelf) { s.Close() }, says: "connection refused", tries: 0},
		"a stranger answers": {rig: func(r *rig, s *shelf) {
			r.api.offer = func(objects []contract.Object) contract.Offer { o := s.offer(objects); o.CA = ""; return o }
		}, says: "certificate", tries: 0},
	} {
		t.Run(name, func(t *testing.T) {
			r, s := newRig(t, "good", contract.PhaseCleanup, withStore), newShelf(t, tt.answers...)
			r.api.offer = s.offer
			if tt.rig != nil {
				tt.rig(r, s)
			}
			if err := r.agent.Run(t.Context()); err != nil {
				t.Fatalf("the numbers depend on the store: %v", err)
			}
			told := r.termination(t)
			if (told.NotUploaded == "") != (tt.says == "") || !strings.Contains(told.NotUploaded, tt.says) || strings.Contains(told.NotUploaded, "secret") {
				t.Errorf("says %q, want %q", told.NotUploaded, tt.says)
			}
			if s.tries != tt.tries {
				t.Errorf("%d tries, want %d", s.tries, tt.tries)
			}
		})
	}
}

// What the store may hold bounds the raw files, and the failure says so.
func TestRawFilesThatAreTooLargeForTheStore(t *testing.T) {
	r, s := newRig(t, "loud", contract.PhaseCleanup, func(trial *contract.Trial) {
		withStore(trial)
		trial.Store.MaxObjectBytes = 64 << 10
	}), newShelf(t)
	r.api.offer = s.offer
	if err := r.agent.Run(t.Context()); err == nil {
		t.Error("it is no error")
	}
	encoded, _ := r.api.delivered(t, r.agent.Result)
	res, err := contract.Decode(encoded)
	if err != nil || res.Failure == nil || res.Failure.Reason != contract.ReasonResultTooLarge || !strings.Contains(res.Failure.Message, fmt.Sprint(64<<10)) {
		t.Fatalf("got %+v: %v", res.Failure, err)
	}
	if raw := unpack(t, s.objects[res.RawSHA256]); raw["cleanup/command.txt"] == "" || raw["cleanup/stdout.txt"] != "" {
		t.Errorf("the store has %d files", len(raw))
	}
}
