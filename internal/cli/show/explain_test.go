package show

import (
	"strings"
	"testing"
)

// A reason, a check and a field are found by one command, and what is none of them is an error that says what there is.
func TestExplain(t *testing.T) {
	for name, tt := range map[string]struct{ kind, says, fail string }{
		"queued":                  {"reason", "Queued is a reason.", ""},
		"nothing-done":            {"check", "nothing-done is a check of results", ""},
		"design.blocks":           {"field", "spec.design.blocks (integer)", ""},
		"spec.targets[0].mysql":   {"field", "spec.targets.mysql (object)", ""},
		"targets.mysql.flavor":    {"field", "values: MySQL, MariaDB, Percona, TiDB", ""},
		"design.order":            {"field", "default: \"RandomizedBlocks\"", ""},
		"status.progress":         {"field", "estimatedCompletionTime", ""},
		"dataReset":               {"field", "spec.design.dataReset (", ""},
		"NotMeasured":             {"verdict", "Nothing was tested", ""},
		"not measured":            {"verdict", "not measured is a verdict on a comparison.", ""},
		"not-measured":            {"check", "not-measured is a check of results", ""},
		".dataReset[0]":           {"field", "spec.design.dataReset (", ""},
		"estimatedCompletionTime": {"field", "status.progress.estimatedCompletionTime", ""},
		"configMap":               {"", "", "several fields are called configMap: "},
		"threads":                 {"", "", "several fields are called threads: spec.workload.custom.threads, spec.workload.sysbench.threads"},
		"matrix.values":           {"field", "([]integer or string, required)", ""},
		"inconclusive":            {"verdict", "Neither a difference nor equivalence", ""},
		"Exploratory":             {"verdict", "fewer than 6 blocks are left, or the plan has fewer than its comparisons need together", ""},
		"queud":                   {"", "", `"queud" is no word of Assay: did you mean Queued?`},
		"GateFailed":              {"outcome of a run", "GateFailed is an outcome of a run.", ""},
		"pending":                 {"phase", "has not accepted the run yet", ""},
		"6":                       {"exit code", "a bundle is damaged", ""},
		"block disturbed":         {"note to a median", "pairs stay pairs", ""},
		"Queued":                  {"reason", "It is also a word of another kind, phase: The run waits for nodes", ""},
		"slower":                  {"reason", "Slower is a reason", ""},
		"design.block":            {"", "", "did you mean blocks? It has blocks, clientPods, cooldown"},
		"nothing":                 {"", "", "similar names: nothing-done"},
		"":                        {"", "", "is no word that a command prints"},
		"design.blocks.anything":  {"", "", `spec.design.blocks has no field "anything"`},
	} {
		doc, text, err := explanationOf(name)
		switch {
		case tt.fail != "" && (err == nil || !strings.Contains(err.Error(), tt.fail)):
			t.Errorf("%s: error %v, want %q", name, err, tt.fail)
		case tt.fail == "" && (err != nil || doc.Kind != tt.kind || doc.Meaning == "" || !strings.Contains(strings.Join(strings.Fields(text), " "), tt.says)):
			t.Errorf("%s: error %v, %+v\n%s\nwant %q", name, err, doc, text, tt.says)
		}
	}
}

// An interval has the level of its own test, and no level in common with the others.
func TestExplainFasterIsAboutOneInterval(t *testing.T) {
	doc, _, err := explanationOf("faster")
	if err != nil || strings.Contains(doc.Meaning, "corrected for all") || !strings.Contains(doc.Meaning, "the level of this interval by itself") {
		t.Errorf("%q, %v", doc.Meaning, err)
	}
}
