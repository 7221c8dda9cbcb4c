package ingest

import (
	"reflect"

	"github.com/datarhei/gosrt"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// handshakeVersion is that of all libraries since 2018. Of the one before the library's listener knows the first
	// half: messages of the second one end the process.
	handshakeVersion = 5
	// minMTU is a packet of MPEG-TS with the headers of SRT, UDP and IPv4. The library subtracts headers from what a
	// client names without a look at its size, and makes a buffer of 4 GiB of a smaller one.
	minMTU = 188 + 16 + 28
)

// checkSRTHandshake refuses clients whose parameters the library does not bear.
func checkSRTHandshake(req srt.ConnRequest) error {
	if v := req.Version(); v != handshakeVersion {
		return fault.New(fault.PublishProtocol, "take connection", "the client speaks a version of SRT before 1.3")
	}
	if mtu, ok := srtMTU(req); !ok || mtu < minMTU {
		return fault.New(fault.PublishProtocol, "take connection", "the client's packets are too short")
	}
	return nil
}

// srtMTU reads the size of packets that a client names. The library does not export it.
func srtMTU(req any) (uint64, bool) {
	v := reflect.ValueOf(req)
	for _, name := range []string{"handshake", "MaxTransmissionUnitSize"} {
		if v = reflect.Indirect(v); v.Kind() != reflect.Struct {
			return 0, false
		}
		v = v.FieldByName(name)
	}
	if v.Kind() != reflect.Uint32 {
		return 0, false
	}
	return v.Uint(), true
}
