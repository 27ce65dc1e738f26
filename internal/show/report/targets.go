package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/settings"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/trial/likeness"
)

// trait of a target: a row of the table.
type trait struct {
	name, value string
	// alike are two values of the trait that mean the same; nil for one that is not compared: it is a time that was measured, and
	// never the same twice, or a name that only says who is who.
	alike func(one, other string) bool
}

// compared are the rows of the table of targets.
type compared struct {
	// differ are the names of rows in which targets differ; notKnown those in which one target is not known to have another
	// value.
	differ, notKnown []string
}

// words about the rows.
func (c compared) words() (out []block) {
	text := "The targets are alike in every row below that is compared."
	if len(c.differ) > 0 {
		text = fmt.Sprintf("Of the rows below that are compared, %d differ: %s. They are in bold.", len(c.differ), readout.Few(c.differ, mostNamed))
	}
	out = append(out, paragraph(text+" Names, addresses and measured times are not compared."))
	if len(c.notKnown) > 0 {
		out = append(out, paragraph("Not known of every target, and so not compared: "+readout.Few(c.notKnown, mostNamed)+"."))
	}
	return out
}

// Words in place of a value: of what nobody recorded, and of a variable that a server does not have.
const wordNotKnown, wordNoVariable = "not known", "no such variable"

// targetTable has a column for each target that ran, and says in which rows they differ.
func targetTable(in Input) (*table, compared) {
	all := slices.DeleteFunc(slices.Clone(in.Run.Status.Targets), func(t v1alpha1.TargetStatus) bool { return in.Run.Target(t.Name).Published != nil || len(t.Quoted) > 0 })
	if len(all) == 0 {
		return nil, compared{}
	}
	t := &table{Caption: "Targets as they ran", Head: []column{{"", false}}}
	var order []trait
	values := make([]map[string]string, len(all))
	for i, target := range all {
		t.Head = append(t.Head, column{target.Name, false})
		values[i] = map[string]string{}
		for _, one := range append(traits(target), settingsOf(all, target, in.Variables[target.Name])...) {
			if one.value == "" {
				continue
			}
			if !slices.ContainsFunc(order, func(o trait) bool { return o.name == one.name }) {
				order = append(order, one)
			}
			values[i][one.name] = one.value
		}
	}
	var out compared
	for _, one := range order {
		row := []cell{{Text: one.name, Heading: true}}
		var known []string
		for _, v := range values {
			switch text := v[one.name]; text {
			case "":
				row = append(row, cell{Text: "–"})
			case wordNotKnown, wordNoVariable:
				row = append(row, cell{Text: text})
				if text == wordNotKnown && one.alike != nil && !slices.Contains(out.notKnown, one.name) {
					out.notKnown = append(out.notKnown, one.name)
				}
			default:
				known, row = append(known, text), append(row, valueCell(text))
			}
		}
		if one.alike != nil && slices.ContainsFunc(known, func(v string) bool { return !one.alike(v, known[0]) }) {
			row[0].Strong = true
			out.differ = append(out.differ, one.name)
			out.notKnown = slices.DeleteFunc(out.notKnown, func(name string) bool { return name == one.name })
		}
		t.Rows = append(t.Rows, row)
	}
	return t, out
}

// valueCell has a value. A long one is no word, and may be broken anywhere.
func valueCell(value string) cell {
	const long = 24
	return cell{Text: orDash(cut(value, maxSetting)), Class: map[bool]string{true: "long", false: "short"}[len(value) > long]}
}

// maxSetting is the length of a value in the table, in characters.
const maxSetting = 80

// traits of a target in the order of the table, without the settings of its server.
func traits(t v1alpha1.TargetStatus) []trait {
	same := func(one, other string) bool { return one == other }
	out := []trait{{"server version", t.ServerVersion, same}, {"image", t.ImageID, nil}, {"address", t.Address, nil}, {"node", t.NodeName, same}, {"QoS class", t.QOSClass, same}}
	if n := t.RestartCount; n != nil {
		out = append(out, trait{"restarts", strconv.Itoa(int(*n)), same})
	}
	if t.TLS != nil {
		out = append(out, trait{"TLS", t.TLS.Version + " " + t.TLS.Cipher, same})
	} else {
		out = append(out, trait{"TLS", "not encrypted", same})
	}
	if s := t.Storage; s != nil {
		out = append(out, trait{"filesystem", s.Filesystem, same}, trait{"device", s.Device, same}, trait{"write cache", words(s.WriteCache), same},
			trait{"median fsync", seconds(s.FsyncP50Seconds), nil}, trait{"p99 fsync", seconds(s.FsyncP99Seconds), nil})
	}
	out = append(out, trait{"median round trip", seconds(t.RoundTripSeconds), nil}, trait{"log flushes per commit", figure.Text(t.FsyncsPerCommit), sameFlushes})
	if len(t.Servers) > 0 {
		out = append(out, trait{"servers", strconv.Itoa(1 + len(t.Servers)), same})
	}
	if len(t.Replicas) > 0 {
		out = append(out, trait{"replicas", strconv.Itoa(len(t.Replicas)), same})
	}
	for _, v := range t.Load {
		if v.Name == "time.load" && len(v.Labels) == 0 {
			out = append(out, trait{"loading took", seconds(v.Value), nil})
		}
	}
	return out
}

// sameFlushes of a commit are whole ones: what the server flushes meanwhile in the background adds a few hundredths.
func sameFlushes(one, other string) bool {
	a, okA := figure.Decimal(one)
	b, okB := figure.Decimal(other)
	return okA && okB && math.Round(a) == math.Round(b)
}

// settingsOf a target: the values that decide what a commit costs, and those of all variables that some target has set. A
// server says only of some variables that they were set, and to the next server the same value may be its default: so each
// value is the effective one, from all variables of the server where they are known.
func settingsOf(all []v1alpha1.TargetStatus, t v1alpha1.TargetStatus, variables map[string]string) (out []trait) {
	said := map[string]string{}
	for _, s := range append(slices.Clone(t.NonDefault), t.Durability...) {
		said[s.Name] = s.Value
	}
	seen := map[string]bool{}
	for _, kind := range []func(v1alpha1.TargetStatus) []v1alpha1.ServerSetting{
		func(o v1alpha1.TargetStatus) []v1alpha1.ServerSetting { return o.Durability },
		func(o v1alpha1.TargetStatus) []v1alpha1.ServerSetting { return o.NonDefault },
	} {
		names := map[string]string{}
		for _, o := range all {
			for _, s := range kind(o) {
				names[s.Name] = s.Value
			}
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if seen[name] {
				continue
			}
			seen[name] = true
			value := effective(name, said, variables)
			one := trait{name: name, value: value, alike: func(one, other string) bool { return settings.SameValue(name, one, other) }}
			if likeness.Incidental(name, names[name]) {
				one.alike = nil
			}
			out = append(out, one)
		}
	}
	return out
}

// effective value of a variable, from all variables of a server, else from what it said of itself.
func effective(name string, said, variables map[string]string) string {
	value, is := variables[name]
	if !is {
		value, is = said[name]
	}
	switch {
	case is && strings.TrimSpace(value) == "":
		return "empty"
	case is:
		return value
	case len(variables) > 0:
		return wordNoVariable
	}
	return wordNotKnown
}

// mostNamed names stand in a sentence.
const mostNamed = 20
