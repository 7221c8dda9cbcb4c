package worker

import (
	"context"
)

// Input is input.
func (w *aiWork) Input(ctx context.Context, orchestrator Origin, address string) ([]byte, error) {
	data, held, err := w.input(ctx, orchestrator, address)
	w.requests.Release(held)
	return data, err
}

// ReadRequest is what is made of a job's data: the form that a runner would get.
func ReadRequest(data, file []byte) (body []byte, contentType string, err error) {
	in, err := readRequestData(data)
	if err != nil {
		return nil, "", err
	}
	return buildForm("image", file, in.Request)
}
