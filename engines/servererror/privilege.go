package servererror

import (
	"fmt"
	"regexp"
	"strings"
)

// The words in which MySQL and MariaDB say which privilege an account lacks.
var (
	// deniedOn a table: "INSERT command denied to user 'bench'@'10.0.0.1' for table 'sbtest1'". Some statements have several.
	deniedOn = regexp.MustCompile(`\b([A-Z][A-Z ,]*[A-Z]) command denied to user`)
	// deniedGlobal: "you need (at least one of) the SUPER or SYSTEM_VARIABLES_ADMIN privilege(s) for this operation".
	deniedGlobal = regexp.MustCompile(`you need \(at least one of\) the ([A-Z][A-Z_ ,]*?(?: or [A-Z][A-Z_ ]*?)*) privilege`)
	// deniedSchema: "Access denied for user 'bench'@'%' to database 'assay'": no privilege on the schema at all.
	deniedSchema = regexp.MustCompile(`to database '([^']*)'`)
)

// RemedyFor an error in the words of the server. It names the privilege that is missing, with the statement that grants it, where the
// words say which; else it is Remedy.
func (k Kind) RemedyFor(text string) string {
	if k != NoPrivilege {
		return k.Remedy()
	}
	const who = "TO the account of the target's Secret"
	if m := deniedOn.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("the account lacks %s: GRANT %s ON the target's schema.* %s", m[1], m[1], who)
	}
	if m := deniedGlobal.FindStringSubmatch(text); m != nil {
		names := strings.Split(m[1], " or ")
		return fmt.Sprintf("the account lacks %s: GRANT %s ON *.* %s; a managed service may not give it to anybody", m[1], names[len(names)-1], who)
	}
	if m := deniedSchema.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("the account has no privilege on %s, or not the one that the statement needs: GRANT SELECT ON `%s`.* %s for data: Existing, "+
			"and SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX for data: Loaded", m[1], m[1], who)
	}
	return k.Remedy()
}
