package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/fullsize"
)

const top = "../../.."

func fulls(t *testing.T) map[string]full {
	t.Helper()
	all, err := readAll(top)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]full{}
	for _, f := range all {
		out[f.name] = f
	}
	if len(out) != len(all) {
		t.Fatal("two manifests have one name, and their pieces would, too")
	}
	return out
}

// What the rule changes, field by field: of the manifest with the most threads, and of one with Java.
func TestTheRule(t *testing.T) {
	server := func(name string) []change {
		return []change{
			{"targets." + name + ".mysql.config", "-", `{"connect_timeout":"60","innodb_buffer_pool_size":"512M","innodb_flush_log_at_trx_commit":"2","max_connections":"4000","max_prepared_stmt_count":"400000","sync_binlog":"1000"}`},
			{"targets." + name + ".mysql.configFrom", `[{"name":"high-performance"}]`, leftOut},
			{"targets." + name + ".mysql.storage.size", "300Gi", "2Gi"},
			{"targets." + name + ".mysql.storage.storageClassName", "local-ssd", leftOut},
			{"targets." + name + ".mysql.version", "8.4", "9.7"},
			{"targets." + name + ".shape", `{"name":"` + name + `-network"}`, `{"inline":{"cpu":"600m","memory":"7024Mi"}}`},
		}
	}
	for name, want := range map[string][]change{
		"s4-sweep": append(append(append(server("old"), server("new")...), change{"targets.published", "published numbers", "left out: they are quoted, and not measured"}), []change{
			{"analysis", `{"comparisons":[{"baseline":"old","factor":"target","measurements":[{"name":"queries"}]}],"errorRate":"5%","minimumEffect":"2%"}`, leftOut},
			{"clients.placement.separateFromTargets", "Required", "None"},
			{"clients.shape", `{"name":"sweep-client"}`, `{"inline":{"cpu":"600m","memory":"4024Mi"}}`},
			{"deadline", "240h0m0s", "30m0s"},
			{"design.blocks", "12", "1"},
			{"design.cooldown", "10s", "0s"},
			{"design.duration", "5m0s", "3s"},
			{"design.onTrialFailure", "Retry", "Continue"},
			{"design.starts", "PerBlock", "One"},
			{"design.warmup", "1m0s", "0s"},
			{"retain", "OnFailure", "Never"},
			{"workload.sysbench.tableSize", "10000000", "250000"},
			{"workload.sysbench.tables", "10", "1"},
		}...),
		"s1-ycsb-load": {
			{"targets.mytopling", "a target", "left out: a server of the user's, at mytopling.example.com"},
			{"targets.polardb", "a target", "left out: a server of the user's, at polardb.example.com"},
			{"targets.innodb.mysql.flavor", "Percona", "MariaDB"},
			{"targets.innodb.mysql.storage.size", "200Gi", "2Gi"},
			{"targets.innodb.mysql.version", "8.0", "10.11"},
			{"targets.innodb.shape", `{"name":"ecs.hfg6.xlarge"}`, `{"inline":{"cpu":"900m","memory":"1064Mi","nodeSelector":{"node.kubernetes.io/instance-type":"kind.target"}}}`},
			{"targets.myrocks.mysql.flavor", "Percona", "MariaDB"},
			{"targets.myrocks.mysql.storage.size", "200Gi", "2Gi"},
			{"targets.myrocks.mysql.version", "8.0", "10.11"},
			{"targets.myrocks.shape", `{"name":"ecs.hfg6.xlarge"}`, `{"inline":{"cpu":"900m","memory":"1064Mi","nodeSelector":{"node.kubernetes.io/instance-type":"kind.target"}}}`},
			{"targets.published", "published numbers", "left out: they are quoted, and not measured"},
			{"analysis", `{"comparisons":[{"baseline":"mytopling","factor":"target","measurements":[{"name":"throughput"},{"labels":{"operation":"insert"},"name":"latency.avg"},{"labels":{"operation":"insert","p":"99"},"name":…`, leftOut},
			{"clients.shape", `{"name":"ecs.hfc7.4xlarge"}`, `{"inline":{"cpu":"900m","memory":"1044Mi","nodeSelector":{"node.kubernetes.io/instance-type":"kind.client"}}}`},
			{"deadline", "168h0m0s", "30m0s"},
			{"design.blocks", "10", "1"},
			{"design.duration", "2h0m0s", "5m0s"},
			{"workload.ycsb.driver", "MySQL", "MariaDB"},
			{"workload.ycsb.jvmOptions", "-", `["-Xmx256m"]`},
			{"workload.ycsb.recordCount", "10000000", "10000"},
		},
	} {
		f := fulls(t)[name]
		got, err := changes(f.spec, f.here)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(want, got, cmp.AllowUnexported(change{})))
		}
	}
}

// The rule leaves what decides the cells alone: matrix, exclusions, operations, schemes, numbers of rows, sessions.
func TestTheRuleLeavesTheCells(t *testing.T) {
	for name, f := range fulls(t) {
		if diff := cmp.Diff(f.spec.Matrix, f.here.Matrix); diff != "" {
			t.Errorf("%s: matrix (-full +here):\n%s", name, diff)
		}
		if diff := cmp.Diff(f.spec.Exclude, f.here.Exclude); diff != "" {
			t.Errorf("%s: exclude (-full +here):\n%s", name, diff)
		}
		if f.spec.Workload.Drivers == nil {
			continue
		}
		if diff := cmp.Diff(f.spec.Workload.Drivers.Benchmarks, f.here.Workload.Drivers.Benchmarks); diff != "" {
			t.Errorf("%s: benchmarks (-full +here):\n%s", name, diff)
		}
		if a, b := len(f.spec.Workload.Drivers.Drivers), len(f.here.Workload.Drivers.Drivers); a != b {
			t.Errorf("%s: %d drivers have become %d", name, a, b)
		}
	}
}

func TestReduceHasADriverForEachOfDotnet(t *testing.T) {
	spec := fulls(t)["s0-dotnet"].spec
	more := *spec.DeepCopy()
	more.Workload.Drivers.Drivers = append(more.Workload.Drivers.Drivers, v1alpha1.Driver{Language: fullsize.DotNet, Name: "one more"})
	if _, err := fullsize.Reduce(more, nil); err == nil || !strings.Contains(err.Error(), "there are 4 drivers in the place of those of .NET") {
		t.Errorf("%v", err)
	}
	data, err := os.ReadFile(filepath.Join(top, "config/samples/drivers-batch-small.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var small v1alpha1.BenchmarkRun
	if err := yaml.UnmarshalStrict(data, &small); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(small.Spec.Workload.Drivers.Drivers, fullsize.StandIns); diff != "" {
		t.Errorf("those of the small form of S0 are others (-small +here):\n%s", diff)
	}
}

// Each server that is played is one whose image every set of the local cluster has.
func TestServersAreLocal(t *testing.T) {
	images, err := os.ReadFile(filepath.Join(top, "hack/images/images.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	servers := 0
	for name, f := range fulls(t) {
		for _, target := range f.here.Targets {
			servers++
			line := fmt.Sprintf("{name: %s, series: %q, set: demo,", strings.ToLower(target.MySQL.Flavor), target.MySQL.Version)
			if !strings.Contains(string(images), line) || target.MySQL.Image != "" {
				t.Errorf("%s: %s is %s %s %s", name, target.Name, target.MySQL.Flavor, target.MySQL.Version, target.MySQL.Image)
			}
		}
	}
	if servers == 0 {
		t.Error("there is no server")
	}
}
