package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/test/gpu/card"
)

// title begins the first line of a report; the GPU follows.
const title = "# GPU report: "

// details is the heading after which every single check follows.
const details = "## Checks"

// longest is how much of a text a cell shows; the JSON has it whole.
const longest = 400

// Markdown is the report for people: what was tested, a summary, the figures, and
// every check.
func (r Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n\n", title, r.Card.Name)
	r.facts(&b)
	r.summary(&b)
	r.figures(&b)
	fmt.Fprintf(&b, "\n%s\n", details)
	for _, p := range r.Parts {
		p.write(&b)
	}
	return b.String()
}

func (r Report) facts(b *strings.Builder) {
	encoder := "none: the CPU encodes"
	if r.Card.Encodes {
		encoder = "NVENC"
	}
	form := "short"
	if r.Full {
		form = "full"
	}
	rows := [][2]string{
		{"Card", fmt.Sprintf("%s, compute %s, %d MiB, encoder: %s", r.Card.Name, cmp.Or(r.Card.Compute, "?"),
			r.Card.Memory>>20, encoder)},
		{"Driver", strings.TrimSpace(r.Driver + cudaVersion(r.CUDA))},
		{"Date", r.Date},
		{"Machine", fmt.Sprintf("%d cores of %s, %d GiB, kernel %s, %s", r.Host.Cores, r.Host.Processor,
			r.Host.Memory>>30, r.Host.Kernel, r.Host.System)},
		{"Kit", fmt.Sprintf("%s, %s form", r.Kit, form)},
	}
	if r.Driver == Simulated {
		rows = append(rows, [2]string{"Rehearsal", "The driver was simulated on the CPU. No figure here is a GPU's."})
	}
	b.WriteString("| What | Is |\n|---|---|\n")
	for _, row := range rows {
		fmt.Fprintf(b, "| %s | %s |\n", row[0], cell(row[1]))
	}
}

func cudaVersion(v string) string {
	if v == "" {
		return ""
	}
	return ", CUDA " + v
}

func (r Report) summary(b *strings.Builder) {
	b.WriteString("\n## Summary\n\n| Part | Passed | Failed | Skipped | Time | Verdict |\n|---|---|---|---|---|---|\n")
	for _, p := range r.Parts {
		verdict := "passed"
		if !p.Passed() {
			verdict = "**failed**"
		}
		fmt.Fprintf(b, "| %s | %d | %d | %d | %.0f s | %s |\n", p.Name, p.Count(card.Passed), p.Count(card.Failed),
			p.Count(card.Skipped), p.Seconds, verdict)
	}
}

// comparisons are the parts whose figures are counts of what was compared: the summary
// says all that a reader wants of them.
var comparisons = []string{"correct", "walls"}

func (r Report) figures(b *strings.Builder) {
	b.WriteString("\n## Figures\n\n| Part | What | Figure |\n|---|---|---|\n")
	for _, p := range r.Parts {
		for _, c := range p.Checks {
			if c.Figure != "" && !slices.Contains(comparisons, p.Name) {
				fmt.Fprintf(b, "| %s | %s | %s |\n", p.Name, cell(c.What), cell(c.Figure))
			}
		}
	}
}

func (p Part) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n", p.Name, p.Title)
	for _, program := range p.Programs {
		if program.End == "" && len(program.Failed) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n%s %s. Failed tests: %s. `log.txt` has its output.\n", program.Name,
			cmp.Or(program.End, "ended"), cmp.Or(strings.Join(program.Failed, ", "), "none by name"))
	}
	b.WriteString("\n| Result | What | Expected | Seen | Figure |\n|---|---|---|---|---|\n")
	for _, c := range p.Checks {
		result := string(c.Result)
		if c.Result == card.Failed {
			result = "**failed**"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", result, cell(c.What), cell(c.Expected), cell(c.Seen),
			cell(c.Figure))
	}
}

// cell is a text within a table.
func cell(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > longest {
		s = string(r[:longest]) + " …"
	}
	return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(s)
}
