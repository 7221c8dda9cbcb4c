package doctor

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core/fault"
)

// Style is the style of a text report.
type Style struct {
	// Width is the terminal's, in columns.
	Width int
	Color bool
	// All shows the evidence of checks that pass in full.
	All bool
}

// Widths of the columns.
const (
	nameWidth = 25
	indent    = "        "
	minWidth  = 60
)

// color returns the terminal's escape sequence for a status.
func color(s Status) string {
	switch s {
	case Pass:
		return "\x1b[32m"
	case Warn:
		return "\x1b[33m"
	case Fail:
		return "\x1b[1;31m"
	case Skip:
		return "\x1b[2m"
	}
	return ""
}

// WriteText writes the report as text: group by group, problems with their remedies.
func (r *Report) WriteText(w io.Writer, style Style) error {
	style.Width = max(style.Width, minWidth)
	t := text{style: style}
	for _, g := range Groups() {
		t.group(g, r.Results)
	}
	t.summary(r)
	_, err := io.WriteString(w, t.String())
	return err
}

type text struct {
	strings.Builder
	style Style
}

func (t *text) paint(code, word string) string {
	if !t.style.Color {
		return word
	}
	return code + word + "\x1b[0m"
}

func (t *text) group(g Group, all []Result) {
	var mine []Result
	for _, r := range all {
		if r.Group == g {
			mine = append(mine, r)
		}
	}
	if len(mine) == 0 {
		return
	}
	if t.Len() > 0 {
		t.WriteByte('\n')
	}
	t.WriteString(t.paint("\x1b[1m", string(g)) + "\n")
	for len(mine) > 0 {
		n := sameSkipReason(mine)
		t.result(mine[0], n)
		mine = mine[n:]
	}
}

// sameSkipReason counts the first results that were skipped for the same reason.
func sameSkipReason(all []Result) int {
	n := 1
	for n < len(all) && all[0].Status == Skip && all[n].Status == Skip && all[0].Evidence[0] == all[n].Evidence[0] {
		n++
	}
	return n
}

func (t *text) result(r Result, n int) {
	word := t.paint(color(r.Status), r.Status.String())
	name := r.Name
	if n > 1 {
		name = fmt.Sprintf("%s and %d more", r.Name, n-1)
	}
	if r.Ignored {
		word = t.paint(color(Skip), r.Status.String())
		name += " (ignored)"
	}
	if r.Status <= Skip && r.Repaired == "" {
		t.line(word, name, fault.Printable(strings.Join(r.Evidence, "; ")))
		return
	}
	if r.Repaired != "" {
		t.line(word, name, "fixed: "+fault.Printable(r.Repaired))
		return
	}
	t.line(word, name, string(r.Code))
	t.wrap("want  ", r.Title)
	for _, e := range r.Evidence {
		t.wrap("seen  ", e)
	}
	if r.Ignored {
		return
	}
	t.wrap("do    ", r.Remedy)
	if r.Repair != "" {
		t.wrap("-fix  ", "would "+r.Repair)
	}
}

// line is a check's first line, cut to the width.
func (t *text) line(word, name, rest string) {
	if len(name) < nameWidth {
		name += strings.Repeat(" ", nameWidth-len(name))
	}
	width := t.style.Width - 2 - 4 - 2 - utf8.RuneCountInString(name) - 1
	if !t.style.All && utf8.RuneCountInString(rest) > width {
		rest = string([]rune(rest)[:max(0, width-1)]) + "…"
	}
	t.WriteString("  " + word + "  " + strings.TrimRight(name+" "+rest, " ") + "\n")
}

// wrap writes a labeled paragraph within the width.
func (t *text) wrap(label, words string) {
	width := t.style.Width - len(indent) - len(label)
	lead := indent + t.paint(color(Skip), label)
	for _, line := range fold(fault.Printable(words), width) {
		t.WriteString(lead + line + "\n")
		lead = indent + strings.Repeat(" ", len(label))
	}
}

// fold breaks a text into lines. A word longer than a line stays whole, so that it can be
// copied.
func fold(words string, width int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(words) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			out = append(out, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(out, line)
}

func (t *text) summary(r *Report) {
	c := r.Counts
	parts := []string{fmt.Sprintf("%d pass", c.Pass)}
	for _, p := range []struct {
		n      int
		status Status
	}{{c.Warn, Warn}, {c.Fail, Fail}, {c.Skip, Skip}} {
		if p.n > 0 {
			parts = append(parts, t.paint(color(p.status), fmt.Sprintf("%d %s", p.n, p.status)))
		}
	}
	if c.Ignored > 0 {
		parts = append(parts, fmt.Sprintf("%d ignored", c.Ignored))
	}
	nodeFindings := "no node runs with this configuration"
	if r.Running {
		nodeFindings = "alongside the running node"
	}
	fmt.Fprintf(t, "\n%s · %s · %.1f s\n", strings.Join(parts, ", "), nodeFindings, float64(r.Millis)/1000)
	if worst := r.Worst(); worst != "" {
		fmt.Fprintf(t, "worst: %s; tutti help %s says more\n", worst, worst)
	}
}
