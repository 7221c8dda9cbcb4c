package fault

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// docIntro opens the generated page.
const docIntro = `# Troubleshooting

Every condition that tutti names, with its cause and its remedy. The code stands in log lines
(` + "`code=…`" + `), in the bodies of API answers, in the ` + "`tutti_refusals_total`" + ` metric and on the
status page. ` + "`tutti help CODE`" + ` prints the same text.

This page is generated from the table in core/fault; run ` + "`make docs`" + ` after changing it.

The class says which party has to act: *configuration* – you, before starting; *busy* – capacity;
*bad request*, *unauthenticated*, *forbidden*, *not found*, *payment* – the peer or client that asked;
*upstream* – something this node depends on; *internal* – a defect or a failing part of this node.
`

// WriteDoc writes the page docs/troubleshooting.md.
func WriteDoc(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString(docIntro)
	for _, s := range sections {
		if len(s.Rows) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n## %s\n", s.Title)
		for _, r := range s.Rows {
			writeRow(b, r)
		}
	}
	return b.Flush()
}

func writeRow(b *bufio.Writer, r Row) {
	fmt.Fprintf(b, "\n### %s\n\n", r.Code)
	if r.Symptom != "" {
		fmt.Fprintf(b, "- **Seen as:** %s\n", r.Symptom)
	}
	fmt.Fprintf(b, "- **Cause:** %s\n", r.Cause)
	fmt.Fprintf(b, "- **Remedy:** %s\n", r.Remedy)
	fmt.Fprintf(b, "- **Class:** %s", r.Class)
	if r.Retryable {
		b.WriteString("; may succeed elsewhere or later")
	}
	b.WriteString("\n")
	if r.Wire != "" {
		fmt.Fprintf(b, "- **Peers get:** `%s`\n", wireInDoc(r.Wire))
	}
}

// wireInDoc shows where a detail follows the fixed words.
func wireInDoc(wire string) string {
	return strings.Replace(wire, detailMark, "…", 1)
}
