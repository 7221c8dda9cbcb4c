package verify

// PacketSize is the length of a transport stream packet, in bytes.
const PacketSize = 188

const syncByte = 0x47

// isTS reports whether data begins like a transport stream.
func isTS(b []byte) bool {
	return len(b) >= PacketSize && b[0] == syncByte && (len(b) < 2*PacketSize || b[PacketSize] == syncByte)
}

// SyncByte returns the offset of the first packet at or after off, len(b) when there is none.
// A whole packet begins there.
func SyncByte(b []byte, off int) int {
	for ; off+PacketSize <= len(b); off++ {
		if b[off] == syncByte && (off+PacketSize == len(b) || b[off+PacketSize] == syncByte) {
			return off
		}
	}
	return len(b)
}

// WholeBox reports whether a packet begins at off.
func WholeBox(b []byte, off int) bool { return off+PacketSize <= len(b) && b[off] == syncByte }

// PacketHead returns a packet's PID and whether a unit begins in it.
func PacketHead(p []byte) (pid int, start bool) {
	return int(p[1]&0x1f)<<8 | int(p[2]), p[1]&0x40 != 0
}

// TSPayload returns a packet's payload after its adaptation field, nil when none.
func TSPayload(p []byte) []byte {
	control := p[3] >> 4 & 3
	body := p[4:]
	if control&1 == 0 {
		return nil
	}
	if control&2 != 0 {
		n := int(body[0]) + 1
		if n >= len(body) {
			return nil
		}
		body = body[n:]
	}
	return body
}

// PESPayload returns what follows the header of a packetized elementary stream, nil when
// it is none.
func PESPayload(b []byte) []byte {
	if len(b) < 9 || b[0] != 0 || b[1] != 0 || b[2] != 1 {
		return nil
	}
	n := 9 + int(b[8])
	if n > len(b) {
		return nil
	}
	return b[n:]
}

// EachPacket calls f for each packet until it returns false. Bytes between packets are
// passed over.
func EachPacket(data []byte, f func(p []byte) bool) {
	for off := 0; off < len(data); off += PacketSize {
		if !WholeBox(data, off) {
			if off = SyncByte(data, off); off == len(data) {
				return
			}
		}
		if !f(data[off : off+PacketSize]) {
			return
		}
	}
}
