package config

import (
	"fmt"
	"io"
	"strings"
)

// WriteSample writes a configuration file in which every option is explained
// and commented out. Taking the single "#" off a line sets the option to what
// is written there: its default, or an example.
func WriteSample(w io.Writer) error {
	var b strings.Builder
	b.WriteString("## Configuration of a tutti node, read with -config.\n" +
		"## One option per line: key, space, value. A key alone means true.\n" +
		"## Lines that begin with ## are comments; remove the # before an option to set it.\n")
	for _, g := range groups() {
		fmt.Fprintf(&b, "\n## %s\n", strings.ToUpper(string(g)))
		for _, o := range table() {
			if o.group != g || o.flagOnly || o.obsolete != "" || o.name == "config" || o.name == "netint" {
				continue
			}
			b.WriteString("\n")
			for _, line := range wrap(o.help, helpWidth-3) {
				b.WriteString("## " + line + "\n")
			}
			value := o.preset
			if value == "" {
				value = o.valueType().example
			}
			fmt.Fprintf(&b, "#%s %s\n", o.name, value)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
