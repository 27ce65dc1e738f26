package ycsb

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// sound is the report of a small run: two threads, three reads and an update.
const sound = `[OVERALL], RunTime(ms), 1000
[OVERALL], Throughput(ops/sec), 4.0
[READ], Operations, 3
[READ], AverageLatency(us), 200.0
[READ], MinLatency(us), 100
[READ], MaxLatency(us), 300
[READ], 95thPercentileLatency(us), 300
[READ], Return=OK, 3
[CLEANUP], Operations, 2
[CLEANUP], AverageLatency(us), 15.0
[CLEANUP], MinLatency(us), 10
[CLEANUP], MaxLatency(us), 20
[CLEANUP], 95thPercentileLatency(us), 20
[UPDATE], Operations, 1
[UPDATE], AverageLatency(us), 400.0
[UPDATE], MinLatency(us), 400
[UPDATE], MaxLatency(us), 400
[UPDATE], 95thPercentileLatency(us), 400
[UPDATE], Return=OK, 1
`

// loaded is the report of a small load: two threads and four rows.
const loaded = `[OVERALL], RunTime(ms), 1000
[OVERALL], Throughput(ops/sec), 4.0
[CLEANUP], Operations, 2
[CLEANUP], AverageLatency(us), 15.0
[CLEANUP], MinLatency(us), 10
[CLEANUP], MaxLatency(us), 20
[INSERT], Operations, 4
[INSERT], AverageLatency(us), 200.0
[INSERT], MinLatency(us), 100
[INSERT], MaxLatency(us), 300
[INSERT], Return=OK, 4
`

const complete = "[ASSAY], Driver, MySQL Connector/J mysql-connector-j-9.7.0 (Revision: 1)\n[ASSAY], COMPLETE\n"

func small(changes ...func(*Params)) fixture {
	return fixture{change: func(p *Params) {
		p.Threads, p.OperationCount, p.RecordCount = 2, 4, 4
		for _, change := range changes {
			change(p)
		}
	}}
}

