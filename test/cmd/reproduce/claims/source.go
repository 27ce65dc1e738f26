// Package claims holds published claims of one source against finished runs that repeat it in small. In: the claims, and the runs. Out: a
// row for each claim with its verdict, and the page of them. It plays nothing and reads no file.
//
// The steps: Source.List makes claims of the quoted tables and of the sentences of a source. Measure takes of a finished run what they
// need, block by block. Decide gives each claim its verdict over all runs. Source.Lay makes tables in the form of the source of the same
// numbers, and Source.Written fills them, with Source.Pictures of their charts. Page writes it all in Markdown.
package claims

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/trial/quoted"
)

// Source is a publication, and how its claims are held against the small form of its manifest.
type Source struct {
	// Title of the page.
	Title string `json:"title"`
	// Published says in short what was published, by whom, on what.
	Published string `json:"published"`
	// Full are the manifests whose quoted targets are the published numbers, and Small is the form that is played: paths from the top folder.
	Full  []string `json:"full"`
	Small string   `json:"small"`
	// Runs of which there is a verdict: so many, and no more. The number is part of what is played, so that who changes it begins anew.
	Runs int `json:"runs"`
	// Design is what is played otherwise than in the small form.
	Design Design `json:"design,omitempty"`
	// Comparisons that a run declares, for its report and the gallery: the claims do not need them. With three of them a block may be disturbed,
	// and six need each of the eight.
	Comparisons []v1alpha1.Comparison `json:"comparisons,omitempty"`
	// Place are the labels of where the claims are tested that do not say it: a target, and a driver.
	Place map[string]string `json:"place,omitempty"`
	// Margin within which a ratio is the published one: 0.25 for between 1/1.25 and 1.25 times of it. MarginOf is the reason for it. A source
	// of which no number is tested has neither.
	Margin   float64 `json:"margin,omitempty"`
	MarginOf string  `json:"marginOf,omitempty"`
	// Forms are the tables of the page that are those of the source.
	Forms []Form `json:"forms,omitempty"`
	// Groups of claims, each with a table of the page. A quoted number belongs to the first group that takes it.
	Groups []Group `json:"groups"`
	// Aside are quoted targets whose numbers are no claims of their own, as far as no group takes them, each with the reason.
	Aside map[string]string `json:"aside,omitempty"`
}

// Design of what is played. What is empty is that of the small form.
type Design struct {
	// Warmup and Duration of a window, such as 2s.
	Warmup   *metav1.Duration `json:"warmup,omitempty"`
	Duration *metav1.Duration `json:"duration,omitempty"`
	// Rounds of what is measured in rounds.
	Rounds *int32 `json:"rounds,omitempty"`
}

// Group of claims.
type Group struct {
	// Heading of the table.
	Heading string `json:"heading"`
	// Not is why its claims cannot be had here, and NotSmall why they are not in the small form; both empty for those that are measured.
	Not      string `json:"not,omitempty"`
	NotSmall string `json:"notSmall,omitempty"`
	// Incomparable: they can be had, and Not is why they are compared with none.
	Incomparable bool `json:"incomparable,omitempty"`
	// Unclaimed: nobody says what the ratios should be. They are shown, and not tested.
	Unclaimed bool `json:"unclaimed,omitempty"`
	// Quoted is the target whose numbers are claims. Names are the measurements that are taken of it, and Where the values of labels;
	// without any all are taken.
	Quoted string              `json:"quoted,omitempty"`
	Names  []string            `json:"names,omitempty"`
	Where  map[string][]string `json:"where,omitempty"`
	// Baseline are the labels in which the other side differs. A number with the unit 1 is the ratio to it; of any other the ratio to the
	// quoted number of that side is the claim.
	Baseline map[string]string `json:"baseline,omitempty"`
	// Here are labels that are others here than in the table; an empty value takes the label out.
	Here map[string]string `json:"here,omitempty"`
	// Measurement of ours that both sides have; that of the table without one.
	Measurement string `json:"measurement,omitempty"`
	// Claims that are no numbers of a table.
	Claims []Sentence `json:"claims,omitempty"`
}

// Sentence is a claim in words.
type Sentence struct {
	// Says what was published.
	Says string `json:"says"`
	// Ratio that was published: Of over To; 0 for none. Range in its place: it is from the one to the other, both above 1.
	Ratio float64   `json:"ratio,omitempty"`
	Range []float64 `json:"range,omitempty"`
	// Of and To are the labels of both sides, and Measurement what both have; throughput without one.
	Of          map[string]string `json:"of,omitempty"`
	To          map[string]string `json:"to,omitempty"`
	Measurement string            `json:"measurement,omitempty"`
	// Mean are other claims of the group, by what they say: it is of the geometric mean of their ratios, and has no sides of its own.
	Mean []string `json:"mean,omitempty"`
	// Not is why it cannot be had here, and NotSmall why it is not in the small form.
	Not      string `json:"not,omitempty"`
	NotSmall string `json:"notSmall,omitempty"`
}

