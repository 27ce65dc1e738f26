package servererror

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The words in which MySQL and MariaDB say which privilege an account lacks, and which option forbids a statement.
var (
	// deniedOn a table: "INSERT command denied to user 'bench'@'10.0.0.1' for table 'sbtest1'". Some statements have several.
	deniedOn = regexp.MustCompile(`\b([A-Z][A-Z ,]*[A-Z]) command denied to user`)
	// schemaOf the table, which MariaDB says: "for table `assay`.`sbtest1`".
	schemaOf = regexp.MustCompile("for table `([^`]+)`\\.`")
	// deniedGlobal: "you need (at least one of) the SUPER, SYSTEM_VARIABLES_ADMIN or SESSION_VARIABLES_ADMIN privilege(s) for this operation".
	deniedGlobal = regexp.MustCompile(`you need \(at least one of\) the ([A-Z](?:[A-Z_ ,]| or )*?) privilege`)
	// deniedSchema: "Access denied for user 'bench'@'%' to database 'assay'": no privilege on the schema at all.
	deniedSchema = regexp.MustCompile(`to database '([^']*)'`)
	// forbidden: "The MySQL server is running with the --secure-file-priv option so it cannot execute this statement".
	forbidden = regexp.MustCompile(`is running with the (\S+) option`)
)

// RemedyFor an error in the words of the server. It names the privilege that is missing, with the statement that grants it, or the option
// that forbids a statement, where the words say which; else it is Remedy.
func (k Kind) RemedyFor(text string) string {
	switch k {
	case NoPrivilege:
		return privilegeFor(text)
	case ReadOnly:
		if m := forbidden.FindStringSubmatch(text); m != nil && !strings.Contains(strings.ToLower(m[1]), "read-only") {
			return fmt.Sprintf("the server runs with %s, which forbids the statement: change that option of the server, or leave the statement out of the workload", m[1])
		}
	}
	return k.Remedy()
}

// privilegeFor a statement that was refused in these words.
func privilegeFor(text string) string {
	const who = "TO the account of the target's Secret"
	if m := deniedOn.FindStringSubmatch(text); m != nil {
		where := "on the schema of that table"
		if schema := schemaOf.FindStringSubmatch(text); schema != nil {
			where = fmt.Sprintf("ON `%s`.*", schema[1])
		}
		return fmt.Sprintf("the account lacks %s: GRANT %s %s %s", m[1], m[1], where, who)
	}
	if m := deniedGlobal.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("the account lacks %s: GRANT %s ON *.* %s; a managed service may not give it to anybody", m[1], leastOf(m[1]), who)
	}
	if m := deniedSchema.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("the account has no privilege on %s, or not the one that the statement needs: GRANT SELECT ON `%s`.* %s for data: Existing, "+
			"and SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX for data: Loaded", m[1], m[1], who)
	}
	return NoPrivilege.Remedy()
}

// leastOf the privileges of a list, any of which would do: the last one, which servers name after wider ones, and SUPER where it is alone.
func leastOf(list string) string {
	names := strings.Split(strings.ReplaceAll(list, " or ", ", "), ", ")
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "SUPER" })
	if len(others) == 0 {
		return names[0]
	}
	return others[len(others)-1]
}
