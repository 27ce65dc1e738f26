package cluster

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Targets that most runs of the tests have.
const (
	MariaDB = `  - name: mariadb
    shape: {name: kind-target}
    mysql: {flavor: MariaDB, version: "10.11", storage: {size: 1Gi}}`
	MySQL = `  - name: mysql
    shape: {name: kind-target}
    mysql: {flavor: MySQL, version: "9.7", config: {innodb_buffer_pool_size: 64M}, storage: {size: 1Gi}}`
)

// RunYAML is a short run; more is put behind the spec, for targets in place of
// the MariaDB there.
func RunYAML(name, targets, more string) string {
	if targets == "" {
		targets = MariaDB
	}
	return `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: ` + name + `}
spec:
  targets:
` + targets + `
  clients: {shape: {name: kind-client}}
  workload: {sysbench: {test: oltp_read_write, threads: 2, tables: 2, tableSize: 2000}}
  deadline: 20m
` + more
}

// DriversYAML is a run of drivers; each entry is a language and a driver. The design is that of
// each measurement.
func DriversYAML(name, targets, entries, benchmarks, design string) string {
	return fmt.Sprintf(`
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: %s}
spec:
  targets:
%s
  clients: {shape: {name: kind-client}}
  workload:
    drivers:
      drivers:
%s
      benchmarks:
%s
  design: {blocks: 1, %s}
  deadline: 30m
`, name, targets, entries, benchmarks, design)
}

// Beside makes a run one of several that share the nodes: small pods, of which three of each kind
// have room, and no claim to the nodes alone. It is for stories of which nothing depends on how
// fast a server or a tool is.
func Beside(text string) string {
	const selector = "nodeSelector: {node.kubernetes.io/instance-type: kind."
	small := strings.NewReplacer("{name: kind-target}", "{inline: {cpu: 600m, memory: 1Gi, "+selector+"target}}}",
		"{name: kind-client}", "{inline: {cpu: 350m, memory: 512Mi, "+selector+"client}}}")
	return small.Replace(text) + "  exclusive: false\n"
}

// Restricted is a pod as a namespace for runs admits it.
func Restricted(spec corev1.PodSpec) corev1.PodSpec {
	if spec.SecurityContext == nil {
		spec.SecurityContext = &corev1.PodSecurityContext{}
	}
	spec.SecurityContext.RunAsNonRoot, spec.SecurityContext.RunAsUser = new(true), new(int64(10001))
	spec.SecurityContext.SeccompProfile = &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}
	for i := range spec.Containers {
		spec.Containers[i].SecurityContext = &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		}
	}
	return spec
}
