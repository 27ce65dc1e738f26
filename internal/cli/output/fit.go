package output

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// shortest that prose is made, in characters, before a column is left out.
const shortest = 16

// sentences are the columns whose cells say most at their beginning.
var sentences = []string{"SHOWS", "NOTES"}

// leaving are the columns that are left out first where a terminal is too narrow for all. Then go the others, the last one first.
var leaving = []string{"NOTES", "LEVEL", "P BY ITSELF", "RATIOS OF THE RUNS", "BLOCKS", "TRIALS", "ADJUSTED P", "BETTER", "INTERVAL", "UNIT"}

// fit columns to the width of the page: prose is shortened, the widest column first, and numbers are not. Where that is not enough,
// columns are left out, but not the first one. It changes the widths, and returns the columns that stay.
func (p *Page) fit(rows [][]string, widths []int) (stay []int) {
	for c := range widths {
		stay = append(stay, c)
	}
	if p.width <= 0 {
		return stay
	}
	over := func(of []int) int {
		sum := len(between)*(len(stay)-1) - p.width
		for _, c := range stay {
			sum += of[c]
		}
		if len(stay) < len(of) {
			sum += len(between) + 1 // the mark of those that are left out
		}
		return sum
	}
	least := leastOf(rows, widths)
	for len(stay) > 1 && over(least) > 0 {
		at := len(stay) - 1
		for _, name := range leaving {
			if i := slices.IndexFunc(stay, func(c int) bool { return c < len(rows[0]) && rows[0][c] == name }); i > 0 {
				at = i
				break
			}
		}
		stay = slices.Delete(stay, at, at+1)
	}
	for over(widths) > 0 {
		widest := -1
		for _, c := range stay {
			if widths[c] > least[c] && (widest < 0 || widths[c] >= widths[widest]) {
				widest = c
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return stay
}

// leastOf the widths of columns: all of a number, and a little of prose.
func leastOf(rows [][]string, widths []int) []int {
	least := make([]int, len(widths))
	for _, row := range rows {
		for c, cell := range row {
			text := orHyphen(cell)
			width := utf8.RuneCountInString(text)
			if !figures.MatchString(text) {
				width = min(width, shortest)
			}
			least[c] = max(least[c], width)
		}
	}
	return least
}

// figures are a cell of numbers, such as "104857600", "10 of 10", "in 1 h 30 min", "3.49 *" or "394 to 453 (97.85 %)".
var figures = regexp.MustCompile(`^(([-+<(]*[\d.,/]+(e[-+]?\d+)?[a-zA-Z]{0,2}\)?|of|to|in|s|min|h|d|<|\*|%\)?|\(all\))( |$))+$`)

// shortened is prose with a mark for its middle: two places or comparisons often differ at their ends only. Of sentences the end
// is cut off. A number is cut off as a whole.
func shortened(text string, width int, sentence bool) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	const number = "0123456789.,+-"
	from := width / 2
	if sentence {
		from = max(width-1, 0)
	}
	head, tail := string(runes[:from]), string(runes[len(runes)-max(width-1-from, 0):])
	return strings.TrimRight(head, number) + "…" + strings.TrimLeft(tail, number)
}
