package browser

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/creack/pty"
)

// columns of the terminal, and rows that are more than any output has.
const columns, manyRows = 112, 200

func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), name, args...)
}

// session is what a terminal gets when somebody types these commands of the plugin, one after the other.
func session(t *testing.T, plugin string, env []string, lines ...string) string {
	t.Helper()
	var out strings.Builder
	for i, line := range lines {
		if i > 0 {
			out.WriteString("\r\n")
		}
		out.WriteString("\x1b[32m$\x1b[0m \x1b[1mkubectl assay " + line + "\x1b[0m\r\n")
		cmd := command(t, plugin, strings.Fields(line)...)
		cmd.Env = env
		terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: manyRows, Cols: columns})
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(terminal)
		if err != nil && !errors.Is(err, syscall.EIO) { // Linux says so when the program has closed its side
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, text)
		}
		if err := terminal.Close(); err != nil {
			t.Fatal(err)
		}
		out.Write(text)
	}
	return out.String()
}

// Colours of the terminal, by the scheme: those of the pages.
var themes = map[string]string{
	"light": `{background: "#ffffff", foreground: "#1a1d21", green: "#18794e", cursor: "#ffffff"}`,
	"dark":  `{background: "#14171a", foreground: "#e6e8ea", green: "#4cc38a", cursor: "#14171a"}`,
}

const terminalPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Terminal</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/xterm.css"><style>body { margin: 0; } #screen { display: inline-block; padding: 18px 20px 0; } .xterm-viewport { overflow: hidden !important; background: none !important; }</style></head>
<body><div id="screen"></div><script src="/xterm.js"></script></body></html>`

// show what a terminal got: write it to one that is as high as it needs.
const show = `(async (text, theme) => {
  const terminal = new Terminal({cols: %COLUMNS, rows: %ROWS, fontFamily: "DejaVu Sans Mono", fontSize: 13, lineHeight: 1.25, scrollback: 0, theme});
  const screen = document.getElementById("screen");
  screen.style.background = document.body.style.background = theme.background;
  terminal.open(screen);
  await new Promise(done => terminal.write(Uint8Array.from(atob(text), c => c.charCodeAt(0)), done));
  terminal.write("\x1b[?25l");
  terminal.resize(%COLUMNS, terminal.buffer.active.cursorY + 1);
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  return terminal.rows;
})`

// terminalServer serves a page with the terminal emulator.
func terminalServer(t *testing.T) http.Handler {
	t.Helper()
	var mux http.ServeMux
	for path, file := range map[string][2]string{
		"/{$}":       {"text/html", terminalPage},
		"/xterm.css": {"text/css", module(t, "@xterm/xterm/css/xterm.css")},
		"/xterm.js":  {"text/javascript", module(t, "@xterm/xterm/lib/xterm.js")},
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file[0])
			_, _ = io.WriteString(w, file[1]) // a browser that is gone needs nothing
		})
	}
	return &mux
}

// emulate a terminal in a tab that got this text, in the colours of a scheme.
func emulate(t *testing.T, ctx context.Context, scheme, text string) { //nolint:revive // t comes first in tests
	t.Helper()
	call := strings.NewReplacer("%COLUMNS", "112", "%ROWS", "200").Replace(show) + `("` + base64.StdEncoding.EncodeToString([]byte(text)) + `", ` + themes[scheme] + `)`
	if rows := ask[int](t, ctx, call, chromedp.EvalAwaitPromise); rows < 3 || rows > manyRows-2 {
		t.Fatalf("the terminal has %d rows", rows)
	}
}
