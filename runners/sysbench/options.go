package sysbench

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// refusal is why names cannot be in options, and what to do.
type refusal struct {
	names  []string
	reason string
}

// refusals: what has a field, belongs to Assay, or would make the numbers something
// else than they seem. Names with underscores; sysbench takes dashes for the same.
var refusals = []refusal{
	{[]string{"threads", "num_threads"}, "it has a field: use threads"},
	{[]string{"events", "max_requests"}, "it has a field: use events"},
	{[]string{"rate", "tx_rate"}, "it has a field: use rate"},
	{[]string{"report_interval"}, "it has a field: use reportIntervalSeconds"},
	{[]string{"percentile"}, "it has a field: use percentile"},
	{[]string{"histogram"}, "it has a field: use histogram"},
	{[]string{"rand_seed"}, "it follows from that of the run, anew for each phase, block and client: use design.seed"},
	{[]string{"rand_type"}, "it has a field: use randType"},
	{[]string{"db_ps_mode"}, "it has a field: use dbPsMode"},
	{[]string{"mysql_ignore_errors"}, "it has a field: use ignoreErrors"},
	{[]string{"time", "max_time"}, "the length of a trial is part of the design: use design.duration"},
	{[]string{"warmup_time"}, "the warm-up is part of the design: use design.warmup"},
	{[]string{"mysql_host", "mysql_port", "mysql_socket", "mysql_db", "mysql_user", "mysql_password"},
		"the address and the account are those of the target: use spec.targets"},
	{[]string{"mysql_ssl", "mysql_ssl_key", "mysql_ssl_cert", "mysql_ssl_ca"}, "TLS is a matter of the target: use its field tls and its Secret"},
	{[]string{"db_driver"}, "Assay measures over the protocol of MySQL: leave it out"},
	{[]string{"config_file"}, "the password travels in it: give the options here one by one"},
	{[]string{"mysql_dry_run"}, "no statement would reach the server: leave it out"},
	{[]string{"report_checkpoints"}, "it sets all counters back, so that the totals are those of a part: use more trials"},
	{[]string{"verbosity", "debug", "db_debug", "mysql_debug"}, "it changes the output, which has to be read: leave it out"},
	{[]string{"help", "version"}, "sysbench would print it and measure nothing: leave it out"},
	{[]string{"part", "parts"}, "clients share the load by it: leave it out"},
}

// scriptOptions are those of the OLTP tests that have a field or come from the target.
// A script of the user may have them, or not: Assay does not give them to it.
var scriptOptions = []refusal{
	{[]string{"tables"}, "it has a field: use tables"},
	{[]string{"table_size"}, "it has a field: use tableSize"},
	{[]string{"skip_trx"}, "it has a field: use skipTrx"},
	{[]string{"mysql_storage_engine"}, "it is a matter of the target: use its field storageEngine"},
}

// otherDatabases begin the names of the options of drivers that Assay does not use.
var otherDatabases = []string{"pgsql_", "drizzle_", "attachsql_", "oracle_"}

// reach says which commands an option is given to.
type reach int

const (
	// The first kind goes to run and warm-up. What is not known is of this kind: sysbench
	// itself refuses an option that a test does not have.
	_ reach = iota
	// everywhere: of the connection.
	everywhere
	// loading: it decides what is loaded; to prepare, run and warm-up.
	loading
)

// value says what an option takes. sysbench reads 1.5 as 1, and x as 0, without a word.
type value int

const (
	anything value = iota
	number
	truth
)

// option is one that the adapter knows.
type option struct {
	reach reach
	value value
	// tests that have it; nil for all, oltp for those on the OLTP tables.
	tests []string
}

var oltpTests = slices.DeleteFunc(slices.Sorted(maps.Keys(bundled)), func(name string) bool { return bundled[name].ownSchema })

// options of 1.0.20, and those of 1.1 of which data or connection depend.
var options = map[string]option{
	"mysql_ssl_cipher":     {reach: everywhere},
	"mysql_compression":    {reach: everywhere, value: truth},
	"auto_inc":             {reach: loading, value: truth, tests: oltpTests},
	"secondary":            {reach: loading, value: truth, tests: oltpTests},
	"create_secondary":     {reach: loading, value: truth, tests: oltpTests},
	"create_table_options": {reach: loading, tests: oltpTests}, // 1.1
	"range_size":           {value: number, tests: oltpTests},
	"point_selects":        {value: number, tests: oltpTests},
	"simple_ranges":        {value: number, tests: oltpTests},
	"sum_ranges":           {value: number, tests: oltpTests},
	"order_ranges":         {value: number, tests: oltpTests},
	"distinct_ranges":      {value: number, tests: oltpTests},
	"index_updates":        {value: number, tests: oltpTests},
	"non_index_updates":    {value: number, tests: oltpTests},
	"delete_inserts":       {value: number, tests: oltpTests},
	"range_selects":        {value: truth, tests: oltpTests},
	"random_points":        {value: number, tests: []string{TestRandomPoints}},
	"number_of_ranges":     {value: number, tests: []string{TestRandomRanges}},
	"delta":                {value: number, tests: []string{TestRandomRanges}},
	"validate":             {value: truth},
	"rand_spec_iter":       {value: number},
	"rand_spec_pct":        {value: number},
	"rand_spec_res":        {value: number},
}

