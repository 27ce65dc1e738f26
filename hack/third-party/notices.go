package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// notices are all packages of a subject with their licenses, and the text of each license once.
func (s subject) notices(parts []part) string {
	var out, texts strings.Builder
	numbers := map[string]int{}
	fmt.Fprintf(&out, "What others have a part in of %s %s, and under which licenses.\n"+
		"Assay itself is licensed under the Apache License 2.0. A number stands for a text below.\n\n", s.name, s.version)
	for _, p := range parts {
		var refer []string
		for _, file := range slices.Sorted(maps.Keys(p.texts)) {
			text := strings.TrimRight(strings.ReplaceAll(p.texts[file], "\r\n", "\n"), " \n\t\f")
			if text == "" {
				continue
			}
			number, known := numbers[text]
			if !known {
				number = len(numbers) + 1
				numbers[text] = number
				fmt.Fprintf(&texts, "\n%s\n[%d] %s of %s\n%s\n\n%s\n", ruler, number, file, p, ruler, text)
			}
			refer = append(refer, fmt.Sprintf("[%d]", number))
		}
		license := p.license
		if license == "" {
			license = "see the text"
		}
		fmt.Fprintf(&out, "%s: %s %s\n", p, license, strings.Join(refer, " "))
		if p.source != "" {
			fmt.Fprintf(&out, "    source: %s\n", p.source)
		}
	}
	return out.String() + texts.String()
}

// ruler between texts.
const ruler = "--------------------------------------------------------------------------------"
