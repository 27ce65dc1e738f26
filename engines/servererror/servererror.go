// Package servererror is the one table of the numbers of errors of MySQL's protocol: of servers
// (1000 to 1999, 3000 and more) and of their C client library (2000 to 2999). In: a number, as a
// tool or a driver printed it. Out: the kind of the error, with a reason and a remedy. A tool may
// replace a remedy by its own words, and never a reason.
//
// A number has the reason that says what the user can do. Where tools saw one number differently:
//
//   - 1040, 1203, 1226 and 1461 are LimitTooLow for every tool and for the agent: the server
//     works, and a limit of it has to be raised, or the workload to need less. As ToolFailed the
//     message sent people to the output of the tool, which has no remedy.
//   - 1062 is SchemaNotEmpty while data is loaded (Kind.In): rows are there already, and an empty
//     schema is the remedy. Later it is ToolFailed: the workload itself inserts a key twice.
//   - 1251, 1524 and 2059 are CredentialsRejected: the account has to change, not the network.
//   - 1290, 1792 and 1836 are ReadOnly for every tool: without a remedy people looked for a fault of the tool.
//     1290 is also the number of other options that forbid a statement, whose words RemedyFor reads.
//   - 1105 stands for anything that a server has no number for. It is not in the table.
//
// Numbers that are not in the table are of the kind Unknown. It refuses no number.
package servererror

import (
	"slices"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Kind of an error: what it means for the user.
type Kind string

// Kinds of errors.
const (
	Unknown            Kind = ""
	AccessDenied       Kind = "AccessDenied"
	AccountUnusable    Kind = "AccountUnusable"
	Collision          Kind = "Collision"
	Duplicate          Kind = "Duplicate"
	Exists             Kind = "Exists"
	LoginMethod        Kind = "LoginMethod"
	Lost               Kind = "Lost"
	Missing            Kind = "Missing"
	NoPrivilege        Kind = "NoPrivilege"
	NoStorageEngine    Kind = "NoStorageEngine"
	OutOfSpace         Kind = "OutOfSpace"
	ReadOnly           Kind = "ReadOnly"
	ResourceLimit      Kind = "ResourceLimit"
	TLS                Kind = "TLS"
	TooManyConnections Kind = "TooManyConnections"
	TooManyStatements  Kind = "TooManyStatements"
	Unreachable        Kind = "Unreachable"
)

// meaning of a kind.
type meaning struct {
	numbers []int
	reason  contract.Reason
	remedy  string
}

var meanings = map[Kind]meaning{
	AccessDenied: {[]int{1045, 1130, 1698}, contract.ReasonCredentialsRejected,
		"check the username and password in the target's Secret, and that the account may connect from this host"},
	// 1820, 1862: the password has expired. 3118, 4151 (MariaDB): the account is locked.
	AccountUnusable: {[]int{1820, 1862, 3118, 4151}, contract.ReasonCredentialsRejected,
		"unlock the account, or give it a password that has not expired"},
	// 1020: the row changed after the snapshot (MariaDB). 1205: lock wait timeout. 1213: deadlock. 9007: write conflict (TiDB).
	Collision: {[]int{1020, 1205, 1213, 9007}, contract.ReasonToolFailed,
		"transactions collided: use fewer threads, more rows, or another transaction isolation of the server"},
	Duplicate: {[]int{1062}, contract.ReasonToolFailed,
		"a row with the same key is there already: no two clients and no two runs may insert the same keys"},
	Exists: {[]int{1050}, contract.ReasonSchemaNotEmpty, "drop the tables of the workload first, or use an empty schema"},
	// 1251, 1524: of the server. 2054, 2059, 2061: of client libraries.
	LoginMethod: {[]int{1251, 1524, 2054, 2059, 2061}, contract.ReasonCredentialsRejected,
		"give the account an authentication plugin that the server and the client both have"},
	// 1053: the server shuts down. 1927, 3169: the connection was killed. 4031: the server closed it because it was idle.
	Lost: {[]int{1053, 1927, 2006, 2013, 2055, 3169, 4031}, contract.ReasonConnectionLost,
		"look for a crash, a restart or an OOM kill of the server in its logs"},
	Missing: {[]int{1049, 1146}, contract.ReasonSchemaMissing,
		"the schema that the target names, or a table in it, is not there: create it, or correct its name"},
	NoPrivilege:     {[]int{1044, 1142, 1143, 1227}, contract.ReasonCredentialsRejected, "grant the account the privileges on the schema"}, // RemedyFor names it
	NoStorageEngine: {[]int{1286}, contract.ReasonToolFailed, "name a storage engine that the server has"},
	// 1021: the disk is full. 1114: the table is full.
	OutOfSpace: {[]int{1021, 1114}, contract.ReasonToolFailed, "give the server more storage, or load less data"},
	// 1290: an option of the server, such as read_only, or secure_file_priv (RemedyFor tells them apart). 1792: the transaction is. 1836: the server is, such as a replica.
	ReadOnly: {[]int{1290, 1792, 1836}, contract.ReasonToolFailed,
		"a server that is read-only takes no writes: give the address of the one that does (of the writer, and of no replica), look whether its storage is full, or use a workload that only reads"},
	// 1203: max_user_connections. 1226: a limit of the account for an hour.
	ResourceLimit:      {[]int{1203, 1226}, contract.ReasonLimitTooLow, "raise the limits of the account (MAX_USER_CONNECTIONS, MAX_QUERIES_PER_HOUR, which the server calls max_questions, and the others for an hour), or use fewer threads"},
	TLS:                {[]int{2026, 3159}, contract.ReasonTLSFailed, "check that the server speaks TLS and that the target's Secret has its CA and a client certificate that this CA signed"},
	TooManyConnections: {[]int{1040}, contract.ReasonLimitTooLow, "raise max_connections of the server above the number of threads, or use fewer threads"},
	TooManyStatements:  {[]int{1461}, contract.ReasonLimitTooLow, "raise max_prepared_stmt_count of the server, or use fewer threads"},
	Unreachable:        {[]int{2002, 2003, 2005}, contract.ReasonTargetUnreachable, "check the target's address and port, and that network policies let the clients through"},
}

// Of is the kind of the error with this number, as it was printed; Unknown for a text that is no
// number and for a number that is not in the table.
func Of(number string) Kind {
	n, err := strconv.Atoi(number)
	if err != nil {
		return Unknown
	}
	for kind, m := range meanings {
		if slices.Contains(m.numbers, n) {
			return kind
		}
	}
	return Unknown
}

// In a phase, a kind may mean another one: a load that meets a duplicate finds rows that are there
// already.
func (k Kind) In(p contract.Phase) Kind {
	if k == Duplicate && p == contract.PhasePrepare {
		return Exists
	}
	return k
}

// Reason of an error of this kind; ToolFailed for Unknown.
func (k Kind) Reason() contract.Reason {
	if m, known := meanings[k]; known {
		return m.reason
	}
	return contract.ReasonToolFailed
}

// Remedy of an error of this kind: what to do about it. For Unknown it is where to look.
func (k Kind) Remedy() string {
	if m, known := meanings[k]; known {
		return m.remedy
	}
	return "look at the raw output and the server's log"
}
