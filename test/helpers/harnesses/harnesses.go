// Package harnesses lists what the suites expect of the images of driver harnesses.
package harnesses

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/runners/drivers"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Language is a language with a harness.
type Language struct {
	// Name in the API.
	Name string
	// Image in the catalogue of images. Empty: it cannot be built everywhere, so that its harness is held as a command alone.
	Image string
	// Drivers that it has beside null.
	Drivers []string
}

// All are the languages.
var All = []Language{
	{"Node", "runner-drivers-node", []string{"mysql", "promise-mysql", "mysql2", "mariadb"}},
	{"Python", "runner-drivers-python", []string{"PyMySQL", "mysqlclient", "mysql-connector-python", "mysql-connector-python-pure", "mariadb", "asyncmy", "aiomysql"}},
	{"Go", "runner-drivers-go", []string{"go-sql-driver", "go-mysql"}},
	{"Java", "runner-drivers-java", []string{"mysql-connector-j", "mariadb-java-client"}},
	{"Rust", "runner-drivers-rust", []string{"mysql", "mysql_async", "sqlx"}},
	{"C", "runner-drivers-c", []string{"libmariadb"}},
	{"PHP", "runner-drivers-php", []string{"mysqli", "pdo_mysql"}},
	{"Ruby", "runner-drivers-ruby", []string{"mysql2"}},
	{"DotNet", "", []string{"MySqlConnector", "MySql.Data", "NewLife.MySql"}},
}

// WithImage are the languages whose image can be built anywhere.
func WithImage() []Language {
	return slices.DeleteFunc(slices.Clone(All), func(l Language) bool { return l.Image == "" })
}

var mariaDB = regexp.MustCompile(`^(\d+)\.(\d+)\..*-MariaDB`)

// Refusal is a word of the reason for which a driver cannot do what is asked, and its harness has to say so. Empty: it can.
// Version is what the server answers to SELECT VERSION().
//
// MySql.Data reads the number of each collation when it logs in, and MariaDB has had collations without one since 10.10.
// NewLife.MySql accepts any certificate.
func Refusal(driver, version string, tls contract.TLSMode) string {
	switch {
	case driver == "NewLife.MySql" && tls == contract.TLSRequired:
		return "accepts any certificate"
	case driver == "MySql.Data":
		numbers := mariaDB.FindStringSubmatch(version)
		if numbers == nil {
			return ""
		}
		major, _ := strconv.Atoi(numbers[1]) // digits, by the expression
		minor, _ := strconv.Atoi(numbers[2])
		if major > 10 || major == 10 && minor >= 10 {
			return "109331"
		}
	}
	return ""
}

// Faults of drivers that have to be found out every time: the C extension of MySQL Connector/Python 26.10.0 binds a float of a
// prepared statement as one of four bytes, so that 12.34 is written as 12.34000015258789.
var Faults = []drivers.Fault{
	{Driver: "mysql-connector-python", Operation: "Insert", Scheme: "Prepared", Why: "it binds a float of a prepared statement as one of four bytes"},
	{Driver: "mysql-connector-python", Operation: "ValuesWritten", Scheme: "Prepared", Why: "the same"},
}

// IsKnown says whether a measurement is absent because of one of the faults.
func IsKnown(m contract.Measurement) bool {
	l := m.Labels
	return slices.ContainsFunc(Faults, func(f drivers.Fault) bool {
		return l[drivers.LabelDriver] == f.Driver && l[contract.LabelOperation] == f.Operation && l[drivers.LabelScheme] == f.Scheme
	}) && m.Absent.State == contract.NotMeasured && strings.Contains(m.Absent.Reason, "other values were written")
}
