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

// run starts the operator's program without a shell, arguments or the node's environment.
// It gets the alert as JSON on standard input and in its environment. Its output is
// discarded.
func (s *Sender) run(ctx context.Context, m *Message) error {
	d := documentOf(m)
	input, err := json.Marshal(d)
	if err != nil {
		return fault.Wrap(fault.Unexpected, "write alert", err)
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.sink.Address.Reveal())
	cmd.Stdin = bytes.NewReader(append(input, '\n'))
	cmd.Env = environment(&d)
	cmd.Dir = "/"
	cmd.WaitDelay = time.Second // do not wait for a child that keeps the output open
	ownProcessGroup(cmd)
	err = cmd.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return s.undelivered(fmt.Sprintf("it did not end within %s and was stopped", sendTimeout))
	case errors.As(err, &ended):
		return s.undelivered(fmt.Sprintf("it ended with status %d", ended.ExitCode()))
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // it succeeded, but a child still runs
	}
	return s.undelivered("it cannot be started: " + rootCause(err))
}

// environment returns a program's whole environment. Values that may quote a peer have no line
// breaks.
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

// clean replaces control characters, which are invalid or risky in environment variables.
func clean(s string) string {
	return string(bytes.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, []byte(s)))
}

// rootCause returns the system's error without the program's path.
func rootCause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
