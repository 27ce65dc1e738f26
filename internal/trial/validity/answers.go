package validity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// CheckWrongResults is the check of results of queries.
const CheckWrongResults = "wrong-results"

// lookFor is what to do about a wrong result.
const lookFor = "look for what else writes to the tables, and compare with another server"

// wrongResults: a query returned another result than it must. It is no failure, which another attempt could put right: a server that is
// wrong only sometimes would complete the run.
func wrongResults(r contract.Result, _ runner.Expectations) string {
	if !wrong(r) {
		return ""
	}
	return fmt.Sprintf("%d results of queries were compared, and some are wrong: %s: %s", r.Answers.Compared, strings.Join(atMost(5, r.Answers.Wrong), "; "), lookFor)
}

// wrong says whether the tool found a result that differs.
func wrong(r contract.Result) bool { return r.Answers != nil && len(r.Answers.Wrong) > 0 }

// CheckAnswers checks that the clients of one trial got the same results of the same queries, by their checksums. One client has no
// findings, and neither has a client whose tool says nothing of its results.
func CheckAnswers(results []contract.Result) []Finding {
	type answer struct {
		client   int
		checksum float64
	}
	first := map[string]answer{}
	var texts []string
	for _, r := range results {
		for _, m := range r.Measurements {
			if r.Answers == nil || m.Name != contract.NameResultChecksum || m.Value == nil {
				continue
			}
			query, got := m.Labels[contract.LabelOperation], answer{r.Trial.Client, *m.Value}
			before, known := first[query]
			if !known {
				first[query] = got
			} else if before.checksum != got.checksum {
				texts = append(texts, fmt.Sprintf("%s had the checksum %.0f for client %d, and %.0f for client %d", query, before.checksum, before.client, got.checksum, got.client))
			}
		}
	}
	if len(texts) == 0 {
		return nil
	}
	slices.Sort(texts)
	return []Finding{{CheckWrongResults, Invalid, fmt.Sprintf("queries had other results for one client than for another, on the same data: %s: %s",
		strings.Join(atMost(5, texts), "; "), lookFor)}}
}
