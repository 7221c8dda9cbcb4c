package broker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// enough is how many orchestrators must refuse a request for its client to be refused while
// others could be asked.
const enough = 2

// refusals are the orchestrators that found a job's request wrong, or cannot do what it asks
// for. One of them alone may be the one that is wrong.
type refusals struct {
	leases []*airouting.Lease
	// answer is what one of them said as an answer, nil where none did; err is what the last
	// one said otherwise.
	answer *Answer
	err    error
	// doubted: the only one so far refused earlier requests that no other one refused.
	doubted bool
}

// add notes a refusal. Where it is the second, the first one was right.
func (f *refusals) add(r *run, lease *airouting.Lease, answer *Answer, err error) {
	lease.Refused(r.b.opt.Now())
	f.doubted = len(f.leases) == 0 && lease.Doubted()
	f.leases = append(f.leases, lease)
	if answer != nil {
		f.answer = answer
	} else {
		f.err = err
	}
	if !f.agreed() {
		return
	}
	for _, l := range f.leases {
		l.Confirmed()
	}
}

// agreed reports whether enough of them refuse the request.
func (f *refusals) agreed() bool { return len(f.leases) >= enough }

// second reports whether the job is on its way to find out whether a refusal is right, and
// for nothing else: one that was doubted before leaves it as it was.
func (f *refusals) second() bool { return len(f.leases) == 1 && !f.doubted }

// result is what the client gets of them.
func (f *refusals) result() (*Answer, error) {
	if f.answer != nil {
		return f.answer, nil
	}
	return nil, f.err
}

// end is what the client gets of a job that goes no further for the reason err: the refusal,
// unless it was doubted and others failed for other reasons.
func (r *run) end(ctx context.Context, err error) (*Answer, error) {
	others := r.failed.last != nil || r.failed.full != nil
	switch {
	case len(r.refusals.leases) == 0, r.refusals.doubted && others, ctx.Err() != nil:
		return nil, err
	}
	return r.refusals.result()
}

// refused reports whether the outcome of an attempt is an orchestrator's word that the
// request is wrong or asks for what it cannot do.
func refused(answer *Answer, err error) bool {
	if err != nil {
		return inference.IsRefusal(nil, err) && !upstream.Unpaid(err) && !errors.Is(err, errNoForm)
	}
	return inference.IsRefusal(&answer.Reply, nil) || answer.null
}

// errNoForm says that a request was not sent.
var errNoForm = errors.New("the request has no form in which the existing network takes it")

// keep reads a refusal, so that its connection and its lease are free while another
// orchestrator is asked.
func (a *Answer) keep() error {
	a.Deliver(inference.Delivery{How: inference.Refused})
	a.Delivered, a.Allowed = nil, nil
	return a.Keep()
}

// nullSize is the most that an answer has in bytes which is null.
const nullSize = 8

// findNull reports whether an answer of the network stands for a refusal: its orchestrators
// answer null with status 200 to a chat for what their model server finds wrong with it. The
// answer is left as it was.
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

// readAhead is a body of which all was read.
type readAhead struct {
	io.Reader
	io.Closer
}
