// Package nearest finds the known name that a misspelt one is most like. In: a name, and the names that exist. Out: the
// nearest of these, or none where no name is near enough for a suggestion. It is pure.
package nearest

import "strings"

// To a name, the nearest of those that are known: case, and '-' for '_', do not count, and neither does a name's place in the
// list but between equals, of which the first is taken. Empty where each differs in more than a third of the letters, or in
// more than three.
func To(name string, known []string) string {
	best, found := min(3, len(name)/3)+1, ""
	for _, k := range known {
		if d := distance(folded(name), folded(k), best); d < best {
			best, found = d, k
		}
	}
	return found
}

func folded(name string) []rune { return []rune(strings.ReplaceAll(strings.ToLower(name), "-", "_")) }

// distance is the number of letters to insert, to leave out, to replace, or to exchange with the next one (the optimal string
// alignment of Damerau, Commun. ACM 7 (1964) 171); at least limit for names whose lengths alone differ by that.
func distance(a, b []rune, limit int) int {
	if max(len(a)-len(b), len(b)-len(a)) >= limit {
		return limit
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			differs := 1
			if a[i-1] == b[j-1] {
				differs = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+differs)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
