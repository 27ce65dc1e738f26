// Package harnesses lists what the suites expect of the images of driver harnesses.
package harnesses

import (
	"strings"

	"github.com/assay-bench/assay/runners/drivers"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Language is a language whose image can be built anywhere.
type Language struct {
	// Name in the API.
	Name string
	// Image in the catalogue of images.
	Image string
	// Drivers that it has beside null.
	Drivers []string
}

// All are the languages with images.
var All = []Language{
	{"Node", "runner-drivers-node", []string{"mysql", "promise-mysql", "mysql2", "mariadb"}},
	{"Python", "runner-drivers-python", []string{"PyMySQL", "mysqlclient", "mysql-connector-python", "mysql-connector-python-pure", "mariadb", "asyncmy", "aiomysql"}},
	{"Go", "runner-drivers-go", []string{"go-sql-driver", "go-mysql"}},
	{"Java", "runner-drivers-java", []string{"mysql-connector-j", "mariadb-java-client"}},
	{"Rust", "runner-drivers-rust", []string{"mysql", "mysql_async", "sqlx"}},
	{"C", "runner-drivers-c", []string{"libmariadb"}},
	{"PHP", "runner-drivers-php", []string{"mysqli", "pdo_mysql"}},
	{"Ruby", "runner-drivers-ruby", []string{"mysql2"}},
}

// IsKnown says whether a measurement is absent because of a fault of a driver that has to be found
// out every time: the C extension of MySQL Connector/Python 26.10.0 binds a float of a prepared
// statement as one of four bytes, so that 12.34 is written as 12.34000015258789.
func IsKnown(m contract.Measurement) bool {
	l := m.Labels
	return l[drivers.LabelDriver] == "mysql-connector-python" && l[contract.LabelOperation] == "Insert" && l[drivers.LabelScheme] == "Prepared" &&
		m.Absent.State == contract.NotMeasured && strings.Contains(m.Absent.Reason, "other values were written")
}
