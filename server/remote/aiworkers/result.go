package aiworkers

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	resultsPath = "/aiResults"
	// resultMarker is the Authorization of workers.
	resultMarker = "Livepeer-AI-Worker-1.0"
	streamType   = "text/event-stream"
	jsonType     = "application/json"
	mixedType    = "multipart/mixed"
	// statusHeader marks an answer as its runner gave it, and is its status.
	statusHeader = remote.StatusHeader
	// maxError bounds the text of a failure.
	maxError = 64 << 10
	// maxLabel bounds a forwarded header.
	maxLabel = 256
	// maxWorkerName bounds the name of the device that did the work.
	maxWorkerName = 128
)

// result accepts an answer. As in the network, an answer without a waiting job gets the
// reply of an accepted one; only tutti workers are notified to stop.
func (p *Pool) result(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != resultMarker {
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
		return
	}
	if !p.opt.Secrets.Match(r.Header.Get("Credentials")) {
		http.Error(w, "invalid secret", http.StatusUnauthorized)
		return
	}
	admission.Prove(r.Context())
	id, err := strconv.ParseInt(r.Header.Get("TaskId"), 10, 64)
	if err != nil {
		http.Error(w, "Invalid Task ID", http.StatusBadRequest)
		return
	}
	kind, params, odd := mime.ParseMediaType(r.Header.Get("Content-Type"))
	from := r.Header.Get(remote.InstanceHeader)
	own := r.Header.Get(statusHeader) != "" || from != ""
	if from != "" && odd == nil && kind == rpc.AIWorkerErrorType && p.undelivered(remote.TaskID(id), from, r) {
		taken(w)
		return
	}
	if p.another(remote.TaskID(id), r.RemoteAddr) {
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
		return
	}
	claim, err := p.tasks.Claim(remote.TaskID(id), from)
	switch {
	case err != nil:
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
	case odd != nil:
		p.rejectContentType(w, claim, odd.Error())
	case claim == nil && own:
		http.Error(w, "no job waits for it", http.StatusGone)
	case claim == nil:
		taken(w)
	default:
		p.receive(&delivery{w: w, r: r, id: remote.TaskID(id), from: from, claim: claim, kind: kind,
			boundary: params["boundary"]})
	}
}

// undelivered is the notice of one of our own workers that its answer did not get through. Of
// a connection that is dead nothing may be known here: what came of it so far counts no
// more, and the job can go to another worker.
func (p *Pool) undelivered(id remote.TaskID, from string, r *http.Request) bool {
	if r.Header.Get(rpc.CodeHeader) != string(fault.AIAnswerUndelivered) {
		return false
	}
	p.mu.Lock()
	begun := p.activeAnswers[id]
	p.mu.Unlock()
	if begun != nil && begun.from == from {
		begun.end(false)
		return true
	}
	a := newAnswer(nil)
	a.err = failure(fault.AIAnswerUndelivered, "")
	return p.tasks.Settle(id, from, a)
}

// rejectContentType refuses an answer of a type that is none. Its worker will send no other, so that
// the job fails with it.
func (p *Pool) rejectContentType(w http.ResponseWriter, claim *remote.Claim[*answer], text string) {
	if claim != nil {
		a := newAnswer(nil)
		a.err = unusable(errType)
		claim.Deliver(a)
	}
	http.Error(w, text, http.StatusUnsupportedMediaType)
}

func taken(w http.ResponseWriter) { _, _ = io.WriteString(w, "OK") }

// delivery is an answer on its way in.
type delivery struct {
	w              http.ResponseWriter
	r              *http.Request
	claim          *remote.Claim[*answer]
	id             remote.TaskID
	from           string
	kind, boundary string
}

// receive hands the answer over to its job, in whichever of the forms it comes.
func (p *Pool) receive(d *delivery) {
	ctl := http.NewResponseController(d.w)
	// What follows has times of its own; a server without deadlines has none to move.
	_ = ctl.SetWriteDeadline(time.Time{})
	_ = ctl.SetReadDeadline(time.Now().Add(stallTime))
	var a *answer
	var err error
	switch raw := d.r.Header.Get(statusHeader); {
	case d.kind == rpc.AIWorkerErrorType:
		a, err = readError(d.r)
	case raw != "":
		a, err = p.passThrough(d.r, raw)
	case d.kind == streamType:
		a = newStreamed(d.r.Body, p.backlogs)
		a.contentType = streamType
	case d.kind == mixedType && d.boundary != "":
		a, err = p.readMixed(d)
	default:
		p.rejectContentType(d.w, d.claim, "unknown content type")
		return
	}
	if err != nil {
		p.failUnreadable(d, err)
		return
	}
	a.worker = clean(d.r.Header.Get(remote.WorkerHeader), maxWorkerName)
	a.mu.Lock()
	a.ctl, a.extendedAt = ctl, time.Now()
	a.mu.Unlock()
	p.deliver(d, a)
}

// deliver hands an answer to its job and returns when it came.
func (p *Pool) deliver(d *delivery, a *answer) {
	passes := a.err == nil
	if a.from = d.from; passes {
		p.mu.Lock()
		p.activeAnswers[d.id] = a
		p.mu.Unlock()
		defer func() {
			p.mu.Lock()
			delete(p.activeAnswers, d.id)
			p.mu.Unlock()
		}()
	}
	if !d.claim.Deliver(a) {
		a.end(false)
	}
	complete := true
	switch {
	case passes && a.backlog != nil:
		complete = a.receive()
	case passes:
		<-a.closed
		complete = a.isComplete()
	}
	if !complete {
		http.Error(d.w, "no job waits for it", http.StatusGone)
		return
	}
	taken(d.w)
}

// failUnreadable fails the job of an unreadable answer. After a broken connection the claim
// is released for a second attempt.
func (p *Pool) failUnreadable(d *delivery, err error) {
	if final(err) {
		a := newAnswer(nil)
		a.err = err
		d.claim.Deliver(a)
	} else {
		d.claim.Release()
	}
	http.Error(d.w, "the answer cannot be read", http.StatusInternalServerError)
}

var (
	errStatus = errors.New("no HTTP status of an answer")
	errType   = errors.New("its content type is none of an answer")
)

// passThrough returns an answer in the runner's form.
func (p *Pool) passThrough(r *http.Request, raw string) (*answer, error) {
	status, err := strconv.Atoi(raw)
	if err != nil || status < 200 || status > 499 {
		return nil, unusable(errStatus)
	}
	a := newStreamed(r.Body, p.backlogs)
	a.status, a.contentType, a.length = status, label(r.Header.Get("Content-Type")), r.ContentLength
	return a, nil
}

func label(text string) string {
	if len(text) > maxLabel {
		return ""
	}
	return strings.TrimSpace(text)
}
