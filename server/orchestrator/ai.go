package orchestrator

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/rpc"
)

// Headers of AI jobs. Those that are not the network's are used between our own nodes.
const (
	// nodePrefix precedes the version in our nodes' names.
	nodePrefix = "tutti/"
	// jobMarker is the Authorization of gateways that fetch results by URL.
	jobMarker = "Livepeer-AI-Worker-1.0"
)

const (
	// textTime and fileTime bound the arrival of a request's body.
	textTime = 30 * time.Second
	fileTime = 2 * time.Minute
)

// job takes the requests of one pipeline.
func (s *Server) job(p pipeline.Pipeline) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x := s.newAIJob(w, r, p)
		err := x.serve()
		x.done(err)
		if x.abort {
			// An aborted connection is HTTP's only sign of an incomplete answer.
			panic(http.ErrAbortHandler)
		}
	}
}

// aiJob is one AI job and its answer.
type aiJob struct {
	s    *Server
	w    http.ResponseWriter
	r    *http.Request
	pipe pipeline.Pipeline
	// own: the sender is one of our own gateways, which accepts unchanged answers and reads
	// fault codes. byURL: it fetches media.
	own, byURL bool
	req        *pipeline.Request
	body       *upload
	job        *orchestrate.Job
	answer     answerWriter
	// confirmed is closed when confirm has returned or is not called; nil if it was called before the work.
	confirmed chan struct{}
	// abort means that the connection must be aborted.
	abort bool

	start time.Time
	// waited is the time spent waiting: for bytes from the gateway, a slot, the runner, and
	// for the gateway to read its answer.
	waited time.Duration
	f      inference.JobStats
	span   telemetry.Span
}

func (s *Server) newAIJob(w http.ResponseWriter, r *http.Request, p pipeline.Pipeline) *aiJob {
	x := &aiJob{
		s: s, w: w, r: r, pipe: p, start: s.opt.Now(),
		own:   strings.HasPrefix(r.Header.Get(rpc.NodeHeader), nodePrefix),
		byURL: r.Header.Get("Authorization") == jobMarker,
	}
	x.answer = answerWriter{x: x, ctl: http.NewResponseController(w)}
	x.f.Model.Capability, x.f.Operation = p.Capability, inference.Operation(p.Name)
	x.f.RequestID = r.Header.Get(rpc.RequestIDHeader)
	return x
}

// serve does the job, in the protocol's order of steps. The error was already sent to the
// gateway.
func (x *aiJob) serve() error {
	err := x.run()
	if err != nil && x.f.Status == 0 {
		x.refuse(err)
	}
	return err
}

func (x *aiJob) run() error {
	if err := x.setRequestID(); err != nil {
		return err
	}
	pace := newReadPace(x.w, x.start, textTime)
	sender, err := x.authenticate()
	if err != nil {
		// Do not read the body.
		x.w.Header().Set("Connection", "close")
		return err
	}
	x.beginSpan(sender)
	if err := x.receive(pace, sender); err != nil {
		return err
	}
	defer x.body.release()
	if err := x.decode(); err != nil {
		return err
	}
	pace.done()
	job, err := x.admit(sender)
	if err != nil {
		return err
	}
	defer job.Close()
	x.job = job
	x.body.paid()
	if job.IsPaid() {
		x.confirm(job)
		return x.work(x.r.Context(), job)
	}
	return x.workMeanwhile(job)
}

// workMeanwhile does the work while the payment is written to disk. Nothing of the answer is sent before that.
func (x *aiJob) workMeanwhile(job *orchestrate.Job) error {
	ctx, cancel := context.WithCancel(x.r.Context())
	x.confirmed = make(chan struct{})
	// The connection must not be used after the handler, also not if the work panics.
	defer func() { cancel(); <-x.confirmed }()
	go func() {
		defer close(x.confirmed)
		if job.Paid() == nil {
			x.confirm(job)
		} else {
			cancel()
		}
	}()
	return x.work(ctx, job)
}

// confirm notifies one of our own gateways that its tickets are credited, so that it can use
// the surplus for other jobs.
func (x *aiJob) confirm(job *orchestrate.Job) {
	if !x.own || !job.Ticketed() {
		return
	}
	h := x.w.Header()
	h.Set(rpc.CreditedHeader, "1")
	x.w.WriteHeader(http.StatusEarlyHints)
	h.Del(rpc.CreditedHeader)
}

// authenticate checks the headers before the body is read.
func (x *aiJob) authenticate() (*orchestrate.JobSender, error) {
	credentials, err := x.s.credentials.read(x.r.Header)
	if err != nil {
		return nil, err
	}
	credentials.From = access.Host(x.r.RemoteAddr)
	sender, err := x.s.orch.CheckJob(credentials)
	if err == nil {
		admission.Prove(x.r.Context())
	}
	return sender, err
}

