package verb

import (
	"fmt"
	"io"
	"strings"
)

// WriteMan writes the manual page.
func WriteMan(w io.Writer, t Table) error {
	var b strings.Builder
	b.WriteString(".\\\" Generated from the table of verbs in cmd/tutti_cli/action; run \"make generate\".\n")
	b.WriteString(".TH TUTTI_CLI 1\n.SH NAME\ntutti_cli \\- look at a tutti node and act on the chain with its account\n")
	b.WriteString(".SH SYNOPSIS\n.B tutti_cli\n[options] [verb [words] [options]]\n.SH DESCRIPTION\n")
	b.WriteString("Without a verb, on a terminal, it shows a numbered menu. With a verb it does one thing. Changes ask " +
		"before they spend anything, and need \\-\\-yes where no prompt is possible.\n.SH VERBS\n")
	for _, v := range t {
		manVerb(&b, v)
	}
	b.WriteString(".SH OPTIONS\nEvery verb takes these.\n")
	for _, g := range Globals() {
		tagged(&b, globalOption(g), g.Help)
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range exits() {
		tagged(&b, e[0], e[1])
	}
	b.WriteString(".SH ENVIRONMENT\n")
	tagged(&b, "TUTTI_ADMIN_TOKEN", "the admin token, where no --token-file is given")
	tagged(&b, "TUTTI_DATA_DIR, TUTTI_NETWORK", "the node's own settings, where --dataDir and --network are not given")
	tagged(&b, "NO_COLOR", "set to anything, no colors")
	b.WriteString(".SH FILES\n")
	tagged(&b, "~/.tutti/NETWORK/admin.token", "the token that changes need, written by the node")
	b.WriteString(".SH SEE ALSO\ntutti help, docs/tutti_cli.md, docs/troubleshooting.md\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func manVerb(b *strings.Builder, v *Verb) {
	fmt.Fprintf(b, ".SS %s\n%s\n", roff(v.Name), roff(v.Short))
	if v.Long != "" {
		b.WriteString(roff(v.Long) + "\n")
	}
	fmt.Fprintf(b, ".PP\n.B %s\n", roff(Usage(v)))
	for _, f := range v.Fields {
		name, text := fieldLine(f)
		tagged(b, name, text)
	}
}

func tagged(b *strings.Builder, name, text string) {
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(name), roff(text))
}

// roff keeps a text's characters from being commands.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
