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
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// Run is what a finished run tells of the claims of its source.
type Run struct {
	// Play, from 1, and the digest of what was played.
	Play     int    `json:"play"`
	Manifest string `json:"manifest"`
	// Date when it ended, the commit of the tree that it was built of, and the machine.
	Date    time.Time `json:"date"`
	Commit  string    `json:"commit"`
	Machine string    `json:"machine"`
	// Seconds that the play took, its servers and their data included, on the quiet machine.
	Seconds float64 `json:"seconds"`
	// Busy are the CPUs of the machine that were busy before the run and after it.
	Busy []float64 `json:"busy,omitempty"`
	// Versions of the servers and the tools with their drivers, and the digests of the Images of both. Each has its target before it.
	Versions []string `json:"versions,omitempty"`
	Images   []string `json:"images,omitempty"`
	// Trials that were measured, and those of them that were left out.
	Trials  int `json:"trials"`
	LeftOut int `json:"leftOut"`
	// Sides of the claims, each once.
	Sides []Side `json:"sides,omitempty"`
	// Sweeps of the run, with their knees and peaks.
	Sweeps []v1alpha1.SweepEntry `json:"sweeps,omitempty"`
	// NoVerdict says why the run is good for nothing; empty for one that has ended as it should.
	NoVerdict string `json:"noVerdict,omitempty"`
}

// Side of a claim: one measurement in one place.
type Side struct {
	Measurement string            `json:"measurement"`
	Labels      map[string]string `json:"labels,omitempty"`
	Unit        string            `json:"unit,omitempty"`
	// Values by block; none for what was looked for, and has not been measured.
	Values map[int32]float64 `json:"values,omitempty"`
}

// notSaid are the values of labels that mean the same as none.
var notSaid = map[string]string{contract.LabelRows: "1", contract.LabelTransaction: "Autocommit"}

// Key of a measurement with its labels, without those that need not be said; a driver has one language.
func Key(measurement string, labels map[string]string) string {
	words := []string{measurement}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if name != contract.LabelLanguage && labels[name] != notSaid[name] {
			words = append(words, name+" "+labels[name])
		}
	}
	return strings.Join(words, ", ")
}

// facts of a trial that tell versions, and those that tell images.
var (
	versions = []string{"server/version", "client/tool"}
	images   = []string{"server/image", "client/image"}
)

// Measure the sides of the claims in a run that has ended, in the trials that count. A run that was refused, has not come to its end, or was
// disturbed in too many blocks says so in NoVerdict: no value has a part in that.
func Measure(all []Claim, run *stored.Run) Run {
	var out Run
	if phase := run.Object.Status.Phase; phase != v1alpha1.PhaseComplete {
		out.NoVerdict = fmt.Sprintf("the run ended as %s", phase)
	}
	if run.Plan == nil {
		out.NoVerdict = "the run was refused, or has only begun: it has no plan"
		return out
	}
	by := map[string]*Side{}
	for _, c := range all {
		for _, labels := range c.Sides() {
			if key := Key(c.Measurement, labels); c.Measured() && by[key] == nil {
				by[key] = &Side{Measurement: c.Measurement, Labels: labels, Values: map[int32]float64{}}
			}
		}
	}
	out.Trials, out.Sweeps = len(run.Plan.Trials), run.Summary.Sweeps
	last := summary.LastRecords(run.Records)
	leftOut := summary.LeftOut(run.Plan, run.Records)
	if lost, of := disturbed(run.Plan, leftOut); lost > 0 && out.NoVerdict == "" {
		out.NoVerdict = fmt.Sprintf("disturbances left %d of %d blocks, and a verdict needs %d", of-lost, of, stats.MinBlocks)
	}
	for i, reason := range leftOut {
		if reason != "" {
			out.LeftOut++
			continue
		}
		rec := last[run.Plan.Trials[i].Index]
		out.Versions, out.Images = added(out.Versions, rec, versions), added(out.Images, rec, images)
		for _, v := range rec.Values {
			side := by[Key(v.Name, labelsOf(rec, v.Labels))]
			if side != nil && v.Value > 0 {
				side.Unit, side.Values[rec.Block] = v.Unit, digits(v.Value)
			}
		}
	}
	slices.Sort(out.Versions)
	slices.Sort(out.Images)
	for _, key := range slices.Sorted(maps.Keys(by)) {
		out.Sides = append(out.Sides, *by[key])
	}
	return out
}

