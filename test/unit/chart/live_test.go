package chart

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// The dashboard of live figures draws no errors as 0 only for a tool that prints errors while it runs: sysbench, whose lines with
// statements have them. What another tool does not print is not 0.
func TestNoErrorsAreNotDrawnForToolsThatPrintNone(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../charts/assay/dashboards/live.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			_, zero, is := strings.Cut(target.Expr, " or ")
			if panel.Title != "Errors" || !is || !strings.HasSuffix(zero, "* 0") {
				continue
			}
			seen++
			if !strings.Contains(zero, `measurement="`+contract.NameQueries+`"`) {
				t.Errorf("0 is drawn where there is %s", zero)
			}
		}
	}
	if seen != 1 {
		t.Errorf("%d panels draw no errors as 0, want 1", seen)
	}
}
