package ycsb

import (
	"maps"
	"regexp"

	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// cause is the meaning of an exception for a run, and what to do.
type cause struct {
	// kind of an error of the server, which is also known by its number.
	kind servererror.Kind
	// words of drivers, and numbers of SQL Server and of Informix; nil where the number says all.
	words *regexp.Regexp
	// remedy of what is no error of the server: the tool failed then.
	remedy string
}

// errorNumber stands between the operation and the SQLSTATE, as our binding prints them.
var errorNumber = regexp.MustCompile(`, ([0-9]{4}), `)

// tells reports whether a line is about the cause.
func (c cause) tells(line string) bool {
	if c.words != nil && c.words.MatchString(line) {
		return true
	}
	n := errorNumber.FindStringSubmatch(line)
	return c.kind != servererror.Unknown && n != nil && servererror.Of(n[1]) == c.kind
}

// causes in the order in which they are looked for: what a driver says of a login or of
// TLS explains the lost connection that it wraps it in.
var causes = []cause{
	{kind: servererror.TLS, words: regexp.MustCompile(`Connections using insecure transport are prohibited|SSLHandshakeException|SSLException|PKIX path|CertPath|CertificateException|` +
		`SSL [Cc]onnection required|does not chain with any of the trust anchors|(?:does not|doesn't) (?:support|allow) SSL|not supported by the server|Trust store|Unable to create SSL|SSL_(?:HANDSHAKE|ERROR)|` +
		`could not establish a secure connection`)},
	{kind: servererror.NoPrivilege, words: regexp.MustCompile(`to database '|command denied to user|permission was denied|, -(?:272|273|274|275|387|388), `)},
	{kind: servererror.AccessDenied, words: regexp.MustCompile(`Access denied for user|Login failed for user|, 18456, |, -(?:951|952|956), `)},
	{kind: servererror.LoginMethod, words: regexp.MustCompile(`Public Key Retrieval is not allowed`)},
	{kind: servererror.AccountUnusable},
	{kind: servererror.Exists, words: regexp.MustCompile(`Table '[^']*' already exists|There is already an object named|, -310, `)},
	{kind: servererror.Missing, words: regexp.MustCompile(`Unknown database|Table '[^']*' doesn't exist|Invalid object name|Cannot open database|, 208, |, -(?:206|329), `)},
	{kind: servererror.Duplicate, words: regexp.MustCompile(`Duplicate entry|Violation of PRIMARY KEY|Violation of UNIQUE KEY|duplicate key|, -(?:239|268), `)},
	{words: regexp.MustCompile(`ClassNotFoundException: com\.yahoo\.ycsb`),
		remedy: "the classes of YCSB are called site.ycsb since 0.17: leave the property workload out, or write site.ycsb in place of com.yahoo.ycsb"},
	{words: regexp.MustCompile(`javax[./]xml[./]bind[./]DatatypeConverter`),
		remedy: "the HdrHistogram of the image is too old for its JVM: use 2.2.2 or newer"},
	{words: regexp.MustCompile(`ClassNotFoundException|NoClassDefFoundError`),
		remedy: "the image of the runner lacks the class: check workload.ycsb.driver, workload.ycsb.properties and external.jdbc.driver of the target; a driver that it lacks takes an image of your own (runners.ycsb.image of the chart)"},
	{words: regexp.MustCompile(`OutOfMemoryError`),
		remedy: "raise the memory of the client's shape, or -Xmx in workload.ycsb.jvmOptions"},
	{kind: servererror.TooManyConnections, words: regexp.MustCompile(`Too many connections`)},
	{kind: servererror.ResourceLimit},
	{kind: servererror.TooManyStatements, words: regexp.MustCompile(`max_prepared_stmt_count`)},
	{kind: servererror.Collision, words: regexp.MustCompile(`Deadlock found|Lock wait timeout|Record has changed since last read`)},
	{kind: servererror.NoStorageEngine, words: regexp.MustCompile(`Unknown storage engine|instead of .*: the server has substituted it`)},
	{kind: servererror.OutOfSpace},
	{kind: servererror.ReadOnly, words: regexp.MustCompile(`--(?:super-)?read-only option`)},
	// Said of connections that could not be made as well: it depends on whether any operation ended well before.
	{kind: servererror.Lost, words: regexp.MustCompile(`Connection refused|UnknownHost|No route to host|timed out|Communications link failure|CommunicationsException|` +
		`Connection reset|Broken pipe|Socket (?:is )?closed|[Cc]onnection (?:is |was )?closed|after (?:statement|connection) closed|` +
		`NonTransientConnection|Socket fail to connect|The TCP/IP connection to the host|unexpected end of stream|Server shutdown in progress|, -(?:908|930|25580|25582|2558[678]|25599), |, 08S01|, 08001|, 08000`)},
}

// remedies of this tool for errors of the server.
var remedies = map[servererror.Kind]string{
	servererror.Exists:      "its table or rows are there already: drop the table usertable first, or use an empty schema",
	servererror.LoginMethod: "the account needs TLS or the server's public key: set the target's tls to Required; in external.jdbc.url, allowPublicKeyRetrieval=true does it as well",
}

// jdbcRemedies are those that differ behind external.jdbc, whose URL decides what a target says elsewhere.
var jdbcRemedies = map[servererror.Kind]string{
	servererror.TLS: "external.jdbc.url decides on encryption: check its options, such as encrypt and trustServerCertificate of SQL Server's driver, " +
		"and that an authority which the image's Java knows has signed the server's certificate",
}

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
		if _, known := c.byCause[i]; !known && cause.tells(line) {
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
	refusals := j.refusals()
	for i, why := range causes {
		line, ok := said.byCause[i]
		if !ok {
			continue
		}
		told := refusals.CauseOf(why.kind, line)
		switch {
		case why.remedy != "":
			told.Remedy = why.remedy
		case why.kind == servererror.Lost && !j.hasWorked():
			told = refusals.CauseOf(servererror.Unreachable, line)
		}
		return failed(told.Reason, "YCSB: %s%s: %s", runner.Abridge(line), errors, told.Remedy)
	}
	return failed(contract.ReasonToolFailed, "YCSB: %s%s: look at the raw output and the server's log", runner.Abridge(said.first), errors)
}

// remedyOf what the main class could not go on with, such as a class that the image lacks.
func remedyOf(line string) string {
	for _, why := range causes {
		if why.remedy != "" && why.tells(line) {
			return why.remedy
		}
	}
	return "look at the raw output"
}

func (j judgement) refusals() runner.Refusals {
	r := runner.Refusals{Phase: j.phase, TLS: j.trial.Endpoint.TLS, Loads: true, Remedies: remedies}
	if j.trial.Endpoint.JDBC != nil {
		// Its tls is left out, so that nothing is to be said of it.
		r.TLS, r.Remedies = contract.TLSRequired, maps.Clone(remedies)
		maps.Copy(r.Remedies, jdbcRemedies)
	}
	return r
}

// hasWorked says whether an operation ended well.
func (j judgement) hasWorked() bool {
	n := j.report.endedWell()
	return n != nil && *n > 0 || len(j.status.points) > 0 && j.status.points[len(j.status.points)-1].operations > 0
}
