package likeness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// MaxDifferences of a comparison are listed.
const MaxDifferences = 40

// Difference between the sides of a comparison.
type Difference struct {
	// Name of the setting, such as log_bin, or of another fact, such as target/cpu.
	Name string
	// Class of the difference.
	Class Class
	// First and Second are the values of both sides; several values of one side are joined by
	// " or ". Empty where a side has no such thing.
	First, Second string
	// Matters: it is known to change what is measured. Why says how.
	Matters bool
	Why     string
	// Faster is the side that such a difference can help; empty where that is unknown.
	Faster Effect
	// OfFactor: the difference is part of what is compared, such as the image of another target, or a setting that
	// its spec sets to another value. It is not an objection.
	OfFactor bool
}

// Factor is what a comparison compares.
type Factor string

// Factors.
const (
	// OfTargets: whole targets are compared. Their servers may be of different builds.
	OfTargets Factor = "Target"
	// OfDrivers: drivers are compared. Their clients may be of different builds.
	OfDrivers Factor = "Driver"
	// OfParameters: values of an axis, or other parameters of the workload.
	OfParameters Factor = "Parameters"
)

// Side of a comparison.
type Side struct {
	// Name of the side, such as that of a target.
	Name string
	// Records of the trials that are compared.
	Records []contract.Record
	// Settings that the spec sets for the server of this side; those of one comparison of targets. What they set
	// differently is what is compared. None where the sides are not of one spec.
	Settings []contract.Setting
	// Varied are variables that the trials of this side vary. They are no circumstances: what is compared has one value of each.
	Varied []string
}

// Input of a comparison.
type Input struct {
	// First is the baseline.
	First, Second Side
	// Factor that is compared.
	Factor Factor
}

// Comparison of the circumstances of two sides.
type Comparison struct {
	// Differences, the most important ones first: those that matter, and then in the order of
	// the classes. At most MaxDifferences.
	Differences []Difference
	// More is how many differences are not listed; those that matter are listed first.
	More int
	// Unknown are the classes of which nothing is known on at least one side.
	Unknown []Class
	// NotKnown are variables that were set on one side, while their value on the other one is not known: it may be the same.
	// At most MaxDifferences, in the order of their names.
	NotKnown []string

	first, second string
}

// Compare the circumstances of both sides.
func Compare(in Input) Comparison {
	a, b := sideOf(in.First), sideOf(in.Second)
	out := Comparison{first: in.First.Name, second: in.Second.Name}
	all := settingsBetween(a, b)
	others, notKnown := otherSettings(a, b)
	all, out.NotKnown = append(all, others...), notKnown[:min(len(notKnown), MaxDifferences)]
	all = append(all, factsBetween(a, b, in.Factor)...)
	all = append(all, speeds(in.First.Records, in.Second.Records)...)
	classes := Classes()
	slices.SortStableFunc(all, func(x, y Difference) int {
		return cmp.Or(rank(x)-rank(y), slices.Index(classes, x.Class)-slices.Index(classes, y.Class))
	})
	for _, class := range classes {
		if class != Other && !bothKnow(class, a, b) {
			out.Unknown = append(out.Unknown, class)
		}
	}
	out.More = max(0, len(all)-MaxDifferences)
	out.Differences = all[:len(all)-out.More]
	return out
}

// rank of a difference in the list.
func rank(d Difference) int {
	switch {
	case d.OfFactor:
		return 2
	case d.Matters:
		return 0
	}
	return 1
}

// circumstances of one side: what its trials recorded, each text once.
type circumstances struct {
	servers []server
	speeds  bool
	asked   asked
	varied  []string
}

func sideOf(s Side) circumstances {
	c := circumstances{varied: s.Varied}
	for _, f := range distinct(s.Records) {
		c.servers = append(c.servers, serverOf(f.Map()))
	}
	if len(c.servers) > 0 {
		c.asked = askedOf(c.servers[0], s.Settings)
	}
	for i := range s.Records {
		c.speeds = c.speeds || len(s.Records[i].MachineSpeed) > 0
	}
	return c
}

