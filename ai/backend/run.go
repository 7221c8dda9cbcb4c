package backend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/telemetry"
)

const (
	opRun = "run job"
	// maxErrorBody bounds how much of an error's body is read, in bytes.
	maxErrorBody = 64 << 10
	jsonType     = "application/json"
)

// Run sends a job; see Backend. The answer has the model's name as the runner gives it.
func (s *Server) Run(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
	ctx, span := telemetry.Child(ctx, telemetry.Client, telemetry.Operation(job.Operation), job.Model.ID)
	reply, err := s.run(ctx, job)
	if !span.On() {
		return reply, err
	}
	return s.traced(span, job, reply, err)
}

func (s *Server) run(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
	known, err := s.identity(ctx)
	if err != nil {
		return nil, err
	}
	path, err := s.path(known, job)
	if err != nil {
		return nil, err
	}
	reply, err := s.runAt(ctx, path, known, job)
	missing := errors.Is(err, fault.OperationUnsupported) || errors.Is(err, fault.RunnerModelMissing)
	if !missing || known.rechecked {
		return reply, err
	}
	// A runner of this kind has the path and the model: another server may be at its address now.
	now := s.recheck(ctx)
	if now == nil || now.kind == known.kind && now.served == known.served {
		return nil, err
	}
	if path, err = s.path(now, job); err != nil {
		return nil, err
	}
	return s.runAt(ctx, path, now, job)
}

// recheck detects the runner's kind and model again; nil if that fails. The result is marked, so that
// it happens once between two probes, for any number of jobs that get a 404.
func (s *Server) recheck(ctx context.Context) *identity {
	s.setCached(nil)
	now, err := s.identity(ctx)
	if err != nil {
		return nil
	}
	rechecked := *now
	rechecked.rechecked = true
	s.setCached(&rechecked)
	return &rechecked
}

// runAt sends a job to a path of a runner.
func (s *Server) runAt(
	ctx context.Context, path string, known *identity, job *inference.Job,
) (*inference.Reply, error) {
	r, err := s.request(path, known, job)
	if err != nil {
		return nil, err
	}
	// vLLM uses this header as its request ID and fails on duplicates, which clients could
	// cause.
	if job.RequestID != "" && known.kind != VLLM {
		r.Header.Set("X-Request-Id", job.RequestID)
	}
	telemetry.Inject(ctx, r.Header)
	reply, err := s.send(ctx, r, job)
	if err == nil && s.speech(known) && reply.Status == http.StatusOK {
		return s.networkTranscript(reply)
	}
	return reply, err
}

// request makes the HTTP request, without the headers of Options. The content type is never the client's:
// a runner that takes charset or boundary from it could parse a different request than this node did.
func (s *Server) request(path string, known *identity, job *inference.Job) (*http.Request, error) {
	contentType, pieces := jsonType, [][]byte{s.body(known, job)}
	var err error
	if p, _ := pipeline.Lookup(s.options.Pipeline); s.speech(known) {
		contentType, pieces, err = speechForm(known.served, job)
	} else if p.Form == pipeline.Multipart {
		contentType, pieces, err = pipeline.NewForm(job.ContentType, job.Body)
	}
	if err != nil {
		return nil, fault.Wrap(fault.JobUnreadable, opRun, err)
	}
	body := func() (io.ReadCloser, error) {
		readers := make([]io.Reader, len(pieces))
		for i, piece := range pieces {
			readers[i] = job.With(piece)
		}
		return io.NopCloser(io.MultiReader(readers...)), nil
	}
	first, _ := body() // never fails
	r, err := http.NewRequest(http.MethodPost, s.base+path, first)
	if err != nil {
		return nil, fault.Wrap(fault.RunnerUnreachable, opRun, err)
	}
	r.GetBody = body
	for _, piece := range pieces {
		r.ContentLength += job.Size(piece)
	}
	r.Header.Set("Content-Type", contentType)
	return r, nil
}

