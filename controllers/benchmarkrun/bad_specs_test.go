package benchmarkrun

import (
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// goodSpec is changed by each bad spec in one place: a text is replaced.
const goodSpec = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: bad}
spec:
  targets:
  - name: db
    shape: {inline: {cpu: "1", memory: 1Gi, nodeSelector: {kind: t}}}
    mysql: {flavor: MariaDB, version: "10.11", config: {max_connections: "200"}, storage: {size: 1Gi}}
  clients: {shape: {inline: {cpu: "1", memory: 1Gi, nodeSelector: {kind: c}}}}
  workload: {sysbench: {test: oltp_read_write, threads: 4, tables: 2, tableSize: 1000}}
  design: {blocks: 3, warmup: 0s, duration: 10s}
  deadline: 1h
`

type badSpec struct {
	// replace a text of goodSpec, once, by another one.
	replace, by string
	// more fields of the design.
	more string
	// duration in place of that of the design, and a deadline that holds it.
	duration string
	// refused by the API server with a message that holds this.
	refused string
	// reason of the condition Failed, if the API server accepts the spec, and what
	// its message holds.
	reason, message string
}

const (
	server1  = `mysql: {flavor: MariaDB, version: "10.11", config: {max_connections: "200"}, storage: {size: 1Gi}}`
	shape1   = `shape: {inline: {cpu: "1", memory: 1Gi, nodeSelector: {kind: t}}}`
	shapeC   = `{inline: {cpu: "1", memory: 1Gi, nodeSelector: {kind: c}}}`
	target1  = "  - name: db\n    " + shape1 + "\n    " + server1 + "\n"
	drivers1 = `{drivers: {drivers: [{language: Go, name: go-sql-driver}], benchmarks: [{operation: SelectOne}]}}`
	bench1   = `{sysbench: {test: oltp_read_write, threads: 4, tables: 2, tableSize: 1000}}`
)

func external(more string) string {
	return "  - name: db\n    external: {host: db.example, tls: Disabled, insecureSkipVerify: true, credentials: {name: " + more + "}}\n"
}

// verified is an external target whose server has to prove what it is.
func verified(tls string) string {
	return strings.Replace(external("fullsecret"), "tls: Disabled, insecureSkipVerify: true", tls, 1)
}

// tool1 is a custom tool whose rows are loaded.
const tool1 = `{custom: {image: i, format: Result, run: {command: [t]}, parameters: {rows: "1", mode: a}, dataParameters: [rows]}}`

// existing is an external target whose data is there.
const existing = "  - name: db\n    external: {host: h, data: Existing, tls: Disabled, insecureSkipVerify: true, credentials: {name: fullsecret}}\n"

// jdbc is an external target that only YCSB reaches.
const jdbc = "  - name: db\n    external: {jdbc: {url: 'jdbc:sqlserver://h', driver: a.B}, credentials: {name: fullsecret}}\n"

func script(configMap string) string {
	return "{sysbench: {script: {configMap: {name: " + configMap + "}}, threads: 4}}"
}

func published(configMap string) string {
	return "  - name: quoted\n    published: {configMap: {name: " + configMap + "}, format: YCSB, source: somewhere}\n"
}

var badSpecs = map[string]badSpec{
	// What the API server refuses.
	"a flavor that does not exist":           {replace: "flavor: MariaDB", by: "flavor: Oracle", refused: `supported values: "MySQL", "MariaDB"`},
	"a test that does not exist":             {replace: "test: oltp_read_write", by: "test: oltp", refused: "spec.workload.sysbench.test"},
	"a negative duration":                    {replace: "duration: 10s", by: "duration: -10s", refused: "duration must be between 1s and 24h"},
	"a negative warm-up":                     {replace: "warmup: 0s", by: "warmup: -1s", refused: "warmup must not be negative"},
	"a duration of broken seconds":           {replace: "duration: 10s", by: "duration: 1500ms", refused: "whole seconds"},
	"a duration that is none":                {replace: "duration: 10s", by: "duration: ten", refused: "design.duration"},
	"a warm-up of days":                      {replace: "warmup: 0s", by: "warmup: 48h", refused: "warmup must be at most 24h"},
	"no blocks":                              {replace: "blocks: 3", by: "blocks: 0", refused: "spec.design.blocks"},
	"too many blocks":                        {replace: "blocks: 3", by: "blocks: 401", refused: "spec.design.blocks"},
	"no threads":                             {replace: "threads: 4", by: "threads: 0", refused: "spec.workload.sysbench.threads"},
	"a deadline that cannot hold the trials": {replace: "duration: 10s", by: "duration: 1h", reason: v1alpha1.ReasonInvalidSpec, message: "spec.deadline: 1h0m0s is shorter than the plan"},
	"two workloads":                          {replace: bench1, by: strings.TrimSuffix(bench1, "}") + ", ycsb: {workload: a}}", refused: "spec.workload: Too many: 2: must have at most 1 item"},
	"no workload":                            {replace: bench1, by: "{}", refused: "spec.workload in body should have at least 1 properties"},
	"two targets of one name":                {replace: target1, by: target1 + target1, refused: "spec.targets[1]: Duplicate value: "},
	"no target":                              {replace: "targets:\n" + target1, by: "targets: []\n", refused: "should have at least 1 items"},
	"300 targets":                            {replace: target1, by: manyTargets(300), refused: "must have at most 8 items"},
	"a target of two kinds":                  {replace: server1, by: server1 + "\n    external: {host: h, credentials: {name: s}}", refused: "exactly one of mysql"},
	"a target of no kind":                    {replace: server1, by: "", refused: "exactly one of mysql"},
	"a target with a name that is too long":  {replace: "name: db", by: "name: a-name-of-a-target-that-is-too-long", refused: "spec.targets[0].name"},
	"a target with a name in capitals":       {replace: "name: db", by: "name: DB", refused: "spec.targets[0].name"},
	"a shape of two kinds":                   {replace: shapeC, by: strings.TrimSuffix(shapeC, "}") + ", name: x}", refused: "exactly one of name"},
	"a shape without processors":             {replace: `cpu: "1"`, by: `cpu: "0"`, refused: "cpu must be greater than 0"},
	"a shape with half a CPU of its own":     {replace: `cpu: "1"`, by: `cpu: 1500m, cpus: Exclusive`, refused: "with cpus: Exclusive, cpu must be a whole number, and be written as one"},
	"a shape with CPUs of no kind":           {replace: `cpu: "1"`, by: `cpu: "1", cpus: Pinned`, refused: `cpus: Unsupported value: "Pinned"`},
	"a class for nodes that exist":           {replace: `cpu: "1"`, by: `cpu: "1", provisioningClass: a.b`, refused: "provisioningClass needs nodes: Provisioned"},
	"a class that makes no nodes":            {replace: `cpu: "1"`, by: `cpu: "1", nodes: Provisioned, provisioningClass: check-capacity.autoscaling.x-k8s.io`, refused: "provisioningClass check-capacity.autoscaling.x-k8s.io makes no nodes"},
	"a class that is no name":                {replace: `cpu: "1"`, by: `cpu: "1", nodes: Provisioned, provisioningClass: A_b`, refused: "provisioningClass"},
	"a shape with too little memory":         {replace: "memory: 1Gi", by: "memory: 1Mi", refused: "memory must be at least 64Mi"},
	"a price that is no number":              {replace: "memory: 1Gi", by: "memory: 1Gi, price: {perHour: 1e3, currency: EUR}", refused: "price.perHour"},
	"a price that is negative":               {replace: "memory: 1Gi", by: "memory: 1Gi, price: {perHour: \"-1\", currency: EUR}", refused: "price.perHour"},
	"a price in no currency":                 {replace: "memory: 1Gi", by: "memory: 1Gi, price: {perHour: \"1.5\", currency: Euro}", refused: "price.currency"},
	"published numbers of another format":    {replace: target1, by: target1 + "  - {name: paper, published: {configMap: {name: p}, format: Chart, source: s}}\n", refused: "published.format"},
	"a version and an image":                 {replace: `version: "10.11"`, by: `version: "10.11", image: x`, refused: "exactly one of version"},
	"neither a version nor an image":         {replace: `version: "10.11", `, by: "", refused: "exactly one of version"},
	"a volume that is too small":             {replace: "size: 1Gi", by: "size: 1Mi", refused: "size must be at least 512Mi"},
	"a storage class for memory":             {replace: "size: 1Gi", by: "size: 1Gi, medium: Memory, storageClassName: x", refused: "storageClassName must be left out"},
	"a port that is none":                    {replace: target1, by: strings.Replace(external("s"), "host:", "port: 70000, host:", 1), refused: "spec.targets[0].external.port"},
	"a server that nobody verifies":          {replace: target1, by: verified("tls: Disabled"), refused: "spec.targets[0].external.tls: Invalid value"},
	"TLS that gives way":                     {replace: target1, by: verified("tls: Preferred"), refused: "or say insecureSkipVerify: true"},
	"JDBC whose URL decides":                 {replace: target1, by: strings.Replace(jdbc, "credentials", "insecureSkipVerify: true, credentials", 1), refused: "must be left out with jdbc"},
	"a host that is none":                    {replace: target1, by: strings.Replace(external("s"), "db.example", `"a b"`, 1), refused: "spec.targets[0].external.host"},
	"more intervals than a result can hold":  {replace: "blocks: 3, warmup: 0s, duration: 10s}\n  deadline: 1h", by: "blocks: 1, warmup: 0s, duration: 3h}\n  deadline: 9h", reason: v1alpha1.ReasonInvalidSpec, message: "at most 10000 intervals"},
	"a deadline of a second":                 {replace: "deadline: 1h", by: "deadline: 1s", refused: "deadline must be between 1m and 720h"},
	"a name that cannot be a label":          {replace: "name: bad", by: "name: " + strings.Repeat("b", 64), refused: "at most 63 characters"},
	"a name that cannot be a Service":        {replace: "name: bad", by: "name: b.ad", refused: "lower-case letters, digits"},
	"a field that does not exist":            {replace: "design: {", by: "design: {repetitions: 3, ", refused: `unknown field "spec.design.repetitions"`},
	"a percentile over 100":                  {replace: "threads: 4", by: "threads: 4, percentile: 101", refused: "percentile"},
	"no clients":                             {replace: "clients: {shape:", by: "clients: {count: 0, shape:", refused: "spec.clients.count"},
	"too many clients":                       {replace: "clients: {shape:", by: "clients: {count: 65, shape:", refused: "spec.clients.count"},
	"idle targets that lose their data":      {replace: "size: 1Gi}}", by: "size: 1Gi, medium: Memory}}", more: "idleTargets: Stopped", refused: "idleTargets: Stopped loses the data"},
	"CPUs of an external server":             {replace: target1, by: external("fullsecret"), more: "cpus: Apart", refused: "cpus is about a machine that a server of Assay's shares"},
	"one CPU of an external server":          {replace: target1, by: external("fullsecret"), more: "cpus: Together", refused: "cpus is about a machine that a server of Assay's shares"},
	"clients that stand by turns":            {replace: "blocks: 3", by: "blocks: 3, clientPods: Standing", more: "idleTargets: Stopped", refused: "clientPods: Standing needs the credentials of all targets"},
	"client pods that are none":              {replace: "blocks: 3", by: "blocks: 3, clientPods: PerRun", refused: "spec.design.clientPods"},
	"an axis that is no name":                {replace: "  workload:", by: matrix("{name: 9threads, values: [1]}"), refused: "spec.matrix[0].name"},
	"a target of an axis of the workload":    {replace: "  workload:", by: matrix("{name: threads, target: db, values: [1]}"), refused: "target and apply are for settings of the server"},
	"a start for an axis of the workload":    {replace: "  workload:", by: matrix("{name: threads, apply: Restart, values: [1]}"), refused: "target and apply are for settings of the server"},
	"a setting of no name":                   {replace: "  workload:", by: matrix("{name: config., values: [1]}"), refused: "spec.matrix[0].name"},
	"a way to set that there is not":         {replace: "  workload:", by: matrix("{name: config.back_log, apply: Reload, values: [1]}"), refused: "spec.matrix[0].apply"},
	"an axis without values":                 {replace: "  workload:", by: matrix("{name: threads, values: []}"), refused: "spec.matrix[0].values"},
	"an axis with a value twice":             {replace: "  workload:", by: matrix("{name: threads, values: [1, 1]}"), refused: "Duplicate value"},
	"two axes of one name":                   {replace: "  workload:", by: matrix("{name: threads, values: [1]}, {name: threads, values: [2]}"), refused: "Duplicate value"},
	"an axis with too many values":           {replace: "  workload:", by: matrix("{name: threads, values: [" + numbers(1, 65) + "]}"), refused: "must have at most 64 items"},
	"an exclusion of nothing":                {replace: "  workload:", by: "  exclude: [{}]\n" + matrix(axis2), refused: "spec.exclude[0]"},
	"a priority that is none":                {replace: "  deadline: 1h", by: "  deadline: 1h\n  priority: 1001", refused: "spec.priority"},
	"a negative cooldown":                    {replace: "blocks: 3", by: "blocks: 3, cooldown: -1s", refused: "cooldown must be between 0s and 24h"},
	"too many retries":                       {replace: "blocks: 3", by: "blocks: 3, maxRetries: 11", refused: "spec.design.maxRetries"},
	"a precision without a unit":             {replace: "blocks: 3", by: `blocks: 40, precision: "2"`, refused: "spec.design.precision"},
	"a precision of nothing":                 {replace: "blocks: 3", by: "blocks: 40, precision: 0%", refused: "precision must be above 0% and at most 100%"},
	"a precision in a sequence":              {replace: "blocks: 3", by: "blocks: 40, order: Sequential, precision: 2%", refused: "order must be RandomizedBlocks or ABBA with precision, within or reserveBlocks"},
	"a precision of a run without a pair":    {replace: "blocks: 3", by: "blocks: 40, precision: 2%", reason: v1alpha1.ReasonInvalidSpec, message: "spec.design.precision: the run compares nothing"},
	"a time that is no time":                 {replace: "blocks: 3", by: "blocks: 40, within: 1s", refused: "within must be between 10s and 720h"},
	"a reserve beside a time":                {replace: "blocks: 3", by: "blocks: 40, within: 10m, reserveBlocks: 2", refused: "leave reserveBlocks out"},
	"a negative seed":                        {replace: "blocks: 3", by: "blocks: 3, seed: -1", refused: "spec.design.seed"},
	"an order that does not exist":           {replace: "blocks: 3", by: "blocks: 3, order: Random", refused: "spec.design.order"},
	"a reset that does not exist":            {replace: "blocks: 3", by: "blocks: 3, dataReset: Never", refused: "spec.design.dataReset"},
	"nothing that is measured":               {replace: target1, by: published("numbers"), refused: "at least one target has to be measured"},
	"a reset of data that exists":            {replace: target1, by: existing, more: "dataReset: PerBlock", refused: "dataReset must be PerRun with a target of data: Existing"},
	"writes allowed into what is loaded":     {replace: target1, by: strings.Replace(existing, "data: Existing", "allowWrites: true", 1), refused: "allowWrites is for data: Existing"},
	"a server named twice":                   {replace: target1, by: strings.Replace(existing, "host:", "serviceRef: {name: db}, host:", 1), refused: "external needs exactly one of host"},
	"a Service of another namespace":         {replace: target1, by: strings.Replace(existing, "host:", "serviceRef: {name: other/db}, host:", 1), refused: "external.serviceRef.name"},
	"a reset of what Assay cannot speak to":  {replace: target1, by: jdbc, more: "dataReset: PerTrial", refused: "dataReset must be PerRun with an external.jdbc target"},
	"intervals of YCSB beyond a result":      {replace: bench1, by: "{ycsb: {threads: 4}}", more: "cooldown: 0s", duration: "9h", reason: v1alpha1.ReasonInvalidSpec, message: "at most 10000 intervals"},

	"a deadline below the default design": {replace: "  design: {blocks: 3, warmup: 0s, duration: 10s}\n  deadline: 1h", by: "  deadline: 54m", reason: v1alpha1.ReasonInvalidSpec, message: "is shorter than the plan"},
	"rounds of a tool that has none":      {replace: "blocks: 3", by: "blocks: 3, rounds: 3", refused: "rounds and warmupRounds are for workload.drivers"},
	"a window of drivers for hours":       {replace: bench1, by: drivers1, duration: "2h", refused: "duration must be at most 1h with workload.drivers"},
	"a warm-up of drivers for hours":      {replace: bench1 + "\n  design: {blocks: 3, warmup: 0s", by: drivers1 + "\n  design: {blocks: 3, warmup: 2h", refused: "warmup must be at most 1h with workload.drivers"},
	"no rounds":                           {replace: bench1, by: drivers1, more: "rounds: 0", refused: "spec.design.rounds"},
	"a seed of the rows of drivers":       {replace: bench1, by: strings.Replace(drivers1, "{drivers: {", "{drivers: {seed: 42, ", 1), refused: `unknown field "spec.workload.drivers.seed"`},
	"no transactions at all":              {replace: "threads: 4", by: "threads: 4, events: 0", refused: "spec.workload.sysbench.events"},
	"an offer of nothing":                 {replace: "threads: 4", by: "threads: 4, rate: 0", refused: "spec.workload.sysbench.rate"},
	"replication to nobody":               {replace: "flavor: MariaDB", by: "flavor: MariaDB, replication: {mode: Async, replicas: 0}", refused: "spec.targets[0].mysql.replication.replicas"},
	"replication of no kind":              {replace: "flavor: MariaDB", by: "flavor: MariaDB, replication: {mode: None}", refused: "spec.targets[0].mysql.replication.mode"},

	// What only the manager can see.
	"a closed loop as a value of an axis": {replace: "  workload:", by: matrix("{name: rate, values: [0, 100]}"), reason: v1alpha1.ReasonInvalidSpec, message: "spec.matrix: cell rate=0: spec.workload.sysbench.rate: Invalid value: 0"},
	"a setting that varies and does not":  {replace: "  workload:", by: matrix("{name: config.max_connections, values: [300, 400]}"), reason: v1alpha1.ReasonSettingInvalid, message: "spec.targets[0].mysql.config.max_connections: it varies in spec.matrix"},
	"a setting that varies below the need": {
		replace: `config: {max_connections: "200"}, storage: {size: 1Gi}}` + "\n  clients: {shape: " + shapeC + "}\n  workload: {sysbench: {test: oltp_read_write, threads: 4",
		by:      "storage: {size: 1Gi}}\n  clients: {shape: " + shapeC + "}\n" + matrix("{name: config.max_connections, values: [400, 300]}") + " {sysbench: {test: oltp_read_write, threads: 300",
		reason:  string(contract.ReasonLimitTooLow), message: "spec.matrix[0]: config.max_connections: 300 is too low",
	},
	"a setting that varies and is Assay's":       {replace: "  workload:", by: matrix("{name: config.datadir, values: [/x]}"), reason: v1alpha1.ReasonSettingInvalid, message: "spec.matrix[0].datadir: set by Assay"},
	"a setting of an external server":            {replace: target1, by: external("fullsecret") + "  matrix: [{name: config.sync_binlog, values: [0, 1]}]\n", reason: v1alpha1.ReasonInvalidSpec, message: "spec.targets[0] (db), which is external"},
	"an axis of many values":                     {replace: "  workload:", by: matrix("{name: options, values: [x]}"), reason: v1alpha1.ReasonInvalidSpec, message: "spec.matrix[options]: options has many values, and an axis sets one"},
	"an axis of a parameter that is loaded":      {replace: "  workload: " + bench1, by: matrix("{name: rows, values: [1, 2]}") + " " + tool1, reason: v1alpha1.ReasonInvalidSpec, message: "spec.matrix[0]: rows decides what is loaded"},
	"an axis of a parameter that is none":        {replace: "  workload: " + bench1, by: matrix("{name: row, values: [1, 2]}") + " " + tool1, reason: v1alpha1.ReasonInvalidSpec, message: "the tool has no field and no parameter row"},
	"a storage engine that the flavor lacks":     {replace: `flavor: MariaDB, version: "10.11"`, by: `flavor: MySQL, version: "9.7", storageEngine: RocksDB`, reason: v1alpha1.ReasonInvalidSpec, message: "spec.targets[0].mysql.storageEngine: MySQL has no RocksDB: use one of InnoDB"},
	"a limit below what the workload needs":      {replace: "threads: 4", by: "threads: 300", reason: string(contract.ReasonLimitTooLow), message: "spec.targets[0].mysql.config.max_connections: 200 is too low: the workload needs 300 connections"},
	"a script of which there is no ConfigMap":    {replace: bench1, by: script("nowhere"), reason: v1alpha1.ReasonConfigMapNotFound, message: `spec.workload.sysbench.script.configMap: there is no ConfigMap "nowhere"`},
	"a script that is not in its ConfigMap":      {replace: bench1, by: script("numbers"), reason: v1alpha1.ReasonConfigMapNotFound, message: `ConfigMap "numbers" has no key "script.lua"; it has: ["note" "run"]`},
	"published numbers of no ConfigMap":          {replace: target1, by: target1 + published("nowhere"), reason: v1alpha1.ReasonConfigMapNotFound, message: `spec.targets[1].published.configMap: there is no ConfigMap "nowhere"`},
	"a published text without a number":          {replace: target1, by: target1 + published("numbers"), reason: v1alpha1.ReasonPublishedUnreadable, message: "key run: no number can be read from its text"},
	"writes into data that exists":               {replace: target1, by: existing, reason: v1alpha1.ReasonInvalidSpec, message: "spec.targets[0].external.allowWrites: cell 0 (no matrix) of spec.workload.sysbench may write into the tables of target db"},
	"JDBC with a tool that does not speak it":    {replace: target1, by: jdbc, reason: v1alpha1.ReasonInvalidSpec, message: "spec.targets[0].external.jdbc: sysbench does not speak JDBC"},
	"TLS of sysbench without its certificate":    {replace: target1, by: strings.Replace(external("fullsecret"), "Disabled", "Required", 1), reason: v1alpha1.ReasonSecretIncomplete, message: `lacks the key "ca.crt"`},
	"an axis that the tool does not have":        {replace: "  workload:", by: matrix("{name: colour, values: [1]}"), reason: v1alpha1.ReasonInvalidSpec, message: "the tool has no field and no option colour"},
	"an axis that decides the data":              {replace: "  workload:", by: matrix("{name: tableSize, values: [10, 20]}"), reason: v1alpha1.ReasonInvalidSpec, message: "spec.matrix[0]: tableSize decides what is loaded"},
	"an axis with a value twice in other words":  {replace: "  workload:", by: matrix(`{name: threads, values: [1, "1"]}`), reason: v1alpha1.ReasonInvalidSpec, message: "spec.matrix[0]: threads has the value 1 twice"},
	"an axis with a value out of range":          {replace: "  workload:", by: matrix("{name: threads, values: [4, 5000]}"), reason: v1alpha1.ReasonInvalidSpec, message: "spec.matrix: cell threads=5000: spec.workload.sysbench.threads: Invalid value: 5000"},
	"an axis with a value of the wrong kind":     {replace: "  workload:", by: matrix("{name: threads, values: [many]}"), reason: v1alpha1.ReasonInvalidSpec, message: "spec.matrix[threads]"},
	"an axis with a test that does not exist":    {replace: "  workload:", by: matrix("{name: test, values: [oltp]}"), reason: v1alpha1.ReasonInvalidSpec, message: "test"},
	"a matrix of which nothing is left":          {replace: "  workload:", by: "  exclude: [{threads: 1}, {threads: 2}]\n" + matrix(axis2), reason: v1alpha1.ReasonInvalidSpec, message: "every cell of spec.matrix is excluded"},
	"an exclusion by an axis that is none":       {replace: "  workload:", by: "  exclude: [{colour: 1}]\n" + matrix(axis2), reason: v1alpha1.ReasonInvalidSpec, message: "spec.exclude[0]: colour is no axis"},
	"an exclusion by a value that is none":       {replace: "  workload:", by: "  exclude: [{threads: 3}]\n" + matrix(axis2), reason: v1alpha1.ReasonInvalidSpec, message: "the axis threads has no value 3"},
	"more than 20,000 trials":                    {replace: "  workload:", by: matrix(large), reason: v1alpha1.ReasonTooManyTrials, message: "3 blocks x 1 target x 8192 cells are 24576 trials, and a run has at most 20000"},
	"a matrix beyond counting":                   {replace: "  workload:", by: matrix(beyond), reason: v1alpha1.ReasonTooManyTrials, message: "at most 20000"},
	"a deadline that cannot hold the whole plan": {replace: "  workload:", by: matrix("{name: threads, values: [" + numbers(1, 64) + "]}, {name: reportIntervalSeconds, values: [1, 2]}"), reason: v1alpha1.ReasonInvalidSpec, message: "shorter than the plan: 384 trials of at least 10s each take 1h4m0s"},
	"more deletes than rows":                     {replace: "test: oltp_read_write", by: "test: oltp_delete, events: 1000000", reason: v1alpha1.ReasonInvalidSpec, message: "of the deletes would find no row"},
	"a shape that does not exist":                {replace: shapeC, by: "{name: nowhere}", reason: v1alpha1.ReasonShapeNotFound, message: `spec.clients.shape.name: there is no InstanceShape "nowhere"`},
	"a version that is not catalogued":           {replace: `version: "10.11"`, by: `version: "99"`, reason: v1alpha1.ReasonVersionNotInCatalogue, message: "it has: 10.11"},
	"sysbench on a server to be verified":        {replace: target1, by: verified("tls: Required"), reason: v1alpha1.ReasonInvalidSpec, message: "spec.targets[0].external.insecureSkipVerify: sysbench logs in to servers"},
	"a Secret that does not exist":               {replace: target1, by: external("nowhere"), reason: v1alpha1.ReasonSecretNotFound, message: "spec.targets[0].external.credentials"},
	"a Secret that lacks a key":                  {replace: target1, by: external("halfsecret"), reason: v1alpha1.ReasonSecretIncomplete, message: `lacks the key "password"`},
	"a ConfigMap that does not exist":            {replace: "config: {", by: "configFrom: [{name: nowhere}], config: {", reason: v1alpha1.ReasonConfigMapNotFound, message: "spec.targets[0].mysql.configFrom[0]"},
	"a setting that Assay owns":                  {replace: "max_connections:", by: "datadir: /x, max_connections:", reason: v1alpha1.ReasonSettingInvalid, message: "datadir"},
	"a setting that is no name":                  {replace: "max_connections:", by: `"a b": "1", max_connections:`, reason: v1alpha1.ReasonSettingInvalid, message: "a b"},
	"a shape that no node offers":                {replace: "nodeSelector: {kind: t}", by: "nodeSelector: {kind: nothing}", reason: v1alpha1.ReasonNoNodeOffersShape, message: "target db"},
	"a shape that is larger than nodes":          {replace: `cpu: "1", memory: 1Gi, nodeSelector: {kind: c}`, by: `cpu: "100", memory: 1Gi`, reason: v1alpha1.ReasonNoNodeOffersShape, message: "the clients"},
	"client and target on one node":              {replace: "nodeSelector: {kind: c}", by: "nodeSelector: {kind: t}", reason: v1alpha1.ReasonCannotSeparate, message: "separateFromTargets"},
}

// axis2 is an axis of two values.
const axis2 = "{name: threads, values: [1, 2]}"

// large has 64 x 64 x 2 cells, beyond 64^4.
var (
	large  = "{name: threads, values: [" + numbers(1, 64) + "]}, {name: reportIntervalSeconds, values: [" + numbers(1, 64) + "]}, {name: percentile, values: [95, 99]}"
	beyond = "{name: threads, values: [" + numbers(1, 64) + "]}, {name: reportIntervalSeconds, values: [" + numbers(1, 64) + "]}, " +
		"{name: percentile, values: [" + numbers(1, 64) + "]}, {name: rate, values: [" + numbers(1, 64) + "]}"
)

// numbers from a to b, for YAML.
func numbers(a, b int) string {
	var out []string
	for i := a; i <= b; i++ {
		out = append(out, strconv.Itoa(i))
	}
	return strings.Join(out, ", ")
}

// matrix goes before the workload of goodSpec.
func matrix(axes string) string { return "  matrix: [" + axes + "]\n  workload:" }

func manyTargets(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Replace(target1, "name: db", "name: t"+string(rune('a'+i/26%26))+string(rune('a'+i%26)), 1))
	}
	return b.String()
}

// A bad spec is refused, or ends in a typed condition within ten seconds.
func TestBadSpecs(t *testing.T) {
	t.Parallel()
	if len(badSpecs) < 25 {
		t.Fatalf("%d bad specs, want at least 25", len(badSpecs))
	}
	if err := nodes(); err != nil {
		t.Fatal(err)
	}
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	half := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "halfsecret", Namespace: ns}, StringData: map[string]string{"username": "u"}}
	full := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "fullsecret", Namespace: ns}, StringData: map[string]string{"username": "u", "password": "p"}}
	numbers := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "numbers", Namespace: ns}, Data: map[string]string{"run": "unknown\n", "note": "x"}}
	for _, obj := range []client.Object{half, full, numbers} {
		if err := server.API.Create(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	all := maps.Clone(badSpecs)
	maps.Copy(all, badStorage)
	for name, tt := range all {
		n++
		t.Run(name, func(t *testing.T) { tt.try(t, ns, n) })
	}
}

func (b badSpec) try(t *testing.T, namespace string, n int) {
	if strings.Count(goodSpec, b.replace) < 1 {
		t.Fatalf("the good spec has no %q", b.replace)
	}
	obj := &unstructured.Unstructured{}
	text := strings.Replace(goodSpec, b.replace, b.by, 1)
	if b.more != "" {
		text = strings.Replace(text, "design: {", "design: {"+b.more+", ", 1)
	}
	if b.duration != "" {
		text = strings.NewReplacer("duration: 10s", "duration: "+b.duration, "deadline: 1h", "deadline: 720h").Replace(text)
	}
	if err := yaml.UnmarshalStrict([]byte(text), &obj.Object); err != nil {
		t.Fatalf("the bad spec is no YAML: %v", err)
	}
	obj.SetNamespace(namespace)
	if obj.GetName() == "bad" {
		obj.SetName("bad-" + string(rune('a'+n/26)) + string(rune('a'+n%26)))
	}
	err := server.API.Create(t.Context(), obj)
	if b.refused != "" {
		if err == nil || !strings.Contains(err.Error(), b.refused) {
			t.Errorf("error = %v\nwant one with %q", err, b.refused)
		}
		return
	}
	if err != nil {
		t.Fatalf("refused at once: %v", err)
	}
	b.awaitFailure(t, client.ObjectKeyFromObject(obj))
}

func (b badSpec) awaitFailure(t *testing.T, key client.ObjectKey) {
	run := &v1alpha1.BenchmarkRun{}
	for start := time.Now(); time.Since(start) < hang.Limit; time.Sleep(20 * time.Millisecond) {
		if err := server.API.Get(t.Context(), key, run); err != nil {
			t.Fatal(err)
		}
		if c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed); c != nil && c.Status == metav1.ConditionTrue {
			if c.Reason != b.reason || !strings.Contains(c.Message, b.message) {
				t.Errorf("failed with %s: %s\nwant %s with %q", c.Reason, c.Message, b.reason, b.message)
			}
			return
		}
	}
	t.Errorf("no typed condition within 10 s: %+v", run.Status.Conditions)
}

// The good spec is good: or else every spec above might be refused for another
// reason than its own.
func TestGoodSpecIsAccepted(t *testing.T) {
	if err := nodes(); err != nil {
		t.Fatal(err)
	}
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	run := &v1alpha1.BenchmarkRun{}
	if err := yaml.UnmarshalStrict([]byte(goodSpec), run); err != nil {
		t.Fatal(err)
	}
	run.Namespace = ns
	create(t, run)
	await(t, run, "Placed", isTrue(v1alpha1.ConditionPlaced))
}

func TestSpecIsImmutable(t *testing.T) {
	ns := server.Namespace(t)
	tests := map[string]struct{ patch, refused string }{
		"blocks cannot be changed":      {`{"spec":{"design":{"blocks":4}}}`, "design cannot be changed: create a new BenchmarkRun"},
		"targets cannot be changed":     {`{"spec":{"targets":[{"name":"x","external":{"host":"h","credentials":{"name":"s"}}}]}}`, "targets cannot be changed"},
		"workload cannot be changed":    {`{"spec":{"workload":{"sysbench":{"threads":9}}}}`, "workload cannot be changed"},
		"clients cannot be changed":     {`{"spec":{"clients":{"placement":{"separateFromTargets":"None"}}}}`, "clients cannot be changed"},
		"deadline cannot be changed":    {`{"spec":{"deadline":"2h"}}`, "deadline cannot be changed"},
		"matrix cannot be changed":      {`{"spec":{"matrix":[{"name":"threads","values":[1]}]}}`, "matrix cannot be changed"},
		"matrix cannot be taken away":   {`{"spec":{"matrix":null}}`, "matrix cannot be changed"},
		"exclude cannot be changed":     {`{"spec":{"exclude":[{"threads":2}]}}`, "exclude cannot be changed"},
		"exclude cannot be taken away":  {`{"spec":{"exclude":null}}`, "exclude cannot be changed"},
		"analysis cannot be changed":    {`{"spec":{"analysis":{"errorRate":"1%"}}}`, "analysis cannot be changed: create a new BenchmarkRun"},
		"analysis cannot be taken away": {`{"spec":{"analysis":null}}`, "analysis cannot be changed: create a new BenchmarkRun"},
		"data cannot be added":          {`{"spec":{"data":{"name":"sbtest"}}}`, "data cannot be changed: create a new BenchmarkRun"},
		"exclusive cannot be changed":   {`{"spec":{"exclusive":false}}`, "exclusive cannot be changed"},
		"priority can be changed":       {`{"spec":{"priority":-5}}`, ""},
		"suspend can be changed":        {`{"spec":{"suspend":true}}`, ""},
		"retain can be changed":         {`{"spec":{"retain":"Always"}}`, ""},
		"the TTL can be changed":        {`{"spec":{"ttlSecondsAfterFinished":60}}`, ""},
	}
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Matrix = []v1alpha1.Axis{{Name: "threads", Values: ints(1, 2)}}
		r.Spec.Exclude = []v1alpha1.Exclusion{{"threads": intstr.FromInt(1)}}
		r.Spec.Analysis = &v1alpha1.Analysis{}
	})
	create(t, run)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := server.API.Patch(t.Context(), run.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(tt.patch)))
			if tt.refused == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)) {
				t.Errorf("error = %v, want one with %q", err, tt.refused)
			}
		})
	}
}