// disturbed is how many blocks are left out of the cell that has too few for a verdict, where it had enough without disturbances; 0 where there is
// no such cell. Blocks are those of the plan.
func disturbed(p *plan.Plan, leftOut []v1alpha1.LeftOutReason) (lost, blocks int) {
	out, by := make([]map[int32]bool, len(p.Cells)), make([]map[int32]bool, len(p.Cells))
	for c := range p.Cells {
		out[c], by[c] = map[int32]bool{}, map[int32]bool{}
	}
	for i, t := range p.Trials {
		switch leftOut[i] {
		case "":
		case v1alpha1.LeftOutDisturbed, v1alpha1.LeftOutBlockDisturbed:
			by[t.Cell][t.Block] = true
			fallthrough
		default:
			out[t.Cell][t.Block] = true
		}
	}
	blocks = p.Blocks()
	for c := range p.Cells {
		left := blocks - len(out[c])
		if left < stats.MinBlocks && left+len(by[c]) >= stats.MinBlocks {
			lost = max(lost, len(out[c]))
		}
	}
	return lost, blocks
}

// added facts of a trial that are not there yet, with its target. Of an image its digest counts: its name may be that of the day on which it
// came into the cluster.
func added(out []string, rec *contract.Record, names []string) []string {
	facts := rec.Facts.Map()
	for _, name := range names {
		fact := facts[name]
		text := rec.Target + " " + fact[strings.LastIndex(fact, "@sha256:")+1:]
		if fact != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// labelsOf a value, with those of its trial.
func labelsOf(rec *contract.Record, own map[string]string) map[string]string {
	out := map[string]string{v1alpha1.FactorTarget: rec.Target}
	for name, v := range rec.Parameters {
		out[name] = v.String()
	}
	maps.Copy(out, own)
	return out
}

// digits that are kept of a value: five.
func digits(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
	if err != nil {
		panic(err) // the text of a number is one
	}
	return short
}

// Sample that decides, of runs of what was played last: the last one that has the runs that are wanted, or as long as there is none that of the
// last good run. So a first run on another machine takes no verdict away. A sample are the good runs on one machine with the same versions of
// the servers and the drivers, in the order of their plays. Others are another sample, and are never mixed with it: two machines with one
// model of CPU and one version of the kernel had rates of Node.js that differ by a factor of two, and ratios that differ by a fifth (S3,
// November 2026). Builds of Assay may differ: a ratio has both its sides in one run, and what a build changes of it is in the spread
// between the runs, which decides.
func Sample(runs []Run, wanted int) []Run {
	var last []Run
	for _, r := range slices.Backward(runs) {
		if r.NoVerdict != "" || len(last) > 0 && r.Manifest != last[0].Manifest {
			continue
		}
		of := slices.DeleteFunc(slices.Clone(runs), func(o Run) bool { return o.NoVerdict != "" || !o.like(r) })
		if len(of) >= wanted {
			return of
		}
		if len(last) == 0 {
			last = of
		}
	}
	return last
}

func (r Run) like(o Run) bool {
	return r.Manifest == o.Manifest && r.Machine == o.Machine && slices.Equal(r.Versions, o.Versions)
}

// side of a run; false for one that it was not asked for.
func (r Run) side(measurement string, labels map[string]string) (Side, bool) {
	key := Key(measurement, labels)
	i := slices.IndexFunc(r.Sides, func(s Side) bool { return Key(s.Measurement, s.Labels) == key })
	if i < 0 {
		return Side{}, false
	}
	return r.Sides[i], true
}
