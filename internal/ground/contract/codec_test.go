package contract

import (
	"bytes"
	"compress/gzip"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample() Result {
	n, v, index := int64(10636), 1062.89, 3
	return Result{
		Version: ResultVersion,
		Trial:   TrialRef{RunUID: "u", Phase: "Run", Index: &index, Target: "innodb"},
		State:   Succeeded,
		Tool:    Tool{Name: "sysbench", Version: "1.0.20"},
		Measurements: []Measurement{
			{Name: NameThroughput, Unit: "tx/s", Direction: HigherIsBetter, N: &n, Value: &v},
			{Name: NameLatencyPercentile, Labels: map[string]string{LabelPercentile: "95"}, Unit: "ms"},
			{Name: NameLatencyPercentile, Labels: map[string]string{LabelPercentile: "99"}, Unit: "ms"},
		},
		Errors: []ErrorCount{{Name: ErrorIgnored, Count: 2}},
	}
}

func compress(t testing.TB, plain []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDecodeReturnsWhatEncodeWrote(t *testing.T) {
	want := sample()
	gz, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(gz)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("round trip (-want +got):\n%s", diff)
	}
	again, err := Encode(got)
	if err != nil {
		t.Fatal(err)
	}
	if Digest(gz) != Digest(again) {
		t.Error("encoding the same result twice gave different bytes")
	}
}

func TestDecodeRefuses(t *testing.T) {
	whole, err := Encode(sample())
	if err != nil {
		t.Fatal(err)
	}
	const head = `{"version":"` + ResultVersion + `"`
	tests := map[string]struct {
		gz   []byte
		want string
	}{
		"an empty value":                      {nil, "EOF"},
		"what is not gzip":                    {[]byte("{}"), "EOF"},
		"a stream that was cut":               {whole[:len(whole)-9], "unexpected EOF"},
		"bytes after the stream":              {append(bytes.Clone(whole), 'x'), "1 bytes after the end"},
		"another version":                     {compress(t, []byte(`{"version":"assay.dev/result/v2"}`)), `got "assay.dev/result/v2"`},
		"no version":                          {compress(t, []byte(`{}`)), `version: got ""`},
		"a field that it does not know":       {compress(t, []byte(head+`,"state":"Succeeded","verdict":1}`)), `unknown field "verdict"`},
		"a second document":                   {compress(t, []byte(head+`,"state":"Succeeded"}{}`)), "more data after the end"},
		"no state":                            {compress(t, []byte(head+`}`)), `state: got ""`},
		"a failed state without a failure":    {compress(t, []byte(head+`,"state":"Failed"}`)), "failure: missing"},
		"a failure without a reason":          {compress(t, []byte(head+`,"state":"Failed","failure":{}}`)), "failure.reason: empty"},
		"a succeeded state with a failure":    {compress(t, []byte(head+`,"state":"Succeeded","failure":{"reason":"ToolFailed"}}`)), "failure: set"},
		"a bomb of zeros":                     {compress(t, append([]byte(head+`,"rawSHA256":"`), bytes.Repeat([]byte("0"), MaxJSONBytes)...)), "bytes of JSON"},
		"a number where there is a timestamp": {compress(t, []byte(head+`,"state":"Succeeded","times":{"ready":1}}`)), "Time"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Decode(tc.gz)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestDecodeErrorsHaveTypes(t *testing.T) {
	var version *VersionError
	if _, err := Decode(compress(t, []byte(`{"version":"v9"}`))); !errors.As(err, &version) || version.Got != "v9" {
		t.Errorf("got %v, want a VersionError with v9", err)
	}
	if _, err := Decode(compress(t, bytes.Repeat([]byte(" "), MaxJSONBytes+1))); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v, want ErrTooLarge", err)
	}
}

func TestEncodeRefuses(t *testing.T) {
	nan := math.NaN()
	tests := map[string]struct {
		change func(*Result)
		want   string
	}{
		"a result without a version":      {func(r *Result) { r.Version = "" }, "version"},
		"a value that is not a number":    {func(r *Result) { r.Measurements[0].Value = &nan }, "NaN"},
		"a failed state without a reason": {func(r *Result) { r.State = Failed }, "failure: missing"},
		"more JSON than a reader accepts": {func(r *Result) { r.Measurements = make([]Measurement, DefaultBounds().Measurements+1) }, "more than 20000 measurements"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := sample()
			tc.change(&r)
			if _, err := Encode(r); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestFind(t *testing.T) {
	r := sample()
	tests := map[string]struct {
		name   string
		labels map[string]string
		want   Measurement
		found  bool
	}{
		"by name alone":              {NameThroughput, nil, r.Measurements[0], true},
		"the first of several":       {NameLatencyPercentile, nil, r.Measurements[1], true},
		"by a label":                 {NameLatencyPercentile, map[string]string{"p": "99"}, r.Measurements[2], true},
		"a label with another value": {NameLatencyPercentile, map[string]string{"p": "50"}, Measurement{}, false},
		"a label that none has":      {NameThroughput, map[string]string{"p": ""}, Measurement{}, false},
		"a name that none has":       {"latency", nil, Measurement{}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, found := r.Find(tc.name, tc.labels)
			if found != tc.found {
				t.Errorf("found = %v, want %v", found, tc.found)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("measurement (-want +got):\n%s", diff)
			}
		})
	}
	if got := r.ErrorCount(ErrorIgnored); got != 2 {
		t.Errorf("ErrorCount(ignored) = %d, want 2", got)
	}
	if got := r.ErrorCount(ErrorReconnects); got != 0 {
		t.Errorf("ErrorCount(reconnects) = %d, want 0", got)
	}
}

func FuzzDecode(f *testing.F) {
	whole, err := Encode(sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(compress(f, []byte(`{"version":"`+ResultVersion+`","state":"Failed","failure":{"reason":"ToolFailed"}}`)))
	f.Add([]byte("garbage"))
	f.Fuzz(func(t *testing.T, gz []byte) {
		r, err := Decode(gz)
		if err != nil {
			return
		}
		if _, err := Encode(r); err != nil {
			t.Errorf("decoded a result that cannot be encoded: %v", err)
		}
	})
}
