package e2e

import (
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/certificate"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/fullsize"
	"github.com/assay-bench/assay/test/helpers/plays"
)

// stage plays a sample: it provides what the user of the file has, or reduces what there is no room for here.
type stage func(t *testing.T, file string)

// noSnapshots is what a user is told in a cluster of which no storage takes snapshots, as this one.
const noSnapshots = "the cluster has no API snapshot.storage.k8s.io/v1: install the CRDs and the controller of kubernetes-csi/external-snapshotter"

// stages of samples, by their files. A sample without a stage is played as it stands.
var stages = map[string]stage{
	"kustomization.yaml": allAtOnce,
	"mysqlslap.yaml":     withItsTool,
	"schedule.yaml":      runsAtOnce,
	"tpch.yaml":          toldBy(TestTPCH),

	// Servers of the user.
	"external.yaml":          onAServer,
	"external-existing.yaml": onTables,
	"external-managed.yaml":  onAnAuthority,
	"external-informix.yaml": failing{reason: string(contract.ReasonToolFailed), says: []string{"external.jdbc.driver", "com.informix.jdbc.IfxDriver"}}.play,

	// Data of another run.
	"data-set-make.yaml":         toldBy(loadedOnce),
	"data-set.yaml":              toldBy(loadedOnce),
	"retained-volume.yaml":       toldBy(TestAVolumeIsMeasuredOnAgain),
	"retained-volume-again.yaml": toldBy(TestAVolumeIsMeasuredOnAgain),
	"volume-snapshot.yaml":       failing{reason: v1alpha1.ReasonNoVolumeSnapshots, says: []string{"mysql.storage.snapshot: " + noSnapshots}}.play,
	"volume-snapshot-again.yaml": failing{reason: v1alpha1.ReasonNoVolumeSnapshots, says: []string{"mysql.storage.fromSnapshot: " + noSnapshots}}.play,

	// Comparisons of drivers in their small form.
	"drivers-node-small.yaml":   toldBy(TestPublishedDriverComparisons),
	"drivers-python-small.yaml": toldBy(TestPublishedDriverComparisons),
	"drivers-batch-small.yaml":  toldBy(TestPublishedDriverComparisons),
	"drivers-batch-large.yaml":  toldBy(TestPublishedDriverComparisons),

	// Experiments at full size.
	"published/s0-dotnet/full.yaml":   firstCells,
	"published/s1-ycsb/full.yaml":     theirServers,
	"published/s1-ycsb/load.yaml":     theirServers,
	"published/s2-python/full.yaml":   firstCells,
	"published/s3-node/full.yaml":     firstCells,
	"published/s4-sweep/full.yaml":    firstCells,
	"published/s4-sweep/latency.yaml": firstCells,
	// No cell of them can be had here: with machines of this cluster they begin, and say what the user has to name.
	"published/s1-ycsb/azure.yaml": failing{
		instead: []string{"clients:\n    shape: {name: ecs.hfc7.4xlarge}", "clients:\n    shape: {name: kind-client}"},
		reason:  string(contract.ReasonTargetUnreachable), says: []string{"server-name-here.database.windows.net"},
	}.play,
	"published/s2-python/suite.yaml": failing{
		instead: []string{
			"clients:\n    shape: {name: python-machine}", "clients:\n    shape: {name: kind-client}",
			"shape: {name: python-machine}\n    mysql: {flavor: MariaDB, version: \"11.8\", storage: {size: 20Gi}}",
			"shape: {name: kind-target}\n    mysql: {flavor: MariaDB, version: \"10.11\", storage: {size: 1Gi}}",
		},
		reason: v1alpha1.ReasonImagePullFailed, says: []string{"registry.example.com/driver-suite:1"},
	}.play,
}

// toldBy a story that plays the sample and asks more of it. It is told here where it was not told yet, as with -run TestSamples.
func toldBy(story func(*testing.T)) stage {
	return func(t *testing.T, file string) {
		if !played[file] {
			story(t)
		}
		if !played[file] {
			t.Errorf("its story has not played %s to the end", file)
		}
	}
}

// failing is a sample that this cluster cannot complete. What the user is told is looked at.
type failing struct {
	// instead of texts of the file: pairs.
	instead []string
	reason  string
	says    []string
}

