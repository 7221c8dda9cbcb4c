package aiapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// payload is a request's body with its media type.
type payload struct {
	contentType string
	body        []byte
}

// readPayload reads the client's request for a pipeline other than llm.
func (x *relayedRequest) readPayload() (payload, error) {
	if err := x.checkKey(); err != nil {
		return payload{}, err
	}
	b, err := x.readBody()
	if err != nil {
		return payload{}, err
	}
	contentType := jsonType[0]
	if x.route.upload {
		contentType = x.r.Header.Get("Content-Type")
	}
	return payload{contentType, b}, nil
}

// prepare turns a request into a job: completed, allowed by its key and priced.
func (x *relayedRequest) prepare(ctx context.Context, in payload) (*inference.Job, error) {
	b, err := pipeline.Complete(x.route.capability, x.route.operation, in.contentType, in.body, x.grow)
	if err != nil {
		return nil, err
	}
	req, err := pipeline.Decode(x.route.capability, x.route.operation, in.contentType, b)
	if err != nil {
		return nil, err
	}
	x.stats.Model = req.Model
	if err := x.checkAddresses(ctx, in.contentType, b); err != nil {
		return nil, err
	}
	// Measuring audio takes a media worker's time, so the key is checked first.
	if err := x.admit(ctx, apikeys.Need{Model: req.Model.ID, MaxTokens: apikeys.NoTokens}); err != nil {
		return nil, err
	}
	if req, b, err = x.guardPayload(ctx, req, in.contentType, b); err != nil {
		return nil, err
	}
	began := time.Now()
	err = req.Measure(ctx, x.server.soundLengths.For(x.client()))
	x.waited += time.Since(began)
	if err != nil {
		return nil, err
	}
	if err := x.grant.Reserve(req.Units); err != nil {
		return nil, err
	}
	x.stats.Units, x.resultsAsked = req.Units, req.N
	if req.Duration > 0 {
		// Runners need the duration of the audio.
		if b, err = pipeline.WithDuration(in.contentType, b, req.Duration, x.grow); err != nil {
			return nil, err
		}
	}
	return req.Job(in.contentType, b, x.id), nil
}

// serveText serves a pipeline whose answer is text and is relayed as it arrives.
func (x *relayedRequest) serveText() error {
	in, err := x.readPayload()
	if err != nil {
		return err
	}
	ctx := x.r.Context()
	job, err := x.prepare(ctx, in)
	if err != nil {
		return err
	}
	answer, err := x.submit(ctx, job, broker.Hint{})
	if err != nil {
		return err
	}
	return x.consume(answer, func() error { return x.relay(answer, job) })
}

// errRefused: the runner refused the request, and the client already has the runner's answer.
var errRefused = errors.New("refused by the runner")

// collect has a job done, reads the whole answer of at most limit bytes, and passes it to use,
// whose error says that the answer is unusable. The error is errRefused when the client already has
// its answer.
func (x *relayedRequest) collect(ctx context.Context, job *inference.Job, limit int64,
	use func(b []byte, from Source) error) error {
	answer, err := x.submit(ctx, job, broker.Hint{})
	if err != nil {
		return err
	}
	x.answerFrom = answer.Orchestrator
	defer x.releaseAnswer()
	return x.consume(answer, func() error {
		if answer.Status != http.StatusOK {
			if err := x.relayRefusal(answer); err != nil {
				return err
			}
			return errRefused
		}
		b, err := x.readAnswer(answer, limit)
		if err != nil {
			return err
		}
		return use(b, Source{answer.Orchestrator, answer.Peer})
	})
}

// readAnswer reads a whole answer of at most limit bytes.
func (x *relayedRequest) readAnswer(answer *broker.Answer, limit int64) ([]byte, error) {
	x.stats.FirstByte = time.Since(x.began)
	began := time.Now()
	defer func() { x.waited += time.Since(began) }()
	x.limits.start(answer, bodyGrace)
	b, err := admission.BodyReader{Limit: limit, Size: answer.Length, Grow: x.grow}.Read(x.limits.reader())
	switch {
	case err == nil:
		return b, nil
	case errors.Is(err, admission.ErrBodyTooLarge):
		return nil, fault.New(fault.AnswerUnreadable, "read answer", "the answer is larger than "+inference.SizeText(limit))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fault.New(fault.CompletionBroken, "read answer", "the answer ended early")
	}
	return nil, brokenFault("read answer", err)
}

// maxAnswer bounds an answer that is read whole, in bytes. Answers may contain images.
const maxAnswer = 192 << 20

// prefers reports whether the request has a preference of RFC 7240.
func prefers(r *http.Request, what string) bool {
	for _, line := range r.Header["Prefer"] {
		for p := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(p), what) {
				return true
			}
		}
	}
	return false
}
