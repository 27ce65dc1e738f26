package contract

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTargetTerminationFitsWhatKubernetesKeeps(t *testing.T) {
	for _, letter := range []string{"x", "ß", "\n", "\x01", "\xff"} {
		long := TargetTermination{Reason: ReasonServerCrashed, Message: strings.Repeat(letter, 9000)}
		out := long.Encode()
		if len(out) > maxTermination {
			t.Errorf("%q: %d bytes, want at most %d", letter, len(out), maxTermination)
		}
		var back TargetTermination
		if err := json.Unmarshal(out, &back); err != nil || back.Reason != long.Reason || back.Message == "" {
			t.Errorf("%q: read back %+v, %v", letter, back, err)
		}
	}
}