// work runs the job and relays its answer.
func (x *aiJob) work(ctx context.Context, job *orchestrate.Job) error {
	begun := x.s.opt.Now()
	reply, err := job.Run(ctx)
	if x.confirmed != nil {
		<-x.confirmed
	}
	x.addWait(begun)
	switch unpaid := job.Paid(); {
	case unpaid != nil:
		return unpaid
	case err != nil:
		return x.runnerFault(err)
	}
	defer reply.Body.Close()
	if reply.Status >= 300 {
		return x.relay(reply)
	}
	x.addOffer(job)
	err = x.relay(reply)
	if x.pipe.Capability == capability.LLM {
		// Also for a truncated answer.
		job.Produced(x.f.Usage.Completion)
	}
	return err
}

// setRequestID uses the request's ID, or creates one.
func (x *aiJob) setRequestID() (err error) {
	if !orchestrate.UsableRequestID(x.f.RequestID) {
		x.f.RequestID, err = x.s.orch.NewRequestID()
	}
	x.w.Header().Set(rpc.RequestIDHeader, x.f.RequestID)
	return err
}

// receive reads the body to its end, which HTTP/1.1 needs to notice that a
// client went away.
func (x *aiJob) receive(pace *readPace, sender *orchestrate.JobSender) error {
	most := x.s.opt.TextBytes
	if x.pipe.Form == pipeline.Multipart {
		most = x.s.opt.FileBytes
		pace.allow(fileTime)
	} else if x.r.ContentLength > DefaultTextBytes { // it holds images or sounds
		pace.allow(fileTime)
	}
	begun := x.s.opt.Now()
	var err error
	claim := x.s.uploads.jobClaim(sender.Party(), sender.Source())
	if size := x.r.ContentLength; x.spools() && size > largeBody {
		x.body, err = receiveLong(x.r.Body, size, most, x.s.uploads, x.s.disk, claim, pace.progress, pipeline.LongOptions{
			Secret: x.s.opt.Spools.Secret(), Open: func() (pipeline.Spool, error) { return x.s.opt.Spools.Open() }})
	} else {
		x.body, err = receiveBody(x.r.Body, size, most, x.s.uploads, claim, pace.progress)
	}
	x.addWait(begun)
	if fault.CodeOf(err) == fault.JobTooLarge {
		// Do not read the rest.
		x.w.Header().Set("Connection", "close")
	}
	return err
}

// operation returns what the request wants of a language model; "" is what the existing network knows.
func (x *aiJob) operation() inference.Operation {
	if !x.own {
		return ""
	}
	return inference.Operation(x.r.Header.Get(rpc.OperationHeader))
}

// spools reports whether long values of the body go into a file. Of texts that are embedded or ranked none are
// pictures.
func (x *aiJob) spools() bool {
	op := x.operation()
	return x.s.opt.Spools != nil && x.pipe.Capability == capability.LLM && (op == "" || op.Generates())
}

// decode reads the body in the pipeline's form. Gateways of the existing network send seven
// fields of llm requests; other fields are dropped, as they do.
func (x *aiJob) decode() error {
	req, err := pipeline.Decode(x.pipe.Capability, x.operation(), x.r.Header.Get("Content-Type"), x.body.data)
	if err != nil {
		return err
	}
	req.AddLong(x.body.long, x.body.data)
	if !x.own && x.pipe.Capability == capability.LLM && !req.Plain {
		x.body.data = pipeline.NetworkLLM(x.body.data)
		req.N = 1
	}
	x.req = req
	x.f.Model, x.f.Operation, x.f.Stream = req.Model, req.Operation, req.Stream
	return nil
}

func (x *aiJob) admit(sender *orchestrate.JobSender) (*orchestrate.Job, error) {
	begun := x.s.opt.Now()
	job, err := x.s.orch.AdmitJob(x.r.Context(), orchestrate.JobRequest{
		Sender: sender, Request: x.req,
		Body: x.body.data, ContentType: x.r.Header.Get("Content-Type"), Grow: x.grow,
		Own: x.own, ID: x.f.RequestID, Long: x.body.values(),
	})
	x.f.Units = x.req.Units
	if err != nil {
		x.f.Queue = x.s.opt.Now().Sub(begun)
		x.waited += x.f.Queue
		return nil, err
	}
	x.f.Queue = job.Queue
	x.waited += job.Queue
	return job, nil
}

// grow takes memory for n more bytes of the body, until it is released.
func (x *aiJob) grow(n int64) error {
	if !x.body.reserve(n) {
		return fault.New(fault.JobsFull, "complete request", "")
	}
	return nil
}

// addWait adds the time since begun to waited, and returns it.
func (x *aiJob) addWait(begun time.Time) time.Duration {
	took := x.s.opt.Now().Sub(begun)
	x.waited += took
	return took
}

// done counts and logs the job.
func (x *aiJob) done(err error) {
	x.f.Total = x.s.opt.Now().Sub(x.start)
	x.f.Own = max(0, x.f.Total-x.waited)
	if err != nil {
		x.f.Code = fault.CodeOf(err)
	}
	x.endSpan()
	x.s.orch.JobDone(&x.f, x.job, access.Host(x.r.RemoteAddr), err)
}