// values of a fact over the trials, each meaning once.
func (c circumstances) values(of func(server) (spelt, bool)) values {
	var out values
	for _, s := range c.servers {
		if v, there := of(s); there && !slices.ContainsFunc(out, v.like) {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(x, y spelt) int { return strings.Compare(x.means, y.means) })
	return out
}

func (c circumstances) fact(name string) values {
	return c.values(func(s server) (spelt, bool) {
		v, there := s.facts[name]
		return spelt{meaningOfFact(name, v), v}, there
	})
}

func (c circumstances) setting(set Setting) values {
	return c.values(func(s server) (spelt, bool) { _, v, there := s.valueOf(set); return v, there })
}

// evidence of a class that is not about settings: without these facts nothing is known.
var evidence = map[Class][]string{
	TLS: {factTLS}, Data: {factRows}, Node: {FactNode}, CPU: {"target/cpu", "client/cpu"}, Kernel: {"target/kernel", "client/kernel"}, Image: {factServerImage, factClientImage},
}

// bothKnow says whether enough was recorded of both sides to compare them in a class: all of its
// evidence or, of a class of settings, one that both servers have, or that both vary.
func bothKnow(class Class, a, b circumstances) bool {
	if class == MachineSpeed {
		return a.speeds && b.speeds
	}
	for _, name := range evidence[class] {
		if len(a.fact(name)) == 0 || len(b.fact(name)) == 0 {
			return false
		}
	}
	return len(evidence[class]) > 0 || slices.ContainsFunc(Catalogue(), func(set Setting) bool {
		known := len(a.setting(set)) > 0 && len(b.setting(set)) > 0
		return set.Class == class && (known || a.varies(set) && b.varies(set))
	})
}

// varies says whether the trials of a side vary a setting.
func (c circumstances) varies(set Setting) bool {
	return slices.ContainsFunc(set.names(), func(name string) bool { return slices.Contains(c.varied, name) })
}

// values of one side, in the order of their meanings.
type values []spelt

func (v spelt) like(o spelt) bool { return v.means == o.means }

func (v values) like(o values) bool { return slices.EqualFunc(v, o, spelt.like) }

// maxValues of one side are shown.
const maxValues = 4

// String joins them as the servers spell them.
func (v values) String() string {
	words := make([]string, 0, maxValues)
	for i := range v[:min(len(v), maxValues)] {
		words = append(words, v[i].shown)
	}
	text := strings.Join(words, " or ")
	if more := len(v) - maxValues; more > 0 {
		text += fmt.Sprintf(" or %d more", more)
	}
	return text
}

// single is the only value; empty when there are several.
func (v values) single() string {
	if len(v) == 1 {
		return v[0].means
	}
	return ""
}

// settingsBetween are the settings of the catalogue that differ.
func settingsBetween(a, b circumstances) []Difference {
	var out []Difference
	for _, set := range Catalogue() {
		x, y := a.setting(set), b.setting(set)
		if set.Absent != "" && (len(x) > 0 || len(y) > 0) {
			x, y = a.orAbsent(x, set), b.orAbsent(y, set)
		}
		// A variable that a server does not have says nothing: it may have no such engine.
		if len(x) == 0 || len(y) == 0 || x.like(y) {
			continue
		}
		d := Difference{Name: a.nameOf(b, set), Class: set.Class, First: x.String(), Second: y.String(), OfFactor: a.asked.differ(b.asked, set)}
		if !a.strange() && !b.strange() {
			d.Matters, d.Why, d.Faster = true, set.Why, set.effect(x.single(), y.single())
		}
		out = append(out, d)
	}
	return out
}

// strange says whether a server is of no flavor that is known: what its variables mean is not known.
func (c circumstances) strange() bool {
	return slices.ContainsFunc(c.servers, func(s server) bool { return s.known && s.family == "" })
}

// orAbsent is what a server without the variable does, unless the setting is of no meaning there.
func (c circumstances) orAbsent(v values, set Setting) values {
	if len(v) > 0 {
		return v
	}
	for _, s := range c.servers {
		if s.applies(set) && s.family != "" && set.usedBy(s.family) {
			return values{set.spell(set.Absent)}
		}
	}
	return nil
}

// nameOf a setting: as the second side spells it, else as the first one does.
func (c circumstances) nameOf(second circumstances, set Setting) string {
	for _, servers := range [][]server{second.servers, c.servers} {
		for _, s := range servers {
			if name, _, there := s.valueOf(set); there && name != redoFileSize {
				return name
			}
		}
	}
	return set.Name
}

// ownDefault is the value of a variable that a server has left at its default, where that is known to be another one.
const ownDefault = "its default"

// otherSettings are variables outside of the catalogue that somebody set: those that differ, and those whose value is not
// known of one side. A server does not report what it left at its default, and that may be the very value that the
// other side was set to.
func otherSettings(a, b circumstances) (differ []Difference, notKnown []string) {
	names := map[string]bool{}
	for _, s := range append(slices.Clone(a.servers), b.servers...) {
		for name := range s.facts {
			if strings.HasPrefix(name, setPrefix) {
				names[name] = true
			}
		}
	}
	oneDefault := oneDefaultOf(a, b)
	for _, name := range sortedNames(names) {
		x, y := a.fact(name), b.fact(name)
		bare := strings.TrimPrefix(name, setPrefix)
		switch {
		case x.like(y):
		case len(x) > 0 && len(y) > 0:
			differ = append(differ, Difference{Name: bare, Class: Other, First: x.String(), Second: y.String(), OfFactor: a.asked.differIn(b.asked, bare)})
		case oneDefault:
			differ = append(differ, Difference{Name: bare, Class: Other, First: cmp.Or(x.String(), ownDefault), Second: cmp.Or(y.String(), ownDefault), OfFactor: a.asked.differIn(b.asked, bare)})
		default:
			notKnown = append(notKnown, bare)
		}
	}
	return differ, notKnown
}

// oneDefaultOf says whether both sides are one version of a server that lists a variable only where
// the value is not the default, such as MariaDB: of one version that is the same. MySQL lists whatever
// was set, also to the default.
func oneDefaultOf(a, b circumstances) bool {
	x, y := a.fact(factVersion), b.fact(factVersion)
	return x.single() != "" && x.like(y) && len(a.servers) > 0 && factsOf(a.servers[0].facts).NonDefaultDiffers
}
