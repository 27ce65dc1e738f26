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
	// Says is the name in the harness's answer to hello.
	Says string
	// Image in the catalogue of images. Empty: it cannot be built everywhere, so that its harness is held as a command alone.
	Image string
	// Drivers that it has beside null.
	Drivers []string
}

// All are the languages.
var All = []Language{
	{"Node", "Node.js", "runner-drivers-node", []string{"mysql", "promise-mysql", "mysql2", "mariadb"}},
	{"Python", "Python", "runner-drivers-python", []string{"PyMySQL", "mysqlclient", "mysql-connector-python", "mysql-connector-python-pure", "mariadb", "asyncmy", "aiomysql"}},
	{"Go", "Go", "runner-drivers-go", []string{"go-sql-driver", "go-mysql"}},
	{"Java", "Java", "runner-drivers-java", []string{"mysql-connector-j", "mariadb-java-client"}},
	{"Rust", "Rust", "runner-drivers-rust", []string{"mysql", "mysql_async", "sqlx"}},
	{"C", "C", "runner-drivers-c", []string{"libmariadb"}},
	{"PHP", "PHP", "runner-drivers-php", []string{"mysqli", "pdo_mysql"}},
	{"Ruby", "Ruby", "runner-drivers-ruby", []string{"mysql2"}},
	{"DotNet", ".NET", "", []string{"MySqlConnector", "MySql.Data", "NewLife.MySql"}},
}

// OneAtATime says whether the harness of a language does one operation at a time.
func OneAtATime(language string) bool { return language == "PHP" || language == "DotNet" }

// WithImage are the languages whose image can be built anywhere.
func WithImage() []Language {
	return slices.DeleteFunc(slices.Clone(All), func(l Language) bool { return l.Image == "" })
}

// refusals of drivers by MariaDB: MySql.Data reads the number of each collation when it logs in, and MariaDB has had collations without
// one since 10.10.
var refusals = map[string]drivers.VectorRefusal{"MySql.Data": {MariaDB: [2]int{10, 10}, Reason: "109331"}}

var mariaDB = regexp.MustCompile(`^(\d+)\.(\d+)\..*-MariaDB`)

// Refusal is a word of the reason for which a driver cannot do what is asked, and its harness has to say so. Empty: it can.
// Version is what the server answers to SELECT VERSION().
//
// NewLife.MySql accepts any certificate.
func Refusal(driver, version string, tls contract.TLSMode) string {
	if driver == "NewLife.MySql" && tls == contract.TLSRequired {
		return "accepts any certificate"
	}
	numbers := mariaDB.FindStringSubmatch(version)
	refusal, there := refusals[driver]
	if !there || numbers == nil {
		return ""
	}
	major, _ := strconv.Atoi(numbers[1]) // digits, by the expression
	minor, _ := strconv.Atoi(numbers[2])
	if slices.Compare([]int{major, minor}, refusal.MariaDB[:]) < 0 {
		return ""
	}
	return refusal.Reason
}

// LeastMeasured is how many combinations every driver does at least.
const LeastMeasured = 10

// Vectors are the drivers that each harness has to have.
func Vectors() drivers.Vectors {
	out := drivers.Vectors{Name: "Drivers", Protocol: drivers.Protocol, Languages: map[string][]drivers.VectorDriver{}, Cases: []drivers.Case{}}
	for _, l := range All {
		for _, name := range l.Drivers {
			d := drivers.VectorDriver{Name: name, Least: LeastMeasured}
			if refusal, there := refusals[name]; there {
				d.Refused = &refusal
			}
			out.Languages[l.Says] = append(out.Languages[l.Says], d)
		}
	}
	return out
}

// Faults of drivers that may show: the C extension of MySQL Connector/Python 26.10.0 binds a float of a
// prepared statement as one of four bytes, so that 12.34 is written as 12.34000015258789.
var Faults = []drivers.Fault{
	{Driver: "mysql-connector-python", Operation: "Insert", Scheme: "Prepared", Why: "it binds a float of a prepared statement as one of four bytes"},
	{Driver: "mysql-connector-python", Operation: "ValuesWritten", Scheme: "Prepared", Why: "the same"},
}

// IsKnown says whether a measurement is absent because of one of the faults.
func IsKnown(m contract.Measurement) bool {
	l := m.Labels
	return slices.ContainsFunc(Faults, func(f drivers.Fault) bool {
		return l[contract.LabelDriver] == f.Driver && l[contract.LabelOperation] == f.Operation && l[contract.LabelScheme] == f.Scheme
	}) && m.Absent.State == contract.NotMeasured && strings.Contains(m.Absent.Reason, "other values were written")
}
