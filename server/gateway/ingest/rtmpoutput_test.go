package ingest_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/server/gateway/ingest"
	"github.com/tuttinode/tutti/test/encoder"
)

// A client cannot make the gateway publish to what only its own network reaches, unless the operator names it.
func TestOutputsLeadToTheInternetAlone(t *testing.T) {
	t.Parallel()
	s := encoder.NewServer(t)
	sps, pps := []byte{0x67, 0x42, 0xc0, 0x1f}, []byte{0x68, 0xcb}
	for _, address := range []string{"rtmp://" + s.Addr() + "/live/key", "rtmp://localhost:1/live/key",
		"rtmps://10.0.0.1/live/key", "rtmp://169.254.169.254/live/key", "rtmp://[::1]/live/key"} {
		_, err := ingest.RTMPOutputs{}.Open(t.Context(), address, sps, pps, nil)
		if err == nil || !strings.Contains(err.Error(), "not of the internet") || strings.Contains(err.Error(), "key") {
			t.Error(address, err)
		}
	}
	o := ingest.RTMPOutputs{Networks: fetchurl.Networks{netip.MustParsePrefix("127.0.0.1/32")}}
	to, err := o.Open(t.Context(), "rtmp://"+s.Addr()+"/live/app/key?a=b", sps, pps, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := to.WriteVideo(0, 0, [][]byte{sps, pps, {0x65, 1}}); err != nil {
		t.Error(err)
	}
	late, tick := time.After(20*time.Second), time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		streams, pictures, keys, _, _ := s.Got()
		if pictures == 1 && keys == 1 && len(streams) == 1 && streams[0] == "/live/app/key?a=b" {
			break
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatal(streams, pictures, keys)
		}
	}
	if err := to.Close(); err != nil {
		t.Error(err)
	}
}
