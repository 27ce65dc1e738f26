package servererror

import (
	"strings"
	"testing"
)

// The words are those of MySQL 9.7 and MariaDB 10.11.
func TestThePrivilegeThatIsMissing(t *testing.T) {
	tests := map[string]struct {
		kind       Kind
		text, want string
	}{
		"on a table of MySQL":           {NoPrivilege, "INSERT command denied to user 't1'@'127.0.0.1' for table 'a'", "the account lacks INSERT: GRANT INSERT on the schema of that table TO"},
		"on a table of MariaDB":         {NoPrivilege, "INDEX command denied to user 't1'@'127.0.0.1' for table `managed`.`a`", "the account lacks INDEX: GRANT INDEX ON `managed`.* TO"},
		"two on a table":                {NoPrivilege, "Error 1142 (42000): SELECT, INSERT command denied to user 't1'@'%' for table 'a'", "lacks SELECT, INSERT: GRANT SELECT, INSERT on the schema of that table TO"},
		"after other words":             {NoPrivilege, "FATAL: mysql_drv_query() returned error 1142 (CREATE command denied to user 'b'@'h' for table 'sbtest1') for query 'CREATE TABLE", "lacks CREATE: GRANT CREATE on the schema "},
		"one of the server":             {NoPrivilege, "Access denied; you need (at least one of) the PROCESS privilege(s) for this operation", "the account lacks PROCESS: GRANT PROCESS ON *.* TO"},
		"either of two":                 {NoPrivilege, "Access denied; you need (at least one of) the SUPER or SYSTEM_VARIABLES_ADMIN privilege(s) for this operation", "lacks SUPER or SYSTEM_VARIABLES_ADMIN: GRANT SYSTEM_VARIABLES_ADMIN ON *.* TO"},
		"one of three":                  {NoPrivilege, "Access denied; you need (at least one of) the SUPER, SYSTEM_VARIABLES_ADMIN or SESSION_VARIABLES_ADMIN privilege(s) for this operation", "lacks SUPER, SYSTEM_VARIABLES_ADMIN or SESSION_VARIABLES_ADMIN: GRANT SESSION_VARIABLES_ADMIN ON *.* TO"},
		"either of two, with a comma":   {NoPrivilege, "Access denied; you need (at least one of) the SUPER, READ_ONLY ADMIN privilege(s) for this operation", "lacks SUPER, READ_ONLY ADMIN: GRANT READ_ONLY ADMIN ON *.* TO"},
		"the widest one last":           {NoPrivilege, "Access denied; you need (at least one of) the BINLOG ADMIN, SUPER privilege(s) for this operation", "GRANT BINLOG ADMIN ON *.* TO"},
		"SUPER alone":                   {NoPrivilege, "Access denied; you need (at least one of) the SUPER privilege(s) for this operation", "lacks SUPER: GRANT SUPER ON *.* TO"},
		"any on the schema":             {NoPrivilege, "Access denied for user 't1'@'%' to database 'managed'", "no privilege on managed, or not the one that the statement needs: GRANT SELECT ON `managed`.* TO"},
		"words of another server":       {NoPrivilege, "privilege check for 'Insert' fail", NoPrivilege.Remedy()},
		"none":                          {NoPrivilege, "", NoPrivilege.Remedy()},
		"another kind, like words":      {AccessDenied, "INSERT command denied to user 'x'@'h' for table 'a'", AccessDenied.Remedy()},
		"a server that is read-only":    {ReadOnly, "The MySQL server is running with the --read-only option so it cannot execute this statement", "takes no writes: give the address of the one that does"},
		"one that is read-only for all": {ReadOnly, "The MySQL server is running with the --super-read-only option so it cannot execute this statement", "takes no writes: give the address of the one that does"},
		"a transaction that is":         {ReadOnly, "Cannot execute statement in a READ ONLY transaction.", "takes no writes: give the address of the one that does"},
		"a server with another option": {ReadOnly, "The MySQL server is running with the --secure-file-priv option so it cannot execute this statement",
			"the server runs with --secure-file-priv, which forbids the statement: change that option of the server, or leave the statement out of the workload"},
		"one that a service has": {ReadOnly, "The MySQL server is running with the LOCK_WRITE_GROWTH option so it cannot execute this statement", "the server runs with LOCK_WRITE_GROWTH, which forbids"},
		"in no words":            {ReadOnly, "", ReadOnly.Remedy()},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.kind.RemedyFor(tc.text); !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want it to hold %q", got, tc.want)
			}
		})
	}
}