// optionName is what sysbench takes for the name of an option.
var optionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$`)

// maxStatements bounds the numbers of statements of an event.
const maxStatements = 100_000

// checkOptions refuses what is not the user's to set, or would be read as something
// else.
func (p Params) checkOptions() error {
	seen := map[string]string{}
	for _, given := range slices.Sorted(maps.Keys(p.Options)) {
		field := fmt.Sprintf("workload.sysbench.options[%s]", given)
		if !optionName.MatchString(given) {
			return fmt.Errorf("%s: it is no name of an option: use letters, digits, - and _, without leading dashes", field)
		}
		name := canonical(given)
		if before, twice := seen[name]; twice {
			return fmt.Errorf("%s: it is the same option as %s: leave one of them out", field, before)
		}
		seen[name] = given
		if reason := p.refuses(name); reason != "" {
			return fmt.Errorf("%s: %s", field, reason)
		}
		if err := options[name].accepts(p.Options[given]); err != nil {
			return fmt.Errorf("%s: %w", field, err)
		}
	}
	return nil
}

// refuses says why the workload cannot have the option; empty if it can.
func (p Params) refuses(name string) string {
	table := refusals
	if p.Script == nil {
		table = slices.Concat(refusals, scriptOptions)
	}
	for _, r := range table {
		if slices.Contains(r.names, name) {
			return r.reason
		}
	}
	for _, prefix := range otherDatabases {
		if strings.HasPrefix(name, prefix) {
			return "it is an option for another database: Assay measures over the protocol of MySQL: leave it out"
		}
	}
	known, is := options[name]
	switch {
	case p.Script != nil:
		return ""
	case known.tests != nil && !slices.Contains(known.tests, p.Test):
		return fmt.Sprintf("%s does not have it: leave it out, or use another test, such as %s", p.Test, known.tests[0])
	case name == "auto_inc" && p.Test == TestInsert && !p.truth(name, true):
		return "the keys would be random numbers of 32 bits, drawn anew in each phase: one that is there already ends the trial " +
			"with error 1062: leave it on, or use another test"
	case !is && bundled[p.Test].ownSchema && !general(name):
		return p.Test + " does not have it: leave it out"
	}
	return ""
}

// general options begin so; sysbench has them for every test.
func general(name string) bool {
	return slices.ContainsFunc([]string{"rand_", "forced_", "thread_", "luajit_", "mysql_"}, func(prefix string) bool {
		return strings.HasPrefix(name, prefix)
	})
}

func (o option) accepts(text string) error {
	if strings.ContainsAny(text, "\n\r\x00") {
		return fmt.Errorf("%q has a line break or a NUL: leave it out", text)
	}
	switch o.value {
	case number:
		if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < 0 || n > maxStatements || text != strconv.FormatInt(n, 10) {
			return fmt.Errorf("%q is no number from 0 to %d: sysbench would take what it can read of it", text, maxStatements)
		}
	case truth:
		if _, known := truths[text]; !known {
			return fmt.Errorf("%q is neither on nor off: use one of them", text)
		}
	}
	return nil
}

// truths are the spellings that sysbench knows.
var truths = map[string]bool{"on": true, "true": true, "1": true, "off": false, "false": false, "0": false}

// dataFields are what Prepare depends on. Nobody knows which options of a script it loads by.
func dataFields(p Params, _ json.RawMessage) []string {
	out := []string{"tables", "tableSize"}
	for _, given := range slices.Sorted(maps.Keys(p.Options)) {
		if p.Script != nil || options[canonical(given)].reach == loading {
			out = append(out, given)
		}
	}
	return out
}

func canonical(name string) string { return strings.ReplaceAll(name, "-", "_") }

// option is the value of an option, by its canonical name.
func (p Params) option(name string) (string, bool) {
	for given, text := range p.Options {
		if canonical(given) == name {
			return text, true
		}
	}
	return "", false
}

// number and truth are an option that was checked, or what sysbench takes without it.
func (p Params) number(name string, usual int64) int64 {
	text, has := p.option(name)
	n, err := strconv.ParseInt(text, 10, 64)
	if !has || err != nil {
		return usual
	}
	return n
}

func (p Params) truth(name string, usual bool) bool {
	text, has := p.option(name)
	on, known := truths[text]
	if !has || !known {
		return usual
	}
	return on
}

// optionArgs are the options that a phase takes, sorted by name. A script has its
// own, and takes them all in every phase.
func (p Params) optionArgs(phase contract.Phase) []string {
	var args []string
	for _, given := range slices.Sorted(maps.Keys(p.Options)) {
		kind := options[canonical(given)].reach
		measures := phase == contract.PhaseRun || phase == contract.PhaseWarmup
		if p.Script != nil || measures || kind == everywhere || kind == loading && phase == contract.PhasePrepare {
			args = append(args, "--"+given+"="+p.Options[given])
		}
	}
	return args
}
