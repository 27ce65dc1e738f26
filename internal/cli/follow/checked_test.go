package follow

import (
	"context"
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-bench/assay/internal/cli/manifest"
)

// A spec that the API server refuses is explained as by plan, with all fields that are wrong. What this program finds nothing
// against has the words of the server.
func TestARefusedRunIsExplained(t *testing.T) {
	for name, tt := range map[string]struct{ spec, want string }{
		"a spec of another name":       {"{}\nsepc: {}", "unknown field: sepc (did you mean spec?)"},
		"two fields that do not exist": {"{desing: {blocks: 8}, workloads: {}}", "unknown field: desing (did you mean design?), workloads (did you mean workload?)"},
		"nothing that is known here":   {"{targets: [{name: a, mysql: {flavor: MySQL, version: '9.7'}, shape: {name: s}}], workload: {sysbench: {test: oltp_insert}}, clients: {shape: {name: s}}}", "the server's words"},
	} {
		t.Run(name, func(t *testing.T) {
			objects, run, err := manifest.Objects([]byte("apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: nightly}\nspec: " + tt.spec + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			to := cluster(t)
			to.API = interceptor.NewClient(to.API.(client.WithWatch), interceptor.Funcs{Apply: func(context.Context, client.WithWatch, runtime.ApplyConfiguration, ...client.ApplyOption) error {
				return errors.New("the server's words")
			}})
			if err := start(t.Context(), to, objects, run); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
