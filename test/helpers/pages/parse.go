package pages

import (
	"fmt"
	"regexp"
	"strings"
)

// Block is a fenced block of a page.
type Block struct {
	// Line of the page where it begins, from 1.
	Line int
	// Language behind the fence, such as sh.
	Language string
	// Text between the fences, without the indentation of the fence.
	Text string
	// Output that the page shows directly below commands; empty for none.
	Output string
	// Claim in force at the block; nil for none.
	Claim *Claim
}

// Claim says who executes commands.
type Claim struct {
	// Folder and Test that execute them, such as test/e2e and TestGate. Empty when nobody does.
	Folder, Test string
	// Interrupted commands go on until somebody interrupts them, and each line is one.
	Interrupted bool
	// Why nobody executes them.
	Why string
}

var (
	claimPattern = regexp.MustCompile(`^\s*<!-- commands: (.*?) -->\s*$`)
	testPattern  = regexp.MustCompile(`^([a-z0-9_/-]+) (Test[A-Za-z0-9]+)(, interrupted)?$`)
	fencePattern = regexp.MustCompile("^( *)```(.*)$")
	filePattern  = regexp.MustCompile(`^# ([A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*\.ya?ml)\n`)
)

// Parse the blocks of a page. A claim that is neither a test nor a reason is an error, and so is a fence that stays open.
func Parse(text string) ([]Block, error) {
	var out []Block
	var claim *Claim
	var open *Block
	indent, blank, number := "", false, 0
	for line := range strings.Lines(text) {
		number++
		if open != nil {
			if strings.TrimSpace(line) != "```" {
				open.Text += strings.TrimPrefix(line, indent)
				continue
			}
			// What commands print stands directly below them.
			if last := len(out) - 1; open.Language == "text" && blank && last >= 0 && out[last].Language == "sh" && out[last].Output == "" {
				out[last].Output = open.Text
			}
			out, open, blank = append(out, *open), nil, true
			continue
		}
		if said := claimPattern.FindStringSubmatch(line); said != nil {
			var err error
			if claim, err = parseClaim(said[1]); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
		} else if fence := fencePattern.FindStringSubmatch(strings.TrimSuffix(line, "\n")); fence != nil {
			open, indent = &Block{Line: number, Language: fence[2], Claim: claim}, fence[1]
			continue
		}
		blank = blank && strings.TrimSpace(line) == ""
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: the block has no end", open.Line)
	}
	return out, nil
}

func parseClaim(text string) (*Claim, error) {
	if why, is := strings.CutPrefix(text, "not executed: "); is && len(strings.Fields(why)) >= 3 {
		return &Claim{Why: why}, nil
	}
	if test := testPattern.FindStringSubmatch(text); test != nil {
		return &Claim{Folder: test[1], Test: test[2], Interrupted: test[3] != ""}, nil
	}
	return nil, fmt.Errorf("%q is neither a folder with a test nor \"not executed: \" with a reason", text)
}

// File that the block is, by the comment in its first line; empty for others.
func (b Block) File() string {
	if name := filePattern.FindStringSubmatch(b.Text); name != nil && b.Language == "yaml" {
		return name[1]
	}
	return ""
}

// lacks is the first line of what a page shows that the output does not have behind the ones before; empty when it has all.
func lacks(shown, output string) string {
	rest := strings.Split(output, "\n")
	for line := range strings.Lines(shown) {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" || line == "..." {
			continue
		}
		parts := strings.Split(line, "...")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		pattern, found := regexp.MustCompile("^"+strings.Join(parts, ".*")+"$"), false
		for i, have := range rest {
			if pattern.MatchString(strings.Join(strings.Fields(have), " ")) {
				rest, found = rest[i+1:], true
				break
			}
		}
		if !found {
			return line
		}
	}
	return ""
}
