package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"time"

	"maps"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
)

const (
	// inputTime bounds the fetching of an input, as in the network.
	inputTime = 4 * time.Second
	// maxInput bounds an input.
	maxInput = 64 << 20
)

// requestData is what an orchestrator of the network sends of a job.
type requestData struct {
	InputURL string          `json:"input_url"`
	Request  json.RawMessage `json:"request"`
}

func readRequestData(text []byte) (*requestData, error) {
	var in requestData
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, &fault.Fault{Code: fault.AIJobGarbled, Op: opJob, Detail: "no JSON", Err: err}
	}
	if request := bytes.TrimSpace(in.Request); len(request) == 0 || request[0] != '{' {
		return nil, fault.New(fault.AIJobGarbled, opJob, "no request")
	}
	return &in, nil
}

// input fetches the file of a job of an orchestrator. held is what is booked for it.
func (w *aiWork) input(ctx context.Context, orchestrator Origin, address string) (data []byte, held int64,
	err error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, 0, fault.New(fault.AIJobGarbled, opJob, "no address of an input")
	}
	ctx, cancel := context.WithTimeout(orchestrator.Fetching(ctx), inputTime)
	defer cancel()
	data, held, err = w.fetch(ctx, u.String())
	switch {
	case errors.Is(err, remote.ErrNoMemory):
		return nil, 0, fault.New(fault.JobsFull, opJob, "the requests in progress fill the memory set aside for them")
	case err != nil:
		return nil, 0, fault.Wrap(fault.AIInputLost, opJob, err)
	}
	return data, held, nil
}

func (w *aiWork) fetch(ctx context.Context, address string) (data []byte, held int64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, err
	}
	res, err := w.opt.Fetch.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, 0, errors.New(res.Status)
	}
	return w.requests.ReadAll(res.Body, res.ContentLength, maxInput)
}

// buildForm makes the form that a runner takes of a request's fields and its file.
// Fields that are null are left out.
func buildForm(name string, file []byte, request json.RawMessage) (body []byte, contentType string, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(request, &fields); err != nil {
		return nil, "", &fault.Fault{Code: fault.AIJobGarbled, Op: opJob, Detail: "the request is no object", Err: err}
	}
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	h := textproto.MIMEHeader{}
	h.Set("Content-Disposition", multipart.FileContentDisposition(name, name))
	h.Set("Content-Type", http.DetectContentType(file))
	part, err := form.CreatePart(h)
	if err == nil {
		_, err = part.Write(file)
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if text, ok := fieldText(fields[key]); err == nil && ok && key != name {
			err = form.WriteField(key, text)
		}
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return nil, "", fault.Wrap(fault.Unexpected, opJob, err)
	}
	return out.Bytes(), form.FormDataContentType(), nil
}

// fieldText returns a value as a form has it; false for one that is not given.
func fieldText(value json.RawMessage) (string, bool) {
	text := strings.TrimSpace(string(value))
	if text == "null" || text == "" {
		return "", false
	}
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s, true
	}
	return text, true
}