func TestParseJudgesWhatWasDone(t *testing.T) {
	batches := func(size int32) func(*Params) { return func(p *Params) { p.BatchUpdateAPI, p.BatchSize = true, size } }
	batched := strings.ReplaceAll(loaded, "Return=OK, 4", "Return=BATCHED_OK, 4")
	replace := func(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
	tests := map[string]struct {
		phase          contract.Phase
		of             fixture
		stdout, stderr string
		exit           int
		signal         string
		want           contract.Reason
		message        string
	}{
		"a whole report is a success":                 {phase: contract.PhaseRun, stdout: sound, stderr: complete},
		"without our binding as well":                 {phase: contract.PhaseRun, stdout: sound},
		"a load of all rows":                          {phase: contract.PhasePrepare, stdout: loaded, stderr: complete},
		"a warm-up is not held against a count":       {phase: contract.PhaseWarmup, of: small(func(p *Params) { p.OperationCount = 7 }), stdout: sound, stderr: complete},
		"the last word is missing":                    {phase: contract.PhaseRun, stdout: sound, stderr: "[ASSAY], Server, MySQL 9.7.4\n", want: contract.ReasonOutputTruncated, message: "[ASSAY], COMPLETE"},
		"the last word is no":                         {phase: contract.PhaseRun, stdout: sound, stderr: "[ASSAY], INCOMPLETE, 1 of 2 threads have not connected\n", exit: 1, want: contract.ReasonToolFailed, message: "1 of 2 threads"},
		"another exit code":                           {phase: contract.PhaseRun, stdout: sound, exit: 3, want: contract.ReasonToolFailed, message: "exit code 3"},
		"a signal":                                    {phase: contract.PhaseRun, stdout: sound, exit: -1, signal: "SIGKILL", want: contract.ReasonToolFailed, message: "OOM kill"},
		"nothing at all":                              {phase: contract.PhaseRun, want: contract.ReasonOutputTruncated, message: "[OVERALL], RunTime(ms)"},
		"an exception beside a whole report":          {phase: contract.PhaseRun, stdout: sound, stderr: "Exception in thread \"Thread-3\" java.lang.IllegalStateException: odd\n", want: contract.ReasonToolFailed, message: "odd"},
		"failed operations without an exception":      {phase: contract.PhaseRun, stdout: replace(sound, "4.0\n", "5.0\n") + "[READ], Return=ERROR, 1\n", want: contract.ReasonToolFailed, message: "read/ERROR 1 times"},
		"a row that was not found is an error":        {phase: contract.PhaseRun, stdout: replace(sound, "Return=OK, 3", "Return=NOT_FOUND, 3"), want: contract.ReasonToolFailed, message: "read/NOT_FOUND 3 times"},
		"a section of failed operations":              {phase: contract.PhaseRun, stdout: sound + "[READ-FAILED], Operations, 2\n", want: contract.ReasonToolFailed, message: "read/FAILED 2 times"},
		"a section of failed operations that are 0":   {phase: contract.PhaseRun, stdout: sound + "[READ-FAILED], Operations, 0\n"},
		"fewer operations than asked for":             {phase: contract.PhaseRun, of: small(func(p *Params) { p.OperationCount = 9 }), stdout: sound, want: contract.ReasonOperationsUnfinished, message: "4 of 9 operations were done in 60 s: raise design.duration"},
		"more operations than asked for":              {phase: contract.PhaseRun, of: small(func(p *Params) { p.OperationCount = 3 }), stdout: sound, want: contract.ReasonToolFailed, message: "4 operations were done, and 3"},
		"a workload that is bounded by time":          {phase: contract.PhaseRun, of: small(func(p *Params) { p.OperationCount = 0 }), stdout: sound},
		"fewer rows than asked for":                   {phase: contract.PhasePrepare, of: small(func(p *Params) { p.RecordCount = 5 }), stdout: loaded, want: contract.ReasonOperationsUnfinished, message: "4 of 5 rows"},
		"operations without a section":                {phase: contract.PhaseRun, stdout: replace(sound, "4.0\n", "7.0\n"), want: contract.ReasonOutputTruncated, message: "operations (4 of 7 have a section)"},
		"a rate that fits no whole number":            {phase: contract.PhaseRun, stdout: replace(sound, "4.0\n", "4.3\n")},
		"operations without a status":                 {phase: contract.PhaseRun, stdout: replace(sound, "[READ], Return=OK, 3\n", ""), want: contract.ReasonOutputTruncated, message: "[READ], Return=OK of all operations (0 of 3)"},
		"a figure twice":                              {phase: contract.PhaseRun, stdout: sound + "[READ], MinLatency(us), 1\n", want: contract.ReasonToolFailed, message: "[READ], MinLatency(us)"},
		"a thread without a cleanup":                  {phase: contract.PhaseRun, of: small(func(p *Params) { p.Threads = 3 }), stdout: sound, want: contract.ReasonOutputTruncated, message: "CLEANUP of 3 threads"},
		"fewer rows than threads":                     {phase: contract.PhasePrepare, of: small(func(p *Params) { p.Threads, p.RecordCount, p.OperationCount = 9, 2, 9 }), stdout: replace(loaded, "4.0\n", "2.0\n", "Operations, 4", "Operations, 2", "OK, 4", "OK, 2")},
		"a rate without intended latencies":           {phase: contract.PhaseRun, of: small(func(p *Params) { p.Target = 100 }), stdout: sound, want: contract.ReasonOutputTruncated, message: "Intended-READ"},
		"batches that were asked for":                 {phase: contract.PhasePrepare, of: small(batches(100)), stdout: batched, stderr: "[ASSAY], BatchedRows, 4, 4\n" + complete},
		"the row that fills a batch sends it":         {phase: contract.PhasePrepare, of: small(batches(2)), stdout: replace(loaded, "Return=OK, 4", "Return=OK, 2") + "[INSERT], Return=BATCHED_OK, 2\n"},
		"batches of one row are none":                 {phase: contract.PhasePrepare, of: small(batches(1)), stdout: loaded},
		"batches that were not done":                  {phase: contract.PhasePrepare, of: small(batches(100)), stdout: loaded, want: contract.ReasonToolFailed, message: "not batched, although workload.ycsb.batchUpdateAPI is true"},
		"smaller batches than asked for":              {phase: contract.PhasePrepare, of: small(batches(4)), stdout: replace(loaded, "Return=OK, 4", "Return=OK, 2") + "[INSERT], Return=BATCHED_OK, 2\n", want: contract.ReasonToolFailed, message: "at most 1 answer OK"},
		"batches that nobody asked for":               {phase: contract.PhasePrepare, stdout: batched, want: contract.ReasonToolFailed, message: "although workload.ycsb.batchUpdateAPI is false"},
		"rows that the driver has not confirmed":      {phase: contract.PhasePrepare, of: small(batches(100)), stdout: batched, stderr: "[ASSAY], BatchedRows, 4, 3\n" + complete, want: contract.ReasonToolFailed, message: "confirmed 3"},
		"rows that went past the batches":             {phase: contract.PhasePrepare, of: small(batches(100)), stdout: batched, stderr: "[ASSAY], BatchedRows, 2, 2\n" + complete, want: contract.ReasonToolFailed, message: "2 of them in batches"},
		"a cleanup":                                   {phase: contract.PhaseCleanup, stderr: complete},
		"a cleanup that said nothing":                 {phase: contract.PhaseCleanup, want: contract.ReasonOutputTruncated, message: "COMPLETE"},
		"a workload that cannot be understood":        {phase: contract.PhaseRun, of: small(func(p *Params) { p.BatchUpdateAPI = true }), want: contract.ReasonTrialUnreadable, message: "workload.ycsb.batchSize"},
		"a line that nobody knows is only a problem":  {phase: contract.PhaseRun, stdout: sound + "hello\n"},
		"an option that YCSB does not know":           {phase: contract.PhaseRun, stdout: "Unknown option -x\nUsage: java site.ycsb.Client [options]\n", want: contract.ReasonToolFailed, message: "Unknown option -x"},
		"what the driver counted explains the errors": {phase: contract.PhaseRun, stdout: sound + "[UPDATE], Return=ERROR, 2\n", stderr: "[ASSAY], Error, UPDATE, 1213, 40001, 2, Deadlock found when trying to get lock\n" + complete, want: contract.ReasonToolFailed, message: "transactions collided"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := tc.of
			if f.change == nil {
				f = small()
			}
			got := parse(f.trial(t), tc.phase, runner.Output{Stdout: []byte(tc.stdout), Stderr: []byte(tc.stderr), ExitCode: tc.exit, Signal: tc.signal})
			if reasonOf(got) != tc.want {
				t.Fatalf("failure = %+v, want %q", got.Failure, tc.want)
			}
			if got.Failure != nil && (tc.message == "" || !strings.Contains(got.Failure.Message, tc.message)) {
				t.Errorf("message = %q, want one with %q", got.Failure.Message, tc.message)
			}
		})
	}
}

