// Package console is the operator's terminal: questions on one side, pages and
// tables on the other. Questions are plain lines with numbered answers, so that
// they work in any terminal, over a serial line, with a screen reader, and with
// fingers that have typed the same numbers for years.
//
// It knows no verbs and no node. It keeps the terminal in its ordinary mode, but
// while a passphrase is typed, so an interruption leaves nothing to restore.
package console

import (
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Console is where a run of the tool reads and writes.
type Console struct {
	lines *lines
	in    *os.File
	// out takes results, report questions and progress.
	out, report io.Writer
	// asks: a prompt is possible.
	asks bool
	// Style colors results; ReportStyle questions and progress.
	Style, ReportStyle Style
	// Width is the width of the results' terminal in columns, 0 for none.
	Width int
	// blocks: tables are written as blocks of lines.
	blocks bool
	// begun: a page was written.
	begun bool
}

// Options say what a console is made of.
type Options struct {
	In *os.File
	// Out takes results, Report questions and progress.
	Out, Report io.Writer
	// Menu: results and questions belong on one page, Out.
	Menu bool
	// NoColor: the operator wants none, or the terminal has none.
	NoColor bool
	// Silent: no prompt is shown, whatever In is.
	Silent bool
	// Blocks: no tables, every value on a line of its own.
	Blocks bool
}

// New looks at what the streams are.
func New(o Options) *Console {
	c := &Console{in: o.In, out: o.Out, report: o.Report, blocks: o.Blocks}
	if o.Menu {
		c.report = o.Out
	}
	if o.In != nil {
		c.lines = newLines(o.In)
		c.asks = !o.Silent && term.IsTerminal(int(o.In.Fd())) && isTerminal(c.report)
	}
	c.Style = Style(!o.NoColor && isTerminal(c.out))
	c.ReportStyle = Style(!o.NoColor && isTerminal(c.report))
	c.Width = width(c.out)
	return c
}

// CanAsk reports whether questions can be answered.
func (c *Console) CanAsk() bool { return c.asks }

// Out returns where results go.
func (c *Console) Out() io.Writer { return c.out }

// Report writes a line of progress.
func (c *Console) Report(format string, args ...any) {
	c.resize()
	fmt.Fprintln(c.report, Wrap(safe(fmt.Sprintf(format, args...)), width(c.report), ""))
}

// resize notices that the window changed.
func (c *Console) resize() { c.Width = width(c.out) }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width returns the columns of a terminal, 0 for what is none.
func width(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// read returns one line of input, without its end.
func (c *Console) read(ctx context.Context) (string, error) {
	if c.lines == nil {
		return "", io.EOF
	}
	return c.lines.next(ctx)
}
