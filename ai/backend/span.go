package backend

import (
	"io"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/telemetry"
)

// traced describes a job at a runner in its span, which ends with the answer.
func (s *Server) traced(span telemetry.Span, job *inference.Job, reply *inference.Reply, err error) (*inference.Reply,
	error) {
	span.Job(job.Model, job.Operation)
	span.Text(telemetry.RequestID, job.RequestID)
	if job.MaxTokens > 0 {
		span.Int(telemetry.GenAIMaxTokens, int64(job.MaxTokens))
	}
	span.Peer(s.base)
	if known := s.cached(); known != nil {
		span.Text(telemetry.GenAIProvider, string(known.kind))
		span.Text(telemetry.GenAIModel, known.served)
	}
	if err != nil {
		span.Fail(err)
		span.End()
		return nil, err
	}
	span.Int(telemetry.HTTPStatus, int64(reply.Status))
	reply.Body = &tracedBody{ReadCloser: reply.Body, span: span}
	return reply, nil
}

// tracedBody is an answer whose end is the span's.
type tracedBody struct {
	io.ReadCloser
	span telemetry.Span
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
