package endpoints

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/ethereum/go-ethereum/rpc"
)

// request is one JSON-RPC call.
type request struct {
	Version string            `json:"jsonrpc"`
	ID      json.RawMessage   `json:"id"`
	Method  string            `json:"method"`
	Params  []json.RawMessage `json:"params"`
}

// response is the answer to a request.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

// failure is a JSON-RPC error.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Error returns the message.
func (f *failure) Error() string { return f.Message }

// Codes of JSON-RPC and of nodes.
const (
	codeParse    = -32700
	codeMethod   = -32601
	codeParams   = -32602
	codeLimit    = -32005
	codeRefused  = -32000
	noSuchHeader = "header not found"
)

// failureOf keeps the code and the data of the node's errors.
func failureOf(err error) *failure {
	var own *failure
	if errors.As(err, &own) {
		return own
	}
	f := &failure{Code: codeRefused, Message: err.Error()}
	var coded rpc.Error
	if errors.As(err, &coded) {
		f.Code = coded.ErrorCode()
	}
	var data rpc.DataError
	if errors.As(err, &data) {
		f.Data = data.ErrorData()
	}
	return f
}

// reply makes the answer to a request.
func reply(id json.RawMessage, result json.RawMessage, err error) response {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	if err != nil {
		return response{Version: "2.0", ID: id, Error: failureOf(err)}
	}
	if len(result) == 0 {
		result = json.RawMessage("null")
	}
	return response{Version: "2.0", ID: id, Result: result}
}

// parse reads a body: one request, or a batch of them.
func parse(body []byte) (requests []request, batch bool, err error) {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		err = json.Unmarshal(body, &requests)
		return requests, true, err
	}
	var one request
	err = json.Unmarshal(body, &one)
	return []request{one}, false, err
}

// encode writes answers as parse read the requests.
func encode(answers []response, batch bool) []byte {
	var v any = answers
	if !batch {
		v = answers[0]
	}
	out, err := json.Marshal(v)
	if err != nil { // all parts are valid JSON
		out, _ = json.Marshal(reply(nil, nil, err))
	}
	return append(out, '\n')
}
