package ycsb

import (
	"regexp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// cause is the meaning of an exception for a run, and what to do.
type cause struct {
	pattern *regexp.Regexp
	reason  contract.Reason
	remedy  string
}

// causes in the order in which they are looked for: what a driver says of a login or of
// TLS explains the lost connection that it wraps it in. Numbers are those of MySQL between
// the operation and the SQLSTATE, as our binding prints them.
var causes = []cause{
	{regexp.MustCompile(`Connections using insecure transport are prohibited|, 3159, |SSLHandshakeException|SSLException|PKIX path|CertPath|CertificateException|` +
		`SSL [Cc]onnection required|does not chain with any of the trust anchors|(?:does not|doesn't) (?:support|allow) SSL|not supported by the server|Trust store|Unable to create SSL|SSL_(?:HANDSHAKE|ERROR)|` +
		`could not establish a secure connection`),
		contract.ReasonTLSFailed, "check that the server speaks TLS and that the target's Secret has its CA and a client certificate that this CA signed"},
	{regexp.MustCompile(`, 1044, |, 1142, |to database '|command denied to user|permission was denied`),
		contract.ReasonCredentialsRejected, "grant the account the privileges on the schema"},
	{regexp.MustCompile(`, 1045, |Access denied for user|Login failed for user|, 18456, `),
		contract.ReasonCredentialsRejected, "check the username and password in the target's Secret, and that the account may connect from this host"},
	{regexp.MustCompile(`Public Key Retrieval is not allowed`),
		contract.ReasonCredentialsRejected, "the account needs TLS or the server's public key: set the target's tls to Required; in external.jdbc.url, allowPublicKeyRetrieval=true does it as well"},
	{regexp.MustCompile(`, 1050, |Table '[^']*' already exists|There is already an object named`),
		contract.ReasonSchemaNotEmpty, "drop the table usertable first, or use an empty schema"},
	{regexp.MustCompile(`, 1049, |, 1146, |Unknown database|Table '[^']*' doesn't exist|Invalid object name|Cannot open database|, 208, `),
		contract.ReasonSchemaMissing, ""}, // runner.MissingRemedy
	{duplicateKey, contract.ReasonToolFailed, "a row with the same key is there already: no two clients and no two runs may insert the same keys"},
	{regexp.MustCompile(`ClassNotFoundException: com\.yahoo\.ycsb`),
		contract.ReasonToolFailed, "the classes of YCSB are called site.ycsb since 0.17: leave the property workload out, or write site.ycsb in place of com.yahoo.ycsb"},
	{regexp.MustCompile(`javax[./]xml[./]bind[./]DatatypeConverter`),
		contract.ReasonToolFailed, "the HdrHistogram of the image is too old for its JVM: use 2.2.2 or newer"},
	{regexp.MustCompile(`ClassNotFoundException|NoClassDefFoundError`),
		contract.ReasonToolFailed, "the image of the runner lacks the class: check workload.ycsb.driver and workload.ycsb.properties"},
	{regexp.MustCompile(`OutOfMemoryError`),
		contract.ReasonToolFailed, "raise the memory of the client's shape, or -Xmx in workload.ycsb.jvmOptions"},
	{regexp.MustCompile(`, 1040, |Too many connections`),
		contract.ReasonToolFailed, "raise max_connections of the server above the number of threads, or use fewer threads"},
	{regexp.MustCompile(`, 1461, |max_prepared_stmt_count`),
		contract.ReasonToolFailed, "raise max_prepared_stmt_count of the server, or use fewer threads"},
	{regexp.MustCompile(`, 1213, |, 1205, |, 1020, |Deadlock found|Lock wait timeout|Record has changed since last read`),
		contract.ReasonToolFailed, "transactions collided: use fewer threads, more rows, or another transaction isolation of the server"},
	{regexp.MustCompile(`, 1286, |Unknown storage engine|instead of .*: the server has substituted it`),
		contract.ReasonToolFailed, "name a storage engine that the server has"},
	{connectionLost, contract.ReasonConnectionLost, "look for a crash, a restart or an OOM kill of the server in its logs"},
}

// duplicateKey: a load that finds its rows finds a schema that is not empty.
var duplicateKey = regexp.MustCompile(`, 1062, |Duplicate entry|Violation of PRIMARY KEY|Violation of UNIQUE KEY|duplicate key`)

// connectionLost is said of connections that could not be made as well: it depends on
// whether any operation ended well before.
var connectionLost = regexp.MustCompile(`Connection refused|UnknownHost|No route to host|timed out|Communications link failure|CommunicationsException|` +
	`Connection reset|Broken pipe|Socket (?:is )?closed|[Cc]onnection (?:is |was )?closed|after (?:statement|connection) closed|` +
	`NonTransientConnection|Socket fail to connect|The TCP/IP connection to the host|unexpected end of stream|Server shutdown in progress|, 1053, |, 08S01|, 08001|, 08000`)

// complaints are what exceptions said: there may be one for every operation.
type complaints struct {
	// first of all, and the first of each cause.
	first   string
	byCause map[int]string
	n       int
}

// maxComplaints is how many lines are searched for causes: what goes wrong first is why.
const maxComplaints = 1000

func (c *complaints) add(line string) {
	if c.first == "" {
		c.first = line
	}
	if c.n++; c.n > maxComplaints {
		return
	}
	for i, cause := range causes {
		if _, known := c.byCause[i]; !known && cause.pattern.MatchString(line) {
			if c.byCause == nil {
				c.byCause = map[int]string{}
			}
			c.byCause[i] = line
		}
	}
}

// complaint is the failure that exceptions tell of; nil when there was none. An exception
// beside a whole report is one as well: it may be the last batch that was not written.
func (j judgement) complaint() *contract.Failure {
	said := j.complaints
	said.n = 0 // those that were counted are few
	for _, counted := range j.marks.errors {
		said.add(counted)
	}
	if said.first == "" {
		return nil
	}
	errors := ""
	if counts := j.report.errorCounts(); len(counts) > 0 {
		errors = " (" + describe(counts) + ")"
	}
	for i, why := range causes {
		line, ok := said.byCause[i]
		if !ok {
			continue
		}
		switch {
		case why.pattern == duplicateKey && j.want.phase == contract.PhasePrepare:
			why.reason, why.remedy = contract.ReasonSchemaNotEmpty, "rows are there already: drop the table usertable first, or use an empty schema"
		case why.pattern == connectionLost && !j.hasWorked():
			why.reason, why.remedy = contract.ReasonTargetUnreachable, "check the target's address and port, and that network policies let the clients through"
		case why.reason == contract.ReasonSchemaMissing:
			why.remedy = runner.MissingRemedy(j.want.phase, true)
		case why.reason == contract.ReasonCredentialsRejected && j.want.tls == contract.TLSDisabled:
			why.remedy += "; or the account requires TLS, and the target's tls is Disabled"
		}
		return failed(why.reason, "YCSB: %s%s: %s", runner.Abridge(line), errors, why.remedy)
	}
	return failed(contract.ReasonToolFailed, "YCSB: %s%s: look at the raw output and the server's log", runner.Abridge(said.first), errors)
}

// hasWorked says whether an operation ended well.
func (j judgement) hasWorked() bool {
	n := j.report.endedWell()
	return n != nil && *n > 0 || len(j.status.points) > 0 && j.status.points[len(j.status.points)-1].operations > 0
}
