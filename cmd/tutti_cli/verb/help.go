package verb

import (
	"fmt"
	"io"
	"strings"
)

// Exit statuses, as the documents list them.
func exits() [][2]string {
	return [][2]string{
		{"0", "done"},
		{"1", "failed on the node or on the chain, or a dry run shows that it would"},
		{"2", "the command line cannot be read, or a change lacks --yes where no prompt is possible"},
		{"3", "refused: an unusual value without --allow-unusual, or you answered no"},
		{"4", "the node cannot be reached"},
		{"5", "the time to wait is over, or the answer did not come; the transaction goes on, and its hash is written " +
			"where it is known"},
	}
}

// Usage returns the line of a verb's form.
func Usage(v *Verb) string {
	line := "tutti_cli " + v.Name
	options := false
	for _, f := range v.Fields {
		switch {
		case f.Word && f.Required:
			line += " " + f.Meta
		case f.Word:
			line += " [" + f.Meta + "]"
		case f.Required:
			line += " " + option(f)
		default:
			options = true
		}
	}
	if options {
		line += " [options]"
	}
	return line
}

// UsageLine is how the tool is called.
const UsageLine = "tutti_cli [options] VERB [words] [options]"

// option returns how an option is written.
func option(f Field) string {
	if f.Meta == "" {
		return "--" + f.Name
	}
	return "--" + f.Name + " " + f.Meta
}

func globalOption(g Global) string {
	return option(Field{Name: g.Name, Meta: g.Meta})
}

// Overview writes what `tutti_cli help` says.
func Overview(w io.Writer, t Table) error {
	var b strings.Builder
	b.WriteString("tutti_cli works on a node: it looks at it, and acts on the chain with its account.\nWithout a verb, " +
		"on a terminal, it shows a menu.\n\nusage: " + UsageLine + "\n\nverbs:\n")
	rows(&b, len(t), func(i int) (string, string) { return t[i].Name, t[i].Short })
	b.WriteString("\noptions of every verb:\n")
	globals := Globals()
	rows(&b, len(globals), func(i int) (string, string) { return globalOption(globals[i]), globals[i].Help })
	b.WriteString("\nexit status:\n")
	rows(&b, len(exits()), func(i int) (string, string) { return exits()[i][0], exits()[i][1] })
	b.WriteString("\ntutti_cli help VERB says more of a verb, tutti_cli help CODE of a condition.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// Help writes what `tutti_cli help VERB` says.
func Help(w io.Writer, v *Verb) error {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s\n\n%s\n", Usage(v), v.Short)
	if v.Long != "" {
		b.WriteString(v.Long + "\n")
	}
	if len(v.Fields) > 0 {
		b.WriteString("\n")
		rows(&b, len(v.Fields), func(i int) (string, string) { return fieldLine(v.Fields[i]) })
	}
	if v.Changes {
		b.WriteString("\nIt changes something: --dry-run shows what, --yes does it without asking.\n")
	}
	b.WriteString("\ntutti_cli help lists the options of every verb.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func fieldLine(f Field) (name, text string) {
	text = f.Help
	if f.Required {
		text += "; required"
	}
	if f.Word {
		return f.Meta, text + "; also --" + f.Name
	}
	return option(f), text
}

func rows(b *strings.Builder, n int, row func(int) (string, string)) {
	width := 0
	for i := range n {
		name, _ := row(i)
		width = max(width, len(name))
	}
	for i := range n {
		name, text := row(i)
		fmt.Fprintf(b, "  %-*s  %s\n", width, name, text)
	}
}