// That TLS was asked for proves nothing; what the server says of a session does.
func TestParseHoldsTheSessionAgainstTLS(t *testing.T) {
	trial := small().trial(t)
	trial.Endpoint.TLS = contract.TLSRequired
	for said, want := range map[string]contract.Reason{"none": contract.ReasonTLSFailed, "TLSv1.3 TLS_AES_256_GCM_SHA384": ""} {
		got := parse(trial, contract.PhaseRun, runner.Output{Stdout: []byte(sound), Stderr: []byte("[ASSAY], TLS, " + said + "\n" + complete)})
		if reasonOf(got) != want {
			t.Errorf("%s: failure = %+v, want %q", said, got.Failure, want)
		}
	}
}

// What drivers say, as it was seen or as their sources word it.
func TestParseFindsTheCause(t *testing.T) {
	tests := map[string]struct {
		said   string
		before string // report of operations that ended well
		phase  contract.Phase
		want   contract.Reason
		remedy string
	}{
		"wrong password":                      {said: "Error in CONNECT, 1045, 28000: Access denied for user 'bench'@'10.0.0.1' (using password: YES)", want: contract.ReasonCredentialsRejected, remedy: "tls is Disabled"},
		"wrong password on SQL Server":        {said: "Error in CONNECT, 18456, S0001: Login failed for user 'bench'.", want: contract.ReasonCredentialsRejected, remedy: "Secret"},
		"no privilege":                        {said: "Error in TABLE, 1142, 42000: CREATE command denied to user 'bench'@'%' for table 'usertable'", want: contract.ReasonCredentialsRejected, remedy: "GRANT CREATE on the schema of that table"},
		"nobody listens":                      {said: "Error in CONNECT, 0, 08S01: Communications link failure (Connection refused)", want: contract.ReasonTargetUnreachable, remedy: "network policies"},
		"MariaDB's driver finds nobody":       {said: "Error in CONNECT, -1, 08000: Socket fail to connect to db:3306. Connection refused", want: contract.ReasonTargetUnreachable, remedy: "address"},
		"nobody of this name":                 {said: "Error in CONNECT, 0, 08S01: Communications link failure (db: Name or service not known: UnknownHostException)", want: contract.ReasonTargetUnreachable, remedy: "address"},
		"gone in the middle":                  {said: "Error in READ, 0, 08S01: Communications link failure", before: sound, want: contract.ReasonConnectionLost, remedy: "OOM kill"},
		"TLS that the server has not":         {said: "Error in CONNECT, 0, 08001: The server does not support SSL", want: contract.ReasonTLSFailed, remedy: "CA"},
		"a CA that nobody trusts":             {said: "Caused by: javax.net.ssl.SSLHandshakeException: PKIX path building failed", want: contract.ReasonTLSFailed, remedy: "CA"},
		"TLS explains the lost connection":    {said: "Error in CONNECT, 0, 08S01: Communications link failure (PKIX path validation failed)", want: contract.ReasonTLSFailed, remedy: "CA"},
		"a server that demands TLS":           {said: "Error in CONNECT, 3159, HY000: Connections using insecure transport are prohibited while --require_secure_transport=ON.", want: contract.ReasonTLSFailed, remedy: "TLS"},
		"no such database":                    {said: "Error in CONNECT, 1049, 42000: Unknown database 'ycsb'", want: contract.ReasonSchemaMissing, remedy: "look for what dropped it"},
		"no such database to load into":       {said: "Error in CONNECT, 1049, 42000: Unknown database 'ycsb'", phase: contract.PhasePrepare, want: contract.ReasonSchemaMissing, remedy: "create the schema"},
		"no such table":                       {said: "Error in READ, 1146, 42S02: Table 'ycsb.usertable' doesn't exist", want: contract.ReasonSchemaMissing, remedy: "look for what dropped it"},
		"a password on Informix":              {said: "Error in CONNECT, -951, IX000: Incorrect password or user ycsb is not known on the database server.", want: contract.ReasonCredentialsRejected, remedy: "Secret"},
		"no rights on Informix":               {said: "Error in CONNECT, -387, IX000: No connect permission.", want: contract.ReasonCredentialsRejected, remedy: "privileges"},
		"no such table on Informix":           {said: "Error in READ, -206, IX000: The specified table (usertable) is not in the database.", want: contract.ReasonSchemaMissing, remedy: "look for what dropped it"},
		"a table that Informix has already":   {said: "Error in TABLE, -310, IX000: Table (ycsb.usertable) already exists in database.", want: contract.ReasonSchemaNotEmpty, remedy: "drop the table"},
		"a row that Informix has already":     {said: "Error in INSERT, -268, 23000: Unique constraint (ycsb.u100_1) violated.", want: contract.ReasonToolFailed, remedy: "same key"},
		"Informix is gone":                    {said: "Error in READ, -25580, IX000: System error occurred in network function.", before: sound, want: contract.ReasonConnectionLost, remedy: "OOM kill"},
		"no such table on SQL Server":         {said: "Error in READ, 208, S0002: Invalid object name 'usertable'.", want: contract.ReasonSchemaMissing, remedy: "look for what dropped it"},
		"the table is there":                  {said: "Error in TABLE, 1050, 42S01: Table 'usertable' already exists", phase: contract.PhasePrepare, want: contract.ReasonSchemaNotEmpty, remedy: "drop the table"},
		"rows are there":                      {said: "Error in INSERT, 1062, 23000: Duplicate entry 'user1' for key 'usertable.PRIMARY'", phase: contract.PhasePrepare, want: contract.ReasonSchemaNotEmpty, remedy: "drop the table"},
		"a run inserts what is there":         {said: "Error in INSERT, 1062, 23000: Duplicate entry 'user1' for key 'usertable.PRIMARY'", want: contract.ReasonToolFailed, remedy: "no two clients"},
		"too many connections":                {said: "Error in CONNECT, 1040, 08004: Too many connections", want: contract.ReasonLimitTooLow, remedy: "max_connections"},
		"too many prepared statements":        {said: "Error in READ, 1461, 42000: Can't create more than max_prepared_stmt_count statements (current value: 16382)", want: contract.ReasonLimitTooLow, remedy: "max_prepared_stmt_count"},
		"a full table":                        {said: "Error in INSERT, 1114, HY000: The table 'usertable' is full", want: contract.ReasonToolFailed, remedy: "more storage"},
		"another storage engine":              {said: "Error in TABLE, 0, -: the table was made with the storage engine InnoDB instead of ROCKSDB: the server has substituted it", phase: contract.PhasePrepare, want: contract.ReasonToolFailed, remedy: "storage engine"},
		"no such driver":                      {said: "java.lang.ClassNotFoundException: org.example.Driver", want: contract.ReasonToolFailed, remedy: "workload.ycsb.driver"},
		"no memory":                           {said: "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space", want: contract.ReasonToolFailed, remedy: "-Xmx"},
		"a key that cannot be had":            {said: "Error in CONNECT, 0, 08001: Public Key Retrieval is not allowed", want: contract.ReasonCredentialsRejected, remedy: "allowPublicKeyRetrieval"},
		"something else":                      {said: "Error in READ, 9999, HY000: the moon is full", want: contract.ReasonToolFailed, remedy: "the moon is full"},
		"the cause is below the exception":    {said: "site.ycsb.DBException: java.sql.SQLException: failed\n\tat site.ycsb.X.y(X.java:1)\nCaused by: java.sql.SQLException: Unknown database 'x'", want: contract.ReasonSchemaMissing, remedy: "look for what dropped it"},
		"a message has several lines":         {said: "java.sql.SQLException: it failed\n\nbecause of this: Unknown database 'x'", want: contract.ReasonSchemaMissing, remedy: "look for what dropped it"},
		"a password in the arguments is kept": {said: "Command line: -p db.passwd=secret\njava.sql.SQLException: failed", want: contract.ReasonToolFailed, remedy: "failed"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			phase := tc.phase
			if phase == "" {
				phase = contract.PhaseRun
			}
			got := parse(small().trial(t), phase, runner.Output{Stdout: []byte(tc.before), Stderr: []byte(tc.said + "\n"), ExitCode: 1})
			if reasonOf(got) != tc.want || !strings.Contains(got.Failure.Message, tc.remedy) {
				t.Errorf("failure = %+v, want %s with %q", got.Failure, tc.want, tc.remedy)
			}
			if len(got.Problems) > 0 || strings.Contains(got.Failure.Message, "secret") {
				t.Errorf("problems = %+v, failure = %+v", got.Problems, got.Failure)
			}
		})
	}
}

