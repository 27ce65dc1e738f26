package journal

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Whoever may edit the ConfigMaps of a namespace makes the manager read little memory, whatever
// compresses well.
func TestPartsThatTakeMuchMemory(t *testing.T) {
	head := `{"version": "` + contract.JournalVersion + `", `
	for name, tt := range map[string]struct{ text, want string }{
		"empty records":     {`"records": [` + strings.Repeat("{},", 5_000_000) + `{}]}`, "of memory"},
		"numbers":           {`"records": [` + strings.Repeat("1,", 7_000_000) + `1]}`, "of memory"},
		"more than a part":  {`"records": [` + strings.Repeat("{},", mostRecords) + `{}]}`, fmt.Sprintf("%d records", mostRecords+1)},
		"values of nothing": {`"records": [{"values": [` + strings.Repeat("{},", 5_000_000) + `{}]}]}`, "of memory"},
	} {
		var out bytes.Buffer
		zip := gzip.NewWriter(&out)
		if _, err := zip.Write([]byte(head + tt.text)); err != nil {
			t.Fatal(err)
		}
		if err := zip.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeRecords(out.Bytes()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
