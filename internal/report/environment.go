package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/report/chart"
)

// environment of the targets beside each other, what differs between them, their nodes, and what the nodes can do.
func environment(in Input) (out []block) {
	st := in.Run.Status
	if lines := asked(st.Targets); len(lines) > 0 {
		out = append(out, block{heading: "Asked for, and not in force", bullets: lines})
	}
	if t, differs := targetTable(st.Targets, specTargets(in)); t != nil {
		if len(st.Targets) > 1 {
			text := "The targets are alike in every row below."
			if len(differs) > 0 {
				text = "The targets differ in " + strings.Join(differs, ", ") + ". Those rows are in bold."
			}
			out = append(out, paragraph(line(text)))
		}
		if names := differencesOf(in.Comparisons); len(names) > 0 {
			out = append(out, paragraph(line("What differs between compared sides, besides what is compared, and is known to matter: "+strings.Join(names, ", ")+".")))
		}
		out = append(out, block{table: t})
	}
	if len(st.Nodes) > 0 {
		t := &table{caption: "Nodes", head: []column{{"node", false}, {"processor", false}, {"kernel", false}, {"system", false}, {"runtime", false}}}
		for _, n := range st.Nodes {
			t.rows = append(t.rows, []cell{{text: n.Name, heading: true, below: []string{n.InstanceType}}, {text: n.CPUModel, below: []string{n.Architecture}}, {text: n.KernelVersion},
				{text: n.OSImage}, {text: n.ContainerRuntime, below: []string{"kubelet " + n.KubeletVersion}}})
		}
		out = append(out, block{table: t})
	}
	if t := speeds(st.MachineSpeed); t != nil {
		out = append(out, block{table: t})
	}
	return out
}

// specTargets are the targets of the spec by their names.
func specTargets(in Input) map[string]v1alpha1.Target {
	out := map[string]v1alpha1.Target{}
	for _, t := range in.Run.Spec.Targets {
		out[t.Name] = t
	}
	return out
}

// asked are settings that have another value than was asked for.
func asked(targets []v1alpha1.TargetStatus) (out []string) {
	for _, t := range targets {
		for _, d := range t.Differences {
			text := "the server has no such setting"
			if d.Effective != nil {
				text = "in force is " + marked(*d.Effective)
			}
			out = append(out, line(fmt.Sprintf("%s, %s: asked for %s, %s", t.Name, d.Name, marked(d.Requested), text)))
		}
	}
	return out
}

// marked is a value in quotation marks.
func marked(text string) string { return "“" + cut(text, 80) + "”" }

// targetTable has a column for each target, and names the rows in which they differ.
func targetTable(all []v1alpha1.TargetStatus, specs map[string]v1alpha1.Target) (*table, []string) {
	all = slices.DeleteFunc(slices.Clone(all), func(t v1alpha1.TargetStatus) bool { return specs[t.Name].Published != nil || len(t.Quoted) > 0 })
	if len(all) == 0 {
		return nil, nil
	}
	t := &table{caption: "Targets as they ran", head: []column{{"", false}}}
	var names, differs []string
	values := make([]map[string]string, len(all))
	for i, target := range all {
		t.head = append(t.head, column{target.Name, false})
		values[i] = map[string]string{}
		for _, p := range traits(target) {
			if p.value == "" {
				continue
			}
			if !slices.Contains(names, p.name) {
				names = append(names, p.name)
			}
			values[i][p.name] = p.value
		}
	}
	for _, name := range names {
		different := slices.ContainsFunc(values, func(v map[string]string) bool { return v[name] != values[0][name] })
		row := []cell{{text: name, heading: true, strong: different}}
		for _, v := range values {
			text := v[name]
			if text == "" {
				text = "–"
			}
			row = append(row, cell{text: text})
		}
		if t.rows = append(t.rows, row); different && len(differs) < 20 {
			differs = append(differs, name)
		}
	}
	return t, differs
}

// traits of a target in the order of the table. Times are measured, and never the same twice: they have two digits.
func traits(t v1alpha1.TargetStatus) []pair {
	out := []pair{{"server version", t.ServerVersion}, {"image", t.ImageID}, {"address", t.Address}, {"node", t.NodeName}, {"QoS class", t.QOSClass}}
	if n := t.RestartCount; n != nil {
		out = append(out, pair{"restarts", strconv.Itoa(int(*n))})
	}
	if t.TLS != nil {
		out = append(out, pair{"TLS", t.TLS.Version + " " + t.TLS.Cipher})
	} else {
		out = append(out, pair{"TLS", "not encrypted"})
	}
	if s := t.Storage; s != nil {
		out = append(out, pair{"filesystem", s.Filesystem}, pair{"device", s.Device}, pair{"write cache", words(s.WriteCache)},
			pair{"fsync, median", seconds(s.FsyncP50Seconds)}, pair{"fsync, p99", seconds(s.FsyncP99Seconds)})
	}
	out = append(out, pair{"round trip, median", seconds(t.RoundTripSeconds)}, pair{"log flushes per commit", figureOf(t.FsyncsPerCommit)})
	if len(t.Replicas) > 0 {
		out = append(out, pair{"replicas", strconv.Itoa(len(t.Replicas))})
	}
	for _, v := range t.Load {
		if v.Name == "time.load" && len(v.Labels) == 0 {
			out = append(out, pair{"loading took", seconds(v.Value)})
		}
	}
	seen := map[string]bool{}
	for _, s := range append(slices.Clone(t.Durability), t.NonDefault...) {
		if !seen[s.Name] {
			seen[s.Name], out = true, append(out, pair{s.Name, cut(s.Value, 80)})
		}
	}
	return out
}

func figureOf(text string) string {
	v, ok := decimal(text)
	if !ok {
		return ""
	}
	return chart.Figure(v)
}

// seconds as people read a time.
func seconds(text string) string {
	v, ok := decimal(text)
	switch {
	case !ok:
		return ""
	case v < 1e-3:
		return chart.Short(v*1e6) + " µs"
	case v < 1:
		return chart.Short(v*1e3) + " ms"
	}
	return chart.Short(v) + " s"
}

// speeds of the nodes over the run.
func speeds(all []v1alpha1.NodeSpeed) *table {
	if len(all) == 0 {
		return nil
	}
	t := &table{caption: "Speed of the nodes, timed before each trial", folded: true, head: []column{{"loop", false}, {"side", false}, {"node", false}, {"median", true}, {"min", true}, {"max", true}, {"second half against first", true}}}
	for _, s := range all {
		drift := "–"
		if d, ok := decimal(s.DriftRatio); ok {
			drift = percent(d - 1)
		}
		t.rows = append(t.rows, []cell{{text: words(string(s.Kernel)), heading: true}, {text: strings.TrimSpace(words(string(s.Side)) + " " + s.Target)}, {text: s.NodeName},
			{text: seconds(s.MedianSeconds)}, {text: seconds(s.MinSeconds)}, {text: seconds(s.MaxSeconds)}, {text: drift}})
	}
	return t
}
