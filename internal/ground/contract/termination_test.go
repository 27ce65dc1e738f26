package contract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTerminationRoundTrip(t *testing.T) {
	tests := map[string]Termination{
		"a success": {Version: TerminationVersion, State: Succeeded, SHA256: "ab"},
		"a failure with a result": {
			Version: TerminationVersion, State: Failed, SHA256: "ab", Reason: ReasonToolFailed, Message: "it said \"no\"\n",
		},
		"a failure without a result": {Version: TerminationVersion, State: Failed, Reason: ReasonTrialUnreadable, Message: "x"},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseTermination(want.Encode())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("round trip (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTerminationFitsWhatKubernetesKeeps(t *testing.T) {
	for _, letter := range []string{"x", "ß", "\n", "\x01", "\xff"} {
		long := Termination{
			Version: TerminationVersion, State: Failed, Reason: ReasonToolFailed, Message: strings.Repeat(letter, 9000),
		}
		out := long.Encode()
		if len(out) > maxTermination {
			t.Errorf("%q: %d bytes, want at most %d", letter, len(out), maxTermination)
		}
		if back, err := ParseTermination(out); err != nil || back.Message == "" {
			t.Errorf("%q: read back %+v, %v", letter, back, err)
		}
	}
}

func TestParseTerminationRefuses(t *testing.T) {
	const head = `{"version":"` + TerminationVersion + `",`
	tests := map[string]struct{ message, want string }{
		"nothing":                    {"", "empty"},
		"text":                       {"panic: no", "invalid character"},
		"another version":            {`{"version":"v9"}`, `got "v9"`},
		"a success without a digest": {head + `"state":"Succeeded"}`, "contradicts"},
		"a failure without a reason": {head + `"state":"Failed"}`, "contradicts"},
		"no state":                   {head + `"sha256":"ab"}`, "contradicts"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseTermination([]byte(tc.message)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}
