package engine

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/contract"
)

// Names of the flavors, as in the API.
const (
	MySQL   = "MySQL"
	MariaDB = "MariaDB"
	Percona = "Percona"
	TiDB    = "TiDB"
)

var (
	// mysqldVersion matches the output of mysqld and mariadbd, such as "mysqld Ver 5.7.22 for
	// Linux on x86_64 (MySQL Community Server (GPL))" and "mariadbd Ver
	// 11.8.6-MariaDB-0+deb13u1 from Debian for debian-linux-gnu on x86_64".
	mysqldVersion = regexp.MustCompile(`(?m)\bVer ([0-9]+\.[0-9]+\.[0-9]+)(\S*)(?: .*)?$`)
	// tidbVersion matches the output of tidb-server.
	tidbVersion = regexp.MustCompile(`(?m)^Release Version: v([0-9]+\.[0-9]+\.[0-9]+)`)
)

// Recogniser makes the function Recognise of an engine, which accepts servers of one flavor
// from the oldest version on, such as 5.7.
func Recogniser(flavor string, oldest ...int) func(printed string) (string, error) {
	return func(printed string) (string, error) {
		found, version, err := identify(printed)
		switch {
		case err != nil:
			return "", err
		case found != flavor:
			return "", fmt.Errorf("the image has %s %s, not %s: set flavor to %s, or name an image of %s", found, version, flavor, found, flavor)
		case !contract.AtLeast(version, oldest...):
			return "", fmt.Errorf("the image has %s %s, which is too old: name an image of %s %s or later", found, version, flavor, dotted(oldest))
		}
		return version, nil
	}
}

// identify returns the flavor of the server that printed its version. Builds of MySQL have no
// common name, so MySQL is the flavor if no other matches.
func identify(printed string) (flavor, version string, err error) {
	if m := tidbVersion.FindStringSubmatch(printed); m != nil {
		return TiDB, m[1], nil
	}
	m := mysqldVersion.FindStringSubmatch(printed)
	switch {
	case m == nil:
		return "", "", fmt.Errorf("the server's program names no version that is known: it printed %q", shortened(printed))
	case strings.Contains(m[2], MariaDB):
		return MariaDB, m[1], nil
	case strings.Contains(m[0], Percona):
		return Percona, m[1], nil
	}
	return MySQL, m[1], nil
}

// shortened keeps a message readable, whatever a program prints.
func shortened(text string) string {
	const most = 200
	text = strings.TrimSpace(text)
	if len(text) > most {
		text = contract.CutTo(text, most)
	}
	return text
}

func dotted(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ".")
}
