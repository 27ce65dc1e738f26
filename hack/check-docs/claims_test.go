package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClaims(t *testing.T) {
	s := sourceOf(t, map[string]string{
		"go.mod":                              "module m\n",
		"internal/experiment/queue/q_test.go": "package queue\nfunc TestOne(t *testing.T) {}\nfunc FuzzAll(f *testing.F) {}\nfunc (x) TestMethod() {}\nfunc helper() {}\n",
		"internal/experiment/queue/q.go":      "package queue\nfunc TestNot() {}\n",
		"test/bench/trials_test.go":           "package bench\nfunc BenchmarkDead(b *testing.B) {}\n",
	})
	tests := map[string]struct{ text, err string }{
		"a test":                              {"- One at a time: `internal/experiment/queue.TestOne`\n", ""},
		"a fuzz test and a benchmark":         {"- A: `internal/experiment/queue.FuzzAll`\n- B: `test/bench.BenchmarkDead`\n", ""},
		"a figure":                            {"- Dead time is short: [figure](performance.md#dead-time).\n", ""},
		"a figure elsewhere":                  {"- As published: [figure](../reproductions.md#drivers).\n", ""},
		"evidence on the next line":           {"- One at a time:\n  `internal/experiment/queue.TestOne`\n", ""},
		"an item below belongs to the claim":  {"- One at a time:\n  - `internal/experiment/queue.TestOne`\n", ""},
		"nothing":                             {"- It is fast.\n", "claims.md:1: no test and no figure shows this claim: It is fast."},
		"evidence after an empty line":        {"- It is fast.\n\n`internal/experiment/queue.TestOne`\n", "no test and no figure"},
		"a test that is gone":                 {"- A: `internal/experiment/queue.TestTwo`\n", "there is no test internal/experiment/queue.TestTwo"},
		"one of two tests is gone":            {"- A: `internal/experiment/queue.TestOne`, `internal/experiment/queue.TestTwo`\n", "there is no test internal/experiment/queue.TestTwo"},
		"a package that is gone":              {"- A: `internal/gone.TestOne`\n", "there is no test internal/gone.TestOne"},
		"a function outside of tests is none": {"- A: `internal/experiment/queue.TestNot`\n", "there is no test"},
		"a method is no test":                 {"- A: `internal/experiment/queue.TestMethod`\n", "there is no test"},
		"a page without a heading":            {"- Fast: [figures](performance.md)\n", "no test and no figure"},
		"another page":                        {"- Fast: [x](results.md#checks)\n", "no test and no figure"},
		"an empty ledger":                     {"# Claims\nNone.\n", "has no claim"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			expect(t, checkClaims(s, documents{claimsPage: newDocument(claimsPage, tt.text)}), tt.err)
		})
	}
	expect(t, checkClaims(s, documents{}), "the ledger of claims is not there")
}

func TestClaimLines(t *testing.T) {
	got := claims(newDocument(claimsPage, "# Claims\n\n```\n- no claim\n```\n- one\n  more\n- two\n## Next\n- three\n"))
	want := []claim{{6, "one more"}, {8, "two"}, {10, "three"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(claim{})); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}
