package apikeystore

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

// FuzzChange: whatever a body is, it is a change or a fault.
func FuzzChange(f *testing.F) {
	f.Add([]byte(`{"name":"a","budget_wei":"1e3","budget_usd":0.5,"expires":"30d","models":null}`))
	f.Add([]byte(`{"rpm":1}{}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		in, err := parseChange(body)
		if err == nil {
			err = in.Apply(&apikeys.Key{}, time.Unix(0, 0))
		}
		if err != nil && fault.CodeOf(err).Class() != fault.BadRequest {
			t.Error(err)
		}
	})
}
