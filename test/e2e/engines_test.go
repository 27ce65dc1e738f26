package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// served is a server that is built here, and a storage engine of its flavor: a line of the table of images by its series in the
// catalogue, or an image that the catalogue does not have.
type served struct{ name, flavor, series, storageEngine, image string }

// withoutPlugins is a line of the table whose build has no plugins, and so no RocksDB.
const withoutPlugins = "mariadb:11.4"

// tableOfImages are the lines of the table that have a series: images of servers.
func tableOfImages(t *testing.T) (out []struct{ Name, Series string }) {
	t.Helper()
	text, err := os.ReadFile("../../hack/images/images.yaml")
	var table struct {
		Images []struct{ Name, Series string }
	}
	if err == nil {
		err = yaml.Unmarshal(text, &table)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range table.Images {
		if i.Series != "" {
			out = append(out, i)
		}
	}
	return out
}

// servers of all flavors for which the project has images.
func servers(t *testing.T) (out []served) {
	t.Helper()
	for _, i := range tableOfImages(t) {
		for _, e := range engines.All() {
			for n := 0; strings.EqualFold(e.Flavor, i.Name) && n < len(e.StorageEngines); n++ {
				if n > 0 && i.Name+":"+i.Series == withoutPlugins {
					break
				}
				name := strings.ToLower(i.Name + "-" + strings.ReplaceAll(i.Series, ".", "") + "-" + e.StorageEngines[n])
				out = append(out, served{name: name, flavor: e.Flavor, series: i.Series, storageEngine: e.StorageEngines[n]})
			}
		}
	}
	return out
}

// Every server that can be had is started, loaded, measured, stopped and started again
// beside the others, one at a time on one node, each trial from its snapshot.
func TestEveryEngine(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	playServers(t, "engines", servers(t))
}

// flavorOf the server in an image that has the layout of an official one. That of Percona's holds MySQL.
var flavorOf = map[string]string{"layout-mysql": "MySQL", "layout-percona": "MySQL", "layout-mariadb": "MariaDB"}

// What holds for the images that the project cuts itself holds for those of the layouts of official ones: another user and other
// folders, an entry point and option files, which in these images fail whoever uses them.
func TestOfficialLayouts(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	var all []served
	for _, i := range tableOfImages(t) {
		if !strings.HasPrefix(i.Name, "layout-") {
			continue
		}
		flavor := flavorOf[i.Name]
		if flavor == "" {
			t.Fatalf("whose server is in the image %s?", i.Name)
		}
		all = append(all, served{name: i.Name, flavor: flavor, series: i.Series, storageEngine: "InnoDB", image: localImage(t, i.Name+":"+i.Series)})
	}
	if len(all) < len(flavorOf) {
		t.Fatalf("the table of images has the layouts %+v", all)
	}
	playServers(t, "layouts", all)
}

// mostTargets of a run, as the API has it.
const mostTargets = 8

// playServers plays runs of all servers, and checks what is known of each afterwards.
func playServers(t *testing.T, name string, all []served) {
	t.Helper()
	ns := cluster.Namespace(t)
	for n, part := range slices.Collect(slices.Chunk(all, mostTargets)) {
		var targets []string
		for _, s := range part {
			targets = append(targets, s.target())
		}
		run := cluster.Apply(t, ns, cluster.RunYAML(fmt.Sprintf("%s-%d", name, n), strings.Join(targets, "\n"), `  design: {blocks: 1, warmup: 0s, duration: 3s, idleTargets: Stopped, dataReset: PerTrial}
`))
		got := cluster.AwaitRun(t, run, 20*time.Minute)
		cluster.Complete(t, got)
		if len(got.Status.Targets) != len(part) {
			t.Fatalf("%d targets, want %d", len(got.Status.Targets), len(part))
		}
		for i, s := range part {
			s.check(t, got, got.Status.Targets[i])
		}
	}
}

// target of a run.
func (s served) target() string {
	shape := "{name: kind-target}"
	if e, _ := engines.Find(s.flavor); e.Initialise == nil { // no mysqld: it needs more memory
		shape = "{inline: {cpu: 750m, memory: 2Gi, nodeSelector: {node.kubernetes.io/instance-type: kind.target}}}"
	}
	which := fmt.Sprintf("version: %q", s.series)
	if s.image != "" {
		which = fmt.Sprintf("image: %q", s.image)
	}
	return fmt.Sprintf("  - {name: %s, shape: %s, mysql: {flavor: %s, %s, storageEngine: %s, storage: {size: 4Gi}}}", s.name, shape, s.flavor, which, s.storageEngine)
}

// check what a run knows of the server.
func (s served) check(t *testing.T, run *v1alpha1.BenchmarkRun, target v1alpha1.TargetStatus) {
	t.Helper()
	if target.Storage == nil || target.Storage.Filesystem == "" || target.Storage.FsyncP50Seconds == "" || target.RoundTripSeconds == "" {
		t.Errorf("target %s: storage %+v, round trip %q: not probed", s.name, target.Storage, target.RoundTripSeconds)
	}
	loaded := cluster.Stored(t, run.Namespace, contract.LoadName(run.Name, s.name), 0)
	known := engines.Of(*loaded.Server)
	// Between two releases TiDB calls itself a placeholder. A running Dolt shows MySQL's version only.
	if known.Flavor != s.flavor || known.Version != "" && !strings.HasPrefix(known.Version, s.series+".") && !strings.Contains(target.ServerVersion, "placeholder") {
		t.Errorf("target %s answers as %q, which is %s %s", s.name, target.ServerVersion, known.Flavor, known.Version)
	}
	if _, lacks := known.Facts.Lacks[engine.CountsFlushes]; !lacks {
		if fsyncs, err := strconv.ParseFloat(target.FsyncsPerCommit, 64); err != nil || fsyncs < 1 {
			t.Errorf("target %s forces its log %q times per commit: %+v", s.name, target.FsyncsPerCommit, loaded.Server.Durability)
		}
	}
	if loaded.Data == nil || len(loaded.Data.Tables) != 2 || loaded.Data.Tables[0].Rows != 2000 {
		t.Errorf("target %s holds %+v", s.name, loaded.Data)
	}
	if target.Storage != nil {
		t.Logf("%s: %s, fsyncs per commit %s, storage %+v, round trip %s s", s.name, target.ServerVersion, target.FsyncsPerCommit, *target.Storage, target.RoundTripSeconds)
	}
}

// A thousand connections run, or are refused in advance with the arithmetic.
func TestThousandThreads(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	ns := cluster.Namespace(t)
	many := func(name, targets, test string) *v1alpha1.BenchmarkRun {
		text := cluster.RunYAML(name, targets, "  design: {blocks: 1, warmup: 0s, duration: 10s}\n")
		return cluster.Apply(t, ns, strings.Replace(text, "test: oltp_read_write, threads: 2, tables: 2", "test: "+test+", threads: 1000, tables: 18", 1))
	}
	t.Run("a server of Assay's gets the limits", func(t *testing.T) {
		// One statement per table and connection: sysbench waits only 30 s for its threads,
		// and the servers of this cluster have a part of a CPU. A thousand connections to
		// MySQL 9.7 do not fit into its 1 GiB: with it the server was killed.
		large := strings.Replace(cluster.MySQL, "{name: kind-target}", "{inline: {cpu: 750m, memory: 4Gi, nodeSelector: {node.kubernetes.io/instance-type: kind.target}}}", 1)
		got := cluster.AwaitRun(t, many("thousand", large, "oltp_point_select"), 10*time.Minute)
		cluster.Complete(t, got)
		variables := cluster.Stored(t, ns, contract.TrialName(got.Name, 0, 0), 0).Server.Variables
		for name, least := range map[string]int{"max_connections": 1000, "max_prepared_stmt_count": 18000} {
			if n, err := strconv.Atoi(variables[name]); err != nil || n < least {
				t.Errorf("%s = %q, want at least %d", name, variables[name], least)
			}
		}
	})
	t.Run("a limit of the user's that is too low is refused", func(t *testing.T) {
		target := strings.Replace(cluster.MySQL, "config: {", `config: {max_prepared_stmt_count: "16382", `, 1)
		got := cluster.AwaitRun(t, many("refused", target, "oltp_read_write"), time.Minute)
		failedWith(t, got, string(contract.ReasonLimitTooLow))
		if text := cluster.Message(got, v1alpha1.ConditionFailed); !strings.Contains(text, "16382") || !strings.Contains(text, "= 164000") {
			t.Errorf("the message has no arithmetic: %s", text)
		}
	})
}

// Two databases of which nothing but the JDBC URL is known are measured, each by its own driver, beside numbers that somebody published.
func TestJDBCTargetBesidePublishedNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	ns := cluster.Namespace(t)
	host := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("host", cluster.MariaDB+"\n"+cluster.MySQL, shared+"  retain: Always\n")), 5*time.Minute)
	cluster.Complete(t, host)
	cluster.OpenDatabases(t, ns)
	published := publishedAzure(t)
	published.Namespace = ns
	if err := cluster.API.Create(t.Context(), published); err != nil {
		t.Fatal(err)
	}
	second := fmt.Sprintf(`  - name: second
    external: {jdbc: {url: "jdbc:mysql://%s/assay?sslMode=DISABLED&allowPublicKeyRetrieval=true", driver: com.mysql.cj.jdbc.Driver}, credentials: {name: %s}}`,
		host.Status.Targets[1].Address, contract.TargetName("host", "mysql"))
	targets := fmt.Sprintf(`  - name: db
    external: {jdbc: {url: "jdbc:mariadb://%s/assay", driver: org.mariadb.jdbc.Driver}, credentials: {name: %s}}
%s
  - name: azure
    published: {configMap: {name: published-azure}, format: YCSB, source: "https://example.com/published"}`,
		host.Status.Targets[0].Address, contract.TargetName("host", "mariadb"), second)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, ycsbYAML("jdbc", targets, "{recordCount: 500, threads: 2, jvmOptions: [-Xmx128m]}", shared)), 5*time.Minute)
	cluster.Complete(t, got)
	for _, target := range got.Status.Targets {
		if target.Name == "azure" && (len(target.Quoted) == 0 || target.Quoted[0].Stage != v1alpha1.QuotedRun || target.Source == "") {
			t.Errorf("the published numbers are not shown: %+v", target)
		}
	}
	measured := map[string]bool{}
	for _, entry := range got.Status.Summary {
		measured[entry.Target] = true
	}
	if diff := cmp.Diff(map[string]bool{"db": true, "second": true}, measured); diff != "" {
		t.Errorf("targets of the summary, which has no published number (-want +got):\n%s", diff)
	}
	res := cluster.Stored(t, ns, contract.TrialName(got.Name, 0, 0), 0)
	if res.Server != nil {
		t.Errorf("something is known of a server behind JDBC: %+v", res.Server)
	}
	older := cluster.AwaitRun(t, cluster.Apply(t, ns, ycsbYAML("older", second, `{recordCount: 500, threads: 2, driverVersion: "8.0.26", jvmOptions: [-Xmx128m]}`, shared)), 5*time.Minute)
	cluster.Complete(t, older)
	if used := cluster.Stored(t, ns, contract.TrialName(older.Name, 0, 0), 0).Tool.Version; !strings.Contains(used, "8.0.26") {
		t.Errorf("it was asked for Connector/J 8.0.26, and used %s", used)
	}
}

// publishedAzure is the ConfigMap of the sample with the numbers that Microsoft
// published.
func publishedAzure(t *testing.T) *corev1.ConfigMap {
	t.Helper()
	file, err := os.Open(filepath.Join(samples, "published", "s1-ycsb", "azure.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for decoder := utilyaml.NewYAMLOrJSONDecoder(file, 4096); ; {
		cm := &corev1.ConfigMap{}
		if err := decoder.Decode(cm); err != nil {
			t.Fatalf("the sample has no ConfigMap published-azure: %v", err)
		}
		if cm.Kind == "ConfigMap" && cm.Name == "published-azure" {
			return cm
		}
	}
}
