package config

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

const docHead = "# Configuration\n\n" +
	"<!-- Generated from the option table by `make docs`; do not edit. -->\n\n" +
	"A node is configured by its command line, environment variables and, with `-config`, a file.\n" +
	"`tutti config check` followed by the same options shows the resulting settings and every problem at once;\n" +
	"it exits with 0, or with 2 when the node would not start.\n\n" +
	"- **Command line**: `-name value` or `-name=value`, with one or two dashes. A switch is on when its name\n" +
	"  stands alone and takes a value only with `=`: `-reward=false`.\n" +
	"- **Environment**: the names in the tables. `TUTTI_` goes before `LP_`; an empty variable counts as not set.\n" +
	"- **File**: one option per line, key, white space, value. `#` begins a comment at the start of a line or\n" +
	"  after white space. A key alone means true. Unknown keys are errors.\n" +
	"- **Precedence**: command line, environment, file, default. Of an option given twice in one place the last\n" +
	"  counts; two spellings of one option with different values are an error.\n" +
	"- **Secrets** given as text or path are read from the file when there is one of that name. Secrets, and\n" +
	"  everything of a URL but scheme and host, are masked wherever settings are shown.\n" +
	"- **Sizes**: `kB`, `MB`, `GB` are powers of 1000, `KiB`, `MiB`, `GiB` of 1024. **Durations**: `500ms`,\n" +
	"  `30s`, `5m`, `1h30m`. **Amounts of wei** may have an exponent: `8e9`.\n\n" +
	"The last column tells operators of the existing node what to expect:\n\n" +
	"| Mark | Meaning |\n|---|---|\n" +
	"| B | part of the operator's contract |\n" +
	"| M | has the same meaning in the existing node |\n" +
	"| A | accepted; has an effect if the feature exists |\n" +
	"| G | for gateways; other roles accept it with a notice that it has no effect |\n" +
	"| O | obsolete: accepted with a notice |\n" +
	"| T | only in tutti |\n" +
	"| R | applied by a running node when it reloads its configuration (`tutti_cli reload`, SIGHUP) |\n"

// WriteDoc writes the documentation page of the options, docs/configuration.md.
func WriteDoc(w io.Writer) error {
	var b strings.Builder
	b.WriteString(docHead)
	for _, g := range groups() {
		fmt.Fprintf(&b, "\n## %s\n\n| Option | Environment | Type | Default | Meaning | Mark "+
			"|\n|---|---|---|---|---|---|\n", g)
		for _, o := range table() {
			if o.group == g {
				writeDocRow(&b, o)
			}
		}
	}
	b.WriteString("\n## Names that no longer exist\n\nThese are refused, as in the existing node; the message " +
		"says what to do instead.\n\n| Name | Instead |\n|---|---|\n")
	instead := retired()
	for _, name := range slices.Sorted(maps.Keys(instead)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, cell(instead[name]))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeDocRow(b *strings.Builder, o option) {
	var flags, env []string
	for _, s := range o.spellings() {
		flags = append(flags, "`-"+s+"`")
		for _, e := range o.env(s) {
			if e = "`" + e + "`"; !slices.Contains(env, e) {
				env = append(env, e)
			}
		}
	}
	meaning := o.help
	if o.obsolete != "" {
		meaning = "has no effect: " + o.obsolete
	}
	if o.roles != 0 {
		meaning += ". For " + o.roles.String()
	}
	if len(o.former) > 0 {
		meaning += ". Old name: -" + strings.Join(o.former, ", -")
	}
	if !o.feature.present() {
		meaning += ". *" + strings.ToUpper(string(o.feature[:1])) + o.feature.missing()[1:] + ".*"
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", strings.Join(flags, "<br>"), strings.Join(env, "<br>"),
		cell(o.valueType().name), cell(o.defaultText()), cell(meaning), o.marks())
}

// marks returns the last column.
func (o option) marks() string {
	if o.live {
		return o.mark + " R"
	}
	return o.mark
}

// cell escapes characters that would end a table's cell.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(s)
}
