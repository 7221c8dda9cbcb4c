package doctor

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// WriteList writes names and titles, for -list.
func WriteList(w io.Writer, checks []Check) error {
	var b bytes.Buffer
	for _, c := range checks {
		fmt.Fprintf(&b, "%-26s %s\n", c.Name, c.Title)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// WriteDoc writes docs/doctor.md.
func WriteDoc(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString(docHead)
	for _, s := range Symptoms() {
		fmt.Fprintf(&b, "| %s | %s |\n", s.Text, linked(s.Checks))
	}
	b.WriteString("\n## Checks\n")
	for _, g := range Groups() {
		fmt.Fprintf(&b, "\n### %s\n\n| Check | What holds when it passes | Fails with | Warns with "+
			"|\n|---|---|---|---|\n", g)
		for _, c := range Checks() {
			if c.Group == g {
				fmt.Fprintf(&b, "| <a id=\"%s\"></a>`%s` | %s | %s | %s |\n", c.Name, c.Name, c.Title,
					remedies(c.Fails), remedies(c.Warns))
			}
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func linked(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("[`%s`](#%s)", n, n))
	}
	return strings.Join(out, ", ")
}

func remedies(codes []fault.Code) string {
	if len(codes) == 0 {
		return "–"
	}
	var out []string
	for _, c := range codes {
		out = append(out, fmt.Sprintf("[`%s`](troubleshooting.md#%s)", c, strings.ToLower(string(c))))
	}
	return strings.Join(out, ", ")
}

const docHead = `# tutti doctor

<!-- Generated from core/doctor by make docs. -->

` + "`tutti doctor`" + ` shows whether a node can do its work, and what to do where it cannot. It works before
the first start, alongside a running node, and without a chain, a GPU or a network; it skips what it cannot check, with
the reason. It takes the flags of the node itself, or its configuration file, behind its own. Without any it checks the
node that runs on this machine, with the flags and the environment that it was started with (on Linux), or else the
packages' service, /etc/tutti/tutti.conf, where there is one. Of another user's node root's doctor takes
no flags and no environment, but a ` + "`-config`" + ` in /etc/tutti, as the packages' services have it:

` + "```" + `
tutti doctor
tutti doctor -orchestrator -transcoder -serviceAddr host:8935
tutti doctor -config /etc/tutti/tutti.conf
tutti doctor -only chain,network.reach -config /etc/tutti/tutti.conf
tutti doctor -json -ignore chain.spare -config /etc/tutti/tutti.conf
` + "```" + `

| Flag | Meaning |
|---|---|
| ` + "`-only a,b`" + ` | only these checks, by name or by group |
| ` + "`-ignore a,b`" + ` | these are shown and do not count |
| ` + "`-fix`" + ` | makes safe repairs: modes of files with secrets, a data directory that is missing, a stale ` +
	`admin socket |
| ` + "`-json`" + ` | writes JSON: ` + "`schema`, `status`, `counts` and one of `results`" + ` per check; ` +
	`fields are added, never renamed |
| ` + "`-list`" + ` | shows the checks and runs none |
| ` + "`-all`" + ` | does not shorten lines |

The exit status is the worst of what counts: 0 when all is well, 1 for warnings, 2 for failures; 3 when doctor's own
flags are wrong. A run takes less than 15 seconds, whatever hangs.

Requests to a running node go to its admin address. Its conditions appear at the checks they belong to; its ports,
its lock and its GPUs are left alone.

## Symptoms

| What is seen | Checks that find its causes |
|---|---|
`
