package verify

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
)

// hevcStream fills in what the stream's first sequence parameter set says and returns
// the codec as playlists write it.
func hevcStream(b []byte, i *SniffedInfo) string {
	sps := nalBytes(b, func(h byte) bool { return h>>1&0x3f == hevcSPSType })
	i.Parameters = sps
	const header = 2
	if len(sps) <= header {
		return ""
	}
	s, ok := ReadHEVCSPS([]byte(sps[header:]))
	if !ok {
		return ""
	}
	i.Width, i.Height = s.Width, s.Height
	return hevcCodec("hvc1", s.General)
}

// hevcCodec returns the RFC 6381 form of ISO/IEC 14496-15, annex E: sample entry, profile,
// compatibility flags in reverse order, tier and level, constraints.
func hevcCodec(entry string, general [hevcGeneralBytes]byte) string {
	space := [...]string{"", "A", "B", "C"}[general[0]>>6]
	tier := "L"
	if general[0]&0x20 != 0 {
		tier = "H"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s.%s%d.%X.%s%d", entry, space, general[0]&0x1f,
		bits.Reverse32(binary.BigEndian.Uint32(general[1:])), tier, general[11])
	constraints := general[5:11]
	for len(constraints) > 0 && constraints[len(constraints)-1] == 0 {
		constraints = constraints[:len(constraints)-1]
	}
	for _, c := range constraints {
		fmt.Fprintf(&out, ".%X", c)
	}
	return out.String()
}
