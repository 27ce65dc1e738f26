package output

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/assay-bench/assay/internal/contract"
)

// Width of the terminal that a writer is, in characters; 0 for one that is no terminal.
func Width(out io.Writer) int {
	file, is := Raw(out).(*os.File)
	if !is || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width <= 0 {
		return defaultWidth
	}
	return width
}

// defaultWidth of a terminal that does not say how wide it is.
const defaultWidth = 80

// Raw is the writer below one that cleans what tenants wrote. Who writes there cleans it.
func Raw(out io.Writer) io.Writer {
	if clean, is := out.(contract.CleanWriter); is {
		return clean.To
	}
	return out
}

// Fit cuts a line to a width, with a mark; a width of 0 cuts nothing.
func Fit(line string, width int) string {
	runes := []rune(line)
	if width <= 0 || len(runes) <= width {
		return line
	}
	return string(runes[:max(width-1, 0)]) + "…"
}
