package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/assay-bench/assay/internal/agent/client"
)

const (
	path   = "/api/v1/namespaces/bench/configmaps"
	object = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"t","resourceVersion":"%d","annotations":{"a":"b"}},"data":{%s},"binaryData":{"r":"AP8="}}`
)

func connect(t *testing.T, handler http.HandlerFunc) *ConfigMaps {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := New(&rest.Config{Host: server.URL}, "bench")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func answer(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}

func TestGet(t *testing.T) {
	c := connect(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != path+"/t" {
			answer(w, 404, "")
			return
		}
		answer(w, 200, fmt.Sprintf(object, 7, `"trial.json":"{}"`))
	})
	got, err := c.Get(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	want := client.ConfigMap{ResourceVersion: "7", Annotations: map[string]string{"a": "b"}, Data: map[string]string{"trial.json": "{}"}, BinaryData: map[string][]byte{"r": {0, 255}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ConfigMap (-want +got):\n%s", diff)
	}
	if _, err := c.Get(t.Context(), "other"); err == nil {
		t.Error("a missing ConfigMap is no error")
	}
}

func TestFollow(t *testing.T) {
	c := connect(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.URL.Path != path || q.Get("watch") != "true" || q.Get("fieldSelector") != "metadata.name=t" || q.Get("resourceVersion") != "7" {
			answer(w, 400, "")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"type":"MODIFIED","object":`+object+"}\n", 8, "")
		_, _ = fmt.Fprintf(w, `{"type":"MODIFIED","object":`+object+"}\n", 9, `"start":"now"`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	var seen []string
	err := c.Follow(t.Context(), "t", "7", func(cm client.ConfigMap) bool {
		seen = append(seen, cm.ResourceVersion)
		return cm.Data["start"] != ""
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"8", "9"}, seen); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cut := func(cm client.ConfigMap) bool {
		if cm.ResourceVersion == "9" {
			cancel()
		}
		return false
	}
	if err := c.Follow(ctx, "t", "7", cut); err == nil {
		t.Error("a watch that was cut is no error")
	}
	if err := c.Follow(t.Context(), "t", "1", nil); err == nil {
		t.Error("a watch that is refused is no error")
	}
}

func TestPatch(t *testing.T) {
	var body, contentType string
	code := 200
	c := connect(t, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		body, contentType = string(data), r.Header.Get("Content-Type")
		answer(w, code, fmt.Sprintf(object, 8, ""))
	})
	if err := c.Patch(t.Context(), "t", []byte(`{"data":{"a":"b"}}`)); err != nil {
		t.Fatal(err)
	}
	if body != `{"data":{"a":"b"}}` || contentType != "application/merge-patch+json" {
		t.Errorf("sent %q as %q", body, contentType)
	}
	for refused, final := range map[int]bool{403: false, 409: false, 500: false, 413: true, 422: true, 400: true} {
		code = refused
		err := c.Patch(t.Context(), "t", []byte(`{}`))
		if err == nil || errors.Is(err, client.ErrRefused) != final {
			t.Errorf("status %d: %v; refused for good should be %v", refused, err, final)
		}
	}
}
