package claims

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// Run is what a finished run tells of the claims of its source.
type Run struct {
	// Play, from 1, and the digest of the manifest that was played.
	Play     int    `json:"play"`
	Manifest string `json:"manifest"`
	// Date when it ended, the commit of the tree, and the machine.
	Date    time.Time `json:"date"`
	Commit  string    `json:"commit"`
	Machine string    `json:"machine"`
	// Seconds that the play took, its servers and their data included.
	Seconds float64 `json:"seconds"`
	// Servers with their versions, in the order of the spec.
	Servers []string `json:"servers,omitempty"`
	// Trials that were measured, and those of them that were left out.
	Trials  int `json:"trials"`
	LeftOut int `json:"leftOut"`
	// Measured are both sides of the claims, wherever there are both.
	Measured []Measured `json:"measured,omitempty"`
	// NoVerdict says why the run is good for nothing; empty for one that has ended as it should.
	NoVerdict string `json:"noVerdict,omitempty"`
}

// Measured are both sides of a claim in one place: a target and a driver.
type Measured struct {
	// Group and Says name the claim.
	Group string `json:"group"`
	Says  string `json:"says"`
	// Place is where it was measured, such as "mariadb, PyMySQL".
	Place string `json:"place"`
	Unit  string `json:"unit"`
	// Of and To are the values of both sides, in the blocks that have both.
	Of []float64 `json:"of"`
	To []float64 `json:"to"`
}

// labelLanguage is the axis of drivers of several languages. A driver has one.
const labelLanguage = "language"

// unsaid are the labels that a claim need not have: it is then measured in each of their values.
var unsaid = []string{v1alpha1.FactorTarget, contract.LabelDriver}

// notSaid are the values of labels that mean the same as none.
var notSaid = map[string]string{contract.LabelRows: "1", contract.LabelTransaction: "Autocommit"}

// value of one trial.
type value struct {
	labels map[string]string
	block  int32
	value  float64
	unit   string
}

// Measure the claims in a run that has ended, in the trials that count. A claim that the run has no two sides of has nothing. It fails
// for a run without a plan.
func Measure(s Source, all []Claim, run *stored.Run) (Run, error) {
	if run.Plan == nil {
		return Run{}, fmt.Errorf("%s has no plan: it was refused, or has only begun", run)
	}
	out := Run{Trials: len(run.Plan.Trials)}
	if phase := run.Object.Status.Phase; phase != v1alpha1.PhaseComplete {
		out.NoVerdict = fmt.Sprintf("the run ended as %s", phase)
	}
	for _, t := range run.Object.Status.Targets {
		out.Servers = append(out.Servers, strings.TrimSpace(t.Name+" "+t.ServerVersion))
	}
	by := map[string][]value{}
	last := summary.LastRecords(run.Records)
	for i, reason := range summary.LeftOut(run.Plan, run.Records) {
		if reason != "" {
			out.LeftOut++
			continue
		}
		rec := last[run.Plan.Trials[i].Index]
		for _, v := range rec.Values {
			by[v.Name] = append(by[v.Name], value{labelsOf(rec, v.Labels), rec.Block, v.Value, v.Unit})
		}
	}
	for _, c := range all {
		if c.Not == "" {
			out.Measured = append(out.Measured, measured(s.Groups[c.Group].Heading, c, by[c.Measurement])...)
		}
	}
	return out, nil
}

// labelsOf a value, with those of its trial.
func labelsOf(rec *contract.Record, own map[string]string) map[string]string {
	out := map[string]string{v1alpha1.FactorTarget: rec.Target}
	for name, v := range rec.Parameters {
		if name != labelLanguage {
			out[name] = v.String()
		}
	}
	maps.Copy(out, own)
	return out
}

// measured are both sides of a claim in all places, in the order of their names.
func measured(group string, c Claim, all []value) []Measured {
	of, to := side(c.Of, all), side(c.To, all)
	var out []Measured
	for _, place := range slices.Sorted(maps.Keys(of)) {
		m := Measured{Group: group, Says: c.Says, Place: strings.Join(slices.DeleteFunc(strings.Split(place, "\n"), func(s string) bool { return s == "" }), ", ")}
		for _, block := range slices.Sorted(maps.Keys(of[place])) {
			a, b := of[place][block], to[placeOf(c, place)][block]
			if a.value > 0 && b.value > 0 {
				m.Of, m.To, m.Unit = append(m.Of, digits(a.value)), append(m.To, digits(b.value)), a.unit
			}
		}
		if len(m.Of) > 0 {
			out = append(out, m)
		}
	}
	return out
}

// side has the values with these labels, by place and block.
func side(want map[string]string, all []value) map[string]map[int32]value {
	out := map[string]map[int32]value{}
	for _, v := range all {
		if !same(v.labels, want) {
			continue
		}
		place := placeIn(v.labels)
		if out[place] == nil {
			out[place] = map[int32]value{}
		}
		out[place][v.block] = v
	}
	return out
}

// placeIn are the target and the driver, one in a line.
func placeIn(labels map[string]string) string {
	var words []string
	for _, name := range unsaid {
		words = append(words, labels[name])
	}
	return strings.Join(words, "\n")
}

// placeOf the other side, which may name a target or a driver of its own.
func placeOf(c Claim, place string) string {
	words := strings.Split(place, "\n")
	for i, name := range unsaid {
		if v := c.To[name]; v != "" {
			words[i] = v
		}
	}
	return strings.Join(words, "\n")
}

// same says whether a value has exactly these labels.
func same(have, want map[string]string) bool {
	for name, v := range have {
		if w, said := want[name]; said && w != v || !said && notSaid[name] != v && !slices.Contains(unsaid, name) {
			return false
		}
	}
	for name, w := range want {
		if have[name] != w && !(have[name] == "" && notSaid[name] == w) {
			return false
		}
	}
	return true
}

// digits that are kept of a value: five.
func digits(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
	if err != nil {
		panic(err) // the text of a number is one
	}
	return short
}