// Behind JDBC a target has no tls: the URL decides, and so does the advice.
func TestAdviceBehindJDBCIsAboutTheURL(t *testing.T) {
	tests := map[string]struct {
		said          string
		want          contract.Reason
		remedy, never string
	}{
		"TLS":        {"Error in CONNECT, 0, 08S01: the driver could not establish a secure connection to SQL Server", contract.ReasonTLSFailed, "external.jdbc.url", "target's Secret"},
		"a password": {"Error in CONNECT, 18456, S0001: Login failed for user 'bench'.", contract.ReasonCredentialsRejected, "target's Secret", "tls is Disabled"},
		"a class":    {"[ASSAY], INCOMPLETE, java.lang.ClassNotFoundException: com.informix.jdbc.IfxDriver", contract.ReasonToolFailed, "external.jdbc.driver", "raw output"},
	}
	for name, tt := range tests {
		trial := small().trial(t)
		trial.Endpoint = contract.Endpoint{TLS: contract.TLSPreferred, JDBC: &contract.JDBC{URL: "jdbc:sqlserver://db:1433", Driver: "a.B"}}
		got := parse(trial, contract.PhaseRun, runner.Output{Stderr: []byte(tt.said + "\n"), ExitCode: 1})
		if reasonOf(got) != tt.want || !strings.Contains(got.Failure.Message, tt.remedy) || strings.Contains(got.Failure.Message, tt.never) {
			t.Errorf("%s: failure = %+v, want %s with %q and without %q", name, got.Failure, tt.want, tt.remedy, tt.never)
		}
	}
}

