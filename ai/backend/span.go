package backend

import (
	"io"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/tracing"
)

// traced describes a job at a runner in its span, which ends with the answer.
func (s *Server) traced(span tracing.Span, job *inference.Job, reply *inference.Reply, err error) (*inference.Reply,
	error) {
	span.Job(job.Model, job.Operation)
	span.Text(tracing.RequestID, job.RequestID)
	if job.MaxTokens > 0 {
		span.Int(tracing.GenAIMaxTokens, int64(job.MaxTokens))
	}
	span.Peer(s.base)
	if known := s.cached(); known != nil {
		span.Text(tracing.GenAIProvider, string(known.kind))
		span.Text(tracing.GenAIModel, known.served)
	}
	if err != nil {
		span.Fail(err)
		span.End()
		return nil, err
	}
	span.Int(tracing.HTTPStatus, int64(reply.Status))
	reply.Body = &tracedBody{ReadCloser: reply.Body, span: span}
	return reply, nil
}

// tracedBody is an answer whose end is the span's.
type tracedBody struct {
	io.ReadCloser
	span tracing.Span
}

// Read returns what has arrived.
func (b *tracedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.span.Fail(err)
	}
	return n, err
}

// Close ends the answer.
func (b *tracedBody) Close() error {
	err := b.ReadCloser.Close()
	b.span.End()
	return err
}
