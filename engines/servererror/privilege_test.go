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
		"on a table of MySQL":        {NoPrivilege, "INSERT command denied to user 't1'@'127.0.0.1' for table 'a'", "the account lacks INSERT: GRANT INSERT ON the target's schema.* TO"},
		"on a table of MariaDB":      {NoPrivilege, "INDEX command denied to user 't1'@'127.0.0.1' for table `managed`.`a`", "the account lacks INDEX: GRANT INDEX ON "},
		"two on a table":             {NoPrivilege, "Error 1142 (42000): SELECT, INSERT command denied to user 't1'@'%' for table 'a'", "lacks SELECT, INSERT: GRANT SELECT, INSERT ON "},
		"after other words":          {NoPrivilege, "FATAL: mysql_drv_query() returned error 1142 (CREATE command denied to user 'b'@'h' for table 'sbtest1') for query 'CREATE TABLE", "lacks CREATE: GRANT CREATE ON "},
		"one of the server":          {NoPrivilege, "Access denied; you need (at least one of) the PROCESS privilege(s) for this operation", "the account lacks PROCESS: GRANT PROCESS ON *.* TO"},
		"either of two":              {NoPrivilege, "Access denied; you need (at least one of) the SUPER or SYSTEM_VARIABLES_ADMIN privilege(s) for this operation", "lacks SUPER or SYSTEM_VARIABLES_ADMIN: GRANT SYSTEM_VARIABLES_ADMIN ON *.* TO"},
		"any on the schema":          {NoPrivilege, "Access denied for user 't1'@'%' to database 'managed'", "no privilege on managed, or not the one that the statement needs: GRANT SELECT ON `managed`.* TO"},
		"words of another server":    {NoPrivilege, "privilege check for 'Insert' fail", NoPrivilege.Remedy()},
		"none":                       {NoPrivilege, "", NoPrivilege.Remedy()},
		"another kind, like words":   {AccessDenied, "INSERT command denied to user 'x'@'h' for table 'a'", AccessDenied.Remedy()},
		"a server that is read-only": {ReadOnly, "The MySQL server is running with the --read-only option so it cannot execute this statement", "takes no writes: give the address of the one that does"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.kind.RemedyFor(tc.text); !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want it to hold %q", got, tc.want)
			}
		})
	}
}