func TestMarks(t *testing.T) {
	var m marks
	for _, line := range []string{
		"[ASSAY], Driver, MySQL Connector/J mysql-connector-j-9.7.0 (Revision: 9d0)", "[ASSAY], Server, MySQL 9.7.4-2", "[ASSAY], TLS, none",
		"[ASSAY], Table, InnoDB utf8mb4_0900_ai_ci", "[ASSAY], Threads, 20, 20, 20", "[ASSAY], Setup, 812", "[ASSAY], BatchedRows, 5000, 4999",
		"[ASSAY], Error, INSERT, 1062, 23000, 17, Duplicate entry", "[ASSAY], COMPLETE",
	} {
		if !m.add(line) {
			t.Errorf("not understood: %s", line)
		}
	}
	want := marks{
		seen: true, driver: "MySQL Connector/J 9.7.0", tls: "none", complete: true, setupSeconds: new(0.812), batched: new(int64(5000)), confirmed: new(int64(4999)),
		errors: []string{"INSERT, 1062, 23000, 17, Duplicate entry"},
	}
	if diff := cmp.Diff(want, m, cmp.AllowUnexported(marks{})); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	if got := driverName("MySQL Connector/J mysql-connector-java-8.0.26 (Revision: 9aae)"); got != "MySQL Connector/J 8.0.26" {
		t.Errorf("an older driver is %q", got)
	}
	for _, line := range []string{"[ASSAY], Setup, soon", "[ASSAY], BatchedRows, 5", "[ASSAY], News, 1", "ASSAY, COMPLETE"} {
		if m.add(line) {
			t.Errorf("understood: %s", line)
		}
	}
}
