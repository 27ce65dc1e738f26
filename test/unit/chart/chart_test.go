// Package chart checks what the Helm chart and the kustomizations render: the
// manager's configuration, its permissions, and that both ways to install Assay
// give the same.
package chart

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/test/helpers/inputs"
)

const root = "../../../"

// TestMain makes sure that the tools are there.
func TestMain(m *testing.M) {
	for _, name := range []string{"helm", "kustomize"} {
		if out, err := exec.Command(root+"hack/tool.sh", name).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "hack/tool.sh %s: %v\n%s", name, err, out)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// tool runs a command of bin/.
func tool(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	inputs.Read(t, root+"charts", root+"config", root+"hack/tools/"+name)
	out, err := exec.Command(root+"bin/"+name, args...).CombinedOutput()
	return string(out), err
}

// helm renders the chart with further arguments.
func helm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return tool(t, "helm", append([]string{
		"template", "assay", root + "charts/assay", "--namespace=assay-system", "--kube-version=1.34.0",
	}, args...)...)
}

func mustHelm(t *testing.T, args ...string) objects {
	t.Helper()
	out, err := helm(t, args...)
	if err != nil {
		t.Fatalf("helm template %v: %v\n%s", args, err, out)
	}
	return parse(t, out)
}

func mustKustomize(t *testing.T, folder string) objects {
	t.Helper()
	out, err := tool(t, "kustomize", "build", root+folder)
	if err != nil {
		t.Fatalf("kustomize build %s: %v\n%s", folder, err, out)
	}
	return parse(t, out)
}

// objects are YAML documents by "Kind namespace/name".
type objects map[string][]byte

func parse(t *testing.T, text string) objects {
	t.Helper()
	out := objects{}
	for doc := range strings.SplitSeq("\n"+text, "\n---\n") {
		var head struct {
			Kind     string
			Metadata struct{ Name, Namespace string }
		}
		if err := yaml.Unmarshal([]byte(doc), &head); err != nil {
			t.Fatalf("%v in:\n%s", err, doc)
		}
		if head.Kind == "" {
			continue
		}
		key := fmt.Sprintf("%s %s/%s", head.Kind, head.Metadata.Namespace, head.Metadata.Name)
		if _, twice := out[key]; twice {
			t.Errorf("%s is there twice", key)
		}
		out[key] = []byte(doc)
	}
	return out
}

// find decodes the object of the key.
func find[T any](t *testing.T, o objects, key string) T {
	t.Helper()
	var v T
	doc, ok := o[key]
	if !ok {
		t.Fatalf("there is no %q", key)
	}
	if err := yaml.UnmarshalStrict(doc, &v); err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return v
}

