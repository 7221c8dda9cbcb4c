package aiworkers

import (
	"encoding/json"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
)

// requestData is a job as workers of the network get it.
type requestData struct {
	InputURL string          `json:"input_url"`
	Request  json.RawMessage `json:"request"`
}

// notification returns the message that sends a job of a party to a worker, and its approximate size.
// done removes the input that was published for it.
func (p *Pool) notification(
	w *worker, job *inference.Job, party string,
) (notification *rpc.NotifyAIJob, size int, done func(), err error) {
	done = func() {}
	if w.isTutti() {
		whole, err := job.Whole() // a message is in memory
		if err != nil {
			return nil, 0, nil, fault.Wrap(fault.Unexpected, opRun, err)
		}
		return &rpc.NotifyAIJob{Job: workerJob(job, whole, party),
			DeadlineMs: int64(p.begin(job) / time.Millisecond)}, len(whole), done, nil
	}
	request, file, err := networkRequest(job)
	if err != nil {
		return nil, 0, nil, err
	}
	data := requestData{Request: request}
	if len(file) > 0 {
		var path string
		if path, done, err = p.inputs.put(file); err != nil {
			return nil, 0, nil, err
		}
		data.InputURL = w.base + path
	}
	text, err := json.Marshal(data)
	if err != nil {
		done()
		return nil, 0, nil, fault.Wrap(fault.Unexpected, opRun, err)
	}
	return &rpc.NotifyAIJob{AIJobData: &rpc.AIJobData{Pipeline: job.Model.Capability.Pipeline(),
		RequestData: text}}, len(text), done, nil
}

// workerJob returns a job as tutti workers get it: unchanged.
func workerJob(job *inference.Job, body []byte, party string) *rpc.WorkerJob {
	return &rpc.WorkerJob{
		Capability: uint32(job.Model.Capability), ModelId: job.Model.ID, Operation: string(job.Operation),
		Body: body, ContentType: job.ContentType, Stream: job.Stream, HideUsage: job.HideUsage,
		MaxTokens: int64(job.MaxTokens), Units: int64(job.Units), RequestId: job.RequestID, Party: party,
	}
}