// Claim is a published ratio, and the two measurements that repeat it.
type Claim struct {
	// Group is the index of its group, and Says its text, which no other claim of the group has.
	Group int
	Says  string
	// Printed are the published numbers, as printed, and mean times that rates stand for as their inverse; empty without any. Ratio is that of them, and 0 without one.
	// Of a range, from Low to High, it is the geometric middle; both are 0 of any other.
	Printed   string
	Ratio     float64
	Low, High float64
	// Number that was published; without a value if there is none.
	Number contract.Measurement
	// Measurement and labels of both sides, with their place.
	Measurement string
	Of, To      map[string]string
	// Mean are the sides of the claims of whose ratios it has the geometric mean, in the place of Of and To.
	Mean [][2]map[string]string
	// Not is why it cannot be had here, and NotSmall why it is not in the small form.
	Not, NotSmall string
}

// Measured says whether a run of the small form is to have both sides.
func (c Claim) Measured() bool { return c.Not == "" && c.NotSmall == "" }

// pairs of sides: those of a mean, or its own.
func (c Claim) pairs() [][2]map[string]string {
	if len(c.Mean) > 0 {
		return c.Mean
	}
	return [][2]map[string]string{{c.Of, c.To}}
}

// Sides are the labels of all that a claim is made of.
func (c Claim) Sides() (out []map[string]string) {
	for _, pair := range c.pairs() {
		out = append(out, pair[0], pair[1])
	}
	return out
}

// Tested says whether a claim has a number that a measured ratio is held against.
func (s Source) Tested(c Claim) bool {
	return c.Measured() && c.Ratio != 0 && !s.Groups[c.Group].Unclaimed
}

// Read the claims of a source. It fails for fields that there are not, and for a source without a margin or a form to play.
func Read(text []byte) (Source, error) {
	var s Source
	if err := yaml.UnmarshalStrict(text, &s); err != nil {
		return Source{}, err
	}
	switch {
	case s.Title == "" || s.Published == "" || s.Small == "" || len(s.Full) == 0 || len(s.Groups) == 0:
		return Source{}, fmt.Errorf("title, published, full, small and groups: each source has all of them")
	case s.Runs < 2:
		return Source{}, fmt.Errorf("runs: got %d, want 2 or more: how runs differ is seen in no fewer", s.Runs)
	case (s.Margin != 0 || s.MarginOf != "") && !(s.Margin > 0 && s.Margin <= 1 && s.MarginOf != ""):
		return Source{}, fmt.Errorf("margin: got %v (marginOf %q), want a share above 0 and up to 1, such as 0.25, and the reason for it", s.Margin, s.MarginOf)
	}
	for i, g := range s.Groups {
		for _, c := range g.Claims {
			if r := c.Range; r != nil && (len(r) != 2 || !(r[0] > 1 && r[1] > r[0]) || c.Ratio != 0 || c.Mean != nil) {
				return Source{}, fmt.Errorf("groups[%d]: %q: range: got %v (ratio %v), want two ratios above 1, the lower one first, such as [10, 50], and no other", i, c.Says, r, c.Ratio)
			}
		}
	}
	return s, nil
}

// ranges says whether a claim is one.
func (s Source) ranges() bool {
	return slices.ContainsFunc(s.Groups, func(g Group) bool {
		return slices.ContainsFunc(g.Claims, func(c Sentence) bool { return c.Range != nil })
	})
}

// List the claims, with the quoted numbers of the full forms. It fails for a quoted number that no group takes, and for a group that
// takes none: each published number has its row, or is set aside with a reason.
func (s Source) List(all []quoted.Numbers) (out []Claim, err error) {
	taken := make([]int, len(s.Groups))
	for _, numbers := range all {
		_, aside := s.Aside[numbers.Target]
		for _, phase := range numbers.Phases {
			for _, m := range phase.Measurements {
				if m.Value == nil {
					continue
				}
				i := slices.IndexFunc(s.Groups, func(g Group) bool { return g.takes(numbers.Target, m) })
				if i < 0 && aside {
					continue
				}
				if i < 0 {
					return nil, fmt.Errorf("no group takes %s %v of %s: add it to groups, or set the target aside with a reason", m.Name, m.Labels, numbers.Target)
				}
				taken[i]++
				c, is, err := s.Groups[i].claim(m, phase.Measurements)
				if err != nil {
					return nil, fmt.Errorf("groups[%d]: %w", i, err)
				}
				if is {
					c.Group = i
					out = append(out, c)
				}
			}
		}
	}
	for i, g := range s.Groups {
		if (g.Quoted == "") != (taken[i] == 0) {
			return nil, fmt.Errorf("groups[%d] (%s): %d numbers of quoted target %q", i, g.Heading, taken[i], g.Quoted)
		}
		first := len(out)
		for _, sentence := range g.Claims {
			c := sentence.claim(i, g)
			if c.Mean, err = s.meanOf(sentence.Mean, out[first:]); err != nil {
				return nil, fmt.Errorf("groups[%d]: %q: %w", i, sentence.Says, err)
			}
			out = append(out, c)
		}
	}
	for i, c := range out {
		if s.Tested(c) && s.Margin == 0 {
			return nil, fmt.Errorf("margin: %s is tested, so the source needs one", c.Says)
		}
		if c.Measured() && len(c.Mean) == 0 {
			out[i].Of, out[i].To = with(s.Place, c.Of), with(s.Place, c.To)
		}
	}
	slices.SortStableFunc(out, func(a, b Claim) int { return a.Group - b.Group })
	return out, nil
}

