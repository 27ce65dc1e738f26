package ycsb

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/apischema"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const aWorkload = `{"workload":"a","recordCount":1000,"threads":20,"driver":"MySQL","columns":"Text","fieldCount":10,
	"fieldLength":100,"statusIntervalSeconds":1}`

// aTrialOf a workload that has some fields more, or others.
func aTrialOf(t *testing.T, changes map[string]any) contract.Trial {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(aWorkload), &fields); err != nil {
		t.Fatal(err)
	}
	for name, value := range changes {
		fields[name] = value
	}
	workload, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return contract.Trial{
		Version: contract.TrialVersion, Runner: Name, Workload: workload, Clients: 1,
		Ref:           contract.TrialRef{RunUID: "0f9e8d7c-0000-4000-8000-000000000001"},
		WarmupSeconds: 30, DurationSeconds: 300,
		Endpoint: contract.Endpoint{
			Host: "innodb.bench.svc", Port: 3306, Database: "assay", TLS: contract.TLSDisabled, StorageEngine: "InnoDB",
		},
	}
}

var someone = runner.Credentials{Username: "assay", Password: "s3cret"}

// given are the properties of a command line.
func given(args []string) map[string]string {
	all := map[string]string{}
	for i, arg := range args {
		if arg == "-p" {
			name, value, _ := strings.Cut(args[i+1], "=")
			all[name] = value
		}
	}
	return all
}

// begins is what stands in front of the properties.
func begins(args []string) string {
	for i, arg := range args {
		if arg == "-p" {
			return strings.Join(args[:i], " ")
		}
	}
	return strings.Join(args, " ")
}

func TestCommandInFull(t *testing.T) {
	got, err := command(aTrialOf(t, nil), contract.PhaseRun, someone)
	if err != nil {
		t.Fatal(err)
	}
	want := runner.Command{
		Path: "java",
		Args: strings.Fields("-cp /opt/ycsb/lib/* dev.assay.ycsb.Main run -db site.ycsb.db.JdbcDBClient -s -threads 20 -P secret.properties " +
			"-p db.batchsize=0 -p db.driver=com.mysql.cj.jdbc.Driver " +
			"-p db.url=jdbc:mysql://innodb.bench.svc:3306/assay?sslMode=DISABLED&allowPublicKeyRetrieval=true " +
			"-p exporter=site.ycsb.measurements.exporter.TextMeasurementsExporter -p fieldcount=10 -p fieldlength=100 " +
			"-p fieldlengthdistribution=constant -p hdrhistogram.fileoutput=true -p hdrhistogram.output.path=hdr- " +
			"-p hdrhistogram.percentiles=50,95,99,99.9 -p insertcount=1000 -p insertorder=hashed -p insertproportion=0 " +
			"-p insertstart=0 -p jdbc.batchupdateapi=false -p jdbc.fetchsize=0 -p maxexecutiontime=300 -p maxscanlength=1000 " +
			"-p measurement.interval=op -p measurementtype=hdrhistogram -p operationcount=2147483647 -p readallfields=true " +
			"-p readmodifywriteproportion=0 -p readproportion=0.5 -p recordcount=1000 -p requestdistribution=zipfian " +
			"-p scanlengthdistribution=uniform -p scanproportion=0 -p status.interval=1 -p table=usertable -p updateproportion=0.5 " +
			"-p workload=site.ycsb.workloads.CoreWorkload -p writeallfields=false"),
		Files:   map[string][]byte{"secret.properties": []byte("db.user=assay\ndb.passwd=s3cret\n")},
		Collect: []string{"hdr-*.hdr"},
		// Nobody can seed it.
		Unseeded: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
}

func TestCommandOfPhases(t *testing.T) {
	const java = "-cp /opt/ycsb/lib/* dev.assay.ycsb.Main "
	const rest = " -db site.ycsb.db.JdbcDBClient -s -threads "
	index := 3
	tests := map[string]struct {
		phase   contract.Phase
		changes map[string]any
		trial   func(*contract.Trial)
		begins  string
		with    map[string]string // a property without a value must not be there
	}{
		"the first client makes the table and loads its share": {
			phase: contract.PhasePrepare, trial: func(t *contract.Trial) { t.Clients = 3 }, begins: java + "load" + rest + "20 -P secret.properties",
			with: map[string]string{"insertstart": "0", "insertcount": "334", "recordcount": "1000", "operationcount": "0", "assay.engine": "InnoDB",
				"assay.columns": "Text", "assay.run": "0f9e8d7c-0000-4000-8000-000000000001", "assay.wait": "120", "maxexecutiontime": ""},
		},
		"another client waits for the table": {
			phase: contract.PhasePrepare, begins: java + "await" + rest + "20 -P secret.properties",
			trial: func(t *contract.Trial) { t.Clients, t.Ref.Client = 3, 2 },
			with:  map[string]string{"insertstart": "667", "insertcount": "333"},
		},
		"no more threads than rows load, and no rate holds them back": {
			phase: contract.PhasePrepare, changes: map[string]any{"recordCount": 7, "target": 100}, begins: java + "load" + rest + "7 -P secret.properties",
			with: map[string]string{"measurement.interval": "op"},
		},
		"batches": {
			phase: contract.PhasePrepare, begins: java + "load" + rest + "20 -P secret.properties",
			changes: map[string]any{"batchSize": 5000, "batchUpdateAPI": true, "urlParameters": map[string]string{"rewriteBatchedStatements": "true"}},
			with: map[string]string{"db.batchsize": "5000", "jdbc.batchupdateapi": "true",
				"db.url": "jdbc:mysql://innodb.bench.svc:3306/assay?sslMode=DISABLED&allowPublicKeyRetrieval=true&rewriteBatchedStatements=true"},
		},
		"a warm-up has its time, and no number of operations": {
			phase: contract.PhaseWarmup, changes: map[string]any{"operationCount": 500}, begins: java + "run" + rest + "20 -P secret.properties",
			with: map[string]string{"operationcount": "2147483647", "maxexecutiontime": "30", "assay.insertrange": ""},
		},
		"a rate is offered, and latencies count from the intended start as well": {
			phase: contract.PhaseRun, changes: map[string]any{"target": 1000, "operationCount": 500},
			begins: java + "run" + rest + "20 -target 1000 -P secret.properties",
			with:   map[string]string{"operationcount": "500", "measurement.interval": "both"},
		},
		"options of Java come first, and properties change a preset": {
			phase: contract.PhaseRun, begins: "-Xmx2g " + java + "run" + rest + "20 -P secret.properties",
			changes: map[string]any{"workload": "c", "jvmOptions": []string{"-Xmx2g"},
				"properties": map[string]string{"readproportion": "0.9", "updateproportion": "0.1", "requestdistribution": "uniform", "spin.sleep": "true"}},
			with: map[string]string{"readproportion": "0.9", "updateproportion": "0.1", "requestdistribution": "uniform", "spin.sleep": "true",
				"workload": "site.ycsb.workloads.CoreWorkload"},
		},
		"new rows have keys of their own in each phase, trial and client": {
			phase: contract.PhaseRun, changes: map[string]any{"workload": "d"}, begins: java + "run" + rest + "20 -P secret.properties",
			trial: func(t *contract.Trial) { t.Clients, t.Ref.Client, t.Ref.Index = 4, 1, &index },
			with:  map[string]string{"workload": "dev.assay.ycsb.OwnInserts", "assay.insertrange": "449", "requestdistribution": "latest"},
		},
		"the warm-up before": {
			phase: contract.PhaseWarmup, changes: map[string]any{"workload": "e"}, begins: java + "run" + rest + "20 -P secret.properties",
			trial: func(t *contract.Trial) { t.Clients, t.Ref.Client, t.Ref.Index = 4, 1, &index },
			with:  map[string]string{"assay.insertrange": "385", "assay.operations": "0", "operationcount": "2147483647", "maxscanlength": "100"},
		},
		"a window that begins after a warm-up in the same process": {
			phase: contract.PhaseRun, begins: java + "run" + rest + "20 -P secret.properties",
			trial: func(t *contract.Trial) { t.Begin = time.UnixMilli(1795329647820) },
			with: map[string]string{"assay.begin": "1795329647820", "assay.window": "300", "assay.interval": "1", "assay.hold": "false",
				"maxexecutiontime": "392", "status.interval": "392", "operationcount": "2147483647", "workload": "dev.assay.ycsb.Core"},
		},
		"several clients without a warm-up wait for the window": {
			phase: contract.PhaseRun, begins: java + "run" + rest + "20 -P secret.properties", changes: map[string]any{"statusIntervalSeconds": 10},
			trial: func(t *contract.Trial) { t.Begin, t.Clients, t.WarmupSeconds = time.UnixMilli(1), 2, 0 },
			with:  map[string]string{"assay.begin": "1", "assay.window": "300", "assay.interval": "10", "assay.hold": "true", "maxexecutiontime": "365"},
		},
		"several clients that count operations begin together, and end when they have done them": {
			phase: contract.PhaseRun, begins: java + "run" + rest + "20 -P secret.properties", changes: map[string]any{"operationCount": 500},
			trial: func(t *contract.Trial) { t.Begin, t.Clients = time.UnixMilli(1), 2 },
			with: map[string]string{"assay.begin": "1", "assay.window": "0", "assay.hold": "true", "maxexecutiontime": "305", "operationcount": "500",
				"workload": "dev.assay.ycsb.Core"},
		},
		"one client that counts operations is timed by YCSB, as published": {
			phase: contract.PhaseRun, begins: java + "run" + rest + "20 -P secret.properties", changes: map[string]any{"operationCount": 500},
			trial: func(t *contract.Trial) { t.Begin = time.UnixMilli(1) },
			with:  map[string]string{"assay.begin": "", "maxexecutiontime": "300", "status.interval": "1", "workload": "site.ycsb.workloads.CoreWorkload"},
		},
		"new rows keep their own keys where the warm-up inserts in the same process": {
			phase: contract.PhaseRun, begins: java + "run" + rest + "20 -P secret.properties", changes: map[string]any{"workload": "d"},
			trial: func(t *contract.Trial) {
				t.Begin, t.Clients, t.Ref.Client, t.Ref.Index = time.UnixMilli(1), 4, 1, &index
			},
			with: map[string]string{"workload": "dev.assay.ycsb.OwnInserts", "assay.insertrange": "449", "assay.begin": "1", "assay.hold": "false"},
		},
		"an older driver is before the newest one": {
			phase: contract.PhaseRun, changes: map[string]any{"driverVersion": "8.0.26"},
			begins: "-cp /opt/ycsb/mysql-8.0.26/*:/opt/ycsb/lib/* dev.assay.ycsb.Main run" + rest + "20 -P secret.properties",
			with:   map[string]string{"db.driver": "com.mysql.cj.jdbc.Driver", "db.url": "jdbc:mysql://innodb.bench.svc:3306/assay?sslMode=DISABLED&allowPublicKeyRetrieval=true"},
		},
		"an older driver with TLS": {
			phase: contract.PhaseRun, changes: map[string]any{"driverVersion": "8.0.26"}, trial: func(t *contract.Trial) { t.Endpoint.TLS = contract.TLSRequired },
			begins: "-cp /opt/ycsb/mysql-8.0.26/*:/opt/ycsb/lib/* dev.assay.ycsb.Main run" + rest + "20 -P secret.properties",
			with:   map[string]string{"db.url": "jdbc:mysql://innodb.bench.svc:3306/assay?sslMode=REQUIRED&enabledTLSProtocols=TLSv1.2,TLSv1.3"},
		},
		"an older driver behind JDBC": {
			phase: contract.PhaseRun, changes: map[string]any{"driverVersion": "8.0.26"},
			begins: "-cp /opt/ycsb/mysql-8.0.26/*:/opt/ycsb/lib/* dev.assay.ycsb.Main run" + rest + "20 -P secret.properties",
			trial: func(t *contract.Trial) {
				t.Endpoint = contract.Endpoint{TLS: contract.TLSDisabled, JDBC: &contract.JDBC{URL: "jdbc:mysql://db/ycsb", Driver: "com.mysql.cj.jdbc.Driver"}}
			},
		},
		"cleanup drops the table": {
			phase: contract.PhaseCleanup, begins: java + "drop" + rest + "1 -P secret.properties",
		},
		"a database behind a JDBC driver": {
			phase: contract.PhasePrepare, begins: java + "load" + rest + "20 -P secret.properties",
			trial: func(t *contract.Trial) {
				t.Clients = 2
				t.Endpoint = contract.Endpoint{TLS: contract.TLSDisabled, JDBC: &contract.JDBC{
					URL: "jdbc:sqlserver://db:1433;database=ycsb;encrypt=true", Driver: "com.microsoft.sqlserver.jdbc.SQLServerDriver"}}
			},
			with: map[string]string{"db.url": "jdbc:sqlserver://db:1433;database=ycsb;encrypt=true", "insertcount": "1000",
				"db.driver": "com.microsoft.sqlserver.jdbc.SQLServerDriver", "assay.engine": ""},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			trial := aTrialOf(t, tt.changes)
			if tt.trial != nil {
				tt.trial(&trial)
			}
			got, err := command(trial, tt.phase, someone)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.begins, begins(got.Args)); diff != "" {
				t.Errorf("command line (-want +got):\n%s", diff)
			}
			properties := given(got.Args)
			for name, want := range tt.with {
				if properties[name] != want {
					t.Errorf("%s = %q, want %q", name, properties[name], want)
				}
			}
		})
	}
}

func TestURLsOfDrivers(t *testing.T) {
	const key = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
	tests := map[string]struct {
		driver      string
		tls         contract.TLSMode
		credentials runner.Credentials
		url         string
		files       string
	}{
		"MySQL without TLS": {"MySQL", contract.TLSDisabled, runner.Credentials{CA: []byte("CA")},
			"jdbc:mysql://innodb.bench.svc:3306/assay?sslMode=DISABLED&allowPublicKeyRetrieval=true", "secret.properties"},
		"MySQL with TLS and no CA": {"MySQL", contract.TLSRequired, runner.Credentials{},
			"jdbc:mysql://innodb.bench.svc:3306/assay?sslMode=REQUIRED", "secret.properties"},
		"MySQL with a CA and a certificate": {"MySQL", contract.TLSRequired, runner.Credentials{CA: []byte("CA"), Cert: []byte("C"), Key: []byte(key)},
			"jdbc:mysql://innodb.bench.svc:3306/assay?sslMode=VERIFY_CA&trustCertificateKeyStoreUrl=file:trust.p12&trustCertificateKeyStoreType=PKCS12&" +
				"trustCertificateKeyStorePassword=keystore&clientCertificateKeyStoreUrl=file:client.p12&clientCertificateKeyStoreType=PKCS12&" +
				"clientCertificateKeyStorePassword=keystore", "ca.pem client-cert.pem client-key.pem secret.properties"},
		"MariaDB without TLS": {"MariaDB", contract.TLSDisabled, runner.Credentials{},
			"jdbc:mariadb://innodb.bench.svc:3306/assay?sslMode=disable&allowPublicKeyRetrieval=true", "secret.properties"},
		"MariaDB with TLS and no CA": {"MariaDB", contract.TLSRequired, runner.Credentials{},
			"jdbc:mariadb://innodb.bench.svc:3306/assay?sslMode=trust", "secret.properties"},
		"MariaDB with a CA": {"MariaDB", contract.TLSRequired, runner.Credentials{CA: []byte("CA")},
			"jdbc:mariadb://innodb.bench.svc:3306/assay?sslMode=verify-ca&serverSslCert=ca.pem", "ca.pem secret.properties"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			trial := aTrialOf(t, map[string]any{"driver": tt.driver})
			trial.Endpoint.TLS = tt.tls
			tt.credentials.Username = "assay"
			got, err := command(trial, contract.PhaseRun, tt.credentials)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.url, given(got.Args)["db.url"]); diff != "" {
				t.Errorf("URL (-want +got):\n%s", diff)
			}
			if files := strings.Join(sortedNames(got.Files), " "); files != tt.files {
				t.Errorf("files %s, want %s", files, tt.files)
			}
		})
	}
}

func TestCommandRefuses(t *testing.T) {
	properties := func(name, value string) map[string]any {
		return map[string]any{"properties": map[string]string{name: value}}
	}
	parameters := func(name, value string) map[string]any {
		return map[string]any{"urlParameters": map[string]string{name: value}}
	}
	jdbc := func(url string) func(*contract.Trial) {
		return func(t *contract.Trial) {
			t.Endpoint = contract.Endpoint{TLS: contract.TLSDisabled, JDBC: &contract.JDBC{URL: url, Driver: "a.Driver"}}
		}
	}
	tests := map[string]struct {
		changes map[string]any
		trial   func(*contract.Trial)
		says    string
	}{
		"a field that it does not know":              {changes: map[string]any{"batch": 1}, says: `unknown field "batch"`},
		"batches without a size":                     {changes: map[string]any{"batchUpdateAPI": true}, says: "workload.ycsb.batchSize"},
		"fewer operations than threads":              {changes: map[string]any{"operationCount": 19}, says: "threads (20)"},
		"the class name of YCSB 0.16":                {changes: properties("workload", "com.yahoo.ycsb.workloads.CoreWorkload"), says: "which 0.17 calls site.ycsb"},
		"a property that has a field":                {changes: properties("db.batchsize", "1"), says: "use the field batchSize"},
		"a property of Assay":                        {changes: properties("assay.run", "1"), says: "Assay's own"},
		"a blank at the end of a value":              {changes: properties("jdbc.autocommit", "false "), says: "has a blank in front or at the end"},
		"a line break in a value":                    {changes: properties("fieldnameprefix", "a\nb"), says: "line break"},
		"a name with an equals sign":                 {changes: properties("a=b", "c"), says: "is not a name"},
		"a share that is no number":                  {changes: properties("readproportion", "half"), says: "workload.ycsb.properties.readproportion"},
		"a share that is not a number, as Go has it": {changes: properties("readproportion", "NaN"), says: "workload.ycsb.properties.readproportion"},
		"no operation at all": {changes: map[string]any{"workload": "c", "properties": map[string]string{"readproportion": "0"}},
			says: "all shares are 0"},
		"lengths from a file":            {changes: properties("fieldlengthdistribution", "histogram"), says: "which the client has not"},
		"TLS by a parameter":             {changes: parameters("sslMode", "DISABLED"), says: "use the target's tls"},
		"TLS by a parameter, other case": {changes: parameters("USESSL", "false"), says: "use the target's tls"},
		"a blank in front of a parameter's value": {changes: parameters("rewriteBatchedStatements", " true"),
			says: "workload.ycsb.urlParameters.rewriteBatchedStatements"},
		"two parameters in one":        {changes: parameters("a", "b&sslMode=DISABLED"), says: "drivers read differently"},
		"another class path":           {changes: map[string]any{"jvmOptions": []string{"-cp=x"}}, says: "workload.ycsb.jvmOptions[0]"},
		"an argument that is a class":  {changes: map[string]any{"jvmOptions": []string{"-Xmx1g", "a.Main"}}, says: "workload.ycsb.jvmOptions[1]"},
		"SQL Server's driver on MySQL": {changes: map[string]any{"driver": "SQLServer"}, says: "external.jdbc"},
		"a version that is not there":  {changes: map[string]any{"driverVersion": "8.0.27"}, says: "workload.ycsb.driverVersion: the image has no 8.0.27 of MySQL: leave it out for the newest one, or use one of: 8.0.26"},
		"a version of another driver":  {changes: map[string]any{"driver": "MariaDB", "driverVersion": "8.0.26"}, says: "use one of: none"},
		"a version of another class":   {changes: map[string]any{"driverVersion": "8.0.26"}, trial: jdbc("jdbc:mysql://h/d"), says: "external.jdbc.driver is a.Driver: leave it out"},
		"several hosts":                {trial: func(t *contract.Trial) { t.Endpoint.Host = "a,b" }, says: "endpoint.host"},
		"no port":                      {trial: func(t *contract.Trial) { t.Endpoint.Port = 0 }, says: "endpoint.port"},
		"a database that is more":      {trial: func(t *contract.Trial) { t.Endpoint.Database = "a?b" }, says: "endpoint.database"},
		"TLS that is not decided":      {trial: func(t *contract.Trial) { t.Endpoint.TLS = contract.TLSPreferred }, says: "endpoint.tls"},
		"an engine that is more":       {trial: func(t *contract.Trial) { t.Endpoint.StorageEngine = "InnoDB x" }, says: "endpoint.storageEngine"},
		"a run that is no UID":         {trial: func(t *contract.Trial) { t.Ref.RunUID = "'" }, says: "ref.runUID"},
		"a client beyond the last":     {trial: func(t *contract.Trial) { t.Ref.Client = 1 }, says: "ref.client"},
		"a password in an URL":         {trial: jdbc("jdbc:sqlserver://h;password=x"), says: "everyone on the node"},
		"a user in an URL":             {trial: jdbc("jdbc:mysql://u:p@h/d"), says: "everyone on the node"},
		"parameters beside an URL":     {changes: parameters("a", "b"), trial: jdbc("jdbc:mysql://h/d"), says: "external.jdbc.url"},
		"TLS beside an URL": {trial: func(t *contract.Trial) {
			jdbc("jdbc:mysql://h/d")(t)
			t.Endpoint.TLS = contract.TLSRequired
		}, says: "cannot be proven"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			trial := aTrialOf(t, tt.changes)
			if tt.trial != nil {
				tt.trial(&trial)
			}
			_, err := command(trial, contract.PhasePrepare, someone)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got error %v, want one that says %q", err, tt.says)
			}
		})
	}
}

func TestPhasesWithoutATime(t *testing.T) {
	trial := aTrialOf(t, nil)
	trial.WarmupSeconds, trial.DurationSeconds = 0, 0
	for phase, says := range map[contract.Phase]string{contract.PhaseWarmup: "warmupSeconds", contract.PhaseRun: "durationSeconds", "Pause": "phase"} {
		if _, err := command(trial, phase, someone); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got error %v, want one that says %q", phase, err, says)
		}
	}
}

// Whatever the workload is, it is refused with a message that names the field, or it gives
// command lines without blanks around values, in every phase.
func FuzzCommand(f *testing.F) {
	f.Add(aWorkload)
	f.Add(`{"workload":"d","recordCount":1,"threads":1,"driver":"MariaDB","columns":"Varchar","fieldCount":1,"fieldLength":1,
		"statusIntervalSeconds":1,"properties":{"insertproportion":"1"},"urlParameters":{"a":"b"},"jvmOptions":["-Xmx1g"]}`)
	tool, err := apischema.ForTool(Name)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, workload string) {
		trial := aTrialOf(t, nil)
		if trial.Workload, err = tool.Complete(json.RawMessage(workload)); err != nil {
			t.Skip("the API refuses it")
		}
		for _, phase := range []contract.Phase{contract.PhasePrepare, contract.PhaseWarmup, contract.PhaseRun, contract.PhaseCleanup} {
			c, err := command(trial, phase, someone)
			if err != nil {
				if !strings.HasPrefix(err.Error(), "workload.ycsb") {
					t.Errorf("%s: the message names no field: %v", phase, err)
				}
				continue
			}
			for name, value := range given(c.Args) {
				if value != strings.TrimSpace(value) {
					t.Errorf("%s: blanks around %s=%q", phase, name, value)
				}
			}
		}
	})
}
