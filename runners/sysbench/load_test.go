package sysbench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Every table is loaded by one client, and by one alone.
func TestPartsAreAllTheTables(t *testing.T) {
	for tables := 1; tables <= 12; tables++ {
		for parts := 1; parts <= 14; parts++ {
			owners := map[string]int{}
			for index := range parts {
				s := part{index: index, parts: parts, tables: tables}
				n := 0
				for i := -1; i <= tables+parts; i++ {
					if s.has(fmt.Sprint(i)) {
						owners[fmt.Sprint(i)]++
						n++
					}
				}
				if n != s.count() || n < tables/parts || n > tables/parts+1 {
					t.Errorf("part %d of %d of %d tables has %d tables, and counts %d", index, parts, tables, n, s.count())
				}
			}
			want := map[string]int{}
			for i := range tables {
				want[fmt.Sprint(i+1)] = 1
			}
			if diff := cmp.Diff(want, owners); diff != "" {
				t.Errorf("%d parts of %d tables: owners of the tables (-want +got):\n%s", parts, tables, diff)
			}
		}
	}
}

func TestAPartHasNoTableOfAnotherName(t *testing.T) {
	s := part{parts: 1, tables: 10}
	for _, name := range []string{"", "0", "11", "01", "+1", "1 ", "-1", "99999999999999999999"} {
		if s.has(name) {
			t.Errorf("it has sbtest%s", name)
		}
	}
	if !s.has("1") || !s.has("10") {
		t.Error("it has not sbtest1 and sbtest10")
	}
}

// The output of one client is no proof for the part of another.
func TestTheProofIsOfTheClientsOwnPart(t *testing.T) {
	part1 := string(load(t, "prepare-part.stdout"))
	tests := map[string]struct {
		fixture fixture
		output  string
		want    string // empty for a success
	}{
		"its own tables":                       {loaded(5, 1, 3), part1, ""},
		"those of another client":              {loaded(5, 0, 3), part1, "2 of 2 tables were created"},
		"a part, but it was to load all":       {loaded(5, 0, 1), part1, "2 of 5 tables were created"},
		"a table that is not its own":          {loaded(5, 1, 3), part1 + "Creating table 'sbtest3'...\n", "3 of 2 tables were created"},
		"a table is missing":                   {loaded(8, 1, 3), part1, "2 of 3 tables were created"},
		"no table, where there is none":        {loaded(2, 3, 4), "", "there was no table to load"},
		"a table, although it is to have none": {loaded(2, 3, 4), part1, "2 of 0 tables were created"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := parse(tc.fixture.trial(t), contract.PhasePrepare, runner.Output{Stdout: []byte(tc.output)})
			if tc.want == "" {
				if got.Failure != nil || len(got.Problems) > 0 {
					t.Errorf("failure %+v, problems %v", got.Failure, got.Problems)
				}
				return
			}
			if reasonOf(got) != contract.ReasonOutputTruncated || !strings.Contains(got.Failure.Message, tc.want) {
				t.Errorf("failure = %+v, want OutputTruncated with %q", got.Failure, tc.want)
			}
		})
	}
}

// A client without a table has nothing to load, and a script of the user loads once.
func TestClientsWithoutATable(t *testing.T) {
	for _, tt := range []struct {
		workload        string
		client, clients int
		phase           contract.Phase
		skips           bool
	}{
		{`{"test":"oltp_read_only","tables":2}`, 1, 4, contract.PhasePrepare, false},
		{`{"test":"oltp_read_only","tables":2}`, 2, 4, contract.PhasePrepare, true},
		{`{"test":"oltp_read_only","tables":2}`, 2, 4, contract.PhaseRun, false},
		{`{"test":"oltp_read_only","tables":2}`, 5, 4, contract.PhasePrepare, false}, // Command says what is wrong
	} {
		trial := contract.Trial{Clients: tt.clients, Ref: contract.TrialRef{Client: tt.client}, Workload: []byte(tt.workload)}
		if got := skips(trial, tt.phase); got != tt.skips {
			t.Errorf("client %d of %d in %s: skips %v", tt.client, tt.clients, tt.phase, got)
		}
	}
}

// Each thread that loads says how long it was inside of statements. Its line may follow what another thread did not end, and is not
// there with a script of the user.
func TestTimesOfALoad(t *testing.T) {
	const whole = "Creating table 'sbtest1'...\nCreating table 'sbtest2'...Inserting 10 records into 'sbtest1'\nInserting 10 records into 'sbtest2'\n" +
		"Creating a secondary index on 'sbtest1'...\nThread 0: 1.500000 s inside of statements, 0.500000 s outside\n" +
		"Creating a secondary index on 'sbtest2'...Thread 1: 2.500000 s inside of statements, 0.300000 s outside\n\n"
	trial := contract.Trial{Clients: 1, Workload: []byte(`{"test":"oltp_read_only","tables":2,"tableSize":10,"threads":2}`)}
	got := parse(trial, contract.PhasePrepare, runner.Output{Stdout: []byte(whole)})
	if got.Failure != nil || len(got.Problems) > 0 {
		t.Errorf("%v, %v", got.Failure, got.Problems)
	}
	if diff := cmp.Diff(runner.LoadTimes(0.4, 2), got.Measurements); diff != "" {
		t.Errorf("measurements (-want +got):\n%s", diff)
	}
	if got := parse(trial, contract.PhasePrepare, runner.Output{Stdout: []byte("Thread 0: 1.5 s inside of statements, nan s outside\n")}); len(got.Measurements) > 0 || len(got.Problems) != 1 {
		t.Errorf("garbage: %+v", got)
	}
}