func (o objects) keys(kind string) []string {
	var out []string
	for key := range o {
		if strings.HasPrefix(key, kind+" ") {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}

const deployment = "Deployment assay-system/assay-manager"

func configOf(t *testing.T, o objects) config.Config {
	t.Helper()
	cm := find[corev1.ConfigMap](t, o, "ConfigMap assay-system/assay-manager-config")
	c, err := config.Parse([]byte(cm.Data["config.yaml"]))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDefaultConfiguration(t *testing.T) {
	c := configOf(t, mustHelm(t))
	if diff := cmp.Diff(config.Default().Timeouts, c.Timeouts); diff != "" {
		t.Errorf("timeouts differ from the manager's own (-manager +chart):\n%s", diff)
	}
	if diff := cmp.Diff(config.Default().Pods, c.Pods, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("what pods may use differs from the manager's own (-manager +chart):\n%s", diff)
	}
	for _, r := range runners.All() {
		// The image of a custom tool is the user's, and named in the run.
		found := r.Name == "custom"
		for name := range c.Runners {
			// A runner with several images has them under its name and a hyphen.
			found = found || name == r.Name || strings.HasPrefix(name, r.Name+"-")
		}
		if !found {
			t.Errorf("values.yaml has no runners.%s", r.Name)
		}
	}
	for _, e := range engines.All() {
		if len(c.Engines[e.Flavor]) == 0 {
			t.Errorf("values.yaml has no version of %s in engines", e.Flavor)
		}
	}
	for flavor := range c.Engines {
		if _, ok := engines.Find(flavor); !ok {
			t.Errorf("values.yaml names the flavor %s, which no engine has", flavor)
		}
	}
}

// The values that hack/images.sh writes.
func TestLocalImages(t *testing.T) {
	o := mustHelm(t, "--values=testdata/values-local.yaml")
	c := configOf(t, o)
	got := map[string]string{
		"manager": find[appsv1.Deployment](t, o, deployment).Spec.Template.Spec.Containers[0].Image,
		"agent":   c.Agent.Image, "sysbench": c.Runners["sysbench"].Image,
		"ycsb":  c.Runners["ycsb"].Image,
		"built": c.Engines["MariaDB"]["10.11"].Image, "default": c.Engines["MariaDB"]["11.8"].Image,
		"default of a flavor with nothing built": c.Engines["TiDB"]["8.5"].Image,
		"versions that no node can get":          c.Versions("MySQL") + "; " + c.Versions("Percona"),
	}
	want := map[string]string{
		"manager": "docker.io/library/assay-manager:1111", "agent": "docker.io/library/assay-agent:2222",
		"sysbench":                               "docker.io/library/assay-runner-sysbench:3333",
		"ycsb":                                   "docker.io/library/assay-runner-ycsb:6666",
		"built":                                  "docker.io/library/assay-mariadb:10.11-5555",
		"default":                                "docker.io/library/mariadb:11.8",
		"default of a flavor with nothing built": "docker.io/pingcap/tidb:v8.5.7",
		"versions that no node can get":          "5.7, 8.0, 9.7; none",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
}

func TestDigestWins(t *testing.T) {
	digest := "sha256:" + strings.Repeat("a", 64)
	o := mustHelm(t, "--set-string=image.tag=1,image.digest="+digest)
	got := find[appsv1.Deployment](t, o, deployment).Spec.Template.Spec.Containers[0].Image
	if want := "ghcr.io/assay-bench/assay-manager@" + digest; got != want {
		t.Errorf("image %s, want %s", got, want)
	}
}

func TestCRDs(t *testing.T) {
	const kind = "CustomResourceDefinition"
	want := []string{kind + " /benchmarkbaselines.assay.dev", kind + " /benchmarkruns.assay.dev", kind + " /benchmarkschedules.assay.dev",
		kind + " /instanceshapes.assay.dev"}
	o := mustHelm(t)
	if diff := cmp.Diff(want, o.keys(kind)); diff != "" {
		t.Errorf("CRDs (-want +got):\n%s", diff)
	}
	for _, key := range want {
		crd := find[struct {
			APIVersion, Kind string
			Metadata         struct {
				Name        string
				Annotations map[string]string
			}
			Spec any
		}](t, o, key)
		if crd.Metadata.Annotations["helm.sh/resource-policy"] != "keep" {
			t.Errorf("%s would go with the release, and every result with it", key)
		}
	}
	if got := mustHelm(t, "--set=crds.install=false").keys(kind); len(got) > 0 {
		t.Errorf("crds.install=false gives %v", got)
	}
}

func TestRefusals(t *testing.T) {
	tests := map[string]struct {
		args []string
		want string
	}{
		"an unknown value":                  {[]string{"--set=imagee.tag=1"}, "'imagee' not allowed"},
		"an egress that does not exist":     {[]string{"--set=pods.network.egress=Closed"}, "/pods/network/egress"},
		"a rule that is none":               {[]string{"--set=pods.network.clients[0].form=a"}, "'form' not allowed"},
		"disk space that is no quantity":    {[]string{"--set-string=pods.disk.client.limit=much"}, "/pods/disk/client/limit"},
		"an unknown timeout":                {[]string{"--set=timeouts.lode=1h"}, "'lode' not allowed"},
		"a timeout without a unit":          {[]string{"--set-string=timeouts.load=90"}, "/timeouts/load"},
		"an engine without an image":        {[]string{"--set-json=engines.MySQL={\"5.6\":{}}"}, "missing property 'image'"},
		"an unknown scope":                  {[]string{"--set=rbac.scope=namespaced"}, "/rbac/scope"},
		"no namespaces for Namespaced":      {[]string{"--set=rbac.scope=Namespaced"}, "needs watchNamespaces"},
		"a team without namespaces":         {[]string{"--set=part=Team"}, "needs watchNamespaces"},
		"managers of teams beside its own":  {[]string{"--set=rbac.managers[0].namespace=a"}, "belongs to part: Cluster"},
		"an unknown part":                   {[]string{"--set=part=Teams"}, "/part"},
		"a manager without a namespace":     {[]string{"--set=part=Cluster,rbac.managers[0].name=a"}, "missing property 'namespace'"},
		"two managers without an election":  {[]string{"--set=replicas=2,leaderElection.enabled=false"}, "needs leaderElection.enabled"},
		"a digest that is only half of one": {[]string{"--set=image.digest=sha256:abc"}, "/image/digest"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, err := helm(t, tt.args...)
			if err == nil || !strings.Contains(out, tt.want) {
				t.Errorf("error %v, want one with %q; output:\n%.500s", err, tt.want, out)
			}
		})
	}
}
