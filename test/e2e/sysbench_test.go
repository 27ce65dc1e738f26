package e2e

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// dropTables runs sysbench by hand, beside the operator.
func dropTables(t *testing.T, ns, address, schema string, secret *corev1.Secret) {
	t.Helper()
	host := &v1alpha1.BenchmarkRun{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "host"}, host); err != nil {
		t.Fatal(err)
	}
	few := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("64Mi")}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "drop-tables-" + strings.ReplaceAll(schema, "_", "-"), Namespace: ns},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: new(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: "sysbench", Image: host.Status.Resolved.RunnerImage, ImagePullPolicy: corev1.PullIfNotPresent,
				Command: []string{"sysbench"},
				Args: []string{
					"--mysql-host=" + address, "--mysql-user=" + string(secret.Data["username"]),
					"--mysql-password=" + string(secret.Data["password"]), "--mysql-db=" + schema, "--mysql-ssl=off", "--tables=2",
					"oltp_read_write", "cleanup",
				},
				Resources: corev1.ResourceRequirements{Requests: few, Limits: few},
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
		},
	}
	if err := cluster.API.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	eventually(t, time.Minute, func() string {
		if err := cluster.API.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
			return err.Error()
		}
		if pod.Status.Phase != corev1.PodSucceeded {
			return "pod drop-tables is " + string(pod.Status.Phase)
		}
		return ""
	})
}

// workloadOf is a run with another workload of sysbench.
func workloadOf(name, targets, workload string) string {
	return strings.Replace(cluster.RunYAML(name, targets, short), "{test: oltp_read_write, threads: 2, tables: 2, tableSize: 2000}", workload, 1)
}

// Every test of the runner, options and a script work against both flavors, and pass
// every check.
func TestEverySysbenchTest(t *testing.T) {
	if testing.Short() {
		t.Skip("only in make e2e-full")
	}
	workloads := map[string]string{
		"oltp_read_write":   "{test: oltp_read_write, threads: 2, tables: 2, tableSize: 2000}",
		"oltp_read_only":    "{test: oltp_read_only, threads: 2, tables: 2, tableSize: 2000}",
		"oltp_write_only":   "{test: oltp_write_only, threads: 2, tables: 2, tableSize: 2000}",
		"oltp_point_select": "{test: oltp_point_select, threads: 2, tables: 2, tableSize: 2000}",
		"oltp_insert":       "{test: oltp_insert, threads: 2, tables: 2, tableSize: 2000}",
		// Rows enough that deletes find some until the end.
		"oltp_delete":           "{test: oltp_delete, threads: 2, tables: 2, tableSize: 200000, randType: uniform}",
		"oltp_update_index":     "{test: oltp_update_index, threads: 2, tables: 2, tableSize: 2000}",
		"oltp_update_non_index": "{test: oltp_update_non_index, threads: 2, tables: 2, tableSize: 2000}",
		"select_random_points":  "{test: select_random_points, threads: 2, tableSize: 2000}",
		"select_random_ranges":  "{test: select_random_ranges, threads: 2, tableSize: 2000}",
		"bulk_insert":           "{test: bulk_insert, threads: 2}",
		"options": `{test: oltp_read_write, threads: 2, tables: 2, tableSize: 2000, randType: pareto, dbPsMode: disable, ignoreErrors: "1213",
      options: {point-selects: "3", range-selects: "off", delete-inserts: "2", create_secondary: "off"}}`,
		"script": `{script: {configMap: {name: script}, file: mine.lua, preparedStatements: 0}, threads: 2, options: {rows: "50"}}`,
	}
	for name, workload := range workloads {
		t.Run(name, func(t *testing.T) {
			ns := cluster.Namespace(t)
			if err := cluster.API.Create(t.Context(), scriptOf(ns)); err != nil {
				t.Fatal(err)
			}
			got := cluster.AwaitRun(t, cluster.Apply(t, ns, workloadOf("every", cluster.MariaDB+"\n"+cluster.MySQL, workload)), 3*time.Minute)
			cluster.Complete(t, got)
			for _, trial := range got.Status.Trials {
				checkStored(t, ns, inStatus(trial), 1)
			}
		})
	}
}

// scriptOf is a script with a module beside it.
func scriptOf(ns string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "script", Namespace: ns},
		Data: map[string]string{
			"lib.lua": `return {statement = function(id) return "SELECT id FROM mine WHERE id = " .. id end}`,
			"mine.lua": `local lib = require("lib")
sysbench.cmdline.options = {rows = {"Rows of the table", 100}}
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE mine (id INTEGER NOT NULL PRIMARY KEY)")
   for i = 1, sysbench.opt.rows do
      con:query("INSERT INTO mine VALUES (" .. i .. ")")
   end
end
function thread_init()
   con = sysbench.sql.driver():connect()
end
function event()
   con:query(lib.statement(sysbench.rand.default(1, sysbench.opt.rows)))
end
function cleanup()
   sysbench.sql.driver():connect():query("DROP TABLE mine")
end
`,
		},
	}
}
