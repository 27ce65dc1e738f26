package reliability

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/test/helpers/evidence"
)

// What was saved is what the table says; a row that nobody played says so.
func TestTableOfWhatWasSaved(t *testing.T) {
	dir := t.TempDir()
	row := Row{
		Name: "kills", Date: time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC), Commit: "abc1234", Injected: 200, Runs: 12, Trials: 36, Retries: 1,
		Lost: 1, Doubled: 2, Hung: 3, Zero: 4, Wrong: 5, Reasons: map[string]int{"ToolFailed": 1, "ClientLost": 2}, Note: "accept 20",
	}
	skipped := Row{Name: "store_away", NotRun: "no store"}
	for _, r := range []Row{row, skipped} {
		if err := r.Save(dir); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]Row{"kills": row, "store_away": skipped}, rows); diff != "" {
		t.Fatalf("the rows differ (-want +got):\n%s", diff)
	}
	document, err := evidence.Replace("# Before\n"+Begin+"\nold\n"+evidence.End+"\nafter\n", Begin, Table(rows))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# Before\n", "\nafter\n",
		"| 200 | 12 | 36 | 1 | 2 | 3 | 4 | 5 | ClientLost 2, ToolFailed 1 | 2026-11-22 14:00 UTC, abc1234 |",
		"not run: no store", "| `etcd_full` | etcd is full (a small quota), and is cleaned up | not run: there is no result of it |",
		"- `kills`: accept 20.",
	} {
		if !strings.Contains(document, want) {
			t.Errorf("the document lacks %q:\n%s", want, document)
		}
	}
	if strings.Contains(document, "old") {
		t.Error("the document has the old table")
	}
	if _, err := evidence.Replace("no marks", Begin, ""); err == nil {
		t.Error("a document without marks is accepted")
	}
}

// The table of the document is that of the files beside it.
func TestTheDocumentIsCurrent(t *testing.T) {
	rows, err := Load("../../../docs/evidence/chaos")
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("../../../docs/evidence/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := evidence.Replace(string(document), Begin, Table(rows))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(document)); diff != "" {
		t.Errorf("go run ./test/cmd/reliability changes the document (-want +got):\n%s", diff)
	}
}

func TestAdd(t *testing.T) {
	row := Row{Name: "kills", Injected: 3, Runs: 1, Reasons: map[string]int{"a": 1}, Note: "new"}
	row.Add(Row{Name: "kills", Injected: 4, Runs: 2, Trials: 5, Lost: 1, Reasons: map[string]int{"a": 1, "b": 2}, Steps: map[string]int{"load": 1}, Note: "old"})
	want := Row{
		Name: "kills", Injected: 7, Runs: 3, Trials: 5, Lost: 1, Reasons: map[string]int{"a": 2, "b": 2}, Steps: map[string]int{"load": 1}, Note: "new",
	}
	if diff := cmp.Diff(want, row); diff != "" {
		t.Errorf("the sum differs (-want +got):\n%s", diff)
	}
}
