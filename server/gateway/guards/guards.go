package guards

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
)

// verdictMargin is how much longer than its question a verdict may be, in bytes: for the message, the
// annotations and replaced text.
const verdictMargin = 64 << 10

// maxWaiting bounds the questions that wait for their turn at a guard.
const maxWaiting = 4096

var errSlow = errors.New("it took longer than its timeout")

// What is no failure of a guard, so that clients cannot bring it about for a guard that may be passed.
var (
	errBusy     = errors.New("its questions wait for longer than its timeout")
	errQuestion = errors.New("the question cannot be written")
)

// backend gives verdicts.
type backend interface {
	ask(ctx context.Context, question []byte, limit int64) ([]byte, error)
	close()
}

// guard is one guard with its questions in progress.
type guard struct {
	Spec
	backend backend
	// slots are for the questions in progress; clients take turns.
	slots  *fairqueue.Queue
	counts *counts
	// failing: the last question got no verdict. down is when its own question got none either.
	failing atomic.Bool
	down    core.Instant
	log     *slog.Logger
}

// Guards are all guards, in the order of the file. A nil *Guards has none.
type Guards struct{ list []*guard }

// New makes guards. It starts nothing: programs start with the first question. Close ends them.
func New(specs []Spec, log *slog.Logger) *Guards {
	out := &Guards{}
	for i := range specs {
		g := &guard{Spec: specs[i], log: log, counts: &counts{},
			slots: fairqueue.New(fairqueue.Options{Slots: specs[i].Concurrency, MaxWaiting: maxWaiting})}
		if g.URL != "" {
			g.backend = newWebhook(&g.Spec)
		} else {
			g.backend = &program{args: g.Program}
		}
		out.list = append(out.list, g)
	}
	return out
}

// Close ends the programs. No question may be in progress.
func (g *Guards) Close() {
	if g == nil {
		return
	}
	for _, one := range g.list {
		one.backend.close()
	}
}

// Cover reports whether a guard checks this stage of such requests, and after how many events of a stream
// the first of them is to be asked.
func (g *Guards) Cover(stage Stage, key string, models ...string) (events int, ok bool) {
	if g == nil {
		return 0, false
	}
	for _, one := range g.list {
		if one.covers(stage, key, models) && (!ok || one.Events < events) {
			events, ok = one.Events, true
		}
	}
	return events, ok
}

// Result is what the guards together decided.
type Result struct {
	// Body and Events are the question's, or what replaces them; Replaced reports it.
	Body     json.RawMessage
	Events   []json.RawMessage
	Replaced bool
	// More: a guard wants to see the events again, together with the next ones.
	More bool
	// Annotations are by guard; nil for none.
	Annotations map[string]map[string]string
}

// Check asks the guards about a request or an answer, each about what the one before made of it. Errors are
// the faults GuardRefused, with the guard's message, GuardFailed and Canceled.
func (g *Guards) Check(ctx context.Context, q Question) (Result, error) {
	out := Result{Body: q.Body, Events: q.Events}
	for _, one := range g.list {
		if !one.covers(q.Stage, q.Key, append([]string{q.Model}, q.Models...)) {
			continue
		}
		q.Body, q.Events = out.Body, out.Events
		v, err := one.verdict(ctx, &q)
		if err != nil {
			return out, err
		}
		if len(v.Annotations) > 0 {
			if out.Annotations == nil {
				out.Annotations = map[string]map[string]string{}
			}
			out.Annotations[one.Name] = v.Annotations
		}
		switch v.Action {
		case actionRefuse:
			return out, one.refusal(v)
		case actionMore:
			return Result{More: true}, nil
		case actionReplace:
			out.Body, out.Events, out.Replaced = v.Body, v.Events, true
		}
	}
	return out, nil
}

const opCheck = "check with a guard"

// refusal is the fault of a guard's refusal.
func (g *guard) refusal(v *verdict) error {
	text := strings.TrimSpace(v.Message)
	if text == "" {
		text = "the guard " + g.Name + " of this gateway refuses it"
	}
	return fault.New(fault.GuardRefused, opCheck, text)
}

// reportChange logs that the guard began or ceased to fail.
func (g *guard) reportChange(err error) {
	if err == nil {
		g.log.Info("a guard gives verdicts again", "guard", g.Name)
		return
	}
	f := &fault.Fault{Code: fault.GuardFailed, Op: opCheck, Detail: "guard " + g.Name + ": " + err.Error(), Err: err}
	g.log.Warn("a guard gives no verdict", "guard", g.Name, "on_failure", g.OnFailure, fault.Attr(f))
}

// ask waits for the client's turn and asks, each for the guard's timeout. Errors are errBusy, errQuestion and the
// guard's failures.
func (g *guard) ask(ctx context.Context, q *Question) (*verdict, error) {
	question, err := json.Marshal(q)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errQuestion, err)
	}
	turn, late := context.WithTimeout(ctx, g.timeout)
	release, err := g.slots.Acquire(turn, q.Party)
	late()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBusy, err)
	}
	defer release()
	ctx, cancel := context.WithTimeoutCause(ctx, g.timeout, errSlow)
	defer cancel()
	text, err := g.backend.ask(ctx, question, int64(len(question))+verdictMargin)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, err
	}
	v, err := parseVerdict(text, q)
	if err != nil {
		return nil, errors.New("its verdict cannot be used: " + err.Error())
	}
	return v, nil
}

// Header is annotations as the text of a header: JSON in ASCII, "" for none.
func Header(annotations map[string]map[string]string) string {
	if len(annotations) == 0 {
		return ""
	}
	b, _ := json.Marshal(annotations) // texts cannot fail
	if !slices.ContainsFunc(b, func(c byte) bool { return c >= 0x7f }) {
		return string(b)
	}
	var out strings.Builder
	for _, r := range string(b) {
		switch {
		case r < 0x7f:
			out.WriteRune(r)
		case r <= 0xffff:
			writeEscape(&out, uint16(r))
		default:
			high, low := surrogates(r)
			writeEscape(&out, high)
			writeEscape(&out, low)
		}
	}
	return out.String()
}

func surrogates(r rune) (high, low uint16) {
	const base, first, second, half = 0x10000, 0xd800, 0xdc00, 10
	r -= base
	return uint16(first + r>>half), uint16(second + r&(1<<half-1))
}

func writeEscape(out *strings.Builder, unit uint16) {
	const digits = "0123456789abcdef"
	out.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		out.WriteByte(digits[unit>>shift&15])
	}
}
