package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// ask sends one request to a new harness; what else is said is the matter of the conformance suite.
func ask(t *testing.T, request string) map[string]any {
	t.Helper()
	var out bytes.Buffer
	if err := newHarness().serve(strings.NewReader(request), &out); err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatalf("%s: %v", &out, err)
	}
	return answer
}

func TestHello(t *testing.T) {
	answer := ask(t, `{"id":7,"do":"hello","protocol":"assay.dev/driver/v2"}`)
	if answer["id"] != 7.0 || answer["state"] != "ok" || answer["protocol"] != protocolVersion {
		t.Errorf("got %v", answer)
	}
	var names []string
	for _, d := range answer["drivers"].([]any) {
		d := d.(map[string]any)
		names = append(names, d["name"].(string))
		if version := d["versions"].([]any)[0].(string); version == "" || version[0] == 'v' {
			t.Errorf("%s has the version %q", d["name"], version)
		}
	}
	if want := []string{"go-sql-driver", "go-mysql", "null"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

// Options of the drivers of Go are known to the drivers alone.
func TestOptions(t *testing.T) {
	for driver, options := range map[string][]string{
		"go-sql-driver": {`{"sql_mode":"''"}`, `{"tls":"false"}`, `{"interpolateParams":"perhaps"}`},
		"go-mysql":      {`{"compress":"lzma"}`, `{"readTimeout":"soon"}`, `{"magic":"1"}`},
	} {
		for _, option := range options {
			answer := ask(t, `{"id":3,"do":"prepare","connection":"x","driver":"`+driver+
				`","version":"","host":"127.0.0.1","port":1,"database":"","tls":false,"options":`+option+`}`)
			if answer["state"] != "unsupported" || answer["reason"] == nil {
				t.Errorf("%s %s: %v", driver, option, answer)
			}
		}
	}
}