// meanOf claims, by what they say: their sides.
func (s Source) meanOf(says []string, all []Claim) (out [][2]map[string]string, err error) {
	for _, name := range says {
		i := slices.IndexFunc(all, func(c Claim) bool { return c.Says == name })
		if i < 0 {
			return nil, fmt.Errorf("mean: no claim before it in the group says %q", name)
		}
		out = append(out, [2]map[string]string{with(s.Place, all[i].Of), with(s.Place, all[i].To)})
	}
	return out, nil
}

func (g Group) takes(target string, m contract.Measurement) bool {
	if g.Quoted != target || len(g.Names) > 0 && !slices.Contains(g.Names, m.Name) {
		return false
	}
	for name, values := range g.Where {
		if !slices.Contains(values, m.Labels[name]) {
			return false
		}
	}
	return true
}

// claim of a quoted number. is: it is one; the baseline itself is none.
func (g Group) claim(m contract.Measurement, all []contract.Measurement) (c Claim, is bool, err error) {
	base := with(m.Labels, g.Baseline)
	if len(g.Baseline) > 0 && maps.Equal(base, m.Labels) {
		return Claim{}, false, nil
	}
	c = Claim{
		Says: saysOf(m.Name, m.Labels), Printed: printed(m), Measurement: cmp.Or(g.Measurement, m.Name), Not: g.Not, NotSmall: g.NotSmall,
		Of: with(m.Labels, g.Here), To: with(with(m.Labels, g.Here), g.Baseline), Number: m,
	}
	other := slices.IndexFunc(all, func(o contract.Measurement) bool {
		return o.Value != nil && o.Name == m.Name && o.Unit == m.Unit && maps.Equal(o.Labels, base)
	})
	switch {
	case !c.Measured():
	case len(g.Baseline) == 0:
		return Claim{}, false, fmt.Errorf("baseline: a number of a table needs the labels of its other side")
	case m.Unit == "1":
		c.Ratio = *m.Value
	default:
		if other < 0 {
			return Claim{}, false, fmt.Errorf("nobody published %s %v, the other side of %v", m.Name, base, m.Labels)
		}
		c.Printed += " over " + printed(all[other])
		c.Ratio = *m.Value / *all[other].Value
		// A time is published, and a rate is measured: how many times as fast is the inverse of how many times as long.
		if m.Direction == contract.LowerIsBetter && strings.HasPrefix(c.Measurement, contract.NameThroughput) {
			if m.Name != contract.NameLatencyAvg {
				return Claim{}, false, fmt.Errorf("measurement: a rate is the inverse of a mean time, and not of %s", m.Name)
			}
			c.Says = saysOf(c.Measurement, m.Labels)
			c.Printed = "1 / " + printed(m) + " over 1 / " + printed(all[other])
			c.Ratio = 1 / c.Ratio
		}
	}
	return c, true, nil
}

func (s Sentence) claim(group int, g Group) Claim {
	c := Claim{
		Group: group, Says: s.Says, Ratio: s.Ratio, Measurement: cmp.Or(s.Measurement, contract.NameThroughput), Of: s.Of, To: s.To, Not: cmp.Or(s.Not, g.Not), NotSmall: cmp.Or(s.NotSmall, g.NotSmall),
	}
	if s.Ratio != 0 {
		c.Printed = figure.Number(s.Ratio) + "x"
	}
	if len(s.Range) == 2 {
		c.Low, c.High = s.Range[0], s.Range[1]
		c.Ratio, c.Printed = math.Sqrt(c.Low*c.High), figure.Number(c.Low)+"x to "+figure.Number(c.High)+"x"
	}
	return c
}

// with other labels; an empty value takes one out.
func with(labels, others map[string]string) map[string]string {
	out := maps.Clone(labels)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, others)
	maps.DeleteFunc(out, func(_, v string) bool { return v == "" })
	return out
}

// saysOf a number of a table: its name, and its labels in the order of their names.
func saysOf(measurement string, labels map[string]string) string {
	words := []string{measurement}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, name+" "+labels[name])
	}
	return strings.Join(words, ", ")
}

// printed number with its unit.
func printed(m contract.Measurement) string {
	if m.Unit == "1" {
		return figure.Number(*m.Value) + "x"
	}
	return figure.Number(*m.Value) + " " + m.Unit
}
