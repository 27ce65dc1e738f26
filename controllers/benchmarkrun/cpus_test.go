package benchmarkrun

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// Both ends are told which CPUs of their machine they have, and only when the run wants that.
func TestServersAndClientsHaveTheirCPUs(t *testing.T) {
	t.Parallel()
	for name, want := range map[v1alpha1.CPUs]*contract.CPUs{
		v1alpha1.CPUsApart:    {Machines: []string{machine}, Servers: 1000, Clients: 1000},
		v1alpha1.CPUsTogether: {Machines: []string{machine}, Together: true, Servers: 1000, Clients: 1000},
		v1alpha1.CPUsFree:     nil,
		"":                    nil,
	} {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			startManager(t, ns, nil)
			var told diary
			startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(delivers(always(1)))})
			run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.CPUs = name })
			create(t, run)
			got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
			target := got.Spec.Targets[0].Name
			if diff := cmp.Diff([]string{machine}, got.PlacementOf(target).SharedMachines); diff != "" {
				t.Errorf("shared machines (-want +got):\n%s", diff)
			}
			var cm corev1.ConfigMap
			if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.TargetName(got.Name, target)}, &cm); err != nil {
				t.Fatal(err)
			}
			var server contract.Target
			if err := json.Unmarshal([]byte(cm.Data[contract.KeyTarget]), &server); err != nil {
				t.Fatal(err)
			}
			trials := told.phase(contract.PhaseRun)
			if len(trials) == 0 {
				t.Fatal("nothing was measured")
			}
			for what, cpus := range map[string]*contract.CPUs{"server": server.CPUs, "client": trials[0].CPUs} {
				if diff := cmp.Diff(want, cpus); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		})
	}
}
