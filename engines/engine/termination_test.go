package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/contract"
)

func TestTerminationFitsWhatKubernetesKeeps(t *testing.T) {
	for _, letter := range []string{"x", "ß", "\n", "\x01", "\xff"} {
		long := contract.TargetTermination{Reason: contract.ReasonServerCrashed, Message: strings.Repeat(letter, 9000)}
		out := long.Encode()
		if len(out) > maxTermination {
			t.Errorf("%q: %d bytes, want at most %d", letter, len(out), maxTermination)
		}
		var back contract.TargetTermination
		if err := json.Unmarshal(out, &back); err != nil || back.Reason != long.Reason || back.Message == "" {
			t.Errorf("%q: read back %+v, %v", letter, back, err)
		}
	}
}