// path returns the URL path of the job at a runner.
func (s *Server) path(known *identity, job *inference.Job) (string, error) {
	op := job.Operation
	unsupported := func() error {
		return s.fault(fault.OperationUnsupported, opRun, fmt.Sprintf("does not offer %q", string(op)), nil)
	}
	switch {
	case op == inference.Translation && !slices.Contains(known.operations, op):
		return "", unsupported()
	case op == inference.Translation:
		return translationPath, nil
	case s.speech(known):
		return transcriptionPath, nil
	case s.options.Pipeline != capability.LLM:
		return "/" + s.options.Pipeline.Pipeline(), nil
	}
	if op == "" {
		op = inference.Chat
	}
	if known.kind == Contract {
		if op != inference.Chat {
			return "", unsupported()
		}
		return "/llm", nil
	}
	if len(known.operations) > 0 && !slices.Contains(known.operations, op) {
		return "", unsupported()
	}
	switch op {
	case inference.Chat:
		return chatPath, nil
	case inference.Completion:
		return completionPath, nil
	case inference.Embedding:
		return embeddingPath, nil
	case inference.Rerank:
		return rerankPath, nil
	}
	return "", unsupported()
}

// body returns the request in the runner's form.
func (s *Server) body(known *identity, job *inference.Job) []byte {
	switch {
	case s.options.Pipeline != capability.LLM:
		return job.Body
	case known.kind != Contract:
		return forOpenAI(job.Body, known.served, job.Stream && job.Operation.Generates())
	}
	body := pipeline.NetworkLLM(job.Body)
	if body == nil {
		// No chat request: the runner reports the error.
		body = job.Body
	}
	if known.served == s.options.Model {
		return body
	}
	return withModel(body, known.served)
}

// send makes the request and returns the answer once it has begun.
func (s *Server) send(ctx context.Context, r *http.Request, job *inference.Job) (*inference.Reply, error) {
	s.setHeaders(r)
	limit := s.options.Limits.Begin(job)
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { cancel(errStalled) })
	resp, err := s.roundTripper.RoundTrip(r.WithContext(ctx))
	if err != nil {
		defer cancel(nil)
		timer.Stop()
		return nil, s.noAnswer(ctx, opRun, err)
	}
	if err := s.decode(opRun, resp); err != nil {
		defer cancel(nil)
		timer.Stop()
		return nil, err
	}
	a := &answer{
		server: s, ctx: ctx, cancel: cancel, src: resp.Body, timer: timer, wait: limit,
		left: s.options.MaxAnswer,
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		body, err := io.ReadAll(io.LimitReader(a, maxErrorBody))
		_ = a.Close()
		return s.errorReply(resp, resp.StatusCode, body, err)
	}
	contentType := mediaType(resp)
	if job.Stream && contentType == eventStream {
		a.end = &eventEnd{}
	}
	switch reported, err := a.reportedError(contentType, job.Stream); {
	case err != nil:
		_ = a.Close()
		return nil, err
	case reported != nil:
		_ = a.Close()
		return s.errorReply(resp, errorStatus(reported), reported, nil)
	}
	timer.Stop()
	return &inference.Reply{
		Status:      http.StatusOK,
		ContentType: resp.Header.Get("Content-Type"),
		Length:      resp.ContentLength,
		Body:        a,
	}, nil
}

// errorReply returns the result of an answer that reports an error, by its status or in its body. err is
// the reason why the body is incomplete, nil if it is complete.
func (s *Server) errorReply(resp *http.Response, status int, body []byte, err error) (*inference.Reply, error) {
	if message, ok := unparsedRequest(status, body); ok {
		status, body = http.StatusBadRequest, message
	}
	code, failed := s.refusal(status, body)
	if failed {
		f := &fault.Fault{
			Code: code, Op: opRun, Err: err,
			Detail: inference.RunnerText(s.name(), resp.StatusCode, body),
		}
		if after, ok := retryAfter(resp.Header.Get("Retry-After")); ok && code == fault.RunnerBusy {
			return nil, fault.After(f, after)
		}
		return nil, f
	}
	contentType := resp.Header.Get("Content-Type")
	if contentType == "" || mediaType(resp) == eventStream {
		contentType = jsonType
	}
	return &inference.Reply{
		Status:      status,
		ContentType: contentType,
		Length:      int64(len(body)),
		Body:        io.NopCloser(bytes.NewReader(body)),
	}, nil
}
