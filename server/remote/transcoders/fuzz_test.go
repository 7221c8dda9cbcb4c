package transcoders_test

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/remote/transcoders"
	"github.com/tuttinode/tutti/server/rpc"
)

func FuzzResult(f *testing.F) {
	f.Add(multi(goodParts()).Bytes(), false)
	f.Add(multi([]part{{kind: "video/mp2t", data: "x", pixels: "1"},
		{kind: "application/octet-stream", data: "s"}}).Bytes(), true)
	f.Add([]byte("--"+boundary+"\r\nPixels: 1\r\nContent-Length: 99999999999\r\n\r\n"), false)
	f.Add([]byte("--"+boundary+"--"), true)
	f.Fuzz(func(t *testing.T, body []byte, signature bool) {
		const most = 1 << 20
		job := segment("s", 1)
		job.Signature = signature
		out, booked, err := transcoders.ParseResult(bytes.NewReader(body), boundary, job, most)
		if err != nil {
			if booked != 0 || out != nil {
				t.Errorf("%d bytes stay booked, %d renditions stay", booked, len(out))
			}
			return
		}
		var size int64
		for _, r := range out {
			if r.Pixels < 0 || signature != (r.Signature != nil) {
				t.Errorf("rendition %+v", r)
			}
			size += int64(len(r.Data) + len(r.Signature))
		}
		if len(out) != len(job.Profiles) || booked < size || booked > most {
			t.Errorf("%d renditions of %d bytes, %d booked", len(out), size, booked)
		}
	})
}

func FuzzRegistration(f *testing.F) {
	for _, m := range []*rpc.RegisterRequest{plain(), own("rig7", "i1"),
		{Capacity: 1 << 62, Capabilities: &rpc.Capabilities{
			Bitstring: make([]uint64, 100), Capacities: map[uint32]uint32{1 << 31: 1}, Version: "v"}}} {
		b, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m := new(rpc.RegisterRequest)
		if proto.Unmarshal(b, m) != nil {
			return
		}
		id := remote.NewIdentity(m.GetNode(), m.GetWorker(), m.GetInstance(), "1.2.3.4:5")
		if id.Name == "" || len(id.Name) > 64 || len(id.Instance) > 64 {
			t.Errorf("identity %+v", id)
		}
		for _, r := range id.Name {
			if r <= ' ' || r > '~' {
				t.Errorf("name %q", id.Name)
			}
		}
		o, devices := transcoders.ReadOffer(m)
		if len(o.Capabilities.Bits) > 16 || len(o.Capabilities.Version) > 64 || len(o.Capabilities.Capacities) > 16*64 ||
			len(devices) > 256 || o.Sessions > 1<<16 {
			t.Errorf("kept %+v", o)
		}
	})
}

func TestPlainHost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"example.org": true, "example.org:8935": true, "10.0.0.1:1": true, "[::1]:8935": true, "": false,
		"a/b": false, "a@b": false, "a b": false, "a#b": false, "a?b": false, "a:b:c": false, "\r\nX: y": false,
		"a%2f": false,
	} {
		if transcoders.PlainHost(host) != want {
			t.Errorf("%q: %v", host, !want)
		}
	}
}
