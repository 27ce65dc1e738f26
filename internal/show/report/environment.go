package report

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// environment of the targets beside each other, what differs between them, their nodes, and what the nodes can do.
func environment(in Input) (out []block) {
	st := in.Run.Status
	if lines := asked(st.Targets); len(lines) > 0 {
		out = append(out, block{Heading: "Asked for, and not in force", Bullets: lines})
	}
	if t, rows := targetTable(in); t != nil {
		if len(t.Head) > 2 {
			out = append(out, rows.words()...)
		}
		out = append(out, block{Table: t})
	}
	if len(st.Nodes) > 0 {
		t := &table{Caption: "Nodes", Head: []column{{"node", false}, {"processor", false}, {"kernel", false}, {"system", false}, {"runtime", false}}}
		for _, n := range st.Nodes {
			t.Rows = append(t.Rows, []cell{{Text: n.Name, Heading: true, Below: []string{n.InstanceType}}, {Text: n.CPUModel, Below: []string{n.Architecture}}, {Text: n.KernelVersion},
				{Text: n.OSImage}, {Text: n.ContainerRuntime, Below: []string{"kubelet " + n.KubeletVersion}}})
		}
		out = append(out, block{Table: t})
	}
	if t := speeds(st.MachineSpeed); t != nil {
		out = append(out, block{Table: t})
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

// seconds as people read a time.
func seconds(text string) string {
	v, ok := figure.Decimal(text)
	switch {
	case !ok:
		return ""
	case v < 1e-3:
		return figure.Short(v*1e6) + " µs"
	case v < 1:
		return figure.Short(v*1e3) + " ms"
	}
	return figure.Short(v) + " s"
}

// speeds of the nodes over the run.
func speeds(all []v1alpha1.NodeSpeed) *table {
	if len(all) == 0 {
		return nil
	}
	t := &table{Caption: "Speed of the nodes, timed before each trial", Folded: true, Head: []column{{"loop", false}, {"side", false}, {"node", false}, {"median", true}, {"min", true}, {"max", true}, {"second half against first", true}}}
	for _, s := range all {
		drift := "–"
		if d, ok := figure.Decimal(s.DriftRatio); ok {
			drift = figure.Difference(d)
		}
		t.Rows = append(t.Rows, []cell{{Text: words(string(s.Kernel)), Heading: true}, {Text: strings.TrimSpace(words(string(s.Side)) + " " + s.Target)}, {Text: s.NodeName},
			{Text: seconds(s.MedianSeconds)}, {Text: seconds(s.MinSeconds)}, {Text: seconds(s.MaxSeconds)}, {Text: drift}})
	}
	return t
}
