package main

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// saidElsewhere are licenses of packages whose files do not say it in a form that is known, by kind and name, with the place that says so.
var saidElsewhere = map[string]string{
	"golang:github.com/golang/freetype": "FTL",        // its LICENSE leaves the choice between this and the GPL
	"maven:site.ycsb:core":              "Apache-2.0", // LICENSE.txt of its repository, brianfrankcooper/YCSB
}

// licenseFile is the name of a file that has a license, or what has to be passed on with it.
var licenseFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]es?|copying|copyright|notices?|patents|authors)([-._][^/]*)?$`)

// isLicense reports whether a file with this path has one. Sources are named so, too.
func isLicense(file string) bool {
	name := path.Base(file)
	return licenseFile.MatchString(name) && !slices.Contains([]string{".go", ".js", ".py", ".json", ".class", ".pyc"}, path.Ext(name))
}

// enough of a text has to be that of a known license, in percent, for the text to be taken for one.
const enough = 75

// besides are files that have to be passed on, and are no license of the code: grants of patents, notices, and what is for the
// documents of a project.
var besides = regexp.MustCompile(`(?i)^(notices?|patents|authors|copyright)|\.docs$`)

// licenseIn texts, as an SPDX expression; empty where no text is known.
func licenseIn(texts map[string]string) string {
	found := map[string]bool{}
	for file, text := range texts {
		if besides.MatchString(path.Base(file)) {
			continue
		}
		covered := licensecheck.Scan([]byte(text))
		if covered.Percent < enough {
			continue
		}
		for _, match := range covered.Match {
			if !match.IsURL {
				found[match.ID] = true
			}
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " AND ")
}

// identifiers of SPDX that packages here use. Another word is no license for a scanner: then the list says who said what.
var identifiers = strings.Fields("0BSD AGPL-3.0-only Apache-2.0 Artistic-2.0 BSD-2-Clause BSD-3-Clause BSL-1.0 BlueOak-1.0.0 CC-BY-4.0 CC0-1.0 CDLA-Permissive-2.0 " +
	"EPL-1.0 EPL-2.0 FTL GPL-2.0-only GPL-2.0-or-later GPL-3.0-only GPL-3.0-or-later ISC LGPL-2.1-only LGPL-2.1-or-later LGPL-3.0-only LGPL-3.0-or-later " +
	"MIT MIT-0 MPL-2.0 NCSA OFL-1.1 OpenSSL PSF-2.0 Python-2.0 Unicode-3.0 Unlicense Zlib")

// word of an expression.
var word = regexp.MustCompile(`[^\s()]+`)

// isExpression reports whether a license is one in SPDX's words.
func isExpression(license string) bool {
	words := word.FindAllString(license, -1)
	for i, w := range words {
		if i%2 == 1 && w != "AND" && w != "OR" || i%2 == 0 && !slices.Contains(identifiers, w) {
			return false
		}
	}
	return len(words)%2 == 1
}
