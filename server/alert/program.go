package alert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"time"
	"unicode"

	"github.com/tuttinode/tutti/core/fault"
)

// run starts the operator's program: no shell, no arguments, none of the node's
// environment, the alert as JSON on standard input and in the environment. What it
// writes goes nowhere.
func (s *Sender) run(ctx context.Context, m *Message) error {
	d := documentOf(m)
	input, err := json.Marshal(d)
	if err != nil {
		return fault.Wrap(fault.Unexpected, "write alert", err)
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.sink.Address.Reveal())
	cmd.Stdin = bytes.NewReader(append(input, '\n'))
	cmd.Env = environment(&d)
	cmd.Dir = "/"
	cmd.WaitDelay = time.Second // a child that holds on to its output is not waited for
	alone(cmd)
	err = cmd.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return s.undelivered(fmt.Sprintf("it did not end within %s and was stopped", sendTime))
	case errors.As(err, &ended):
		return s.undelivered(fmt.Sprintf("it ended with status %d", ended.ExitCode()))
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // it ended well, and left something running
	}
	return s.undelivered("it cannot be started: " + cause(err))
}

// environment is all that a program gets. Values have no line breaks of a peer's: the
// texts are the node's.
func environment(d *document) []string {
	return []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"TUTTI_ALERT_STATE=" + d.State,
		"TUTTI_ALERT_SEVERITY=" + d.Severity,
		"TUTTI_ALERT_CODE=" + d.Code,
		"TUTTI_ALERT_ABOUT=" + clean(limit(d.About, 2000)),
		"TUTTI_ALERT_NODE=" + clean(d.Node),
		"TUTTI_ALERT_SUMMARY=" + clean(limit(d.Summary, 4000)),
		"TUTTI_ALERT_DETAIL=" + clean(limit(d.Detail, 2000)),
		"TUTTI_ALERT_REMEDY=" + d.Remedy,
		"TUTTI_ALERT_SINCE=" + d.Since.Format(time.RFC3339),
		"TUTTI_ALERT_TIMES=" + strconv.Itoa(d.Times),
	}
}

// clean makes one line of a text: it leaves out what the environment cannot hold, or a
// careless program trips over.
func clean(s string) string {
	return string(bytes.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, []byte(s)))
}

// cause is the system's word for why a program did not start, without its path.
func cause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
