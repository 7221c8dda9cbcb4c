package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// answerBound is how many bytes an answer may have.
const answerBound = 32 << 20

// request is one JSON-RPC request without its ID, which the transport assigns.
type request struct {
	method string
	params []any
}

// response is one answer: exactly one member is set.
type response struct {
	result json.RawMessage
	err    *wireError
}

// wireRequest and wireResponse are the messages on the wire.
type wireRequest struct {
	Version string `json:"jsonrpc"`
	ID      uint64 `json:"id"`
	Method  string `json:"method"`
	Params  []any  `json:"params"`
}

type wireResponse struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *wireError      `json:"error"`
	// Method and Params are set in notifications.
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// encode writes one request as an object and several as an array, with IDs from first on.
func encode(reqs []request, first uint64) ([]byte, error) {
	wire := make([]wireRequest, len(reqs))
	for i, r := range reqs {
		params := r.params
		if params == nil {
			params = []any{}
		}
		wire[i] = wireRequest{Version: "2.0", ID: first + uint64(i), Method: r.method, Params: params}
	}
	if len(wire) == 1 {
		return json.Marshal(wire[0])
	}
	return json.Marshal(wire)
}

// decode reads the answers to encode's requests, in the order of the requests. A missing, doubled or
// malformed answer is a failure. A single refusal of a whole batch is returned as one error, because the same
// requests may be sent singly.
func decode(body []byte, count int, first uint64, name string) ([]response, *failure) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil, fail(garbage, name, "an empty answer, not JSON-RPC")
	}
	if body[0] == '<' {
		return nil, fail(garbage, name, "a page of HTML, not JSON-RPC")
	}
	if body[0] == '[' {
		return decodeBatch(body, count, first, name)
	}
	var one wireResponse
	if err := json.Unmarshal(body, &one); err != nil {
		return nil, fail(garbage, name, "cut or broken JSON, not JSON-RPC")
	}
	if count > 1 {
		if one.Error == nil {
			return nil, fail(garbage, name, "one answer to a batch, not JSON-RPC")
		}
		return []response{{err: one.Error}}, nil
	}
	r, ok := one.response()
	// Errors about a request that could not be read carry no number.
	if !ok || !sameID(one.ID, first) && r.err == nil {
		return nil, fail(garbage, name, "JSON without the members of an answer, not JSON-RPC")
	}
	return []response{r}, nil
}

func decodeBatch(body []byte, count int, first uint64, name string) ([]response, *failure) {
	all, err := elements[wireResponse](body, count)
	switch {
	case errors.Is(err, errMany):
		return nil, fail(garbage, name, "more answers than %d to %d requests", count, count)
	case err != nil:
		return nil, fail(garbage, name, "cut or broken JSON, not JSON-RPC")
	}
	if len(all) == 1 && count > 1 && all[0].Error != nil {
		return []response{{err: all[0].Error}}, nil
	}
	if len(all) != count {
		return nil, fail(garbage, name, "%d answers to %d requests", len(all), count)
	}
	out := make([]response, count)
	for _, w := range all {
		var id uint64
		if json.Unmarshal(w.ID, &id) != nil || id < first || id-first >= uint64(count) {
			return nil, fail(garbage, name, "an answer to no request")
		}
		r, ok := w.response()
		if at := &out[id-first]; !ok || at.result != nil || at.err != nil {
			return nil, fail(garbage, name, "a doubled or empty answer in a batch")
		} else {
			*at = r
		}
	}
	return out, nil
}

var errMany = errors.New("more elements than there can be")

// elements reads a JSON array of at most so many elements. Of {} in three bytes each an
// answer would otherwise become fifty times as large.
func elements[T any](body []byte, most int) (all []T, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		if len(all) == most {
			return nil, errMany
		}
		var one T
		if err := d.Decode(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("text after the array")
	}
	return all, nil
}

// response gives the one member that is set. A null result is a result.
func (w wireResponse) response() (response, bool) {
	if w.Error != nil {
		return response{err: w.Error}, true
	}
	return response{result: w.Result}, w.Result != nil
}

func sameID(raw json.RawMessage, want uint64) bool {
	var id uint64
	return json.Unmarshal(raw, &id) == nil && id == want
}

// isNull reports whether a result is absent.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
