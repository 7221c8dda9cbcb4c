package worker_test

import (
	"bytes"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/worker"
)

// The form made of a job's data can be read, and has the file as it is.
func FuzzRequestData(f *testing.F) {
	f.Add([]byte(`{"input_url":"","request":{"image":null,"prompt":"p","seed":4,"strength":0.5,`+
		`"safety_check":false}}`), []byte("x"))
	f.Add([]byte(`{"request":{"a\"\r\nb":"c"}}`), []byte{})
	f.Add([]byte(`{"request":[]}`), []byte("x"))
	f.Fuzz(func(t *testing.T, data, file []byte) {
		body, kind, err := worker.ReadRequest(data, file)
		if err != nil {
			if fault.CodeOf(err) != fault.AIJobGarbled {
				t.Fatal(err)
			}
			return
		}
		var got []byte
		err = pipeline.Parts(kind, body, func(name, file string, value []byte) error {
			if name == "image" && file != "" {
				got = value
			}
			return nil
		})
		if err == nil && !bytes.Equal(got, file) {
			t.Fatalf("%q is not %q", got, file)
		}
	})
}
