package report

import (
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// manifest is what repeats a run.
type manifest struct {
	APIVersion string                    `json:"apiVersion"`
	Kind       string                    `json:"kind"`
	Metadata   map[string]string         `json:"metadata"`
	Spec       v1alpha1.BenchmarkRunSpec `json:"spec"`
}

// repeat is the manifest, what pins it, and how to see whether the numbers on this page are those of the run.
func repeat(in Input) (out []block) {
	run, st := in.Run, in.Run.Status
	m := manifest{APIVersion: v1alpha1.GroupVersion.String(), Kind: "BenchmarkRun", Metadata: map[string]string{"generateName": run.Name + "-", "namespace": run.Namespace}, Spec: *run.Spec.DeepCopy()}
	if st.Plan != nil && st.Plan.Seed != nil {
		m.Spec.Design.Seed = st.Plan.Seed
	}
	out = append(out, paragraph("The same spec with the same seed gives the same plan, trial by trial. Save it to a file, and create it with kubectl create -f."))
	text, err := yaml.Marshal(m)
	if err == nil && len(text) <= maxCode {
		out = append(out, block{Code: string(text)})
	} else {
		out = append(out, paragraph("The spec is too long for this page: kubectl get benchmarkrun "+line(run.Name)+" -o yaml has it."))
	}
	t := &table{Caption: "What pins the run", Head: []column{{"what", false}, {"value", false}}}
	add := func(name, value string) {
		if value != "" {
			t.Rows = append(t.Rows, []cell{{Text: name, Heading: true}, {Text: value, Class: "long"}})
		}
	}
	add("hash of the resolved spec", st.SpecHash)
	if p := st.Plan; p != nil {
		add("hash of the plan", p.SHA256)
	}
	if i := st.Integrity; i != nil {
		add("head of the chain of records", i.Head)
		add("hash of the summary", i.SummarySHA256)
	}
	if r := st.Resolved; r != nil {
		if r.Inputs != nil {
			add("hash of the files of the workload", r.Inputs.SHA256)
		}
		add("image of the tool", r.RunnerImage)
		add("image of the agent", r.AgentImage)
	}
	for i := range in.Records {
		if id := in.Records[i].ClientImageID; id != "" {
			add("image of the tool, as it ran first", id)
			break
		}
	}
	for _, target := range st.Targets {
		add("image of "+target.Name, target.ImageID)
	}
	if len(t.Rows) > 0 {
		out = append(out, block{Table: t})
	}
	command := func(words string) block {
		if run.Namespace != "" {
			words += " --namespace " + run.Namespace
		}
		return block{Code: line(words)}
	}
	return append(out, paragraph("The manifest above names images as the run did. One with the images by their digests, the shapes and the files that it used writes:"), command("kubectl assay rerun "+run.Name),
		paragraph("Whether anything of the run was changed afterwards says:"), command("kubectl assay verify "+run.Name))
}
