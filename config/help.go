package config

import (
	"fmt"
	"io"
	"strings"
)

// helpWidth is where lines of the help are broken.
const helpWidth = 96

// WriteHelp writes the options by group, for -help.
func WriteHelp(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`tutti runs the roles it is given in one process.

  tutti -orchestrator -transcoder -serviceAddr host:8935     accept jobs
  tutti -gateway -orchAddr host:8935                         send jobs
  tutti config check [options]                               say whether a node starts with them
  tutti help                                                 list the commands

Options begin with one or two dashes: -name value or -name=value. A switch is on when its name
stands alone and takes a value only with "=": -reward=false. Every option can also be given as an
environment variable (TUTTI_MAX_SESSIONS, LP_MAXSESSIONS) or as a line of the -config file
(maxSessions 10). The command line overrides the environment, which overrides the file.
`)
	for _, g := range groups() {
		fmt.Fprintf(&b, "\n%s\n", g)
		for _, o := range table() {
			if o.group == g && o.obsolete == "" {
				writeOption(&b, o)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeOption(b *strings.Builder, o option) {
	t := o.valueType()
	head := "  -" + o.name
	for _, alias := range o.aliases {
		head += ", -" + alias
	}
	if !t.isSwitch {
		head += " <" + t.name + ">"
	}
	b.WriteString(head + "\n")
	body := o.help
	if d := o.defaultText(); d != "" && d != "false" {
		body += " (default: " + d + ")"
	}
	if !o.feature.present() {
		body += " [" + o.feature.missing() + "]"
	}
	for _, line := range wrap(body, helpWidth-8) {
		b.WriteString("        " + line + "\n")
	}
}

// wrap breaks a text between words so that lines keep within a width.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > width:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
