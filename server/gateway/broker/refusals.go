package broker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// refusalsNeeded is how many orchestrators must refuse a request before its client gets the refusal
// while others could be asked.
const refusalsNeeded = 2

// refusals are the orchestrators that found a job's request wrong, or cannot do what it asks for.
// One of them alone may be at fault itself.
type refusals struct {
	leases []*airouting.Lease
	// answer is a refusal that came as an answer, nil without one; err is the last one that came as
	// an error.
	answer *Answer
	err    error
	// unconfirmed: the only refusal so far is from an orchestrator with earlier refusals that no
	// other orchestrator confirmed.
	unconfirmed bool
	// first is the first refusal, with what all name; lacks are the refusals that name what the model cannot do. apart:
	// the first two name different things, so that a third orchestrator may do both.
	first airouting.Refusal
	lacks []refusedNeed
	apart bool
}

// refusedNeed is a refusal that says what the model cannot do. stated is the context that it states, 0 for none.
type refusedNeed struct {
	lease  *airouting.Lease
	named  inference.Needs
	stated inference.Tokens
}

// add records a refusal. A second refusal confirms the first one.
func (f *refusals) add(r *jobRun, lease *airouting.Lease, answer *Answer, err error) {
	lease.Refused(r.b.opt.Now())
	f.unconfirmed = len(f.leases) == 0 && lease.Unconfirmed()
	f.leases = append(f.leases, lease)
	if n, ok := namedNeed(r.job, lease, answer, err); ok {
		f.lacks = append(f.lacks, n)
		f.apart = len(f.lacks) == 2 && len(f.leases) == 2 && !f.first.Named.Meets(n.named)
		f.first.Named = f.first.Named.With(n.named)
	}
	if len(f.leases) == 1 {
		f.first.By = lease.Operator()
	}
	if answer != nil {
		f.answer = answer
	} else {
		f.err = err
	}
	if f.agreed() {
		f.confirm()
	}
}

// confirm takes the refusals back: they were about the request.
func (f *refusals) confirm() {
	for _, l := range f.leases {
		l.Confirmed()
	}
}

// namedNeed returns what a refusal says the model cannot do. Nodes of the existing network got the request without
// most of what it needs.
func namedNeed(job *inference.Job, lease *airouting.Lease, answer *Answer, err error) (refusedNeed, bool) {
	needs := job.Needs
	if !lease.Own() {
		needs.Features = 0
	}
	var text []byte
	switch {
	case answer != nil:
		text = answer.peek()
	case fault.CodeOf(err) == fault.OperationUnsupported:
		op := needs.Features & inference.OperationFeature(job.Operation)
		return refusedNeed{lease: lease, named: inference.Needs{Features: op}}, op != 0
	default:
		_, public := fault.Public(err)
		text = []byte(public)
	}
	named, stated, ok := inference.NamedUnable(text, needs)
	return refusedNeed{lease, named, stated}, ok
}

// learn records what the refusals named, because another orchestrator served the request.
func learn(now time.Time, log *slog.Logger, job *inference.Job, lacks []refusedNeed) {
	for _, n := range lacks {
		if n.lease.Lacks(now, n.named, n.stated) {
			log.Debug("an orchestrator's model lacks a feature", "orchestrator", n.lease.URI(), "model", job.Model.ID,
				"feature", strings.Join(n.named.Words(), " "))
		}
	}
}

// lacksFeature is the fault of a request that needs what no orchestrator's model has.
func (r *jobRun) lacksFeature() error {
	q := r.query()
	words := strings.Join(r.p.table.Lacking(&q).Words(), ", ")
	return fault.New(fault.ModelLacksFeature, "find an orchestrator", fmt.Sprintf(
		"the model %.256q has no %s at any orchestrator that offers it", r.job.Model.ID, words))
}

// agreed reports whether enough of them refuse the request.
func (f *refusals) agreed() bool {
	return len(f.leases) > refusalsNeeded || len(f.leases) == refusalsNeeded && !f.apart
}

// second reports whether the job is only being sent to confirm a refusal. A refusal from an
// orchestrator with unconfirmed ones is not confirmed this way.
func (f *refusals) second() bool {
	return len(f.leases) == 1 && !f.unconfirmed || len(f.leases) == refusalsNeeded && f.apart
}

// result returns the refusal that the client gets.
func (f *refusals) result() (*Answer, error) {
	if f.answer != nil {
		return f.answer, nil
	}
	return nil, f.err
}

// end returns what the client gets of a job that ends with err: the refusal, unless it is unconfirmed
// and others failed for other reasons.
func (r *jobRun) end(ctx context.Context, err error) (*Answer, error) {
	others := r.failed.last != nil || r.failed.full != nil
	switch {
	case len(r.refusals.leases) == 0, r.refusals.unconfirmed && others, ctx.Err() != nil:
		return nil, err
	}
	return r.refusals.result()
}

// refused reports whether an attempt ended with the orchestrator's statement that the request is
// wrong or unsupported.
func refused(answer *Answer, err error) bool {
	if err != nil {
		return inference.IsRefusal(nil, err) && !upstream.Unpaid(err) && !errors.Is(err, errNoForm)
	}
	return inference.IsRefusal(&answer.Reply, nil) || answer.null
}

// errNoForm: the request was not sent.
var errNoForm = errors.New("the request has no form in which the existing network takes it")

// readRefusal reads a refusal, so that its connection and its lease are free while another
// orchestrator gets the request.
func (a *Answer) readRefusal() error {
	a.Deliver(inference.Delivery{How: inference.Refused})
	a.Delivered, a.Allowed = nil, nil
	return a.ReadRefusal()
}

// peek returns the text of a refusal that was read. The answer can still be read.
func (a *Answer) peek() []byte {
	text, err := io.ReadAll(a.Body)
	a.Body = readAhead{bytes.NewReader(text), a.Body}
	if err != nil {
		return nil
	}
	return text
}

// nullSize bounds the body of an answer that is null, in bytes.
const nullSize = 8

// findNull detects an answer of the network that means a refusal: its orchestrators answer null
// with status 200 when their model server rejects a chat. The answer can still be read.
func (a *Answer) findNull(job *inference.Job) error {
	if a.Node != "" || a.Status != http.StatusOK || job.Stream || job.Model.Capability != capability.LLM ||
		a.Length < 0 || a.Length > nullSize {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(a.Body, nullSize))
	if err != nil {
		return err
	}
	a.null = string(bytes.TrimSpace(b)) == "null"
	a.Body = readAhead{bytes.NewReader(b), a.Body}
	return nil
}

// readAhead is a body that was read completely.
type readAhead struct {
	io.Reader
	io.Closer
}
