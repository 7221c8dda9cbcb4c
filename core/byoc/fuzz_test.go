package byoc_test

import (
	"encoding/base64"
	"testing"

	"github.com/tuttinode/tutti/core/byoc"
)

// FuzzJob reads headers of jobs: what is taken has bounds.
func FuzzJob(f *testing.F) {
	for _, text := range []string{"", "{}", `{"timeout_seconds":1}`, `{"id":"a","request":"{}","parameters":"{}",
		"capability":"c","sender":"0x0000000000000000000000000000000000000001","sig":"0x11","timeout_seconds":10}`} {
		f.Add(base64.StdEncoding.EncodeToString([]byte(text)))
	}
	f.Fuzz(func(t *testing.T, header string) {
		_, _ = byoc.ParseAccount(header)
		j, err := byoc.ParseJob(header)
		if err != nil {
			return
		}
		if j.Timeout <= 0 || j.Timeout > byoc.MaxTimeout || !byoc.ValidName(j.Capability) || len(j.Sig) > 65 {
			t.Errorf("%+v", j)
		}
		_, _ = j.Media()
		if d, err := j.Details(); err == nil && byoc.ValidStreamID(d.StreamID) && len(d.StreamID) > 256 {
			t.Error(len(d.StreamID))
		}
	})
}

// FuzzRegistration reads registrations: what is taken has bounds.
func FuzzRegistration(f *testing.F) {
	for _, text := range []string{"", "{}", registration, `{"name":"a","url":"http://[::1]:9","capacity":1}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := byoc.ParseRegistration(data)
		if err != nil {
			return
		}
		if !byoc.ValidName(c.Name) || c.Capacity < 1 || c.URL.Host == "" || c.Price.PixelsPerUnit < 1 ||
			c.Price.Price.Amount().Sign() < 0 {
			t.Errorf("%+v", c)
		}
	})
}
