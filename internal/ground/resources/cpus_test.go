package resources

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestCPUs(t *testing.T) {
	run := run()
	run.Spec.Design.CPUs, run.Spec.Clients.Count = v1alpha1.CPUsApart, 2
	run.Status.Resolved.ClientShape.CPU = resource.MustParse("450m")
	run.Status.Placement = &v1alpha1.Placement{}
	for name, cpu := range map[string]string{"small": "1", "large": "1500m", "elsewhere": "8"} {
		t := v1alpha1.Target{Name: name, MySQL: &v1alpha1.MySQLTarget{}}
		shape := shape("t")
		shape.CPU = resource.MustParse(cpu)
		placed := v1alpha1.TargetPlacement{Name: name, SharedMachines: []string{"boot"}}
		switch name {
		case "large":
			t.MySQL.Replication = &v1alpha1.Replication{Replicas: 1}
		case "elsewhere":
			placed.SharedMachines = nil
		}
		run.Spec.Targets = append(run.Spec.Targets, t)
		run.Status.Resolved.Targets = append(run.Status.Resolved.Targets, v1alpha1.ResolvedTarget{Name: name, Shape: &shape})
		run.Status.Placement.Targets = append(run.Status.Placement.Targets, placed)
	}
	want := &contract.CPUs{Machines: []string{"boot"}, Servers: 3000, Clients: 900}
	if diff := cmp.Diff(want, CPUs(run)); diff != "" {
		t.Errorf("the largest that shares a machine decides (-want +got):\n%s", diff)
	}
	run.Spec.Design.CPUs, want.Together = v1alpha1.CPUsTogether, true
	if diff := cmp.Diff(want, CPUs(run)); diff != "" {
		t.Errorf("one CPU for both (-want +got):\n%s", diff)
	}
	run.Spec.Design.CPUs = v1alpha1.CPUsFree
	if got := CPUs(run); got != nil {
		t.Errorf("%+v, and nobody asked for it", got)
	}
	run.Spec.Design.CPUs = v1alpha1.CPUsApart
	for i := range run.Status.Placement.Targets {
		run.Status.Placement.Targets[i].SharedMachines = nil
	}
	if got := CPUs(run); got != nil {
		t.Errorf("%+v, and no machine is shared", got)
	}
	run.Status.Placement = nil
	if got := CPUs(run); got != nil {
		t.Errorf("%+v, and nothing has a node", got)
	}
}