func (f failing) play(t *testing.T, file string) {
	readSample(t, file).instead(t, f.instead...).play(t, func(_ testing.TB, run *v1alpha1.BenchmarkRun) {
		failedWith(t, run, f.reason)
		for _, text := range f.says {
			if message := cluster.Message(run, v1alpha1.ConditionFailed); !strings.Contains(message, text) {
				t.Errorf("the message does not say %q: %s", text, message)
			}
		}
	})
}

// allAtOnce: kubectl makes the objects of all files that the kustomization names, and the API server would take them.
func allAtOnce(t *testing.T, file string) {
	s := readSample(t, file)
	var list struct{ Resources []string }
	if err := yaml.Unmarshal([]byte(s.text), &list); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "kubectl", "apply", "-k", samples, "-n", s.ns, "--dry-run=server").CombinedOutput()
	if got := strings.Count(string(out), "(server dry run)"); err != nil || got < len(list.Resources) {
		t.Errorf("%v, %d objects of %d files:\n%s", err, got, len(list.Resources), out)
	}
}

// withItsTool: the image of a registry is the one that was built here.
func withItsTool(t *testing.T, file string) {
	readSample(t, file).instead(t, "docker.io/library/mariadb:11.8", localImage(t, "tool-mysqlslap")).complete(t)
}

// runsAtOnce: a schedule that runs after each change of its template runs when it is created. Nobody waits for the night.
func runsAtOnce(t *testing.T, file string) {
	ns := cluster.Namespace(t)
	schedule := &v1alpha1.BenchmarkSchedule{}
	if err := yaml.UnmarshalStrict([]byte(readSampleIn(t, file, ns).text), schedule); err != nil {
		t.Fatal(err)
	}
	schedule.Namespace = ns
	if err := cluster.API.Create(t.Context(), schedule); err != nil {
		t.Fatal(err)
	}
	s := awaitSchedule(t, schedule, time.Minute, "started a run", func(s v1alpha1.BenchmarkScheduleStatus) bool { return len(s.Active) == 1 })
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: s.Active[0].Name}}
	cluster.Complete(t, cluster.AwaitRun(t, run, 5*time.Minute))
	awaitSchedule(t, schedule, time.Minute, "seen the end of its run", func(s v1alpha1.BenchmarkScheduleStatus) bool { return s.LastRun != nil })
}

// theServer is where the server of standIn is, with the schema and the account of the samples of external servers.
func theServer(ns string) string { return "shop-primary." + ns + ".svc" }

// onAServer of somebody, as the head of the file asks for it.
func onAServer(t *testing.T, file string) {
	s := readSample(t, file)
	standIn(t, s.ns)
	s.instead(t, "db.example.com", theServer(s.ns)).complete(t)
}

// tablesForAReader are those of sysbench, and an account that may only read.
var tablesForAReader = []string{
	"CREATE USER IF NOT EXISTS reader IDENTIFIED BY 'change-me';", "GRANT SELECT ON assay.* TO reader;",
	"CREATE TABLE IF NOT EXISTS assay.sbtest1 (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL, c CHAR(120) NOT NULL, pad CHAR(60) NOT NULL, KEY (k));",
	"INSERT IGNORE INTO assay.sbtest1 SELECT seq, seq, REPEAT('c', 119), REPEAT('p', 59) FROM assay.seq_1_to_10000;",
	"CREATE TABLE IF NOT EXISTS assay.sbtest2 LIKE assay.sbtest1;", "INSERT IGNORE INTO assay.sbtest2 SELECT * FROM assay.sbtest1;",
}

// onTables that exist, with an account that may only read.
func onTables(t *testing.T, file string) {
	s := readSample(t, file)
	standIn(t, s.ns, tablesForAReader...)
	run := s.instead(t, "db.example.com", theServer(s.ns)).complete(t)
	if st := run.Status.Targets[0]; st.CleanupResult != "" || len(st.Load) > 0 {
		t.Errorf("something was loaded or dropped: %+v", st)
	}
}

