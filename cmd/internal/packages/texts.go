package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/tuttinode/tutti/cmd/internal/usage"
	"github.com/tuttinode/tutti/config"
)

// writeConf writes the configuration that is installed: where the state lies, and
// every option with its explanation, commented out.
func writeConf(w io.Writer) error {
	var sample bytes.Buffer
	if err := config.WriteSample(&sample); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `## What the service "tutti" runs: `+"`tutti init`"+` asks for it, or choose the roles and the
## address here, then
##   tutti config check -config /etc/tutti/tutti.conf
##   systemctl enable --now tutti
## After a change: systemctl reload tutti, which says what needs a restart.
##
## Secrets stay out of this file. The passphrase of the key goes to
## /etc/credstore/tutti.ethPassword, readable by root alone, and needs no line here.
## A secret of workers (orchSecret) and the chain's endpoints (ethUrl) go there too:
##   orchSecret /run/credentials/tutti.service/orchSecret
##   ethUrl /run/credentials/tutti.service/ethUrl

dataDir /var/lib/tutti

#orchestrator
#transcoder
#gpu all
#serviceAddr host.example.org:8935

%s`, sample.Bytes())
	return err
}

// writeMan writes tutti's manual page: the help text, whose lines stand as they are.
func (r *release) writeMan(w io.Writer) error {
	var help bytes.Buffer
	if err := config.WriteHelp(&help); err != nil {
		return err
	}
	var commands strings.Builder
	for _, c := range usage.Commands() {
		fmt.Fprintf(&commands, ".TP\n.B tutti %s\n%s\n", roff(strings.TrimSpace(c.Name+" "+strings.Join(c.Words, "|"))),
			roff(c.Short))
	}
	_, err := fmt.Fprintf(w, `.TH TUTTI 1 "%s" "tutti %s"
.SH NAME
tutti \- node of a network of paid video and AI work
.SH SYNOPSIS
.B tutti
[options]
.br
.B tutti
COMMAND [words]
.SH COMMANDS
%s.PP
.B tutti help
COMMAND says more of each.
.SH DESCRIPTION
.nf
%s.fi
.SH FILES
.TP
/etc/tutti/tutti.conf
what the service runs
.TP
/var/lib/tutti
its state, with the keys
.SH SEE ALSO
.BR tutti_cli (1)
.br
/usr/share/doc/tutti
`, r.time.Format("2006-01-02"), r.version, commands.String(), roff(help.String()))
	return err
}

// roff makes text that troff leaves as it is.
func roff(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			b.WriteString(`\&`)
		}
		b.WriteString(line)
	}
	return b.String()
}
