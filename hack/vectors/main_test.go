package main

import (
	"bytes"
	"encoding/json"
	"testing"
)

// A row of the data, and what is as deep as a request, are a line; what is in texts changes nothing.
func TestFormat(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"a row":          {`{"data":{"a":[[1,"x"],[2.0,"[{"]]}}`, "{\n \"data\": {\n  \"a\": [\n   [1,\"x\"],\n   [2.0,\"[{\"]\n  ]\n }\n}"},
		"brackets alone": {`{"a":"{[","b":{}}`, "{\n \"a\": \"{[\",\n \"b\": {}\n}"},
		"as deep as a request": {
			`{"cases":[{"turns":[{"want":{"counters":{"a":{"least":1}}}}]}]}`,
			"{\n \"cases\": [\n  {\n   \"turns\": [\n    {\n     \"want\": {\"counters\":{\"a\":{\"least\":1}}}\n    }\n   ]\n  }\n ]\n}",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got, again bytes.Buffer
			if err := format(&got, json.RawMessage(tt.in), 0); err != nil {
				t.Fatal(err)
			}
			if got.String() != tt.want {
				t.Errorf("%s\nwant\n%s", &got, tt.want)
			}
			if err := json.Compact(&again, got.Bytes()); err != nil || again.String() != tt.in {
				t.Errorf("%s is not %s: %v", &again, tt.in, err)
			}
		})
	}
}
