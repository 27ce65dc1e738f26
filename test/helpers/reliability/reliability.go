// Package reliability keeps what the rows of the matrix of faults found. In: the counts of one
// row, from a test. Out: one file for each row, and the table of all of them for a document. A
// row that nobody played is in the table too, with the reason.
package reliability

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Row is what one kind of fault did to the runs that it hit.
type Row struct {
	// Name of the row, as in Faults.
	Name string `json:"name"`
	// Date when the row ended.
	Date time.Time `json:"date"`
	// Commit of the tree, and the machine.
	Commit  string `json:"commit"`
	Machine string `json:"machine"`

	// Injected is how many faults were injected; Runs and Trials are how many of them had to bear it.
	Injected int `json:"injected"`
	Runs     int `json:"runs"`
	Trials   int `json:"trials"`
	// Retries are attempts that failed and were repeated.
	Retries int `json:"retries"`

	// Lost are trials without an end in the journal; Doubled those with two ends, or measured by two pods; Hung are runs
	// that did not end in time; Zero are values that are 0 or absent without a reason; Wrong are reasons that the fault does
	// not explain.
	Lost    int `json:"lost"`
	Doubled int `json:"doubled"`
	Hung    int `json:"hung"`
	Zero    int `json:"zero"`
	Wrong   int `json:"wrong"`
	// Reasons of the attempts that failed.
	Reasons map[string]int `json:"reasons,omitempty"`
	// Steps at which runs were when a fault hit them.
	Steps map[string]int `json:"steps,omitempty"`
	// Note says more, in a few words.
	Note string `json:"note,omitempty"`
	// NotRun says why the row was not played; empty when it was.
	NotRun string `json:"notRun,omitempty"`
}

// Fault is a row that belongs to the matrix.
type Fault struct{ Name, What string }

// Faults of the matrix, in the order of the table.
var Faults = []Fault{
	{"enumerated", "the manager dies before and after each write of a run, each once (real reconciler, fake API server)"},
	{"sigkill", "the manager is killed with SIGKILL, once at a time"},
	{"kills", "the manager is killed with SIGKILL again and again, at any step"},
	{"two_managers", "two managers work without a lease, and one of them is killed from time to time"},
	{"mixed", "the manager is killed all the time; a client and a database are killed, a result is deleted, the API server stops"},
	{"mixed_standing", "the same, with clients that stand"},
	{"api_away", "the API server is away for a minute"},
	{"apiserver", "the process of the API server is killed with SIGKILL or ended with SIGTERM in the middle of a trial, and started again"},
	{"node_lost", "a node is lost for 75 s, the database's, then the client's"},
	{"etcd_full", "etcd is full (a small quota), and is cleaned up"},
	{"disk_full", "the volume of the database is full for a while"},
	{"network_cut", "the client has no network for 10 s"},
	{"clock_step", "the clock of one agent is stepped by 30 s"},
	{"result_deleted", "the ConfigMap of a result is deleted while it is measured"},
	{"store_away", "the object store is away"},
	{"schedules", "the manager is killed with SIGKILL again and again while schedules start runs"},
	{"two_releases", "two releases, each for a namespace of its own: both managers are killed again and again while schedules of both start runs"},
	{"pool_without_nodes", "the manager is killed with SIGKILL again and again while runs on a pool without nodes have their nodes made"},
}

// Save writes the row into a folder; nothing where that is empty.
func (r Row) Save(folder string) error {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, r.Name+".json"), append(data, '\n'), 0o600)
}

// Add what an earlier play of the row found: a long row can be played in parts.
func (r *Row) Add(earlier Row) {
	r.Injected += earlier.Injected
	r.Runs += earlier.Runs
	r.Trials += earlier.Trials
	r.Retries += earlier.Retries
	r.Lost += earlier.Lost
	r.Doubled += earlier.Doubled
	r.Hung += earlier.Hung
	r.Zero += earlier.Zero
	r.Wrong += earlier.Wrong
	r.Reasons = sum(r.Reasons, earlier.Reasons)
	r.Steps = sum(r.Steps, earlier.Steps)
}

func sum(a, b map[string]int) map[string]int {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]int{}
	}
	for k, n := range b {
		out[k] += n
	}
	return out
}

// Load reads the rows of a folder, by their names.
func Load(folder string) (map[string]Row, error) {
	out := map[string]Row{}
	for _, f := range Faults {
		data, err := os.ReadFile(filepath.Join(folder, f.Name+".json"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		row := Row{}
		if err := json.Unmarshal(data, &row); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		out[f.Name] = row
	}
	return out, nil
}

// Table of all rows in Markdown.
func Table(rows map[string]Row) string {
	var b strings.Builder
	b.WriteString("| Row | Fault | Times | Runs | Trials | Lost | Doubled | Hung | Zero | Wrong reason | Failed attempts | Date, tree |\n")
	b.WriteString("| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --- | --- |\n")
	for _, f := range Faults {
		r, played := rows[f.Name]
		switch {
		case !played:
			r.NotRun = "there is no result of it"
			fallthrough
		case r.NotRun != "":
			fmt.Fprintf(&b, "| `%s` | %s | not run: %s | | | | | | | | | |\n", f.Name, f.What, r.NotRun)
		default:
			fmt.Fprintf(&b, "| `%s` | %s | %d | %d | %d | %d | %d | %d | %d | %d | %s | %s, %s |\n", f.Name, f.What, r.Injected, r.Runs, r.Trials,
				r.Lost, r.Doubled, r.Hung, r.Zero, r.Wrong, r.reasons(), r.Date.UTC().Format("2006-01-02 15:04 UTC"), r.Commit)
		}
	}
	b.WriteString("\n")
	for _, f := range Faults {
		if r := rows[f.Name]; r.Note != "" && r.NotRun == "" {
			fmt.Fprintf(&b, "- `%s`: %s.\n", f.Name, r.Note)
		}
	}
	return b.String()
}

func (r Row) reasons() string {
	if len(r.Reasons) == 0 {
		return "none"
	}
	var out []string
	for _, reason := range slices.Sorted(maps.Keys(r.Reasons)) {
		out = append(out, fmt.Sprintf("%s %d", reason, r.Reasons[reason]))
	}
	return strings.Join(out, ", ")
}

// Begin of the table in its document.
const Begin = "<!-- rows: make e2e-chaos writes them -->"
