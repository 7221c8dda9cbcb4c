package apikeystore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

// read reads a request's body.
func (c *apiCall) read() (*apikeys.Change, error) {
	control := http.NewResponseController(c.w)
	_ = control.SetReadDeadline(time.Now().Add(apiBodyTime)) // a transport without deadlines has none to set
	b, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxAPIBody))
	if err != nil {
		return nil, fault.New(fault.RequestUnreadable, opManage,
			fmt.Sprintf("the body is not a JSON object of at most %d bytes", maxAPIBody))
	}
	_ = control.SetReadDeadline(time.Time{})
	return parseChange(b)
}

// parseChange reads a change. The error is the fault RequestUnreadable.
func parseChange(b []byte) (*apikeys.Change, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	var in apikeys.Change
	if err := dec.Decode(&in); err != nil {
		return nil, fault.New(fault.RequestUnreadable, opManage, fmt.Sprintf("the body: %.200v", err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fault.New(fault.RequestUnreadable, opManage, "the body: something follows the JSON object")
	}
	return &in, nil
}