// onAnAuthority: the server has a certificate, and the account the rights of the head of the file. There are two blocks of ten seconds, and no
// check of the data, which takes a small server minutes after each window.
func onAnAuthority(t *testing.T, file string) {
	s := readSample(t, file)
	certs, err := certificate.Make([]string{theServer(s.ns)}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	tls := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "shop-tls"},
		Data:       map[string][]byte{corev1.TLSCertKey: certs.ServerCert, corev1.TLSPrivateKeyKey: certs.ServerKey},
	}
	if err := cluster.API.Create(t.Context(), tls); err != nil {
		t.Fatal(err)
	}
	standIn(t, s.ns, "REVOKE ALL PRIVILEGES ON assay.* FROM bench;", "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX ON assay.* TO bench;")
	run := s.instead(t, "db.example.com", theServer(s.ns), "the certificates of the authority, in PEM form", strconv.Quote(string(certs.CA)),
		"warehouses: 2, threads: 4", "warehouses: 2, threads: 4, checkWarehouses: 0", "blocks: 6", "blocks: 2", "warmup: 10s", "warmup: 2s", "duration: 60s", "duration: 10s").complete(t)
	if st := run.Status.Targets[0]; st.TLS == nil || !strings.HasPrefix(st.TLS.Version, "TLSv1.") {
		t.Errorf("a session of the target has %+v", st.TLS)
	}
}

// loadedOnce: an object store of the cluster keeps what the first sample loads, and the second measures on it, in two blocks of short trials.
func loadedOnce(t *testing.T) {
	startObjectStore(t).use(t, "")
	first := readSample(t, "data-set-make.yaml")
	first.complete(t)
	second := readSampleIn(t, "data-set.yaml", first.ns)
	run := second.instead(t, "design: {blocks: 8, warmup: 5s, duration: 20s}", "design: {blocks: 2, warmup: 0s, duration: 4s}").complete(t)
	for _, st := range run.Status.Targets {
		if st.Data == nil || st.Data.Origin != v1alpha1.DataOriginRestored || len(st.Load) > 0 {
			t.Errorf("the data of target %s: %+v, load %+v", st.Name, st.Data, st.Load)
		}
	}
}

// firstCells of an experiment at full size that can be had here, reduced by the rule of make cells.
func firstCells(t *testing.T, file string) {
	s := readSample(t, file)
	text, spec, err := fullsize.FirstManifest([]byte(s.text))
	if err != nil {
		t.Fatal(err)
	}
	s.text = text
	got := s.complete(t)
	if p := got.Status.Progress; p.Planned == 0 || p.Succeeded != p.Planned {
		t.Errorf("%d of %d trials have a result: %+v", p.Succeeded, p.Planned, got.Status.Findings)
	}
	if spec.Workload.Drivers != nil {
		checkComparison(t, s.ns, got)
	}
}

// theirServers of an experiment at full size, which cannot be had: all their cells, reduced in the same way, on a server of another maker that
// stands at the addresses of all of them. Each has a schema of its own, and the account of the manifest the rights that the guide names. Then the
// first cells that can be had.
func theirServers(t *testing.T, file string) {
	s := readSample(t, file)
	run, given, err := plays.Manifest([]byte(s.text))
	if err != nil {
		t.Fatal(err)
	}
	run.Spec.SetDefaults()
	run.Spec.Targets = slices.DeleteFunc(run.Spec.Targets, func(target v1alpha1.Target) bool { return target.External == nil })
	sql := []string{"CREATE USER ycsb IDENTIFIED BY 'change-me';"}
	for i, target := range run.Spec.Targets {
		run.Spec.Targets[i].External.Host, run.Spec.Targets[i].External.Database = theServer(s.ns), target.Name
		sql = append(sql, "CREATE DATABASE "+target.Name+";", "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX ON "+target.Name+".* TO ycsb;")
	}
	if len(run.Spec.Targets) == 0 {
		t.Fatal("it has no server of the user's")
	}
	standIn(t, s.ns, sql...)
	account := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: run.Spec.Targets[0].External.Credentials.Name}, StringData: map[string]string{"username": "ycsb", "password": "change-me"}}
	if err := cluster.API.Create(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	spec, err := fullsize.Reduce(run.Spec, given)
	if err != nil {
		t.Fatal(err)
	}
	if s.text, err = fullsize.Manifest(run.Name, spec); err != nil {
		t.Fatal(err)
	}
	got := s.complete(t)
	if p := got.Status.Progress; int(p.Planned) != len(spec.Targets) || p.Succeeded != p.Planned {
		t.Errorf("%d of %d trials of %d servers have a result: %+v", p.Succeeded, p.Planned, len(spec.Targets), got.Status.Findings)
	}
	firstCells(t, file)
}
