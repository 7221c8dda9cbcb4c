package verb

import (
	"fmt"
	"io"
	"strings"
)

const pageIntro = `# tutti_cli

<!-- Generated from the table of verbs in cmd/tutti_cli/action; run "make generate". -->

` + "`tutti_cli`" + ` is the operator's tool. It looks at a running node and acts on the chain with the
node's account, over the node's admin API on loopback (port 7935, a gateway alone 5935). It knows no chain of its own:
the node estimates, signs, sends and follows. It may be closed after an action was sent. Only the account verbs touch
keys: they make key files where no node runs yet.

## Menu

Without a verb, on a terminal, it shows a numbered menu with what fits the node's roles. Type a number to choose, follow
the questions, and see what an action costs before it is sent. "Become an orchestrator" explains each parameter, checks
the balances, shows the plan with its fees, and asks before every transaction. When a step fails, run it again: it goes
on at the open step. Ctrl-C at a question leaves the tool and sends nothing.
` + "`--accessible`" + `, or TERM=dumb, writes every value on a line of its own.

## Verbs

The same actions are verbs for scripts. Options may stand before and behind words, with one dash or two. A change asks
for confirmation on a terminal, and needs ` + "`--yes`" + ` where no prompt is possible.
` + "`--dry-run`" + ` shows what would be done and its cost.

    tutti_cli status
    tutti_cli orchestrator activate --reward-cut 10 --fee-cut 5 --stake 1000 --price-per-unit 0 \
        --service-uri https://node.example.com:8935 --dry-run
    tutti_cli reward status --json | jq .state

Amounts have units, and what is most likely not meant is refused with a way to write what is: stake is in whole tokens
(` + "`1000`, `0.5`" + `) or base units (` + "`5LPTU`" + `),
ETH has its unit (` + "`0.1ETH`, `5gwei`, `100wei`" + `),
a cut of ` + "`0.1`" + ` has to say whether it is 0.1 % or 10 %, prices are whole wei or name their currency.

## The admin token

Changes need the token that the node writes into its data directory. It is looked for in this order:
` + "`--token-file`" + `, the environment variable ` + "`TUTTI_ADMIN_TOKEN`" + `,
` + "`admin.token` in `--dataDir` (or `TUTTI_DATA_DIR`), `~/.tutti/NETWORK/admin.token`" + `.
It is never given on the command line, and never sent unencrypted to another machine. The token of a data directory is
not sent to a program of another user than that directory's, which may have taken the port of a node that does not run.

`

// WritePage writes the page of the documents.
func WritePage(w io.Writer, t Table) error {
	var b strings.Builder
	b.WriteString(pageIntro)
	b.WriteString("## Options of every verb\n\n| Option | Meaning |\n|---|---|\n")
	for _, g := range Globals() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", globalOption(g), cell(g.Help))
	}
	b.WriteString("\n## Exit status\n\n| Status | Meaning |\n|---|---|\n")
	for _, e := range exits() {
		fmt.Fprintf(&b, "| %s | %s |\n", e[0], cell(e[1]))
	}
	b.WriteString("\n## JSON\n\nWith `--json` a verb writes exactly one object, described by `tutti_cli schema VERB`. " +
		"A failure is\n" +
		"`{\"error\":{\"code\":…,\"message\":…,\"remedy\":…}}` on standard output, with the exit status as above; " +
		"`tutti_cli help CODE`\nand [troubleshooting.md](troubleshooting.md) say more of a code.\n\n")
	b.WriteString("## Completion\n\nThe scripts ask the program what may stand next. That of bash needs the package " +
		"bash-completion.\n\n    tutti_cli completion bash > /etc/bash_completion.d/tutti_cli\n    tutti_cli " +
		"completion zsh > \"${fpath[1]}/_tutti_cli\"\n    tutti_cli completion fish > " +
		"~/.config/fish/completions/tutti_cli.fish\n")
	b.WriteString("\n## Every verb\n")
	for _, v := range t {
		pageVerb(&b, v)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func pageVerb(b *strings.Builder, v *Verb) {
	fmt.Fprintf(b, "\n### %s\n\n%s", v.Name, v.Short)
	if v.Long != "" {
		b.WriteString(" " + v.Long)
	}
	if v.Menu != "" {
		fmt.Fprintf(b, " In the menu: %s.", v.Menu)
	}
	fmt.Fprintf(b, "\n\n    %s\n", Usage(v))
	if len(v.Fields) == 0 {
		return
	}
	b.WriteString("\n| Option | Meaning |\n|---|---|\n")
	for _, f := range v.Fields {
		name, text := fieldLine(f)
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.ReplaceAll(name, "|", `\|`), cell(text))
	}
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
